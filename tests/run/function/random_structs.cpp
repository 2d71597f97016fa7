// Streams of random numbers next to shared variables, structs and updates: a step of training with
// dropout.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

namespace kt = kroton;

namespace {

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::dvector, b));
};
using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

constexpr auto step = [](kt::dmatrix x, layer p, kt::rng r, kt::dscalar rate, kt::rng q) {
  auto const keep = r.bernoulli(0.5, kt::size(x.shape(0), x.shape(1)));
  auto const noise = q.uniform(x.shape(0));
  auto const more = r.uniform(2);
  auto const cost = sum(dot(where(keep, x, 0.0), p.W) + p.b);
  auto const g = grad(cost, p.W);
  layer const next{{}, p.W - rate * g, p.b};
  return kt::outputs(cost, keep, noise, more).update(p, next).update(rate, rate / 2);
};
constexpr auto draws = [](kt::lscalar n, kt::lscalar m, kt::rng r) {
  return std::pair{r.uniform(n, m), r.uniform(2)};
};
constexpr auto draw = [](kt::lscalar n, kt::rng r) { return r.uniform(n); };

template <class Stream, class Other>
void check_training(Stream s, Stream s_again, Other t, Other t_again) {
  matrix const x{{1, 2}, {3, 4}, {5, 6}};
  kt::shared<layer> p(matrix{{1, 2}, {3, 4}}, vector{0.5, 0.25});
  kt::shared rate(0.5);
  auto f = kt::function(step, p, s, rate, t, kt::mode::interpret);
  auto of_first = kt::function(draws, s_again, kt::mode::interpret);
  auto of_second = kt::function(draw, t_again, kt::mode::interpret);
  matrix w{{1, 2}, {3, 4}};
  double size = 0.5;
  for (int call = 0; call < 3; ++call, size /= 2) {
    auto const [cost, keep, noise, more] = f(x);
    auto const [u, v] = of_first(3, 2);
    CHECK((noise == of_second(3)));
    CHECK((more == v));
    double wanted = 3 * 0.75, kept[2] = {0, 0};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        CHECK((keep(i, j) == (u(i, j) < 0.5)));
        if (keep(i, j)) kept[j] += x(i, j), wanted += x(i, j) * (w(j, 0) + w(j, 1));
      }
    CHECK(cost == Approx(wanted));
    for (std::size_t j = 0; j < 2; ++j) w(j, 0) -= size * kept[j], w(j, 1) -= size * kept[j];
    CHECK(rate.get_value() == size / 2);
  }
}

}  // namespace

TEST_CASE("random: streams, structs and shared variables are updated together") {
  check_training(kt::mrg_random_streams(5), kt::mrg_random_streams(5), kt::mrg_random_streams(6),
                 kt::mrg_random_streams(6));
  check_training(kt::philox_streams(5), kt::philox_streams(5), kt::random_streams(6),
                 kt::random_streams(6));
  // One stream of MRG31k3p for two parameters: the draws of the first come first.
  kt::mrg_random_streams one(5), same(5);
  kt::shared<layer> p(matrix{{1, 2}, {3, 4}}, vector{0.5, 0.25});
  kt::shared rate(0.5);
  auto f = kt::function(step, p, one, rate, one, kt::mode::interpret);
  auto first = kt::function(draws, same, kt::mode::interpret);
  auto last = kt::function(draw, same, kt::mode::interpret);
  auto const y = f(matrix{{1, 2}, {3, 4}, {5, 6}});
  CHECK((std::get<3>(y) == std::get<1>(first(3, 2))));
  CHECK((std::get<2>(y) == last(3)));
  // A stream with one state cannot have two new ones.
  kt::philox_streams single(5);
  CHECK_THROWS_AS(kt::function(step, p, single, rate, single, kt::mode::interpret),
                  kt::value_error);
}
