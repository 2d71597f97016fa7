// A program: a lambda traced, optimized and planned in one constant evaluation, and the tables of
// its plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/outputs.hpp>
#include <kroton/freeze/expression.hpp>
#include <kroton/ops/fixed.hpp>
#include <kroton/plan/storage.hpp>

#include <array>

namespace kroton::core {

/// A value of a program, as used at run time.
struct value_info {
  storage where = storage::buffer;
  element type = element::float64;
  int rank = 0;
  int extents[max_rank]{};  // numbers in the table of extents
  long long detail = 0;     // see planned_value
  int slot = -1;            // in the arena
  int output = -1;          // in whose memory it is computed
  int companion = -1;       // a value that takes its place in an output's memory
};

/// A step of a program.
struct step_info {
  step_kind kind = step_kind::loop;
  bool prologue = false;
  int body = 0;  // the word at which the body of a loop is frozen
  int operand_count = 0, result_count = 0, space_rank = 0, attribute_count = 0;
  int first = 0;  // where operands, results, space, attributes and guards are in the pool
  int op = 0;     // number of the op of a step that is not a loop
  int guard_count = 0;  // after the attributes: conditions without which the step is skipped
  int band = -1;
  bool gathers = false;
};

/// A band of a program: its steps, and the number of the extent that is processed in parts.
struct band_info {
  int first = 0, last = 0, rows = 0;
};

struct constraint_info {
  int left = 0, right = 0;
  condition kind = condition::equal;
  // Whether the op repeats operands along axes whose types say that they have one element
  bool broadcasts = false;
  std::string_view op;
};

struct parameter_info {
  tensor_type type{};
  std::string_view name;
};

/// The result of the constant evaluation: words, and the number of entries of each table.
template <int Words, int Ops, std::size_t Parameters>
struct frozen_program {
  frozen<Words, Ops> code;
  int values = 0, steps = 0, pool = 0, extents = 0, constraints = 0, outputs = 0, updates = 0,
      parameters = 0, slots = 0, bands = 0, slices = 0;
  int values_at = 0, steps_at = 0, pool_at = 0, extents_at = 0, constraints_at = 0, outputs_at = 0,
      updates_at = 0, bands_at = 0, slices_at = 0;
  parameter_info parameter[Parameters + 1]{};
  std::string_view error;
};

template <int Words, int Ops, std::size_t Parameters>
class program_freezer {
 public:
  constexpr explicit program_freezer(graph& g) {
    if (fail(g)) return;
    planner plan(g);
    if (fail(g)) return;
    storage_plan const memory(g, plan);
    write(g, plan, memory);
    out.code = words_.result;
  }
  frozen_program<Words, Ops, Parameters> out;

 private:
  constexpr bool fail(graph const& g) {
    out.error = g.error();
    if (!out.error.empty()) out.code = words_.result;
    return !out.error.empty();
  }
  constexpr void write(graph const& g, planner const& plan, storage_plan const& memory) {
    list<int> bodies;
    for (auto const& step : plan.steps)
      bodies.push_back(step.kind == step_kind::loop ? words_.add(step.body) : 0);

    out.values = plan.values.size();
    out.values_at = words_.result.word_count;
    for (int v = 0; v < plan.values.size(); ++v) {
      planned_value const& value = plan.values[v];
      words_.word(static_cast<long long>(value.where));
      words_.word(static_cast<long long>(value.type.element));
      words_.word(value.type.rank);
      for (int d = 0; d < max_rank; ++d)
        words_.word(d < value.extents.size() ? value.extents[d] : 0);
      words_.word(value.detail);
      words_.word(memory.slots[v]);
      words_.word(memory.outputs[v]);
      words_.word(memory.companions[v]);
    }
    out.steps = plan.steps.size();
    list<long long> pool;
    list<long long> table;
    for (int s = 0; s < plan.steps.size(); ++s) {
      planned_step const& step = plan.steps[s];
      auto const attributes =
          step.kind == step_kind::loop ? items<long long>{} : g.attributes(step.node);
      // Two values per word: whether it is in the prologue and the number of guards; and its band,
      // or 0 if it has none, and whether it gathers.
      for (long long w :
           {static_cast<long long>(step.kind), step.prologue + 2ll * step.guards.size(),
            static_cast<long long>(bodies[s]), static_cast<long long>(step.operands.size()),
            static_cast<long long>(step.results.size()), static_cast<long long>(step.space.size()),
            static_cast<long long>(attributes.size()), static_cast<long long>(pool.size()),
            static_cast<long long>(step.kind == step_kind::loop ? 0 : words_.op(g[step.node].op)),
            2ll * (step.band + 1) + step.gathers})
        table.push_back(w);
      for (int v : step.operands) pool.push_back(v);
      for (int v : step.results) pool.push_back(v);
      for (int e : step.space) pool.push_back(e);
      for (long long a : attributes) pool.push_back(a);
      for (int guard : step.guards) pool.push_back(guard);
    }
    out.steps_at = words_.result.word_count;
    for (long long w : table) words_.word(w);
    out.pool = pool.size();
    out.pool_at = words_.result.word_count;
    for (long long w : pool) words_.word(w);
    out.extents = plan.extents.size();
    out.extents_at = words_.result.word_count;
    for (auto const& e : plan.extents) {
      words_.word(e.from);
      words_.word(e.which);
      words_.word(e.axis);
    }
    out.constraints = g.constraints().size();
    out.constraints_at = words_.result.word_count;
    for (auto const& c : g.constraints()) {
      words_.word(plan.value_of[c.left]);
      words_.word(plan.value_of[c.right]);
      words_.word(static_cast<long long>(c.kind));
      words_.word(words_.op(c.op));
    }
    out.outputs = g.results().size();
    out.outputs_at = words_.result.word_count;
    for (int id : g.results()) words_.word(plan.value_of[id]);
    out.updates = memory.updates.size();
    out.updates_at = words_.result.word_count;
    for (auto const& u : memory.updates) {
      words_.word(u.parameter);
      words_.word(u.value);
      words_.word(u.in_place);
    }
    out.bands = plan.bands.size();
    out.bands_at = words_.result.word_count;
    for (auto const& b : plan.bands) {
      words_.word(b.first);
      words_.word(b.last);
      words_.word(b.extent);
    }
    out.slices = memory.slices.size();
    out.slices_at = words_.result.word_count;
    for (auto const& s : memory.slices) {
      words_.word(s.band);
      words_.word(s.value);
      words_.word(s.axis);
      words_.word(s.local);
    }
    out.parameters = g.parameters().size();
    for (int p = 0; p < g.parameters().size(); ++p)
      out.parameter[p] = {g.type(g.parameters()[p]), g.name(g.parameters()[p])};
    out.slots = memory.slot_count;
  }

  freezer<Words, Ops> words_;
};

// Entry `i` of a table is decoded from its words.
template <class Code>
constexpr value_info decode_value(Code const& code, int at) {
  auto const* w = code.words + at;
  value_info v{static_cast<storage>(w[0]), static_cast<element>(w[1]), static_cast<int>(w[2])};
  for (int d = 0; d < max_rank; ++d) v.extents[d] = static_cast<int>(w[3 + d]);
  v.detail = w[3 + max_rank];
  v.slot = static_cast<int>(w[4 + max_rank]);
  v.output = static_cast<int>(w[5 + max_rank]);
  v.companion = static_cast<int>(w[6 + max_rank]);
  return v;
}
inline constexpr int value_words = 7 + max_rank;
template <class Code>
constexpr step_info decode_step(Code const& code, int at) {
  auto const* w = code.words + at;
  auto i = [&](int k) { return static_cast<int>(w[k]); };
  return {static_cast<step_kind>(w[0]),
          w[1] % 2 != 0,
          i(2),
          i(3),
          i(4),
          i(5),
          i(6),
          i(7),
          i(8),
          i(1) / 2,
          i(9) / 2 - 1,
          i(9) % 2 != 0};
}
inline constexpr int step_words = 10;

template <class Entry, std::size_t N, class Decode>
constexpr std::array<Entry, N> decode_table(Decode decode) {
  std::array<Entry, N> table{};
  for (std::size_t i = 0; i != N; ++i) table[i] = decode(static_cast<int>(i));
  return table;
}

/// Records a call of F on fresh parameters of types P.
template <class F, class... P>
constexpr graph trace() {
  graph g;
  int position = 0;
  [[maybe_unused]] auto next = [&]<class V>(std::type_identity<V>) {
    int const k = position++;
    return V(term{&g, g.input(V::parameter_type, k)});
  };
  std::tuple<P...> const parameters{next(std::type_identity<P>{})...};
  std::apply([&](auto const&... p) { (note_extents<P>(g, p.id), ...); }, parameters);
  auto const result = std::apply([](auto const&... p) { return F{}(p...); }, parameters);
  record_results(g, result);
  return g;
}

/// The single constant evaluation of the program of F on parameters P, the last `Bound` of which
/// are shared variables, in a mode.
template <class F, class Mode, int Bound, class... P>
struct program_evaluation {
  template <int Words, int Ops>
  struct in {
    static constexpr auto made = [] {
      graph g = trace<F, P...>();
      for (auto const& u : g.updates())
        if (u.parameter < static_cast<int>(sizeof...(P)) - Bound)
          g.fail(
              "update: only a parameter bound to a kt::shared can be updated; pass the shared "
              "variable to kt::function");
      collect_constraints(g);
      if (!g.error().empty()) return program_freezer<Words, Ops, sizeof...(P)>(g).out;
      graph optimized = Mode::prepare(g);
      return program_freezer<Words, Ops, sizeof...(P)>(optimized).out;
    }();
    static constexpr auto const& code() { return made.code; }
  };
};
template <class F, class Mode, int Bound, class... P>
struct evaluation : roomy<program_evaluation<F, Mode, Bound, P...>::template in> {};

/// The tables of a program. Separate from its evaluation, so that an evaluation that the compiler
/// cannot complete is only one error.
template <class F, class Mode, int Bound, class... P>
struct program : evaluation<F, Mode, Bound, P...> {
  using evaluation<F, Mode, Bound, P...>::made;
  static constexpr auto value = shrink<made.code.word_count + 1, made.code.op_count + 1>(made.code);

  static constexpr auto values = decode_table<value_info, made.values>(
      [](int i) { return decode_value(value, made.values_at + i * value_words); });
  static constexpr auto steps = decode_table<step_info, made.steps>(
      [](int i) { return decode_step(value, made.steps_at + i * step_words); });
  static constexpr auto pool =
      decode_table<long long, made.pool>([](int i) { return value.words[made.pool_at + i]; });
  static constexpr auto extents = decode_table<planned_extent, made.extents>([](int i) {
    auto const* w = value.words + made.extents_at + 3 * i;
    return planned_extent{static_cast<planned_extent::kind>(w[0]), w[1], w[2]};
  });
  static constexpr auto constraints = decode_table<constraint_info, made.constraints>([](int i) {
    auto const* w = value.words + made.constraints_at + 4 * i;
    op_info const* const op = value.ops[w[3]];
    return constraint_info{static_cast<int>(w[0]), static_cast<int>(w[1]),
                           static_cast<condition>(w[2]), repeats_operands(op), op->name};
  });
  static constexpr auto outputs = decode_table<int, made.outputs>(
      [](int i) { return static_cast<int>(value.words[made.outputs_at + i]); });
  static constexpr auto updates = decode_table<planned_update, made.updates>([](int i) {
    auto const* w = value.words + made.updates_at + 3 * i;
    return planned_update{static_cast<int>(w[0]), static_cast<int>(w[1]), w[2] != 0};
  });
  static constexpr auto bands = decode_table<band_info, made.bands>([](int i) {
    auto const* w = value.words + made.bands_at + 3 * i;
    return band_info{static_cast<int>(w[0]), static_cast<int>(w[1]), static_cast<int>(w[2])};
  });
  static constexpr auto slices = decode_table<planned_slice, made.slices>([](int i) {
    auto const* w = value.words + made.slices_at + 4 * i;
    return planned_slice{static_cast<int>(w[0]), static_cast<int>(w[1]), static_cast<int>(w[2]),
                         w[3] != 0};
  });
  static constexpr auto parameters =
      decode_table<parameter_info, sizeof...(P)>([](int i) { return made.parameter[i]; });
};

}  // namespace kroton::core
