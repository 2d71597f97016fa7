// Square roots of sums of squares as lengths, whose squares do not overflow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/arithmetic.hpp>
#include <kroton/math/scalar.hpp>
#include <kroton/ops/roots.hpp>
#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::rewrite {

/// sqrt(x*x + y*y) of a lowered graph is hypot(x, y), and log(x*x + y*y) twice the logarithm of
/// that, also of three squares, where nothing else reads the sum. The op takes the root of the sum
/// of squares where that is in range, so that this costs two comparisons, and the logarithm a root.
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
      if (is_log(id)) return scaled(to, 2, log_of_length(to, id, image));
      if (int const log = is_multiple(id) ? from_.input_of(id, 1) : -1; log >= 0 && is_log(log))
        return scaled(to, 2 * coefficient(id), log_of_length(to, log, image));
      return -1;
    });
  }

 private:
  static constexpr int most = 3;

  /// The root of a literal, if it is exact.
  static constexpr double exact_root(double c) {
    double const root = math::sqrt(c);
    return c > 0 && c < 1e30 && root * root == c ? root : 0;
  }
  /// Finds the squares whose sum a node is.
  constexpr bool gather(int id) {
    element const e = from_.type(id).element;
    if (squares_.size() == most) return false;
    if (from_.is_literal(id)) {
      double const root = exact_root(from_.literal_value(id));
      squares_.push_back({-1, number_of(e, root).value()});
      return root > 0 && number_of(e, root * root).value() == from_.literal_value(id);
    }
    if (from_.is<op::add>(id))
      return readers_[id] == 1 && gather(from_.input_of(id, 0)) && gather(from_.input_of(id, 1));
    square s{id, 1};
    if (is_multiple(id)) s = {from_.input_of(id, 1), coefficient(id)};
    if (from_.is<op::sqr>(s.node)) {
      s.node = from_.input_of(s.node, 0);
    } else if (int const a = from_.input_of(id, 0); s.times != 1 || !from_.is<op::mul>(id) ||
                                                    !is_multiple(a) ||
                                                    from_.input_of(a, 1) != from_.input_of(id, 1)) {
      return false;
    } else {
      s = {from_.input_of(id, 1), coefficient(a)};  // 4*x*x
    }
    s.times = exact_root(s.times);
    squares_.push_back(s);
    return s.times > 0;
  }
  constexpr bool is_multiple(int id) const {
    return from_.is<op::mul>(id) && from_.is_literal(from_.input_of(id, 0));
  }
  constexpr double coefficient(int id) const { return from_.literal_value(from_.input_of(id, 0)); }
  constexpr bool is_length(int id) {
    if (!from_.is<op::sqrt>(id) || !is_float(from_.type(id).element)) return false;
    int const sum = from_.input_of(id, 0);
    squares_.clear();
    return from_.is<op::add>(sum) && gather(sum);
  }
  constexpr bool is_log(int id) {
    if (!from_.is<op::log>(id) && !from_.is<op::log2>(id) && !from_.is<op::log10>(id)) return false;
    if (!is_float(from_.type(id).element)) return false;
    int const sum = from_.input_of(id, 0);
    squares_.clear();
    if (!from_.is<op::add>(sum) || !gather(sum)) return false;
    for (square const& s : squares_)
      if (s.node < 0) return false;
    return true;
  }
  constexpr int log_of_length(graph& to, int id, list<int> const& image) const {
    int const operand[] = {length(to, from_.input_of(id, 0), image)};
    return to.apply(from_[id].op, operand);
  }
  static constexpr int scaled(graph& to, double c, int id) {
    if (c == 1) return id;
    return to.apply<op::mul>({to.literal(c, to.type(id).element), id});
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

  /// times^2 * node^2, or times^2 alone.
  struct square {
    int node;
    double times;
  };
  graph from_;
  list<int> readers_;
  list<square> squares_;
};

}  // namespace kroton::rewrite
