// Pieces of the lines of sparse matrices: which values they have. What one op has found the next
// one reads unchecked.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/lanes.hpp>
#include <kroton/cpu/op/indexing/taking.hpp>
#include <kroton/cpu/op/sparse/copies.hpp>
#include <kroton/cpu/op/sparse/patterns.hpp>
#include <kroton/ops/sparse/pieces.hpp>

#include <cstring>

namespace kroton::cpu {

namespace lines {

inline constexpr std::ptrdiff_t any_index = std::numeric_limits<std::int32_t>::max();

/// Of a line, how many of its ascending indices are below each of two bounds, and how often one is
/// not greater than the one before it.
struct line_counts {
  std::ptrdiff_t below = 0, most = 0, descents = 0;
};
/// Counts in lines of one matrix, whose indices are behind each other.
class counted_lines {
 public:
  explicit counted_lines(sparse_lines const& pattern)
      : index_(pattern.indices()), size_(pattern.size()) {}

  line_counts operator()(std::ptrdiff_t begin, std::ptrdiff_t n, std::ptrdiff_t first,
                         std::ptrdiff_t end) const {
    auto const low = static_cast<std::int32_t>(std::clamp<std::ptrdiff_t>(first, 0, any_index)),
               high = static_cast<std::int32_t>(std::clamp<std::ptrdiff_t>(end, 0, any_index));
    constexpr std::ptrdiff_t few = 64;  // that a loop is through before a search has branched
    if (n > few) return of_many(index_ + begin, n, low, high);
    return begin + n + width < size_ ? of_few(index_ + begin, n, low, high)
                                     : of_last(index_ + begin, n, low, high);
  }

 private:
  using batch = xsimd::batch<std::uint32_t>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(batch::size);

  /// More than 0 where a < b: of numbers alone, since g++ 12 without optimization does not compile
  /// choices of integers by masks of AVX-512.
  static KROTON_INLINE batch excess(batch const& a, batch const& b) { return xsimd::max(a, b) - a; }
  static KROTON_INLINE batch both(batch const& a, batch const& b) {
    return xsimd::min(xsimd::min(a, b), batch(1u));
  }
  /// Reads a batch beyond the end of the line.
  static KROTON_INLINE line_counts of_few(std::int32_t const* index, std::ptrdiff_t n,
                                          std::int32_t low, std::int32_t high) {
    auto const* const at = reinterpret_cast<std::uint32_t const*>(index);
    batch const first(static_cast<std::uint32_t>(low)), end(static_cast<std::uint32_t>(high)),
        count(static_cast<std::uint32_t>(n)), pairs(static_cast<std::uint32_t>(n - 1)), one(1u);
    batch below(0u), most(0u), descents(0u),
        lane = batch::load_aligned(numbers_of_lanes<std::uint32_t>.number);
    for (std::ptrdiff_t k = 0; k < n; k += width) {
      batch const x = batch::load_unaligned(at + k), next = batch::load_unaligned(at + k + 1),
                  is_in = excess(lane, count);
      below += both(excess(x, first), is_in);
      most += both(excess(x, end), is_in);
      descents += both(excess(next, x + one), excess(lane, pairs));
      lane += batch(static_cast<std::uint32_t>(width));
    }
    // The three counts share the lanes of one batch.
    constexpr int bits = 10;
    std::uint32_t const all = xsimd::hadd(below + (most << bits) + (descents << 2 * bits)),
                        mask = (1u << bits) - 1;
    return {all & mask, all >> bits & mask, all >> 2 * bits};
  }
  static line_counts of_last(std::int32_t const* index, std::ptrdiff_t n, std::int32_t low,
                             std::int32_t high) {
    line_counts all;
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      all.below += index[k] < low;
      all.most += index[k] < high;
      all.descents += k > 0 && index[k] <= index[k - 1];
    }
    return all;
  }
  static line_counts of_many(std::int32_t const* index, std::ptrdiff_t n, std::int32_t low,
                             std::int32_t high) {
    auto const below = [=](std::int32_t bound) {
      return std::lower_bound(index, index + n, bound) - index;
    };
    std::int32_t descents = 0;
    for (std::ptrdiff_t k = 1; k < n; ++k) descents += index[k] <= index[k - 1];
    return {below(low), below(high), descents};
  }

  std::int32_t const* index_;
  std::ptrdiff_t size_;
};

/// Numbers of which negative ones count from the end; others throw kt::value_error as those of a
/// dense tensor do.
class checked_list {
 public:
  checked_list(core::array_ref const& given, std::ptrdiff_t extent)
      : list_(given), extent_(extent) {
    check_index(op::take::name, given, 0, extent);
  }
  std::ptrdiff_t size() const { return list_.size(); }
  std::ptrdiff_t operator[](std::ptrdiff_t k) const {
    std::int64_t const i = list_[k];
    return static_cast<std::ptrdiff_t>(i < 0 ? i + extent_ : i);
  }

 private:
  dense_vector<std::int64_t> list_;
  std::ptrdiff_t extent_;
};

/// Writes bounds of pieces, and where each begins.
class bounds_of_pieces {
 public:
  bounds_of_pieces(std::string_view op, core::invocation const& call)
      : op_(op), bounds_(target<std::int32_t>(call, 0)), begin_(target<std::int32_t>(call, 1)) {}
  /// Calls piece(k), the place and the size of a piece, for each of `count`.
  template <class Piece>
  void write(std::ptrdiff_t count, Piece const& piece) const {
    std::int32_t *const bounds = bounds_, *const begin = begin_;
    std::ptrdiff_t n = 0;
    if (bounds != nullptr) bounds[0] = 0;
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      auto const [from, size] = piece(k);
      n += size;
      if (bounds != nullptr) bounds[k + 1] = static_cast<std::int32_t>(n);
      if (begin != nullptr) begin[k] = static_cast<std::int32_t>(from);
    }
    (void)as_bound(op_, n);
  }

 private:
  std::string_view op_;
  std::int32_t *bounds_, *begin_;
};

}  // namespace lines

template <>
struct kernel<op::listed_bounds> {
  static void run(core::invocation const& call) {
    sparse_lines const pattern(op::listed_bounds::name, call.operand(0), call.operand(1),
                               lines::any_index);
    pattern.check_bounds();
    lines::checked_list const list(call.operand(2), pattern.count());
    std::int32_t const* const start = pattern.bounds();
    lines::bounds_of_pieces(op::listed_bounds::name, call)
        .write(list.size(), [start, &list](std::ptrdiff_t k) {
          std::ptrdiff_t const line = list[k], begin = start[line];
          return std::pair(begin, start[line + 1] - begin);
        });
  }
};

template <>
struct kernel<op::range_bounds> {
  static void run(core::invocation const& call) {
    sparse_lines const pattern(op::range_bounds::name, call.operand(0), call.operand(1),
                               lines::any_index);
    pattern.check_bounds();
    std::ptrdiff_t const first = lines::inner_extent(call.operand(2)),
                         end = lines::inner_extent(call.operand(3)), shift = call.attribute(0);
    std::int32_t const* const start = pattern.bounds();
    lines::counted_lines const counted(pattern);
    std::ptrdiff_t descents = 0;
    lines::bounds_of_pieces(op::range_bounds::name, call)
        .write(pattern.count(), [=, &counted, &descents](std::ptrdiff_t i) {
          std::ptrdiff_t const begin = start[i];
          lines::line_counts const of =
              counted(begin, start[i + 1] - begin, first + i * shift, end + i * shift);
          descents += of.descents;
          return std::pair(begin + of.below, std::max<std::ptrdiff_t>(of.most - of.below, 0));
        });
    if (descents != 0) pattern.check_order();
  }
};

template <>
struct kernel<op::piece_places> {
  static void run(core::invocation const& call) {
    dense_vector<std::int32_t> const indices(call.operand(0));
    lines::copied_lines const pieces{dense_vector<std::int32_t>(call.operand(1)),
                                     dense_vector<std::int32_t>(call.operand(2))};
    auto const shift = static_cast<std::int32_t>(lines::inner_extent(call.operand(4)));
    std::ptrdiff_t const total = call.result().extents[0];
    if (auto* const index = lines::target<std::int32_t>(call, 0))
      pieces.for_each(lines::copied_indices(indices, index, total, -shift));
    if (auto* const place = lines::target<std::int64_t>(call, 1))
      pieces.for_each(lines::numbered_places(place, total, 0));
  }
};

template <>
struct kernel<op::piece_values> {
  static void run(core::invocation const& call) {
    lines::copied_lines const pieces{dense_vector<std::int32_t>(call.operand(1)),
                                     dense_vector<std::int32_t>(call.operand(2))};
    pieces.for_each(lines::copied_values(call.operand(0), call.result()));
  }
};

}  // namespace kroton::cpu
