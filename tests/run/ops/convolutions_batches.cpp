// vmap of convolutions and of their gradients: over images, over filters, over both; and a
// Jacobian.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/convolutions.hpp"

#include <xtensor/xview.hpp>

using namespace reference;

namespace {

using images = xt::xtensor<double, 4>;
using stacked = xt::xtensor<double, 5>;

template <int Groups>
constexpr auto both = [](kt::dtensor4 x, kt::dtensor4 w) {
  auto const y = conv2d(x, w, kt::border::half, kt::stride<2, 1>, kt::groups<Groups>);
  auto const [gx, gw] = grad(sum(sqr(y)), x, w);
  return std::tuple(y, gx, gw);
};

constexpr std::size_t slices = 3;
/// An array, or the slice of it that belongs to a number.
images const& slice_of(images const& x, std::size_t) { return x; }
images slice_of(stacked const& x, std::size_t i) { return xt::view(x, i); }

/// A mapped function against the function slice by slice.
template <class F, class One, class X, class W>
void check(F const& mapped, One const& one, X const& x, W const& w) {
  auto const [y, gx, gw] = mapped(x, w);
  for (std::size_t i = 0; i < slices; ++i) {
    auto const [y1, gx1, gw1] = one(slice_of(x, i), slice_of(w, i));
    CHECK(difference(slice_of(y, i), y1) < 1e-14);
    CHECK(difference(slice_of(gx, i), gx1) < 1e-14);
    CHECK(difference(slice_of(gw, i), gw1) < 1e-14);
  }
}
template <int Groups>
void check_groups() {
  kt::runtime::graph g;
  auto const x = g.input<double, 4>("x"), w = g.input<double, 4>("w");
  auto const xs = g.input<double, 5>("xs"), ws = g.input<double, 5>("ws");
  auto const one = g.function({x, w}, both<Groups>(x, w));
  auto const of_images = g.function({xs, w}, kt::vmap<0>(both<Groups>)(xs, w));
  auto const of_filters = g.function({x, ws}, kt::vmap<1>(both<Groups>)(x, ws));
  auto const of_both = g.function({xs, ws}, kt::vmap<0, 1>(both<Groups>)(xs, ws));
  images const x1 = random_numbers<images>({2, 4, 5, 4}, 1),
               w1 = random_numbers<images>({6, 4 / Groups, 3, 2}, 2);
  stacked const x3 = random_numbers<stacked>({slices, 2, 4, 5, 4}, 3),
                w3 = random_numbers<stacked>({slices, 6, 4 / Groups, 3, 2}, 4);
  check(of_images, one, x3, w1);
  check(of_filters, one, x1, w3);
  check(of_both, one, x3, w3);
}

}  // namespace

TEST_CASE("vmap of convolutions over images and filters") {
  check_groups<1>();
  check_groups<2>();
}

TEST_CASE("a Jacobian of a convolution") {
  kt::runtime::graph g;
  auto const a = g.input<double, 3>("a"), b = g.input<double, 3>("b");
  auto const result = flatten(conv1d(a, b, kt::padding<1>));
  auto const f = g.function({a, b}, std::tuple(kt::jacobian(result, a), kt::jacobian(result, b)));
  using tensor = xt::xtensor<double, 3>;
  tensor const x = random_numbers<tensor>({1, 2, 4}, 1), w = random_numbers<tensor>({2, 2, 3}, 2);
  auto const [by_images, by_filters] = f(x, w);
  REQUIRE(by_images.dimension() == 4);
  // The derivative of output 0 at position 1 by element i of channel c is the filter's, which is
  // flipped
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(by_images(1, 0, c, i) == (i < 3 ? w(0, c, 2 - i) : 0));
  for (std::size_t k = 0; k < 3; ++k) CHECK(by_filters(1, 0, 1, k) == x(0, 1, 2 - k));
  for (std::size_t k = 0; k < 3; ++k) CHECK(by_filters(1, 1, 1, k) == 0);
}
