// Structs of variables that are none, or do not fit.
// SPDX-License-Identifier: BSD-3-Clause
// errors: at most 28
#include <boost/hana/define_struct.hpp>
#include <kroton/kroton.hpp>

namespace kt = kroton;

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::dvector, b));
};
struct twin : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(twin, (kt::dmatrix, W), (kt::dvector, b));
};
xt::xtensor<double, 2> const W_0{{1, 2}};
xt::xtensor<double, 1> const b_0{1, 2};

// A member that is not a variable.
struct counted : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(counted, (kt::dmatrix, W), (int, count));
};
// expect: kt::function: a struct parameter is an aggregate whose members
namespace structure_member {
auto f = kt::function([](counted p) { return p.W; });
}
// expect: kt::values: a member of the struct is not a variable
namespace structure_member_shared {
kt::shared<counted> s(W_0, 1);
}

// Members that the macro does not declare.
struct plain : kt::structure {
  kt::dvector v;
};
namespace structure_plain {
kt::shared<plain> s(b_0);
auto f = kt::function([](plain p) { return p.v; });
}

// Another struct, though of the same members.
// expect: update: a struct parameter must be updated with a struct of its own type
namespace structure_update {
kt::shared<layer> s(W_0, b_0);
auto f = kt::function([](layer p) { return kt::outputs().update(p, twin{{}, p.W, p.b}); }, s);
}

// Updated as a whole and in part: which value would it be?
// expect: update: a parameter is updated twice
namespace structure_update_twice {
kt::shared<layer> s(W_0, b_0);
auto f = kt::function([](layer p) { return kt::outputs().update(p, -p).update(p.b, p.b); }, s);
}

// A struct that was computed is not a parameter.
// expect: update: the first argument must be a
namespace structure_update_computed {
kt::shared<layer> s(W_0, b_0);
auto f = kt::function(
    [](layer p) {
      p += 1;
      return kt::outputs().update(p, p);
    },
    s);
}

// A value for each member.
// expect: kt::values: the number of values differs from the number of the struct's members
namespace structure_count {
kt::shared<layer> s(W_0);
}
// expect: kt::values: the rank of a value differs from that of its member
namespace structure_rank {
kt::shared<layer> s(b_0, b_0);
}

// Bound to another struct.
// expect: differs in element type, rank or struct from the parameter it is bound to
namespace structure_bound {
kt::shared<twin> s(W_0, b_0);
auto f = kt::function([](layer p) { return p.W; }, s);
}

// Arguments.
// expect: kt::function: a struct parameter takes a kt::values of its struct, or a std::tuple
// expect: kt::function: a kt::values of another struct was passed for a struct parameter
// expect: kt::function: the tuple for a struct parameter must have one value for each member
namespace structure_arguments {
auto f = kt::function([](layer p) { return p.W; });
auto a = f(W_0);
auto b = f(kt::values<twin>(W_0, b_0));
auto c = f(std::tuple(W_0));
}

// expect: kt::get: the struct has no such member
namespace structure_get {
kt::values<layer> v(W_0, b_0);
auto w = kt::get<&twin::W>(v);
}

// Operands.
// expect: kt::structure: structs that are combined member by member must have the same type
namespace structure_arithmetic {
auto f = kt::function([](layer p, twin q) { return p + q; });
}
// expect: kt::structure: a struct combines only with a struct of its type or a scalar
namespace structure_vector {
auto f = kt::function([](layer p, kt::dvector v) { return p * v; });
}
struct single : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(single, (kt::fvector, v));
};
// A scalar that would widen a member.
// expect: kt::structure: the result for a member differs from the member in rank or element type; convert with kt::cast
namespace structure_widened {
auto f = kt::function([](single p, kt::dscalar rate) { return rate * p; });
}

// Integers do not change continuously.
struct steps : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(steps, (kt::dvector, v), (kt::lscalar, n));
};
// expect: kt::grad: an integer does not change continuously
namespace structure_gradient {
auto f = kt::function([](steps p) { return grad(sum(p.v), p); });
}

// expect: kt::values: to save and load values, #include <kroton/npz.hpp>
namespace structure_save {
void save(kt::values<layer> const& v) { v.save("layer.npz"); }
}
