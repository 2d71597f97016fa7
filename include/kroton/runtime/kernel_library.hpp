// What the interpreter knows of kernels: functions over dense blocks, and where to find them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/element.hpp>
#include <kroton/core/op.hpp>
#include <kroton/cpu/loop/space.hpp>

#include <cstddef>
#include <cstdint>

namespace kroton::runtime {

/// Computes n elements of a dense block. The block may be that of an operand.
using block_kernel = void (*)(std::byte* out, std::byte const* const* in, std::ptrdiff_t n);

/// What a reduction does to a block.
struct block_reduction {
  // How to start, how to combine two accumulators, and whether these are wider than the elements
  core::result_fact fact{};
  void (*fold)(std::byte* to, std::byte const* from,
               std::ptrdiff_t n) = nullptr;  // a block into one accumulator
  // Element by element
  void (*accumulate)(std::byte* to, std::byte const* from, std::ptrdiff_t n) = nullptr;
};

/// A whole step of an op that computes by a function of its own; the element type is that of its
/// first operand.
using own_kernel = decltype(core::op_info::run);

/// Where an interpreter finds its kernels.
struct kernel_library {
  /// The kernel of an elementwise op for operands of an element type, or null.
  block_kernel (*elementwise)(std::uint64_t key, element operand);
  block_kernel (*conversion)(element from, element to);
  /// What a reduction does to blocks of an element type; null where it has no kernel.
  block_reduction const* (*reduction)(std::uint64_t key, element operand);
  /// The function of an op that is not elementwise, or null: then the op's record may have one.
  own_kernel (*own)(std::uint64_t key);
};

/// The functions of the built-in ops that compute by their own. The library has all of them;
/// without it there are none here, since what a program and its optimizer name lies in the program:
/// see runtime/own.hpp.
#if defined(KROTON_RUNTIME_LIBRARY)
own_kernel builtin_own_kernel(std::uint64_t key);
#else
inline own_kernel builtin_own_kernel(std::uint64_t) { return nullptr; }
#endif

/// The kernels of the built-in ops.
kernel_library const& builtin_kernels();

}  // namespace kroton::runtime
