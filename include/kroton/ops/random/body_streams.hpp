// Streams in the body of a loop: their states are states of the loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/random/streams.hpp>

namespace kroton::ops {

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
    list<core::update> formals;
    for (core::update const& u : starts_)
      formals.push_back({u.parameter, formal_of(g_, u.value, 0, g_.type(u.value).broadcast)});
    formals_ = formals;
    g_.updates().swap(formals);
  }
  /// After the last one: the states of the streams that the body draws from.
  constexpr list<body_state> states() {
    list<body_state> all;
    list<core::update> const made = g_.updates();
    for (int k = 0; k < made.size(); ++k) {
      if (k >= starts_.size() || grows(made[k].value)) {
        g_.fail(
            "kt::scan: the body draws from a stream of MRG31k3p, whose draws have as many states "
            "as "
            "elements: use kt::philox_streams or kt::random_streams in loops, or draw before");
        break;
      }
      if (made[k].value == formals_[k].value) continue;
      all.push_back({starts_[k].value, formals_[k].value, made[k].value});
      advanced_.push_back(k);
    }
    list<core::update> before = starts_;
    g_.updates().swap(before);
    return all;
  }
  /// Once the loop is recorded: the last state number i.
  constexpr void set_last(int i, term last) {
    if (last.exists()) g_.updates()[advanced_[i]].value = last.id;
  }

 private:
  constexpr bool grows(int id) const {
    if (!g_.is<op::item>(id)) return false;
    int const draw = g_.input_of(id, 0);
    return g_[draw].op->is_draw &&
           g_[draw].op->extent_of_output(g_.application(draw), 0, 1).from == extent_source::value;
  }

  graph& g_;
  list<core::update> starts_{}, formals_{};
  list<int> advanced_{};
};

}  // namespace kroton::ops
