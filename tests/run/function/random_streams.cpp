// Streams of random numbers in functions: the order of draws, states, copies, calls that throw.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/npz.hpp>
#include <kroton/runtime.hpp>

#include "run/temporary_folder.hpp"

namespace kt = kroton;

namespace {

using numbers = xt::xtensor<double, 1>;
numbers ones(std::size_t n) { return xt::ones<double>({n}); }

constexpr auto dropout = [](kt::dvector x, kt::rng r) {
  auto const a = r.uniform(x.shape(0));
  auto const b = r.uniform(x.shape(0));
  return std::tuple{where(a < 0.5, 0.0, x), a, b, a - b};
};

template <class Stream>
void check_order(Stream s, Stream t) {
  numbers const x = ones(40);
  auto f = kt::function(dropout, s);
  auto g = kt::function(dropout, t, kt::mode::interpret);
  for (int call = 0; call < 3; ++call) {
    auto const [y, a, b, d] = f(x);
    auto const [v, e, h, k] = g(x);
    // Both stages draw the same numbers; two draws differ.
    CHECK((a == e));
    CHECK((b == h));
    CHECK((y == v));
    CHECK(xt::sum(xt::abs(d))() > 1);
    for (std::size_t i = 0; i < 40; ++i) CHECK((y(i) == (a(i) < 0.5 ? 0 : 1)));
  }
  CHECK((s.get_state() == t.get_state()));
}

}  // namespace

TEST_CASE("random: draws of both stages, in the order in which they are written") {
  check_order(kt::philox_streams(5), kt::philox_streams(5));
  check_order(kt::random_streams(5), kt::random_streams(5));
  check_order(kt::mrg_random_streams(5), kt::mrg_random_streams(5));
}

TEST_CASE("random: functions, their copies and calls that throw share a stream") {
  kt::random_streams s(42), t(42);
  auto f = kt::function([](kt::dvector x, kt::rng r) { return x * r.uniform(x.shape(0)); }, s);
  auto all =
      kt::function([](kt::lscalar n, kt::rng r) { return r.uniform(n); }, t, kt::mode::interpret);
  auto copy = f;
  auto other = kt::function(
      [](kt::dvector x, kt::dvector y, kt::rng r) { return (x + y) * r.uniform(x.shape(0)); }, s,
      kt::mode::interpret);
  numbers const x = ones(3);
  numbers const a = f(x), b = copy(x);
  auto const before = s.get_state();
  CHECK_THROWS_AS(other(x, ones(4)), kt::shape_error);
  CHECK((s.get_state() == before));
  numbers const c = other(x, x), d = f(x), wanted = all(12);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK((a(i) == wanted(i)));
    CHECK((b(i) == wanted(3 + i)));
    CHECK((c(i) == 2 * wanted(6 + i)));
    CHECK((d(i) == wanted(9 + i)));
  }
  // A condition that fails behind a draw, and parameters that no distribution has.
  auto fails = kt::function(
      [](kt::dscalar deviation, kt::lscalar trials, kt::rng r) {
        return std::tuple{r.uniform(3), r.normal(0., deviation, kt::size(2)),
                          r.binomial(trials, 0.5), r.randint(0, trials + 1)};
      },
      s, kt::mode::interpret);
  auto const state = s.get_state();
  CHECK_THROWS_WITH(fails(-1., 3), Catch::Contains("a deviation is negative"));
  CHECK_THROWS_WITH(fails(1., -3), Catch::Contains("kt::rng: "));
  CHECK_THROWS_AS(fails(1., -3), kt::value_error);
  CHECK((s.get_state() == state));
  CHECK_NOTHROW(fails(1., 3));
  CHECK((s.get_state() != state));
  // Draws that compare uniform numbers with a probability
  kt::mrg_random_streams m(1);
  auto likely = kt::function(
      [](kt::dvector p, kt::rng r) {
        return std::tuple{r.bernoulli(p), r.binomial(1, p), r.multinomial(4, p)};
      },
      m, kt::mode::interpret);
  CHECK_NOTHROW(likely(std::vector{0., 1.}));
  for (double p : {1.5, -0.1, std::nan("")})
    CHECK_THROWS_WITH(likely(std::vector{0.5, p}), "kt::rng: a probability is not between 0 and 1");
}

TEST_CASE("random: states are saved and restored, and seeds begin anew") {
  temporary_folder const folder;
  auto const check = [&](auto s, auto other) {
    auto f = kt::function([](kt::rng r) { return std::pair{r.normal(3), r.uniform(20)}; }, s,
                          kt::mode::interpret);
    auto g = kt::function([](kt::rng r) { return std::pair{r.normal(3), r.uniform(20)}; }, other,
                          kt::mode::interpret);
    auto const first = f();
    auto const state = s.get_state();
    auto const second = f(), third = f();
    CHECK((first != second));
    s.set_state(state);
    CHECK((f() == second));
    // In a file, and into another object
    kt::save(folder.path("state.npy"), state);
    other.set_state(kt::load<std::uint32_t, 1>(folder.path("state.npy")));
    CHECK((g() == second));
    CHECK((g() == third));
    s.seed(77);
    CHECK((f() == first));
    CHECK_THROWS_AS(s.set_state(kt::stream_state{1u, 2u, 3u}), kt::value_error);
    CHECK((f() == second));
  };
  check(kt::philox_streams(77), kt::philox_streams(1));
  check(kt::random_streams(77), kt::random_streams(1));
  check(kt::mrg_random_streams(77), kt::mrg_random_streams(1));
}

TEST_CASE("random: draws that leave the stream, and draws that nothing uses") {
  kt::random_streams s(3), t(3);
  auto f = kt::function(
      [](kt::rng r) {
        auto const kept = r.uniform(2, kt::no_default_update);
        r.uniform(2);  // not used, but drawn
        auto const next = r.uniform(2);
        return std::pair{kept, next};
      },
      s);
  auto g =
      kt::function([](kt::lscalar n, kt::rng r) { return r.uniform(n); }, t, kt::mode::interpret);
  numbers const wanted = g(8);
  for (std::size_t call = 0; call < 2; ++call) {
    auto const [kept, next] = f();
    CHECK((kept(0) == wanted(4 * call)));
    CHECK((next(0) == wanted(4 * call + 2)));
    CHECK((next(1) == wanted(4 * call + 3)));
  }
  kt::mrg_random_streams m(3);
  auto h = kt::function(
      [](kt::rng r) {
        return std::pair{r.uniform(kt::size(2), kt::no_default_update), r.uniform(2)};
      },
      m, kt::mode::interpret);
  auto const a = h(), b = h();
  CHECK((std::get<0>(a) == std::get<0>(b)));
  CHECK((std::get<0>(a) != std::get<1>(a)));
  CHECK((std::get<1>(a) != std::get<1>(b)));
}
