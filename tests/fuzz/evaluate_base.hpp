// What the evaluation of any node needs: positions, lanes, errors and flags.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate.hpp"
#include "scalar.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace fuzz {

/// One node under evaluation: its operands and its result.
class node_base {
 public:
  node_base(evaluator& e, int id) : e_(e), g_(e.g_), id_(id), lanes_(e.lanes_) { out_.type = g_.type(id).element; }

 protected:
  using index = std::vector<long>;

  tensor const& in(int i) const { return e_[g_.input_of(id_, i)]; }
  /// An element that decides an extent or a position.
  static void settle(unsigned char flags) {
    if ((flags & (undecided | out_of_range | not_finite | reordered)) != 0) throw unsettled("an index that rounding decides");
  }
  long integer_in(int i) const {
    settle(in(i).flags.at(0));
    return static_cast<long>(in(i).data.at(0));
  }
  real const* lanes_of(tensor const& t, long at) const { return &t.data[static_cast<std::size_t>(at * lanes_)]; }
  bool is_spread_lane(int k) const { return k >= 1 && k <= evaluator::spread_lanes; }
  bool is_order_lane(int k) const { return is_spread_lane(k) && k > evaluator::spread_lanes - evaluator::order_lanes; }

  void make(index shape) {
    out_.shape = std::move(shape);
    for (long e : out_.shape)
      if (e < 0) throw std::domain_error("a negative extent");
    out_.data.assign(static_cast<std::size_t>(out_.count() * lanes_), 0);
    out_.flags.assign(static_cast<std::size_t>(out_.count()), 0);
  }
  real* at(long i) { return &out_.data[static_cast<std::size_t>(i * lanes_)]; }
  unsigned char& flags(long i) { return out_.flags[static_cast<std::size_t>(i)]; }

  template <class F>
  static void for_each(index const& shape, F f) {
    index i(shape.size(), 0);
    long n = 1;
    for (long e : shape) n *= e;
    for (long position = 0; position < n; ++position) {
      f(i, position);
      for (std::size_t d = shape.size(); d-- > 0;) {
        if (++i[d] < shape[d]) break;
        i[d] = 0;
      }
    }
  }
  /// The position of an element of operand k next to that of a result, broadcasting declared dimensions.
  long aligned(int k, index const& i) const {
    tensor const& t = in(k);
    kt::tensor_type const type = g_.type(g_.input_of(id_, k));
    std::size_t const lead = i.size() - t.shape.size();
    long position = 0;
    for (std::size_t d = 0; d < t.shape.size(); ++d)
      position = position * t.shape[d] + (type.broadcasts(static_cast<int>(d)) ? 0 : i[d + lead]);
    return position;
  }
  static long position_in(tensor const& t, index const& i) {
    long position = 0;
    for (std::size_t d = 0; d < t.shape.size(); ++d) position = position * t.shape[d] + i[d];
    return position;
  }
  index common_shape() const {
    int const rank = g_.type(id_).rank;
    index shape(static_cast<std::size_t>(rank), -1);
    for (int k = 0; k < g_[id_].input_count; ++k) {
      kt::tensor_type const type = g_.type(g_.input_of(id_, k));
      for (int d = 0; d < rank; ++d) {
        if (!type.spans(d, rank)) continue;
        long const e = in(k).shape[static_cast<std::size_t>(type.aligned(d, rank))];
        long& to = shape[static_cast<std::size_t>(d)];
        if (to >= 0 && to != e) throw std::domain_error("extents differ");
        to = e;
      }
    }
    for (long& e : shape) e = e < 0 ? 1 : e;
    return shape;
  }

  std::uint64_t next_random() {
    std::uint64_t z = e_.random_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// Whether arithmetic of the element type has a number without rounding, by any likely way.
  static bool is_simple(real x) { return std::abs(x) < 1024 && x * 4 == std::nearbyint(x * 4); }
  /// An error of up to two units in the last place of a number.
  real error_of(real x, kt::element type) {
    real const units = (static_cast<real>(next_random() >> 11) * 0x1p-51L) - 2;  // two errors must not cancel
    return x * roundoff(type) * units;
  }
  /// A value with such an error; numbers that are exact keep their value in some lanes.
  real rounded(real x, int lane, kt::element type, bool exact = true) {
    if (lane == 0 || (!is_spread_lane(lane) && exact && is_simple(x))) return x;
    return x + error_of(x, type);
  }
  /// The largest finite number among the elements of a node, and of the terms of which it is a sum.
  real largest_term(int id, int depth = 4) const {
    real most = 0;
    tensor const& t = e_[id];
    for (long i = 0; i < t.count(); ++i)
      if (real const x = std::abs(*lanes_of(t, i)); std::isfinite(x)) most = std::fmax(most, x);
    static constexpr std::string_view through[] = {"add", "sub", "neg", "max", "min", "maximum", "minimum", "fmax", "fmin", "where", "ifelse", "dimshuffle",
                                                   "reshape", "subtensor", "alloc"};
    bool const sum = std::find(std::begin(through), std::end(through), g_[id].op->name) != std::end(through);
    for (int k = 0; sum && depth > 0 && k < g_[id].input_count; ++k) most = std::fmax(most, largest_term(g_.input_of(id, k), depth - 1));
    return most;
  }
  /// Sums over no elements are 0 whatever would be added up. Real numbers make of them a factor times 0, which is NaN where the
  /// factor is infinite, so what such elements would be made of counts as a value on the way.
  void note_nothing(std::string_view name) {
    static constexpr std::string_view with_poles[] = {"div", "inv", "pow", "floordiv", "mod", "log", "log2", "log10", "log1p", "log1mexp", "tan",
                                                      "atanh", "logerfc", "erfinv", "erfcinv", "gammaln", "gamma", "betaln", "gammainc", "gammaincc", "gamma_density", "gammainc_by_a", "digamma", "trigamma", "polygamma", "polygamma_difference", "sqrt", "asin", "acos", "acosh", "softmax",
                                                      "log_softmax", "logsumexp", "matrix_inverse", "solve", "solve_triangular",
                                                      "cholesky", "slogdet", "pinv", "lstsq"};
    unsigned char operands = 0;
    for (int k = 0; k < g_[id_].input_count; ++k) {
      operands |= in(k).of_nothing;
      for (unsigned char f : in(k).flags) operands |= f;
    }
    if (out_.count() == 0) {
      out_.of_nothing = operands;
      if (std::find(std::begin(with_poles), std::end(with_poles), name) != std::end(with_poles)) out_.of_nothing |= not_finite;
    } else if ((g_[id_].op->reduction || name == "dot" || name == "logsumexp") && in(0).count() == 0) {
      for (unsigned char& f : out_.flags) f |= operands;
    }
  }
  /// The errors of the node's own arithmetic, and the flags of what has left the range.
  void finish() {
    std::string_view const name = g_[id_].op->name;
    note_nothing(name);
    static constexpr std::string_view copying[] = {"alloc", "dimshuffle", "reshape", "subtensor", "neg", "stop_gradient", "abs", "where", "ifelse",
                                                   "max", "min", "maximum", "minimum", "fmax", "fmin", "copysign", "join", "take", "take_along_axis", "diagonal",
                                                   "from_diagonal", "sort", "topk", "shift", "set_subtensor", "set_take", "partition", "assertion"};
    bool const copies = std::find(std::begin(copying), std::end(copying), name) != std::end(copying);
    if (!kt::core::is_float(out_.type)) return;
    // The fourth root of the range: rewritten products and powers have other intermediate results.
    bool const is_double = out_.type == kt::element::float64;
    real const largest = is_double ? 0x1p256L : 0x1p32L, smallest = is_double ? 0x1p-255L : 0x1p-31L;
    for (long i = 0; i < out_.count(); ++i) {
      real* const x = at(i);
      bool const finite = std::isfinite(x[0]);
      if (x[0] != 0) flags(i) &= static_cast<unsigned char>(~(either_zero | cancelled));
      if (!finite) flags(i) |= not_finite;
      else if (std::abs(x[0]) > largest || (x[0] != 0 && std::abs(x[0]) < smallest)) flags(i) |= out_of_range;
      for (int k = 1; k < lanes_; ++k) {
        if (!copies || is_spread_lane(k)) x[k] = rounded(x[k], k, out_.type, exact_.empty() || exact_[static_cast<std::size_t>(i)] != 0);
        if (is_spread_lane(k)) continue;
        bool const same = finite ? std::isfinite(x[k]) : std::isnan(x[0]) ? std::isnan(x[k]) : x[k] == x[0];
        if (!same) flags(i) |= undecided;
      }
    }
  }

  // ---- storage of 16 bits: values carry what has been computed, not what is stored ----------------------------------------

  /// Rounds the lanes of an element to 16 bits. Where errors decide to which of two numbers, lanes take both.
  void store(real* x, kt::element type) const {
    real error = 0;
    for (int k = 1; k < lanes_; ++k) error = std::fmax(error, 64 * std::abs(x[k] - x[0]));
    real const below = nearest(x[0] - error, type), above = nearest(x[0] + error, type);
    for (int k = 0; k < lanes_; ++k) x[k] = nearest(x[k], type);
    if (lanes_ > 2 && below != above) x[1] = below, x[2] = above;
  }
  /// A value of 16 bits that is read: a view of it may have been stored, and rounded, or not.
  void read_stored(real* x, kt::element type) const {
    for (int k = 1; k < lanes_; k += 2) x[k] = nearest(x[k], type);
  }

  // ---- leaves --------------------------------------------------------------------------------------------------------

  void from_argument() {
    if (!e_.given_.empty()) {
      out_ = e_.given_[static_cast<std::size_t>(g_.attribute(id_, 0))];
      return;
    }
    argument const& a = e_.arguments_[static_cast<std::size_t>(g_.attribute(id_, 0))];
    for (std::size_t d = 0; d < a.shape.size(); ++d)
      if (a.type.broadcasts(static_cast<int>(d)) && a.shape[d] != 1) throw std::domain_error("a declared extent is not 1");
    make(a.shape);
    for (long i = 0; i < out_.count(); ++i) std::fill_n(at(i), lanes_, a.data[static_cast<std::size_t>(i)]);
  }
  void from_literal() {
    make({});
    std::int64_t const bits = g_.literal_bits(id_);
    std::fill_n(at(0), lanes_, out_.type == kt::element::uint64  ? real(static_cast<std::uint64_t>(bits))
                               : kt::core::is_float(out_.type) ? real(kt::core::literal_value(bits, out_.type))
                                                               : real(bits));
  }
  void from_integer(long value) {
    make({});
    std::fill_n(at(0), lanes_, real(value));
  }

  evaluator& e_;
  kt::graph const& g_;
  int id_, lanes_;
  tensor out_;
  std::vector<char> exact_;  // of each element, whether its operands are simple numbers; empty: all
};

}  // namespace fuzz
