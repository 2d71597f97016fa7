// Sums and products in loops over elements take last what the step before gives: a step waits for
// no more than it must.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/taken_in.hpp>

namespace kroton::loops {

/// Regroups sums and quotients of a lowered body. What depends on the last step is estimated to be
/// there so many cycles after its beginning; everything else is there before.
class chain_shortening {
 public:
  constexpr explicit chain_shortening(loop_form const& form)
      : from_(form.body),
        image_(from_.size(), -1),
        ready_(from_.size(), early),
        members_(from_.size()) {
    to.reserve_for(from_.size());
    to.share_bodies(from_);
    find_members();
    for (int t = 0; t < form.parts.tapes.size(); ++t)
      for (int k = 0; k < form.parts.tapes[t].taps.size(); ++k)
        if (form.parts.tapes[t].taps[k] == -1 && !from_.is<op::input>(from_.results()[t]))
          ready_[form.tap(t, k)] = 0;
    for (int id = 0; id < from_.size(); ++id) make(id);
    to.adopt(from_, image_);
  }

  graph to{};
  bool changed = false;

 private:
  static constexpr int early = -1;
  enum class group { none, sum, product };
  // A term or a factor, and whether it is subtracted or divides.
  struct part {
    int id = -1;
    bool inverse = false;
  };

  constexpr group group_of(int id) const {
    element const e = from_.type(id).element;
    if (e != element::float32 && e != element::float64) return group::none;
    if (from_.is<op::add>(id) || from_.is<op::sub>(id)) return group::sum;
    return from_.is<op::mul>(id) || from_.is<op::div>(id) ? group::product : group::none;
  }
  // Those that one node reads, of the same group.
  constexpr void find_members() {
    list<int> const readers = readers_of_elements(from_);
    for (int id = 0; id < from_.size(); ++id)
      for (int in : from_.inputs(id))
        if (readers[in] == 1 && group_of(in) != group::none && group_of(in) == group_of(id) &&
            from_.type(in) == from_.type(id))
          members_[in] = true;
  }
  constexpr bool inverts(int id) const { return from_.is<op::sub>(id) || from_.is<op::div>(id); }
  constexpr int cycles(int id) const {
    op_info const& op = *from_[id].op;
    return op.elementwise && !op.cheap ? 15 : 4;
  }
  static constexpr int later(int a, int b) { return a > b ? a : b; }
  constexpr int ready_after(int a, int b, int id) const {
    int const last = later(a, b);
    return last == early ? early : last + cycles(id);
  }

  constexpr void make(int id) {
    if (from_.is<op::input>(id)) {
      image_[id] = to.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
      return;
    }
    list<int> inputs;
    int last = early;
    for (int in : from_.inputs(id)) {
      inputs.push_back(image_[in]);
      last = later(last, ready_[in]);
    }
    ready_[id] = last == early ? early : last + cycles(id);
    if (group_of(id) != group::none && !members_[id] && ready_[id] != early && regroup(id)) return;
    image_[id] = to.add(from_[id].op, from_.type(id), inputs, from_.attributes(id));
  }
  constexpr void collect(int id, bool inverse, list<part>& parts) const {
    for (int k = 0; k < 2; ++k) {
      int const in = from_.input_of(id, k);
      bool const inverts_in = inverse != (k == 1 && inverts(id));
      if (members_[in]) collect(in, inverts_in, parts);
      else parts.push_back({in, inverts_in});
    }
  }
  // False where the group is as it should be.
  constexpr bool regroup(int id) {
    list<part> parts;
    collect(id, false, parts);
    if (parts.size() < 3) return false;
    // What is there first comes first; of what is there together, what divides or is subtracted
    // comes last.
    for (int i = 1; i < parts.size(); ++i)
      for (int k = i; k > 0 && comes_before(parts[k], parts[k - 1]); --k) {
        part const moved = parts[k];
        parts[k] = parts[k - 1];
        parts[k - 1] = moved;
      }
    // It would take another operation to begin with what divides.
    if (parts[0].inverse || !begins_whole(parts, id)) return false;
    bool const sums = group_of(id) == group::sum;
    op_info const *const plus = sums ? identity<op::add>() : identity<op::mul>(),
                  *const minus = sums ? identity<op::sub>() : identity<op::div>();
    int ready = ready_[parts[0].id];
    for (int k = 1; k < parts.size(); ++k) {
      int const last = later(ready, ready_[parts[k].id]);
      ready = last == early ? early : last + (parts[k].inverse && !sums ? 15 : 4);
    }
    if (ready >= ready_[id]) return false;
    int made = image_[parts[0].id];
    for (int k = 1; k < parts.size(); ++k)
      made = to.add(parts[k].inverse ? minus : plus, from_.type(id),
                    list<int>{made, image_[parts[k].id]}, items<long long>{});
    image_[id] = made;
    ready_[id] = ready;
    changed = true;
    return true;
  }
  // Whether what is taken first is as large as the result, and every part is or is a number.
  constexpr bool begins_whole(list<part> const& parts, int id) const {
    for (part const& p : parts)
      if (from_.type(p.id) != from_.type(id) && from_.type(p.id).rank > 0) return false;
    return from_.type(parts[0].id) == from_.type(id) || from_.type(parts[1].id) == from_.type(id);
  }
  constexpr bool comes_before(part const& a, part const& b) const {
    return ready_[a.id] < ready_[b.id] ||
           (ready_[a.id] == ready_[b.id] && !a.inverse && b.inverse);
  }

  graph const& from_;
  list<int> image_;
  list<int> ready_;
  list<bool> members_;
};

/// Whether a body computes numbers alone, and elements of arrays from those at their places.
/// Numbers may come from all elements, such as sums.
constexpr bool goes_by_elements(graph const& body) {
  list<bool> const live = body.live();
  for (int id = 0; id < body.size(); ++id)
    if (live[id] && body.type(id).rank > 0 && !body[id].op->elementwise &&
        !body.is<op::input>(id))
      return false;
  return true;
}

constexpr bool shorten_chains(graph const& g, int id, graph& made) {
  loop_form const before = form_of(g, id);
  if (!goes_by_elements(before.body)) return false;
  chain_shortening const shorter(before);
  if (!shorter.changed) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    return list<list<int>>{results_of(to, record_scan(to, form.parts, cleaner(shorter.to).run()))};
  });
  return true;
}

constexpr graph with_short_chains(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &shorten_chains, true);
}

}  // namespace kroton::loops
