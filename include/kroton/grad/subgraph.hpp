// Gradients of a part of a graph: from where they are known to where they are to end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/reverse.hpp>

namespace kroton {

/// Where a gradient ends: variables, and structs of them.
template <class... H>
  requires(calculus::symbolic_or_structured<H> && ...)
struct ends {
  std::tuple<H...> variables;
  constexpr explicit ends(H const&... h) : variables(h...) {}
};

namespace calculus {

template <class S>
constexpr void seed_start(gradient_request& request, S const& start) {
  if constexpr (symbolic<S>) {
    request.seed(start.id, start.of->literal(1, start.type().element));
  } else {
    request.option(start);
  }
}
template <class S>
constexpr graph& graph_of_start(S const& start) {
  if constexpr (symbolic<S>) return *start.of;
  else return *std::get<0>(start.pairs).of;
}

template <class S>
inline constexpr bool starts_gradients = is_known_grads<S>;
template <symbolic S>
inline constexpr bool starts_gradients<S> = cost_is_a_floating_scalar<S>;

template <class E>
inline constexpr bool is_ends = false;
template <class... H>
inline constexpr bool is_ends<ends<H...>> = (is_differentiable<H>() && ...);

template <class S, class E, class... W>
concept parts_of_a_graph = starts_gradients<S> && is_ends<E> && (is_gradient_option<W> && ...) &&
                           (is_differentiable<W>() && ...);

}  // namespace calculus

/// The gradients of a part of a graph, from a cost or from `kt::known_grads(y, gy, ...)` to
/// `kt::ends(h...)`: those with respect to w..., of what does not pass h..., and then those with
/// respect to h..., in a tuple, or one alone. With the latter as the known gradients of the next
/// part, a long chain of layers is differentiated layer by layer, each by a function of its own.
/// Further arguments: `kt::disconnected::zero`. (theano.subgraph_grad)
template <class S, class... H, class... W>
  requires calculus::parts_of_a_graph<S, ends<H...>, W...>
constexpr auto subgraph_grad(S const& start, ends<H...> const& end, W const&... w) {
  calculus::gradient_request request(calculus::graph_of_start(start));
  calculus::seed_start(request, start);
  (request.option(w), ...);
  std::apply([&](H const&... h) { request.end_at(h...); }, end.variables);
  request.run();
  auto const of_ends = std::apply(
      [&](H const&... h) { return std::tuple_cat(calculus::gradient_tuple(request, h)...); },
      end.variables);
  return calculus::one_or_all(std::tuple_cat(calculus::gradient_tuple(request, w)..., of_ends));
}
/// Rejects all other arguments.
template <class S, class E, class... W>
  requires(!calculus::parts_of_a_graph<S, E, W...>)
constexpr auto subgraph_grad(S const&, E const&, W const&... w) {
  static_assert(is_accepted<met::type<S>, met::type<E>, met::type<W>...>,
                "kt::subgraph_grad: pass a floating-point scalar or kt::known_grads(y, gy), then "
                "kt::ends(h), then floating-point variables");
  return std::tuple(w...);
}

}  // namespace kroton
