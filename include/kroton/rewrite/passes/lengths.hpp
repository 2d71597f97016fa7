// Square roots of sums of squares as lengths, whose squares do not overflow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/roots.hpp>
#include <kroton/rewrite/engine/coefficient.hpp>
#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

#include <numbers>

namespace kroton::rewrite {

/// sqrt(x*x + y*y) of a lowered graph is hypot(x, y), also of three squares, and log(x*x + y*y) is
/// 2*loghypot(x, y), where nothing else reads the sum. These ops compute as written where the sum
/// of squares is in range, so that all this costs is two comparisons.
class length_pass {
 public:
  constexpr explicit length_pass(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    readers_ = count_of_readers(from_);
    list<bool> const live = from_.live();
    bool any = false;
    for (int id = 0; id < from_.size() && !any; ++id)
      any = live[id] && (is_length(id) || is_log(id));
    if (!any) return std::move(from_);
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (is_length(id)) return length(to, from_.input_of(id, 0), image);
      int const log = is_multiple(id) ? from_.input_of(id, 1) : id;
      if (!is_log(log)) return -1;
      double const c = 2 * log_of_e(log) * (log == id ? 1 : coefficient(id));
      int const of[] = {length(to, from_.input_of(log, 0), image)};
      int const made = to.apply<op::loghypot>({to.input_of(of[0], 0), to.input_of(of[0], 1)});
      return c == 1 ? made : to.apply<op::mul>({to.literal(c, to.type(made).element), made});
    });
  }

 private:
  static constexpr int most = 3;
  /// times^2 * node^2, or times^2 alone.
  struct square {
    int node;
    double times;
  };

  /// Finds the two or three squares whose sum a node is.
  constexpr bool gather(int sum) {
    squares_.clear();
    if (!from_.is<op::add>(sum)) return false;
    list<int> open;
    open.push_back(sum);
    while (!open.empty()) {
      int const id = open.back();
      open.pop_back();
      if (from_.is<op::add>(id)) {
        if (readers_[id] != 1 || open.size() + squares_.size() + 2 > most) return false;
        open.push_back(from_.input_of(id, 1));
        open.push_back(from_.input_of(id, 0));
        continue;
      }
      squares_.push_back(square_of(id));
      if (squares_.back().times == 0) return false;
    }
    return true;
  }
  /// What x*x, 4*(x*x), (4*x)*x and literals are the squares of; 0 times something for others.
  constexpr square square_of(int id) const {
    if (from_.is_literal(id)) return {-1, exact_root(from_.literal_value(id))};
    if (from_.is<op::sqr>(id)) return {from_.input_of(id, 0), 1};
    if (!from_.is<op::mul>(id)) return {id, 0};
    int const a = from_.input_of(id, 0), b = from_.input_of(id, 1);
    if (from_.is_literal(a) && from_.is<op::sqr>(b))
      return {from_.input_of(b, 0), exact_root(coefficient(id))};
    if (is_multiple(a) && from_.input_of(a, 1) == b) return {b, exact_root(coefficient(a))};
    return {id, 0};
  }
  constexpr bool is_multiple(int id) const {
    return from_.is<op::mul>(id) && from_.is_literal(from_.input_of(id, 0));
  }
  constexpr double coefficient(int id) const { return from_.literal_value(from_.input_of(id, 0)); }
  constexpr bool is_length(int id) {
    if (!from_.is<op::sqrt>(id) || !is_float(from_.type(id).element)) return false;
    return gather(from_.input_of(id, 0));
  }
  /// By what log2 and log10 differ from log; 0 for other ops.
  constexpr double log_of_e(int id) const {
    if (from_.is<op::log>(id)) return 1;
    if (from_.is<op::log2>(id)) return std::numbers::log2e;
    return from_.is<op::log10>(id) ? std::numbers::log10e : 0;
  }
  /// Whether a node is the logarithm of a sum of two squares, none of a literal.
  constexpr bool is_log(int id) {
    if (log_of_e(id) == 0 || !is_float(from_.type(id).element)) return false;
    if (!gather(from_.input_of(id, 0)) || squares_.size() != 2) return false;
    return squares_[0].node >= 0 && squares_[1].node >= 0;
  }
  constexpr int length(graph& to, int sum, list<int> const& image) const {
    element const e = from_.type(sum).element;
    int x[most]{};
    for (int i = 0; i < squares_.size(); ++i) {
      square const& s = squares_[i];
      int const times = to.literal_of_bits(number_of(e, s.times).bits, e);
      if (s.node < 0) x[i] = times;
      else x[i] = s.times == 1 ? image[s.node] : to.apply<op::mul>({times, image[s.node]});
    }
    return squares_.size() == 2 ? to.apply<op::hypot>({x[0], x[1]})
                                : to.apply<op::hypot3>({x[0], x[1], x[2]});
  }

  graph from_;
  list<int> readers_;
  list<square> squares_;
};

}  // namespace kroton::rewrite
