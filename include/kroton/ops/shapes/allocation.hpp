// Tensors filled with one value, from extents that are symbolic or plain numbers, and tensors of
// literal numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/shape.hpp>

#include <bit>
#include <cstddef>

namespace kroton {
namespace ops {

/// How many eight-byte words an element takes.
constexpr int words_of(int bytes) { return bytes > 8 ? bytes / 8 : 1; }

}  // namespace ops

namespace op {

/// Literal numbers in the program. The inputs are the extents, literals; the attributes are the
/// element type and, in row-major order, the bytes of each element.
struct constant : operation<"constant", -1> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t{static_cast<element>(a.attribute(0)), static_cast<std::uint8_t>(a.count()), 0};
    for (int d = 0; d < t.rank; ++d)
      if (a.of->is_literal(a.inputs[d], 1)) t.broadcast |= 1u << d;
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::value, d, 0};
  }
  static constexpr auto pullback = no_gradient;
};

}  // namespace op

namespace ops {

template <class E>
constexpr term extent_in(graph& g, E const& extent) {
  if constexpr (number<E>)
    if (extent < E{}) g.fail("kt: an extent of a tensor must not be negative");
  return {&g, g.cast(node_of(g, extent, element::int64), element::int64)};
}
template <class V, class... E>
constexpr term filled_in(graph& g, element e, V const& value, E const&... extents) {
  term const v{&g, g.cast(node_of(g, value, e), e)};
  list<term> const all{extent_in(g, extents)...};
  return all.empty() ? v : alloc(v, all);
}

// Callables that record a tensor in a graph later. They are not lambdas: a separate type for each
// call would mean one more function each.
template <class T, class V, class... E>
struct filling {
  V value;
  std::tuple<E...> extents;
  constexpr term operator()(graph& g) const {
    return std::apply([&](auto const&... e) { return filled_in(g, element_of<T>(), value, e...); },
                      extents);
  }
};

/// A stand-in for a tensor with too many extents.
template <class T>
struct refused_filling {
  constexpr term operator()(graph& g) const {
    g.fail(said_above);
    return {&g, stand_in(g, {element_of<T>(), max_rank, 0})};
  }
};

/// A value spread over extents: a variable if one of them is symbolic.
template <class T, class V, class... E>
constexpr auto filled(V const& value, E const&... extents) {
  constexpr int rank = static_cast<int>(sizeof...(E));
  constexpr bool are_extents = (is_extent<E>() && ...), fits = static_rank<V>() <= rank;
  static_assert(are_extents, "kt: an extent must be an integer or an integer scalar");
  static_assert(fits, "kt: the value has more dimensions than there are extents");
  static_assert(is_rank<rank>, "kt: a tensor has 0 to 8 dimensions, but more extents are given");
  if constexpr (!is_rank<rank>) {
    constexpr unplaced<T, max_rank, refused_filling<T>> refused{};
    if constexpr ((symbolic<V> || ... || symbolic<E>))
      return refused.in(*graph_of_operands(value, extents...));
    else return refused;
  } else if constexpr (!are_extents || !fits) {
    return value;
  } else if constexpr ((symbolic<V> || ... || symbolic<E>)) {
    graph& g = *graph_of_operands(value, extents...);
    return variable<T, rank>(filled_in(g, element_of<T>(), value, extents...));
  } else {
    return unplaced<T, rank, filling<T, V, E...>>{{value, {extents...}}};
  }
}

template <class V>
using filling_value =
    value_t<static_element<V>(element_of<std::conditional_t<number<V>, V, double>>())>;

/// Appends the words that contain a number's bytes.
template <class T>
constexpr void add_words(list<long long>& words, T value) {
  if constexpr (std::is_same_v<T, float>) {
    words.push_back(std::bit_cast<std::int32_t>(value));
  } else if constexpr (std::is_same_v<T, double>) {
    words.push_back(std::bit_cast<std::int64_t>(value));
  } else if constexpr (is_short_float<T>) {
    words.push_back(value.bits);
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    auto const imaginary = static_cast<long long>(std::bit_cast<std::int32_t>(value.imag()));
    words.push_back(imaginary * (1ll << 32) | std::bit_cast<std::uint32_t>(value.real()));
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    add_words(words, value.real());
    add_words(words, value.imag());
  } else {
    words.push_back(static_cast<long long>(value));
  }
}

template <class T, std::size_t... N>
struct written_numbers {
  static constexpr std::size_t size = (N * ... * 1);
  T values[size];
  constexpr term operator()(graph& g) const {
    element const e = element_of<T>();
    if constexpr (sizeof...(N) == 0) {
      return {&g, g.literal(values[0], e)};
    } else {
      list<int> const extents{g.literal(static_cast<std::int64_t>(N), element::int64)...};
      list<long long> attributes;
      attributes.reserve(static_cast<int>(size) + 1);
      attributes.push_back(static_cast<long long>(e));
      for (T const& v : values) add_words(attributes, v);
      return {&g, g.apply(identity<op::constant>(), extents, attributes)};
    }
  }
};
template <class T, std::size_t... N>
using written_tensor = unplaced<T, static_cast<int>(sizeof...(N)), written_numbers<T, N...>>;

/// Operands without a graph, at least one of them a tensor.
template <class A, class B>
concept unplaced_operands =
    (placeable<A> && (placeable<B> || number<B>)) || (number<A> && placeable<B>);

template <class Op, class A, class B>
struct unplaced_call {
  A a;
  B b;
  constexpr term operator()(graph& g) const { return call<Op>(placed(g, a), placed(g, b)); }
};
template <class Op, class A, class B>
constexpr auto call_later(A const& a, B const& b) {
  using result = result_of<Op, placed_type<A>, placed_type<B>>;
  return unplaced<typename result::value_type, rank_of<result>, unplaced_call<Op, A, B>>{{a, b}};
}

}  // namespace ops

/// A value, a number or a tensor that broadcasts, spread over extents, with its own element type:
/// `alloc(x, x.shape(0), 3)`. Extents are integers or integer scalars. If all are numbers, as in
/// `kt::alloc(1.5, 2, 3)`, the result joins the graph of the first variable that it is combined
/// with. A literal extent 1 broadcasts. (theano.tensor.alloc)
template <operand V, operand... E>
constexpr auto alloc(V const& value, E const&... extents) {
  return ops::filled<ops::filling_value<V>>(value, extents...);
}
/// `alloc` under NumPy's name. (numpy.full)
template <operand V, operand... E>
constexpr auto full(V const& value, E const&... extents) {
  return ops::filled<ops::filling_value<V>>(value, extents...);
}
/// The same, converted to element type T: `full<float>(x.shape(0), n)`.
template <class T, operand V, operand... E>
constexpr auto full(V const& value, E const&... extents) {
  return ops::filled<T>(value, extents...);
}
/// Zeros of element type T over extents, as `alloc` takes them: `zeros<double>(x.shape(0), 3)`.
/// (numpy.zeros)
template <class T = double, operand... E>
constexpr auto zeros(E const&... extents) {
  return ops::filled<T>(0, extents...);
}
/// Ones of element type T over extents. (numpy.ones)
template <class T = double, operand... E>
constexpr auto ones(E const&... extents) {
  return ops::filled<T>(1, extents...);
}

/// A tensor of literal numbers, `kt::constant({{1., 0.}, {0., 1.}})`, of rank 1 to 3; the numbers
/// determine the element type. It joins the graph of the first variable that it is combined with,
/// as an operand or an index, or the graph of the function that returns it, and is stored in the
/// program. (theano.tensor.constant)
template <number T, std::size_t N>
constexpr auto constant(T const (&values)[N]) {
  ops::written_tensor<T, N> result{};
  for (std::size_t i = 0; i < N; ++i) result.make.values[i] = values[i];
  return result;
}
template <number T, std::size_t N, std::size_t M>
constexpr auto constant(T const (&values)[N][M]) {
  ops::written_tensor<T, N, M> result{};
  for (std::size_t i = 0; i < N * M; ++i) result.make.values[i] = values[i / M][i % M];
  return result;
}
template <number T, std::size_t N, std::size_t M, std::size_t K>
constexpr auto constant(T const (&values)[N][M][K]) {
  ops::written_tensor<T, N, M, K> result{};
  for (std::size_t i = 0; i < N * M * K; ++i)
    result.make.values[i] = values[i / (M * K)][i / K % M][i % K];
  return result;
}
/// A scalar of its own element type: unlike a plain number it widens the tensor next to it.
template <number T>
constexpr auto constant(T value) {
  return ops::written_tensor<T>{{{value}}};
}

// Arithmetic on tensors without a graph.
template <class A, class B>
  requires ops::unplaced_operands<A, B>
constexpr auto operator+(A const& a, B const& b) {
  return ops::call_later<op::add>(a, b);
}
template <class A, class B>
  requires ops::unplaced_operands<A, B>
constexpr auto operator-(A const& a, B const& b) {
  return ops::call_later<op::sub>(a, b);
}
template <class A, class B>
  requires ops::unplaced_operands<A, B>
constexpr auto operator*(A const& a, B const& b) {
  return ops::call_later<op::mul>(a, b);
}
template <class A, class B>
  requires ops::unplaced_operands<A, B>
constexpr auto operator/(A const& a, B const& b) {
  return ops::call_later<op::div>(a, b);
}
template <placeable X>
constexpr auto operator-(X const& x) {
  return 0 - x;
}

}  // namespace kroton
