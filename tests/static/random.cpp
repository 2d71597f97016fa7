// The generators of random numbers against published values.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/math/random/mrg.hpp>
#include <kroton/math/random/philox.hpp>
#include <kroton/math/random/twister.hpp>

namespace {

using namespace kroton::math;

constexpr bool is_block(philox_block const& block, std::uint32_t a, std::uint32_t b,
                        std::uint32_t c, std::uint32_t d) {
  return block.word[0] == a && block.word[1] == b && block.word[2] == c && block.word[3] == d;
}

// Random123, kat_vectors: philox4x32 10
static_assert(is_block(philox({{0, 0, 0, 0}}, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                       0x9b00dbd8));
static_assert(is_block(philox({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u), 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                       0x6d5451fd));
static_assert(is_block(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822,
                              0x299f31d0),
                       0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
// The counter of a draw: its number, then that of the block
static_assert(philox_place{1, 2, 0x500000004}.block(0x700000006).word[0] ==
              philox({{4, 5, 6, 7}}, 1, 2).word[0]);
static_assert(unit_double(~0u, ~0u) < 1 && unit_double(0, 64) == 0x1p-53 && unit_float(~0u) < 1 &&
              unit_float(256) == 0x1p-24f);

/// Numbers number k of a sub-stream of a stream from the seed 12345, times 2^31.
constexpr std::uint32_t number_at(int stream, int substream, int k) {
  mrg_state s{{12345, 12345, 12345, 12345, 12345, 12345}};
  for (int i = 0; i < stream; ++i) s = next_stream(s);
  for (int i = 0; i < substream; ++i) s = next_substream(s);
  for (int i = 0; i <= k; ++i) s = mrg31k3p::next(s);
  return mrg31k3p::number(s);
}
constexpr bool is_near(std::uint32_t number, double sample) {
  double const distance = number * 0x1p-31 - sample;
  return distance < 1e-16 && distance > -1e-16;
}
// Theano's samples_MRG31k3p_12_7_5.txt, which L'Ecuyer's program in Java made
static_assert(is_near(number_at(0, 0, 0), 0.7353244530968368) &&
              is_near(number_at(0, 0, 4), 0.36619443260133266));
static_assert(is_near(number_at(0, 1, 0), 0.2585685825906694) &&
              is_near(number_at(0, 6, 4), 0.8276205519214272));
static_assert(is_near(number_at(1, 0, 0), 0.5180770065635443) &&
              is_near(number_at(1, 6, 4), 0.3549888739362359));
static_assert(is_near(number_at(11, 6, 0), 0.8762755445204675) &&
              is_near(number_at(11, 6, 4), 0.18852565623819828));
// Its matrices
static_assert(next_stream.first[0][0] == 1702500920 && next_stream.second[2][2] == 1431130166);
static_assert(next_substream.first[2][0] == 601897748 && next_substream.second[0][0] == 1228857673);
static_assert(substreams_of(1) == 1 && substreams_of(6) == 6 && substreams_of(7) == 1 &&
              substreams_of(600) == 100 && substreams_of(1000000) == 15360);

/// Word number k of MT19937.
constexpr std::uint32_t word_at(std::uint32_t seed, int k) {
  std::uint32_t state[twister::words]{};
  twister::seed(seed, state);
  twister t(state);
  for (int i = 0; i < k; ++i) t.word();
  return t.word();
}
// ISO C++, rand.predef: the 10000th number of a std::mt19937 that is made without a seed, which is
// 5489
static_assert(word_at(5489, 9999) == 4123659995u);

}  // namespace
