// var, stddev and norm: accuracy, element types, axes, and gradients where they are not differentiable.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

constexpr auto all_three = [](auto x) { return std::tuple(var(x), stddev(x), norm(x)); };

double variance_of(auto const& x) {
  long double mean = 0, squares = 0;
  for (auto v : x) mean += static_cast<long double>(v) / static_cast<long double>(x.size());
  for (auto v : x) squares += (static_cast<long double>(v) - mean) * (static_cast<long double>(v) - mean);
  return static_cast<double>(squares / static_cast<long double>(x.size()));
}

}  // namespace

TEST_CASE("variance, standard deviation and norm of everything") {
  auto f = kt::function<kt::dvector>(all_three);
  for (I n : lengths) {
    CAPTURE(n);
    vec<double> const x = numbers<double>(n) + 3;
    auto const [v, s, length] = f(x);
    double squares = 0;
    for (double e : x) squares += e * e;
    CHECK(close(length, std::sqrt(squares), 1e-14));
    if (n == 0) {
      CHECK(std::isnan(v));
      CHECK(std::isnan(s));
    } else {
      CHECK(close(v, variance_of(x), 1e-13, 1e-18));
      CHECK(close(s, std::sqrt(variance_of(x)), 1e-13, 1e-15));
    }
  }
}

TEST_CASE("a large mean costs the variance no digits") {
  vec<double> x = numbers<double>(1000) + 1e8;
  CHECK(close(std::get<0>(kt::function<kt::dvector>(all_three)(x)), variance_of(x), 1e-12));
  vec<float> y = numbers<float>(100000) + 1000.f;
  CHECK(close(std::get<0>(kt::function<kt::fvector>(all_three)(y)), variance_of(y), 1e-5));
}

TEST_CASE("statistics of integers are float64, of float32 float32") {
  auto const r = kt::function<kt::bvector>(all_three)(vec<std::int8_t>{1, 2, 3, 6});
  static_assert(std::is_same_v<decltype(r), std::tuple<double, double, double> const>);
  CHECK(std::get<0>(r) == 3.5);
  CHECK(close(std::get<1>(r), std::sqrt(3.5), 1e-15));
  CHECK(close(std::get<2>(r), std::sqrt(50.), 1e-15));
  auto const f = kt::function<kt::fvector>(all_three)(vec<float>{1, 2, 3, 6});
  static_assert(std::is_same_v<decltype(f), std::tuple<float, float, float> const>);
  CHECK(std::get<0>(f) == 3.5f);
  CHECK(std::get<0>(kt::function<kt::vector<bool>>(all_three)(vec<bool>{true, false})) == 0.25);
}

TEST_CASE("statistics along axes") {
  auto f = kt::function([](kt::dmatrix m, kt::dtensor3 t) {
    return std::tuple(var(m, kt::axis<0>), stddev(m, kt::axis<-1>, kt::keepdims), norm(m, kt::axis<1>), var(t, kt::axis<0, -1>),
                      norm(t, kt::keepdims), var(m, kt::axis<>));
  });
  mat<double> const m{{1, 2, 3}, {3, 6, 7}};
  auto const [v, s, n, two, all, none] = f(m, xt::xtensor<double, 3>{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
  CHECK(v == vec<double>{1, 4, 4});
  CHECK(close(s(0, 0), std::sqrt(2. / 3), 1e-15));
  CHECK(close(s(1, 0), std::sqrt(26. / 9), 1e-15));
  CHECK(close(n(1), std::sqrt(94.), 1e-15));
  CHECK(two == vec<double>{4.25, 4.25});
  CHECK(close(all(0, 0, 0), std::sqrt(204.), 1e-15));
  CHECK(none == mat<double>{{0, 0, 0}, {0, 0, 0}});
}

// Expected values are numpy's.
TEST_CASE("variances that are divided by fewer than the number of elements") {
  constexpr auto all = [](kt::dmatrix x) {
    return std::tuple(var(x, kt::axis<0>, kt::ddof<1>),
                      var(x, kt::ddof<2>, kt::axis<1>, kt::keepdims), stddev(x, kt::ddof<1>),
                      var(x, kt::axis<1>, kt::ddof<3>), var(x, kt::ddof<13>));
  };
  mat<double> const x{{1, 2, 4}, {3, 7, 8}, {1, 1, 9}, {0.5, 2, 2}};
  auto const check = [](auto const& results) {
    auto const& [columns, rows, s, none, negative] = results;
    vec<double> const of_columns{1.2291666666666667, 7.333333333333333, 10.916666666666666};
    mat<double> const of_rows{{4.666666666666667}, {14}, {42.666666666666664}, {1.5}};
    CHECK(xt::allclose(columns, of_columns, 1e-14));
    CHECK(xt::allclose(rows, of_rows, 1e-14));
    CHECK(close(s, 2.978140054097218, 1e-14));
    CHECK(none(0) == infinity);
    CHECK(negative == infinity);
  };
  check(kt::function(all)(x));
  check(kt::function(all, kt::mode::interpret)(x));
  auto const of_one = kt::function([](kt::dvector v) { return var(v, kt::ddof<1>); });
  CHECK(std::isnan(of_one(vec<double>{3})));
  CHECK(std::isnan(of_one(vec<double>{})));
  auto const of_floats = kt::function([](kt::fvector v) { return var(v, kt::ddof<1>); });
  auto const f = of_floats(vec<float>{1, 2, 4, 9});
  static_assert(std::is_same_v<decltype(f), float const>);
  CHECK(close(f, 38.f / 3, 1e-6));
  CHECK(kt::verify_grad([](kt::dmatrix m) { return sum(stddev(m, kt::axis<0>, kt::ddof<1>)); }, x));
}

TEST_CASE("gradients of statistics, also of equal elements") {
  constexpr auto gradients = [](kt::dvector x) { return std::tuple(grad(var(x), x), grad(stddev(x), x), grad(norm(x), x)); };
  auto f = kt::function(gradients);
  auto g = kt::function(gradients, kt::mode::interpret);
  vec<double> const equal{2, 2, 2}, zero{0, 0, 0}, none{0, 0, 0};
  for (auto const& [v, s, n] : {f(zero), g(zero)}) {
    CHECK((v == none));
    CHECK((s == none));
    CHECK((n == none));
  }
  CHECK((std::get<1>(f(equal)) == none));
  CHECK(close(std::get<2>(f(equal))(0), 1 / std::sqrt(3.), 1e-15));
  vec<double> const x{1, 2, 4, 9};
  CHECK(kt::verify_grad([](kt::dvector v) { return var(v) + 2 * stddev(v) + norm(v); }, x));
  CHECK(kt::verify_grad([](kt::dvector v) { return sum(stddev(reshape<2>(v, 2, 2), kt::axis<0>)); }, x));
}

TEST_CASE("the square of a norm is the sum of squares") {
  using namespace kroton;
  constexpr auto squared = [](kt::dvector x) { return sqr(norm(x)); };
  constexpr auto plain = [](kt::dvector x) { return sum(sqr(x)); };
  STATIC_REQUIRE(std::is_same_v<kt::canonical<squared>, kt::canonical<plain>>);
  CHECK(std::isnan(kt::function([](kt::dvector x) { return norm(x); })(vec<double>{not_a_number, 1})));
  CHECK(kt::function([](kt::dvector x) { return norm(x); })(vec<double>{-infinity, 1}) == infinity);
}
