// Wrong arguments of functions that are made of others.
// errors: at most 25
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// expect: kt::diff: the axis is outside the rank of the operand
namespace diff_axis {
auto f = kt::function([](kt::dvector x) { return diff(x, kt::axis<1>); });
}
// expect: kt::diff: truth values have no differences
namespace diff_bool {
auto f = kt::function([](kt::variable<bool, 1> x) { return diff(x); });
}
// expect: kt::quantile: takes, in either order, kt::axis<...> within the rank and kt::keepdims
namespace quantile_axis {
auto f = kt::function([](kt::dmatrix x) { return quantile(x, 0.5, kt::axis<2>); });
}
// expect: kt::nansum: takes a tensor and, in either order, kt::axis<...> within the rank and kt::keepdims
namespace nansum_axis {
auto f = kt::function([](kt::dmatrix x) { return nansum(x, kt::axis<9>); });
}
// expect: kt::nanmax: takes a tensor and, in either order, kt::axis<...> within the rank and kt::keepdims
namespace nanmax_axis {
auto f = kt::function([](kt::dmatrix x) { return nanmax(x, kt::axis<2>, kt::keepdims); });
}
// expect: kt::bincount: takes a vector of integers
namespace bincount_floats {
auto f = kt::function([](kt::dvector x) { return kt::bincount(x, 3); });
}
// expect: kt::kron: takes two matrices
namespace kron_vectors {
auto f = kt::function([](kt::dvector x, kt::dmatrix y) { return kron(x, y); });
}
// expect: kt::ldexp: the exponent must be an integer or a tensor of integers
namespace ldexp_float {
auto f = kt::function([](kt::dvector x) { return ldexp(x, 0.5); });
}
// expect: kt::cov: takes a matrix, whose rows are variables
namespace cov_vector {
auto f = kt::function([](kt::dvector x) { return kt::cov(x); });
}
// expect: kt::trapz: the spacing is a number, or the vector of the positions
namespace trapz_matrix {
auto f = kt::function([](kt::dmatrix x) { return trapz(x, x); });
}
// expect: kt::meshgrid: takes two vectors
namespace meshgrid_matrix {
auto f = kt::function([](kt::dmatrix x) { return std::get<0>(meshgrid(x, x)); });
}
// expect: kt::pad: kt::padding takes one number, one for each axis, or two for each axis
namespace pad_three {
auto f = kt::function([](kt::dmatrix x) { return pad(x, kt::padding<1, 2, 3>); });
}
// expect: kt::pad: a padding must not be negative
namespace pad_negative {
auto f = kt::function([](kt::dvector x) { return pad(x, kt::padding<-1>, kt::extend::edge); });
}
// expect: kt::choose: takes an integer and two or more choices
namespace choose_one {
auto f = kt::function([](kt::lvector i, kt::dvector x) { return choose(i, x) + x; });
}
// expect: kt::piecewise: takes pairs of a condition and a value or a function
namespace piecewise_without_value {
auto f = kt::function([](kt::dvector x) { return kt::piecewise(x, x > 0) + x; });
}
// expect: kt::ravel_multi_index: takes a tuple of integers, and as many extents
namespace ravel_miscounted {
auto f = kt::function([](kt::lvector i) { return kt::ravel_multi_index(std::tuple(i, i), 3); });
}
// expect: kt::put_along_axis: takes an axis
namespace put_without_axis {
auto f = kt::function([](kt::dvector x, kt::lvector i) { return put_along_axis(x, i, 1); });
}
// expect: kt::fromfunction: takes a callable and the extents of a grid
namespace grid_of_numbers {
auto f = kt::function([](kt::dmatrix x) { return x + kt::fromfunction([](auto i, auto j) { return i + j; }, 3, 4); });
}
// expect: kt::convolve: takes two vectors and kt::border::full, half or valid
namespace convolve_matrix {
auto f = kt::function([](kt::dmatrix x, kt::dvector y) { return convolve(x, y); });
}
// expect: kt::correlate: takes two vectors and kt::border::full, half or valid
namespace correlate_mode {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return correlate(x, y, 2); });
}
// expect: kt::nanquantile: takes, in either order, kt::axis<...> within the rank and kt::keepdims
namespace nanquantile_axis {
auto f = kt::function([](kt::dmatrix x) { return nanmedian(x, kt::axis<2>); });
}
// expect: kt::nancumsum: takes one tensor and at most one axis within the rank
namespace nancumsum_axis {
auto f = kt::function([](kt::dmatrix x) { return nancumsum(x, kt::axis<2>); });
}
// expect: kt::nanargmax: takes, in either order, kt::axis<...> within the rank and kt::keepdims
namespace nanargmax_axis {
auto f = kt::function([](kt::dmatrix x) { return nanargmax(x, kt::axis<2>); });
}
// expect: kt::convolve: takes two vectors and kt::border::full, half or valid
namespace convolve_number {
auto f = kt::function([](kt::dvector x) { return convolve(x, 2); });
}
// expect: kt::trapezoid: takes an array, the distance of its elements or the vector of their positions, and at most one axis
namespace trapezoid_axes {
auto f = kt::function([](kt::dmatrix y, kt::dvector x) { return trapezoid(y, x, kt::axis<0, 1>); });
}
