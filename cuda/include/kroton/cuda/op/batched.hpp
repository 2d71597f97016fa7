// Products of batches on a device: one product of matrices a slice, all in one launch where BLAS
// takes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/batched.hpp>
#include <kroton/cuda/op/kernel.hpp>

namespace kroton::cuda {

/// A batch of matrices. Vectors become rows of the left factor, columns of the right one.
inline core::array_ref as_matrices(core::array_ref const& a, bool are_rows) {
  if (a.rank != 2) return a;
  core::array_ref m = a;
  m.rank = 3;
  int const own = are_rows ? 2 : 1, added = are_rows ? 1 : 2;
  m.extents[own] = a.extents[1];
  m.strides[own] = a.strides[1];
  m.extents[added] = 1;
  m.strides[added] = 0;
  return m;
}
/// Whether all matrices of a batch have to be copied to have a layout of BLAS.
template <class T>
bool needs_packing(core::array_ref const& batch) {
  return batch.strides[0] < 0 || blas_layout<T>(cpu::slice_at(batch, 0)).data == nullptr;
}
template <class T, class Device>
void multiply_batch_on(device_frame<Device>& f, core::array_ref a, core::array_ref b, T* c,
                       std::int64_t count) {
  std::array<std::size_t, 2> bytes{};
  auto const size = [](core::array_ref const& m) {
    return static_cast<std::size_t>(m.size()) * sizeof(T);
  };
  bool const packs_a = needs_packing<T>(a), packs_b = needs_packing<T>(b);
  if (packs_a) bytes[0] = size(a);
  if (packs_b) bytes[1] = size(b);
  auto const parts = scratch_parts(f, bytes);
  auto const pack = [](core::array_ref& m, std::byte* memory) {
    core::array_ref packed = m;
    packed.make_contiguous_strides();
    packed.data = memory;
    copy_on<Device>(packed, m);
    m = packed;
  };
  if (packs_a) pack(a, parts[0]);
  if (packs_b) pack(b, parts[1]);
  blas_product<T> p{a.extents[1],
                    a.extents[2],
                    b.extents[2],
                    T(1),
                    T(0),
                    blas_layout<T>(cpu::slice_at(a, 0)),
                    blas_layout<T>(cpu::slice_at(b, 0)),
                    c,
                    f.takes_tf32()};
  p.count = count;
  p.stride_a = a.extents[0] == 1 ? 0 : a.strides[0];
  p.stride_b = b.extents[0] == 1 ? 0 : b.strides[0];
  p.stride_c = p.rows * p.columns;
  Device::multiply(p);
}

template <>
struct kernel<op::batched_dot> : device_kernel {
  template <class T>
  static constexpr bool takes = std::is_arithmetic_v<T>;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    core::array_ref const &a = call.operand(0), &b = call.operand(1), &c = call.result();
    if (c.size() == 0) return;
    if constexpr (std::is_floating_point_v<T>)
      if (a.extents[a.rank - 1] > 0)
        return multiply_batch_on(call.frame(), as_matrices(a, true), as_matrices(b, false),
                                 reinterpret_cast<T*>(c.data), c.extents[0]);
    for (std::ptrdiff_t i = 0; i < c.extents[0]; ++i)
      multiply_on<T>(call.frame(), cpu::slice_at(a, i), cpu::slice_at(b, i), cpu::slice_at(c, i),
                     T(1), T(0));
  }
};

}  // namespace kroton::cuda
