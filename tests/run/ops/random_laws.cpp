// Distributions: moments and goodness of fit of a million numbers each (of 300,000 where the
// sampler is the same), from fixed seeds. Bounds are those that one test of a thousand exceeds.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

using numbers = xt::xtensor<double, 1>;

/// The largest distance between the distribution function of numbers and `below`, times the root of
/// their number. (Kolmogorov and Smirnov)
template <class Below>
double distance(numbers x, Below below) {
  std::sort(x.begin(), x.end());
  double const n = static_cast<double>(x.size());
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double const p = below(x(i)), at = static_cast<double>(i);
    most = std::max({most, p - at / n, (at + 1) / n - p});
  }
  return most * std::sqrt(n);
}
constexpr double largest_distance = 1.95;  // exceeded with probability 0.001

/// (chi squared - degrees) / sqrt(2 degrees) of counts 0, 1 ... against probabilities; cells of
/// fewer than ten are joined.
template <class Probability>
double excess(numbers const& x, int cells, Probability probability) {
  std::vector<double> met(static_cast<std::size_t>(cells) + 1);
  for (double const v : x) ++met[std::min(static_cast<std::size_t>(v), met.size() - 1)];
  double const n = static_cast<double>(x.size());
  double sum = 0, rest_met = met.back(), rest_wanted = n;
  int degrees = 0;
  for (int k = 0; k < cells; ++k) {
    double const wanted = n * probability(k);
    rest_wanted -= wanted;
    if (wanted < 10) {
      rest_wanted += wanted;
      rest_met += met[static_cast<std::size_t>(k)];
      continue;
    }
    double const d = met[static_cast<std::size_t>(k)] - wanted;
    sum += d * d / wanted;
    ++degrees;
  }
  if (rest_wanted >= 10) {
    sum += (rest_met - rest_wanted) * (rest_met - rest_wanted) / rest_wanted;
    ++degrees;
  } else {
    CHECK(rest_met < 40);
  }
  --degrees;
  return (sum - degrees) / std::sqrt(2.0 * degrees);
}
constexpr double largest_excess =
    7;  // of one degree it is exceeded with probability 0.001, of more less often

/// Mean and variance, within five deviations of their own.
void check_moments(numbers const& x, double mean, double variance, double fourth) {
  double const n = static_cast<double>(x.size());
  double m = 0, v = 0;
  for (double const e : x) m += e;
  m /= n;
  for (double const e : x) v += (e - m) * (e - m);
  v /= n;
  CHECK(std::abs(m - mean) < 5 * std::sqrt(variance / n));
  CHECK(std::abs(v - variance) < 5 * std::sqrt((fourth - variance * variance) / n));
}

double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double poisson_at(int k, double mean) {
  return std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
}
double binomial_at(int k, int n, double p) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                  k * std::log(p) + (n - k) * std::log1p(-p));
}

template <class Stream>
void check_continuous(Stream s, std::size_t count) {
  auto f = kt::function(
      [](kt::lscalar n, kt::rng r) {
        return std::tuple{r.uniform(n),
                          r.normal(n),
                          r.exponential(n),
                          r.truncated_normal(n),
                          r.gamma(2., kt::size(n)),
                          r.gamma(0.5, kt::size(n)),
                          kt::cast<double>(r.uniform<float>(n)),
                          kt::cast<double>(r.normal<float>(n))};
      },
      s, kt::mode::interpret);
  auto const [u, z, e, t, g2, g1, uf, zf] = f(static_cast<std::int64_t>(count));
  check_moments(u, 0.5, 1. / 12, 1. / 80);
  CHECK(distance(u, [](double x) { return x; }) < largest_distance);
  CHECK(distance(uf, [](double x) { return x; }) < largest_distance);
  check_moments(z, 0, 1, 3);
  CHECK(distance(z, normal_below) < largest_distance);
  CHECK(distance(zf, normal_below) < largest_distance);
  check_moments(e, 1, 1, 9);
  CHECK(distance(e, [](double x) { return -std::expm1(-x); }) < largest_distance);
  // The deviation is 1 although the distribution was cut at two of the normal one's.
  double const cut = normal_below(-2), d = 0.87962566103423978;
  check_moments(t, 0, 1, 2.37);  // 2.3657, rounded up
  CHECK(distance(t, [&](double x) { return (normal_below(x * d) - cut) / (1 - 2 * cut); }) <
        largest_distance);
  check_moments(g2, 2, 2, 24);
  CHECK(distance(g2, [](double x) { return -std::expm1(-x) - x * std::exp(-x); }) <
        largest_distance);
  check_moments(g1, 0.5, 0.5, 3.75);
  CHECK(distance(g1, [](double x) { return std::erf(std::sqrt(x)); }) < largest_distance);
  // Numbers of neighbours do not depend on each other.
  double const n = static_cast<double>(count);
  double product = 0;
  for (std::size_t i = 1; i < count; ++i) product += z(i - 1) * z(i);
  CHECK(std::abs(product) < 4 * std::sqrt(n));
}

template <class Stream>
void check_discrete(Stream s, std::size_t count) {
  auto f = kt::function(
      [](kt::lscalar n, kt::rng r) {
        auto const real = [](auto x) { return kt::cast<double>(x); };
        auto const p = kt::constant({0.1, 0.2, 0.3, 0.1, 0.1, 0.2});
        return std::tuple{real(r.bernoulli(0.3, kt::size(n))),
                          real(r.binomial(12, 0.4, kt::size(n))),
                          real(r.binomial(400, 0.7, kt::size(n))),
                          real(r.poisson(3., kt::size(n))),
                          real(r.poisson(50., kt::size(n))),
                          real(r.randint(0, 6, kt::size(n))),
                          real(r.choice(6, kt::size(n), p)),
                          real(r.multinomial(7, p, kt::size(n))),
                          real(r.permutation(n)),
                          real(r.choice(6, n))};
      },
      s, kt::mode::interpret);
  auto const [b, few, many, p3, p50, six, chosen, counts, order, chosen_alike] =
      f(static_cast<std::int64_t>(count));
  double const weights[] = {0.1, 0.2, 0.3, 0.1, 0.1, 0.2};
  auto const weight = [&](int k) { return weights[k]; };
  CHECK(excess(b, 2, [](int k) { return k == 1 ? 0.3 : 0.7; }) < largest_excess);
  check_moments(few, 4.8, 2.88, 3 * 2.88 * 2.88 + 2.88 * (1 - 6 * 0.24));
  CHECK(excess(few, 13, [](int k) { return binomial_at(k, 12, 0.4); }) < largest_excess);
  check_moments(many, 280, 84, 3 * 84 * 84 + 84 * (1 - 6 * 0.21));
  CHECK(excess(many, 401, [](int k) { return binomial_at(k, 400, 0.7); }) < largest_excess);
  check_moments(p3, 3, 3, 30);
  CHECK(excess(p3, 40, [](int k) { return poisson_at(k, 3); }) < largest_excess);
  check_moments(p50, 50, 50, 7550);
  CHECK(excess(p50, 150, [](int k) { return poisson_at(k, 50); }) < largest_excess);
  CHECK(excess(six, 6, [](int) { return 1. / 6; }) < largest_excess);
  CHECK(excess(chosen_alike, 6, [](int) { return 1. / 6; }) < largest_excess);
  CHECK(excess(chosen, 6, weight) < largest_excess);
  for (std::size_t k = 0; k < 6; ++k) {
    numbers const column = xt::view(counts, xt::all(), k);
    CHECK(excess(column, 8, [&](int c) { return binomial_at(c, 7, weights[k]); }) < largest_excess);
  }
  // A permutation has each position once, and does not keep any order: the correlation with the
  // position vanishes.
  std::vector<bool> met(count);
  double const n = static_cast<double>(count);
  double product = 0;
  double const middle = (n - 1) / 2;
  for (std::size_t i = 0; i < count; ++i) {
    met[static_cast<std::size_t>(order(i))] = true;
    product += (order(i) - middle) * (static_cast<double>(i) - middle);
  }
  CHECK(std::count(met.begin(), met.end(), true) == static_cast<std::ptrdiff_t>(count));
  CHECK(std::abs(product / n / (n * n / 12)) < 4 / std::sqrt(n));
}

}  // namespace

TEST_CASE("random: continuous distributions of Philox") {
  check_continuous(kt::philox_streams(1), 1000000);
}
TEST_CASE("random: continuous distributions of MRG31k3p") {
  check_continuous(kt::mrg_random_streams(1), 300000);
}
TEST_CASE("random: continuous distributions of MT19937") {
  check_continuous(kt::random_streams(1), 300000);
}
TEST_CASE("random: discrete distributions of Philox") {
  check_discrete(kt::philox_streams(2), 1000000);
}
TEST_CASE("random: discrete distributions of MRG31k3p") {
  check_discrete(kt::mrg_random_streams(2), 300000);
}
TEST_CASE("random: discrete distributions of MT19937") {
  check_discrete(kt::random_streams(4), 300000);
}

TEST_CASE("random: distinct positions are drawn by their weights") {
  kt::philox_streams s(3);
  auto f = kt::function(
      [](kt::dvector weights, kt::dvector lanes, kt::rng r) {
        auto const pairs = kt::vmap([=](kt::dscalar) {
          return r.choice(4, kt::size(2), weights, kt::replace<false>);
        })(lanes);
        return std::pair{
            kt::cast<double>(pairs),
            kt::cast<double>(kt::vmap([=](kt::dscalar) { return r.permutation(3); })(lanes))};
      },
      s, kt::mode::interpret);
  xt::xtensor<double, 1> const w{0.1, 0.2, 0.3, 0.4}, lanes = xt::zeros<double>({200000});
  auto const [pairs, orders] = f(w, lanes);
  numbers of_pairs = xt::zeros<double>({200000}), of_orders = xt::zeros<double>({200000});
  for (std::size_t i = 0; i < of_pairs.size(); ++i) {
    of_pairs(i) = 4 * pairs(i, 0) + pairs(i, 1);
    of_orders(i) = 3 * orders(i, 0) + orders(i, 1);
  }
  CHECK(excess(of_pairs, 16, [&](int k) {
          auto const a = static_cast<std::size_t>(k / 4), b = static_cast<std::size_t>(k % 4);
          return a == b ? 0 : w(a) * w(b) / (1 - w(a));
        }) < largest_excess);
  CHECK(excess(of_orders, 9, [](int k) { return k / 3 == k % 3 ? 0 : 1. / 6; }) < largest_excess);
}
