// Measures the functions of SIMD batches: what Kroton uses, its kernels, xsimd's and a loop over
// scalars. SPDX-License-Identifier: BSD-3-Clause
//
// Build with -O2 -march=native -lm; prints nanoseconds per element over an array that fits the
// first-level cache, the least of many rounds.
#include <chrono>
#include <cstdio>
#include <vector>

#include <kroton/cpu/simd_math.hpp>

namespace math = kroton::math;

namespace {

constexpr int length = 2048;

template <class T>
std::vector<T> ramp(double lo, double hi) {
  std::vector<T> x(length);
  for (int i = 0; i < length; ++i) x[i] = static_cast<T>(lo + (hi - lo) * i / length);
  return x;
}

/// Least time per element in nanoseconds of one pass over the array.
template <class F>
double measure(F pass) {
  double best = 1e9;
  for (int round = 0; round < 300; ++round) {
    const auto start = std::chrono::steady_clock::now();
    pass();
    asm volatile("" ::: "memory");
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best = time.count() < best ? time.count() : best;
  }
  return best / length;
}

template <class T, class F>
void batches(const char* what, const std::vector<T>& x, std::vector<T>& y, F f) {
  using batch = xsimd::batch<T>;
  std::printf("  %s %.2f", what, measure([&] {
                for (std::size_t i = 0; i < length; i += batch::size)
                  f(batch::load_unaligned(&x[i])).store_unaligned(&y[i]);
              }));
}
template <class T, class F>
void scalars(const std::vector<T>& x, std::vector<T>& y, F f) {
  std::printf("  scalar %.2f\n", measure([&] {
                for (int i = 0; i < length; ++i) y[i] = f(x[i]);
              }));
}

#define TITLE(name)                         \
  const std::vector<T> x = ramp<T>(lo, hi); \
  std::vector<T> y(length);                 \
  std::printf("%-9s", #name);               \
  batches("kroton", x, y, [](auto b) { return math::name(b); });
#define XSIMD(name) batches("xsimd", x, y, [](auto b) { return xsimd::name(b); });
#define KERNEL(name) batches("kernel", x, y, [](auto b) { return kernels<T>::name(b); });
#if defined(KROTON_HAS_LIBMVEC)
#define LIBMVEC(name)                                                                        \
  batches("libmvec", x, y, [](auto b) {                                                      \
    using batch = xsimd::batch<T>;                                                           \
    return batch(kroton::cpu::libmvec::name(static_cast<typename batch::register_type>(b))); \
  });
#else
#define LIBMVEC(name)
#endif
#define SCALAR(name) scalars(x, y, [](T b) { return math::name(b); });

// Functions with a kernel, functions of the libraries only, and compound functions.
#define WITH_KERNEL(name, from, to)                                 \
  {                                                                 \
    const double lo = from, hi = to;                                \
    TITLE(name) KERNEL(name) LIBMVEC(name) XSIMD(name) SCALAR(name) \
  }
#define OF_LIBRARY(name, from, to)                     \
  {                                                    \
    const double lo = from, hi = to;                   \
    TITLE(name) LIBMVEC(name) XSIMD(name) SCALAR(name) \
  }
#define COMPOUND(name, from, to)     \
  {                                  \
    const double lo = from, hi = to; \
    TITLE(name) SCALAR(name)         \
  }

template <class T>
using kernels = kroton::cpu::simd_kernels<T, typename xsimd::batch<T>::arch_type>;

template <class T>
void table() {
  WITH_KERNEL(exp, -20, 20)
  WITH_KERNEL(exp2, -20, 20)
  WITH_KERNEL(expm1, -5, 5)
  WITH_KERNEL(log, 0.01, 100)
  WITH_KERNEL(log2, 0.01, 100)
  WITH_KERNEL(log10, 0.01, 100)
  WITH_KERNEL(log1p, -0.9, 100)
  WITH_KERNEL(tanh, -5, 5)
  OF_LIBRARY(sin, -10, 10)
  OF_LIBRARY(cos, -10, 10)
  OF_LIBRARY(tan, -10, 10)
  OF_LIBRARY(asin, -1, 1)
  OF_LIBRARY(atan, -5, 5)
  OF_LIBRARY(sinh, -5, 5)
  OF_LIBRARY(cosh, -5, 5)
  OF_LIBRARY(asinh, -5, 5)
  OF_LIBRARY(atanh, -0.99, 0.99)
  OF_LIBRARY(erf, -3, 3)
  OF_LIBRARY(erfc, -3, 5)
  COMPOUND(erfcx, -3, 20)
  COMPOUND(logerfc, -3, 20)
  COMPOUND(gammaln, 0.1, 20)
  COMPOUND(digamma, 0.1, 20)
  COMPOUND(sigmoid, -20, 20)
  COMPOUND(softplus, -20, 20)
  COMPOUND(log1mexp, -5, -0.01)
}

}  // namespace

int main() {
  std::printf("double, %zu lanes\n", xsimd::batch<double>::size);
  table<double>();
  std::printf("float, %zu lanes\n", xsimd::batch<float>::size);
  table<float>();
}
