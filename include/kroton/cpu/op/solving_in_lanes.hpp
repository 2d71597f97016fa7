// Systems, inverses, determinants and factors of small matrices of a batch, side by side.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/lanes.hpp>
#include <kroton/cpu/simd/math.hpp>
#include <kroton/ops/decompositions.hpp>
#include <kroton/ops/factors.hpp>

namespace kroton::cpu {

/// LU factors of the transposes of the first operand; whether they are of use.
template <class T, int N>
KROTON_INLINE bool factorize(slices_in_lanes<T, N> const& s, tiny::lu_in_lanes<T, N>& lu) {
  lu.n = s.side();
  s.load_matrix(0, lu.elements);
  return lu.factorize();
}
/// Those that the first operands are, of which the second one has integers.
template <class T, int N>
KROTON_INLINE bool take_factors(slices_in_lanes<T, N> const& s, tiny::lu_in_lanes<T, N>& lu) {
  lu.n = s.side();
  s.load_matrix(0, lu.elements);
  tiny::count<N>(0, lu.n(), [&](int i) KROTON_INLINE_LAMBDA { lu.pivots[i] = s.load(1, i); });
  return lu.take_factors();
}

template <class T, int N>
bool solve_by(tiny::lu_in_lanes<T, N> const& lu, slices_in_lanes<T, N> const& s, int right,
              bool transposed) {
  tiny::lanes<T> x[tiny::side<N>::most];
  for (int j = 0; j < s.columns(right); ++j) {
    s.load_column(right, j, x);
    if (transposed) lu.template solve<true>(x);
    else lu.template solve<false>(x);
    s.store_column(right + 1, j, x);
  }
  return true;
}
template <class T, int N>
bool invert_by(tiny::lu_in_lanes<T, N> const& lu, slices_in_lanes<T, N> const& s, int result) {
  tiny::lanes<T> x[tiny::side<N>::most];
  for (int j = 0; j < lu.n(); ++j) {
    lu.invert(j, x);
    s.store_column(result, j, x);
  }
  return true;
}
template <class T, int N>
bool det_by(tiny::lu_in_lanes<T, N> const& lu, slices_in_lanes<T, N> const& s, int result) {
  tiny::lanes<T> d;
  if (!lu.determinant(d)) return false;
  s.store(result, 0, d);
  return true;
}
template <class T, int N>
bool slogdet_by(tiny::lu_in_lanes<T, N> const& lu, slices_in_lanes<T, N> const& s, int result) {
  using vector = tiny::lanes<T>;
  vector sign = lu.sign(), sum(T(0));
  for (int k = 0; k < lu.n(); ++k) {
    sign = xsimd::select(lu.at(k, k) < vector(T(0)), -sign, sign);
    sum = sum + op::log::value(vector(xsimd::abs(lu.at(k, k))));
  }
  if (s.is_read(result)) s.store(result, 0, sign);
  if (s.is_read(result + 1)) s.store(result + 1, 0, sum);
  return true;
}
/// The determinant times the transpose of the inverse.
template <class T, int N>
bool cofactors_by(tiny::lu_in_lanes<T, N> const& lu, slices_in_lanes<T, N> const& s, int result) {
  tiny::lanes<T> d, x[tiny::side<N>::most];
  if (!lu.determinant(d)) return false;
  for (int j = 0; j < lu.n(); ++j) {
    lu.invert(j, x);
    tiny::count<N>(0, lu.n(),
                   [&](int i) KROTON_INLINE_LAMBDA { s.store(result, j * lu.n() + i, d * x[i]); });
  }
  return true;
}

template <>
struct lane_kernel<op::lu> {
  static constexpr int integers = 2;
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    if (!factorize(s, lu)) return false;
    s.store_matrix(1, lu.elements);
    if (s.is_read(2))
      tiny::count<N>(0, lu.n(), [&](int i) KROTON_INLINE_LAMBDA { s.store(2, i, lu.pivots[i]); });
    return true;
  }
};
template <>
struct lane_kernel<op::solve> : without_integers {
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return factorize(s, lu) && solve_by(lu, s, 1, false);
  }
};
template <>
struct lane_kernel<op::solve_by_factors> {
  static constexpr int integers = 1;
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return take_factors(s, lu) && solve_by(lu, s, 2, s.attributes[0] != 0);
  }
};
template <>
struct lane_kernel<op::matrix_inverse> : without_integers {
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return factorize(s, lu) && invert_by(lu, s, 1);
  }
};
template <>
struct lane_kernel<op::inverse_of_factors> {
  static constexpr int integers = 1;
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return take_factors(s, lu) && invert_by(lu, s, 2);
  }
};
template <>
struct lane_kernel<op::det> : without_integers {
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return factorize(s, lu) && det_by(lu, s, 1);
  }
};
template <>
struct lane_kernel<op::det_of_factors> {
  static constexpr int integers = 1;
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return take_factors(s, lu) && det_by(lu, s, 2);
  }
};
template <>
struct lane_kernel<op::slogdet> : without_integers {
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return factorize(s, lu) && slogdet_by(lu, s, 1);
  }
};
template <>
struct lane_kernel<op::slogdet_of_factors> {
  static constexpr int integers = 1;
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return take_factors(s, lu) && slogdet_by(lu, s, 2);
  }
};
template <>
struct lane_kernel<op::cofactors> : without_integers {
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return factorize(s, lu) && cofactors_by(lu, s, 1);
  }
};
template <>
struct lane_kernel<op::cofactors_of_factors> {
  static constexpr int integers = 1;
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return take_factors(s, lu) && cofactors_by(lu, s, 3);
  }
};
template <>
struct lane_kernel<op::solve_triangular> : without_integers {
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::triangle_in_lanes<T, N> a;
    a.n = s.side();
    s.load_matrix(0, a.elements);
    bool const lower = s.attributes[0] != 0, unit = s.attributes[1] != 0;
    if (unit) a.take_unit_diagonal();
    else if (!a.invert_diagonal()) return false;
    tiny::lanes<T> x[tiny::side<N>::most];
    for (int j = 0; j < s.columns(1); ++j) {
      s.load_column(1, j, x);
      a.solve(lower, x);
      s.store_column(2, j, x);
    }
    return true;
  }
};
template <>
struct lane_kernel<op::cholesky> : without_integers {
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lanes<T> a[tiny::side<N>::most * tiny::side<N>::most];
    s.load_matrix(0, a);
    if (!tiny::cholesky<T>(a, s.side())) return false;
    s.store_matrix(1, a);
    return true;
  }
};

}  // namespace kroton::cpu
