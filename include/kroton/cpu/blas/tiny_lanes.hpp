// Factors of small matrices, one matrix in each lane of vectors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/machine.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <limits>

namespace kroton::cpu::tiny {

/// One number a lane.
template <class T>
using lanes = xsimd::batch<T>;

/// The extent of a matrix: N, or one that the call knows if N is 0, and room for as many elements.
template <int N>
struct side {
  static constexpr int most = N > 0 ? N : machine::max_extent_in_lanes;
  int given = N;
  KROTON_INLINE int operator()() const { return N > 0 ? N : given; }
};
/// Calls visit(i) for i from `first` to before `end`; written out if the sides of matrices are
/// known, so that their elements stay in registers.
template <int N, class Visit>
KROTON_INLINE void count(int first, int end, Visit const& visit) {
  if constexpr (N > 0) {
    KROTON_UNROLL(8)
    for (int i = first; i < end; ++i) visit(i);
  } else {
    for (int i = first; i < end; ++i) visit(i);
  }
}
template <int N, class Visit>
KROTON_INLINE void count_down(int first, int end, Visit const& visit) {
  count<N>(end, first + 1, [&](int i) KROTON_INLINE_LAMBDA { visit(first + end - i); });
}

/// What all lanes are asked: whether each number so far has been one whose inverse is accurate.
template <class T>
struct regular_lanes {
  xsimd::batch_bool<T> all = lanes<T>(T(0)) == lanes<T>(T(0));

  /// Subnormal numbers and those with subnormal inverses are not; neither is NaN.
  KROTON_INLINE void ask(lanes<T> const& x) {
    constexpr T least = std::numeric_limits<T>::min();
    lanes<T> const size = xsimd::abs(x);
    all = all & (size >= lanes<T>(least)) & (size <= lanes<T>(1 / (4 * least)));
  }
  KROTON_INLINE void ask_positive(lanes<T> const& x) {
    all = all & (x > lanes<T>(T(0)));
    ask(x);
  }
  KROTON_INLINE bool get() const { return xsimd::all(all); }
};

template <class T>
KROTON_INLINE void exchange_where(xsimd::batch_bool<T> const& chosen, lanes<T>& a, lanes<T>& b) {
  lanes<T> const first = a;
  a = xsimd::select(chosen, b, first);
  b = xsimd::select(chosen, first, b);
}

/// LU factors as tiny::factorize has them: of a column-major matrix, in its memory, with row
/// exchanges counted from 1. Useless unless all pivots are regular.
template <class T, int N>
struct lu_in_lanes {
  using vector = lanes<T>;
  side<N> n;
  vector elements[side<N>::most * side<N>::most], pivots[side<N>::most], inverses[side<N>::most];

  KROTON_INLINE vector& at(int i, int j) { return elements[j * n() + i]; }
  KROTON_INLINE vector const& at(int i, int j) const { return elements[j * n() + i]; }

  KROTON_INLINE bool factorize() {
    regular_lanes<T> regular;
    count<N>(0, n(), [&](int k) KROTON_INLINE_LAMBDA {
      vector largest = xsimd::abs(at(k, k)), row(static_cast<T>(k));
      count<N>(k + 1, n(), [&](int i) KROTON_INLINE_LAMBDA {
        vector const size = xsimd::abs(at(i, k));
        auto const larger = size > largest;
        largest = xsimd::select(larger, size, largest);
        row = xsimd::select(larger, vector(static_cast<T>(i)), row);
      });
      regular.ask(largest);
      pivots[k] = row + vector(T(1));
      count<N>(k + 1, n(), [&](int i) KROTON_INLINE_LAMBDA {
        auto const chosen = row == vector(static_cast<T>(i));
        count<N>(0, n(),
                 [&](int j) KROTON_INLINE_LAMBDA { exchange_where(chosen, at(k, j), at(i, j)); });
      });
      inverses[k] = vector(T(1)) / at(k, k);
      count<N>(k + 1, n(), [&](int i) KROTON_INLINE_LAMBDA { at(i, k) = at(i, k) * inverses[k]; });
      count<N>(k + 1, n(), [&](int j) KROTON_INLINE_LAMBDA {
        count<N>(k + 1, n(), [&](int i) KROTON_INLINE_LAMBDA {
          at(i, j) = xsimd::fnma(at(i, k), at(k, j), at(i, j));
        });
      });
    });
    return regular.get();
  }
  /// Of given elements and pivots.
  KROTON_INLINE bool take_factors() {
    regular_lanes<T> regular;
    count<N>(0, n(), [&](int k) KROTON_INLINE_LAMBDA {
      regular.ask(at(k, k));
      inverses[k] = vector(T(1)) / at(k, k);
    });
    return regular.get();
  }

  /// Solves for one right side: with the row-major matrix, which is the transpose of the
  /// column-major one, or with the latter.
  template <bool Transposed>
  KROTON_INLINE void solve(vector* x) const {
    if constexpr (Transposed) count<N>(0, n(), [&](int i) KROTON_INLINE_LAMBDA { exchange(x, i); });
    count<N>(0, n(), [&](int i) KROTON_INLINE_LAMBDA {
      count<N>(0, i, [&](int k) KROTON_INLINE_LAMBDA { subtract<Transposed>(x, i, k); });
      if constexpr (!Transposed) x[i] = x[i] * inverses[i];
    });
    count_down<N>(n() - 1, 0, [&](int i) KROTON_INLINE_LAMBDA {
      count<N>(i + 1, n(), [&](int k) KROTON_INLINE_LAMBDA { subtract<Transposed>(x, i, k); });
      if constexpr (Transposed) x[i] = x[i] * inverses[i];
    });
    if constexpr (!Transposed)
      count_down<N>(n() - 1, 0, [&](int i) KROTON_INLINE_LAMBDA { exchange(x, i); });
  }
  /// A column of the inverse of the row-major matrix.
  KROTON_INLINE void invert(int column, vector* x) const {
    count<N>(0, n(), [&](int i) KROTON_INLINE_LAMBDA { x[i] = vector(T(i == column)); });
    solve<false>(x);
  }

  /// The sign of the row exchanges.
  KROTON_INLINE vector sign() const {
    vector result(T(1));
    count<N>(0, n(), [&](int k) KROTON_INLINE_LAMBDA {
      result = xsimd::select(pivots[k] == vector(static_cast<T>(k + 1)), result, -result);
    });
    return result;
  }
  /// The determinant; whether it and all products on the way are regular.
  KROTON_INLINE bool determinant(vector& product) const {
    product = sign();
    regular_lanes<T> regular;
    count<N>(0, n(), [&](int k) KROTON_INLINE_LAMBDA {
      product = product * at(k, k);
      regular.ask(product);
    });
    return regular.get();
  }

 private:
  KROTON_INLINE void exchange(vector* x, int i) const {
    count<N>(i + 1, n(), [&](int r) KROTON_INLINE_LAMBDA {
      exchange_where(pivots[i] == vector(static_cast<T>(r + 1)), x[i], x[r]);
    });
  }
  template <bool Transposed>
  KROTON_INLINE void subtract(vector* x, int i, int k) const {
    x[i] = xsimd::fnma(Transposed ? at(i, k) : at(k, i), x[k], x[i]);
  }
};

/// A triangle of a row-major matrix, with the inverses of its diagonal.
template <class T, int N>
struct triangle_in_lanes {
  using vector = lanes<T>;
  side<N> n;
  vector elements[side<N>::most * side<N>::most], inverses[side<N>::most];

  /// Whether the diagonal is regular.
  KROTON_INLINE bool invert_diagonal() {
    regular_lanes<T> regular;
    count<N>(0, n(), [&](int i) KROTON_INLINE_LAMBDA {
      regular.ask(elements[i * n() + i]);
      inverses[i] = vector(T(1)) / elements[i * n() + i];
    });
    return regular.get();
  }
  void take_unit_diagonal() {
    count<N>(0, n(), [&](int i) KROTON_INLINE_LAMBDA { inverses[i] = vector(T(1)); });
  }
  KROTON_INLINE void solve(bool lower, vector* x) const {
    if (lower) count<N>(0, n(), [&](int i) KROTON_INLINE_LAMBDA { next(x, i, 0, i); });
    else count_down<N>(n() - 1, 0, [&](int i) KROTON_INLINE_LAMBDA { next(x, i, i + 1, n()); });
  }

 private:
  KROTON_INLINE void next(vector* x, int i, int first, int end) const {
    count<N>(first, end, [&](int k) KROTON_INLINE_LAMBDA {
      x[i] = xsimd::fnma(elements[i * n() + k], x[k], x[i]);
    });
    x[i] = x[i] * inverses[i];
  }
};

/// The lower Cholesky factor of a row-major matrix, of which the lower triangle is read, in its
/// memory; whether the matrix is positive definite.
template <class T, int N>
KROTON_INLINE bool cholesky(lanes<T>* a, side<N> n) {
  regular_lanes<T> regular;
  auto const at = [&](int i, int j) KROTON_INLINE_LAMBDA -> lanes<T>& { return a[i * n() + j]; };
  count<N>(0, n(), [&](int j) KROTON_INLINE_LAMBDA {
    lanes<T> square = at(j, j);
    count<N>(0, j,
             [&](int k) KROTON_INLINE_LAMBDA { square = xsimd::fnma(at(j, k), at(j, k), square); });
    regular.ask_positive(square);
    lanes<T> const root = xsimd::sqrt(square), inverse = lanes<T>(T(1)) / root;
    at(j, j) = root;
    count<N>(j + 1, n(), [&](int i) KROTON_INLINE_LAMBDA {
      lanes<T> sum = at(i, j);
      count<N>(0, j,
               [&](int k) KROTON_INLINE_LAMBDA { sum = xsimd::fnma(at(i, k), at(j, k), sum); });
      at(i, j) = sum * inverse;
      at(j, i) = lanes<T>(T(0));
    });
  });
  return regular.get();
}

}  // namespace kroton::cpu::tiny
