// First and second derivatives of compound formulas: arithmetic, powers, choices, what optimizers like to rewrite.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/gradients.hpp"

using namespace gradients;

TEST_CASE("derivatives of arithmetic") {
  auto f = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return 3 * v + v * v - v / 4; }, [](auto v) { return v * v * v - 2 * v; }, [](auto v) { return 1 / (1 + v * v); },
        [](auto v) { return (v - 1) / (v + 5); }, [](auto v) { return sqr(v) * inv(v + 4); }, [](auto v) { return -(-v) * (v + 1) * (v - 2); },
        [](auto v) { return v / (v * v + 1) / (v + 6); }, [](auto v) { return (v + 1) * (v + 1) / (2 + v * v); });
  });
  check(f, -2, 2);
}

TEST_CASE("derivatives of powers") {
  auto f = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return pow(v, 2); }, [](auto v) { return pow(v, 3); }, [](auto v) { return pow(v, -2); }, [](auto v) { return pow(v, 0.5); },
        [](auto v) { return pow(v, 2.7); }, [](auto v) { return pow(2, v); }, [](auto v) { return pow(v, v); }, [](auto v) { return pow(v, 10) + v; });
  });
  check(f, 0.5, 1.5, 1e-7);
}

TEST_CASE("derivatives of nested functions") {
  auto f = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return sin(v * exp(-v)); }, [](auto v) { return log(1 + exp(v)); }, [](auto v) { return 1 / (1 + exp(-v)); },
        [](auto v) { return log(1 / (1 + exp(-v))); }, [](auto v) { return log(1 - 1 / (1 + exp(-v))); }, [](auto v) { return tanh(v) * tanh(v); },
        [](auto v) { return exp(sin(v)) * cos(v); }, [](auto v) { return sqrt(1 + v * v); });
  });
  check(f, -2, 2);
  auto g = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return log(v) * sqrt(v); }, [](auto v) { return exp(log(v) * 2); }, [](auto v) { return log(exp(v) * v); },
        [](auto v) { return sqrt(sqr(v)) * v; }, [](auto v) { return v * log(v) + (4 - v) * log(4 - v); }, [](auto v) { return erf(v) * exp(-v * v); });
  });
  check(g, 0.5, 2.5);
}

TEST_CASE("derivatives of choices, away from their ties") {
  auto f = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return maximum(v * v, v); }, [](auto v) { return minimum(sin(v), 0.3); }, [](auto v) { return abs(v) * v; },
        [](auto v) { return where(v > 0.1, v * v, exp(v)); }, [](auto v) { return clip(v * v * v, -0.4, 0.5); }, [](auto v) { return sgn(v) * v * v; },
        [](auto v) { return v % 0.7; }, [](auto v) { return floor(v) * v + v * v; });
  });
  // The points are chosen off the kinks by the offset of the grid.
  vec<double> const x{-1.55, -1.21, -0.63, -0.31, 0.05, 0.21, 0.53, 0.88, 1.35};
  auto const r = f(x);
  double const h = 1e-4;
  auto const up = f(x + h), down = f(x - h);
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    auto one = [&]<std::size_t k>(std::integral_constant<std::size_t, k>) {
      CAPTURE(k / 3, k % 3);
      if constexpr (k % 3 != 0)
        CHECK(mismatch(std::get<k>(r), [&](I i) { return (std::get<k - 1>(up)(i) - std::get<k - 1>(down)(i)) / (2 * h); }, 1e-6, 1e-6) == "");
    };
    (one(std::integral_constant<std::size_t, K>{}), ...);
  }(std::make_index_sequence<24>{});
}

TEST_CASE("a third derivative, and derivatives of scalars and floats") {
  auto f = kt::function([](kt::dscalar x) {
    auto const y = exp(x) * sin(x);
    auto const g = grad(y, x);
    auto const h = grad(g, x);
    return std::tuple(y, g, h, grad(h, x));
  });
  double const v = 0.7;
  auto const [y, g, h, t] = f(v);
  CHECK(close(y, std::exp(v) * std::sin(v), 1e-14));
  CHECK(close(g, std::exp(v) * (std::sin(v) + std::cos(v)), 1e-14));
  CHECK(close(h, 2 * std::exp(v) * std::cos(v), 1e-13));
  CHECK(close(t, 2 * std::exp(v) * (std::cos(v) - std::sin(v)), 1e-13));
  auto s = kt::function([](kt::fvector x) { return grad(sum(tanh(x) * x), x); });
  static_assert(std::is_same_v<decltype(s(vec<float>{1})), vec<float>>);
  vec<float> const x{-1.f, 0.25f, 2.f};
  CHECK(mismatch(s(x), [&](I i) { double const p = x(i); return std::tanh(p) + p * (1 - std::tanh(p) * std::tanh(p)); }, 1e-6) == "");
}
