// The written_sums pass: what is added to most of an array is added as it is computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/written_ranges.hpp>
#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::plan {

/// Makes inc_subtensor(x(part), f) the write set_subtensor(x(part), x(part) + f), which the loop of
/// f computes where it comes to lie, see plan/parts.hpp. What is added to such a write stays: one
/// loop may compute several terms.
class written_sums {
 public:
  constexpr explicit written_sums(graph from) : from_(std::move(from)) {
    list<int> const readers = rewrite::count_of_readers(from_);
    ops::extent_classes classes;
    for (auto const& c : from_.constraints())
      if (c.kind == condition::equal) classes.unite(from_, c.left, c.right);
    int const size = from_.size();
    chosen_ = list<bool>(size);
    for (int id = 0; id < size; ++id) {
      if (!from_.is<op::inc_subtensor>(id)) continue;
      int const x = from_.input_of(id, 0), f = from_.input_of(id, 1);
      if (is_write(x) || !from_[f].op->elementwise || readers[f] != 1) continue;
      list<int> extents;
      for (int d = 0; d < from_.type(id).rank; ++d)
        extents.push_back(ops::extent_node(from_, x, d));
      chosen_[id] = fills_most(from_, classes, extents, id);
      any_ = any_ || chosen_[id];
    }
  }

  constexpr graph run() {
    if (!any_) return std::move(from_);
    return rewrite::rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (id >= chosen_.size() || !chosen_[id]) return -1;
      list<int> inputs;
      for (int in : from_.inputs(id)) inputs.push_back(image[in]);
      items<long long> const own = from_.attributes(id);
      list<long long> const attributes(own.first, own.count);
      list<int> selection{inputs[0]};
      for (int k = 2; k < inputs.size(); ++k) selection.push_back(inputs[k]);
      int const part = to.apply(identity<op::subtensor>(), selection, attributes);
      inputs[1] = to.apply(identity<op::add>(), list<int>{part, inputs[1]}, list<long long>{});
      return to.apply(identity<op::set_subtensor>(), inputs, attributes);
    });
  }

 private:
  constexpr bool is_write(int id) const {
    return from_.is<op::inc_subtensor>(id) || from_.is<op::set_subtensor>(id);
  }

  graph from_;
  list<bool> chosen_;
  bool any_ = false;
};

}  // namespace kroton::plan
