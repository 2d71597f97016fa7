// Convolutions and pooling on a device, forward and backward, without the host's help.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace testing;

namespace {

template <class T = double, class... N>
auto tensor(N... n) {
  xt::xtensor<T, sizeof...(N)> x(
      std::array<std::size_t, sizeof...(N)>{static_cast<std::size_t>(n)...});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.flat(i) = static_cast<T>(std::sin(static_cast<double>(i * i % 101)));
  return x;
}
// A convolution beside its gradients.
template <class Y, class X, class W>
constexpr auto with_gradients(Y y, X x, W w) {
  auto [gx, gw] = grad(sum(y * y), x, w);
  return std::tuple(y, gx, gw);
}

constexpr auto training_step = [](kt::ftensor4 x, kt::lvector y, kt::ftensor4 w1, kt::fvector b1,
                                  kt::ftensor4 w2, kt::fmatrix w3) {
  auto first = max_pool_2d<2>(relu(conv2d(x, w1, kt::border::half, kt::correlation) +
                                   kt::dimshuffle<'x', 0, 'x', 'x'>(b1)));
  auto second = avg_pool_2d<2>(tanh(conv2d(first, w2)));
  auto scores = dot(kt::reshape<2>(second, x.shape(0), -1), w3);
  auto cost = mean(categorical_crossentropy(softmax(scores), y));
  auto [g1, h1, g2, g3] = grad(cost, w1, b1, w2, w3);
  return kt::outputs(cost)
      .update(w1, w1 - 0.1f * g1)
      .update(b1, b1 - 0.1f * h1)
      .update(w2, w2 - 0.1f * g2)
      .update(w3, w3 - 0.1f * g3);
};

}  // namespace

TEST_CASE("device convolutions: padding, strides, dilation, in two dimensions") {
  constexpr auto padded = [](kt::dtensor4 x, kt::dtensor4 w) {
    return with_gradients(conv2d(x, w, kt::padding<1, 2, 0, 3>, kt::stride<2, 1>), x, w);
  };
  stays_on_device(padded, tensor(5, 4, 9, 8), tensor(6, 4, 3, 2));
  // Patches of one image at a time, of two, of none.
  agree(padded, tensor(3, 4, 40, 37), tensor(2, 4, 3, 3));
  agree(padded, tensor(5, 3, 36, 16), tensor(2, 3, 3, 3));
  agree(padded, tensor(0, 4, 9, 8), tensor(6, 4, 3, 2));
  agree(padded, tensor(2, 0, 9, 8), tensor(6, 0, 3, 2));
  stays_on_device([](kt::dtensor4 x, kt::dtensor4 w) {
    auto y = conv2d(x, w, kt::border::full, kt::dilation<2, 3>, kt::correlation);
    return with_gradients(y, x, w);
  }, tensor(3, 2, 7, 6), tensor(4, 2, 2, 3));
}

TEST_CASE("device convolutions: groups, views, filters of one element") {
  constexpr auto grouped = [](kt::ftensor4 x, kt::ftensor4 w) {
    return with_gradients(conv2d(x, w, kt::border::half, kt::groups<4>, kt::stride<1, 2>), x, w);
  };
  // The batch is of images, or of groups.
  stays_on_device(grouped, tensor<float>(5, 8, 6, 7), tensor<float>(12, 2, 3, 3));
  agree(grouped, tensor<float>(2, 4, 6, 7), tensor<float>(4, 1, 3, 2));
  stays_on_device([](kt::dtensor4 x, kt::dtensor4 w) {
    auto some = kt::dimshuffle<3, 0, 1, 2>(x(kt::slice(kt::none, kt::none, 2)));
    auto turned = kt::dimshuffle<1, 0, 3, 2>(w);
    return with_gradients(conv2d(some, turned), x, w);
  }, tensor(5, 6, 7, 2), tensor(3, 4, 3, 2));
  constexpr auto pointwise = [](kt::dtensor4 x, kt::dtensor4 w) {
    return with_gradients(conv2d(x, w), x, w);
  };
  stays_on_device(pointwise, tensor(3, 4, 5, 6), tensor(7, 4, 1, 1));
  agree(pointwise, tensor(3, 4, 5, 6), tensor(7, 4, 5, 6));
  // Some pixels meet no filter.
  agree(pointwise, tensor(1, 4, 5, 6), tensor(1, 4, 3, 5));
}

TEST_CASE("device convolutions: one and three axes") {
  stays_on_device([](kt::dtensor3 x, kt::dtensor3 w) {
    return with_gradients(conv1d(x, w, kt::stride<6>, kt::dilation<4>, kt::padding<4>), x, w);
  }, tensor(3, 4, 40), tensor(5, 4, 5));
  stays_on_device([](kt::variable<double, 5> x, kt::variable<double, 5> w) {
    auto y = conv3d(x, w, kt::stride<2, 1, 2>, kt::dilation<3, 1, 2>, kt::padding<1, 0, 1>);
    return with_gradients(y, x, w);
  }, tensor(2, 3, 9, 4, 8), tensor(4, 3, 3, 2, 2));
}

TEST_CASE("device pooling: maxima, and their gradients") {
  stays_on_device([](kt::dtensor4 x) {
    auto y = max_pool_2d<3, 2>(x, kt::stride<2, 3>, kt::padding<1>);
    auto g = grad(sum(y * y * y), x);
    auto z = max_pool_3d<2>(kt::dimshuffle<1, 3, 0, 2>(x), kt::ignore_border<false>);
    return std::tuple(y, g, grad(sum(g * g), x), max_pool_1d<3>(x, kt::ignore_border<false>), z);
  }, tensor(2, 3, 9, 10));
  // Gradients at one element add up in the order of its windows, if the mode asks for it.
  constexpr auto overlapping = [](kt::dtensor3 x, kt::dtensor3 v) {
    return grad(sum(max_pool_2d<3>(x, kt::stride<1>) * v), x);
  };
  auto exact = kt::cuda::function_on<device>(overlapping, kt::mode::fast_run.deterministic());
  static_assert(kt::cuda::transfers(exact).to_host == 0);
  auto const x = tensor(4, 15, 17), v = tensor(4, 13, 15);
  require_same(exact(x, v), kt::function(overlapping)(x, v), 0);
  auto nan = tensor<float>(3, 8);
  nan(1, 3) = nan(1, 6) = std::numeric_limits<float>::quiet_NaN();
  agree([](kt::fmatrix x, kt::imatrix n) {
    return std::tuple(max_pool_2d<2>(x.T()), max_pool_1d<4>(x), max_pool_2d<2, 3>(n));
  }, nan, grid<std::int32_t>(7, 9));
}

TEST_CASE("device pooling: averages, and their gradients") {
  stays_on_device([](kt::dtensor4 x) {
    auto y = avg_pool_2d<3, 2>(x, kt::stride<2, 1>, kt::padding<2, 1>);
    auto z = avg_pool_2d<3>(x, kt::ignore_border<false>);
    auto v = avg_pool_3d<2, 3, 2>(x.T(), kt::stride<1>, kt::padding<1>, kt::ignore_padding);
    return std::tuple(y, z, v, avg_pool_1d<4>(x), grad(sum(y * y) + sum(z * z) + sum(v * v), x));
  }, tensor(2, 3, 9, 10));
}

TEST_CASE("device convolutions: training steps move nothing between the sides") {
  auto const x = tensor<float>(6, 2, 12, 10);
  xt::xtensor<std::int64_t, 1> const y{0, 2, 1, 1, 0, 2};
  auto const w1 = tensor<float>(4, 2, 3, 3), w2 = tensor<float>(5, 4, 3, 2);
  auto const w3 = tensor<float>(20, 3);
  xt::xtensor<float, 1> const b1 = xt::zeros<float>({4});
  kt::shared<float, 4> cw1(w1), cw2(w2);
  kt::shared<float, 2> cw3(w3);
  kt::shared<float, 1> cb1(b1);
  device_shared<float, 4> dw1(w1), dw2(w2);
  device_shared<float, 2> dw3(w3);
  device_shared<float, 1> db1(b1);
  auto train = kt::function(training_step, cw1, cb1, cw2, cw3);
  auto on_device = kt::cuda::function_on<device>(training_step, dw1, db1, dw2, dw3);
  for (int i = 0; i < 4; ++i) {
    float const cost = on_device(x, y);
    CHECK(cost == Approx(train(x, y)).epsilon(1e-4));
  }
  CHECK(xt::allclose(dw1.get_value(), cw1.get_value(), 1e-3, 1e-4));
  CHECK(xt::allclose(dw2.get_value(), cw2.get_value(), 1e-3, 1e-4));
  CHECK(xt::allclose(dw3.get_value(), cw3.get_value(), 1e-3, 1e-4));
  CHECK(xt::allclose(db1.get_value(), cb1.get_value(), 1e-3, 1e-4));
  device_array<float, 4> const xd(x);
  device_array<std::int64_t, 1> const yd(y);
  device_counts const counts = guarded_memory::counted([&] { (void)on_device(xd, yd); });
  CHECK(counts.sent == 0);
  CHECK(counts.fetched <= 1);  // a word that tells of labels out of range
}
