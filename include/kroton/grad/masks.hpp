// Gradients that passed through a choice remain choices, so that the branch not taken neither
// affects them nor costs anything.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/conditional.hpp>

namespace kroton::calculus {

/// The mask of a gradient: choice(condition, gradient, 0), or the other way round. The choice is a
/// `where` or, if it is lazy, an `ifelse`.
struct mask {
  int condition;
  bool then, lazy;
};

/// Recognizes masked gradients, masks them again, and adds them without splitting choices.
class masking {
 public:
  constexpr explicit masking(graph& g) : g_(g) {}

  constexpr bool is_lazy(int id) const { return g_.is<op::ifelse>(id); }
  /// Whether a gradient is masked; if so, returns the mask and the value inside it.
  constexpr bool find(int id, mask& m, int& value) const {
    bool const lazy = is_lazy(id);
    if (!lazy && !g_.is<op::where>(id)) return false;
    for (int zero : {2, 1})
      if (is_zero(g_.input_of(id, zero))) {
        m = {g_.input_of(id, 0), zero == 2, lazy};
        value = g_.input_of(id, 3 - zero);
        return true;
      }
    return false;
  }
  /// A value with a mask. With a lazy mask, it has the shape of `like`.
  constexpr int put(mask const& m, int value, int like) {
    if (m.lazy) {
      int const zeros = zeros_of({&g_, like});
      return choose(g_, m.condition, m.then ? value : zeros, m.then ? zeros : value);
    }
    term const c{&g_, m.condition}, v{&g_, value};
    return (m.then ? call<op::where>(c, v, 0) : call<op::where>(c, 0, v)).id;
  }

  /// Whether two gradients have the same mask, or none, so that their sum has it too. Lazy choices
  /// with the same condition can always be joined: ifelse(c, p, 0) + ifelse(c, 0, q) is ifelse(c,
  /// p, q).
  constexpr bool joins(int a, int b) const {
    if (is_lazy(a) || is_lazy(b))
      return is_lazy(a) && is_lazy(b) && g_.input_of(a, 0) == g_.input_of(b, 0);
    mask m{}, other{};
    int value = 0;
    bool const is_masked = find(a, m, value);
    if (is_masked != find(b, other, value)) return false;
    return !is_masked || (m.condition == other.condition && m.then == other.then);
  }
  constexpr int add(int a, int b) {
    if (joins(a, b)) {
      if (is_lazy(a)) {
        int const then = add_branch(g_.input_of(a, 1), g_.input_of(b, 1));
        int const otherwise = add_branch(g_.input_of(a, 2), g_.input_of(b, 2));
        return choose(g_, g_.input_of(a, 0), then, otherwise);
      }
      mask m{};
      int value = 0, other = 0;
      if (find(a, m, value) && find(b, m, other)) return put(m, plain_sum(value, other), value);
    }
    return plain_sum(a, b);
  }

 private:
  constexpr bool is_zero(int id) const {
    return g_.is_literal(g_.is<op::alloc>(id) ? g_.input_of(id, 0) : id, 0);
  }
  constexpr int plain_sum(int a, int b) { return call<op::add>(term{&g_, a}, term{&g_, b}).id; }
  constexpr int add_branch(int a, int b) {
    if (g_.type(a) == g_.type(b)) {
      if (is_zero(a)) return b;
      if (is_zero(b)) return a;
    }
    return add(a, b);
  }

  graph& g_;
};

}  // namespace kroton::calculus
