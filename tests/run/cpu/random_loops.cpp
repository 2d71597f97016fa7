// Loops that make the random numbers that they read.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <cmath>
#include <utility>

namespace kt = kroton;

namespace {

using extents = std::pair<std::size_t, std::size_t>;

}  // namespace

TEST_CASE("random: a loop that makes its numbers has those of an array") {
  kt::philox_streams s(9), t(9);
  auto fused = kt::function(
      [](kt::dmatrix x, kt::rng r) {
        auto const u = r.uniform(x.shape(0), x.shape(1));
        auto const z = r.normal<float>(x.shape(0), x.shape(1));
        return std::tuple{where(u < 0.25, 0.0, x), sum(z * kt::cast<float>(x), kt::axis<0>)};
      },
      s);
  auto plain = kt::function(
      [](kt::dmatrix x, kt::rng r) {
        return std::tuple{r.uniform(x.shape(0), x.shape(1)),
                          r.normal<float>(x.shape(0), x.shape(1))};
      },
      t, kt::mode::interpret);
  for (auto const& [rows, columns] : {extents{3, 5}, {70, 33}, {9, 1001}, {1200, 3}, {1, 5000}}) {
    xt::xtensor<double, 2> const x = xt::ones<double>({rows, columns});
    auto const [y, sums] = fused(x);
    auto const [u, z] = plain(x);
    xt::xtensor<double, 2> const wanted = xt::where(u < 0.25, 0.0, x), zd = z;
    CHECK((y == wanted));
    xt::xtensor<double, 1> const of_columns = xt::sum(zd, {0});
    double most = 0;
    for (std::size_t c = 0; c < columns; ++c)
      most = std::max(most, std::abs(sums(c) - of_columns(c)));
    CHECK(most < 1e-3);
  }
}
