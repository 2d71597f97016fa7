// Exponentials that are multiples of each other, and what cancels then: Black and Scholes' formula and its derivatives.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/op_counts.hpp"
#include "run/reference.hpp"

using namespace reference;

namespace {

using kt::dscalar, kt::dvector, kt::mode::fast_run, kt::mode::ieee;
constexpr auto without = fast_run.excluding<"related_exponentials">();

/// Three ways to write the distribution function and the logarithm.
constexpr auto by_erfc = [](auto d) { return 0.5 * erfc(d * -0.70710678118654752); };
constexpr auto by_erf = [](auto d) { return 0.5 * (1 + erf(d / 1.4142135623730951)); };
constexpr auto of_quotient = [](auto a, auto b) { return log(a / b); };
constexpr auto of_difference = [](auto a, auto b) { return log(a) - log(b); };

constexpr auto call_price = [](auto spot, auto strike, auto time, auto rate, auto sigma, auto normal, auto logarithm) {
  auto const spread = sigma * sqrt(time);
  auto const d1 = (logarithm(spot, strike) + (rate + 0.5 * sigma * sigma) * time) / spread;
  auto const d2 = d1 - spread;
  return spot * normal(d1) - strike * exp(-rate * time) * normal(d2);
};
template <class S, auto Normal, auto Logarithm>
constexpr auto option = [](S spot, S strike, S time, S rate, S sigma) {
  auto const price = call_price(spot, strike, time, rate, sigma, Normal, Logarithm);
  auto const [delta, of_strike, theta, rho, vega] = grad(price, spot, strike, time, rate, sigma);
  return std::tuple(price, delta, of_strike, theta, rho, vega, grad(delta, spot));
};
constexpr auto gamma = [](dscalar s, dscalar k, dscalar t, dscalar r, dscalar v) {
  return grad(grad(call_price(s, k, t, r, v, by_erfc, of_quotient), s), s);
};
/// A price for each strike, and the derivative of their sum by the spot price.
constexpr auto chain = [](dscalar spot, dvector strikes, dscalar time, dscalar rate, dscalar sigma) {
  auto const prices = call_price(spot, strikes, time, rate, sigma, by_erfc, of_quotient);
  return std::tuple(prices, grad(sum(prices), spot), grad(sum(prices), strikes));
};
/// Gamma of each of several spot prices.
constexpr auto gammas = [](dvector spots, dscalar k, dscalar t, dscalar r, dscalar v) {
  return grad(sum(grad(sum(call_price(spots, k, t, r, v, by_erfc, of_quotient)), spots)), spots);
};

template <class... Ops, class F, class Mode, class... S>
int count(F f, Mode mode, std::type_identity<S>...) {
  return op_counts::count<Ops...>(op_counts::prepared<S...>(f, mode));
}
constexpr std::type_identity<dscalar> number;
constexpr std::type_identity<dvector> row;
template <class... Ops, class F, class Mode>
int count5(F f, Mode m) {
  return count<Ops...>(f, m, number, number, number, number, number);
}
namespace op = kt::op;

TEST_CASE("one exponential is left of densities") {
  CHECK(count5<op::exp>(option<dscalar, by_erfc, of_quotient>, fast_run) == 2);
  CHECK(count5<op::exp>(option<dscalar, by_erf, of_quotient>, fast_run) == 2);
  CHECK(count5<op::exp>(option<dscalar, by_erfc, of_difference>, fast_run) == 2);
  CHECK(count5<op::exp>(option<dscalar, by_erfc, of_quotient>, without) == 3);
  CHECK(count5<op::exp>(option<dscalar, by_erfc, of_quotient>, ieee) >= 3);
  // n(d1) / (spot * sigma * sqrt(time)), where d1 has two sums. No density is left in the derivatives by prices.
  CHECK(count5<op::exp>(gamma, fast_run) == 1);
  CHECK(count5<op::erfc>(gamma, fast_run) == 0);
  CHECK(count5<op::add, op::sub>(gamma, fast_run) < count5<op::add, op::sub>(gamma, without));
  CHECK(count<op::exp>(chain, fast_run, number, row, number, number, number) == 1);
  CHECK(count<op::exp>(gammas, fast_run, row, number, number, number, number) == 1);
  auto sums = [](auto mode) { return count<op::add, op::sub>(gammas, mode, row, number, number, number, number); };
  CHECK(sums(fast_run) < sums(without));
}

/// Differences of multiples of logarithms: quadratic in them, so that no rule sees that.
template <int Power>
constexpr auto quadratic = [](dscalar u, dscalar s) {
  auto const ratio = Power / 32. / s;
  return std::tuple(exp(ratio * sqr(log(u) - s)), exp(ratio * sqr(log(u) + s)), exp(ratio * sqr(log1p(u) - s)), exp(ratio * sqr(s + log1p(u))));
};
int left(auto f) { return count<op::exp>(f, fast_run, number, number); }

TEST_CASE("differences of multiples of logarithms leave few exponentials") {
  CHECK(left(quadratic<4>) == 2);
  CHECK(left(quadratic<8>) == 2);
  CHECK(left(quadratic<-16>) == 2);
  CHECK(left(quadratic<32>) == 2);
  CHECK(left(quadratic<3>) == 4);
  CHECK(left(quadratic<40>) == 4);
  // Others, of which some look alike.
  CHECK(left([](dscalar u, dscalar s) { return std::tuple(exp(sqr(log(u) + s)), exp(sqr(log(u) - s))); }) == 2);
  CHECK(left([](dscalar u, dscalar s) { return std::tuple(exp(s), exp(sqr(s) + log(u) * s)); }) == 2);
  CHECK(left([](dscalar u, dscalar s) { return std::tuple(exp(s + log(u) * log(u)), exp(s)); }) == 2);
  CHECK(left([](dscalar u, dscalar s) { return std::tuple(exp(1e200 * s * s), exp(sqr(1e200 * s) + log(u))); }) == 2);
}

struct greeks {
  long double price, delta, of_strike, theta, rho, vega, gamma;
};
greeks closed_form(long double s, long double k, long double t, long double r, long double v) {
  long double const root = std::sqrt(t), d1 = (std::log(s / k) + (r + v * v / 2) * t) / (v * root), d2 = d1 - v * root;
  auto normal = [](long double d) { return std::erfc(-d / std::sqrt(2.0L)) / 2; };
  long double const density = std::exp(-d1 * d1 / 2) / std::sqrt(2 * std::acos(-1.0L)), discount = std::exp(-r * t);
  return {s * normal(d1) - k * discount * normal(d2), normal(d1), -discount * normal(d2),
          s * density * v / (2 * root) + r * k * discount * normal(d2), t * k * discount * normal(d2), s * density * root, density / (s * v * root)};
}

TEMPLATE_TEST_CASE("the derivatives of Black and Scholes' formula", "", float, double) {
  using T = TestType;
  using S = kt::scalar<T>;
  auto check = [](auto const& f, double error) {
    vec<T> const a = numbers<T>(300, 3, 0, 1), b = numbers<T>(300, 4, 0, 1), c = numbers<T>(300, 5, 0, 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
      T const s = 80 + 40 * a(i), k = 80 + 40 * b(i), t = T(0.1) + 2 * c(i), r = T(0.1) * b(i) - T(0.02), v = T(0.1) + T(0.4) * a(i);
      CAPTURE(s, k, t, r, v);
      auto const [price, delta, of_strike, theta, rho, vega, gamma] = f(s, k, t, r, v);
      greeks const want = closed_form(s, k, t, r, v);
      CHECK(close(price, want.price, 0, 100 * error));
      CHECK(close(delta, want.delta, 0, error));
      CHECK(close(of_strike, want.of_strike, 0, error));
      CHECK(close(theta, want.theta, error, 100 * error));
      CHECK(close(rho, want.rho, error, 100 * error));
      CHECK(close(vega, want.vega, error, 100 * error));
      CHECK(close(gamma, want.gamma, error, error));
    }
  };
  double const error = sizeof(T) == 4 ? 2e-5 : 1e-13;
  check(kt::function(option<S, by_erfc, of_quotient>), error);
  check(kt::function(option<S, by_erf, of_difference>), error);
}

TEST_CASE("a vector of options, and gamma alone") {
  vec<double> const strikes = 80 + 20 * xt::abs(numbers<double>(33));
  auto const [prices, delta, of_strikes] = kt::function(chain)(100., strikes, 0.75, 0.03, 0.2);
  CHECK(mismatch(prices, [&](std::size_t i) { return static_cast<double>(closed_form(100, strikes(i), 0.75L, 0.03L, 0.2L).price); }, 1e-12) == "");
  CHECK(mismatch(of_strikes, [&](std::size_t i) { return static_cast<double>(closed_form(100, strikes(i), 0.75L, 0.03L, 0.2L).of_strike); }, 1e-13) == "");
  long double sum = 0;
  for (double k : strikes) sum += closed_form(100, k, 0.75L, 0.03L, 0.2L).delta;
  CHECK(close(delta, sum, 1e-13));
  CHECK(close(kt::function(gamma)(100., 95., 0.75, 0.03, 0.2), closed_form(100, 95, 0.75L, 0.03L, 0.2L).gamma, 1e-13));
}

TEST_CASE("exponentials that are powers times each other") {
  auto check = [](auto const& f, int power) {
    for (double u : {0.3, 1.0, 2.5})
      for (double s : {-0.7, 0.4, 1.6}) {
        CAPTURE(u, s, power);
        auto const [a, b, c, d] = f(u, s);
        double const ratio = power / 32. / s;
        CHECK(close(a, std::exp(ratio * std::pow(std::log(u) - s, 2)), 1e-13));
        CHECK(close(b, std::exp(ratio * std::pow(std::log(u) + s, 2)), 1e-13));
        CHECK(close(c, std::exp(ratio * std::pow(std::log1p(u) - s, 2)), 1e-13));
        CHECK(close(d, std::exp(ratio * std::pow(std::log1p(u) + s, 2)), 1e-13));
      }
    CHECK(std::isnan(std::get<0>(f(-2., 1.))));
    CHECK(std::isnan(std::get<1>(f(-2., 1.))));
    CHECK(std::isnan(std::get<3>(f(-2., 1.))));
  };
  check(kt::function(quadratic<4>), 4);
  check(kt::function(quadratic<-16>), -16);
  check(kt::function(quadratic<32>), 32);
  check(kt::function(quadratic<3>), 3);
}

TEST_CASE("a logarithm that only one of the exponentials has takes nothing from the other") {
  auto const f = kt::function([](dscalar u, dscalar s) { return std::tuple(exp(sqr(s) + log(u) - s * log(u) + log(u) * s), exp(sqr(s))); });
  for (double u : {-1.0, 0.0, 2.0}) CHECK(close(std::get<1>(f(u, 0.5)), std::exp(0.25), 1e-15));
  auto const g = kt::function([](dscalar u, dscalar s) { return std::tuple(exp(sqr(s)), exp((s + log(u)) * (s - log(u)) + sqr(log(u)) + log(u))); });
  for (double u : {-1.0, 0.0, 2.0}) CHECK(close(std::get<0>(g(u, 0.5)), std::exp(0.25), 1e-15));
  CHECK(close(std::get<1>(g(2., 0.5)), 2 * std::exp(0.25), 1e-15));
}

TEST_CASE("which of the two exponentials stays does not depend on their order") {
  constexpr auto one = [](dscalar u, dscalar x) { return std::tuple(exp(x + log(u)), exp(x)); };
  constexpr auto other = [](dscalar u, dscalar x) { return std::tuple(exp(x), exp(x + log(u))); };
  CHECK(left(one) == 1);
  CHECK(left(other) == 1);
  CHECK(close(std::get<0>(kt::function(one)(3., 0.5)), 3 * std::exp(0.5), 1e-15));
  CHECK(close(std::get<1>(kt::function(other)(3., 0.5)), 3 * std::exp(0.5), 1e-15));
}

TEST_CASE("at the logarithm of 0 nothing is lost") {
  auto const powers = kt::function([](dscalar x, dscalar k) { return std::tuple(exp(k * log(x)), exp((k - 1) * log(x))); });
  for (double k : {0.5, 1.5}) {
    CHECK(std::get<0>(powers(0., k)) == 0);
    CHECK(std::get<1>(powers(0., k)) == (k < 1 ? infinity : 0));
  }
  auto check = [](auto const& densities) {
    CHECK(std::get<0>(densities(0., 1.)) == 0);
    CHECK(std::get<1>(densities(0., 1.)) == 0);
  };
  check(kt::function([](dscalar u, dscalar s) { return std::tuple(exp(-sqr(log(u) - s) / (4 * s)), exp(-sqr(log(u) + s) / (4 * s))); }));
  check(kt::function([](dscalar u, dscalar s) { return std::tuple(exp(-sqr(log(u) + s) / (4 * s)), exp(-sqr(log(u) - s) / (4 * s))); }));
}

TEST_CASE("sums that have nothing to do with the exponentials stay as they are") {
  auto const f = kt::function([](dscalar u, dscalar s, dscalar x, dscalar y, dscalar z, dscalar p) {
    return std::tuple(exp(sqr(log(u) - s) / (4 * s)), exp(sqr(log(u) + s) / (4 * s)), x * (x - y) + 4 * sqr(x - y) + (z + 1) * p - z * p,
                      (x - y) * (x - z) + y * (x - y) + z * x);
  });
  auto const values = f(2., 0.5, 1e8 + 1, 1e8, 2., 1e-3);
  CHECK(close(std::get<2>(values), 1e8 + 5.001, 1e-15));
  CHECK(close(std::get<3>(values), 4e8 + 1., 1e-15));
}

TEST_CASE("exponentials of other extents are others") {
  auto const f = kt::function([](dvector y, dvector z, dscalar s, dscalar v) {
    return std::tuple(exp(s + (z + 1) * (z - 1) - sqr(z)), exp(s + log(v) + (y + 1) * (y - 1) - sqr(y)));
  });
  auto const [b, a] = f(numbers<double>(5), numbers<double>(3), 0.5, 2.);
  CHECK(b.size() == 3);
  CHECK(a.size() == 5);
}

// What would be a long way to multiply out, or a deep one, is left alone: the compiler has its limits.
template <int Steps>
constexpr auto deep = [](dscalar u, dscalar s) {
  auto h = u, q = s;
  for (int i = 0; i < Steps; ++i) {
    h = h * s + 0.01 * i;
    q = sqr(q) * 0.5 + u;
  }
  return std::tuple(exp(h), exp(q), exp(sqr(log(u) - s) / (4 * s)), exp(sqr(log(u) + s) / (4 * s)));
};

TEST_CASE("of deep sums, too") {
  CHECK(left(deep<100>) == 3);
}

TEST_CASE("what is left of a sum that cancels keeps its shape") {
  vec<double> const spots = 80 + 40 * xt::abs(numbers<double>(33));
  auto const got = kt::function(gammas)(spots, 100., 0.75, 0.03, 0.2);
  CHECK(got.size() == spots.size());
  CHECK(
      mismatch(got, [&](std::size_t i) { return static_cast<double>(closed_form(spots(i), 100, 0.75L, 0.03L, 0.2L).gamma); }, 1e-13) == "");
}

}  // namespace
