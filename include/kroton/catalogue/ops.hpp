// The built-in ops as lists, by family: what needs all of them at once, such as the kernels of the
// run-time stage.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/forward.hpp>
#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/ops/as_it_stands.hpp>
#include <kroton/ops/elementwise/bessel.hpp>
#include <kroton/ops/elementwise/beta.hpp>
#include <kroton/ops/elementwise/complex.hpp>
#include <kroton/ops/elementwise/error_inverses.hpp>
#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/elementwise/exponents.hpp>
#include <kroton/ops/elementwise/incomplete_gamma.hpp>
#include <kroton/ops/elementwise/number_extrema.hpp>
#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/elementwise/roots.hpp>
#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/ops/elementwise/signs.hpp>
#include <kroton/ops/signal/fourier_axes.hpp>
#include <kroton/ops/elementwise/special.hpp>
#include <kroton/ops/along_axes/statistics.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>

#include <boost/mp11.hpp>

namespace kroton::op {

using arithmetic_ops =
    boost::mp11::mp_list<add, sub, mul, div, neg, inv, sqr, sqrt, cbrt, root, hypot, hypot3,
                         loghypot, pow, floordiv, mod, abs, sgn, maximum, minimum, fmax, fmin,
                         floor, ceil, round, trunc, ldexp, frexp_exponent, nextafter, copysign>;
using logic_ops =
    boost::mp11::mp_list<stop_gradient, as_it_stands, eq, neq, lt, le, gt, ge, bit_and, bit_or,
                         bit_xor, bit_not, shift_left, shift_right, where, isnan, isinf, isfinite,
                         signbit>;
using exponential_ops = boost::mp11::mp_list<exp, exp2, expm1, expm1_from_exp, log, log2, log10,
                                             log1p, sigmoid, softplus, log1mexp, logaddexp>;
using trigonometric_ops = boost::mp11::mp_list<sin, cos, tan, asin, acos, atan, sinh, cosh, tanh,
                                               sech2, asinh, acosh, atanh, atan2>;
using complex_ops = boost::mp11::mp_list<real, imag, complex, conj, angle>;
using special_ops =
    boost::mp11::mp_list<erf, erfc, erfcx, logerfc, erfinv, erfcinv, gammaln, gamma, betaln,
                         gammainc, gammaincc, gamma_density, gammainc_by_a, digamma, trigamma,
                         polygamma, polygamma_difference, i0, i1, i0e, i1e, j0, j1>;
using integer_ops = boost::mp11::mp_list<fast_length>;
/// All elementwise ops except conversions between element types.
using elementwise_ops =
    boost::mp11::mp_append<arithmetic_ops, logic_ops, exponential_ops, trigonometric_ops,
                           complex_ops, special_ops, integer_ops>;
using reduction_ops = boost::mp11::mp_list<sum, prod, max, min, all, any>;

}  // namespace kroton::op
