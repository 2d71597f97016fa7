// vmap: turns a callable on slices into a callable on whole arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/call.hpp>
#include <kroton/core/outputs.hpp>
#include <kroton/function/opaque.hpp>
#include <kroton/grad/batching.hpp>
#include <kroton/ops/refused/arrays.hpp>

namespace kroton {
namespace functions {

template <int... Which>
constexpr bool is_mapped(std::size_t parameter) {
  return ((static_cast<std::size_t>(Which) == parameter) || ...);
}

/// A mapped argument must have an axis.
template <class X>
constexpr bool has_an_axis() {
  if constexpr (typed<X>) return rank_of<X> > 0;
  else return false;
}
/// Whether a parameter, if it is known, accepts a slice of X.
template <class P, class X>
constexpr bool takes_slices() {
  if constexpr (typed<P> && typed<X>)
    return rank_of<X> == rank_of<P> + 1 && std::is_same_v<value_type_of<P>, value_type_of<X>>;
  else return true;
}

/// A parameter with one more leading axis.
template <class P, bool Mapped>
struct lifted {
  using type = P;
};
template <class P>
struct lifted<P, true> {
  static constexpr std::uint32_t flags = P::parameter_type.broadcast << 1;
  using plain = variable<value_type_of<P>, rank_of<P> + 1>;
  using type =
      std::conditional_t<flags == 0, plain, flagged<value_type_of<P>, rank_of<P> + 1, flags>>;
};

/// The parameter of F at a position; unknown for a generic lambda.
template <class F, std::size_t I>
struct parameter_at {
  using type = void;
};
template <has_signature F, std::size_t I>
struct parameter_at<F, I> : std::tuple_element<I, parameters_of<F>> {};

template <class F, int... Which>
struct lifted_signature {};
template <class Parameters, class Indices, int... Which>
struct lifted_parameters;
template <class... P, std::size_t... I, int... Which>
struct lifted_parameters<std::tuple<P...>, std::index_sequence<I...>, Which...> {
  using type = std::tuple<typename lifted<P, is_mapped<Which...>(I)>::type...>;
};
template <has_signature F, int... Which>
struct lifted_signature<F, Which...> {
  using parameters =
      typename lifted_parameters<parameters_of<F>,
                                 std::make_index_sequence<std::tuple_size_v<parameters_of<F>>>,
                                 Which...>::type;
};

template <int I, int... Which>
inline constexpr bool is_named_once = ((I == Which) + ...) == 1;

}  // namespace functions

/// The given parameters are among those of the callable, each named once.
template <std::size_t Count, int... Which>
concept vmap_names_parameters_of_the_callable =
    ((Which >= 0 && static_cast<std::size_t>(Which) < Count &&
      functions::is_named_once<Which, Which...>)&&...);
/// A mapped argument has an axis to map over.
template <class... X> concept vmap_maps_over_a_leading_axis = (functions::has_an_axis<X>() && ...);
/// A mapped argument has one axis more than the parameter, and its element type.
template <class P, class X>
concept vmap_gives_slices_to_a_parameter = functions::takes_slices<P, X>();

namespace functions {

/// F, mapped over the leading axes of the parameters numbered Which. A lambda inside another one
/// may capture variables of the outer one.
template <class F, int... Which>
struct vmapped : lifted_signature<F, Which...> {
  [[no_unique_address]] F f{};

  constexpr vmapped() = default;
  constexpr explicit vmapped(F const& callable) : f(callable) {}

  template <class... X>
    requires(symbolic<X> || ...)
  constexpr auto operator()(X const&... x) const {
    constexpr bool are_operands = (operand<X> && ...);
    constexpr bool are_named = vmap_names_parameters_of_the_callable<sizeof...(X), Which...>;
    static_assert(are_operands,
                  "kt::vmap: the arguments are variables and numbers; pass a struct member by "
                  "member");
    static_assert(are_named,
                  "kt::vmap: kt::vmap<0, 2>(f) maps over the parameters 0 and 2 of f: each number "
                  "is that of an argument, and stands once");
    if constexpr (are_operands && are_named)
      return std::apply([&](auto const&... v) { return map_leading_axes(v...); },
                        core::as_variables(x...));
    else return ops::first_symbolic(x...);
  }

 private:
  template <symbolic... X>
  constexpr auto map_leading_axes(X const&... x) const {
    constexpr bool have_axes = vmap_maps_over_a_leading_axis<
        std::tuple_element_t<static_cast<std::size_t>(Which), std::tuple<X...>>...>;
    static_assert(have_axes, "kt::vmap: a mapped argument is an array, with an axis to map over");
    if constexpr (have_axes) return map(std::index_sequence_for<X...>{}, x...);
    else return ops::first_symbolic(x...);
  }
  template <std::size_t I, class X>
  static constexpr bool fits =
      !is_mapped<Which...>(I) ||
      vmap_gives_slices_to_a_parameter<typename parameter_at<F, I>::type, X>;

  template <std::size_t I, class X>
  static constexpr auto slice_of(X const& x) {
    if constexpr (!is_mapped<Which...>(I)) {
      return x;
    } else {
      using declared = typename parameter_at<F, I>::type;
      if constexpr (typed<declared>) return declared(lane_of(x, 1));
      else return variable<value_type_of<X>, rank_of<X> - 1>(lane_of(x, 1));
    }
  }
  /// What a parameter's type says of the extents of slices.
  template <std::size_t I, class X>
  static constexpr void note_extents_of_slices([[maybe_unused]] X const& x) {
    using declared = typename parameter_at<F, I>::type;
    if constexpr (is_mapped<Which...>(I) && ops::has_known_extents<declared>)
      for (int d = 0; d < declared::rank; ++d)
        if (declared::known_extents[d] != 1)
          ops::note_extent(*x.of, x.id, d + 1, declared::known_extents[d]);
  }
  template <std::size_t... I, class... X>
  constexpr auto map(std::index_sequence<I...>, X const&... x) const {
    constexpr bool all_fit = (fits<I, X> && ...);
    static_assert(all_fit,
                  "kt::vmap: a mapped argument must have one dimension more than the callable's "
                  "parameter, and the same element type");
    // The result only avoids a second error.
    if constexpr (!all_fit) return std::get<0>(std::tie(x...));
    else return map_slices(std::index_sequence<I...>{}, x...);
  }
  template <std::size_t... I, class... X>
  constexpr auto map_slices(std::index_sequence<I...>, X const&... x) const {
    graph& g = *graph_of_operands(x...);
    int const first = g.size();
    std::tuple const slices{slice_of<I>(x)...};
    auto const result = std::apply(f, slices);
    int const arrays[] = {x.id...};
    (note_extents_of_slices<I>(x), ...);
    // The number of slices, from an array that has the axis.
    int counted = -1;
    for (int i : {Which...})
      if (counted < 0 || g.type(counted).broadcasts(0)) counted = arrays[i];
    batching pass(g, list<term>{extent({&g, counted}, 0)});
    auto set = [&](std::size_t i, int slice) {
      if (is_mapped<Which...>(i)) pass.set(slice, {arrays[i], 0, true, true});
    };
    (set(I, std::get<I>(slices).id), ...);
    list<int> targets;
    add_targets(targets, result);
    // Those of streams, which the draws of all slices advance.
    for (core::update const& u : g.updates()) targets.push_back(u.value);
    pass.batch_draws_from(first);
    int const end = g.size();
    pass.run(targets);
    for (core::update& u : g.updates()) u.value = pass.at(u.value).node;
    // Conditions of slices are those of what stands for all of them.
    for (core::extent_constraint& c : g.constraints())
      if (c.node >= first && c.node < end) c.node = pass.at(c.node).node;
    return whole(pass, result);
  }

  template <class R>
  static constexpr void add_targets(list<int>& targets, R const& result) {
    constexpr bool has_updates = requires { result.updates(); };
    static_assert(!has_updates, "kt::vmap: the callable must return variables, without updates");
    if constexpr (has_updates) add_targets(targets, result.values());
    else if constexpr (symbolic<R>) targets.push_back(result.id);
    else if constexpr (!number<R>)
      std::apply([&](auto const&... part) { (add_targets(targets, part), ...); }, result);
  }
  template <class R>
  static constexpr auto whole(batching& pass, R const& result) {
    if constexpr (requires { result.updates(); }) return whole(pass, result.values());
    else if constexpr (typed<R>)
      return variable<value_type_of<R>, rank_of<R> + 1>(pass.dense(result.id));
    else if constexpr (symbolic<R>) return pass.dense(result.id);
    else if constexpr (number<R>)
      return variable<R, 1>(
          pass.spread({&pass.of(), pass.of().literal(result, element_of<R>())}, {}));
    else
      return std::apply([&](auto const&... part) { return std::tuple{whole(pass, part)...}; },
                        result);
  }
};

}  // namespace functions

/// Maps a callable over the leading axis of its first parameter, or of the given ones: `kt::vmap<0,
/// 2>(f)`. The result takes arrays with one more dimension in these positions, applies f to all
/// their slices together, and returns the results with one more leading dimension; the other
/// arguments are the same for every slice, but each slice draws random numbers of its own. Loops
/// become larger loops and products larger products. Mapped arguments must have equal leading
/// extents. Maps nest, and gradients can be taken inside and outside. (jax.vmap)
template <int... Which, class F>
  requires(std::is_class_v<F> && !symbolic<F>)
constexpr auto vmap(F const& f) {
  if constexpr (sizeof...(Which) == 0) return functions::vmapped<F, 0>(f);
  else return functions::vmapped<F, Which...>(f);
}

}  // namespace kroton
