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

// expect: kt::snapshots: a gradient keeps
namespace no_snapshots {
auto f = kt::function([](kt::dvector x) {
  return scan([](auto e, auto s) { return e + s; }, kt::sequences(x), kt::outputs_info(0), kt::snapshots(0));
});
}

// expect: kt::scan: an extent of an output
namespace rows_of_other_shapes {
auto f = kt::function([](kt::lvector n, kt::dvector x) { return map([&](auto k) { return x(kt::slice(k)); }, kt::sequences(n)); });
}

// errors: at most 15

struct cell : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(cell, (kt::dvector, h), (kt::dscalar, count));
};
struct other_cell : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(other_cell, (kt::dvector, h), (kt::dvector, count));
};

// expect: kt::scan: a parameter of the body has another type than what it gets, a state
namespace state_of_other_struct {
auto f = kt::function([](kt::dvector x, cell start) {
  auto [h, count] = scan([](kt::dscalar, other_cell c) { return c; }, kt::sequences(x), kt::outputs_info(start));
  return h;
});
}

// expect: kt::scan: the body has another number of parameters than it gets
namespace struct_and_no_parameter {
auto f = kt::function([](kt::dvector x, cell start) {
  auto [h, count] = scan([](cell c) { return c; }, kt::sequences(x), kt::outputs_info(start));
  return h;
});
}

// expect: kt::sequences: a scalar has no elements to go through
namespace sequence_with_scalar_member {
auto f = kt::function([](cell all) { return map([](auto e) { return std::get<0>(e); }, kt::sequences(all)); });
}

// expect: kt::scan: a state changes its rank from one step to the next
namespace member_changes_its_rank {
auto f = kt::function([](kt::dvector x, cell start) {
  return foldl([](auto, cell c) { return std::tuple(c.h, c.h); }, kt::sequences(x), kt::outputs_info(start));
});
}

// expect: update: the first argument must be a
namespace updated_element {
auto f = kt::function([](kt::dvector x) { return scan([](auto e) { return kt::outputs(e).update(e, e + 1); }, kt::sequences(x)); });
}

// expect: update: only a parameter bound to a
namespace updated_argument {
auto f = kt::function([](kt::dvector x, kt::dscalar a) {
  return scan([&](auto e) { return kt::outputs(e).update(a, a + 1); }, kt::sequences(x));
});
}

// expect: kt::vmap: a mapped number of steps
namespace mapped_steps {
auto f = kt::function(kt::vmap<0, 1>([](kt::lscalar n, kt::dscalar a) {
  return scan([](auto s) { return 2 * s; }, kt::outputs_info(a), kt::n_steps(n));
}));
}
