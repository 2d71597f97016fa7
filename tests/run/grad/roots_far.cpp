// Roots and minima from starts many orders of magnitude away, where slopes are infinite, and across
// points where values overflow: the search comes to the solution, or says that it has none.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cmath>

#include "run/gradients.hpp"

using namespace gradients;

namespace {

template <class T>
auto roots_from(vec<T> const& starts) {
  static auto const f = kt::function([](kt::vector<T> starts, kt::scalar<T> a) {
    auto const from_all = [&](auto f) {
      return kt::vmap<0>([&](kt::scalar<T> s) { return kt::root(f, s); })(starts);
    };
    return std::tuple(from_all([&](auto x) { return sqrt(x) - a; }),
                      from_all([&](auto x) { return log(x) - a; }));
  });
  return f(starts, T(1));
}

template <class T>
auto minima_from(vec<T> const& starts) {
  static auto const f = kt::function([](kt::vector<T> starts, kt::scalar<T> a) {
    auto const from_all = [&](auto f) {
      return kt::vmap<0>([&](kt::scalar<T> s) { return kt::minimizer(f, s); })(starts);
    };
    return std::tuple(from_all([&](auto x) { return x - a * log(x); }),
                      from_all([&](auto x) { return sqrt(x) * x - T(1.5) * a * x; }));
  });
  return f(starts, T(1));
}

}  // namespace

TEST_CASE("roots from far above: a start's length is no measure of the solution's") {
  auto const [root, power] = roots_from<double>({1e6, 1e10, 1e13, 1e14, 1e15});
  for (I i = 0; i < 5; ++i) {
    CHECK(root(i) == Approx(1).epsilon(1e-10));
    CHECK(power(i) == Approx(std::exp(1.)).epsilon(1e-10));
  }
  auto const [rough, rough_power] = roots_from<float>({10.f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f});
  for (I i = 0; i < 6; ++i) {
    CHECK(rough(i) == Approx(1).epsilon(1e-5));
    CHECK(rough_power(i) == Approx(std::exp(1.)).epsilon(1e-5));
  }
}

TEST_CASE("minima from far above") {
  auto const [sum, power] = minima_from<double>({0.1, 1e6, 1e12, 1e14});
  for (I i = 0; i < 4; ++i) {
    CHECK(sum(i) == Approx(1).epsilon(1e-7));
    CHECK(power(i) == Approx(1).epsilon(1e-7));
  }
  auto const [rough, rough_power] = minima_from<float>({1e2f, 1e5f, 1e6f});
  for (I i = 0; i < 3; ++i) {
    CHECK(rough(i) == Approx(1).epsilon(1e-3));
    CHECK(rough_power(i) == Approx(1).epsilon(1e-3));
  }
}

TEST_CASE("where the slope is infinite there is no root, unless the equation holds") {
  auto const [root, power] = roots_from<double>({0.});
  CHECK(std::isnan(root(0)));
  CHECK(std::isnan(power(0)));
  auto const at_zero = kt::function([](kt::dscalar start) {
    return kt::root([](auto x) { return sqrt(x); }, start);
  });
  CHECK(at_zero(0.) == 0);
}

TEST_CASE("no step goes where the equation is infinite") {
  auto const f = kt::function([](kt::dvector starts, kt::dscalar a) {
    return kt::vmap<0>([&](kt::dscalar s) {
      return kt::root([&](auto x) { return exp(x) - a; }, s, {.unsolved = kt::unsolved::last});
    })(starts);
  });
  for (double x : f(vec<double>{-30, -40, -50, -99.5, -1000, 700}, 1.))
    CHECK(x == Approx(0).margin(1e-12));
}

TEST_CASE("unknowns of different orders of magnitude") {
  auto const f = kt::function([](kt::dvector start, kt::dvector a) {
    return kt::root([&](auto x) { return sqrt(x) - a; }, start);
  });
  vec<double> const ones{1, 1};
  for (auto const& start : {vec<double>{1e4, 2}, vec<double>{1e6, 2}, vec<double>{1e14, 1},
                            vec<double>{0.1, 1e5}, vec<double>{1e6, 1e6}}) {
    auto const x = f(start, ones);
    for (I i = 0; i < 2; ++i) CHECK(x(i) == Approx(1).epsilon(1e-10));
  }
  CHECK(std::isnan(f(vec<double>{0, 1}, ones)(0)));
}

TEST_CASE("roots and minima about 0, where rounding leaves a rest") {
  auto const f = kt::function([](kt::dvector starts, kt::dscalar a) {
    auto const rest = [&](auto x) { return 7 * (x + a) - (3 * a + 4 * a) * exp(x); };
    return std::tuple(
        kt::vmap<0>([&](kt::dscalar s) { return kt::root(rest, s); })(starts),
        kt::vmap<0>([&](kt::dscalar s) { return kt::minimizer([&](auto x) { return sqr(rest(x)); }, s); })(
            starts));
  });
  auto const [root, minimum] = f(vec<double>{0.5, 1e-3, -2}, 0.1);
  for (I i = 0; i < 3; ++i) {
    CHECK(root(i) == Approx(0).margin(1e-14));
    CHECK(minimum(i) == Approx(0).margin(1e-14));
  }
}
