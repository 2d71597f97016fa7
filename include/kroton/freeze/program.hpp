// A program: a lambda traced, optimized and planned in one constant evaluation, and the tables of
// its plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/outputs.hpp>
#include <kroton/freeze/distinct.hpp>
#include <kroton/freeze/words.hpp>
#include <kroton/ops/fixed.hpp>
#include <kroton/plan/tables.hpp>

namespace kroton::freeze {

/// What the constant evaluation hands over: words, and where each table stands among them.
template <int Words, int Ops, std::size_t Parameters>
struct frozen_program {
  frozen<Words, Ops> code;
  table_place values, steps, pool, extents, constraints, outputs, updates, bands, slices;
  parameter_info parameter[Parameters + 1]{};
  int slots = 0;
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
    tabulation tables(g, plan, memory);
    add_code(g, plan, tables);
    write(tables);
    out.code = words_.result;
  }
  frozen_program<Words, Ops, Parameters> out;

 private:
  constexpr bool fail(graph const& g) {
    out.error = g.error();
    if (!out.error.empty()) out.code = words_.result;
    return !out.error.empty();
  }
  // Writes the bodies of loops and the ops of other steps, and notes where they are.
  constexpr void add_code(graph const& g, planner const& plan, tabulation& tables) {
    distinct_graphs distinct(plan.bodies.size());
    list<int> places;
    for (graph const& body : plan.bodies) {
      int const same = distinct.find(plan.bodies, places.size());
      places.push_back(same < places.size() ? places[same] : words_.add(body));
    }
    for (int s = 0; s < plan.steps.size(); ++s) {
      planned_step const& step = plan.steps[s];
      if (step.kind == step_kind::loop) tables.steps[s].body = places[step.body];
      else tables.steps[s].op = words_.op(g[step.node].op);
    }
  }
  constexpr void write(tabulation const& tables) {
    out.values = freeze_table(words_, tables.values);
    out.steps = freeze_table(words_, tables.steps);
    out.pool = freeze_table(words_, tables.pool);
    out.extents = freeze_table(words_, tables.extents);
    out.constraints = freeze_table(words_, tables.constraints);
    out.outputs = freeze_table(words_, tables.outputs);
    out.updates = freeze_table(words_, tables.updates);
    out.bands = freeze_table(words_, tables.bands);
    out.slices = freeze_table(words_, tables.slices);
    for (int p = 0; p < tables.parameters.size(); ++p) out.parameter[p] = tables.parameters[p];
    out.slots = tables.slots;
  }

  freezer<Words, Ops> words_;
};

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

  template <class Entry, table_place Place>
  static constexpr auto table =
      read_table<Entry, static_cast<std::size_t>(Place.count)>(value, Place);

  static constexpr auto& values = table<value_info, made.values>;
  static constexpr auto& steps = table<step_info, made.steps>;
  static constexpr auto& pool = table<long long, made.pool>;
  static constexpr auto& extents = table<planned_extent, made.extents>;
  static constexpr auto& outputs = table<int, made.outputs>;
  static constexpr auto& updates = table<planned_update, made.updates>;
  static constexpr auto& bands = table<band_info, made.bands>;
  static constexpr auto& slices = table<planned_slice, made.slices>;
  static constexpr auto constraints = [] {
    constexpr auto count = static_cast<std::size_t>(made.constraints.count);
    std::array<constraint_info, count> all{};
    auto const frozen = read_table<extent_constraint, count>(value, made.constraints);
    for (std::size_t i = 0; i != count; ++i) all[i] = described(frozen[i]);
    return all;
  }();
  static constexpr auto parameters = [] {
    std::array<parameter_info, sizeof...(P)> all{};
    for (std::size_t i = 0; i != sizeof...(P); ++i) all[i] = made.parameter[i];
    return all;
  }();
};

}  // namespace kroton::freeze
