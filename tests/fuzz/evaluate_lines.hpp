// What runs along one axis: running sums, positions of extrema, orders.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_tensor.hpp"

#include <numeric>

namespace fuzz {

class line_node : public tensor_node {
 protected:
  using tensor_node::tensor_node;

  /// The elements along one axis: element i lies at first + i * step; `number` counts the lines.
  struct line {
    long number, first, step, size;
    long operator[](long i) const { return first + i * step; }
  };
  template <class F>
  static void for_each_line(index const& shape, long long axis, F f) {
    long before = 1, behind = 1;
    auto const split = static_cast<std::size_t>(axis);
    for (std::size_t d = 0; d < shape.size(); ++d) (d < split ? before : behind) *= d == split ? 1 : shape[d];
    for (long o = 0; o < before; ++o)
      for (long j = 0; j < behind; ++j) f(line{o * behind + j, o * shape[split] * behind + j, behind, shape[split]});
  }
  static index without_axis(index shape, long long axis) {
    shape.erase(shape.begin() + axis);
    return shape;
  }
  static unsigned char flags_of(tensor const& x, line const& l) {
    unsigned char all = 0;
    for (long i = 0; i < l.size; ++i) all |= x.flags[static_cast<std::size_t>(l[i])];
    return all;
  }
  /// Whether rounding may decide which of two elements is the larger.
  bool are_close(real const* x, real const* y) const {
    real const error = lanes_ > 1 ? tie_spread(x) + tie_spread(y) : 0;
    return error > 0 && std::abs(x[0] - y[0]) <= safety * error;
  }
  static bool precedes(real a, real b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

  // ---- scans ---------------------------------------------------------------------------------------------------------

  real sum_of(real a, real b) const {
    if (kt::core::is_float(out_.type)) return a + b;
    if (kt::core::is_bool(out_.type)) return a != 0 || b != 0;
    return static_cast<real>(wrapped(static_cast<integer>(a) + static_cast<integer>(b), out_.type));
  }
  real product_in_type(real a, real b) const {
    return kt::core::is_float(out_.type) ? a * b
                                         : static_cast<real>(wrapped(product(static_cast<integer>(a), static_cast<integer>(b)), out_.type));
  }
  void accumulate(bool product) {
    bool const backwards = g_.attribute(id_, 1) != 0, floats = kt::core::is_float(out_.type);
    make(in(0).shape);
    for_each_line(out_.shape, g_.attribute(id_, 0), [&](line const& l) {
      unsigned char met = 0;
      for (long n = 0; n < l.size; ++n) {
        long const to = l[backwards ? l.size - 1 - n : n], last = l[backwards ? l.size - n : n - 1];
        flags(to) = met |= in(0).flags[static_cast<std::size_t>(to)];
        for (int k = 0; k < lanes_; ++k) {
          real const x = floats ? rounded(lanes_of(in(0), to)[k], k, out_.type) : lanes_of(in(0), to)[k];
          at(to)[k] = n == 0 ? x : product ? product_in_type(at(last)[k], x) : sum_of(at(last)[k], x);
        }
      }
    });
  }
  void shift() {
    bool const backwards = g_.attribute(id_, 1) != 0;
    make(in(0).shape);
    for_each_line(out_.shape, g_.attribute(id_, 0), [&](line const& l) {
      for (long i = 0; i < l.size; ++i) {
        long const from = backwards ? i + 1 : i - 1;
        if (from < 0 || from >= l.size) {
          std::fill_n(at(l[i]), lanes_, real(g_.attribute(id_, 2)));
          continue;
        }
        std::copy_n(lanes_of(in(0), l[from]), lanes_, at(l[i]));
        flags(l[i]) = in(0).flags[static_cast<std::size_t>(l[from])];
      }
    });
  }
  /// y(i) = v(i) + x(i) y(i-1), or backwards v(i) + x(i+1) y(i+1).
  void recur() {
    bool const backwards = g_.attribute(id_, 1) != 0;
    make(common_shape());
    std::vector<long> v, x;
    for_each(out_.shape, [&](index const& i, long) { v.push_back(aligned(0, i)), x.push_back(aligned(1, i)); });
    for_each_line(out_.shape, g_.attribute(id_, 0), [&](line const& l) {
      unsigned char met = 0;
      for (long n = 0; n < l.size; ++n) {
        auto const to = static_cast<std::size_t>(l[backwards ? l.size - 1 - n : n]);
        long const last = l[backwards ? l.size - n : n - 1], factor = n == 0 ? 0 : x[backwards ? static_cast<std::size_t>(last) : to];
        met |= in(0).flags[static_cast<std::size_t>(v[to])];
        if (n > 0) met |= in(1).flags[static_cast<std::size_t>(factor)];
        flags(static_cast<long>(to)) = met;
        for (int k = 0; k < lanes_; ++k) {
          real const term = rounded(lanes_of(in(0), v[to])[k], k, out_.type);
          at(static_cast<long>(to))[k] = n == 0 ? term : term + rounded(lanes_of(in(1), factor)[k] * at(last)[k], k, out_.type);
        }
      }
    });
  }

  // ---- positions and orders --------------------------------------------------------------------------------------------

  void find_extremum(bool most) {
    tensor const& x = in(0);
    long long const axis = g_.attribute(id_, 0);
    if (x.shape[static_cast<std::size_t>(axis)] == 0) throw std::domain_error("the extremum of nothing");
    make(without_axis(x.shape, axis));
    for_each_line(x.shape, axis, [&](line const& l) {
      long best = 0;
      auto value = [&](long i) { return lanes_of(x, l[i])[0]; };
      for (long i = 1; i < l.size; ++i)
        if ((most ? value(i) > value(best) : value(i) < value(best)) || (std::isnan(value(i)) && !std::isnan(value(best)))) best = i;
      std::fill_n(at(l.number), lanes_, real(best));
      flags(l.number) = flags_of(x, l);
      for (long i = 0; i < l.size; ++i)
        if (i != best && are_close(lanes_of(x, l[i]), lanes_of(x, l[best]))) flags(l.number) |= undecided;
    });
  }
  /// The positions of a line's elements in ascending or descending order; equal ones keep theirs.
  std::vector<long> order_of(tensor const& x, line const& l, int lane, bool descending) const {
    std::vector<long> order(static_cast<std::size_t>(l.size));
    std::iota(order.begin(), order.end(), 0l);
    auto value = [&](long i) { return lanes_of(x, l[i])[lane]; };
    auto before = [&](long i, long j) { return descending ? precedes(value(j), value(i)) : precedes(value(i), value(j)); };
    // Equal values keep their order. (std::stable_sort uses what clang calls deprecated.)
    std::sort(order.begin(), order.end(), [&](long i, long j) { return before(i, j) || (!before(j, i) && i < j); });
    return order;
  }
  /// The values of `sort` or `topk`, of which the rounding of each lane decides the order in that lane.
  void sort_values(bool descending) {
    tensor const& x = in(0);
    long long const axis = g_.attribute(id_, 0);
    index shape = x.shape;
    long& extent = shape[static_cast<std::size_t>(axis)];
    long const count = descending ? integer_in(1) : extent;
    if (count < 0 || count > extent) throw index_error("more elements than there are");
    extent = count;
    make(shape);
    std::vector<line> to;
    for_each_line(shape, axis, [&](line const& l) { to.push_back(l); });
    for_each_line(x.shape, axis, [&](line const& l) {
      if (count == 0) return;
      line const& target = to[static_cast<std::size_t>(l.number)];
      unsigned char met = flags_of(x, l);
      bool positive = false, negative = false;
      for (long i = 0; i < l.size; ++i)
        if (real const v = lanes_of(x, l[i])[0]; v == 0) (std::signbit(v) ? negative : positive) = true;
      if (positive && negative) met |= either_zero;
      for (int k = 0; k < lanes_; ++k) {
        auto const order = order_of(x, l, k, descending);
        for (long i = 0; i < count; ++i) at(target[i])[k] = lanes_of(x, l[order[static_cast<std::size_t>(i)]])[k];
      }
      for (long i = 0; i < count; ++i) flags(target[i]) = met;
    });
  }
  /// Output 1 of `sort` or `topk`, the node that this one reads.
  void sort_positions() {
    int const node = g_.input_of(id_, 0);
    bool const descending = g_[node].op->name == "topk";
    tensor const &x = e_[g_.input_of(node, 0)], &values = e_[node];
    long long const axis = g_.attribute(node, 0);
    make(values.shape);
    std::vector<line> to;
    for_each_line(out_.shape, axis, [&](line const& l) { to.push_back(l); });
    for_each_line(x.shape, axis, [&](line const& l) {
      line const target = to.empty() ? line{} : to[static_cast<std::size_t>(l.number)];
      if (target.size == 0) return;
      auto const order = order_of(x, l, 0, descending);
      unsigned char met = flags_of(x, l);
      auto element = [&](long i) { return lanes_of(x, l[order[static_cast<std::size_t>(i)]]); };
      for (long i = 0; i + 1 < l.size && i < target.size; ++i)
        if (are_close(element(i), element(i + 1))) met |= undecided;
      for (long i = 0; i < target.size; ++i) {
        std::fill_n(at(target[i]), lanes_, real(order[static_cast<std::size_t>(i)]));
        flags(target[i]) = met;
      }
    });
  }
  /// The positions that `partition`, which `node` is, settles: of a line only the elements there are
  /// known, those of the sorted line.
  std::vector<char> settled_positions(int node, long extent) const {
    tensor const& places = e_[g_.input_of(node, 1)];
    std::vector<char> settled(static_cast<std::size_t>(extent));
    for (long i = 0; i < places.count(); ++i) {
      settle(places.flags[static_cast<std::size_t>(i)]);
      long const given = static_cast<long>(*lanes_of(places, i));
      long const at = given < 0 ? given + extent : given;
      if (at < 0 || at >= extent) throw index_error("a position outside of a line");
      settled[static_cast<std::size_t>(at)] = 1;
    }
    return settled;
  }
  void leave_unsettled(int node) {
    long long const axis = g_.attribute(node, 0);
    auto const settled = settled_positions(node, out_.shape[static_cast<std::size_t>(axis)]);
    for_each_line(out_.shape, axis, [&](line const& l) {
      for (long i = 0; i < l.size; ++i)
        if (settled[static_cast<std::size_t>(i)] == 0) flags(l[i]) |= undecided;
    });
  }
  void part_values() {
    sort_values(false);
    leave_unsettled(id_);
  }
  void part_positions() {
    int const node = g_.input_of(id_, 0);
    sort_positions();
    leave_unsettled(node);
    // Of equal elements any may stand there.
    tensor const& values = e_[node];
    for_each_line(out_.shape, g_.attribute(node, 0), [&](line const& l) {
      for (long i = 0; i + 1 < l.size; ++i)
        if (!precedes(*lanes_of(values, l[i]), *lanes_of(values, l[i + 1])))
          flags(l[i]) |= undecided, flags(l[i + 1]) |= undecided;
    });
  }
  void search() {
    bool const right = g_.attribute(id_, 0) != 0;
    tensor const &a = in(0), &v = in(1);
    make(v.shape);
    for (long i = 0; i < v.count(); ++i) {
      flags(i) = v.flags[static_cast<std::size_t>(i)];
      real const x = lanes_of(v, i)[0];
      long begin = 0, end = a.count();
      while (begin < end) {
        long const middle = begin + (end - begin) / 2;
        real const met = lanes_of(a, middle)[0];
        if (right ? !precedes(x, met) : precedes(met, x)) begin = middle + 1;
        else end = middle;
      }
      for (long m = 0; m < a.count(); ++m) {
        flags(i) |= a.flags[static_cast<std::size_t>(m)];
        if (are_close(lanes_of(a, m), lanes_of(v, i))) flags(i) |= undecided;
      }
      std::fill_n(at(i), lanes_, real(begin));
    }
  }
  /// Of a sorted vector, whether an element is another one than that before it.
  void mark_runs() {
    tensor const& x = in(0);
    make(x.shape);
    for (long i = 0; i < x.count(); ++i) {
      real const *const now = lanes_of(x, i), *const last = i > 0 ? lanes_of(x, i - 1) : nullptr;
      flags(i) = x.flags[static_cast<std::size_t>(i)];
      if (last != nullptr) flags(i) |= x.flags[static_cast<std::size_t>(i - 1)];
      if (last != nullptr && are_close(now, last)) flags(i) |= undecided;
      bool const same = last != nullptr && (now[0] == last[0] || (std::isnan(now[0]) && std::isnan(last[0])));
      std::fill_n(at(i), lanes_, real(!same));
    }
  }
  void list_nonzero() {
    make({integer_in(1)});
    for (int k = 2; k < g_[id_].input_count; ++k)
      if (in(0).shape[static_cast<std::size_t>(k - 2)] != integer_in(k)) throw std::domain_error("extents differ");
    long next = 0;
    for (long i = 0; i < in(0).count(); ++i) {
      settle(in(0).flags[static_cast<std::size_t>(i)]);
      if (lanes_of(in(0), i)[0] == 0) continue;
      if (next == out_.count()) throw unsettled("as many elements as a rewritten count says");
      std::fill_n(at(next++), lanes_, real(i));
    }
  }
};

}  // namespace fuzz
