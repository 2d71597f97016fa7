// Elementwise functions compiled for the GPU: without spills always, and compared with the CPU
// where there is a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace gpu_tests;

namespace {

// Names of rules are in the types of modes.
constexpr auto chosen =
    kt::mode::fast_run.excluding<"softplus", "C26">().including<"softplus">().options();
static_assert(chosen.excluded.size() == 2 && chosen.included.size() == 1);

template <class V>
constexpr V long_formula(V x, V y) {
  V s = x * y;
  for (int i = 1; i <= 12; ++i) {
    V const t = s * y - (i + 0.5) / 32;
    s = t / (1.25 + (x * s) * (x * s) / 64);
  }
  return s;
}

// Arrays that stay on the GPU from one function to the next.
void in_place() {
  auto f = kt::cuda::function([](kt::fmatrix x, kt::fvector v) { return x * v + 1; });
  xt::xtensor<float, 2> const x{{1, 2, 3}, {4, 5, 6}};
  kt::cuda::array const on_gpu(x);
  kt::cuda::array<float, 1> const v(xt::xtensor<float, 1>{1, 0, 2});
  xt::xtensor<float, 2> y;
  y = f(f(on_gpu, v), v);
  compare("in place", kt::cuda::array(y), xt::xtensor<float, 2>{{3, 1, 15}, {6, 1, 27}});
  try {
    f(x, kt::cuda::array<float, 1>({4}));
    ++failures;
  } catch (kt::shape_error const&) {}
}

void formulas() {
  for (std::size_t n : {0, 1, 255, 256, 257, 100000, 3000000})
    agree(
        "12 nodes",
        [](kt::dvector x, kt::dvector y, kt::dscalar a) {
          return a * exp(-x * x) + tanh(y) / (1 + x * x);
        },
        ramp(n), xt::xtensor<double, 1>(ramp(n) * 0.5), 1.5);
  agree(
      "a recurrence, double", [](kt::dvector x, kt::dvector y) { return long_formula(x, y); },
      ramp(1000), ramp(1000));
  agree(
      "a recurrence, float", [](kt::fvector x, kt::fvector y) { return long_formula(x, y); },
      xt::xtensor<float, 1>(xt::cast<float>(ramp(1000))),
      xt::xtensor<float, 1>(xt::cast<float>(ramp(1000))));

  agree(
      "broadcasts",
      [](kt::dmatrix x, kt::dvector v, kt::dcol c) {
        return std::tuple(x * v + c, exp(v) * x, v * 2);
      },
      grid(130, 70), ramp(70), grid(130, 1));
  agree(
      "transposed", [](kt::dmatrix x, kt::dmatrix y) { return x.T() + y; }, grid(130, 70),
      grid(70, 130));
  agree(
      "slices",
      [](kt::dmatrix x) { return x(kt::slice(1, 99, 2), kt::slice(kt::none, kt::none, -1)) * 2; },
      grid(130, 70));
  agree(
      "scalars", [](kt::dscalar a, kt::fvector x) { return std::tuple(exp(a) * x, a * a, x > 0); },
      0.5, xt::xtensor<float, 1>(xt::cast<float>(ramp(300))));
  agree(
      "integers",
      [](kt::lvector n, kt::ivector m) {
        return std::tuple(n * m + 1, n / m, floordiv(n, m), n % m, n & m, pow(m, 2));
      },
      xt::xtensor<std::int64_t, 1>{7, -7, 100, 0}, xt::xtensor<std::int32_t, 1>{2, 2, -3, 5});

  agree(
      "numbers of 16 bits",
      [](kt::vector<kt::half> x, kt::vector<kt::bfloat16> y) {
        return std::tuple(x * 2 + 1, y * 3 - 1, x * y, kt::cast<kt::half>(y));
      },
      xt::xtensor<kt::half, 1>(xt::cast<kt::half>(ramp(999))),
      xt::xtensor<kt::bfloat16, 1>(xt::cast<kt::bfloat16>(ramp(999))));

  agree(
      "exponentials",
      [](kt::dvector x) {
        return std::tuple(exp(x), exp2(x), expm1(x), log1p(abs(x)), log(abs(x)), sigmoid(x),
                          softplus(x));
      },
      ramp(999));
  agree(
      "exponentials, float",
      [](kt::fvector x) {
        return std::tuple(exp(x), expm1(x), log1p(abs(x)), log2(abs(x)), sigmoid(x),
                          pow(abs(x), 0.3));
      },
      xt::xtensor<float, 1>(xt::cast<float>(ramp(999))));
  agree(
      "trigonometry",
      [](kt::dvector x) { return std::tuple(sin(x), cos(x), tan(x), atan2(x, x * x)); }, ramp(999));
  agree(
      "hyperbolic functions",
      [](kt::dvector x) { return std::tuple(sinh(x), cosh(x), tanh(x), asinh(x), atan(x)); },
      ramp(999));
  agree(
      "rounding and choice",
      [](kt::dvector x) {
        return std::tuple(floor(x), ceil(x), round(x), trunc(x), sgn(x), clip(x, -1, 1),
                          where(x > 0, x, 0), maximum(x, 1 - x), sqrt(abs(x)));
      },
      ramp(999));
  agree(
      "special functions",
      [](kt::dvector x) { return std::tuple(erf(x), erfc(x), gammaln(abs(x) + 0.5)); }, ramp(999));
  agree(
      "a gradient", [](kt::dvector x, kt::dvector g) { return lop(tanh(x) * log1p(exp(x)), x, g); },
      ramp(999), ramp(999));
  agree(
      "a gradient of logarithms",
      [](kt::dvector x, kt::dvector g) {
        return lop(log(where(x > g, exp(x) / (1 + exp(x)), sigmoid(g * x) * exp(tanh(x)))), x, g);
      },
      ramp(999), xt::xtensor<double, 1>(ramp(999) * 0.5));
}

}  // namespace

int main() { return run_all({formulas}, {in_place}); }
