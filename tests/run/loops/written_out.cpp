// Short loops are written out, and loops of scalars take several steps at once.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/suite.hpp"

#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && (a.size() == 0 || xt::amax(xt::abs(a - b))() <= 1e-14);
}
template <class F>
int scans_of(F const& f) {
  kt::graph const g = kt::optimize(kt::graph_of(f).get(), kt::stage::specialize);
  int found = 0;
  for (int id = 0; id < g.size(); ++id) found += g[id].op->name == "scan" ? 1 : 0;
  return found;
}
constexpr auto all_passes = suite::mode;
constexpr auto without = suite::mode.excluding<"N14">();

constexpr auto steps = [](kt::dvector h, auto n) {
  return scan([](auto h) { return tanh(h) * exp(-h) + sin(h) * cos(2 * h) - sqrt(1 + h * h) / (2 + abs(h)); }, kt::outputs_info(h),
              kt::n_steps(n));
};
constexpr auto recurrence = [](kt::dvector x, kt::dscalar a, auto... option) {
  auto y = scan([=](auto e, auto s) { return tanh(a * s) + e; }, kt::sequences(x), kt::outputs_info(0.0), option...);
  return std::tuple(y, grad(sum(y * y), a));
};

}  // namespace

TEST_CASE("scan_write_out: a few small steps", "[loops][passes]") {
  constexpr auto f = [](kt::dmatrix x, kt::dmatrix start, kt::dvector h, kt::dvector w) {
    auto [a, b, c] = scan(
        [=](auto e, auto before, auto last, auto h) { return std::tuple(e * before + w * last, h + before, sum(h)); },
        kt::sequences(x), kt::outputs_info(kt::taps<-2, -1>(start), h, kt::none), kt::n_steps(3));
    return std::tuple(a, b(-1), c, grad(sum(a * a) + sum(b(-1)), w));
  };
  CHECK(scans_of(f) == 0);
  matrix const x{{1, 2}, {3, 4}, {5, 6}, {7, 8}}, start{{0.1, 0.2}, {0.3, 0.4}};
  vector const h{1, -1}, w{0.5, 0.25};
  auto const [a, b, c, d] = kt::function(f, all_passes)(x, start, h, w);
  auto const [e, g, i, j] = kt::function(f, without)(x, start, h, w);
  CHECK(same(a, e));
  CHECK(same(b, g));
  CHECK(same(c, i));
  CHECK(same(d, j));
  CHECK(a(0, 1) == Approx(2 * 0.2 + 0.25 * 0.4));
  CHECK_THROWS_AS(kt::function(f, all_passes)(matrix(xt::ones<double>({2, 2})), start, h, w), kt::shape_error);
}

TEST_CASE("scan_write_out: one step of any size, but not many steps", "[loops][passes]") {
  CHECK(scans_of([](kt::dvector h) { return scan([](auto h) { return 2 * h; }, kt::outputs_info(h), kt::n_steps(1)); }) == 0);
  CHECK(scans_of([](kt::dvector h) { return steps(h, 1); }) == 0);
  CHECK(scans_of([](kt::dvector h) { return steps(h, 1000); }) == 1);
  vector const h{0.1, 0.7};
  matrix const one = kt::function([](kt::dvector h) { return steps(h, 1); })(h);
  matrix const two = kt::function([](kt::dvector h) { return steps(h, 2); }, without)(h);
  REQUIRE(one.shape(0) == 1);
  CHECK(one(0, 1) == two(0, 1));
}

TEST_CASE("scan_write_out: conditions that a step checks stay in a loop", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::lvector at) {
    return scan([=](auto i) { return x(i); }, kt::sequences(at), kt::n_steps(2));
  };
  auto const g = kt::function(f);
  CHECK(same(g(vector{5, 6, 7}, xt::xtensor<std::int64_t, 1>{2, 0}), vector{7, 5}));
  CHECK_THROWS_AS(g(vector{5, 6, 7}, xt::xtensor<std::int64_t, 1>{2, 3}), kt::error);
}

TEST_CASE("unroll: several steps at once", "[loops]") {
  auto const plain = kt::function([](kt::dvector x, kt::dscalar a) { return recurrence(x, a); });
  auto const four = kt::function([](kt::dvector x, kt::dscalar a) { return recurrence(x, a, kt::unroll(4)); });
  for (std::size_t n : {0u, 1u, 3u, 4u, 9u}) {
    vector x = xt::zeros<double>({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = std::sin(static_cast<double>(i));
    auto const [y, d] = four(x, 0.7);
    auto const [z, e] = plain(x, 0.7);
    CHECK(same(y, z));
    CHECK(d == Approx(e).epsilon(1e-14));
  }
  kt::graph g;
  kt::dvector const x(kt::term{&g, g.input(kt::dvector::parameter_type, 0)});
  scan([](auto e) { return e; }, kt::sequences(x), kt::unroll(0));
  CHECK(g.error() == "kt::unroll: a loop takes at least one step at once");
}

TEST_CASE("scan_write_out: many steps that compute nothing stay a loop", "[loops][passes]") {
  constexpr auto swapped = [](kt::dvector a, kt::dvector b) {
    auto [x, y] = scan([](auto a, auto b) { return std::tuple(b, a); }, kt::outputs_info(a, b),
                       kt::n_steps(5000));
    return std::tuple(x(-1), y(-1), x(4));
  };
  CHECK(scans_of(swapped) == 1);
  auto const [x, y, z] = kt::function(swapped)(vector{1, 2}, vector{3, 4});
  CHECK(same(x, vector{1, 2}));
  CHECK(same(y, vector{3, 4}));
  CHECK(same(z, vector{3, 4}));
  // More steps than an int holds, of which one is read
  constexpr auto first = [](kt::dvector h) {
    return scan([](auto h) { return h; }, kt::outputs_info(h), kt::n_steps(5000000000))(0);
  };
  CHECK(same(kt::function(first)(vector{1, 2}), vector{1, 2}));
}
