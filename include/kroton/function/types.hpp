// Expressions as types, and graphs as values: a lambda as written and after each stage.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/walk.hpp>
#include <kroton/function/function.hpp>

namespace kroton {
namespace functions {

/// The stages at which an expression can be inspected.
enum class written { as_written, canonical, optimized };

template <class F, class Parameters>
struct tracer;
template <class F, class... P>
struct tracer<F, std::tuple<P...>> {
  static constexpr graph run() {
    graph g = trace<F, P...>();
    collect_constraints(g);
    return g;
  }
};

template <class F, class... P>
  requires any_structured<P...>
struct tracer<F, std::tuple<P...>> : tracer<flattened<F, P...>, leaves_t<P...>> {};

/// A graph without the conditions on extents, which only a call needs.
constexpr graph without_constraints(graph g) {
  g.constraints().clear();
  return cleaner(g).run();
}

/// A frozen graph without the parts that only a call needs: the conditions on extents are stored
/// next to an expression, not in its type.
template <class F, written When, class Mode>
struct expression_evaluation {
  template <int Words, int Ops>
  struct in {
    static constexpr auto made = [] {
      graph g = tracer<F, parameters_of<F>>::run();
      if constexpr (When == written::canonical) g = Mode::optimize(g, stage::canonicalize);
      if constexpr (When == written::optimized) g = Mode::optimize(g, stage::specialize);
      freezer<Words, Ops> f;
      f.add(without_constraints(g));
      return f.result;
    }();
    static constexpr auto const& code() { return made; }
  };
};
template <class F, written When, class Mode>
struct expression_program {
  using evaluated = roomy<expression_evaluation<F, When, Mode>::template in>;
  static constexpr auto value =
      shrink<evaluated::made.word_count, evaluated::made.op_count>(evaluated::made);
  using type = lift_t<expression_program, 0>;
};

template <class M>
using mode_type = std::remove_const_t<M>;

template <class T>
inline constexpr bool is_compiled = false;
template <class F, class Mode, class P, class... S>
inline constexpr bool is_compiled<compiled_function<F, Mode, P, S...>> = true;

template <class T>
struct graph_of_compiled;
template <class F, class Mode, class P, class... S>
struct graph_of_compiled<compiled_function<F, Mode, P, S...>> {
  static graph written() { return without_constraints(tracer<F, P>::run()); }
  static graph optimized(rewrite::rewrite_observer* observer = nullptr) {
    rewrite::rewrite_options options = Mode::options();
    options.observer = observer;
    return functions::prepare(tracer<F, P>::run(), Mode::last, options);
  }
};

}  // namespace functions

/// The expression of a constexpr lambda as it is written: `kt::expression<kt::input<double, 0>,
/// ...>`.
template <auto f, auto Mode = mode::fast_run>
using expression_of =
    typename functions::expression_program<std::remove_const_t<decltype(f)>,
                                           functions::written::as_written,
                                           std::remove_const_t<decltype(Mode)>>::type;
/// The expression in normal form: two lambdas with the same canonical type compute the same value,
/// by the rules of algebra.
template <auto f, auto Mode = mode::fast_run>
using canonical = typename functions::expression_program<std::remove_const_t<decltype(f)>,
                                                         functions::written::canonical,
                                                         std::remove_const_t<decltype(Mode)>>::type;
/// The expression after all stages, which is executed.
template <auto f, auto Mode = mode::fast_run>
using optimized = typename functions::expression_program<std::remove_const_t<decltype(f)>,
                                                         functions::written::optimized,
                                                         std::remove_const_t<decltype(Mode)>>::type;

/// The same as functions that return a type tag, `decltype(kt::canonical_of(f))::type`.
template <class F>
constexpr auto expression_type_of(F const&) {
  return std::type_identity<typename functions::expression_program<
      F, functions::written::as_written, std::remove_const_t<decltype(mode::fast_run)>>::type>{};
}
template <class F>
constexpr auto canonical_of(F const&) {
  return std::type_identity<typename functions::expression_program<
      F, functions::written::canonical, std::remove_const_t<decltype(mode::fast_run)>>::type>{};
}
template <class F>
constexpr auto optimized_of(F const&) {
  return std::type_identity<typename functions::expression_program<
      F, functions::written::optimized, std::remove_const_t<decltype(mode::fast_run)>>::type>{};
}

/// The graph of a lambda, or of a compiled function, as written, to walk at run time.
template <class F>
  requires core::has_signature<F>
graph_view graph_of(F const&) {
  return graph_view(
      functions::without_constraints(functions::tracer<F, core::parameters_of<F>>::run()));
}
template <class F>
  requires functions::is_compiled<F>
graph_view graph_of(F const&) {
  return graph_view(functions::graph_of_compiled<F>::written());
}
/// The graph of a generic lambda on the given parameter types.
template <core::typed_or_structured... P, class F>
  requires(sizeof...(P) > 0)
graph_view graph_of(F const&) {
  return graph_view(functions::without_constraints(functions::tracer<F, std::tuple<P...>>::run()));
}

/// Runs the stages up to `last` on a graph, and returns the result.
constexpr graph optimize(graph const& g, stage last) {
  graph copy = g;
  copy.constraints().clear();
  ops::collect_constraints(copy);
  return functions::without_constraints(loops::optimize(copy, last));
}
inline graph_view optimize(graph_view const& g, stage last) {
  return graph_view(optimize(g.get(), last));
}

}  // namespace kroton
