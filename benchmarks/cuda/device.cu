// What a GPU does with formulas, reductions, products and training steps, as shares of what it can
// do: of the bandwidth of a device copy, or of the time of cuBLAS alone. Medians of 50 calls in one
// run.
//
//   device [elements [group [calls]]]   100,000,000 elements; one of formulas, sums, rows,
//                                       products, training and calls; 50 calls
//
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/cuda.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace kt = kroton;
using namespace kroton;

namespace {

int repetitions = 50;

/// The median of the seconds that a call takes on the device.
template <class Call>
double seconds_of(Call const& call) {
  cudaEvent_t begin = nullptr, end = nullptr;
  kt::cuda::check(cudaEventCreate(&begin), "cudaEventCreate");
  kt::cuda::check(cudaEventCreate(&end), "cudaEventCreate");
  cudaStream_t const stream = kt::cuda::gpu::current_stream();
  for (int i = 0; i < 3; ++i) call();
  std::vector<float> times(static_cast<std::size_t>(repetitions));
  for (float& t : times) {
    kt::cuda::check(cudaEventRecord(begin, stream), "cudaEventRecord");
    call();
    kt::cuda::check(cudaEventRecord(end, stream), "cudaEventRecord");
    kt::cuda::check(cudaEventSynchronize(end), "cudaEventSynchronize");
    kt::cuda::check(cudaEventElapsedTime(&t, begin, end), "cudaEventElapsedTime");
  }
  kt::cuda::check(cudaEventDestroy(begin), "cudaEventDestroy");
  kt::cuda::check(cudaEventDestroy(end), "cudaEventDestroy");
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  return times[times.size() / 2] * 1e-3;
}

/// The seconds that the host needs to ask for a call.
template <class Call>
double host_seconds_of(Call const& call) {
  kt::cuda::check(cudaStreamSynchronize(kt::cuda::gpu::current_stream()), "cudaStreamSynchronize");
  int const calls =
      std::min(20, repetitions);  // less than the device takes before the host has to wait
  auto const begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  std::chrono::duration<double> const all = std::chrono::steady_clock::now() - begin;
  kt::cuda::check(cudaStreamSynchronize(kt::cuda::gpu::current_stream()), "cudaStreamSynchronize");
  return all.count() / calls;
}
/// A call as a CUDA graph.
template <class Call>
class graph_of {
 public:
  explicit graph_of(Call const& call) {
    call();
    kt::cuda::check(cudaStreamCreate(&stream_), "cudaStreamCreate");
    {
      kt::cuda::on_stream const scope(stream_);
      call();
      kt::cuda::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
      cudaGraph_t graph = nullptr;
      kt::cuda::check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
                      "cudaStreamBeginCapture");
      call();
      kt::cuda::check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
      kt::cuda::check(cudaGraphInstantiate(&run_, graph, 0), "cudaGraphInstantiate");
      kt::cuda::check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    }
  }
  graph_of(graph_of const&) = delete;
  graph_of& operator=(graph_of const&) = delete;
  ~graph_of() {
    (void)cudaGraphExecDestroy(run_);
    (void)cudaStreamDestroy(stream_);
  }
  void operator()() const {
    kt::cuda::check(cudaGraphLaunch(run_, kt::cuda::gpu::current_stream()), "cudaGraphLaunch");
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t run_ = nullptr;
};

double copied_bytes_per_second = 0;

/// A call that reads and writes so many bytes, as a share of the bandwidth of a copy.
template <class Call>
void against_copy(char const* name, double bytes, Call const& call) {
  double const seconds = seconds_of(call);
  std::printf("%-44s %9.1f us  %8.1f GB/s  %5.2f of a copy\n", name, seconds * 1e6,
              bytes / seconds * 1e-9, bytes / seconds / copied_bytes_per_second);
}

kt::cuda::array<float, 1> numbers(std::size_t n) {
  xt::xtensor<float, 1> host(std::array<std::size_t, 1>{n});
  for (std::size_t i = 0; i < n; ++i) host(i) = static_cast<float>(i % 1009) / 1009 - 0.5f;
  return kt::cuda::array<float, 1>(host);
}
kt::cuda::array<float, 2> matrix(std::size_t n, std::size_t m) {
  xt::xtensor<float, 2> host(std::array<std::size_t, 2>{n, m});
  for (std::size_t i = 0; i < n * m; ++i) host.flat(i) = static_cast<float>(i % 1009) / 1009 - 0.5f;
  return kt::cuda::array<float, 2>(host);
}

/// cuBLAS alone: c = a b, of what is transposed.
void multiply(kt::cuda::array<float, 2> const& a, bool turns_a, kt::cuda::array<float, 2> const& b,
              bool turns_b, kt::cuda::array<float, 2>& c) {
  auto const extent = [](auto const& x, int d) { return static_cast<std::int64_t>(x.shape()[d]); };
  kt::cuda::gpu::multiply(kt::cuda::blas_product<float>{extent(c, 0),
                                                        extent(a, turns_a ? 0 : 1),
                                                        extent(c, 1),
                                                        1,
                                                        0,
                                                        {a.data(), turns_a, extent(a, 1)},
                                                        {b.data(), turns_b, extent(b, 1)},
                                                        c.data()});
}

void formulas(std::size_t n) {
  auto const a = numbers(n), b = numbers(n);
  kt::cuda::array<float, 1> y;
  double const each = 4.0 * static_cast<double>(n);
  auto const one = [&](char const* name, auto const& f) {
    against_copy(name, 2 * each, [&] { f.into(y, a); });
  };
  auto const two = [&](char const* name, auto const& f) {
    against_copy(name, 3 * each, [&] { f.into(y, a, b); });
  };
  one("a + 1", kt::cuda::function([](kt::fvector a) { return a + 1; }));
  two("2 a + 3 b", kt::cuda::function([](kt::fvector a, kt::fvector b) { return 2 * a + 3 * b; }));
  two("a^2 + b^2 + 2 a b",
      kt::cuda::function([](kt::fvector a, kt::fvector b) { return a * a + b * b + 2 * a * b; }));
  one("sigmoid(a)", kt::cuda::function([](kt::fvector a) { return sigmoid(a); }));
  two("tanh(a) exp(-b^2) + log(1 + exp a)", kt::cuda::function([](kt::fvector a, kt::fvector b) {
        return tanh(a) * exp(-b * b) + log(1 + exp(a));
      }));
  // A row and a column that all others see, and a transposed operand.
  std::size_t const rows = n / 1000;
  auto const x = matrix(rows, 1000), t = matrix(1000, rows);
  auto const row = numbers(1000);
  auto const column = numbers(rows);
  kt::cuda::array<float, 2> z;
  auto biased = kt::cuda::function([](kt::fmatrix x, kt::fvector r) { return tanh(x + r); });
  auto scaled = kt::cuda::function(
      [](kt::fmatrix x, kt::fvector r, kt::fvector c) { return x * dimshuffle<0, 'x'>(c) + r; });
  auto turned =
      kt::cuda::function([](kt::fmatrix x, kt::fmatrix t, kt::fvector r) { return x + t.T() + r; });
  against_copy("tanh(x + row)", 2 * each, [&] { biased.into(z, x, row); });
  against_copy("x column + row", 2 * each, [&] { scaled.into(z, x, row, column); });
  against_copy("x + transposed + row", 3 * each, [&] { turned.into(z, x, t, row); });
}
void sums(std::size_t n) {
  std::size_t const rows = n / 1000;
  auto const x = matrix(rows, 1000);
  double const bytes = 4.0 * static_cast<double>(rows * 1000);
  kt::cuda::array<float, 0> s;
  kt::cuda::array<float, 1> v;
  auto total = kt::cuda::function([](kt::fmatrix x) { return sum(x); });
  auto squares = kt::cuda::function([](kt::fmatrix x) { return sum(x * x); });
  auto by_rows = kt::cuda::function([](kt::fmatrix x) { return sum(x, kt::axis<1>); });
  auto by_columns = kt::cuda::function([](kt::fmatrix x) { return sum(x, kt::axis<0>); });
  // A copy reads and writes: these only read.
  against_copy("sum", bytes, [&] { total.into(s, x); });
  against_copy("sum of squares", bytes, [&] { squares.into(s, x); });
  against_copy("sums of rows of 1,000", bytes, [&] { by_rows.into(v, x); });
  against_copy("sums of columns", bytes, [&] { by_columns.into(v, x); });
  for (std::size_t length : {32, 1000000}) {
    auto const y = matrix(std::max<std::size_t>(1, n / length), length);
    char name[64];
    std::snprintf(name, sizeof(name), "sums of rows of %zu", length);
    against_copy(name, 4.0 * static_cast<double>(y.size()), [&] { by_rows.into(v, y); });
  }
}
void normalized_rows(std::size_t n) {
  auto soft = kt::cuda::function([](kt::fmatrix x) { return softmax(x); });
  auto layer = kt::cuda::function([](kt::fmatrix x) {
    auto centred = x - mean(x, kt::axis<1>, kt::keepdims);
    return centred / sqrt(mean(sqr(centred), kt::axis<1>, kt::keepdims) + 1e-5f);
  });
  kt::cuda::array<float, 2> y;
  for (std::size_t length : {128, 1024, 8192}) {
    std::size_t const count = std::min<std::size_t>(65536, std::max<std::size_t>(1, n / length));
    auto const x = matrix(count, length);
    char name[64];
    double const bytes = 8.0 * static_cast<double>(x.size());
    std::snprintf(name, sizeof(name), "softmax, %zu rows of %zu", count, length);
    against_copy(name, bytes, [&] { soft.into(y, x); });
    std::snprintf(name, sizeof(name), "layer normalization, %zu rows of %zu", count, length);
    against_copy(name, bytes, [&] { layer.into(y, x); });
  }
}
void matrices() {
  std::size_t const n = 4096;
  auto const a = matrix(n, n), b = matrix(n, n);
  kt::cuda::array<float, 2> c;
  auto f = kt::cuda::function([](kt::fmatrix a, kt::fmatrix b) { return dot(a, b); });
  double const ours = seconds_of([&] { f.into(c, a, b); });
  double const alone = seconds_of([&] { multiply(a, false, b, false, c); });
  std::printf("%-44s %9.1f us  %8.1f TFLOPS  %5.2f of cuBLAS alone\n", "dot of 4,096 x 4,096",
              ours * 1e6, 2e-12 * static_cast<double>(n) * static_cast<double>(n * n) / ours,
              alone / ours);
}
void training() {
  {
    std::size_t const n = 1000000, m = 256;
    auto const x = matrix(n, m);
    auto const y = numbers(n);
    kt::cuda::shared<float, 1> w(xt::xtensor<float, 1>(xt::zeros<float>({m})));
    kt::cuda::shared<float, 0> b(0.0f);
    auto step = kt::cuda::function(
        [](kt::fmatrix x, kt::fvector y, kt::fvector w, kt::fscalar b) {
          auto p = sigmoid(dot(x, w) + b);
          auto cost = mean(binary_crossentropy(p, cast<float>(y > 0)));
          auto [gw, gb] = grad(cost, w, b);
          return kt::outputs(cost).update(w, w - 0.1f * gw).update(b, b - 0.1f * gb);
        },
        w, b);
    against_copy("logistic regression step, x read once", 4.0 * static_cast<double>(n * m),
                 [&] { (void)step(x, y); });
  }
  for (std::size_t batch : {60, 6000}) {
    auto const x = matrix(batch, 784);
    xt::xtensor<std::int64_t, 1> labels(std::array<std::size_t, 1>{batch});
    for (std::size_t i = 0; i < batch; ++i) labels(i) = static_cast<std::int64_t>(i % 10);
    kt::cuda::array<std::int64_t, 1> const y(labels);
    kt::cuda::shared<float, 2> w1(xt::xtensor<float, 2>(0.01 * xt::ones<float>({784, 500}))),
        w2(xt::xtensor<float, 2>(0.01 * xt::ones<float>({500, 10})));
    kt::cuda::shared<float, 1> b1(xt::xtensor<float, 1>(xt::zeros<float>({500}))),
        b2(xt::xtensor<float, 1>(xt::zeros<float>({10})));
    auto step = kt::cuda::function(
        [](kt::fmatrix x, kt::lvector y, kt::fmatrix w1, kt::fvector b1, kt::fmatrix w2,
           kt::fvector b2) {
          auto h = tanh(dot(x, w1) + b1);
          auto cost = mean(categorical_crossentropy(softmax(dot(h, w2) + b2), y));
          auto [g1, h1, g2, h2] = grad(cost, w1, b1, w2, b2);
          return kt::outputs(cost)
              .update(w1, w1 - 0.1f * g1)
              .update(b1, b1 - 0.1f * h1)
              .update(w2, w2 - 0.1f * g2)
              .update(b2, b2 - 0.1f * h2);
        },
        w1, b1, w2, b2);
    auto const w1_now = matrix(784, 500), w2_now = matrix(500, 10), h = matrix(batch, 500),
               d = matrix(batch, 10);
    kt::cuda::array<float, 2> to_h({batch, 500}), to_d({batch, 10}), to_w1({784, 500}),
        to_w2({500, 10});
    graph_of const products([&] {
      multiply(x, false, w1_now, false, to_h);
      multiply(h, false, w2_now, false, to_d);
      multiply(h, true, d, false, to_w2);
      multiply(d, false, w2_now, true, to_h);
      multiply(x, true, h, false, to_w1);
    });
    auto const call = [&] { (void)step(x, y); };
    std::vector<kt::cuda::array<float, 2>> others;
    for (int i = 0; i < 20; ++i) others.push_back(matrix(batch, 784));
    std::size_t next = 0;
    auto const others_in_turn = [&] { (void)step(others[++next % others.size()], y); };
    double const alone = seconds_of(products), ours = seconds_of(call);
    std::printf("%-44s %9.1f us  %8.1f us of the host  %5.2f of its products (%.1f us)\n",
                batch == 60 ? "perceptron step, batch of 60" : "perceptron step, batch of 6,000",
                ours * 1e6, host_seconds_of(call) * 1e6, alone / ours, alone * 1e6);
    std::printf("%-44s %9.1f us\n", "  20 batches in turn", seconds_of(others_in_turn) * 1e6);
  }
}
/// A call of 21 small launches, which is a graph from the second call on, beside the same graph that
/// is launched without a call.
void calls() {
  auto const x = matrix(32, 64);
  kt::cuda::array<float, 2> const room(x.shape());
  // A view: a call that somebody records must not allocate.
  auto y = kt::cuda::array<float, 2>::view(room.data(), 32, 64);
  auto f = kt::cuda::function([](kt::fmatrix x) {
    auto one = [](kt::fmatrix a) { return a - sum(a * a, kt::axis<0>) * 1e-3f; };
    auto two = [one](kt::fmatrix a) { return one(a) - sum(a, kt::axis<1>, kt::keepdims) * 1e-3f; };
    return one(two(two(two(two(x)))));
  });
  auto const call = [&] { f.into(y, x); };
  graph_of const bare(call);
  double const ours = seconds_of(call), alone = seconds_of(bare);
  std::printf("%-44s %9.1f us  %8.1f us of the host  %5.2f of a bare graph (%.1f us)\n",
              "small steps in one call", ours * 1e6, host_seconds_of(call) * 1e6, alone / ours,
              alone * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("No GPU: nothing to measure.");
    return 0;
  }
  std::size_t const n = argc > 1 ? static_cast<std::size_t>(std::atoll(argv[1])) : 100000000;
  try {
    auto const a = numbers(n);
    kt::cuda::array<float, 1> b(a.shape());
    double const seconds = seconds_of([&] {
      kt::cuda::gpu::copy_within(reinterpret_cast<std::byte*>(b.data()),
                                 reinterpret_cast<std::byte const*>(a.data()), 4 * n);
    });
    copied_bytes_per_second = 8.0 * static_cast<double>(n) / seconds;
    std::printf("%-44s %9.1f us  %8.1f GB/s\n", "copy", seconds * 1e6,
                copied_bytes_per_second * 1e-9);
    std::string_view const group = argc > 2 ? argv[2] : "";
    if (argc > 3) repetitions = std::max(1, std::atoi(argv[3]));
    auto const wants = [&](char const* name) { return group.empty() || group == name; };
    if (wants("formulas")) formulas(n);
    if (wants("sums")) sums(n);
    if (wants("rows")) normalized_rows(n);
    if (wants("products")) matrices();
    if (wants("training")) training();
    if (wants("calls")) calls();
  } catch (std::exception const& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}
