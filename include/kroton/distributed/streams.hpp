// Streams of random numbers of which each rank has numbers of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/refusal.hpp>
#include <kroton/function/streams.hpp>

#include <concepts>

namespace kroton::distributed {

/// Philox: rank r takes the draws from r * 2^48 on, of 2^64.
inline void split_stream(philox_streams& stream, std::uint32_t rank) {
  stream_state state = stream.get_state();
  state(3) += rank << 16;
  stream.set_state(state);
}

/// MRG31k3p: rank r takes the streams from r * 2^20 on, one for each draw that is written.
inline void split_stream(mrg_random_streams& streams, std::uint32_t rank) {
  static constexpr math::mrg_jump next_rank = math::mrg_jump::of(134 + 20);
  stream_state words = streams.get_state();
  auto const move = [&](math::mrg_state& state) {
    for (std::uint32_t r = 0; r < rank; ++r) state = next_rank(state);
  };
  // What is bound later, then each draw behind the number of its words.
  functions::for_each_substream(words.data(), ops::mrg_words, move);
  for (std::size_t at = ops::mrg_words + 1; at < words.size(); at += 1 + words(at))
    functions::for_each_substream(words.data() + at + 1, words(at), move);
  streams.set_state(words);
}

/// MT19937 has no place to jump to.
template <std::same_as<random_streams> Stream>
void split_stream(Stream&, std::uint32_t) {
  static_assert(is_accepted<Stream>,
                "kt::distributed::communicator::split: kt::random_streams cannot be split; give it "
                "a seed of its own on each rank, or use kt::philox_streams");
}

}  // namespace kroton::distributed
