// Gradients of views, and second derivatives through all kinds of structure.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/gradients_costs.hpp"

using namespace gradients;

TEST_CASE("gradients of views") {
  auto f = kt::function([](kt::dmatrix m, kt::lscalar i) {
    return costs(m, m.T(), m(1), m(-1, slice(1, none)), m(slice(none, none, -1)), m(slice(), slice(none, none, 2)), m(slice(2, 0, -1), slice(-3, none)), m(i), m(slice(i, i + 1)),
                 flatten(m), reshape<3>(m, 2, -1, 2), flatten(m.T()), m(0, 0) * m(1, 1));
  });
  check_costs(f, matrix<double>(3, 4, 1), 2);
  auto v = kt::function([](kt::dvector x) {
    return costs(x, x(slice(1, none)) - x(slice(none, -1)), x(slice(none, none, -2)), x(0) * x, x(slice(2)) * x(slice(-2, none)), dimshuffle<'x', 0>(x),
                 x(slice(1, none))(slice(none, none, -1)) + x(slice(1, none)), reshape<2>(x, -1, 2), x(newaxis, slice(), newaxis));
  });
  check_costs(v, numbers<double>(6, 2));
}

TEST_CASE("second derivatives through structure: a Hessian's product with a vector") {
  auto f = kt::function([](kt::dvector x, kt::dvector v, kt::dmatrix a) {
    auto const p = exp(dot(a, x));
    auto const cost = sum(log(1 + p)) + sqr(max(x)) + prod(x) + sum(x(slice(1, none)) * x(slice(none, -1))) + mean(sqr(x) * x);
    auto const g = grad(cost, x);
    return std::tuple(g, grad(sum(g * v), x));
  });
  auto const x = numbers<double>(5, 1), v = numbers<double>(5, 2);
  auto const a = matrix<double>(3, 5, 3);
  double const step = 1e-5;
  auto const hv = std::get<1>(f(x, v, a));
  vec<double> const up = std::get<0>(f(x + step * v, v, a)), down = std::get<0>(f(x - step * v, v, a));
  CHECK(mismatch(hv, [&](I i) { return (up(i) - down(i)) / (2 * step); }, 1e-7, 1e-7) == "");
}
