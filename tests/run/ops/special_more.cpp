// Inverse error functions, gamma, beta and Bessel functions of variables: values, broadcasting and
// derivatives.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/gradients.hpp"

using namespace gradients;

TEST_CASE("derivatives of inverse error functions") {
  auto const f = kt::function([](kt::dvector x) {
    return derivatives(x, [](auto v) { return erfinv(v); }, [](auto v) { return erfcinv(1 + v); });
  });
  check(f, -0.75, 0.75);
}

TEST_CASE("derivatives of the gamma function") {
  auto const f =
      kt::function([](kt::dvector x) { return derivatives(x, [](auto v) { return gamma(v); }); });
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
  CHECK(kt::verify_grad([](kt::dvector a, kt::dvector b) { return sum(betaln(a, b) + beta(a, b)); },
                        vec<double>{0.3, 2, 12}, vec<double>{1.5, 0.7, 20}));
}

TEST_CASE("special functions of floats and integers") {
  auto const f = kt::function([](kt::fvector x, kt::lvector k) {
    return std::tuple(erfinv(x), gamma(x), gamma(k), erfcinv(x));
  });
  xt::xtensor<std::int64_t, 1> const k{1, 5, 20};
  auto const [inverse, values, factorials, complements] = f(vec<float>{0.5f, -0.25f, 0.875f}, k);
  CHECK(inverse(0) == Approx(0.47693627620446987).epsilon(1e-7));
  CHECK(values(1) == Approx(-4.901666809860711).epsilon(1e-7));
  CHECK(factorials(1) == 24);
  CHECK(factorials(2) == 121645100408832000.0);
  CHECK(std::isnan(complements(1)));
}

TEST_CASE("derivatives of Bessel functions") {
  auto const modified = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return i0(v); }, [](auto v) { return i1(v); },
        [](auto v) { return i0e(v); }, [](auto v) { return i1e(v); });
  });
  check(modified, 0.3, 10);
  check(modified, -4, -0.1);
  auto const oscillating = kt::function([](kt::dvector x) {
    return derivatives(x, [](auto v) { return j0(v); }, [](auto v) { return j1(v); });
  });
  check(oscillating, -3, 3);
  check(oscillating, 6, 20);
}

TEST_CASE("derivatives of Bessel functions at 0") {
  auto const f = kt::function([](kt::dvector x) {
    auto const both = [&](auto y) {
      auto const g = grad(sum(y), x);
      return std::pair(g, grad(sum(g), x));
    };
    return std::tuple(both(i0(x)), both(i1(x)), both(j0(x)), both(j1(x)),
                      grad(sum(i0e(x) + i1e(x)), x));
  });
  auto const [even, even2, odd, odd2, even_j, even_j2, odd_j, odd_j2, scaled] =
      f(vec<double>{0, -0.0, 1e-8});
  CHECK(odd2(2) == Approx(3.75e-9).epsilon(1e-14));
  CHECK(odd_j2(2) == Approx(-3.75e-9).epsilon(1e-14));
  auto const third = kt::function(
      [](kt::dvector x) {
        auto const of = [&](auto y) { return grad(sum(grad(sum(grad(sum(y), x)), x)), x); };
        return std::tuple(of(i1(x)), of(j1(x)));
      },
      kt::mode::interpret);
  auto const [odd3, odd_j3] = third(vec<double>{0, -0.0, 1e-8, 0.2, 0.3});
  CHECK(odd3(3) == Approx(0.38126825105599543).epsilon(1e-14));
  CHECK(odd_j3(3) == Approx(-0.36876820730598364).epsilon(1e-14));
  CHECK(odd3(4) == Approx(0.38915503469359));
  CHECK(odd_j3(4) == Approx(-0.36102953635307));
  for (I i = 0; i < 3; ++i) {
    CHECK(odd3(i) == Approx(0.375).epsilon(1e-14));
    CHECK(odd_j3(i) == Approx(-0.375).epsilon(1e-14));
  }
  for (I i = 0; i < 2; ++i) {
    CHECK(even(i) == 0);
    CHECK(even2(i) == 0.5);
    CHECK(odd(i) == 0.5);
    CHECK(odd2(i) == 0);
    CHECK(even_j(i) == 0);
    CHECK(even_j2(i) == -0.5);
    CHECK(odd_j(i) == 0.5);
    CHECK(odd_j2(i) == 0);
    CHECK(scaled(i) == 0.5);
  }
}

TEST_CASE("first derivatives of Bessel functions of denormal and of large numbers") {
  auto const f = kt::function([](kt::dvector x) {
    return std::tuple(grad(sum(i1(x)), x), grad(sum(j1(x)), x), grad(sum(i1e(x)), x));
  });
  auto const [modified, oscillating, scaled] =
      f(vec<double>{5e-324, -5e-324, 1.5e-323, 1e-320, -1e-310, 1e-21, 1e-19, 713.987, 720, -720});
  for (I i = 0; i < 7; ++i) {
    CHECK(modified(i) == 0.5);
    CHECK(oscillating(i) == 0.5);
    CHECK(scaled(i) == 0.5);
  }
  for (I i = 7; i < 10; ++i) CHECK(modified(i) == std::numeric_limits<double>::infinity());
  CHECK(scaled(8) == Approx(-1.0308648160999307e-05).epsilon(1e-10));
}

TEST_CASE("derivatives of betaln where one operand dwarfs the other") {
  auto const f = kt::function([](kt::dvector a, kt::dvector b) {
    auto const y = sum(betaln(a, b));
    auto const [by_a, by_b] = grad(y, a, b);
    return std::tuple(by_a, by_b, grad(sum(by_a), a), grad(sum(by_a), b));
  });
  auto const [by_a, by_b, twice, mixed] = f(vec<double>{1e10, 3, 1e-3}, vec<double>{1e-3, 1e-12, 1e10});
  auto const near = [](double got, double exact) { CHECK(got == Approx(exact).epsilon(1e-14).margin(0)); };
  near(by_a(0), -1.0000000000499501e-13);
  near(by_b(0), -1023.6014228617008);
  near(twice(0), 1.0000000000999001e-23);
  near(mixed(0), -1.0000000000499e-10);
  near(by_a(1), -3.949340668481494e-13);
  near(by_b(1), -1000000000001.5);
  near(twice(1), 1.541138063191291e-13);
  near(mixed(1), -0.3949340668480723);
  near(by_a(2), -1023.6014228617008);
  near(by_b(2), -1.0000000000499501e-13);
  near(twice(2), 1000001.6425331957);
  near(mixed(2), -1.0000000000499e-10);
}
