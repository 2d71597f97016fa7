// The table of gradients where mathematics leaves a choice: ties, kinks, zeros; and branches that are not taken.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {
template <class T>
bool same(vec<T> const& a, vec<T> const& b) {
  return mismatch(a, [&](I i) { return b(i); }) == "" && a.size() == b.size();
}
}  // namespace

TEST_CASE("ties of elementwise extrema go to the first operand") {
  auto f = kt::function([](kt::dvector a, kt::dvector b) {
    auto [xa, xb] = grad(sum(maximum(a, b)), a, b);
    auto [na, nb] = grad(sum(minimum(a, b)), a, b);
    return std::tuple(xa, xb, na, nb);
  });
  auto const [xa, xb, na, nb] = f(vec<double>{1, 2, 3}, vec<double>{2, 2, 2});
  CHECK(same(xa, {0, 1, 1}));
  CHECK(same(xb, {1, 0, 0}));
  CHECK(same(na, {1, 1, 0}));
  CHECK(same(nb, {0, 0, 1}));
}

TEST_CASE("ties of reductions go to the first element in row-major order") {
  auto f = kt::function([](kt::dmatrix m) { return std::tuple(grad(max(m), m), grad(min(m), m), grad(sum(max(m, kt::axis<0>)), m), grad(sum(min(m, kt::axis<1>)), m)); });
  auto const [x, n, x0, n1] = f(mat<double>{{1, 3, 3}, {3, 1, 3}});
  CHECK((x == mat<double>{{0, 1, 0}, {0, 0, 0}}));
  CHECK((n == mat<double>{{1, 0, 0}, {0, 0, 0}}));
  CHECK((x0 == mat<double>{{0, 1, 1}, {1, 0, 0}}));
  CHECK((n1 == mat<double>{{1, 0, 0}, {0, 1, 0}}));
}

TEST_CASE("kinks and bounds") {
  auto f = kt::function([](kt::dvector x) {
    return std::tuple(grad(sum(abs(x)), x), grad(sum(sgn(x)), x), grad(sum(sqrt(sqr(x))), x), grad(sum(clip(x, -1, 1)), x), grad(sum(maximum(x, 0)), x),
                      grad(sum(floor(x) + ceil(x) + round(x) + trunc(x)), x), grad(sum(minimum(0, x)), x), grad(sum(maximum(0, x)), x));
  });
  auto const r = f(vec<double>{-2, -1, 0, 0.5, 1, 2});
  CHECK(same(std::get<0>(r), {-1, -1, 0, 1, 1, 1}));
  CHECK(same(std::get<1>(r), {0, 0, 0, 0, 0, 0}));
  CHECK(same(std::get<2>(r), {-1, -1, 0, 1, 1, 1}));
  CHECK(same(std::get<3>(r), {0, 1, 1, 1, 1, 0}));  // at a bound the gradient goes to x
  CHECK(same(std::get<4>(r), {0, 0, 1, 1, 1, 1}));
  CHECK(same(std::get<5>(r), {0, 0, 0, 0, 0, 0}));
  CHECK(same(std::get<6>(r), {1, 1, 0, 0, 0, 0}));  // the tie at 0 goes to the constant, which is first
  CHECK(same(std::get<7>(r), {0, 0, 0, 1, 1, 1}));
}

TEST_CASE("powers and roots at 0") {
  auto f = kt::function([](kt::dvector x, kt::dvector y) {
    auto [gx, gy] = grad(sum(pow(x, y)), x, y);
    return std::tuple(gx, gy, grad(sum(pow(x, 0)), x), grad(sum(pow(x, 1)), x), grad(sum(pow(x, 2)), x), grad(sum(pow(x, 3)), x), grad(sum(sqrt(x)), x), grad(sum(gx), y));
  });
  auto const r = f(vec<double>{0, 0, 0, 0, 2}, vec<double>{0, 1, 2, 3, 0});
  CHECK(std::get<7>(r)(4) == 0.5);  // the derivative y pow(x, y - 1) has one of its own at y = 0
  CHECK(same(std::get<0>(r), {0, 1, 0, 0, 0}));
  CHECK(same(std::get<1>(r), {0, 0, 0, 0, std::log(2.0)}));
  CHECK(same(std::get<2>(r), {0, 0, 0, 0, 0}));
  CHECK(same(std::get<3>(r), {1, 1, 1, 1, 1}));
  CHECK(same(std::get<4>(r), {0, 0, 0, 0, 4}));
  CHECK(same(std::get<5>(r), {0, 0, 0, 0, 12}));
  CHECK(std::get<6>(r)(0) == infinity);  // as mathematics has it
}

TEST_CASE("the product's gradient is that of the other elements, with one zero, two, or none") {
  auto f = kt::function([](kt::dvector x) { return grad(prod(x), x); });
  CHECK(same(f(vec<double>{2, 3, 4}), {12, 8, 6}));
  CHECK(same(f(vec<double>{2, 0, 4}), {0, 8, 0}));
  CHECK(same(f(vec<double>{0, 0, 4}), {0, 0, 0}));
  CHECK(same(f(vec<double>{5}), {1}));
  CHECK(same(f(vec<double>{0, 1e200, 1e200}), {infinity, 0, 0}));
  auto const second = kt::function([](kt::dvector x) { return flatten(hessian(prod(x), x)); }, kt::mode::interpret);
  CHECK(same(second(vec<double>{0, 3, 2}), {0, 2, 3, 2, 0, 0, 3, 0, 0}));
  CHECK(same(second(vec<double>{0, 0, 4}), {0, 4, 0, 4, 0, 0, 0, 0, 0}));
}

TEST_CASE("sums of choices by one condition are those of each, also where they are of other extents") {
  auto const f = kt::function([](kt::dvector c, kt::dmatrix a, kt::dmatrix b) { return sum(where(c > 0, a, 0)) + sum(where(c > 0, 0, b)); });
  CHECK(f(vec<double>{1, -1, 1}, xt::ones<double>({2, 3}), 5 * xt::ones<double>({4, 3})) == 2 * 2 + 4 * 5);
  auto const g = kt::function([](kt::dvector c, kt::dvector a) { return sum(where(c > 0, a, 0)) + sum(where(c > 0, 0, sqr(a))); });
  CHECK(g(vec<double>{1, -1, 1, -1}, vec<double>{2, 3, 4, 5}) == 2 + 9 + 4 + 25);
}

TEST_CASE("a branch that is not taken never makes a NaN, in gradients of the first and the second order") {
  auto f = kt::function([](kt::dvector x) {
    auto both = [&](auto const& y) {
      auto const g = grad(sum(y), x);
      return std::tuple(g, grad(sum(g), x, kt::disconnected::zero));
    };
    return std::tuple(both(where(x > 0, log(x), 0)), both(where(x > 0, sqrt(x), 0)), both(where(x > 0, 1 / x, 0)), both(where(x <= 0, x, x * log(x))),
                      both(where(x > 0, pow(x, 1.5), 0) * 2), both(exp(where(x > 0, log(x), -1))), both(where(x > 0, log(x), where(x < 0, log(-x), 0))));
  });
  vec<double> const x{-1, -0.0, 0, 1, 4};
  auto const r = f(x);
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    auto finite = [&](vec<double> const& g, std::size_t number) {
      CAPTURE(number);
      for (double v : g) CHECK(std::isfinite(v));
    };
    (finite(std::get<K>(r), K), ...);
  }(std::make_index_sequence<14>{});
  CHECK(same(std::get<0>(r), {0, 0, 0, 1, 0.25}));
  CHECK(same(std::get<1>(r), {0, 0, 0, -1, -0.0625}));
  CHECK(same(std::get<2>(r), {0, 0, 0, 0.5, 0.25}));
  CHECK(same(std::get<5>(r), {0, 0, 0, 2, 0.03125}));
}

TEST_CASE("squares of norms have the second derivatives of sums of squares, and powers next to 0 have gradients") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y, kt::dmatrix m) {
    auto const n = norm(x);
    auto const rows = grad(sum(sqr(norm(m, kt::axis<1>)) * y), m);
    return std::tuple(hessian(sqr(n), x), hessian(-(n * n * 3 + pow(n, 2)), x), grad(n * n * n, x), grad(sum(rows), m), grad(sum(pow(y, x)), y),
                      grad(sum(grad(sum(kt::gammaincc(1, y)), y)), y));
  });
  vec<double> const zero{0, 0}, next{5e-324, infinity};
  auto const [twice, minus, cube, by_rows, power, decay] = f(zero, next, mat<double>{{0, 0}, {1, 2}});
  CHECK((twice == mat<double>{{2, 0}, {0, 2}}));
  CHECK((minus == mat<double>{{-8, 0}, {0, -8}}));
  CHECK(same(cube, {0, 0}));
  CHECK(by_rows(0, 1) == 2 * 5e-324);
  CHECK(same(power, {0, 0}));
  CHECK(same(decay, {1, 0}));
  auto const [there, also, cubed, r, p, d] = f(vec<double>{3, 4}, vec<double>{2, 1}, mat<double>{{0, 0}, {1, 2}});
  CHECK((there == mat<double>{{2, 0}, {0, 2}}));
  CHECK(same(cubed, {45, 60}));
  CHECK(same(p, {12, 4}));
}

TEST_CASE("known gradients, disconnected variables, several at once") {
  auto f = kt::function([](kt::dvector x, kt::dvector y, kt::dscalar s) {
    auto const z = sqr(x);
    auto const cost = sum(z * 3);
    auto [gx, gz] = grad(cost, x, z);
    return std::tuple(gx, gz, grad(cost, y, kt::disconnected::zero), grad(sum(x * y), y), lop(z, x, y), grad(sum(x) * s, s));
  });
  vec<double> const x{1, 2}, y{5, 6};
  auto const [gx, gz, none, gy, l, gs] = f(x, y, 2.0);
  CHECK(same(gx, {6, 12}));
  CHECK(same(gz, {3, 3}));
  CHECK(same(none, {0, 0}));
  CHECK(same(gy, {1, 2}));
  CHECK(same(l, {10, 24}));
  CHECK(gs == 3);
  auto known = kt::function([](kt::dvector v, kt::dvector g) {
    auto const z = exp(v);
    return grad(sum(v), v, kt::known_grads(z, g));
  });
  CHECK(mismatch(known(x, y), [&](I i) { return 1 + y(i) * std::exp(x(i)); }, 1e-15) == "");
}

TEST_CASE("cross-entropies have derivatives by targets of 0 and 1, as between") {
  auto const f = kt::function(
      [](kt::dvector p, kt::dvector t) {
        auto const of_lines = categorical_crossentropy(stack<1>(p, 1 - p), stack<1>(t, 1 - t));
        return std::pair(grad(sum(binary_crossentropy(p, t)), t), grad(sum(of_lines), t));
      },
      kt::mode::interpret);
  auto const [binary, categorical] = f(vec<double>{0.2, 0.2, 0.5, 0}, vec<double>{0, 1, 0, 0});
  CHECK(same(binary, {std::log(4.0), std::log(4.0), 0, 0}));
  CHECK(same(categorical, {std::log(4.0), std::log(4.0), 0, 0}));
}
