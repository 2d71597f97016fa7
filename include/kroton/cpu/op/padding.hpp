// Arrays with zeros round them, copied.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/ops/shapes/padded.hpp>

#include <cstring>

namespace kroton::cpu {

/// The part of its result in which the operand of op::padded lies.
template <class Call>
core::array_ref part_in_zeros(Call const& call) {
  core::array_ref part = call.result();
  core::array_ref const& from = call.operand(0);
  for (int d = 0, next = part.rank + 1; d < part.rank; ++d) {
    part.extents[d] = from.extents[d];
    if (call.attribute(d) == 0) continue;
    std::int64_t begin = 0;
    std::memcpy(&begin, call.operand(next++).data, sizeof(begin));
    part.data += static_cast<std::ptrdiff_t>(begin) * part.strides[d] * part.bytes;
  }
  return part;
}

template <>
struct kernel<op::padded> {
  static void run(core::invocation const& call) {
    core::array_ref const& out = call.result();
    if (out.size() == 0) return;
    std::memset(out.data, 0, static_cast<std::size_t>(out.size() * out.bytes));
    if (call.operand(0).size() > 0) copy_array(part_in_zeros(call), call.operand(0));
  }
};

}  // namespace kroton::cpu
