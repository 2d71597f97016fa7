// Updates of shared variables: together, from old values, or not at all.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

TEST_CASE("updates happen after the outputs, and a function of updates alone gives nothing") {
  kt::shared n(std::int64_t{0});
  auto next = kt::function([](kt::lscalar by, kt::lscalar k) { return kt::outputs(k).update(k, k + by); }, n);
  CHECK(next(3) == 0);
  CHECK(next(4) == 3);
  CHECK(n.get_value() == 7);
  auto reset = kt::function([](kt::lscalar k) { return kt::outputs().update(k, 0); }, n);
  static_assert(std::is_void_v<decltype(reset())>);
  reset();
  CHECK(n.get_value() == 0);
}

TEST_CASE("every update reads the old values: exchanges, rotations, chains") {
  kt::shared a(vec<double>{1, 2}), b(vec<double>{3, 4}), c(vec<double>{5, 6});
  auto swap = kt::function([](kt::dvector x, kt::dvector y) { return kt::outputs().update(x, y).update(y, x); }, a, b);
  swap();
  CHECK((a.get_value() == vec<double>{3, 4}));
  CHECK((b.get_value() == vec<double>{1, 2}));
  auto rotate = kt::function([](kt::dvector x, kt::dvector y, kt::dvector z) { return kt::outputs(x).update(x, y).update(y, z).update(z, x); }, a, b, c);
  CHECK((rotate() == vec<double>{3, 4}));
  CHECK((a.get_value() == vec<double>{1, 2}));
  CHECK((b.get_value() == vec<double>{5, 6}));
  CHECK((c.get_value() == vec<double>{3, 4}));
  auto chain = kt::function([](kt::dvector x, kt::dvector y) { return kt::outputs(x + y).update(x, x + 1).update(y, x * 10 + y); }, a, b);
  CHECK((chain() == vec<double>{6, 8}));
  CHECK((a.get_value() == vec<double>{2, 3}));
  CHECK((b.get_value() == vec<double>{15, 26}));
  kt::shared p(1.0), q(1.0);
  auto fibonacci = kt::function([](kt::dscalar x, kt::dscalar y) { return kt::outputs(x).update(x, y).update(y, x + y); }, p, q);
  double last = 0;
  for (int i = 0; i < 10; ++i) last = fibonacci();
  CHECK(last == 55);
  kt::shared d(vec<double>{1, 2}), e(vec<double>{3, 4}), g(vec<double>{5, 6});
  auto all = kt::function(
      [](kt::dvector x, kt::dvector y, kt::dvector z) { return kt::outputs().update(y, z).update(z, y).update(x, y(kt::slice(kt::none, kt::none, -1))); }, d, e, g);
  all();
  CHECK((d.get_value() == vec<double>{4, 3}));
  CHECK((e.get_value() == vec<double>{5, 6}));
  CHECK((g.get_value() == vec<double>{3, 4}));
}

TEST_CASE("updates from views of themselves and of each other") {
  kt::shared m(mat<double>{{1, 2}, {3, 4}});
  kt::shared v(vec<double>{1, 2, 3, 4});
  auto transpose_it = kt::function([](kt::dmatrix x) { return kt::outputs().update(x, x.T()); }, m);
  transpose_it();
  CHECK((m.get_value() == mat<double>{{1, 3}, {2, 4}}));
  auto reverse = kt::function([](kt::dvector x) { return kt::outputs(sum(x)).update(x, x(kt::slice(kt::none, kt::none, -1))); }, v);
  CHECK(reverse() == 10);
  CHECK((v.get_value() == vec<double>{4, 3, 2, 1}));
  auto shift = kt::function([](kt::dvector x) { return kt::outputs(x).update(x, x + x(kt::slice(kt::none, kt::none, -1)) * 10); }, v);
  CHECK((shift() == vec<double>{4, 3, 2, 1}));
  CHECK((v.get_value() == vec<double>{14, 23, 32, 41}));
  auto both = kt::function([](kt::dmatrix x, kt::dvector y) { return kt::outputs().update(x, reshape<2>(y, 2, 2)).update(y, flatten(x.T())); }, m, v);
  both();
  CHECK((m.get_value() == mat<double>{{14, 23}, {32, 41}}));
  CHECK((v.get_value() == vec<double>{1, 2, 3, 4}));
  auto square = kt::function([](kt::dmatrix x) { return kt::outputs(x(0)).update(x, dot(x, x)); }, m);
  CHECK((square() == vec<double>{14, 23}));
  CHECK((m.get_value() == mat<double>{{14. * 14 + 23 * 32, 14. * 23 + 23 * 41}, {32. * 14 + 41 * 32, 32. * 23 + 41 * 41}}));
}

TEST_CASE("an update may change the extents") {
  kt::shared log(vec<double>{1, 2, 3, 4, 5});
  auto drop = kt::function([](kt::dvector x) { return kt::outputs(sum(x)).update(x, x(kt::slice(1, kt::none))); }, log);
  CHECK(drop() == 15);
  CHECK(log.shape() == std::array<I, 1>{4});
  CHECK(drop() == 14);
  CHECK((log.get_value() == vec<double>{3, 4, 5}));
  auto replace = kt::function([](kt::dvector given, kt::dvector) { return kt::outputs(sum(given)); }, log);
  CHECK(replace(vec<double>{1, 1}) == 2);
  auto take = kt::function([](kt::dvector given, kt::dvector x) { return kt::outputs(x).update(x, given * 2); }, log);
  CHECK((take(vec<double>{7}) == vec<double>{3, 4, 5}));
  CHECK((log.get_value() == vec<double>{14}));
}

TEST_CASE("an update in place is what it would be aside") {
  kt::shared w(matrix<double>(20, 30, 1));
  kt::shared v(numbers<double>(30, 2));
  auto step = kt::function(
      [](kt::dmatrix x, kt::dmatrix m, kt::dvector u) {
        return kt::outputs(sum(m)).update(m, m - 0.1 * dot(x, m) + u).update(u, u * 0.5 + sum(m, kt::axis<0>));
      },
      w, v);
  auto const x = matrix<double>(20, 20, 3);
  mat<double> m = w.get_value();
  vec<double> u = v.get_value();
  for (int pass = 0; pass < 3; ++pass) {
    double before = 0;
    for (double e : m) before += e;
    CHECK(close(step(x), before, 1e-12, 1e-12));
    mat<double> next = m;
    vec<double> sums(std::array<I, 1>{30}, 0.0);
    for (I i = 0; i < 20; ++i)
      for (I j = 0; j < 30; ++j) {
        double t = 0;
        for (I k = 0; k < 20; ++k) t += x(i, k) * m(k, j);
        next(i, j) = m(i, j) - 0.1 * t + u(j);
        sums(j) += m(i, j);
      }
    for (I j = 0; j < 30; ++j) u(j) = u(j) * 0.5 + sums(j);
    m = next;
    CHECK(mismatch(w.get_value(), [&](I i, I j) { return m(i, j); }, 1e-12, 1e-12) == "");
    CHECK(mismatch(v.get_value(), [&](I j) { return u(j); }, 1e-12, 1e-12) == "");
  }
}

TEST_CASE("an update in place changes no other parameter that lies in the same memory") {
  vec<double> const old = xt::arange<double>(0, 100), twice = 2 * old;
  kt::shared w(old);
  auto bound_twice = kt::function([](kt::dvector v, kt::dvector u) { return kt::outputs(v).update(u, 2 * u); }, w, w);
  CHECK((bound_twice() == old));
  CHECK((w.get_value() == twice));
  auto part = kt::function([](kt::dvector x, kt::dvector u) { return kt::outputs(x(kt::slice(1, 3))).update(u, u / 2); }, w);
  CHECK((part(w.storage()) == vec<double>{2, 4}));
  CHECK((w.get_value() == old));
  auto reversed = kt::function(
      [](kt::dvector x, kt::dvector u) { return kt::outputs().update(u, u + x(kt::slice(kt::none, kt::none, -1))); }, w);
  reversed(w.storage());
  CHECK((w.get_value() == vec<double>(old.shape(), 99.0)));
  kt::shared m(mat<double>{{1, 2}, {3, 4}});
  auto product = kt::function([](kt::dmatrix x, kt::dmatrix u) { return kt::outputs(sum(x)).update(u, u + dot(x, x)); }, m);
  CHECK(product(m.storage()) == 10);
  CHECK((m.get_value() == mat<double>{{8, 12}, {18, 26}}));
}

TEST_CASE("a call that throws leaves every shared variable as it was") {
  kt::shared w(vec<double>{1, 2, 3});
  kt::shared total(0.0);
  auto f = kt::function(
      [](kt::dvector x, kt::lscalar i, kt::dvector v, kt::dscalar t) {
        return kt::outputs(x(i), max(x)).update(v, v * 2 + x).update(t, t + sum(v));
      },
      w, total);
  CHECK_THROWS_AS(f(vec<double>{1, 2}, 0), kt::shape_error);
  CHECK_THROWS_AS(f(vec<double>{1, 2, 3}, 3), kt::value_error);
  CHECK((w.get_value() == vec<double>{1, 2, 3}));
  CHECK(total.get_value() == 0);
  auto [e, largest] = f(vec<double>{1, 1, 1}, 2);
  CHECK(e == 1);
  CHECK(largest == 1);
  CHECK((w.get_value() == vec<double>{3, 5, 7}));
  CHECK(total.get_value() == 6);
  // What throws late: an opaque callable finds its own index out of range.
  static constexpr auto at = kt::opaque([](kt::dvector x, kt::lscalar i) { return x(i) * 2; });
  auto late = kt::function(
      [](kt::dvector x, kt::lscalar i, kt::dvector v) { return kt::outputs(at(x * 2, i)).update(v, v + 1); }, w);
  CHECK_THROWS_AS(late(vec<double>{1, 2}, 2), kt::value_error);
  CHECK((w.get_value() == vec<double>{3, 5, 7}));
  vec<double> small(std::array<I, 1>{1});
  auto g = kt::function([](kt::dvector v) { return kt::outputs(v).update(v, v + 1); }, w);
  CHECK_THROWS_AS(g.into(xt::view(small, xt::all())), kt::shape_error);
  CHECK((w.get_value() == vec<double>{3, 5, 7}));
}

TEST_CASE("shared variables: their types, references, shapes, conversion of what is set") {
  kt::shared i(0);
  static_assert(std::is_same_v<decltype(i), kt::shared<int, 0>>);
  kt::shared x(xt::ones<double>({2, 3}));
  static_assert(std::is_same_v<decltype(x), kt::shared<double, 2>>);
  kt::shared<float, 1> s(xt::xarray<double>{1, 2});
  CHECK((s.get_value() == vec<float>{1, 2}));
  s.set_value(std::vector<int>{4, 5, 6});
  CHECK((s.get_value() == vec<float>{4, 5, 6}));
  kt::shared<double, 2> y = x;
  y.set_value(mat<double>{{1, 2}});
  CHECK(x.shape() == std::array<I, 2>{1, 2});
  auto copy = x.get_value();
  copy(0, 0) = 9;
  CHECK(x.get_value()(0, 0) == 1);
  CHECK_THROWS_AS((kt::shared<double, 2>(xt::xarray<double>{1, 2})), kt::shape_error);
}
