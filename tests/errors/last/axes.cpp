// Axes and ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// mistake axis_missing: kt::sum: an axis is outside the rank: a tensor of rank n has the axes 0 to n - 1
namespace axis_missing {
auto f = kt::function([](kt::dvector x) { return sum(x, kt::axis<1>); });
}

// mistake axis_missing_mean: kt::mean: an axis is outside the rank: a tensor of rank n has the axes 0 to n - 1
namespace axis_missing_mean {
auto f = kt::function([](kt::dmatrix x) { return mean(x, kt::axis<2>, kt::keepdims); });
}

// mistake axis_missing_argmax: kt::argmax: an axis is outside the rank: a tensor of rank n has the axes 0 to n - 1
namespace axis_missing_argmax {
auto f = kt::function([](kt::dmatrix x) { return argmax(x, kt::axis<2>); });
}

// mistake axis_missing_softmax: kt::softmax: the axis is outside the rank: a tensor of rank n has the axes 0 to n - 1
namespace axis_missing_softmax {
auto f = kt::function([](kt::dmatrix x) { return softmax(x, kt::axis<2>); });
}

// mistake axis_missing_norm: kt::norm: an axis is outside the rank: a tensor of rank n has the axes 0 to n - 1
namespace axis_missing_norm {
auto f = kt::function([](kt::dmatrix x) { return norm(x, kt::axis<-3>); });
}

// mistake axis_missing_cumsum: kt::cumsum: the axis is outside the rank: a tensor of rank n has the axes 0 to n - 1
namespace axis_missing_cumsum {
auto f = kt::function([](kt::dvector x) { return cumsum(x, kt::axis<1>); });
}

// mistake axis_missing_sort: kt::sort: the axis is outside the rank: a tensor of rank n has the axes 0 to n - 1
namespace axis_missing_sort {
auto f = kt::function([](kt::dvector x) { return sort(x, kt::axis<1>); });
}

// mistake axis_missing_concatenate: kt::concatenate: the axis is outside the rank of the operands
namespace axis_missing_concatenate {
auto f = kt::function([](kt::dvector x) { return concatenate<1>(x, x); });
}

// mistake axis_number: kt::sum: a reduction takes one tensor and, in either order, kt::axis<...> and kt::keepdims
namespace axis_number {
auto f = kt::function([](kt::dmatrix x) { return sum(x, 0); });
}

// mistake det_vector: kt::det: takes a matrix
namespace det_vector {
auto f = kt::function([](kt::dvector x) { return det(x); });
}

// mistake solve_vector: kt::solve: takes a matrix and, as right-hand side, a vector or a matrix
namespace solve_vector {
auto f = kt::function([](kt::dvector x, kt::dmatrix y) { return solve(x, y); });
}

// mistake concatenate_ranks: kt::concatenate: takes tensors of the same rank
namespace concatenate_ranks {
auto f = kt::function([](kt::dvector x, kt::dmatrix m) { return kt::concatenate<0>(m, x); });
}

// mistake stack_ranks: kt::stack: takes tensors of the same shape
namespace stack_ranks {
auto f = kt::function([](kt::dscalar s, kt::dvector x) { return kt::stack(s, s, x); });
}
