// Chosen indices of sparse matrices, by a vector or by steps: which values they have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/sparse/pieces.hpp>

#include <bit>

namespace kroton::cpu {

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

namespace lines {

/// The numbers of indices among every n-th one.
class every_nth {
 public:
  every_nth(core::array_ref const& first, core::array_ref const& count, std::int64_t step)
      : first_(static_cast<std::uint32_t>(inner_extent(first))),
        count_(static_cast<std::uint32_t>(inner_extent(count))) {
    // No index is so far from another one that a larger step makes a difference.
    auto odd = static_cast<std::uint32_t>(std::min<std::int64_t>(step, any_index));
    for (; odd % 2 == 0; odd /= 2) ++twos_;
    // Of an odd number the product with its inverse is 1 modulo 2^32: each step of Newton's method
    // doubles the number of bits that are right, three at first.
    inverse_ = odd;
    for (int bits = 3; bits < 32; bits *= 2) inverse_ *= 2 - odd * inverse_;
  }
  /// That of an index if it is less than count(), as it is of none but those chosen. (Lemire,
  /// Kaser, Kurz, Faster remainder by direct computation, Software: Practice and Experience 49,
  /// 2019: multiples are those whose quotient modulo 2^32 is small.)
  KROTON_INLINE std::uint32_t operator()(std::int32_t index) const {
    return std::rotr((static_cast<std::uint32_t>(index) - first_) * inverse_, twos_);
  }
  std::uint32_t count() const { return count_; }
  /// How many of n indices are among them; `room` indices can be read.
  KROTON_INLINE std::ptrdiff_t count_in(std::int32_t const* index, std::ptrdiff_t n,
                                        std::ptrdiff_t room) const {
    using batch = xsimd::batch<std::uint32_t>;
    constexpr auto width = static_cast<std::ptrdiff_t>(batch::size);
    batch const first(first_), inverse(inverse_), count(count_), one(1u),
        all(static_cast<std::uint32_t>(n));
    batch sum(0u), lane = batch::load_aligned(numbers_of_lanes<std::uint32_t>.number);
    std::ptrdiff_t k = 0;
    for (; k < n && k + width <= room; k += width) {
      auto const x = batch::load_unaligned(reinterpret_cast<std::uint32_t const*>(index) + k);
      batch const product = (x - first) * inverse,
                  at = (product >> twos_) | (product << (32 - twos_));
      // More than 0 where a number is less than another one.
      batch const chosen = xsimd::max(at, count) - at, is_in = xsimd::max(lane, all) - lane;
      sum += xsimd::min(xsimd::min(chosen, is_in), one);
      lane += batch(static_cast<std::uint32_t>(width));
    }
    auto found = static_cast<std::ptrdiff_t>(xsimd::hadd(sum));
    for (; k < n; ++k) found += (*this)(index[k]) < count_;
    return found;
  }

 private:
  std::uint32_t first_, count_, inverse_ = 1;
  int twos_ = 0;
};

}  // namespace lines

template <>
struct kernel<op::stepped_bounds> {
  static void run(core::invocation const& call) {
    sparse_lines pattern(op::stepped_bounds::name, call.operand(0), call.operand(1),
                         lines::inner_extent(call.operand(4)));
    lines::every_nth const number(call.operand(2), call.operand(3), call.attribute(0));
    std::int32_t const* const index = pattern.indices();
    std::ptrdiff_t const size = pattern.size();
    auto* const bounds = lines::target<std::int32_t>(call);
    std::ptrdiff_t n = bounds[0] = 0;
    pattern.for_each_line([=, &n](std::ptrdiff_t i, std::ptrdiff_t begin, std::ptrdiff_t end) {
      n += number.count_in(index + begin, end - begin, size - begin);
      bounds[i + 1] = static_cast<std::int32_t>(n);
    });
  }
};

template <>
struct kernel<op::stepped_places> {
  static void run(core::invocation const& call) {
    dense_vector<std::int32_t> const given(call.operand(0));
    lines::every_nth const number(call.operand(1), call.operand(2), call.attribute(0));
    auto* const index = lines::target<std::int32_t>(call, 0);
    auto* const place = lines::target<std::int64_t>(call, 1);
    std::ptrdiff_t const size = given.size(), total = call.result().extents[0];
    std::ptrdiff_t n = 0;
    // Without branches: which values are chosen is not to be foreseen. What is not is overwritten.
    for (std::ptrdiff_t k = 0; k < size && n < total; ++k) {
      std::uint32_t const at = number(given[k]);
      if (index != nullptr) index[n] = static_cast<std::int32_t>(at);
      if (place != nullptr) place[n] = k;
      n += at < number.count();
    }
  }
};

}  // namespace kroton::cpu
