// Arguments that a call is given for good, and outputs that are computed where an argument lies.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <random>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

template <class... Extent>
auto some(unsigned seed, Extent... extents) {
  std::mt19937_64 random(seed);
  xt::xtensor<double, sizeof...(extents)> made = xt::zeros<double>({static_cast<std::size_t>(extents)...});
  for (double& x : made) x = std::uniform_real_distribution<>(0.5, 2)(random);
  return made;
}

// Whether a call that is given its first argument leaves its result there. It is that of a call with a copy, bit for bit; where the
// target is the argument but cannot be written to, a small call is computed in another way.
template <class F, class A, class... B>
bool takes_over(F const& f, A const& first, B const&... others) {
  auto const expected = f(first, others...);
  A x = first;
  double const* const at = x.data();
  auto const result = f(std::move(x), others...);
  CHECK((result == expected));
  CHECK((x.size() == 0) == (result.data() == at));
  A y = first;
  f.into(y, y, others...);
  CHECK(xt::allclose(y, expected, 1e-14, 0));
  return result.data() == at;
}

}  // namespace

TEST_CASE("an output is computed in the memory of an argument that a call is given") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y) { return 2 * x + exp(y); });
  for (std::size_t n : {1u, 3u, 8u, 100u, 5000u, 100000u}) {
    vector const x = some(1, n), y = some(2, n), expected = f(x, y);
    vector a = x, b = y, c = x, d = y;
    double const *const at_a = a.data(), *const at_b = b.data(), *const at_c = c.data();
    vector const first = f(std::move(a), y), second = f(x, std::move(b)), both = f(std::move(c), std::move(d));
    CHECK((first == expected));
    CHECK(first.data() == at_a);
    CHECK(a.size() == 0);
    CHECK((second == expected));
    CHECK(second.data() == at_b);
    CHECK((both == expected));
    CHECK(both.data() == at_c);
    CHECK((d == y));
  }
  vector const chained = f(f(some(1, 50), some(2, 50)), f(some(3, 50), some(4, 50)));
  vector const inner = f(some(1, 50), some(2, 50)), other = f(some(3, 50), some(4, 50));
  CHECK((chained == f(inner, other)));
}

TEST_CASE("what is computed element by element, or changed in parts, takes over memory") {
  matrix const a = some(1, 60, 40), b = some(2, 60, 40);
  vector const row = some(3, 40);
  CHECK((takes_over(kt::function([](kt::dmatrix x) { return x; }), a) == false));
  CHECK(takes_over(kt::function([](kt::dmatrix x) { return tanh(x) + 1; }), a));
  CHECK(takes_over(kt::function([](kt::dmatrix x, kt::dvector r) { return x * r; }), a, row));
  CHECK(takes_over(kt::function([](kt::dmatrix x) { return kt::set_subtensor(x(3), 7.); }), a));
  CHECK(takes_over(kt::function([](kt::dmatrix x) { return kt::inc_subtensor(kt::set_subtensor(x(3), 7.)(kt::slice(1, 9)), 2.); }), a));
  CHECK(takes_over(kt::function([](kt::dmatrix x, kt::dmatrix y) { return x + sum(y); }), a, b));
  // The matrix that a product accumulates into.
  matrix const square = some(4, 60, 60), factor = some(5, 60, 40);
  CHECK(takes_over(kt::function([](kt::dmatrix x, kt::dmatrix y) { return x + dot(y, transpose(y)); }), square, factor));
}

TEST_CASE("what is read again stays where it is") {
  matrix const a = some(1, 50, 50);
  CHECK_FALSE(takes_over(kt::function([](kt::dmatrix x) { return x + transpose(x); }), a));
  CHECK_FALSE(takes_over(kt::function([](kt::dmatrix x) { return dot(x, x); }), a));
  CHECK_FALSE(takes_over(kt::function([](kt::dmatrix x) { return x + x(0); }), a));
  CHECK_FALSE(takes_over(kt::function([](kt::dmatrix x) { return x(kt::slice(kt::none, kt::none, -1)); }), a));
  CHECK_FALSE(takes_over(kt::function([](kt::dmatrix x) { return cumsum(x, kt::axis<0>); }), a));
  vector const v = some(2, 50);
  CHECK_FALSE(takes_over(kt::function([](kt::dvector x) { return exp(x) + roll(x, 1); }), v));
  CHECK_FALSE(takes_over(kt::function([](kt::dvector x) { return take(x, argsort(x)); }), v));
}

TEST_CASE("rows, sums, loops and branches compute the same in an argument's memory") {
  for (int columns : {3, 40, 700}) {
    matrix const a = some(1, 30, columns), b = some(2, 30, columns);
    takes_over(kt::function([](kt::dmatrix x) { return softmax(x); }), a);
    takes_over(kt::function([](kt::dmatrix x) { return log_softmax(x) + x; }), a);
    takes_over(kt::function([](kt::dmatrix x) { return (x - mean(x, kt::axis<1>, kt::keepdims)) / sqrt(var(x, kt::axis<1>, kt::keepdims)); }), a);
    takes_over(kt::function([](kt::dmatrix x, kt::dmatrix y) { return tanh(dot(y, transpose(y))(kt::slice(0, 30), 0) * transpose(x)); }), matrix(some(3, 30, 30)), b);
    takes_over(kt::function([](kt::dmatrix x, kt::dmatrix y) { return x + tanh(dot(tanh(dot(y, transpose(x))), y)); }), a, b);
    takes_over(kt::function([](kt::dmatrix x, kt::dmatrix y) { return ifelse(sum(x) > 0, x + y, x - y); }), a, b);
    takes_over(kt::function([](kt::dmatrix x, kt::dmatrix y) { return where(x > y, x, sum(x, kt::axis<1>, kt::keepdims)); }), a, b);
    takes_over(kt::function([](kt::dmatrix x, kt::dmatrix y) {
                 return kt::foldl([](kt::dvector row, kt::dvector state) { return state * row; }, kt::sequences(y), kt::outputs_info(x(0))) + x;
               }), a, b);
    takes_over(kt::function([](kt::dmatrix x) { return grad(sum(sqr(tanh(x))), x); }), a);
  }
}

TEST_CASE("every output takes over one argument at most, and each argument becomes one output") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y) { return kt::outputs(x * y, x - y); });
  vector const x = some(1, 1000), y = some(2, 1000);
  auto const [product, difference] = f(x, y);
  vector a = x, b = y;
  double const *const at_a = a.data(), *const at_b = b.data();
  auto const [p, q] = f(std::move(a), std::move(b));
  CHECK((p == product));
  CHECK((q == difference));
  CHECK(p.data() == at_a);
  CHECK(q.data() == at_b);
}

TEST_CASE("arguments that look into one that is given away are read before it is overwritten") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y) { return 2 * x + y; });
  vector const x = some(1, 200);
  vector const expected = 2 * x + xt::view(x, xt::range(199, xt::placeholders::_, -1));
  vector a = x;
  CHECK((f(std::move(a), xt::view(a, xt::range(199, xt::placeholders::_, -1))) == expected));
  vector b = x, c = x;
  CHECK((f(std::move(b), b) == vector(3 * x)));
  CHECK((f(std::move(c), std::move(c)) == vector(3 * x)));
}

TEST_CASE("a call that throws leaves what it was given as it was") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y) { return 2 * x + y; });
  vector a = some(1, 5), b = some(2, 6);
  CHECK_THROWS_AS(f(std::move(a), std::move(b)), kt::shape_error);
  CHECK((a == some(1, 5)));
  CHECK((b == some(2, 6)));
  // Either step may come first.
  auto const g = kt::function([](kt::dmatrix x, kt::dmatrix m) { return kt::outputs(2 * x, cholesky(m)); });
  matrix x = some(3, 40, 40), m = -xt::eye<double>(40);
  CHECK_THROWS_AS(g(std::move(x), m), kt::linalg_error);
  CHECK((x == some(3, 40, 40)));
  CHECK_THROWS_AS(g.into(std::tie(x, m), x, m), kt::linalg_error);
  CHECK((x == some(3, 40, 40)));
}

TEST_CASE("a step that fails halfway does not overwrite what the call was given") {
  matrix const indefinite = -xt::eye<double>(40);
  auto const root = kt::function([](kt::dmatrix x) { return cholesky(x * 2); });
  auto const inverse = kt::function([](kt::dmatrix x) { return matrix_inverse(x * 2); });
  matrix x = indefinite, zero = xt::zeros<double>({40, 40});
  CHECK_THROWS_AS(x = root(std::move(x)), kt::linalg_error);
  CHECK((x == indefinite));
  CHECK_THROWS_AS(root.into(x, x), kt::linalg_error);
  CHECK((x == indefinite));
  CHECK_THROWS_AS(inverse.into(zero, zero), kt::linalg_error);
  CHECK((zero == xt::zeros<double>({40, 40})));
  kt::shared<double, 2> w(indefinite);
  auto const step = kt::function([](kt::dmatrix w) { return kt::outputs().update(w, cholesky(w * 2)); }, w);
  CHECK_THROWS_AS(step(), kt::linalg_error);
  CHECK((w.get_value() == indefinite));
  auto const along = kt::function([](kt::dmatrix x, kt::lscalar k) { return take_along_axis(x * 2, argsort(x, kt::axis<1>) + k, kt::axis<1>); });
  matrix const a = some(9, 6, 5);
  matrix b = a;
  CHECK_THROWS_AS(b = along(std::move(b), 1), kt::value_error);
  CHECK((b == a));
}

TEST_CASE("shared variables are updated from arguments that are given away") {
  kt::shared<double, 1> w(some(1, 300));
  auto const f = kt::function([](kt::dvector x, kt::dvector w) { return kt::outputs(x + w).update(w, w + 2 * x); }, w);
  vector x = some(2, 300);
  vector const old = w.get_value(), given = x;
  CHECK((f(std::move(x)) == vector(given + old)));
  CHECK((w.get_value() == vector(old + 2 * given)));
}

TEST_CASE("other types, ranks and modes") {
  auto const half = kt::function([](kt::fvector x) { return x / 2; });
  xt::xtensor<float, 1> x = xt::ones<float>({100});
  float const* const at = x.data();
  CHECK(half(std::move(x)).data() == at);
  // Of another element type it is converted.
  auto const twice = kt::function([](kt::dvector x) { return 2 * x; });
  CHECK((twice(xt::xtensor<float, 1>{1, 2}) == vector{2, 4}));
  CHECK((twice(std::vector<double>{1, 2}) == vector{2, 4}));
  auto const total = kt::function([](kt::dvector x) { return sum(x); });
  CHECK((total(vector{1, 2}) == 3));
  vector const v = some(1, 70);
  auto const formula = [](kt::dvector x) { return sigmoid(x) * x; };
  CHECK(takes_over(kt::function(formula, kt::mode::interpret), v));
  CHECK(takes_over(kt::function(formula, kt::mode::ieee), v));
  CHECK(takes_over(kt::function(formula, kt::mode::fast_compile), v));
  takes_over(kt::function(formula, kt::mode::debug), v);
}

TEST_CASE("a function object takes over what it is handed by value") {
  kt::callable<vector(vector)> const f = kt::function([](kt::dvector x) { return x + 1; });
  vector x = some(1, 100);
  double const* const at = x.data();
  CHECK(f(std::move(x)).data() == at);
}
