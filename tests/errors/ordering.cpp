// Sorting, picking and scanning: axes and operands that they do not take.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// A matrix has axes 0 and 1.
// expect: kt::sort: the axis is outside the rank
namespace sort_axis {
auto f = kt::function([](kt::dmatrix a) { return sort(a, kt::axis<2>); });
}

// Two axes are no line.
// expect: kt::sort: sorts along one axis, as in sort(x, kt::axis<0>); flatten(x) has one
namespace sort_axes {
auto f = kt::function([](kt::dmatrix a) { return sort(a, kt::axis<0, 1>); });
}

// A count is an integer.
// expect: kt::topk: k must be an integer or an integer scalar
namespace topk_count {
auto f = kt::function([](kt::dvector a) { return std::get<0>(topk(a, 2.5)); });
}

// A position is an integer, and an axis is one of the operand's.
// expect: kt::partition: kth must be an integer, or an integer scalar or vector
namespace partition_position {
auto f = kt::function([](kt::dvector a) { return partition(a, 2.5); });
}
// expect: kt::partition: takes a tensor and kth, the position whose element is to be that of the sorted line, as in partition(x, 2)
namespace partition_without_position {
auto f = kt::function([](kt::dvector a) { return partition(a); });
}
// expect: kt::argpartition: takes a tensor and kth, the position whose element is to be that of the sorted line, as in argpartition(x, 2)
namespace argpartition_without_position {
auto f = kt::function([](kt::dvector a) { return argpartition(a); });
}
// expect: kt::argpartition: the axis is outside the rank
namespace argpartition_axis {
auto f = kt::function([](kt::dmatrix a) { return argpartition(a, 1, kt::axis<2>); });
}
// expect: kt::partition: the axis is outside the rank
namespace partition_axis {
auto f = kt::function([](kt::dmatrix a) { return partition(a, 1, kt::axis<2>); });
}

// A count is not negative.
// expect: kt::topk: k must not be negative
namespace topk_negative {
auto f = kt::function([](kt::dvector a) { return std::get<0>(topk(a, -1)); });
}

// Only a vector is in order.
// expect: kt::searchsorted: the sequence to search must be a vector in ascending order
namespace searchsorted_matrix {
auto f = kt::function([](kt::dmatrix a) { return searchsorted(a, 2); });
}

// Positions are counted.
// expect: kt::take_along_axis: positions must be integers
namespace take_floats {
auto f = kt::function([](kt::dvector a) { return take_along_axis(a, a, kt::axis<0>); });
}

// Positions have a place for every line.
// expect: kt::take_along_axis: the positions must have the rank of the tensor
namespace take_rank {
auto f = kt::function([](kt::dmatrix a, kt::lvector i) { return take_along_axis(a, i, kt::axis<0>); });
}

// One axis, or everything.
// expect: kt: argmax and argmin run along one axis, or over everything
namespace argmax_axes {
auto f = kt::function([](kt::dmatrix a) { return argmax(a, kt::axis<0, 1>); });
}

// One axis, or everything.
// expect: kt: cumsum and cumprod run along one axis, or over all elements in row-major order
namespace cumsum_axes {
auto f = kt::function([](kt::dmatrix a) { return cumsum(a, kt::axis<0, 1>); });
}
