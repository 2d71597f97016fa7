// Where the gradient of a scan takes snapshots of its states, and how many steps it reverses at
// once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/loop/residuals.hpp>
#include <kroton/ops/loop/recording.hpp>

namespace kroton::calculus {

/// The bytes of states and residuals of the steps that are reversed at once, if there is more than
/// one of these: a page.
inline constexpr long long bytes_of_leaf = 4096;

/// How many of `count` steps, at least 2, to take from one snapshot to the next, if there may be
/// `room` snapshots from the first of both on. (room + r)! / (room! r!) steps can be reversed if
/// each is taken again r times at most. The part before the next snapshot is as long as r - 1 times
/// allow: it has been run through once.
/// (Griewank and Walther, Algorithm 799: revolve)
constexpr term steps_to_snapshot(term count, term room) {
  graph& g = *count.of;
  graph body;
  auto input = [&] {
    return term{&body, body.input({element::int64, 0, 0}, body.parameters().size())};
  };
  // r, how many steps are reversed with r and with r - 1
  term const times = input(), most = input();
  input();
  term const limit = input(), places = input(), next = times + 1,
             more = call<op::floordiv>(most * (places + next), next);
  for (term t : list<term>{next, more, most, call<op::ge>(more, limit)})
    body.results().push_back(t.id);
  scan_parts parts;
  parts.steps = g.literal(no_limit, element::int64);
  parts.stops = true;
  for (int start : {0, 1, 1})
    parts.tapes.push_back({tape_kind::shared, list<int>{-1}, g.literal(start, element::int64)});
  parts.constants = list<int>{count.id, room.id};
  int const loop = record_scan(g, parts, body);
  if (loop < 0) return count;
  term const found = output_of({&g, loop}, 0), first = output_of({&g, loop}, 2);
  return call<op::minimum>(first,
                           count - call<op::floordiv>(first * room, room + (found - 1)));
}

/// As many steps as have their states, and the residuals that their gradient reads, in a page.
constexpr term steps_of_leaf(graph& g, int id, graph const& work, residuals const& stored) {
  scan_layout const at = layout_of(g, id);
  term bytes = integer(g, 1);
  for (int tape = 0; tape < at.states(); ++tape) {
    term const start{&g, g.input_of(id, at.tape_operand(tape))};
    term size = integer(g, bytes_of(start.element()));
    for (int d = at.kind(tape) == tape_kind::mit_sot ? 1 : 0; d < start.rank(); ++d)
      size = size * extent(start, d);
    bytes = bytes + size;
  }
  for (int k = 0, next = 0; k < stored.stored.size(); ++k) {
    tensor_type const type = work.type(stored.stored[k]);
    term size = integer(g, bytes_of(type.element));
    for (int d = 0; d < type.rank; ++d) size = size * term{&g, stored.extents[next++]};
    bytes = bytes + size;
  }
  return call<op::maximum>(call<op::floordiv>(integer(g, bytes_of_leaf), bytes), 1);
}

}  // namespace kroton::calculus
