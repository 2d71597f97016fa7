// Loops in their other forms, and what is found while they are recorded.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// expect: kt::map: its steps do not depend on each other
namespace map_of_states {
auto f = kt::function([](kt::dvector x) { return map([](auto e, auto s) { return e + s; }, kt::sequences(x), kt::outputs_info(0)); });
}

// expect: kt::scan: after the body come kt::sequences(x), kt::outputs_info(start)
namespace reduce_unnamed {
auto f = kt::function([](kt::dvector x) { return reduce([](auto a, auto b) { return a + b; }, x); });
}

// expect: kt::scan: a parameter of the body has another type than what it gets, a state
namespace fold_parameter {
auto f = kt::function([](kt::dmatrix x, kt::dvector h) {
  return sum(foldl([](kt::dvector e, kt::dmatrix s) { return e + s; }, kt::sequences(x), kt::outputs_info(h)));
});
}

// A generic body refuses what it declares itself.
// expect: kt::variable: a variable of another rank does not convert
namespace half_generic_body {
auto f = kt::function([](kt::dmatrix x, kt::dvector h) {
  return scan([](auto e, kt::dmatrix s) { return e + s(0); }, kt::sequences(x), kt::outputs_info(h));
});
}

// expect: kt::scan: a state changes its rank from one step to the next
namespace inner_loop {
auto f = kt::function([](kt::dmatrix x) {
  return map([](auto row) { return scan([&](auto e, auto s) { return e * row + s; }, kt::sequences(row), kt::outputs_info(0.0))(-1); },
             kt::sequences(x));
});
}

// expect: kt::truncate_gradient: gradients go
namespace truncated_to_nothing {
auto f = kt::function([](kt::dvector x) {
  return scan([](auto e, auto s) { return e + s; }, kt::sequences(x), kt::outputs_info(0), kt::truncate_gradient(0));
});
}

// expect: kt::scan: an extent of an output
namespace rows_of_other_shapes {
auto f = kt::function([](kt::lvector n, kt::dvector x) { return map([&](auto k) { return x(kt::slice(k)); }, kt::sequences(n)); });
}

// errors: at most 7
