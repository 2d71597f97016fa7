// Targets of into.
// SPDX-License-Identifier: BSD-3-Clause
#if defined(MISTAKE_run_time_narrow) || defined(MISTAKE_run_time_rank) || \
    defined(MISTAKE_run_time_untied)
#include <kroton/runtime.hpp>  // long to read
#else
#include <kroton/kroton.hpp>
#endif

#include <string>
#include <vector>

namespace kt = kroton;

// mistake into_untied: kt::function: into takes one target for each output
#if defined(MISTAKE_into_untied)
auto f = kt::function([](kt::dvector x) { return std::tuple(x * 2, sum(x)); });
void g() { xt::xtensor<double, 1> x{1., 2.}, y; double s; f.into(y, s, x); }
#endif

// mistake into_const: into: a target is const and cannot be written to
#if defined(MISTAKE_into_const)
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; xt::xtensor<double, 1> const y{1., 2.}; f.into(y, x); }
#endif

// mistake into_expression: into: a target is not an array that can be written to
#if defined(MISTAKE_into_expression)
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}, y; f.into(y + 1, x); }
#endif

// mistake into_rank: into: a target's rank differs from that of its output
#if defined(MISTAKE_into_rank)
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; xt::xtensor<double, 2> y; f.into(y, x); }
#endif

// mistake into_number: into: a target's rank differs from that of its output
#if defined(MISTAKE_into_number)
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; double y; f.into(y, x); }
#endif

// mistake into_vector: into: a target is not an array that can be written to
#if defined(MISTAKE_into_vector)
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; std::vector<bool> y; f.into(y, x); }
#endif

// mistake into_temporary: into: a target is a temporary
#if defined(MISTAKE_into_temporary)
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; f.into(std::vector<double>(2), x); }
#endif

// mistake into_const_vector: into: a target is const and cannot be written to
#if defined(MISTAKE_into_const_vector)
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; std::vector<double> const y; f.into(y, x); }
#endif

// mistake into_pointer: into: a target is not an array that can be written to
#if defined(MISTAKE_into_pointer)
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; double y[2]; double* p = y; f.into(p, x); }
#endif

// mistake into_literal: into: a target is a temporary
#if defined(MISTAKE_into_literal)
auto f = kt::function([](kt::dscalar x) { return x * 2; });
void g() { f.into(0.0, 1.0); }
#endif

// mistake into_narrow: into: a target's elements are narrower than those of its output
#if defined(MISTAKE_into_narrow)
auto f = kt::function([](kt::dvector x) { return sum(x); });
void g() { xt::xtensor<double, 1> x{1., 2.}; float s; f.into(s, x); }
#endif

// mistake run_time_narrow: into: a target's elements are narrower than those of its output
#if defined(MISTAKE_run_time_narrow)
void f(kt::runtime::graph& g, kt::dvector x) {
  xt::xtensor<float, 1> y;
  g.function({x}, x * 2).into(y, xt::xtensor<double, 1>{1., 2.});
}
#endif

// mistake run_time_rank: into: a target's rank differs from that of its output
#if defined(MISTAKE_run_time_rank)
void f(kt::runtime::graph& g, kt::dvector x) {
  xt::xtensor<double, 2> y;
  g.function({x}, x * 2).into(y, xt::xtensor<double, 1>{1., 2.});
}
#endif

// mistake run_time_untied: kt::runtime: into takes one target for each output
#if defined(MISTAKE_run_time_untied)
void f(kt::runtime::graph& g, kt::dvector x) {
  xt::xtensor<double, 1> y;
  g.function({x}, std::tuple(x * 2, sum(x))).into(y, xt::xtensor<double, 1>{1., 2.});
}
#endif

// mistake into_const_tuple: into: a target is const and cannot be written to
#if defined(MISTAKE_into_const_tuple)
auto f = kt::function([](kt::dvector x) { return std::tuple(x * 2, sum(x)); });
void g() { xt::xtensor<double, 1> x{1., 2.}; auto const y = f(x); f.into(y, x); }
#endif
