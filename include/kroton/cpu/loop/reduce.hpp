// What accumulates: in which type, in registers along a row, and in parts that are combined in
// order where threads share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/space.hpp>
#include <kroton/cpu/loop/staging.hpp>
#include <kroton/cpu/loop/streaming.hpp>
#include <kroton/cpu/simd/horizontal.hpp>
#include <kroton/freeze/group.hpp>

#include <algorithm>
#include <type_traits>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton::core {

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
  static void combine(std::byte* to, std::byte const* with) {
    *reinterpret_cast<type*>(to) =
        op::combine(*reinterpret_cast<type*>(to), *reinterpret_cast<type const*>(with));
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

/// How many rows are added in the element type at most, in sums of eight.
inline constexpr std::ptrdiff_t most_rows_together = 256;

/// Lets results that accumulate in double do so in memory of their own, which the thread keeps for
/// the next call; or the step, for the next rows of its band.
template <class Space>
class widened_results {
 public:
  widened_results(Space& s, loop_facts const& facts)
      : memory_(s.gathered != nullptr ? *s.gathered : memory()), results_(s.results) {
    std::ptrdiff_t total = 0;
    Space::fit(parts_, s.results);
    for (int k = 0; k < s.results; ++k) parts_[k] = {};
    // What waits for further rows stands first, since the rest may be shorter in the last ones.
    for (bool const gathers : {true, false})
      for (int k = 0; k < s.results; ++k) {
        if (!facts.result[k].widened || s.gathers(facts.result[k]) != gathers) continue;
        std::ptrdiff_t span = 1;  // results lie without gaps
        for (int d = 0; d < s.rank; ++d)
          span += std::max<std::ptrdiff_t>(s.extents[d] - 1, 0) * s.strides[d][s.operands + k];
        span *= floats(s, k);
        parts_[k] = {reinterpret_cast<float*>(s.data[s.operands + k]), total, span,
                     !gathers || s.ends};
        total += span;
      }
    if (memory_.size() < static_cast<std::size_t>(total))
      memory_.resize(static_cast<std::size_t>(total));
    for (int k = 0; k < s.results; ++k) {
      if (!facts.result[k].widened) continue;  // a result of no elements has no address
      s.data[s.operands + k] = reinterpret_cast<std::byte*>(memory_.data() + parts_[k].begin);
      if (s.size() == 0) parts_[k].size = result_size(s, s.operands + k) * floats(s, k);
      s.bytes[s.operands + k] *= 2;
    }
  }
  void store() const {
    for (int k = 0; k < results_; ++k) {
      part const& p = parts_[k];
      for (std::ptrdiff_t i = 0; p.ends && i < p.size; ++i)
        p.to[i] = static_cast<float>(memory_[static_cast<std::size_t>(p.begin + i)]);
    }
  }

 private:
  struct part {
    float* to = nullptr;
    std::ptrdiff_t begin = 0, size = 0;
    bool ends = true;
  };
  // In an element: two where it is complex.
  static std::ptrdiff_t floats(Space const& s, int k) {
    return s.bytes[s.operands + k] / static_cast<std::ptrdiff_t>(sizeof(float));
  }
  // Of an empty space: nothing where an axis that the result keeps is empty.
  static std::ptrdiff_t result_size(Space const& s, int k) {
    std::ptrdiff_t n = 1;
    for (int d = 0; d < s.rank; ++d)
      if (s.strides[d][k] != 0) n *= s.extents[d];
    return n;
  }
  static std::vector<double>& memory() {
    static thread_local std::vector<double> kept;
    return kept;
  }
  std::vector<double>& memory_;
  typename Space::template per_array<part> parts_;
  int results_ = 0;
};

#ifdef _OPENMP
/// Splits a loop over threads; false where it is not worth it or not possible.
template <class Space>
bool run_parallel(Space const& s, loop_facts const& facts,
                  void (*rows)(Space const&, std::byte* const*, std::ptrdiff_t)) {
  // About ten microseconds: elements moved, and functions such as exp, which take as long as eight
  // moves.
  constexpr std::ptrdiff_t worth = 200'000;
  int const threads = omp_get_max_threads();
  if (!s.may_share || threads < 2 || s.size() * (s.count + 8 * facts.costly) <= worth ||
      omp_in_parallel())
    return false;
  auto accumulates = [&](int d, int k) {
    return facts.result[k].reduction && s.strides[d][s.operands + k] == 0;
  };
  auto whole = [&](int k) {
    for (int d = 0; d < s.rank; ++d)
      if (!accumulates(d, k)) return false;
    return true;
  };
  // An axis along which nothing accumulates, or the first one when all that does is reduced to one
  // element.
  int axis = -1;
  for (int d = 0; axis < 0 && d < s.rank; ++d) {
    bool free = s.extents[d] >= threads;
    for (int k = 0; free && k < s.results; ++k) free = !accumulates(d, k);
    if (free) axis = d;
  }
  bool const free = axis >= 0;
  if (!free) {
    if (s.adds_few) return false;  // the partial sums would be widened ones
    for (int d = 0; axis < 0 && d < s.rank; ++d)
      if (s.extents[d] >= threads) axis = d;
    if (axis < 0) return false;
    for (int k = 0; k < s.results; ++k)
      if (accumulates(axis, k) && !whole(k)) return false;
  }
  // Parts of rows begin at multiples of a cache line.
  std::ptrdiff_t const unit = axis == s.rank - 1 ? 64 : 1;
  std::ptrdiff_t const share = ((s.extents[axis] + threads - 1) / threads + unit - 1) / unit * unit;
  int const parts = static_cast<int>((s.extents[axis] + share - 1) / share);
  // An accumulator for each result, on cache lines of the thread's own.
  struct alignas(64) line {
    std::byte accumulators[8][16];
  };
  int const lines = (s.results + 7) / 8;
  std::vector<line> partials(free ? 0 : static_cast<std::size_t>(parts * lines));
  auto partial = [&](int t, int k) {
    return partials[static_cast<std::size_t>(t * lines + k / 8)].accumulators[k % 8];
  };
#pragma omp parallel for schedule(static, 1) num_threads(parts)
  for (int t = 0; t < parts; ++t) {
    Space mine = s;
    std::ptrdiff_t const begin = share * t;
    mine.extents[axis] = std::min(share, s.extents[axis] - begin);
    mine.whole_rows = s.whole_rows && axis != s.rank - 1;
    for (int k = 0; k < s.count; ++k) mine.data[k] += begin * s.strides[axis][k] * s.bytes[k];
    for (int k = 0; !free && k < s.results; ++k)
      if (accumulates(axis, k)) {
        mine.data[s.operands + k] = partial(t, k);
        facts.result[k].start(mine.data[s.operands + k]);
      }
    walk(mine, facts, rows);
    if (s.streams) finish_streaming();
  }
  // In the threads' order, so that the result depends on nothing but their number.
  for (int t = 0; !free && t < parts; ++t)
    for (int k = 0; k < s.results; ++k)
      if (accumulates(axis, k))
        facts.result[k].combine(s.data[s.operands + k], partial(t, k));
  return true;
}
#endif

/// Runs a loop whose body is `rows`.
template <class Space>
void run_rows(Space& s, loop_facts const& facts,
              void (*rows)(Space const&, std::byte* const*, std::ptrdiff_t)) {
  for (int k = 0; k < s.results; ++k)
    if (facts.result[k].reduction && (s.begins || !s.gathers(facts.result[k])))
      s.start(s.operands + k, facts.result[k]);
  if (s.empty()) return;
  s.merge_axes(facts);
  s.streams = is_for_streaming(s, facts);
#ifdef _OPENMP
  if (run_parallel(s, facts, rows)) return;
#endif
  walk(s, facts, rows);
  if (s.streams) finish_streaming();
}
/// Whether a loop adds so few elements that sums of their floats need not be widened: as many as a
/// batch accumulates anyway.
template <class Space>
bool adds_few(Space const& s, loop_facts const& facts) {
  if (!facts.only_reduces || s.gathered != nullptr) return false;
  for (int k = 0; k < s.results; ++k) {
    std::ptrdiff_t added = 1;
    for (int d = 0; d < s.rank; ++d)
      if ((facts.result[k].axes >> (s.rank - 1 - d) & 1) != 0) added *= s.extents[d];
    if (added > most_rows_together) return false;
  }
  return true;
}
template <class Space>
void run_space(Space& s, loop_facts const& facts,
               void (*rows)(Space const&, std::byte* const*, std::ptrdiff_t)) {
  s.adds_few = adds_few(s, facts);
  if (s.adds_few) return run_rows(s, facts, rows);
  for (int k = 0; k < s.results; ++k)
    if (facts.result[k].widened) {
      widened_results<Space> const wide(s, facts);
      run_rows(s, facts, rows);
      return wide.store();
    }
  run_rows(s, facts, rows);
}

}  // namespace kroton::core
