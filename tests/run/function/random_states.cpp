// States of streams that are given: what is none is refused, and ranks have streams of their own at
// any time.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/distributed/streams.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <cstdint>

namespace kt = kroton;

namespace {

constexpr auto draws = [](kt::rng r) { return std::pair{r.uniform(40), r.normal(3)}; };

/// The state with one word changed is refused, and the stream goes on as if nothing had happened.
template <class Stream>
void check_refused(Stream s, std::size_t at, std::uint32_t word) {
  INFO(Stream::name << ", word " << at << " is " << word);
  auto f = kt::function(draws, s, kt::mode::interpret);
  f();
  auto const state = s.get_state();
  auto changed = state;
  changed(at) = word;
  auto const next = f();
  s.set_state(state);
  CHECK_THROWS_AS(s.set_state(changed), kt::value_error);
  CHECK((s.get_state() == state));
  CHECK((f() == next));
}

}  // namespace

TEST_CASE("random: words that are not a state are refused") {
  // MT19937: the position is one of 624, or behind them; a normal number is kept or not.
  check_refused(kt::random_streams(5), 624, 625);
  check_refused(kt::random_streams(5), 624, 1u << 31);
  check_refused(kt::random_streams(5), 625, 2);
  kt::random_streams t(5);
  kt::stream_state const none = xt::zeros<std::uint32_t>({628});
  CHECK_THROWS_WITH(t.set_state(none),
                    "kt::random_streams: the words are not a state of this generator");
  // MRG31k3p: numbers below m1 and m2; of each draw six words, and groups of 96.
  constexpr std::size_t first = 8, group = 14;
  for (std::size_t at : {std::size_t{0}, first, group, group + 47})
    check_refused(kt::mrg_random_streams(5), at, 2147483647u);
  for (std::size_t at : {std::size_t{3}, first + 5, group + 48, group + 95})
    check_refused(kt::mrg_random_streams(5), at, 2147462579u);
  for (std::uint32_t words : {0u, 5u, 101u, 103u, ~0u})
    check_refused(kt::mrg_random_streams(5), first - 1, words);
  kt::mrg_random_streams m(5);
  auto f = kt::function(draws, m, kt::mode::interpret);
  for (std::uint32_t words : {0u, 3u, 50u}) {
    kt::stream_state few = xt::ones<std::uint32_t>({7 + 2 * (1 + words)});
    few(6) = 2, few(7) = few(8 + words) = words;
    CHECK_THROWS_AS(m.set_state(few), kt::value_error);
  }
  // Groups that no draw has begun stay 0, and stand behind the others.
  auto const before = m.get_state();
  f();
  auto mixed = m.get_state();
  for (std::size_t i = group; i < group + 96; ++i) mixed(i) = 0;
  CHECK_NOTHROW(m.set_state(mixed));
  mixed(group) = 1;
  CHECK_THROWS_AS(m.set_state(mixed), kt::value_error);
  m.set_state(before);
  CHECK_NOTHROW(f());
}

TEST_CASE("random: ranks take streams of MRG31k3p of their own also after draws") {
  kt::mrg_random_streams early(5), late(5);
  auto f = kt::function(draws, early, kt::mode::interpret);
  auto g = kt::function(draws, late, kt::mode::interpret);
  kt::distributed::split_stream(early, 2);
  f();
  g();
  kt::distributed::split_stream(late, 2);
  CHECK((early.get_state() == late.get_state()));
  CHECK((f() == g()));
}
