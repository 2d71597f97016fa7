// Values and gradients of cost functions of a few numbers, next to what is derived by hand, Ceres' jets and Eigen's AutoDiffScalar.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/gradients.hpp"
#include "harness/call.hpp"
#include "harness/forward_mode.hpp"

#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

// Each works on numbers, on variables, and on the types of other libraries; none holds on to an expression of these.
constexpr auto beale = [](auto x, auto y) {
  using N = decltype(x);
  N const a = 1.5 - x + x * y, b = 2.25 - x + x * y * y, c = 2.625 - x + x * y * y * y;
  return N(a * a + b * b + c * c);
};
constexpr auto himmelblau = [](auto x, auto y) {
  using N = decltype(x);
  N const a = x * x + y - 11., b = x + y * y - 7.;
  return N(a * a + b * b);
};
constexpr auto powell = [](auto a, auto b, auto c, auto d) {
  using N = decltype(a);
  N const e = a + 10. * b, f = c - d, g = b - 2. * c, h = a - d;
  return N(e * e + 5. * f * f + g * g * g * g + 10. * h * h * h * h);
};
constexpr auto lennard_jones = [](auto ax, auto ay, auto az, auto bx, auto by, auto bz) {
  using N = decltype(ax);
  N const x = ax - bx, y = ay - by, z = az - bz;
  N const inverse = 1. / (x * x + y * y + z * z);
  N const s = inverse * inverse * inverse;
  return N(4. * (s * s - s));
};
constexpr auto morse = [](auto r, auto depth, auto width, auto rest) {
  using std::exp;
  using N = decltype(r);
  N const u = 1. - exp(-width * (r - rest));
  return N(depth * u * u);
};
constexpr auto pendulum = [](auto angle, auto u, auto v, auto length) {
  using std::cos;
  using N = decltype(angle);
  return N(0.5 * length * length * (u * u + v * v) + 9.81 * length * (1. - cos(angle)));
};
constexpr auto likelihood = [](auto x, auto mean, auto deviation) {
  using std::log;
  using N = decltype(x);
  N const u = (x - mean) / deviation;
  return N(0.5 * u * u + log(deviation));
};
constexpr auto rational = [](auto a, auto b, auto c, auto x) {
  using N = decltype(a);
  return N((a + b * x) / (1. + c * x * x));
};

/// F's value and gradient, as a function of as many variables.
template <class F>
constexpr auto with_gradient(F) {
  return [](auto... x) {
    auto const value = F{}(x...);
    return std::tuple_cat(std::tuple(value), grad(value, x...));
  };
}
template <std::size_t>
using number = kt::dscalar;

template <class F, class Hand, std::size_t N>
void compare(bench::program& p, char const* name, F f, Hand by_hand, std::array<double, N> const& at) {
  bench::contest c(p, "value and gradient", bench::nanoseconds("a call"), name, 1);
  if (!c) return;
  bench::add_call(c, "by hand", by_hand, at);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    bench::add_call(c, "Kroton", kt::function<number<I>...>(with_gradient(f)), at);
  }(std::make_index_sequence<N>());
#if defined(BENCH_CERES)
  bench::add_call(
      c, "Ceres jets", [f](auto... x) { return bench::parts(bench::with_jets<N>(f)(x...)); }, at);
#endif
#if defined(BENCH_EIGEN)
  bench::add_call(
      c, "AutoDiffScalar", [f](auto... x) { return bench::parts(bench::with_autodiff<N>(f)(x...)); }, at);
#endif
  c.measure();
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("gradients", "gradients: cost functions of a few numbers", argc, argv);
  auto call = [](auto f) { return [f](auto... x) { return f(x...); }; };
  compare(p, "Beale", beale, call(hand::beale), std::array{0.7, 0.4});
  compare(p, "Himmelblau", himmelblau, call(hand::himmelblau), std::array{0.7, 0.4});
  compare(p, "Powell", powell, call(hand::powell), std::array{0.7, 0.4, 1.3, -0.6});
  compare(p, "Lennard-Jones", lennard_jones, call(hand::lennard_jones), std::array{0.7, 0.4, 1.3, -0.6, 1.4, 1.2});
  compare(p, "Morse", morse, call(hand::morse), std::array{1.7, 0.4, 1.3, 0.6});
  compare(p, "pendulum", pendulum, call(hand::pendulum), std::array{0.7, 0.4, 1.3, 0.6});
  compare(p, "Gauss", likelihood, call(hand::likelihood), std::array{0.7, 0.4, 1.3});
  compare(p, "rational", rational, call(hand::rational), std::array{0.7, 0.4, 1.3, 0.6});
  return p.finish();
}
