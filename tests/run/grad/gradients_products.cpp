// Gradients of products, every pairing of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/gradients_costs.hpp"

using namespace gradients;

TEST_CASE("gradients of products, every pairing") {
  auto left = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dvector v, kt::dvector w) {
    return costs(a, dot(a, b), dot(a, v), dot(w, a), dot(a.T(), a), dot(dot(w, a), v), dot(b.T(), a.T()), dot(a, dot(b, dot(b.T(), v))), dot(w, dot(a, b)));
  });
  auto const a = matrix<double>(3, 4, 1), b = matrix<double>(4, 2, 2);
  auto const v = numbers<double>(4, 3), w = numbers<double>(3, 4);
  check_costs(left, a, b, v, w);
  auto right = kt::function([](kt::dmatrix b, kt::dmatrix a, kt::dvector v) { return costs(b, dot(a, b), dot(v, b), dot(b.T(), v), dot(a, b) * dot(a, b), dot(b, b.T())); });
  check_costs(right, b, a, v);
  auto vectors = kt::function([](kt::dvector v, kt::dmatrix a, kt::dvector u) { return costs(v, dot(a, v), dot(v, u), dot(v, v), dot(v, a.T()), dot(v, dot(a.T(), dot(a, v)))); });
  check_costs(vectors, v, a, numbers<double>(4, 5));
  auto columns = kt::function([](kt::dcol c, kt::dmatrix a, kt::drow r) { return costs(c, dot(c, r), dot(a, c), dot(r, a.T()) + c, dot(c.T(), c)); });
  check_costs(columns, matrix<double>(4, 1, 6), a, matrix<double>(1, 4, 7));
}
