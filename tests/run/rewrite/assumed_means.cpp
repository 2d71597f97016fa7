// Variances of much that are computed from distances to an assumed mean: as exact as in two passes, whatever the data.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/op_counts.hpp"
#include "run/reference.hpp"

#include <xtensor/xview.hpp>

using namespace reference;

namespace {

template <class T>
constexpr auto variance = [](kt::vector<T> x) { return var(x); };
constexpr auto columns = [](kt::dmatrix x) { return std::tuple(var(x, kt::axis<0>), mean(x, kt::axis<0>)); };
constexpr auto rows = [](kt::dmatrix x) { return var(x, kt::axis<1>); };
constexpr auto blocks = [](kt::tensor3<double> x) { return var(x, kt::axis<0, 2>); };
constexpr auto with_gradient = [](kt::dvector x) {
  auto const v = var(x);
  return std::tuple(v, grad(v, x));
};
constexpr auto of_formulas = [](kt::dvector x, kt::dvector y) {
  auto const d = 2 * x - exp(y) + 1;
  return std::tuple(var(x - y), stddev(exp(x)), sum(sqr(d - mean(d))) / (x.shape(0) - 1), norm(y - mean(y)));
};
constexpr auto also_needed = [](kt::dvector x) {
  auto const e = exp(x);
  return std::tuple(var(e), e);
};
constexpr auto fixed = [](kt::fixed<double, 64> x) { return var(x); };

/// Whether a function reads an argument in two parts.
template <class... P, class F, class Mode>
bool splits(F f, Mode mode) {
  return op_counts::prepared<P...>(f, mode).template has<kt::op::subtensor>();
}
using kt::mode::fast_run, kt::mode::ieee, kt::dvector, kt::dmatrix;
constexpr auto in_two_passes = fast_run.excluding<"assumed_means">();

TEST_CASE("variances are read in two parts where that pays") {
  CHECK(splits<dvector>(variance<double>, fast_run));
  CHECK(splits<kt::fvector>(variance<float>, fast_run));
  CHECK(splits<dmatrix>(columns, fast_run));
  CHECK(splits<kt::tensor3<double>>(blocks, fast_run));
  CHECK(splits<dvector, dvector>(of_formulas, fast_run));
  CHECK(!splits<dvector>(variance<double>, ieee));
  CHECK(!splits<dvector>(variance<double>, in_two_passes));
  // bands read rows once
  CHECK(!splits<dmatrix>(rows, fast_run));
  // the distances are needed, too
  CHECK(!splits<dvector>(with_gradient, fast_run));
  // nor would what is stored be computed twice
  CHECK(!splits<dvector>(also_needed, fast_run));
  // it is short
  CHECK(!splits<kt::fixed<double, 64>>(fixed, fast_run));
}

template <class T>
struct data_case {
  char const* name;
  double bound;  // relative error, in units of the precision
  T (*at)(std::size_t i, std::size_t n, double noise);
};
template <class T>
constexpr data_case<T> data_cases[] = {
    {"numbers around 0", 32, [](std::size_t, std::size_t, double noise) { return T(noise); }},
    {"numbers around 1000", 64, [](std::size_t, std::size_t, double noise) { return T(1000 + noise); }},
    {"a ramp", 32, [](std::size_t i, std::size_t n, double) { return T(double(i) / double(n)); }},
    {"zeros, then others", 1024, [](std::size_t i, std::size_t, double) { return i < 65536 ? T(0) : T(1.1); }},
    {"one far away at the end", 128, [](std::size_t i, std::size_t n, double noise) { return i + 1 == n ? T(1e6) : T(noise); }},
    {"one far away at the beginning", 128, [](std::size_t i, std::size_t, double noise) { return i == 0 ? T(1e6) : T(noise); }},
};

template <class Values>
double variance_of(Values const& x) {
  long double mean = 0, squares = 0;
  for (auto v : x) mean += v;
  mean /= static_cast<long double>(x.size());
  for (auto v : x) squares += (v - mean) * (v - mean);
  return static_cast<double>(squares / static_cast<long double>(x.size()));
}

}  // namespace

TEMPLATE_TEST_CASE("variances in one reading are as exact as in two", "", float, double) {
  using T = TestType;
  auto const f = kt::function(variance<T>);
  for (std::size_t n : {1, 2, 100, 65535, 65536, 65537, 70001, 300000, 5000000}) {
    vec<T> const noise = numbers<T>(n, static_cast<unsigned>(n));
    for (auto const& c : data_cases<T>) {
      CAPTURE(n, c.name);
      vec<T> x = noise;
      for (std::size_t i = 0; i < n; ++i) x(i) = c.at(i, n, static_cast<double>(noise(i)));
      double const expected = variance_of(x), got = static_cast<double>(f(x));
      CAPTURE(expected, got, (got - expected) / expected / static_cast<double>(std::numeric_limits<T>::epsilon()));
      double const bound = interprets ? 32 * c.bound : c.bound;
      CHECK(close(got, expected, bound * static_cast<double>(std::numeric_limits<T>::epsilon()), 1e-30));
    }
  }
}

TEST_CASE("variances in one reading of what is constant, infinite or nothing") {
  auto const f = kt::function(variance<double>);
  vec<double> x = xt::ones<double>({200000}) * 0.1;
  CHECK(f(x) >= 0);
  CHECK(f(x) < 1e-30);
  for (double special : {infinity, -infinity, not_a_number})
    for (std::size_t at : {std::size_t(0), std::size_t(70000), std::size_t(199999)}) {
      vec<double> y = x;
      y(at) = special;
      CHECK(std::isnan(f(y)));
    }
  CHECK(std::isnan(f(vec<double>(std::array<std::size_t, 1>{0}))));
  auto const squares = kt::function([](kt::dvector v) { return sum(sqr(v - mean(v))); });
  CHECK(squares(vec<double>(std::array<std::size_t, 1>{0})) == 0);
}

TEST_CASE("variances in one reading of what is converted") {
  auto const f = kt::function([](kt::dvector a, kt::vector<std::int32_t> b, kt::fvector c, kt::lvector d) {
    using kt::cast;
    return std::tuple(var(cast<double>(cast<std::int64_t>(a))), var(cast<double>(b) * cast<double>(b + 1)), var(sqr(cast<double>(c))),
                      var(sqrt(d)), var(cast<float>(a)));
  });
  for (std::size_t n : {3, 70000}) {
    vec<double> a = vec<double>::from_shape({n}), products = a, squares = a, roots = a, whole = a;
    vec<std::int32_t> b = vec<std::int32_t>::from_shape({n});
    vec<float> c = vec<float>::from_shape({n});
    vec<std::int64_t> d = vec<std::int64_t>::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) {
      a(i) = 0.7 * static_cast<double>(i % 5) + 1;
      b(i) = static_cast<std::int32_t>(i % 7) * 100000;
      c(i) = static_cast<float>(i % 3 + 1) * 1e25f;
      d(i) = static_cast<std::int64_t>(i % 11);
      whole(i) = std::trunc(a(i));
      products(i) = static_cast<double>(b(i)) * (b(i) + 1);
      squares(i) = static_cast<double>(c(i)) * static_cast<double>(c(i));
      roots(i) = std::sqrt(static_cast<double>(d(i)));
    }
    auto const [v, w, x, y, z] = f(a, b, c, d);
    CHECK(close(v, variance_of(whole), 1e-12));
    CHECK(close(w, variance_of(products), 1e-12));
    CHECK(close(x, variance_of(squares), 1e-12));
    CHECK(close(y, variance_of(roots), 1e-12));
    CHECK(close(static_cast<double>(z), variance_of(a), 1e-5));
  }
}

TEST_CASE("a mean next to a variance is infinite where an element is") {
  auto const f = kt::function([](kt::dvector x) { return std::tuple(var(x), mean(x), sum(x)); });
  for (std::size_t at : {0, 99999}) {
    vec<double> x = xt::ones<double>({100000});
    x(at) = infinity;
    auto const [v, m, s] = f(x);
    CHECK(std::isnan(v));
    CHECK(m == infinity);
    CHECK(s == infinity);
  }
}

TEST_CASE("variances of columns and of several axes in one reading") {
  auto const f = kt::function(columns);
  for (auto [n, m] : {std::pair<std::size_t, std::size_t>{3, 5}, {9000, 11}, {200, 1000}, {100000, 2}, {70000, 0}, {0, 3}}) {
    mat<double> x(std::array<std::size_t, 2>{n, m});
    vec<double> const values = numbers<double>(n * m, 7);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) x(i, j) = 100 * double(j) + values(i * m + j) + (i < n / 3 ? 0 : 3);
    auto const [variances, means] = f(x);
    CAPTURE(n, m);
    REQUIRE(variances.shape()[0] == m);
    for (std::size_t j = 0; j < m; ++j) {
      if (n == 0) {
        CHECK(std::isnan(variances(j)));
        continue;
      }
      vec<double> const column = xt::view(x, xt::all(), j);
      CHECK(close(variances(j), variance_of(column), 1e-13));
      CHECK(close(means(j), xt::mean(column)(), 1e-13));
    }
  }
  auto const g = kt::function(blocks);
  xt::xtensor<double, 3> x(std::array<std::size_t, 3>{700, 3, 201});
  vec<double> const values = numbers<double>(x.size(), 8);
  std::copy(values.begin(), values.end(), x.begin());
  auto const v = g(x);
  for (std::size_t j = 0; j < 3; ++j) {
    xt::xtensor<double, 2> const block = xt::view(x, xt::all(), j, xt::all());
    CHECK(close(v(j), variance_of(block), 1e-13));
  }
}

TEST_CASE("variances of formulas in one reading") {
  auto const one = kt::function(of_formulas);
  auto const two = kt::function(of_formulas, in_two_passes);
  for (std::size_t n : {5, 1000, 100000}) {
    vec<double> const x = numbers<double>(n, 3), y = numbers<double>(n, 4);
    auto const [a, b, c, d] = one(x, y);
    auto const [p, q, r, s] = two(x, y);
    CHECK(close(a, p, 1e-13));
    CHECK(close(b, q, 1e-13));
    CHECK(close(c, r, 1e-13));
    CHECK(close(d, s, 1e-13));
  }
  CHECK_THROWS_AS(one(numbers<double>(70000), numbers<double>(70001)), kt::shape_error);
}
