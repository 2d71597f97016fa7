// The products of a direct call, whose strides along rows or columns are constants.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/small_products.hpp>
#include <kroton/cpu/blas/written_products.hpp>
#include <kroton/cpu/call/direct/arrays.hpp>

namespace kroton::cpu {

/// What an inline product of a program does; see direct_tables::is_inline_product.
template <class Program>
class direct_products {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  template <int V>
  using type_of = value_t<tables::value(V).type>;

 public:
  template <int S>
  static KROTON_INLINE void multiply(state& s) {
    using way = typename tables::direct_product;
    constexpr bool accumulates = tables::step(S).kind == step_kind::gemm;
    constexpr int a = tables::operand(S, 0), b = tables::operand(S, 1), v = tables::result(S, 0);
    constexpr int old_value = accumulates ? tables::operand(S, 2) : v;
    using T = type_of<v>;
    T const* const x = reinterpret_cast<T const*>(s.template address<a>());
    T const* const y = reinterpret_cast<T const*>(s.template address<b>());
    T* const out = reinterpret_cast<T*>(s.template address<v>());
    T const* const old = reinterpret_cast<T const*>(s.template address<old_value>());
    small::scaling<T> by{T(1), T(0)};
    if constexpr (accumulates) {
      by.alpha = static_cast<T>(real<tables::operand(S, 3)>(s));
      by.beta = static_cast<T>(real<tables::operand(S, 4)>(s));
    }
    constexpr int last = tables::value(a).rank - 1;
    if constexpr (is_written_product<S>()) {
      if constexpr (accumulates) multiply_written<S>(s, x, y, small::scaled_sums<T>{by}, old, out);
      else multiply_written<S>(s, x, y, small::plain_sums{}, old, out);
      return;
    }
    std::ptrdiff_t const inner = s.template extent<tables::value(a).extents[last]>();
    if constexpr (tables::product_way(S) == way::inner) {
      *out = by.of(small::inner(x, y, inner), old);
    } else if constexpr (tables::value(b).rank == 1) {
      std::ptrdiff_t const rows = s.template extent<tables::value(a).extents[0]>();
      if constexpr (tables::product_way(S) == way::columns)
        small::matrix_times_vector(x, s.template stride<a, 0>(), rows, y, inner, by, old, out);
      else
        small::vector_times_matrix(y, s.template stride<b, 0>(), inner, x,
                                   s.template stride<a, 1>(), rows, by, old, out);
    } else {
      std::ptrdiff_t const rows = last == 1 ? s.template extent<tables::value(a).extents[0]>() : 1,
                           columns = s.template extent<tables::value(b).extents[1]>();
      std::ptrdiff_t const to_next = next_row_of<a>(s);
      for (std::ptrdiff_t i = 0; i < rows; ++i) {
        if constexpr (tables::product_way(S) == way::rows)
          small::vector_times_matrix(x + i * to_next, s.template stride<a, last>(), inner, y,
                                     s.template stride<b, 0>(), columns, by, old + i * columns,
                                     out + i * columns);
        else
          small::matrix_times_vector(y, s.template stride<b, 1>(), columns, x + i * to_next, inner,
                                     by, old + i * columns, out + i * columns);
      }
    }
  }
 private:
  /// The number of rows or columns of a factor, 1 for a vector, or -1 where only calls know.
  static constexpr int known_extent(int v, int axis) {
    if (axis < 0 || axis >= tables::value(v).rank) return 1;
    long long const n = tables::known_extent(tables::value(v).extents[axis]);
    return n > machine::max_written_extent ? -1 : static_cast<int>(n);
  }
  template <int S>
  struct factors {
    static constexpr int a = tables::operand(S, 0), b = tables::operand(S, 1),
                         last = tables::value(a).rank - 1;
    static constexpr int rows = known_extent(a, last - 1), inner = known_extent(a, last),
                         columns = known_extent(b, 1);
  };
  template <int S>
  static constexpr bool is_written_product() {
    using is = factors<S>;
    return is::rows > 0 && is::inner > 0 && is::columns > 0 &&
           is::rows * is::inner * is::columns <= machine::max_written_product;
  }
  template <int S, class T, class Scaled>
  static KROTON_INLINE void multiply_written(state& s, T const* x, T const* y,
                                             Scaled const& scaled, T const* old, T* out) {
    using way = typename tables::direct_product;
    using is = factors<S>;
    constexpr int a = is::a, b = is::b, last = is::last;
    if constexpr (tables::product_way(S) == way::inner) {
      small::written_columns<1, is::inner>(x, 0, y, scaled, old, out);
    } else if constexpr (tables::value(b).rank == 1) {
      if constexpr (tables::product_way(S) == way::columns)
        small::written_columns<is::rows, is::inner>(x, s.template stride<a, 0>(), y, scaled, old,
                                                    out);
      else
        small::written_rows<1, is::inner, is::rows>(y, 0, s.template stride<b, 0>(), x,
                                                    s.template stride<a, 1>(), scaled, old, out);
    } else if constexpr (tables::product_way(S) == way::rows) {
      small::written_rows<is::rows, is::inner, is::columns>(
          x, next_row_of<a>(s), s.template stride<a, last>(), y, s.template stride<b, 0>(), scaled,
          old, out);
    } else {
      small::for_each_of<is::rows>([&](auto i) KROTON_INLINE_LAMBDA {
        small::written_columns<is::columns, is::inner>(y, s.template stride<b, 1>(),
                                                       x + i * next_row_of<a>(s), scaled,
                                                       old + i * is::columns,
                                                       out + i * is::columns);
      });
    }
  }
  template <int V>
  static KROTON_INLINE std::ptrdiff_t next_row_of(state const& s) {
    if constexpr (tables::value(V).rank == 2)
      return s.template stride<V, 0>();
    else
      return 0;
  }
  template <int V>
  static KROTON_INLINE double real(state& s) {
    return static_cast<double>(*reinterpret_cast<type_of<V> const*>(s.template address<V>()));
  }
};

}  // namespace kroton::cpu
