// Mistakes in the arguments of kt::fixed_point, kt::root and kt::minimizer: each gives a sentence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/refusal.hpp>
#include <kroton/grad/implicit/unknowns.hpp>
#include <kroton/ops/random/body_streams.hpp>

namespace kroton::calculus {

/// Whether something consists of float and double variables.
template <class X>
constexpr bool is_real_unknown() {
  if constexpr (typed<X>) return std::is_floating_point_v<value_type_of<X>>;
  else if constexpr (structured<X>)
    return core::with_members<X>([]<class... M>(std::type_identity<M>...) {
      return (is_real_unknown<typename M::type>() && ...);
    });
  else return symbolic<X>;
}
/// Whether all leaves are of one element type, so that they are one vector.
template <class X>
constexpr bool has_one_element_type() {
  return []<class V, class... More>(std::type_identity<std::tuple<V, More...>>) {
    if constexpr (typed<V>) return (std::is_same_v<value_type_of<V>, value_type_of<More>> && ...);
    else return true;
  }(std::type_identity<core::leaves_t<X>>{});
}

/// What a callable gives for unknowns of a type; void if it does not take them.
template <class F, class X>
struct result_at {
  using type = void;
};
template <class F, class X>
  requires std::is_invocable_v<F const&, X const&>
struct result_at<F, X> {
  using type = std::remove_cvref_t<std::invoke_result_t<F const&, X const&>>;
};

/// Whether a result is the unknowns' counterpart: for a variable, one of its rank and element type.
template <class R, class X>
constexpr bool is_counterpart() {
  if constexpr (typed<R> && typed<X>)
    return rank_of<R> == rank_of<X> && std::is_same_v<value_type_of<R>, value_type_of<X>>;
  else if constexpr (structured<X>) return std::is_same_v<R, X>;
  else return symbolic<R> && symbolic<X>;
}
template <class R>
constexpr bool is_cost() {
  if constexpr (typed<R>) return rank_of<R> == 0 && std::is_floating_point_v<value_type_of<R>>;
  else return symbolic<R>;
}

/// Rejects starts and callables of other types, and returns whether all are accepted.
template <bool IsCost, class F, class X>
constexpr bool takes_unknowns() {
  using result = typename result_at<F, X>::type;
  if constexpr (!symbolic_or_structured<X>) {
    static_assert(is_accepted<met::type<X>>,
                  "kt::fixed_point, kt::root, kt::minimizer: the start is a variable, or a struct "
                  "of variables; instead of a number take full_like(x, number)");
    return false;
  } else if constexpr (!is_real_unknown<X>() || !has_one_element_type<X>()) {
    static_assert(is_accepted<met::type<X>>,
                  "kt::fixed_point, kt::root, kt::minimizer: the unknowns must be all float or all "
                  "double: convert the start with kt::cast<double>(x)");
    return false;
  } else if constexpr (std::is_void_v<result>) {
    static_assert(is_accepted<met::type<F>, wanted::type<X>>,
                  "kt::fixed_point, kt::root, kt::minimizer: the callable takes the unknowns, of "
                  "the start's type, and nothing else; what else it needs it captures");
    return false;
  } else if constexpr (IsCost) {
    static_assert(is_cost<result>() || is_accepted<met::type<result>>,
                  "kt::minimizer: the callable must return one floating-point scalar, the cost: "
                  "use sum(cost) or mean(cost)");
    return is_cost<result>();
  } else {
    static_assert(is_counterpart<result, X>() || is_accepted<met::type<result>, wanted::type<X>>,
                  "kt::fixed_point, kt::root: the callable must return what the unknowns are: of "
                  "their rank and element type, for a struct that struct");
    return is_counterpart<result, X>();
  }
}

/// The same for graphs of the running program, and what types do not show.
constexpr void require_solvable(captured_part const& residuals, term start,
                                std::string_view is_independent) {
  graph& g = *start.of;
  element const e = start.element();
  if (e != element::float32 && e != element::float64)
    return g.fail("kt::fixed_point, kt::root, kt::minimizer: the unknowns must be float or double");
  tensor_type const made = residuals.of.type(residuals.of.results()[0]);
  if (made.element != e || made.rank != start.rank())
    return g.fail(
        "kt::fixed_point, kt::root: the callable must return what the unknowns are: of their rank "
        "and element type");
  graph const& part = residuals.of;
  for (int id = 0; id < part.size(); ++id)
    if (part[id].op->is_serial || part[id].op->is_draw)
      return g.fail(
          "kt::fixed_point, kt::root, kt::minimizer: the callable is evaluated many times: draw "
          "random numbers outside of it, and call no op whose calls have an order in it");
  list<bool> depends(part.size());
  depends[part.parameters()[0]] = true;
  if (!dependent_nodes(part, depends, &by_derivative)[part.results()[0]]) g.fail(is_independent);
}

}  // namespace kroton::calculus
