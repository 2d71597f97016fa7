// Sums, extrema and products of sparse matrices with different patterns, against those of dense
// ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <algorithm>
#include <iterator>
#include <random>

using namespace reference;

namespace unions {

enum class kind { random, equal, nested, behind, empty };

/// Two matrices whose patterns are such.
template <class Matrix>
std::pair<Matrix, Matrix> made(kind of, std::size_t rows, std::size_t columns, double density,
                               unsigned seed) {
  using T = std::remove_cvref_t<decltype(std::declval<Matrix>().data()(0))>;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::size_t const lines = Matrix::by_rows ? rows : columns,
                    inner = Matrix::by_rows ? columns : rows;
  std::vector<T> data[2];
  std::vector<int> indices[2], indptr[2]{{0}, {0}};
  for (std::size_t i = 0; i < lines; ++i) {
    for (std::size_t j = 0; j < inner; ++j) {
      bool const first = unit(random) < density, second = unit(random) < density,
                 is_left = (i % 2 == 0) == (2 * j < inner);
      bool const has[2] = {first && (of != kind::behind || is_left),
                           of == kind::equal    ? first
                           : of == kind::nested ? first && second
                           : of == kind::behind ? second && !is_left
                                                : of != kind::empty && second};
      for (int k = 0; k < 2; ++k)
        if (has[k]) {
          indices[k].push_back(static_cast<int>(j));
          data[k].push_back(static_cast<T>(std::floor(unit(random) * 20) - 10));
        }
    }
    for (int k = 0; k < 2; ++k) indptr[k].push_back(static_cast<int>(data[k].size()));
  }
  return {{data[0], indices[0], indptr[0], {rows, columns}},
          {data[1], indices[1], indptr[1], {rows, columns}}};
}
template <class A, class F>
void check_equal(A const& have, mat<double> const& a, mat<double> const& b, F const& of) {
  auto const full = have.to_dense();
  REQUIRE(full.size() == a.size());
  bool all = true;
  for (std::size_t k = 0; k < a.size(); ++k)
    all = all && static_cast<double>(full.data()[k]) == of(a.data()[k], b.data()[k]);
  CHECK(all);
}

constexpr auto formulas = [](auto a, auto b) {
  return std::tuple{2 * a - b * 3, maximum(a, -b), a + b - a * 2};
};
template <class Matrix, class F>
void check_all(F const& f) {
  struct {
    std::size_t rows, columns;
    double density;
  } const cases[] = {{1, 1, 1}, {3, 5, 0.5}, {40, 30, 0.2}, {7, 300, 0.4}, {3, 200, 1}, {200, 6, 0.3}};
  unsigned seed = 1;
  for (kind of : {kind::random, kind::equal, kind::nested, kind::behind, kind::empty})
    for (auto const& c : cases) {
      auto const [a, b] = made<Matrix>(of, c.rows, c.columns, c.density, seed++);
      INFO("kind " << static_cast<int>(of) << ", " << c.rows << " x " << c.columns);
      auto const [sum, largest, three] = f(a, b);
      mat<double> const x = a.to_dense(), y = b.to_dense();
      check_equal(sum, x, y, [](double p, double q) { return 2 * p - 3 * q; });
      check_equal(largest, x, y, [](double p, double q) { return std::max(p, -q); });
      check_equal(three, x, y, [](double p, double q) { return q - p; });
      for (std::size_t i = 0; i + 1 < sum.indptr().size(); ++i)
        for (int k = sum.indptr()[i] + 1; k < sum.indptr()[i + 1]; ++k)
          REQUIRE(sum.indices()[static_cast<std::size_t>(k)] >
                  sum.indices()[static_cast<std::size_t>(k - 1)]);
    }
}

}  // namespace unions

TEST_CASE("sums and extrema of sparse matrices are those of dense ones", "[sparse]") {
  using namespace unions;
  check_all<kt::csr_array<double>>(
      kt::function([](kt::csr<double> a, kt::csr<double> b) { return formulas(a, b); }));
}
TEST_CASE("so they are by columns, of other types, interpreted", "[sparse]") {
  using namespace unions;
  check_all<kt::csc_array<float>>(
      kt::function([](kt::csc<float> a, kt::csc<float> b) { return formulas(a, b); },
                   kt::mode::interpret));
  check_all<kt::csr_array<std::int16_t>>(
      kt::function([](kt::csr<std::int16_t> a, kt::csr<std::int16_t> b) { return formulas(a, b); },
                   kt::mode::interpret));
}

TEST_CASE("complex sparse matrices are added place by place", "[sparse]") {
  using namespace unions;
  using complex = std::complex<double>;
  auto f = kt::function([](kt::csr<double> a, kt::csr<double> b, kt::zscalar z) {
    return z * a + 2.0 * b;
  });
  auto const [a, b] = made<kt::csr_array<double>>(kind::random, 20, 90, 0.4, 77);
  auto const have = f(a, b, complex(0, 1)).to_dense();
  mat<double> const left = a.to_dense(), right = b.to_dense();
  for (std::size_t k = 0; k < have.size(); ++k)
    REQUIRE(have.data()[k] == complex(2 * right.data()[k], left.data()[k]));
}

TEST_CASE("gradients of sums of sparse matrices keep their patterns", "[sparse]") {
  using namespace unions;
  auto f = kt::function([](kt::csr<double> a, kt::csr<double> b, kt::dmatrix w) {
    auto cost = sum(sqr((a - 2 * b).data())) + sum(w * maximum(a, b));
    return std::tuple{grad(cost, a), grad(cost, b)};
  });
  for (kind of : {kind::random, kind::equal, kind::nested, kind::behind, kind::empty}) {
    auto const [a, b] = made<kt::csr_array<double>>(of, 31, 150, 0.4, 5);
    mat<double> w(std::array<std::size_t, 2>{31, 150});
    for (std::size_t k = 0; k < w.size(); ++k) w.data()[k] = static_cast<double>(k % 17) - 8;
    auto const [by_a, by_b] = f(a, b, w);
    mat<double> const left = a.to_dense(), right = b.to_dense();
    REQUIRE(by_a.size() == a.size());
    REQUIRE(by_b.size() == b.size());
    for (std::size_t i = 0; i < 31; ++i) {
      for (auto const* m : {&a, &b}) {
        auto const& g = m == &a ? by_a : by_b;
        for (auto k = static_cast<std::size_t>(m->indptr()[i]);
             k < static_cast<std::size_t>(m->indptr()[i + 1]); ++k) {
          auto const j = static_cast<std::size_t>(m->indices()[k]);
          double const x = left(i, j), y = right(i, j), d = 2 * (x - 2 * y);
          if (x == y) continue;
          REQUIRE(g.data()(k) == (m == &a ? d + (x > y ? w(i, j) : 0.) : -2 * d + (y > x ? w(i, j) : 0.)));
        }
      }
    }
  }
}

TEST_CASE("a factor that is not finite leaves elements 0 that are not stored", "[sparse]") {
  auto f = kt::function([](kt::csr<double> a, kt::csr<double> b, kt::dscalar s) {
    return std::tuple{a + s * b, a - b * std::numeric_limits<double>::infinity(), maximum(a / s, b)};
  });
  kt::csr_array<double> const a{std::vector{1., 2.}, std::vector{0, 2}, std::vector{0, 2}, {1, 4}},
      b{std::vector{3.}, std::vector{1}, std::vector{0, 1}, {1, 4}};
  double const inf = std::numeric_limits<double>::infinity();
  auto const [x, y, z] = f(a, b, inf);
  CHECK((x.to_dense() == mat<double>{{1, inf, 2, 0}}));
  CHECK((y.to_dense() == mat<double>{{1, -inf, 2, 0}}));
  CHECK((z.to_dense() == mat<double>{{0, 3, 0, 0}}));
}

TEST_CASE("a shared sparse matrix may become a sum with itself", "[sparse]") {
  using namespace unions;
  auto const [a, b] = made<kt::csr_array<double>>(kind::random, 60, 80, 0.3, 9);
  kt::shared<kt::csr<double>> w(a);
  auto step = kt::function([](kt::csr<double> x, kt::csr<double> s) {
    return kt::outputs(sum(s)).update(s, s + 2 * x);
  }, w);
  step(b);
  step(b);
  check_equal(w.get_value(), a.to_dense(), b.to_dense(),
              [](double x, double y) { return x + 4 * y; });
}
TEST_CASE("a union of patterns asks for as many values as indices", "[sparse]") {
  auto f = kt::function([](kt::dvector v, kt::ivector i, kt::ivector p, kt::csr<double> b) {
    return kt::csr_from_parts(v, i, p, 2, 4) + b;
  });
  kt::csr_array<double> const b{std::vector{3.}, std::vector{1}, std::vector{0, 1, 1}, {2, 4}};
  CHECK_THROWS_AS(f(vec<double>{1}, vec<int>{0, 2, 1}, vec<int>{0, 2, 3}, b), kt::error);
  CHECK_THROWS_AS(f(vec<double>{1, 2, 3}, vec<int>{2, 0, 1}, vec<int>{0, 2, 3}, b), kt::error);
  CHECK(f(vec<double>{1, 2, 3}, vec<int>{0, 2, 1}, vec<int>{0, 2, 3}, b).to_dense()(0, 1) == 3);
}

namespace unions {

constexpr auto products = [](auto a, auto b) { return std::tuple{a * b, 2 * a * abs(b) - a}; };
template <class Matrix, class F>
void check_products(F const& f) {
  struct {
    std::size_t rows, columns;
    double density;
  } const cases[] = {{1, 1, 1}, {3, 5, 0.5}, {40, 30, 0.2}, {60, 400, 0.6}, {3, 200, 1}, {200, 6, 0.3}};
  unsigned seed = 100;
  for (kind of : {kind::random, kind::equal, kind::nested, kind::behind, kind::empty})
    for (auto const& c : cases) {
      auto const [a, b] = made<Matrix>(of, c.rows, c.columns, c.density, seed++);
      INFO("kind " << static_cast<int>(of) << ", " << c.rows << " x " << c.columns);
      auto const [product, formula] = f(a, b);
      mat<double> const x = a.to_dense(), y = b.to_dense();
      check_equal(product, x, y, [](double p, double q) { return p * q; });
      check_equal(formula, x, y, [](double p, double q) { return 2 * p * std::abs(q) - p; });
      // The places are those that both have, in order.
      std::vector<int> indices, indptr{0};
      for (std::size_t i = 0; i + 1 < a.indptr().size(); ++i) {
        auto const first = [&](auto const& m, std::size_t line) {
          return m.indices().begin() + m.indptr()[line];
        };
        std::set_intersection(first(a, i), first(a, i + 1), first(b, i), first(b, i + 1),
                              std::back_inserter(indices));
        indptr.push_back(static_cast<int>(indices.size()));
      }
      CHECK(std::equal(indices.begin(), indices.end(), product.indices().begin(),
                       product.indices().end()));
      CHECK(std::equal(indptr.begin(), indptr.end(), product.indptr().begin(),
                       product.indptr().end()));
    }
}

}  // namespace unions

TEST_CASE("products of sparse matrices have the places of both", "[sparse]") {
  using namespace unions;
  check_products<kt::csr_array<double>>(
      kt::function([](kt::csr<double> a, kt::csr<double> b) { return products(a, b); }));
  check_products<kt::csc_array<float>>(
      kt::function([](kt::csc<float> a, kt::csc<float> b) { return products(a, b); }));
  check_products<kt::csr_array<double>>(
      kt::function([](kt::csr<double> a, kt::csr<double> b) { return products(a, b); },
                   kt::mode::interpret));
}

TEST_CASE("gradients of products of sparse matrices keep their patterns", "[sparse]") {
  using namespace unions;
  auto f = kt::function([](kt::csr<double> a, kt::csr<double> b) {
    auto const cost = sum(sqr((a * b).data()));
    return std::tuple{cost, grad(cost, a), grad(cost, b)};
  });
  for (kind of : {kind::random, kind::equal, kind::nested, kind::behind, kind::empty}) {
    auto const [a, b] = made<kt::csr_array<double>>(of, 31, 150, 0.4, 6);
    auto const [cost, by_a, by_b] = f(a, b);
    mat<double> const x = a.to_dense(), y = b.to_dense();
    REQUIRE(by_a.size() == a.size());
    REQUIRE(by_b.size() == b.size());
    check_equal(by_a, x, y, [](double p, double q) { return 2 * p * q * q; });
    check_equal(by_b, x, y, [](double p, double q) { return 2 * p * p * q; });
  }
}

TEST_CASE("products of sparse matrices with too few values are refused", "[sparse]") {
  auto f = kt::function([](kt::csr<double> a, kt::csr<double> b, kt::dvector v, kt::dvector w) {
    return a.with_data(v) * b.with_data(w);
  });
  kt::csr_array<double> const a{std::vector{1., 2.}, std::vector{0, 2}, std::vector{0, 2}, {1, 4}},
      b{std::vector{3., 4.}, std::vector{1, 2}, std::vector{0, 2}, {1, 4}};
  CHECK((f(a, b, vec<double>{5, 6}, vec<double>{7, 8}).to_dense() == mat<double>{{0, 0, 48, 0}}));
  // As many in all as there are places.
  CHECK_THROWS_AS(f(a, b, vec<double>{5}, vec<double>{7, 8, 9}), kt::shape_error);
  CHECK_THROWS_AS(f(a, b, vec<double>{5, 6, 7}, vec<double>{8}), kt::shape_error);
}
