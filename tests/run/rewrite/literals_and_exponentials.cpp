// Normal forms of sums and products: all of their literals are folded, and none of their
// exponentials is lost.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <cmath>

namespace kt = kroton;

TEST_CASE("roots of a product that merge give all of its factors") {
  auto const f = kt::function(
      [](kt::dscalar x) {
        auto root = kt::dimshuffle<'x'>(pow(2 * exp(x), 0.5));
        return kt::outputs(root * root, dot(root, root), sqrt(3 * x * exp(x)) / sqrt(x * exp(-x)));
      },
      kt::mode::interpret);
  auto const [square, product, quotient] = f(3.);
  CHECK(square(0) == Approx(2 * std::exp(3.)));
  CHECK(product == Approx(2 * std::exp(3.)));
  CHECK(quotient == Approx(std::sqrt(3.) * std::exp(3.)));
}

TEST_CASE("sums and products of more than two literals are folded") {
  // The extents of a row are known where the steps are written out.
  auto const f = kt::function(
      [](kt::fixed<double, 2, 3, 4> x) {
        auto rows = kt::scan([](auto same) { return same; }, kt::outputs_info(x), kt::n_steps(2));
        auto counted = [](auto row, auto count) { return count + sum(ones_like(row)); };
        return kt::scan(counted, kt::sequences(rows), kt::outputs_info(0.));
      },
      kt::mode::interpret);
  xt::xtensor<double, 3> const x = xt::zeros<double>({2, 3, 4});
  CHECK((f(x) == xt::xtensor<double, 1>{24, 48}));
}
