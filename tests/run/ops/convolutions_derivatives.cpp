// Convolutions as functions are used: compiled, views as operands, transposes, gradients of any
// order, forward mode, vmap, errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/convolutions.hpp"

#include <sstream>

using namespace reference;

namespace {

using images = xt::xtensor<double, 4>;

// Borders, strides, dilations and groups together, and what is nonlinear in both operands.
constexpr auto cost = [](kt::dtensor4 x, kt::dtensor4 w) {
  auto const y =
      conv2d(x, w, kt::border::half, kt::stride<2, 1>, kt::dilation<1, 2>, kt::groups<2>);
  return sum(sqr(y) * sin(y));
};
constexpr auto slope = [](kt::dtensor4 x, kt::dtensor4 w) {
  auto const [gx, gw] = grad(cost(x, w), x, w);
  return sum(sqr(gx)) + sum(gw * sin(gw));
};
constexpr auto curvature = [](kt::dtensor4 x, kt::dtensor4 w) {
  auto const [gx, gw] = grad(slope(x, w), x, w);
  return sum(gx * gx) + sum(sqr(gw));
};

std::string refused(auto const& call) {
  try {
    call();
  } catch (kt::shape_error const& e) { return e.what(); }
  return "";
}

}  // namespace

TEST_CASE("gradients of convolutions of first, second and third order") {
  images const x = random_numbers<images>({1, 4, 5, 5}, 1),
               w = random_numbers<images>({4, 2, 3, 2}, 2);
  CHECK(kt::verify_grad(cost, x, w));
  CHECK(kt::verify_grad(slope, x, w));
  CHECK(kt::verify_grad(curvature, x, images(w * 0.3)));
}

TEST_CASE("forward mode, and products of a Hessian with a vector") {
  images const x = random_numbers<images>({2, 2, 5, 4}, 1),
               w = random_numbers<images>({2, 2, 3, 3}, 2),
               u = random_numbers<images>({2, 2, 5, 4}, 3);
  auto const f = kt::function([](kt::dtensor4 x, kt::dtensor4 w, kt::dtensor4 u) {
    auto const y = conv2d(x, w, kt::padding<1>);
    auto const c = sum(pow(y, 3));
    auto const g = grad(c, x);
    return std::tuple(kt::rop(y, x, u), conv2d(u, w, kt::padding<1>), kt::rop(g, x, u),
                      grad(sum(g * u), x));
  });
  auto const [tangent, linear, forward, backward] = f(x, w, u);
  CHECK(difference(tangent, linear) == 0);
  CHECK(difference(forward, backward) < 1e-13);
}

TEST_CASE("views as images and filters") {
  auto const f = kt::function([](kt::dtensor4 x, kt::dtensor4 w) {
    auto const part = x(kt::slice(), kt::slice(), kt::slice(1, 6), kt::slice(8, 0, -2));
    auto const turned = kt::dimshuffle<1, 0, 3, 2>(w);
    return std::tuple(
        conv2d(part, turned), conv2d(1 * part + 0, 1 * turned + 0),
        conv2d(broadcast_to(x(0), x.shape(0), x.shape(1), x.shape(2), x.shape(3)), w));
  });
  images const x = random_numbers<images>({2, 3, 7, 9}, 1),
               w = random_numbers<images>({3, 3, 2, 3}, 2);
  auto const [of_views, of_copies, of_one] = f(x, w);
  CHECK(difference(of_views, of_copies) == 0);
  CHECK(of_one(0, 1, 2, 3) == of_one(1, 1, 2, 3));
}

TEST_CASE("conv2d_transpose is the gradient of conv2d by its images") {
  auto const f = kt::function([](kt::dtensor4 y, kt::dtensor4 x, kt::dtensor4 w, kt::lscalar rows) {
    auto const convolved = conv2d(x, w, kt::stride<2>, kt::padding<1>, kt::groups<2>);
    return std::tuple(conv2d_transpose(y, w, kt::size(rows, x.shape(3)), kt::stride<2>,
                                       kt::padding<1>, kt::groups<2>),
                      grad(sum(convolved * y), x));
  });
  images const x = random_numbers<images>({2, 4, 6, 7}, 1),
               w = random_numbers<images>({6, 2, 3, 3}, 2),
               y = random_numbers<images>({2, 6, 3, 4}, 3);
  auto const [transposed, gradient] = f(y, x, w, 6);
  CHECK(difference(transposed, gradient) == 0);
  // Of two sizes that a stride makes alike, the larger one has an element more
  auto const g = kt::function([](kt::dtensor4 y, kt::dtensor4 w, kt::lscalar n) {
    return conv2d_transpose(y, w, kt::size(n, n), kt::stride<2>);
  });
  images const small = random_numbers<images>({1, 1, 2, 2}, 4),
               filter = random_numbers<images>({1, 1, 3, 3}, 5);
  CHECK(g(small, filter, 5).shape(2) == 5);
  CHECK(g(small, filter, 6).shape(3) == 6);
  CHECK(refused([&] { g(small, filter, 7); }) ==
        "conv2d_transpose: images of shape (1, 1, 2, 2) and filters of shape (1, 1, 3, 3): an "
        "extent of the images is 2, but the requested "
        "size makes it 3");
}

TEST_CASE("extents that do not fit are refused with all of them") {
  auto const f = kt::function([](kt::dtensor4 x, kt::dtensor4 w) {
    return conv2d(x, w, kt::padding<1, 0>, kt::groups<2>);
  });
  auto const call = [&](images const& x, images const& w) { return refused([&] { f(x, w); }); };
  images const x = random_numbers<images>({2, 4, 5, 6}, 1);
  CHECK(call(random_numbers<images>({2, 3, 5, 6}, 1), random_numbers<images>({4, 3, 3, 3}, 1)) ==
        "conv2d: images of shape (2, 3, 5, 6) and filters of shape (4, 3, 3, 3): the images have 3 "
        "channels, but the filters need 6");
  CHECK(call(x, random_numbers<images>({3, 2, 3, 3}, 1)) ==
        "conv2d: images of shape (2, 4, 5, 6) and filters of shape (3, 2, 3, 3): 3 filters in "
        "groups of the same size would be 2");
  CHECK(call(x, random_numbers<images>({4, 2, 8, 3}, 1)) ==
        "conv2d: images of shape (2, 4, 5, 6) and filters of shape (4, 2, 8, 3): a window of 8 "
        "elements on an axis of 7, padding included");
  CHECK(f(x, random_numbers<images>({4, 2, 7, 6}, 1)).shape(2) == 1);
}

TEST_CASE("what a call of a convolution decides is printed") {
  constexpr auto convolve = [](kt::ftensor4 x, kt::ftensor4 w) { return conv2d(x, w); };
  auto const printed = [](auto const& f, auto const& images, auto const& filters) {
    std::ostringstream text;
    kt::debugprint(f, text, images, filters);
    return text.str();
  };
  auto const says = [](std::string const& text, char const* words) {
    return text.find(words) != std::string::npos;
  };
  auto const f = kt::function(convolve);
  auto const g = kt::function(convolve, kt::mode::ieee);
  auto const images = kt::shape(1, 3, 30, 30), many = kt::shape(1, 64, 30, 30);
  CHECK(says(printed(f, images, kt::shape(2, 3, 5, 5)), "direct, several columns at a time"));
  CHECK(says(printed(f, images, kt::shape(64, 3, 5, 5)), "direct, several channels at a time"));
  CHECK(says(printed(f, images, kt::shape(1, 3, 1, 1)), "a product of matrices"));
  CHECK(says(printed(f, many, kt::shape(64, 64, 3, 3)), "Winograd's algorithm, F(4 x 4, 3 x 3)"));
  CHECK(says(printed(f, many, kt::shape(64, 64, 9, 9)), "products of spectra"));
  CHECK(says(printed(g, many, kt::shape(64, 64, 3, 3)), "direct, several channels at a time"));
  // Nor is what another mode compares with the expression as written.
  auto const left_out = kt::mode::debug.options().excluded;
  CHECK(std::find(left_out.begin(), left_out.end(), "convolution_transforms") != left_out.end());
}
