// Bodies: graphs that nodes of other graphs own, such as the step of a loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/list.hpp>
#include <kroton/core/text.hpp>

#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace kroton {

class graph;

namespace core {

/// A hash of what a graph computes: its parameters, results, updates and conditions, in order, but
/// not its names, nor nodes that nothing needs, nor the order in which its nodes were recorded.
template <class Graph>
constexpr long long address_of(Graph const& g) {
  std::uint64_t hash = static_cast<std::uint64_t>(g.parameters().size());
  for (int id : g.parameters()) hash = mix(hash, g[id].hash);
  for (int id : g.results()) hash = mix(hash, g[id].hash);
  for (auto const& u : g.updates())
    hash = mix(mix(hash, static_cast<std::uint64_t>(u.parameter)), g[u.value].hash);
  for (auto const& c : g.constraints()) {
    hash = mix(mix(hash, g[c.left].hash), g[c.right].hash);
    hash = mix(mix(hash, static_cast<std::uint64_t>(c.kind)), c.op->name_hash);
  }
  return std::bit_cast<long long>(hash);
}

/// Whether two graphs have the same nodes in the same order.
template <class Graph>
constexpr bool has_same_nodes(Graph const& a, Graph const& b) {
  if (a.size() != b.size() || a.bodies().size() != b.bodies().size()) return false;
  for (int id = 0; id < a.size(); ++id) {
    auto const &x = a[id], &y = b[id];
    if (x.hash != y.hash || !(*x.op == *y.op) || !(x.type == y.type) ||
        x.input_count != y.input_count || x.attribute_count != y.attribute_count)
      return false;
    for (int k = 0; k < x.input_count; ++k)
      if (a.input_data(id)[k] != b.input_data(id)[k]) return false;
    for (int k = 0; k < x.attribute_count; ++k)
      if (a.attribute_data(id)[k] != b.attribute_data(id)[k]) return false;
  }
  for (int k = 0; k < a.bodies().size(); ++k)
    if (!(a.bodies()[k] == b.bodies()[k])) return false;
  return true;
}

/// Whether two graphs compute the same: what `address_of` hashes, compared.
template <class Graph>
constexpr bool computes_the_same(Graph const& a, Graph const& b) {
  if (a.parameters().size() != b.parameters().size() || a.results().size() != b.results().size() ||
      a.updates().size() != b.updates().size() || a.constraints().size() != b.constraints().size())
    return false;
  // In one graph, equal nodes are one node. Most graphs that are compared are copies.
  list<int> in_a, in_b;
  if (has_same_nodes(a, b)) {
    for (int id = 0; id < a.size(); ++id) {
      in_a.push_back(id);
      in_b.push_back(id);
    }
  } else {
    Graph both;
    both.copy_nodes(a, in_a);
    both.copy_nodes(b, in_b);
  }
  bool same = true;
  for (int i = 0; i < a.parameters().size(); ++i)
    same = same && in_a[a.parameters()[i]] == in_b[b.parameters()[i]];
  for (int i = 0; i < a.results().size(); ++i)
    same = same && in_a[a.results()[i]] == in_b[b.results()[i]];
  for (int i = 0; i < a.updates().size(); ++i)
    same = same && a.updates()[i].parameter == b.updates()[i].parameter &&
           in_a[a.updates()[i].value] == in_b[b.updates()[i].value];
  for (int i = 0; i < a.constraints().size(); ++i) {
    auto const &c = a.constraints()[i], &d = b.constraints()[i];
    same = same && c.kind == d.kind && *c.op == *d.op && in_a[c.left] == in_b[d.left] &&
           in_a[c.right] == in_b[d.right];
  }
  return same;
}

/// A handle of a body. The graph never changes and belongs to all copies of the handle, so that
/// graphs which pass their bodies on copy a pointer for each.
// A template, because a graph contains handles: members are instantiated where it is complete.
template <class Graph>
class shared_body {
 public:
  constexpr shared_body() = default;
  constexpr explicit shared_body(Graph const& of) : held_(new held{of, address_of(of), 1}) {}
  constexpr shared_body(shared_body const& other) : held_(other.held_) {
    if (held_ != nullptr) count(1);
  }
  constexpr shared_body(shared_body&& other) noexcept : held_(other.held_) {
    other.held_ = nullptr;
  }
  constexpr shared_body& operator=(shared_body other) noexcept {
    held* const mine = held_;
    held_ = other.held_;
    other.held_ = mine;
    return *this;
  }
  constexpr ~shared_body() {
    if (held_ != nullptr && count(-1) == 0) delete held_;
  }

  constexpr Graph const& operator*() const { return held_->of; }
  constexpr Graph const* operator->() const { return &held_->of; }
  /// What nodes that own the body have as an attribute: equal for equal bodies in every graph.
  constexpr long long address() const { return held_->address; }
  constexpr bool operator==(shared_body const& other) const {
    return held_ == other.held_ ||
           (held_->address == other.held_->address && computes_the_same(**this, *other));
  }

 private:
  struct held {
    Graph of;
    long long address;
    int owners;
  };
  // Copies of a graph may be in use on several threads.
  constexpr int count(int change) {
    if (std::is_constant_evaluated()) return held_->owners += change;
    return __atomic_add_fetch(&held_->owners, change, __ATOMIC_ACQ_REL);
  }

  held* held_ = nullptr;
};

/// A graph that nodes of other graphs own.
using body = shared_body<graph>;

/// The error of serial ops in graphs that are one node of another graph.
inline constexpr std::string_view no_serial_inside =
    "kt: an op whose calls have an order cannot be inside kt::opaque or the body of another op, "
    "where it would lose its place";

}  // namespace core
}  // namespace kroton
