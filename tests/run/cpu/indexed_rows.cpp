// Rows that indices select: loops read them where they are; bands that add to rows take them some
// at a time. All of it is what elements one by one would give.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <sstream>

using namespace reference;

namespace {
namespace of_rows {

template <class T>
mat<T> filled(std::size_t rows, std::size_t columns, double start = -2, double step = 0.125) {
  mat<T> m = xt::zeros<T>({rows, columns});
  for (std::size_t k = 0; k < m.size(); ++k)
    m.flat(k) = static_cast<T>(start + step * static_cast<double>(k * 7 % 61));
  return m;
}
// Indices in no order, repeated, some counted from the end.
vec<std::int64_t> scattered(std::size_t n, std::size_t extent, std::size_t by = 7919) {
  vec<std::int64_t> v = xt::zeros<std::int64_t>({n});
  for (std::size_t i = 0; i < n; ++i) {
    v(i) = static_cast<std::int64_t>((i * by + 13) % extent);
    if (i % 3 == 1) v(i) -= static_cast<std::int64_t>(extent);
  }
  return v;
}
std::size_t row_of(std::int64_t i, std::size_t extent) {
  return static_cast<std::size_t>(i < 0 ? i + static_cast<std::int64_t>(extent) : i);
}
bool is_close(double a, double b, double tolerance = 1e-11) {
  return std::abs(a - b) <= tolerance * (1 + std::abs(b));
}
// What a plan says behind the steps.
template <class F, class... S>
std::string plan_for(F const& f, S const&... shapes) {
  std::ostringstream out;
  kt::debugprint(f, out, shapes...);
  std::string const text = out.str();
  return text.substr(text.find("plan for"));
}
std::size_t count_of(std::string const& text, std::string const& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

constexpr std::string_view in_place =
    "not copied in the frame: its loop reads the elements through the indices";

constexpr auto products = [](auto u, auto v, kt::lvector i, kt::lvector j) {
  return sum(u(i) * v(j), kt::axis<1>);
};
constexpr auto fit = [](auto u, auto v, kt::lvector i, kt::lvector j, auto r) {
  auto e = sum(u(i) * v(j), kt::axis<1>) - r;
  auto cost = sum(e * e);
  auto [gu, gv] = grad(cost, u, v);
  return std::tuple(cost, gu, gv);
};

}  // namespace of_rows
}  // namespace

TEMPLATE_TEST_CASE("loops read selected rows where they are", "[indexed_rows]", double, float) {
  using T = TestType;
  auto f = kt::function([](kt::variable<T, 2> u, kt::variable<T, 2> v, kt::lvector i, kt::lvector j,
                           kt::variable<T, 2> w) {
    return std::tuple(of_rows::products(u, v, i, j), u(i) * w - v(j), sum(exp(u(i)) + w, kt::axis<0>));
  });
  double const tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-11;
  for (std::size_t n : {0, 1, 15, 16, 100, 1023, 5000})
    for (std::size_t k : {0, 1, 2, 3, 8, 17, 64, 129, 300}) {
      CAPTURE(n, k);
      auto const u = of_rows::filled<T>(31, k), v = of_rows::filled<T>(29, k, 1, 0.0625),
                 w = of_rows::filled<T>(n, k, 0.5);
      auto const i = of_rows::scattered(n, 31), j = of_rows::scattered(n, 29, 31);
      auto const [p, d, s] = f(u, v, i, j, w);
      vec<double> columns = xt::zeros<double>({k});
      bool right = true;
      for (std::size_t r = 0; r < n; ++r) {
        double product = 0;
        for (std::size_t c = 0; c < k; ++c) {
          double const a = u(of_rows::row_of(i(r), 31), c), b = v(of_rows::row_of(j(r), 29), c);
          product += a * b;
          right = right && of_rows::is_close(d(r, c), a * w(r, c) - b, tolerance);
          columns(c) += std::exp(a) + w(r, c);
        }
        right = right && of_rows::is_close(p(r), product, tolerance);
      }
      CHECK(right);
      for (std::size_t c = 0; c < k; ++c) CHECK(of_rows::is_close(s(c), columns(c), tolerance));
    }
}

TEST_CASE("selected rows of tensors, by matrices of indices, with gaps", "[indexed_rows]") {
  std::size_t const n = 23, m = 57;
  xt::xtensor<double, 3> t = xt::zeros<double>({n, std::size_t{4}, std::size_t{5}});
  for (std::size_t k = 0; k < t.size(); ++k) t.flat(k) = 0.25 * static_cast<double>(k * 11 % 83);
  mat<std::int64_t> i = xt::zeros<std::int64_t>({m, std::size_t{3}});
  for (std::size_t k = 0; k < i.size(); ++k)
    i.flat(k) = static_cast<std::int64_t>(k * 17 % n) - (k % 2 == 0 ? static_cast<std::int64_t>(n) : 0);
  auto const x = of_rows::filled<double>(2 * n, 14);
  auto f = kt::function([](kt::dtensor3 t, kt::dmatrix x, kt::lmatrix i, kt::lvector j) {
    auto rows = x(i);  // m, 3, 7
    auto blocks = t(j);  // m, 4, 5
    return std::tuple(rows * 2 + 1, sum(sqr(rows), kt::axis<2>), sum(exp(rows), kt::axis<0, 1>),
                      sum(sqr(blocks), kt::axis<1>), max(blocks + 1, kt::axis<1, 2>));
  });
  vec<std::int64_t> const j = of_rows::scattered(m, n);
  auto const part = xt::view(x, xt::range(0, 2 * static_cast<int>(n), 2), xt::range(0, 14, 2));
  auto const [twice, squares, columns, over, most] = f(t, part, i, j);
  vec<double> expected = xt::zeros<double>({std::size_t{7}});
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      double square = 0;
      for (std::size_t k = 0; k < 7; ++k) {
        double const e = part(of_rows::row_of(i(r, c), n), k);
        CHECK(twice(r, c, k) == e * 2 + 1);
        square += e * e;
        expected(k) += std::exp(e);
      }
      CHECK(of_rows::is_close(squares(r, c), square));
    }
    double largest = -infinity;
    for (std::size_t k = 0; k < 5; ++k) {
      double square = 0;
      for (std::size_t c = 0; c < 4; ++c) {
        double const e = t(of_rows::row_of(j(r), n), c, k);
        square += e * e;
        largest = std::max(largest, e + 1);
      }
      CHECK(of_rows::is_close(over(r, k), square));
    }
    CHECK(most(r) == largest);
  }
  for (std::size_t k = 0; k < 7; ++k) CHECK(of_rows::is_close(columns(k), expected(k)));
}

TEMPLATE_TEST_CASE("gradients by rows go through a band, some rows at a time", "[indexed_rows]", double, float) {
  using T = TestType;
  auto f = kt::function([](kt::variable<T, 2> u, kt::variable<T, 2> v, kt::lvector i, kt::lvector j,
                           kt::variable<T, 1> r) { return of_rows::fit(u, v, i, j, r); });
  double const tolerance = std::is_same_v<T, float> ? 1e-3 : 1e-10;
  for (std::size_t m : {0, 1, 7, 500, 5000, 20011})
    for (std::size_t k : {0, 1, 2, 3, 5, 8, 13, 40}) {
      CAPTURE(m, k);
      auto const u = of_rows::filled<T>(37, k, -1, 0.03), v = of_rows::filled<T>(41, k, 0.5, 0.02);
      auto const i = of_rows::scattered(m, 37), j = of_rows::scattered(m, 41, 31);
      vec<T> r = xt::zeros<T>({m});
      for (std::size_t t = 0; t < m; ++t) r(t) = static_cast<T>(0.25 * static_cast<double>(t % 13));
      auto const [cost, gu, gv] = f(u, v, i, j, r);
      double total = 0;
      mat<double> a = xt::zeros<double>({std::size_t{37}, k}), b = xt::zeros<double>({std::size_t{41}, k});
      for (std::size_t t = 0; t < m; ++t) {
        std::size_t const x = of_rows::row_of(i(t), 37), y = of_rows::row_of(j(t), 41);
        double e = -static_cast<double>(r(t));
        for (std::size_t c = 0; c < k; ++c) e += static_cast<double>(u(x, c)) * static_cast<double>(v(y, c));
        total += e * e;
        for (std::size_t c = 0; c < k; ++c) a(x, c) += 2 * e * v(y, c), b(y, c) += 2 * e * u(x, c);
      }
      CHECK(of_rows::is_close(cost, total, tolerance));
      bool right = true;
      for (std::size_t q = 0; q < a.size(); ++q) right = right && of_rows::is_close(gu.flat(q), a.flat(q), tolerance);
      for (std::size_t q = 0; q < b.size(); ++q) right = right && of_rows::is_close(gv.flat(q), b.flat(q), tolerance);
      CHECK(right);
    }
}

TEST_CASE("rows that are added to are read in the same call as they were", "[indexed_rows]") {
  // The gradient is subtracted where the weights lie, and these are read by all parts of the band.
  std::size_t const n = 53, m = 20000, k = 6;
  auto const start = of_rows::filled<double>(n, k, -1, 0.01);
  auto const i = of_rows::scattered(m, n), j = of_rows::scattered(m, n, 31);
  vec<double> const r = xt::ones<double>({m});
  kt::shared w(start);
  auto step = kt::function(
      [](kt::lvector i, kt::lvector j, kt::dvector r, kt::dmatrix w) {
        auto e = sum(w(i) * w(j), kt::axis<1>) - r;
        auto cost = sum(e * e);
        return kt::outputs(cost).update(w, w - 1e-3 * grad(cost, w));
      },
      w);
  auto const values = kt::function([](kt::dmatrix w, kt::lvector i, kt::lvector j, kt::dvector r) {
    auto e = sum(w(i) * w(j), kt::axis<1>) - r;
    return grad(sum(e * e), w);
  });
  mat<double> expected = start;
  for (std::size_t t = 0; t < m; ++t) {
    std::size_t const a = of_rows::row_of(i(t), n), b = of_rows::row_of(j(t), n);
    double e = -1;
    for (std::size_t c = 0; c < k; ++c) e += start(a, c) * start(b, c);
    for (std::size_t c = 0; c < k; ++c) {
      expected(a, c) -= 2e-3 * e * start(b, c);
      expected(b, c) -= 2e-3 * e * start(a, c);
    }
  }
  step(i, j, r);
  mat<double> const updated = w.get_value(), g = values(start, i, j, r);
  for (std::size_t q = 0; q < expected.size(); ++q) {
    CHECK(of_rows::is_close(updated.flat(q), expected.flat(q)));
    CHECK(of_rows::is_close(start.flat(q) - 1e-3 * g.flat(q), expected.flat(q)));
  }
}

TEST_CASE("a wrong index is named before anything is changed", "[indexed_rows]") {
  std::size_t const m = 20000;
  auto const u = of_rows::filled<double>(30, 8), v = of_rows::filled<double>(40, 8);
  auto i = of_rows::scattered(m, 30), j = of_rows::scattered(m, 40);
  vec<double> const r = xt::ones<double>({m});
  kt::shared count(0.0);
  auto f = kt::function(
      [](kt::dmatrix u, kt::dmatrix v, kt::lvector i, kt::lvector j, kt::dvector r, kt::dscalar c) {
        auto [cost, gu, gv] = of_rows::fit(u, v, i, j, r);
        return kt::outputs(cost, gu, gv).update(c, c + cost);
      },
      count);
  double cost = -1;
  mat<double> gu, gv;
  i(15000) = 30;
  CHECK_THROWS_WITH(f.into(std::tie(cost, gu, gv), u, v, i, j, r),
                    Catch::Contains("index 30 at position 15000 is out of range: extent 0 is 30"));
  i(15000) = 3, j(19999) = -41;
  CHECK_THROWS_WITH(f.into(std::tie(cost, gu, gv), u, v, i, j, r),
                    Catch::Contains("index -41 at position 19999 is out of range: extent 0 is 40"));
  CHECK(count.get_value() == 0);
  CHECK(cost == -1);
  j(19999) = -40;
  f.into(std::tie(cost, gu, gv), u, v, i, j, r);
  CHECK(count.get_value() == cost);
}

TEST_CASE("rows of a softmax are added to rows", "[indexed_rows]") {
  // Narrow rows lie by columns while the band runs.
  auto f = kt::function([](kt::dmatrix u, kt::lvector i, kt::dmatrix w) {
    auto cost = sum(w * softmax(u(i)));
    return std::tuple(cost, grad(cost, u));
  });
  for (std::size_t m : {5, 100, 3000, 50000})
    for (std::size_t k : {1, 3, 7, 20}) {
      CAPTURE(m, k);
      auto const u = of_rows::filled<double>(19, k, -1, 0.05), w = of_rows::filled<double>(m, k);
      auto const i = of_rows::scattered(m, 19);
      auto const [cost, g] = f(u, i, w);
      double total = 0;
      mat<double> expected = xt::zeros<double>({std::size_t{19}, k});
      for (std::size_t t = 0; t < m; ++t) {
        std::size_t const x = of_rows::row_of(i(t), 19);
        double sum = 0, mean = 0;
        for (std::size_t c = 0; c < k; ++c) sum += std::exp(u(x, c));
        for (std::size_t c = 0; c < k; ++c) mean += w(t, c) * std::exp(u(x, c)) / sum;
        for (std::size_t c = 0; c < k; ++c)
          expected(x, c) += std::exp(u(x, c)) / sum * (w(t, c) - mean);
        total += mean;
      }
      CHECK(of_rows::is_close(cost, total));
      bool right = true;
      for (std::size_t q = 0; q < g.size(); ++q)
        right = right && std::abs(g.flat(q) - expected.flat(q)) <= 1e-9 * (1 + std::abs(expected.flat(q)));
      CHECK(right);
    }
}

TEST_CASE("the plan says how rows are read", "[indexed_rows][debugprint]") {
  auto f = kt::function([](kt::dmatrix u, kt::dmatrix v, kt::lvector i, kt::lvector j) {
    return of_rows::products(u, v, i, j);
  });
  auto const plan = [&](std::size_t m, std::size_t k) {
    return of_rows::plan_for(f, kt::shape(50, k), kt::shape(60, k), kt::shape(m), kt::shape(m));
  };
  CHECK(of_rows::count_of(plan(2000, 3), std::string(of_rows::in_place)) == 2);
  CHECK(of_rows::count_of(plan(100, 3), std::string(of_rows::in_place)) == 0);  // few elements
  CHECK(of_rows::count_of(plan(10, 500), std::string(of_rows::in_place)) == 0);  // few rows
  auto g = kt::function([](kt::dmatrix u, kt::dmatrix v, kt::lvector i, kt::lvector j, kt::dvector r) {
    return of_rows::fit(u, v, i, j, r);
  });
  std::string const together = of_rows::plan_for(g, kt::shape(50, 8), kt::shape(60, 8), kt::shape(100000),
                                                 kt::shape(100000), kt::shape(100000));
  CHECK(together.find("of 100000 rows at a time") != std::string::npos);
}
