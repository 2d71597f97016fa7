// Targets of into.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <string>
#include <vector>

namespace kt = kroton;

// mistake into_untied: kt::function: into takes one target for each output
namespace into_untied {
auto f = kt::function([](kt::dvector x) { return std::tuple(x * 2, sum(x)); });
void g() { xt::xtensor<double, 1> x{1., 2.}, y; double s; f.into(y, s, x); }
}

// mistake into_const: into: a target is const and cannot be written to
namespace into_const {
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; xt::xtensor<double, 1> const y{1., 2.}; f.into(y, x); }
}

// mistake into_expression: into: a target is not an array that can be written to
namespace into_expression {
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}, y; f.into(y + 1, x); }
}

// mistake into_rank: into: a target's rank differs from that of its output
namespace into_rank {
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; xt::xtensor<double, 2> y; f.into(y, x); }
}

// mistake into_number: into: a target's rank differs from that of its output
namespace into_number {
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; double y; f.into(y, x); }
}

// mistake into_vector: into: a target is not an array that can be written to
namespace into_vector {
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; std::vector<bool> y; f.into(y, x); }
}

// mistake into_temporary: into: a target is a temporary
namespace into_temporary {
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; f.into(std::vector<double>(2), x); }
}

// mistake into_const_vector: into: a target is const and cannot be written to
namespace into_const_vector {
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; std::vector<double> const y; f.into(y, x); }
}

// mistake into_pointer: into: a target is not an array that can be written to
namespace into_pointer {
auto f = kt::function([](kt::dvector x) { return x * 2; });
void g() { xt::xtensor<double, 1> x{1., 2.}; double y[2]; double* p = y; f.into(p, x); }
}

// mistake into_literal: into: a target is a temporary
namespace into_literal {
auto f = kt::function([](kt::dscalar x) { return x * 2; });
void g() { f.into(0.0, 1.0); }
}

// mistake into_narrow: into: a target's elements are narrower than those of its output
namespace into_narrow {
auto f = kt::function([](kt::dvector x) { return sum(x); });
void g() { xt::xtensor<double, 1> x{1., 2.}; float s; f.into(s, x); }
}

// mistake into_const_tuple: into: a target is const and cannot be written to
namespace into_const_tuple {
auto f = kt::function([](kt::dvector x) { return std::tuple(x * 2, sum(x)); });
void g() { xt::xtensor<double, 1> x{1., 2.}; auto const y = f(x); f.into(y, x); }
}
