// A tiny interpreter of graphs, for tests of the optimizer only: plain loops over doubles, scalar functions by folding.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/ops/shapes/joining.hpp>
#include <kroton/ops/indexing/masking.hpp>
#include <kroton/ops/along_axes/positions.hpp>
#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/function/catalogue.hpp>

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
    if (IS(inc_take) || IS(set_take)) return written(id, taken(id, 2), IS(inc_take));
    if (IS(take_along_axis)) return read(in(id, 0), along_axis(id, 1));
    if (IS(add_along_axis)) return written(id, along_axis(id, 2), true);
    if (IS(join)) return joined(id);
    if (IS(diagonal)) return diagonal(id);
    if (IS(from_diagonal)) return from_diagonal(id);
    if (IS(iota)) return counted(extent(id, 0));
    if (IS(nonzero)) return places_of_true(id);
    if (IS(make_vector)) {
      value v{{static_cast<long>(g_[id].input_count) - 1}, {}};
      for (int i = 1; i < g_[id].input_count; ++i) v.data.push_back(in(id, i).data[0]);
      return v;
    }
    if (IS(dot)) return product(id);
    if (IS(first_equal)) return first_equal(id);
    if (IS(ifelse)) return in(id, in(id, 0).data[0] != 0 ? 1 : 2);
    if (IS(assertion)) {
      value x = in(id, 0);
      if (in(id, 1).data[0] == 0) std::fill(x.data.begin(), x.data.end(), NAN);
      return x;
    }
    if (IS(argmax)) return place(id, [](double a, double b) { return a > b; });
    if (IS(argmin)) return place(id, [](double a, double b) { return a < b; });
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
  /// The same of index tensors, one for each indexed axis, which broadcast together.
  positions taken(int id, int first) const {
    value const& x = in(id, 0);
    long long const axes = g_.attribute(id, 0);
    auto const before = static_cast<std::size_t>(g_.attribute(id, 1));
    std::vector<long> indices;  // the extents of the index tensors together
    for (int k = first; k < g_[id].input_count; ++k) {
      std::vector<long> const& own = in(id, k).shape;
      if (own.size() > indices.size()) indices.insert(indices.begin(), own.size() - indices.size(), 1);
      for (std::size_t d = 0; d < own.size(); ++d) {
        long& e = indices[d + indices.size() - own.size()];
        if (own[d] != 1) e = own[d];
      }
    }
    positions result;
    for (std::size_t d = 0; d < x.shape.size(); ++d)
      if ((axes >> d & 1) == 0) result.shape.push_back(x.shape[d]);
    result.shape.insert(result.shape.begin() + static_cast<std::ptrdiff_t>(before), indices.begin(), indices.end());
    for_each_index(result.shape, [&](auto const& index) {
      auto const begin = index.begin() + static_cast<std::ptrdiff_t>(before);
      std::vector<long> const at(begin, begin + static_cast<std::ptrdiff_t>(indices.size()));
      std::vector<long> source;
      int next = first;
      for (std::size_t d = 0, other = 0; d < x.shape.size(); ++d) {
        if ((axes >> d & 1) != 0) {
          value const& i = in(id, next++);
          auto const position = static_cast<long>(i.data[i.at(at)]);
          source.push_back(position < 0 ? position + x.shape[d] : position);
        } else {
          source.push_back(index[other < before ? other : other + indices.size()]);
          ++other;
        }
      }
      result.at.push_back(x.at(source));
    });
    return result;
  }
  /// The same of a diagonal of two axes of a tensor with the rank of `x`.
  positions on_diagonal(int id, value const& x, std::vector<long> shape) const {
    auto const first = static_cast<std::size_t>(g_.attribute(id, 0)), second = static_cast<std::size_t>(g_.attribute(id, 1));
    long const offset = static_cast<long>(g_.attribute(id, 2));
    positions result{std::move(shape), {}};
    for_each_index(result.shape, [&](auto const& index) {
      std::vector<long> source;
      for (std::size_t d = 0, other = 0; d < x.shape.size(); ++d)
        source.push_back(d == first    ? index.back() + std::max(0l, -offset)
                         : d == second ? index.back() + std::max(0l, offset)
                                       : index[other++]);
      result.at.push_back(x.at(source));
    });
    return result;
  }
  value diagonal(int id) const {
    value const& x = in(id, 0);
    std::vector<long> shape;
    for (std::size_t d = 0; d < x.shape.size(); ++d)
      if (static_cast<long long>(d) != g_.attribute(id, 0) && static_cast<long long>(d) != g_.attribute(id, 1)) shape.push_back(x.shape[d]);
    shape.push_back(extent(id, 1));
    return read(x, on_diagonal(id, x, shape));
  }
  value from_diagonal(int id) const {
    value const& x = in(id, 0);
    value result{{}, {}};
    for (std::size_t d = 0, other = 0; d < x.shape.size() + 1; ++d)
      result.shape.push_back(static_cast<long long>(d) == g_.attribute(id, 0)   ? extent(id, 1)
                             : static_cast<long long>(d) == g_.attribute(id, 1) ? extent(id, 2)
                                                                                : x.shape[other++]);
    result.data.assign(static_cast<std::size_t>(result.size()), 0);
    positions const to = on_diagonal(id, result, x.shape);
    for (std::size_t k = 0; k < x.data.size(); ++k) result.data[to.at[k]] = x.data[k];
    return result;
  }
  static value counted(long n) {
    value result{{n}, {}};
    for (long k = 0; k < n; ++k) result.data.push_back(static_cast<double>(k));
    return result;
  }
  value places_of_true(int id) const {
    value result{{extent(id, 1)}, {}};
    for (std::size_t k = 0; k < in(id, 0).data.size(); ++k)
      if (in(id, 0).data[k] != 0) result.data.push_back(static_cast<double>(k));
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
  value gathered(int id) const { return read(in(id, 0), taken(id, 1)); }
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
  /// Where along an axis the first element is that none precedes.
  template <class Precedes>
  value place(int id, Precedes precedes) const {
    value const& x = in(id, 0);
    auto const axis = static_cast<std::ptrdiff_t>(g_.attribute(id, 0));
    value result{x.shape, {}};
    result.shape.erase(result.shape.begin() + axis);
    for_each_index(result.shape, [&](std::vector<long> index) {
      index.insert(index.begin() + axis, 0);
      long best = 0;
      double extremum = x.data[x.at(index)];
      for (long& k = *(index.begin() + axis); k < x.shape[static_cast<std::size_t>(axis)]; ++k)
        if (double const next = x.data[x.at(index)]; precedes(next, extremum) || (next != next && extremum == extremum)) {
          extremum = next;
          best = k;
        }
      result.data.push_back(static_cast<double>(best));
    });
    return result;
  }
  value first_equal(int id) const {
    value const &x = in(id, 0), &m = in(id, 1);
    value result{x.shape, std::vector<double>(x.data.size(), 0)}, found{m.shape, std::vector<double>(m.data.size(), 0)};
    for_each_index(x.shape, [&](auto const& index) {
      if (x.data[x.at(index)] != m.data[m.at(index)] || found.data[m.at(index)]++ != 0) return;
      result.data[x.at(index)] = 1;
    });
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
