// First and second derivatives of every function of one variable.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/gradients.hpp"

using namespace gradients;

TEST_CASE("derivatives of exponentials and logarithms") {
  auto everywhere = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return exp(v); }, [](auto v) { return exp2(v); }, [](auto v) { return expm1(v); }, [](auto v) { return sigmoid(v); },
        [](auto v) { return softplus(v); }, [](auto v) { return logaddexp(v, 1 - v); }, [](auto v) { return exp(-v * v); });
  });
  check(everywhere, -3, 3);
  auto positive = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return log(v); }, [](auto v) { return log2(v); }, [](auto v) { return log10(v); }, [](auto v) { return log1p(v); },
        [](auto v) { return log1mexp(-v); }, [](auto v) { return sqrt(v); });
  });
  check(positive, 0.5, 4);
}

TEST_CASE("derivatives of trigonometric and hyperbolic functions") {
  auto everywhere = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return sin(v); }, [](auto v) { return cos(v); }, [](auto v) { return atan(v); }, [](auto v) { return sinh(v); },
        [](auto v) { return cosh(v); }, [](auto v) { return tanh(v); }, [](auto v) { return asinh(v); });
  });
  check(everywhere, -2, 2);
  auto inside = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return asin(v); }, [](auto v) { return acos(v); }, [](auto v) { return atanh(v); }, [](auto v) { return tan(v); },
        [](auto v) { return acosh(v + 2.5); }, [](auto v) { return atan2(v, 1 + v * v); }, [](auto v) { return atan2(1 - v, v); });
  });
  check(inside, -0.8, 0.8, 1e-7);
}

TEST_CASE("derivatives of the error functions") {
  auto f = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return erf(v); }, [](auto v) { return erfc(v); }, [](auto v) { return erfcx(v); }, [](auto v) { return logerfc(v); });
  });
  check(f, -1.5, 3);
}

TEST_CASE("the first derivative of gammaln is digamma") {
  auto f = kt::function([](kt::dvector x) { return std::tuple(gammaln(x), grad(sum(gammaln(x)), x)); });
  vec<double> const x{0.3, 1.0, 2.5, 7.0};
  double const h = 1e-3;
  auto const [up, a] = f(x + h);
  auto const [down, b] = f(x - h);
  auto const [up2, c] = f(x + 2 * h);
  auto const [down2, d] = f(x - 2 * h);
  auto const [y, g] = f(x);
  auto const &u = up, &v = down, &u2 = up2, &v2 = down2;
  CHECK(mismatch(g, [&](I i) { return (8 * (u(i) - v(i)) - (u2(i) - v2(i))) / (12 * h); }, 1e-6) == "");
}

TEST_CASE("derivatives of incomplete gamma functions by both operands") {
  auto f = kt::function([](kt::dvector x) {
    return derivatives(x, [](auto v) { return gammainc(2.5, v); }, [](auto v) { return gammaincc(v, 3); },
                       [](auto v) { return gammainc(v, v * v); });
  });
  check(f, 0.5, 5);
  auto second = kt::function([](kt::dscalar x) { return grad(grad(gammainc(1., x), x), x); });
  CHECK(second(1e-8) == Approx(-std::exp(-1e-8)).epsilon(1e-14));
}
