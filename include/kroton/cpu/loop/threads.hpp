// Loops that threads share: which axis is divided, and partial results combined in order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/space.hpp>
#include <kroton/cpu/machine.hpp>

#include <algorithm>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton::cpu {

/// An axis in parts, one for each thread; a single part if one thread takes the loop.
struct loop_shares {
  int axis = 0, parts = 1;
  std::ptrdiff_t size = 0;
  bool combines = false;  // whether something accumulates along the axis
};

/// Whether a result accumulates along an axis. (After axes are merged.)
template <class Space>
bool accumulates(Space const& s, loop_facts const& facts, int axis, int result) {
  return facts.result[result].reduction && s.strides[axis][s.operands + result] == 0;
}

/// Divides a loop that is worth it: an axis along which nothing accumulates, or the first one that
/// is long enough if everything that accumulates is reduced to one element.
template <class Space>
loop_shares shares_of([[maybe_unused]] Space const& s, [[maybe_unused]] loop_facts const& facts) {
  loop_shares shares;
#ifdef _OPENMP
  int const threads = omp_get_max_threads();
  if (!s.may_share || threads < 2 ||
      s.size() * (s.count + machine::function_cost * facts.costly) <= machine::min_shared_work ||
      omp_in_parallel())
    return shares;
  int axis = -1;
  int const axes = s.rank - s.behind;
  for (int d = 0; axis < 0 && d < axes; ++d) {
    bool free = s.extents[d] >= threads;
    for (int k = 0; free && k < s.results; ++k) free = !accumulates(s, facts, d, k);
    if (free) axis = d;
  }
  if (axis < 0) {
    if (s.adds_few) return shares;  // the partial sums would be widened ones
    for (int d = 0; axis < 0 && d < axes; ++d)
      if (s.extents[d] >= threads) axis = d;
    if (axis < 0) return shares;
    for (int k = 0; k < s.results; ++k)
      for (int d = 0; accumulates(s, facts, axis, k) && d < s.rank; ++d)
        if (!accumulates(s, facts, d, k)) return shares;
    shares.combines = true;
  }
  // Parts of rows begin at multiples of a cache line.
  std::ptrdiff_t const unit = axis == s.rank - 1 ? machine::line : 1;
  shares.axis = axis;
  shares.size = ((s.extents[axis] + threads - 1) / threads + unit - 1) / unit * unit;
  shares.parts = static_cast<int>((s.extents[axis] + shares.size - 1) / shares.size);
#endif
  return shares;
}

/// The part of a space that one thread takes.
template <class Space>
Space part_of(Space const& s, loop_shares const& shares, int part) {
  Space mine = s;
  std::ptrdiff_t const begin = shares.size * part;
  mine.extents[shares.axis] = std::min(shares.size, s.extents[shares.axis] - begin);
  mine.whole_rows = s.whole_rows && shares.axis != s.rank - 1;
  for (int k = 0; k < s.count; ++k) mine.data[k] += begin * s.strides[shares.axis][k] * s.bytes[k];
  return mine;
}

#ifdef _OPENMP
/// Calls `run` with the part of each thread.
template <class Space, class Run>
void run_shares(Space const& s, loop_facts const& facts, loop_shares const& shares, Run run) {
  // An accumulator for each result, on cache lines of the thread's own.
  struct alignas(machine::line) line {
    std::byte accumulators[8][16];
  };
  int const lines = (s.results + 7) / 8;
  std::vector<line> partials(shares.combines ? static_cast<std::size_t>(shares.parts * lines) : 0);
  auto partial = [&](int t, int k) {
    return partials[static_cast<std::size_t>(t * lines + k / 8)].accumulators[k % 8];
  };
  auto combines = [&](int k) { return shares.combines && accumulates(s, facts, shares.axis, k); };
#pragma omp parallel for schedule(static, 1) num_threads(shares.parts)
  for (int t = 0; t < shares.parts; ++t) {
    Space mine = part_of(s, shares, t);
    for (int k = 0; k < s.results; ++k)
      if (combines(k)) {
        mine.data[s.operands + k] = partial(t, k);
        facts.result[k].start(mine.data[s.operands + k]);
      }
    run(mine);
  }
  // In the threads' order, so that the result depends on nothing but their number.
  for (int t = 0; t < shares.parts; ++t)
    for (int k = 0; k < s.results; ++k)
      if (combines(k)) facts.result[k].combine(s.data[s.operands + k], partial(t, k), 1);
}
#endif

}  // namespace kroton::cpu
