// A tiny interpreter of graphs, for tests of the optimizer only: plain loops over doubles, scalar functions by folding.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/joining.hpp>
#include <kroton/ops/stable_ops.hpp>
#include <kroton/rewrite/catalogue.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace rewrite_test {

namespace kt = kroton;

/// A tensor of doubles in row-major order, whatever its element type.
struct value {
  std::vector<long> shape;
  std::vector<double> data;

  static value scalar(double x) { return {{}, {x}}; }
  long size() const {
    long n = 1;
    for (long e : shape) n *= e;
    return n;
  }
  /// The position of the element at `index` of a result of higher or equal rank, broadcasting.
  std::size_t at(std::vector<long> const& index) const {
    long position = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      long const i = index[d + index.size() - shape.size()];
      position = position * shape[d] + (shape[d] == 1 ? 0 : i);
    }
    return static_cast<std::size_t>(position);
  }
};

/// Calls f for every index of a shape, in row-major order.
template <class F>
void for_each_index(std::vector<long> const& shape, F f) {
  std::vector<long> index(shape.size(), 0);
  long count = 1;
  for (long e : shape) count *= e;
  for (long n = 0; n < count; ++n) {
    f(index);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

/// One application of an elementwise op to numbers.
inline double apply_scalar(kt::core::op_info const* op, kt::element result, std::vector<double> const& x,
                           std::vector<kt::element> const& types) {
  if (kt::core::is_op<kt::op::where>(op)) return x[0] != 0 ? x[1] : x[2];
  if (kt::core::is_op<kt::op::cast>(op)) return kt::core::literal_value(kt::core::literal_bits(x[0], result), result);
  double so_far = x[0];
  // Sums and products of the normal form have any number of operands.
  std::size_t const arity = static_cast<std::size_t>(op->arity);
  for (std::size_t next = 1; next == 1 || next < x.size(); ++next) {
    kt::graph g;
    std::vector<int> operands{g.literal(so_far, types[0])};
    for (std::size_t i = next; i < next + arity - 1; ++i) operands.push_back(g.literal(x[i], types[i]));
    std::int64_t bits = 0;
    if (!op->has_fold || !op->fold({&g, operands, {}}, result, bits)) throw std::logic_error("no scalar function: " + std::string(op->name));
    so_far = kt::core::literal_value(bits, result);
    if (arity == 1) break;
  }
  return so_far;
}

/// Evaluates the nodes of a graph on the given inputs.
class interpreter {
 public:
  interpreter(kt::graph const& g, std::vector<value> inputs) : g_(g), inputs_(std::move(inputs)) {
    for (int id = 0; id < g.size(); ++id) values_.push_back(evaluate(id));
  }
  value const& operator[](int id) const { return values_[static_cast<std::size_t>(id)]; }
  /// The largest finite magnitude met on the way: rounding errors are relative to it.
  double largest() const {
    double m = 1;
    for (auto const& v : values_)
      for (double x : v.data)
        if (std::isfinite(x)) m = std::max(m, std::abs(x));
    return m;
  }

 private:
  value const& in(int id, int i) const { return (*this)[g_.input_of(id, i)]; }
  long extent(int id, int i) const { return static_cast<long>(in(id, i).data[0]); }

  value evaluate(int id) const {
    kt::core::op_info const* op = g_[id].op;
    auto is = [&]<class Op>(std::type_identity<Op>) { return kt::core::is_op<Op>(op); };
#define IS(name) is(std::type_identity<kt::op::name>{})
    if (IS(input)) return inputs_[static_cast<std::size_t>(g_.attribute(id, 0))];
    if (IS(literal)) return value::scalar(g_.literal_value(id));
    if (IS(extent_of)) return value::scalar(static_cast<double>(in(id, 0).shape[static_cast<std::size_t>(g_.attribute(id, 0))]));
    if (IS(alloc) || IS(reshape)) return spread(id, IS(reshape));
    if (IS(dimshuffle)) return shuffled(id);
    if (IS(subtensor)) return part(id);
    if (IS(inc_subtensor) || IS(set_subtensor)) return written(id, selected(id, 2), IS(inc_subtensor));
    if (IS(take)) return gathered(id);
    if (IS(inc_take) || IS(set_take)) return written(id, rows(id, 2), IS(inc_take));
    if (IS(take_along_axis)) return read(in(id, 0), along_axis(id, 1));
    if (IS(add_along_axis)) return written(id, along_axis(id, 2), true);
    if (IS(join)) return joined(id);
    if (IS(make_vector)) {
      value v{{static_cast<long>(g_[id].input_count) - 1}, {}};
      for (int i = 1; i < g_[id].input_count; ++i) v.data.push_back(in(id, i).data[0]);
      return v;
    }
    if (IS(dot)) return product(id);
    if (IS(ifelse)) return in(id, in(id, 0).data[0] != 0 ? 1 : 2);
    if (op->elementwise) return elementwise(id);
    auto const axes = g_.attribute(id, 0);
    if (IS(sum)) return reduced(id, 0, [](double a, double b) { return a + b; });
    if (IS(prod)) return reduced(id, 1, [](double a, double b) { return a * b; });
    if (IS(max)) return reduced(id, -INFINITY, [](double a, double b) { return std::max(a, b); });
    if (IS(min)) return reduced(id, INFINITY, [](double a, double b) { return std::min(a, b); });
    if (IS(logsumexp)) return reduced(id, -INFINITY, [](double a, double b) { return kt::op::logaddexp::value(a, b); });
    if (IS(softmax) || IS(log_softmax)) return normalized(id, axes, IS(softmax));
#undef IS
    throw std::logic_error("the tests' interpreter does not know " + std::string(op->name));
  }

  value elementwise(int id) const {
    value result;
    std::size_t rank = 0;
    int const count = g_[id].input_count;
    for (int i = 0; i < count; ++i) rank = std::max(rank, in(id, i).shape.size());
    result.shape.assign(rank, 1);
    for (int i = 0; i < count; ++i)
      for (std::size_t d = 0; d < in(id, i).shape.size(); ++d) {
        long& e = result.shape[d + rank - in(id, i).shape.size()];
        if (in(id, i).shape[d] != 1) e = in(id, i).shape[d];
      }
    std::vector<kt::element> types;
    for (int i : g_.inputs(id)) types.push_back(g_.type(i).element);
    for_each_index(result.shape, [&](auto const& index) {
      std::vector<double> x;
      for (int i = 0; i < count; ++i) x.push_back(in(id, i).data[in(id, i).at(index)]);
      result.data.push_back(apply_scalar(g_[id].op, g_.type(id).element, x, types));
    });
    return result;
  }
  value spread(int id, bool reshape) const {
    value result;
    for (int d = 1; d < g_[id].input_count; ++d) result.shape.push_back(extent(id, d));
    if (reshape) result.data = in(id, 0).data;
    else for_each_index(result.shape, [&](auto const& index) { result.data.push_back(in(id, 0).data[in(id, 0).at(index)]); });
    return result;
  }
  value shuffled(int id) const {
    value const& x = in(id, 0);
    value result;
    for (long long s : g_.attributes(id)) result.shape.push_back(s < 0 ? 1 : x.shape[static_cast<std::size_t>(s)]);
    for_each_index(result.shape, [&](auto const& index) {
      std::vector<long> source(x.shape.size(), 0);
      for (std::size_t d = 0; d < index.size(); ++d)
        if (long long const s = g_.attribute(id, static_cast<int>(d)); s >= 0) source[static_cast<std::size_t>(s)] = index[d];
      result.data.push_back(x.data[x.at(source)]);
    });
    return result;
  }
  /// Positions in the first operand of what a selection names, whose indices are operands from `next` on.
  struct positions {
    std::vector<long> shape;
    std::vector<std::size_t> at;
  };
  positions selected(int id, int next) const {
    value const& x = in(id, 0);
    positions result;
    std::vector<long> first, step;
    std::vector<int> axis;
    for (int d = 0; d < static_cast<int>(x.shape.size()); ++d) {
      long long const code = g_.attribute(id, 2 * d);
      first.push_back(code == 0 ? 0 : extent(id, next));
      step.push_back(static_cast<long>(g_.attribute(id, 2 * d + 1)));
      if (code != 1) {
        axis.push_back(d);
        result.shape.push_back(code == 0 ? x.shape[static_cast<std::size_t>(d)] : extent(id, next + 1));
      }
      next += static_cast<int>(code);
    }
    for_each_index(result.shape, [&](auto const& index) {
      std::vector<long> source = first;
      for (std::size_t d = 0; d < axis.size(); ++d) {
        auto const a = static_cast<std::size_t>(axis[d]);
        source[a] += index[d] * step[a];
      }
      result.at.push_back(x.at(source));
    });
    return result;
  }
  /// The same of one index tensor for the first axis.
  positions rows(int id, int first) const {
    value const &x = in(id, 0), &i = in(id, first);
    if (g_.attribute(id, 0) != 1 || g_.attribute(id, 1) != 0) throw std::logic_error("the tests' interpreter takes rows only");
    positions result{i.shape, {}};
    long const row = x.size() / x.shape[0];
    result.shape.insert(result.shape.end(), x.shape.begin() + 1, x.shape.end());
    for (double index : i.data)
      for (long k = 0; k < row; ++k) result.at.push_back(static_cast<std::size_t>((static_cast<long>(index) + (index < 0 ? x.shape[0] : 0)) * row + k));
    return result;
  }
  /// The same along an axis, of an array of positions.
  positions along_axis(int id, int indices) const {
    value const &x = in(id, 0), &i = in(id, indices);
    auto const axis = static_cast<std::size_t>(g_.attribute(id, 0));
    positions result{i.shape, {}};
    for_each_index(i.shape, [&](std::vector<long> index) {
      auto const position = static_cast<long>(i.data[i.at(index)]);
      index[axis] = position < 0 ? position + x.shape[axis] : position;
      result.at.push_back(x.at(index));
    });
    return result;
  }
  value part(int id) const { return read(in(id, 0), selected(id, 1)); }
  value gathered(int id) const { return read(in(id, 0), rows(id, 1)); }
  static value read(value const& x, positions const& p) {
    value result{p.shape, {}};
    for (std::size_t at : p.at) result.data.push_back(x.data[at]);
    return result;
  }
  value written(int id, positions const& p, bool adds) const {
    value result = in(id, 0);
    std::size_t next = 0;
    for_each_index(p.shape, [&](auto const& index) {
      double const v = in(id, 1).data[in(id, 1).at(index)];
      double& to = result.data[p.at[next++]];
      to = adds ? to + v : v;
    });
    return result;
  }
  value joined(int id) const {
    auto const axis = static_cast<std::size_t>(g_.attribute(id, 0));
    value result{in(id, 1).shape, {}};
    result.shape[axis] = extent(id, 0);
    for_each_index(result.shape, [&](std::vector<long> index) {
      int k = 1;
      for (; index[axis] >= in(id, k).shape[axis]; ++k) index[axis] -= in(id, k).shape[axis];
      result.data.push_back(in(id, k).data[in(id, k).at(index)]);
    });
    return result;
  }
  value product(int id) const {
    value const &a = in(id, 0), &b = in(id, 1);
    long const inner = a.shape.back(), rows = a.size() / inner, columns = b.size() / inner;
    value result;
    if (a.shape.size() == 2) result.shape.push_back(rows);
    if (b.shape.size() == 2) result.shape.push_back(columns);
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < columns; ++j) {
        double sum = 0;
        for (long k = 0; k < inner; ++k)
          sum += a.data[static_cast<std::size_t>(i * inner + k)] * b.data[static_cast<std::size_t>(k * columns + j)];
        result.data.push_back(sum);
      }
    return result;
  }
  template <class Combine>
  value reduced(int id, double start, Combine combine) const {
    value const& x = in(id, 0);
    value full;  // with the reduced axes of extent 1
    for (std::size_t d = 0; d < x.shape.size(); ++d) full.shape.push_back((g_.attribute(id, 0) >> d & 1) != 0 ? 1 : x.shape[d]);
    full.data.assign(static_cast<std::size_t>(full.size()), start);
    for_each_index(x.shape, [&](auto const& index) {
      double& to = full.data[full.at(index)];
      to = combine(to, x.data[x.at(index)]);
    });
    if (g_.attribute(id, 1) != 0) return full;
    value result{{}, full.data};
    for (std::size_t d = 0; d < x.shape.size(); ++d)
      if ((g_.attribute(id, 0) >> d & 1) == 0) result.shape.push_back(x.shape[d]);
    return result;
  }
  value normalized(int id, long long axes, bool exponential) const {
    value const& x = in(id, 0);
    value total;
    for (std::size_t d = 0; d < x.shape.size(); ++d) total.shape.push_back((axes >> d & 1) != 0 ? 1 : x.shape[d]);
    total.data.assign(static_cast<std::size_t>(total.size()), -INFINITY);
    for_each_index(x.shape, [&](auto const& index) {
      double& to = total.data[total.at(index)];
      to = kt::op::logaddexp::value(to, x.data[x.at(index)]);
    });
    value result{x.shape, {}};
    for_each_index(x.shape, [&](auto const& index) {
      double const y = x.data[x.at(index)] - total.data[total.at(index)];
      result.data.push_back(exponential ? std::exp(y) : y);
    });
    return result;
  }

  kt::graph const& g_;
  std::vector<value> inputs_;
  std::vector<value> values_;
};

}  // namespace rewrite_test
