// How a scan becomes a node: the body is called once on formal parameters, and what it has recorded
// is taken out of the graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/formal.hpp>
#include <kroton/ops/loop/parts.hpp>
#include <kroton/ops/loop/segments.hpp>
#include <kroton/ops/random/body_streams.hpp>

#include <limits>

namespace kroton::ops {

/// The number of steps of a loop that only its condition ends.
inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// A result of the body, in the order in which the user names them.
struct recorded_tape {
  tape_kind kind = tape_kind::nit_sot;
  list<int> taps{};
  int start = -1;               // of a state
  std::uint32_t broadcast = 0;  // the axes along which a state has one element by its type
  int stands_for = -1;          // a node that is the state before, if no formal of the body is
  bool only_last = false;       // whether the user gets the last value alone
  int last = -1;                // then, of a state that is read several steps back: see add_last
};

/// Requires that a sequence has so many elements as the loop reads besides those of a step. A note
/// names the parameter of the body that reads it, as a negative number.
constexpr void require_elements(term count, int least, int parameter) {
  graph& g = *count.of;
  op_info const* const loop = identity<op::scan>();
  int const one = g.literal(1, element::int64), reader = g.literal(-parameter, element::int64);
  g.constraints().push_back({count.id, integer(g, least).id, loop, condition::at_least});
  g.constraints().push_back({reader, one, loop, condition::note});
}

/// The element that one step reads of a sequence with these taps: for each tap the rows from the
/// first step's on. `backwards`: from the end. `decides`: whether the number of steps follows.
constexpr void add_sequence(list<int>& sequences, term x, items<int> taps, bool backwards,
                            bool decides) {
  int earliest = 0, latest = 0;
  for (int t : taps) {
    if (t < earliest) earliest = t;
    if (t > latest) latest = t;
  }
  int const lost = latest - earliest;
  term const count = extent(x, 0);
  if (decides && lost > 0) require_elements(count, lost, sequences.size() + 1);
  for (int t : taps) {
    term part = x;
    if (lost > 0) part = rows(x, integer(*x.of, t - earliest), call<op::maximum>(count - lost, 0));
    sequences.push_back((backwards ? reversed(part) : part).id);
  }
}

/// The number of steps that sequences have: that of the shortest.
constexpr term steps_of(graph& g, list<int> const& sequences) {
  term least{};
  for (int s : sequences) {
    term const n = extent({&g, s}, 0);
    if (!least.exists()) least = n;
    else if (n.id != least.id) least = call<op::minimum>(least, n);
  }
  return least;
}

/// Everything that a node is made of, once the body has been called.
class scan_recording {
 public:
  constexpr explicit scan_recording(graph& of) : g(of) {}

  graph& g;
  list<int> sequences{};
  list<recorded_tape> tapes{};
  list<int> constants{};
  term steps{};
  int condition = -1;  // under which the loop stops
  bool counted = false;
  long long truncate = -1, unrolled = 1, snapshots = 0;
  term length_of_segments{};  // if the gradient stores states between segments only

  /// The parameters of the body, in its order: an element of each sequence, the taps of each state,
  /// the constants.
  constexpr list<int> formals() {
    list<int> made;
    for (int s : sequences) made.push_back(formal_of(g, s, 1, g.type(s).broadcast >> 1));
    for (recorded_tape const& tape : tapes)
      for (int k = 0; k < tape.taps.size(); ++k)
        made.push_back(formal_of(g, tape.start, axes_of_start(tape), tape.broadcast));
    for (int c : constants) made.push_back(formal_of(g, c, 0, g.type(c).broadcast));
    return made;
  }
  /// Adapts the types of states to what the body made of them. Returns whether any changed, so that
  /// the body must be called again.
  constexpr bool widen(list<int> const& results) {
    bool changed = false;
    for (int u = 0; u < tapes.size(); ++u) {
      recorded_tape& tape = tapes[u];
      if (tape.taps.empty()) continue;
      tensor_type const start = g.type(tape.start), made = g.type(results[u]);
      if (start.element != made.element || start.rank - axes_of_start(tape) != made.rank)
        g.fail(
            "kt::scan: a state changes its rank or element type from one step to the next; convert "
            "its start or the body's result");
      std::uint32_t const both = tape.broadcast & made.broadcast;
      changed = changed || both != tape.broadcast;
      tape.broadcast = both;
    }
    return changed && g.error().empty();
  }
  static constexpr int axes_of_start(recorded_tape const& tape) {
    return tape.kind == tape_kind::mit_sot ? 1 : 0;
  }

  /// Records the node. Then `output(u)` is the result for the body's result number u. Parameters of
  /// the function that the body updates are further states, and follow the results; then come the
  /// states of streams.
  constexpr void record(list<int> const& formals, list<int> results,
                        list<core::update> const& updates = {},
                        list<body_state> const& streams = {}) {
    for (auto const& u : updates) {
      int const updated = g.parameters()[u.parameter];
      tapes.push_back({tape_kind::shared, {-1}, updated, g.type(updated).broadcast, updated});
      results.push_back(u.value);
    }
    for (body_state const& s : streams) {
      tapes.push_back({tape_kind::shared, {-1}, s.start, g.type(s.start).broadcast, s.before});
      results.push_back(s.after);
    }
    for (int u = 0, count = tapes.size(); u < count; ++u)
      if (tapes[u].only_last && tapes[u].kind == tape_kind::mit_sot) add_last(u, results);
    sort_tapes();
    list<int> in_order, made;
    for (int i = 0; i < sequences.size(); ++i) in_order.push_back(formals[i]);
    for (int u : order_)
      for (int k = 0; k < tapes[u].taps.size(); ++k)
        in_order.push_back(tapes[u].stands_for >= 0 ? tapes[u].stands_for
                                                    : formals[first_formal(u) + k]);
    for (int i = formals.size() - constants.size(); i < formals.size(); ++i)
      in_order.push_back(formals[i]);
    for (int u : order_) made.push_back(results[u]);
    list<int> const extents = extents_of_rows(made);
    if (condition >= 0) made.push_back(condition);
    body_extraction part(g, in_order, made);
    for (int e : extents)
      if (part.depends(e))
        g.fail(
            "kt::scan: an extent of an output depends on the elements of a sequence or a state, "
            "so the rows of the result would differ in shape");
    add_node(part, extents);
  }
  constexpr term output(int u) const {
    if (results_.empty()) return {};
    int tape = 0;
    while (order_[tape] != u) ++tape;
    return results_[tape];
  }
  /// What the user gets of a result: all rows, or the last value.
  constexpr term given(int u) const { return output(tapes[u].last >= 0 ? tapes[u].last : u); }

 private:
  // A state that is read several steps back is a stack. Its last value is a state of its own, which
  // no step reads; before the first step it is the last row of the start that is read.
  constexpr void add_last(int u, list<int>& results) {
    int reach = 0;
    for (int tap : tapes[u].taps) reach = -tap > reach ? -tap : reach;
    // Whether there is such a row is a condition of the loop, which says it better than an index.
    term const row = rows({&g, tapes[u].start}, integer(g, reach - 1), integer(g, 1));
    int const start = row_at(row, integer(g, 0)).id;
    std::uint32_t const broadcast = tapes[u].broadcast;
    tapes[u].last = tapes.size();
    tapes.push_back({tape_kind::shared, {-1}, start, broadcast, formal_of(g, start, 0, broadcast)});
    results.push_back(results[u]);
  }
  constexpr void sort_tapes() {
    for (int kind = 0; kind < tape_kinds; ++kind)
      for (int u = 0; u < tapes.size(); ++u)
        if (static_cast<int>(tapes[u].kind) == kind) order_.push_back(u);
  }
  // Without states there is nothing to store, and a gradient that goes back a few steps stores few.
  constexpr bool is_worth_segments() const {
    bool has_states = false;
    for (recorded_tape const& tape : tapes) has_states = has_states || !tape.taps.empty();
    return has_states && truncate < 0;
  }
  constexpr int first_formal(int u) const {
    int at = sequences.size();
    for (int k = 0; k < u; ++k) at += tapes[k].taps.size();
    return at;
  }
  // The extents of one row of each output that is not a state, as scalars outside of the body.
  constexpr list<int> extents_of_rows(list<int> const& made) {
    list<int> extents;
    for (int tape = 0; tape < order_.size(); ++tape)
      if (tapes[order_[tape]].kind == tape_kind::nit_sot)
        for (int d = 0; d < g.type(made[tape]).rank; ++d)
          extents.push_back(extent_outside(g, extent_node(g, made[tape], d)));
    return extents;
  }
  constexpr void add_node(body_extraction& part, list<int> const& extents) {
    scan_parts parts{.steps = steps.id,
                     .counted = counted,
                     .stops = condition >= 0,
                     .unrolled = unrolled,
                     .truncate = truncate,
                     .snapshots = snapshots,
                     .sequences = sequences,
                     .constants = constants,
                     .extents = extents};
    for (int u : order_) parts.tapes.push_back({tapes[u].kind, tapes[u].taps, tapes[u].start});
    for (int c : part.captured) parts.constants.push_back(c);
    if (length_of_segments.exists() && parts.stops)
      g.fail(
          "kt::checkpoint: a loop that kt::until stops cannot be divided into segments, since the "
          "number of its steps is not known before: use kt::snapshots(c)");
    if (length_of_segments.exists() && !parts.stops && is_worth_segments()) {
      results_ = segmented_scan(g, parts, part.body, length_of_segments).record();
    } else {
      int const node = record_scan(g, parts, part.body);
      for (int t = 0; node >= 0 && t < parts.tapes.size(); ++t)
        results_.push_back(result_of_scan(g, node, t));
    }
  }

  list<int> order_{};     // the user's numbers of the tapes, in the order of the node
  list<term> results_{};  // of the node, in its order
};

}  // namespace kroton::ops
