// The sub-streams of a draw from MRG31k3p: their states, and their next numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/simd/intrinsics.hpp>
#include <kroton/ops/random/draw.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace kroton::cpu {

using ops::mrg_group;
using ops::mrg_words;

/// The words of states: those of the first sub-stream at the start, then groups of sub-streams. Of
/// the groups that the words have room for the first ones have begun; those behind are 0.
class mrg_states {
 public:
  mrg_states(std::uint32_t* words, std::ptrdiff_t count)
      : words_(words), groups_((count - mrg_words) / group_words) {}

  static constexpr std::ptrdiff_t group_words = mrg_group * mrg_words;
  std::ptrdiff_t groups() const { return groups_; }
  /// The groups that have begun. No state of a sub-stream is 0.
  mrg_states begun() const {
    std::ptrdiff_t first = 0;
    for (std::ptrdiff_t last = groups_; first < last;) {
      std::ptrdiff_t const middle = first + (last - first) / 2;
      std::uint32_t const* const x = group(middle);
      if ((x[0] | x[mrg_group] | x[2 * mrg_group]) != 0) first = middle + 1;
      else last = middle;
    }
    return {words_, mrg_words + first * group_words};
  }
  std::uint32_t* group(std::ptrdiff_t k) const { return words_ + mrg_words + k * group_words; }

  /// Begins the sub-streams of the groups from one on, which are 2^72 numbers apart.
  void begin(std::ptrdiff_t first) const {
    if (first >= groups_) return;
    math::mrg_state s;
    std::memcpy(s.x, words_, sizeof s.x);
    std::ptrdiff_t const ahead = first * mrg_group;
    for (int bit = 0; ahead >> bit != 0; ++bit)
      if ((ahead >> bit & 1) != 0) s = math::mrg_jump::of(72 + bit)(s);
    for (std::ptrdiff_t k = first; k < groups_; ++k)
      for (int lane = 0; lane < mrg_group; ++lane) {
        for (int i = 0; i < mrg_words; ++i) group(k)[i * mrg_group + lane] = s.x[i];
        s = math::next_substream(s);
      }
  }

  /// Steps the first `lanes` sub-streams of a group, whose states are in `from`, and stores their
  /// numbers, of which there is room for a whole group.
  void step(std::uint32_t const* from, std::ptrdiff_t k, int lanes, std::uint32_t* numbers) const {
    std::uint32_t* const x = group(k);
    if (lanes == mrg_group) return step_all(from, x, numbers);
    if (from != x) std::memcpy(x, from, group_words * sizeof(*x));
    for (int lane = 0; lane < lanes; ++lane) {
      math::mrg_state s;
      for (int i = 0; i < mrg_words; ++i) s.x[i] = x[i * mrg_group + lane];
      s = math::mrg31k3p::next(s);
      for (int i = 0; i < mrg_words; ++i) x[i * mrg_group + lane] = s.x[i];
      numbers[lane] = math::mrg31k3p::number(s);
    }
  }

 private:
  using batch = xsimd::batch<std::uint32_t>;
  static KROTON_INLINE batch reduced(batch x, std::uint32_t m) {
    return xsimd::min(x, x - batch(m));
  }
  // The same as math::mrg31k3p, for all lanes of vectors.
  static KROTON_INLINE void step_all(std::uint32_t const* from, std::uint32_t* x,
                                     std::uint32_t* numbers) {
    using mrg = math::mrg31k3p;
    constexpr int width = static_cast<int>(batch::size);
    for (int lane = 0; lane < mrg_group; lane += width) {
      batch s[mrg_words];
      for (int i = 0; i < mrg_words; ++i) s[i] = batch::load_unaligned(from + i * mrg_group + lane);
      batch const a = ((s[1] & batch(511u)) << 22) + (s[1] >> 9),
                  b = ((s[2] & batch(16777215u)) << 7) + (s[2] >> 24),
                  first = reduced(reduced(a + b, mrg::m1) + s[2], mrg::m1), c = folded(s[3]),
                  d = folded(s[5]), second = reduced(reduced(d + s[5], mrg::m2) + c, mrg::m2),
                  difference = first - second;
      first.store_unaligned(x + lane);
      s[0].store_unaligned(x + mrg_group + lane);
      s[1].store_unaligned(x + 2 * mrg_group + lane);
      second.store_unaligned(x + 3 * mrg_group + lane);
      s[3].store_unaligned(x + 4 * mrg_group + lane);
      s[4].store_unaligned(x + 5 * mrg_group + lane);
      // From 1 to m1: a difference that is not positive comes back from above.
      batch const wrapped = difference - batch(1u);
      (xsimd::min(wrapped, wrapped + batch(mrg::m1)) + batch(1u)).store_unaligned(numbers + lane);
    }
  }
  static KROTON_INLINE batch folded(batch x) {
    batch const upper = x >> 16;
    return reduced(((x & batch(65535u)) << 15) + upper * batch(21069u), math::mrg31k3p::m2);
  }

  std::uint32_t* words_;
  std::ptrdiff_t groups_;
};

/// Steps `count` times through the first `streams` sub-streams, one after the other, from the
/// states `before` to those behind, and visits the numbers in order: visit(first, numbers, how
/// many). Groups that `before` lacks have begun.
template <class Visit>
void for_mrg_numbers(mrg_states const& before, mrg_states const& after, std::ptrdiff_t streams,
                     std::ptrdiff_t count, Visit visit) {
  constexpr std::ptrdiff_t together = 512;
  alignas(64) std::uint32_t numbers[together];
  std::ptrdiff_t const stepped = (std::min(streams, count) + mrg_group - 1) / mrg_group;
  for (std::ptrdiff_t k = stepped; k < before.groups(); ++k)
    std::memcpy(after.group(k), before.group(k), mrg_states::group_words * sizeof(std::uint32_t));
  for (std::ptrdiff_t row = 0; row < count; row += streams)
    for (std::ptrdiff_t begin = 0, end = std::min(streams, count - row); begin < end;
         begin += together) {
      std::ptrdiff_t const here = std::min(together, end - begin);
      for (std::ptrdiff_t i = 0; i < here; i += mrg_group) {
        std::ptrdiff_t const k = (begin + i) / mrg_group;
        bool const is_first = row == 0 && k < before.groups();
        after.step((is_first ? before : after).group(k), k,
                   static_cast<int>(std::min<std::ptrdiff_t>(mrg_group, here - i)), numbers + i);
      }
      visit(row + begin, numbers, here);
    }
}

}  // namespace kroton::cpu
