// Calls as graphs: from the second call of a layout on, launches are recorded.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xrandom.hpp>

#include "agree.hpp"
#include "recording_device.hpp"

#include <memory>
#include <vector>

namespace kt = kroton;
using testing::recording_device;

namespace {

template <class T, int Rank>
using on_device = kt::cuda::array<T, Rank, recording_device>;
template <class T, int Rank>
using shared_on_device = kt::cuda::shared<T, Rank, recording_device>;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

matrix some_matrix(std::size_t rows, std::size_t columns, int seed) {
  xt::random::seed(static_cast<unsigned>(seed));
  return xt::random::randn<double>({rows, columns});
}

constexpr auto step = [](kt::dmatrix x, kt::dvector y, kt::dvector w, kt::dscalar b) {
  auto cost = mean(kt::binary_crossentropy(sigmoid(dot(x, w) + b), y));
  auto [dw, db] = grad(cost, w, b);
  return kt::outputs(cost).update(w, w - 0.1 * dw).update(b, b - 0.1 * db);
};

}  // namespace

TEST_CASE("a training step is one graph from the second call on") {
  shared_on_device<double, 1> w(vector{0.1, -0.2, 0.3});
  shared_on_device<double, 0> b(0.5);
  kt::shared<double, 1> w_cpu(vector{0.1, -0.2, 0.3});
  kt::shared<double, 0> b_cpu(0.5);
  auto const train = kt::cuda::function_on<recording_device>(step, w, b);
  auto const train_cpu = kt::function(step, w_cpu, b_cpu);

  // At other addresses in each call.
  std::vector<std::unique_ptr<on_device<double, 2>>> all;
  vector const y{1, 0, 0, 1, 1, 0, 1};
  on_device<double, 1> const y_there(y);
  auto const cost_of = [&](on_device<double, 2> const& x) {
    on_device<double, 0> const cost = train(x, y_there);
    return cost.get_value();
  };
  for (int call = 0; call < 9; ++call) {
    matrix const x = some_matrix(7, 3, call);
    all.push_back(std::make_unique<on_device<double, 2>>(x));
    double cost = 0;
    auto const counts = recording_device::counted([&] { cost = cost_of(*all.back()); });
    CHECK(cost == Approx(train_cpu(x, y)).epsilon(1e-12));
    if (call == 0) {
      CHECK(counts.graphs == 0);
      CHECK(counts.launches >= 4);
    } else {
      CHECK(counts.graphs == 1);
      CHECK(counts.launches == 0);
      CHECK(counts.recorded == 1);
      CHECK(counts.built == (call <= 4 ? 1 : 0));  // four graphs, which then change
    }
  }
  // At the same ones: nothing is recorded again.
  for (int call = 0; call < 3; ++call) {
    double cost = 0;
    auto const counts = recording_device::counted([&] { cost = cost_of(*all.back()); });
    CHECK(cost == Approx(train_cpu(all.back()->get_value(), y)).epsilon(1e-12));
    CHECK(counts == recording_device::counts{0, 1, call == 0 ? counts.recorded : 0, 0});
  }
  testing::require_same(w.storage(), w_cpu.get_value(), 64);
  testing::require_same(b.storage(), b_cpu.get_value(), 64);
}

TEST_CASE("a graph ends where the host looks, and begins again behind it") {
  auto const f = [](kt::dmatrix x, kt::lvector i) {
    auto h = tanh(x) / (1 + kt::sum(x * x, kt::axis<1>, kt::keepdims));
    auto picked = take(softmax(h), i, kt::axis<0>);
    return std::tuple(sum(log(picked), kt::axis<0>), sum(picked * picked, kt::axis<1>),
                      sort(sum(h, kt::axis<0>)) * 2, mean(exp(h)));
  };
  auto const g = kt::cuda::function_on<recording_device>(f);
  auto const expected = kt::function(f);
  for (int call = 0; call < 4; ++call) {
    matrix const x = some_matrix(12, 7, call);
    xt::xtensor<std::int64_t, 1> const i{3, call, 0, 3};
    testing::require_same(g(x, i), expected(x, i), 64);
  }
  // A refused element: nothing of the recording is left.
  matrix const x = some_matrix(12, 7, 9);
  CHECK_THROWS_AS(g(x, xt::xtensor<std::int64_t, 1>{1, 12, 0, 3}), kt::value_error);
  xt::xtensor<std::int64_t, 1> const i{1, 2, 3, 4};
  for (int call = 0; call < 2; ++call) testing::require_same(g(x, i), expected(x, i), 64);
}

TEST_CASE("the first call of other extents launches as it goes; four layouts are kept") {
  auto const f = [](kt::dmatrix x) {
    auto rows = sum(x * x, kt::axis<1>), columns = sum(x, kt::axis<0>);
    return std::tuple(rows / sum(rows), columns / sum(abs(columns)), dot(x.T(), rows));
  };
  auto const g = kt::cuda::function_on<recording_device>(f);
  auto const expected = kt::function(f);
  auto const graphs_of = [&](std::size_t n) {
    on_device<double, 2> const x(some_matrix(n, 4, static_cast<int>(n)));
    int graphs = 0;
    auto const value = [&] {
      decltype(g(x)) made;
      graphs = recording_device::counted([&] { made = g(x); }).graphs;
      return made;
    }();
    testing::require_same(value, expected(x.get_value()), 64);
    return graphs;
  };
  for (std::size_t n : {5u, 6u, 7u, 8u}) {
    CHECK(graphs_of(n) == 0);
    CHECK(graphs_of(n) == 1);
  }
  CHECK(graphs_of(9) == 0);
  CHECK(graphs_of(9) == 0);
  CHECK(graphs_of(5) == 1);
}

TEST_CASE("loops of any number of steps are recorded with their bodies") {
  auto const f = [](kt::dvector x, kt::dscalar n) {
    auto y = scan([](auto h, auto s) { return tanh(h) * s + sum(h) / 10; }, kt::n_steps(5),
                  kt::outputs_info(x), kt::non_sequences(n));
    return std::tuple(y(-1), sum(y * y));
  };
  auto const g = kt::cuda::function_on<recording_device>(f);
  auto const expected = kt::function(f);
  vector const x{1, -2, 0.5};
  for (int call = 0; call < 3; ++call) {
    auto const counts = recording_device::counted([&] {
      testing::require_same(g(x, 0.5 + call), expected(x, 0.5 + call), 64);
    });
    if (call > 0) CHECK(counts.graphs >= 1);
  }
}

TEST_CASE("what moves much in few launches is not recorded") {
  auto const f = [](kt::dvector x) {
    return std::tuple(sum(x), kt::max(x), sum(x * x), argmax(x), mean(exp(x)));
  };
  auto const g = kt::cuda::function_on<recording_device>(f);
  on_device<double, 1> const x(vector(xt::ones<double>({std::size_t{20'000'000}})));
  (void)g(x);
  CHECK(recording_device::counted([&] { (void)g(x); }).graphs == 0);
}
