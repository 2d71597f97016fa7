// Exponentials whose arguments differ by logarithms: they are multiples of each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/form/expansion.hpp>

namespace kroton::rewrite {

/// Replaces exp(a) of a graph in normal form by exp(b) * u^c * ... where a - b is c*log(u) + ...
/// once it is multiplied out. So the densities of Black and Scholes' two quantiles are found to be
/// multiples of each other, and what their formula's derivatives have of them cancels: what is
/// replaced has to be brought to normal form again.
class related_exponentials {
 public:
  constexpr explicit related_exponentials(graph const& from) : from_(from) {}

  /// Whether there are any.
  constexpr bool find() {
    list<bool> const live = from_.live();
    list<exponential> found;
    for (int id = 0; id < from_.size() && found.size() < most_exponentials; ++id) {
      if (!live[id] || !from_.is<op::exp>(id) || !is_float(from_.type(id).element)) continue;
      exponential e{id, expansion(from_)};
      if (!e.argument.expand(from_.input_of(id, 0))) continue;
      bool related = false;
      for (int k = 0; k < found.size() && !related; ++k) related = relate(e, found[k]);
      if (!related) found.push_back(std::move(e));
    }
    return !relations_.empty();
  }
  /// The graph with products in their place; the graph itself where one would be needed for another
  /// that is needed for it.
  constexpr graph run() const {
    graph with = from_;
    list<int> instead(from_.size(), -1);
    for (relation const& r : relations_) instead[r.replaced] = product(with, r);
    return substituted(with, instead);
  }

 private:
  static constexpr int most_exponentials = 16;
  struct exponential {
    int node = 0;
    expansion argument;
  };
  struct logarithm {
    int node;  // the op::log or op::log1p
    double times;
  };
  struct relation {
    int replaced = 0, by = 0;
    list<logarithm> logarithms;
  };

  /// Finds out whether one of the two is a multiple of the other, which stays then.
  constexpr bool relate(exponential& a, exponential& b) {
    tensor_type const type = from_.type(a.node);
    if (type != from_.type(b.node)) return false;
    relation r{a.node, b.node, {}};
    // Where both are computed from a tensor of the same extents
    bool same_extents = type.rank == 0;
    for (monomial m : a.argument.terms()) {
      if (int const i = b.argument.find_like(m); i >= 0) {
        monomial const& other = b.argument.terms()[i];
        m.times -= other.times;
        m.scale += other.scale;
        for (monomial::power const& p : m.powers)
          same_extents = same_extents || from_.type(p.node) == type;
      }
      if (!take(r, m)) return false;
    }
    for (monomial m : b.argument.terms()) {
      m.times = -m.times;
      if (a.argument.find_like(m) < 0 && !take(r, m)) return false;
    }
    if (r.logarithms.empty() || !same_extents) return false;
    int sign = 0;
    for (logarithm const& l : r.logarithms) sign += l.times < 0 ? -1 : 1;
    // Where an exponential and what a power is of are both 0, a negative power is not a number.
    if (sign >= 0 && may_replace(a, b, r)) return keep(r);
    relation opposite{b.node, a.node, {}};
    for (logarithm const& l : r.logarithms) opposite.logarithms.push_back({l.node, -l.times});
    if (may_replace(b, a, r)) {
      std::swap(a, b);
      return keep(opposite);
    }
    return may_replace(a, b, r) && keep(r);
  }
  constexpr bool keep(relation const& r) {
    relations_.push_back(r);
    return true;
  }
  /// What is replaced is not a number where its own logarithms are none; others must not make it
  /// one less. The one that stays may have their squares, so that what it tends to at 0 and
  /// infinity is not that of a power.
  static constexpr bool may_replace(exponential const& replaced, exponential const& by,
                                    relation const& r) {
    for (logarithm const& l : r.logarithms) {
      double const power = by.argument.highest_power(l.node);
      if (replaced.argument.highest_power(l.node) == 0 || (power != 0 && power != 2)) return false;
    }
    return true;
  }
  /// Takes a term of the difference; false where it is not a multiple of a logarithm that a small
  /// power makes of its argument.
  constexpr bool take(relation& r, monomial const& m) const {
    tensor_type const type = from_.type(r.replaced);
    if (m.is_about(0, type.element)) return true;
    if (!is_logarithm(m, type) || magnitude(m.times) > 4) return false;
    double const twice = 2 * m.times,
                 whole =
                     static_cast<double>(static_cast<int>(twice < 0 ? twice - 0.5 : twice + 0.5));
    if (whole == 0 || !m.is_about(0.5 * whole, type.element)) return false;
    r.logarithms.push_back({m.powers[0].node, 0.5 * whole});
    return true;
  }
  constexpr bool is_logarithm(monomial const& m, tensor_type const& type) const {
    if (m.powers.size() != 1 || m.powers[0].exponent != 1) return false;
    int const id = m.powers[0].node;
    return (from_.is<op::log>(id) || from_.is<op::log1p>(id)) &&
           (from_.type(id).rank == 0 || from_.type(id) == type);
  }

  constexpr int product(graph& g, relation const& r) const {
    element const e = g.type(r.replaced).element;
    int result = r.by;
    for (logarithm const& l : r.logarithms) {
      int const x = g.input_of(l.node, 0);
      int const u = g.is<op::log>(l.node) ? x : g.apply<op::add>({g.literal(1, e), x});
      result = g.apply<op::mul>(
          {result, l.times == 1 ? u : g.apply<op::pow>({u, g.literal(l.times, e)})});
    }
    return result;
  }

  graph const& from_;
  list<relation> relations_;
};

}  // namespace kroton::rewrite
