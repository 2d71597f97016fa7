// Small functions: what a call costs, on scalars and on short vectors.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/derivatives.hpp"
#include "harness/call.hpp"

#include <kroton/kroton.hpp>

#if defined(BENCH_EIGEN)
#include <Eigen/Core>
#endif

namespace kt = kroton;

namespace {

using bench::nanoseconds;

template <std::size_t N, class Hand, class Kroton>
void call(bench::program& p, char const* column, std::array<double, N> const& in, Hand by_hand, Kroton f) {
  bench::contest c(p, "a call on scalars", nanoseconds("a call"), column, 1);
  if (!c) return;
  bench::add_call(c, "by hand, inlined", by_hand, in);
  bench::add_call(c, "Kroton", f, in);
  c.measure();
}

void scalar_calls(bench::program& p) {
  call(
      p, "2*a + 1", std::array{0.7}, [](double a) { return 2 * a + 1; }, kt::function([](kt::dscalar a) { return 2 * a + 1; }));
  call(
      p, "sqrt(a*a + b*b)", std::array{0.7, 0.4}, [](double a, double b) { return std::sqrt(a * a + b * b); },
      kt::function([](kt::dscalar a, kt::dscalar b) { return sqrt(a * a + b * b); }));
  call(
      p, "1/(1 + exp(-a*b))", std::array{0.7, 0.4}, [](double a, double b) { return 1 / (1 + std::exp(-a * b)); },
      kt::function([](kt::dscalar a, kt::dscalar b) { return 1 / (1 + exp(-a * b)); }));
}

template <std::size_t N>
void short_vectors(bench::program& p) {
  using vec = xt::xtensor<double, 1>;
  std::string const column = std::to_string(N);
  vec a = vec::from_shape({N}), b = a, y = a;
  for (std::size_t i = 0; i < N; ++i) {
    a(i) = 0.1 * static_cast<double>(i);
    b(i) = 1 - 0.3 * static_cast<double>(i);
  }
  double const *const pa = a.data(), *const pb = b.data();
  double* const py = y.data();
  if (bench::contest c(p, "2*a + 3*b on short vectors, into an array", nanoseconds("a call"), column, 1); c) {
    auto f = kt::function([](kt::dvector u, kt::dvector v) { return 2 * u + 3 * v; });
    c.output(y);
    c.add("by hand, inlined", [=] {
      double* const __restrict__ to = py;
      for (std::size_t i = 0; i < N; ++i) to[i] = 2 * pa[i] + 3 * pb[i];
    });
    auto g = kt::function([](kt::fixed<double, static_cast<int>(N)> u, kt::fixed<double, static_cast<int>(N)> v) { return 2 * u + 3 * v; });
    c.add("Kroton", [&] { f.into(y, a, b); });
    c.add("Kroton, extents in the type", [&] { g.into(y, a, b); });
#if defined(BENCH_EIGEN)
    using array = Eigen::Array<double, static_cast<int>(N), 1>;
    c.add("Eigen, extents in the type", [ea = Eigen::Map<array const>(pa), eb = Eigen::Map<array const>(pb),
                                         ey = Eigen::Map<array>(py)]() mutable { ey = 2 * ea + 3 * eb; });
#endif
    c.add("xtensor", [&] { xt::noalias(y) = 2 * a + 3 * b; });
    c.measure();
  }
}
template <std::size_t N>
void short_norms(bench::program& p) {
  using vec = xt::xtensor<double, 1>;
  vec a = vec::from_shape({N});
  for (std::size_t i = 0; i < N; ++i) a(i) = 0.1 * static_cast<double>(i);
  double const* const pa = a.data();
  if (bench::contest c(p, "norm(a) of short vectors", nanoseconds("a call"), std::to_string(N), 1); c) {
    auto f = kt::function([](kt::dvector u) { return norm(u); });
    auto by_hand = [=] { return hand::norm<N>(pa); };
    c.add(
        "by hand, inlined", [=] { bench::use(by_hand()); }, by_hand);
    auto g = kt::function([](kt::fixed<double, static_cast<int>(N)> u) { return norm(u); });
    c.add(
        "Kroton", [&] { bench::use(f(a)); }, [&] { return f(a); });
    c.add(
        "Kroton, extents in the type", [&] { bench::use(g(a)); }, [&] { return g(a); });
#if defined(BENCH_EIGEN)
    auto eigen = [ea = Eigen::Map<Eigen::Matrix<double, static_cast<int>(N), 1> const>(pa)] { return ea.norm(); };
    c.add(
        "Eigen, extents in the type", [=] { bench::use(eigen()); }, eigen);
#endif
    c.measure();
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("small_functions", "small_functions: calls on scalars and short vectors", argc, argv);
  scalar_calls(p);
  short_vectors<3>(p), short_vectors<8>(p), short_vectors<64>(p);
  short_norms<3>(p), short_norms<8>(p), short_norms<64>(p);
  return p.finish();
}
