// Sums of arrays in zeros, which loops read part by part: gradients of functions of ranges, next to
// the writes that they stand for.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <array>
#include <complex>
#include <sstream>
#include <tuple>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>

using namespace reference;

namespace padded_loops {

using kt::axis, kt::none, kt::slice;

template <class T, std::size_t N>
xt::xtensor<T, N> waves(std::array<std::size_t, N> const& shape) {
  xt::xtensor<T, N> x = xt::zeros<T>(shape);
  std::size_t i = 0;
  for (T& e : x) e = static_cast<T>(10 * std::sin(0.37 * static_cast<double>(i * i % 1013) + 0.2)), ++i;
  return x;
}
template <class X>
bool same(X const& found, X const& wanted, double within = 1e-11) {
  return xt::allclose(found, wanted, within, within);
}
constexpr auto one_by_one = kt::mode::fast_run.excluding<"padded_sums">();

/// How many arrays in zeros a call leaves to its loops, at these extents.
template <class F, class... Shapes>
int arrays_in_zeros(F const& f, Shapes const&... shapes) {
  std::ostringstream out;
  kt::debugprint(f, out, shapes...);
  std::string const text = out.str();
  int found = 0;
  for (std::size_t at = text.find("read the arrays where they are"); at != std::string::npos;
       at = text.find("read the arrays where they are", at + 1))
    ++found;
  return found;
}

constexpr std::pair<std::size_t, std::size_t> shapes[] = {
    {0, 0}, {0, 5}, {1, 1}, {1, 3000}, {3000, 1}, {2, 2}, {3, 7}, {2, 3000}, {3000, 2},
    {20, 30}, {60, 70}, {300, 40}, {40, 300}, {3, 4000}, {3000, 4}, {100, 110}};

constexpr auto energy = [](auto u) {
  return sum(sqr(u(slice(1, none)) - u(slice(0, -1)))) + sum(sqr(u(slice(), slice(1, none)) - u(slice(), slice(0, -1))));
};
constexpr auto bending = [](auto u) {
  return sum(sqr(u(slice(2, none)) - 2.0 * u(slice(1, -1)) + u(slice(0, -2)))) +
         sum(sqr(u(slice(), slice(2, none)) - 2.0 * u(slice(), slice(1, -1)) + u(slice(), slice(0, -2))));
};
constexpr auto variation = [](auto u) {
  auto a = u(slice(0, -1), slice(0, -1));
  return sum(sqrt(sqr(u(slice(1, none), slice(0, -1)) - a) + sqr(u(slice(0, -1), slice(1, none)) - a) + 1e-3));
};

/// The gradient of the energy, from its definition.
template <class T>
xt::xtensor<T, 2> gradient_of_energy(xt::xtensor<T, 2> const& u) {
  xt::xtensor<T, 2> g = xt::zeros_like(u);
  for (std::size_t i = 0; i < u.shape(0); ++i)
    for (std::size_t j = 0; j < u.shape(1); ++j) {
      if (i > 0) g(i, j) = static_cast<T>(g(i, j) + T(2) * (u(i, j) - u(i - 1, j)));
      if (i + 1 < u.shape(0)) g(i, j) = static_cast<T>(g(i, j) - T(2) * (u(i + 1, j) - u(i, j)));
      if (j > 0) g(i, j) = static_cast<T>(g(i, j) + T(2) * (u(i, j) - u(i, j - 1)));
      if (j + 1 < u.shape(1)) g(i, j) = static_cast<T>(g(i, j) - T(2) * (u(i, j + 1) - u(i, j)));
    }
  return g;
}

}  // namespace padded_loops
using namespace padded_loops;

TEST_CASE("gradients of differences of slices in one loop", "[padded_loops]") {
  auto f = kt::function([](kt::dmatrix u) { return grad(energy(u), u); });
  if (runs_compiled) CHECK(arrays_in_zeros(f, kt::shape(60, 70)) == 8);
  for (auto [n, m] : shapes) {
    CAPTURE(n, m);
    auto const u = waves<double, 2>({n, m});
    CHECK(same(f(u), gradient_of_energy(u)));
  }
}

TEST_CASE("arrays in zeros along two axes, and costly functions of ranges", "[padded_loops]") {
  auto const f = kt::function([](kt::dmatrix u) { return std::tuple(grad(variation(u), u), grad(bending(u), u)); });
  auto const g = kt::function([](kt::dmatrix u) { return std::tuple(grad(variation(u), u), grad(bending(u), u)); }, one_by_one);
  for (auto [n, m] : shapes) {
    CAPTURE(n, m);
    auto const u = waves<double, 2>({n, m});
    auto const [a, b] = f(u);
    auto const [c, d] = g(u);
    CHECK(same(a, c));
    CHECK(same(b, d));
  }
}

TEMPLATE_TEST_CASE("arrays in zeros of every type", "[padded_loops]", float, double, std::int32_t, std::complex<double>) {
  using T = TestType;
  constexpr auto sums = [](auto u, auto v) {
    auto x = inc_subtensor((u * v)(slice(1, none)), u(slice(0, -1)) - v(slice(1, none)));
    auto y = inc_subtensor(x(slice(), slice(0, -2)), u(slice(), slice(2, none)) * v(slice(), slice(2, none)));
    return inc_subtensor(y(slice(1, -1), slice(1, -1)), -sqr(v(slice(1, -1), slice(1, -1))));
  };
  auto const f = kt::function<kt::matrix<T>, kt::matrix<T>>(sums);
  auto const g = kt::function<kt::matrix<T>, kt::matrix<T>>(sums, one_by_one);
  for (auto [n, m] : shapes) {
    CAPTURE(n, m);
    auto const u = waves<T, 2>({n, m}), v = xt::xtensor<T, 2>(u * T(3) - T(2));
    CHECK(same(f(u, v), g(u, v), 1e-5));
  }
}

TEST_CASE("ranges whose bounds are known at the call", "[padded_loops]") {
  constexpr auto gradient = [](kt::dvector x, kt::lscalar i, kt::lscalar k) {
    return grad(sum(sqr(x(slice(i, none)) * 3.0)) + sum(pow(x(slice(0, k)), 3)) + sum(sqr(x(slice(i, k)))), x);
  };
  auto const f = kt::function(gradient);
  auto const g = kt::function(gradient, one_by_one);
  for (std::size_t n : {0, 1, 5, 100, 9000, 12000})
    for (std::int64_t i : {0, 1, 40, 2500, -1, -2000, 9000})
      for (std::int64_t k : {0, 1, 60, 2600, -1, -2500, 9000}) {
        CAPTURE(n, i, k);
        auto const x = waves<double, 1>({n});
        CHECK(same(f(x, i, k), g(x, i, k)));
      }
}

TEST_CASE("factors that do not have all axes, and other terms", "[padded_loops]") {
  constexpr auto gradient = [](kt::dmatrix u, kt::dmatrix y, kt::dvector w, kt::dscalar l) {
    auto d = u(slice(1, none)) - u(slice(0, -1));
    auto e = w(slice(1, none)) * (u(slice(), slice(1, none)) - u(slice(), slice(0, -1)));
    return grad(0.5 * sum(sqr(u - y)) + l * sum(w * sqr(d)) + sum(sqr(e) / l) + sum(exp(u(slice(2, none), slice(3, none)))) / 1e6, u);
  };
  auto const f = kt::function(gradient);
  auto const g = kt::function(gradient, one_by_one);
  for (auto [n, m] : shapes) {
    CAPTURE(n, m);
    auto const u = waves<double, 2>({n, m}), y = xt::xtensor<double, 2>(u * 0.5 + 1.0);
    vec<double> const w = waves<double, 1>({m});
    CHECK(same(f(u, y, w, 0.3), g(u, y, w, 0.3), 1e-10));
  }
}

TEST_CASE("three axes, and sums of the gradient in its loop", "[padded_loops]") {
  constexpr auto results = [](kt::dtensor3 u) {
    auto g = grad(sum(sqr(u(slice(1, none)) - u(slice(0, -1)))) + sum(pow(u(slice(), slice(1, none), slice(2, none)) - u(slice(), slice(0, -1), slice(0, -2)), 4)), u);
    return std::tuple(g, sum(sqr(g)), sum(g, axis<1>), max(g, axis<2>));
  };
  auto const f = kt::function(results);
  auto const g = kt::function(results, one_by_one);
  auto const u = waves<double, 3>({9, 40, 51});
  auto const [a, b, c, d] = f(u);
  auto const [p, q, r, s] = g(u);
  CHECK(same(a, p));
  CHECK(std::abs(b - q) <= 1e-11 * q);
  CHECK(same(c, r, 1e-9));
  CHECK(same(d, s));
}

TEST_CASE("products with Hessians of differences of slices", "[padded_loops]") {
  constexpr auto product = [](kt::dmatrix u, kt::dmatrix v) { return grad(sum(grad(variation(u) + energy(u), u) * v), u); };
  auto const f = kt::function(product);
  auto const g = kt::function(product, one_by_one);
  auto const u = waves<double, 2>({100, 110}), v = xt::xtensor<double, 2>(u * u - 3.0);
  CHECK(same(f(u, v), g(u, v), 1e-9));
}

TEST_CASE("what loops read in zeros is not overwritten before", "[padded_loops]") {
  auto const start = waves<double, 2>({100, 110});
  xt::xtensor<double, 2> const once = start - 0.1 * gradient_of_energy(start), twice = once - 0.1 * gradient_of_energy(once);
  SECTION("an update") {
    kt::shared<double, 2> w(start);
    auto step = kt::function([](kt::dmatrix w) { return kt::outputs(energy(w)).update(w, w - 0.1 * grad(energy(w), w)); }, w);
    step();
    CHECK(same(w.get_value(), once));
    step();
    CHECK(same(w.get_value(), twice));
  }
  SECTION("an argument that is given away") {
    auto step = kt::function([](kt::dmatrix w) { return w - 0.1 * grad(energy(w), w); });
    xt::xtensor<double, 2> x = start;
    x = step(std::move(x));
    x = step(std::move(x));
    CHECK(same(x, twice));
  }
  SECTION("the same array as target") {
    auto step = kt::function([](kt::dmatrix w) { return w - 0.1 * grad(energy(w), w); });
    xt::xtensor<double, 2> x = start;
    step.into(x, x);
    CHECK(same(x, once));
  }
}

TEST_CASE("small and large calls of one function, the value beside the gradient", "[padded_loops]") {
  auto const f = kt::function([](kt::dmatrix u) { return std::tuple(variation(u) + bending(u) + energy(u), grad(variation(u) + bending(u) + energy(u), u)); });
  auto const g = kt::function([](kt::dmatrix u) { return std::tuple(variation(u) + bending(u) + energy(u), grad(variation(u) + bending(u) + energy(u), u)); }, one_by_one);
  for (std::size_t n : {10, 100, 12, 90, 5}) {
    auto const u = waves<double, 2>({n, n + 3});
    auto const [a, b] = f(u);
    auto const [c, d] = g(u);
    CHECK(std::abs(a - c) <= 1e-12 * c);
    CHECK(same(b, d));
  }
}

TEST_CASE("what is added to ranges has their extents", "[padded_loops]") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y) {
    auto a = inc_subtensor((x * 2.0)(slice(1, none)), y);
    return inc_subtensor(a(slice(0, -1)), y * 3.0);
  });
  for (std::size_t n : {50, 15000}) {
    vec<double> const x = waves<double, 1>({n}), y = waves<double, 1>({n - 1});
    CHECK_THROWS_AS(f(x, x), kt::shape_error);
    CHECK_THROWS_AS(f(y, y), kt::shape_error);
    vec<double> wanted = x * 2.0;
    for (std::size_t i = 0; i + 1 < n; ++i) wanted(i + 1) += y(i), wanted(i) += y(i) * 3.0;
    CHECK(same(f(x, y), wanted));
  }
}

TEST_CASE("few elements of many are written", "[padded_loops]") {
  auto const f = kt::function([](kt::dvector x) { return grad(sum(sqr(x)) + sum(pow(x(slice(0, 3)), 3)) + sum(exp(x(slice(-3, none)))), x); });
  if (runs_compiled) CHECK(arrays_in_zeros(f, kt::shape(15000)) <= 1);
  vec<double> const x = waves<double, 1>({15000}) * 0.1;
  vec<double> wanted = 2.0 * x;
  for (std::size_t i = 0; i < 3; ++i) wanted(i) += 3 * x(i) * x(i), wanted(14999 - i) += std::exp(x(14999 - i));
  CHECK(same(f(x), wanted));
}
