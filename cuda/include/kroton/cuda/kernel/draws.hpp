// Numbers of Philox, as a grid of threads makes them: each is a function of its position.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/grid.hpp>
#include <kroton/math/random/philox.hpp>
#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>

#include <numbers>

namespace kroton::cuda {

template <class T>
struct draw_arguments {
  math::philox_place place{};
  T* to = nullptr;
  std::int64_t elements = 0;
  std::int64_t count = 0;  // what threads take: blocks of four uniform numbers, or pairs
  bool operator==(draw_arguments const&) const = default;
};

/// Uniform numbers in [0, 1), four a block.
template <class T>
struct uniform_thread {
  using arguments = draw_arguments<T>;
  static constexpr std::int64_t count_for(std::int64_t elements) { return (elements + 3) / 4; }

  KROTON_HOST_DEVICE static KROTON_INLINE T at(math::philox_place const& place, std::int64_t e) {
    auto const block = static_cast<std::uint64_t>(e / 4);
    std::uint32_t const word = place.block(block).word[e % 4];
    if constexpr (sizeof(T) == 4) return math::unit_float(word);
    else return math::unit_double(word, place.after(1).block(block).word[e % 4]);
  }
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      auto const block = static_cast<std::uint64_t>(i);
      math::philox_block const high = a.place.block(block);
      math::philox_block low{};
      if constexpr (sizeof(T) == 8) low = a.place.after(1).block(block);
      for (int k = 0; k < 4; ++k) {
        if (4 * i + k >= a.elements) break;
        if constexpr (sizeof(T) == 4) a.to[4 * i + k] = math::unit_float(high.word[k]);
        else a.to[4 * i + k] = math::unit_double(high.word[k], low.word[k]);
      }
    }
  }
};

/// Normal numbers in pairs, as the CPU makes them: of each 32 elements, the uniform numbers of the
/// first sixteen give radii, those of the others angles. (cpu/random/philox_fill.hpp)
template <class T>
struct normal_thread {
  using arguments = draw_arguments<T>;
  static constexpr std::int64_t group = 32, pairs = group / 2;
  static constexpr std::int64_t count_for(std::int64_t elements) {
    return (elements + group - 1) / group * pairs;
  }

  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      std::int64_t const first = i / pairs * group + i % pairs, second = first + pairs;
      if (first >= a.elements) continue;
      T const radius =
          op::sqrt::value(T(-2) * op::log::value(T(1) - uniform_thread<T>::at(a.place, first)));
      T const angle = T(2 * std::numbers::pi) * uniform_thread<T>::at(a.place, second);
      a.to[first] = radius * op::cos::value(angle);
      if (second < a.elements) a.to[second] = radius * op::sin::value(angle);
    }
  }
};

}  // namespace kroton::cuda
