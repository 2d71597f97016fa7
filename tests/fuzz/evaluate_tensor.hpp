// Reductions, products and views, lane by lane.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_elementwise.hpp"

namespace fuzz {

class tensor_node : public elementwise_node {
 protected:
  using elementwise_node::elementwise_node;

  bool reduces(std::size_t d) const { return (g_.attribute(id_, 0) >> d & 1) != 0; }
  /// The shape of the operand with the reduced axes of extent 1, and the slice that an index lies in.
  index reduced_shape() const {
    index shape = in(0).shape;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (reduces(d)) shape[d] = 1;
    return shape;
  }
  long slice_of(index const& i, index const& shape) const {
    long position = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) position = position * shape[d] + (reduces(d) ? 0 : i[d]);
    return position;
  }

  void reduce(std::string_view name) {
    index const full = reduced_shape();
    index shape;
    for (std::size_t d = 0; d < full.size(); ++d)
      if (!reduces(d) || g_.attribute(id_, 1) != 0) shape.push_back(full[d]);
    make(shape);
    bool const floats = kt::core::is_float(out_.type), extremum = name == "max" || name == "min";
    std::vector<long> met(out_.flags.size(), 0);
    // Rounding decides whether a number next to 0 is true; one element that is sure settles a slice.
    bool const truths = lanes_ > 1 && (name == "any" || name == "all") && kt::core::is_float(in(0).type);
    std::vector<char> doubtful(out_.flags.size(), 0), settled(out_.flags.size(), 0);
    if (name == "logsumexp" || name == "relative_sum") return log_of_sum(full, name == "relative_sum");
    for (long i = 0; i < out_.count(); ++i) std::fill_n(at(i), lanes_, name == "prod" || name == "all" ? 1 : 0);
    for_each(in(0).shape, [&](index const& i, long position) {
      long const to = slice_of(i, full);
      // What an extremum passes over does not matter to it: scores of -infinity are none.
      bool const passed = extremum && std::isinf(*lanes_of(in(0), position)) && (*lanes_of(in(0), position) < 0) == (name == "max");
      flags(to) |= in(0).flags[static_cast<std::size_t>(position)] & (passed ? static_cast<unsigned char>(~not_finite) : 0xff);
      bool const first = met[static_cast<std::size_t>(to)]++ == 0;
      if (real const x = lanes_of(in(0), position)[0]; floats && extremum && !first && x == 0 && *at(to) == 0)
        if (std::signbit(x) != std::signbit(*at(to))) flags(to) |= either_zero;
      if (truths) {
        real const* const x = lanes_of(in(0), position);
        if (std::isfinite(*x) && decides_truth(x, in(0).flags[static_cast<std::size_t>(position)]))
          doubtful[static_cast<std::size_t>(to)] = 1;
        else if ((*x != 0) == (name == "any"))
          settled[static_cast<std::size_t>(to)] = 1;
      }
      for (int k = 0; k < lanes_; ++k) {
        real& sum = at(to)[k];
        real x = lanes_of(in(0), position)[k];
        if (floats && !extremum) x = rounded(x, k, out_.type);
        if (extremum) sum = first || std::isnan(x) ? x : std::isnan(sum) ? sum : name == "max" ? std::fmax(sum, x) : std::fmin(sum, x);
        else if (name == "all") sum = sum != 0 && x != 0;
        else if (name == "any") sum = sum != 0 || x != 0;
        else if (floats) sum = name == "sum" ? sum + x : sum * x;
        else
          sum = static_cast<real>(wrapped(name == "sum" ? static_cast<integer>(sum) + static_cast<integer>(x)
                                                        : product(static_cast<integer>(sum), static_cast<integer>(x)),
                                          out_.type));
      }
    });
    for (std::size_t i = 0; i < doubtful.size(); ++i)
      if (doubtful[i] != 0 && settled[i] == 0) out_.flags[i] |= undecided;
    if (extremum && in(0).count() == 0 && out_.count() > 0) throw std::domain_error("the extremum of nothing");
    if (extremum)
      for (std::size_t d = 0; d < full.size(); ++d)
        if (reduces(d) && in(0).shape[d] == 0) throw std::domain_error("the extremum of nothing");
  }

  /// Of each slice and lane the maximum m, and log(sum(exp(x - m))), which may be far smaller.
  struct scaled_logarithm {
    std::vector<real> most, rest;
  };
  scaled_logarithm logarithms(index const& full) {
    long count = 1;
    for (long e : full) count *= e;
    real const nothing = -std::numeric_limits<real>::infinity();
    auto const size = static_cast<std::size_t>(count * lanes_);
    std::vector<real> most(size, nothing), sum(size, 0);
    auto visit = [&](auto f) {
      for_each(in(0).shape, [&](index const& i, long position) {
        for (int k = 0; k < lanes_; ++k) f(static_cast<std::size_t>(slice_of(i, full) * lanes_ + k), lanes_of(in(0), position)[k]);
      });
    };
    visit([&](std::size_t to, real x) { most[to] = std::isnan(x) ? x : std::isnan(most[to]) ? most[to] : std::fmax(most[to], x); });
    // Without one of the largest: what the others add to 1.
    std::vector<char> left_out(size);
    visit([&](std::size_t to, real x) {
      if (x == most[to] && left_out[to] == 0) left_out[to] = 1;
      else sum[to] += std::exp(x - most[to]);
    });
    for (std::size_t i = 0; i < size; ++i) sum[i] = std::isfinite(most[i]) ? std::log1p(sum[i]) : 0;
    return {std::move(most), std::move(sum)};
  }
  // Or the sum of the exponentials relative to the largest one, which next to an infinity is not settled.
  void log_of_sum(index const& full, bool relative) {
    auto const [most, rest] = logarithms(full);
    for (std::size_t i = 0; i < most.size(); ++i) out_.data[i] = relative ? std::exp(rest[i]) : most[i] + rest[i];
    for_each(in(0).shape, [&](index const& i, long position) { flags(slice_of(i, full)) |= in(0).flags[static_cast<std::size_t>(position)]; });
    for (std::size_t i = 0; relative && i < most.size(); ++i)
      if (!std::isfinite(most[i])) flags(static_cast<long>(i) / lanes_) |= out_of_range;
  }
  void normalize(bool exponential) {
    index const full = reduced_shape();
    auto const [most, rest] = logarithms(full);
    std::vector<unsigned char> met(most.size() / static_cast<std::size_t>(lanes_));
    make(in(0).shape);
    real const largest = largest_term(g_.input_of(id_, 0));
    for_each(in(0).shape, [&](index const& i, long position) {
      met[static_cast<std::size_t>(slice_of(i, full))] |= in(0).flags[static_cast<std::size_t>(position)];
    });
    for_each(in(0).shape, [&](index const& i, long position) {
      long const slice = slice_of(i, full);
      flags(position) = met[static_cast<std::size_t>(slice)];
      for (int k = 0; k < lanes_; ++k) {
        auto const of = static_cast<std::size_t>(slice * lanes_ + k);
        real const x = lanes_of(in(0), position)[k], total = rounded(most[of] + rest[of], k, out_.type, false);
        // A shift of the operand changes nothing but what rounding makes of the shifted numbers.
        real const shift = rounded(largest, k, out_.type, false) - largest;
        real const y = k == 0 ? x - most[of] - rest[of] : x - total + shift;
        // What stands next to an infinity is not settled.
        if (std::isinf(most[of])) flags(position) |= out_of_range;
        // Of numbers so large rounding decides which one is the largest.
        if (largest * roundoff(out_.type) > 1e-2L) flags(position) |= undecided;
        at(position)[k] = exponential ? std::exp(y) : y;
        // As an exponential, it is positive: rules may say so where rounding makes it 0.
        if (k == 0 && exponential && std::isfinite(y) && at(position)[0] == 0) flags(position) |= out_of_range;
      }
    });
  }

  void multiply() {
    tensor const &a = in(0), &b = in(1);
    long const inner = a.shape.back();
    if (b.shape.front() != inner) throw std::domain_error("extents differ");
    long const rows = a.shape.size() == 2 ? a.shape[0] : 1, columns = b.shape.size() == 2 ? b.shape[1] : 1;
    index shape;
    if (a.shape.size() == 2) shape.push_back(rows);
    if (b.shape.size() == 2) shape.push_back(columns);
    make(shape);
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < columns; ++j)
        for (long m = 0; m < inner; ++m) add_product(i * columns + j, i * inner + m, m * columns + j);
  }
  /// Adds the product of an element of each factor to one of the result.
  void add_product(long to, long p, long q) {
    tensor const &a = in(0), &b = in(1);
    bool const floats = kt::core::is_float(out_.type);
    flags(to) |= a.flags[static_cast<std::size_t>(p)] | b.flags[static_cast<std::size_t>(q)];
    // BLAS may start a sum from 0 or from its first term, which makes a difference where all are -0.
    if (real const term = *lanes_of(a, p) * *lanes_of(b, q); floats && term == 0 && std::signbit(term)) flags(to) |= either_zero;
    for (int k = 0; k < lanes_; ++k) {
      real const x = lanes_of(a, p)[k], y = lanes_of(b, q)[k];
      real& sum = at(to)[k];
      if (floats) sum += rounded(x * y, k, out_.type);
      else if (kt::core::is_bool(out_.type)) sum = sum != 0 || (x != 0 && y != 0);
      else
        sum = static_cast<real>(
            wrapped(static_cast<integer>(sum) + wrapped(product(static_cast<integer>(x), static_cast<integer>(y)), out_.type), out_.type));
    }
  }

  // The first element of each slice that equals its extremum; undecided where another comes close to it.
  void mark_first() {
    index const full = reduced_shape();
    make(in(0).shape);
    long slices = 1;
    for (long e : full) slices *= e;
    std::vector<char> met(static_cast<std::size_t>(slices * lanes_));
    std::vector<int> close(static_cast<std::size_t>(slices)), equal(close);
    std::vector<unsigned char> all(static_cast<std::size_t>(slices));
    auto each = [&](auto f) { for_each(in(0).shape, [&](index const& i, long p) { f(slice_of(i, full), p, aligned(1, i)); }); };
    each([&](long slice, long p, long m) {
      real const *const x = lanes_of(in(0), p), *const y = lanes_of(in(1), m);
      all[static_cast<std::size_t>(slice)] |= in(0).flags[static_cast<std::size_t>(p)] | in(1).flags[static_cast<std::size_t>(m)];
      real const error = tie_spread(x) + tie_spread(y);
      close[static_cast<std::size_t>(slice)] += error > 0 && std::abs(x[0] - y[0]) <= safety * error;
      for (int k = 0; k < lanes_; ++k) {
        char& done = met[static_cast<std::size_t>(slice * lanes_ + k)];
        bool const here = done == 0 && (x[k] == y[k] || (std::isnan(x[k]) && std::isnan(y[k])));
        at(p)[k] = is_spread_lane(k) ? at(p)[0] : real(here);
        if (here) done = 1;
      }
    });
    // In a rewritten graph rounding may set both apart; then it is the nearest.
    std::vector<real> nearest(met.size(), std::numeric_limits<real>::infinity());
    for (bool const measures : {true, false})
      each([&](long slice, long p, long m) {
        for (int k = 0; k < lanes_; ++k) {
          auto const of = static_cast<std::size_t>(slice * lanes_ + k);
          real const distance = std::abs(lanes_of(in(0), p)[k] - lanes_of(in(1), m)[k]);
          if (met[of] != 0 || is_spread_lane(k)) continue;
          if (measures) nearest[of] = std::fmin(nearest[of], distance);
          else if (distance == nearest[of]) at(p)[k] = met[of] = 1;
        }
      });
    each([&](long slice, long p, long) {
      flags(p) = all[static_cast<std::size_t>(slice)];
      if (close[static_cast<std::size_t>(slice)] > 1) flags(p) |= undecided;
    });
  }

  // ---- views and copies ----------------------------------------------------------------------------------------------

  /// Fills the result with copies: f gives the operand and the position in it.
  template <class F>
  void gather(index shape, F f) {
    make(std::move(shape));
    for_each(out_.shape, [&](index const& i, long position) {
      auto const [operand, from] = f(i);
      if (from < 0 || from >= in(operand).count()) throw std::domain_error("an element outside its operand");
      std::copy_n(lanes_of(in(operand), from), lanes_, at(position));
      flags(position) = in(operand).flags[static_cast<std::size_t>(from)];
    });
  }
  index extents_from(int first) const {
    index shape;
    for (int k = first; k < g_[id_].input_count; ++k) shape.push_back(integer_in(k));
    return shape;
  }
  void arrange(std::string_view name) {
    if (name == "alloc") {
      index const to = extents_from(1), &from = in(0).shape;
      for (std::size_t d = 0; d < from.size(); ++d)
        if (!g_.type(g_.input_of(id_, 0)).broadcasts(static_cast<int>(d)) && from[d] != to[d + to.size() - from.size()])
          throw std::domain_error("extents differ");
      gather(to, [&](index const& i) { return std::pair(0, aligned(0, i)); });
    } else if (name == "reshape") {
      index const shape = extents_from(1);
      long count = 1;
      for (long e : shape) count *= e;
      if (count != in(0).count()) throw std::domain_error("another number of elements");
      long next = 0;
      gather(shape, [&](index const&) { return std::pair(0, next++); });
    } else if (name == "dimshuffle") {
      index shape;
      for (long long s : g_.attributes(id_)) shape.push_back(s < 0 ? 1 : in(0).shape[static_cast<std::size_t>(s)]);
      gather(shape, [&](index const& i) {
        index from(in(0).shape.size(), 0);
        for (std::size_t d = 0; d < i.size(); ++d)
          if (long long const s = g_.attribute(id_, static_cast<int>(d)); s >= 0) from[static_cast<std::size_t>(s)] = i[d];
        return std::pair(0, position_in(in(0), from));
      });
    } else if (name == "subtensor") {
      index shape;
      selected(in(0).shape, 1, {}, &shape);
      gather(shape, [&](index const& i) { return std::pair(0, position_in(in(0), selected(in(0).shape, 1, i, nullptr))); });
    } else {
      throw std::logic_error("the fuzzer does not know the op " + std::string(name));
    }
  }
  /// Where the element at index i of a selection lies in its base, whose indices are inputs from `next` on; or, asked with a
  /// shape, the extents of the selection.
  index selected(index const& base, int next, index const& i, index* shape) const {
    index from;
    std::size_t position = 0;
    for (std::size_t d = 0; d < base.size(); ++d) {
      long long const code = g_.attribute(id_, static_cast<int>(2 * d)), step = g_.attribute(id_, static_cast<int>(2 * d + 1));
      long const begin = code == 0 ? 0 : integer_in(next);
      long const length = code == 0 ? base[d] : code == 2 ? integer_in(next + 1) : 1;
      next += static_cast<int>(code);
      if (code == 1 && (begin < 0 || begin >= base[d])) throw std::domain_error("an index out of range");
      if (shape != nullptr && code != 1) shape->push_back(length);
      if (shape == nullptr) from.push_back(begin + (code == 1 ? 0 : static_cast<long>(step) * i[position++]));
    }
    return from;
  }
};

}  // namespace fuzz
