// Calls as graphs: from the second call of a layout on, launches are recorded.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xrandom.hpp>

#include "agree.hpp"
#include "recording_device.hpp"

#include <cmath>
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

TEST_CASE("a call that ends early has done what it had begun") {
  auto const f = [](kt::dmatrix x, kt::lscalar n, kt::dscalar s) {
    auto t = sum(exp(cast<double>(arange(n)) * 1e-5));
    auto u = sum(x * x, kt::axis<0>), v = sum(exp(x), kt::axis<1>);
    return std::tuple(kt::assert_that("positive", s > 0, t) * 2, argmax(u, kt::axis<0>), v / sum(v),
                      u / kt::max(abs(u)));
  };
  auto const g = kt::cuda::function_on<recording_device>(f);
  auto const expected = kt::function(f);
  matrix const x = some_matrix(8, 5, 1);
  for (int call = 0; call < 2; ++call) testing::require_same(g(x, 4, 1.0), expected(x, 4, 1.0), 64);
  // More blocks than before share a sum, with tickets that are zeroed first.
  CHECK_THROWS_AS(g(x, 5000, -1.0), kt::value_error);
  for (int call = 0; call < 2; ++call)
    testing::require_same(g(x, 5000, 1.0), expected(x, 5000, 1.0), 64);
  // Drawn indices, the fault word and a refused element.
  auto const drawn = [](kt::dmatrix x, kt::lscalar n, kt::lscalar largest, kt::rng r) {
    auto p = take(r.poisson(3.0, kt::size(n)), r.randint(largest, kt::size(6)), kt::axis<0>);
    auto q = cast<double>(p) + sum(x);
    auto u = sum(exp(x), kt::axis<0>);
    return std::tuple(q, u / sum(u), sum(x * x, kt::axis<1>), argmax(x, kt::axis<0>), sum(q * q));
  };
  kt::philox_streams stream(3);
  auto const draws = kt::cuda::function_on<recording_device>(drawn, stream);
  for (int largest : {4, 4, 100000, 4, 4, 4}) {
    if (largest > 4) CHECK_THROWS_AS(draws(x, 4, largest), kt::value_error);
    else CHECK_NOTHROW(draws(x, 4, largest));
  }
}

TEST_CASE("what cannot be recorded is launched") {
  auto const f = [](kt::dmatrix x) {
    auto rows = sum(x * x, kt::axis<1>), columns = sum(x, kt::axis<0>);
    return std::tuple(rows / sum(rows), columns / sum(abs(columns)), dot(x.T(), rows));
  };
  auto const g = kt::cuda::function_on<recording_device>(f);
  auto const expected = kt::function(f);
  matrix const x = some_matrix(9, 4, 2);
  recording_device::is_broken = true;
  for (int call = 0; call < 3; ++call) testing::require_same(g(x), expected(x), 64);
  recording_device::is_broken = false;
}

TEST_CASE("factors of a product are compared by their bits, arguments of any extent are counted") {
  auto const f = [](kt::dmatrix a, kt::dmatrix b, kt::dmatrix w, kt::dscalar s) {
    return std::tuple(w + s * dot(a, b), sum(exp(a), kt::axis<0>), sum(a * a, kt::axis<1>),
                      argmax(a, kt::axis<1>));
  };
  auto const g = kt::cuda::function_on<recording_device>(f);
  matrix const a = xt::ones<double>({8, 5}), b = xt::ones<double>({5, 1}),
               w = -0.0 * xt::ones<double>({8, 1});
  for (double s : {1.0, 0.0, -0.0, 0.0, -0.0}) {
    auto const y = std::get<0>(g(a, b, w, s)).get_value();
    CHECK(std::signbit(y(0, 0)) == std::signbit(-0.0 + s));
  }
  auto const rows = kt::cuda::function_on<recording_device>(
      [](kt::dmatrix x) { return exp(x(0)) / sum(x(1)); });
  on_device<double, 1> const row(vector{1, 2, 3, 4});
  auto const all = on_device<double, 2>::view(row.data(), 2'000'000'000, 4).strided(0, 1);
  CHECK(xt::allclose(rows(all).get_value(), xt::exp(vector{1, 2, 3, 4}) / 10));
}

TEST_CASE("a long loop is more than one graph") {
  auto const f = [](kt::dvector x, kt::dscalar s) {
    auto y = scan([](auto h, auto s) { return tanh(h) * s + sum(h) / 100; }, kt::n_steps(2000),
                  kt::outputs_info(x), kt::non_sequences(s));
    return y(-1);
  };
  auto const g = kt::cuda::function_on<recording_device>(f);
  auto const expected = kt::function(f);
  vector const x{1, -2, 0.5};
  for (int call = 0; call < 3; ++call) {
    auto const counts = recording_device::counted(
        [&] { testing::require_same(g(x, 0.5), expected(x, 0.5), 64); });
    if (call > 0) CHECK(counts.graphs > 1);
  }
}
