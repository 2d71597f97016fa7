// The words that a draw from MRG31k3p keeps, as states of its sub-streams.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/random/mrg.hpp>
#include <kroton/ops/random/draw.hpp>

#include <cstddef>
#include <cstdint>

namespace kroton::functions {

/// Visits the state of the first sub-stream at the start, then those of all sub-streams now, and
/// stores what the visit makes of them. Those that have not begun are 0.
template <class Visit>
void for_each_substream(std::uint32_t* words, std::size_t count, Visit visit) {
  auto const at = [&](std::uint32_t* first, int step) {
    math::mrg_state state{};
    for (int i = 0; i < ops::mrg_words; ++i) state.x[i] = first[i * step];
    visit(state);
    for (int i = 0; i < ops::mrg_words; ++i) first[i * step] = state.x[i];
  };
  at(words, 1);
  constexpr std::size_t group = ops::mrg_group * ops::mrg_words;
  for (std::size_t begin = ops::mrg_words; begin + group <= count; begin += group)
    for (std::size_t lane = 0; lane < ops::mrg_group; ++lane)
      at(words + begin + lane, ops::mrg_group);
}

/// Whether words are those of a draw: whole groups of sub-streams, of which the first ones have
/// begun.
inline bool are_words_of_draw(std::uint32_t* words, std::size_t count) {
  constexpr std::size_t group = ops::mrg_group * ops::mrg_words;
  if (count < ops::mrg_words || (count - ops::mrg_words) % group != 0) return false;
  std::size_t visited = 0, begun = 0;
  bool fits = true;
  for_each_substream(words, count, [&](math::mrg_state const& s) {
    bool const is_begun = math::mrg31k3p::is_state(s);
    std::uint32_t any = 0;
    for (std::uint32_t const x : s.x) any |= x;
    fits = fits && (is_begun ? begun == visited : any == 0);
    ++visited;
    begun += is_begun ? 1 : 0;
  });
  return fits && begun % ops::mrg_group == 1;
}

}  // namespace kroton::functions
