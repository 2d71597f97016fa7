// The functions of SIMD batches: what Kroton uses, its own kernels, those of the libraries, and a loop over scalars, on arrays
// in the first-level cache. SPDX-License-Identifier: BSD-3-Clause
#include "hand/vector_math.hpp"
#include "harness/contest.hpp"

#include <kroton/cpu/simd/math.hpp>

namespace math = kroton::math;

namespace {

constexpr std::size_t length = 2048;

template <class T>
using kernels = kroton::cpu::simd_kernels<T, typename xsimd::batch<T>::arch_type>;

/// One function on a range: contestants work on batches, the last one on numbers.
template <class T>
class function {
 public:
  function(bench::program& p, char const* name, double low, double high)
      : contest_(p, std::string("functions, ") + (sizeof(T) == 8 ? "float64" : "float32"), bench::nanoseconds("an element"),
                 name, length),
        x_(length),
        y_(length) {
    for (std::size_t i = 0; i < length; ++i) x_[i] = static_cast<T>(low + (high - low) * static_cast<double>(i) / length);
    contest_.output(y_).tolerance(sizeof(T) == 8 ? 1e-13 : 1e-5);
  }
  template <class F>
  function& batches(char const* name, F f) {
    contest_.add(name, [this, f] {
      using batch = xsimd::batch<T>;
      for (std::size_t i = 0; i < length; i += batch::size) batch(f(batch::load_unaligned(&x_[i]))).store_unaligned(&y_[i]);
    });
    return *this;
  }
  template <class F>
  void scalars(F f) {
    contest_.add("scalars", [this, f] {
      for (std::size_t i = 0; i < length; ++i) y_[i] = f(x_[i]);
    });
    contest_.measure();
  }

 private:
  bench::contest contest_;
  std::vector<T> x_, y_;
};

#define KROTON(name) .batches("Kroton", [](auto b) { return math::name(b); })
#define HAND(name) .batches("by hand", [](auto b) { return hand::name(b); })
#define KERNEL(name) .batches("Kroton's kernel", [](auto b) { return kernels<T>::name(b); })
#define XSIMD(name) .batches("xsimd", [](auto b) { return xsimd::name(b); })
#if defined(KROTON_HAS_LIBMVEC)
#define LIBMVEC(name) \
  .batches("libmvec", \
           [](auto b) { return kroton::cpu::libmvec::name(static_cast<typename xsimd::batch<T>::register_type>(b)); })
#else
#define LIBMVEC(name)
#endif
#define SCALARS(name) .scalars([](T b) { return math::name(b); });

template <class T>
void table(bench::program& p) {
#define BY_HAND(name, low, high) \
  function<T>(p, #name, low, high) HAND(name) KROTON(name) KERNEL(name) LIBMVEC(name) XSIMD(name) SCALARS(name)
#define WITH_KERNEL(name, low, high) \
  function<T>(p, #name, low, high) KROTON(name) KERNEL(name) LIBMVEC(name) XSIMD(name) SCALARS(name)
#define OF_LIBRARY(name, low, high) function<T>(p, #name, low, high) KROTON(name) LIBMVEC(name) XSIMD(name) SCALARS(name)
#define COMPOUND(name, low, high) function<T>(p, #name, low, high) KROTON(name) SCALARS(name)
  BY_HAND(exp, -20, 3)
  BY_HAND(log, 0.01, 100)
  BY_HAND(tanh, -5, 5)
  WITH_KERNEL(exp2, -20, 3)
  WITH_KERNEL(expm1, -5, 2)
  WITH_KERNEL(log2, 0.01, 100)
  WITH_KERNEL(log10, 0.01, 100)
  WITH_KERNEL(log1p, -0.9, 100)
  OF_LIBRARY(sin, -10, 10)
  OF_LIBRARY(cos, -10, 10)
  OF_LIBRARY(tan, -1.5, 1.5)
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
  COMPOUND(trigamma, 0.1, 20)
  COMPOUND(sigmoid, -20, 20)
  COMPOUND(softplus, -20, 20)
  COMPOUND(log1mexp, -5, -0.01)
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("math", "math: functions on SIMD batches", argc, argv);
  table<double>(p);
  table<float>(p);
  return p.finish();
}
