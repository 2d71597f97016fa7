// What keeps a program off a device, and the sentences that say so.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/target.hpp>

namespace kroton::cuda {

/// What keeps a program off the device.
enum class obstacle {
  none,
  complex,
  reduction,
  product,
  view,
  update,
  choice,
  early_extent,
  other
};

template <class Program>
constexpr plan::value_info value_in_pool(int at) {
  return Program::values[static_cast<std::size_t>(Program::pool[static_cast<std::size_t>(at)])];
}
template <class Program, std::size_t I>
constexpr obstacle obstacle_at() {
  constexpr plan::step_info step = Program::steps[I];
  if constexpr (step.kind == core::step_kind::loop) {
    using group = freeze::group<freeze::lift_t<Program, step.body>>;
    if (group::has(element::complex64) || group::has(element::complex128)) return obstacle::complex;
    return step.space_rank > 0 && group::has_reduction ? obstacle::reduction : obstacle::none;
  } else if constexpr (core::traits_of(step.kind).view == core::step_traits::part) {
    // Scalars live on the host and arrays on the device, so no view leads from one to the other;
    // and a reshape copies what is not contiguous, as a view of a view may be.
    constexpr plan::value_info from = value_in_pool<Program>(step.first);
    constexpr plan::value_info to = value_in_pool<Program>(step.first + step.operand_count);
    bool const crosses = (from.rank == 0) != (to.rank == 0);
    bool const copies = step.kind == core::step_kind::reshape && from.where == plan::storage::view;
    return crosses || copies ? obstacle::view : obstacle::none;
  } else if constexpr (core::traits_of(step.kind).is_product) {
    return obstacle::product;
  } else if constexpr (step.kind == core::step_kind::ifelse) {
    return obstacle::choice;
  } else {
    return obstacle::other;
  }
}

/// The first obstacle of a program.
template <class Program>
constexpr obstacle obstacle_of() {
  if (Program::updates.size() > 0) return obstacle::update;
  for (auto const& v : Program::values)
    if (v.where == plan::storage::early) return obstacle::early_extent;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    obstacle found = obstacle::none;
    using expand = int[];
    (void)expand{0, (found = found == obstacle::none ? obstacle_at<Program, I>() : found, 0)...};
    return found;
  }(std::make_index_sequence<Program::steps.size()>{});
}

/// Rejects a program that does not run on a device, with a sentence.
template <class Program, int Bound>
constexpr bool runs_on_device() {
  constexpr obstacle met = Bound > 0 ? obstacle::update : obstacle_of<Program>();
  static_assert(met != obstacle::complex,
                "kt::cuda::function: complex numbers need the CPU, kt::function");
  static_assert(met != obstacle::reduction,
                "kt::cuda::function: only elementwise expressions run here; a reduction (sum, "
                "mean, max ...) needs the CPU, kt::function");
  static_assert(met != obstacle::product,
                "kt::cuda::function: only elementwise expressions run here; a product (dot) "
                "needs the CPU, kt::function");
  static_assert(
      met != obstacle::choice,
      "kt::cuda::function: a lazy ifelse is not supported here: where(c, a, b) chooses element "
      "by element; or use the CPU, kt::function");
  static_assert(
      met != obstacle::other,
      "kt::cuda::function: only elementwise expressions run here; everything else (an update "
      "of part of an array ...) needs the CPU, kt::function");
  static_assert(
      met != obstacle::view,
      "kt::cuda::function: views between scalars and arrays and reshapes of views are not "
      "supported here; they need the CPU, kt::function");
  static_assert(met != obstacle::early_extent,
                "kt::cuda::function: an extent depends on elements of an array, which are on the "
                "device");
  static_assert(met != obstacle::update,
                "kt::cuda::function: shared variables are not supported here");
  return met == obstacle::none;
}

}  // namespace kroton::cuda
