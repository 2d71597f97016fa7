// Wrong arguments of kt::fixed_point, kt::root and kt::minimizer inside of an expression.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// expect: kt::fixed_point, kt::root: the callable must return what the unknowns are: of their rank and element type
namespace other_rank {
auto f = kt::function([](kt::dvector x) { return kt::root([](auto u) { return sum(u * u); }, x); });
}
namespace other_element {
auto f = kt::function([](kt::fscalar x, kt::dscalar a) { return kt::fixed_point([&](auto u) { return cos(a * u); }, x); });
}

// expect: kt::fixed_point, kt::root, kt::minimizer: the unknowns must be all float or all double
namespace integers {
auto f = kt::function([](kt::lvector x) { return kt::root([](auto u) { return u * u - 2; }, x); });
}
namespace complex_numbers {
auto f = kt::function([](kt::zscalar x) { return kt::minimizer([](auto u) { return real(u * conj(u)); }, x); });
}

// expect: kt::fixed_point, kt::root, kt::minimizer: the start is a variable, or a struct of variables
namespace number_as_start {
auto f = kt::function([](kt::dscalar a) { return kt::fixed_point([&](auto u) { return cos(a * u); }, 1.); });
}

// expect: kt::fixed_point, kt::root, kt::minimizer: the callable takes the unknowns, of the start's type, and nothing else
namespace two_parameters {
auto f = kt::function([](kt::dscalar a) { return kt::root([](auto u, auto b) { return u * u - b; }, a); });
}

// expect: kt::minimizer: the callable must return one floating-point scalar, the cost
namespace vector_cost {
auto f = kt::function([](kt::dvector a) { return kt::minimizer([&](auto u) { return sqr(u - a); }, a); });
}

// expect: kt::root: the equations do not depend on the unknowns
namespace independent {
auto f = kt::function([](kt::dscalar a) { return kt::root([&](auto u) { return a + kt::stop_gradient(u); }, a); });
}

// expect: kt::minimizer: the cost is linear in the unknowns, or does not depend on them
namespace linear_cost {
auto f = kt::function([](kt::dvector a) { return kt::minimizer([&](auto u) { return sum(u * a); }, a); });
}

// expect: kt::fixed_point, kt::root, kt::minimizer: max_iterations must be at least 1
namespace no_iterations {
auto f = kt::function([](kt::dscalar a) { return kt::root([&](auto u) { return u * u - a; }, a, {.max_iterations = 0}); });
}
