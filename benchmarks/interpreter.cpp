// The interpreter on the paper's four formulas, next to numexpr, whose expressions are interpreted, too, and the compiled
// function. SPDX-License-Identifier: BSD-3-Clause
#include "harness/python.hpp"

#include <kroton/runtime.hpp>

namespace kt = kroton;

namespace {

using vec = xt::xtensor<double, 1>;

template <class Formula>
void formula(bench::program& p, std::string const& text, Formula const&) {
  kt::runtime::graph g;
  auto a = g.input<double, 1>("a"), b = g.input<double, 1>("b");
  auto interpreted = g.function({a, b}, Formula{}(a, b));
  auto compiled = kt::function<kt::dvector, kt::dvector>(Formula{});
  for (std::size_t n : {1'000, 100'000, 1'000'000, 10'000'000}) {
    bench::contest c(p, "the interpreter, " + text, bench::nanoseconds("an element"),
                     n == 1'000       ? "1e3"
                     : n == 100'000   ? "1e5"
                     : n == 1'000'000 ? "1e6"
                                      : "1e7",
                     static_cast<double>(n));
    if (!c) continue;
    vec x = xt::random::rand<double>({n}), y = xt::random::rand<double>({n}), out = x;
    c.output(out);
    c.add("Kroton, compiled", [&] { compiled.into(out, x, y); });
    c.add("Kroton, interpreted", [&] { interpreted.into(out, x, y); });
    bench::python python;
    if (bench::python::available("numexpr")) {
      python.array("a", x);
      python.array("b", y);
      python.array("out", out);
      python.run("names = [v for v in 'ab' if v in '" + text + "']; args = [globals()[v] for v in names]");
      python.run("f = numexpr.NumExpr('" + text + "', signature=[(v, np.float64) for v in names])");
      c.add("numexpr", python.loop("f(*args, out=out, ex_uses_vml=False)"));
    }
    c.measure();
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("interpreter", "interpreter: run-time graphs next to numexpr", argc, argv, "numexpr");
  formula(p, "a+1", [](auto a, auto) { return a + 1; });
  formula(p, "2*a+3*b", [](auto a, auto b) { return 2 * a + 3 * b; });
  formula(p, "a**2+b**2+2*a*b", [](auto a, auto b) { return pow(a, 2) + pow(b, 2) + 2 * a * b; });
  formula(p, "2*a+b**10", [](auto a, auto b) { return 2 * a + pow(b, 10); });
  return p.finish();
}
