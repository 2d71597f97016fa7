// Pooling as functions are used: compiled, second derivatives, forward mode, vmap, errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/convolutions.hpp"

using namespace reference;

TEST_CASE("pooling compiled: second derivatives, forward mode, vmap, errors") {
  static constexpr auto cost = [](kt::dtensor3 x) {
    return sum(pow(max_pool_2d<2>(x, kt::stride<1>), 3)) +
           sum(pow(avg_pool_2d<2, 3>(x, kt::padding<1>), 3));
  };
  static constexpr auto slope = [](kt::dtensor3 x) { return sum(pow(grad(cost(x), x), 2)); };
  using array = xt::xtensor<double, 3>;
  array const x = random_numbers<array>({2, 5, 6}, 1);
  CHECK(kt::verify_grad(cost, x));
  CHECK(kt::verify_grad(slope, x));
  auto const f = kt::function([](kt::dtensor3 x, kt::dtensor3 u) {
    auto const y = max_pool_2d<3, 2>(x);
    return std::tuple(
        kt::rop(y, x, u), kt::vmap([](kt::dmatrix m) { return max_pool_2d<3, 2>(m); })(x), y,
        kt::vmap([](kt::dmatrix m) { return grad(sum(sqr(max_pool_2d<3, 2>(m))), m); })(x),
        grad(sum(sqr(y)), x));
  });
  array const u = random_numbers<array>({2, 5, 6}, 2);
  auto const [tangent, mapped, whole, slopes, gradient] = f(x, u);
  CHECK(mapped == whole);
  CHECK(slopes == gradient);
  REQUIRE(tangent.shape(1) == 1);
  for (std::size_t image = 0; image < 2; ++image)
    for (std::size_t j = 0; j < 3; ++j) {
      std::size_t row = 0, column = 2 * j;
      for (std::size_t i = 0; i < 6; ++i)
        if (x(image, i / 2, 2 * j + i % 2) > x(image, row, column))
          row = i / 2, column = 2 * j + i % 2;
      CHECK(tangent(image, 0, j) == u(image, row, column));
    }
  CHECK_THROWS_WITH(f(array({2, 2, 6}), array({2, 2, 6})),
                    "max_pool: images of shape (2, 2, 6): a window of 3 elements on an axis of 2, "
                    "padding included");
}

TEST_CASE("windows of padding alone") {
  kt::runtime::graph g;
  auto const x = g.input<double, 2>("x");
  auto const largest = g.function({x}, max_pool_2d<2>(x, kt::padding<1>, kt::stride<1>)),
             counted = g.function({x}, avg_pool_2d<2>(x, kt::padding<1>, kt::stride<1>)),
             others = g.function(
                 {x}, avg_pool_2d<2>(x, kt::padding<1>, kt::stride<1>, kt::ignore_padding));
  xt::xtensor<double, 2> const none({0, 3});
  CHECK_THROWS_WITH(
      largest(none),
      "max_pool: images of shape (0, 3): a window of the padding alone has no elements");
  CHECK_THROWS_WITH(
      others(none),
      "avg_pool: images of shape (0, 3): a window of the padding alone has no elements");
  xt::xtensor<double, 2> const zeros = counted(none);
  CHECK(zeros.shape() == std::array<std::size_t, 2>{1, 4});
  CHECK(xt::all(xt::equal(zeros, 0.0)));
}
