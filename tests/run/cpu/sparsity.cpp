// Directions of random patterns: every element is found again from products of the definition, and
// few directions suffice where a coloring is known.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <random>
#include <vector>

namespace {

using namespace kroton::cpu::sparsity;
using kroton::ops::sparsity_kind;
using dense = std::vector<std::vector<double>>;

index_sets pattern_of(dense const& a) {
  index_sets rows;
  for (auto const& row : a) {
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0) rows.index.push_back(static_cast<std::int32_t>(j));
    rows.close();
  }
  return rows;
}

// The products with sums of columns, then those with sums of rows.
std::vector<double> products(dense const& a, directions const& by) {
  std::vector<double> all;
  std::size_t const rows = a.size(), columns = static_cast<std::size_t>(by.column_count);
  for (count c = 0; c < by.of_columns.colors; ++c)
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < columns; ++j)
        if (by.of_columns.of[j] == c) sum += a[i][j];
      all.push_back(sum);
    }
  for (count c = 0; c < by.of_rows.colors; ++c)
    for (std::size_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < rows; ++i)
        if (by.of_rows.of[i] == c) sum += a[i][j];
      all.push_back(sum);
    }
  return all;
}

// Whether each element of the pattern is at its place; whole numbers, so that sums are exact.
bool recovers(dense const& a, directions const& by) {
  auto const found = products(a, by);
  std::size_t k = 0;
  for (count i = 0; i < by.rows.size(); ++i)
    for (auto j = by.rows.begin(i); j < by.rows.end(i); ++j, ++k)
      if (found.at(static_cast<std::size_t>(by.places.at(k))) !=
          a[static_cast<std::size_t>(i)][static_cast<std::size_t>(*j)])
        return false;
  return k == by.places.size();
}

dense random_matrix(std::mt19937& random, std::size_t rows, std::size_t columns, unsigned percent) {
  dense a(rows, std::vector<double>(columns));
  for (auto& row : a)
    for (double& x : row)
      if (random() % 100 < percent) x = static_cast<double>(1 + random() % 1000);
  return a;
}

}  // namespace

TEST_CASE("directions of random patterns determine every element", "[sparse]") {
  std::mt19937 random(26);
  for (int k = 0; k < 300; ++k) {
    std::size_t const rows = random() % 30, columns = random() % 30;
    dense a = random_matrix(random, rows, columns, 1 + random() % 40);
    // Rows and columns that are full.
    if (rows > 0 && k % 3 == 0) a[random() % rows].assign(columns, 7);
    if (columns > 0 && k % 5 == 0)
      for (auto& row : a) row[k % columns] = 9;
    directions const by(pattern_of(a), static_cast<count>(columns), sparsity_kind::general);
    CHECK(recovers(a, by));
  }
  for (int k = 0; k < 300; ++k) {
    std::size_t const n = random() % 40;
    dense a = random_matrix(random, n, n, 1 + random() % 20);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) a[i][j] = a[j][i];
    index_sets const pattern = pattern_of(a);
    directions const by(pattern, static_cast<count>(n), sparsity_kind::symmetric);
    CHECK(recovers(a, by));
    // A star coloring: neighbors differ, no path of four vertices has two colors.
    auto const& color = by.of_columns.of;
    bool is_star = true;
    auto const are_neighbors = [&](std::size_t i, std::size_t j) { return i != j && a[i][j] != 0; };
    for (std::size_t u = 0; u < n; ++u)
      for (std::size_t v = 0; v < n; ++v) {
        if (!are_neighbors(u, v)) continue;
        is_star = is_star && color[u] != color[v];
        for (std::size_t w = 0; w < n; ++w)
          for (std::size_t x = 0; w != u && are_neighbors(v, w) && x < n; ++x)
            if (x != v && x != u && are_neighbors(w, x))
              is_star = is_star && (color[u] != color[w] || color[v] != color[x]);
      }
    CHECK(is_star);
  }
}

TEST_CASE("few directions suffice for bands, arrows and long rows", "[sparse]") {
  auto const filled = [](std::size_t n, auto const& has) {
    dense a(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (has(static_cast<int>(i), static_cast<int>(j))) a[i][j] = 1;
    return pattern_of(a);
  };
  auto const band = filled(50, [](int i, int j) { return std::abs(i - j) <= 2; });
  auto const arrow = filled(50, [](int i, int j) { return i == j || i == 0 || j == 0; });
  auto const long_row = filled(50, [](int i, int j) { return i == j || i == 20; });
  auto const long_column = filled(50, [](int i, int j) { return i == j || j == 20; });
  auto const wide = filled(50, [](int i, int j) { return i % 10 == 0 && j / 10 == i / 10; });
  auto const colors = [](index_sets const& rows, sparsity_kind kind) {
    directions const by(rows, 50, kind);
    return std::pair(by.of_columns.colors, by.of_rows.colors);
  };
  CHECK(colors(band, sparsity_kind::general) == std::pair<count, count>(5, 0));
  CHECK(colors(band, sparsity_kind::symmetric).first <= 5);
  CHECK(colors(arrow, sparsity_kind::symmetric) == std::pair<count, count>(2, 0));
  CHECK(colors(long_row, sparsity_kind::general) == std::pair<count, count>(1, 1));
  CHECK(colors(long_column, sparsity_kind::general) == std::pair<count, count>(2, 0));
  CHECK(colors(wide, sparsity_kind::general) == std::pair<count, count>(0, 1));
  CHECK(colors(index_sets::of_themselves(50), sparsity_kind::general).first +
            colors(index_sets::of_themselves(50), sparsity_kind::general).second ==
        1);
}
