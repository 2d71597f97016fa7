// Inverse error functions, gamma and beta functions of variables: values, broadcasting and derivatives.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/gradients.hpp"

using namespace gradients;

TEST_CASE("derivatives of inverse error functions") {
  auto const f = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return erfinv(v); }, [](auto v) { return erfcinv(1 + v); });
  });
  check(f, -0.75, 0.75);
}

TEST_CASE("derivatives of the gamma function") {
  auto const f = kt::function([](kt::dvector x) { return derivatives(x, [](auto v) { return gamma(v); }); });
  check(f, 0.5, 4);
  check(f, -0.8, -0.3, 1e-6);
}

TEST_CASE("beta functions broadcast, and derivatives by both operands") {
  auto const f = kt::function([](kt::dvector a, kt::dvector b) {
    return std::pair(betaln(a(kt::slice(), kt::newaxis), b), beta(a, 2));
  });
  auto const [all, few] = f(vec<double>{0.5, 3}, vec<double>{0.5, 1, 1e10});
  REQUIRE(all.shape() == std::array<std::size_t, 2>{2, 3});
  CHECK(all(0, 0) == Approx(std::log(std::acos(-1.))));
  CHECK(all(0, 1) == Approx(std::log(2.)));
  CHECK(all(1, 2) == Approx(std::log(2.) - 30 * std::log(10.)).epsilon(1e-9));
  CHECK(few(1) == Approx(1 / 12.).epsilon(1e-14));
  CHECK(kt::verify_grad([](kt::dvector a, kt::dvector b) { return sum(betaln(a, b) + beta(a, b)); }, vec<double>{0.3, 2, 12},
                        vec<double>{1.5, 0.7, 20}));
}

TEST_CASE("special functions of floats and integers") {
  auto const f = kt::function([](kt::fvector x, kt::lvector k) { return std::tuple(erfinv(x), gamma(x), gamma(k), erfcinv(x)); });
  xt::xtensor<std::int64_t, 1> const k{1, 5, 20};
  auto const [inverse, values, factorials, complements] = f(vec<float>{0.5f, -0.25f, 0.875f}, k);
  CHECK(inverse(0) == Approx(0.47693627620446987).epsilon(1e-7));
  CHECK(values(1) == Approx(-4.901666809860711).epsilon(1e-7));
  CHECK(factorials(1) == 24);
  CHECK(factorials(2) == 121645100408832000.0);
  CHECK(std::isnan(complements(1)));
}
