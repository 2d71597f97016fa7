// Recomputation: cheap values that several loops need are computed in each of them, instead of
// being stored by the first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/prologue.hpp>

namespace kroton::plan {

/// Decides which values loops compute again. Storing a value costs a stream of writes, and loading
/// it a stream of reads; computing it again costs the reads of its operands, and next to nothing if
/// the arithmetic is cheap. So a value that nothing needs in memory is computed again if that
/// requires reading one array, or two for one other loop.
class recomputation {
 public:
  constexpr recomputation(graph const& g, list<role> const& roles, list<int> const& step_of,
                          prologue_nodes const& prologue)
      : g_(g), roles_(roles), step_of_(step_of), reader_(g.size(), nobody), stored_(g.size()) {
    for (int id : g.results()) stored_[id] = true;
    for (auto const& u : g.updates()) stored_[u.value] = true;
    for (auto const& c : g.constraints()) stored_[c.left] = stored_[c.right] = true;
    find_readers(prologue);
    // Operands precede results, so the nodes that a value needs are already decided.
    for (int id = 0; id < g.size(); ++id) {
      if (reader_[id] == nobody || stored_[id]) continue;
      list<int> nodes, arrays;
      stored_[id] = !collect(id, nodes, arrays) || arrays.size() > (reader_[id] == several ? 1 : 2);
    }
  }

  /// Whether loops of other steps compute a node themselves.
  constexpr bool again(int id) const {
    return id < reader_.size() && reader_[id] != nobody && !stored_[id];
  }

  /// The nodes that a loop must compute for a value, operands before results.
  constexpr list<int> nodes_for(int id) const {
    list<int> nodes, arrays;
    collect(id, nodes, arrays);
    return nodes;
  }

 private:
  static constexpr int most_nodes = 6;
  static constexpr int nobody = -1, several = -2;

  // Adds the nodes of a value and the arrays that they read; false if the value is not worth it.
  constexpr bool collect(int id, list<int>& nodes, list<int>& arrays) const {
    if (!is_cheap(id) || nodes.size() == most_nodes) return false;
    for (int in : g_.inputs(id)) {
      if (is_among(nodes, in) || g_.is_literal(in)) continue;
      bool const inside = roles_[in].runs && roles_[in].space == roles_[id].space &&
                          roles_[in].fused && !roles_[in].reduction && !stored_[in] &&
                          (step_of_[in] == step_of_[id] || again(in));
      if (inside) {
        if (!collect(in, nodes, arrays)) return false;
      } else if (g_.type(in).rank > 0 && !is_among(arrays, in)) {
        arrays.push_back(in);
      }
    }
    // Again: a chain has none of its nodes in the list before it has gone through all of it.
    if (nodes.size() == most_nodes) return false;
    nodes.push_back(id);
    return true;
  }
  constexpr void find_readers(prologue_nodes const& prologue) {
    for (int id = 0; id < g_.size(); ++id) {
      if (!roles_[id].runs) continue;
      stored_[id] = stored_[id] || prologue.has(id);
      for (int i = 0; i < roles_[id].reads; ++i) {
        int const in = g_.input_of(id, i);
        if (step_of_[in] == step_of_[id]) continue;
        reader_[in] = reader_[in] == nobody || reader_[in] == step_of_[id] ? step_of_[id] : several;
        bool const same_space =
            roles_[id].fused && roles_[id].space == roles_[in].space && g_.type(in).rank > 0;
        if (!same_space || g_.is<op::alloc>(id)) stored_[in] = true;
      }
    }
  }
  constexpr bool is_cheap(int id) const {
    return roles_[id].runs && g_[id].op->cheap && g_.type(id).rank > 0 &&
           !is_complex(g_.type(g_.input_of(id, 0)).element);
  }
  static constexpr bool is_among(list<int> const& nodes, int id) {
    for (int n : nodes)
      if (n == id) return true;
    return false;
  }

  graph const& g_;
  list<role> const& roles_;
  list<int> const& step_of_;
  list<int> reader_;  // of each node, the other step that reads it
  list<bool> stored_;
};

}  // namespace kroton::plan
