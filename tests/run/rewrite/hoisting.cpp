// Views that had sunk below functions of elements are lifted: what is computed for pairs is not
// computed again for triples, however the two are written.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <cmath>
#include <string_view>

using namespace reference;

namespace {

/// How many nodes of an op an optimized graph has, of some rank or of any.
int count(kt::graph const& g, std::string_view op, int rank = -1) {
  int found = 0;
  for (int id = 0; id < g.size(); ++id)
    found += g[id].op->name == op && (rank < 0 || g.type(id).rank == rank) ? 1 : 0;
  return found;
}

/// The log-likelihood of a mixture of Gaussians of n points, k components and d coordinates, in
/// four layouts.
constexpr auto of_points = [](auto x, auto mean, auto precision, auto weight) {
  auto difference = kt::dimshuffle<0, 'x', 1>(x) - kt::dimshuffle<'x', 0, 1>(mean);
  return sum(
      logsumexp(weight - 0.5 * sum(sqr(difference) * precision, kt::axis<2>), kt::axis<1>));
};
constexpr auto of_components = [](auto x, auto mean, auto precision, auto weight) {
  auto difference = kt::dimshuffle<'x', 0, 1>(x) - kt::dimshuffle<0, 'x', 1>(mean);
  auto distance = sum(sqr(difference) * kt::dimshuffle<0, 'x', 1>(precision), kt::axis<2>);
  return sum(logsumexp(kt::dimshuffle<0, 'x'>(weight) - 0.5 * distance, kt::axis<0>));
};
constexpr auto of_columns = [](auto x, auto mean, auto precision, auto weight) {
  auto difference = kt::dimshuffle<1, 0, 'x'>(x) - kt::dimshuffle<1, 'x', 0>(mean);
  auto distance = sum(sqr(difference) * kt::dimshuffle<1, 'x', 0>(precision), kt::axis<0>);
  return sum(logsumexp(weight - 0.5 * distance, kt::axis<1>));
};
constexpr auto of_slices = [](auto x, auto mean, auto precision, auto weight) {
  return sum(kt::vmap<0>([&](auto point) {
    return logsumexp(kt::vmap<0, 1, 2>([&](auto m, auto p, auto w) {
      return w - 0.5 * sum(p * sqr(point - m));
    })(mean, precision, weight));
  })(x));
};
template <auto Likelihood>
constexpr auto with_gradients = [](kt::dmatrix x, kt::dmatrix mean, kt::dmatrix precision,
                                   kt::dvector weight) {
  auto value = Likelihood(x, mean, precision, weight);
  auto [by_mean, by_precision, by_weight] = grad(value, mean, precision, weight);
  return std::tuple(value, by_mean, by_precision, by_weight);
};


struct mixture {
  double value = 0;
  mat<double> by_mean, by_precision;
  vec<double> by_weight;

  mixture(mat<double> const& x, mat<double> const& mean, mat<double> const& precision,
          vec<double> const& weight)
      : by_mean(xt::zeros_like(mean)),
        by_precision(xt::zeros_like(mean)),
        by_weight(xt::zeros_like(weight)) {
    std::size_t const k = mean.shape(0), d = mean.shape(1);
    for (std::size_t i = 0; i < x.shape(0); ++i) {
      std::vector<double> e(k);
      double sum = 0;
      for (std::size_t c = 0; c < k; ++c) {
        e[c] = weight(c);
        for (std::size_t a = 0; a < d; ++a)
          e[c] -= 0.5 * precision(c, a) * std::pow(x(i, a) - mean(c, a), 2);
        sum += std::exp(e[c]);
      }
      value += std::log(sum);
      for (std::size_t c = 0; c < k; ++c) {
        double const share = std::exp(e[c]) / sum;
        by_weight(c) += share;
        for (std::size_t a = 0; a < d; ++a) {
          double const difference = x(i, a) - mean(c, a);
          by_mean(c, a) += share * precision(c, a) * difference;
          by_precision(c, a) -= 0.5 * share * difference * difference;
        }
      }
    }
  }
};
mat<double> numbers(std::size_t n, std::size_t d, double shift, double scale) {
  mat<double> x(std::array<std::size_t, 2>{n, d});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.flat(i) = shift + scale * std::sin(double(i * 7919 % 10'007));
  return x;
}

template <auto Likelihood>
void check_mixture() {
  auto const f = kt::function(with_gradients<Likelihood>);
  for (std::size_t n : {1, 7, 200})
    for (std::size_t k : {1, 4, 6, 9})
      for (std::size_t d : {1, 2, 3, 8}) {
        CAPTURE(n, k, d);
        mat<double> const x = numbers(n, d, 0, 1), mean = numbers(k, d, 0.1, 0.7),
                     precision = numbers(k, d, 1.5, 0.5);
        vec<double> const weight = xt::linspace<double>(-1, 1, k);
        mixture const expected(x, mean, precision, weight);
        auto const [value, by_mean, by_precision, by_weight] = f(x, mean, precision, weight);
        CHECK(std::abs(value - expected.value) < 1e-10 * static_cast<double>(n));
        CHECK((xt::allclose(by_mean, expected.by_mean, 1e-10, 1e-10)));
        CHECK((xt::allclose(by_precision, expected.by_precision, 1e-10, 1e-10)));
        CHECK((xt::allclose(by_weight, expected.by_weight, 1e-10, 1e-10)));
      }
}
template <auto Likelihood>
kt::graph optimized_mixture() {
  kt::runtime::graph g;
  auto const x = g.input<double, 2>("x"), mean = g.input<double, 2>("mean"),
             precision = g.input<double, 2>("precision");
  auto const weight = g.input<double, 1>("weight");
  std::apply([&](auto const&... each) { (g.recording().results().push_back(each.id), ...); },
             with_gradients<Likelihood>(x, mean, precision, weight));
  return kt::optimize(g.recording(), kt::stage::specialize);
}

}  // namespace

TEST_CASE("hoisting: a mixture of Gaussians computes its exponentials once", "[rewrite]") {
  for (kt::graph const& g :
       {optimized_mixture<of_points>(), optimized_mixture<of_components>(),
        optimized_mixture<of_columns>(), optimized_mixture<of_slices>()}) {
    CHECK(count(g, "exp") == 1);
    CHECK(count(g, "exp", 2) == 1);
    CHECK(count(g, "inv") == 1);
  }
}
TEST_CASE("hoisting: mixtures of Gaussians in four layouts", "[rewrite]") {
  check_mixture<of_points>();
  check_mixture<of_components>();
  check_mixture<of_columns>();
  check_mixture<of_slices>();
}
/// One scale a component: what the gradient by scales multiplies varies along no coordinate.
constexpr auto of_scaled_slices = [](kt::dmatrix x, kt::dmatrix mean, kt::dvector scale) {
  auto value = sum(kt::vmap<0>([&](auto point) {
    auto z = (point - mean) * kt::dimshuffle<0, 'x'>(exp(-scale));
    return logsumexp(-0.5 * sum(sqr(z), kt::axis<1>) - scale);
  })(x));
  return std::tuple(value, grad(value, mean), grad(value, scale));
};
constexpr auto of_scaled_points = [](kt::dmatrix x, kt::dmatrix mean, kt::dvector scale) {
  auto difference = kt::dimshuffle<0, 'x', 1>(x) - mean;
  auto distance = sum(sqr(difference), kt::axis<2>) * exp(-2 * scale);
  auto value = sum(logsumexp(-0.5 * distance - scale, kt::axis<1>));
  return std::tuple(value, grad(value, mean), grad(value, scale));
};

TEST_CASE("hoisting: factors that are the same along an axis are multiplied without it",
          "[rewrite]") {
  kt::runtime::graph recorded;
  auto const x = recorded.input<double, 2>("x"), mean = recorded.input<double, 2>("mean");
  auto const scale = recorded.input<double, 1>("scale");
  std::apply([&](auto const&... each) { (recorded.recording().results().push_back(each.id), ...); },
             of_scaled_slices(x, mean, scale));
  kt::graph const g = kt::optimize(recorded.recording(), kt::stage::specialize);
  CHECK(count(g, "mul", 3) == 1);

  auto const slices = kt::function(of_scaled_slices);
  auto const points = kt::function(of_scaled_points);
  for (std::size_t n : {0, 1, 5, 40})
    for (std::size_t k : {1, 3}) {
      CAPTURE(n, k);
      mat<double> const data = numbers(n, 2, 0, 1), centre = numbers(k, 2, 0.1, 0.7);
      vec<double> const scales = xt::linspace<double>(-1, 1, k);
      auto const [value, by_mean, by_scale] = slices(data, centre, scales);
      auto const [expected, expected_by_mean, expected_by_scale] = points(data, centre, scales);
      CHECK(value == Approx(expected).epsilon(1e-12));
      CHECK((xt::allclose(by_mean, expected_by_mean, 1e-11, 1e-12)));
      CHECK((xt::allclose(by_scale, expected_by_scale, 1e-11, 1e-12)));
    }
}

/// Distances from the mean of a group, as users of segments write it.
constexpr auto of_groups = [](kt::dmatrix x, kt::lvector group) {
  auto zeros = kt::zeros<double>(4, x.shape(1));
  auto total = kt::inc_subtensor(zeros(group), x);
  auto count = kt::inc_subtensor(kt::zeros<double>(4)(group), ones_like(group) * 1.0);
  auto mean = total / kt::dimshuffle<0, 'x'>(maximum(count, 1.0));
  auto value = sum(sqr(x - take(mean, group, kt::axis<0>)));
  return std::tuple(value, grad(value, x));
};

TEST_CASE("hoisting: what is computed of groups is computed once a group", "[rewrite]") {
  kt::runtime::graph recorded;
  auto const x = recorded.input<double, 2>("x");
  auto const group = recorded.input<std::int64_t, 1>("group");
  std::apply([&](auto const&... each) { (recorded.recording().results().push_back(each.id), ...); },
             of_groups(x, group));
  kt::graph const g = kt::optimize(recorded.recording(), kt::stage::specialize);
  CHECK(count(g, "take") == 2);
  CHECK(count(g, "maximum") == 1);
  for (int id = 0; id < g.size(); ++id)
    if (g[id].op->name == "take") CHECK(g[g.input_of(id, 0)].op->name == "mul");

  auto const f = kt::function(of_groups);
  for (std::size_t n : {0, 1, 7, 50}) {
    CAPTURE(n);
    mat<double> const data = numbers(n, 3, 0, 1);
    xt::xtensor<std::int64_t, 1> groups(std::array{n});
    for (std::size_t i = 0; i < n; ++i) groups(i) = static_cast<std::int64_t>(i * i % 3);
    mat<double> mean = xt::zeros<double>({4, 3}), slope(data);
    vec<double> sizes = xt::zeros<double>({4});
    for (std::size_t i = 0; i < n; ++i) {
      sizes(groups(i)) += 1;
      for (std::size_t a = 0; a < 3; ++a) mean(groups(i), a) += data(i, a);
    }
    double value = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < 3; ++a) {
        // The mean of these differences is 0, so that the mean's own gradient is.
        double const d = data(i, a) - mean(groups(i), a) / std::max(sizes(groups(i)), 1.0);
        value += d * d;
        slope(i, a) = 2 * d;
      }
    auto const [found, by_x] = f(data, groups);
    CHECK(found == Approx(value).epsilon(1e-12));
    CHECK((xt::allclose(by_x, slope, 1e-11, 1e-12)));
  }
}

/// Rows that are added to a table, and a function of the new rows: the table may have many more.
constexpr auto of_table = [](kt::dmatrix table, kt::lvector row, kt::dmatrix x) {
  auto updated = kt::inc_subtensor(table(row), x);
  return std::tuple(updated, sum(sqr(tanh(take(updated, row, kt::axis<0>)) - x)));
};

TEST_CASE("hoisting: of a table, functions are computed of the rows that are taken", "[rewrite]") {
  kt::runtime::graph recorded;
  auto const table = recorded.input<double, 2>("table"), x = recorded.input<double, 2>("x");
  auto const row = recorded.input<std::int64_t, 1>("row");
  std::apply([&](auto const&... each) { (recorded.recording().results().push_back(each.id), ...); },
             of_table(table, row, x));
  kt::graph const g = kt::optimize(recorded.recording(), kt::stage::specialize);
  CHECK(count(g, "tanh") == 1);
  for (int id = 0; id < g.size(); ++id)
    if (g[id].op->name == "tanh") CHECK(g[g.input_of(id, 0)].op->name == "take");

  mat<double> const start = numbers(5, 3, 0, 1), by = numbers(4, 3, 0.2, 0.5);
  xt::xtensor<std::int64_t, 1> const rows{1, 4, 1, -2};
  mat<double> expected = start;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t a = 0; a < 3; ++a)
      expected(static_cast<std::size_t>((rows(i) + 5) % 5), a) += by(i, a);
  double value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t a = 0; a < 3; ++a) {
      auto const row = static_cast<std::size_t>((rows(i) + 5) % 5);
      double const d = std::tanh(expected(row, a)) - by(i, a);
      value += d * d;
    }
  auto const [updated, found] = kt::function(of_table)(start, rows, by);
  CHECK((xt::allclose(updated, expected, 1e-14, 1e-14)));
  CHECK(found == Approx(value).epsilon(1e-13));
}

TEST_CASE("hoisting: functions of an element stay functions of this element", "[rewrite]") {
  auto const element = [](kt::dmatrix m, kt::lscalar i, kt::dvector v) {
    auto const x = take(take(m, i, kt::axis<0>), i, kt::axis<0>);
    return -exp(1.0 - sigmoid(x)) * v + tanh(-x);
  };
  mat<double> const m = numbers(4, 3, -0.5, 1);
  xt::xtensor<double, 1> const v{1, -2, 0.5};
  auto compiled = kt::function(element);
  auto interpreted = kt::function(element, kt::mode::interpret);
  for (std::int64_t i : {0, 2, -1}) {
    double const x = i < 0 ? m(3, 2) : m(static_cast<std::size_t>(i), static_cast<std::size_t>(i));
    xt::xtensor<double, 1> const expected =
        -std::exp(1 - 1 / (1 + std::exp(-x))) * v + std::tanh(-x);
    CHECK((xt::allclose(compiled(m, i, v), expected, 1e-13, 1e-13)));
    CHECK((xt::allclose(interpreted(m, i, v), expected, 1e-13, 1e-13)));
  }
}
