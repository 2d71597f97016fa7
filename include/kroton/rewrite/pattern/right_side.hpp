// The right side of a rule, made of what its variables stand for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/form/products.hpp>

namespace kroton::rewrite {

class right_side {
 public:
  /// `as_written`: nothing is brought to normal form.
  constexpr right_side(rewriter& r, pattern const& p, match const& found, bool as_written = false)
      : r_(r), g_(r.g), p_(p), found_(found), as_written_(as_written) {}

  /// Literals take the type of what they stand next to.
  constexpr int build(element e) { return build(p_.right, e); }

 private:
  static constexpr int none = -1;
  constexpr pattern_node const& node(int i) const { return p_.nodes.first[i]; }

  constexpr int build(int at, element e) {
    pattern_node const& n = node(at);
    if (n.is == pattern_node::kind::variable) return found_[n.variable];
    if (n.is == pattern_node::kind::literal) return r_.literal(n.value, e);
    if (int const sum = long_sum(n, e); sum >= 0) return sum;
    list<int> built(n.input_count, none);
    element elements[3]{};
    element common = e;
    // Literals last: their type follows from the others.
    bool known = false;
    for (int i = 0; i < n.input_count; ++i) {
      if (node(p_.input(n, i)).is == pattern_node::kind::literal) continue;
      built[i] = build(p_.input(n, i), e);
      element const own = g_.type(built[i]).element;
      bool const condition = is_op<op::where>(n.op) && i == 0;
      if (!condition) common = known ? promote(common, own) : own, known = true;
    }
    for (int i = 0; i < n.input_count; ++i)
      if (pattern_node const& number = node(p_.input(n, i));
          number.is == pattern_node::kind::literal)
        built[i] = r_.literal(number.value, common);
    if (!n.op->elementwise) return r_.make(n.op, built, attributes(n));
    for (int i = 0; i < n.input_count && i < 3; ++i) elements[i] = g_.type(built[i]).element;
    signature const types = n.op->types(elements, n.input_count < 3 ? n.input_count : 3);
    for (int i = 0; i < n.input_count && i < 3; ++i) {
      int const converted = g_.cast(built[i], types.operand[i]);
      built[i] = as_written_ ? converted : r_.settle(converted);
    }
    if (as_written_) return g_.apply(n.op, built);
    return r_.make(n.op, built);
  }

  constexpr list<long long> attributes(pattern_node const& n) const {
    list<long long> own;
    if (n.attribute_count < 0 && found_.alike >= 0) own = r_.attributes(found_.alike);
    for (int i = 0; i < n.attribute_count; ++i) own.push_back(p_.attribute(n, i));
    return own;
  }
  static constexpr bool is_sum(op_info const* op) {
    return is_op<op::add>(op) || is_op<op::sub>(op);
  }
  /// A sum of more terms than sums that have other readers are taken apart for: made at once, since
  /// a part of it would seem to be one. -1 for what is not a sum, or has terms of several types.
  constexpr int long_sum(pattern_node const& top, element e) {
    if (!is_sum(top.op) || !r_.real()) return none;
    struct part {
      int at;
      bool negative;
    };
    list<part> rest, terms;
    auto split = [&](pattern_node const& n, bool negative) {
      rest.push_back({p_.input(n, 1), negative != is_op<op::sub>(n.op)});
      rest.push_back({p_.input(n, 0), negative});
    };
    for (split(top, false); !rest.empty();) {
      part const next = rest.back();
      rest.pop_back();
      pattern_node const& n = node(next.at);
      if (n.is == pattern_node::kind::application && is_sum(n.op)) split(n, next.negative);
      else terms.push_back(next);
    }
    if (terms.size() <= most_shared + 1) return none;
    list<int> built(terms.size(), none);
    int like = none;
    for (int i = 0; i < terms.size(); ++i) {
      if (node(terms[i].at).is == pattern_node::kind::literal) continue;
      built[i] = build(terms[i].at, e);
      if (like == none) like = built[i];
      if (g_.type(built[i]).element != g_.type(like).element) return none;
    }
    if (like == none || !has_normal_form(g_.type(like).element)) return none;
    for (int i = 0; i < terms.size(); ++i) {
      if (built[i] == none) built[i] = r_.literal(node(terms[i].at).value, g_.type(like).element);
      if (terms[i].negative) built[i] = r_.negative(built[i]);
    }
    return r_.make(identity<op::add>(), built);
  }

  rewriter& r_;
  graph& g_;
  pattern const& p_;
  match const& found_;
  bool as_written_;
};

}  // namespace kroton::rewrite
