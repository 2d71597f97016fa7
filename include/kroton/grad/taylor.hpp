// Derivatives of high order along a direction.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/own_gradient.hpp>
#include <kroton/grad/taylor_series.hpp>

namespace kroton {
namespace op {

/// Not the op of any node: it names the condition that a direction has the extents of its
/// parameter.
struct taylor : core::named_condition<"taylor"> {};

}  // namespace op

namespace calculus {

template <class X, class V>
inline constexpr bool is_direction_of =
    std::same_as<V, none_t> || (structured<X> ? std::same_as<X, V> : operand<V>);

/// Adds the leaves of a direction, terms that do not exist for kt::none.
template <class X, class V>
constexpr void list_direction(X const& x, V const& v, list<term>& found) {
  auto const add = [&]<class Leaf, class Part>(Leaf const& leaf, Part const& part) {
    if constexpr (std::same_as<Part, none_t>) {
      found.push_back({});
    } else if (!is_continuous(leaf.type().element)) {
      found.push_back({});
    } else {
      graph& g = *leaf.of;
      int const given = core::node_of(g, part, leaf.type().element);
      found.push_back(shaped_like(identity<op::taylor>(),
                                  {&g, gradient_as(g, given, leaf.type().element)}, leaf,
                                  "kt::taylor: a direction must have the shape of its parameter"));
    }
  };
  if constexpr (structured<X> && std::same_as<X, V>) {
    auto const parts = core::leaves(v);
    std::apply(
        [&](auto const&... leaf) {
          std::apply([&](auto const&... part) { (add(leaf, part), ...); }, parts);
        },
        core::leaves(x));
  } else if constexpr (structured<X>) {
    std::apply([&](auto const&... leaf) { (add(leaf, none), ...); }, core::leaves(x));
  } else {
    add(x, v);
  }
}

/// The derivatives of F along directions, up to order N.
template <class F, int N>
struct taylor_of {
  template <class... A>
    requires(sizeof...(A) >= 1)
  constexpr auto operator()(A const&... arguments) const {
    constexpr std::size_t count = sizeof...(A) / 2;
    constexpr bool is_paired = sizeof...(A) % 2 == 0;
    static_assert(is_paired,
                  "kt::taylor: pass the parameters, and then as many directions, kt::none for a "
                  "parameter that stays where it is");
    if constexpr (is_paired) {
      auto const all = std::tie(arguments...);
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return along(std::tie(std::get<I>(all)...), std::tie(std::get<count + I>(all)...));
      }(std::make_index_sequence<count>{});
    }
  }

 private:
  template <class... X, class... V>
  static constexpr auto along(std::tuple<X const&...> const& x, std::tuple<V const&...> const& v) {
    constexpr bool are_parameters = (symbolic_or_structured<X> && ...);
    static_assert(are_parameters, "kt::taylor: the parameters are variables, or structs of them");
    if constexpr (are_parameters) {
      constexpr bool are_directions = (is_direction_of<X, V> && ...);
      static_assert(are_directions,
                    "kt::taylor: a direction is a variable or a number that broadcasts to its "
                    "parameter, a struct of the parameter's type, or kt::none");
      if constexpr (are_directions)
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
          list<term> operands, directions;
          auto const add = [&](auto const&... leaf) { (operands.push_back(leaf), ...); };
          (std::apply(add, core::leaves(std::get<I>(x))), ...);
          (list_direction(std::get<I>(x), std::get<I>(v), directions), ...);
          return of_operands(std::type_identity<std::tuple<X...>>{}, operands, directions);
        }(std::index_sequence_for<X...>{});
    }
  }
  template <class... X>
  static constexpr auto of_operands(std::type_identity<std::tuple<X...>> parameters,
                                    list<term> const& operands, list<term> const& directions) {
    graph& g = *operands[0].of;
    list<term> stand_ins;
    for (term const& x : operands) stand_ins.push_back(lane_of(x, 0));
    int const first = g.size(), first_constraint = g.constraints().size();
    auto const y =
        std::apply([](X const&... x) { return F{}(x...); },
                   from_terms(parameters, items<term>(stand_ins.data(), stand_ins.size())));
    using result = std::remove_const_t<decltype(y)>;
    static_assert(is_of_variables<result>,
                  "kt::taylor: the callable must return a variable or a tuple of variables");
    if constexpr (is_of_variables<result>) {
      auto const results = as_tuple(y);
      list<int> targets;
      std::apply([&](auto const&... one) { (targets.push_back(one.id), ...); }, results);
      taylor_series series(g);
      for (int i = 0; i < operands.size(); ++i)
        series.set(stand_ins[i].id, operands[i].id, directions[i].exists() ? directions[i].id : -1);
      list<term> const found = derivatives(g, series, first, first_constraint, targets);
      return [&]<std::size_t... K>(std::index_sequence<K...>) {
        constexpr int outputs = static_cast<int>(std::tuple_size_v<decltype(results)>);
        return std::tuple(result_list<result>::pack(
            from_terms(std::type_identity<typename result_list<result>::type>{},
                       items<term>(found.data() + static_cast<int>(K) * outputs, outputs)))...);
      }(std::make_index_sequence<static_cast<std::size_t>(N) + 1>{});
    }
  }
  // Order by order, those of each target.
  static constexpr list<term> derivatives(graph& g, taylor_series& series, int first,
                                          int first_constraint, list<int> const& targets) {
    int const end = g.size();
    list<bool> needed(end);
    for (int id : targets) needed[id] = true;
    for (int id = end - 1; id >= first; --id)
      for (int in : g.inputs(id)) needed[in] = needed[in] || needed[id];
    for (int id = first; id < end; ++id)
      if (g[id].op->is_draw || g[id].op->is_serial)
        g.fail("kt::taylor: draw random numbers outside, and pass them");
    list<term> found;
    for (int k = 0; k <= N; ++k) {
      for (int id = first; id < end; ++id)
        if (needed[id] && !g[id].op->has_items()) series.at(id, k);
      for (int id : targets) found.push_back({&g, series.dense(id, k)});
    }
    for (int k = first_constraint; k < g.constraints().size(); ++k) {
      auto const c = g.constraints()[k];
      int const left = series.dense(c.left, 0), right = series.dense(c.right, 0);
      g.constraints()[k].left = left;
      g.constraints()[k].right = right;
    }
    return found;
  }
};

}  // namespace calculus

/// The derivatives of a callable along a direction, in one pass: `kt::taylor<N>(f)(x..., v...)` is
/// the tuple of f(x + t v) and its derivatives by t of the orders 1 to N, at t = 0; tuples of those
/// of each result if f returns a tuple. Each has the shape and the type of the result. A direction
/// has the shape of its parameter or broadcasts to it (otherwise kt::shape_error); it is a struct
/// of the same type for a struct, and kt::none for a parameter that stays where it is. The k-th one
/// over k! is the k-th coefficient of Taylor's series. The work grows with the square of N, where
/// nested derivatives double with each order. f is a callable without captures.
/// (jax.experimental.jet)
template <int N, calculus::stateless_callable F>
constexpr auto taylor(F const&) {
  static_assert(N >= 1, "kt::taylor: the highest order is at least 1");
  return calculus::taylor_of<F, N>{};
}
/// Rejects captures: a derivative along them would be lost.
template <int N, class F>
  requires(!calculus::stateless_callable<F>)
constexpr auto taylor(F const& f) {
  static_assert(is_accepted<met::type<F>>,
                "kt::taylor: pass a callable without captures; give it what it captures as "
                "parameters");
  return f;
}

}  // namespace kroton
