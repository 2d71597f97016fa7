// The product of two sparse matrices times a dense one: a row of the product at a time, which is
// multiplied at once. Whether that is faster than two products with dense matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/sparse_patterns.hpp>
#include <kroton/ops/sparse/orders.hpp>

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

/// The two sparse factors of a chain, as the ops of ops/sparse/orders.hpp have them.
struct sparse_pair {
  sparse_lines a, b;
  bool of_a, of_b;  // whether these are transposed

  sparse_pair(core::invocation const& call, int first)
      : a(name(call, 0), call.operand(first), call.operand(first + 1),
          inner_extent(call.operand(first + 2))),
        b(name(call, 1), call.operand(first + 3), call.operand(first + 4),
          inner_extent(call.operand(first + 5))),
        of_a(call.attribute(0) != 0),
        of_b(call.attribute(1) != 0) {}

  void check() {
    a.check_all();
    b.check_all();
  }
  /// How many products of two values there are.
  std::int64_t products() const {
    std::int64_t all = 0;
    std::int32_t const *const of = b.bounds(), *const from = a.bounds();
    if (of_a && !of_b) {
      for (std::ptrdiff_t k = 0; k < a.count(); ++k)
        all += std::int64_t{from[k + 1] - from[k]} * (of[k + 1] - of[k]);
    } else if (!of_a && !of_b) {
      for (std::ptrdiff_t p = 0; p < a.size(); ++p) all += of[a.index(p) + 1] - of[a.index(p)];
    } else if (of_a) {
      for (std::ptrdiff_t q = 0; q < b.size(); ++q) all += from[b.index(q) + 1] - from[b.index(q)];
    } else {
      std::vector<std::int32_t> count(static_cast<std::size_t>(a.inner()));
      for (std::ptrdiff_t p = 0; p < a.size(); ++p) ++count[static_cast<std::size_t>(a.index(p))];
      for (std::ptrdiff_t q = 0; q < b.size(); ++q)
        all += count[static_cast<std::size_t>(b.index(q))];
    }
    return all;
  }

 private:
  // Errors are those of the products with dense matrices.
  static std::string_view name(core::invocation const& call, int k) {
    return call.attribute(k) != 0 ? std::string_view(op::csr_transposed_dot::name)
                                  : std::string_view(op::csr_dot::name);
  }
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
struct kernel<op::sparse_pair_first> {
  static void run(core::invocation const& call) {
    lines::sparse_pair pair(call, 1);
    *reinterpret_cast<bool*>(call.result().data) =
        is_faster(pair, lines::inner_extent(call.operand(0)));
  }

 private:
  static bool is_faster(lines::sparse_pair& of, std::int64_t width) {
    // Of values times rows of x; all prices are in multiplications by one element of a row.
    std::int64_t const one_by_one = (of.a.size() + of.b.size()) * width,
                       turning =
                           machine::price_of_turned_value *
                           ((of.of_a ? of.a.size() : 0) + (of.of_b ? of.b.size() : 0));
    if (width < machine::min_sparse_pair_width || turning >= one_by_one) return false;
    of.check();
    std::int64_t const products = of.products(),
                       own = turning + machine::price_of_sparse_product * products;
    if (own >= one_by_one) return false;
    std::int64_t const rows = of.of_a ? of.a.inner() : of.a.count(),
                       columns = of.of_b ? of.b.count() : of.b.inner();
    // The product has at most as many values as there are products, or elements.
    bool const is_small = rows == 0 || products / rows < columns;
    std::int64_t const most = is_small ? products : rows * columns;
    if (own + most * width < one_by_one) return true;
    return own + values_of_product(of) * width < one_by_one;
  }
  /// About so many, from some of the rows.
  static std::int64_t values_of_product(lines::sparse_pair const& of) {
    lines::pattern_by_rows const a(of.a, of.of_a), b(of.b, of.of_b);
    lines::row_of_product row(a, b);
    constexpr std::ptrdiff_t few = 64, part = 16;
    std::ptrdiff_t const count = std::min(a.rows(), std::max(few, a.rows() / part));
    std::int64_t found = 0;
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      row.find(k * a.rows() / count, [](auto...) {});
      found += static_cast<std::int64_t>(row.columns().size());
    }
    return count == 0 ? 0 : found * a.rows() / count;
  }
};

template <>
struct kernel<op::sparse_pair_dot> {
  template <lines::number T>
  static void run(core::invocation const& call) {
    lines::sparse_pair pair(call, 3);
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
