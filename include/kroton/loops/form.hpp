// A scan taken apart for a pass: its operands, and a copy of its body.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/parts.hpp>

namespace kroton::loops {

/// A scan whose tapes may be in any order: the parameters and results of the body are in theirs.
struct loop_form {
  scan_parts parts{};
  graph body{};

  constexpr int first_tap(int tape) const {
    int at = parts.sequences.size();
    for (int t = 0; t < tape; ++t) at += parts.tapes[t].taps.size();
    return at;
  }
  constexpr int sequence(int i) const { return body.parameters()[i]; }
  constexpr int tap(int tape, int k) const { return body.parameters()[first_tap(tape) + k]; }
  constexpr int constant(int i) const {
    return body.parameters()[first_tap(parts.tapes.size()) + i];
  }
  /// The node that ends the loop, or -1.
  constexpr int condition() const { return parts.stops ? body.results().back() : -1; }
  constexpr bool is_output(int tape) const { return parts.tapes[tape].kind == tape_kind::nit_sot; }
  /// Where the extents of a row of an output begin among `parts.extents`.
  constexpr int first_extent(int tape) const {
    int at = 0;
    for (int t = 0; t < tape; ++t)
      if (is_output(t)) at += body.type(body.results()[t]).rank;
    return at;
  }
};

constexpr loop_form form_of(graph const& g, int id) {
  loop_form form{scan_parts_of(g, id), g.body(g.attribute(id, 0))};
  form.parts.required.clear();  // the conditions of the graph have been found
  return form;
}

/// The operands in another graph, where image[k] stands for node k.
constexpr void move_operands(scan_parts& parts, list<int> const& image) {
  parts.steps = image[parts.steps];
  for (int& s : parts.sequences) s = image[s];
  for (scan_tape& tape : parts.tapes)
    if (tape.start >= 0) tape.start = image[tape.start];
  for (int& c : parts.constants) c = image[c];
  for (int& e : parts.extents) e = image[e];
}

/// Copies parts of a body into a new one, whose nodes stand for some of the old ones.
class body_copy {
 public:
  constexpr body_copy() = default;
  constexpr body_copy(graph const& from, graph& to)
      : from_(&from), to_(&to), image_(from.size(), -1) {
    to.share_bodies(from);
  }

  constexpr int operator[](int old) const { return image_[old]; }
  constexpr void set(int old, int made) { image_[old] = made; }
  /// Copies a node with all that it needs, and returns what stands for it.
  constexpr int copy(int root) {
    list<bool> needed(root + 1);
    needed[root] = true;
    for (int id = root; id >= 0; --id)
      if (needed[id] && image_[id] < 0)
        for (int in : from_->inputs(id)) needed[in] = true;
    list<int> inputs;
    for (int id = 0; id <= root; ++id) {
      if (!needed[id] || image_[id] >= 0) continue;
      inputs.clear();
      for (int in : from_->inputs(id)) inputs.push_back(image_[in]);
      // In the normal form the order of terms and factors depends on which parameters they read.
      if ((*from_)[id].op->has(law::commutative)) sort(inputs, [](int a, int b) { return a < b; });
      image_[id] = to_->add((*from_)[id].op, from_->type(id), inputs, from_->attributes(id));
    }
    return image_[root];
  }
  /// Copies the conditions on what the new body still knows, and returns the others.
  constexpr list<core::extent_constraint> copy_conditions() {
    list<core::extent_constraint> lost;
    auto const& all = from_->constraints();
    for (int first = 0, end = 0; first < all.size(); first = end) {
      end = first + 1;
      while (end < all.size() && core::is_continued(all[end].kind)) ++end;
      bool known = true;
      for (int k = first; k < end; ++k)
        known = known && is_known(all[k].left) && is_known(all[k].right);
      for (int k = first; k < end; ++k) {
        core::extent_constraint c = all[k];
        if (known) {
          c.left = copy(c.left);
          c.right = copy(c.right);
        }
        (known ? to_->constraints() : lost).push_back(c);
      }
    }
    return lost;
  }

 private:
  constexpr bool is_known(int root) const {
    list<bool> needed(root + 1);
    needed[root] = true;
    for (int id = root; id >= 0; --id) {
      if (!needed[id] || image_[id] >= 0) continue;
      if (from_->is<op::input>(id)) return false;
      for (int in : from_->inputs(id)) needed[in] = true;
    }
    return true;
  }

  graph const* from_ = nullptr;
  graph* to_ = nullptr;
  list<int> image_{};
};

}  // namespace kroton::loops
