// Sparse matrices of segments of diagonals: the pattern, and the values in the order of rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/sparse_patterns.hpp>
#include <kroton/ops/sparse/diagonals.hpp>

#include <array>
#include <utility>

namespace kroton::cpu {

namespace lines {

/// Segments of diagonals, by rows. The rows between two ends of segments have elements on the same
/// diagonals.
class diagonal_segments {
 public:
  struct segment {
    std::ptrdiff_t row, end, offset;
  };
  /// A diagonal that rows have an element on, and the segments that add to it.
  struct slot {
    std::ptrdiff_t offset;
    std::vector<std::size_t> segments;
  };

  explicit diagonal_segments(core::invocation const& call) {
    auto const number = [&](int k) { return inner_extent(call.operand(k)); };
    int const operands = 3 * static_cast<int>(call.attribute(0));
    for (int k = 0; k < operands; k += 3) {
      core::array_ref const& first = call.operand(k);
      std::ptrdiff_t const length = first.rank == 1 ? first.extents[0] : number(k);
      segments_.push_back({number(k + 1), number(k + 1) + length, number(k + 2) - number(k + 1)});
    }
    rows_ = number(operands);
  }

  std::ptrdiff_t rows() const { return rows_; }
  segment const& operator[](std::size_t k) const { return segments_[k]; }

  /// Calls visit(first row, end, slots, the number of elements before) for the rows that have
  /// elements on the same diagonals; returns the number of all elements.
  template <class Visit>
  std::ptrdiff_t for_each_stretch(Visit const& visit) const {
    std::vector<std::ptrdiff_t> ends{0, rows_};
    for (segment const& s : segments_)
      for (std::ptrdiff_t end : {s.row, s.end})
        ends.push_back(std::clamp<std::ptrdiff_t>(end, 0, rows_));
    std::sort(ends.begin(), ends.end());
    std::ptrdiff_t before = 0;
    for (std::size_t e = 0; e + 1 < ends.size(); ++e) {
      if (ends[e] == ends[e + 1]) continue;
      std::vector<slot> const slots = slots_at(ends[e]);
      visit(ends[e], ends[e + 1], slots, before);
      before += (ends[e + 1] - ends[e]) * static_cast<std::ptrdiff_t>(slots.size());
    }
    return before;
  }

 private:
  std::vector<slot> slots_at(std::ptrdiff_t row) const {
    std::vector<slot> found;
    for (std::size_t k = 0; k < segments_.size(); ++k) {
      segment const& s = segments_[k];
      if (row < s.row || row >= s.end) continue;
      auto at = found.begin();
      while (at != found.end() && at->offset < s.offset) ++at;
      if (at == found.end() || at->offset != s.offset) at = found.insert(at, {s.offset, {}});
      at->segments.push_back(k);
    }
    return found;
  }

  std::vector<segment> segments_{};
  std::ptrdiff_t rows_ = 0;
};

/// Adds vectors to every so many elements, or, the first of each, replaces them.
template <class T>
class interleaved {
 public:
  interleaved(core::invocation const& call, diagonal_segments const& segments) {
    for (int k = 0; k < static_cast<int>(call.attribute(0)); ++k) {
      auto const number = static_cast<std::size_t>(k);
      vectors_.emplace_back(call.operand(3 * k));
      // Where the element of row 0 would be.
      first_.push_back(vectors_[number].data() - segments[number].row);
    }
  }
  /// The elements of some rows.
  void write(T* to, std::ptrdiff_t row, std::ptrdiff_t end,
             std::vector<diagonal_segments::slot> const& slots) const {
    // In blocks that the first cache holds, whose elements are written by one segment at a time.
    constexpr std::ptrdiff_t block = 512;
    auto const width = static_cast<std::ptrdiff_t>(slots.size());
    for (std::ptrdiff_t i = row; i < end; i += block, to += block * width) {
      std::ptrdiff_t const n = std::min(block, end - i);
      if (!write_together<1, 2, 3, 4, 5>(to, i, n, slots))
        for (std::size_t s = 0; s < slots.size(); ++s)
          for (std::ptrdiff_t r = 0; r < n; ++r)
            to[r * width + static_cast<std::ptrdiff_t>(s)] = at(slots[s], 0)[i + r];
      for (std::size_t s = 0; s < slots.size(); ++s)
        for (std::size_t k = 1; k < slots[s].segments.size(); ++k)
          add(to + s, width, at(slots[s], k) + i, n);
    }
  }

 private:
  T const* at(diagonal_segments::slot const& s, std::size_t k) const {
    return first_[s.segments[k]];
  }
  static void add(T* to, std::ptrdiff_t width, T const* from, std::ptrdiff_t n) {
    for (std::ptrdiff_t r = 0; r < n; ++r) to[r * width] += from[r];
  }
  template <int... Width>
  bool write_together(T* to, std::ptrdiff_t row, std::ptrdiff_t n,
                      std::vector<diagonal_segments::slot> const& slots) const {
    return ((slots.size() == Width && (write_slots<Width>(to, row, n, slots), true)) || ...);
  }
  // Of a number of slots that the compiler knows, a row at a time.
  template <int Width>
  void write_slots(T* to, std::ptrdiff_t row, std::ptrdiff_t n,
                   std::vector<diagonal_segments::slot> const& slots) const {
    T const* from[Width];
    for (std::size_t s = 0; s < Width; ++s) from[s] = at(slots[s], 0) + row;
    for (std::ptrdiff_t r = 0; r < n; ++r)
      for (int s = 0; s < Width; ++s) to[r * Width + s] = from[s][r];
  }

  std::vector<dense_vector<T>> vectors_{};
  std::vector<T const*> first_{};
};

}  // namespace lines

template <>
struct kernel<op::diagonals_count> {
  static void run(core::invocation const& call) {
    lines::diagonal_segments const segments(call);
    std::ptrdiff_t const n = segments.for_each_stretch([](auto const&...) {});
    *lines::target<std::int64_t>(call) = lines::as_bound("kt::sparse_jacobian", n);
  }
};

template <>
struct kernel<op::diagonals_bounds> {
  static void run(core::invocation const& call) {
    lines::diagonal_segments const segments(call);
    auto* const out = lines::target<std::int32_t>(call);
    auto const fill = [&](std::ptrdiff_t row, std::ptrdiff_t end, auto const& slots,
                          std::ptrdiff_t before) {
      auto const width = static_cast<std::int32_t>(slots.size());
      auto next = static_cast<std::int32_t>(before);
      for (std::ptrdiff_t i = row; i < end; ++i, next += width) out[i] = next;
    };
    out[segments.rows()] = static_cast<std::int32_t>(segments.for_each_stretch(fill));
  }
};

template <>
struct kernel<op::diagonals_indices> {
  static void run(core::invocation const& call) {
    auto* const out = lines::target<std::int32_t>(call);
    lines::diagonal_segments(call).for_each_stretch([&](std::ptrdiff_t row, std::ptrdiff_t end,
                                                        auto const& slots, std::ptrdiff_t before) {
      std::size_t const width = slots.size();
      for (std::size_t s = 0; s < width; ++s) {
        std::int32_t* to = out + static_cast<std::size_t>(before) + s;
        auto column = static_cast<std::int32_t>(row + slots[s].offset);
        for (std::ptrdiff_t i = row; i < end; ++i, to += width) *to = column++;
      }
    });
  }
};

template <>
struct kernel<op::diagonals_places> {
  static void run(core::invocation const& call) {
    lines::diagonal_segments const segments(call);
    auto const number = static_cast<std::size_t>(call.attribute(1));
    auto* out = lines::target<std::int64_t>(call);
    segments.for_each_stretch([&](std::ptrdiff_t row, std::ptrdiff_t end, auto const& slots,
                                  std::ptrdiff_t before) {
      auto const width = static_cast<std::ptrdiff_t>(slots.size());
      for (std::ptrdiff_t s = 0; s < width; ++s)
        if (slots[static_cast<std::size_t>(s)].offset == segments[number].offset &&
            row >= segments[number].row && row < segments[number].end)
          for (std::ptrdiff_t i = row; i < end; ++i) *out++ = before + (i - row) * width + s;
    });
  }
};

template <>
struct kernel<op::diagonals_values> {
  template <lines::number T>
  static void run(core::invocation const& call) {
    lines::diagonal_segments const segments(call);
    lines::interleaved<T> const vectors(call, segments);
    segments.for_each_stretch([&](std::ptrdiff_t row, std::ptrdiff_t end, auto const& slots,
                                  std::ptrdiff_t before) {
      vectors.write(lines::target<T>(call) + before, row, end, slots);
    });
  }
};

}  // namespace kroton::cpu
