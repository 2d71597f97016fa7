// The chains pass: nested products whose intermediates have no other readers go into the order with
// the fewest multiplications, or become one node, whose order is chosen when extents are known.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/ops/shapes/extents.hpp>
#include <kroton/ops/shapes/transposes.hpp>
#include <kroton/plan/product_order.hpp>
#include <kroton/rewrite/engine/readers.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton {
namespace op {

/// dot(dot(A, B), ...) of three or more factors, in any order of evaluation: matrices, the first
/// and the last of which may be vectors. Each call uses the cheapest order for its extents.
/// (numpy.linalg.multi_dot)
struct product_chain : operation<"product_chain", -1> {
  static constexpr auto step = core::step_kind::chain;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type const first = a.input(0), last = a.input(a.count() - 1);
    tensor_type t{first.element, static_cast<std::uint8_t>(first.rank + last.rank - 2), 0};
    if (first.rank == 2 && first.broadcasts(0)) t.broadcast |= 1u;
    if (last.rank == 2 && last.broadcasts(1)) t.broadcast |= 1u << (t.rank - 1);
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (a.input(0).rank == 2 && d == 0) return {core::extent_source::dimension, 0, 0};
    return {core::extent_source::dimension, a.count() - 1, 1};
  }
};

}  // namespace op

namespace plan {

/// Orders or gathers nested products of floating-point or complex matrices and vectors in a lowered
/// graph. The conditions on extents remain those of the expression as written.
class chain_pass {
 public:
  constexpr explicit chain_pass(graph from) : from_(std::move(from)) {}

  constexpr graph run() {
    bool any = false;
    for (int id = 0; id < from_.size() && !any; ++id)
      any = from_.is<op::dot>(id) && (is_product(from_.input_of(id, 0)) ||
                                      is_product(from_.input_of(id, 1)));
    if (!any) return std::move(from_);
    transpose_factors();
    find_inner();
    for (auto const& c : from_.constraints())
      if (c.kind == core::condition::equal) classes_.unite(from_, c.left, c.right);
    to_.share_bodies(from_);
    int const size = from_.size();  // finding extents adds nodes
    image_ = list<int>(size, -1);
    for (int id : from_.parameters())
      image_[id] = to_.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    for (int id = 0; id < size; ++id)
      if (live_[id] && !inner_[id] && image_[id] < 0) image_[id] = make(id);
    to_.adopt(from_, image_);
    return std::move(to_);
  }

 private:
  /// Whether a node is a product, or the transpose of one.
  constexpr bool is_product(int id) const {
    return from_.is<op::dot>(ops::is_transpose(from_, id) ? from_.input_of(id, 0) : id);
  }
  /// Factors that are transposes of products become products of transposes, where nothing else
  /// reads them: they are parts of chains like others.
  constexpr void transpose_factors() {
    list<int> const readers = rewrite::count_of_readers(from_);
    list<bool> sinks = list<bool>(from_.size());
    bool any = false;
    for (int id = 0; id < from_.size(); ++id) {
      if (!from_.is<op::dot>(id) || !is_continuous(from_.type(id).element)) continue;
      for (int in : from_.inputs(id))
        if (readers[in] == 1 && ops::is_transpose(from_, in) && is_product(in) &&
            readers[from_.input_of(in, 0)] == 1)
          any = sinks[in] = true;
    }
    if (!any) return;
    from_ = rewrite::rebuilt(from_, [&](graph& to, int id, list<int> const& image) {
      if (!sinks[id]) return -1;
      int const product = from_.input_of(id, 0);
      int const left = ops::transpose(to, image[from_.input_of(product, 1)]);
      return to.apply<op::dot>({left, ops::transpose(to, image[from_.input_of(product, 0)])});
    });
  }
  constexpr void find_inner() {
    live_ = from_.live();
    inner_ = list<bool>(from_.size());
    list<int> const readers = rewrite::count_of_readers(from_);
    for (int id = 0; id < from_.size(); ++id) {
      if (!live_[id] || !from_.is<op::dot>(id) || !is_continuous(from_.type(id).element)) continue;
      for (int side : {0, 1}) {
        int const in = from_.input_of(id, side);
        // A factor between others must be a matrix: dot(dot(A, v), B) is not a chain, since it is
        // v.T A.T B.
        if (from_.is<op::dot>(in) && readers[in] == 1 &&
            from_.type(from_.input_of(in, 1 - side)).rank == 2)
          inner_[in] = true;
      }
    }
  }

  constexpr int make(int id) {
    list<int> factors;
    list<int> todo;  // from the right, since the last one is processed first
    for (int i = from_[id].input_count - 1; i >= 0; --i) todo.push_back(from_.input_of(id, i));
    while (!todo.empty()) {
      int const next = todo.back();
      todo.pop_back();
      if (inner_[next]) {
        todo.push_back(from_.input_of(next, 1));
        todo.push_back(from_.input_of(next, 0));
      } else {
        factors.push_back(next);
      }
    }
    bool const is_chain = factors.size() > from_[id].input_count;
    if (is_chain)
      if (list<double> const extents = extents_of(factors); !extents.empty())
        return in_order(id, factors, extents);
    inputs_.clear();
    for (int f : factors) inputs_.push_back(image_[f]);
    if (is_chain) return to_.apply(identity<op::product_chain>(), inputs_);
    return to_.add(from_[id].op, from_[id].type, inputs_, from_.attributes(id));
  }
  /// The products in the cheapest order, which is that of the expression where no other is cheaper.
  constexpr int in_order(int id, list<int> const& factors, list<double> const& extents) {
    product_order const order(extents);
    int at = 0;
    if (multiplications(id, extents, at, true) > order.multiplications())
      return multiply(factors, order, 0, factors.size() - 1);
    return as_written(id, true);
  }
  /// Of a product as written, whose first factor is number `at`; then that of the next one.
  constexpr double multiplications(int id, list<double> const& extents, int& at,
                                   bool is_product) const {
    int const first = at++;
    if (!is_product) return 0;
    at = first;
    double const left = multiplications(from_.input_of(id, 0), extents, at,
                                        inner_[from_.input_of(id, 0)]);
    int const middle = at;
    double const right = multiplications(from_.input_of(id, 1), extents, at,
                                         inner_[from_.input_of(id, 1)]);
    return left + right + extents[first] * extents[middle] * extents[at];
  }
  constexpr int as_written(int id, bool is_product) {
    if (!is_product) return image_[id];
    int const left = as_written(from_.input_of(id, 0), inner_[from_.input_of(id, 0)]),
              right = as_written(from_.input_of(id, 1), inner_[from_.input_of(id, 1)]);
    return to_.apply<op::dot>({left, right});
  }
  constexpr int multiply(list<int> const& factors, product_order const& order, int first,
                         int last) {
    if (first == last) return image_[factors[first]];
    int const split = order.split(first, last);
    int const left = multiply(factors, order, first, split),
              right = multiply(factors, order, split + 1, last);
    return to_.apply<op::dot>({left, right});
  }
  /// Extents that give the order which is best in every call, {rows, columns, columns ...}; none
  /// where calls have to choose. Numbers tell. So do extents that are all the same: products of
  /// matrices take a power more of it than those with a vector. And from one vector on, everything
  /// is a product with a vector, which no order undercuts, unless a matrix is one row or column.
  /// Where all orders take as long, the one as written is as good.
  constexpr list<double> extents_of(list<int> const& factors) {
    constexpr double same = 1024;
    int const first = factors[0], last = factors.back();
    bool const is_vector[] = {from_.type(first).rank == 1, from_.type(last).rank == 1};
    list<int> nodes;
    nodes.push_back(is_vector[0] ? one() : extent(first, 0));
    for (int f : factors) nodes.push_back(extent(f, from_.type(f).rank - 1));
    if (is_vector[1]) nodes.back() = one();
    bool numbers = true, alike = true;
    int symbol = -1;
    list<double> found;
    for (int n : nodes) {
      bool const is_number = from_.is_literal(n);
      double const number = is_number ? static_cast<double>(from_.literal_bits(n)) : same;
      if (!is_number && symbol < 0) symbol = n;
      numbers = numbers && is_number;
      alike = alike && (is_number ? number == 1 : n == symbol);
      found.push_back(number);
    }
    if (!numbers && !alike) {
      for (double& n : found) n = same;
      if (is_vector[0] != is_vector[1]) found[is_vector[0] ? 0 : found.size() - 1] = 1;
      else if (!takes_the_same_in_any_order(nodes)) found.clear();
    }
    return found;
  }
  /// Whether both orders of three factors take the same products of extents, as in A B A.T for a
  /// square B.
  static constexpr bool takes_the_same_in_any_order(list<int> const& nodes) {
    if (nodes.size() != 4) return false;
    int const a = nodes[0], b = nodes[1], c = nodes[2], d = nodes[3];
    // a b c + a c d and b c d + a b d
    return (a == d && b == c) || (a == b && c == d);
  }
  constexpr int one() { return from_.literal(1, element::int64); }
  constexpr int extent(int id, int d) { return classes_.find(extent_node(from_, id, d)); }

  graph from_, to_;
  ops::extent_classes classes_{};
  list<int> image_, inputs_;
  list<bool> live_, inner_;  // inner: products that are part of a chain
};

}  // namespace plan
}  // namespace kroton
