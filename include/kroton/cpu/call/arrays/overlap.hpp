// Whether arrays share memory: by the ranges that they span, and exactly, element by element.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace kroton::cpu {

/// The memory that an array's elements span; nothing where it has none.
struct memory_range {
  std::byte const *begin, *end;

  bool meets(memory_range const& other) const {
    return begin != end && other.begin != other.end && begin < other.end && other.begin < end;
  }
};
inline memory_range range_of(array_ref const& r) {
  std::ptrdiff_t low = 0, high = 0;
  for (int d = 0; d < r.rank; ++d) {
    if (r.extents[d] == 0) return {r.data, r.data};
    (r.strides[d] < 0 ? low : high) += (r.extents[d] - 1) * r.strides[d];
  }
  return {r.data + low * r.bytes, r.data + (high + 1) * r.bytes};
}

/// Whether two dense arrays of the same type are one.
inline bool lie_alike(array_ref const& a, array_ref const& b) {
  if (a.data != b.data || a.rank != b.rank || !a.contiguous() || !b.contiguous()) return false;
  return std::equal(a.extents, a.extents + a.rank, b.extents);
}

/// Whether a sum of steps, each taken at most so many times, can be a given distance: a bounded
/// linear equation in integers. That two strided arrays share an element is such a question.
/// (numpy.shares_memory)
class step_sum {
 public:
  /// Steps of this length, up or down, 0 to `times` of them.
  void add(std::ptrdiff_t length, std::ptrdiff_t times) {
    if (length == 0 || times == 0) return;
    std::ptrdiff_t const size = length < 0 ? -length : length;
    if (length < 0) offset_ += size * times;
    for (int k = 0; k < count_; ++k)
      if (steps_[k].length == size) {
        steps_[k].times += times;
        return;
      }
    steps_[count_++] = {size, times};
  }
  /// True also where the answer would take too long.
  bool reaches(std::ptrdiff_t distance) {
    std::sort(steps_, steps_ + count_,
              [](step const& a, step const& b) { return a.length > b.length; });
    most_[count_] = divisor_[count_] = 0;
    for (int k = count_ - 1; k >= 0; --k) {
      most_[k] = most_[k + 1] + steps_[k].length * steps_[k].times;
      divisor_[k] = std::gcd(divisor_[k + 1], steps_[k].length);
    }
    int work = 100'000;
    return reaches(0, distance + offset_, work);
  }

 private:
  struct step {
    std::ptrdiff_t length, times;
  };
  // The longest step as often as the shorter ones leave something to do; where strides are nested,
  // that is once or twice.
  bool reaches(int k, std::ptrdiff_t distance, int& work) const {
    if (distance < 0 || distance > most_[k]) return false;
    if (k == count_) return true;
    if (distance % divisor_[k] != 0) return false;
    step const& s = steps_[k];
    std::ptrdiff_t const rest = distance - most_[k + 1];
    std::ptrdiff_t const first = rest <= 0 ? 0 : (rest + s.length - 1) / s.length,
                         last = std::min(s.times, distance / s.length);
    for (std::ptrdiff_t n = first; n <= last; ++n)
      if (--work < 0 || reaches(k + 1, distance - n * s.length, work)) return true;
    return false;
  }

  static constexpr int most_steps = 2 * max_rank + 1;
  step steps_[most_steps];
  std::ptrdiff_t most_[most_steps + 1], divisor_[most_steps + 1], offset_ = 0;
  int count_ = 0;
};

/// Whether some byte belongs to elements of both arrays.
inline bool share_elements(array_ref const& a, array_ref const& b) {
  if (!range_of(a).meets(range_of(b))) return false;
  if (a.contiguous() && b.contiguous()) return true;
  step_sum sum;
  for (int d = 0; d < a.rank; ++d) sum.add(a.strides[d] * a.bytes, a.extents[d] - 1);
  for (int d = 0; d < b.rank; ++d) sum.add(-b.strides[d] * b.bytes, b.extents[d] - 1);
  // Element of a, plus a byte in it, is element of b, plus a byte in it.
  sum.add(1, a.bytes - 1);
  sum.add(-1, b.bytes - 1);
  return sum.reaches(b.data - a.data);
}

}  // namespace kroton::cpu
