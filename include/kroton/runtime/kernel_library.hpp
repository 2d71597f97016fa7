// The interpreter's interface to kernels: functions over dense blocks, and how to find them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/space.hpp>
#include <kroton/cpu/op/by_type.hpp>

#include <cstdint>

namespace kroton::runtime {

using cpu::block_kernel;
using cpu::own_kernel;

/// How a reduction processes a block.
struct block_reduction {
  // The initial value, how to combine two accumulators, and whether these are wider than the
  // elements
  cpu::result_fact fact{};
  void (*fold)(std::byte* to, std::byte const* from,
               std::ptrdiff_t n) = nullptr;  // a block into one accumulator
  // Element by element
  void (*accumulate)(std::byte* to, std::byte const* from, std::ptrdiff_t n) = nullptr;
};

/// The source of an interpreter's kernels. Each function returns null for what it does not have.
struct kernel_library {
  /// The kernels of an elementwise op, and of an op that runs a function of its own.
  cpu::kernels_by_type<block_kernel> const* (*elementwise)(std::uint64_t key);
  cpu::kernels_by_type<own_kernel> const* (*own)(std::uint64_t key);
  block_kernel (*conversion)(element from, element to);
  /// How a reduction processes blocks of an element type.
  block_reduction const* (*reduction)(std::uint64_t key, element operand);

  block_kernel block(core::op_info const& op, element operand) const {
    return kernel_of(elementwise, op, operand);
  }
  own_kernel step(core::op_info const& op, element operand) const {
    // Steps only move what is stored in 16 bits.
    return kernel_of(own, op, core::is_short(operand) ? element::uint16 : operand);
  }

 private:
  /// Ops that are not built in have their kernels themselves.
  template <class Kernel>
  static Kernel kernel_of(cpu::kernels_by_type<Kernel> const* (*find)(std::uint64_t),
                          core::op_info const& op, element operand) {
    auto const* all = find(op.key);
    if (all == nullptr && op.kernels != nullptr)
      all = static_cast<cpu::kernels_by_type<Kernel> const*>(op.kernels());
    auto const type = static_cast<std::size_t>(operand);
    return all == nullptr || type >= all->size() ? nullptr : (*all)[type];
  }
};

/// The kernels of the built-in ops that have a function of their own.
cpu::kernels_by_type<own_kernel> const* builtin_own_kernels(std::uint64_t key);

/// The kernels of the built-in ops.
kernel_library const& builtin_kernels();

}  // namespace kroton::runtime
