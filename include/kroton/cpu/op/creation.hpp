// Tensors of numbers written out, of counted numbers, of scalars, of other tensors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/ops/shapes/allocation.hpp>
#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/shapes/joining.hpp>

#include <bit>
#include <cstring>

namespace kroton::cpu {

template <>
struct kernel<op::constant> {
  static void run(core::invocation const& call) {
    static_assert(std::endian::native == std::endian::little);
    core::array_ref const& out = call.result();
    int const words = ops::words_of(out.bytes);
    for (int i = 0, n = static_cast<int>(out.size()); i < n; ++i)
      std::memcpy(out.data + i * out.bytes, &call.attributes[i * words + 1],
                  static_cast<std::size_t>(out.bytes));
  }
};

template <>
struct kernel<op::iota> {
  static void run(core::invocation const& call) {
    auto* const out = reinterpret_cast<std::int64_t*>(call.result().data);
    for (std::ptrdiff_t i = 0; i < call.result().extents[0]; ++i) out[i] = i;
  }
};

template <>
struct kernel<op::make_vector> {
  static void run(core::invocation const& call) {
    core::array_ref const& out = call.result();
    for (std::ptrdiff_t i = 0; i < out.extents[0]; ++i)
      std::memcpy(out.data + i * out.bytes, call.operand(static_cast<int>(i) + 1).data,
                  static_cast<std::size_t>(out.bytes));
  }
};

/// Calls copy(part of the result, operand) for each operand of a join, unless it was computed in
/// its place, see plan/storage.hpp.
template <class Call, class Copy>
void join_operands(Call const& call, Copy copy) {
  auto const axis = static_cast<int>(call.attribute(0));
  core::array_ref const& out = call.result();
  if (out.size() == 0) return;
  core::array_ref part = out;
  for (std::ptrdiff_t begin = 0, k = 1; begin < out.extents[axis];
       begin += part.extents[axis], ++k) {
    core::array_ref const& from = call.operand(static_cast<int>(k));
    part.extents[axis] = from.extents[axis];
    part.data = out.data + begin * out.strides[axis] * out.bytes;
    if (from.data != part.data) copy(part, from);
  }
}
template <>
struct kernel<op::join> {
  static void run(core::invocation const& call) {
    join_operands(call, [](auto const& part, auto const& from) { copy_array(part, from); });
  }
};

}  // namespace kroton::cpu
