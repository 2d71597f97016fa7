// Several scans over the same steps as one: without what nothing needs, and each thing once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/form.hpp>

namespace kroton::loops {

/// The nodes that some tapes of a form are computed from, and its condition.
constexpr list<bool> nodes_before(loop_form const& form, list<bool> const& tapes) {
  list<bool> read(form.body.size());
  for (int t = 0; t < tapes.size(); ++t)
    if (tapes[t]) read[form.body.results()[t]] = true;
  if (form.parts.stops) read[form.condition()] = true;
  for (int id = form.body.size() - 1; id >= 0; --id)
    if (read[id])
      for (int in : form.body.inputs(id)) read[in] = true;
  return read;
}

/// The tapes of a form whose results are read, and states that these follow from.
constexpr list<bool> needed_tapes(loop_form const& form, list<bool> const& used) {
  list<bool> needed(form.parts.tapes.size());
  for (int t = 0; t < needed.size(); ++t) needed[t] = used[t];
  for (bool changed = true; changed;) {
    changed = false;
    list<bool> const reached = nodes_before(form, needed);
    for (int t = 0; t < needed.size(); ++t)
      for (int k = 0; k < form.parts.tapes[t].taps.size(); ++k)
        if (!needed[t] && reached[form.tap(t, k)]) needed[t] = changed = true;
  }
  return needed;
}

/// Whether two states have the same start and the same taps.
constexpr bool start_alike(scan_tape const& a, scan_tape const& b) {
  bool same = a.start >= 0 && a.start == b.start && a.taps.size() == b.taps.size() &&
              (a.kind == tape_kind::mit_sot) == (b.kind == tape_kind::mit_sot);
  for (int k = 0; same && k < a.taps.size(); ++k) same = a.taps[k] == b.taps[k];
  return same;
}

/// For each result of a form a hash of how it is computed. States that have the same start stand
/// for each other, and operands in any order: results of different hashes are never the same, those
/// of equal hashes may be. `first_alike(t)` numbers what states start alike with tape t.
template <class FirstAlike>
constexpr list<std::uint64_t> result_hashes(loop_form const& form, FirstAlike first_alike) {
  list<std::uint64_t> hashes(form.body.size());
  auto note = [&](int inner, int kind, int number) {
    hashes[inner] = core::mix(core::mix(1, static_cast<std::uint64_t>(kind)),
                              static_cast<std::uint64_t>(number));
  };
  for (int i = 0; i < form.parts.sequences.size(); ++i)
    note(form.sequence(i), 0, form.parts.sequences[i]);
  for (int i = 0; i < form.parts.constants.size(); ++i)
    note(form.constant(i), 1, form.parts.constants[i]);
  for (int t = 0; t < form.parts.tapes.size(); ++t)
    for (int k = 0; k < form.parts.tapes[t].taps.size(); ++k)
      note(form.tap(t, k), 2 + k, first_alike(t));
  for (int id = 0; id < form.body.size(); ++id) {
    if (form.body.is<op::input>(id)) continue;
    std::uint64_t operands = 0;
    for (int in : form.body.inputs(id)) operands += core::mix(0, hashes[in]);
    hashes[id] = core::mix(form.body[id].op->name_hash, operands);
    for (long long a : form.body.attributes(id))
      hashes[id] = core::mix(hashes[id], static_cast<std::uint64_t>(a));
  }
  list<std::uint64_t> of_results;
  for (int id : form.body.results()) of_results.push_back(hashes[id]);
  return of_results;
}

/// Makes one form of several. Operands that are the same node become one parameter; states with the
/// same start that all steps change alike become one state; of equal outputs one is computed. Of
/// one form alone it makes what is left of it when it has been cleaned.
class loop_union {
 public:
  /// `used` says for each form which of its results are read.
  constexpr loop_union(list<loop_form> const& forms, list<list<bool>> const& used) : forms_(forms) {
    for (int f = 0; f < forms.size(); ++f) needed_.push_back(needed_tapes(forms[f], used[f]));
    sort_tapes();
    for (int f = 0; f < forms.size(); ++f) read_.push_back(nodes_before(forms[f], needed_[f]));
    find_equal_states();
    while (!build()) {}
    finish();
  }

  loop_form made{};
  /// Whether the loops stop under the same condition, if any. Otherwise they cannot be one.
  bool stop_alike = true;
  /// The conditions of each form on what `made` does not read.
  list<list<core::extent_constraint>> lost{};
  /// Whether `made` has all of the first form, and no two of its states share a value.
  constexpr bool is_whole() const {
    scan_parts const& first = forms_[0].parts;
    bool whole = made.parts.tapes.size() == first.tapes.size() &&
                 made.parts.sequences.size() == first.sequences.size() &&
                 made.parts.constants.size() == first.constants.size();
    for (entry const& e : entries_) whole = whole && e.same < 0;
    return whole;
  }
  /// The result of `made` that is result `tape` of a form; -1 if it is gone.
  constexpr int output(int form, int tape) const {
    if (tape == forms_[form].parts.tapes.size()) return made.parts.tapes.size();
    for (int e = 0; e < entries_.size(); ++e)
      if (entries_[e].form == form && entries_[e].tape == tape) return outputs_[e];
    return -1;
  }

 private:
  struct entry {
    int form = 0, tape = 0;
    int same = -1;  // an earlier state that has the same value in each step
  };

  constexpr scan_tape const& tape_of(entry const& e) const {
    return forms_[e.form].parts.tapes[e.tape];
  }
  constexpr void sort_tapes() {
    for (int kind = 0; kind < tape_kinds; ++kind)
      for (int f = 0; f < forms_.size(); ++f)
        for (int t = 0; t < forms_[f].parts.tapes.size(); ++t)
          if (needed_[f][t] && static_cast<int>(forms_[f].parts.tapes[t].kind) == kind)
            entries_.push_back({f, t});
  }
  // All that may be: whether they are, their results tell.
  constexpr void find_equal_states() {
    list<int> first;  // of the entries that start alike
    for (int e = 0; e < entries_.size(); ++e) {
      int b = 0;
      while (b < e && !start_alike(tape_of(entries_[b]), tape_of(entries_[e]))) ++b;
      first.push_back(b);
    }
    list<std::uint64_t> hashes(entries_.size());
    for (int f = 0; f < forms_.size(); ++f) {
      auto const of_results = result_hashes(forms_[f], [&](int tape) {
        int e = 0;
        while (e < entries_.size() && (entries_[e].form != f || entries_[e].tape != tape)) ++e;
        return e < entries_.size() ? first[e] : -1;
      });
      for (int e = 0; e < entries_.size(); ++e)
        if (entries_[e].form == f) hashes[e] = of_results[entries_[e].tape];
    }
    for (int e = 0; e < entries_.size(); ++e)
      for (int b = first[e]; b < e && entries_[e].same < 0; ++b)
        if (first[b] == first[e] && hashes[b] == hashes[e] && entries_[b].same < 0)
          entries_[e].same = b;
  }
  constexpr bool is_dropped(entry const& e) const {
    return e.same >= 0 && tape_of(e).kind == tape_of(entries_[e.same]).kind;
  }

  // False if states that were taken to be the same are not, so that it has to be done again.
  constexpr bool build() {
    made = loop_form{};
    scan_parts const& first = forms_[0].parts;
    made.parts.steps = first.steps;
    made.parts.truncate = first.truncate;
    made.parts.stops = first.stops;
    made.parts.repeats = first.repeats;
    made.parts.unrolled = first.unrolled;
    list<body_copy> copies;
    for (loop_form const& form : forms_) {
      made.parts.counted = made.parts.counted || form.parts.counted;
      copies.push_back(body_copy(form.body, made.body));
    }
    add_sequences(copies);
    for (entry const& e : entries_) add_taps(e, copies);
    add_constants(copies);
    results_.clear();
    for (entry const& e : entries_)
      results_.push_back(copies[e.form].copy(forms_[e.form].body.results()[e.tape]));
    conditions_.clear();
    for (int f = 0; f < forms_.size(); ++f) {
      loop_form const& form = forms_[f];
      conditions_.push_back(form.parts.stops ? copies[f].copy(form.condition()) : -1);
    }
    bool all_same = true;
    for (int e = 0; e < entries_.size(); ++e)
      if (entries_[e].same >= 0 && results_[e] != results_[entries_[e].same]) {
        entries_[e].same = -1;
        all_same = false;
      }
    if (all_same)
      for (body_copy& copy : copies) lost.push_back(copy.copy_conditions());
    return all_same;
  }
  constexpr int add_input(tensor_type const& type) {
    return made.body.input(type, made.body.parameters().size());
  }
  constexpr void add_sequences(list<body_copy>& copies) {
    for (int f = 0; f < forms_.size(); ++f)
      for (int i = 0; i < forms_[f].parts.sequences.size(); ++i) {
        int const operand = forms_[f].parts.sequences[i], inner = forms_[f].sequence(i);
        if (!read_[f][inner]) continue;
        int at = 0;
        while (at < made.parts.sequences.size() && made.parts.sequences[at] != operand) ++at;
        if (at == made.parts.sequences.size()) {
          made.parts.sequences.push_back(operand);
          add_input(forms_[f].body.type(inner));
        }
        copies[f].set(inner, made.body.parameters()[at]);
      }
  }
  constexpr void add_taps(entry const& e, list<body_copy>& copies) {
    loop_form const& form = forms_[e.form];
    for (int k = 0; k < tape_of(e).taps.size(); ++k) {
      int const inner = form.tap(e.tape, k);
      int const own = is_dropped(e) ? -1 : add_input(form.body.type(inner));
      if (e.same < 0) {
        copies[e.form].set(inner, own);
      } else {
        entry const& same = entries_[e.same];
        copies[e.form].set(inner, copies[same.form][forms_[same.form].tap(same.tape, k)]);
      }
    }
  }
  constexpr void add_constants(list<body_copy>& copies) {
    int const first = made.body.parameters().size();
    for (int f = 0; f < forms_.size(); ++f)
      for (int i = 0; i < forms_[f].parts.constants.size(); ++i) {
        int const operand = forms_[f].parts.constants[i], inner = forms_[f].constant(i);
        if (!read_[f][inner]) continue;
        int at = 0;
        while (at < made.parts.constants.size() && made.parts.constants[at] != operand) ++at;
        if (at == made.parts.constants.size()) {
          made.parts.constants.push_back(operand);
          add_input(forms_[f].body.type(inner));
        }
        copies[f].set(inner, made.body.parameters()[first + at]);
      }
  }

  // Which entries are results, and the operands that belong to them.
  constexpr void finish() {
    for (int e = 0; e < entries_.size(); ++e) {
      int same = is_dropped(entries_[e]) ? entries_[e].same : -1;
      bool const is_output = tape_of(entries_[e]).kind == tape_kind::nit_sot;
      for (int b = 0; is_output && same < 0 && b < e; ++b)
        if (tape_of(entries_[b]).kind == tape_kind::nit_sot && results_[b] == results_[e]) same = b;
      if (same >= 0) {
        outputs_.push_back(outputs_[same]);
        continue;
      }
      outputs_.push_back(made.parts.tapes.size());
      made.parts.tapes.push_back(tape_of(entries_[e]));
      made.body.results().push_back(results_[e]);
      if (!is_output) continue;
      loop_form const& form = forms_[entries_[e].form];
      int const from = form.first_extent(entries_[e].tape);
      for (int d = 0; d < made.body.type(results_[e]).rank; ++d)
        made.parts.extents.push_back(form.parts.extents[from + d]);
    }
    for (int c : conditions_) stop_alike = stop_alike && c == conditions_[0];
    if (made.parts.stops) made.body.results().push_back(conditions_[0]);
  }

  list<loop_form> const& forms_;
  list<list<bool>> needed_{}, read_{};
  list<entry> entries_{};
  list<int> results_{}, outputs_{}, conditions_{};
};

}  // namespace kroton::loops
