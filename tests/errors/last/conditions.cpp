// What asks for a variable's value.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <iostream>

namespace kt = kroton;

// mistake if_condition: kt: a variable has no value yet, so if, while, for and ?: cannot test it
namespace if_condition {
auto f = kt::function([](kt::dvector x) { if (x > 0) return x; return -x; });
}

// mistake ternary: kt: a variable has no value yet, so if, while, for and ?: cannot test it
namespace ternary {
auto f = kt::function([](kt::dmatrix x) { return x > 0 ? x : -x; });
}

// mistake ternary_numbers: kt: a variable has no value yet, so if, while, for and ?: cannot test it
namespace ternary_numbers {
auto f = kt::function([](kt::dtensor3 x) { return x > 0 ? 1.0 : 0.0; });
}

// mistake while_condition: kt: a variable has no value yet, so if, while, for and ?: cannot test it
namespace while_condition {
auto f = kt::function([](kt::dtensor4 x) { auto y = x; while (y < 10) y = y * 2; return y; });
}

// mistake for_shape: kt: a variable has no value yet, so if, while, for and ?: cannot test it
namespace for_shape {
auto f = kt::function([](kt::dvector x) { auto y = sum(x); for (int i = 0; i < x.shape(0); ++i) y = y + x(i); return y; });
}

// mistake logical_and: kt: a && b is not defined for variables: write a & b
namespace logical_and {
auto f = kt::function([](kt::dvector a, kt::dvector b) { return a > 0 && b > 0; });
}

// mistake or_word: kt: a || b is not defined for variables: write a | b
namespace or_word {
auto f = kt::function([](kt::dvector a, kt::dvector b) { return a > 0 or b > 0; });
}

// mistake logical_not: kt: !a is not defined for variables: write ~a
namespace logical_not {
auto f = kt::function([](kt::dvector a) { return !(a > 0); });
}

// mistake variable_to_double: kt: a variable has no value yet and does not convert to a number
namespace variable_to_double {
auto f = kt::function([](kt::dscalar x) { double y = x; return y * x; });
}

// mistake variable_to_int: kt: a variable has no value yet and does not convert to a number
namespace variable_to_int {
auto f = kt::function([](kt::dvector x) { int n = x.shape(0); return x * n; });
}

// mistake variable_static_cast: kt: a variable has no value yet and does not convert to a number
namespace variable_static_cast {
auto f = kt::function([](kt::dvector x) { return static_cast<int>(x) * x; });
}

// mistake stream: kt: a variable has no value yet for << to print: kt::print
namespace stream {
auto f = kt::function([](kt::dvector x) { std::cout << x; return x; });
}
