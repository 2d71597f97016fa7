// Calls as CUDA graphs: many calls of one function, at new addresses, of other extents, in other
// streams and after errors, compared with the CPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace gpu_tests;

namespace {

constexpr auto step = [](kt::dmatrix x, kt::lvector y, kt::dmatrix w1, kt::dvector b1,
                         kt::dmatrix w2, kt::dvector b2) {
  auto h = tanh(dot(x, w1) + b1);
  auto cost = mean(categorical_crossentropy(softmax(dot(h, w2) + b2), y));
  auto [g1, h1, g2, h2] = grad(cost, w1, b1, w2, b2);
  return kt::outputs(cost)
      .update(w1, w1 - 0.1 * g1)
      .update(b1, b1 - 0.1 * h1)
      .update(w2, w2 - 0.1 * g2)
      .update(b2, b2 - 0.1 * h2);
};

void training() {
  auto const shared = [](auto make) {
    return std::tuple(make(grid(9, 20)), make(ramp(20)), make(grid(20, 5)), make(ramp(5)));
  };
  auto const cpu = shared([](auto const& x) { return kt::shared(x); });
  auto const gpu = shared([](auto const& x) { return kt::cuda::shared(x); });
  auto const train_cpu =
      std::apply([](auto const&... w) { return kt::function(step, w...); }, cpu);
  auto const train_gpu =
      std::apply([](auto const&... w) { return kt::cuda::function(step, w...); }, gpu);
  std::size_t const batches[] = {40, 40, 17, 40, 17, 3, 4, 5, 6, 40, 6, 17};
  int call = 0;
  for (std::size_t n : batches) {
    xt::xtensor<double, 2> const x = grid(n, 9) * (1 + 0.1 * ++call);
    xt::xtensor<std::int64_t, 1> y(std::array<std::size_t, 1>{n});
    for (std::size_t i = 0; i < n; ++i) y(i) = static_cast<std::int64_t>(i * 3 + call) % 5;
    kt::cuda::array<double, 2> const x_there(x);  // at another address in each call
    kt::cuda::array<std::int64_t, 1> const y_there(y);
    if (call % 4 == 3) {  // an index out of range, which changes nothing
      xt::xtensor<std::int64_t, 1> wrong = y;
      wrong(n / 2) = 5;
      try {
        (void)train_gpu(x_there, kt::cuda::array<std::int64_t, 1>(wrong));
        std::puts("an index out of range is accepted  FAILED");
        ++failures;
      } catch (kt::value_error const&) {
      }
    }
    compare("cost of a step", train_gpu(x_there, y_there), train_cpu(x, y));
  }
  compare("weights", std::get<0>(gpu).storage(), std::get<0>(cpu).get_value());
  compare("biases", std::get<1>(gpu).storage(), std::get<1>(cpu).get_value());
  compare("weights", std::get<2>(gpu).storage(), std::get<2>(cpu).get_value());
}

void in_streams() {
  auto const f = [](kt::dmatrix x, kt::dmatrix y) {
    auto z = dot(x, y);
    auto rows = sum(z * z, kt::axis<1>), columns = sum(z, kt::axis<0>);
    return std::tuple(dot(z, z.T()) / sum(rows), columns / sum(abs(columns)), softmax(z));
  };
  auto const on_cpu = kt::function(f);
  auto const on_gpu = kt::cuda::function(f);
  auto const other = kt::cuda::function(f);
  cudaStream_t streams[2] = {};
  for (cudaStream_t& s : streams) kt::cuda::check(cudaStreamCreate(&s), "cudaStreamCreate");
  for (int call = 0; call < 8; ++call) {
    xt::xtensor<double, 2> const x = grid(60, 30) * (1 + call), y = grid(30, 50);
    auto const expected = on_cpu(x, y);
    decltype(on_gpu(x, y)) here, there;
    {
      kt::cuda::on_stream const scope(streams[call % 2]);
      here = on_gpu(x, y);
    }
    {
      kt::cuda::on_stream const scope(streams[1 - call % 2]);
      there = other(x, y);
    }
    for (cudaStream_t s : streams)
      kt::cuda::check(cudaStreamSynchronize(s), "cudaStreamSynchronize");
    compare("in one stream", here, expected);
    compare("in another one", there, expected);
  }
  for (cudaStream_t s : streams) (void)cudaStreamDestroy(s);
}

void states() {
  auto const f = [](kt::dvector x, kt::dscalar s) {
    auto y = scan([](auto h, auto s) { return tanh(h) * s + sum(h) / 100; }, kt::n_steps(40),
                  kt::outputs_info(x), kt::non_sequences(s));
    return std::tuple(y(-1), grad(sum(y * y), x));
  };
  auto const on_cpu = kt::function(f);
  auto const on_gpu = kt::cuda::function(f);
  for (int call = 0; call < 4; ++call)
    compare("a loop and its gradient", on_gpu(ramp(30), 0.2 * call), on_cpu(ramp(30), 0.2 * call));
}

}  // namespace

int main() { return run_all({}, {training, in_streams, states}); }
