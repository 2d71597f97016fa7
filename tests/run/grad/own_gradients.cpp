// Gradients of one's own: of callables, of parts of a tuple, in vmap, loops and forward mode, and
// identities that change the gradient alone.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <boost/hana/define_struct.hpp>
#include <cmath>

#include "run/gradients.hpp"

using namespace gradients;

namespace {

// The gradient is three times what it should be, so that a test sees which one is used.
constexpr auto cube = kt::with_pullback([](auto x) { return x * x * x; },
                                        [](auto g, auto, auto x) { return 9. * g * x * x; });

struct line : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(line, (kt::dvector, slope), (kt::dscalar, offset));
};

constexpr auto both = kt::with_pullback(
    [](kt::dvector x, kt::dscalar a, kt::lscalar n) { return std::tuple(a * x, sum(x) + n); },
    [](auto g, auto y, auto x, auto a, auto) {
      auto const [gy, gs] = g;
      return std::tuple(10 * gy * a + gs, sum(gy * x) + 0 * std::get<1>(y), kt::none);
    });

constexpr auto at =
    kt::with_pullback([](line const& l, kt::dvector x) { return l.slope * x + l.offset; },
                      [](auto g, auto, line const& l, auto) {
                        return std::tuple(line{{}, 2 * g * l.slope, sum(g)}, 0.5);
                      });

constexpr auto row = kt::with_pullback(
    [](kt::dvector x, kt::dscalar w) { return w * sum(x * x); },
    [](auto g, auto, auto x, auto w) { return std::tuple(g * w * sum(x) + 0 * x, 5 * g); });

constexpr auto product_of_sums =
    kt::with_pullback([](auto u, auto v) { return sum(u) + sum(v); },
                      [](auto g, auto, auto, auto v) { return std::tuple(g * v, g); });

// Gradients that are partial derivatives, of operands that coincide or depend on each other.
constexpr auto scaled =
    kt::with_pullback([](auto a, auto b) { return sum(a * exp(b)); },
                      [](auto g, auto, auto a, auto b) { return grad(g * sum(a * exp(b)), a, b); });
// By the implicit function theorem: y * y = x.
constexpr auto root = kt::with_pullback([](auto x) { return sqrt(x); },
                                        [](auto g, auto y, auto x) {
                                          auto const defect = sum(y * y - x);
                                          return -g * grad(defect, x) / grad(defect, y);
                                        });
// Only the pullback knows how y changes.
constexpr auto by_result = kt::with_pullback([](auto x) { return stop_gradient(sqrt(x)); },
                                             [](auto g, auto y, auto) { return g / (2 * y); });

constexpr auto row_of_two = kt::with_pullback([](kt::dvector r) { return sum(r * r); },
                                              [](auto g, auto, auto r) { return 3 * g * r; });

}  // namespace

TEST_CASE("a pullback of one's own replaces the gradient, and can be differentiated") {
  auto const f = kt::function([](kt::dvector x) {
    auto const y = cube(sin(x));
    auto const g = grad(sum(y), x);
    return std::tuple(y, g, grad(sum(g), x), rop(y, x, ones_like(x)));
  });
  vec<double> const x{0.3, -1.2, 2};
  auto const [y, g, h, t] = f(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double const s = std::sin(x(i)), c = std::cos(x(i));
    CHECK(y(i) == Approx(s * s * s));
    CHECK(g(i) == Approx(9 * s * s * c));
    CHECK(h(i) == Approx(18 * s * c * c - 9 * s * s * s));
    CHECK(t(i) == Approx(9 * s * s * c));
  }
}

TEST_CASE("pullbacks of several results and parameters") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar a, kt::lscalar n) {
    auto const [y, s] = both(x, a, n);
    auto const [gx, ga] = grad(sum(y * y) + 2 * s, x, a);
    auto const [only_second] = std::tuple(grad(s, x));
    return std::tuple(y, s, gx, ga, only_second);
  });
  auto const [y, s, gx, ga, second] = f(vec<double>{1, 2}, 3., 4);
  CHECK((y(0) == 3 && y(1) == 6 && s == 7));
  CHECK((gx(0) == Approx(10 * 6 * 3 + 2) && gx(1) == Approx(10 * 12 * 3 + 2)));
  CHECK(ga == Approx(6 + 24));
  CHECK((second(0) == 1 && second(1) == 1));
}

TEST_CASE("pullbacks give structs for structs, and numbers and scalars for arrays") {
  auto const f = kt::function([](kt::dvector m, kt::dscalar b, kt::dvector x) {
    return grad(sum(at(line{{}, m, b}, x)), m, b, x);
  });
  auto const [m, b, x] = f(vec<double>{1, 2, 3}, 4., vec<double>{5, 6, 7});
  CHECK((m(0) == 2 && m(2) == 6 && b == 3 && x(0) == 0.5 && x(2) == 0.5));
  auto const wrong =
      kt::function([](kt::dvector x, kt::dvector y) { return grad(product_of_sums(x, y), x); });
  CHECK(wrong(vec<double>{1, 2}, vec<double>{5, 6})(1) == 6);
  CHECK_THROWS_AS(wrong(vec<double>{1, 2}, vec<double>{1, 2, 3}), kt::shape_error);
}

TEST_CASE("pullbacks of one's own are kept by vmap and in loops") {
  // The pullback sums over an axis, so it must see one row at a time.
  auto const f = kt::function([](kt::dmatrix x, kt::dscalar w) {
    auto const mapped = kt::vmap<0>(row)(x, w);
    auto const twice = kt::vmap<0, 1>(
        [](kt::dmatrix rows, kt::dscalar v) { return sum(kt::vmap<0>(row)(rows, v)); });
    auto const both = twice(kt::dimshuffle<'x', 0, 1>(x), full(w, 1));
    auto const steps = sum(kt::map(row_of_two, kt::sequences(x)));
    auto const looped = sum(kt::map([w](kt::dvector r) { return row(r, w); }, kt::sequences(x)));
    auto const [gx, gw] = grad(sum(mapped), x, w);
    return std::tuple(mapped, gx, gw, grad(sum(both), x), grad(looped, x), grad(looped, w),
                      grad(steps, x));
  });
  xt::xtensor<double, 2> const x{{1, 2}, {3, 4}, {-5, 6}};
  auto const [y, gx, gw, g2, g3, gw3, g4] = f(x, 2.);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(y(i) == Approx(2 * (x(i, 0) * x(i, 0) + x(i, 1) * x(i, 1))));
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(gx(i, k) == Approx(2 * (x(i, 0) + x(i, 1))));
      CHECK(g2(i, k) == gx(i, k));
      CHECK(g3(i, k) == gx(i, k));
      CHECK(g4(i, k) == 3 * x(i, k));
    }
  }
  CHECK((gw == Approx(15) && gw3 == Approx(15)));
}

TEST_CASE("gradients are clipped, scaled and set to 0") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar c) {
    auto const g = [&](auto y) { return grad(sum(y * y), x); };
    return std::tuple(g(grad_clip(x, -1, c)), g(grad_scale(x, -c)), g(zero_grad(x) + x),
                      g(zero_grad(x)), grad_clip(x, -1, 1), rop(grad_scale(x, c), x, x));
  });
  vec<double> const x{-3, 0.25, 4};
  auto const [clipped, scaled, half, zero, same, pushed] = f(x, 2.);
  CHECK((clipped(0) == -1 && clipped(1) == 0.5 && clipped(2) == 2));
  CHECK((scaled(0) == 12 && scaled(1) == -1 && scaled(2) == -16));
  CHECK((half(0) == -12 && half(1) == 1 && half(2) == 16));
  CHECK((zero(0) == 0 && zero(2) == 0 && same(0) == -3 && pushed(2) == 8));
}

TEST_CASE("pullbacks may take gradients, which are partial ones, and change with their results") {
  auto const f = kt::function([](kt::dvector x) {
    auto const second = [&](auto y) { return grad(sum(grad(sum(y), x)), x); };
    return std::tuple(grad(scaled(x, x), x), grad(scaled(x, 2 * x), x), grad(sum(root(x)), x),
                      second(root(x)), second(by_result(x)), grad(sum(scaled(x, x) * x), x),
                      grad(sum(kt::vmap<0>(root)(x(kt::slice(), kt::newaxis))), x));
  });
  vec<double> const x{0.25, 4};
  auto const [same, twice, by_root, second, of_result, product, mapped] = f(x);
  double const total = 0.25 * std::exp(0.25) + 4 * std::exp(4);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(same(i) == Approx((1 + x(i)) * std::exp(x(i))));
    CHECK(twice(i) == Approx((1 + 2 * x(i)) * std::exp(2 * x(i))));
    CHECK(by_root(i) == Approx(0.5 / std::sqrt(x(i))));
    CHECK(mapped(i) == Approx(0.5 / std::sqrt(x(i))));
    CHECK(second(i) == Approx(-0.25 * std::pow(x(i), -1.5)));
    CHECK(of_result(i) == Approx(-0.25 * std::pow(x(i), -1.5)));
    CHECK(product(i) == Approx(total + 4.25 * (1 + x(i)) * std::exp(x(i))));
  }
}
