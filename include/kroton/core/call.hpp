// Recording: how a call on variables, terms and numbers becomes a node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/core/misuse.hpp>
#include <kroton/core/variable.hpp>

#include <array>
#include <tuple>

namespace kroton {
namespace core {

/// The graph that the symbolic operands belong to.
template <class... X>
constexpr graph* graph_of_operands(X const&... x) {
  graph* found = nullptr;
  auto look = [&](auto const& v) {
    if constexpr (symbolic<decltype(v)>) {
      if (found == nullptr) found = v.of;
      else if (v.of != nullptr && v.of != found) throw value_error(
          "operands belong to different graphs");
    }
  };
  (look(x), ...);
  return found;
}

/// The error of ops that are not defined for complex numbers.
inline constexpr std::string_view no_complex_numbers =
    "not defined for complex numbers, which have no order: use real(z), imag(z) or abs(z)";

/// The error of bitwise ops whose operands are promoted to floats.
inline constexpr std::string_view no_common_integer =
    "bitwise operators take integers and bools of one type; signed integers and uint64 have none: "
    "cast one of them";

inline constexpr std::size_t most_elementwise_operands = 3;

/// Adds an elementwise node: operands are converted to the types that the op's signature asks for.
constexpr int record_elementwise(graph& g, op_info const* op, items<int> inputs) {
  element elements[most_elementwise_operands]{};
  int converted[most_elementwise_operands]{};
  for (int i = 0; i < inputs.count; ++i) elements[i] = g[inputs.first[i]].type.element;
  signature const types = op->types(elements, inputs.count);
  if (is_complex(types.operand[0]) && !op->takes_complex) g.fail(no_complex_numbers);
  if (is_continuous(types.operand[0]) && op->takes_only_integers) g.fail(no_common_integer);
  for (int i = 0; i < inputs.count; ++i)
    converted[i] = g.cast(inputs.first[i], computed_as(types.operand[i]));
  return g.apply(op, converted, inputs.count);
}

/// True if a plain number can be a literal of type e without changing its meaning.
template <class Number>
constexpr bool fits(Number value, element e) {
  if constexpr (std::is_integral_v<Number>) {
    if (is_integer(e) && bytes_of(e) < 8)
      return wrap(static_cast<std::int64_t>(value), e) == static_cast<std::int64_t>(value);
    if (e == element::uint64) return !(value < Number{});
  }
  return true;
}

constexpr element promote_all(element const* e, int count) {
  element result = e[0];
  for (int i = 1; i < count; ++i)
    if (e[i] != result) result = promote(result, e[i]);
  return result;
}

/// A variable to return from a function that rejected its arguments.
template <class T, int Rank>
constexpr variable<T, Rank> in_place_of(term x) {
  x.of->fail(said_above);
  return variable<T, Rank>(term{x.of, stand_in(*x.of, variable<T, Rank>::parameter_type)});
}

/// A node for a variable that holds no expression, which is an error.
template <class X>
constexpr int node_of_no_expression(graph& g, int id) {
  g.fail(id == refused_node ? said_above
                            : "kt::variable: the variable holds no expression");
  if constexpr (typed<X>) return stand_in(g, std::remove_cvref_t<X>::parameter_type);
  else return g.literal(0, element::float64);
}

/// The node of an operand; a plain number becomes a literal of the type that it takes next to
/// tensors of type `tensors`.
template <class X>
constexpr int node_of(graph& g, X const& x, element tensors) {
  if constexpr (symbolic<X>) {
    return x.of != nullptr ? x.id : node_of_no_expression<X>(g, x.id);
  } else if constexpr (placeable<X>) {
    return x.in(g).id;
  } else {
    element const e = literal_element<X>(tensors);
    if (!fits(x, e))
      g.fail("an integer literal is out of range for the element type of its tensor");
    return g.literal(x, computed_as(e));
  }
}

/// The element type that literals adapt to: the promoted type of the symbolic operands.
template <class... X>
constexpr element element_beside(X const&... x) {
  element found[sizeof...(X) + 1]{};
  int count = 0;
  auto look = [&](auto const& v) {
    if constexpr (static_operand<decltype(v)>) found[count++] = static_element_of<decltype(v)>();
    else if constexpr (symbolic<decltype(v)>) found[count++] = v.type().element;
  };
  (look(x), ...);
  return promote_all(found, count);
}

// The same rules on types, for the static type of the result.
template <class... X>
constexpr element static_element_beside() {
  element found[sizeof...(X) + 1]{};
  int count = 0;
  auto look = [&]<class V>(std::type_identity<V>) {
    if constexpr (static_operand<V>) found[count++] = static_element_of<V>();
  };
  (look(std::type_identity<X>{}), ...);
  return promote_all(found, count);
}
template <class X>
constexpr element static_element(element beside) {
  if constexpr (static_operand<X>) return static_element_of<X>();
  else return literal_element<std::remove_cvref_t<X>>(beside);
}
template <class X>
constexpr int static_rank() {
  if constexpr (typed<X>) return rank_of<X>;
  else if constexpr (placeable<X>) return std::remove_cvref_t<X>::rank;
  else return 0;
}
template <class Op, class... X>
constexpr element result_element() {
  constexpr element beside = static_element_beside<X...>();
  constexpr element elements[] = {static_element<X>(beside)...};
  return Op::types::of(elements, static_cast<int>(sizeof...(X))).result;
}
template <class... X>
constexpr int largest_rank() {
  int largest = 0;
  ((largest = static_rank<X>() > largest ? static_rank<X>() : largest), ...);
  return largest;
}

/// Whether any operand is an untyped term, which makes the result untyped too.
template <class... X>
inline constexpr bool any_term = ((symbolic<X> && !typed<X>) || ...);

/// Operands as variables of their graph, or as terms where one of them is a term. A number gets the
/// type that it has next to the others.
template <class... X>
constexpr auto as_variables(X const&... x) {
  graph& g = *graph_of_operands(x...);
  auto const one = [&]<class V>(V const& v) {
    if constexpr (symbolic<V>) return v;
    else if constexpr (any_term<X...>) return term{&g, node_of(g, v, element_beside(x...))};
    else {
      constexpr element beside = static_element_beside<X...>();
      using T = value_t<static_element<V>(beside)>;
      return variable<T, static_rank<V>()>(term{&g, node_of(g, v, element_beside(x...))});
    }
  };
  return std::tuple(one(x)...);
}

// Has no type for anything other than operands: clang 19 forms a function's result type before it
// checks the constraints.
template <class Op, class... X>
struct elementwise_result {};
template <class Op, class... X>
  requires(operands<X...> && !any_term<X...>)
struct elementwise_result<Op, X...> {
  using type = variable<value_t<result_element<Op, X...>()>, largest_rank<X...>()>;
};
template <class Op, class... X>
  requires(operands<X...> && any_term<X...>)
struct elementwise_result<Op, X...> {
  using type = term;
};

}  // namespace core

/// The result type of an elementwise op on these operands. Functions that pullbacks call must name
/// their result type with it: a deduced type would depend on itself, since an op's record contains
/// its pullback.
template <class Op, class... X>
using result_of = typename core::elementwise_result<Op, std::remove_cvref_t<X>...>::type;

/// Records an elementwise op on variables, terms and numbers, and returns a variable of the
/// promoted type and the largest rank.
template <class Op, class... X>
  requires operands<X...>
constexpr result_of<Op, X...> call(X const&... x) {
  static_assert(sizeof...(X) == static_cast<std::size_t>(Op::arity),
                "kt::call: wrong number of operands for this op");
  graph& g = *core::graph_of_operands(x...);
  if constexpr (sizeof...(X) > core::most_elementwise_operands) {
    static_assert(is_accepted<Op, met::arguments<sizeof...(X)>>,
                  "kt::elementwise: an op has one to three operands");
    using result = result_of<Op, X...>;
    return result(term{&g, core::node_of_no_expression<result>(g, core::refused_node)});
  } else {
    element const e = core::element_beside(x...);
    int const inputs[] = {core::node_of(g, x, e)...};
    return result_of<Op, X...>(term{&g, core::record_elementwise(g, core::identity<Op>(), inputs)});
  }
}

/// The gradients that a pullback returns, one for each input; `kt::none` for an input without one.
struct none_t {};
inline constexpr none_t none{};

namespace core {

template <std::size_t N>
struct gradient_list {
  term terms[N];
};
/// The gradient for an operand that the result does not depend on, as one number for all elements.
/// (0 * g is NaN where g is infinite.)
constexpr term zero_beside(term g) { return {g.of, g.of->literal(0, g.element())}; }

constexpr term as_gradient(term const& gradient) { return gradient; }
constexpr term as_gradient(none_t) { return {}; }

/// A list with one gradient for each input of an op.
struct any_gradients {
  list<term> terms;
};

}  // namespace core

/// Collects the gradients of an op's inputs, in their order: `return kt::inputs(g * y, kt::none);`
template <class... G>
constexpr core::gradient_list<sizeof...(G)> inputs(G const&... g) {
  return {{core::as_gradient(g)...}};
}

namespace core {

template <class Op, std::size_t... I>
constexpr auto pullback_on_terms(term gradient, term y, std::index_sequence<I...>) {
  return Op::pullback(gradient, y, term{y.of, y.of->input_of(y.id, static_cast<int>(I))}...);
}
/// Writes gradients as node ids, -1 for missing ones.
constexpr void store_gradients(items<term> given, int count, list<int>& gradients) {
  for (term const& t : given) gradients.push_back(t.exists() ? t.id : -1);
  while (gradients.size() < count) gradients.push_back(-1);
}

/// Calls Op's pullback on terms and writes the gradients of the inputs as node ids, -1 for missing
/// ones.
template <class Op>
constexpr void pull_back(graph& g, int y, int gradient, list<int>& gradients) {
  constexpr std::size_t passed = Op::arity < 0 ? 0 : static_cast<std::size_t>(Op::arity);
  auto const given =
      pullback_on_terms<Op>(term{&g, gradient}, term{&g, y}, std::make_index_sequence<passed>{});
  store_gradients(given.terms, g[y].input_count, gradients);
}

/// The outputs of an op with several outputs, or their gradients. Those that nothing uses do not
/// exist.
struct several {
  items<term> of;

  constexpr term operator[](int output) const { return of[output]; }
  constexpr bool has(int output) const { return of[output].exists(); }
  constexpr int count() const { return of.size(); }
};

constexpr term output_of(term node, int k);

/// The same for an op with several outputs.
template <class Op>
constexpr void pull_back_outputs(graph& g, int y, items<int> given, list<int>& gradients) {
  list<term> outputs, of_outputs;
  for (int k = 0; k < given.size(); ++k) {
    outputs.push_back(output_of({&g, y}, k));
    of_outputs.push_back(given[k] >= 0 ? term{&g, given[k]} : term{});
  }
  constexpr std::size_t passed = Op::arity < 0 ? 0 : static_cast<std::size_t>(Op::arity);
  auto const found = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Op::pullback(several{of_outputs}, several{outputs},
                        term{&g, g.input_of(y, static_cast<int>(I))}...);
  }(std::make_index_sequence<passed>{});
  store_gradients(found.terms, g[y].input_count, gradients);
}

}  // namespace core
}  // namespace kroton
