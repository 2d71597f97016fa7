// Sparse matrices of segments of diagonals: the pattern, and the values in the order of rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/streaming.hpp>
#include <kroton/cpu/op/sparse/patterns.hpp>
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

  /// Of the operands of each segment the last three are its length, row and column.
  explicit diagonal_segments(core::invocation const& call, int operands_each = 3) {
    auto const number = [&](int k) { return inner_extent(call.operand(k)); };
    int const operands = operands_each * static_cast<int>(call.attribute(0));
    for (int k = operands_each; k <= operands; k += operands_each)
      segments_.push_back(
          {number(k - 2), number(k - 2) + number(k - 3), number(k - 1) - number(k - 2)});
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

/// The sums of segments, written in the order of rows.
template <class T>
class interleaved {
 public:
  interleaved(core::invocation const& call, diagonal_segments const& segments)
      : segments_(segments) {
    for (int k = 0; k < static_cast<int>(call.attribute(0)); ++k) {
      vectors_.emplace_back(call.operand(4 * k));
      is_scalar_.push_back(call.operand(4 * k).rank == 0);
    }
  }
  /// The elements of some rows, in blocks that the first cache holds.
  void write(T* to, std::ptrdiff_t row, std::ptrdiff_t end,
             std::vector<diagonal_segments::slot> const& slots) const {
    auto const width = static_cast<std::ptrdiff_t>(slots.size());
    if (width == 0) return;
    std::ptrdiff_t const block = std::max<std::ptrdiff_t>(block_elements / width, 1),
                         bytes = (end - row) * width * static_cast<std::ptrdiff_t>(sizeof(T));
    bool const streams = bytes >= machine::streamed_bytes;
    alignas(machine::line) T buffer[block_elements + per_line];
    T sums[block_elements];  // there are at most 16 segments
    std::vector<T const*> from(slots.size());
    for (std::ptrdiff_t i = row; i < end; i += block, to += block * width) {
      std::ptrdiff_t const n = std::min(block, end - i);
      for (std::size_t s = 0; s < slots.size(); ++s)
        from[s] = summed(slots[s], i, n, sums + static_cast<std::ptrdiff_t>(s) * block);
      T* const target =
          streams ? buffer + reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % per_line
                  : to;
      if (!interleave_few<1, 2, 3, 4, 5>(target, from, n))
        for (std::size_t s = 0; s < from.size(); ++s)
          for (std::ptrdiff_t r = 0; r < n; ++r)
            target[r * width + static_cast<std::ptrdiff_t>(s)] = from[s][r];
      if (streams) stream_copy(to, target, n * width);
    }
    if (streams) finish_streaming();
  }

 private:
  static constexpr std::ptrdiff_t block_elements = 2048;
  static constexpr std::size_t per_line = machine::line / sizeof(T);

  // The vector of a slot from a row on; in `buffer`, if it is a sum of several, or of scalars.
  T const* summed(diagonal_segments::slot const& slot, std::ptrdiff_t row, std::ptrdiff_t n,
                  T* buffer) const {
    T const* total = nullptr;
    T same{};
    bool has_same = false;
    for (std::size_t k : slot.segments) {
      T const* const values = vectors_[k].data();
      if (is_scalar_[k]) {
        same = static_cast<T>(same + *values);
        has_same = true;
        continue;
      }
      T const* const from = values + (row - segments_[k].row);
      if (total != nullptr) add(buffer, total, from, n);
      total = total != nullptr ? buffer : from;
    }
    if (total == nullptr) std::fill_n(buffer, n, same);
    else if (has_same) add(buffer, total, same, n);
    return total == nullptr || has_same ? buffer : total;
  }
  static constexpr bool has_batches = std::is_same_v<T, double> || std::is_same_v<T, float>;
  static void add(T* to, T const* a, T const* b, std::ptrdiff_t n) {
    std::ptrdiff_t i = 0;
    if constexpr (has_batches) {
      constexpr auto width = static_cast<std::ptrdiff_t>(xsimd::batch<T>::size);
      for (; i + width <= n; i += width)
        (xsimd::load_unaligned(a + i) + xsimd::load_unaligned(b + i)).store_unaligned(to + i);
    }
    for (; i < n; ++i) to[i] = static_cast<T>(a[i] + b[i]);
  }
  static void add(T* to, T const* a, T same, std::ptrdiff_t n) {
    std::ptrdiff_t i = 0;
    if constexpr (has_batches) {
      constexpr auto width = static_cast<std::ptrdiff_t>(xsimd::batch<T>::size);
      for (; i + width <= n; i += width)
        (xsimd::load_unaligned(a + i) + xsimd::batch<T>(same)).store_unaligned(to + i);
    }
    for (; i < n; ++i) to[i] = static_cast<T>(a[i] + same);
  }
  // Both lie alike within lines of the cache, which are written whole.
  static void stream_copy(T* to, T const* from, std::ptrdiff_t n) {
    std::ptrdiff_t i = 0;
    if constexpr (has_batches) {
      constexpr auto width = static_cast<std::ptrdiff_t>(xsimd::batch<T>::size);
      while (i < n && reinterpret_cast<std::uintptr_t>(to + i) % (width * sizeof(T)) != 0) ++i;
      std::copy_n(from, i, to);
      for (; i + width <= n; i += width) stream(xsimd::load_aligned(from + i), to + i);
    }
    std::copy(from + i, from + n, to + i);
  }
  template <std::size_t... Width>
  static bool interleave_few(T* to, std::vector<T const*> const& from, std::ptrdiff_t n) {
    return ((from.size() == Width &&
             (interleave(to, from.data(), n, std::make_index_sequence<Width>{}), true)) ||
            ...);
  }
  // Of so many vectors as the compiler knows, a row at a time.
  template <std::size_t... S>
  static void interleave(T* to, T const* const* vectors, std::ptrdiff_t n,
                         std::index_sequence<S...>) {
    T const* const from[] = {vectors[S]...};
    for (std::ptrdiff_t r = 0; r < n; ++r, to += sizeof...(S)) ((to[S] = from[S][r]), ...);
  }

  diagonal_segments const& segments_;
  std::vector<dense_vector<T>> vectors_{};
  std::vector<bool> is_scalar_{};
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
      std::vector<std::int32_t> next;
      for (auto const& slot : slots)
        next.push_back(static_cast<std::int32_t>(row + slot.offset));
      if (!count_few<1, 2, 3, 4, 5>(out + before, next, end - row))
        for (std::int32_t* to = out + before; row < end; ++row)
          for (std::int32_t& column : next) *to++ = column++;
    });
  }

 private:
  template <std::size_t... Width>
  static bool count_few(std::int32_t* to, std::vector<std::int32_t> const& first,
                        std::ptrdiff_t rows) {
    return ((first.size() == Width && (count<Width>(to, first.data(), rows), true)) || ...);
  }
  // A few rows at a time, whose indices differ by constants from those of the first.
  template <std::size_t Width>
  static void count(std::int32_t* to, std::int32_t const* first, std::ptrdiff_t rows) {
    constexpr std::ptrdiff_t together = 16;
    std::int32_t pattern[together * Width];
    for (std::size_t k = 0; k < together * Width; ++k)
      pattern[k] = first[k % Width] + static_cast<std::int32_t>(k / Width);
    std::ptrdiff_t i = 0;
    for (; i + together <= rows; i += together, to += together * Width)
      for (std::size_t k = 0; k < together * Width; ++k)
        to[k] = pattern[k] + static_cast<std::int32_t>(i);
    for (; i < rows; ++i)
      for (std::size_t s = 0; s < Width; ++s) *to++ = pattern[s] + static_cast<std::int32_t>(i);
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
    lines::diagonal_segments const segments(call, 4);
    lines::interleaved<T> const vectors(call, segments);
    segments.for_each_stretch([&](std::ptrdiff_t row, std::ptrdiff_t end, auto const& slots,
                                  std::ptrdiff_t before) {
      vectors.write(lines::target<T>(call) + before, row, end, slots);
    });
  }
};

}  // namespace kroton::cpu
