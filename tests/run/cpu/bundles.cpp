// Loops that go together along a short axis: computations on all pairs of points, in every layout,
// against plain loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <sstream>
#include <tuple>
#include <vector>

using namespace reference;

namespace {

template <class T, std::size_t N>
using array = xt::xtensor<T, N>;

/// n points of d numbers.
template <class T>
array<T, 2> points(std::size_t n, std::size_t d, unsigned seed = 1) {
  array<T, 2> p(std::array<std::size_t, 2>{n, d});
  for (std::size_t i = 0; i < p.size(); ++i)
    p.flat(i) = static_cast<T>(std::sin(double(i * 7919 % 10'007 + seed)));
  return p;
}

/// Lets bundles go as one however small they are.
class small_bundles {
 public:
  small_bundles() { kt::cpu::machine::min_bundled = 0; }
  small_bundles(small_bundles const&) = delete;
  small_bundles& operator=(small_bundles const&) = delete;
  ~small_bundles() { kt::cpu::machine::min_bundled = usual_; }

 private:
  std::ptrdiff_t usual_ = kt::cpu::machine::min_bundled;
};

/// The sum of 1 / (1 + r^2)^3 over pairs, and its gradient by the first points.
struct attraction {
  double energy = 0;
  std::vector<double> forces;

  template <class T>
  attraction(array<T, 2> const& p, array<T, 2> const& q) : forces(p.size()) {
    std::size_t const d = p.shape(1);
    for (std::size_t i = 0; i < p.shape(0); ++i)
      for (std::size_t j = 0; j < q.shape(0); ++j) {
        double r2 = 0;
        for (std::size_t k = 0; k < d; ++k) r2 += std::pow(double(p(i, k)) - double(q(j, k)), 2);
        energy += std::pow(1 + r2, -3);
        for (std::size_t k = 0; k < d; ++k)
          forces[i * d + k] -= 6 * std::pow(1 + r2, -4) * (double(p(i, k)) - double(q(j, k)));
      }
  }
};
constexpr auto energy_of = [](auto r2) { return sum(pow(1 + r2, -3)); };

template <class T>
void check_near(T found, double expected) {
  double const bound = std::is_same_v<T, float> ? 2e-4 : 1e-11;
  CHECK(std::abs(double(found) - expected) <= bound * (1 + std::abs(expected)));
}

std::size_t const counts[] = {1, 7, 16, 37, 64, 530};

template <class T, class Matrix>
void check_layouts() {
  auto const by_rows = kt::function([](Matrix p, Matrix q) {
    auto e = energy_of(
        sum(sqr(kt::dimshuffle<0, 'x', 1>(p) - kt::dimshuffle<'x', 0, 1>(q)), kt::axis<2>));
    return std::tuple(e, kt::grad(e, p), kt::grad(e, q));
  });
  auto const by_columns = kt::function([](Matrix p, Matrix q) {
    auto e = energy_of(
        sum(sqr(kt::dimshuffle<0, 1, 'x'>(p) - kt::dimshuffle<0, 'x', 1>(q)), kt::axis<0>));
    return std::tuple(e, kt::grad(e, p), kt::grad(e, q));
  });
  auto const between = kt::function([](Matrix p, Matrix q) {
    auto e = energy_of(
        sum(sqr(kt::dimshuffle<0, 1, 'x'>(p) - kt::dimshuffle<'x', 1, 0>(q)), kt::axis<1>));
    return std::tuple(e, kt::grad(e, p), kt::grad(e, q));
  });
  for (std::size_t d = 1; d <= 9; ++d)
    for (std::size_t n : counts) {
      std::size_t const m = n > 100 ? 33 : n + 2;
      CAPTURE(d, n, m);
      array<T, 2> const p = points<T>(m, d), q = points<T>(n, d, 4);
      array<T, 2> const pt = xt::transpose(p), qt = xt::transpose(q);
      attraction const expected(p, q), other(q, p);
      auto const check = [&](auto const& result, bool transposed) {
        auto const& [e, gp, gq] = result;
        check_near(e, expected.energy);
        for (std::size_t k = 0; k < d; ++k) {
          for (std::size_t i = 0; i < m; ++i)
            check_near(transposed ? gp(k, i) : gp(i, k), expected.forces[i * d + k]);
          for (std::size_t j = 0; j < n; ++j)
            check_near(transposed ? gq(k, j) : gq(j, k), other.forces[j * d + k]);
        }
      };
      check(by_rows(p, q), false);
      check(by_columns(pt, qt), true);
      check(between(p, q), false);
      // Views with strides
      check(by_rows(xt::transpose(pt), xt::transpose(qt)), false);
      check(by_columns(xt::transpose(p), xt::transpose(q)), true);
    }
}

}  // namespace

TEST_CASE("energies and forces of pairs in every layout") { check_layouts<double, kt::dmatrix>(); }
TEST_CASE("energies and forces of pairs of floats in every layout") {
  small_bundles const all;
  check_layouts<float, kt::fmatrix>();
}

TEST_CASE("a matrix of kernels is stored, and read again, in a bundle") {
  small_bundles const all;
  auto const f = kt::function([](kt::dmatrix p, kt::dmatrix w) {
    auto const r2 =
        sum(sqr(kt::dimshuffle<0, 'x', 1>(p) - kt::dimshuffle<'x', 0, 1>(p)), kt::axis<2>);
    auto const k = exp(-r2 / 2);
    auto const e = sum(k * w);
    return std::tuple(k, kt::grad(e, p), max(r2, kt::axis<1>), sum(k, kt::axis<0>));
  });
  for (std::size_t d : {1u, 2u, 3u, 5u, 8u, 9u})
    for (std::size_t n : {3u, 16u, 41u, 128u}) {
      CAPTURE(d, n);
      auto const p = points<double>(n, d), w = points<double>(n, n, 3);
      array<double, 2> const wt = xt::transpose(w);
      for (bool transposed : {false, true}) {
        auto const [k, g, farthest, sums] = transposed ? f(p, xt::transpose(wt)) : f(p, w);
        for (std::size_t i = 0; i < n; ++i) {
          double most = 0, total = 0;
          std::vector<double> force(d);
          for (std::size_t j = 0; j < n; ++j) {
            double r2 = 0;
            for (std::size_t c = 0; c < d; ++c) r2 += std::pow(p(i, c) - p(j, c), 2);
            double const kernel = std::exp(-r2 / 2);
            check_near(k(i, j), kernel);
            most = std::max(most, r2), total += kernel;
            for (std::size_t c = 0; c < d; ++c)
              force[c] -= kernel * (w(i, j) + w(j, i)) * (p(i, c) - p(j, c));
          }
          check_near(farthest(i), most);
          check_near(sums(i), total);
          for (std::size_t c = 0; c < d; ++c) check_near(g(i, c), force[c]);
        }
      }
    }
}

TEST_CASE("pairs in several clouds, with a cutoff") {
  small_bundles const all;
  auto const f = kt::function([](kt::dtensor3 p) {
    auto const d = kt::dimshuffle<0, 1, 'x', 2>(p) - kt::dimshuffle<0, 'x', 1, 2>(p);
    auto const r2 = sum(d * d, kt::axis<3>);
    auto const near = r2 < 0.5;
    auto const e = sum(where(near, sqr(0.5 - r2), 0.), kt::axis<1, 2>);
    return std::tuple(e, near, kt::grad(sum(e), p));
  });
  for (std::size_t d : {1u, 2u, 3u, 4u, 9u})
    for (std::size_t n : {5u, 16u, 35u}) {
      CAPTURE(d, n);
      std::size_t const clouds = 3;
      array<double, 3> p(std::array<std::size_t, 3>{clouds, n, d});
      for (std::size_t i = 0; i < p.size(); ++i) p.flat(i) = std::sin(double(i * 7919 % 10'007));
      auto const [e, near, g] = f(p);
      for (std::size_t c = 0; c < clouds; ++c) {
        double energy = 0;
        for (std::size_t i = 0; i < n; ++i) {
          std::vector<double> force(d);
          for (std::size_t j = 0; j < n; ++j) {
            double r2 = 0;
            for (std::size_t k = 0; k < d; ++k) r2 += std::pow(p(c, i, k) - p(c, j, k), 2);
            CHECK(near(c, i, j) == (r2 < 0.5));
            if (r2 >= 0.5) continue;
            energy += std::pow(0.5 - r2, 2);
            for (std::size_t k = 0; k < d; ++k)
              force[k] -= 8 * (0.5 - r2) * (p(c, i, k) - p(c, j, k));
          }
          for (std::size_t k = 0; k < d; ++k) check_near(g(c, i, k), force[k]);
        }
        check_near(e(c), energy);
      }
    }
}

TEST_CASE("what has the short axis may be stored, and reduced over any axes") {
  small_bundles const all;
  auto const f = kt::function([](kt::dmatrix p, kt::dmatrix q) {
    auto const d = kt::dimshuffle<0, 'x', 1>(p) - kt::dimshuffle<'x', 0, 1>(q);
    auto const r = sqrt(sum(d * d, kt::axis<2>, kt::keepdims));
    auto const unit = d / (r + 1);
    return std::tuple(d, r, unit, sum(unit, kt::axis<0, 2>), sum(unit, kt::axis<1, 2>), max(unit));
  });
  for (std::size_t d = 1; d <= 9; ++d)
    for (std::size_t n : {1u, 16u, 21u, 550u}) {
      CAPTURE(d, n);
      std::size_t const m = 5;
      auto const p = points<double>(m, d), q = points<double>(n, d, 4);
      auto const [differences, r, units, by_q, by_p, most] = f(p, q);
      double largest = -1;
      std::vector<double> of_q(n), of_p(m);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          double r2 = 0;
          for (std::size_t k = 0; k < d; ++k) r2 += std::pow(p(i, k) - q(j, k), 2);
          check_near(r(i, j, 0), std::sqrt(r2));
          for (std::size_t k = 0; k < d; ++k) {
            double const unit = (p(i, k) - q(j, k)) / (std::sqrt(r2) + 1);
            check_near(differences(i, j, k), p(i, k) - q(j, k));
            check_near(units(i, j, k), unit);
            largest = std::max(largest, unit), of_q[j] += unit, of_p[i] += unit;
          }
        }
      check_near(most, largest);
      for (std::size_t j = 0; j < n; ++j) check_near(by_q(j), of_q[j]);
      for (std::size_t i = 0; i < m; ++i) check_near(by_p(i), of_p[i]);
    }
}

TEST_CASE("no points, and no coordinates") {
  small_bundles const all;
  auto const f = kt::function([](kt::dmatrix p) {
    auto const r2 =
        sum(sqr(kt::dimshuffle<0, 'x', 1>(p) - kt::dimshuffle<'x', 0, 1>(p)), kt::axis<2>);
    auto const e = energy_of(r2);
    return std::tuple(e, kt::grad(e, p));
  });
  auto const [none, no_forces] = f(points<double>(0, 3));
  CHECK(none == 0);
  CHECK(no_forces.size() == 0);
  auto const [every, no_coordinates] = f(points<double>(20, 0));
  CHECK(every == 400);
  CHECK(no_coordinates.size() == 0);
  if constexpr (runs_compiled) {
    auto const goes_as_one = [&](std::ptrdiff_t n, std::ptrdiff_t d) {
      std::ostringstream plan;
      kt::debugprint(f, plan, kt::shape(n, d));
      return plan.str().find("as one, batch by batch") != std::string::npos;
    };
    CHECK(goes_as_one(20, 3));
    CHECK(!goes_as_one(100, 9));
    CHECK(!goes_as_one(10, 3));
  }
}

TEST_CASE("points that are not numbers stay among their pairs") {
  small_bundles const all;
  auto const f = kt::function([](kt::dmatrix p) {
    auto const r2 =
        sum(sqr(kt::dimshuffle<0, 'x', 1>(p) - kt::dimshuffle<'x', 0, 1>(p)), kt::axis<2>);
    return sum(exp(-r2), kt::axis<1>);
  });
  auto p = points<double>(37, 3);
  auto const before = f(p);
  p(36, 1) = std::numeric_limits<double>::infinity();
  auto const after = f(p);
  // The last point is alone: to itself its distance is not a number.
  CHECK(std::isnan(after(36)));
  for (std::size_t i = 0; i < 36; ++i) CHECK(after(i) <= before(i));
}
