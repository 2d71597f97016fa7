// Streams of random numbers: the objects that kt::rng parameters are bound to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/mrg_words.hpp>
#include <kroton/function/shared.hpp>
#include <kroton/math/random/mrg.hpp>
#include <kroton/math/random/twister.hpp>
#include <kroton/ops/random/rng.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kroton {

/// The state of a stream as it is saved: a vector of 32-bit words.
using stream_state = xt::xtensor<std::uint32_t, 1>;

namespace functions {

/// What a function holds of a stream for one parameter.
using stream_words = shared<std::uint32_t, 1>;

inline stream_state words_of(std::initializer_list<std::uint32_t> words) {
  stream_state state = xt::xtensor<std::uint32_t, 1>::from_shape({words.size()});
  std::copy(words.begin(), words.end(), state.begin());
  return state;
}

[[noreturn, gnu::cold]] inline void refuse_state(char const* stream, std::size_t wanted,
                                                 std::size_t given) {
  if (wanted == given)
    throw value_error(core::message({stream, ": the words are not a state of this generator"}));
  throw value_error(
      core::message({stream, ": a state has ", wanted, " words, but ", given, " were passed"}));
}

/// A stream with a single state, which all functions that are bound to it advance.
template <class Stream>
class single_stream {
 public:
  /// A copy of the state, to be saved.
  stream_state get_state() const { return words_.get_value(); }
  /// Continues from a state that was saved. Throws kt::value_error if it is none of such a stream.
  void set_state(stream_state const& state) {
    if (state.size() != words_.storage().size() || !Stream::is_state(state.data()))
      refuse_state(Stream::name, words_.storage().size(), state.size());
    words_.set_value(state);
  }

  /// What a function with so many draws is bound to.
  template <int Draws>
  std::array<stream_words, 1> bind() const {
    return {words_};
  }

 protected:
  explicit single_stream(stream_state const& state) : words_(state) {}
  stream_words words_;
};

}  // namespace functions

/// A stream of Philox4x32-10 (Random123), the fastest: each number is a function of the seed, the
/// number of the draw and its position. The key is the seed, lower half first; the counter is the
/// number of the draw, then that of the element divided by 4, each with the lower half first. A
/// float takes the upper 24 bits of its word; a double takes two draws, the upper 27 bits of a word
/// of the first and 26 of the second. Copies are the same stream.
class philox_streams : public functions::single_stream<philox_streams> {
 public:
  static constexpr ops::generator generator = ops::generator::philox;
  static constexpr char const* name = "kt::philox_streams";

  explicit philox_streams(std::uint64_t seed) : single_stream(state_of(seed)) {}
  /// Begins anew from a seed.
  void seed(std::uint64_t seed) { words_.set_value(state_of(seed)); }

 private:
  friend single_stream;
  static bool is_state(std::uint32_t const*) { return true; }
  static stream_state state_of(std::uint64_t seed) {
    return functions::words_of(
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0});
  }
};

/// A stream of MT19937 with the numbers of numpy.random.RandomState(seed): those of random_sample,
/// normal, randint, permutation, choice, exponential, gamma, poisson, binomial and multinomial, one
/// after the other for the elements in row-major order. The state is NumPy's: 624 words, the
/// position, whether a normal number is kept, and its bits. Copies are the same stream.
class random_streams : public functions::single_stream<random_streams> {
 public:
  static constexpr ops::generator generator = ops::generator::twister;
  static constexpr char const* name = "kt::random_streams";

  explicit random_streams(std::uint32_t seed) : single_stream(state_of(seed)) {}
  /// Begins anew from a seed.
  void seed(std::uint32_t seed) { words_.set_value(state_of(seed)); }

 private:
  friend single_stream;
  static bool is_state(std::uint32_t const* words) { return math::twister::is_state(words); }
  static stream_state state_of(std::uint32_t seed) {
    stream_state state = xt::xtensor<std::uint32_t, 1>::from_shape({math::twister::words});
    math::twister::seed(seed, state.data());
    return state;
  }
};

/// Streams of MRG31k3p with Theano's numbers, those of MRG_RandomStreams(seed): each draw that is
/// written in a function has a stream of its own, 2^134 numbers from the next, in the order in
/// which functions are made and draws are written. Its elements are divided among sub-streams that
/// are 2^72 numbers apart: a sixth as many as a draw of known extents has elements, otherwise
/// 15360, as of normal numbers and of choices. (Theano 1.0.5) A seed of 0, or one that is not below
/// 2147462579, throws kt::value_error. Copies are the same streams.
class mrg_random_streams {
 public:
  static constexpr ops::generator generator = ops::generator::mrg;
  static constexpr char const* name = "kt::mrg_random_streams";

  explicit mrg_random_streams(std::uint32_t seed = 12345)
      : held_(std::make_shared<held>(held{state_of(seed), {}})) {}

  /// Begins anew from a seed, also the draws of functions that are bound already.
  void seed(std::uint32_t seed) {
    held_->next = state_of(seed);
    for (functions::stream_words& draw : held_->draws) draw.set_value(next());
  }
  /// The state of what is bound later, the number of draws that are bound, and the states of these,
  /// each behind the number of its words.
  stream_state get_state() const {
    std::vector<std::uint32_t> words(held_->next.x, held_->next.x + 6);
    words.push_back(static_cast<std::uint32_t>(held_->draws.size()));
    for (functions::stream_words const& draw : held_->draws) {
      auto const& state = draw.storage();
      words.push_back(static_cast<std::uint32_t>(state.size()));
      words.insert(words.end(), state.begin(), state.end());
    }
    stream_state all = xt::xtensor<std::uint32_t, 1>::from_shape({words.size()});
    std::copy(words.begin(), words.end(), all.begin());
    return all;
  }
  /// Continues from a state that was saved when functions with the same draws were bound. Throws
  /// kt::value_error if it is none of such a stream.
  void set_state(stream_state const& state) {
    math::mrg_state later{};
    if (state.size() > 6) std::copy(state.begin(), state.begin() + 6, later.x);
    bool fits = math::mrg31k3p::is_state(later);
    std::vector<stream_state> draws;
    std::size_t at = 7;
    for (; at < state.size() && draws.size() < state(6);) {
      std::size_t const size = state(at++);
      if (size > state.size() - at) break;
      draws.push_back(xt::xtensor<std::uint32_t, 1>::from_shape({size}));
      std::copy(state.begin() + static_cast<std::ptrdiff_t>(at),
                state.begin() + static_cast<std::ptrdiff_t>(at + size), draws.back().begin());
      at += size;
      fits = fits && functions::are_words_of_draw(draws.back().data(), size);
    }
    if (!fits || at != state.size() || draws.size() != held_->draws.size() ||
        draws.size() != state(6))
      throw value_error(
          core::message({"kt::mrg_random_streams: the state is not one of streams with ",
                         held_->draws.size(), " draws that are bound to functions"}));
    held_->next = later;
    for (std::size_t k = 0; k < draws.size(); ++k) held_->draws[k].set_value(draws[k]);
  }

  /// What a function with so many draws is bound to.
  template <int Draws>
  std::array<functions::stream_words, static_cast<std::size_t>(Draws)> bind() const {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::array<functions::stream_words, sizeof...(K)>{bound<K>()...};
    }(std::make_index_sequence<static_cast<std::size_t>(Draws)>{});
  }

 private:
  struct held {
    math::mrg_state next;
    std::vector<functions::stream_words> draws;
  };
  static math::mrg_state state_of(std::uint32_t seed) {
    if (seed == 0 || seed >= math::mrg31k3p::m2)
      throw value_error(core::message({"kt::mrg_random_streams: the seed is ", seed,
                                       ", but it must be from 1 to ", math::mrg31k3p::m2 - 1}));
    return {{seed, seed, seed, seed, seed, seed}};
  }
  stream_state next() const {
    auto const& x = held_->next.x;
    stream_state const words = functions::words_of({x[0], x[1], x[2], x[3], x[4], x[5]});
    held_->next = math::next_stream(held_->next);
    return words;
  }
  template <std::size_t>
  functions::stream_words bound() const {
    held_->draws.emplace_back(next());
    return held_->draws.back();
  }

  std::shared_ptr<held> held_;
};

}  // namespace kroton
