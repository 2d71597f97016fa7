// Products as they are written, without the factors that cancel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/products.hpp>

namespace kroton::rewrite {

/// A tree of products over final forms, without what cancels in it: x*(y/z*t/t) is x*(y/z). And
/// where its sign is that of a sum which the normal form turns round, it is turned round here:
/// -(m/h)*(x - y) is m/h*(y - x).
class written_product_tree {
 public:
  constexpr explicit written_product_tree(rewriter& r, int root) : r_(r), g_(r.g), root_(root) {}

  /// The tree, or the one that is there where nothing cancels; -1 where what is left divides more
  /// often than the normal form does.
  constexpr int run() {
    find(root_, 1);
    if (!is_short()) return root_;
    bool const cancels = cancel();
    if (negative_) choose_sum();
    if (!cancels && turned_ < 0) return root_;
    int made = build(root_, 1);
    if (made < 0 || (cancels && quotients(made) > 1)) return -1;
    if (front_ != 1) made = g_.apply<op::mul>({r_.literal(front_, g_.type(root_).element), made});
    return made;
  }

 private:
  static constexpr int longest = 24, highest_power = 4;
  /// A factor where it stands in the tree, with its power in the whole; `left` of that is left.
  struct occurrence {
    int base;
    double power, left;
  };

  constexpr bool is_short() const { return all_.size() <= longest; }
  /// The whole power of a product that is written as a power; otherwise 0.
  constexpr int opened_power(int id) const {
    if (g_.is<op::sqr>(id)) return 2;
    if (!is_power(g_, id)) return 0;
    factor const f = split_power(g_, id);
    double const p = f.power.value();
    op_info const* const op = g_[f.base].op;
    bool const is_tree = is_op<op::mul>(op) || is_op<op::div>(op) || is_op<op::neg>(op);
    return is_tree && is_whole(p) && magnitude(p) <= highest_power ? static_cast<int>(p) : 0;
  }
  constexpr bool is_written(int id) const {
    return g_.written(id) >= 0 && (g_.is<op::mul>(id) || g_.is<op::pow>(id)) &&
           !g_.is<op::add>(g_.written(id));
  }

  constexpr void find(int id, double times) {
    if (!is_short()) return;
    if (g_.is_literal(id)) {
      if (g_.literal_value(id) < 0) negative_ = !negative_;
    } else if (is_written(id)) {
      find(g_.written(id), times);
    } else if (int const n = opened_power(id); n != 0) {
      for (int i = 0; i < magnitude(n); ++i) find(g_.input_of(id, 0), n < 0 ? -times : times);
    } else if (g_.is<op::mul>(id)) {
      for (int i = 0; i < g_[id].input_count; ++i) find(g_.input_of(id, i), times);
    } else if (g_.is<op::div>(id)) {
      find(g_.input_of(id, 0), times);
      find(g_.input_of(id, 1), -times);
    } else if (g_.is<op::inv>(id)) {
      find(g_.input_of(id, 0), -times);
    } else if (g_.is<op::neg>(id)) {
      negative_ = !negative_;
      find(g_.input_of(id, 0), times);
    } else {
      factor const f = split_power(g_, id);
      double const power = f.power.value() * times;
      all_.push_back({f.base, power, power});
    }
  }

  /// Of each factor leaves what its powers add up to, from the first on; whether any cancel.
  constexpr bool cancel() {
    bool any = false;
    for (int i = 0; i < all_.size(); ++i) {
      double sum = 0;
      bool first = true, cancels = false;
      for (int k = 0; k < all_.size(); ++k) {
        if (all_[k].base != all_[i].base) continue;
        first = first && k >= i;
        sum += all_[k].power;
        cancels = cancels || all_[k].power * all_[i].power < 0;
      }
      if (!first || !cancels) continue;
      any = true;
      for (int k = i; k < all_.size(); ++k) {
        occurrence& o = all_[k];
        if (o.base != all_[i].base) continue;
        bool const all_left = o.power * sum > 0 && magnitude(o.power) <= magnitude(sum);
        o.left = o.power * sum <= 0 ? 0 : all_left ? o.power : sum;
        sum -= o.left;
      }
    }
    return any;
  }
  constexpr void choose_sum() {
    for (int i = 0; i < all_.size() && turned_ < 0; ++i)
      if (g_.is<op::add>(all_[i].base) && magnitude(all_[i].left) == 1 &&
          starts_with_minus(all_[i].base))
        turned_ = i;
  }
  constexpr bool starts_with_minus(int sum) const {
    int const first = g_.input_of(sum, 0);
    return g_.is_literal(first) ? g_.literal_value(first) < 0
                                : coefficient_of(g_, first).negative();
  }

  // ---- what is left -----------------------------------------------------------------------------

  // Each returns the node itself where nothing in it changes, and -1 for 1. Numbers that then stand
  // alone are gathered in front.

  /// `up`: 1 above the line of the whole, -1 below it.
  constexpr int build(int id, int up) {
    if (g_.is_literal(id)) return id;
    int const made = build_node(id, up);
    if (made == id || made < 0 || !g_.is_literal(made)) return made;
    take_in_front(g_.literal_value(made), up);
    return -1;
  }
  constexpr void take_in_front(double value, int up) {
    front_ = up > 0 ? bounded_product(front_, value) : front_ / value;
  }
  constexpr int build_node(int id, int up) {
    if (is_written(id)) {
      int const as = g_.written(id), made = build(as, up);
      return made == as ? id : made;
    }
    if (int const n = opened_power(id); n != 0) return build_power(id, n, up);
    if (g_.is<op::mul>(id)) return build_product(id, up);
    int const a = g_[id].input_count > 0 ? g_.input_of(id, 0) : id;
    if (g_.is<op::div>(id)) {
      int const b = g_.input_of(id, 1), above = build(a, up), below = build(b, -up);
      if (above == a && below == b) return id;
      if (below < 0) return above;
      return above < 0 ? inverse(below, up) : g_.apply<op::div>({above, below});
    }
    if (g_.is<op::inv>(id)) {
      int const below = build(a, -up);
      return below == a ? id : below < 0 ? -1 : inverse(below, up);
    }
    if (g_.is<op::neg>(id)) {
      int const made = build(a, up);
      if (made < 0) front_ = -front_;
      return made == a ? id : made < 0 ? -1 : g_.apply<op::neg>({made});
    }
    return build_factor(id);
  }
  constexpr int build_factor(int id) {
    int const at = next_++;
    occurrence const o = all_[at];
    double const left = split_power(g_, id).power.value() * o.left / o.power;
    if (at == turned_) {
      int const sum = g_.apply<op::neg>({r_.negative(o.base)});
      return left > 0 ? sum : g_.apply<op::inv>({sum});
    }
    if (o.left == o.power) return id;
    if (o.left == 0) return -1;
    return r_.sealed(power_of(r_, {o.base, exponent(g_.type(id).element, left)}));
  }
  constexpr int inverse(int below, int up) {
    if (!g_.is_literal(below)) return g_.apply<op::inv>({below});
    take_in_front(g_.literal_value(below), -up);
    return -1;
  }
  constexpr int times(int a, int b) { return a < 0 ? b : b < 0 ? a : g_.apply<op::mul>({a, b}); }
  constexpr int build_power(int id, int n, int up) {
    int const base = g_.input_of(id, 0);
    bool changed = false;
    int all = -1;
    for (int i = 0; i < magnitude(n); ++i) {
      int const made = build(base, n < 0 ? -up : up);
      changed = changed || made != base;
      all = times(all, made);
    }
    if (!changed) return id;
    return n > 0 || all < 0 ? all : inverse(all, up);
  }
  constexpr int build_product(int id, int up) {
    list<int> const operands = r_.inputs(id);
    bool changed = false;
    int all = -1;
    for (int i : operands) {
      int const made = build(i, up);
      changed = changed || made != i;
      all = times(all, made);
    }
    return changed ? all : id;
  }
  constexpr int quotients(int id) const {
    if (id < 0 || g_.is_literal(id)) return 0;
    if (is_written(id)) return quotients(g_.written(id));
    bool const divides =
        g_.is<op::inv>(id) || (g_.is<op::div>(id) && !g_.is_literal(g_.input_of(id, 1)));
    if (!divides && !g_.is<op::div>(id) && !g_.is<op::mul>(id) && !g_.is<op::neg>(id) &&
        !g_.is<op::sqr>(id))
      return 0;
    int all = divides ? 1 : 0;
    for (int i : g_.inputs(id)) all += quotients(i);
    return all;
  }

  rewriter& r_;
  graph& g_;
  int root_, next_ = 0, turned_ = -1;
  bool negative_ = false;
  double front_ = 1;
  list<occurrence> all_;
};

}  // namespace kroton::rewrite
