// Products of batches: one product of matrices a slice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas.hpp>
#include <kroton/ops/batched.hpp>

namespace kroton::core {

/// A slice along the leading axis, which an extent of 1 repeats.
inline array_ref slice_at(array_ref const& a, std::ptrdiff_t i) {
  array_ref slice = a;
  slice.rank = a.rank - 1;
  if (a.extents[0] != 1) slice.data += i * a.strides[0] * a.bytes;
  for (int d = 0; d < slice.rank; ++d) {
    slice.extents[d] = a.extents[d + 1];
    slice.strides[d] = a.strides[d + 1];
  }
  return slice;
}

template <class T>
void multiply_slices(array_ref const& a, array_ref const& b, array_ref const& c) {
  for (std::ptrdiff_t i = 0; i < c.extents[0]; ++i) product<T>(slice_at(a, i), slice_at(b, i), slice_at(c, i), T(1), T(0));
}

}  // namespace kroton::core
