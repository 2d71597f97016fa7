// Copies between arrays of any strides.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace kroton::core {

/// Copies `count` elements of a fixed number of bytes, `ts` and `fs` elements apart.
inline void copy_row(std::byte* to, std::ptrdiff_t ts, std::byte const* from, std::ptrdiff_t fs,
                     std::ptrdiff_t count, int bytes) {
  if (ts == 1 && fs == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(count * bytes));
    return;
  }
  with_bytes(bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
    for (std::ptrdiff_t i = 0; i < count; ++i)
      std::memcpy(to + i * ts * Bytes, from + i * fs * Bytes, Bytes);
  });
}

/// One axis of a copy: its extent, and the steps along it in elements.
struct copied_axis {
  std::ptrdiff_t extent, to, from;
};

/// Copies a matrix whose rows lie close together in the source, and whose columns in the target: in
/// blocks of rows as wide as a cache line of the source, which is read once; the lines of the
/// target that they touch stay in the cache.
struct transposition {
  static void run(std::byte* to, std::byte const* from, int bytes, copied_axis const& row,
                  copied_axis const& column) {
    with_bytes(bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
      constexpr std::ptrdiff_t block = 64 / Bytes;
      for (std::ptrdiff_t first = 0; first < row.extent; first += block) {
        std::ptrdiff_t const rows = std::min(block, row.extent - first);
        for (std::ptrdiff_t c = 0; c < column.extent; ++c) {
          std::byte* const t = to + (first * row.to + c * column.to) * Bytes;
          std::byte const* const f = from + (first * row.from + c * column.from) * Bytes;
          for (std::ptrdiff_t r = 0; r < rows; ++r)
            std::memcpy(t + r * row.to * Bytes, f + r * row.from * Bytes, Bytes);
        }
      }
    });
  }
};

/// A copy as nested loops over its axes, the target's shortest step last.
template <class Transposition = transposition>
class strided_copy {
 public:
  strided_copy(array_ref const& to, array_ref const& from)
      : to_(to.data), from_(from.data), bytes_(to.bytes) {
    for (int d = 0; d < to.rank; ++d)
      if (to.extents[d] != 1) axes_[rank_++] = {to.extents[d], to.strides[d], from.strides[d]};
    // By insertion: std::stable_sort would allocate.
    for (int d = 1; d < rank_; ++d)
      for (int e = d; e > 0 && std::abs(axes_[e].to) > std::abs(axes_[e - 1].to); --e)
        std::swap(axes_[e], axes_[e - 1]);
    merge();
    bring_rows_of_source_next();
  }
  void run() const { run(0, to_, from_); }

 private:
  /// Axes that both arrays step through as through one.
  void merge() {
    int last = 0;
    for (int d = 1; d < rank_; ++d) {
      copied_axis& outer = axes_[last];
      copied_axis const inner = axes_[d];
      if (outer.to == inner.to * inner.extent && outer.from == inner.from * inner.extent)
        outer = {outer.extent * inner.extent, inner.to, inner.from};
      else axes_[++last] = inner;
    }
    rank_ = std::min(rank_, last + 1);
  }
  /// Where the source's shortest step is along another axis than the target's, this one comes last
  /// but one.
  void bring_rows_of_source_next() {
    int best = rank_ - 1;
    for (int d = 0; d < rank_; ++d)
      if (axes_[d].from != 0 && std::abs(axes_[d].from) < std::abs(axes_[best].from)) best = d;
    transposes_ = best < rank_ - 1;
    if (transposes_) std::rotate(axes_ + best, axes_ + best + 1, axes_ + rank_ - 1);
  }
  void run(int d, std::byte* to, std::byte const* from) const {
    if (rank_ == 0) {
      std::memcpy(to, from, static_cast<std::size_t>(bytes_));
    } else if (d == rank_ - 1) {
      copy_row(to, axes_[d].to, from, axes_[d].from, axes_[d].extent, bytes_);
    } else if (transposes_ && d == rank_ - 2) {
      Transposition::run(to, from, bytes_, axes_[d], axes_[d + 1]);
    } else {
      for (std::ptrdiff_t i = 0; i < axes_[d].extent; ++i)
        run(d + 1, to + i * axes_[d].to * bytes_, from + i * axes_[d].from * bytes_);
    }
  }

  copied_axis axes_[max_rank]{};
  int rank_ = 0;
  bool transposes_ = false;
  std::byte* to_;
  std::byte const* from_;
  int bytes_;
};

/// Copies elements between arrays of the same extents and element size, as a layer above transposes
/// matrices.
template <class Transposition>
void copy_with(array_ref const& to, array_ref const& from) {
  if (to.size() == 0) return;
  if (to.contiguous() && from.contiguous()) {
    if (to.data != from.data)
      std::memcpy(to.data, from.data, static_cast<std::size_t>(to.size() * to.bytes));
  } else if (to.rank == 1) {
    copy_row(to.data, to.strides[0], from.data, from.strides[0], to.extents[0], to.bytes);
  } else {
    strided_copy<Transposition>(to, from).run();
  }
}
/// Copies elements between arrays of the same extents and element size.
inline void copy(array_ref const& to, array_ref const& from) { copy_with<transposition>(to, from); }

}  // namespace kroton::core
