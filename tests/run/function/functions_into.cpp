// Results written into the caller's arrays: resized, fitted, converted, overlapping the arguments; and no heap on the way.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

TEST_CASE("owning containers are resized, views have to fit") {
  auto f = kt::function([](kt::dmatrix x) { return 2 * x; });
  mat<double> const x{{1, 2, 3}, {4, 5, 6}}, want = 2 * x;
  mat<double> y;
  f.into(y, x);
  CHECK((y == want));
  double const* const memory = y.data();
  f.into(y, x);
  CHECK(y.data() == memory);
  xt::xarray<double> a;
  f.into(a, x);
  CHECK((a == want));
  xt::xtensor<double, 2, xt::layout_type::column_major> columns;
  f.into(columns, x);
  CHECK((columns == want));

  mat<double> large(std::array<I, 2>{4, 6}, -1.0);
  auto part = xt::view(large, xt::range(1, 3), xt::range(0, 6, 2));
  f.into(part, x);
  CHECK((part == want));
  CHECK(large(1, 1) == -1);
  CHECK(large(0, 0) == -1);
  f.into(xt::view(large, xt::range(0, 2), xt::range(3, 6)), x);
  CHECK((xt::view(large, xt::range(0, 2), xt::range(3, 6)) == want));
  auto wrong = xt::view(large, xt::range(0, 3), xt::range(0, 3));
  large.fill(-1);
  CHECK_THROWS_AS(f.into(wrong, x), kt::shape_error);
  CHECK((large == mat<double>(std::array<I, 2>{4, 6}, -1.0)));  // refused before anything is written
  CHECK_THROWS_WITH(f.into(wrong, x), Catch::Contains("shape (3, 3)") && Catch::Contains("shape (2, 3)"));
}

TEST_CASE("several outputs, scalars among them") {
  auto f = kt::function([](kt::dvector x) { return std::tuple(x + 1, sum(x), x > 1); });
  vec<double> y;
  double total = 0;
  vec<bool> large;
  f.into(std::tie(y, total, large), vec<double>{1, 2});
  CHECK((y == vec<double>{2, 3}));
  CHECK(total == 3);
  CHECK((large == vec<bool>{false, true}));
  // Also into the tuple that a call gave.
  auto all = f(vec<double>{1, 2});
  f.into(all, vec<double>{3, 4, 5});
  CHECK((std::get<0>(all) == vec<double>{4, 5, 6}));
  CHECK(std::get<1>(all) == 12);
}

TEST_CASE("an output may overlap the arguments in any way") {
  auto f = kt::function([](kt::dvector x) { return x(kt::slice(kt::none, kt::none, -1)) + x; });
  vec<double> x{1, 2, 4};
  f.into(x, x);
  CHECK((x == vec<double>{5, 4, 5}));
  vec<double> y{1, 2, 4, 8};
  f.into(xt::view(y, xt::range(1, 4)), xt::view(y, xt::range(0, 3)));
  CHECK((y == vec<double>{1, 5, 4, 5}));

  auto transposed = kt::function([](kt::dmatrix m) { return m.T(); });
  mat<double> m{{1, 2}, {3, 4}};
  transposed.into(m, m);
  CHECK((m == mat<double>{{1, 3}, {2, 4}}));
  auto product = kt::function([](kt::dmatrix a, kt::dmatrix b) { return dot(a, b); });
  product.into(m, m, m);
  CHECK((m == mat<double>{{7, 15}, {10, 22}}));

  auto two = kt::function([](kt::dvector a, kt::dvector b) { return std::tuple(b, a); });
  vec<double> a{1, 2}, b{3, 4};
  two.into(std::tie(a, b), a, b);
  CHECK((a == vec<double>{3, 4}));
  CHECK((b == vec<double>{1, 2}));

  // An element of an argument that is overwritten by another output.
  auto first = kt::function([](kt::dvector v) { return std::tuple(v * 2, v(0), v(kt::slice(1, kt::none))); });
  double element = 0;
  vec<double> rest;
  first.into(std::tie(a, element, rest), a);
  CHECK((a == vec<double>{6, 8}));
  CHECK(element == 3);
  CHECK((rest == vec<double>{4}));

  // A number, and a view without strides, in an argument that another output is.
  auto with_sum = kt::function([](kt::dvector v) { return std::tuple(sum(v), v); });
  vec<double> z{1, 2, 3};
  with_sum.into(std::tie(z(0), rest), z);
  CHECK((z == vec<double>{6, 2, 3}));
  CHECK((rest == vec<double>{1, 2, 3}));
  auto reversed = kt::function([](kt::dvector v) { return std::tuple(v(kt::slice(kt::none, kt::none, -1)), v); });
  auto kept = xt::view(z, xt::keep(0, 1, 2));
  reversed.into(std::tie(kept, rest), z);
  CHECK((z == vec<double>{3, 2, 6}));
  CHECK((rest == vec<double>{6, 2, 3}));

  // A resize of the output must not pull the argument away.
  auto grown = kt::function([](kt::dvector v) { return flatten(v(kt::slice(), kt::newaxis) * v); });
  vec<double> v{1, 2, 3};
  grown.into(v, v);
  CHECK((v == vec<double>{1, 2, 3, 2, 4, 6, 3, 6, 9}));
}

TEST_CASE("an output may be memory of a shared variable's old value") {
  kt::shared w(vec<double>{1, 2, 3});
  auto f = kt::function([](kt::dvector x, kt::dvector v) { return kt::outputs(v, v + x).update(v, v * 2); }, w);
  vec<double> old, next;
  f.into(std::tie(old, next), vec<double>{10, 20, 30});
  CHECK((old == vec<double>{1, 2, 3}));
  CHECK((next == vec<double>{11, 22, 33}));
  CHECK((w.get_value() == vec<double>{2, 4, 6}));
}

TEST_CASE("into a target that is an argument: other outputs are the argument, and a view of it") {
  auto f = kt::function([](kt::dvector x, kt::dvector y) {
    return std::tuple(y, x, x(kt::slice(kt::none, kt::none, -1)));
  });
  vec<double> a{1, 2, 3}, b{10, 20, 30}, same, reversed;
  f.into(std::tie(a, same, reversed), a, b);
  CHECK((a == b));
  CHECK((same == vec<double>{1, 2, 3}));
  CHECK((reversed == vec<double>{3, 2, 1}));
}
