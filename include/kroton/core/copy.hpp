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
/// The axes along which elements go from one array to another of the same extents, the target's
/// shortest step last. What both step through as through one is one.
struct copied_axes {
  copied_axis axis[max_rank]{};
  int rank = 0;

  copied_axes(array_ref const& to, array_ref const& from) {
    for (int d = 0; d < to.rank; ++d)
      if (to.extents[d] != 1) axis[rank++] = {to.extents[d], to.strides[d], from.strides[d]};
    std::sort(axis, axis + rank, [](copied_axis const& a, copied_axis const& b) {
      return std::abs(a.to) > std::abs(b.to);
    });
    int last = 0;
    for (int d = 1; d < rank; ++d) {
      copied_axis& outer = axis[last];
      copied_axis const inner = axis[d];
      if (outer.to == inner.to * inner.extent && outer.from == inner.from * inner.extent)
        outer = {outer.extent * inner.extent, inner.to, inner.from};
      else axis[++last] = inner;
    }
    rank = std::min(rank, last + 1);
  }
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

/// A copy as nested loops over its axes.
template <class Transposition = transposition>
class strided_copy {
 public:
  strided_copy(array_ref const& to, array_ref const& from)
      : axes_(to, from), to_(to.data), from_(from.data), bytes_(to.bytes) {
    bring_rows_of_source_next();
  }
  void run() const { run(0, to_, from_); }

 private:
  /// Where the source's shortest step is along another axis than the target's, this one comes last
  /// but one.
  void bring_rows_of_source_next() {
    int const last = axes_.rank - 1;
    int best = last;
    for (int d = 0; d < axes_.rank; ++d)
      if (axis(d).from != 0 && std::abs(axis(d).from) < std::abs(axis(best).from)) best = d;
    transposes_ = best < last;
    if (transposes_) std::rotate(axes_.axis + best, axes_.axis + best + 1, axes_.axis + last);
  }
  void run(int d, std::byte* to, std::byte const* from) const {
    if (axes_.rank == 0) {
      std::memcpy(to, from, static_cast<std::size_t>(bytes_));
    } else if (d == axes_.rank - 1) {
      copy_row(to, axis(d).to, from, axis(d).from, axis(d).extent, bytes_);
    } else if (transposes_ && d == axes_.rank - 2) {
      Transposition::run(to, from, bytes_, axis(d), axis(d + 1));
    } else {
      for (std::ptrdiff_t i = 0; i < axis(d).extent; ++i)
        run(d + 1, to + i * axis(d).to * bytes_, from + i * axis(d).from * bytes_);
    }
  }
  copied_axis const& axis(int d) const { return axes_.axis[d]; }

  copied_axes axes_;
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
