// Convolutions, pooling and batches of products compiled for the GPU: without spills always, and
// compared with the CPU where there is a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/cuda.hpp>

#include "compare.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace gpu_tests;

namespace {

template <class T, class... N>
auto tensor(N... n) {
  xt::xtensor<T, sizeof...(N)> x(
      std::array<std::size_t, sizeof...(N)>{static_cast<std::size_t>(n)...});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.flat(i) = static_cast<T>(std::sin(static_cast<double>(i * i % 1009)));
  return x;
}

void convolutions() {
  agree(
      "padding and strides",
      [](kt::dtensor4 x, kt::dtensor4 w) {
        auto y = conv2d(x, w, kt::padding<1, 2, 0, 3>, kt::stride<2, 1>);
        auto [gx, gw] = grad(sum(y), x, w);
        return std::tuple(y, gx, gw);
      },
      tensor<double>(5, 4, 9, 8), tensor<double>(6, 4, 3, 2));
  agree(
      "groups and dilation, float",
      [](kt::ftensor4 x, kt::ftensor4 w) {
        auto y = conv2d(x, w, kt::border::half, kt::groups<4>, kt::dilation<2>, kt::correlation);
        auto [gx, gw] = grad(sum(y), x, w);
        return std::tuple(y, gx, gw);
      },
      tensor<float>(3, 8, 12, 11), tensor<float>(12, 2, 3, 3));
}
void pooling() {
  agree(
      "maxima of windows",
      [](kt::ftensor4 x) {
        auto y = max_pool_2d<3, 2>(x, kt::stride<2>, kt::padding<1>);
        return std::tuple(y, grad(sum(y * y), x), max_pool_1d<4>(x, kt::ignore_border<false>));
      },
      tensor<float>(2, 3, 30, 31));
  agree(
      "averages of windows",
      [](kt::dtensor4 x) {
        auto y = avg_pool_2d<3>(x, kt::stride<2>, kt::padding<1>, kt::ignore_padding);
        return std::tuple(y, grad(sum(y * y), x));
      },
      tensor<double>(2, 3, 30, 31));
}
void a_layer() {
  agree(
      "a layer and its gradients",
      [](kt::ftensor4 x, kt::ftensor4 w, kt::fvector b) {
        auto y = max_pool_2d<2>(relu(conv2d(x, w) + kt::dimshuffle<'x', 0, 'x', 'x'>(b)));
        auto [gw, gb] = grad(mean(y * y), w, b);
        return std::tuple(y, gw, gb);
      },
      tensor<float>(8, 3, 20, 20), tensor<float>(16, 3, 5, 5), tensor<float>(16));
}
void batches() {
  agree(
      "batches of products",
      [](kt::dtensor3 a, kt::dtensor3 b, kt::dmatrix v) {
        return std::tuple(batched_dot(a, b), batched_dot(a, v), batched_dot(v, v));
      },
      tensor<double>(20, 30, 40), tensor<double>(20, 40, 10), tensor<double>(20, 40));
}

}  // namespace

int main() { return run_all({convolutions, pooling, a_layer, batches}, {}); }
