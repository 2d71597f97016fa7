// opaque: a callable kept as one node and compiled separately, including its gradient.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/splice.hpp>
#include <kroton/function/function.hpp>
#include <kroton/grad/transform.hpp>
#include <kroton/ops/random/rng.hpp>

namespace kroton {
namespace functions {

template <class F, int Which>
struct pullback_of {
  // The pullback of the last parameter, a gradient of F's result, to the parameter numbered Which.
  template <symbolic... X>
  constexpr auto operator()(X const&... x) const {
    auto const all = std::tie(x...);
    constexpr std::size_t last = sizeof...(X) - 1;
    auto const y = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return F{}(std::get<I>(all)...);
    }(std::make_index_sequence<last>{});
    gradient_request request(*y.of);
    auto const& w = std::get<static_cast<std::size_t>(Which)>(all);
    request.option(disconnected::zero);
    request.seed(y.id, std::get<last>(all).id);
    request.option(w);
    request.run();
    return std::get<0>(gradient_tuple(request, w));
  }
};

template <class F>
inline constexpr bool is_pullback = false;
template <class F, int Which>
inline constexpr bool is_pullback<pullback_of<F, Which>> = true;

/// The graph of F on parameters P, with its conditions on extents, as a value that rules can
/// inspect.
template <class F, class... P>
constexpr graph inner_graph() {
  graph g = trace<F, P...>();
  collect_constraints(g);
  return g;
}

/// A variable whose C++ type contains the dimensions that broadcast, like those of rows and
/// columns.
template <class T, int Rank, std::uint32_t Flags>
struct flagged : variable<T, Rank> {
  using variable<T, Rank>::variable;
  static constexpr tensor_type parameter_type{element_of<T>(), Rank, Flags};
};
template <class F, class... P>
constexpr std::uint32_t result_flags() {
  graph const inner = inner_graph<F, P...>();
  return inner.type(inner.results()[0]).broadcast;
}

/// The source of an int64 scalar of an inner graph, as seen from outside: a literal 1 or an extent
/// of a parameter.
constexpr bool outer_source(graph const& inner, int id, extent_source& source) {
  if (inner.is_literal(id, 1)) {
    source = {};
    return true;
  }
  if (!inner.is<op::extent_of>(id)) return false;
  for (int p = 0; p < inner.parameters().size(); ++p)
    if (inner.parameters()[p] == inner.input_of(id, 0)) {
      source = {extent_source::dimension, p, static_cast<int>(inner.attribute(id, 0))};
      return true;
    }
  return false;
}

}  // namespace functions

namespace op {

/// A callable as one op. The type and the extents of its result are those of its traced graph. Its
/// gradients are opaque too; theirs are not, since types of ever higher order would never end.
template <class F, class... P>
struct opaque : operation<"opaque", static_cast<int>(sizeof...(P))> {
  static constexpr bool takes_stored = true;
  /// What it computes, as a graph.
  // The pullback of the inner graph conjugates.
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr graph inner() { return functions::inner_graph<F, P...>(); }
  static constexpr tensor_type type(core::application const&) {
    graph const inner = functions::inner_graph<F, P...>();
    return inner.type(inner.results()[0]);
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    graph inner = functions::inner_graph<F, P...>();
    core::extent_source source;
    // An extent that is computed inside is not known outside: opaque() has rejected it.
    functions::outer_source(inner, ops::extent_node(inner, inner.results()[0], d), source);
    return source;
  }
  static constexpr void constraints(core::application const&,
                                    core::list<core::extent_pair>& pairs) {
    graph const inner = functions::inner_graph<F, P...>();
    for (auto const& c : inner.constraints()) {
      if (c.kind != core::condition::equal) continue;  // the inner call checks those
      core::extent_pair pair;
      if (functions::outer_source(inner, c.left, pair.left) &&
          functions::outer_source(inner, c.right, pair.right))
        pairs.push_back(pair);
    }
  }
  template <class... X>
  static constexpr auto pullback(term g, term y, X... x) {
    return component(g, y, std::index_sequence_for<X...>{}, x...);
  }
  /// Runs the compiled callable; its workspace belongs to the thread.
  static void run(core::invocation const& call) {
    using program = freeze::program<F, std::remove_const_t<decltype(mode::fast_run)>, 0, P...>;
    static thread_local cpu::frame f(cpu::tables_of<program>());
    cpu::run_detached<program>(f, call.operands, call.result());
  }

 private:
  using result = decltype(std::declval<F>()(std::declval<P>()...));
  // Not the type that F declares: a dimension that the result keeps after a reduction broadcasts.
  using gradient = functions::flagged<value_type_of<result>, rank_of<result>,
                                      functions::result_flags<F, P...>()>;

  template <std::size_t... I, class... X>
  static constexpr auto component(term g, term y, std::index_sequence<I...>, X... x) {
    return inputs(one<static_cast<int>(I), P>(g, y, x...)...);
  }
  template <int Which, class W, class... X>
  static constexpr term one(term g, term y, X... x) {
    if constexpr (!core::is_continuous(core::element_of<value_type_of<W>>())) return {};
    int const arguments[] = {x.id..., g.id};
    // Traced separately: outside, g and one x may depend on another x, but this is a partial
    // derivative.
    if constexpr (functions::is_pullback<F>) {
      return {y.of,
              core::splice(*y.of, freeze::trace<functions::pullback_of<F, Which>, P..., gradient>(),
                           arguments)[0]};
    } else {
      graph const inner =
          functions::inner_graph<functions::pullback_of<F, Which>, P..., gradient>();
      if (!inner.error().empty()) y.of->fail(inner.error());
      return {y.of, y.of->apply(
                        core::identity<opaque<functions::pullback_of<F, Which>, P..., gradient>>(),
                        arguments)};
    }
  }
};

}  // namespace op

namespace functions {

/// The result of kt::opaque: records one node when it is called with variables.
template <class F>
struct opaque_callable : keeps_signature<F> {
  /// Rejects streams of random numbers, with a sentence.
  template <typed... X>
    requires(std::derived_from<X, rng> || ...)
  constexpr auto operator()(X const&... x) const {
    static_assert(is_accepted<F>,
                  "kt::opaque: a kt::rng stays outside of an opaque function: draw "
                  "before the call, and pass the numbers");
    return in_place_of<double, 0>(term{graph_of_operands(x...), 0});
  }
  template <typed... X>
    requires(!std::derived_from<X, rng> && ...)
  constexpr auto operator()(X const&... x) const {
    using result = decltype(F{}(X()...));
    static_assert(typed<result>, "kt::opaque: the callable must return one variable");
    graph& g = *graph_of_operands(x...);
    if (((x.type().broadcast != X::parameter_type.broadcast) || ...))
      g.fail(
          "kt::opaque: pass an operand that broadcasts (keepdims, newaxis) without that axis, and "
          "add the axis inside with kt::newaxis");
    graph inner = inner_graph<F, X...>();
    if (!inner.error().empty()) g.fail(inner.error());
    if (inner.is_serial()) g.fail(no_serial_inside);
    for (int d = 0; d < rank_of<result>; ++d) {
      extent_source source;
      if (!outer_source(inner, extent_node(inner, inner.results()[0], d), source))
        g.fail(
            "kt::opaque: an extent of the result is computed inside; only extents of the "
            "parameters can be known outside");
    }
    return variable<value_type_of<result>, rank_of<result>>(
        term{&g, g.apply<op::opaque<F, X...>>({x.id...})});
  }
};

}  // namespace functions

/// Keeps a callable as one node of the graphs that call it: the optimizer does not look inside, and
/// it is compiled once, separately, however often it is called. Its gradient is opaque too.
template <calculus::stateless_callable F>
constexpr auto opaque(F const&) {
  return functions::opaque_callable<F>{};
}

}  // namespace kroton
