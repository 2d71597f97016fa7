// A row of a fused loop whose length the compiler knows, written out in vectors of a few lanes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/loop.hpp>
#include <kroton/cpu/simd/short_vectors.hpp>
#include <kroton/ops/elementwise/arithmetic.hpp>

#include <boost/mp11/algorithm.hpp>

namespace kroton::math {

/// What operators do not say as numpy.negative does for every type of values.
template <class T, int W>
struct functions<cpu::short_vector<T, W>> {
  using vector = cpu::short_vector<T, W>;
  static KROTON_INLINE vector neg(vector const& x) { return -x; }
};

}  // namespace kroton::math

namespace kroton::cpu {

/// Values of a group of N nodes for W elements.
template <class L, int W, int N>
struct short_values {
  short_vector<L, W> v[static_cast<std::size_t>(N)];
  template <element E>
  KROTON_INLINE auto& at(int i) {
    return v[i];
  }
};

/// Whether nodes of a kind can be computed in short vectors of L: what has operators.
template <class L, class Kind, unsigned Types>
inline constexpr bool fits_short_vectors = [] {
  using operators = boost::mp11::mp_list<op::add, op::sub, op::mul, op::div, op::neg, op::inv,
                                         op::sqr>;
  for (int i = 0; i <= count_in(Types); ++i)
    if (type_in(Types, i) != element_of<L>()) return false;
  return boost::mp11::mp_contains<operators, Kind>::value;
}();
template <class L, int P, bool S, unsigned Types>
inline constexpr bool fits_short_vectors<L, operand_kind<P, S>, Types> =
    type_in(Types, 0) == element_of<L>();
template <class L, class T, long long V, unsigned Types>
inline constexpr bool fits_short_vectors<L, literal<T, V>, Types> =
    type_in(Types, 0) == element_of<L>();
template <class L, class T, std::uint64_t V, unsigned Types>
inline constexpr bool fits_short_vectors<L, kroton::literal_bits<T, V>, Types> =
    type_in(Types, 0) == element_of<L>();
template <class L, unsigned Types>
inline constexpr bool fits_short_vectors<L, marker_kind, Types> = true;

/// What nodes of a kind do in a short vector.
template <class L, class Kind, unsigned Types>
struct short_node {
  template <class Values>
  static KROTON_INLINE void step(Values& v, int id, node_fact const& node, std::byte* const*,
                                 std::ptrdiff_t const*, std::ptrdiff_t) {
    using vector = std::remove_cvref_t<decltype(v.v[0])>;
    if constexpr (std::is_same_v<Kind, marker_kind>) return;
    else if constexpr (requires { requires node_traits<Kind>::is_literal; })
      v.v[id] = vector(node_traits<Kind>::value);
    else compute_node<Kind, Types>(v, id, node.in);
  }
};
template <class L, int Position, bool SpansRows, unsigned Types>
struct short_node<L, operand_kind<Position, SpansRows>, Types> {
  template <class Values>
  static KROTON_INLINE void step(Values& v, int id, node_fact const&, std::byte* const* at,
                                 std::ptrdiff_t const* strides, std::ptrdiff_t i) {
    using vector = std::remove_cvref_t<decltype(v.v[0])>;
    L const* const from = reinterpret_cast<L const*>(at[Position]);
    if constexpr (SpansRows)
      v.v[id] = vector::load(from + i * strides[Position], strides[Position]);
    else v.v[id] = vector(*from);
  }
};

/// Rows of a group whose results are elements.
template <class L, auto const* Facts, class Expression, class Indices, class Outputs>
struct written_row;
template <class L, auto const* Facts, class... N, int... I, int... O>
struct written_row<L, Facts, expression<N...>, std::integer_sequence<int, I...>,
                   std::integer_sequence<int, O...>> {
  using expand = int[];
  static constexpr bool exists =
      (fits_short_vectors<L, typename node_traits<N>::kind, (*Facts)[I].types> && ...);

  /// The elements from number Begin on of a row of Length. Strides are counted in elements; the
  /// results, whose addresses follow those of the operands, are dense.
  template <int Operands, int Length, int Begin = 0>
  static KROTON_INLINE void take(std::byte* const* at, std::ptrdiff_t const* strides) {
    constexpr int width = lanes_of_next<L>(Length - Begin);
    piece<Operands, width>(at, strides, Begin);
    if constexpr (Begin + width < Length) take<Operands, Length, Begin + width>(at, strides);
  }
  /// The elements from number `begin` on of a row of n, which only the call knows. What follows may
  /// read them as it is written here, without a wait for the cache: in vectors of 2, 4, ... lanes.
  template <int Operands, int Width = static_cast<int>(xsimd::batch<L>::size)>
  static KROTON_INLINE void take(std::byte* const* at, std::ptrdiff_t const* strides,
                                 std::ptrdiff_t begin, std::ptrdiff_t n) {
    for (; begin + Width <= n; begin += Width) piece<Operands, Width>(at, strides, begin);
    if constexpr (Width > 1)
      if (begin < n) take<Operands, Width / 2>(at, strides, begin, n);
  }

 private:
  template <int Operands, int Width>
  static KROTON_INLINE void piece(std::byte* const* at, std::ptrdiff_t const* strides,
                                  std::ptrdiff_t begin) {
    short_values<L, Width, static_cast<int>(sizeof...(N))> v;
    (void)expand{0, (short_node<L, typename node_traits<N>::kind, (*Facts)[I].types>::step(
                         v, I, (*Facts)[I], at, strides, begin),
                     0)...};
    int k = Operands;
    (void)expand{0, (v.v[O].store(reinterpret_cast<L*>(at[k++]) + begin), 0)...};
  }
};
template <class G, class L>
using written_row_of = written_row<L, &G::facts, typename G::type,
                                   std::make_integer_sequence<int, G::all>, typename G::outputs>;

}  // namespace kroton::cpu
