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

TEST_CASE("fourth derivatives of a product with zeros") {
  kt::runtime::graph g;
  auto const x = g.input<double, 1>("x"), u = g.input<double, 1>("u"), v = g.input<double, 1>("v"), w = g.input<double, 1>("w");
  auto const along_u = sum(grad(prod(x), x) * u), along_v = sum(grad(along_u, x) * v), along_w = sum(grad(along_v, x) * w);
  auto const f = g.function({x, u, v, w}, std::tuple(grad(along_v, x), grad(along_w, x)));
  using vector = reference::vec<double>;
  vector const by_u{1, -2, 3, 0.5, 4, -1}, by_v{-1, 0.25, 2, 5, 3, 2}, by_w{0.5, 2, -3, 1, 0.25, 3};
  for (vector const& at : {vector{2, 3, -1, 0.5, 4, 3}, vector{2, 0, -1, 0.5, 4, 3}, vector{0, 3, -1, 0, 4, 3}, vector{2, 0, 0, 0, 4, 3},
                           vector{0, 0, 3, 0, 0, 2}, vector{0, 0, 3, 0, 0, 0}}) {
    auto const [third, fourth] = f(at, by_u, by_v, by_w);
    auto const product_without = [&](auto... left) {
      double product = 1;
      std::size_t const all[] = {left...};
      for (std::size_t a = 0; a < sizeof...(left); ++a)
        for (std::size_t b = 0; b < a; ++b) product *= all[a] == all[b] ? 0 : 1;
      for (std::size_t m = 0; m < 6; ++m)
        if (((m != left) && ...)) product *= at(m);
      return product;
    };
    CHECK(reference::mismatch(third, [&](auto l) {
            double total = 0;
            for (std::size_t i = 0; i < 6; ++i)
              for (std::size_t j = 0; j < 6; ++j) total += by_u(i) * by_v(j) * product_without(i, j, l);
            return total;
          }, 1e-13, 1e-13) == "");
    CHECK(reference::mismatch(fourth, [&](auto l) {
            double total = 0;
            for (std::size_t i = 0; i < 6; ++i)
              for (std::size_t j = 0; j < 6; ++j)
                for (std::size_t k = 0; k < 6; ++k) total += by_u(i) * by_v(j) * by_w(k) * product_without(i, j, k, l);
            return total;
          }, 1e-12, 1e-12) == "");
  }
}
TEST_CASE("derivatives of the gradient of a product that has gone through the optimizer before") {
  for (auto stage : {kt::stage::canonicalize, kt::stage::stabilize}) {
    kt::runtime::graph g;
    g.recording() = kt::optimize(kt::graph_of([](kt::dvector x) { return grad(prod(x), x); }).get(), stage);
    kt::dvector const x(kt::term{&g.recording(), g.recording().parameters()[0]}), slope(kt::term{&g.recording(), g.recording().results()[0]});
    auto const f = g.function({x}, grad(slope(0), x));
    using vector = reference::vec<double>;
    CHECK((f(vector{2, 3, 5}) == vector{0, 5, 3}));
    CHECK((f(vector{2, 0, 5}) == vector{0, 5, 0}));
    CHECK((f(vector{0, 0, 5}) == vector{0, 5, 0}));
    CHECK((f(vector{0, 0, 0}) == vector{0, 0, 0}));
  }
}

