// The outputs of a loop: what is stored, what accumulates along rows, and what accumulates in
// memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/batch.hpp>
#include <kroton/cpu/loop/reduce.hpp>

namespace kroton::cpu {

/// What a loop does with a node that is an output. Named for the node alone, so that symbols stay
/// short.
template <class Node, element E>
struct output_node {
  using traits = node_traits<Node>;
  using T = value_t<E>;
  using A = typename accumulation<Node, T>::type;
  static constexpr bool along_rows = accumulation<Node, T>::along_rows;

  static constexpr result_fact fact() { return accumulation<Node, T>::fact(); }

  template <class Sums>
  static KROTON_INLINE void start_part(Sums& sums, int k) {
    if constexpr (traits::is_reduction) sums.template start<typename traits::op_type>(k);
  }
  template <class Sums, class B>
  static KROTON_INLINE void accumulate(Sums& sums, int k, int chain, B const& value) {
    sums.template combine<typename traits::op_type>(k, chain, value);
  }
  template <class Sums, class B>
  static KROTON_INLINE void accumulate_two(Sums& sums, int k, int chain, B const& a, B const& b) {
    sums.template combine_two<typename traits::op_type>(k, chain, a, b);
  }
  /// Writes what accumulated along so many rows, at most as many as a batch has lanes.
  template <class L>
  static KROTON_INLINE void store_rows(xsimd::batch<L> const* of_row, std::byte* to,
                                       std::ptrdiff_t rows) {
    if constexpr (along_rows) {
      using op = typename traits::op_type;
      if (rows == static_cast<std::ptrdiff_t>(xsimd::batch<L>::size))
        horizontals<op, L>(of_row).store_unaligned(reinterpret_cast<T*>(to));
      else
        for (std::ptrdiff_t r = 0; r < rows; ++r)
          reinterpret_cast<T*>(to)[r] = horizontal<op>(of_row[r]);
    }
  }
  /// Adds what accumulated in several chains to that of one.
  template <class Sums, class Chains>
  static KROTON_INLINE void gather_chains(Sums& sums, int k, Chains const& chains) {
    sums.template combine<typename traits::op_type>(
        k, 0, chains.template total<typename traits::op_type>(k));
  }
  /// Writes a batch of sums over rows where nothing else is added to it.
  template <class Sums>
  static KROTON_INLINE void store_columns(Sums const& sums, int k, std::byte* to) {
    sums.batch[k][0].store_unaligned(reinterpret_cast<T*>(to));
  }
  /// Accumulates only some lanes.
  template <class Sums, class L>
  static KROTON_INLINE void accumulate(Sums& sums, int k, xsimd::batch<L> const& value,
                                       lane_window<L> const& lanes) {
    sums.template combine<typename traits::op_type>(
        k, 0, lanes.template of<typename traits::op_type>(value));
  }
  /// Stores or accumulates the batch of a node; `at` is the address of the result's part. What
  /// accumulates along rows takes only some lanes, unless the batch is `whole`.
  template <class L, class Values, class Sums>
  static KROTON_INLINE void store(Values const& v, int id, Sums& sums, int k,
                                  std::byte* const* operands, std::byte* at, std::ptrdiff_t i,
                                  bool streams, bool whole = true,
                                  lane_window<L> const& lanes = lane_window<L>::all()) {
    using B = xsimd::batch<L>;
    if constexpr (along_rows) {
      if (whole) sums.template combine<typename traits::op_type>(k, v.v[id]);
      else accumulate(sums, k, v.v[id], lanes);
    } else if constexpr (traits::is_reduction) {
      A* const to = reinterpret_cast<A*>(at) + i;
      if constexpr (std::is_same_v<A, L>) {
        traits::op_type::combine(B::load_unaligned(to), v.v[id]).store_unaligned(to);
      } else {
        add_widened(v.v[id], to);
      }
    } else {
      T* const to = reinterpret_cast<T*>(at) + i;
      if constexpr (traits::is_input && !std::is_same_v<T, L> && !std::is_same_v<T, bool>)
        // An operand of another type is copied as it is.
        batch_node<L, typename traits::kind, static_cast<unsigned>(E)>::template copy_foreign<T>(
            v, id, operands, at + i * static_cast<std::ptrdiff_t>(sizeof(T)));
      else
        store_batch<L>(v, id, to, streams);
    }
  }
  /// Adds what a part of a row accumulated, in these lanes, to the result; where `few` were added,
  /// that is not widened.
  template <class Sums, class L>
  static KROTON_INLINE void finish_part(Sums const& sums, int k, std::byte* at,
                                        lane_window<L> const& lanes) {
    if constexpr (along_rows)
      add<A>(lanes.template of<typename traits::op_type>(
                 sums.template total<typename traits::op_type>(k)),
             at);
  }
  template <class Sums>
  static KROTON_INLINE void finish_part(Sums const& sums, int k, std::byte* at, bool few) {
    if (few) add<T>(sums.template total<typename traits::op_type>(k), at);
    else add<A>(sums.template total<typename traits::op_type>(k), at);
  }
  template <class To, class B>
  static KROTON_INLINE void add(B const& batch, std::byte* at) {
    To* const to = reinterpret_cast<To*>(at);
    *to =
        traits::op_type::combine(*to, static_cast<To>(horizontal<typename traits::op_type>(batch)));
  }
  /// Lets a batch of sums hold those of as many rows.
  template <class Sums, class L, std::size_t Width>
  static KROTON_INLINE void gather_rows(Sums& sums, int k, Sums const (&of_row)[Width]) {
    xsimd::batch<L> rows[Width];
    for (std::size_t r = 0; r < Width; ++r) rows[r] = of_row[r].batch[k][0];
    sums.batch[k][0] = horizontals<typename traits::op_type, L>(rows);
  }
  /// Adds what rows accumulated in these lanes to a batch of the result, or to so many elements of
  /// it. Where `few` were added, the result is not widened.
  template <class L, class Sums>
  static KROTON_INLINE void finish_batch(Sums const& sums, int k, std::byte* at,
                                         lane_window<L> const& lanes, bool few, bool writes) {
    using B = xsimd::batch<L>;
    B const total = lanes.template of<typename traits::op_type>(sums.batch[k][0]);
    if (std::is_same_v<A, L> || few) {
      L* const to = reinterpret_cast<L*>(at);
      (writes ? total : traits::op_type::combine(B::load_unaligned(to), total)).store_unaligned(to);
      return;
    }
    if constexpr (!std::is_same_v<A, L>) {
      A* const to = reinterpret_cast<A*>(at);
      if (writes) store_widened(total, to);
      else add_widened(total, to);
    }
  }
  /// Adds a batch of what rows accumulated to the result from element i on, if it is summed over
  /// them.
  template <class Sums>
  static KROTON_INLINE void add_columns(Sums const& sums, int k, std::byte* at, std::ptrdiff_t i) {
    if constexpr (!along_rows) {
      auto const& total = sums.batch[k][0];
      using B = std::remove_cvref_t<decltype(total)>;
      A* const to = reinterpret_cast<A*>(at) + i;
      if constexpr (std::is_same_v<A, typename B::value_type>)
        traits::op_type::combine(B::load_unaligned(to), total).store_unaligned(to);
      else add_widened(total, to);
    }
  }
  template <class L>
  static KROTON_INLINE void store_widened(xsimd::batch<L> const& batch, A* to) {
    using W = xsimd::batch<A>;
    widened<0>(batch).store_unaligned(to);
    widened<1>(batch).store_unaligned(to + W::size);
  }
  template <class L>
  static KROTON_INLINE void add_widened(xsimd::batch<L> const& batch, A* to) {
    using W = xsimd::batch<A>;
    W const low = widened<0>(batch), high = widened<1>(batch);
    traits::op_type::combine(W::load_unaligned(to), low).store_unaligned(to);
    traits::op_type::combine(W::load_unaligned(to + W::size), high).store_unaligned(to + W::size);
  }
  template <class L, class Sums>
  static KROTON_INLINE void finish_elements(Sums const& sums, int k, std::byte* at,
                                            std::ptrdiff_t stride, std::ptrdiff_t n, bool few,
                                            bool writes) {
    xsimd::batch<L> const& total = sums.batch[k][0];
    if (few) finish_elements(total, reinterpret_cast<L*>(at), stride, n, writes);
    else finish_elements(total, reinterpret_cast<A*>(at), stride, n, writes);
  }
  template <class L, class To>
  static KROTON_INLINE void finish_elements(xsimd::batch<L> const& total, To* to,
                                            std::ptrdiff_t stride, std::ptrdiff_t n, bool writes) {
    alignas(64) L lane[xsimd::batch<L>::size];
    total.store_aligned(lane);
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      To const sum = static_cast<To>(lane[j]);
      to[j * stride] = writes ? sum : traits::op_type::combine(to[j * stride], sum);
    }
  }
  // Without batches: what a part of a row accumulates lies in `sum`, that is, in a register.
  static KROTON_INLINE void start_element(std::byte* sum) {
    if constexpr (along_rows) *reinterpret_cast<A*>(sum) = traits::op_type::template start<A>();
  }
  template <class Values>
  static KROTON_INLINE void store_element(Values& v, int id, std::byte* at, std::ptrdiff_t i,
                                          std::byte* sum) {
    A* const to = along_rows ? reinterpret_cast<A*>(sum) : reinterpret_cast<A*>(at) + i;
    T const value = v.template at<E>(id);
    if constexpr (traits::is_reduction) *to = traits::op_type::combine(*to, static_cast<A>(value));
    else *to = value;
  }
  static KROTON_INLINE void finish_element(std::byte const* sum, std::byte* at, bool few) {
    if constexpr (along_rows) {
      A const& total = *reinterpret_cast<A const*>(sum);
      A* const to = reinterpret_cast<A*>(at);
      if constexpr (!std::is_same_v<A, T>)
        if (few) {
          *reinterpret_cast<T*>(at) = static_cast<T>(
              traits::op_type::combine(static_cast<A>(*reinterpret_cast<T*>(at)), total));
          return;
        }
      *to = traits::op_type::combine(*to, total);
    }
  }
};

}  // namespace kroton::cpu
