// Where conditions on elements hold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/kernel.hpp>
#include <kroton/ops/indexing/masking.hpp>

namespace kroton::cpu {

template <>
struct kernel<op::nonzero> {
  static void run(core::invocation const& call) {
    core::array_ref const& mask = call.operand(0);
    auto* to = reinterpret_cast<std::int64_t*>(call.result().data);
    std::ptrdiff_t const n = mask.rank == 0 ? 1 : mask.extents[mask.rank - 1],
                         step = mask.rank == 0 ? 0 : mask.strides[mask.rank - 1];
    std::int64_t position = 0;
    core::for_each_row(mask, mask, [&](std::ptrdiff_t row, std::ptrdiff_t) {
      for (std::ptrdiff_t i = 0; i < n; ++i, ++position)
        if (mask.data[row + i * step] != std::byte{0}) *to++ = position;
    });
  }
};

template <>
struct kernel<op::starts_run> {
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const& x = call.operand(0);
    auto at = [&](std::ptrdiff_t i) {
      return reinterpret_cast<T const*>(x.data)[i * x.strides[0]];
    };
    for (std::ptrdiff_t i = 0; i < x.extents[0]; ++i) {
      bool const same = i > 0 && (at(i) == at(i - 1) || (at(i) != at(i) && at(i - 1) != at(i - 1)));
      call.result().data[i] = std::byte{!same};
    }
  }
};

}  // namespace kroton::cpu
