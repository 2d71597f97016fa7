// Parameters that draws refuse, and those at the border, the same for all streams.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <cmath>
#include <numeric>

namespace kt = kroton;

namespace {

using numbers = xt::xtensor<double, 1>;
using counts = xt::xtensor<std::int64_t, 1>;

constexpr char const* bad_weights =
    "kt::rng: the weights of choice are not negative and add up to 1";

/// A call is refused with a message, and neither the stream nor the shared variable moves.
template <class Stream, class F, class... A>
void check_refused(Stream const& s, kt::shared<double, 0> const& total, char const* message,
                   F const& f, A const&... a) {
  auto const before = s.get_state();
  double const sum = total.get_value();
  CHECK_THROWS_WITH(f(a...), message);
  CHECK_THROWS_AS(f(a...), kt::value_error);
  CHECK((s.get_state() == before));
  CHECK(total.get_value() == sum);
}

template <class Stream>
void check_multinomial(Stream s) {
  INFO(Stream::name);
  kt::shared<double, 0> total(1.0);
  auto f = kt::function(
      [](kt::lscalar n, kt::dvector p, kt::dscalar sum, kt::rng r) {
        auto const before = r.uniform(2);
        return kt::outputs(r.multinomial(n, p)).update(sum, sum + before(0));
      },
      total, s, kt::mode::interpret);
  numbers const half{0.5, 0.5};
  check_refused(s, total, "kt::rng: the number of trials of a multinomial distribution is negative",
                f, -1, half);
  check_refused(s, total, "kt::rng: the probabilities of all categories but the last exceed 1", f,
                5, numbers{0.7, 0.6, 0.1});
  check_refused(s, total, "kt::rng: a probability is not between 0 and 1", f, 5,
                numbers{0.5, -0.5});
  // As of NumPy, the last category has what the others leave.
  counts const less = f(1000, numbers{0.1, 0.2, 0.3}), more = f(1000, numbers{0.3, 0.4, 0.6});
  CHECK(std::accumulate(less.begin(), less.end(), 0) == 1000);
  CHECK(less(2) > 600);
  CHECK(std::accumulate(more.begin(), more.end(), 0) == 1000);
  CHECK(more(2) < 400);
  CHECK((f(7, numbers{0.3}) == counts{7}));
  CHECK((f(0, half) == counts{0, 0}));
  numbers const none = xt::zeros<double>({0});
  CHECK(f(7, none).size() == 0);
}

template <class Stream>
void check_choice(Stream s) {
  INFO(Stream::name);
  kt::shared<double, 0> total(1.0);
  auto f = kt::function(
      [](kt::lscalar n, kt::lscalar k, kt::dvector p, kt::dscalar sum, kt::rng r) {
        auto const before = r.uniform(2);
        return kt::outputs(r.choice(n, kt::size(k), p)).update(sum, sum + before(0));
      },
      total, s, kt::mode::interpret);
  auto g = kt::function(
      [](kt::lscalar n, kt::lscalar k, kt::dvector p, kt::dscalar sum, kt::rng r) {
        auto const before = r.uniform(2);
        return kt::outputs(r.choice(n, kt::size(k), kt::replace<false>, p))
            .update(sum, sum + before(0));
      },
      total, s, kt::mode::interpret);
  numbers const none = xt::zeros<double>({0}), p{0.5, 0.5, 0};
  auto const refused = [&](char const* message, auto const& of, auto... a) {
    check_refused(s, total, message, of, a...);
  };
  for (numbers const& w : {numbers{0.1, 0.2, 0.3}, numbers{0.3, 0.4, 0.6}, numbers{0.7, 0.5, -0.2},
                           numbers{0.5, std::nan(""), 0.5}}) {
    refused(bad_weights, f, 3, 2, w);
    refused(bad_weights, g, 3, 2, w);
  }
  refused(bad_weights, f, 0, 2, none);
  refused("kt::rng: choice of more distinct positions than have a weight", g, 3, 3, p);
  CHECK(f(3, 0, p).size() == 0);
  CHECK(xt::sum(g(3, 2, p))() == 1);
}

/// Weights of float add up to 1 as well as float says, which is NumPy's rule.
template <class Stream>
void check_float_weights(Stream s) {
  INFO(Stream::name);
  auto f = kt::function(
      [](kt::fvector p, kt::rng r) {
        return std::pair{r.choice(p.shape(0), kt::size(3), p),
                         r.choice(p.shape(0), kt::size(3), p, kt::replace<false>)};
      },
      s, kt::mode::interpret);
  xt::xtensor<float, 1> p = xt::ones<float>({49});
  p /= 49.f;
  double sum = 0;
  for (float const x : p) sum += x;
  REQUIRE(std::abs(sum - 1) > 1.5e-8);
  CHECK_NOTHROW(f(p));
  p(0) += 1e-3f;
  CHECK_THROWS_WITH(f(p), bad_weights);
}

/// Weights and probabilities of each slice: the position that has none is not chosen.
template <class Stream>
void check_slices(Stream s) {
  INFO(Stream::name);
  auto f = kt::function(
      [](kt::dmatrix rows, kt::rng r) {
        return std::tuple{
            kt::vmap([=](kt::dvector p) { return r.choice(3, kt::size(200), p); })(rows),
            kt::vmap([=](kt::dvector p) {
              return r.choice(3, kt::size(2), p, kt::replace<false>);
            })(rows),
            kt::vmap([=](kt::dvector p) { return r.multinomial(100, p); })(rows)};
      },
      s, kt::mode::interpret);
  xt::xtensor<double, 2> rows{{0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
  auto const [chosen, pairs, met] = f(rows);
  for (std::size_t i = 0; i < 3; ++i) {
    auto const none = static_cast<std::int64_t>(i);
    for (std::size_t k = 0; k < 200; ++k) CHECK(chosen(i, k) != none);
    CHECK(pairs(i, 0) + pairs(i, 1) == 3 - none);
    CHECK(met(i, i) == 0);
    CHECK(met(i, 0) + met(i, 1) + met(i, 2) == 100);
  }
  rows(1, 2) = 0.6;
  CHECK_THROWS_WITH(f(rows), bad_weights);
}

}  // namespace

TEST_CASE("random: slices of a map have weights of their own, which are checked") {
  check_slices(kt::philox_streams(3));
  check_slices(kt::random_streams(3));
  check_slices(kt::mrg_random_streams(3));
}

TEST_CASE("random: multinomial counts of bad parameters are refused, of few they are complete") {
  check_multinomial(kt::philox_streams(3));
  check_multinomial(kt::random_streams(3));
  check_multinomial(kt::mrg_random_streams(3));
}

TEST_CASE("random: choices by weights that are none are refused") {
  check_choice(kt::philox_streams(3));
  check_choice(kt::random_streams(3));
  check_choice(kt::mrg_random_streams(3));
}

TEST_CASE("random: weights of float need not add up to 1 as those of double") {
  check_float_weights(kt::philox_streams(3));
  check_float_weights(kt::random_streams(3));
  check_float_weights(kt::mrg_random_streams(3));
}
