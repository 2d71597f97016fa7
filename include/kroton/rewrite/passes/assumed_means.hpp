// Squared distances from a mean, in one reading of what is averaged: distances from an assumed
// mean, corrected.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/shapes/extents.hpp>
#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/rules/softmax_recognition.hpp>

namespace kroton::rewrite {

/// In a lowered graph sum((x - mean(x))^2), over axes of which the first is one, reads x twice. Its
/// first part, which a cache holds, gives an assumed mean c, and sum((x - c)^2) - sum(x - c)^2 / n
/// is the same and reads the rest once. Whatever that may be, the difference cancels no more than
/// five binary digits, as the first part is at least every 32nd row. What is short is all first
/// part: two readings, as before. (Chan, Golub, LeVeque: Algorithms for computing the sample
/// variance, 1983, shifted data)
class assumed_means {
  // Elements of the first part, and of arrays that are not split
  static constexpr int cached = 65536;
  static constexpr int most_of_first = 32;

 public:
  constexpr explicit assumed_means(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    find();
    if (found_.empty()) return std::move(from_);
    return cleaner(rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
             for (spread& s : found_) {
               if (id == s.total) return split(to, s, image);
               if (id == s.squares) return s.made;
             }
             return -1;
           }))
        .run();
  }

 private:
  /// sum((x - mean)^2), where mean is total / count, and total sum(x).
  struct spread {
    int squares = -1, x = -1, total = -1;
    int made = -1;  // what replaces the squares
  };

  constexpr void find() {
    list<bool> const live = from_.live();
    users_ = list<int>(from_.size(), 0);
    for (int id = 0; id < from_.size(); ++id)
      if (live[id])
        for (int i : from_.inputs(id)) ++users_[i];
    for (int id : from_.results()) ++users_[id];
    for (update const& u : from_.updates()) ++users_[u.value];
    for (int id = 0; id < live.size(); ++id)
      if (spread const s = live[id] ? spread_of(id) : spread{}; s.squares >= 0) found_.push_back(s);
  }
  constexpr spread spread_of(int id) {
    if (!from_.is<op::sum>(id) || !is_float(from_.type(id).element) ||
        (from_.attribute(id, 0) & 1) == 0 || from_.attribute(id, 1) != 0)
      return {};
    int const square = from_.input_of(id, 0);
    if (!from_.is<op::sqr>(square)) return {};
    list<signed_term> const distance = terms_of(from_.input_of(square, 0));
    for (int i = 0; i < distance.size(); ++i) {
      spread const s = from_mean(id, distance[i].node);
      if (s.squares >= 0 && is_rest(distance, i, terms_of(s.x)) && is_all_that_needs(s.x, square))
        return s;
    }
    return {};
  }
  /// What is known if a node is total / count of what has the type of the squares.
  constexpr spread from_mean(int squares, int mean) {
    int sum = -1, count = -1;
    if (from_.is<op::div>(mean)) {
      sum = from_.input_of(mean, 0);
      count = from_.input_of(mean, 1);
    } else if (from_.is<op::mul>(mean)) {
      for (int i = 0; i < 2; ++i) {
        int const by = from_.input_of(mean, i);
        if (!from_.is<op::inv>(by)) continue;
        sum = from_.input_of(mean, 1 - i);
        count = from_.input_of(by, 0);
      }
    }
    if (sum < 0 || from_.type(count).rank != 0) return {};
    tensor_type const type = from_.type(from_.input_of(squares, 0));
    int const total = rules::aligned_reduction<op::sum>(from_, sum, type.rank);
    if (total < 0 || from_.attribute(total, 0) != from_.attribute(squares, 0)) return {};
    int const x = from_.input_of(total, 0);
    if (from_.type(x) != type || !counts({&from_, count}, {&from_, x}, from_.attribute(total, 0)))
      return {};
    return {squares, x, total};
  }

  /// What a node adds and subtracts.
  struct signed_term {
    int node;
    bool negative;
  };
  constexpr list<signed_term> terms_of(int id) const {
    list<signed_term> terms{{id, false}};
    for (int i = 0; i < terms.size();) {
      auto const [node, negative] = terms[i];
      bool const difference = from_.is<op::sub>(node);
      if (!difference && !from_.is<op::add>(node)) {
        ++i;
        continue;
      }
      terms[i].node = from_.input_of(node, 0);
      terms.push_back({from_.input_of(node, 1), negative != difference});
    }
    return terms;
  }
  /// Whether the other terms of a distance, with the sign opposite to that of the mean, are those
  /// of x.
  static constexpr bool is_rest(list<signed_term> const& distance, int mean, list<signed_term> x) {
    for (int i = 0; i < distance.size(); ++i) {
      if (i == mean) continue;
      bool const negative = distance[i].negative == distance[mean].negative;
      int at = 0;
      while (at < x.size() && (x[at].node != distance[i].node || x[at].negative != negative)) ++at;
      if (at == x.size()) return false;
      x.erase(at);
    }
    return x.empty();
  }
  /// Whether no elementwise function that x or the square of its distance is made of has another
  /// use.
  constexpr bool is_all_that_needs(int x, int square) const {
    list<int> uses(from_.size(), 0);
    uses[square] = uses[x] = 1;
    int const rank = from_.type(x).rank;
    for (int id = square; id >= 0; --id) {
      if (uses[id] == 0 || !from_[id].op->elementwise) continue;
      if (uses[id] != users_[id]) return false;
      for (int i : from_.inputs(id))
        if (from_.type(i).spans(0, rank)) ++uses[i];
    }
    return true;
  }

  /// Makes both forms, and gives that of the total; -1 where everything stays.
  constexpr int split(graph& to, spread& s, list<int> const& image) const {
    long long const axes = from_.attribute(s.squares, 0), all_but_first = ~1LL;
    element const e = from_.type(s.x).element;
    auto const at_least_one = [](term n) { return call<op::maximum>(n, 1); };
    auto const number = [&](term n) { return term{&to, to.cast(at_least_one(n).id, e)}; };
    auto const sum = [&](term v) { return sum_over(v, axes, false); };

    term const x{&to, image[s.x]}, rows{&to, extent_node(to, x.id, 0)};
    if (to.is_literal(rows.id)) return -1;
    term const of_row = count(x, all_but_first);
    term enough = integer(to, cached);
    if (!to.is_literal(of_row.id))
      enough = at_least_one(call<op::floordiv>(enough, at_least_one(of_row)));
    term const size =
        call<op::minimum>(call<op::maximum>(enough, call<op::floordiv>(rows, most_of_first)), rows);
    term const others = rows - size, none = integer(to, 0);
    auto const rows_of = [&](term begin, term length) {
      return part(to, s.x, image, begin, length);
    };
    term const first = rows_of(none, size), rest = rows_of(size, others);

    term const total = sum(first), assumed = total / number(count(first, axes)),
               counted = number(count(x, axes));
    auto const distance = [&](term part) { return part - beside_operand(assumed, total); };
    auto const squared = [&](term x_less_mean) { return sum(call<op::sqr>(x_less_mean)); };
    term before = distance(first), squares{};
    if (x.rank() == 1 && !from_[s.x].op->elementwise) {
      // Where there is no rest the sum of distances is what rounding leaves of 0, and the squares
      // do without it.
      term const split_size = call<op::minimum>(size, size * others);
      before = distance(rows_of(none, split_size));
      squares = squared(distance(rows_of(none, size - split_size)));
    }
    term const beyond = distance(rest), distances = sum(before) + sum(beyond),
               split = squared(before) + squared(beyond);
    squares = squares.exists() ? squares + split : split;
    s.made = call<op::maximum>(squares - distances * (distances / counted), 0).id;
    return (total + sum(rest)).id;  // of a sum, infinity stays what it is
  }
  /// The number of elements along a set of axes.
  static constexpr term count(term x, long long axes) {
    term product = integer(*x.of, 1);
    for (int d = 0; d < x.rank(); ++d)
      if ((axes >> d & 1) != 0 && !x.type().broadcasts(d)) {
        term const extent{x.of, extent_node(*x.of, x.id, d)};
        product = x.of->is_literal(product.id, 1) ? extent : product * extent;
      }
    return product;
  }
  /// Whether a scalar is that number, in whatever order it was multiplied.
  static constexpr bool counts(term scalar, term x, long long axes) {
    graph& g = *x.of;
    list<int> factors{g.is<op::cast>(scalar.id) ? g.input_of(scalar.id, 0) : scalar.id};
    for (int i = 0; i < factors.size();) {
      int const id = factors[i];
      if (!g.is<op::mul>(id)) {
        ++i;
        continue;
      }
      factors[i] = g.input_of(id, 0);
      factors.push_back(g.input_of(id, 1));
    }
    for (int d = 0; d < x.rank(); ++d) {
      if ((axes >> d & 1) == 0 || x.type().broadcasts(d)) continue;
      int const extent = extent_node(g, x.id, d);
      int at = 0;
      while (at < factors.size() && factors[at] != extent) ++at;
      if (at == factors.size()) return false;
      factors.erase(at);
    }
    return factors.empty();
  }
  /// Rows of a node: of what is elementwise, from those of its operands.
  constexpr term part(graph& to, int id, list<int> const& image, term begin, term size) const {
    tensor_type const type = from_.type(id);
    list<int> inputs;
    if (from_[id].op->elementwise) {
      for (int i : from_.inputs(id))
        inputs.push_back(from_.type(i).spans(0, type.rank) ? part(to, i, image, begin, size).id
                                                           : image[i]);
      return {&to, to.add(from_[id].op, type, inputs, from_.attributes(id))};
    }
    inputs = {image[id], begin.id, size.id};
    list<long long> attributes{2, 1};
    for (int d = 1; d < type.rank; ++d) {
      attributes.push_back(0);
      attributes.push_back(1);
    }
    return {&to, to.apply(identity<op::subtensor>(), inputs, attributes)};
  }

  graph from_;
  list<int> users_;
  list<spread> found_;
};

}  // namespace kroton::rewrite
