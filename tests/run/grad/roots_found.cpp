// Where the search for a root leads: from starts of all sizes, where the Jacobian is singular, where there is no root, with structs as unknowns.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <boost/hana/define_struct.hpp>
#include <cmath>

#include "run/gradients.hpp"

using namespace gradients;

namespace {

struct balance : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(balance, (kt::dmatrix, flows), (kt::dscalar, scale), (kt::dvector, stocks));
};

constexpr auto no_root = [](auto x) { return x * x + 1.; };

}  // namespace

TEST_CASE("roots from starts where the Jacobian is singular, far away, tiny and huge") {
  auto const number = kt::function([](kt::dscalar a, kt::dscalar start) {
    return kt::root([&](auto x) { return x * x - a; }, start);
  });
  CHECK(std::fabs(number(2., 0.)) == Approx(std::sqrt(2.)).epsilon(1e-14));
  CHECK(number(2., 1e9) == Approx(std::sqrt(2.)).epsilon(1e-14));
  CHECK(number(1e-20, 1.) == Approx(1e-10).epsilon(1e-14));
  CHECK(number(1e-20, 1e-9) == Approx(1e-10).epsilon(1e-14));
  CHECK(number(1e30, 1.) == Approx(1e15).epsilon(1e-14));
  CHECK(number(0., 1.) == Approx(0).margin(1e-12));
  auto const steep = kt::function(
      [](kt::fscalar a, kt::fscalar start) { return kt::root([&](auto x) { return exp(x) - a; }, start); });
  CHECK(steep(1.5f, -20.f) == Approx(std::log(1.5f)).epsilon(1e-6));
  CHECK(steep(1.5f, 60.f) == Approx(std::log(1.5f)).epsilon(1e-6));
  auto const pair = kt::function([](kt::dvector start) {
    return kt::root([](auto x) { return stack<0>(sqr(x(0)) + x(1) - 3, x(0) * x(1) - 2.); }, start);
  });
  for (auto const& start : {vec<double>{0, 0}, vec<double>{1e5, -1e5}, vec<double>{-3, 0.1}}) {
    auto const x = pair(start);
    CHECK(x(0) * x(0) + x(1) == Approx(3).epsilon(1e-13));
    CHECK(x(0) * x(1) == Approx(2).epsilon(1e-13));
  }
  CHECK(pair(vec<double>{NAN, 1}).size() == 2);
}

TEST_CASE("equations without a root give NaN, an error or the last iterate") {
  auto const f = kt::function([](kt::dscalar s) {
    auto const x = kt::root(no_root, s);
    return std::tuple(x, kt::root(no_root, s, {.unsolved = kt::unsolved::last}),
                      kt::root(no_root, s, {.max_iterations = 1, .unsolved = kt::unsolved::last}));
  });
  auto const [x, last, one_step] = f(3.);
  CHECK(std::isnan(x));
  CHECK(std::fabs(last) < 0.5);
  CHECK(one_step == Approx(3 - 10. / 6));
  auto const checked =
      kt::function([](kt::dscalar s) { return kt::root(no_root, s, {.unsolved = kt::unsolved::error}); });
  CHECK_THROWS_WITH(checked(3.), "kt::root: no root was found from this start");
  auto const lanes = kt::function([](kt::dvector a) {
    auto const x = kt::vmap<0>([](kt::dscalar a) { return kt::root([&](auto x) { return x * x - a; }, 1 + a); })(a);
    return std::tuple(x, grad(sum(x), a));
  });
  auto const [found, g] = lanes(vec<double>{4, -1, 9});
  CHECK((found(0) == Approx(2) && std::isnan(found(1)) && found(2) == Approx(3)));
  CHECK((g(0) == Approx(0.25) && std::isnan(g(1)) && g(2) == Approx(1. / 6)));
}

TEST_CASE("equations must have the extents of the unknowns") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y) {
    return kt::root([&](auto u) { return concatenate(u, y); }, x);
  });
  CHECK_THROWS_WITH(f(vec<double>{1, 2}, vec<double>{1}), Catch::Contains("root: a computed extent is 3, extent 0 of parameter 1"));
  CHECK(f(vec<double>{1, 2}, vec<double>{})(1) == 0);
}

TEST_CASE("unknowns that are a struct of arrays") {
  auto const f = kt::function([](balance start, kt::dmatrix a) {
    auto const x = kt::root(
        [&](balance const& u) {
          return balance{{}, u.flows + 0.1 * sin(u.flows) - a * u.scale,
                         sqr(u.scale) - 2 - 0.1 * sum(u.stocks), u.stocks * u.scale - 1.};
        },
        start);
    return std::tuple(x, grad(sum(x.flows), a), grad(sum(x.stocks), a, kt::disconnected::zero));
  });
  xt::xtensor<double, 2> const a{{1, 2, 0.5}, {3, 4, -1}};
  auto const [x, by_a, none] = f(kt::values<balance>(a, 1., vec<double>{1, 1}), a);
  auto const [flows, scale, stocks] = x;
  CHECK(scale * scale == Approx(2 + 0.2 / scale).epsilon(1e-13));
  CHECK((stocks(0) == Approx(1 / scale) && stocks(1) == stocks(0)));
  for (I i = 0; i < 2; ++i)
    for (I k = 0; k < 3; ++k) {
      CHECK(flows(i, k) + 0.1 * std::sin(flows(i, k)) == Approx(a(i, k) * scale).epsilon(1e-13));
      CHECK(by_a(i, k) == Approx(scale / (1 + 0.1 * std::cos(flows(i, k)))).epsilon(1e-12));
      CHECK(none(i, k) == Approx(0).margin(1e-14));
    }
}
