// Draws in loops, in each step, and in maps, for each slice.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

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
