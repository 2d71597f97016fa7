// Systems, inverses, determinants and factors of small matrices of a batch, side by side.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/linear_algebra/lanes.hpp>
#include <kroton/cpu/simd/math.hpp>
#include <kroton/ops/linear_algebra/decompositions.hpp>
#include <kroton/ops/linear_algebra/factors.hpp>

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

/// What ops make of factors: `run` stores it, from the array `result` on, and gives whether it is
/// of use. First the solution for right sides, which the last operand has.
struct solution_by_factors {
  template <class T, int N>
  static bool run(tiny::lu_in_lanes<T, N> const& lu, slices_in_lanes<T, N> const& s, int result) {
    tiny::lanes<T> x[tiny::side<N>::most];
    bool const transposed = s.attributes.count > 0 && s.attributes[0] != 0;
    for (int j = 0; j < s.columns(result - 1); ++j) {
      s.load_column(result - 1, j, x);
      if (transposed) lu.template solve<true>(x);
      else lu.template solve<false>(x);
      s.store_column(result, j, x);
    }
    return true;
  }
};
struct inverse_by_factors {
  template <class T, int N>
  static bool run(tiny::lu_in_lanes<T, N> const& lu, slices_in_lanes<T, N> const& s, int result) {
    tiny::lanes<T> x[tiny::side<N>::most];
    for (int j = 0; j < lu.n(); ++j) {
      lu.invert(j, x);
      s.store_column(result, j, x);
    }
    return true;
  }
};
struct det_by_factors {
  template <class T, int N>
  static bool run(tiny::lu_in_lanes<T, N> const& lu, slices_in_lanes<T, N> const& s, int result) {
    tiny::lanes<T> d;
    if (!lu.determinant(d)) return false;
    s.store(result, 0, d);
    return true;
  }
};
struct slogdet_by_factors {
  template <class T, int N>
  static bool run(tiny::lu_in_lanes<T, N> const& lu, slices_in_lanes<T, N> const& s, int result) {
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
};
/// The determinant times the transpose of the inverse.
struct cofactors_by_factors {
  template <class T, int N>
  static bool run(tiny::lu_in_lanes<T, N> const& lu, slices_in_lanes<T, N> const& s, int result) {
    tiny::lanes<T> d, x[tiny::side<N>::most];
    if (!lu.determinant(d)) return false;
    for (int j = 0; j < lu.n(); ++j) {
      lu.invert(j, x);
      tiny::count<N>(0, lu.n(), [&](int i) KROTON_INLINE_LAMBDA {
        s.store(result, j * lu.n() + i, d * x[i]);
      });
    }
    return true;
  }
};

/// An op that factorizes its first operand, and one that gets the factors.
template <class Op, class Made>
struct lanes_with_factors : without_integers {
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return factorize(s, lu) && Made::run(lu, s, Op::arity);
  }
};
template <class Op, class Made>
struct lanes_of_factors {
  static constexpr int integers = 1;
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    tiny::lu_in_lanes<T, N> lu;
    return take_factors(s, lu) && Made::run(lu, s, Op::arity);
  }
};

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
struct lane_kernel<op::solve> : lanes_with_factors<op::solve, solution_by_factors> {};
template <>
struct lane_kernel<op::solve_by_factors>
    : lanes_of_factors<op::solve_by_factors, solution_by_factors> {};
template <>
struct lane_kernel<op::matrix_inverse>
    : lanes_with_factors<op::matrix_inverse, inverse_by_factors> {};
template <>
struct lane_kernel<op::inverse_of_factors>
    : lanes_of_factors<op::inverse_of_factors, inverse_by_factors> {};
template <>
struct lane_kernel<op::det> : lanes_with_factors<op::det, det_by_factors> {};
template <>
struct lane_kernel<op::det_of_factors> : lanes_of_factors<op::det_of_factors, det_by_factors> {};
template <>
struct lane_kernel<op::slogdet> : lanes_with_factors<op::slogdet, slogdet_by_factors> {};
template <>
struct lane_kernel<op::slogdet_of_factors>
    : lanes_of_factors<op::slogdet_of_factors, slogdet_by_factors> {};
template <>
struct lane_kernel<op::cofactors> : lanes_with_factors<op::cofactors, cofactors_by_factors> {};
template <>
struct lane_kernel<op::cofactors_of_factors>
    : lanes_of_factors<op::cofactors_of_factors, cofactors_by_factors> {};

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
