// What variables are made from: variables of their type, whatever they declare beyond it.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

namespace kt = kroton;

TEST_CASE("variables are copied and assigned") {
  auto f = kt::function([](kt::dmatrix m, kt::dvector v, kt::drow r, kt::fixed<double, 2, 2> q) {
    kt::dvector a = v(kt::slice(0, 2)), b{v}, c(v), d = static_cast<kt::dvector>(v + 1);
    kt::dmatrix e = r, g(q), h{m + r};
    kt::drow copy_of_row = r;
    kt::fixed<double, 2, 2> copy_of_fixed(q);
    kt::vector<> last;
    a = b;
    e = m;
    last = c + d;
    return std::tuple(sum(a), sum(e) + sum(g), sum(h), sum(copy_of_row) + sum(copy_of_fixed), last);
  });
  xt::xtensor<double, 2> const m{{1, 2}, {3, 4}}, r{{1, 2}};
  xt::xtensor<double, 1> const v{1, 2};
  auto const [a, eg, h, copies, last] = f(m, v, r, m);
  CHECK(a == 3);
  CHECK(eg == 20);
  CHECK(h == 16);
  CHECK(copies == 13);
  CHECK(last == xt::xtensor<double, 1>{3, 5});
}

TEST_CASE("operands of one expression belong to one graph") {
  kt::runtime::graph first, second;
  auto const x = first.input<double, 1>("x");
  auto const y = second.input<double, 1>("y");
  CHECK_THROWS_AS(x + y, kt::value_error);
  CHECK_THROWS_AS(where(x > 0, x, y), kt::value_error);
  CHECK_THROWS_AS(concatenate<0>(x, y), kt::value_error);
}

TEST_CASE("a variable that holds no expression is refused") {
  kt::runtime::graph g;
  auto const x = g.input<double, 1>("x");
  kt::dvector const nothing;
  auto const y = x + nothing;
  CHECK_THROWS_AS(g.function({x}, y), kt::value_error);
}
