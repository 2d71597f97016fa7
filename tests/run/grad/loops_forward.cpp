// Forward mode through loops: against reverse mode and closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

matrix const X{{0.1, 0.2}, {0.3, 0.4}, {-0.5, 0.05}, {0.7, -0.6}}, W{{0.1, 0.2}, {-0.3, 0.4}}, V{{1, -0.5}, {0.25, 2}};
vector const h0{0.5, 0.6}, v{1, -2}, x0{0.5, -0.25, 1.5, 0.75}, dx{1, 2, -1, 0.5};

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-12;
}

constexpr auto recurrent = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
  return scan([&](auto x, auto h) { return tanh(dot(w, h) + x); }, kt::sequences(x), kt::outputs_info(h0));
};
/// <u, rop(y, x, v)> - <lop(y, x, u), v>, with a fixed u.
constexpr auto difference = [](auto y, auto x, auto v) {
  auto u = sin(y + 0.5);
  auto fixed = kt::stop_gradient(u);
  return sum(fixed * rop(y, x, v)) - sum(lop(y, x, fixed) * v);
};

}  // namespace



TEST_CASE("pushforwards through loops are the adjoints of pullbacks") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector h0, kt::dmatrix w, kt::dmatrix dx, kt::dvector dh, kt::dmatrix dw) {
    auto h = recurrent(x, h0, w);
    return std::tuple(difference(h, x, dx), difference(h, h0, dh), difference(h, w, dw), difference(h(-1), w, dw),
                      rop(h, h0, dh), dot(jacobian(h, h0), dh));
  });
  matrix const DX = X * 3 - 1;
  auto const [by_x, by_h, by_w, by_w_last, pushed, product] = f(X, h0, W, DX, v, V);
  CHECK(std::abs(by_x) < 1e-12);
  CHECK(std::abs(by_h) < 1e-12);
  CHECK(std::abs(by_w) < 1e-12);
  CHECK(std::abs(by_w_last) < 1e-12);
  CHECK(same(pushed, product));
}

TEST_CASE("pushforwards through states of all kinds") {
  auto const f = kt::function([](kt::dvector x, kt::dvector start, kt::dscalar a, kt::dvector dx, kt::dvector ds, kt::dscalar da) {
    auto [y, n, z] = scan([&](auto e, auto third, auto last, auto n) {
      return std::tuple(sin(a * last) + e * third * n, n + 1, exp(e) * last);
    }, kt::sequences(x), kt::outputs_info(kt::taps<-3, -1>(start), 0, kt::none));
    auto product = foldl([&](auto e, auto p) { return p * (e + a); }, kt::sequences(x), kt::outputs_info(a));
    auto all = y + z * product;
    return std::tuple(difference(all, x, dx), difference(all, start, ds), difference(all, a, da), rop(product, a, da));
  });
  auto const [by_x, by_start, by_a, product] = f(x0, vector{0.1, 0.2, 0.3}, 0.7, dx, vector{1, -1, 2}, 3.);
  CHECK(std::abs(by_x) < 1e-12);
  CHECK(std::abs(by_start) < 1e-12);
  CHECK(std::abs(by_a) < 1e-12);
  // a (x0 + a) (x1 + a) (x2 + a) (x3 + a)
  double value = 0.7, sum = 1 / 0.7;
  for (double e : x0) value *= e + 0.7, sum += 1 / (e + 0.7);
  CHECK(product == Approx(3 * value * sum).epsilon(1e-13));
}
