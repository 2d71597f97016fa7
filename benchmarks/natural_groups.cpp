// Costs of many points in space that belong to few groups, with their gradients, as different users
// write them: nearest centres, a mixture, a classifier of three features, distances from the means
// of groups. What the way of writing costs.
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/contest.hpp"

#include <kroton/kroton.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kt = kroton;

namespace {

using bench::nanoseconds;
using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;
using indices = xt::xtensor<std::int64_t, 1>;

constexpr std::size_t n = 2000, k = 8, d = 3;  // points, centres, coordinates

matrix places(std::size_t rows, std::size_t columns, double from) {
  matrix m(std::array{rows, columns});
  for (std::size_t i = 0; i < m.size(); ++i)
    m.flat(i) = std::sin(from + 1.3 * double(i)) + 0.3 * std::sin(double(i * 7919 % 10007));
  return m;
}

// ---- squared distances from the nearest of some centres
constexpr auto with_slope = [](auto cost, auto by) { return std::tuple(cost, kt::grad(cost, by)); };
constexpr auto nearest_by_rows = [](kt::dmatrix x, kt::dmatrix c) {
  auto distances = sum(sqr(kt::dimshuffle<0, 'x', 1>(x) - c), kt::axis<2>);
  return with_slope(sum(min(distances, kt::axis<1>)), c);
};
constexpr auto nearest_by_position = [](kt::dmatrix x, kt::dmatrix c) {
  auto distances = sum(sqr(kt::dimshuffle<0, 'x', 1>(x) - c), kt::axis<2>);
  return with_slope(sum(sqr(x - take(c, argmin(distances, kt::axis<1>), kt::axis<0>))), c);
};
constexpr auto nearest_of_points = [](kt::dmatrix x, kt::dmatrix c) {
  auto of_point = [&](kt::dvector p) { return min(sum(sqr(p - c), kt::axis<1>)); };
  return with_slope(sum(kt::vmap(of_point)(x)), c);
};
void nearest(bench::program& p) {
  bench::contest c(p, "distances from the nearest centre", nanoseconds("a point"),
                   "2,000 points in space, 8 centres", double(n));
  if (!c) return;
  matrix const x = places(n, d, 0.1), centres = places(k, d, 0.7);
  matrix slope = centres;
  double cost = 0;
  auto const values = [&] { return std::tuple(cost, slope); };
  c.tolerance(1e-10);
  c.add(
      "by hand",
      [&] {
        cost = 0;
        slope.fill(0);
        for (std::size_t i = 0; i < n; ++i) {
          double const* const at = &x(i, 0);
          double least = std::numeric_limits<double>::infinity();
          std::size_t nearest = 0;
          for (std::size_t j = 0; j < k; ++j) {
            double distance = 0;
            for (std::size_t a = 0; a < d; ++a)
              distance += (at[a] - centres(j, a)) * (at[a] - centres(j, a));
            if (distance < least) least = distance, nearest = j;
          }
          cost += least;
          for (std::size_t a = 0; a < d; ++a)
            slope(nearest, a) += 2 * (centres(nearest, a) - at[a]);
        }
      },
      values);
  auto const add = [&](char const* name, auto f) {
    c.add(name, [&, f] { f.into(std::tie(cost, slope), x, centres); }, values);
  };
  add("Kroton, min", kt::function(nearest_by_rows));
  add("Kroton, argmin", kt::function(nearest_by_position));
  add("Kroton, vmap", kt::function(nearest_of_points));
  c.measure();
}

// ---- the log-likelihood of a mixture of Gaussians of one scale each
constexpr auto with_slopes = [](auto cost, auto a, auto b) {
  return std::tuple(cost, kt::grad(cost, a), kt::grad(cost, b));
};
constexpr auto mixture_of_pairs = [](kt::dmatrix x, kt::dmatrix c, kt::dvector s) {
  auto z = (kt::dimshuffle<0, 'x', 1>(x) - c) / kt::dimshuffle<0, 'x'>(exp(s));
  auto terms = -0.5 * sum(sqr(z), kt::axis<2>) - 3 * s;
  return with_slopes(sum(logsumexp(terms, kt::axis<1>)), c, s);
};
constexpr auto mixture_multiplied_out = [](kt::dmatrix x, kt::dmatrix c, kt::dvector s) {
  auto squares = kt::dimshuffle<0, 'x'>(sum(sqr(x), kt::axis<1>)) + sum(sqr(c), kt::axis<1>);
  auto terms = -0.5 * (squares - 2 * dot(x, c.T())) * exp(-2 * s) - 3 * s;
  return with_slopes(sum(logsumexp(terms, kt::axis<1>)), c, s);
};
constexpr auto mixture_of_points = [](kt::dmatrix x, kt::dmatrix c, kt::dvector s) {
  auto of_point = [&](kt::dvector p) {
    auto z = (p - c) * kt::dimshuffle<0, 'x'>(exp(-s));
    return logsumexp(-0.5 * sum(sqr(z), kt::axis<1>) - 3 * s);
  };
  return with_slopes(sum(kt::vmap(of_point)(x)), c, s);
};
void mixture(bench::program& p) {
  bench::contest c(p, "a mixture of Gaussians", nanoseconds("a point"),
                   "2,000 points in space, 8 parts", double(n));
  if (!c) return;
  matrix const x = places(n, d, 0.1), centres = places(k, d, 0.7);
  vector const scales = xt::linspace<double>(-0.5, 0.5, k);
  matrix by_centres = centres;
  vector by_scales = scales;
  double value = 0;
  auto const values = [&] { return std::tuple(value, by_centres, by_scales); };
  c.tolerance(1e-9);
  auto const add = [&](char const* name, auto f) {
    c.add(
        name, [&, f] { f.into(std::tie(value, by_centres, by_scales), x, centres, scales); },
        values);
  };
  add("Kroton, pairs", kt::function(mixture_of_pairs));
  add("Kroton, multiplied out", kt::function(mixture_multiplied_out));
  add("Kroton, vmap", kt::function(mixture_of_points));
  c.measure();
}

// ---- a classifier of few features: the hinge loss
constexpr auto hinge = [](auto margins, auto w, auto b) {
  return with_slopes(mean(kt::relu(1 - margins)) + 0.01 * sum(sqr(w)), w, b);
};
constexpr auto hinge_by_dot = [](kt::dmatrix x, kt::dvector y, kt::dvector w, kt::dscalar b) {
  return hinge(y * (dot(x, w) + b), w, b);
};
constexpr auto hinge_by_sum = [](kt::dmatrix x, kt::dvector y, kt::dvector w, kt::dscalar b) {
  return hinge(y * (sum(x * w, kt::axis<1>) + b), w, b);
};
constexpr auto hinge_of_three = [](kt::dmatrix x, kt::dvector y, kt::fixed<double, 3> w,
                                   kt::dscalar b) { return hinge(y * (dot(x, w) + b), w, b); };
constexpr auto hinge_of_points = [](kt::dmatrix x, kt::dvector y, kt::dvector w, kt::dscalar b) {
  auto margin = [&](kt::dvector p, kt::dscalar label) { return label * (dot(p, w) + b); };
  return hinge(kt::vmap<0, 1>(margin)(x, y), w, b);
};
void classifier(bench::program& p) {
  bench::contest c(p, "a classifier of three features", nanoseconds("a point"), "2,000 points",
                   double(n));
  if (!c) return;
  matrix const x = places(n, d, 0.1);
  vector labels = xt::zeros<double>({n}), by_w = xt::zeros<double>({d});
  for (std::size_t i = 0; i < n; ++i) labels(i) = x(i, 0) + 0.2 * x(i, 1) > 0.1 ? 1 : -1;
  vector const w{0.3, -0.2, 0.1};
  double const b = 0.1;
  double cost = 0, by_b = 0;
  auto const values = [&] { return std::tuple(cost, by_w, by_b); };
  c.tolerance(1e-10);
  c.add(
      "by hand",
      [&] {
        cost = by_b = 0;
        double g0 = 0, g1 = 0, g2 = 0;
        for (std::size_t i = 0; i < n; ++i) {
          double const* const at = &x(i, 0);
          double const rest = 1 - labels(i) * (at[0] * w(0) + at[1] * w(1) + at[2] * w(2) + b),
                       by = rest > 0 ? -labels(i) / double(n) : 0;
          cost += rest > 0 ? rest / double(n) : 0;
          g0 += by * at[0], g1 += by * at[1], g2 += by * at[2], by_b += by;
        }
        by_w = vector{g0, g1, g2} + 0.02 * w;
        for (double each : w) cost += 0.01 * each * each;
      },
      values);
  auto const add = [&](char const* name, auto f) {
    c.add(name, [&, f] { f.into(std::tie(cost, by_w, by_b), x, labels, w, b); }, values);
  };
  add("Kroton, dot", kt::function(hinge_by_dot));
  add("Kroton, sum", kt::function(hinge_by_sum));
  add("Kroton, fixed", kt::function(hinge_of_three));
  add("Kroton, vmap", kt::function(hinge_of_points));
  c.measure();
}

// ---- squared distances from the means of groups
constexpr std::size_t members = 20'000;
constexpr int groups = 50;
constexpr auto spread_by_counts = [](kt::dvector x, kt::lvector of) {
  auto total = kt::inc_subtensor(kt::zeros<double>(groups)(of), x);
  auto count = kt::inc_subtensor(kt::zeros<double>(groups)(of), ones_like(x));
  auto mean = total / maximum(count, 1.0);
  return with_slope(sum(sqr(x - take(mean, of))), x);
};
constexpr auto spread_of_members = [](kt::dvector x, kt::lvector of) {
  auto total = kt::inc_subtensor(kt::zeros<double>(groups)(of), x);
  auto count = kt::inc_subtensor(kt::zeros<double>(groups)(of), ones_like(x));
  return with_slope(sum(sqr(x - take(total, of) / take(maximum(count, 1.0), of))), x);
};
void spread(bench::program& p) {
  bench::contest c(p, "distances from the means of groups", nanoseconds("a member"),
                   "20,000 members of 50 groups", double(members));
  if (!c) return;
  vector x = xt::zeros<double>({members}), slope = x;
  indices of = xt::zeros<std::int64_t>({members});
  for (std::size_t i = 0; i < members; ++i) {
    x(i) = std::sin(1.3 * double(i));
    of(i) = static_cast<std::int64_t>(i * i % 10007 % groups);
  }
  double value = 0;
  auto const values = [&] { return std::tuple(value, slope); };
  c.tolerance(1e-10);
  c.add(
      "by hand",
      [&] {
        double mean[groups]{}, count[groups]{};
        for (std::size_t i = 0; i < members; ++i) mean[of(i)] += x(i), count[of(i)] += 1;
        for (int g = 0; g < groups; ++g) mean[g] /= std::max(count[g], 1.0);
        double sum = 0;
        for (std::size_t i = 0; i < members; ++i) {
          double const difference = x(i) - mean[of(i)];
          sum += difference * difference;
          slope(i) = 2 * difference;
        }
        value = sum;
      },
      values);
  auto const add = [&](char const* name, auto f) {
    c.add(name, [&, f] { f.into(std::tie(value, slope), x, of); }, values);
  };
  add("Kroton, means", kt::function(spread_by_counts));
  add("Kroton, totals and counts", kt::function(spread_of_members));
  c.measure();
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("natural_groups", "natural_groups: points that belong to groups", argc, argv);
  nearest(p), mixture(p), classifier(p), spread(p);
  p.compare_forms("Kroton");
  return p.finish();
}
