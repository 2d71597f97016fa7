// Gradients of one's own: a callable whose pullback is another callable.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/stand_ins.hpp>
#include <kroton/grad/transform.hpp>
#include <kroton/ops/shapes/shape.hpp>

namespace kroton {
namespace calculus {

template <class R>
struct result_list {
  using type = std::tuple<R>;
  static constexpr R pack(std::tuple<R> const& all) { return std::get<0>(all); }
};
template <class... R>
struct result_list<std::tuple<R...>> {
  using type = std::tuple<R...>;
  static constexpr type pack(type const& all) { return all; }
};

/// Values of the types of a tuple made of terms in order, of structs each of their leaves.
template <class... V>
constexpr std::tuple<V...> from_terms(std::type_identity<std::tuple<V...>>, items<term> terms) {
  int at = 0;
  auto next = [&]<class X>(std::type_identity<X>) { return X(terms[at++]); };
  return std::tuple<V...>{core::build<V>(next)...};
}

/// Calls a pullback P with the gradients of the results, the results and the parameters, and lists
/// the gradients that it returns for the leaves of the parameters; a missing term for one without.
template <class P, class Results, class Parameters>
struct own_pullback;
template <class P, class R, class... X>
struct own_pullback<P, R, std::tuple<X...>> {
  using results = typename result_list<R>::type;
  static constexpr int result_count = static_cast<int>(std::tuple_size_v<results>);

  static constexpr void list_gradients(items<term> gradients, items<term> values,
                                       items<term> parameters, list<term>& found) {
    constexpr bool takes_all = std::is_invocable_v<P, R const&, R const&, X const&...>;
    static_assert(
        takes_all,
        "kt::with_pullback: the pullback takes the gradient of the result, the result and "
        "the parameters: p(g, y, x...)");
    std::type_identity<results> constexpr result_types{};
    if constexpr (takes_all)
      std::apply(
          [&](X const&... x) {
            add_all(found, parameters,
                    as_tuple(P{}(result_list<R>::pack(from_terms(result_types, gradients)),
                                 result_list<R>::pack(from_terms(result_types, values)), x...)));
          },
          from_terms(std::type_identity<std::tuple<X...>>{}, parameters));
  }

 private:
  template <class... G>
  static constexpr void add_all(list<term>& found, items<term> parameters,
                                std::tuple<G...> const& given) {
    constexpr bool is_complete = sizeof...(G) == sizeof...(X);
    static_assert(is_complete,
                  "kt::with_pullback: the pullback must return a gradient for each parameter, in a "
                  "tuple if there are several; kt::none for one that has none");
    if constexpr (is_complete)
      std::apply([&](G const&... g) { (add<X>(found, g, parameters), ...); }, given);
  }
  template <class V, class G>
  static constexpr void add(list<term>& found, G const& g, items<term> parameters) {
    constexpr int leaves = static_cast<int>(std::tuple_size_v<core::leaves_t<V>>);
    if constexpr (std::same_as<G, none_t>) {
      for (int i = 0; i < leaves; ++i) found.push_back({});
    } else if constexpr (structured<V>) {
      static_assert(std::same_as<G, V>,
                    "kt::with_pullback: the gradient of a struct must be a struct of its type");
      std::apply([&](auto const&... leaf) { (add_leaf(found, leaf, parameters), ...); },
                 core::leaves(g));
    } else {
      add_leaf(found, g, parameters);
    }
  }
  template <class G>
  static constexpr void add_leaf(list<term>& found, G const& g, items<term> parameters);
};

}  // namespace calculus

namespace op {

/// Results R of a callable with parameters X whose gradient a pullback P computes, until rewriting
/// begins. Operands: the results, the leaves of the parameters. The attribute counts the batch axes
/// that all of them have in front.
template <class P, class R, class... X>
struct own_gradient : operation<"own_gradient", -1> {
  static constexpr bool takes_stored = true;
  using of = calculus::own_pullback<P, R, std::tuple<X...>>;
  static constexpr bool takes_complex = true, is_holomorphic = false, is_for_derivatives = true;
  static constexpr int outputs(core::application const&) { return of::result_count; }
  static constexpr tensor_type type(core::application const& a, int k) { return a.input(k); }
  static constexpr core::extent_source extent(core::application const&, int d, int k) {
    return {core::extent_source::dimension, k, d};
  }
  static constexpr core::any_gradients pullback(core::several const& g, core::several const& y) {
    graph& to = *y[0].of;
    int const node = y[0].id, axes = static_cast<int>(to.attribute(node, 0));
    core::list<term> operands;
    for (int k = 0; k < of::result_count; ++k)
      operands.push_back(g.has(k) ? g[k] : term{&to, ops::zeros_of(y[k])});
    for (int k = 0; k < of::result_count; ++k) operands.push_back(y[k]);
    for (int i = of::result_count; i < to[node].input_count; ++i)
      operands.push_back({&to, to.input_of(node, i)});
    core::any_gradients all;
    all.terms = core::list<term>(of::result_count, term{});
    calculus::recorded_pullback(to, axes, operands, of::result_count, &of::list_gradients,
                                all.terms);
    return all;
  }
  /// All operands get the batch axes.
  static constexpr calculus::lanes batch(calculus::batching& pass, int id) {
    graph& g = pass.of();
    core::list<int> inputs;
    for (int i = 0; i < g[id].input_count; ++i) inputs.push_back(pass.dense(g.input_of(id, i)).id);
    return {pass.again(id, inputs, {g.attribute(id, 0) + pass.axes()}), 0, true, true};
  }
};

/// Not the op of any node: it names the condition that a gradient has the extents of its parameter.
struct with_pullback : core::named_condition<"with_pullback"> {};

}  // namespace op

namespace calculus {

template <class P, class R, class... X>
template <class G>
constexpr void own_pullback<P, R, std::tuple<X...>>::add_leaf(list<term>& found, G const& g,
                                                              items<term> parameters) {
  static_assert(operand<G>,
                "kt::with_pullback: a gradient must be a variable, a number or kt::none");
  if constexpr (operand<G>) {
    term const of = parameters[found.size()];
    graph& to = *of.of;
    if (!is_continuous(of.element())) {
      found.push_back({});
      return;
    }
    int const id = core::node_of(to, g, of.element());
    found.push_back(shaped_like(identity<op::with_pullback>(),
                                {&to, calculus::gradient_as(to, id, of.element())}, of,
                                "kt::with_pullback: a gradient must have the shape of its "
                                "parameter"));
  }
}

/// The results of a callable with a pullback of their own.
template <class P, class R, class... X>
constexpr R with_own_gradient(R const& y, X const&... x) {
  list<int> operands;
  graph* g = nullptr;
  auto const add = [&](auto const&... leaf) { ((g = leaf.of, operands.push_back(leaf.id)), ...); };
  std::apply(add, as_tuple(y));
  (std::apply(add, core::leaves(x)), ...);
  long long const no_axes[] = {0};
  term const node{g, g->apply(identity<op::own_gradient<P, R, X...>>(), operands, no_axes)};
  list<term> results;
  for (int k = 0; k < own_pullback<P, R, std::tuple<X...>>::result_count; ++k)
    results.push_back(output_of(node, k));
  return result_list<R>::pack(
      from_terms(std::type_identity<typename result_list<R>::type>{}, results));
}

template <class R>
inline constexpr bool is_of_variables = symbolic<R>;
template <class... R>
inline constexpr bool is_of_variables<std::tuple<R...>> = (symbolic<R> && ...);

template <class F, class P>
struct with_pullback_of : keeps_signature<F> {
  template <symbolic_or_structured... X>
    requires(sizeof...(X) > 0)
  constexpr auto operator()(X const&... x) const {
    auto const y = F{}(x...);
    using result = std::remove_const_t<decltype(y)>;
    static_assert(is_of_variables<result>,
                  "kt::with_pullback, kt::checkpointed: the callable must return a variable or a "
                  "tuple of variables");
    if constexpr (is_of_variables<result>) return with_own_gradient<P>(y, x...);
    else return y;
  }
  /// Rejects numbers, which the gradient is not one with respect to.
  template <class... X>
    requires(sizeof...(X) == 0 || !(symbolic_or_structured<X> && ...))
  constexpr core::refused_value operator()(X const&...) const {
    static_assert(is_accepted<met::type<X>...>,
                  "kt::with_pullback, kt::checkpointed: call the result with variables and structs "
                  "of them; numbers stand in the callable");
    return {};
  }
};

}  // namespace calculus

/// A callable that computes f and whose gradient is p, in reverse and forward mode, under vmap and
/// in loops. `p(g, y, x...)` gets the gradient of the result, the result and the parameters, and
/// returns the gradient of each parameter, of its shape or broadcasting to it (otherwise
/// kt::shape_error), kt::none where there is none; of several in a tuple. If f returns a tuple, g
/// and y are tuples. p is recorded only where a gradient is asked for, and can be differentiated
/// itself; `grad` in it gives partial derivatives. It should be linear in g. Both are callables
/// without captures. (jax.custom_vjp)
template <calculus::stateless_callable F, calculus::stateless_callable P>
constexpr auto with_pullback(F const&, P const&) {
  return calculus::with_pullback_of<F, P>{};
}
/// Rejects captures: a gradient with respect to them would be lost.
template <class F, class P>
  requires(!calculus::stateless_callable<F> || !calculus::stateless_callable<P>)
constexpr auto with_pullback(F const& f, P const&) {
  static_assert(is_accepted<met::type<F>, met::type<P>>,
                "kt::with_pullback: pass two callables without captures; give them what they "
                "capture as parameters");
  return f;
}

}  // namespace kroton
