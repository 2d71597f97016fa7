// Tensors of numbers written out: as indices, and as outputs of their own.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

namespace kt = kroton;

TEST_CASE("a constant is an index") {
  auto f = kt::function([](kt::dvector x, kt::dmatrix m) {
    auto i = kt::constant({2, 0});
    return std::tuple(x(i), m(i, kt::slice(1, 3)), take(m, i, kt::axis<1>), x(kt::constant(1)),
                      m(kt::constant({{0, 1}, {1, 0}}), kt::constant({2, -1})));
  });
  xt::xtensor<double, 1> const x{10, 20, 30, 40};
  xt::xtensor<double, 2> const m{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  auto const [elements, rows, columns, one, pairs] = f(x, m);
  CHECK(elements == xt::xtensor<double, 1>{30, 10});
  CHECK(rows == xt::xtensor<double, 2>{{8, 9}, {2, 3}});
  CHECK(columns == xt::xtensor<double, 2>{{3, 1}, {6, 4}, {9, 7}});
  CHECK(one == 20);
  CHECK(pairs == xt::xtensor<double, 2>{{3, 6}, {6, 3}});
}

TEST_CASE("a constant of bools is a mask, and parts named by constants are written to") {
  auto f = kt::function([](kt::dvector x) {
    auto const mask = kt::constant({true, false, false, true});
    return std::tuple(x(mask), set_subtensor(x(kt::constant({2, 0})), 0),
                      grad(sum(sqr(x(kt::constant({1, 1})))), x));
  });
  auto const [kept, written, gradient] = f(xt::xtensor<double, 1>{10, 20, 30, 40});
  CHECK(kept == xt::xtensor<double, 1>{10, 40});
  CHECK(written == xt::xtensor<double, 1>{0, 20, 0, 40});
  CHECK(gradient == xt::xtensor<double, 1>{0, 80, 0, 0});
}

TEST_CASE("a constant is an output of its own") {
  auto identity = kt::function([] { return kt::constant({{1., 0.}, {0., 1.}}); });
  CHECK((identity() == xt::xtensor<double, 2>{{1, 0}, {0, 1}}));
  auto f = kt::function([](kt::dscalar x) {
    return kt::outputs(x + 1, kt::zeros<double>(2, 3), kt::constant(7), kt::constant({1, 2}) + 1);
  });
  auto const [sum, zeros, seven, computed] = f(1.);
  CHECK(sum == 2);
  CHECK(zeros == xt::zeros<double>({2, 3}));
  CHECK(seven == 7);
  CHECK(computed == xt::xtensor<int, 1>{2, 3});
  kt::shared w(xt::xtensor<double, 1>{1});
  auto update = kt::function(
      [](kt::dscalar x, kt::dvector v) { return kt::outputs(kt::constant({1.5, 2.})).update(v, x * v); }, w);
  CHECK((update(3.) == xt::xtensor<double, 1>{1.5, 2}));
  CHECK((w.get_value() == xt::xtensor<double, 1>{3}));
}

TEST_CASE("functions of several tensors take constants for some of them") {
  auto f = kt::function([](kt::dvector x, kt::dmatrix m, kt::lvector i) {
    auto const table = kt::constant({1., 2., 4.});
    auto const square = kt::constant({{1., 2.}, {3., 5.}});
    return std::tuple(table(i), interp(x, table, kt::constant({1., 4., 16.})), digitize(x, table),
                      histogram(x, table), trapz(x, table), vdot(table, x),
                      solve_triangular(square, m, kt::lower), kt::tensordot<1>(m, square),
                      kt::einsum<"ij,jk->ik">(square, m), fftconvolve(x, table),
                      rop(sqr(x), x, table), lop(sqr(x), x, 2));
  });
  auto const [read, between, bins, counts, area, product, solved, summed, einsum, convolved,
              pushed, pulled] = f(xt::xtensor<double, 1>{0.5, 1.5, 4}, xt::xtensor<double, 2>{{2, 1}, {0, 3}},
                          xt::xtensor<std::int64_t, 1>{2, 0});
  CHECK((read == xt::xtensor<double, 1>{4, 1}));
  CHECK((between == xt::xtensor<double, 1>{1, 2.5, 16}));
  CHECK((bins == xt::xtensor<std::int64_t, 1>{0, 1, 3}));
  CHECK((counts == xt::xtensor<std::int64_t, 1>{1, 1}));
  CHECK(area == 6.5);
  CHECK(product == 19.5);
  CHECK(xt::allclose(solved, xt::xtensor<double, 2>{{2, 1}, {-1.2, 0}}));
  CHECK((summed == xt::xtensor<double, 2>{{5, 9}, {9, 15}}));
  CHECK((einsum == xt::xtensor<double, 2>{{2, 7}, {6, 18}}));
  CHECK(xt::allclose(convolved, xt::xtensor<double, 1>{0.5, 2.5, 9, 14, 16}));
  CHECK((pushed == xt::xtensor<double, 1>{1, 6, 32}));
  CHECK((pulled == xt::xtensor<double, 1>{2, 6, 16}));
}
