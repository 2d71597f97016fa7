// The product of two sparse matrices and a dense one: two products with dense matrices; or a row of
// the product of the sparse ones at a time, which is multiplied at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/kept_memory.hpp>
#include <kroton/cpu/op/sparse/estimates.hpp>

namespace kroton::cpu {

namespace lines {

/// A pattern by rows and, of each value, its number among those of the matrix as it is given.
class pattern_by_rows {
 public:
  pattern_by_rows(sparse_lines const& given, bool is_transposed) {
    if (!is_transposed) {
      start_ = given.bounds(), index_ = given.indices();
      rows_ = given.count(), columns_ = given.inner();
      return;
    }
    rows_ = given.inner(), columns_ = given.count();
    auto const n = static_cast<std::size_t>(given.size());
    starts_.resize(static_cast<std::size_t>(rows_) + 2);
    indices_.resize(n);
    places_.resize(n);
    std::int32_t const* const index = given.indices();
    // Where rows begin, one further: it is where the next value of a row comes to.
    std::int32_t* const next = starts_.data() + 1;
    for (std::size_t k = 0; k < n; ++k) ++next[index[k] + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    for (std::ptrdiff_t i = 0; i < given.count(); ++i)
      for (std::ptrdiff_t k = given.begin(i); k < given.end(i); ++k) {
        auto const to = static_cast<std::size_t>(next[index[k]]++);
        indices_[to] = static_cast<std::int32_t>(i);
        places_[to] = static_cast<std::int32_t>(k);
      }
    start_ = starts_.data(), index_ = indices_.data();
  }
  pattern_by_rows(pattern_by_rows const&) = delete;

  std::ptrdiff_t rows() const { return rows_; }
  std::ptrdiff_t columns() const { return columns_; }
  std::ptrdiff_t begin(std::ptrdiff_t i) const { return start_[i]; }
  std::ptrdiff_t end(std::ptrdiff_t i) const { return start_[i + 1]; }
  std::ptrdiff_t index(std::ptrdiff_t k) const { return index_[k]; }
  /// Values in the order of rows, from those in the order given.
  template <class T>
  T const* values(T const* given, std::vector<T>& kept) const {
    if (places_.empty()) return given;
    kept.resize(places_.size());
    for (std::size_t k = 0; k < kept.size(); ++k) kept[k] = given[places_[k]];
    return kept.data();
  }

 private:
  std::int32_t const *start_ = nullptr, *index_ = nullptr;
  std::ptrdiff_t rows_ = 0, columns_ = 0;
  std::vector<std::int32_t> starts_, indices_, places_;
};

/// A row of the product of two patterns by rows: its columns, in the order in which they come.
class row_of_product {
 public:
  row_of_product(pattern_by_rows const& a, pattern_by_rows const& b)
      : a_(a), b_(b), place_(static_cast<std::size_t>(b.columns()), -1) {}

  std::vector<std::int32_t> const& columns() const { return columns_; }
  /// Calls visit(place, p, q) for the products of the values p of a and q of b, place being that of
  /// their column among the columns.
  template <class Visit>
  KROTON_INLINE void find(std::ptrdiff_t row, Visit const& visit) {
    for (std::int32_t j : columns_) place_[static_cast<std::size_t>(j)] = -1;
    columns_.clear();
    for (std::ptrdiff_t p = a_.begin(row); p < a_.end(row); ++p)
      for (std::ptrdiff_t k = a_.index(p), q = b_.begin(k); q < b_.end(k); ++q) {
        std::int32_t& place = place_[static_cast<std::size_t>(b_.index(q))];
        if (place < 0) {
          place = static_cast<std::int32_t>(columns_.size());
          columns_.push_back(static_cast<std::int32_t>(b_.index(q)));
        }
        visit(place, p, q);
      }
  }

 private:
  pattern_by_rows const &a_, &b_;
  std::vector<std::int32_t> place_, columns_;
};

}  // namespace lines

template <>
struct kernel<op::sparse_pair_dot> {
  template <lines::number T>
  static void run(core::invocation const& call) {
    lines::sparse_pair pair(call, 3);
    if (lines::is_product_first(pair, call.operand(2).extents[1])) product_first<T>(call, pair);
    else one_by_one<T>(call, pair);
  }

 private:
  template <class T>
  static void one_by_one(core::invocation const& call, lines::sparse_pair const& pair) {
    static thread_local kept_memory memory;
    core::array_ref between = call.operand(2);
    between.extents[0] = pair.of_b ? pair.b.inner() : pair.b.count();
    between.make_contiguous_strides();
    between.data = reinterpret_cast<std::byte*>(memory.room<T>(between.size()));
    multiply<T>(pair.of_b, call, 1, call.operand(2), between);
    multiply<T>(pair.of_a, call, 0, between, call.result());
  }
  /// The sparse matrix of this number among the operands times a dense one.
  template <class T>
  static void multiply(bool is_transposed, core::invocation const& call, int which,
                       core::array_ref const& dense, core::array_ref const& result) {
    core::array_ref const operands[] = {call.operand(which), dense, call.operand(3 + 3 * which),
                                        call.operand(4 + 3 * which), call.operand(5 + 3 * which)};
    core::invocation const own{operands, &result, {}};
    if (is_transposed) kernel<op::csr_transposed_dot>::template run<T>(own);
    else kernel<op::csr_dot>::template run<T>(own);
  }
  template <class T>
  static void product_first(core::invocation const& call, lines::sparse_pair& pair) {
    pair.check();
    lines::pattern_by_rows const a(pair.a, pair.of_a), b(pair.b, pair.of_b);
    dense_vector<T> const first(call.operand(0)), second(call.operand(1));
    std::vector<T> kept_first, kept_second, sums;
    T const *const u = a.values(first.data(), kept_first),
            *const v = b.values(second.data(), kept_second);
    dense_rows<T> const dense(call.operand(2));
    std::ptrdiff_t const columns = dense.columns(), stride = dense.stride();
    T* const out = reinterpret_cast<T*>(call.result().data);
    lines::row_of_product row(a, b);
    for (std::ptrdiff_t i = 0; i < a.rows(); ++i) {
      sums.clear();
      row.find(i, [&](std::int32_t place, std::ptrdiff_t p, std::ptrdiff_t q) {
        auto const at = static_cast<std::size_t>(place);
        if (at == sums.size()) sums.push_back(T{});
        sums[at] = lines::plus_product(sums[at], u[p], v[q]);
      });
      lines::line_times_rows(sums.data(), row.columns().data(), 0,
                             static_cast<std::ptrdiff_t>(sums.size()), dense(0), stride, columns,
                             out + i * columns);
    }
  }
};

}  // namespace kroton::cpu
