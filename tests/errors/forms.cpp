// Arguments in the forms of other libraries.
// errors: at most 16
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// expect: kt::roll: takes a tensor, a shift and at most one axis, as in roll(x, 1, kt::axis<0>)
namespace roll_axis {
auto f = kt::function([](kt::dmatrix x) { return roll(x, 1, 0); });
}
// expect: kt::reshape: the number of axes is a template argument: reshape<2>(x, n, m)
namespace reshape_rank {
auto f = kt::function([](kt::dvector x) { return reshape(x, 2, 3); });
}
// expect: kt::quantile: takes, in either order, kt::axis<...> within the rank and kt::keepdims, as in quantile(x, 0.5, kt::axis<0>)
namespace median_axis {
auto f = kt::function([](kt::dmatrix x) { return median(x, 0); });
}
// expect: kt::nanmean: takes a tensor and, in either order, kt::axis<...> within the rank and kt::keepdims
namespace nanmean_axis {
auto f = kt::function([](kt::dmatrix x) { return nanmean(x, 0); });
}
// expect: kt::histogram: takes the edges of the bins
namespace histogram_count {
auto f = kt::function([](kt::dvector x) { return histogram(x, 10); });
}
// expect: kt::pad: takes kt::padding<...>
namespace pad_number {
auto f = kt::function([](kt::dvector x) { return pad(x, 2); });
}
// expect: kt::solve: takes a matrix and, as right-hand side, a vector or a matrix
namespace solve_number {
auto f = kt::function([](kt::dmatrix x) { return solve(x, 1.0); });
}
// It would be cut off.
// expect: kt::matrix_power: takes a matrix and an integer
namespace matrix_power_root {
auto f = kt::function([](kt::dmatrix x) { return matrix_power(x, 0.5); });
}
// expect: kt::diag: takes a vector or a matrix, and the number of a diagonal: diag(x, 1)
namespace diag_fraction {
auto f = kt::function([](kt::dmatrix x) { return diag(x, 0.5); });
}
// expect: kt::dot: takes two operands
namespace dot_of_three {
auto f = kt::function([](kt::dmatrix x) { return dot(x, x, x); });
}
// expect: kt::arange: takes real numbers and scalars
namespace arange_of_vectors {
auto f = kt::function([](kt::dvector x) { return arange(0, x, 0.5); });
}
// expect: kt::rop: takes what is differentiated, one variable and its direction
namespace rop_direction {
auto f = kt::function([](kt::dvector x) { return rop(x * x, x); });
}
