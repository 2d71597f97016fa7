// Operands of the wrong kind: two for one, scalars for vectors, arrays for variables.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <vector>

namespace kt = kroton;

// One sentence for each of the mistakes below.
// errors: at most 29

// The larger of two is another function.
// expect: kt::max reduces one tensor: the larger of two is maximum(a, b), the largest along an axis max(a, kt::axis<0>)
namespace max_of_two {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return max(x, y); });
auto g = kt::function([](kt::dvector x, kt::dmatrix y) { return sum(max(x, y)); });
auto h = kt::function([](kt::dvector x) { return max(0.0, x) + 1; });
}

// Also where the user has opened std.
// expect: kt::min reduces one tensor: the smaller of two is minimum(a, b), the smallest along an axis min(a, kt::axis<0>)
namespace min_of_two {
using namespace std;
auto f = kt::function([](kt::dvector x, kt::dvector y) { return min(x, y); });
auto g = kt::function([](kt::dmatrix x) { return min(x, 1); });
}

// An axis is a type, not a number.
// expect: a reduction takes one tensor and, in either order, kt::axis<...> and kt::keepdims
namespace reduction_option {
auto f = kt::function([](kt::dmatrix x) { return sum(x, 0); });
auto g = kt::function([](kt::dmatrix x) { return mean(x, kt::axis<0>, kt::axis<1>); });
auto h = kt::function([](kt::dmatrix x, kt::dmatrix y) { return all(x, y); });
}

// Scalars multiply with *.
// expect: kt::dot: takes vectors and matrices; a scalar or a number is multiplied with *
namespace dot_scalar {
auto f = kt::function([](kt::dvector x) { return dot(x, 2.0); });
auto g = kt::function([](kt::dvector x, kt::dscalar s) { return dot(s, x) + 1; });
}

// The compiler knows no array's values.
// expect: is not an operand: make it a parameter of the lambda
namespace arrays {
std::vector<double> const v{1., 2.};
xt::xtensor<double, 1> const a{1., 2.};
double c[2] = {1., 2.};
kt::shared s(1.0);
auto f1 = kt::function([](kt::dvector x) { return x + v; });
auto f2 = kt::function([](kt::dvector x) { return a * x; });
auto f3 = kt::function([](kt::dvector x) { return x - c; });
auto f4 = kt::function([](kt::dvector x) { return x / s; });
auto f5 = kt::function([](kt::dvector x) { return dot(x, v); });
auto f6 = kt::function([](kt::dvector x) { return maximum(x, a); });
auto f7 = kt::function([](kt::dvector x) { return pow(x, a) + 1; });
auto f8 = kt::function([](kt::dvector x) { return x == v; });
auto f9 = kt::function([](kt::dvector x) { return sum(where(x > v, x, 0)); });
auto f10 = kt::function([](kt::dvector x) { return where(x > 0, x, a); });
auto f12 = kt::function([](kt::dvector x) { return ifelse(sum(x), x, a); });
auto f11 = kt::function([](kt::dvector x) { return x + std::vector<double>{1., 2.}; });
}

// A lazy choice takes one branch as a whole.
// expect: kt::ifelse: the condition must be a scalar; where(c, a, b) chooses element by element
namespace lazy_condition {
auto f = kt::function([](kt::dvector x) { return ifelse(x > 0, x, -x) + 1; });
auto g = kt::function([](kt::dvector x) { return cond(x, 1, 2); });
}

// Two branches of different ranks have no common type.
// expect: kt::ifelse: both branches must have the same rank; kt::full_like(x, value) spreads a number over the shape of x
namespace lazy_ranks {
auto f = kt::function([](kt::dscalar c, kt::dvector x, kt::dmatrix y) { return sum(ifelse(c, x, y)); });
auto g = kt::function([](kt::dscalar c, kt::dvector x) { return ifelse(c, 0, x); });
auto h = kt::function([](kt::dscalar c, kt::dvector x) { return cond(c, x(0), x); });
}

// Between numbers C++ chooses.
// expect: kt::ifelse: none of the three operands is a symbolic variable; between numbers write c ? a : b
namespace lazy_numbers {
auto f = kt::function([](kt::dvector x) { return x + kt::ifelse(true, 1.0, 2.0); });
}

// expect: kt::clone_replace: after the result, pass pairs
namespace replaced_by_another_type {
auto f = kt::function([](kt::dvector x, kt::dmatrix z) { return clone_replace(exp(x), x, z); });
}
