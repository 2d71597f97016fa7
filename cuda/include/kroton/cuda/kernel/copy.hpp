// Copies between arrays of any strides on one device, whatever their elements are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/grid.hpp>
#include <kroton/cuda/kernel/group.hpp>

#include <utility>

namespace kroton::cuda {

/// The words of an element of so many bytes.
template <int Bytes>
struct alignas(Bytes) raw_element {
  unsigned char bytes[Bytes];
};

/// The source and the target, in this order.
struct copy_arguments {
  space_over<2> space;
  std::int64_t count = 0;

  copy_arguments() {
    space.operands = space.results = 1;
    space.count = 2;
  }
  bool operator==(copy_arguments const&) const = default;
};
template <int Bytes>
struct copy_thread {
  using arguments = copy_arguments;
  KROTON_HOST_DEVICE static KROTON_INLINE void run(copy_arguments const& a, thread_range r) {
    using element = raw_element<Bytes>;
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      std::int64_t at[2]{};
      add_position(a.space, i, at, std::index_sequence<0, 1>{});
      reinterpret_cast<element*>(a.space.data[1])[at[1]] =
          reinterpret_cast<element const*>(a.space.data[0])[at[0]];
    }
  }
};

}  // namespace kroton::cuda
