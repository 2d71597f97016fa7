// Fused loops: the body of a group over a row, in batches where its types allow it, with reductions inside.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/batch.hpp>
#include <kroton/cpu/reduce.hpp>
#include <kroton/cpu/row.hpp>

#include <type_traits>

namespace kroton::core {

/// What a loop does with a node that is an output. Named for the node alone, so that symbols stay short.
template <class Node, element E>
struct output_node {
  using traits = node_traits<Node>;
  using T = value_t<E>;
  using A = typename accumulation<Node, T>::type;
  static constexpr bool along_rows = accumulation<Node, T>::along_rows;

  static constexpr result_fact fact() { return accumulation<Node, T>::fact(); }

  template <class L, int Results>
  static KROTON_INLINE void start_part(row_sums<L, Results>& sums, int k) {
    if constexpr (along_rows) sums.template start<typename traits::op_type>(k);
  }
  /// Stores or accumulates the batch of a node; `at` is the address of the result's part.
  template <class L, class Values, int Results>
  static KROTON_INLINE void store(Values const& v, int id, row_sums<L, Results>& sums, int k,
                                  std::byte* const* operands, std::byte* at, std::ptrdiff_t i, bool streams) {
    using B = xsimd::batch<L>;
    if constexpr (along_rows) {
      sums.template combine<typename traits::op_type>(k, v.v[id]);
    } else if constexpr (traits::is_reduction) {
      A* const to = reinterpret_cast<A*>(at) + i;
      if constexpr (std::is_same_v<A, L>) {
        traits::op_type::combine(B::load_unaligned(to), v.v[id]).store_unaligned(to);
      } else {
        alignas(64) L lanes[B::size];
        v.v[id].store_aligned(lanes);
        for (std::size_t j = 0; j < B::size; ++j) to[j] = traits::op_type::combine(to[j], static_cast<A>(lanes[j]));
      }
    } else {
      T* const to = reinterpret_cast<T*>(at) + i;
      if constexpr (traits::is_input && !std::is_same_v<T, L> && !std::is_same_v<T, bool>)
        batch_node<L, typename traits::kind, static_cast<unsigned>(E)>::template copy_foreign<T>(v, id, operands, at + i * static_cast<std::ptrdiff_t>(sizeof(T)));  // an operand of another type is copied as it is
      else
        store_batch<L>(v, id, to, streams);
    }
  }
  /// Adds the first lanes of what a part of a row accumulated to the result.
  template <class L, int Results>
  static KROTON_INLINE void finish_part(row_sums<L, Results> const& sums, int k, std::byte* at, std::ptrdiff_t lanes) {
    if constexpr (along_rows) {
      A* const to = reinterpret_cast<A*>(at);
      A const part = static_cast<A>(horizontal<typename traits::op_type>(sums.template total<typename traits::op_type>(k), lanes));
      *to = traits::op_type::combine(*to, part);
    }
  }
  // Without batches: what a part of a row accumulates lies in `sum`, that is, in a register.
  static KROTON_INLINE void start_element(std::byte* sum) {
    if constexpr (along_rows) *reinterpret_cast<A*>(sum) = traits::op_type::template start<A>();
  }
  template <class Values>
  static KROTON_INLINE void store_element(Values& v, int id, std::byte* at, std::ptrdiff_t i, std::byte* sum) {
    A* const to = along_rows ? reinterpret_cast<A*>(sum) : reinterpret_cast<A*>(at) + i;
    T const value = v.template at<E>(id);
    if constexpr (traits::is_reduction) *to = traits::op_type::combine(*to, static_cast<A>(value));
    else *to = value;
  }
  static KROTON_INLINE void finish_element(std::byte const* sum, std::byte* at) {
    if constexpr (along_rows) {
      A* const to = reinterpret_cast<A*>(at);
      *to = traits::op_type::combine(*to, *reinterpret_cast<A const*>(sum));
    }
  }
};

/// Runs one group over a space. `rows` and the table of facts are all that is named for the whole expression, since each such
/// symbol costs the compiler the square of its length; nothing that is instantiated for each node may be.
template <class Expression, class Outputs>
struct loop_kernel;
template <class Expression, int... O>
struct loop_kernel<Expression, std::integer_sequence<int, O...>> {
  using G = group<Expression>;
  using lane = typename decltype(lane_type<Expression>())::type;
  using lane_or_double = std::conditional_t<std::is_void_v<lane>, double, lane>;
  static constexpr int size = G::all;
  using space = loop_space<G::operands, static_cast<int>(sizeof...(O))>;
  using body = body_of<G>;
  template <int Node>
  using output = output_node<typename G::template node<Node>, G::elements[static_cast<std::size_t>(Node)]>;
  using expand = int[];

  static constexpr typename space::facts_type facts = [] {
    typename space::facts_type made;
    for (int i = 0; i < space::operands; ++i) made.spans_rows[i] = G::spans_rows[static_cast<std::size_t>(i)];
    int k = 0;
    (void)expand{0, (made.result[k++] = output<O>::fact(), 0)...};
    return made;
  }();

  static constexpr bool has_masks = G::has(element::boolean);
  static constexpr bool has_foreign = [] {
    for (int i = 0; i < G::size; ++i)
      if (element const e = G::elements[static_cast<std::size_t>(i)]; e != element::boolean && e != element_of<lane_or_double>())
        return true;
    return false;
  }();

  static void run(space& s) { run_space(s, facts, &rows); }

 private:
  static void rows(space const& s, std::byte* const* first, std::ptrdiff_t count) {
    if constexpr (std::is_void_v<lane>) {
      std::byte* at[static_cast<std::size_t>(space::count) + 1];
      for (int k = 0; k < space::count; ++k) at[k] = first[k];
      for (; count > 0; --count) {
        row_of_elements(s, at);
        for (int k = 0; k < space::count && s.rank > 1; ++k) at[k] += s.strides[s.rank - 2][k] * s.bytes[k];
      }
    } else {
      constexpr auto width = static_cast<int>(xsimd::batch<lane>::size);
      batch_values<lane, size, has_masks ? size : 1, has_foreign ? size : 1> v;
      row_sums<lane, space::results> sums;
      row_parts<space, width> part(s, facts, first, count);
      while (part.next_row()) {
        std::byte* row[space::count];
        for (int k = 0; k < space::count; ++k) row[k] = part.row(k);
        body::template load_invariants<lane>(v, row);
        while (part.next()) {
          std::byte* p[space::count];  // a copy that does not escape, for registers
          for (int k = 0; k < space::count; ++k) p[k] = part.at(k);
          bool const streams = part.streams;
          int k = 0;
          (void)expand{0, (output<O>::template start_part<lane>(sums, k++), 0)...};
          for (std::ptrdiff_t i = 0, n = part.size; i < n; i += width) {
            body::template batch<lane>(v, p, i);
            k = 0;
            (void)expand{0, (output<O>::template store<lane>(v, O, sums, k, p, p[G::operands + k], i, streams), ++k)...};
          }
          k = 0;
          (void)expand{0, (output<O>::template finish_part<lane>(sums, k, p[G::operands + k], part.lanes()), ++k)...};
        }
      }
    }
  }
  static KROTON_INLINE void row_of_elements(space const& s, std::byte* const* at) {
    std::ptrdiff_t const n = s.extents[s.rank - 1];
    std::ptrdiff_t const* const strides = s.strides[s.rank - 1];
    constexpr std::ptrdiff_t part = 256;  // what accumulates without rounding much
    alignas(16) std::byte sums[static_cast<std::size_t>(space::results) + 1][16];
    for (std::ptrdiff_t begin = 0; begin < n; begin += part) {
      int k = 0;
      (void)expand{0, (output<O>::start_element(sums[k++]), 0)...};
      for (std::ptrdiff_t i = begin, end = n - begin < part ? n : begin + part; i < end; ++i) {
        scalar_values<size> v;
        body::single(v, at, strides, i);
        k = 0;
        (void)expand{0, (output<O>::store_element(v, O, at[G::operands + k], i * strides[G::operands + k], sums[k]), ++k)...};
      }
      k = 0;
      (void)expand{0, (output<O>::finish_element(sums[k], at[G::operands + k]), ++k)...};
    }
  }
};

/// The kernel of a group.
template <class Expression>
using loop_of = loop_kernel<Expression, typename group<Expression>::outputs>;

}  // namespace kroton::core
