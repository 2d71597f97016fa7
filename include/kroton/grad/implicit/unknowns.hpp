// Unknowns as one scalar or one vector, and what a callable makes of them as a graph of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/implicit/solution.hpp>
#include <kroton/grad/own_gradient.hpp>
#include <kroton/ops/loop/formal.hpp>
#include <kroton/ops/loop/rows.hpp>
#include <kroton/ops/shapes/joining.hpp>

namespace kroton::calculus {

/// A part of a graph between unknowns and a result, and what it reads from outside.
struct captured_part {
  graph of;
  list<int> parameters;

  constexpr term at(term unknowns) const {
    list<term> all;
    for (int id : parameters) all.push_back({unknowns.of, id});
    return value_at(of, unknowns, all);
  }
};

constexpr captured_part part_between(term unknowns, term result) {
  list<int> const from{unknowns.id}, to{result.id};
  ops::body_extraction part(*unknowns.of, from, to);
  return {part.body, part.captured};
}

/// Variables as one: a scalar as it is, all others as a vector of their elements.
constexpr term joined_unknowns(list<term> const& leaves) {
  if (leaves.size() == 1 && leaves[0].rank() <= 1) return leaves[0];
  list<term> vectors;
  for (term const& x : leaves) {
    if (x.rank() == 0) vectors.push_back(ops::with_new_axis(x, 0));
    else if (x.rank() == 1) vectors.push_back(x);
    else vectors.push_back(ops::reshape(x, list<term>{count_of(x, ~0ll)}));
  }
  return vectors.size() == 1 ? vectors[0] : ops::join(vectors, 0);
}
/// The same variables again, of the shapes of others.
constexpr list<term> parted_unknowns(term all, list<term> const& like) {
  if (like.size() == 1 && like[0].rank() <= 1) return list<term>{all};
  list<term> parts;
  term begin = integer(*all.of, 0);
  for (term const& x : like) {
    term const count = count_of(x, ~0ll);
    if (x.rank() == 0) {
      parts.push_back(ops::row_at(all, begin));
    } else {
      term const own = like.size() == 1 ? all : ops::axis_range(all, 0, begin, count);
      list<term> extents;
      for (int d = 0; d < x.rank(); ++d) extents.push_back(extent(x, d));
      parts.push_back(x.rank() == 1 ? own : ops::reshape(own, extents));
    }
    begin = begin + count;
  }
  return parts;
}

template <class X>
constexpr list<term> leaves_of(X const& x) {
  return std::apply([](auto const&... leaf) { return list<term>{term(leaf)...}; }, core::leaves(x));
}
template <class Op>
constexpr void require_equal(term given, term wanted) {
  if (given.id != wanted.id)
    given.of->constraints().push_back({given.id, wanted.id, identity<Op>()});
}
/// The gradient of a cost; zeros if it does not depend on the unknowns.
constexpr term cost_gradient(term cost, term unknowns) {
  gradient_request request(*cost.of);
  request.option(disconnected::zero);
  request.seed(cost.id, cost.of->literal(1, cost.element()));
  request.option(unknowns);
  request.run();
  return request.result(unknowns);
}

/// The unknowns of one solver, from the value that their search starts with: a variable, or a
/// struct of variables.
template <class X>
class implicit_unknowns {
 public:
  constexpr explicit implicit_unknowns(X const& start)
      : leaves_(leaves_of(start)), start_(joined_unknowns(leaves_)), formal_(formal_like(start_)) {}

  constexpr term start() const { return start_; }
  /// What stands for the unknowns while a callable is recorded.
  constexpr term formal() const { return formal_; }
  constexpr graph& of() const { return *start_.of; }

  /// The value of the user's type.
  constexpr X value(term all) const {
    return std::get<0>(
        from_terms(std::type_identity<std::tuple<X>>{}, parted_unknowns(all, leaves_)));
  }
  constexpr auto call(auto const& f) const { return f(value(formal_)); }

  /// A result with the shape of the unknowns, joined as they are.
  template <class Op>
  constexpr term joined_result(X const& result) const {
    list<term> const leaves = leaves_of(result);
    for (int k = 0; k < leaves.size(); ++k)
      for (int d = 0; d < leaves[k].rank(); ++d)
        require_equal<Op>(extent(leaves[k], d), extent(leaves_[k], d));
    return like_unknowns(joined_unknowns(leaves));
  }

 private:
  static constexpr term formal_like(term start) {
    graph& g = *start.of;
    return {&g, ops::formal_of(g, start.id, 0, start.type().broadcast)};
  }
  // An axis of extent 1 broadcasts by its type, or not.
  constexpr term like_unknowns(term x) const {
    return x.type().broadcast == start_.type().broadcast ? x : expand_like(x, start_);
  }

  list<term> leaves_;
  term start_, formal_;
};

}  // namespace kroton::calculus
