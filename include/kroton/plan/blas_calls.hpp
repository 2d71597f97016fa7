// The BLAS pass: scaled products that are added to another value become one gemm or gemv that
// accumulates into it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/extents.hpp>
#include <kroton/plan/product_chains.hpp>

namespace kroton {
namespace op {

/// alpha * dot(A, B) + beta * C for matrices and vectors, where dot(A, B) may be a chain of more
/// factors; inputs: the factors, C, alpha, beta. It runs in C's memory if C is dead or is the
/// shared variable that is updated. (BLAS gemm and gemv)
struct gemm : operation<"gemm", -1> {
  static constexpr auto step = core::step_kind::gemm;
  static constexpr tensor_type type(core::application const& a) { return a.input(a.count() - 3); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return {core::extent_source::dimension, a.count() - 3, d};
  }
};

}  // namespace op

namespace plan {

/// Finds all forms of alpha * dot(A, B) + beta * C in a lowered graph. (Catalogue B1 to B7)
class blas_pass {
 public:
  constexpr explicit blas_pass(graph from) : from_(std::move(from)), image_(), readers_() {}

  constexpr graph run() {
    to_.share_bodies(from_);
    list<bool> const live = from_.live();
    image_ = list<int>(from_.size(), -1);
    readers_ = list<int>(from_.size());
    in_loop_ = list<bool>(from_.size());
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id]) continue;
      for (int i : from_.inputs(id)) {
        ++readers_[i];
        in_loop_[i] = in_loop_[i] || from_[id].op->elementwise || from_[id].op->reduction;
      }
    }
    for (int id : from_.results()) ++readers_[id];
    for (auto const& u : from_.updates()) ++readers_[u.value];
    for (int id : from_.parameters())
      image_[id] = to_.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    for (int id = 0; id < from_.size(); ++id)
      if (live[id] && image_[id] < 0) image_[id] = make(id);
    to_.adopt(from_, image_);
    return std::move(to_);
  }

 private:
  /// sign * scale * value, where scale is a scalar node or absent.
  struct scaled {
    int value = -1, scale = -1;
    bool negative = false;
  };

  constexpr bool is_product(int id) const {
    return from_.is<op::dot>(id) || from_.is<op::product_chain>(id);
  }
  constexpr bool is_scale(int id) const { return from_.type(id).rank == 0; }

  /// Strips signs and scalar factors off a value, through nodes without other readers.
  constexpr scaled unscale(int id) const {
    scaled s{id};
    for (bool first = true;; first = false) {
      if (!first && readers_[s.value] > 1) return s;
      if (from_.is<op::neg>(s.value)) {
        s.negative = !s.negative;
        s.value = from_.input_of(s.value, 0);
      } else if (from_.is<op::mul>(s.value) && s.scale < 0 &&
                 is_scale(from_.input_of(s.value, 0))) {
        s.scale = from_.input_of(s.value, 0);
        s.value = from_.input_of(s.value, 1);
      } else if (from_.is<op::mul>(s.value) && s.scale < 0 &&
                 is_scale(from_.input_of(s.value, 1))) {
        s.scale = from_.input_of(s.value, 1);
        s.value = from_.input_of(s.value, 0);
      } else {
        return s;
      }
    }
  }

  constexpr int make(int id) {
    bool const sum = from_.is<op::add>(id), difference = from_.is<op::sub>(id);
    // A sum that feeds a loop stays in the loop, which reads the other term once and stores
    // nothing.
    if ((sum || difference) && from_.type(id).rank > 0 && is_continuous(from_.type(id).element) &&
        !in_loop_[id])
      for (int side : {1, 0}) {
        int const made = accumulate(id, side, difference);
        if (made >= 0) return made;
      }
    inputs_.clear();
    for (int i : from_.inputs(id)) inputs_.push_back(image_[i]);
    return to_.add(from_[id].op, from_[id].type, inputs_, from_.attributes(id));
  }

  /// The gemm for a sum whose operand `side` is a product, or -1.
  constexpr int accumulate(int id, int side, bool difference) {
    int const term_id = from_.input_of(id, side), rest_id = from_.input_of(id, 1 - side);
    if (readers_[term_id] > 1) return -1;
    scaled product = unscale(term_id);
    if (!is_product(product.value) || (product.value != term_id && readers_[product.value] > 1))
      return -1;
    if (from_.type(product.value) != from_.type(id)) return -1;
    scaled rest = readers_[rest_id] > 1 ? scaled{rest_id} : unscale(rest_id);
    if (from_.type(rest.value) != from_.type(id) && !spreads_to(rest.value, id)) rest = {rest_id};
    bool const spreads = spreads_to(rest.value, id);
    if (from_.type(rest.value) != from_.type(id) && !spreads) return -1;
    if (difference) (side == 1 ? product : rest).negative = !(side == 1 ? product : rest).negative;
    element const e = from_.type(id).element;
    inputs_.clear();
    for (int i : from_.inputs(product.value)) inputs_.push_back(image_[i]);
    inputs_.push_back(spreads ? spread(rest.value, product.value) : image_[rest.value]);
    for (scaled const* s : {&product, &rest}) inputs_.push_back(factor(*s, e));
    return to_.apply(identity<op::gemm>(), inputs_);
  }
  /// Whether a value is a row or a column that is added to every row or column of a matrix. (A
  /// number is added in the loop that comes anyway.)
  constexpr bool spreads_to(int value, int id) const {
    tensor_type const from = from_.type(value), to = from_.type(id);
    return to.rank == 2 && to.broadcast == 0 && from.element == to.element &&
           (from.rank == 1 ? from.broadcast == 0 : from.rank == 2 && is_line(from.broadcast));
  }
  static constexpr bool is_line(unsigned broadcast) { return broadcast == 1 || broadcast == 2; }
  /// The value in the place of a product, whose extents it takes.
  constexpr int spread(int value, int product) {
    int inputs[] = {image_[value], extent_node(to_, image_[from_.input_of(product, 0)], 0),
                    extent_node(to_, image_[last_factor(product)], 1)};
    return to_.apply(identity<op::alloc>(), {inputs, 3});
  }
  constexpr int last_factor(int product) const {
    return from_.input_of(product, from_[product].input_count - 1);
  }
  constexpr int factor(scaled const& s, element e) {
    if (s.scale < 0) return to_.literal(s.negative ? -1.0 : 1.0, e);
    if (!s.negative) return image_[s.scale];
    if (from_.is_literal(s.scale)) return to_.literal(-from_.literal_value(s.scale), e);
    return to_.apply<op::neg>({image_[s.scale]});
  }

  graph from_, to_;
  list<int> image_, readers_, inputs_;
  list<bool> in_loop_;
};

}  // namespace plan
}  // namespace kroton
