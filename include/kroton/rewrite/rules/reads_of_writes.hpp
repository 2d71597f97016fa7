// What is read of a tensor to parts of which something was written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/write.hpp>

namespace kroton::rewrite::rules {

/// The literal that a bound of a range is, unless the axis ends before; -1 for none.
constexpr std::int64_t literal_bound(rewriter& r, int bound, int extent) {
  graph& g = r.g;
  // As it stands first: the extent of what is written may represent it.
  for (int form : {bound, r.representative(bound)}) {
    if (int other = -1; is_limited(g, form, extent, other)) form = other;
    if (g.is_literal(form)) return g.literal_bits(form);
  }
  return -1;
}
/// Where an index that is a literal lies in a range: the index from the beginning of that, or -1.
constexpr int index_within(rewriter& r, axis_selection const& index, axis_selection const& range,
                           int extent) {
  graph& g = r.g;
  if (index.code != 1 || range.code != 2 || range.step != 1 || range.length < 0 ||
      !g.is_literal(index.first))
    return -1;
  std::int64_t const k = g.literal_bits(index.first),
                     from = literal_bound(r, range.first, extent),
                     to = literal_bound(r, r.make<op::add>({range.first, range.length}), extent);
  return from >= 0 && from <= k && k < to ? r.literal(static_cast<double>(k - from), element::int64)
                                          : -1;
}
constexpr bool are_alike(axis_selection const& a, axis_selection const& b) {
  return a.code == b.code && a.step == b.step && a.first == b.first && a.length == b.length;
}
/// What a read selects of what was written, when all that it reads was; false where it may not be.
constexpr bool read_within(rewriter& r, int read, int write, list<axis_selection>& own) {
  int const x = r.g.input_of(write, 0);
  list<axis_selection> const from = selection_of(r.g, read), to = selection_of(r.g, write, 2);
  for (int d = 0; d < to.size(); ++d) {
    if (to[d].code == 0) {
      own.push_back(from[d]);
    } else if (are_alike(from[d], to[d])) {
      if (to[d].code == 2) own.push_back({});
    } else {
      int const index = index_within(r, from[d], to[d], r.extent(x, d));
      if (index < 0) return false;
      own.push_back({1, 1, index, -1});
    }
  }
  return true;
}
/// Reading what was just written, or a part of it: x.set(y)[same] is y; x.inc(y)[same] is
/// x[same] + y.
constexpr int read_of_write(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  bool const adds = g.is<op::inc_subtensor>(x);
  if (!adds && !g.is<op::set_subtensor>(x)) return -1;
  int value = g.input_of(x, 1);
  if (!select_alike(g, id, 1, x, 2)) {
    list<axis_selection> own;
    if (!read_within(r, id, x, own)) return -1;
    list<int> inputs = r.inputs(x);
    inputs.erase(1);
    list<long long> const attributes = r.attributes(x);
    int const part = g.apply(identity<op::subtensor>(), inputs, attributes);
    value = r.settle(select(r, r.conform(value, part), own));
  }
  if (!adds) return value;
  list<int> inputs = r.inputs(id);
  inputs[0] = g.input_of(x, 0);
  list<long long> const attributes = r.attributes(id);
  int const part = r.make(identity<op::subtensor>(), inputs, attributes);
  return r.make<op::add>({part, value});
}

/// Whether two parts of one tensor have nothing in common, since along some axis one begins where
/// the other has ended.
constexpr bool lie_apart(rewriter& r, list<axis_selection> const& a,
                         list<axis_selection> const& b) {
  auto is_behind = [&](axis_selection const& first, axis_selection const& second) {
    if (first.code == 2 && (first.step != 1 || first.length < 0)) return false;
    if (second.code == 0 || first.code == 0 || (second.code == 2 && second.step < 1)) return false;
    int const length = first.code == 1 ? r.g.literal(1, element::int64) : first.length;
    int const end = r.representative(r.make<op::add>({first.first, length})),
              begin = r.representative(second.first);
    if (r.g.is_literal(end) && r.g.is_literal(begin))
      return r.g.literal_bits(end) <= r.g.literal_bits(begin);
    return end == begin || adds_counts(r.g, begin, end);
  };
  for (int d = 0; d < a.size(); ++d)
    if (is_behind(a[d], b[d]) || is_behind(b[d], a[d])) return true;
  return false;
}
/// Reading what lies next to a written part.
constexpr int read_beside_write(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0);
  if (!g.is<op::inc_subtensor>(x) && !g.is<op::set_subtensor>(x)) return -1;
  if (!lie_apart(r, selection_of(g, id), selection_of(g, x, 2))) return -1;
  list<int> inputs = r.inputs(id);
  list<long long> const attributes = r.attributes(id);
  inputs[0] = g.input_of(x, 0);
  return r.make(identity<op::subtensor>(), inputs, attributes);
}

}  // namespace kroton::rewrite::rules
