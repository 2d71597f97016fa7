// Elements that index tensors name, on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/indexing/taking.hpp>
#include <kroton/cuda/kernel/indexed.hpp>
#include <kroton/cuda/op/kernel.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/indexing/along_axis.hpp>

namespace kroton::cuda {

/// Launches over the axes of a part. `base` and the indices are over them, too; `own` broadcasts to
/// them.
template <class Element, int Indices, class Device>
void launch_indexed(device_frame<Device>& f, core::array_ref const& base,
                    core::array_ref const& own, core::array_ref const* indices,
                    std::ptrdiff_t const* extents, std::ptrdiff_t const* strides) {
  using thread = indexed_thread<Element, Indices>;
  typename thread::arguments a;
  a.space.rank = base.rank;
  for (int d = 0; d < base.rank; ++d) a.space.extents[d] = base.extents[d];
  a.space.add(0, base, base.rank);
  a.space.add(1, own, base.rank);
  for (int k = 0; k < Indices; ++k) {
    a.space.add(2 + k, indices[k], base.rank);
    a.extents[k] = extents[k];
    a.strides[k] = strides[k];
  }
  a.count = size_of_merged(a.space);
  a.fault = f.fault_word();
  if (a.count > 0) Device::template launch<thread>(a);
}

/// The same for elements that a `taking` selects.
template <class Element, class Device>
void launch_taking(device_frame<Device>& f, cpu::taking const& taken, core::array_ref const& base,
                   core::array_ref const& own) {
  core::array_ref indices[core::max_rank];
  std::ptrdiff_t extents[core::max_rank], strides[core::max_rank];
  for (int k = 0; k < taken.count(); ++k) {
    indices[k] = taken.index(k);
    extents[k] = base.extents[taken.axis(k)];
    strides[k] = base.strides[taken.axis(k)];
  }
  auto const launch = [&]<int Count>(std::integral_constant<int, Count>) {
    launch_indexed<Element, Count>(f, taken.unmoved(), own, indices, extents, strides);
  };
  // Each number of indices is another kernel: those of more than two are rare.
  switch (taken.count()) {
    case 0: return launch(std::integral_constant<int, 0>{});
    case 1: return launch(std::integral_constant<int, 1>{});
    case 2: return launch(std::integral_constant<int, 2>{});
    case 3: return launch(std::integral_constant<int, 3>{});
    default: break;
  }
  for (int k = taken.count(); k < core::max_rank; ++k) {
    // An index that moves nothing: each of its elements is the first index, along no axis.
    indices[k] = indices[0];
    extents[k] = extents[0];
    strides[k] = 0;
  }
  launch(std::integral_constant<int, core::max_rank>{});
}

template <>
struct kernel<op::take> : device_kernel {
  static constexpr bool may_fault = true;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    cpu::taking const taken(call.geometry(), call.operand(0), 1);
    launch_taking<taken_element<static_cast<int>(sizeof(T))>>(call.frame(), taken, call.operand(0),
                                                              call.result());
  }
};
template <>
struct kernel<op::inc_take> : device_kernel {
  template <class T>
  static constexpr bool takes = is_added_atomically<T>;
  static constexpr bool may_fault = true, is_ordered = false;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    core::array_ref const& out = call.result();
    copy_on<Device>(out, core::spread(call.operand(0), out));
    cpu::taking const taken(call.geometry(), out, 2);
    launch_taking<added_element<T>>(call.frame(), taken, out,
                                    core::spread(call.operand(1), taken.part()));
  }
};

/// An array over the axes of `over`, along all of them but one.
inline core::array_ref across_axis(core::array_ref const& a, core::array_ref const& over,
                                   int axis) {
  core::array_ref result = core::spread(a, over);
  result.strides[axis] = 0;
  return result;
}
template <>
struct kernel<op::take_along_axis> : device_kernel {
  static constexpr bool may_fault = true;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    int const axis = static_cast<int>(call.attribute(0));
    core::array_ref const &base = call.operand(0), &out = call.result();
    core::array_ref const index = core::spread(call.operand(1), out);
    launch_indexed<taken_element<static_cast<int>(sizeof(T))>, 1>(
        call.frame(), across_axis(base, out, axis), out, &index, &base.extents[axis],
        &base.strides[axis]);
  }
};
template <>
struct kernel<op::add_along_axis> : device_kernel {
  template <class T>
  static constexpr bool takes = is_added_atomically<T>;
  static constexpr bool may_fault = true, is_ordered = false;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    int const axis = static_cast<int>(call.attribute(0));
    core::array_ref const &out = call.result(), &added = call.operand(1);
    core::array_ref const index = core::spread(call.operand(2), added);
    copy_on<Device>(out, core::spread(call.operand(0), out));
    launch_indexed<added_element<T>, 1>(call.frame(), across_axis(out, added, axis), added, &index,
                                        &out.extents[axis], &out.strides[axis]);
  }
};

}  // namespace kroton::cuda
