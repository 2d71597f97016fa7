// Loops that read joined arrays where they are, part by part: they give what they give of a copy.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/runtime.hpp>

#include <array>
#include <complex>
#include <sstream>
#include <tuple>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>

using namespace reference;

namespace joined_loops {

using kt::axis, kt::none, kt::slice;

template <class T, std::size_t N>
xt::xtensor<T, N> waves(std::array<std::size_t, N> const& shape) {
  xt::xtensor<T, N> x = xt::zeros<T>(shape);
  std::size_t i = 0;
  for (T& e : x) e = static_cast<T>(10 * std::sin(0.37 * static_cast<double>(i++) + 0.2));
  return x;
}
template <class X>
bool same(X const& found, X const& wanted) {
  return xt::allclose(found, wanted, 1e-12, 1e-12);
}
/// numpy.roll, from its definition.
template <class X>
X rolled(X const& x, std::int64_t shift, std::size_t d) {
  X y = x;
  std::int64_t const n = static_cast<std::int64_t>(x.shape(d));
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t const from = ((i - shift) % n + n) % n;
    if (d == 0) xt::view(y, i) = xt::view(x, from);
    else if (d == 1) xt::view(y, xt::all(), i) = xt::view(x, xt::all(), from);
    else xt::view(y, xt::all(), xt::all(), i) = xt::view(x, xt::all(), xt::all(), from);
  }
  return y;
}
/// A call copies nothing that is joined, at these extents: the plan says so, of so many joins.
template <class F, class... Shapes>
int joins_left_to_loops(F const& f, Shapes const&... shapes) {
  std::ostringstream out;
  kt::debugprint(f, out, shapes...);
  std::string const text = out.str();
  int found = 0;
  for (std::size_t at = text.find("read the arrays where they are"); at != std::string::npos;
       at = text.find("read the arrays where they are", at + 1))
    ++found;
  return found;
}

constexpr auto energy = [](kt::dmatrix u) {
  return sum(sqr(u - roll(u, 1, axis<0>)) * exp(-0.1 * sqr(roll(u, -1, axis<1>)))) + sum(pow(u - roll(u, 2, axis<1>), 4));
};

}  // namespace joined_loops
using namespace joined_loops;

TEST_CASE("loops over rolled matrices", "[joined_loops]") {
  auto f = kt::function([](kt::dmatrix u, kt::lscalar s) {
    return u + 0.25 * (roll(u, s, axis<0>) * roll(u, -1, axis<0>) - roll(u, 2, axis<1>) + roll(u, -s, axis<1>));
  });
  if (runs_compiled) CHECK(joins_left_to_loops(f, kt::shape(60, 70), 3) == 4);
  for (auto [n, m] : {std::pair<std::size_t, std::size_t>{1, 1}, {3, 4}, {5, 600}, {600, 5}, {60, 70}, {64, 64}, {7, 1000}, {2000, 4}})
    for (std::int64_t s : {0, 1, -2, 4, 1001}) {
      CAPTURE(n, m, s);
      auto const u = waves<double, 2>({n, m});
      xt::xtensor<double, 2> const wanted =
          u + 0.25 * (rolled(u, s, 0) * rolled(u, -1, 0) - rolled(u, 2, 1) + rolled(u, -s, 1));
      CHECK(same(f(u, s), wanted));
    }
}

TEMPLATE_TEST_CASE("joined elements of every type", "[joined_loops]", float, std::int32_t, std::int8_t, std::complex<double>) {
  using T = TestType;
  auto const f = kt::function<kt::vector<T>, kt::vector<T>>(
      [](auto x, auto y) { return concatenate(x, y(slice(none, none, -1)), x(slice(1, none, 2))) * 2 + concatenate(y, x(slice(1, none, 2)), x); });
  for (std::size_t n : {0, 1, 2, 900, 1024, 1025, 5000}) {
    CAPTURE(n);
    auto const x = waves<T, 1>({n}), y = waves<T, 1>({n + n / 2 + 1});
    vec<T> const odd = xt::view(x, xt::range(1, xt::placeholders::_, 2)), back = xt::flip(y, 0);
    vec<T> wanted = xt::zeros<T>({x.size() + y.size() + odd.size()});
    std::size_t i = 0;
    for (T e : x) wanted(i++) = static_cast<T>(e * T(2));
    for (T e : back) wanted(i++) = static_cast<T>(e * T(2));
    for (T e : odd) wanted(i++) = static_cast<T>(e * T(2));
    i = 0;
    for (T e : y) wanted(i) = static_cast<T>(wanted(i) + e), ++i;
    for (T e : odd) wanted(i) = static_cast<T>(wanted(i) + e), ++i;
    for (T e : x) wanted(i) = static_cast<T>(wanted(i) + e), ++i;
    CHECK((f(x, y) == wanted));
  }
}

TEST_CASE("reductions in loops over joined arrays", "[joined_loops]") {
  auto f = kt::function([](kt::dmatrix u, kt::dvector w) {
    auto d = sqr(u - roll(u, 1, axis<0>)) + w * roll(u, -1, axis<1>);
    return std::tuple(sum(d), sum(d, axis<0>), sum(d, axis<1>), max(d), min(d, axis<1>), any(d > 90.0));
  });
  for (auto [n, m] : {std::pair<std::size_t, std::size_t>{2, 3}, {50, 60}, {3, 1000}, {1000, 3}, {200, 100}, {10, 300}}) {
    CAPTURE(n, m);
    auto const u = waves<double, 2>({n, m});
    vec<double> const w = waves<double, 1>({m});
    xt::xtensor<double, 2> const d = xt::square(u - rolled(u, 1, 0)) + w * rolled(u, -1, 1);
    auto const [total, columns, rows, most, least, any_large] = f(u, w);
    CHECK(std::abs(total - xt::sum(d)()) <= 1e-11 * (1 + std::abs(total)));
    CHECK((xt::allclose(columns, xt::sum(d, {0}), 1e-11, 1e-11)));
    CHECK((xt::allclose(rows, xt::sum(d, {1}), 1e-11, 1e-11)));
    CHECK(std::abs(most - xt::amax(d)()) <= 1e-13 * std::abs(most));
    CHECK((xt::allclose(least, xt::amin(d, {1}), 1e-13, 1e-13)));
    CHECK(any_large == (xt::amax(d)() > 90));
  }
}

TEST_CASE("sums of floats over joined arrays accumulate in double", "[joined_loops]") {
  auto f = kt::function([](kt::fvector x) { return sum(concatenate(x, x(slice(1, none))) * concatenate(x(slice(1, none)), x)); });
  std::size_t const n = 200001;
  xt::xtensor<float, 1> x = xt::zeros<float>({n});
  for (std::size_t i = 0; i < n; ++i) x(i) = 1 + 0.1f * static_cast<float>(i % 7);
  double exact = 0;
  std::vector<float> left, right;
  for (float e : x) left.push_back(e);
  for (std::size_t i = 1; i < n; ++i) left.push_back(x(i));
  for (std::size_t i = 1; i < n; ++i) right.push_back(x(i));
  for (float e : x) right.push_back(e);
  for (std::size_t i = 0; i < left.size(); ++i) exact += static_cast<double>(left[i]) * static_cast<double>(right[i]);
  CHECK(std::abs(f(x) - exact) <= 1e-6 * exact);
}

TEST_CASE("three axes, rows that are repeated, and a join that two loops read", "[joined_loops]") {
  auto f = kt::function([](kt::dtensor3 u, kt::dvector w) {
    auto r = roll(u, 1, axis<2>);
    auto a = r * w + roll(u, -1, axis<0>);
    return std::tuple(a, sum(a, axis<1>), exp(-sqr(r)) / (1.0 + sqr(sum(a))));
  });
  auto const u = waves<double, 3>({9, 20, 31});
  vec<double> const w = waves<double, 1>({31});
  auto const [a, sums, last] = f(u, w);
  xt::xtensor<double, 3> const r = rolled(u, 1, 2), wanted = r * w + rolled(u, -1, 0);
  CHECK(same(a, wanted));
  CHECK((xt::allclose(sums, xt::sum(wanted, {1}), 1e-11, 1e-11)));
  CHECK((xt::allclose(last, xt::exp(-xt::square(r)) / (1 + std::pow(xt::sum(wanted)(), 2)), 1e-11, 1e-300)));
}

TEST_CASE("more parts than a loop takes apart are copied together", "[joined_loops]") {
  auto f = kt::function([](kt::dvector x) {
    auto p = [&](int i) { return x(slice(100 * i, 100 * i + 150)); };
    auto a = concatenate(p(0), p(1), p(2), p(3), p(4), p(5), p(6), p(7), p(8), p(9), p(10), p(11), p(12), p(13), p(14), p(15), p(16), p(17), p(18), p(19));
    return a * roll(a, 7);
  });
  auto const x = waves<double, 1>({2100});
  vec<double> a = xt::zeros<double>({3000});
  for (std::size_t i = 0; i < 3000; ++i) a(i) = x(100 * (i / 150) + i % 150);
  CHECK(same(f(x), vec<double>(a * rolled(a, 7, 0))));
}

TEST_CASE("what loops read in parts is not overwritten before", "[joined_loops]") {
  auto const start = waves<double, 2>({40, 70});
  xt::xtensor<double, 2> const once = start + 0.5 * rolled(start, 1, 0), twice = once + 0.5 * rolled(once, 1, 0);
  SECTION("an update") {
    kt::shared<double, 2> w(start);
    auto step = kt::function([](kt::dmatrix w) { return kt::outputs(sum(w)).update(w, w + 0.5 * roll(w, 1, axis<0>)); }, w);
    step();
    CHECK(same(w.get_value(), once));
    step();
    CHECK(same(w.get_value(), twice));
  }
  SECTION("an argument that is given away") {
    auto step = kt::function([](kt::dmatrix w) { return w + 0.5 * roll(w, 1, axis<0>); });
    xt::xtensor<double, 2> x = start;
    x = step(std::move(x));
    x = step(std::move(x));
    CHECK(same(x, twice));
  }
  SECTION("the same array as target") {
    auto step = kt::function([](kt::dmatrix w) { return w + 0.5 * roll(w, 1, axis<0>); });
    xt::xtensor<double, 2> x = start;
    step.into(x, x);
    CHECK(same(x, once));
  }
  SECTION("memory that is used again") {
    auto f = kt::function([](kt::dmatrix w) {
      auto a = cumsum(w, axis<1>);
      auto b = roll(a, 1, axis<1>) * 2.0;
      auto c = cumsum(b, axis<0>);
      return roll(c, -1, axis<1>) + roll(b, 2, axis<1>) - roll(a, 3, axis<1>);
    });
    xt::xtensor<double, 2> const a = xt::cumsum(start, 1), b = rolled(a, 1, 1) * 2.0, c = xt::cumsum(b, 0);
    CHECK(same(f(start), xt::xtensor<double, 2>(rolled(c, -1, 1) + rolled(b, 2, 1) - rolled(a, 3, 1))));
  }
}

TEST_CASE("joins in branches, and next to selected elements", "[joined_loops]") {
  auto f = kt::function([](kt::dvector x, kt::lvector i, kt::dscalar s) {
    return ifelse(s > 0.0, sum(sqr(roll(x, 1)) * x(i)), sum(roll(x, -1) * x));
  });
  auto const x = waves<double, 1>({5000});
  vec<std::int64_t> i = xt::arange<std::int64_t>(4999, -1, -1);
  vec<double> const back = xt::flip(x, 0);
  CHECK(f(x, i, 1.0) == Approx(xt::sum(xt::square(rolled(x, 1, 0)) * back)()).epsilon(1e-11));
  CHECK(f(x, i, -1.0) == Approx(xt::sum(rolled(x, -1, 0) * x)()).epsilon(1e-11));
  CHECK(f(x, i, 1.0) == Approx(xt::sum(xt::square(rolled(x, 1, 0)) * back)()).epsilon(1e-11));
}

TEST_CASE("products of ranges are not the product of tensors whose extents may differ", "[joined_loops]") {
  // Nothing says that both have as many rows
  auto f = kt::function([](kt::dmatrix u, kt::dmatrix v) {
    return softmax(u) * concatenate<0>(u(slice(none, 1)) * v(slice(none, 1)), u(slice(1, none)) * v(slice(1, none)));
  });
  std::size_t const n = 3000, m = 40;
  xt::xtensor<double, 2> const u = xt::ones<double>({n, m});
  auto const v = waves<double, 2>({n, m});
  CHECK(same(f(u, v), xt::xtensor<double, 2>(v / static_cast<double>(m))));
}

TEST_CASE("ranges of a vector next to ranges of rows are not joined along the rows", "[joined_loops]") {
  auto f = kt::function([](kt::dmatrix u, kt::dvector v) {
    return concatenate<0>(exp(u(slice(0, 2))) + v(slice(0, 3)), exp(u(slice(2, 4))) + v(slice(3, 6)));
  });
  auto g = kt::function([](kt::dmatrix u, kt::dmatrix x) {
    return concatenate<1>(exp(u(slice(), slice(0, 3))) + x(slice(), 0), exp(u(slice(), slice(3, 6))) + x(slice(), 1));
  });
  auto h = kt::function([](kt::dmatrix u, kt::dvector v) { return roll(exp(u), 1, axis<0>) * v; });
  auto const u = waves<double, 2>({4, 3}), across = waves<double, 2>({4, 6}), x = waves<double, 2>({3, 2});
  auto const v = waves<double, 1>({6});
  auto const found = f(u, v), other = g(across, x);
  vec<double> const w{1, 2, 3};
  auto const scaled = h(u, w);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(found(i, j) == Approx(std::exp(u(i, j)) + v(j + (i < 2 ? 0 : 3))));
      CHECK(scaled(i, j) == Approx(std::exp(u((i + 3) % 4, j)) * w(j)));
      for (std::size_t k : {0, 1}) CHECK(other(i, j + 3 * k) == Approx(std::exp(across(i, j + 3 * k)) + x(j, k)));
    }
}

TEST_CASE("a gradient that is joined where a range is empty", "[joined_loops]") {
  auto f = kt::function([](kt::fixed<double, 6> x) {
    return grad(sum(sqr(x(slice(none, 3)))) + sum(exp(x(slice(3, 3)))) + sum(pow(x(slice(3, 6)), 3)), x);
  });
  auto const g = f(xt::xtensor_fixed<double, xt::xshape<6>>{1, 2, 3, 4, 5, 6});
  CHECK((g == vec<double>{2, 4, 6, 48, 75, 108}));
}

TEST_CASE("a gradient through rolled tensors", "[joined_loops]") {
  auto value = kt::function(energy);
  auto gradient = kt::function([](kt::dmatrix u) { return grad(energy(u), u); });
  auto u = waves<double, 2>({50, 60});
  u *= 0.1;
  auto const g = gradient(u);
  for (auto [i, k] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 59}, {49, 0}, {49, 59}, {20, 1}, {20, 58}, {1, 30}, {17, 23}}) {
    double const h = 1e-4, at = u(i, k);
    u(i, k) = at + h;
    double const up = value(u);
    u(i, k) = at - h;
    double const down = value(u);
    u(i, k) = at;
    CHECK(g(i, k) == Approx((up - down) / (2 * h)).epsilon(1e-5).margin(1e-5));
  }
  auto interpreted = kt::function([](kt::dmatrix u) { return grad(energy(u), u); }, kt::mode::interpret);
  CHECK((xt::allclose(interpreted(u), g, 1e-11, 1e-11)));
}

TEST_CASE("a loop over as many parts of one axis as there may be, and parts of another", "[joined_loops]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c, kt::dmatrix d, kt::dmatrix y) {
    return concatenate<0>(a, b, c, d, a, b, c, d, b, a, d, c, a, c, b, d) - roll(y, 40, axis<1>);
  });
  std::array<xt::xtensor<double, 2>, 4> parts;
  for (std::size_t k = 0; k < 4; ++k) parts[k] = waves<double, 2>({20, 80}) + static_cast<double>(k);
  auto const y = waves<double, 2>({320, 80});
  auto const found = f(parts[0], parts[1], parts[2], parts[3], y);
  int const order[] = {0, 1, 2, 3, 0, 1, 2, 3, 1, 0, 3, 2, 0, 2, 1, 3};
  auto wanted = rolled(y, 40, 1);
  for (std::size_t i = 0; i < 320; ++i)
    for (std::size_t j = 0; j < 80; ++j) wanted(i, j) = parts[static_cast<std::size_t>(order[i / 20])](i % 20, j) - wanted(i, j);
  CHECK(same(found, wanted));
}
