// The Mersenne twister MT19937, as numpy.random.RandomState uses it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/random/normal_pair.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace kroton::math {

/// A source of numbers whose state is 624 words, a position in them, and a kept normal number.
/// (Matsumoto and Nishimura, Mersenne Twister, 1998)
class twister {
 public:
  static constexpr int size = 624;
  /// The words of a state: those of the generator, the position, whether a normal number is kept,
  /// and its bits.
  static constexpr int words = size + 4;

  /// The state that follows from a seed. (init_genrand of 2002, numpy.random.RandomState)
  static constexpr void seed(std::uint32_t seed, std::uint32_t* state) {
    for (int i = 0; i < size; ++i) {
      state[i] = seed;
      seed = 1812433253u * (seed ^ seed >> 30) + static_cast<std::uint32_t>(i) + 1;
    }
    state[size] = size;
    for (int i = size + 1; i < words; ++i) state[i] = 0;
  }

  /// Whether so many words are a state: a position among them, a flag, and words of the generator
  /// that are not all 0, as those that follow would be too.
  static constexpr bool is_state(std::uint32_t const* state) {
    std::uint32_t any = state[0] >> 31;
    for (int i = 1; i < size; ++i) any |= state[i];
    return any != 0 && state[size] <= size && state[size + 1] <= 1;
  }

  /// Reads a state; `store` writes it.
  constexpr explicit twister(std::uint32_t const* state) {
    for (int i = 0; i < size; ++i) state_[i] = state[i];
    position_ = static_cast<int>(state[size]);
    kept_.has_second = state[size + 1] != 0;
    kept_.second = std::bit_cast<double>(std::uint64_t{state[size + 3]} << 32 | state[size + 2]);
  }
  constexpr void store(std::uint32_t* state) const {
    for (int i = 0; i < size; ++i) state[i] = state_[i];
    auto const bits = std::bit_cast<std::uint64_t>(kept_.second);
    state[size] = static_cast<std::uint32_t>(position_);
    state[size + 1] = kept_.has_second ? 1 : 0;
    state[size + 2] = static_cast<std::uint32_t>(bits);
    state[size + 3] = static_cast<std::uint32_t>(bits >> 32);
  }

  constexpr std::uint32_t word() {
    if (position_ == size) twist();
    std::uint32_t x = state_[position_++];
    x ^= x >> 11;
    x ^= x << 7 & 0x9D2C5680u;
    x ^= x << 15 & 0xEFC60000u;
    return x ^ x >> 18;
  }
  /// In [0, 1), of 53 bits.
  constexpr double uniform() {
    std::uint32_t const high = word() >> 5, low = word() >> 6;
    return (high * 0x1p26 + low) * 0x1p-53;
  }
  double normal() { return kept_.next(*this); }

 private:
  static constexpr int middle = 397;
  static constexpr std::uint32_t mixed(std::uint32_t upper, std::uint32_t lower) {
    std::uint32_t const x = (upper & 0x80000000u) | (lower & 0x7FFFFFFFu);
    return x >> 1 ^ ((lower & 1u) != 0 ? 0x9908B0DFu : 0u);
  }
  constexpr void twist() {
    int i = 0;
    for (; i < size - middle; ++i) state_[i] = state_[i + middle] ^ mixed(state_[i], state_[i + 1]);
    for (; i < size - 1; ++i)
      state_[i] = state_[i + middle - size] ^ mixed(state_[i], state_[i + 1]);
    state_[i] = state_[middle - 1] ^ mixed(state_[i], state_[0]);
    position_ = 0;
  }

  std::uint32_t state_[size]{};
  int position_ = size;
  normal_pair kept_;
};

}  // namespace kroton::math
