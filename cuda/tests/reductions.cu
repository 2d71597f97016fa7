// Reductions, products, updates and moves compiled for the GPU: without spills always, and compared
// with the CPU where there is a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/cuda.hpp>

#include "compare.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace gpu_tests;

namespace {

void reductions() {
  for (std::size_t n : {1, 5, 300, 70000})
    agree(
        "reductions",
        [](kt::dmatrix x) {
          return std::tuple(sum(x * x), sum(x, kt::axis<0>), sum(exp(x), kt::axis<1>), max(x),
                            x + 1);
        },
        grid(n, 17));
  agree(
      "reductions, float",
      [](kt::fmatrix x) {
        return std::tuple(sum(x), prod(x, kt::axis<1>), min(x, kt::axis<0>), any(x > 0.5f));
      },
      xt::xtensor<float, 2>(xt::cast<float>(grid(40, 3000))));
  agree(
      "reductions, integers",
      [](kt::imatrix x) { return std::tuple(sum(x), max(x, kt::axis<0>), argmax(x, kt::axis<1>)); },
      xt::xtensor<int, 2>(xt::cast<int>(100 * grid(40, 3000))));
  agree(
      "softmax", [](kt::dmatrix x) { return std::tuple(softmax(x), log_softmax(x)); },
      grid(64, 1000));
  agree(
      "gradient of maxima", [](kt::dmatrix x) { return grad(sum(max(x, kt::axis<1>)), x); },
      grid(64, 100));
}
void products() {
  agree(
      "products",
      [](kt::dmatrix a, kt::dmatrix b, kt::dvector v) {
        return std::tuple(dot(a, b), dot(a, v), dot(v, b), dot(v, v), dot(a.T(), a));
      },
      grid(70, 90), grid(90, 50), ramp(90));
  agree(
      "scaled products",
      [](kt::fmatrix a, kt::fmatrix b, kt::fmatrix c) { return c - 0.5f * dot(a, b); },
      xt::xtensor<float, 2>(xt::cast<float>(grid(70, 90))),
      xt::xtensor<float, 2>(xt::cast<float>(grid(90, 50))),
      xt::xtensor<float, 2>(xt::cast<float>(grid(70, 50))));
}
void moves() {
  xt::xtensor<std::int64_t, 1> const at{3, 0, -1, 3};
  agree(
      "indices",
      [](kt::dmatrix x, kt::lvector i) {
        return std::tuple(take(x, i, kt::axis<0>), grad(sum(sqr(take(x, i, kt::axis<0>))), x));
      },
      grid(7, 50), at);
  agree(
      "parts",
      [](kt::dmatrix x, kt::dvector v) {
        return std::tuple(concatenate<1>(x, x * 2), set_subtensor(x(1), v), diag(x), x(0) * x);
      },
      grid(50, 50), ramp(50));
  agree("steps of the host", [](kt::dvector x) { return cumsum(sort(x * 2)) + 1; }, ramp(300));
}

void recurrences() {
  agree(
      "a loop and its gradient",
      [](kt::dtensor3 x, kt::dmatrix w) {
        auto h = scan([=](kt::dmatrix row, kt::dmatrix state) { return tanh(dot(state, w) + row); },
                      kt::sequences(x), kt::outputs_info(zeros_like(x(0))));
        return std::tuple(h(-1), grad(sum(sqr(h(-1))), w));
      },
      xt::xtensor<double, 3>(xt::reshape_view(grid(60, 20), {20, 3, 20})), grid(20, 20));
}

constexpr auto step = [](kt::dmatrix x, kt::dvector y, kt::dvector w, kt::dscalar b) {
  auto p = 1 / (1 + exp(-dot(x, w) - b));
  auto cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(w * w);
  auto [gw, gb] = grad(cost, w, b);
  return kt::outputs(cost).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};
void training() {
  xt::xtensor<double, 2> const x = grid(400, 30);
  xt::xtensor<double, 1> const y = xt::cast<double>(ramp(400) > 0), start = ramp(30);
  kt::shared<double, 1> w(start);
  kt::shared<double, 0> b(0.5);
  auto on_cpu = kt::function(step, w, b);
  double cost = 0;
  for (int i = 0; i < 10; ++i) cost = on_cpu(x, y);
  auto const train = [&]<class Device>(std::type_identity<Device>) {
    kt::cuda::shared<double, 1, Device> dw(start);
    kt::cuda::shared<double, 0, Device> db(0.5);
    auto f = kt::cuda::function_on<Device>(step, dw, db);
    kt::cuda::array<double, 0, Device> last;
    for (int i = 0; i < 10; ++i) last = f(x, y);
    compare("ten steps, cost", last, cost);
    compare("ten steps, weights", dw.storage(), w.get_value());
  };
  train(std::type_identity<kt::cuda::emulated<>>{});
  if (has_gpu) train(std::type_identity<kt::cuda::gpu>{});
}
void streams() {
  cudaStream_t stream = nullptr;
  kt::cuda::check(cudaStreamCreate(&stream), "cudaStreamCreate");
  {
    kt::cuda::on_stream const scope(stream);
    auto f = kt::cuda::function([](kt::dvector x) { return sum(x * 2); });
    compare("another stream", f(ramp(1000)),
            kt::function([](kt::dvector x) { return sum(x * 2); })(ramp(1000)));
  }
  kt::cuda::check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

}  // namespace

int main() { return run_all({reductions, products, moves, recurrences, training}, {streams}); }
