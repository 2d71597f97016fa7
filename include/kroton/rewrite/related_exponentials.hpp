// Exponentials whose arguments differ by logarithms: they are multiples of each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/exponential.hpp>
#include <kroton/rewrite/expansion.hpp>
#include <kroton/rewrite/rebuild.hpp>

namespace kroton::core {

/// Replaces exp(a) of a graph in normal form by exp(b) * u^c * ... where a - b is c*log(u) + ... once it is multiplied out. So the
/// densities of Black and Scholes' two quantiles are found to be multiples of each other, and what their formula's derivatives have
/// of them cancels: what is replaced has to be brought to normal form again.
class related_exponentials {
 public:
  constexpr explicit related_exponentials(graph const& from) : from_(from) {}

  /// Whether there are any.
  constexpr bool find() {
    if (!from_.has<op::exp>() || !from_.has<op::log, op::log1p>()) return false;
    list<bool> const live = from_.live();
    list<int> exponentials;
    for (int id = 0; id < from_.size(); ++id)
      if (live[id] && from_.is<op::exp>(id) && is_float(from_.type(id).element)) exponentials.push_back(id);
    if (exponentials.size() < 2 || exponentials.size() > most_exponentials) return false;
    list<expansion> expansions;
    list<int> expanded;
    for (int id : exponentials) {
      expansion e(from_);
      if (!e.expand(from_.input_of(id, 0))) continue;
      for (int k = 0; k < expanded.size(); ++k)
        if (from_.type(expanded[k]) == from_.type(id) && relate(id, e, expanded[k], expansions[k])) break;
      expanded.push_back(id);
      expansions.push_back(std::move(e));
    }
    return !found_.empty();
  }
  /// The graph with products in their place.
  constexpr graph run() const {
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      for (relation const& r : found_)
        if (r.replaced == id) return product(to, r, image);
      return -1;
    });
  }

 private:
  static constexpr int most_exponentials = 16;
  struct logarithm {
    int node;  // the op::log or op::log1p
    double times;
  };
  struct relation {
    int replaced, by;
    list<logarithm> logarithms;
  };

  constexpr bool relate(int later, expansion const& a, int earlier, expansion const& b) {
    relation r{later, earlier, {}};
    for (monomial m : a.terms()) {
      if (int const i = b.find_like(m); i >= 0) {
        m.times -= b.terms()[i].times;
        m.size += b.terms()[i].size;
      }
      if (!take(r, m)) return false;
    }
    for (monomial m : b.terms()) {
      m.times = -m.times;
      if (a.find_like(m) < 0 && !take(r, m)) return false;
    }
    // What is replaced is no number where its own logarithms are none; others must not make it one less.
    for (logarithm const& l : r.logarithms)
      if (!a.mentions(l.node)) return false;
    if (r.logarithms.empty()) return false;
    found_.push_back(r);
    return true;
  }
  /// Takes a term of the difference; false where it is no multiple of a logarithm that a small power makes of its argument.
  constexpr bool take(relation& r, monomial const& m) const {
    tensor_type const type = from_.type(r.replaced);
    if (m.is_about(0, type.element)) return true;
    if (!is_logarithm(m, type) || magnitude(m.times) > 4) return false;
    double const twice = 2 * m.times, whole = static_cast<double>(static_cast<int>(twice < 0 ? twice - 0.5 : twice + 0.5));
    if (whole == 0 || !m.is_about(0.5 * whole, type.element)) return false;
    r.logarithms.push_back({m.powers[0].node, 0.5 * whole});
    return true;
  }
  constexpr bool is_logarithm(monomial const& m, tensor_type const& type) const {
    if (m.powers.size() != 1 || m.powers[0].exponent != 1) return false;
    int const id = m.powers[0].node;
    return (from_.is<op::log>(id) || from_.is<op::log1p>(id)) && (from_.type(id).rank == 0 || from_.type(id) == type);
  }
  constexpr int product(graph& to, relation const& r, list<int> const& image) const {
    element const e = from_.type(r.replaced).element;
    int result = image[r.by];
    for (logarithm const& l : r.logarithms) {
      int const x = image[from_.input_of(l.node, 0)];
      int const u = from_.is<op::log>(l.node) ? x : to.apply<op::add>({to.literal(1, e), x});
      result = to.apply<op::mul>({result, l.times == 1 ? u : to.apply<op::pow>({u, to.literal(l.times, e)})});
    }
    return result;
  }

  graph const& from_;
  list<relation> found_;
};

}  // namespace kroton::core
