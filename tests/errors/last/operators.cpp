// Operators and assignments that a variable has not.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// mistake brackets: is not defined for a variable: write x(i), x(i, j)
#if defined(MISTAKE_brackets)
auto f = kt::function([](kt::dvector x) { return x[0]; });
#endif

// mistake hat: kt: ^ is the bitwise exclusive or, of integers and bools
#if defined(MISTAKE_hat)
auto f = kt::function([](kt::dvector x) { return x ^ 2; });
#endif

// mistake plus_equals_rank: kt: x += y and the like keep the element type and the rank of x
#if defined(MISTAKE_plus_equals_rank)
auto f = kt::function([](kt::dvector x, kt::dmatrix m) { x += m; return x; });
#endif

// mistake plus_equals_type: kt: x += y and the like keep the element type and the rank of x
#if defined(MISTAKE_plus_equals_type)
auto f = kt::function([](kt::ivector x) { x /= 2; return x; });
#endif

// mistake element_assign: kt: a part of a variable is not assigned to: write x = set_subtensor(x(i), value)
#if defined(MISTAKE_element_assign)
auto f = kt::function([](kt::dvector x) { x(0) = 1.0; return x; });
#endif

// mistake element_assign_var: kt: a part of a variable is not assigned to: write x = set_subtensor(x(i), value)
#if defined(MISTAKE_element_assign_var)
auto f = kt::function([](kt::dvector x) { x(0) = x(1); return x; });
#endif

// mistake element_add: to add to a part of x write x = inc_subtensor(x(i), value)
#if defined(MISTAKE_element_add)
auto f = kt::function([](kt::dvector x) { x(0) += 1.0; return x; });
#endif

// mistake range_for: kt: a variable has no elements yet to loop over
#if defined(MISTAKE_range_for)
auto f = kt::function([](kt::dvector x) { auto s = sum(x); for (auto e : x) s = s + e; return s; });
#endif

// mistake bitnot_float: the bitwise complement takes integers and bools
#if defined(MISTAKE_bitnot_float)
auto f = kt::function([](kt::dvector x) { return ~x; });
#endif

// mistake shift_float: kt: << shifts integers
#if defined(MISTAKE_shift_float)
auto f = kt::function([](kt::dvector x) { return x << 2; });
#endif
