// What kernels of sparse matrices read: vectors without gaps, and a pattern that is checked before
// it is used.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace kroton::cpu {

/// The rows of a vector or matrix, each without gaps; a copy if they have some.
template <class T>
class dense_rows {
 public:
  explicit dense_rows(core::array_ref const& a)
      : first_(reinterpret_cast<T const*>(a.data)),
        columns_(a.rank == 2 ? a.extents[1] : 1),
        stride_(a.rank == 0 ? 0 : a.strides[0]) {
    bool const is_dense = a.rank != 2 || a.strides[1] == 1 || columns_ == 1;
    if (is_dense) return;
    std::ptrdiff_t const rows = a.extents[0];
    copy_.resize(static_cast<std::size_t>(rows * columns_));
    // In squares, so that the lines of memory that are read and written stay in the first cache.
    constexpr std::ptrdiff_t side = 16;
    for (std::ptrdiff_t r = 0; r < rows; r += side)
      for (std::ptrdiff_t c = 0; c < columns_; c += side)
        for (std::ptrdiff_t i = r; i < std::min(rows, r + side); ++i)
          for (std::ptrdiff_t j = c; j < std::min(columns_, c + side); ++j)
            copy_[static_cast<std::size_t>(i * columns_ + j)] =
                first_[i * a.strides[0] + j * a.strides[1]];
    first_ = copy_.data();
    stride_ = columns_;
  }
  T const* operator()(std::ptrdiff_t row) const { return first_ + row * stride_; }
  std::ptrdiff_t columns() const { return columns_; }
  std::ptrdiff_t stride() const { return stride_; }

 private:
  T const* first_;
  std::ptrdiff_t columns_, stride_;
  std::vector<T> copy_;
};

/// A vector without gaps; a copy if it has some.
template <class T>
class dense_vector {
 public:
  explicit dense_vector(core::array_ref const& a)
      : first_(reinterpret_cast<T const*>(a.data)), size_(a.extents[0]) {
    if (a.strides[0] == 1 || size_ <= 1) return;
    copy_.resize(static_cast<std::size_t>(size_));
    for (std::ptrdiff_t i = 0; i < size_; ++i)
      copy_[static_cast<std::size_t>(i)] = first_[i * a.strides[0]];
    first_ = copy_.data();
  }
  T operator[](std::ptrdiff_t i) const { return first_[i]; }
  T const* data() const { return first_; }
  std::ptrdiff_t size() const { return size_; }

 private:
  T const* first_;
  std::ptrdiff_t size_;
  std::vector<T> copy_;
};

/// The pattern of a sparse matrix. Indices and bounds of lines are checked a stretch at a time,
/// just before the stretch is used.
class sparse_lines {
 public:
  /// Which of the lines that indices are of have bounds.
  enum class has_lines { all, some };

  /// Throws kt::value_error if bounds do not begin with 0 and end with the number of indices; those
  /// of some lines may begin and end in between.
  sparse_lines(std::string_view op, core::array_ref const& index, core::array_ref const& start,
               std::ptrdiff_t inner, has_lines which = has_lines::all)
      : op_(op), index_(index), start_(start), inner_(inner) {
    std::ptrdiff_t const n = start_.size();
    if (n == 0) refuse("indptr is empty; it has one element more than there are lines");
    if (which == has_lines::some) {
      checked_ = start_[0];
      if (start_[0] >= 0 && start_[n - 1] <= index_.size()) return;
      refuse(core::message({"indptr goes from ", start_[0], " to ", start_[n - 1],
                            ", but there are ", index_.size(), " indices"}));
    }
    if (start_[0] != 0) refuse(core::message({"indptr starts at ", start_[0], " instead of 0"}));
    if (start_[n - 1] != index_.size())
      refuse(core::message(
          {"indptr ends at ", start_[n - 1], ", but there are ", index_.size(), " indices"}));
  }
  /// Throws kt::value_error if bounds do not ascend.
  void check_bounds() const {
    std::int32_t descends = 0;
    for (std::ptrdiff_t i = 1; i < start_.size(); ++i) descends |= start_[i] < start_[i - 1];
    if (descends != 0) refuse_descent();
  }
  std::ptrdiff_t count() const { return start_.size() - 1; }
  std::ptrdiff_t begin(std::ptrdiff_t line) const { return start_[line]; }
  std::ptrdiff_t end(std::ptrdiff_t line) const { return start_[line + 1]; }
  std::ptrdiff_t index(std::ptrdiff_t k) const { return index_[k]; }
  std::ptrdiff_t size() const { return index_.size(); }
  /// The number of indices in the lines that have bounds.
  std::ptrdiff_t entries() const { return start_[count()] - start_[0]; }
  std::ptrdiff_t inner() const { return inner_; }
  std::int32_t const* indices() const { return index_.data(); }
  std::int32_t const* bounds() const { return start_.data(); }

  /// Throws kt::value_error if one of the indices before `end` is not within the extent.
  void check(std::ptrdiff_t end) {
    if (end <= checked_) return;
    if (end > index_.size()) refuse_descent();
    constexpr std::ptrdiff_t stretch = 1024;
    end = std::max(end, std::min(index_.size(), checked_ + stretch));
    std::uint32_t const most = largest(index_.data() + checked_, end - checked_);
    // As an unsigned number a negative one is larger than every extent.
    if (static_cast<std::ptrdiff_t>(most) >= std::min(inner_, largest_extent)) refuse_index(end);
    checked_ = end;
  }
  void check_all() {
    check_bounds();
    check(index_.size());
  }
  /// Calls visit(line, begin, end) for the lines in order, with bounds and indices that were
  /// checked.
  template <class Visit>
  KROTON_INLINE void for_each_line(Visit const& visit) {
    std::int32_t const* const start = start_.data();
    std::ptrdiff_t const lines = count();
    for (std::ptrdiff_t i = 0; i < lines;) {
      if (start[i + 1] < start[i]) refuse_descent();
      check(start[i + 1]);
      // As unsigned numbers, bounds that descend are too far apart.
      auto const checked = static_cast<std::uint32_t>(checked_);
      for (auto begin = static_cast<std::uint32_t>(start[i]); i < lines; ++i) {
        std::uint32_t const size = static_cast<std::uint32_t>(start[i + 1]) - begin;
        if (size > checked - begin) break;
        auto const at = static_cast<std::ptrdiff_t>(begin);
        visit(i, at, at + static_cast<std::ptrdiff_t>(size));
        begin += size;
      }
    }
  }
  /// Throws kt::value_error if indices do not ascend within a line.
  void check_order() const {
    // Indices that descend do so between lines, as often as in all.
    std::int32_t const *const index = index_.data(), *const start = start_.data();
    std::ptrdiff_t descents = 0;
    for (std::ptrdiff_t k = start[0] + 1; k < start[count()]; ++k)
      descents += index[k] <= index[k - 1];
    for (std::ptrdiff_t i = 1; i < count(); ++i) {
      std::ptrdiff_t const k = start[i];
      descents -= k > start[0] && k < start[i + 1] && index[k] <= index[k - 1];
    }
    if (descents == 0) return;
    for (std::ptrdiff_t i = 0; i < count(); ++i)
      for (std::ptrdiff_t k = begin(i) + 1; k < end(i); ++k)
        if (index_[k] <= index_[k - 1])
          refuse(core::message({"the indices of line ", i, " do not ascend: ", index_[k - 1],
                                " stands before ", index_[k]}));
  }

 private:
  static constexpr std::ptrdiff_t largest_extent = std::numeric_limits<std::int32_t>::max();

  static std::uint32_t largest(std::int32_t const* x, std::ptrdiff_t n) {
    using batch = xsimd::batch<std::uint32_t>;
    constexpr auto width = static_cast<std::ptrdiff_t>(batch::size);
    auto const* const u = reinterpret_cast<std::uint32_t const*>(x);
    std::uint32_t most = 0;
    std::ptrdiff_t k = 0;
    if (n >= width) {
      // Four chains, so that no comparison waits for the one before.
      batch found[4] = {batch(0u), batch(0u), batch(0u), batch(0u)};
      for (; k + 4 * width <= n; k += 4 * width)
        for (int c = 0; c < 4; ++c)
          found[c] = xsimd::max(found[c], batch::load_unaligned(u + k + c * width));
      for (; k + width <= n; k += width)
        found[0] = xsimd::max(found[0], batch::load_unaligned(u + k));
      batch const all = xsimd::max(xsimd::max(found[0], found[1]), xsimd::max(found[2], found[3]));
      alignas(64) std::uint32_t lanes[batch::size];
      all.store_aligned(lanes);
      for (std::uint32_t lane : lanes) most = std::max(most, lane);
    }
    for (; k < n; ++k) most = std::max(most, u[k]);
    return most;
  }
  [[noreturn, gnu::cold]] void refuse(std::string const& what) const {
    throw value_error(core::message({op_, ": ", what}));
  }
  [[noreturn, gnu::cold]] void refuse_descent() const {
    std::ptrdiff_t i = 1;
    while (start_[i] >= start_[i - 1]) ++i;
    refuse(core::message({"indptr does not ascend: element ", i - 1, " is ", start_[i - 1],
                          ", element ", i, " is ", start_[i]}));
  }
  [[noreturn, gnu::cold]] void refuse_index(std::ptrdiff_t end) const {
    std::ptrdiff_t k = checked_;
    while (k + 1 < end && index_[k] >= 0 && index_[k] < inner_) ++k;
    refuse(core::message(
        {"index ", index_[k], " at position ", k, " is out of range: the extent is ", inner_}));
  }

  std::string_view op_;
  dense_vector<std::int32_t> index_, start_;
  std::ptrdiff_t inner_, checked_ = 0;
};

}  // namespace kroton::cpu
