// Batches: when a group can be computed in SIMD registers, and what a batch of its values is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/streaming.hpp>
#include <kroton/cpu/simd/conversion.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>
#include <kroton/cpu/simd/math.hpp>
#include <kroton/freeze/body.hpp>

#include <cstring>

namespace kroton::cpu {

/// The mask of lanes that are not 0. (xsimd 8.1's own != is wrong for NaN.)
template <class L>
KROTON_INLINE auto is_true(xsimd::batch<L> const& lanes) {
  return math::neq(lanes, xsimd::batch<L>(L(0)));
}

/// A batch from memory, in a register before a mask comes to it: of AVX-512's instructions that
/// read just the lanes of a mask, large arrays wait longer for memory (where(a > 0, b, 0) of 1e7
/// floats on Zen 5: 0.8 ns an element instead of 0.2).
template <class L>
KROTON_INLINE xsimd::batch<L> load_whole(L const* p) {
  xsimd::batch<L> x = xsimd::batch<L>::load_unaligned(p);
#if defined(__AVX512F__)
  asm("" : "+v"(x.data));
#endif
  return x;
}

/// Values of a group of N nodes for a batch of elements of the floating type L. Bools are masks;
/// other types are only read and written, so an address suffices for what is read. A group without
/// masks or other types passes 1 for their numbers.
template <class L, int N, int Masks, int Others>
struct batch_values {
  using batch = xsimd::batch<L>;
  using mask = xsimd::batch_bool<L>;
  batch v[static_cast<std::size_t>(N)];
  mask m[static_cast<std::size_t>(Masks)];
  std::byte const* from[static_cast<std::size_t>(Others)];
  static constexpr bool has_masks = Masks > 1;

  template <element E>
  KROTON_INLINE auto& at(int i) {
    if constexpr (E == element::boolean) return m[i];
    else return v[i];
  }

  /// Conversion between element types: from a mask, between lanes and masks, or from elements of
  /// another type in memory. A conversion to another type is made when the value is stored.
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
      v[to] = load_converted<L>(reinterpret_cast<value_t<E> const*>(from[in]));
    }
  }
};

template <class Op>
inline constexpr bool is_logic =
    std::is_same_v<Op, op::bit_and> || std::is_same_v<Op, op::bit_or> ||
    std::is_same_v<Op, op::bit_xor> || std::is_same_v<Op, op::bit_not>;

/// Whether nodes of a kind, on element types in a code, can be computed in batches of L: floating
/// values of type L, masks, and conversions at the edges.
template <class L, class Kind, unsigned Types>
inline constexpr bool fits_batches = [] {
  element const lane = element_of<L>(), result = type_in(Types, 0);
  bool all_lanes = true, all_masks = true;
  for (int i = 1; i <= count_in(Types); ++i) {
    all_lanes = all_lanes && type_in(Types, i) == lane;
    all_masks = all_masks && type_in(Types, i) == element::boolean;
  }
  constexpr bool is_where = std::is_same_v<Kind, op::where>;
  if (result == lane) return (all_lanes || is_where) && !is_logic<Kind>;
  return result == element::boolean && ((all_lanes && !is_where) || (all_masks && is_logic<Kind>));
}();
template <class L, int P, bool S, unsigned Types>
inline constexpr bool fits_batches<L, operand_kind<P, S>, Types> = !is_complex(type_in(Types, 0));
template <class L, class T, long long V, unsigned Types>
inline constexpr bool fits_batches<L, literal<T, V>, Types> =
    type_in(Types, 0) == element_of<L>() || type_in(Types, 0) == element::boolean;
template <class L, class T, std::uint64_t V, unsigned Types>
inline constexpr bool fits_batches<L, kroton::literal_bits<T, V>, Types> =
    type_in(Types, 0) == element_of<L>();
template <class L, class To, unsigned Types>
inline constexpr bool fits_batches<L, op::cast_to<To>, Types> =
    type_in(Types, 0) == element_of<L>() ||
    (type_in(Types, 1) == element_of<L>() && !is_complex(type_in(Types, 0)));
template <class L, class Op, long long A, unsigned Types>
inline constexpr bool fits_batches<L, with<Op, A>, Types> = type_in(Types, 0) == element_of<L>();
template <class L, unsigned Types>
inline constexpr bool fits_batches<L, marker_kind, Types> = true;

// Values of other types than L are addresses of what is read, so only an operand is converted from
// another type: not the result of a conversion to it, which is made when it is stored.
template <class Kind>
inline constexpr bool is_conversion = false;
template <class To>
inline constexpr bool is_conversion<op::cast_to<To>> = true;
template <class L>
constexpr bool converts(node_fact const* nodes, int in) {
  element const e = type_in(nodes[in].types, 0);
  return e == element_of<L>() || e == element::boolean || nodes[in].is_input;
}

template <class L, auto const* Facts, class Nodes, class Indices>
inline constexpr bool fit_batches = false;
template <class L, auto const* Facts, class... N, int... I>
inline constexpr bool fit_batches<L, Facts, expression<N...>, std::integer_sequence<int, I...>> =
    [] {
      bool const fits[] = {fits_batches<L, typename node_traits<N>::kind, (*Facts)[I].types>...};
      bool const converts_to[] = {is_conversion<typename node_traits<N>::kind>...};
      node_fact const* const nodes = Facts->data();
      for (int i = 0; i < static_cast<int>(sizeof...(N)); ++i)
        if (!fits[i] || (converts_to[i] && !converts<L>(nodes, nodes[i].in[0]))) return false;
      return true;
    }();

/// The lane type in which a group is computed, or void when it is computed element by element.
template <class Expression>
constexpr auto lane_type() {
  using G = group<Expression>;
  using L = std::conditional_t<G::has(element::float64), double, float>;
  if constexpr (G::has(element_of<L>()) &&
                fit_batches<L, &G::facts, Expression, std::make_integer_sequence<int, G::all>>)
    return std::type_identity<L>{};
  else return std::type_identity<void>{};
}

/// What nodes of a kind do in a batch: the part that is the same for a whole row, and the part for
/// each batch.
template <class L, class Kind, unsigned Types>
struct batch_node {
  template <class Values>
  static KROTON_INLINE void load_invariant(Values&, int, std::byte* const*) {}
  template <class Values>
  static KROTON_INLINE void step(Values& v, int id, node_fact const& node, std::byte* const*,
                                 std::ptrdiff_t) {
    compute_node<Kind, Types>(v, id, node.in);
  }
};
template <class L>
struct batch_node<L, marker_kind, 0> {
  template <class Values>
  static KROTON_INLINE void load_invariant(Values&, int, std::byte* const*) {}
  template <class Values>
  static KROTON_INLINE void step(Values&, int, node_fact const&, std::byte* const*,
                                 std::ptrdiff_t) {}
};
template <class L, class Literal, unsigned Types>
  requires requires { requires node_traits<Literal>::is_literal; }
struct batch_node<L, Literal, Types> : batch_node<L, marker_kind, 0> {
  using batch = xsimd::batch<L>;
  template <class Values>
  static KROTON_INLINE void load_invariant(Values& v, int id, std::byte* const*) {
    if constexpr (type_in(Types, 0) == element::boolean)
      v.m[id] = is_true(batch(L(node_traits<Literal>::value)));
    else v.v[id] = batch(node_traits<Literal>::value);
  }
};
template <class L, int Position, bool SpansRows, unsigned Types>
struct batch_node<L, operand_kind<Position, SpansRows>, Types> {
  using batch = xsimd::batch<L>;
  static constexpr element E = type_in(Types, 0);

  template <class Values>
  static KROTON_INLINE void load_invariant(Values& v, int id, std::byte* const* at) {
    if constexpr (!SpansRows) {
      value_t<E> const value = *reinterpret_cast<value_t<E> const*>(at[Position]);
      if constexpr (E == element::boolean) v.m[id] = is_true(batch(L(value)));
      else v.v[id] = batch(static_cast<L>(value));
      if constexpr (E != element_of<L>() && E != element::boolean) v.from[id] = nullptr;
    } else {
      v.v[id] = batch(L(0));  // never read where it is addressed instead, which g++ cannot know
    }
  }
  template <class Values>
  static KROTON_INLINE void step(Values& v, int id, node_fact const&, std::byte* const* at,
                                 std::ptrdiff_t i) {
    if constexpr (SpansRows) {
      value_t<E> const* p = reinterpret_cast<value_t<E> const*>(at[Position]) + i;
      if constexpr (E == element_of<L>()) {
        if constexpr (Values::has_masks) v.v[id] = load_whole(p);
        else v.v[id] = batch::load_unaligned(p);
      } else if constexpr (E == element::boolean) {
        v.m[id] = is_true(load_converted<L>(p));
      } else {
        v.from[id] = reinterpret_cast<std::byte const*>(p);
      }
    }
  }
  /// An operand of another type that is also an output is copied as it is.
  template <class T, class Values>
  static KROTON_INLINE void copy_foreign(Values const& v, int id, std::byte* const* at,
                                         std::byte* to) {
    if constexpr (SpansRows) std::memcpy(to, v.from[id], batch::size * sizeof(T));
    else
      for (std::size_t k = 0; k < batch::size; ++k)
        std::memcpy(to + k * sizeof(T), at[Position], sizeof(T));
  }
};

/// Stores a node's batch, converted to T; what has the lane type past the caches, where the loop
/// streams.
template <class L, class T, class Values>
KROTON_INLINE void store_batch(Values const& v, int id, T* to, bool streams) {
  using batch = xsimd::batch<L>;
  if constexpr (std::is_same_v<T, L>) {
    if (streams) stream(v.v[id], to);
    else v.v[id].store_unaligned(to);
  } else if constexpr (std::is_same_v<T, bool>) {
    store_converted(xsimd::select(v.m[id], batch(L(1)), batch(L(0))), to);
  } else {
    store_converted(v.v[id], to);
  }
}

/// What nodes of a kind do for a single element of a strided row.
template <class Kind, unsigned Types>
struct element_node {
  template <int N>
  static KROTON_INLINE void step(scalar_values<N>& v, int id, node_fact const& node,
                                 std::byte* const*, std::ptrdiff_t const*, std::ptrdiff_t) {
    if constexpr (std::is_same_v<Kind, marker_kind>) return;
    else if constexpr (requires { requires node_traits<Kind>::is_literal; })
      v.template at<type_in(Types, 0)>(id) = node_traits<Kind>::value;
    else compute_node<Kind, Types>(v, id, node.in);
  }
};
template <int Position, bool SpansRows, unsigned Types>
struct element_node<operand_kind<Position, SpansRows>, Types> {
  template <int N>
  static KROTON_INLINE void step(scalar_values<N>& v, int id, node_fact const&,
                                 std::byte* const* at, std::ptrdiff_t const* strides,
                                 std::ptrdiff_t i) {
    constexpr element e = type_in(Types, 0);
    // g++ makes no vectors of bools from memory; of bytes it does.
    using stored = std::conditional_t<e == element::boolean, std::uint8_t, value_t<e>>;
    stored const& x = reinterpret_cast<stored const*>(at[Position])[i * strides[Position]];
    if constexpr (e == element::boolean) v.template at<e>(id) = x != 0;
    else v.template at<e>(id) = x;
  }
};

/// The body of a loop. In what is repeated for each node stand no names that depend on all nodes,
/// not even the group: the compiler would form them anew each time. Nor does anything depend on
/// which nodes a node reads: it would be instantiated, and inlined, for every node and not for
/// every kind.
template <auto const* Facts, class Expression, class Indices>
struct loop_body;
template <auto const* Facts, class... N, int... I>
struct loop_body<Facts, expression<N...>, std::integer_sequence<int, I...>> {
  using expand = int[];
  template <class L, class Values>
  static KROTON_INLINE void load_invariants(Values& v, std::byte* const* at) {
    (void)expand{
        0,
        (batch_node<L, typename node_traits<N>::kind, (*Facts)[I].types>::load_invariant(v, I, at),
         0)...};
  }
  template <class L, class Values>
  static KROTON_INLINE void batch(Values& v, std::byte* const* at, std::ptrdiff_t i) {
    (void)expand{0, (batch_node<L, typename node_traits<N>::kind, (*Facts)[I].types>::step(
                         v, I, (*Facts)[I], at, i),
                     0)...};
  }
  template <class Values>
  static KROTON_INLINE void single(Values& v, std::byte* const* at, std::ptrdiff_t const* strides,
                                   std::ptrdiff_t i) {
    (void)expand{0, (element_node<typename node_traits<N>::kind, (*Facts)[I].types>::step(
                         v, I, (*Facts)[I], at, strides, i),
                     0)...};
  }
};

/// The body of the loop of a group.
template <class G>
using body_of = loop_body<&G::facts, typename G::type, std::make_integer_sequence<int, G::all>>;

}  // namespace kroton::cpu
