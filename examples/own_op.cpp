// An op of one's own, with its gradient and a rule that finds it in expressions: swish(x) = x * sigmoid(x).
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace kt = kroton;

// cut: op
struct swish : kt::elementwise<"swish", 1> {
  template <class R>
  KROTON_FN static R value(R x) {  // for a number, a SIMD batch, a CUDA thread and the constant folder
    return x / (R(1) + kt::math::exp(-x));
  }
  static constexpr auto pullback(auto g, auto y, auto x) {  // g: gradient of the result y
    return kt::inputs(g * (y + sigmoid(x) * (1 - y)));
  }
};
constexpr auto my_swish = [](auto x) { return kt::call<swish>(x); };
constexpr auto my_rules = kt::rules(kt::rule<"swish">([](auto x) { return x * sigmoid(x) >> kt::call<swish>(x); }));
// end cut

constexpr auto written = [](kt::dvector x) { return x / (1 + exp(-x)); };
constexpr auto slope = kt::grad([](kt::dvector x) { return sum(my_swish(x)); });

// The rule is found in the type of the optimized expression, so the compiler can check that it fired.
constexpr auto mode = kt::mode::fast_run.with<my_rules>();
constexpr auto called = [](kt::dvector x) { return my_swish(x); };
static_assert(std::is_same_v<kt::optimized<written, mode>, kt::optimized<called, mode>>);
static_assert(!std::is_same_v<kt::optimized<written>, kt::optimized<called>>);

int main() {
  auto f = kt::function(written, mode);
  auto df = kt::function(slope);
  kt::debugprint(f);

  double worst = 0;
  std::vector<double> const x{-30, -2, -0.5, 0, 0.5, 2, 30};
  auto const y = f(x), dy = df(x);
  std::printf("\n%8s %14s %14s\n", "x", "swish(x)", "gradient");
  for (std::size_t i = 0; i < x.size(); ++i) {
    double const s = 1 / (1 + std::exp(-x[i]));
    std::printf("%8.2f %14.8f %14.8f\n", x[i], y(i), dy(i));
    worst = std::max({worst, std::abs(y(i) - x[i] * s), std::abs(dy(i) - s * (1 + x[i] * (1 - s)))});
  }
  std::ostringstream text;
  kt::debugprint(f, text);
  std::string const all = text.str();
  bool const fired = all.find("swish", all.find("optimized")) != std::string::npos;
  std::printf("\nthe rule %s, largest difference to the formulas %.0e\n", fired ? "fired" : "did not fire", worst);
  return fired && worst < 1e-13 ? 0 : 1;
}
