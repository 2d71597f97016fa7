// Which two of two sparse matrices and a dense one are multiplied first: a guess from parts of the
// patterns, which costs little next to the products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/kept_memory.hpp>
#include <kroton/cpu/op/sparse/patterns.hpp>
#include <kroton/ops/sparse/orders.hpp>

#include <bit>

namespace kroton::cpu::lines {

/// The two sparse factors of a chain, as ops/sparse/orders.hpp has them.
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
  std::ptrdiff_t rows() const { return of_a ? a.inner() : a.count(); }
  std::ptrdiff_t columns() const { return of_b ? b.count() : b.inner(); }

 private:
  // Errors are those of the products with dense matrices.
  static std::string_view name(core::invocation const& call, int k) {
    return call.attribute(k) != 0 ? std::string_view(op::csr_transposed_dot::name)
                                  : std::string_view(op::csr_dot::name);
  }
};

/// How many products of two values the product of two patterns is made of, and how many values it
/// has: about, from some of the lines. The patterns have been checked.
class product_estimate {
 public:
  /// The second number is found from so many products, or a few more.
  product_estimate(sparse_pair const& of, std::int64_t most_seen)
      : of_(of), most_seen_(most_seen), products_(count_products()) {}

  std::int64_t products() const { return products_; }
  std::int64_t values() const {
    if (!of_.of_a && of_.of_b) return values_of_rows_by_columns();
    seen const all = of_.of_a == of_.of_b ? seen_in_lines(first(), second()) : seen_in_rows();
    return all.products == 0 ? products_ : scaled(all.values, products_, all.products);
  }

 private:
  struct seen {
    std::int64_t products = 0, values = 0;
  };
  /// Where both are by rows, or both by columns, the one of whose lines each line is made.
  sparse_lines const& first() const { return of_.of_a ? of_.b : of_.a; }
  sparse_lines const& second() const { return of_.of_a ? of_.a : of_.b; }

  /// Memory of the thread, for one table at a time: fresh memory costs more than what is done with
  /// it.
  template <class T>
  static T* table(std::ptrdiff_t n, T value) {
    static thread_local kept_memory memory;
    T* const x = memory.room<T>(n);
    std::fill_n(x, n, value);
    return x;
  }
  static std::int64_t scaled(std::int64_t n, std::int64_t by, std::int64_t from) {
    return static_cast<std::int64_t>(static_cast<double>(n) * static_cast<double>(by) /
                                     static_cast<double>(from));
  }
  /// Of long vectors one value in some.
  static std::ptrdiff_t step_of(std::ptrdiff_t n, std::ptrdiff_t some) {
    return n < 4096 ? 1 : some;
  }

  std::int64_t count_products() const {
    std::int64_t all = 0;
    if (of_.of_a == of_.of_b) {
      std::int32_t const *const start = second().bounds(), *const index = first().indices();
      std::ptrdiff_t const n = first().size(), step = step_of(n, 8);
      for (std::ptrdiff_t p = 0; p < n; p += step) all += start[index[p] + 1] - start[index[p]];
      return n == 0 ? 0 : scaled(all, n, (n + step - 1) / step);
    }
    if (of_.of_a) {
      std::int32_t const *const of = of_.b.bounds(), *const from = of_.a.bounds();
      for (std::ptrdiff_t k = 0; k < of_.a.count(); ++k)
        all += std::int64_t{from[k + 1] - from[k]} * (of[k + 1] - of[k]);
      return all;
    }
    // Of a matrix times its own transpose, steps that have a common factor would meet too often.
    sparse_lines const &a = of_.a, &b = of_.b;
    std::ptrdiff_t const step_a = step_of(a.size(), 7), step_b = step_of(b.size(), 5);
    auto* const count = table<std::int32_t>(a.inner(), 0);
    for (std::ptrdiff_t p = 0; p < a.size(); p += step_a)
      ++count[a.index(p)];
    for (std::ptrdiff_t q = 0; q < b.size(); q += step_b)
      all += count[b.index(q)];
    return all * step_a * step_b;
  }

  /// Counts the columns of a row: those of the lines of a pattern that are added to it.
  class row_of_lines {
   public:
    explicit row_of_lines(sparse_lines const& of)
        : of_(of), row_(table<std::int32_t>(of.inner(), -1)) {}
    /// False once there were so many products.
    bool add(std::int32_t row, std::ptrdiff_t line, std::int64_t most, seen& all) {
      for (std::ptrdiff_t q = of_.begin(line); q < of_.end(line); ++q) {
        std::int32_t& last = row_[of_.index(q)];
        all.values += last != row;
        last = row;
      }
      all.products += of_.end(line) - of_.begin(line);
      return all.products < most;
    }

   private:
    sparse_lines const& of_;
    std::int32_t* row_;  // the last row that had a column
  };

  /// The lines of one pattern are rows, or columns, that are made of lines of the other one.
  seen seen_in_lines(sparse_lines const& a, sparse_lines const& b) const {
    seen all;
    row_of_lines row(b);
    std::int64_t const parts = products_ / std::max<std::int64_t>(most_seen_, 1) + 1;
    for (std::ptrdiff_t i = 0; i < a.count(); i += parts)
      for (std::ptrdiff_t p = a.begin(i); p < a.end(i); ++p)
        if (!row.add(static_cast<std::int32_t>(i), a.index(p), most_seen_, all)) return all;
    return all;
  }
  /// Every n-th row, n a power of 2, of a transposed pattern, whose values are looked for.
  seen seen_in_rows() const {
    std::int64_t const parts = products_ / std::max<std::int64_t>(most_seen_, 1) + 1;
    // To find a value costs as much as to see its products.
    auto const power = 2 * std::bit_ceil(static_cast<std::uint64_t>(parts));
    auto const mask = static_cast<std::int32_t>(std::min(power, std::uint64_t{1} << 30) - 1);
    std::vector<std::uint64_t> found;  // row and, below it, line: they are sorted fast
    std::int32_t const *const index = of_.a.indices(), *const start = of_.a.bounds();
    std::ptrdiff_t const n = of_.a.size();
    std::ptrdiff_t line = 0;
    // Most blocks have none.
    constexpr std::ptrdiff_t block = 16;
    for (std::ptrdiff_t k = 0; k < n; k += block) {
      std::ptrdiff_t const end = std::min(n, k + block);
      std::int32_t any = 0;
      for (std::ptrdiff_t p = k; p < end; ++p) any |= (index[p] & mask) == 0;
      if (any == 0) continue;
      for (std::ptrdiff_t p = k; p < end; ++p) {
        if ((index[p] & mask) != 0) continue;
        while (start[line + 1] <= p) ++line;
        found.push_back(static_cast<std::uint64_t>(index[p]) << 32 |
                        static_cast<std::uint64_t>(line));
      }
    }
    std::sort(found.begin(), found.end());
    seen all;
    row_of_lines row(of_.b);
    for (std::uint64_t at : found) {
      auto const of_row = static_cast<std::ptrdiff_t>(at & 0xffffffff);
      if (!row.add(static_cast<std::int32_t>(at >> 32), of_row, most_seen_, all)) break;
    }
    return all;
  }
  /// Some rows, a bit for each, by all columns: which of the rows have an index that a column has.
  std::int64_t values_of_rows_by_columns() const {
    sparse_lines const &a = of_.a, &b = of_.b;
    if (a.size() == 0 || b.size() == 0) return 0;
    std::ptrdiff_t const rows =
        std::clamp<std::ptrdiff_t>(most_seen_ * a.count() / a.size(), 1,
                                   std::min<std::ptrdiff_t>(64, a.count()));
    auto* const in_rows = table<std::uint64_t>(a.inner(), 0);
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      std::ptrdiff_t const i = r * a.count() / rows;
      for (std::ptrdiff_t p = a.begin(i); p < a.end(i); ++p)
        in_rows[a.index(p)] |= std::uint64_t{1} << r;
    }
    std::int32_t const *const index = b.indices(), *const start = b.bounds();
    std::int64_t found = 0;
    for (std::ptrdiff_t j = 0; j < b.count(); ++j) {
      std::uint64_t met = 0;
      for (std::ptrdiff_t q = start[j]; q < start[j + 1]; ++q) met |= in_rows[index[q]];
      found += std::popcount(met);
    }
    return scaled(found, a.count(), rows);
  }

  sparse_pair const& of_;
  std::int64_t most_seen_, products_;
};

/// Whether the two are multiplied first, for a dense matrix with so many columns. All prices are in
/// multiplications by one element of a row; what a look costs is a small part of them.
inline bool is_product_first(sparse_pair& of, std::int64_t width) {
  std::int64_t const one_by_one = (of.a.size() + of.b.size()) * width,
                     turning = machine::price_of_turned_value *
                               ((of.of_a ? of.a.size() : 0) + (of.of_b ? of.b.size() : 0)),
                     look = one_by_one / machine::look_at_sparse_pair,
                     most_seen = look / machine::price_of_seen_value;
  bool const is_little =
      width < machine::min_sparse_pair_width || one_by_one < machine::min_sparse_pair_work;
  if (is_little || turning >= one_by_one) return false;
  // A look fills memory of these extents, at a lower price.
  if (16 * std::max({of.columns(), of.rows(), of.a.inner()}) > one_by_one) return false;
  of.check();
  product_estimate const product(of, most_seen);
  std::int64_t const own = turning + machine::price_of_sparse_product * product.products();
  if (own >= one_by_one) return false;
  // The product has at most as many values as there are products, or elements.
  std::int64_t const products = product.products(), rows = of.rows(), columns = of.columns();
  bool const is_small = rows == 0 || products / rows < columns;
  std::int64_t const most = is_small ? products : rows * columns;
  if (own + most * width < one_by_one) return true;
  return own + product.values() * width < one_by_one;
}

}  // namespace kroton::cpu::lines
