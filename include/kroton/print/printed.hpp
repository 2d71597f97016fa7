// The printed form of a compiled function, made at compile time: a program that prints does not
// contain the optimizer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/freeze/thaw.hpp>
#include <kroton/function/types.hpp>
#include <kroton/print/loop_way.hpp>

#include <deque>
#include <string>
#include <vector>

namespace kroton::printing {

/// A step as it is printed.
struct printed_step {
  step_kind kind;
  bool has_space;  // of a loop: it is not one of scalars
  int operands;
  int node;                       // of a step other than loops
  std::vector<int> nodes, again;  // of a loop
  std::string where{};            // on a device: the side where it runs; of a loop: why in frames
};

/// The steps of a plan that is made at run time.
[[gnu::cold]] inline std::vector<printed_step> steps_of(planner const& plan) {
  std::vector<printed_step> steps;
  auto const ids = [](list<int> const& all) { return std::vector<int>(all.begin(), all.end()); };
  for (planned_step const& step : plan.steps)
    steps.push_back({step.kind, !step.space.empty(), step.operands.size(), step.node,
                     ids(step.nodes), ids(step.again)});
  return steps;
}

/// A compiled function in the form in which it is printed.
struct printed_function {
  graph written, optimized;
  std::vector<printed_step> steps;
  std::string note;  // of the target
  std::deque<std::string> names;
};

template <int Words, int Ops>
constexpr void freeze_steps(freezer<Words, Ops>& to, planner const& plan) {
  auto const ids = [&](list<int> const& all) {
    to.word(all.size());
    for (int id : all) to.word(id);
  };
  to.word(plan.steps.size());
  for (planned_step const& step : plan.steps) {
    to.word(static_cast<long long>(step.kind));
    to.word(!step.space.empty());
    to.word(step.operands.size());
    to.word(step.node);
    if (step.kind == step_kind::loop) ids(step.nodes);
    else to.word(0);  // no ?: of lists, which g++ 12 destroys twice
    ids(step.again);
  }
}

template <class F, class Mode, class Parameters>
struct printed_evaluation {
  template <int Words, int Ops>
  struct in {
    static constexpr auto made = [] {
      freezer<Words, Ops> to;
      graph const traced = tracer<F, Parameters>::run();
      freeze_graph(to, without_constraints(traced));
      graph optimized = Mode::prepare(traced);
      planner const plan(optimized);
      freeze_graph(to, optimized);
      freeze_steps(to, plan);
      return to.result;
    }();
    static constexpr auto const& code() { return made; }
  };
};

template <class F, class Mode, class Parameters>
struct printed_program {
  using evaluated = roomy<printed_evaluation<F, Mode, Parameters>::template in>;
  static constexpr auto value =
      shrink<evaluated::made.word_count, evaluated::made.op_count>(evaluated::made);
};

[[gnu::cold]] inline printed_function thaw(thawing from) {
  printed_function f;
  f.written = from.whole(f.names);
  f.optimized = from.whole(f.names);
  auto const ids = [&] {
    std::vector<int> all(static_cast<std::size_t>(from.number()));
    for (int& id : all) id = from.number();
    return all;
  };
  f.steps.resize(static_cast<std::size_t>(from.number()));
  for (printed_step& step : f.steps) {
    step.kind = static_cast<step_kind>(from.word());
    step.has_space = from.word() != 0;
    step.operands = from.number();
    step.node = from.number();
    step.nodes = ids();
    step.again = ids();
  }
  return f;
}

template <class Graphs>
printed_function in_program() {
  printed_function f;
  f.written = Graphs::written();
  f.optimized = Graphs::optimized();
  planner const plan(f.optimized);
  f.steps = steps_of(plan);
  return f;
}

template <class Function>
struct printing_of;
template <class F, class Mode, class Parameters, class... S>
struct printing_of<compiled_function<F, Mode, Parameters, S...>> {
  /// Lives as long as the program. For an interpreted function it is empty.
  static printed_function const& get() {
    if constexpr (Mode::run == execution::interpreted) {
      static printed_function const made =
          in_program<graph_of_compiled<compiled_function<F, Mode, Parameters, S...>>>();
      return made;
    } else {
      using program = printed_program<F, Mode, Parameters>;
      static printed_function const made = [] {
        printed_function f = thaw(thawing(program_to_look_at<program>{}));
        if constexpr (Mode::target::is_host) add_ways(f);
        else add_places(f);
        return f;
      }();
      return made;
    }
  }

 private:
  using program = traced_program<F, Mode, static_cast<int>(sizeof...(S)), Parameters>;
  static void add_ways(printed_function& f) {
    for_each_scan<program>([&]<int I>(std::integral_constant<int, I>) {
      std::string const way = way_of_scan<program, I>();
      if (way.starts_with(in_frames)) f.steps[I].where = "\n     " + way;
    });
  }
  static void add_places(printed_function& f) {
    for (std::size_t s = 0; s < f.steps.size(); ++s)
      f.steps[s].where = Mode::target::template place_of_step<program>(static_cast<int>(s));
    f.note = Mode::target::template note<program>();
  }
};

}  // namespace kroton::printing
