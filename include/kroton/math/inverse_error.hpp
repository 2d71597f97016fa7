// The inverse error functions of doubles, one by one or in SIMD batches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include <kroton/math/arithmetic.hpp>
#include <kroton/math/elementary.hpp>
#include <kroton/math/logic.hpp>
#include <kroton/math/polynomial.hpp>

namespace kroton::math::formula {

// All polynomials are Chebyshev interpolations with 60 digits.

/// erfinv(x) for |x| <= 5/8: x times a polynomial in x^2 - 3/16, truncated at 5e-17.
template <class R>
constexpr R erfinv_center(R x) {
  return x * math::polynomial(
                 x * x - R(0.1875), 0.9348789112084612, 0.2910814614337053, 0.1943747508805718,
                 0.16122871645853154, 0.148329003076936, 0.1449987141137027, 0.14750480146256348,
                 0.15433862746599164, 0.16490654225009796, 0.17907288142799793, 0.19696816324042538,
                 0.21890849963093123, 0.2457947226120762, 0.27872216523425614, 0.3077122858916729,
                 0.33406696306153977, 0.5176501698686203, 0.7143200529721677);
}

/// erfcinv(q) for 0 < q <= 3/8: t = sqrt(-log q) times a polynomial in 1 / (t + 1) up to t = 3, and
/// in 1 / (t + 2) from there to the least denormal, truncated at 7e-17.
template <class R>
constexpr R erfcinv_tail(R q) {
  const R t = math::sqrt(math::neg(math::log(q)));
  const auto far = math::gt(t, R(3)), near = math::logical_not(far);
  R ratio(1);
  if (math::any(near)) {
    const R u = R(1) / (t + R(1)) - R(0.3982);
    ratio = math::polynomial(
        u, 0.7653767164022544, -1.1463155443130273, -1.285899437399589, 1.0116109686024566,
        2.7074036683372205, 0.8750764840322339, -5.718209474229291, -7.5491805091647635,
        4.531866247973879, 28.16330616809031, 17.12375460450569, -51.89614058786271,
        -128.4149598475472, 22.464244898850577, 356.62218465258366, 472.77100443979384,
        -713.8953599271414, -1277.4408291272307, -818.7483282505929);
  }
  if (math::any(far)) {
    const R u = R(1) / (t + R(2)) - R(0.117);
    ratio = math::select(
        far,
        math::polynomial(
            u, 0.9711907222745183, -0.5153255736115349, -2.809377128323935, -6.031063708470002,
            -13.878185667310255, -8.858291191643762, -28.313364696043774, 259.0992605810007,
            -543.8541614349457, 6410.727635760576, -31085.52980006063, 213508.35276551754,
            -1376222.8735292312, 8587036.08519659, -58030634.72391814, 650558045.4560901,
            -4745446014.993582, -48799110877.604, 397692819099.87476, 16406341952080.107,
            -128267639661418.48, -2251335795991919.0, 1.7716676016491346e+16, 2.340592082824146e+17,
            -1.8381276805581586e+18, -1.3745275810058594e+19, 1.0803837930734721e+20,
            4.091281838158037e+20, -3.209135769788801e+21),
        ratio);
  }
  return t * ratio;
}

/// What both have in common: the number whose error function is x, with q = 1 - |x|. Beyond the
/// ends it is NaN.
template <class R>
constexpr R inverse_error(R x, R q) {
  const auto center = math::ge(q, R(0.375));
  const auto tail = math::logical_and(math::gt(q, R(0)), math::lt(q, R(0.375)));
  R result = math::select(math::eq(q, R(0)), R(std::numeric_limits<double>::infinity()),
                          R(std::numeric_limits<double>::quiet_NaN()));
  if (math::any(tail))
    result = math::select(tail, formula::erfcinv_tail(math::select(tail, q, R(0.25))), result);
  result = math::select(math::lt(x, R(0)), math::neg(result), result);
  return math::select(center, formula::erfinv_center(math::select(center, x, R(0))), result);
}
template <class R>
constexpr R erfinv(R x) {
  return formula::inverse_error(x, R(1) - math::abs(x));
}
/// Both differences are exact where they count: 1 - x for x >= 1/2, 2 - x for x >= 1. Next to 3/8
/// what rounding 1 - x loses is less than half a unit of the result.
template <class R>
constexpr R erfcinv(R x) {
  return formula::inverse_error(R(1) - x, math::select(math::lt(x, R(1)), x, R(2) - x));
}

}  // namespace kroton::math::formula
