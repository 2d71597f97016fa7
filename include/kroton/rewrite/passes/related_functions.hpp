// Functions that are computed from others which are there anyway: expm1 next to exp, sin and cos of
// an angle next to those of half of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/selection.hpp>
#include <kroton/ops/trigonometric.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>
#include <kroton/rewrite/form/factoring.hpp>

namespace kroton::rewrite {

/// Replaces functions in a graph in normal form. What stabilization makes of 1 - exp(x) and 1 -
/// cos(x), which are expm1(x) and 2 sin(x/2)^2, meets exp(x), sin(x) and cos(x) again in their
/// derivatives:
///
/// - expm1(x) of a number, next to exp(x), is exp(x) - 1 except near 0;
/// - sin(x) next to sin(x/2) alone is 2 sin(x/2) cos(x/2), since a sine and a cosine of one angle
/// cost little more than one of them;
/// - sin(x/2)^2 next to cos(x) is (1 - cos(x)) / 2, or sin(x)^2 / (1 + cos(x)) / 2 where that would
/// cancel.
class related_functions {
 public:
  constexpr explicit related_functions(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    bool const exponentials = from_.has<op::expm1>() && from_.has<op::exp>(),
               angles = from_.has<op::sin>() && from_.has<op::pow>();
    if (!exponentials && !angles) return std::move(from_);
    live_ = from_.live();
    if (angles) find_angles();
    return rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (exponentials && is_beside_exp(id)) {
        int const x = image[from_.input_of(id, 0)];
        return to.apply<op::expm1_from_exp>({x, to.apply<op::exp>({x})});
      }
      for (angle const& a : angles_)
        if (int const made = with_angle(to, a, id, image); made >= 0) return made;
      return -1;
    });
  }

 private:
  /// An angle, its half, of which there is the square of the sine, and whether there is the cosine
  /// of the whole.
  struct angle {
    int whole, half, square;  // nodes
    bool has_cosine;
  };

  // Before its first use, where clang has to find it defined.
  template <class Op>
  constexpr bool is_there(int x) const {
    for (int id = 0; id < from_.size(); ++id)
      if (from_.is<Op>(id) && live_[id] && from_.input_of(id, 0) == x) return true;
    return false;
  }
  constexpr bool is_beside_exp(int id) const {
    if (!from_.is<op::expm1>(id) || from_.type(id).rank > 0 || !is_float(from_.type(id).element))
      return false;
    return is_there<op::exp>(from_.input_of(id, 0));
  }
  constexpr void find_angles() {
    for (int id = 0; id < from_.size(); ++id) {
      if (!live_[id] || !is_power(from_, id) || !is_float(from_.type(id).element) ||
          split_power(from_, id).power.value() != 2)
        continue;
      int const sine = from_.input_of(id, 0);
      if (!from_.is<op::sin>(sine)) continue;
      int const half = from_.input_of(sine, 0), whole = double_of(half);
      if (whole < 0) continue;
      // In loops a sine is not for nothing.
      bool const has_cosine = is_there<op::cos>(whole);
      if (!has_cosine || from_.type(id).rank == 0 || is_there<op::sin>(whole))
        angles_.push_back({whole, half, id, has_cosine});
    }
  }
  /// What twice the angle is the argument of: of a sine or a cosine.
  constexpr int double_of(int half) const {
    for (int id = 0; id < from_.size(); ++id)
      if (live_[id] && (from_.is<op::sin>(id) || from_.is<op::cos>(id)) &&
          is_multiple(from_, half, from_.input_of(id, 0), 2))
        return from_.input_of(id, 0);
    return -1;
  }
  constexpr int with_angle(graph& to, angle const& a, int id, list<int> const& image) const {
    element const e = from_.type(id).element;
    if (!a.has_cosine) {
      // Half of the angle is made anew where only the whole is there yet.
      auto half = [&] {
        return image[a.half] >= 0 ? image[a.half]
                                  : to.apply<op::mul>({to.literal(0.5, e), image[a.whole]});
      };
      if (id == a.half && image[a.whole] >= 0) return half();
      if (!from_.is<op::sin>(id) || from_.input_of(id, 0) != a.whole) return -1;
      int const h = half();
      return to.apply<op::mul>({to.literal(2, e), to.apply<op::sin>({h}), to.apply<op::cos>({h})});
    }
    // What it is a factor of takes the half.
    bool const is_factor = from_.is<op::mul>(id) && has_factor(from_, id, a.square);
    if ((id != a.square && !is_factor) || image[a.whole] < 0) return -1;
    int const sine = to.apply<op::sin>({image[a.whole]}),
              cosine = to.apply<op::cos>({image[a.whole]}), one = to.literal(1, e);
    int const far = to.apply<op::add>({one, to.apply<op::mul>({to.literal(-1, e), cosine})});
    int const over = to.apply<op::pow>({to.apply<op::add>({one, cosine}), to.literal(-1, e)});
    int const near = to.apply<op::mul>({to.apply<op::pow>({sine, to.literal(2, e)}), over});
    int const above = to.apply<op::gt>({cosine, to.literal(0, e)});
    int const versed = to.apply<op::where>({above, near, far});
    list<int> factors;
    if (double const c = is_factor ? 0.5 * coefficient_of(from_, id).value() : 0.5; c != 1)
      factors.push_back(to.literal(c, e));
    for (int k = has_coefficient(from_, id) ? 1 : 0; is_factor && k < from_[id].input_count; ++k)
      if (int const f = from_.input_of(id, k); f != a.square) factors.push_back(image[f]);
    factors.push_back(versed);
    return factors.size() == 1 ? versed : to.apply(identity<op::mul>(), factors);
  }

  graph from_;
  list<bool> live_;
  list<angle> angles_;
};

}  // namespace kroton::rewrite
