// Memory that outlives a call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/pages.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kroton::cpu {

/// Memory that a step keeps from call to call, of which what was there is lost when it grows. A
/// batch may be read beyond its end.
class kept_memory {
 public:
  template <class T>
  T* room(std::ptrdiff_t count) {
    std::size_t const bytes = static_cast<std::size_t>(count) * sizeof(T) + 2 * line;
    if (memory_.size() < bytes) {
      memory_ = {};
      memory_.reserve(bytes);
      ask_for_large_pages(memory_.data(), bytes);
      memory_.resize(bytes);
    }
    auto const address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return reinterpret_cast<T*>((address + line - 1) / line * line);
  }

 private:
  static constexpr std::size_t line = 64;
  std::vector<std::byte> memory_;
};

}  // namespace kroton::cpu
