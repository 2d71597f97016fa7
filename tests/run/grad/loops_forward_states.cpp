// Forward mode through complex states, and through what a body updates.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

#include <complex>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-12;
}

}  // namespace

TEST_CASE("pushforwards through complex states, and through what a body updates") {
  auto const f = kt::function([](kt::zscalar z, kt::zscalar v, kt::lscalar n) {
    auto powers = scan([&](auto s) { return s * z; }, kt::outputs_info(z), kt::n_steps(n));
    auto w = scan([&](auto s) { return s * conj(z) + z; }, kt::outputs_info(z), kt::n_steps(n));
    return std::tuple(rop(powers, z, v), rop(w, z, v));
  });
  std::complex<double> const z{0.3, 0.7}, v{1, -2};
  auto const [of_powers, of_w] = f(z, v, 3);
  std::complex<double> power = z, w = z, dw = v;
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(std::abs(of_powers(k) - static_cast<double>(k + 2) * power * v) < 1e-13);
    power *= z;
    dw = dw * std::conj(z) + w * std::conj(v) + v;
    w = w * std::conj(z) + z;
    CHECK(std::abs(of_w(k) - dw) < 1e-13);
  }

  kt::shared scale(2.0);
  auto const updating = kt::function([](kt::dvector x, kt::dscalar a) {
    auto r = scan([&](auto e) { return kt::outputs(e * a).update(a, a * e); }, kt::sequences(x));
    auto y = std::get<0>(r.values());
    return std::tuple(rop(y, x, x), jacobian(y, x));
  }, scale);
  // y0 = 2 x0, y1 = 2 x0 x1
  auto const [pushed, all] = updating(vector{3, 5});
  CHECK(same(pushed, vector{6, 60}));
  CHECK(same(all, matrix{{2, 0}, {10, 6}}));
}

TEST_CASE("pushforwards of a state that has a tangent in its start alone") {
  auto const f = kt::function([](kt::dvector x, kt::dvector a, kt::dvector v) {
    auto y = foldl([](auto e, auto s) { return e + 0 * floor(s); }, kt::sequences(x), kt::outputs_info(a));
    return rop(y, a, v);
  });
  CHECK(same(f(vector{3, 5}, vector{1, 2}, vector{7, 8}), vector{0, 0}));
  CHECK(same(f(vector(std::array<std::size_t, 1>{0}), vector{1, 2}, vector{7, 8}), vector{7, 8}));
}
