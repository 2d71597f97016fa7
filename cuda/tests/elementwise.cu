// Elementwise functions compiled for the GPU: without spills always, and compared with the CPU
// where there is a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/cuda.hpp>
#include <kroton/cuda/emulated.hpp>

#include <cmath>
#include <cstdio>
#include <limits>

namespace kt = kroton;
using namespace kroton;

namespace {

int failures = 0;
bool has_gpu = false;

template <class T, int Rank, class Device>
void compare(char const* name, kt::cuda::array<T, Rank, Device> const& device,
             std::type_identity_t<xt::xtensor<T, static_cast<std::size_t>(Rank)>> const& cpu) {
  xt::xtensor<T, static_cast<std::size_t>(Rank)> const value = device;
  bool same = value.shape() == cpu.shape();
  double worst = 0;
  for (std::size_t i = 0; same && i < cpu.size(); ++i) {
    double const a = static_cast<double>(value.flat(i)), b = static_cast<double>(cpu.flat(i));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    worst = std::fmax(worst, std::isfinite(a - b) ? std::abs(a - b) / (1 + std::abs(b)) : HUGE_VAL);
  }
  double const tolerance =
      std::is_floating_point_v<T> ? 16 * static_cast<double>(std::numeric_limits<T>::epsilon()) : 0;
  same = same && worst <= tolerance;
  std::printf("%-28s %8zu elements, worst difference %.2g%s\n", name, cpu.size(), worst,
              same ? "" : "  FAILED");
  failures += same ? 0 : 1;
}
template <class T>
void compare(char const* name, T device, T cpu) {
  std::printf("%-28s a number%s\n", name, device == cpu ? "" : "  FAILED");
  failures += device == cpu ? 0 : 1;
}
template <class... T, class... U>
void compare(char const* name, std::tuple<T...> const& device, std::tuple<U...> const& cpu) {
  std::apply([&](auto const&... d) {
    std::apply([&](auto const&... c) { (compare(name, d, c), ...); }, cpu);
  }, device);
}

// The CPU's loops against the walk of the grid on the host, and against the GPU where there is one;
// compiled in any case.
template <class F, class... A>
void agree(char const* name, F f, A const&... arguments) {
  auto on_cpu = kt::function(f);
  auto on_gpu = kt::cuda::function(f);
  auto const expected = on_cpu(arguments...);
  compare(name, kt::cuda::function_on<kt::cuda::emulated<>>(f)(arguments...), expected);
  if (has_gpu) compare(name, on_gpu(arguments...), expected);
}

xt::xtensor<double, 1> ramp(std::size_t n) {
  return (xt::arange<double>(static_cast<double>(n)) + 0.5) * (8.0 / static_cast<double>(n)) - 4.0;
}
xt::xtensor<double, 2> grid(std::size_t n, std::size_t m) {
  xt::xtensor<double, 2> x(std::array<std::size_t, 2>{n, m});
  for (std::size_t i = 0; i < n * m; ++i) x.flat(i) = std::sin(static_cast<double>(i));
  return x;
}

template <class V>
constexpr V long_formula(V x, V y) {
  V s = x * y;
  for (int i = 1; i <= 12; ++i) {
    V const t = s * y - (i + 0.5) / 32;
    s = t / (1.25 + x * s * s / 64);
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
  } catch (kt::shape_error const&) {
  }
}

}  // namespace

int main() {
  int devices = 0;
  has_gpu = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
  std::puts(has_gpu ? "On the GPU, and on the host in place of a GPU:"
                    : "No GPU: on the host in its place.");
  try {
    for (std::size_t n : {0, 1, 255, 256, 257, 100000, 3000000})
      agree(
          "12 nodes",
          [](kt::dvector x, kt::dvector y, kt::dscalar a) {
            return a * exp(-x * x) + tanh(y) / (1 + x * x);
          },
          ramp(n), xt::xtensor<double, 1>(ramp(n) * 0.5), 1.5);
    agree(
        "125 nodes, double", [](kt::dvector x, kt::dvector y) { return long_formula(x, y); },
        ramp(1000), ramp(1000));
    agree(
        "125 nodes, float", [](kt::fvector x, kt::fvector y) { return long_formula(x, y); },
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
        "scalars",
        [](kt::dscalar a, kt::fvector x) { return std::tuple(exp(a) * x, a * a, x > 0); }, 0.5,
        xt::xtensor<float, 1>(xt::cast<float>(ramp(300))));
    agree(
        "integers",
        [](kt::lvector n, kt::ivector m) {
          return std::tuple(n * m + 1, n / m, floordiv(n, m), n % m, n & m, pow(m, 2));
        },
        xt::xtensor<std::int64_t, 1>{7, -7, 100, 0}, xt::xtensor<std::int32_t, 1>{2, 2, -3, 5});

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
        [](kt::dvector x) { return std::tuple(sin(x), cos(x), tan(x), atan2(x, x * x)); },
        ramp(999));
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
        [](kt::dvector x) { return std::tuple(erf(x), erfc(x), gammaln(abs(x) + 0.5)); },
        ramp(999));
    agree(
        "a gradient",
        [](kt::dvector x, kt::dvector g) { return lop(tanh(x) * log1p(exp(x)), x, g); }, ramp(999),
        ramp(999));
    agree(
        "a gradient of logarithms",
        [](kt::dvector x, kt::dvector g) {
          return lop(log(where(x > g, exp(x) / (1 + exp(x)), sigmoid(g * x) * exp(tanh(x)))), x, g);
        },
        ramp(999), xt::xtensor<double, 1>(ramp(999) * 0.5));
    if (has_gpu) in_place();
  } catch (std::exception const& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  std::printf(failures == 0 ? "All agree.\n" : "%d comparisons failed.\n", failures);
  return failures == 0 ? 0 : 1;
}
