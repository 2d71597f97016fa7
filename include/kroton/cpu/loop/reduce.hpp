// What accumulates along a row: in which type, and in registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/space.hpp>
#include <kroton/cpu/simd/horizontal.hpp>
#include <kroton/cpu/simd/written_out.hpp>
#include <kroton/freeze/group.hpp>

#include <type_traits>

namespace kroton::cpu {

/// The type in which the elements of a sum or product are accumulated.
template <class T>
struct wider {
  using type = T;
};
template <>
struct wider<float> {
  using type = double;
};
template <>
struct wider<std::complex<float>> {
  using type = std::complex<double>;
};

/// How a node accumulates. Float sums and products do in double, so that the error does not grow
/// with the number of elements, in whatever order they come.
template <class Node, class T>
struct accumulation {
  using type = T;
  static constexpr bool along_rows = false;
  static constexpr result_fact fact() { return {}; }
};
template <class Node, class T>
  requires(node_traits<Node>::is_reduction)
struct accumulation<Node, T> {
  using traits = node_traits<Node>;
  using op = typename traits::op_type;
  static constexpr bool widened = !std::is_same_v<T, typename wider<T>::type> && op::rounds;
  static constexpr bool along_rows = traits::along_rows;
  using type = std::conditional_t<widened, typename wider<T>::type, T>;

  static void start(std::byte* to) { *reinterpret_cast<type*>(to) = op::template start<type>(); }
  static void combine(std::byte* to, std::byte const* with, std::ptrdiff_t count) {
    auto* const a = reinterpret_cast<type*>(to);
    auto const* const b = reinterpret_cast<type const*>(with);
    KROTON_INDEPENDENT
    for (std::ptrdiff_t i = 0; i < count; ++i) a[i] = op::combine(a[i], b[i]);
  }
  static constexpr result_fact fact() {
    return {true, along_rows, widened, traits::axes, &start, &combine};
  }
};

/// What accumulates along a part of a row: for each reduction so many batches, so that no addition
/// waits for the one before it.
template <class L, int Results, int Chains = Results <= 4 ? 2 : 1>
struct row_sums {
  static constexpr int chains = Chains;
  static_assert(chains <= 2 || chains == 4);
  xsimd::batch<L> batch[static_cast<std::size_t>(Results) + 1][static_cast<std::size_t>(chains)];
  // Of extrema in four chains: where there was one
  xsimd::batch_bool<L> nan[static_cast<std::size_t>(Results) + 1];

  /// One by one: of a loop g++ makes a call of memset, and the chains stay in memory.
  template <class Op>
  KROTON_INLINE void start(int k) {
    xsimd::batch<L> const neutral(Op::template start<L>());
    batch[k][0] = neutral;
    if constexpr (chains > 1) batch[k][1] = neutral;
    if constexpr (chains > 2) batch[k][2] = batch[k][3] = neutral;
    if constexpr (finds_nan<Op>) nan[k] = xsimd::batch_bool<L>(false);
  }
  /// In turn where there are two, else in the first.
  template <class Op>
  KROTON_INLINE void combine(int k, xsimd::batch<L> const& value) {
    if constexpr (chains > 2) return combine<Op>(k, 0, value);
    xsimd::batch<L> const sum = Op::combine(batch[k][0], value);
    batch[k][0] = batch[k][chains - 1];
    batch[k][chains - 1] = sum;
  }
  template <class Op>
  KROTON_INLINE void combine(int k, int chain, xsimd::batch<L> const& value) {
    batch[k][chain] = way<Op>::combine(batch[k][chain], value);
    if constexpr (finds_nan<Op>) nan[k] = nan[k] | unordered(value, value);
  }
  /// In two neighbouring chains of four.
  template <class Op>
  KROTON_INLINE void combine_two(int k, int chain, xsimd::batch<L> const& a,
                                 xsimd::batch<L> const& b) {
    batch[k][chain] = way<Op>::combine(batch[k][chain], a);
    batch[k][chain + 1] = way<Op>::combine(batch[k][chain + 1], b);
    if constexpr (finds_nan<Op>) nan[k] = nan[k] | unordered(a, b);
  }
  template <class Op>
  KROTON_INLINE xsimd::batch<L> total(int k) const {
    if constexpr (chains == 1) {
      return batch[k][0];
    } else if constexpr (chains == 2) {
      return Op::combine(batch[k][0], batch[k][1]);
    } else {
      using in_pairs = way<Op>;
      xsimd::batch<L> const first = in_pairs::combine(batch[k][0], batch[k][1]);
      xsimd::batch<L> const second = in_pairs::combine(batch[k][2], batch[k][3]);
      xsimd::batch<L> const all = in_pairs::combine(first, second);
      if constexpr (finds_nan<Op>)
        return xsimd::select(nan[k], xsimd::batch<L>(std::numeric_limits<L>::quiet_NaN()), all);
      else return all;
    }
  }

 private:
  template <class Op>
  static constexpr bool finds_nan = chains == 4 && is_extremum_of_floats<Op, L>;
  template <class Op>
  using way = std::conditional_t<finds_nan<Op>, among_numbers<Op>, Op>;
};

}  // namespace kroton::cpu
