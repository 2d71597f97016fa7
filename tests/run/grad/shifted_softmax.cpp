// Gradients through softmaxes, written by hand, of which something is subtracted.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

#include <cmath>
#include <sstream>

namespace kt = kroton;

namespace {

using matrix = xt::xtensor<double, 2>;

constexpr auto quotient = [](auto u) { return exp(u) / sum(exp(u), kt::axis<1>, kt::keepdims); };
constexpr auto difference = [](auto u) { return u - log(sum(exp(u), kt::axis<1>, kt::keepdims)); };
constexpr auto largest = [](auto z) { return max(z, kt::axis<1>, kt::keepdims); };

/// The gradients of a cost of a softmax by its operand, its shift, and their difference.
template <auto softmax, class... Mode>
void check(matrix const& z, xt::xtensor<double, 2> const& c, matrix const& w, double sign,
           bool is_logarithm, Mode const&... mode) {
  auto const f = kt::function(
      [](kt::dmatrix z, kt::dcol c, kt::dmatrix w) {
        auto const u = z - c;
        auto const cost = sum(w * sqr(softmax(u, z, c)));
        return std::tuple_cat(std::tuple(cost), grad(cost, z, c));
      },
      mode...);
  auto const wanted =
      kt::function([](kt::dmatrix z, kt::dmatrix w, kt::dscalar sign, kt::dscalar by_log) {
        auto const cost = ifelse(by_log > 0, sum(w * sqr(log_softmax(sign * z))),
                                 sum(w * sqr(kt::softmax(sign * z))));
        return std::tuple(cost, grad(cost, z));
      });
  auto const [cost, by_z, by_c] = f(z, c, w);
  auto const [same_cost, same_by_z] = wanted(z, w, sign, is_logarithm ? 1. : 0.);
  CHECK(cost == Approx(same_cost).epsilon(1e-12));
  CHECK(xt::allclose(by_z, same_by_z, 1e-11, 1e-13));
  CHECK(xt::allclose(by_c, xt::zeros<double>({std::size_t{3}, std::size_t{1}}), 0, 1e-12));
}

constexpr auto cost = [](auto p, auto w) { return sum(sqr(dot(p, w))); };
template <auto softmax>
constexpr auto twice = [](kt::dmatrix z, kt::dmatrix w) {
  auto const g = grad(sum(w * softmax(z)), z);
  return grad(sum(w * sqr(g)), z);
};

}  // namespace

TEST_CASE("a softmax has no gradient by what is the same along its axes", "[grad]") {
  matrix const z{{1, 2, 3, -4}, {700, 710, 705, 711}, {-3, -3, -3, 0}}, c{{2}, {709}, {-1}},
      w{{1, -2, 0.5, 3}, {2, 2, 1, -1}, {0, 1, 4, 2}};
  auto all = [&](auto const&... mode) {
    check<[](auto u, auto, auto) { return quotient(u); }>(z, c, w, 1, false, mode...);
    check<[](auto, auto z, auto c) { return quotient(z - largest(z) + c - c); }>(z, c, w, 1, false,
                                                                                 mode...);
    check<[](auto, auto z, auto c) { return difference(c + (z - largest(z))); }>(z, c, w, 1, true,
                                                                                 mode...);
    check<[](auto, auto z, auto c) { return quotient(c - z); }>(z / 100, c / 100, w, -1, false,
                                                                mode...);
  };
  all();
  all(kt::mode::interpret);
}

TEST_CASE("gradients by what a softmax is made of, and of second order", "[grad]") {
  matrix const z{{1, 2, 3, -4}, {5, 0.5, 1, 1}}, w{{1, -2, 0.5, 3}, {2, 2, 1, -1}};
  // By the differences, by the exponentials.
  auto const f = kt::function([](kt::dmatrix z, kt::dmatrix w) {
    auto const u = z - largest(z), e = exp(u), p = e / sum(e, kt::axis<1>, kt::keepdims);
    auto const cost = sum(w * p);
    auto const [by_u, by_e] = grad(cost, u, e);
    return std::tuple(by_u, by_e * e, grad(cost, z));
  });
  auto const [by_u, by_e, by_z] = f(z, w);
  CHECK(xt::allclose(by_u, by_e, 1e-12, 1e-14));
  CHECK(xt::allclose(by_u, by_z, 1e-12, 1e-14));
  CHECK(std::abs(by_u(0, 0)) > 1e-3);
  matrix const by_hand = kt::function(twice<[](auto z) { return quotient(z - largest(z)); }>)(z, w),
               by_op = kt::function(twice<[](auto z) { return kt::softmax(z); }>)(z, w);
  CHECK(xt::allclose(by_hand, by_op, 1e-11, 1e-13));
}

TEST_CASE("a gradient of a softmax compares nothing with the largest element", "[grad]") {
  auto const text = [](auto const& f) {
    std::ostringstream to;
    kt::debugprint(f, to);
    return to.str().substr(to.str().find("optimized"));
  };
  auto const by_hand = kt::function(
      [](kt::dmatrix z, kt::dmatrix w) { return grad(cost(quotient(z - largest(z)), w), z); });
  auto const by_op =
      kt::function([](kt::dmatrix z, kt::dmatrix w) { return grad(cost(kt::softmax(z), w), z); });
  CHECK(text(by_hand) == text(by_op));
  // The largest element, and the logarithm of the sum of exponentials of what is left.
  auto const sum_by_hand = kt::function([](kt::dmatrix z, kt::dvector w) {
    auto const m = max(z, kt::axis<1>);
    return grad(sum(w * (m + log(sum(exp(z - kt::dimshuffle<0, 'x'>(m)), kt::axis<1>)))), z);
  });
  auto const sum_by_op = kt::function(
      [](kt::dmatrix z, kt::dvector w) { return grad(sum(w * logsumexp(z, kt::axis<1>)), z); });
  CHECK(text(sum_by_hand) == text(sum_by_op));
}

TEST_CASE("a logarithm of a sum of exponentials has a gradient of 1 by what is subtracted",
          "[grad]") {
  auto const f = kt::function([](kt::dvector z, kt::dscalar c, kt::dscalar d) {
    return grad(3 * log(sum(exp(c - (z - d)))) + logsumexp(z + c), z, c, d);
  });
  auto const [by_z, by_c, by_d] = f(xt::xtensor<double, 1>{1, 2, 4}, 700., 50.);
  CHECK(by_c == Approx(4));
  CHECK(by_d == Approx(3));
  double const e = std::exp(1), total = 1 / e + 1 / (e * e) + std::pow(e, -4),
               up = e + e * e + std::pow(e, 4);
  CHECK(by_z(1) == Approx(-3 / (e * e) / total + e * e / up));
}

TEST_CASE("a logsumexp of differences from a number keeps their digits", "[grad]") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar c) {
    auto const less = logsumexp(x - c);
    return kt::outputs(logsumexp(x - 200000.), less, grad(less, x));
  });
  auto const [by_number, by_variable, gradient] = f(xt::xtensor<double, 1>{199999.5, 200000.25}, 200000.);
  double const sum = std::exp(-0.5) + std::exp(0.25);
  CHECK(std::abs(by_number - std::log(sum)) <= 1e-15);
  CHECK(std::abs(by_variable - std::log(sum)) <= 1e-15);
  CHECK(std::abs(gradient(0) - std::exp(-0.5) / sum) <= 1e-15);
}
