// What asks for a variable's value.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <iostream>

namespace kt = kroton;

// mistake if_condition: kt: a variable has no value yet, so if, while, for and ?: cannot test it
#if defined(MISTAKE_if_condition)
auto f = kt::function([](kt::dscalar x) { if (x > 0) return x; return -x; });
#endif

// mistake ternary: kt: a variable has no value yet, so if, while, for and ?: cannot test it
#if defined(MISTAKE_ternary)
auto f = kt::function([](kt::dscalar x) { return x > 0 ? x : -x; });
#endif

// mistake ternary_numbers: kt: a variable has no value yet, so if, while, for and ?: cannot test it
#if defined(MISTAKE_ternary_numbers)
auto f = kt::function([](kt::dvector x) { return x > 0 ? 1.0 : 0.0; });
#endif

// mistake while_condition: kt: a variable has no value yet, so if, while, for and ?: cannot test it
#if defined(MISTAKE_while_condition)
auto f = kt::function([](kt::dscalar x) { auto y = x; while (y < 10) y = y * 2; return y; });
#endif

// mistake for_shape: kt: a variable has no value yet, so if, while, for and ?: cannot test it
#if defined(MISTAKE_for_shape)
auto f = kt::function([](kt::dvector x) { auto y = sum(x); for (int i = 0; i < x.shape(0); ++i) y = y + x(i); return y; });
#endif

// mistake logical_and: kt: a && b is not defined for variables: write a & b
#if defined(MISTAKE_logical_and)
auto f = kt::function([](kt::dvector a, kt::dvector b) { return a > 0 && b > 0; });
#endif

// mistake or_word: kt: a || b is not defined for variables: write a | b
#if defined(MISTAKE_or_word)
auto f = kt::function([](kt::dvector a, kt::dvector b) { return a > 0 or b > 0; });
#endif

// mistake logical_not: kt: !a is not defined for variables: write ~a
#if defined(MISTAKE_logical_not)
auto f = kt::function([](kt::dvector a) { return !(a > 0); });
#endif

// mistake variable_to_double: kt: a variable has no value yet and does not convert to a number
#if defined(MISTAKE_variable_to_double)
auto f = kt::function([](kt::dscalar x) { double y = x; return y * x; });
#endif

// mistake variable_to_int: kt: a variable has no value yet and does not convert to a number
#if defined(MISTAKE_variable_to_int)
auto f = kt::function([](kt::dvector x) { int n = x.shape(0); return x * n; });
#endif

// mistake variable_static_cast: kt: a variable has no value yet and does not convert to a number
#if defined(MISTAKE_variable_static_cast)
auto f = kt::function([](kt::dscalar x) { return static_cast<int>(x) * x; });
#endif

// mistake stream: kt: a variable has no value yet for << to print: kt::print
#if defined(MISTAKE_stream)
auto f = kt::function([](kt::dvector x) { std::cout << x; return x; });
#endif
