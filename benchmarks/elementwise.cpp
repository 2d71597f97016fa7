// Fused formulas against loops written by hand, and what a call costs: medians of interleaved rounds, as ratios.
// SPDX-License-Identifier: BSD-3-Clause
//
// Build with -O3 -march=native -lopenblas; run pinned to one core: taskset -c 1 ./elementwise
#include <kroton/kroton.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace kt = kroton;
using array = xt::xtensor<double, 1>;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

/// Rounds of both in turn, so that what else the machine does meets both; each round is long enough for the clock.
template <class A, class B>
std::pair<double, double> compare(std::size_t work, A a, B b) {
  std::size_t const repeat = std::max<std::size_t>(1, 200'000 / work);
  std::vector<double> first, second;
  auto round = [&](auto& f, std::vector<double>& to) {
    double const start = now();
    for (std::size_t i = 0; i < repeat; ++i) {
      f();
      asm volatile("" ::: "memory");
    }
    to.push_back((now() - start) / static_cast<double>(repeat));
  };
  for (int i = 0; i < 25; ++i) {
    round(a, first);
    round(b, second);
  }
  return {median(first), median(second)};
}

bool failed = false;

template <class Function, class Element>
void row(char const* name, Function const& f, Element element) {
  std::printf("| `%s` |", name);
  for (std::size_t n : {std::size_t{1'000}, std::size_t{100'000}, std::size_t{10'000'000}}) {
    array a = array::from_shape({n}), b = a, y = a, z = a;
    for (std::size_t i = 0; i < n; ++i) {
      a.flat(i) = std::sin(static_cast<double>(i));
      b.flat(i) = std::cos(static_cast<double>(i));
    }
    double const* p = a.data();
    double const* q = b.data();
    double* to = z.data();
    auto const [ours, plain] = compare(
        n, [&] { f.into(y, a, b); },
        [&] {
          for (std::size_t i = 0; i < n; ++i) to[i] = element(p[i], q[i]);
        });
    for (std::size_t i = 0; i < n; ++i)
      if (!(std::abs(y.flat(i) - z.flat(i)) <= 1e-12 * (1 + std::abs(z.flat(i))))) {
        std::printf(" WRONG at %zu: %.17g, by hand %.17g\n", i, y.flat(i), z.flat(i));
        failed = true;
        return;
      }
    std::printf(" %.3g / %.3g ns = %.2f |", ours / static_cast<double>(n) * 1e9, plain / static_cast<double>(n) * 1e9,
                ours / plain);
  }
  std::printf("\n");
  std::fflush(stdout);
}

template <class Function>
[[gnu::noinline]] double call(Function const& f, double a, double b) {
  return f(a, b);
}

/// A call of a function of scalars and one of a function written by hand, neither inlined.
template <class Function, class Plain>
void call_row(char const* name, Function const& f, Plain plain) {
  constexpr std::size_t n = 1'000;
  std::vector<double> a(n), y(n), z(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = std::sin(static_cast<double>(i));
  auto all = [&](auto const& g, std::vector<double>& to) {
    for (std::size_t i = 0; i < n; ++i) to[i] = call(g, a[i], 0.5);
  };
  auto const [ours, by_hand] = compare(
      n, [&] { all(f, y); }, [&] { all(plain, z); });
  for (std::size_t i = 0; i < n; ++i)
    if (!(std::abs(y[i] - z[i]) <= 1e-12 * (1 + std::abs(z[i])))) {
      std::printf("| `%s` | WRONG at %zu: %.17g, by hand %.17g |\n", name, i, y[i], z[i]);
      failed = true;
      return;
    }
  std::printf("| `%s` | %.3g / %.3g ns = %.2f |\n", name, ours / n * 1e9, by_hand / n * 1e9, ours / by_hand);
}

}  // namespace

int main() {
  std::printf("| formula | 1e3 | 1e5 | 1e7 |\n|---|---|---|---|\n");
#define FORMULA(text, expression)                                                                   \
  row(text, kt::function([](kt::dvector a, [[maybe_unused]] kt::dvector b) { return expression; }), \
      [](double a, [[maybe_unused]] double b) {                                                     \
        using std::exp, std::log, std::pow, std::tanh;                                              \
        return expression;                                                                          \
      });
  FORMULA("a + 1", a + 1)
  FORMULA("2*a + 3*b", 2 * a + 3 * b)
  FORMULA("a**2 + b**2 + 2*a*b", pow(a, 2) + pow(b, 2) + 2 * a * b)
  // std::pow would be a poor opponent: by hand it is four products.
  row("2*a + b**10", kt::function([](kt::dvector a, kt::dvector b) { return 2 * a + pow(b, 10); }), [](double a, double b) {
    double const b2 = b * b, b4 = b2 * b2;
    return 2 * a + b4 * b4 * b2;
  });
  FORMULA("1/(1 + exp(-a))", 1 / (1 + exp(-a)))
  FORMULA("tanh(a)*exp(-b*b) + log(1 + exp(a))", tanh(a) * exp(-b * b) + log(1 + exp(a)))

  std::printf("\n| function of scalars | a call |\n|---|---|\n");
  call_row("2*a + 1", kt::function([](kt::dscalar a, kt::dscalar) { return 2 * a + 1; }),
           [](double a, double) { return 2 * a + 1; });
  auto rosenbrock = kt::function([](kt::dscalar a, kt::dscalar b) {
    auto r = pow(1 - a, 2) + 100 * pow(b - a * a, 2);
    auto [ga, gb] = grad(r, a, b);
    return std::tuple(r, ga, gb);
  });
  call_row(
      "(1 - a)**2 + 100*(b - a**2)**2, gradient",
      [&](double a, double b) {
        auto const [r, ga, gb] = rosenbrock(a, b);
        return r + ga + gb;
      },
      [](double a, double b) {
        double const c = 1 - a, d = b - a * a;
        return (c * c + 100 * d * d) + (-2 * c - 400 * a * d) + 200 * d;
      });
  call_row("1/(1 + exp(-a*b))", kt::function([](kt::dscalar a, kt::dscalar b) { return 1 / (1 + exp(-a * b)); }),
           [](double a, double b) { return 1 / (1 + std::exp(-a * b)); });
  return failed;
}
