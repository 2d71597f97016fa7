// Givens, default updates and copies that cannot be made.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

constexpr auto two = [](kt::dvector x, kt::dscalar a) { return a * x; };
inline kt::shared<double, 1> vector_of_two(xt::xtensor<double, 1>{1., 2.});

// mistake given_number: kt::givens: kt::givens<0, 2>(g) replaces the parameters 0 and 2 of the function's lambda, which has fewer
namespace given_number {
auto f = kt::function(two, kt::givens<2>([](kt::dscalar b) { return b; }));
}

// mistake given_twice: kt::givens: name each parameter that is replaced, once: kt::givens<0, 2>(g)
namespace given_twice {
auto f = kt::function(two, kt::givens<1, 1>([](kt::dscalar b) { return std::tuple(b, b); }));
}

// mistake given_few: kt::givens: the lambda returns one value for each parameter that is replaced, several as a std::tuple
namespace given_few {
auto f = kt::function(two, kt::givens<0, 1>([](kt::dvector b) { return b; }));
}

// mistake given_type: kt::givens: a value differs from the parameter that it replaces in element type, rank, struct, or in what the parameter's type says of extents
namespace given_type {
auto f = kt::function(two, kt::givens<0>([](kt::fvector b) { return 2 * b; }));
}

// mistake given_fraction: kt::givens: a value differs from the parameter that it replaces in element type
namespace given_fraction {
auto f = kt::function([](kt::lscalar n, kt::dscalar x) { return n * x; }, kt::givens<0>([] { return 0.5; }));
}

// mistake given_complex: kt::givens: a value differs from the parameter that it replaces in element type
namespace given_complex {
auto f = kt::function([](kt::dscalar a, kt::dscalar x) { return a * x; }, kt::givens<0>([] { return std::complex<double>(0, 1); }));
}

// mistake given_all: kt::givens: a function of numbers alone has no parameter left: keep one, or bind one to a kt::shared
namespace given_all {
auto f = kt::function([](kt::dscalar s) { return 2 * s; }, kt::givens<0>([] { return 3.0; }));
}

// mistake given_auto: kt::givens: the parameters of the lambda have types, not auto
namespace given_auto {
auto f = kt::function(two, kt::givens<0>([](auto b) { return 2 * b; }));
}

// mistake given_array: kt::givens: after the lambda, pass the shared variables and streams that its last parameters are bound to
namespace given_array {
auto f = kt::function(two, kt::givens<1>([](kt::dscalar b) { return 2 * b; }, 3.0));
}

// mistake given_many: kt::givens: more shared variables than parameters of the lambda
namespace given_many {
auto f = kt::function(two, kt::givens<0>([](kt::dvector b) { return b; }, vector_of_two, vector_of_two));
}

// mistake given_in_parts: kt::givens: name all parameters that are replaced in one: kt::givens<0, 2>(g)
namespace given_in_parts {
auto f = kt::function(two, kt::givens<0>([](kt::dvector b) { return b; }), kt::givens<1>([](kt::dscalar b) { return b; }));
}

// mistake default_type: kt::with_default_update: the lambda takes the variable and the further ones, and returns a value of the variable's element type and rank, or of its struct
namespace default_type {
auto w = kt::with_default_update(vector_of_two, [](kt::dvector x) { return sum(x); });
}

// mistake default_of_array: kt::with_default_update: takes a kt::shared, a lambda, and further kt::shared variables that the lambda reads
namespace default_of_array {
auto w = kt::with_default_update(2.0, [](kt::dscalar x) { return x + 1; });
}

// mistake default_captures: kt::with_default_update: the update is a lambda without captures
namespace default_captures {
auto w = [](double by) { return kt::with_default_update(vector_of_two, [by](kt::dvector x) { return x + by; }); }(1);
}

inline auto bound = kt::function([](kt::dvector w) { return kt::outputs(w).update(w, 2 * w); }, vector_of_two);

// mistake copy_fewer: kt::function: copy takes as many shared variables as the function is bound to, in their order, of their element types and ranks
namespace copy_fewer {
auto f = bound.copy(vector_of_two, vector_of_two);
}

// mistake copy_other: kt::function: copy takes shared variables in place of all that the function is bound to, or kt::swap(old, other) for some of them, and kt::delete_updates
namespace copy_other {
auto f = bound.copy(2.0);
}

// mistake swap_type: kt::swap: a shared variable takes the place of one of its own element type, rank or struct
namespace swap_type {
kt::shared w(1.0);
auto f = bound.copy(kt::swap(vector_of_two, w));
}

// mistake swap_unbound: kt::swap: the function is bound to no shared variable of this type
namespace swap_unbound {
kt::shared v(1.0), w(1.0);
auto f = bound.copy(kt::swap(v, w));
}

// mistake swap_number: kt::swap: takes a shared variable that a function is bound to and the one that takes its place
namespace swap_number {
auto f = bound.copy(kt::swap(vector_of_two, 1.0));
}

// mistake copy_of_updates: kt::function: a copy without updates of a function that gives nothing
namespace copy_of_updates {
auto f = kt::function([](kt::dvector w) { return kt::outputs().update(w, 2 * w); }, vector_of_two).copy(kt::delete_updates);
}
