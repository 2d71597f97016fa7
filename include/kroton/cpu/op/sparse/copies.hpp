// Copies of pieces of the lines of sparse matrices, which are mostly short: some elements at a time
// and beyond the end of a piece, where the next one is written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/op/sparse/lines.hpp>

#include <cstring>

namespace kroton::cpu::lines {

/// Lines that were counted, and of each where its values begin in the whole matrix.
struct copied_lines {
  dense_vector<std::int32_t> bounds, begin;

  /// Calls visit(first, end, from), in order: the values `first` to `end` of the result are those
  /// of the matrix from `from` on.
  template <class Visit>
  void for_each(Visit const& visit) const {
    std::int32_t const *const to = bounds.data(), *const from = begin.data();
    std::ptrdiff_t const count = bounds.size() - 1;
    for (std::ptrdiff_t i = 0; i < count; ++i)
      visit(std::ptrdiff_t{to[i]}, std::ptrdiff_t{to[i + 1]}, std::ptrdiff_t{from[i]});
  }
};

/// Calls block(k) for every `width` of n elements. The last block may go beyond them, but not
/// beyond `room`; one(k) is called for elements that have no room for a block.
template <std::ptrdiff_t Width, class Block, class One>
KROTON_INLINE void in_blocks(std::ptrdiff_t n, std::ptrdiff_t room, Block const& block,
                             One const& one) {
  std::ptrdiff_t k = 0;
  for (; k < n && k + Width <= room; k += Width) block(k);
  for (; k < n; ++k) one(k);
}

/// Copies values of any type: those from `to` to `end` are those of the matrix from `from` on.
class copied_values {
 public:
  copied_values(core::array_ref const& given, core::array_ref const& out)
      : from_(given.data),
        to_(out.data),
        stride_(given.strides[0]),
        given_(given.extents[0] * given.bytes),
        total_(out.extents[0] * given.bytes),
        bytes_(given.bytes) {}
  KROTON_INLINE void operator()(std::ptrdiff_t to, std::ptrdiff_t end, std::ptrdiff_t from) const {
    std::byte* const t = to_ + to * bytes_;
    if (stride_ != 1)
      return core::copy_row(t, 1, from_ + from * stride_ * bytes_, stride_, end - to, bytes_);
    std::byte const* const f = from_ + from * bytes_;
    std::ptrdiff_t const n = (end - to) * bytes_,
                         room = std::min(total_ - to * bytes_, given_ - from * bytes_);
    constexpr std::ptrdiff_t block = 64, many = 8 * block;
    if (n > many) return void(std::memcpy(t, f, static_cast<std::size_t>(n)));
    in_blocks<block>(
        n, room, [=](std::ptrdiff_t k) { std::memcpy(t + k, f + k, block); },
        [=](std::ptrdiff_t k) { t[k] = f[k]; });
  }

 private:
  std::byte const* from_;
  std::byte* to_;
  std::ptrdiff_t stride_, given_, total_;  // in elements, in bytes
  int bytes_;
};

/// Copies indices, to each of which a number is added.
class copied_indices {
 public:
  copied_indices(dense_vector<std::int32_t> const& given, std::int32_t* to, std::ptrdiff_t total,
                 std::int32_t added)
      : from_(given.data()), to_(to), given_(given.size()), total_(total), added_(added) {}
  KROTON_INLINE void operator()(std::ptrdiff_t to, std::ptrdiff_t end, std::ptrdiff_t from) const {
    using batch = xsimd::batch<std::int32_t>;
    std::int32_t const* const f = from_ + from;
    std::int32_t *const t = to_ + to, added = added_;
    in_blocks<static_cast<std::ptrdiff_t>(batch::size)>(
        end - to, std::min(total_ - to, given_ - from),
        [=](std::ptrdiff_t k) { (batch::load_unaligned(f + k) + added).store_unaligned(t + k); },
        [=](std::ptrdiff_t k) { t[k] = sum_of(f[k], added); });
  }

 private:
  // Indices are checked by what reads them: those of a matrix of Eigen may be any numbers here.
  static KROTON_INLINE std::int32_t sum_of(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }

  std::int32_t const* from_;
  std::int32_t* to_;
  std::ptrdiff_t given_, total_;
  std::int32_t added_;
};

/// Writes of each value where it was, behind so many others.
class numbered_places {
 public:
  numbered_places(std::int64_t* to, std::ptrdiff_t total, std::ptrdiff_t before)
      : to_(to), total_(total), before_(before) {}
  KROTON_INLINE void operator()(std::ptrdiff_t to, std::ptrdiff_t end, std::ptrdiff_t from) const {
    constexpr std::ptrdiff_t width = 8;
    std::int64_t *const t = to_ + to, first = before_ + from;
    in_blocks<width>(
        end - to, total_ - to,
        [=](std::ptrdiff_t k) {
          for (std::ptrdiff_t j = k; j < k + width; ++j) t[j] = first + j;
        },
        [=](std::ptrdiff_t k) { t[k] = first + k; });
  }

 private:
  std::int64_t* to_;
  std::ptrdiff_t total_, before_;
};

}  // namespace kroton::cpu::lines
