// A device made of the host's memory and a walk over blocks and threads: device code without a GPU,
// for tests and debuggers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/function.hpp>

#include <cstddef>
#include <cstring>
#include <new>

namespace kroton::cuda {

/// Stands where kt::cuda::gpu does, `kt::cuda::function_on<kt::cuda::emulated<>>(lambda)`, and runs
/// the same code, element for element. Blocks have `Threads` threads; a grid has at most `Blocks`
/// blocks.
template <unsigned Threads = 256, unsigned Blocks = 4096>
class emulated {
 public:
  static std::byte* allocate(std::size_t bytes) {
    return static_cast<std::byte*>(::operator new(bytes));
  }
  static void release(std::byte* p) { ::operator delete(p); }
  static void copy_in(std::byte* to, std::byte const* from, std::size_t bytes) {
    copy_within(to, from, bytes);
  }
  static void copy_out(std::byte* to, std::byte const* from, std::size_t bytes) {
    copy_within(to, from, bytes);
  }
  static void copy_within(std::byte* to, std::byte const* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  template <class Expression, class Arguments>
  static void launch(Expression group, Arguments const& a) {
    walk_grid(group, a, grid_for(a.count, Threads, Blocks));
  }
};

}  // namespace kroton::cuda
