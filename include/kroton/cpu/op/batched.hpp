// Products of batches: one product of matrices a slice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/ops/batched.hpp>

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

template <class T>
void multiply_slices(core::array_ref const& a, core::array_ref const& b, core::array_ref const& c) {
  for (std::ptrdiff_t i = 0; i < c.extents[0]; ++i)
    core::product<T>(slice_at(a, i), slice_at(b, i), slice_at(c, i), T(1), T(0));
}

template <>
struct kernel<op::batched_dot> {
  template <class T>
  static void run(core::invocation const& call) {
    multiply_slices<T>(call.operand(0), call.operand(1), call.result());
  }
};

}  // namespace kroton::cpu
