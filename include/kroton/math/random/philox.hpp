// Philox4x32-10, a generator whose numbers are a function of a counter.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/random/normal_pair.hpp>

#include <cstdint>

namespace kroton::math {

/// Four words of 32 bits: a counter, and what Philox makes of it.
struct philox_block {
  std::uint32_t word[4];
};

/// The multipliers of Philox4x32, and what its keys grow by in each round.
struct philox_constants {
  static constexpr std::uint32_t multiplier[2] = {0xD2511F53u, 0xCD9E8D57u},
                                 key_step[2] = {0x9E3779B9u, 0xBB67AE85u};
  static constexpr int rounds = 10;
};

/// The block of a counter under a key, of ten rounds. (Salmon, Moraes, Dror and Shaw, Parallel
/// Random Numbers: As Easy as 1, 2, 3, 2011)
constexpr philox_block philox(philox_block c, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < philox_constants::rounds; ++round) {
    std::uint64_t const a = std::uint64_t{philox_constants::multiplier[0]} * c.word[0],
                        b = std::uint64_t{philox_constants::multiplier[1]} * c.word[2];
    c = {{static_cast<std::uint32_t>(b >> 32) ^ c.word[1] ^ key0, static_cast<std::uint32_t>(b),
          static_cast<std::uint32_t>(a >> 32) ^ c.word[3] ^ key1, static_cast<std::uint32_t>(a)}};
    key0 += philox_constants::key_step[0];
    key1 += philox_constants::key_step[1];
  }
  return c;
}

/// Where a draw is in a stream of Philox: the key, which is the seed, and the number of the draw.
struct philox_place {
  std::uint32_t key0, key1;
  std::uint64_t draw;

  /// Words for the elements 4 i to 4 i + 3 of the draw.
  constexpr philox_block block(std::uint64_t i) const {
    return philox({{static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32),
                    static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32)}},
                  key0, key1);
  }
  constexpr philox_place after(std::uint64_t draws) const { return {key0, key1, draw + draws}; }
  bool operator==(philox_place const&) const = default;
};

/// A number in [0, 1) of 24 bits from a word.
constexpr float unit_float(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }
/// A number in [0, 1) of 53 bits: the upper 27 of one word, then the upper 26 of another.
constexpr double unit_double(std::uint32_t high, std::uint32_t low) {
  return (static_cast<double>(high >> 5) * 0x1p26 + static_cast<double>(low >> 6)) * 0x1p-53;
}

/// The numbers that one element or one row of a draw consumes, however many: blocks of its own.
class philox_source {
 public:
  /// Of an element: the blocks whose numbers have that of the element in their lower 48 bits.
  static constexpr philox_source of_element(philox_place const& place, std::uint64_t element) {
    return {place, element, std::uint64_t{1} << 48};
  }
  /// Of a row, which consumes more: the blocks from row 2^40 on.
  static constexpr philox_source of_row(philox_place const& place, std::uint64_t row) {
    return {place, row << 40, 1};
  }

  constexpr std::uint32_t word() {
    if (used_ == 4) {
      block_ = place_.block(next_);
      next_ += step_;
      used_ = 0;
    }
    return block_.word[used_++];
  }
  constexpr double uniform() {
    std::uint32_t const high = word();
    return unit_double(high, word());
  }
  double normal() { return kept_.next(*this); }

 private:
  constexpr philox_source(philox_place const& place, std::uint64_t first, std::uint64_t step)
      : place_(place), next_(first), step_(step) {}

  philox_place place_;
  std::uint64_t next_, step_;
  philox_block block_{};
  int used_ = 4;
  normal_pair kept_;
};

}  // namespace kroton::math
