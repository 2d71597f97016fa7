// Axes and extents outside of what a tensor has.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// A scalar is multiplied with *.
// expect: kt::dot: takes vectors and matrices; a scalar or a number is multiplied with *
namespace dot_scalar {
auto f = kt::function([](kt::dmatrix a, kt::dscalar s) { return dot(a, s); });
}

// A matrix has axes 0 and 1.
// expect: an axis is outside the rank: a tensor of rank n has the axes 0 to n - 1
namespace reduction_axis {
auto f = kt::function([](kt::dmatrix a) { return sum(a, kt::axis<2>); });
}

// A vector takes one index.
// expect: more indices than the tensor has axes
namespace too_many_indices {
auto f = kt::function([](kt::dvector a) { return a(0, 1); });
}

// A vector has axis 0 only.
// expect: kt::dimshuffle: an axis is outside the rank of the operand
namespace dimshuffle_axis {
auto f = kt::function([](kt::dvector a) { return dimshuffle<1, 0>(a); });
}

// An axis of any extent cannot vanish.
// expect: kt::dimshuffle: only a broadcasting
namespace dimshuffle_dropped {
auto f = kt::function([](kt::dmatrix a) { return dimshuffle<0>(a); });
}

// The order of axes is not an argument of the call.
// expect: kt::dimshuffle: the axes are template arguments
namespace dimshuffle_arguments {
auto f = kt::function([](kt::dmatrix a) { return dimshuffle(a, 1, 0); });
}

// Without axes the result is a scalar, which a matrix is not.
// expect: kt::dimshuffle: only a broadcasting
namespace dimshuffle_alone {
auto f = kt::function([](kt::dmatrix a) { return dimshuffle(a); });
}

// A vector has extent 0 only.
// expect: shape: the dimension is outside the
namespace shape_dimension {
auto f = kt::function([](kt::dvector a) { return a * a.shape(1); });
}

// A slice has to advance.
// expect: kt::slice: the step must not be 0
namespace slice_step {
auto f = kt::function([](kt::dvector a) { return a(kt::slice(0, 3, 0)); });
}

// Two extents cannot both follow from the rest.
// expect: kt::reshape: only one extent may be
namespace reshape_two_unknown {
auto f = kt::function([](kt::dvector a) { return reshape<2>(a, -1, -1); });
}

// As many extents as the rank says.
// expect: kt::reshape: reshape<R>(x, ...) takes R extents
namespace reshape_rank {
auto f = kt::function([](kt::dvector a) { return reshape<2>(a, 6); });
}

// Whole extents.
// expect: kt::reshape: an extent must be an integer or an integer scalar
namespace reshape_floating {
auto f = kt::function([](kt::dvector a, kt::lvector n) { return std::tuple(reshape<2>(a, 2.5, 2), reshape<1>(a, n)); });
}

// What would two elements fewer than none be?
// expect: kt::reshape: an extent is negative;
namespace reshape_negative {
auto f = kt::function([](kt::dvector a) { return reshape<2>(a, -2, 3); });
}

// What is compiled once for a type cannot see that an operand broadcasts.
// expect: kt::opaque: pass an operand that
namespace opaque_broadcasting {
auto f = kt::function([](kt::dmatrix a) { return kt::opaque([](auto m, auto r) { return m * r; })(a, sum(a, kt::axis<0>, kt::keepdims)); });
auto g = kt::function([](kt::dvector a) { return kt::opaque([](kt::dmatrix m) { return m * m; })(a(kt::newaxis, kt::slice())); });
}

// An index is an integer, not a floating scalar.
// expect: an index must be an integer or an integer scalar
namespace floating_index {
auto f = kt::function([](kt::dvector a, kt::dscalar i) { return a(i); });
}

// A variance is divided by one number.
// expect: kt::var: takes one tensor and, in any order, kt::axis<...>, kt::keepdims and kt::ddof<...>, as in var(x, kt::axis<0>, kt::ddof<1>)
namespace two_divisors {
auto f = kt::function([](kt::dmatrix a) { return var(a, kt::ddof<1>, kt::ddof<2>); });
}

// Its axes are those of the tensor.
// expect: kt::stddev: an axis is outside the rank: a tensor of rank n has the axes 0 to n - 1, or -n to -1 from the end
namespace variance_axis {
auto f = kt::function([](kt::dmatrix a) { return stddev(a, kt::axis<2>, kt::ddof<1>); });
}

// Other reductions divide by nothing.
// expect: kt::sum: a reduction takes one tensor and, in either order, kt::axis<...> and kt::keepdims
namespace sum_with_divisor {
auto f = kt::function([](kt::dmatrix a) { return sum(a, kt::ddof<1>); });
}

// Numbers have no cross product.
// expect: kt::cross: takes two arrays of vectors, along their last axes
namespace cross_scalar {
auto f = kt::function([](kt::dvector a, kt::dscalar s) { return cross(a, s); });
}
