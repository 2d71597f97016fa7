// Pieces of the lines of sparse matrices, and chosen indices: which values they have. What one op
// has found the next one reads unchecked.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/op/sparse_patterns.hpp>
#include <kroton/cpu/op/taking.hpp>
#include <kroton/ops/sparse/pieces.hpp>

namespace kroton::cpu {

namespace lines {

inline constexpr std::ptrdiff_t any_index = std::numeric_limits<std::int32_t>::max();

/// How many of ascending indices are below a bound.
inline std::ptrdiff_t count_below(std::int32_t const* index, std::ptrdiff_t n,
                                  std::ptrdiff_t bound) {
  if (bound <= 0) return 0;
  if (bound >= any_index) return n;
  constexpr std::ptrdiff_t few = 64;  // that a loop is through before a search has branched
  if (n > few) return std::lower_bound(index, index + n, bound) - index;
  auto const end = static_cast<std::int32_t>(bound);
  std::int32_t below = 0;
  for (std::ptrdiff_t k = 0; k < n; ++k) below += index[k] < end;
  return below;
}
/// How often a number is not greater than the one before it.
inline std::ptrdiff_t count_descents(std::int32_t const* index, std::ptrdiff_t n) {
  std::ptrdiff_t all = 0;
  constexpr std::ptrdiff_t stretch = 1 << 20;
  for (std::ptrdiff_t first = 1; first < n; first += stretch) {
    std::int32_t descents = 0;
    std::ptrdiff_t const end = std::min(n, first + stretch);
    for (std::ptrdiff_t k = first; k < end; ++k) descents += index[k] <= index[k - 1];
    all += descents;
  }
  return all;
}

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

/// Lines that were counted, and of each where its values begin in the whole matrix.
struct copied_lines {
  dense_vector<std::int32_t> bounds, begin;

  /// Calls visit(first, end, from): the values `first` to `end` of the result are those of the
  /// matrix from `from` on.
  template <class Visit>
  void for_each(Visit const& visit) const {
    std::int32_t const *const to = bounds.data(), *const from = begin.data();
    std::ptrdiff_t const count = bounds.size() - 1;
    for (std::ptrdiff_t i = 0; i < count; ++i)
      visit(std::ptrdiff_t{to[i]}, std::ptrdiff_t{to[i + 1]}, std::ptrdiff_t{from[i]});
  }
};

/// Copies values of any type: those from `to` to `end` are those of the matrix from `from` on.
class copied_values {
 public:
  copied_values(core::array_ref const& given, core::array_ref const& out)
      : from_(given.data), to_(out.data), stride_(given.strides[0]), bytes_(given.bytes) {}
  void operator()(std::ptrdiff_t to, std::ptrdiff_t end, std::ptrdiff_t from) const {
    core::copy_row(to_ + to * bytes_, 1, from_ + from * stride_ * bytes_, stride_, end - to,
                   bytes_);
  }

 private:
  std::byte const* from_;
  std::byte* to_;
  std::ptrdiff_t stride_;
  int bytes_;
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
    std::int32_t const *const start = pattern.bounds(), *const index = pattern.indices();
    // Indices that descend do so between lines, as often as in all.
    std::ptrdiff_t descents = lines::count_descents(index, pattern.size());
    lines::bounds_of_pieces(op::range_bounds::name, call)
        .write(pattern.count(), [=, &descents](std::ptrdiff_t i) {
          std::ptrdiff_t const begin = start[i], n = start[i + 1] - begin;
          std::int32_t const* const line = index + begin;
          descents -= n > 0 && begin > 0 && line[0] <= line[-1];
          std::ptrdiff_t const below = lines::count_below(line, n, first + i * shift),
                               most = lines::count_below(line, n, end + i * shift);
          return std::pair(begin + below, std::max<std::ptrdiff_t>(most - below, 0));
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
    if (auto* const index = lines::target<std::int32_t>(call, 0)) {
      auto const* const given = indices.data();
      pieces.for_each([=](std::ptrdiff_t to, std::ptrdiff_t end, std::ptrdiff_t from) {
        for (std::ptrdiff_t k = to; k < end; ++k) index[k] = given[from + (k - to)] - shift;
      });
    }
    if (auto* const place = lines::target<std::int64_t>(call, 1))
      pieces.for_each([=](std::ptrdiff_t to, std::ptrdiff_t end, std::ptrdiff_t from) {
        for (std::ptrdiff_t k = to; k < end; ++k) place[k] = from + (k - to);
      });
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

template <>
struct kernel<op::chosen_bounds> {
  static void run(core::invocation const& call) {
    std::ptrdiff_t const inner = lines::inner_extent(call.operand(3));
    sparse_lines pattern(op::chosen_bounds::name, call.operand(0), call.operand(1), inner);
    lines::checked_list const list(call.operand(2), inner);
    (void)lines::as_bound(op::chosen_bounds::name, list.size());
    std::vector<std::int32_t> kept;
    auto* first = lines::target<std::int32_t>(call, 2);
    if (first == nullptr) {
      kept.resize(static_cast<std::size_t>(inner) + 1);
      first = kept.data();
    }
    std::fill(first, first + inner + 1, 0);
    for (std::ptrdiff_t k = 0; k < list.size(); ++k) ++first[list[k]];
    if (auto* const bounds = lines::target<std::int32_t>(call, 0)) {
      std::int32_t const* const index = pattern.indices();
      std::ptrdiff_t n = bounds[0] = 0;
      pattern.for_each_line([=, &n](std::ptrdiff_t i, std::ptrdiff_t begin, std::ptrdiff_t end) {
        std::ptrdiff_t found = 0;
        for (std::ptrdiff_t k = begin; k < end; ++k) found += first[index[k]];
        bounds[i + 1] = static_cast<std::int32_t>(n += found);
      });
      (void)lines::as_bound(op::chosen_bounds::name, n);
    } else {
      pattern.check_all();
    }
    // Where those of an index end, then, as they are filled in from the last one on, begin.
    std::partial_sum(first, first + inner, first);
    first[inner] = static_cast<std::int32_t>(list.size());
    auto* const order = lines::target<std::int32_t>(call, 1);
    for (std::ptrdiff_t k = list.size(); k-- > 0;) {
      std::int32_t const at = --first[list[k]];
      if (order != nullptr) order[at] = static_cast<std::int32_t>(k);
    }
  }
};

template <>
struct kernel<op::chosen_places> {
  static void run(core::invocation const& call) {
    sparse_lines const pattern(op::chosen_places::name, call.operand(0), call.operand(1),
                               lines::any_index);
    dense_vector<std::int32_t> const order(call.operand(3)), first(call.operand(4));
    std::vector<std::int32_t> only;  // of each index the place in the list, or -1
    if (!repeats(first)) {
      only.resize(static_cast<std::size_t>(first.size()));
      for (std::ptrdiff_t j = 0; j + 1 < first.size(); ++j)
        only[static_cast<std::size_t>(j)] = first[j] < first[j + 1] ? order[first[j]] : -1;
    }
    bool const ascends = std::is_sorted(order.data(), order.data() + order.size());
    auto* const index = lines::target<std::int32_t>(call, 0);
    auto* const place = lines::target<std::int64_t>(call, 1);
    if (!only.empty() && index != nullptr && place != nullptr) {
      each_once(pattern, only.data(), call.result().extents[0], index, place);
      if (!ascends) sort_lines(dense_vector<std::int32_t>(call.operand(2)), index, place);
      return;
    }
    std::ptrdiff_t n = 0;
    std::vector<std::uint64_t> line;
    for (std::ptrdiff_t i = 0; i < pattern.count(); ++i) {
      line.clear();
      for (std::ptrdiff_t k = pattern.begin(i); k < pattern.end(i); ++k)
        for (std::ptrdiff_t j = pattern.index(k), at = first[j]; at < first[j + 1]; ++at)
          line.push_back(key(order[at], k));
      if (!ascends) std::sort(line.begin(), line.end());
      for (std::uint64_t both : line) {
        if (index != nullptr) index[n] = index_in(both);
        if (place != nullptr) place[n] = place_in(both);
        ++n;
      }
    }
  }

 private:
  // The new index above the place: as numbers they are in the order of the indices.
  static std::uint64_t key(std::int32_t index, std::int64_t place) {
    return std::uint64_t{static_cast<std::uint32_t>(index)} << 32 |
           static_cast<std::uint64_t>(place);
  }
  static std::int32_t index_in(std::uint64_t key) { return static_cast<std::int32_t>(key >> 32); }
  static std::int64_t place_in(std::uint64_t key) {
    return static_cast<std::int64_t>(key & 0xffffffffu);
  }
  static bool repeats(dense_vector<std::int32_t> const& first) {
    bool found = false;
    for (std::ptrdiff_t j = 0; j + 1 < first.size(); ++j) found |= first[j + 1] - first[j] > 1;
    return found;
  }
  // Without branches: which values are chosen is not to be foreseen. What is not is overwritten.
  static void each_once(sparse_lines const& pattern, std::int32_t const* only,
                        std::ptrdiff_t total, std::int32_t* index, std::int64_t* place) {
    std::int32_t const* const given = pattern.indices();
    std::ptrdiff_t const size = pattern.size();
    std::ptrdiff_t n = 0;
    for (std::ptrdiff_t k = 0; k < size && n < total; ++k) {
      std::int32_t const at = only[given[k]];
      index[n] = at;
      place[n] = k;
      n += at >= 0;
    }
  }
  static void sort_lines(dense_vector<std::int32_t> const& bounds, std::int32_t* index,
                         std::int64_t* place) {
    constexpr std::ptrdiff_t few = 24;
    std::vector<std::uint64_t> line;
    for (std::ptrdiff_t i = 0; i + 1 < bounds.size(); ++i) {
      std::ptrdiff_t const begin = bounds[i], end = bounds[i + 1];
      if (end - begin <= few) {
        for (std::ptrdiff_t q = begin + 1; q < end; ++q)
          for (std::ptrdiff_t to = q; to > begin && index[to - 1] > index[to]; --to)
            std::swap(index[to - 1], index[to]), std::swap(place[to - 1], place[to]);
        continue;
      }
      line.clear();
      for (std::ptrdiff_t q = begin; q < end; ++q) line.push_back(key(index[q], place[q]));
      std::sort(line.begin(), line.end());
      for (std::ptrdiff_t q = begin; q < end; ++q) {
        std::uint64_t const both = line[static_cast<std::size_t>(q - begin)];
        index[q] = index_in(both), place[q] = place_in(both);
      }
    }
  }
};

}  // namespace kroton::cpu
