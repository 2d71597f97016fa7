// Sums of floats that accumulate in double, in memory apart from their results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/space.hpp>
#include <kroton/cpu/machine.hpp>

#include <algorithm>
#include <vector>

namespace kroton::cpu {

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

/// Whether a loop adds so few elements that sums of their floats need not be widened.
template <class Space>
bool has_narrow_sums(Space const& s, loop_facts const& facts) {
  if (!facts.only_reduces || s.gathered != nullptr) return false;
  for (int k = 0; k < s.results; ++k) {
    std::ptrdiff_t added = 1;
    for (int d = 0; d < s.rank; ++d)
      if ((facts.result[k].axes >> (s.rank - 1 - d) & 1) != 0) added *= s.extents[d];
    if (added > machine::max_narrow_sum) return false;
  }
  return true;
}

}  // namespace kroton::cpu
