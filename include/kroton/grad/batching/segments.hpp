// Vectors over one batch axis that are 0 except on segments of diagonals, such as derivatives of
// slices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/pass.hpp>
#include <kroton/ops/shapes/extents.hpp>

namespace kroton::calculus {

/// Whether a node is such a vector. Then only the segments are computed, until the matrix is
/// needed.
constexpr bool batching::find_segments(int id) {
  constexpr int most = 16;
  if (axes() != 1 || rank(id) != 1 || g_.type(id).broadcasts(0)) return false;
  op_info const* const op = g_[id].op;
  bool found = false;
  if (is_op<op::subtensor>(op)) found = segments_of_slice(id);
  else if (is_op<op::inc_subtensor>(op)) found = segments_of_write(id);
  else if (is_op<op::add>(op) || is_op<op::sub>(op))
    found = segments_of_sum(id, is_op<op::sub>(op));
  else if (op->elementwise) found = segments_of_elementwise(id);
  if (!found || segments_[id].size() > most) segments_[id].clear();
  return !segments_[id].empty();
}

/// Appends the segments of a vector; false if it has nonzeros off diagonals.
constexpr bool batching::read_segments(int id, list<segment>& found) {
  if (!made_[id].known || !made_[id].batched || rank(id) != 1) return false;
  if (!segments_[id].empty()) {
    for (segment const& s : segments_[id]) found.push_back(s);
    return true;
  }
  if (tie_of(made_[id].ties, 0) != 0 || g_.type(made_[id].node).broadcasts(0)) return false;
  found.push_back({made_[id].node, extent_node(g_, id, 0), {}, {}, true});
  return true;
}

// A slice of a vector that is tied to the batch axis begins further down.
constexpr bool batching::segments_of_slice(int id) {
  int const x = g_.input_of(id, 0);
  if (rank(x) != 1 || g_.attribute(id, 0) != 2 || g_.attribute(id, 1) != 1 ||
      (x < size_ && !segments_[x].empty()))
    return false;
  list<segment> found;
  if (!read_segments(x, found)) return false;
  int const begin = shared(g_.input_of(id, 1)), length = shared(g_.input_of(id, 2));
  segment s = found[0];
  s.data = g_.apply<op::subtensor>({s.data, begin, length}, {2, 1});
  s.length = length;
  if (g_.type(s.data).broadcasts(0)) return false;
  if (!g_.is_literal(begin, 0)) s.row.push_back(begin);
  segments_[id].push_back(s);
  return true;
}

// A value that is added to a slice of zeros moves further to the right.
constexpr bool batching::segments_of_write(int id) {
  int const base = g_.input_of(id, 0), added = g_.input_of(id, 1);
  if (g_.attribute(id, 0) != 2 || g_.attribute(id, 1) != 1 || rank(added) != 1) return false;
  bool const on_zeros =
      !at(base).batched && g_.is_literal(g_.is<op::alloc>(base) ? g_.input_of(base, 0) : base, 0);
  list<segment> found, moved;
  if ((!on_zeros && !read_segments(base, found)) || !read_segments(added, moved)) return false;
  int const begin = shared(g_.input_of(id, 2));
  for (segment s : moved) {
    s.whole = false;
    if (!g_.is_literal(begin, 0)) s.column.push_back(begin);
    found.push_back(s);
  }
  segments_[id].swap(found);
  return true;
}

constexpr bool batching::segments_of_sum(int id, bool subtracts) {
  int const a = g_.input_of(id, 0), b = g_.input_of(id, 1);
  if (g_[id].input_count != 2 || (segments_[a].empty() && segments_[b].empty())) return false;
  list<segment> found, others;
  if (!read_segments(a, found) || !read_segments(b, others)) return false;
  auto equal = [](list<int> const& x, list<int> const& y) {
    bool same = x.size() == y.size();
    for (int i = 0; same && i < x.size(); ++i) same = x[i] == y[i];
    return same;
  };
  for (segment& s : others) {
    if (subtracts) s.data = g_.apply<op::neg>({s.data});
    segment* like = nullptr;
    for (segment& t : found)
      if (equal(s.row, t.row) && equal(s.column, t.column) &&
          (s.length == t.length || (s.whole && t.whole)))
        like = &t;
    if (like != nullptr) like->data = call<op::add>(term{&g_, like->data}, term{&g_, s.data}).id;
    else found.push_back(s);
  }
  segments_[id].swap(found);
  return true;
}

// Ops that are linear in the one operand that depends on the batch index, and that map zeros to
// zeros.
constexpr bool batching::segments_of_elementwise(int id) {
  op_info const* const op = g_[id].op;
  int which = -1;
  for (int i = 0; i < g_[id].input_count; ++i) {
    int const in = g_.input_of(id, i);
    if (!made_[in].known || !made_[in].batched) continue;
    if (which >= 0 || segments_[in].empty()) return false;
    which = i;
  }
  if (which < 0) return false;
  bool linear = is_op<op::neg>(op) || is_op<op::mul>(op) || (is_op<op::div>(op) && which == 0);
  if (is_op<op::where>(op) && which > 0) {
    int const other = g_.input_of(id, 3 - which);
    linear = g_.is_literal(g_.is<op::alloc>(other) ? g_.input_of(other, 0) : other, 0);
  }
  if (!linear) return false;
  list<segment> found;
  for (segment s : segments_[g_.input_of(id, which)]) {
    list<int> inputs;
    for (int i = 0; i < g_[id].input_count; ++i)
      inputs.push_back(i == which ? s.data : restricted(at(g_.input_of(id, i)).node, s));
    s.data = again(id, inputs);
    found.push_back(s);
  }
  segments_[id].swap(found);
  return true;
}

/// The part of another vector at the positions of a segment.
constexpr int batching::restricted(int id, segment const& to) {
  if (rank(id) == 0 || g_.type(id).broadcasts(0) || to.whole) return id;
  term begin = integer(g_, 0);
  for (int i : to.column) begin = begin + term{&g_, i};
  return g_.apply<op::subtensor>({id, begin.id, to.length}, {2, 1});
}

constexpr int batching::matrix_of(int id) {
  list<int> inputs;
  for (segment const& s : segments_[id]) {
    inputs.push_back(s.data);
    for (list<int> const* sum : {&s.row, &s.column}) {
      term first = integer(g_, 0);
      for (int i : *sum) first = first + term{&g_, i};
      inputs.push_back(first.id);
    }
  }
  inputs.push_back(extents_[0].id);
  // Uses the operand that the vector was made from: the vector itself depends on nodes that
  // batching replaces.
  inputs.push_back(extent_node(g_, id, 0));
  return g_.apply(identity<op::from_diagonals>(), inputs);
}

}  // namespace kroton::calculus
