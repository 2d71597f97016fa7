// Scans are cleaned, and those over the same steps that do not wait for each other become one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/change.hpp>
#include <kroton/loops/union.hpp>

namespace kroton::loops {

/// Records the union of scans of a graph in another one; the results of each of them.
constexpr list<list<int>> record_union(graph const& from, list<int> const& scans, graph& to,
                                       list<int> const& image) {
  list<bool> const live = from.live();
  list<loop_form> forms;
  list<list<bool>> used;
  for (int id : scans) {
    forms.push_back(form_of(from, id));
    used.push_back(used_results(from, id, live));
  }
  loop_union together(forms, used);
  move_operands(together.made.parts, image);
  for (int f = 0; f < forms.size(); ++f) {
    move_operands(forms[f].parts, image);
    outside_copy outside(to, forms[f]);
    lift_conditions(from, image, forms[f], outside, together.lost[f]);
  }
  bool const is_empty = together.made.body.results().empty();
  int const node = is_empty ? -1 : record_scan(to, together.made.parts, together.made.body);
  list<list<int>> results;
  for (int f = 0; f < forms.size(); ++f) {
    results.push_back({});
    for (int t = 0; t < used[f].size(); ++t) {
      int const k = together.output(f, t);
      results.back().push_back(k < 0 || node < 0 ? to.literal(0, element::int64)
                                                 : output_of({&to, node}, k).id);
    }
  }
  return results;
}

constexpr graph with_union(graph const& g, list<int> const& scans) {
  return with_scans(g, scans, [&](graph& to, list<int> const& image) {
    return record_union(g, scans, to, image);
  });
}

/// Whether an operand is there twice.
constexpr bool has_repeated(list<int> const& ids) {
  bool repeated = false;
  for (int i = 0; i < ids.size(); ++i)
    for (int k = 0; k < i; ++k) repeated = repeated || ids[k] == ids[i];
  return repeated;
}
/// Whether two states may be the same, or two outputs are.
constexpr bool has_tapes_alike(loop_form const& form) {
  auto const& tapes = form.parts.tapes;
  auto first_alike = [&](int t) {
    int b = 0;
    while (b < t && !start_alike(tapes[b], tapes[t])) ++b;
    return b;
  };
  bool any = false, alike = false;
  for (int t = 0; !any && t < tapes.size(); ++t) any = first_alike(t) < t;
  list<std::uint64_t> hashes;
  if (any) hashes = result_hashes(form, first_alike);
  for (int t = 0; t < tapes.size(); ++t)
    for (int b = 0; b < t; ++b)
      alike = alike || (any && start_alike(tapes[b], tapes[t]) && hashes[b] == hashes[t]) ||
              (form.is_output(b) && form.is_output(t) &&
               form.body.results()[b] == form.body.results()[t]);
  return alike;
}
/// Whether there is nothing to clean: everything is read, and once.
constexpr bool is_clean(graph const& g, int id) {
  if (has_conditions(g, id)) return false;
  list<loop_form> const forms{form_of(g, id)};
  loop_form const& form = forms[0];
  list<bool> const used = used_results(g, id, g.live()), needed = needed_tapes(form, used),
                   read = nodes_before(form, needed);
  bool all_read = !needed.contains(false);
  for (int i = 0; i < form.parts.sequences.size(); ++i)
    all_read = all_read && read[form.sequence(i)];
  for (int i = 0; i < form.parts.constants.size(); ++i)
    all_read = all_read && read[form.constant(i)];
  return all_read && !has_repeated(form.parts.sequences) && !has_repeated(form.parts.constants) &&
         (!has_tapes_alike(form) || loop_union(forms, list<list<bool>>{used}).is_whole());
}
/// Each scan without unused results, states, sequences and constants, and without duplicates.
constexpr graph cleaned_scans(graph g) {
  int const count = scans_in(g).size();
  // From the last one on: what it does not read may be unused then.
  for (int k = count - 1; k >= 0; --k) {
    list<int> const scans = scans_in(g);
    if (k < scans.size() && !is_clean(g, scans[k])) g = with_union(g, list<int>{scans[k]});
  }
  return g;
}

/// Whether a node needs another one.
constexpr bool needs(graph const& g, int id, int other) {
  list<bool> reached(id + 1);
  reached[id] = true;
  for (int k = id; k > other; --k)
    if (reached[k])
      for (int in : g.inputs(k)) reached[in] = true;
  return reached[other];
}
/// Whether two loops over the same steps end under the same condition, or none does.
constexpr bool stop_alike(graph const& g, int a, int b) {
  list<loop_form> const forms{form_of(g, a), form_of(g, b)};
  bool alike = forms[0].parts.stops == forms[1].parts.stops;
  if (alike && forms[0].parts.stops) {
    list<list<bool>> used;
    for (loop_form const& form : forms) used.push_back(list<bool>(form.parts.tapes.size(), true));
    alike = loop_union(forms, used).stop_alike;
  }
  return alike;
}
/// The next two scans that can be one, or nothing. One that an ifelse may not need stays alone.
constexpr list<int> mergeable(graph const& g) {
  list<int> const scans = scans_in(g);
  list<bool> const always = always_needed(g);
  list<int> found;
  for (int b = 1; b < scans.size() && found.empty(); ++b)
    for (int a = 0; a < b && found.empty(); ++a)
      if (always[scans[a]] && always[scans[b]] &&
          g.input_of(scans[a], 0) == g.input_of(scans[b], 0) && !needs(g, scans[b], scans[a]) &&
          layout_of(g, scans[a]).repeats() == layout_of(g, scans[b]).repeats() &&
          stop_alike(g, scans[a], scans[b]))
        found = list<int>{scans[a], scans[b]};
  return found;
}
constexpr graph merged_scans(graph g) {
  for (list<int> pair = mergeable(g); !pair.empty(); pair = mergeable(g)) g = with_union(g, pair);
  return g;
}

}  // namespace kroton::loops
