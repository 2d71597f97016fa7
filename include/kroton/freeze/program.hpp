// A program: a lambda traced, optimized and planned in one constant evaluation, and the tables of
// its plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/outputs.hpp>
#include <kroton/freeze/distinct.hpp>
#include <kroton/freeze/words.hpp>
#include <kroton/ops/random/streams.hpp>
#include <kroton/ops/shapes/fixed.hpp>
#include <kroton/plan/tables.hpp>

namespace kroton::freeze {

/// Where the tables of a program stand among its words.
struct table_places {
  table_place values, steps, pool, extents, constraints, outputs, updates, bands, slices,
      bundles, parameters;
  int slots = 0;

  template <class Self, class Each>
  static constexpr void fields(Self& s, Each& each) {
    for (auto* place : {&s.values, &s.steps, &s.pool, &s.extents, &s.constraints, &s.outputs,
                        &s.updates, &s.bands, &s.slices, &s.bundles, &s.parameters})
      each(place->at, place->count);
    each(s.slots);
  }
};

/// What the constant evaluation hands over: words, and where each table stands among them.
template <int Words, int Ops, std::size_t Parameters>
struct frozen_program {
  frozen<Words, Ops> code;
  table_places places;
  table_place bodies;                        // the places of the programs of bodies
  std::string_view names[Parameters + 1]{};  // of the parameters
  std::string_view error;
  bool has_disconnected = false;
};

template <int Words, int Ops, std::size_t Parameters>
class program_freezer {
 public:
  constexpr explicit program_freezer(graph& g) {
    if (!fail(g)) out.places = add(g, nullptr);
    for (int p = 0; out.error.empty() && p < g.parameters().size(); ++p)
      out.names[p] = g.name(g.parameters()[p]);
    out.bodies = freeze_table(words_, bodies_);
    out.code = words_.result;
  }
  frozen_program<Words, Ops, Parameters> out;

 private:
  constexpr bool fail(graph const& g) {
    if (out.error.empty()) out.error = g.error();
    return !out.error.empty();
  }
  // The parameters of a body are known from outside.
  constexpr table_places add(graph& g, list<parameter_info> const* of_body) {
    table_places places;
    planner plan(g);
    if (fail(g)) return places;
    storage_plan const memory(g, plan, of_body != nullptr);
    tabulation tables(g, plan, memory);
    if (of_body != nullptr) tables.be_body(*of_body);
    add_code(g, plan, tables);
    places = write(tables);
    return places;
  }
  // Writes the bodies of loops, the ops of other steps and the programs of bodies, and notes where
  // they are.
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
      if (step.kind == step_kind::scan) {
        list<parameter_info> const of_body = parameters_of_body(g, step.node, tables.parameters);
        tables.steps[s].body = add_body(g, step.node, of_body);
      }
    }
  }
  constexpr int add_body(graph const& g, int id, list<parameter_info> const& parameters) {
    graph body = g.body(g.attribute(id, 0));
    table_places const places = add(body, &parameters);
    bodies_.push_back(places);
    return bodies_.size() - 1;
  }
  constexpr table_places write(tabulation const& tables) {
    table_places to;
    to.values = freeze_table(words_, tables.values);
    to.steps = freeze_table(words_, tables.steps);
    to.pool = freeze_table(words_, tables.pool);
    to.extents = freeze_table(words_, tables.extents);
    to.constraints = freeze_table(words_, tables.constraints);
    to.outputs = freeze_table(words_, tables.outputs);
    to.updates = freeze_table(words_, tables.updates);
    to.bands = freeze_table(words_, tables.bands);
    to.slices = freeze_table(words_, tables.slices);
    to.bundles = freeze_table(words_, tables.bundles);
    to.parameters = freeze_table(words_, tables.parameters);
    to.slots = tables.slots;
    return to;
  }

  freezer<Words, Ops> words_;
  list<table_places> bodies_;
};

/// Records a call of F on fresh parameters of types P, and returns what it returns.
template <class F, class... P>
constexpr auto record_call(graph& g) {
  int position = 0;
  [[maybe_unused]] auto next = [&]<class V>(std::type_identity<V>) {
    int const k = position++;
    return V(term{&g, g.input(V::parameter_type, k)});
  };
  std::tuple<P...> const parameters{next(std::type_identity<P>{})...};
  std::apply([&](auto const&... p) { (note_extents<P>(g, p.id), ...); }, parameters);
  return std::apply([](auto const&... p) { return F{}(p...); }, parameters);
}

/// The graph of a call of F on fresh parameters of types P.
template <class F, class... P>
constexpr graph trace() {
  graph g;
  auto const result = record_call<F, P...>(g);
  drop_unused_streams(g);
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
      auto frozen = program_freezer<Words, Ops, sizeof...(P)>(optimized).out;
      frozen.has_disconnected = g.has_disconnected();
      return frozen;
    }();
    static constexpr auto const& code() { return made.code; }
  };
};
template <class F, class Mode, int Bound, class... P>
struct evaluation : roomy<program_evaluation<F, Mode, Bound, P...>::template in> {};

/// The tables that stand at `Of::places` among the words `Of::value`.
template <class Of>
struct placed_tables {
  template <class Entry, table_place Place>
  static constexpr auto table =
      read_table<Entry, static_cast<std::size_t>(Place.count)>(Of::value, Place);

  static constexpr auto& values = table<value_info, Of::places.values>;
  static constexpr auto& steps = table<step_info, Of::places.steps>;
  static constexpr auto& pool = table<long long, Of::places.pool>;
  static constexpr auto& extents = table<planned_extent, Of::places.extents>;
  static constexpr auto& outputs = table<int, Of::places.outputs>;
  static constexpr auto& updates = table<planned_update, Of::places.updates>;
  static constexpr auto& bands = table<band_info, Of::places.bands>;
  static constexpr auto& slices = table<planned_slice, Of::places.slices>;
  static constexpr auto& bundles = table<bundle_info, Of::places.bundles>;
  static constexpr auto constraints = [] {
    constexpr auto count = static_cast<std::size_t>(Of::places.constraints.count);
    std::array<constraint_info, count> all{};
    auto const frozen = read_table<extent_constraint, count>(Of::value, Of::places.constraints);
    for (std::size_t i = 0; i != count; ++i) all[i] = described(frozen[i]);
    return all;
  }();
  static constexpr auto parameters = [] {
    auto all = read_table<parameter_info, static_cast<std::size_t>(Of::places.parameters.count)>(
        Of::value, Of::places.parameters);
    for (parameter_info& p : all) p.name = Of::name_of_parameter(p.number);
    return all;
  }();
};

/// The words of a program, and where its tables stand among them. Separate from its evaluation, so
/// that an evaluation that the compiler cannot complete is only one error.
template <class F, class Mode, int Bound, class... P>
struct program_source : evaluation<F, Mode, Bound, P...> {
  using evaluation<F, Mode, Bound, P...>::made;
  static constexpr auto value = shrink<made.code.word_count + 1, made.code.op_count + 1>(made.code);
  static constexpr table_places places = made.places;
  static constexpr auto bodies =
      read_table<table_places, static_cast<std::size_t>(made.bodies.count)>(value, made.bodies);
  static constexpr std::string_view name_of_parameter(int p) {
    return p < 0 ? std::string_view() : made.names[static_cast<std::size_t>(p)];
  }
};
template <class F, class Mode, int Bound, class... P>
struct program : program_source<F, Mode, Bound, P...>,
                 placed_tables<program_source<F, Mode, Bound, P...>> {};

/// The program of a body, which is frozen among the words of the program `Of`.
template <class Of, int Number>
struct body_source {
  static constexpr auto& value = Of::value;
  static constexpr table_places places = Of::bodies[static_cast<std::size_t>(Number)];
  static constexpr std::string_view name_of_parameter(int p) { return Of::name_of_parameter(p); }
};
template <class Of, int Number>
struct body_program : body_source<Of, Number>, placed_tables<body_source<Of, Number>> {};
template <class Program>
inline constexpr bool is_body = false;
template <class Of, int Number>
inline constexpr bool is_body<body_program<Of, Number>> = true;

/// That of a step that runs a body, in a program or in the program of a body.
template <class Program, int Number>
struct program_of_body {
  using type = body_program<Program, Number>;
};
template <class Of, int Outer, int Number>
struct program_of_body<body_program<Of, Outer>, Number> {
  using type = body_program<Of, Number>;
};

}  // namespace kroton::freeze
