// The interpreter's interface to kernels: functions over dense blocks, and how to find them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/element.hpp>
#include <kroton/core/op.hpp>
#include <kroton/cpu/loop/space.hpp>

#include <cstddef>
#include <cstdint>

namespace kroton::runtime {

/// Computes n elements of a dense block. The block may be an operand's.
using block_kernel = void (*)(std::byte* out, std::byte const* const* in, std::ptrdiff_t n);

/// How a reduction processes a block.
struct block_reduction {
  // The initial value, how to combine two accumulators, and whether these are wider than the
  // elements
  core::result_fact fact{};
  void (*fold)(std::byte* to, std::byte const* from,
               std::ptrdiff_t n) = nullptr;  // a block into one accumulator
  // Element by element
  void (*accumulate)(std::byte* to, std::byte const* from, std::ptrdiff_t n) = nullptr;
};

/// A whole step of an op with its own kernel; the element type is that of its first operand.
using own_kernel = decltype(core::op_info::run);

/// The source of an interpreter's kernels.
struct kernel_library {
  /// The kernel of an elementwise op for operands of an element type, or null.
  block_kernel (*elementwise)(std::uint64_t key, element operand);
  block_kernel (*conversion)(element from, element to);
  /// How a reduction processes blocks of an element type; null if it has no kernel.
  block_reduction const* (*reduction)(std::uint64_t key, element operand);
  /// The kernel of an op that is not elementwise. If null, the op's record may have one.
  own_kernel (*own)(std::uint64_t key);
};

/// The kernels of built-in ops that have their own. The library contains all of them. Without the
/// library there are none here, since the program contains those that it and its optimizer name:
/// see runtime/own.hpp.
#if defined(KROTON_RUNTIME_LIBRARY)
own_kernel builtin_own_kernel(std::uint64_t key);
#else
inline own_kernel builtin_own_kernel(std::uint64_t) { return nullptr; }
#endif

/// The kernels of the built-in ops.
kernel_library const& builtin_kernels();

}  // namespace kroton::runtime
