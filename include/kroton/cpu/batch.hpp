// Batches: when a group can be computed in SIMD registers, and what a batch of its values is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/compile/body.hpp>
#include <kroton/cpu/intrinsics.hpp>
#include <kroton/cpu/simd_math.hpp>
#include <kroton/cpu/streaming.hpp>

#include <cstring>

namespace kroton::core {

/// The mask of lanes that are not 0. (xsimd 8.1's own != is wrong for NaN.)
template <class L>
KROTON_INLINE auto is_true(xsimd::batch<L> const& lanes) {
  return math::neq(lanes, xsimd::batch<L>(L(0)));
}

/// Values of a group of N nodes for a batch of elements of the floating type L. Bools are masks; other types are only read
/// and written, so an address suffices for what is read. A group without masks or other types passes 1 for their numbers.
template <class L, int N, int Masks, int Others>
struct batch_values {
  using batch = xsimd::batch<L>;
  using mask = xsimd::batch_bool<L>;
  batch v[N];
  mask m[Masks];
  std::byte const* from[Others];

  template <element E>
  KROTON_INLINE auto& at(int i) {
    if constexpr (E == element::boolean) return m[i];
    else return v[i];
  }

  /// Conversion between element types: from a mask, between lanes and masks, or from elements of another type in memory. A
  /// conversion to another type is made when the value is stored.
  template <element R, element E>
  KROTON_INLINE void convert(int to, int in) {
    if constexpr (E == element::boolean) {
      v[to] = xsimd::select(m[in], batch(L(1)), batch(L(0)));
    } else if constexpr (E == element_of<L>()) {
      if constexpr (R == element::boolean) m[to] = is_true(v[in]);
      else v[to] = v[in];
    } else if (from[in] == nullptr) {
      v[to] = v[in];  // one value for the whole row, converted when it was read
    } else {
      alignas(64) L converted[batch::size];
      for (std::size_t k = 0; k < batch::size; ++k) {
        value_t<E> element;
        std::memcpy(&element, from[in] + k * sizeof(element), sizeof(element));
        converted[k] = static_cast<L>(element);
      }
      v[to] = batch::load_aligned(converted);
    }
  }
};

/// Whether a node can be computed in batches of L: floating values of type L, masks, and conversions at the edges.
template <class L, class Node, class Elements>
struct fits_batches;
template <class L, class T, int P, int R, unsigned B, element E>
struct fits_batches<L, input<T, P, R, B>, std::integer_sequence<element, E>> : std::bool_constant<!is_complex(E)> {};
template <class L, class T, long long V, element E>
struct fits_batches<L, literal<T, V>, std::integer_sequence<element, E>>
    : std::bool_constant<E == element_of<L>() || E == element::boolean> {};
template <class L, class T, std::uint64_t V, element E>
struct fits_batches<L, kroton::literal_bits<T, V>, std::integer_sequence<element, E>>
    : std::bool_constant<E == element_of<L>()> {};
template <class Op>
inline constexpr bool is_logic = std::is_same_v<Op, op::bit_and> || std::is_same_v<Op, op::bit_or> ||
                                 std::is_same_v<Op, op::bit_xor> || std::is_same_v<Op, op::bit_not>;
template <class L, class Op, int... In, element R, element... E>
struct fits_batches<L, apply<Op, In...>, std::integer_sequence<element, R, E...>>
    : std::bool_constant<(R == element_of<L>() && ((E == element_of<L>() || std::is_same_v<Op, op::where>) && ...) &&
                          sizeof...(E) > 0 && !is_logic<Op>) ||
                         (R == element::boolean && ((E == element_of<L>()) && ...) && !std::is_same_v<Op, op::where>) ||
                         (R == element::boolean && ((E == element::boolean) && ...) && is_logic<Op>)> {};
template <class L, class To, int In, element R, element E>
struct fits_batches<L, apply<op::cast_to<To>, In>, std::integer_sequence<element, R, E>>
    : std::bool_constant<R == element_of<L>() || (E == element_of<L>() && !is_complex(R))> {};
template <class L, class Op, long long A, int In, element R, element E>
struct fits_batches<L, apply<with<Op, A>, In>, std::integer_sequence<element, R, E>>
    : std::bool_constant<R == element_of<L>()> {};
template <class L, int... I, element E>
struct fits_batches<L, yield<I...>, std::integer_sequence<element, E>> : std::true_type {};

/// The operand of a conversion, or -1.
template <class Node>
inline constexpr int converted_operand = -1;
template <class To, int In>
inline constexpr int converted_operand<apply<op::cast_to<To>, In>> = In;

// Values of other types than L are addresses of what is read, so only an operand is converted from another type: not the
// result of a conversion to it, which is made when it is stored.
template <class L, class Elements, class Inputs>
constexpr bool converts(Elements const& elements, Inputs const& inputs, int in) {
  if (in < 0) return true;
  auto const i = static_cast<std::size_t>(in);
  return elements[i] == element_of<L>() || elements[i] == element::boolean || inputs[i];
}

template <class L, auto const* Elements, auto const* Inputs, class Nodes, class Indices>
inline constexpr bool fit_batches = false;
template <class L, auto const* Elements, auto const* Inputs, class... N, int... I>
inline constexpr bool fit_batches<L, Elements, Inputs, expression<N...>, std::integer_sequence<int, I...>> = [] {
  bool all = true;
  using expand = int[];
  (void)expand{0, (all = all && converts<L>(*Elements, *Inputs, converted_operand<N>) &&
                         fits_batches<L, N, typename node_elements<Elements, N, I>::type>::value, 0)...};
  return all;
}();

/// The lane type in which a group is computed, or void when it is computed element by element.
template <class Expression>
constexpr auto lane_type() {
  using G = group<Expression>;
  using L = std::conditional_t<G::has(element::float64), double, float>;
  if constexpr (fit_batches<L, &G::elements, &G::inputs, Expression, std::make_integer_sequence<int, G::all>>)
    return std::type_identity<L>{};
  else return std::type_identity<void>{};
}

/// What a node does in a batch: the part that is the same for a whole row, and the part for each batch.
template <class L, class Node>
struct batch_node {
  using batch = xsimd::batch<L>;
  using traits = node_traits<Node>;

  template <element E, class Values>
  static KROTON_INLINE void load_invariant(Values& v, int id, std::byte* const* at) {
    if constexpr (traits::is_literal) {
      if constexpr (E == element::boolean) v.m[id] = is_true(batch(L(traits::value)));
      else v.v[id] = batch(traits::value);
    } else if constexpr (traits::is_input) {
      if constexpr (!traits::spans_rows) {
        value_t<E> const value = *reinterpret_cast<value_t<E> const*>(at[traits::position]);
        if constexpr (E == element::boolean) v.m[id] = is_true(batch(L(value)));
        else v.v[id] = batch(static_cast<L>(value));
        if constexpr (E != element_of<L>() && E != element::boolean) v.from[id] = nullptr;
      } else {
        v.v[id] = batch(L(0));  // never read where it is addressed instead, which g++ cannot know
      }
    }
  }
  template <element E, element... Operands, class Values>
  static KROTON_INLINE void step(Values& v, int id, std::byte* const* at, std::ptrdiff_t i,
                                 std::integer_sequence<element, E, Operands...> elements) {
    if constexpr (traits::is_input) {
      if constexpr (traits::spans_rows) {
        value_t<E> const* p = reinterpret_cast<value_t<E> const*>(at[traits::position]) + i;
        if constexpr (E == element_of<L>()) {
          v.v[id] = batch::load_unaligned(p);
        } else if constexpr (E == element::boolean) {
          alignas(64) L bits[batch::size];
          for (std::size_t k = 0; k < batch::size; ++k) bits[k] = p[k] ? L(1) : L(0);
          v.m[id] = is_true(batch::load_aligned(bits));
        } else {
          v.from[id] = reinterpret_cast<std::byte const*>(p);
        }
      }
    } else if constexpr (!traits::is_literal && !traits::is_marker) {
      evaluate<Node>::run(v, id, elements);
    }
  }
  /// An operand of another type that is also an output is copied as it is.
  template <class T, class Values>
  static KROTON_INLINE void copy_foreign(Values const& v, int id, std::byte* const* at, std::byte* to) {
    if constexpr (traits::spans_rows) std::memcpy(to, v.from[id], batch::size * sizeof(T));
    else
      for (std::size_t k = 0; k < batch::size; ++k) std::memcpy(to + k * sizeof(T), at[traits::position], sizeof(T));
  }
};

/// Stores a node's batch, converted to T; what has the lane type past the caches, where the loop streams.
template <class L, class T, class Values>
KROTON_INLINE void store_batch(Values const& v, int id, T* to, bool streams) {
  using batch = xsimd::batch<L>;
  if constexpr (std::is_same_v<T, L>) {
    if (streams) stream(v.v[id], to);
    else v.v[id].store_unaligned(to);
  } else {
    alignas(64) L lanes[batch::size];
    if constexpr (std::is_same_v<T, bool>) xsimd::select(v.m[id], batch(L(1)), batch(L(0))).store_aligned(lanes);
    else v.v[id].store_aligned(lanes);
    for (std::size_t k = 0; k < batch::size; ++k) to[k] = static_cast<T>(lanes[k]);
  }
}

/// What a node does for a single element of a strided row.
template <class Node>
struct element_node {
  using traits = node_traits<Node>;
  template <element E, element... Operands, int N>
  static KROTON_INLINE void step(scalar_values<N>& v, int id, std::byte* const* at, std::ptrdiff_t const* strides,
                                 std::ptrdiff_t i, std::integer_sequence<element, E, Operands...> elements) {
    if constexpr (traits::is_input) {
      constexpr int p = traits::position;
      v.template at<E>(id) = reinterpret_cast<value_t<E> const*>(at[p])[i * strides[p]];
    } else if constexpr (traits::is_literal) {
      v.template at<E>(id) = traits::value;
    } else if constexpr (!traits::is_marker) {
      evaluate<Node>::run(v, id, elements);
    }
  }
};

/// The body of a loop. In what is repeated for each node stand no names that depend on all nodes, not even the group: the
/// compiler would form them anew each time.
template <auto const* Elements, class Expression, class Indices>
struct loop_body;
template <auto const* Elements, class... N, int... I>
struct loop_body<Elements, expression<N...>, std::integer_sequence<int, I...>> {
  using expand = int[];
  template <class L, class Values>
  static KROTON_INLINE void load_invariants(Values& v, std::byte* const* at) {
    (void)expand{0, (batch_node<L, N>::template load_invariant<(*Elements)[I]>(v, I, at), 0)...};
  }
  template <class L, class Values>
  static KROTON_INLINE void batch(Values& v, std::byte* const* at, std::ptrdiff_t i) {
    (void)expand{0, (batch_node<L, N>::step(v, I, at, i, typename node_elements<Elements, N, I>::type{}), 0)...};
  }
  template <class Values>
  static KROTON_INLINE void single(Values& v, std::byte* const* at, std::ptrdiff_t const* strides, std::ptrdiff_t i) {
    (void)expand{0, (element_node<N>::step(v, I, at, strides, i, typename node_elements<Elements, N, I>::type{}), 0)...};
  }
};

}  // namespace kroton::core
