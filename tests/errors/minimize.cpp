// Wrong arguments of kt::minimize, kt::least_squares and kt::root.
// errors: at most 18
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>
#include <kroton/minimize.hpp>

namespace kt = kroton;

std::vector<double> const start{1, 2};
constexpr auto cost = [](kt::dvector x) { return sum(sqr(x)); };

// expect: kt::minimize: the lambda must return one floating-point scalar, the cost: use sum(cost) or mean(cost)
namespace minimize_vector {
auto r = kt::minimize([](kt::dvector x) { return sqr(x); }, start);
bool good = r.converged;
}
namespace minimize_two {
auto r = kt::minimize([](kt::dvector x) { return std::tuple(sum(x), sum(sqr(x))); }, start, kt::newton{});
}
namespace minimize_integer {
auto r = kt::minimize([](kt::dvector x) { return sum(kt::cast<int>(x)); }, start);
}

// expect: pass a lambda without captures; what it needs besides the unknowns are further parameters
namespace minimize_captures {
double scale = 2;
void f(double s) { kt::minimize([s](kt::dvector x) { return s * sum(sqr(x)); }, start); }
}

// expect: the lambda needs parameters with types, [](kt::dvector x) { ... }, the first of which is varied
namespace minimize_generic {
auto r = kt::minimize([](auto x) { return sum(sqr(x)); }, start);
}

// expect: the first parameter is varied, so it must be a variable of real floating-point elements
namespace minimize_integers {
auto r = kt::minimize([](kt::lvector n) { return sum(n * 0.5); }, std::vector<long>{1, 2});
}
namespace root_complex {
auto r = kt::root([](kt::zscalar z) { return z * z; }, std::complex<double>(1, 1));
}

// expect: each parameter after the first needs a value in kt::given(...)
namespace data_missing {
auto r = kt::least_squares([](kt::dvector p, kt::dvector t) { return p(0) * t; }, start);
}
namespace data_too_much {
auto r = kt::root(cost, 1.0, kt::given(start));
}

// expect: the start's rank differs from that of the first parameter
namespace start_rank {
auto r = kt::minimize(cost, 1.0);
}

// expect: the start's elements would be narrowed; convert them first
namespace start_narrowed {
auto r = kt::minimize([](kt::fvector x) { return sum(sqr(x)); }, start);
}

// expect: the start must be a value of the first parameter: an array or a number
namespace start_text {
auto r = kt::minimize(cost, "x.npy");
}

// expect: kt::least_squares, kt::root: the lambda must return floating-point variables
namespace residuals_integer {
auto r = kt::least_squares([](kt::dvector x) { return kt::cast<int>(x); }, start);
}
namespace residuals_number {
auto r = kt::root([](kt::dscalar) { return 3.0; }, 1.0);
}

// expect: kt::minimize, kt::least_squares, kt::root: the lambda has an error, shown above
namespace broken_body {
auto r = kt::minimize([](kt::dvector x) { return unknown(x); }, {1.0, 2.0});
}

// expect: name the parameters of the lambda to differentiate by, data from 1 on
namespace sensitivity_to_nothing {
auto r = [] { kt::minimizer_sensitivity([](kt::dvector x, kt::dscalar a) { return a * sum(sqr(x)); }, start, kt::given(2.0)); };
}
namespace sensitivity_to_unknowns {
auto r = [] { kt::root_sensitivity<0>([](kt::dvector x, kt::dscalar a) { return a * x; }, start, kt::given(2.0)); };
}
