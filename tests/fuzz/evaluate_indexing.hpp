// Parts that index tensors name, writes to parts, and what is made of several tensors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_lines.hpp"

#include <bit>

namespace fuzz {

class indexing_node : public line_node {
 protected:
  using line_node::line_node;

  /// An index counted from the front. Throws index_error where it is out of range.
  long position_at(int operand, long element, long extent) const {
    settle(in(operand).flags[static_cast<std::size_t>(element)]);
    long i = static_cast<long>(lanes_of(in(operand), element)[0]);
    if (i < 0) i += extent;
    if (i < 0 || i >= extent) throw index_error("an index out of range");
    return i;
  }

  // ---- index tensors -----------------------------------------------------------------------------------------------------

  /// What op::take and its writes select from a base by the index tensors that are operands from `first` on.
  struct taken {
    index over, shape;  // the extents of the indices together, and those of the part
    int before = 0, first = 0;
    long long axes = 0;
  };
  taken selection_by_tensors(int first) const {
    taken t;
    t.first = first;
    t.axes = g_.attribute(id_, 0);
    t.before = static_cast<int>(g_.attribute(id_, 1));
    int rank = 0;
    for (int k = first; k < g_[id_].input_count; ++k) rank = std::max<int>(rank, g_.type(g_.input_of(id_, k)).rank);
    t.over.assign(static_cast<std::size_t>(rank), -1);
    for (int k = first; k < g_[id_].input_count; ++k) {
      kt::tensor_type const type = g_.type(g_.input_of(id_, k));
      for (int d = 0; d < rank; ++d) {
        if (!type.spans(d, rank)) continue;
        long& to = t.over[static_cast<std::size_t>(d)];
        long const e = in(k).shape[static_cast<std::size_t>(type.aligned(d, rank))];
        if (to >= 0 && to != e) throw std::domain_error("extents differ");
        to = e;
      }
    }
    for (long& e : t.over) e = e < 0 ? 1 : e;
    index const& base = in(0).shape;
    for (std::size_t d = 0; d < base.size(); ++d)
      if ((t.axes >> d & 1) == 0) t.shape.push_back(base[d]);
    t.shape.insert(t.shape.begin() + t.before, t.over.begin(), t.over.end());
    for (std::size_t d = 0, k = static_cast<std::size_t>(first); d < base.size(); ++d)
      if ((t.axes >> d & 1) != 0) {
        for (long i = 0; i < in(static_cast<int>(k)).count(); ++i) position_at(static_cast<int>(k), i, base[d]);
        ++k;
      }
    return t;
  }
  /// Where the element at index i of the part lies in the base.
  long base_position(taken const& t, index const& i) const {
    index const among(i.begin() + t.before, i.begin() + t.before + static_cast<long>(t.over.size()));
    index others(i.begin(), i.begin() + t.before), from;
    others.insert(others.end(), i.begin() + t.before + static_cast<long>(t.over.size()), i.end());
    std::size_t other = 0;
    int operand = t.first;
    for (std::size_t d = 0; d < in(0).shape.size(); ++d) {
      if ((t.axes >> d & 1) == 0) from.push_back(others[other++]);
      else from.push_back(position_at(operand, aligned(operand, among), in(0).shape[d])), ++operand;
    }
    return position_in(in(0), from);
  }
  void take() {
    taken const t = selection_by_tensors(1);
    gather(t.shape, [&](index const& i) { return std::pair(0, base_position(t, i)); });
  }
  void add_to(long to, int operand, long from) {
    flags(to) |= in(operand).flags[static_cast<std::size_t>(from)];
    for (int k = 0; k < lanes_; ++k) at(to)[k] = sum_of(at(to)[k], rounded_float(lanes_of(in(operand), from)[k], k));
  }
  void put(long to, int operand, long from) {
    flags(to) = in(operand).flags[static_cast<std::size_t>(from)];
    std::copy_n(lanes_of(in(operand), from), lanes_, at(to));
  }
  real rounded_float(real x, int lane) { return kt::core::is_float(out_.type) ? rounded(x, lane, out_.type) : x; }
  void copy_base() {
    if (in(0).shape.size() != g_.type(id_).rank) throw std::logic_error("a write to what has another shape");
    gather(in(0).shape, [&](index const& i) { return std::pair(0, position_in(in(0), i)); });
  }
  /// What is written has the extents of the part, or broadcasts.
  void check_written(index const& part) const {
    kt::tensor_type const type = g_.type(g_.input_of(id_, 1));
    int const rank = static_cast<int>(part.size());
    for (int d = 0; d < rank; ++d)
      if (type.spans(d, rank) && in(1).shape[static_cast<std::size_t>(type.aligned(d, rank))] != part[static_cast<std::size_t>(d)])
        throw std::domain_error("extents differ");
  }
  void write_taken(bool adds) {
    copy_base();
    taken const t = selection_by_tensors(2);
    check_written(t.shape);
    for_each(t.shape, [&](index const& i, long) {
      if (adds) add_to(base_position(t, i), 1, aligned(1, i));
      else put(base_position(t, i), 1, aligned(1, i));
    });
  }
  void write_part(bool adds) {
    copy_base();
    index part;
    selected(in(0).shape, 2, {}, &part);
    check_written(part);
    for_each(part, [&](index const& i, long) {
      long const to = position_in(out_, selected(in(0).shape, 2, i, nullptr));
      if (to < 0 || to >= out_.count()) throw std::domain_error("a part outside of its operand");
      if (adds) add_to(to, 1, aligned(1, i));
      else put(to, 1, aligned(1, i));
    });
  }

  // ---- positions along an axis -------------------------------------------------------------------------------------------

  /// Extents are equal in every axis but one.
  void check_beside(int a, int b, long long but) const {
    for (std::size_t d = 0; d < in(a).shape.size(); ++d)
      if (static_cast<long long>(d) != but && in(a).shape[d] != in(b).shape[d]) throw std::domain_error("extents differ");
  }
  void take_along() {
    auto const axis = static_cast<std::size_t>(g_.attribute(id_, 0));
    check_beside(0, 1, g_.attribute(id_, 0));
    gather(in(1).shape, [&](index i) {
      i[axis] = position_at(1, position_in(in(1), i), in(0).shape[axis]);
      return std::pair(0, position_in(in(0), i));
    });
  }
  void add_along() {
    auto const axis = static_cast<std::size_t>(g_.attribute(id_, 0));
    check_beside(1, 2, -1);
    check_beside(0, 1, g_.attribute(id_, 0));
    copy_base();
    for_each(in(1).shape, [&](index const& i, long from) {
      // It does not matter where nothing is added.
      bool const is_settled = (in(2).flags[static_cast<std::size_t>(from)] & undecided) == 0;
      real const* const added = lanes_of(in(1), from);
      if (!is_settled && std::all_of(added, added + lanes_, [](real x) { return x == 0; })) return;
      index to = i;
      to[axis] = position_at(2, from, in(0).shape[axis]);
      add_to(position_in(out_, to), 1, from);
    });
  }

  // ---- of several, and of none -------------------------------------------------------------------------------------------

  void join(int parts) {
    auto const axis = static_cast<std::size_t>(g_[id_].attribute_count > 0 ? g_.attribute(id_, 0) : 0);
    index shape = in(1).shape;
    shape[axis] = 0;
    for (int k = 1; k < parts; ++k) {
      check_beside(1, k, static_cast<long long>(axis));
      shape[axis] += in(k).shape[axis];
    }
    if (shape[axis] != integer_in(0)) throw std::domain_error("parts that are not as long as the whole");
    gather(shape, [&](index i) {
      int k = 1;
      for (; i[axis] >= in(k).shape[axis]; ++k) i[axis] -= in(k).shape[axis];
      return std::pair(k, position_in(in(k), i));
    });
  }
  /// The index in a tensor of two axes more of an element of its diagonal.
  index on_diagonal(index const& i) const {
    long long const first = g_.attribute(id_, 0), second = g_.attribute(id_, 1), offset = g_.attribute(id_, 2);
    index from;
    for (std::size_t d = 0, next = 0; d < i.size() + 1; ++d) {
      auto const axis = static_cast<long long>(d);
      if (axis == first) from.push_back(i.back() + (offset < 0 ? -offset : 0));
      else if (axis == second) from.push_back(i.back() + (offset > 0 ? offset : 0));
      else from.push_back(i[next++]);
    }
    return from;
  }
  void take_diagonal() {
    auto const first = static_cast<std::size_t>(g_.attribute(id_, 0)), second = static_cast<std::size_t>(g_.attribute(id_, 1));
    if (g_.attribute(id_, 3) != 0 && in(0).shape[first] != in(0).shape[second]) throw std::domain_error("extents differ");
    index shape;
    for (std::size_t d = 0; d < in(0).shape.size(); ++d)
      if (d != first && d != second) shape.push_back(in(0).shape[d]);
    shape.push_back(integer_in(1));
    gather(shape, [&](index const& i) { return std::pair(0, position_in(in(0), on_diagonal(i))); });
  }
  void make_diagonal() {
    long long const first = g_.attribute(id_, 0), second = g_.attribute(id_, 1);
    index shape;
    for (std::size_t d = 0, next = 0; d < in(0).shape.size() + 1; ++d) {
      auto const axis = static_cast<long long>(d);
      shape.push_back(axis == first ? integer_in(1) : axis == second ? integer_in(2) : in(0).shape[next++]);
    }
    make(shape);
    for_each(in(0).shape, [&](index const& i, long from) { put(position_in(out_, on_diagonal(i)), 0, from); });
  }
  void make_diagonals() {
    int const count = g_[id_].input_count;
    make({integer_in(count - 2), integer_in(count - 1)});
    for (int k = 0; k + 2 < count; k += 3)
      for_each(in(k).shape, [&](index const& i, long from) {
        add_to(position_in(out_, {i[0] + integer_in(k + 1), i[0] + integer_in(k + 2)}), k, from);
      });
  }
  /// Passes a value on if a condition holds.
  void assert_condition() {
    settle(in(1).flags.at(0));
    if (in(1).data.at(0) == 0) throw index_error("a condition that does not hold");
    out_.shape = in(0).shape;
    out_.data = in(0).data;
    out_.flags = in(0).flags;
  }
  void count_up() {
    make({integer_in(0)});
    for (long i = 0; i < out_.count(); ++i) std::fill_n(at(i), lanes_, real(i));
  }
  /// Numbers of the program: the attributes are the element type, and the bytes of each element.
  void write_out() {
    make(extents_from(0));
    for (long i = 0; i < out_.count(); ++i) {
      long long const bits = g_.attribute(id_, static_cast<int>(i) + 1);
      real x = static_cast<real>(bits);
      if (out_.type == kt::element::float64) x = std::bit_cast<double>(bits);
      if (out_.type == kt::element::float32) x = std::bit_cast<float>(static_cast<std::int32_t>(bits));
      if (out_.type == kt::element::uint64) x = static_cast<real>(static_cast<std::uint64_t>(bits));
      std::fill_n(at(i), lanes_, x);
    }
  }
  void multiply_batches() {
    tensor const &a = in(0), &b = in(1);
    kt::tensor_type const left = g_.type(g_.input_of(id_, 0)), right = g_.type(g_.input_of(id_, 1));
    if (a.shape[2] != b.shape[1]) throw std::domain_error("extents differ");
    if (!left.broadcasts(0) && !right.broadcasts(0) && a.shape[0] != b.shape[0]) throw std::domain_error("extents differ");
    make({left.broadcasts(0) ? b.shape[0] : a.shape[0], a.shape[1], b.shape[2]});
    for_each(out_.shape, [&](index const& i, long to) {
      for (long m = 0; m < a.shape[2]; ++m)
        add_product(to, position_in(a, {left.broadcasts(0) ? 0 : i[0], i[1], m}), position_in(b, {right.broadcasts(0) ? 0 : i[0], m, i[2]}));
    });
  }
};

}  // namespace fuzz
