// Operators and assignments that a variable does not have.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// mistake brackets: is not defined for a variable: write x(i), x(i, j)
namespace brackets {
auto f = kt::function([](kt::dvector x) { return x[0]; });
}

// mistake hat: kt: ^ is the bitwise exclusive or, of integers and bools
namespace hat {
auto f = kt::function([](kt::dvector x) { return x ^ 2; });
}

// mistake plus_equals_rank: kt: x += y and the like keep the element type and the rank of x
namespace plus_equals_rank {
auto f = kt::function([](kt::dvector x, kt::dmatrix m) { x += m; return x; });
}

// mistake plus_equals_type: kt: x += y and the like keep the element type and the rank of x
namespace plus_equals_type {
auto f = kt::function([](kt::ivector x) { x /= 2; return x; });
}

// mistake element_assign: kt: a part of a variable cannot be assigned to: write x = set_subtensor(x(i), value)
namespace element_assign {
auto f = kt::function([](kt::dvector x) { x(0) = 1.0; return x; });
}

// mistake element_assign_var: kt: a part of a variable cannot be assigned to: write x = set_subtensor(x(i), value)
namespace element_assign_var {
auto f = kt::function([](kt::dvector x) { x(0) = x(1); return x; });
}

// mistake element_add: to add to a part of x write x = inc_subtensor(x(i), value)
namespace element_add {
auto f = kt::function([](kt::dvector x) { x(0) += 1.0; return x; });
}

// mistake range_for: kt: a variable has no elements yet to loop over
namespace range_for {
auto f = kt::function([](kt::dvector x) { auto s = sum(x); for (auto e : x) s = s + e; return s; });
}

// mistake bitnot_float: the bitwise complement takes integers and bools
namespace bitnot_float {
auto f = kt::function([](kt::dvector x) { return ~x; });
}

// mistake shift_float: kt: << shifts integers
namespace shift_float {
auto f = kt::function([](kt::dvector x) { return x << 2; });
}

// mistake string_operand: kt: an array, a string or a kt::shared is not an operand
namespace string_operand {
auto f = kt::function([](kt::dvector x) { return x + "a"; });
}

// mistake gradients_scaled: kt: a tuple of variables is not an operand: take it apart first
namespace gradients_scaled {
auto f = kt::function([](kt::dvector w, kt::dscalar b) { return 0.1 * grad(sum(sqr(w)) + b, w, b); });
}

// mistake gradients_subtracted: kt: a tuple of variables is not an operand: take it apart first
namespace gradients_subtracted {
auto f = kt::function([](kt::dvector w, kt::dscalar b) { return w - grad(sum(sqr(w)) + b, w, b); });
}

// mistake gradients_negated: kt: a tuple of variables is not an operand: take it apart first
namespace gradients_negated {
auto f = kt::function([](kt::dvector w, kt::dscalar b) { return -grad(sum(sqr(w)) + b, w, b); });
}

// mistake function_of_constant: kt: a constant alone is in no graph that a function could be recorded in
namespace function_of_constant {
auto f = kt::function([](kt::dvector x) { return x + exp(kt::constant({1., 2.})); });
}

// mistake sum_of_constant: kt: a constant alone is in no graph that a function could be recorded in
namespace sum_of_constant {
auto f = kt::function([](kt::dmatrix x) { return x + sum(kt::constant({{1., 2.}, {3., 4.}}), kt::axis<0>); });
}

// mistake stack_of_tuple: kt::stack: takes the tensors one by one, as in stack<0>(a, b)
namespace stack_of_tuple {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return stack(std::tuple(x, y)); });
}

// mistake concatenation_of_pair: kt::concatenate: takes the tensors one by one, as in concatenate<0>(a, b)
namespace concatenation_of_pair {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return concatenate<0>(std::pair(x, y)); });
}

// mistake side_as_text: kt::searchsorted: takes a vector, what to look for, and kt::side::left or kt::side::right
namespace side_as_text {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return searchsorted(x, y, "right"); });
}
