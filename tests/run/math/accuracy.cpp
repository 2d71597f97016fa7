// Formulas as one writes them naively come out accurate over the whole range in which their result is representable, and so do
// their first gradients. References are stable formulas in long double.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/kroton.hpp>

#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

using real = long double;

real softplus(real x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))); }
real sigmoid(real x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
real logerfc(real x) { return std::abs(x) < 0.5L ? std::log1p(-std::erf(x)) : std::log(std::erfc(x)); }
real log1mexp(real x) { return x > -0.7L ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x)); }

template <class T>
std::vector<T> points(double from, double to, int count) {
  std::vector<T> x;
  for (int i = 0; i <= count; ++i) x.push_back(static_cast<T>(from + (to - from) * i / count));
  for (int e = -12; e <= 0; ++e)
    for (double s : {-1.0, 1.0})
      if (double const v = s * std::pow(10.0, e); v >= from && v <= to) x.push_back(static_cast<T>(v));
  return x;
}

// Compares y with the reference at x, where that is a normal number of T.
template <class T, class X, class Y, class Reference>
void check(char const* what, X const& x, Y const& y, Reference reference, double bound) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    real const expected = reference(static_cast<real>(x[i]));
    if (std::abs(expected) > std::numeric_limits<T>::max() || std::abs(expected) < std::numeric_limits<T>::min()) continue;
    INFO(what << " at " << x[i] << ": " << y(i) << " instead of " << static_cast<double>(expected));
    REQUIRE(std::abs(static_cast<real>(y(i)) - expected) <= bound * std::abs(expected));
  }
}

constexpr auto logistic = [](auto x) {
  auto p = 1 / (1 + exp(-x));
  auto y = std::tuple(log(1 + exp(x)), p, log(p), log(1 - p), exp(x) / (1 + exp(x)), 1 - p);
  auto slope = [&](auto v) { return grad(sum(v), x); };
  return std::tuple_cat(y, std::tuple(slope(std::get<0>(y)), slope(std::get<1>(y)), slope(std::get<2>(y)), slope(std::get<3>(y))));
};

template <class T>
void check_logistic(double reach, double bound) {
  auto const f = kt::function<kt::vector<T>>(logistic);
  auto const x = points<T>(-reach, reach, 1500);
  auto const [sp, p, lp, lq, q, one_minus, dsp, dp, dlp, dlq] = f(x);
  check<T>("log(1 + exp(x))", x, sp, softplus, bound);
  check<T>("1 / (1 + exp(-x))", x, p, sigmoid, bound);
  check<T>("log(p)", x, lp, [](real v) { return -softplus(-v); }, bound);
  check<T>("log(1 - p)", x, lq, [](real v) { return -softplus(v); }, bound);
  check<T>("exp(x) / (1 + exp(x))", x, q, sigmoid, bound);
  check<T>("1 - p", x, one_minus, [](real v) { return sigmoid(-v); }, bound);
  check<T>("gradient of log(1 + exp(x))", x, dsp, sigmoid, bound);
  check<T>("gradient of p", x, dp, [](real v) { return sigmoid(v) * sigmoid(-v); }, bound);
  check<T>("gradient of log(p)", x, dlp, [](real v) { return sigmoid(-v); }, bound);
  check<T>("gradient of log(1 - p)", x, dlq, [](real v) { return -sigmoid(v); }, bound);
}

constexpr auto differences = [](auto x) {
  auto y = std::tuple(exp(x) - 1, log(1 + x), 1 - erf(x), log(erfc(x)), log(1 - exp(x)));
  auto slope = [&](auto v) { return grad(sum(v), x); };
  return std::tuple_cat(y, std::tuple(slope(std::get<3>(y)), slope(std::get<4>(y))));
};

template <class T>
void check_differences(double reach, double bound) {
  auto const f = kt::function<kt::vector<T>>(differences);
  auto const x = points<T>(-reach, reach, 1500);
  auto const [em1, l1p, ec, lec, l1me, dlec, dl1me] = f(x);
  check<T>("exp(x) - 1", x, em1, [](real v) { return std::expm1(v); }, bound);
  check<T>("log(1 + x)", x, l1p, [](real v) { return v > -1 ? std::log1p(v) : 0.0L; }, bound);
  check<T>("1 - erf(x)", x, ec, [](real v) { return std::erfc(v); }, bound);
  check<T>("log(erfc(x))", x, lec, [](real v) { return std::erfc(v) > 0 ? logerfc(v) : 0.0L; }, bound);
  check<T>("log(1 - exp(x))", x, l1me, [](real v) { return v < 0 ? log1mexp(v) : 0.0L; }, bound);
  real const two_over_sqrt_pi = 1.12837916709551257389615890312154517L;
  check<T>("gradient of log(erfc(x))", x, dlec,
           [&](real v) { return std::erfc(v) > 0 ? -two_over_sqrt_pi * std::exp(-v * v) / std::erfc(v) : 0.0L; }, bound);
  check<T>("gradient of log(1 - exp(x))", x, dl1me, [](real v) { return v < 0 ? -1 / std::expm1(-v) : 0.0L; }, bound);
}

}  // namespace

TEST_CASE("logistic formulas are accurate") {
  check_logistic<double>(740, 1e-14);
  check_logistic<float>(100, 1e-6);
}

TEST_CASE("differences of nearly equal values are accurate") {
  check_differences<double>(100, 1e-14);
  check_differences<float>(80, 1e-6);
}

TEST_CASE("sums of exponentials neither overflow nor vanish") {
  constexpr auto f = [](kt::dvector x) {
    auto lse = log(sum(exp(x)));
    return std::tuple(lse, exp(x) / sum(exp(x)), log(exp(x) / sum(exp(x))), grad(lse, x));
  };
  auto const call = kt::function(f);
  for (double shift : {0.0, 1000.0, -1000.0}) {
    std::vector<double> const x{shift + 1, shift - 2, shift + 3.5, shift + 3.25, shift - 700};
    auto const [lse, p, lp, g] = call(x);
    real total = 0;
    for (double v : x) total += std::exp(static_cast<real>(v) - shift);
    real const expected = shift + std::log(total);
    CHECK(std::abs(lse - expected) <= 1e-14L * std::abs(expected));
    for (std::size_t i = 0; i < x.size(); ++i) {
      real const q = std::exp(static_cast<real>(x[i]) - expected);
      CHECK(std::abs(p(i) - q) <= 4e-14L * q);
      CHECK(std::abs(g(i) - q) <= 4e-14L * q);
      CHECK(std::abs(lp(i) - (static_cast<real>(x[i]) - expected)) <= 1e-14L * std::abs(static_cast<real>(x[i]) - expected));
    }
  }
  std::vector<double> const none{-INFINITY, -INFINITY};
  CHECK(std::get<0>(call(none)) == -INFINITY);
}
