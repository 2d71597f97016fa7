// What memory costs: elements of 16 bits compared with float, and arguments that are given away
// compared with copies.
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/contest.hpp"

#include <kroton/kroton.hpp>

#include <cmath>
#include <string>
#include <utility>

namespace kt = kroton;

namespace {

template <class T>
using vec = xt::xtensor<T, 1>;

template <class Run>
void for_sizes(bench::program& p, char const* title, Run run) {
  for (int power = 3; power <= 7; power += 2) {
    auto const n = static_cast<std::size_t>(std::pow(10, power));
    bench::contest c(p, title, bench::nanoseconds("an element"), "1e" + std::to_string(power),
                     static_cast<double>(n));
    if (!c) continue;
    run(c, std::array<std::size_t, 1>{n});
  }
}

template <class T>
struct operands {
  explicit operands(std::array<std::size_t, 1> const& shape) : x(shape), y(shape), z(shape) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x(i) = T(static_cast<float>(i % 7) / 4);
      y(i) = T(static_cast<float>(i % 5) / 2);
    }
  }
  vec<T> x, y, z;
};

/// The same formula on float and on both types of 16 bits; all values here are exact in each.
template <class F>
void short_floats(bench::program& p, char const* title, F formula) {
  for_sizes(p, title, [&](bench::contest& c, auto const& shape) {
    auto const add = [&]<class T>(char const* name, operands<T>& o) {
      auto f = kt::function<kt::vector<T>, kt::vector<T>>(formula);
      c.add(
          name, [f, &o] { f.into(o.z, o.x, o.y); },
          [&o] { return vec<double>(xt::cast<double>(o.z)); });
    };
    operands<float> floats(shape);
    operands<kt::half> halves(shape);
    operands<kt::bfloat16> brains(shape);
    c.tolerance(1e-2);
    add("float", floats);
    add("kt::half", halves);
    add("kt::bfloat16", brains);
    c.measure();
  });
}

void given_away(bench::program& p) {
  constexpr auto shrink = [](kt::dvector x) { return 0.999 * x + 0.001; };
  for_sizes(p, "0.999 x + 0.001, x again", [&](bench::contest& c, auto const& shape) {
    auto f = kt::function(shrink);
    vec<double> const start = xt::ones<double>(shape);
    vec<double> copied = start, given = start, other = start, target = start, own = start;
    c.add_unchecked("x = f(x)", [&] { copied = f(copied); });
    c.add_unchecked("x = f(std::move(x))", [&] { given = f(std::move(given)); });
    c.add_unchecked("f.into(y, x)", [&] { f.into(target, other); });
    c.add_unchecked("f.into(x, x)", [&] { f.into(own, own); });
    c.measure();
  });
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("memory", "What memory costs", argc, argv);
  short_floats(p, "2 x + y", [](auto x, auto y) { return 2 * x + y; });
  short_floats(p, "tanh(x) exp(-y)", [](auto x, auto y) { return tanh(x) * exp(-y); });
  given_away(p);
  return p.finish();
}
