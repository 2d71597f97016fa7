// What square roots of matrices compute by: those of triangular forms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/linear_algebra/triangular_form.hpp>
#include <kroton/ops/linear_algebra/matrix_functions.hpp>

namespace kroton::cpu {

/// Makes a triangle its square root. An eigenvalue of a real matrix must not be negative; one that
/// is so only by rounding counts as 0.
template <class C>
void take_root(upper_triangle<C> t, bool is_real) {
  using R = typename C::value_type;
  R const nothing = t.rounding();
  for (std::ptrdiff_t j = 0; j < t.side; ++j) {
    // On the negative real axis all roots are above 0, whatever the sign of the imaginary 0 is: the
    // sums of roots below must not vanish.
    C const value(t(j, j).real(), t(j, j).imag() + R(0));
    bool const is_negative = is_real && value.real() < 0 && std::abs(value.imag()) <= nothing;
    if (is_negative && value.real() < -nothing)
      lapack::refuse("sqrtm",
                     "an eigenvalue is negative, so that the square root is complex: "
                     "convert the matrix with kt::cast<std::complex<double>>");
    t(j, j) = is_negative ? C(0) : std::sqrt(value);
    for (std::ptrdiff_t i = j - 1; i >= 0; --i) {
      C rest = t(i, j);
      for (std::ptrdiff_t k = i + 1; k < j; ++k) rest -= times(t(i, k), t(k, j));
      C const by = t(i, i) + t(j, j);
      if (by == C(0) && std::abs(rest) > nothing)
        lapack::refuse("sqrtm", "the matrix has no square root");
      t(i, j) = by == C(0) ? C(0) : rest / by;
    }
  }
}

template <>
struct kernel<op::sqrtm> {
  template <ops::linear_number T>
  static void run(invocation const& call) {
    using C = std::complex<lapack::real_t<T>>;
    by_triangular_form<T, C>("sqrtm", call,
                             [](upper_triangle<C> t) { take_root(t, !is_complex_number<T>); });
  }
};

}  // namespace kroton::cpu
