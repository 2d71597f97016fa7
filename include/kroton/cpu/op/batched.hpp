// Products of batches: one product of matrices a slice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/blas/written_products.hpp>
#include <kroton/cpu/op/linear_algebra/lanes.hpp>
#include <kroton/ops/linear_algebra/batched.hpp>

#include <algorithm>

namespace kroton::cpu {

/// A slice along the leading axis, which an extent of 1 repeats.
inline core::array_ref slice_at(core::array_ref const& a, std::ptrdiff_t i) {
  core::array_ref slice = a;
  slice.rank = a.rank - 1;
  if (a.extents[0] != 1) slice.data += i * a.strides[0] * a.bytes;
  for (int d = 0; d < slice.rank; ++d) {
    slice.extents[d] = a.extents[d + 1];
    slice.strides[d] = a.strides[d + 1];
  }
  return slice;
}

/// Whether slices are so small that a call of BLAS takes longer than their product. Rows of the
/// second factor have to be contiguous.
inline bool are_small(core::array_ref const& a, core::array_ref const& b) {
  return a.rank == 3 && b.rank == 3 && b.strides[2] == 1 &&
         a.extents[1] * a.extents[2] * b.extents[2] <= machine::max_small_slice;
}
template <class T>
void multiply_small(core::array_ref const& a, core::array_ref const& b, T* c) {
  T const* const x = reinterpret_cast<T const*>(a.data);
  T const* const y = reinterpret_cast<T const*>(b.data);
  std::ptrdiff_t const inner = a.extents[1], columns = b.extents[1];
  for (std::ptrdiff_t i = 0; i < a.extents[0]; ++i)
    cpu::small::vector_times_matrix<T>(x + i * a.strides[0], a.strides[1], inner, y, b.strides[0],
                                       columns, {T(1), T(0)}, c + i * columns, c + i * columns);
}

/// The extent of slices that are square matrices of so few rows that their products are written
/// out, or 0. Rows of the second factor have to be contiguous.
inline std::ptrdiff_t written_extent(core::array_ref const& a, core::array_ref const& b) {
  std::ptrdiff_t const n = b.extents[b.rank - 1];
  bool const are_square = a.rank == 3 && b.rank == 3 && a.extents[1] == n && b.extents[1] == n &&
                          a.extents[2] == n && b.strides[2] == 1;
  return are_square && n <= machine::max_written_slice ? n : 0;
}
template <int N, class T>
void multiply_written(core::array_ref const& a, core::array_ref const& b,
                      core::array_ref const& c) {
  auto const start = [](core::array_ref const& of, std::ptrdiff_t i) {
    return reinterpret_cast<T*>(of.data) + (of.extents[0] == 1 ? 0 : i * of.strides[0]);
  };
  for (std::ptrdiff_t i = 0; i < c.extents[0]; ++i)
    small::written_rows<N, N, N>(start(a, i), a.strides[1], a.strides[2], start(b, i),
                                 b.strides[1], small::plain_sums{}, start(c, i), start(c, i));
}

template <class T>
void multiply_slices(core::array_ref const& a, core::array_ref const& b, core::array_ref const& c) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (written_extent(a, b)) {
      case 2: return multiply_written<2, T>(a, b, c);
      case 3: return multiply_written<3, T>(a, b, c);
      case 4: return multiply_written<4, T>(a, b, c);
      case 5: return multiply_written<5, T>(a, b, c);
      case 6: return multiply_written<6, T>(a, b, c);
      default: break;
    }
    if (are_small(a, b)) {
      T* const to = reinterpret_cast<T*>(c.data);
      std::ptrdiff_t const count = c.extents[1] * c.extents[2];
      for (std::ptrdiff_t i = 0; i < c.extents[0]; ++i)
        multiply_small<T>(slice_at(a, i), slice_at(b, i), to + i * count);
      return;
    }
  }
  for (std::ptrdiff_t i = 0; i < c.extents[0]; ++i)
    cpu::product<T>(slice_at(a, i), slice_at(b, i), slice_at(c, i), T(1), T(0));
}

template <>
struct lane_kernel<op::batched_dot> : without_integers {
  template <class T, int N>
  static bool run(slices_in_lanes<T, N> const& s) {
    auto const inner = s.side();
    tiny::lanes<T> row[tiny::side<N>::most];
    for (int i = 0; i < s.rows(0); ++i) {
      tiny::count<N>(0, inner(), [&](int k) KROTON_INLINE_LAMBDA {
        row[k] = s.load(0, i * inner() + k);
      });
      for (int j = 0; j < s.columns(1); ++j) {
        tiny::lanes<T> sum = row[0] * s.load(1, j);
        tiny::count<N>(1, inner(), [&](int k) KROTON_INLINE_LAMBDA {
          sum = xsimd::fma(row[k], s.load(1, k * s.columns(1) + j), sum);
        });
        s.store(2, i * s.columns(1) + j, sum);
      }
    }
    return true;
  }
};

/// Whether slices are so small and so many that lanes pay, where their products are not written
/// out.
template <class T>
bool may_go_in_lanes(core::array_ref const& a, core::array_ref const& b) {
  constexpr auto width = static_cast<std::ptrdiff_t>(tiny::lanes<T>::size);
  return std::max(a.extents[0], b.extents[0]) >= machine::min_products_in_lanes &&
         a.extents[1] * b.extents[1] * b.extents[2] <= machine::max_product_of_lane * width &&
         written_extent(a, b) == 0;
}

template <>
struct kernel<op::batched_dot> {
  template <class T>
  static void run(core::invocation const& call) {
    if constexpr (runs_in_lanes<op::batched_dot, T>)
      if (may_go_in_lanes<T>(call.operand(0), call.operand(1))) {
        batch_in_lanes<op::batched_dot, T> batch(call, 1, 3, call.attributes);
        if (batch.is_tiny()) return batch.run();
      }
    multiply_slices<T>(call.operand(0), call.operand(1), call.result());
  }
};

}  // namespace kroton::cpu
