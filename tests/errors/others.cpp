// The same mistakes in other clothes.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// The first axis of a vector is -1 as well as 0.
// expect: an axis is outside the rank: a tensor of rank n has the axes 0 to n - 1
namespace reduction_axis_negative {
auto f = kt::function([](kt::dvector a) { return max(a, kt::axis<-2>, kt::keepdims); });
}

// A shared variable keeps its rank.
// expect: update: the new value's rank differs from the parameter's
namespace update_rank {
kt::shared<double, 1> s(xt::xtensor<double, 1>{1.});
auto f = kt::function([](kt::dvector w) { return kt::outputs().update(w, sum(w)); }, s);
}

// A fraction is not an integer.
// expect: kt::function: an argument's element type would be narrowed; convert it first
namespace argument_floating {
auto f = kt::function([](kt::lscalar n) { return n; });
auto y = f(1.5);
}

// Nor do those of a floating literal.
// expect: kt: | is the bitwise or, of integers and bools: compare first
namespace bitwise_float_literal {
auto f = kt::function([](kt::lvector x) { return x | 1.5; });
}

// As in NumPy; the logical not is ~.
// expect: bools have no negative, as in NumPy; the logical not is ~
namespace bool_negative {
auto f = kt::function([](kt::vector<bool> a) { return -a; });
}

// Integers do not change continuously.
// expect: kt::grad: the cost is an integer or a bool, which does not change continuously
namespace grad_integer_cost {
auto f = kt::function([](kt::dvector x) { return grad(sum(x > 0), x); });
}

// Unsigned tensors have no negative literals.
// expect: an integer literal is out of range
namespace literal_negative_unsigned {
auto f = kt::function([](kt::vector<std::uint64_t> x) { return x * -1; });
}

// Bits of floats mean nothing here.
// expect: the bitwise complement takes integers and bools
namespace complement_float {
auto f = kt::function([](kt::dvector a) { return ~a; });
}

// A mode names rules, passes, books and catalogue ids that exist, and that are no part of the form of a graph.
// expect: kt::mode: no rule, pass, book or catalogue id has this name; docs/rewrites.md lists them
// expect: kt::mode: this pass defines the form of a graph and cannot be excluded
namespace mode_of_unknown_rule {
auto mode = kt::mode::fast_run.excluding<"no such rule">();
}
namespace mode_without_form {
auto mode = kt::mode::fast_run.excluding<"C10">();
}

// expect: kt::mode: this mode needs the run-time stage: #include <kroton/runtime.hpp>
namespace mode_without_its_header {
auto f = kt::function([](kt::dscalar x) { return 2 * x; }, kt::mode::debug);
double const y = f(2.0);
auto g = kt::function([](kt::dscalar x) { return 2 * x; }, kt::mode::interpret);
auto h = kt::function([](kt::dscalar x) { return 2 * x; }, kt::mode::monitor([](auto const&) {}, [](auto const&) {}));
}
// expect: kt::mode::monitor: takes two callables without captures, such as [](kt::monitored_step const& step) { std::cout << step.what(); }
namespace monitor_with_captures {
auto mode = kt::mode::monitor([n = 1](auto const&) { return n; }, [](auto const&) {});
}
