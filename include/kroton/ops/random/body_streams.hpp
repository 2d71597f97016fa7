// Streams in the body of a loop: their states are states of the loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/random/streams.hpp>
#include <kroton/ops/shapes/joining.hpp>

namespace kroton::ops {

/// The state of a stream with 0 behind it up to so many words, if it has fewer.
constexpr int with_words(term state, term words) {
  graph& g = *state.of;
  term const own = extent(state, 0), all = call<op::maximum>(words, own);
  term const none = alloc({&g, g.literal(0, element::uint32)}, list<term>{all - own});
  return g.apply<op::join>({all.id, state.id, none.id}, {0});
}

/// A state of a loop that the body makes from the one of the step before.
struct body_state {
  int start, before, after;
};

/// The streams of a function while a body is recorded. Its draws begin from formal states; those
/// that the body advances go on from the last state of the loop.
class body_streams {
 public:
  constexpr explicit body_streams(graph& g) : g_(g) {
    for (core::update const& u : g.updates()) starts_.push_back(u);
  }

  /// Before each call of the body.
  constexpr void begin() {
    first_ = g_.size();
    list<core::update> formals;
    for (core::update const& u : starts_)
      formals.push_back(
          {u.parameter, formal_of(g_, u.value, 0, g_.type(u.value).broadcast), u.draws});
    formals_ = formals;
    g_.updates().swap(formals);
  }
  /// After the last one: the states of the streams that the body draws from.
  constexpr list<body_state> states() {
    list<body_state> all;
    list<core::update> const made = g_.updates();
    for (int k = 0; k < starts_.size(); ++k) {
      starts_[k].draws = made[k].draws;
      if (made[k].value == formals_[k].value) continue;
      all.push_back({grown(k, made[k].value), formals_[k].value, made[k].value});
      advanced_.push_back(k);
    }
    list<core::update> before = starts_;
    g_.updates().swap(before);
    return all;
  }
  /// Before that: the states that the body reads and leaves as they are, as `kt::no_default_update`
  /// says.
  constexpr list<body_state> kept() const {
    list<body_state> all;
    list<core::update> const& made = g_.updates();
    for (int k = 0; k < starts_.size(); ++k) {
      int const formal = formals_[k].value;
      bool is_read = false;
      for (int id = formal + 1; id < g_.size(); ++id)
        for (int in : g_.inputs(id)) is_read = is_read || in == formal;
      if (is_read && made[k].value == formal) all.push_back({starts_[k].value, formal, formal});
    }
    return all;
  }
  /// Once the loop is recorded: the last state number i.
  constexpr void set_last(int i, term last) {
    if (last.exists()) g_.updates()[advanced_[i]].value = last.id;
  }

 private:
  // The start of a state that the body makes larger: with 0 behind it, up to the words that each
  // step needs. Where steps differ in what they draw it has room for all sub-streams there are.
  constexpr int grown(int k, int after) {
    term const start{&g_, starts_[k].value};
    int const words = extent_node(g_, after, 0);
    if (words == extent_node(g_, formals_[k].value, 0)) return start.id;
    term needed{&g_, extent_outside(g_, words)};
    if (needs_formal(g_, needed.id, first_))
      needed = words_of_substreams(integer(g_, math::max_substreams));
    return with_words(start, needed);
  }

  graph& g_;
  list<core::update> starts_{}, formals_{};
  list<int> advanced_{};
  int first_ = 0;
};

}  // namespace kroton::ops
