// The kernels of all built-in ops that have their own, for every element type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/catalogue/table.hpp>
#include <kroton/cpu/call/steps.hpp>
#include <kroton/cpu/op/kernels.hpp>
#include <kroton/runtime/kernel_library.hpp>

#include <algorithm>

namespace kroton::runtime {

namespace detail {

struct own_entry {
  std::uint64_t key = 0;
  cpu::kernels_by_type<own_kernel> const* kernels = nullptr;
};

/// Sorted by key.
template <class... Op>
constexpr auto own_entries(boost::mp11::mp_list<Op...>) {
  std::array entries{own_entry{info<Op>.key, &cpu::kernels<Op>}...};
  std::ranges::sort(entries, {}, &own_entry::key);
  return entries;
}

}  // namespace detail

KROTON_RUNTIME_INLINE cpu::kernels_by_type<own_kernel> const* builtin_own_kernels(
    std::uint64_t key) {
  static constexpr auto entries = detail::own_entries(op::own_ops{});
  auto const found = std::ranges::lower_bound(entries, key, {}, &detail::own_entry::key);
  return found != entries.end() && found->key == key ? found->kernels : nullptr;
}

}  // namespace kroton::runtime
