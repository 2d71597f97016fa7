// Gradients of reductions along every axis.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/gradients_costs.hpp"

#include <kroton/runtime.hpp>

using namespace gradients;

TEST_CASE("gradients of reductions, along every axis") {
  auto f = kt::function([](kt::dmatrix m) {
    return costs(m, sum(m), sum(m, kt::axis<0>), sum(m, kt::axis<1>, kt::keepdims), mean(m), mean(m, kt::axis<1>), prod(m, kt::axis<0>), prod(m, kt::keepdims),
                 max(m), max(m, kt::axis<0>), min(m, kt::axis<1>), m - max(m, kt::axis<1>, kt::keepdims), exp(m) / sum(exp(m), kt::axis<1>, kt::keepdims));
  });
  check_costs(f, matrix<double>(3, 4, 1));
  check_costs(f, matrix<double>(1, 5, 2));
  auto t = kt::function([](kt::dtensor3 x) {
    return costs(x, sum(x, kt::axis<0, 2>), max(x, kt::axis<1, 2>), mean(x, kt::axis<1>, kt::keepdims), prod(x, kt::axis<2>), log(sum(exp(x), kt::axis<0>)));
  });
  xt::xtensor<double, 3> x(std::array<I, 3>{2, 3, 4});
  for (I i = 0; i < x.size(); ++i) x.data()[i] = std::sin(3.0 * static_cast<double>(i) + 1);
  check_costs(t, x);
}

TEST_CASE("third derivatives of a product with zeros") {
  kt::runtime::graph g;
  auto const x = g.input<double, 1>("x"), u = g.input<double, 1>("u"), v = g.input<double, 1>("v");
  auto const along_u = sum(grad(prod(x), x) * u);
  auto const f = g.function({x, u, v}, grad(sum(grad(along_u, x) * v), x));
  using vector = reference::vec<double>;
  vector const by_u{1, -2, 3, 0.5, 4}, by_v{-1, 0.25, 2, 5, 3};
  for (vector const& at : {vector{2, 3, -1, 0.5, 4}, vector{2, 0, -1, 0.5, 4}, vector{0, 3, -1, 0, 4}, vector{2, 0, 0, 0, 4},
                           vector{0, 0, 3, 0, 0}}) {
    vector const got = f(at, by_u, by_v);
    CHECK(reference::mismatch(got, [&](auto k) {
            double total = 0;
            for (std::size_t i = 0; i < 5; ++i)
              for (std::size_t j = 0; j < 5; ++j) {
                double product = i == j || i == k || j == k ? 0 : by_u(i) * by_v(j);
                for (std::size_t m = 0; m < 5; ++m)
                  if (m != i && m != j && m != k) product *= at(m);
                total += product;
              }
            return total;
          }, 1e-13, 1e-13) == "");
  }
}
