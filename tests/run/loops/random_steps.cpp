// Draws in loops, in each step, and in maps, for each slice.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <vector>

namespace kt = kroton;

namespace {

using numbers = xt::xtensor<double, 1>;
numbers ones(std::size_t n) { return xt::ones<double>({n}); }

}  // namespace

TEST_CASE("random: a loop draws in each step, a map for each slice") {
  constexpr auto walk = [](kt::dvector x, kt::rng r) {
    auto const before = r.uniform(2);
    auto const steps = scan([=](kt::dscalar at) { return at + r.normal(kt::size()); },
                            kt::outputs_info(0.0), kt::n_steps(x.shape(0)));
    auto const slices =
        kt::vmap([=](kt::dscalar m) { return r.normal(m, 1., kt::size(2)); })(10 * x);
    return std::tuple{before, steps, slices, r.uniform(2)};
  };
  kt::random_streams s(42), t(42);
  auto f = kt::function(walk, s);
  auto g = kt::function(
      [](kt::rng r) { return std::tuple{r.uniform(2), r.normal(4), r.normal(4, 2), r.uniform(2)}; },
      t, kt::mode::interpret);
  for (int call = 0; call < 2; ++call) {
    auto const [a, steps, slices, b] = f(ones(4));
    auto const [c, z, w, d] = g();
    CHECK((a == c));
    CHECK((b == d));
    double at = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      at += z(i);
      CHECK((steps(i) == Approx(at).epsilon(1e-14)));
      for (std::size_t k = 0; k < 2; ++k)
        CHECK((slices(i, k) == Approx(10 + w(i, k)).epsilon(1e-14)));
    }
  }
  kt::philox_streams p(42), q(42);
  auto compiled = kt::function(walk, p);
  auto interpreted = kt::function(walk, q, kt::mode::interpret);
  for (int call = 0; call < 2; ++call) {
    auto const one = compiled(ones(4)), other = interpreted(ones(4));
    CHECK((std::get<1>(one) == std::get<1>(other)));
    CHECK((std::get<2>(one) == std::get<2>(other)));
    CHECK((std::get<3>(one) == std::get<3>(other)));
  }
}

namespace {

// The sums of what each step draws: as many numbers as the step says, and twice in an inner loop as
// many as there are in x.
constexpr auto sums_of_steps = [](kt::lvector counts, kt::dvector x, kt::rng r) {
  auto const before = r.uniform(3);
  auto const steps = scan(
      [=](kt::lscalar n, kt::dscalar) {
        auto const here = sum(r.uniform(n));
        auto const inner = scan([=](kt::dscalar at) { return at + sum(r.normal(x.shape(0))); },
                                kt::outputs_info(0.0), kt::n_steps(counts.shape(0) - 2));
        return here + 100 * inner(-1);
      },
      kt::sequences(counts), kt::outputs_info(0.0));
  return std::tuple{before, steps, r.uniform(3)};
};
constexpr auto draws_of_a_step = [](kt::lscalar n, kt::dvector x, kt::rng r) {
  auto const before = r.uniform(3), of_step = r.uniform(n), of_inner = r.normal(x.shape(0));
  return std::tuple{before, sum(of_step), sum(of_inner), r.uniform(3)};
};

template <class Mode>
void check_sums_of_steps(Mode mode) {
  xt::xtensor<std::int64_t, 1> const counts{3, 40, 0, 7};
  numbers const x = ones(20);
  kt::mrg_random_streams s(123), t(123), u(123), v(123);
  auto f = kt::function(sums_of_steps, s, mode);
  // The second of two loops that read the stream goes on where the first call ended.
  auto ends = kt::function(draws_of_a_step, t, kt::mode::interpret);
  auto outer = kt::function(draws_of_a_step, u, kt::mode::interpret);
  auto inner = kt::function(draws_of_a_step, v, kt::mode::interpret);
  for (int call = 0; call < 2; ++call) {
    auto const [before, steps, after] = f(counts, x);
    auto const [first, unused, unused_too, last] = ends(0, x);
    CHECK((before == first));
    CHECK((after == last));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      double const one = std::get<2>(inner(0, x)), two = std::get<2>(inner(0, x));
      double const here = std::get<1>(outer(counts(i), x));
      CHECK(steps(i) == Approx(here + 100 * (one + two)).epsilon(1e-13));
    }
  }
}

}  // namespace

TEST_CASE("random: draws of MRG31k3p in loops go on from step to step and from call to call") {
  check_sums_of_steps(kt::mode::fast_run);
  check_sums_of_steps(kt::mode::interpret);
}

TEST_CASE("random: a body that is recorded again, and maps, take one stream a draw") {
  // The state has one element by its type until the body says that it has more.
  kt::mrg_random_streams s(5), t(5);
  auto f = kt::function(
      [](kt::dvector x, kt::rng r) {
        auto const walk = scan([=](kt::dvector at) { return at + r.uniform(x.shape(0)); },
                               kt::outputs_info(kt::constant({0.0})), kt::n_steps(x.shape(0)));
        auto const mapped = kt::vmap([=](kt::dscalar e) { return e * r.uniform(); })(x);
        return std::tuple{walk(0), mapped, r.uniform(4)};
      },
      s, kt::mode::interpret);
  auto g = kt::function(
      [](kt::dvector x, kt::rng r) {
        auto const a = r.uniform(x.shape(0)), b = r.uniform(x.shape(0));
        return std::tuple{a, b, r.uniform(4)};
      },
      t, kt::mode::interpret);
  for (int call = 0; call < 2; ++call) CHECK((f(ones(1)) == g(ones(1))));
}

TEST_CASE("random: loops that a condition ends, and gradients through checkpoints, draw from MRG31k3p") {
  kt::mrg_random_streams s(7), t(7);
  auto f = kt::function(
      [](kt::dvector x, kt::rng r) {
        auto const walk = scan(
            [=](kt::dscalar at) {
              auto const next = at + r.uniform(kt::size());
              return kt::until(next > 2.0, next);
            },
            kt::outputs_info(0.0), kt::n_steps(20 * x.shape(0)));
        auto const states =
            scan([=](kt::dscalar e, kt::dscalar at) { return at * e * r.normal(kt::size()); },
                 kt::sequences(x), kt::outputs_info(1.0), kt::go_backwards, kt::checkpoint);
        return std::tuple{walk, states(-1), grad(states(-1), x)};
      },
      s);
  auto g = kt::function(
      [](kt::rng r) { return std::pair{r.uniform(kt::size()), r.normal(kt::size())}; }, t,
      kt::mode::interpret);
  numbers const x{0.5, 1.5, -2., 3.};
  std::vector<double> uniform, normal;
  for (int i = 0; i < 20; ++i) {
    auto const [u, z] = g();
    uniform.push_back(u), normal.push_back(z);
  }
  auto const [walk, last, by_x] = f(x);
  double at = 0;
  for (std::size_t i = 0; i < walk.size(); ++i) {
    CHECK(at <= 2);
    CHECK(walk(i) == Approx(at += uniform[i]));
  }
  CHECK(at > 2);
  double const product = normal[0] * normal[1] * normal[2] * normal[3] * xt::prod(x)();
  CHECK(last == Approx(product));
  for (std::size_t i = 0; i < 4; ++i) CHECK(by_x(i) == Approx(product / x(i)));
}

TEST_CASE("random: draws that leave the stream give each step the same numbers") {
  auto const check = [](auto stream, auto mode) {
    auto const start = stream.get_state();
    auto f = kt::function(
        [](kt::dvector x, kt::rng r) {
          auto const same = scan(
              [=](kt::dscalar e) { return e + sum(r.uniform(3, kt::no_default_update)); },
              kt::sequences(x));
          // One that leaves it, then one that does not.
          auto const both = scan(
              [=](kt::dscalar e) {
                auto const kept = sum(r.normal(3, kt::no_default_update));
                return e + kept - sum(r.normal(3));
              },
              kt::sequences(x));
          return std::tuple{same, both, r.uniform(2)};
        },
        stream, mode);
    auto const [same, both, after] = f(ones(4));
    for (std::size_t i = 1; i < 4; ++i) CHECK(same(i) == same(0));
    CHECK(same(0) > 1);
    if constexpr (!std::is_same_v<decltype(stream), kt::mrg_random_streams>) {
      for (double const difference : both) CHECK(difference == Approx(1));
      // The last draw comes after the four draws of the second loop that advance the stream.
      stream.set_state(start);
      auto g = kt::function(
          [](kt::rng r) {
            auto const first = sum(r.uniform(3, kt::no_default_update));
            r.normal(3), r.normal(3), r.normal(3), r.normal(3);
            return std::pair{first, r.uniform(2)};
          },
          stream, kt::mode::interpret);
      auto const [first, last] = g();
      CHECK(same(0) == Approx(1 + first));
      CHECK((after == last));
    }
  };
  check(kt::philox_streams(3), kt::mode::fast_run);
  check(kt::random_streams(3), kt::mode::interpret);
  check(kt::mrg_random_streams(3), kt::mode::interpret);
}
