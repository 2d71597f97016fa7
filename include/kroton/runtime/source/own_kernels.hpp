// The kernels of all built-in ops that have their own, for every element type: a part of the
// library kroton::runtime.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/catalogue/table.hpp>
#include <kroton/cpu/op/kernels.hpp>
#include <kroton/runtime/kernel_library.hpp>
#include <kroton/runtime/own.hpp>

#include <algorithm>
#include <array>

namespace kroton::runtime {

struct own_entry {
  std::uint64_t key;
  own_kernel run;
};

/// Sorted by key.
template <class... Op>
constexpr auto own_entries(boost::mp11::mp_list<Op...>) {
  std::array<own_entry, sizeof...(Op)> entries{own_entry{info<Op>.key, &core::run_own<Op>}...};
  std::ranges::sort(entries, {}, &own_entry::key);
  return entries;
}

KROTON_RUNTIME_INLINE own_kernel builtin_own_kernel(std::uint64_t key) {
  static constexpr auto entries = own_entries(op::own_ops{});
  auto const found = std::ranges::lower_bound(entries, key, {}, &own_entry::key);
  return found != entries.end() && found->key == key ? found->run : nullptr;
}

}  // namespace kroton::runtime
