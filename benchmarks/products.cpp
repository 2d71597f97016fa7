// Chains of products in the chosen order against the order as written, and products with extents of one against gemm.
// SPDX-License-Identifier: BSD-3-Clause
//
// Build with -O3 -march=native -lbenchmark -lbenchmark_main -lopenblas; run pinned to one core, rows in turn:
// OPENBLAS_NUM_THREADS=1 taskset -c 1 ./products --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
//   --benchmark_min_time=0.05 --benchmark_report_aggregates_only=true
#include <kroton/kroton.hpp>

#include <benchmark/benchmark.h>

namespace kt = kroton;
using matrix = xt::xtensor<double, 2>;

namespace {

matrix filled(std::size_t rows, std::size_t columns) { return matrix(std::array<std::size_t, 2>{rows, columns}, 0.5); }

constexpr auto chain = [](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) { return dot(dot(a, b), c); };
constexpr auto chain_from_right = [](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) { return dot(a, dot(b, c)); };
constexpr auto accumulated = [](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c, kt::dmatrix d) { return 2 * dot(dot(a, b), c) - 3 * d; };
constexpr auto single = [](kt::dmatrix a, kt::dmatrix b) { return dot(a, b); };

constexpr auto as_written = kt::mode::fast_run.excluding<"chains">();

template <class F, class... A>
void run(benchmark::State& state, F const& f, A const&... arguments) {
  matrix out;
  for (auto _ : state) {
    f.into(out, arguments...);
    benchmark::ClobberMemory();
  }
}

/// The product as gemm, whatever its extents are.
void gemm(benchmark::State& state, std::size_t m, std::size_t k, std::size_t n) {
  matrix const a = filled(m, k), b = filled(k, n);
  matrix c = filled(m, n);
  auto const rows = static_cast<int>(m), inner = static_cast<int>(k), columns = static_cast<int>(n);
  for (auto _ : state) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1, a.data(), inner, b.data(), columns, 0, c.data(), columns);
    benchmark::ClobberMemory();
  }
}

/// Two rows: the function as it is, and without the choice of an order.
template <class F, class... A>
void pair_of_rows(std::string const& name, F const& f, A const&... arguments) {
  benchmark::RegisterBenchmark((name + ", chosen order").c_str(), [=](benchmark::State& s) { run(s, kt::function(f), arguments...); });
  benchmark::RegisterBenchmark((name + ", as written").c_str(), [=](benchmark::State& s) { run(s, kt::function(f, as_written), arguments...); });
}

int const registered = [] {
  matrix const wide = filled(10, 1000), tall = filled(1000, 10), square = filled(300, 300), column = filled(300, 1);
  pair_of_rows("(A(10x1000) B(1000x10)) C(10x1000)", chain, wide, tall, wide);
  pair_of_rows("A(10x1000) (B(1000x10) C(10x1000))", chain_from_right, wide, tall, wide);
  pair_of_rows("(A(1000x10) B(10x1000)) C(1000x10)", chain, tall, wide, tall);
  pair_of_rows("(A(300x300) B(300x300)) C(300x1)", chain, square, square, column);
  pair_of_rows("(A(300x300) B(300x300)) C(300x300)", chain, square, square, square);
  pair_of_rows("2 (A(300x300) B(300x300)) C(300x300) - 3 D", accumulated, square, square, square, square);
  pair_of_rows("(A(2x2) B(2x2)) C(2x2)", chain, filled(2, 2), filled(2, 2), filled(2, 2));
  for (auto const& [m, k, n] : {std::array<std::size_t, 3>{1, 1000, 1000}, {1000, 1, 1000}, {300, 300, 1}, {1, 1000, 1}}) {
    std::string const name = std::to_string(m) + "x" + std::to_string(k) + " . " + std::to_string(k) + "x" + std::to_string(n);
    benchmark::RegisterBenchmark((name + ", kroton").c_str(), [m = m, k = k, n = n](benchmark::State& s) {
      run(s, kt::function(single), filled(m, k), filled(k, n));
    });
    benchmark::RegisterBenchmark((name + ", gemm").c_str(), [m = m, k = k, n = n](benchmark::State& s) { gemm(s, m, k, n); });
  }
  return 0;
}();

}  // namespace
