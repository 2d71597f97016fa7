// Rows that indices select, of which some columns are read or written: only these are taken, or
// added to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing/take.hpp>
#include <kroton/rewrite/rules/write.hpp>

namespace kroton::rewrite::rules {

/// Which axes of what op::take selects belong to the indices, and the others to which axes of the
/// tensor that they select from; see ops::taken_type.
struct taken_axes {
  long long taken = 0;
  int before = 0, indices = 0;  // other axes in front of those of the indices; how many these are
  list<int> others{};

  constexpr taken_axes(graph const& g, int id, int rank, int first)
      : taken(g.attribute(id, 0)), before(static_cast<int>(g.attribute(id, 1))) {
    for (int k = first; k < g[id].input_count; ++k)
      if (int const own = g.type(g.input_of(id, k)).rank; own > indices) indices = own;
    for (int d = 0; d < rank; ++d)
      if ((taken >> d & 1) == 0) others.push_back(d);
  }
  /// The axis of the indices that an axis of the selection is, or -1.
  constexpr int index_axis(int d) const {
    return d >= before && d < before + indices ? d - before : -1;
  }
  /// The axis of the tensor that another one is.
  constexpr int other(int d) const { return others[d < before ? d : d - indices]; }
};

/// Whether a selection consists of integers, and of whole axes.
constexpr bool has_only_integers(list<axis_selection> const& axes) {
  bool any = false;
  for (axis_selection const& axis : axes) {
    if (axis.code == 2) return false;
    any = any || axis.code == 1;
  }
  return any;
}
/// Of an index tensor, one of those that broadcast to `rank` axes, what integers leave along the
/// axes from `before` on.
constexpr int part_of_index(rewriter& r, int index, list<axis_selection> const& axes, int before,
                            int rank) {
  tensor_type const type = r.g.type(index);
  list<axis_selection> own;
  for (int d = rank - type.rank; d < rank; ++d) {
    axis_selection axis = axes[before + d];
    if (axis.code == 1 && type.broadcasts(d - (rank - type.rank)))
      axis.first = r.g.literal(0, element::int64);
    own.push_back(axis);
  }
  return r.settle(select(r, index, own));
}

/// Integers along some axes of what indices select: x(i)(slice(), 2) is x(slice(), 2)(i), and
/// x(i)(slice(), 2) of a matrix i is x(i(slice(), 2)).
constexpr int part_of_taken(rewriter& r, int id) {
  graph& g = r.g;
  int const y = g.input_of(id, 0);
  if (!g.is<op::take>(y)) return -1;
  int const x = g.input_of(y, 0), rank = g.type(x).rank;
  list<axis_selection> const axes = selection_of(g, id);
  taken_axes const at(g, y, rank, 1);
  if (!has_only_integers(axes)) return -1;
  int left = 0, before = at.before;
  list<axis_selection> own(rank, axis_selection{});
  for (int d = 0; d < axes.size(); ++d) {
    bool const one = axes[d].code == 1;
    if (at.index_axis(d) >= 0) {
      left += one ? 0 : 1;
      continue;
    }
    own[at.other(d)] = axes[d];
    if (one && d < at.before) --before;
  }
  if (left == 0) return -1;
  long long taken = 0;
  for (int d = 0, position = 0; d < rank; ++d) {
    if (own[d].code == 1) continue;
    taken |= (at.taken >> d & 1) << position;
    ++position;
  }
  list<int> inputs{r.settle(select(r, x, own))};
  for (int k = 1; k < g[y].input_count; ++k)
    inputs.push_back(part_of_index(r, g.input_of(y, k), axes, at.before, at.indices));
  long long const attributes[] = {taken, before};
  return r.make(identity<op::take>(), inputs, attributes);
}

/// A write as it stands to what integers leave of x.
constexpr int write_part(rewriter& r, op_info const* op, int x, int value,
                         list<axis_selection> const& axes) {
  list<int> inputs{x, value};
  list<long long> attributes;
  for (axis_selection const& axis : axes) {
    attributes.push_back(axis.code);
    attributes.push_back(axis.step);
    if (axis.code != 0) inputs.push_back(axis.first);
    if (axis.code == 2) inputs.push_back(axis.length);
  }
  return r.make(op, inputs, attributes);
}
/// What is written to parts of zeros, transposed, is written to parts of the transposed zeros.
constexpr int transposed_write(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0), rank = g.type(x).rank;
  if ((!g.is<op::set_subtensor>(x) && !g.is<op::inc_subtensor>(x)) || g.type(id).rank != rank ||
      writes_to_zeros(r, x).empty())
    return -1;
  list<long long> const pattern = r.attributes(id);
  list<axis_selection> const axes = selection_of(g, x, 2);
  list<int> place(rank, -1);  // of each axis that the part has
  int parts = 0;
  for (int d = 0; d < rank; ++d)
    if (axes[d].code != 1) place[d] = parts++;
  int const value = g.input_of(x, 1);
  if (g.type(value).rank != 0 && g.type(value).rank != parts) return -1;
  list<axis_selection> turned;
  list<long long> of_value;
  for (long long d : pattern) {
    if (d < 0) return -1;
    turned.push_back(axes[static_cast<int>(d)]);
    if (turned.back().code != 1) of_value.push_back(place[static_cast<int>(d)]);
  }
  return write_part(r, g[x].op, make_view(r, g.input_of(x, 0), pattern),
                    g.type(value).rank == 0 ? value : make_view(r, value, of_value), turned);
}
/// Columns of zeros are written, and these rows added to rows: the columns are added to those of
/// the rows.
constexpr int taken_columns(rewriter& r, int id) {
  graph& g = r.g;
  int const value = g.input_of(id, 1), rank = g.type(id).rank;
  list<int> const writes = writes_to_zeros(r, value);
  taken_axes const at(g, id, rank, 2);
  if (writes.empty() || g.type(value).rank != at.others.size() + at.indices) return -1;
  for (int write : writes) {
    if (!g.is<op::set_subtensor>(write) && !g.is<op::inc_subtensor>(write)) return -1;
    list<axis_selection> const axes = selection_of(g, write, 2);
    int left = 0;
    for (int d = 0; d < axes.size(); ++d)
      left += at.index_axis(d) >= 0 && axes[d].code == 0 ? 1 : 0;
    if (!has_only_integers(axes) || left == 0) return -1;
  }
  int sum = g.input_of(id, 0);
  for (int w = writes.size() - 1; w >= 0; --w) {
    list<axis_selection> const axes = selection_of(g, writes[w], 2);
    list<int> index(rank, -1);
    for (int d = 0, k = 2; d < rank; ++d)
      if ((at.taken >> d & 1) != 0)
        index[d] = part_of_index(r, g.input_of(id, k++), axes, at.before, at.indices);
    long long attributes[] = {at.taken, at.before};
    for (int d = 0; d < axes.size(); ++d) {
      if (at.index_axis(d) >= 0 || axes[d].code == 0) continue;
      index[at.other(d)] = axes[d].first;
      attributes[0] |= 1LL << at.other(d);
      if (d < at.before) --attributes[1];
    }
    list<int> inputs{sum, g.input_of(writes[w], 1)};
    for (int i : index)
      if (i >= 0) inputs.push_back(i);
    sum = r.make(identity<op::inc_take>(), inputs, attributes);
  }
  return sum;
}

}  // namespace kroton::rewrite::rules
