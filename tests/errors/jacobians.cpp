// Derivatives of tensors, and maps over axes, that do not exist.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <kroton/kroton.hpp>

namespace kt = kroton;

struct counted_line : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(counted_line, (kt::dvector, slope), (kt::lscalar, count));
};

// Most often a mistake.
// expect: kt::jacobian: the tensor does not
namespace jacobian_disconnected {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return jacobian(x * x, y); });
}

// expect: kt::jacobian: an integer does not change continuously: use a floating-point tensor
namespace jacobian_of_integers {
auto f = kt::function([](kt::lvector n, kt::dvector x) { return jacobian(n * n, x); });
}

// expect: kt::jacobian: an integer does not change continuously: differentiate by
namespace jacobian_by_integers {
auto f = kt::function([](kt::lvector n) { return jacobian(n * 0.5, n); });
}

// expect: kt::jacobian: an integer does not change continuously: differentiate by
namespace jacobian_by_a_struct_with_an_integer {
auto f = kt::function([](counted_line l, kt::dvector x) { return jacobian(l.slope * x, l); });
}

// expect: kt::hessian: an integer does not change continuously: differentiate by
namespace hessian_by_a_struct_with_an_integer {
auto f = kt::function([](counted_line l, kt::dvector x) { return hessian(sum(l.slope * x), l); });
}

// Five and four.
// expect: at most 8 together; after y, pass variables
namespace jacobian_rank {
auto f = kt::function([](kt::variable<double, 5> x, kt::dtensor4 y) { return jacobian(x * y, y); });
}

// A vector has a Jacobian.
// expect: kt::hessian: the cost must be a floating-point scalar
namespace hessian_vector_cost {
auto f = kt::function([](kt::dvector x) { return hessian(x * x, x); });
}

// expect: kt::vmap: a mapped argument is an array, with an axis to map over
namespace vmap_scalar {
auto f = kt::function([](kt::dscalar x, kt::dvector y) { return kt::vmap<0>([](auto a, auto b) { return a * b; })(x, y); });
}

// expect: kt::vmap: kt::vmap<0, 2>(f) maps over the parameters 0 and 2 of f: each number is that of an argument
namespace vmap_parameter {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return kt::vmap<2>([](auto a, auto b) { return a * b; })(x, y); });
}

// The numbers are not axes.
// expect: kt::vmap: kt::vmap<0, 2>(f) maps over the parameters 0 and 2 of f: each number is that of an argument, and stands once
namespace vmap_repeated {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return kt::vmap<0, 0>([](auto a, auto b) { return a * b; })(x, y); });
}

// expect: kt::vmap: a mapped argument must have one dimension more
namespace vmap_rank {
auto f = kt::function([](kt::dvector x) { return kt::vmap<0>([](kt::dvector a) { return sum(a); })(x); });
}

// A row of another number of columns in every slice?
// expect: kt::vmap: an extent or a bound of a slice depends on a mapped argument
namespace vmap_index {
auto f = kt::function([](kt::lvector n, kt::dvector x) { return kt::vmap<0>([](kt::lscalar i, kt::dvector v) { return v(kt::slice(i)); })(n, x); });
}

// expect: kt::vmap: the callable must return variables, without updates
namespace vmap_updates {
auto f = kt::function([](kt::dvector x, kt::dscalar s) { return kt::vmap<0>([&](kt::dscalar a) { return kt::outputs(a).update(s, a); })(x); });
}

// expect: kt::batched_dot: takes operands with a leading axis
namespace batched_dot_scalar {
auto f = kt::function([](kt::dscalar s, kt::dmatrix m) { return batched_dot(s, m); });
}

// A number of rows is not a floating number.
// expect: extents_are_integer_scalars_of_an_expression
namespace eye_floating {
auto f = kt::function([](kt::dscalar n) { return kt::eye(n); });
}
