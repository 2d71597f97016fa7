// What the tests of device code have in common: comparisons with the CPU, of a walk on the host
// and, where there is one, of the GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda.hpp>
#include <kroton/cuda/emulated.hpp>

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <limits>

namespace gpu_tests {

namespace kt = kroton;

inline int failures = 0;
inline bool has_gpu = false;

template <class T, int Rank, class Device>
void compare(char const* name, kt::cuda::array<T, Rank, Device> const& device,
             typename kt::cuda::array<T, Rank, Device>::container const& cpu) {
  auto const value = device.get_value();
  auto const difference = [](T x, T y) {
    double const a = static_cast<double>(x), b = static_cast<double>(y);
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0.0;
    return std::isfinite(a - b) ? std::abs(a - b) / (1 + std::abs(b)) : HUGE_VAL;
  };
  bool same = true;
  double worst = 0;
  std::size_t count = 1;
  if constexpr (Rank == 0) {
    worst = difference(value, cpu);
  } else {
    same = value.shape() == cpu.shape();
    count = cpu.size();
    for (std::size_t i = 0; same && i < cpu.size(); ++i)
      worst = std::fmax(worst, difference(value.flat(i), cpu.flat(i)));
  }
  // Sums of a million numbers, in another order.
  double const tolerance =
      std::is_floating_point_v<T> ? 512 * static_cast<double>(std::numeric_limits<T>::epsilon()) : 0;
  same = same && worst <= tolerance;
  std::printf("%-28s %8zu elements, worst difference %.2g%s\n", name, count, worst,
              same ? "" : "  FAILED");
  failures += same ? 0 : 1;
}
template <class... T, class... U>
void compare(char const* name, std::tuple<T...> const& device, std::tuple<U...> const& cpu) {
  std::apply(
      [&](auto const&... d) {
        std::apply([&](auto const&... c) { (compare(name, d, c), ...); }, cpu);
      },
      device);
}

/// The CPU's function against the walk of the grid on the host, and against the GPU where there is
/// one; compiled in any case.
template <class F, class... A>
void agree(char const* name, F f, A const&... arguments) {
  auto on_cpu = kt::function(f);
  auto on_gpu = kt::cuda::function(f);
  auto const expected = on_cpu(arguments...);
  compare(name, kt::cuda::function_on<kt::cuda::emulated<>>(f)(arguments...), expected);
  if (has_gpu) compare(name, on_gpu(arguments...), expected);
}

inline xt::xtensor<double, 1> ramp(std::size_t n) {
  return (xt::arange<double>(static_cast<double>(n)) + 0.5) * (8.0 / static_cast<double>(n)) - 4.0;
}
inline xt::xtensor<double, 2> grid(std::size_t n, std::size_t m) {
  xt::xtensor<double, 2> x(std::array<std::size_t, 2>{n, m});
  for (std::size_t i = 0; i < n * m; ++i) x.flat(i) = std::sin(static_cast<double>(i));
  return x;
}

/// Runs tests, and those that need a GPU where there is one; the program's result.
inline int run_all(std::initializer_list<void (*)()> tests,
                   std::initializer_list<void (*)()> with_gpu) {
  int devices = 0;
  has_gpu = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  if (!has_gpu && tests.size() == 0) {
    std::puts("No GPU: nothing to compare.");
    return 0;
  }
  std::puts(has_gpu ? "On the GPU, and on the host in place of a GPU:"
                    : "No GPU: on the host in its place.");
  try {
    for (auto* test : tests) test();
    if (has_gpu)
      for (auto* test : with_gpu) test();
  } catch (std::exception const& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  if (failures == 0) std::puts("All agree.");
  else std::printf("%d comparisons failed.\n", failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace gpu_tests
