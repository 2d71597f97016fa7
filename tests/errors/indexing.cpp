// Indices that are none, and values that do not fit where they are written.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// A floating tensor is not an index.
// expect: an index must be an integer
namespace floating_index {
auto f = kt::function([](kt::dvector x, kt::dvector i) { return x(i); });
}

// Nor for take.
// expect: kt::take: takes a tensor, integers and at most one axis, as in take(x, i, kt::axis<0>)
namespace floating_indices {
auto f = kt::function([](kt::dmatrix x, kt::dvector i) { return take(x, i, kt::axis<0>); });
}

// A matrix has axes 0 and 1.
// expect: kt::take: the axis is outside the rank of the operand
namespace take_axis {
auto f = kt::function([](kt::dmatrix x, kt::lvector i) { return take(x, i, kt::axis<2>); });
}

// Only what an index gives is a part.
// expect: kt::set_subtensor: the first argument must be a part of a tensor, x(...)
namespace no_part {
auto f = kt::function([](kt::dmatrix x) { return set_subtensor(x, 0.); });
}

// A transposed part is not a part any more.
// expect: kt::inc_subtensor: the first
namespace computed_part {
auto f = kt::function([](kt::dmatrix x) { return inc_subtensor(transpose(x(kt::slice(1, kt::none))), 1.); });
}

// The whole has no such axis.
// expect: kt::set_subtensor: the part has a
namespace new_axis {
auto f = kt::function([](kt::dvector x) { return set_subtensor(x(kt::newaxis, kt::slice(2)), 1.); });
}

// A float would be cut.
// expect: element type does not convert to the tensor's without loss
namespace wider_value {
auto f = kt::function([](kt::ivector x) { return set_subtensor(x(0), 0.5); });
}

// A row is a vector.
// expect: the value has more axes than the part
namespace value_rank {
auto f = kt::function([](kt::dmatrix x) { return inc_subtensor(x(0), x); });
}

// Tensors of two ranks do not stand in one row.
// expect: kt::concatenate: takes tensors of the same rank
namespace join_ranks {
auto f = kt::function([](kt::dmatrix x, kt::dvector v) { return concatenate<0>(x, v); });
}

// A vector has axis 0 only.
// expect: kt::concatenate: the axis is outside
namespace join_axis {
auto f = kt::function([](kt::dvector v) { return concatenate<1>(v, v); });
}

// A count is an integer.
// expect: a count or an extent must be an integer
namespace floating_count {
auto f = kt::function([](kt::dvector v) { return repeat(v, 2.5, kt::axis<0>); });
}

// A vector has no triangle.
// expect: kt::triu, kt::tril: a vector has no triangle
namespace triangle_of_vector {
auto f = kt::function([](kt::dvector v) { return triu(v); });
}
