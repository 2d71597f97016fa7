// Gradients through broadcasting are summed back to the operand's extents.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/gradients_costs.hpp"

using namespace gradients;

TEST_CASE("gradients of what broadcasts are summed back") {
  auto rows = kt::function([](kt::drow r, kt::dmatrix m, kt::dcol c) { return costs(r, r * m, m / (3 + r), r + c, r * c * m, sum(r) * m, r * r); });
  auto columns = kt::function([](kt::dcol c, kt::dmatrix m, kt::drow r) { return costs(c, c * m, pow(2 + c, 1 + sqr(m)), c - r, where(m > 0, c, r), c * sum(m, kt::axis<0>)); });
  auto vectors = kt::function([](kt::dvector v, kt::dmatrix m) {
    return costs(v, v * m, m - v(newaxis, slice()), dimshuffle<0, 'x'>(v) * dimshuffle<'x', 0>(v), v(slice(), newaxis) + m.T(), atan2(v, m));
  });
  auto const m = matrix<double>(3, 4, 1), r = matrix<double>(1, 4, 2), c = matrix<double>(3, 1, 3);
  check_costs(rows, r, m, c);
  check_costs(columns, c, m, r);
  check_costs(vectors, numbers<double>(4, 4), m);
  auto scalars = kt::function([](kt::dvector v, kt::dmatrix m) {
    auto s = sum(v);  // a scalar inside
    return costs(v, s * m, m / (10 + s), s * s, (m + s) * v, exp(s) * ones_like(m));
  });
  check_costs(scalars, numbers<double>(4, 5), m);
}
