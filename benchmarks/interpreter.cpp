// The interpreter on the paper's four formulas: nanoseconds an element beside the static function. against_numexpr.py compares it with numexpr.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include <benchmark/benchmark.h>

namespace kt = kroton;

namespace {

using vec = xt::xtensor<double, 1>;

constexpr auto plus_one = [](kt::dvector a, kt::dvector) { return a + 1; };
constexpr auto scaled_sum = [](kt::dvector a, kt::dvector b) { return 2 * a + 3 * b; };
constexpr auto square = [](kt::dvector a, kt::dvector b) { return pow(a, 2) + pow(b, 2) + 2 * a * b; };
constexpr auto tenth_power = [](kt::dvector a, kt::dvector b) { return 2 * a + pow(b, 10); };

template <class Call>
void measure(benchmark::State& state, Call call) {
  auto const n = static_cast<std::size_t>(state.range(0));
  vec a = xt::random::rand<double>({n}), b = xt::random::rand<double>({n}), out = xt::zeros<double>({n});
  for (auto _ : state) {
    call(out, a, b);
    benchmark::ClobberMemory();
  }
  state.counters["ns/element"] = benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(n) * 1e-9,
                                                    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <auto const& formula>
void interpreted(benchmark::State& state) {
  kt::runtime::graph g;
  auto a = g.input<double, 1>("a"), b = g.input<double, 1>("b");
  auto f = g.function({a, b}, formula(a, b));
  measure(state, [&](vec& out, vec const& x, vec const& y) { f.into(out, x, y); });
}
template <auto const& formula>
void compiled(benchmark::State& state) {
  auto f = kt::function(formula);
  measure(state, [&](vec& out, vec const& x, vec const& y) { f.into(out, x, y); });
}

#define BOTH(formula)                                                      \
  BENCHMARK(interpreted<formula>)->Arg(100'000)->Arg(1'000'000)->Arg(10'000'000); \
  BENCHMARK(compiled<formula>)->Arg(100'000)->Arg(1'000'000)->Arg(10'000'000);

BOTH(plus_one)
BOTH(scaled_sum)
BOTH(square)
BOTH(tenth_power)

}  // namespace
