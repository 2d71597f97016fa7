// Forward mode through gradients of loops, inside of bodies, and what is left of it.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

matrix const X{{0.1, 0.2}, {0.3, 0.4}, {-0.5, 0.05}, {0.7, -0.6}}, W{{0.1, 0.2}, {-0.3, 0.4}};
vector const h0{0.5, 0.6}, v{1, -2};

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-12;
}

constexpr auto recurrent = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
  return scan([&](auto x, auto h) { return tanh(dot(w, h) + x); }, kt::sequences(x), kt::outputs_info(h0));
};

}  // namespace

TEST_CASE("pushforwards through gradients of loops") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector h0, kt::dmatrix w, kt::dvector v) {
    auto h = recurrent(x, h0, w);
    auto slope = grad(sum(sqr(h)) + sum(exp(h(-1))), h0);
    // A Gauss-Newton product, and the same with the Jacobian.
    auto tangent = rop(h, h0, v);
    auto j = jacobian(h, h0);
    return std::tuple(rop(slope, h0, v), dot(jacobian(slope, h0), v), lop(h, h0, tangent), sum(j * kt::dimshuffle<0, 1, 'x'>(tangent), kt::axis<0, 1>));
  });
  auto const [pushed, product, gauss_newton, by_jacobian] = f(X, h0, W, v);
  CHECK(same(pushed, product));
  CHECK(same(gauss_newton, by_jacobian));
}

TEST_CASE("pushforwards through pullbacks of loops, and gradients of pushforwards") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar s, kt::dvector u, kt::dvector v) {
    auto y = scan([](auto e, auto s) { return s * s * e; }, kt::sequences(x), kt::outputs_info(s));
    // y0 = s^2 x0, y1 = s^4 x0^2 x1
    return std::tuple(rop(lop(y, x, u), x, v), grad(rop(y, x, v)(1), s), rop(rop(y, x, v), x, v));
  });
  auto const [of_pullback, of_pushed, twice] = f(vector{2, 3}, 0.5, vector{5, 7}, vector{1, -2});
  double const s4 = 0.0625;
  CHECK(same(of_pullback, vector{7 * s4 * (2 * 3 * 1 + 2 * 2 * -2), 7 * s4 * 2 * 2 * 1}));
  CHECK(of_pushed == Approx(4 * 0.125 * (2 * 2 * 3 * 1 + 4 * -2)).epsilon(1e-13));
  CHECK(same(twice, vector{0, s4 * (2 * 3 * 1 + 2 * 2 * 2 * -2)}));
}

TEST_CASE("a pushforward inside of a body, and mapped") {
  auto const f = kt::function([](kt::dvector x, kt::dmatrix directions) {
    // The second component of each state is the derivative of the first by its start.
    auto slopes = scan([](auto e, auto s) { return s + e * rop(sin(s), s, s); }, kt::sequences(x), kt::outputs_info(1.0));
    auto mapped = kt::vmap<0>([&](kt::dvector v) {
      return rop(scan([](auto e, auto s) { return s * e; }, kt::sequences(x), kt::outputs_info(1.0)), x, v);
    })(directions);
    return std::tuple(slopes, mapped);
  });
  auto const [slopes, mapped] = f(vector{2, 3}, matrix{{1, 0}, {0, 1}, {5, 7}});
  double const first = 1 + 2 * std::cos(1.0);
  CHECK(same(slopes, vector{first, first + 3 * first * std::cos(first)}));
  CHECK(same(mapped, matrix{{1, 3}, {0, 2}, {5, 29}}));
}

TEST_CASE("values and tangents are one loop, which keeps the last of each") {
  constexpr auto last = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix w, kt::dmatrix dw) {
    auto h = recurrent(x, h0, w)(-1);
    return std::tuple(h, rop(h, w, dw));
  };
  kt::graph const g = kt::optimize(kt::graph_of(last).get(), kt::stage::specialize);
  int scans = 0;
  for (int id = 0; id < g.size(); ++id)
    if (g[id].op->name == "scan") {
      ++scans;
      CHECK(g.type(id).rank == 1);
      CHECK(g.output_count(id) == 2);
    }
  CHECK(scans == 1);
}
