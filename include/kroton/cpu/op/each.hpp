// An op for each index of leading axes, slice by slice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/each.hpp>
#include <kroton/cpu/op/linear_algebra/solving_in_lanes.hpp>

namespace kroton::cpu {

/// The slices of an array that lie along batch axes.
inline core::array_ref slice_of(core::array_ref const& a, int axes, std::ptrdiff_t const* index) {
  core::array_ref slice = a;
  slice.rank = a.rank - axes;
  std::ptrdiff_t offset = 0;
  for (int d = 0; d < axes; ++d) offset += a.extents[d] == 1 ? 0 : index[d] * a.strides[d];
  if (slice.data != nullptr) slice.data += offset * a.bytes;
  for (int d = 0; d < slice.rank; ++d) {
    slice.extents[d] = a.extents[d + axes];
    slice.strides[d] = a.strides[d + axes];
  }
  return slice;
}

/// Runs an op for each slice. `results` is room for the results of one.
template <class Run>
void run_slices(core::invocation const& call, core::array_ref* results, int result_count,
                Run const& run) {
  int const axes = static_cast<int>(call.attribute(0)), arity = static_cast<int>(call.attribute(2));
  auto has_axes = [&](int i) { return (call.attribute(1) >> i & 1) != 0; };
  std::ptrdiff_t extents[core::max_rank], index[core::max_rank]{}, count = 1;
  for (int d = 0; d < axes; ++d) {
    extents[d] = 1;
    for (int i = 0; i < arity; ++i)
      if (has_axes(i) && call.operand(i).extents[d] != 1) extents[d] = call.operand(i).extents[d];
    count *= extents[d];
  }
  core::array_ref operands[core::most_operands_of_each];
  for (; count > 0; --count) {
    for (int i = 0; i < arity; ++i)
      operands[i] = slice_of(call.operand(i), has_axes(i) ? axes : 0, index);
    // One that nobody asks for has no rank either.
    for (int k = 0; k < result_count; ++k)
      results[k] =
          call.result(k).rank < axes ? core::array_ref{} : slice_of(call.result(k), axes, index);
    run(core::invocation{operands, results, call.attributes.from(core::each_attributes)});
    for (int d = axes - 1; d >= 0 && ++index[d] == extents[d]; --d) index[d] = 0;
  }
}

template <class Op>
struct kernel<op::each<Op>> {
  template <class T>
    requires(!core::runs_by_type<Op> || runs_on<Op, T>)
  static void run(core::invocation const& call) {
    static_assert(Op::arity <= core::most_operands_of_each);
    if constexpr (runs_in_lanes<Op, T>) {
      batch_in_lanes<Op, T> batch(call, static_cast<int>(call.attribute(0)), call.attribute(1),
                                  call.attributes.from(core::each_attributes));
      if (batch.is_tiny()) return batch.run();
    }
    core::array_ref results[static_cast<std::size_t>(info<Op>.outputs)];
    void (*one)(core::invocation const&) = nullptr;
    if constexpr (core::runs_by_type<Op>) one = &kernel_of<Op>::template run<T>;
    else one = &kernel_of<Op>::run;
    run_slices(call, results, info<Op>.outputs, one);
  }
};

}  // namespace kroton::cpu
