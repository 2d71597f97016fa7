// Loops in their other forms, and what is found while they are recorded.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
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

struct cell : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(cell, (kt::dvector, h), (kt::dscalar, count));
};
struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::dvector, b));
};

// expect: kt::scan: a parameter of the body has another type than what it gets, a state
namespace other_struct {
auto f = kt::function([](kt::dmatrix x, cell start) {
  return scan([](auto, layer s) { return s; }, kt::sequences(x), kt::outputs_info(start));
});
}

// expect: kt::scan: the body has another number of parameters than it gets
namespace members_of_a_struct {
auto f = kt::function([](kt::dmatrix x, cell start) {
  return scan([](kt::dvector e, kt::dvector h, kt::dscalar c) { return std::tuple(h + e, c); }, kt::sequences(x),
              kt::outputs_info(start));
});
}

// expect: kt::scan: the body returns another number of results than kt::outputs_info has
namespace part_of_a_struct {
auto f = kt::function([](kt::dmatrix x, cell start) {
  return scan([](auto e, auto s) { return s.h + e; }, kt::sequences(x), kt::outputs_info(start));
});
}

// errors: at most 10
