// Rules of writes to parts: what is read back, written twice, written as it was, or added to zeros.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing/along_axis.hpp>
#include <kroton/ops/shapes/joining.hpp>
#include <kroton/rewrite/rules/selection.hpp>
#include <kroton/rewrite/rules/view.hpp>

namespace kroton::rewrite::rules {

/// Whether two nodes select the same, given the positions of their first indices.
constexpr bool select_alike(graph const& g, int a, int from_a, int b, int from_b) {
  if (g[a].attribute_count != g[b].attribute_count ||
      g[a].input_count - from_a != g[b].input_count - from_b)
    return false;
  for (int i = 0; i < g[a].attribute_count; ++i)
    if (g.attribute(a, i) != g.attribute(b, i)) return false;
  for (int i = from_a; i < g[a].input_count; ++i)
    if (g.input_of(a, i) != g.input_of(b, i - from_a + from_b)) return false;
  return true;
}
/// A write to the same part as `like` does.
constexpr int write_like(rewriter& r, op_info const* op, int like, int x, int value) {
  list<int> inputs = r.inputs(like);
  list<long long> const attributes = r.attributes(like);
  inputs[0] = x;
  inputs[1] = value;
  return r.make(op, inputs, attributes);
}

/// Two writes to one part are one: what is replaced is not written before, and what is added is
/// added at once.
constexpr int write_of_write(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  bool const slices = g.is<op::inc_subtensor>(id) || g.is<op::set_subtensor>(id);
  bool const replaces = g.is<op::set_subtensor>(id) || g.is<op::set_take>(id);
  bool const over_set = slices ? g.is<op::set_subtensor>(x) : g.is<op::set_take>(x);
  bool const over_inc = slices ? g.is<op::inc_subtensor>(x) : g.is<op::inc_take>(x);
  if ((!over_set && !over_inc) || !select_alike(g, id, 2, x, 2)) return -1;
  int const base = g.input_of(x, 0), value = g.input_of(id, 1);
  if (replaces) return write_like(r, g[id].op, id, base, value);
  // An index that is there twice has its value once, and is added to twice; and sums of three round
  // in their order.
  if (over_set ? !slices : !r.real()) return -1;
  op_info const* const op = g[x].op;
  return write_like(r, op, id, base, r.make<op::add>({g.input_of(x, 1), value}));
}

/// Adding zeros to a part changes nothing, except for the sign of -0.
constexpr int increment_by_zero(rewriter& r, int id) {
  if (!r.real() && is_continuous(r.g.type(id).element)) return -1;
  return r.g.is_literal(r.bare(r.g.input_of(id, 1)), 0) ? r.g.input_of(id, 0) : -1;
}
/// What is added to a part of zeros replaces it. (Not for inc_take: where an index is there twice,
/// it is added to twice.)
constexpr int increment_of_zeros(rewriter& r, int id) {
  if (!r.g.is_literal(r.bare(r.g.input_of(id, 0)), 0)) return -1;
  return write_like(r, identity<op::set_subtensor>(), id, r.g.input_of(id, 0), r.g.input_of(id, 1));
}

/// Whether an int64 scalar is an extent less 1.
constexpr bool is_last_index(rewriter& r, int id, int extent) {
  graph& g = r.g;
  if (g.is_literal(id))
    return g.is_literal(extent) && g.literal_bits(id) == g.literal_bits(extent) - 1;
  bool found = false;
  for (int k = 0; g.is<op::add>(id) && g[id].input_count == 2 && k < 2; ++k)
    found = found || (g.is_literal(g.input_of(id, k), -1) &&
                      r.representative(g.input_of(id, 1 - k)) == extent);
  return found;
}
/// A write to the whole: x.set(y) is y, x.inc(y) is x + y. Ranges that are whole axes are written
/// as such. Where they go from the last index to the first, y is turned round instead.
constexpr int write_of_all(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0), value = g.input_of(id, 1);
  list<axis_selection> const axes = selection_of(g, id, 2);
  list<int> inputs{x, value}, turned{value};
  list<long long> attributes, turns;
  bool all = true, changed = false, fits = true, turn = false;
  for (int d = 0; d < axes.size(); ++d) {
    axis_selection axis = axes[d];
    // An extent of the value that is 1, but not by its type, would not broadcast any more.
    fits = fits && !(g.type(id).broadcasts(d) && g.type(value).spans(d, g.type(id).rank));
    bool const is_whole = axis.code == 2 && r.representative(axis.length) == r.extent(x, d);
    bool const turns_axis =
        is_whole && axis.step == -1 && is_last_index(r, axis.first, axis.length) &&
        g.type(value).rank == g.type(id).rank && !g.type(value).broadcasts(d);
    turns.push_back(turns_axis ? 2 : 0);
    turns.push_back(turns_axis ? -1 : 1);
    if (turns_axis) {
      turned.push_back(axis.first);
      turned.push_back(axis.length);
      turn = true;
    }
    if (turns_axis || (is_whole && axis.step == 1 && g.is_literal(axis.first, 0))) {
      axis = {};
      changed = true;
    }
    all = all && axis.code == 0;
    attributes.push_back(axis.code);
    attributes.push_back(axis.step);
    if (axis.code != 0) inputs.push_back(axis.first);
    if (axis.code == 2) inputs.push_back(axis.length);
  }
  op_info const* const op = g[id].op;
  if (turn) inputs[1] = r.make(identity<op::subtensor>(), turned, turns);
  if (all && fits)
    return is_op<op::set_subtensor>(op) ? inputs[1] : r.make<op::add>({x, inputs[1]});
  return changed ? r.make(op, inputs, attributes) : -1;
}

/// Takes the terms of a sum from those of another; whether all were there.
constexpr bool take_terms(graph const& g, list<int>& from, int sum) {
  list<int> wanted;
  if (g.is<op::add>(sum)) wanted.append(g.input_data(sum), g[sum].input_count);
  else wanted.push_back(sum);
  for (int term : wanted) {
    int at = 0;
    while (at < from.size() && from[at] != term) ++at;
    if (at == from.size()) return false;
    from.erase(at);
  }
  return true;
}
/// What was there, or more than that: x.set(x[i], i) is x; x.set(x[i] + y, i) is x.inc(y, i).
constexpr int write_of_read(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0), value = g.input_of(id, 1);
  list<int> inputs = r.inputs(id);
  inputs.erase(1);
  list<long long> const attributes = r.attributes(id);
  // In its final form, which functions of elements have after what is read of their operands.
  int const read = r.make(identity<op::subtensor>(), inputs, attributes);
  if (value == read) return x;
  if (!r.real() || !g.is<op::add>(value)) return -1;
  list<int> terms = r.inputs(value);
  if (!take_terms(g, terms, read) || terms.empty()) return -1;
  int const added = terms.size() == 1 ? terms[0] : r.make(identity<op::add>(), terms);
  return write_like(r, identity<op::inc_subtensor>(), id, x, added);
}

/// The writes, from the last to the first, that make a node from zeros; none where other things do.
/// Of replaced parts only the first write may be one: nothing was added there before.
constexpr list<int> writes_to_zeros(rewriter& r, int id) {
  graph& g = r.g;
  list<int> writes;
  for (; g.is<op::inc_subtensor>(id) || g.is<op::inc_take>(id) || g.is<op::add_along_axis>(id);
       id = g.input_of(id, 0))
    writes.push_back(id);
  if (g.is<op::set_subtensor>(id)) {
    writes.push_back(id);
    id = g.input_of(id, 0);
  }
  if (!g.is_literal(r.bare(id), 0)) writes.clear();
  return writes;
}
/// The op that adds where a node writes.
constexpr op_info const* write_op(graph const& g, int write) {
  return g.is<op::set_subtensor>(write) ? identity<op::inc_subtensor>() : g[write].op;
}

/// Of zeros to some of whose parts values were added, only these are added: what x(a) gets from
/// zeros with y at (b) is y at x(a)(b). The same where zeros are replaced.
constexpr int write_of_parts(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0), value = g.input_of(id, 1);
  list<int> const writes = writes_to_zeros(r, value);
  list<axis_selection> const axes = selection_of(g, id, 2);
  int rank = 0;
  for (axis_selection const& axis : axes) rank += axis.code == 1 ? 0 : 1;
  if (writes.empty() || g.type(value).rank != rank || g.type(value).broadcast != 0) return -1;
  if (g.is<op::set_subtensor>(id) && !g.is_literal(r.bare(x), 0)) return -1;
  for (int write : writes)
    if (!g.is<op::inc_subtensor>(write) && !g.is<op::set_subtensor>(write)) return -1;
  int result = x;
  for (int k = writes.size() - 1; k >= 0; --k) {
    list<int> inputs{result, g.input_of(writes[k], 1)};
    list<long long> attributes;
    append_selection(part_of_part(r, axes, selection_of(g, writes[k], 2)), inputs, attributes);
    result = r.make(identity<op::inc_subtensor>(), inputs, attributes);
  }
  return result;
}

/// The axis along which a write adds as many elements as there are to a range, or -1.
constexpr int range_axis(rewriter& r, int write, int value) {
  graph& g = r.g;
  if (!g.is<op::inc_subtensor>(write) && !g.is<op::set_subtensor>(write)) return -1;
  int const rank = g.type(write).rank;
  if (g.type(value).rank != rank || g.type(value).element != g.type(write).element) return -1;
  int axis = -1;
  for (int d = 0; d < rank; ++d) {
    long long const code = g.attribute(write, 2 * d);
    if (code == 2 && axis < 0 && g.attribute(write, 2 * d + 1) == 1) axis = d;
    else if (code != 0 || r.extent(value, d) != r.extent(write, d)) return -1;
  }
  bool const fits = axis >= 0 && !g.type(value).broadcasts(axis) &&
                    r.extent(value, axis) == r.representative(g.input_of(write, 3));
  return fits ? axis : -1;
}
/// Takes values that are added to ranges behind each other, which together are a whole axis, from a
/// list of writes: they are joined. -1 where there are none.
constexpr int take_joined_ranges(rewriter& r, list<int>& writes, list<int>& values) {
  graph& g = r.g;
  for (int first = 0; first < writes.size(); ++first) {
    int const axis = range_axis(r, writes[first], values[first]);
    if (axis < 0 || !g.is_literal(g.input_of(writes[first], 2), 0)) continue;
    list<int> chain{first}, inputs{r.extent(writes[first], axis), values[first]};
    int end = r.representative(g.input_of(writes[first], 3));
    for (int k = 0; k < writes.size() && end != inputs[0]; ++k) {
      if (chain.contains(k) || range_axis(r, writes[k], values[k]) != axis ||
          r.representative(g.input_of(writes[k], 2)) != end)
        continue;
      chain.push_back(k);
      inputs.push_back(values[k]);
      end = r.representative(r.make<op::add>({end, g.input_of(writes[k], 3)}));
      k = -1;
    }
    if (end != inputs[0] || chain.size() < 2) continue;
    sort(chain, [](int a, int b) { return a > b; });
    for (int k : chain) {
      writes.erase(k);
      values.erase(k);
    }
    return r.make(identity<op::join>(), inputs, list<long long>{axis});
  }
  return -1;
}
/// The order of writes in which parts of equally many rows come one after the other: a band takes
/// their rows together.
constexpr list<int> in_order_of_rows(rewriter& r, list<int> const& writes,
                                     list<int> const& values) {
  graph& g = r.g;
  auto const rows = [&](int k) {
    bool const is_slice = write_op(g, writes[k]) == identity<op::inc_subtensor>();
    bool const has_rows = g.type(writes[k]).rank > 1 && g.type(values[k]).rank > 0;
    return is_slice && has_rows && g.attribute(writes[k], 0) != 1 ? r.extent(values[k], 0) : -1;
  };
  list<int> order;
  for (int k = 0; k < writes.size(); ++k) {
    if (order.contains(k)) continue;
    order.push_back(k);
    for (int later = k + 1; rows(k) >= 0 && later < writes.size(); ++later)
      if (rows(later) == rows(k)) order.push_back(later);
  }
  return order;
}
/// What is added to parts of zeros is added to the parts of what those are added to: one tensor,
/// not one for each part. What goes to one part is added first, where it may cancel. Parts that are
/// the whole are joined.
constexpr int sum_of_writes(rewriter& r, int id) {
  graph& g = r.g;
  list<int> rest, writes, values;
  int zeros = -1;
  auto add = [&](int write) {
    int const value = g.input_of(write, 1);
    for (int k = 0; k < writes.size(); ++k) {
      if (*write_op(g, writes[k]) != *write_op(g, write) ||
          !select_alike(g, writes[k], 2, write, 2))
        continue;
      values[k] = r.make<op::add>({values[k], value});
      return;
    }
    writes.push_back(write);
    values.push_back(value);
  };
  for (int term : r.inputs(id)) {
    list<int> const own = writes_to_zeros(r, term);
    if (own.empty() || !(g.type(term) == g.type(id))) {
      rest.push_back(term);
      continue;
    }
    zeros = g.input_of(own.back(), 0);
    for (int k = own.size() - 1; k >= 0; --k) add(own[k]);
  }
  if (writes.empty()) return -1;
  for (int whole = 0; (whole = take_joined_ranges(r, writes, values)) >= 0;) rest.push_back(whole);
  int result = rest.empty()       ? zeros
               : rest.size() == 1 ? rest[0]
                                  : r.make(identity<op::add>(), rest);
  result = r.conform(result, id);
  for (int k : in_order_of_rows(r, writes, values))
    result = write_like(r, write_op(g, writes[k]), writes[k], result, values[k]);
  return result;
}

}  // namespace kroton::rewrite::rules
