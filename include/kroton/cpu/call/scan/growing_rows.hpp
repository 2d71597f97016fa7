// Rows of which nobody knows how many there will be.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/memory.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace kroton::cpu {

/// Rows one after the other, in memory that grows and keeps them. It is used again for the rows of
/// a later call. `Side` is where the memory is, see cpu/call/scan/scan.hpp.
template <class Side>
class growing_rows {
 public:
  /// Before the first row of this many bytes.
  void begin(std::ptrdiff_t bytes) { bytes_ = bytes; }
  std::byte* data() const { return memory_.data(); }
  /// The number of rows that fit without growing.
  std::ptrdiff_t room() const {
    if (bytes_ == 0) return std::numeric_limits<std::ptrdiff_t>::max();
    return static_cast<std::ptrdiff_t>(memory_.size()) / bytes_;
  }
  /// Makes room for twice as many; the rows lie elsewhere then.
  [[gnu::noinline]] void grow() {
    std::size_t const used = memory_.size();
    typename Side::block more;
    std::byte* const to =
        more.room(std::max(2 * used, first_rows * static_cast<std::size_t>(bytes_)));
    if (used > 0) Side::copy_bytes(to, memory_.data(), used);
    std::swap(memory_, more);
  }

 private:
  static constexpr std::size_t first_rows = 16;

  typename Side::block memory_;
  std::ptrdiff_t bytes_ = 0;
};

}  // namespace kroton::cpu
