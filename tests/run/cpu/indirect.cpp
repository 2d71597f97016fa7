// Loops that gather: elements selected by indices are read by the loop that needs them, and are
// what a copy of them would be.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <limits>
#include <sstream>

using namespace reference;

namespace {

template <class T>
vec<T> ramp(std::size_t n, double start, double step) {
  vec<T> v = xt::zeros<T>({n});
  for (std::size_t i = 0; i < n; ++i)
    v(i) = static_cast<T>(start + step * static_cast<double>(i % 97));
  return v;
}
// Indices in no order, some counted from the end.
vec<std::int64_t> scattered(std::size_t n, std::size_t extent) {
  vec<std::int64_t> v = xt::zeros<std::int64_t>({n});
  for (std::size_t i = 0; i < n; ++i) {
    v(i) = static_cast<std::int64_t>((i * 7919 + 13) % extent);
    if (i % 3 == 1) v(i) -= static_cast<std::int64_t>(extent);
  }
  return v;
}
template <class T>
T at(vec<T> const& x, std::int64_t i) {
  return x(static_cast<std::size_t>(i < 0 ? i + static_cast<std::int64_t>(x.size()) : i));
}

}  // namespace

TEST_CASE("a loop reads selected elements where they are", "[indirect]") {
  for (std::size_t n : {0, 1, 7, 1000, 1023, 1024, 1025, 2047, 5000, 16385, 20001, 70001}) {
    CAPTURE(n);
    vec<double> const x = ramp<double>(501, -2, 0.05);
    vec<std::int64_t> const i = scattered(n, 501), j = scattered(n, 499);
    vec<double> const v = ramp<double>(n, 0.5, 0.25);
    auto f = kt::function([](kt::dvector x, kt::lvector i, kt::lvector j, kt::dvector v) {
      auto a = x(i) * v + exp(x(j));
      return std::tuple(a, sum(sqr(x(i) - v)));
    });
    auto const [a, total] = f(x, i, j, v);
    REQUIRE(a.size() == n);
    double expected = 0;
    for (std::size_t k = 0; k < n; ++k) {
      CHECK(std::abs(a(k) - (at(x, i(k)) * v(k) + std::exp(at(x, j(k))))) <=
            1e-13 * (1 + std::abs(a(k))));
      expected += (at(x, i(k)) - v(k)) * (at(x, i(k)) - v(k));
    }
    CHECK(std::abs(total - expected) <= 1e-12 * (1 + std::abs(expected)));
  }
}

TEMPLATE_TEST_CASE("selected elements of every width", "[indirect]", float, std::int32_t,
                   std::int8_t, bool) {
  std::size_t const n = 20001;  // more than a small call takes
  vec<TestType> const x = ramp<TestType>(301, 0, 1);
  vec<std::int64_t> const i = scattered(n, 301);
  vec<double> const v = ramp<double>(n, 0.5, 0.25);
  auto f = kt::function(
      [](kt::variable<TestType, 1> x, kt::lvector i, kt::dvector v) { return x(i) + v; });
  auto const y = f(x, i, v);
  if (runs_compiled) CHECK(f.executor().has_used_frame());
  for (std::size_t k = 0; k < n; ++k) CHECK(y(k) == static_cast<double>(at(x, i(k))) + v(k));
}

TEST_CASE("selected elements in spaces of two axes", "[indirect]") {
  std::size_t const rows = 137, columns = 161;
  vec<double> const x = ramp<double>(211, -1, 0.125);
  mat<std::int64_t> i = xt::zeros<std::int64_t>({rows, columns});
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      i(r, c) = static_cast<std::int64_t>((r * 31 + c * 17) % 211) - (c % 2 == 0 ? 211 : 0);
  mat<double> m = xt::zeros<double>({rows, columns}), t = xt::zeros<double>({columns, rows});
  for (std::size_t k = 0; k < m.size(); ++k)
    m.flat(k) = 0.5 * static_cast<double>(k % 29), t.flat(k) = 0.25 * static_cast<double>(k % 31);
  auto f = kt::function([](kt::dvector x, kt::lmatrix i, kt::dmatrix m, kt::dmatrix t) {
    return std::tuple(x(i) * m - t.T(), sum(x(i) * m, kt::axis<0>), sum(x(i) + t.T(), kt::axis<1>),
                      max(x(i.T()) + t));
  });
  auto const [y, over_rows, along_rows, largest] = f(x, i, m, t);
  vec<double> columns_sum = xt::zeros<double>({columns}), rows_sum = xt::zeros<double>({rows});
  double most = -infinity;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      double const e = at(x, i(r, c));
      CHECK(y(r, c) == e * m(r, c) - t(c, r));
      columns_sum(c) += e * m(r, c);
      rows_sum(r) += e + t(c, r);
      most = std::max(most, e + t(c, r));
    }
  for (std::size_t c = 0; c < columns; ++c)
    CHECK(std::abs(over_rows(c) - columns_sum(c)) <= 1e-12 * (1 + std::abs(columns_sum(c))));
  for (std::size_t r = 0; r < rows; ++r)
    CHECK(std::abs(along_rows(r) - rows_sum(r)) <= 1e-12 * (1 + std::abs(rows_sum(r))));
  CHECK(largest == most);
}

TEMPLATE_TEST_CASE("rows of one selected element are reduced one by one", "[indirect]", float, double, std::int64_t) {
  std::size_t const rows = 20003;
  vec<TestType> const x = ramp<TestType>(211, -1, 2);
  mat<std::int64_t> i = xt::zeros<std::int64_t>({rows, std::size_t{1}});
  for (std::size_t r = 0; r < rows; ++r) i(r, 0) = static_cast<std::int64_t>(r * 31 % 211);
  auto f = kt::function([](kt::variable<TestType, 1> x, kt::lmatrix i) { return sum(x(i), kt::axis<1>); });
  auto g = kt::function([](kt::variable<TestType, 1> x, kt::lmatrix i) { return std::tuple(max(x(i) + x(i), kt::axis<1>), x(i) * 2); });
  auto const sums = f(x, i);
  auto const [largest, twice] = g(x, i);
  for (std::size_t r = 0; r < rows; ++r) {
    TestType const e = at(x, i(r, 0));
    REQUIRE(sums(r) == e);
    REQUIRE(largest(r) == e + e);
    REQUIRE(twice(r, 0) == 2 * e);
  }
}

TEST_CASE("a selection that broadcasts, of a vector with gaps", "[indirect]") {
  mat<double> base = xt::zeros<double>({400, 3});
  for (std::size_t k = 0; k < base.size(); ++k) base.flat(k) = 0.125 * static_cast<double>(k % 101);
  vec<std::int64_t> const i = scattered(1500, 400);
  mat<double> m = xt::ones<double>({5, 1500});
  auto f = kt::function([](kt::dvector x, kt::lvector i, kt::dmatrix m) { return x(i) + m; });
  auto const y = f(xt::view(base, xt::all(), 1), i, m);
  for (std::size_t r = 0; r < 5; ++r)
    for (std::size_t c = 0; c < 1500; ++c)
      CHECK(y(r, c) == base(static_cast<std::size_t>(i(c) < 0 ? i(c) + 400 : i(c)), 1) + 1);
}

TEST_CASE("indices out of range are refused before anything is written", "[indirect]") {
  vec<double> const x = ramp<double>(100, 0, 1), v = ramp<double>(2000, 0, 1);
  vec<std::int64_t> i = scattered(2000, 100);
  i(1234) = 100;
  kt::shared total(0.0);
  auto f = kt::function([](kt::dvector x, kt::lvector i, kt::dvector v,
                           kt::dscalar t) { return kt::outputs(x(i) * v).update(t, t + sum(v)); },
                        total);
  CHECK_THROWS_WITH(f(x, i, v),
                    Catch::Contains("index 100 at position 1234 is out of range: extent 0 is 100"));
  CHECK(total.get_value() == 0);
  i(1234) = -101;
  CHECK_THROWS_AS(f(x, i, v), kt::value_error);
}

TEST_CASE("the plan says which selections are copied", "[indirect][debugprint]") {
  auto f = kt::function(
      [](kt::dvector x, kt::lvector i, kt::dvector v) { return std::tuple(x(i) * v, v(i)); });
  auto const plan = [&](std::size_t n) {
    std::ostringstream out;
    kt::debugprint(f, out, kt::shape(50), kt::shape(n), kt::shape(n));
    std::string const text = out.str();
    return text.substr(text.find("plan for"));
  };
  std::string const note = "not copied in the frame: its loop reads the elements through the indices";
  std::string const many = plan(2000);
  CHECK(many.find(note) != std::string::npos);
  CHECK(many.find(note) == many.rfind(note));  // v(i) is a result
  CHECK(plan(10).find(note) == std::string::npos);
}

TEST_CASE("the selected vector is not overwritten before the loop has read it", "[indirect]") {
  // The update of w could be stored in its place, and indices that are computed have a slot that
  // others could take.
  std::size_t const n = 20000;
  vec<double> const start = ramp<double>(n, 1, 0.5);
  kt::shared w(start);
  auto f = kt::function(
      [](kt::lvector i, kt::dvector v, kt::dvector w) {
        auto index = i * 3 % kt::constant<std::int64_t>(20000);
        auto e = w(index) * v;
        return kt::outputs(exp(-e), sum(e)).update(w, w * 2 + 1);
      },
      w);
  vec<std::int64_t> const i = ramp<std::int64_t>(n, 0, 41);
  vec<double> const v = ramp<double>(n, 0.01, 0.001);
  auto const [e, s] = f(i, v);
  if (runs_compiled) CHECK(f.executor().has_used_frame());
  double total = 0;
  for (std::size_t k = 0; k < n; ++k) {
    double const product = start(static_cast<std::size_t>(i(k) * 3 % 20000)) * v(k);
    CHECK(std::abs(e(k) - std::exp(-product)) <= 1e-14);
    total += product;
  }
  CHECK(std::abs(s - total) <= 1e-10 * total);
  vec<double> const updated = w.get_value();
  for (std::size_t k = 0; k < n; ++k) CHECK(updated(k) == start(k) * 2 + 1);
}

TEST_CASE("indices are inside of an extent or not, however far", "[indirect]") {
  using limits = std::numeric_limits<std::int64_t>;
  for (std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{7}, std::int64_t{1} << 40})
    for (std::int64_t const& i : {std::int64_t{0}, n - 1, n, -n, -n - 1, -n / 2, n / 2, limits::min(), limits::min() + n,
                                  limits::min() + 2 * n, limits::max(), limits::max() - n, limits::max() - 2 * n}) {
      CAPTURE(n, i);
      bool const inside = i >= -n && i < n;
      std::int64_t const row[] = {i, 5, i, 5, i};
      CHECK(kt::cpu::are_inside(row, 3, 2, n) == inside);
      CHECK(kt::cpu::are_inside(row, 1, std::integral_constant<std::ptrdiff_t, 1>{}, n) == inside);
    }
}
