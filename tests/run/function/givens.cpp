// Functions whose lambdas get other values for parameters: givens.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>

#include "run/reference.hpp"

using namespace reference;

namespace {

struct line : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(line, (kt::dscalar, slope), (kt::dvector, offset));
};

constexpr auto step = [](kt::dmatrix x, kt::dvector y, kt::dscalar rate, kt::dvector w) {
  auto cost = sum(sqr(dot(x, w) - y));
  return kt::outputs(cost).update(w, w - rate * grad(cost, w));
};
constexpr auto batch = [](kt::lscalar i, kt::dmatrix all, kt::dvector labels) {
  auto const rows = kt::slice(2 * i, 2 * i + 2);
  return std::tuple(all(rows), labels(rows));
};
constexpr auto of_line = [](kt::dvector x, line l, kt::dscalar c) { return c * (l.slope * x + l.offset); };

}  // namespace

TEST_CASE("a batch of shared data takes the place of two parameters") {
  kt::shared data(mat<double>{{1, 2}, {3, 4}, {5, 6}, {7, 8}});
  kt::shared labels(vec<double>{1, 0, 2, 1});
  kt::shared w(vec<double>{0.5, -0.5}), plain_w(vec<double>{0.5, -0.5});
  auto train = kt::function(step, kt::givens<0, 1>(batch, data, labels), w);
  auto plain = kt::function(step, plain_w);
  mat<double> const x[] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
  vec<double> const y[] = {{1, 0}, {2, 1}};
  for (int i = 0; i < 2; ++i) {
    CHECK(train(i, 0.01) == Approx(plain(x[i], y[i], 0.01)));
    CHECK(xt::allclose(w.get_value(), plain_w.get_value()));
  }
  data.set_value(mat<double>{{0, 0}, {0, 0}});
  labels.set_value(vec<double>{3, 4});
  CHECK(train(0, 0.01) == Approx(25));
  labels.set_value(vec<double>{3});
  CHECK_THROWS_AS(train(0, 0.01), kt::shape_error);
}

TEST_CASE("the free parameters of givens stand where the first replaced one was") {
  constexpr auto f = [](kt::dscalar a, kt::dscalar b, kt::dscalar c, kt::dscalar d) { return 1000 * a + 100 * b + 10 * c + d; };
  // a, then p and q, then d; the values are in the order of the numbers.
  auto g = kt::function(f, kt::givens<2, 1>([](kt::dscalar p, kt::dscalar q) { return std::pair(p + q, p * q); }));
  CHECK(g(1, 2, 3, 4) == 1000 + 600 + 50 + 4);
  // Numbers are values, too, and no parameter remains of a lambda without any.
  auto h = kt::function(f, kt::givens<0, 3>([] { return std::tuple(7, 0.5); }));
  CHECK(h(2, 3) == 7230.5);
  // The bound parameters of the function come before those of givens.
  kt::shared d(4.0), s(2.0);
  auto k = kt::function(f, d, kt::givens<1>([](kt::dscalar t) { return t * t; }, s));
  CHECK(k(1, 3) == 1000 + 400 + 30 + 4);
  s.set_value(3);
  CHECK(k(1, 3) == 1000 + 900 + 30 + 4);
}

TEST_CASE("givens of structs, constants, generic lambdas and other modes") {
  auto f = kt::function(of_line, kt::givens<1>([](kt::dscalar a, kt::dvector b) { return line{{}, 2 * a, -b}; }));
  CHECK(xt::allclose(f(vec<double>{1, 2}, 3, vec<double>{1, 1}, 10), vec<double>{50, 110}));
  kt::shared<line> l(2.0, vec<double>{1, 1});
  auto g = kt::function(of_line, kt::givens<0, 2>([](line l) { return std::tuple(l.offset, l.slope); }, l), kt::mode::ieee);
  CHECK(xt::allclose(g(std::tuple(3.0, vec<double>{1, 2})), vec<double>{8, 10}));
  auto h = kt::function([](kt::dvector x, kt::dvector y) { return x * y; }, kt::givens<1>([] { return kt::constant({2., 3.}); }));
  CHECK(xt::allclose(h(vec<double>{1, 2}), vec<double>{2, 6}));
  CHECK_THROWS_AS(h(vec<double>{1, 2, 3}), kt::shape_error);
  auto k = kt::function<kt::dvector, kt::dvector>([](auto x, auto y) { return std::tuple(x - y, sum(x)); },
                                                  kt::givens<0>([](kt::dmatrix m) { return m(0); }), kt::mode::fast_compile);
  auto const [difference, total] = k(mat<double>{{1, 2}, {3, 4}}, vec<double>{1, 1});
  CHECK(xt::allclose(difference, vec<double>{0, 1}));
  CHECK(total == 3);
}

TEST_CASE("numbers that are given") {
  // What a scalar of the parameter's type holds; floating-point numbers are rounded.
  auto f = kt::function([](kt::dscalar x, kt::bscalar a, kt::fscalar b, kt::scalar<std::uint64_t> c, kt::scalar<bool> d, kt::zscalar e) { return std::tuple(x * a, b, c, d, e); },
                        kt::givens<1, 2, 3, 4, 5>([] { return std::tuple(-128, 0.1, 1ull << 63, true, 2); }));
  CHECK(f(2) == std::tuple(-256., 0.1f, 1ull << 63, true, std::complex<double>(2)));
  auto g = kt::function([](kt::dscalar x, kt::fscalar a, kt::zscalar b, kt::dscalar c) { return std::tuple(x * a, b, c); },
                        kt::givens<1, 2, 3>([] { return std::tuple(std::numeric_limits<double>::infinity(), std::complex<double>(0, 1), 3); }));
  CHECK(g(2) == std::tuple(std::numeric_limits<double>::infinity(), std::complex<double>(0, 1), 3.));
  // All parameters given, where one is left of the other lambda.
  kt::shared s(3.0);
  CHECK(kt::function([](kt::dscalar x, kt::lscalar n) { return n * x; }, kt::givens<0, 1>([](kt::dscalar t) { return std::tuple(t, 2); }, s))() == 6);
}

TEST_CASE("givens that are drawn") {
  kt::random_streams s(42), plain(42);
  auto f = kt::function([](kt::dvector x, kt::dscalar c) { return c * x; },
                        kt::givens<0>([](kt::lscalar n, kt::rng r) { return r.uniform(n); }, s));
  auto g = kt::function([](kt::lscalar n, kt::rng r) { return r.uniform(n); }, plain);
  for (int i = 0; i < 2; ++i) CHECK(xt::allclose(f(4, 2), 2 * g(4)));
  kt::mrg_random_streams m(42), mrg(42);
  auto h = kt::function([](kt::dvector x, kt::dvector y) { return x - y; },
                        kt::givens<0, 1>([](kt::lscalar n, kt::rng r) { return std::tuple(r.uniform(n), r.normal(n)); }, m));
  auto k = kt::function([](kt::lscalar n, kt::rng r) { return r.uniform(n) - r.normal(n); }, mrg);
  for (int i = 0; i < 2; ++i) CHECK(xt::allclose(h(4), k(4)));
}
