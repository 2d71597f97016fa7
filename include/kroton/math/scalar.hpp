// The functions of C++ scalars: bool, integers, float, double and complex numbers, at run time, on
// a device and in
// the compiler. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>

#include <kroton/math/scalar_arithmetic.hpp>
#include <kroton/math/scalar_complex.hpp>
#include <kroton/math/scalar_elementary.hpp>
#include <kroton/math/scalar_exponents.hpp>
#include <kroton/math/scalar_integer.hpp>
#include <kroton/math/scalar_logic.hpp>
#include <kroton/math/scalar_special.hpp>

namespace kroton::math {

template <class R>
struct functions {
  static_assert(std::integral<R>,
                "kroton: this number type has no functions; for a SIMD batch include "
                "<kroton/cpu/simd/math.hpp>");
};
template <std::integral R>
struct functions<R> : scalar_logic<R>, scalar_integer<R> {};
template <std::floating_point R>
struct functions<R>
    : scalar_logic<R>, scalar_arithmetic<R>, scalar_elementary<R>, scalar_exponents<R>,
      scalar_special<R> {};
template <class T>
struct functions<std::complex<T>> : scalar_complex<T> {};

}  // namespace kroton::math
