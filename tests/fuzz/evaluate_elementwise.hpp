// Elementwise ops, conversions and choices, lane by lane.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_base.hpp"

namespace fuzz {

class elementwise_node : public node_base {
 protected:
  using node_base::node_base;

  static constexpr real safety = 64;  // how many times its estimate an error may be before it decides something

  bool reads_floats() const {
    return kt::core::is_float(g_.type(g_.input_of(id_, g_[id_].input_count - 1)).element);
  }
  /// How far rounding moves an operand, from the lanes that leave exact numbers alone.
  real tie_spread(real const* x) const {
    real most = 0;
    for (int k = 1 + evaluator::spread_lanes; k < lanes_; ++k) most = std::fmax(most, std::abs(x[k] - x[0]));
    return most;
  }

  /// Whether rounding may make nothing of a number, or something of nothing.
  bool decides_truth(real const* x, unsigned char its_flags) const {
    real const error = tie_spread(x);
    return (error > 0 && std::abs(x[0]) <= safety * error) || (x[0] == 0 && (its_flags & cancelled) != 0);
  }

  static bool is_extremum(scalar_function const& f) {
    return f.name == "maximum" || f.name == "minimum" || f.name == "fmax" || f.name == "fmin";
  }

  void elementwise() {
    scalar_function const& f = scalar_function_of(g_[id_].op);
    int const count = g_[id_].input_count;
    bool const floats = reads_floats();
    kt::element const type = g_.type(g_.input_of(id_, 0)).element;
    if (floats ? f.of_reals == nullptr : f.of_integers == nullptr) throw std::logic_error("no such function: " + std::string(f.name));
    make(common_shape());
    static constexpr std::string_view arithmetic_names[] = {"add", "sub", "mul", "sqr", "pow", "sqrt", "floordiv", "mod"};
    bool const arithmetic = std::find(std::begin(arithmetic_names), std::end(arithmetic_names), f.name) != std::end(arithmetic_names);
    if (lanes_ > 1) exact_.assign(out_.flags.size(), 1);
    std::vector<real const*> x(static_cast<std::size_t>(count));
    for_each(out_.shape, [&](index const& i, long position) {
      for (int k = 0; k < count; ++k) {
        long const from = aligned(k, i);
        x[static_cast<std::size_t>(k)] = lanes_of(in(k), from);
        flags(position) |= in(k).flags[static_cast<std::size_t>(from)];
        if (lanes_ > 1 && !(arithmetic && is_simple(x[static_cast<std::size_t>(k)][0]))) exact_[static_cast<std::size_t>(position)] = 0;
      }
      for (int lane = 0; lane < lanes_; ++lane) at(position)[lane] = floats ? in_lane(f, x, lane, at(position)[0]) : integers(f, x, lane, type);
      if (floats && lanes_ > 1 && f.margin != nullptr && is_close(f, x)) flags(position) |= undecided;
      // The sign of a zero decides, which real numbers do not have.
      if (f.name == "atan2" && x[0][0] == 0 && x[1][0] <= 0) flags(position) |= not_finite;
      if (floats && (f.name == "signbit" || f.name == "copysign")) sign_of(x.back()[0], position);
      if (floats && left_range(f, x, at(position)[0])) flags(position) |= out_of_range;
      if (floats) signs_of_zeros(f, x, position);
      if (floats && lanes_ > 1 && (f.name == "add" || f.name == "sub")) cancel(x, position);
      if (f.name == "mul" && at(position)[0] == 0 && hides_large(x)) flags(position) |= reordered;
      bool const continuous = f.name == "abs" || is_extremum(f);
      bool const decides = floats && (flags(position) & cancelled) != 0 && f.margin != nullptr && !continuous;
      if (real const operands[3] = {x[0][0], count > 1 ? x[1][0] : 0, count > 2 ? x[2][0] : 0}; decides && f.margin(operands) == 0) flags(position) |= reordered;
    });
  }

  // Sums and products in normal form have any number of operands.
  real in_lane(scalar_function const& f, std::vector<real const*> const& x, int lane, real first) {
    bool const follows = is_spread_lane(lane);
    if (follows && f.jumps) return first;
    auto arity = static_cast<std::size_t>(g_[id_].op->arity);
    real operands[3] = {x[0][lane], x.size() > 1 ? x[1][lane] : 0, x.size() > 2 ? x[2][lane] : 0};
    if (follows && f.name == "pow" && x[1][0] == std::floor(x[1][0])) operands[1] = x[1][0];
    if (follows && f.name == "mod" && std::isfinite(first)) return operands[0] - operands[1] * std::nearbyint((x[0][0] - first) / x[1][0]);
    real result = f.of_reals(operands);
    for (std::size_t k = 2; arity == 2 && k < x.size(); ++k) {
      operands[0] = result;
      operands[1] = x[k][lane];
      result = f.of_reals(operands);
    }
    return result;
  }
  real integers(scalar_function const& f, std::vector<real const*> const& x, int lane, kt::element type) {
    integer operands[2] = {static_cast<integer>(x[0][lane]), x.size() > 1 ? static_cast<integer>(x[1][lane]) : 0};
    integer result = wrapped(f.of_integers(operands, type), out_.type);
    for (std::size_t k = 2; k < x.size(); ++k) {
      operands[0] = result;
      operands[1] = static_cast<integer>(x[k][lane]);
      result = wrapped(f.of_integers(operands, type), out_.type);
    }
    return static_cast<real>(result);
  }
  bool is_close(scalar_function const& f, std::vector<real const*> const& x) const {
    real const operands[3] = {x[0][0], x.size() > 1 ? x[1][0] : 0, x.size() > 2 ? x[2][0] : 0};
    if (!std::isfinite(operands[0]) || !std::isfinite(operands[1])) return false;
    real const a = tie_spread(x[0]), b = x.size() > 1 ? tie_spread(x[1]) : 0;
    if ((f.name == "floordiv" || f.name == "mod") && b > 0 && std::abs(operands[1]) <= safety * b) return true;
    real error = a + b;
    // Of a negative number only whole powers are defined.
    if (f.name == "pow" && operands[0] <= safety * a && b > 0 && std::abs(operands[1] - std::nearbyint(operands[1])) <= safety * b) return true;
    if (f.name == "pow") error = a;
    if (f.name == "div") error = b;
    if ((f.name == "floordiv" || f.name == "mod") && operands[1] != 0) {
      error = a + std::abs(operands[0] / operands[1]) * b;
      if (f.name == "floordiv") error /= std::abs(operands[1]);
    }
    return error > 0 && !(f.margin(operands) > safety * error);
  }

  /// That of a zero decides, which real numbers do not have, and that of a NaN, which no rule keeps.
  void sign_of(real x, long position) {
    if (x == 0) flags(position) |= not_finite;
    if (std::isnan(x)) flags(position) |= undecided;
  }

  /// Where the operands are zeros, the sign of one of them may decide the result, and an extremum may be either of them.
  void signs_of_zeros(scalar_function const& f, std::vector<real const*> const& x, long position) {
    bool const any = (flags(position) & either_zero) != 0;
    static constexpr std::string_view split[] = {"div", "inv", "pow", "atan2", "gammaln", "gamma", "betaln", "gammainc", "gammaincc", "gamma_density", "gammainc_by_a", "digamma", "trigamma", "polygamma", "polygamma_difference", "floordiv", "mod", "copysign", "signbit"};
    if (any && std::find(std::begin(split), std::end(split), f.name) != std::end(split)) flags(position) |= undecided;
    if (is_extremum(f) && x[0][0] == 0 && x[1][0] == 0 && std::signbit(x[0][0]) != std::signbit(x[1][0]))
      flags(position) |= either_zero;
  }

  /// Whether a factor next to 0 is so large that a power of it alone overflows where that of the product does not: (0 * x)^8.
  bool hides_large(std::vector<real const*> const& x) const {
    real const largest = out_.type == kt::element::float64 ? 0x1p128L : 0x1p16L;
    for (real const* operand : x)
      if (std::abs(operand[0]) > largest) return kt::core::is_float(out_.type);
    return false;
  }

  /// A sum of which next to nothing is left: in another order, or of terms that are sums themselves, more or less of it would be.
  void cancel(std::vector<real const*> const& x, long position) {
    real* const sum = at(position);
    // An operand of which rounding leaves nothing is another nothing where it is computed in another way.
    for (real const* operand : x) {
      real spread = 0;
      for (int k = 1; k <= evaluator::spread_lanes; ++k) spread = std::fmax(spread, std::abs(operand[k] - operand[0]));
      if (!std::isfinite(spread) || spread <= 1e-3L * std::abs(operand[0])) continue;
      for (int k = 1; k < lanes_; ++k)
        if (is_order_lane(k)) sum[k] += error_of(spread, out_.type) / roundoff(out_.type);
    }
    if (exact_[static_cast<std::size_t>(position)] != 0 || !(std::abs(sum[0]) < 1e-6L * std::abs(x[0][0]))) return;
    if (sum[0] == 0) flags(position) |= cancelled;
    real const largest = std::fmax(largest_term(g_.input_of(id_, 0)), largest_term(g_.input_of(id_, 1)));
    for (int k = 1; k < lanes_; ++k)
      if (is_order_lane(k)) sum[k] += error_of(largest, out_.type);
  }

  /// Whether not even extended precision has the result: an infinity that is not a pole, or a zero that is none.
  bool left_range(scalar_function const& f, std::vector<real const*> const& x, real result) const {
    for (real const* operand : x)
      if (!std::isfinite(operand[0])) return false;
    real const operands[3] = {x[0][0], x.size() > 1 ? x[1][0] : 0, x.size() > 2 ? x[2][0] : 0};
    if (std::isinf(result)) return f.margin == nullptr || f.jumps || f.margin(operands) != 0;
    if (result != 0) return false;
    static constexpr std::string_view never_zero[] = {"exp", "exp2", "sigmoid", "softplus", "erfc", "erfcx", "inv", "gamma", "i0", "i0e"};
    static constexpr std::string_view zero_of_zero[] = {"mul", "div", "sqr", "pow"};
    auto among = [&](auto const& names) { return std::find(std::begin(names), std::end(names), f.name) != std::end(names); };
    if (!among(zero_of_zero)) return among(never_zero);
    for (std::size_t k = 0; k < (f.name == "mul" ? x.size() : 1); ++k)
      if (x[k][0] == 0) return false;
    return true;
  }

  void convert() {
    kt::element const from = g_.type(g_.input_of(id_, 0)).element;
    bool const truncates = kt::core::is_float(from) && !kt::core::is_float(out_.type);
    bool const logical = kt::core::is_bool(out_.type);
    make(in(0).shape);
    for (long i = 0; i < out_.count(); ++i) {
      real const* const x = lanes_of(in(0), i);
      flags(i) |= in(0).flags[static_cast<std::size_t>(i)];
      for (int k = 0; k < lanes_; ++k) {
        real& to = at(i)[k];
        if (!truncates) to = kt::core::is_float(out_.type) ? x[k] : static_cast<real>(wrapped(static_cast<integer>(x[k]), out_.type));
        else if (is_spread_lane(k)) to = at(i)[0];
        else if (logical) to = x[k] != 0;
        else to = truncated(x[k]);
      }
      if (kt::core::is_short(from)) read_stored(at(i), from);
      if (kt::core::is_short(out_.type) && !g_.is_stored(id_)) store(at(i), out_.type);
      if (truncates && lanes_ > 1 && std::isfinite(x[0])) {
        real const margin = std::abs(x[0] - std::nearbyint(x[0])), error = tie_spread(x);
        if (logical ? decides_truth(x, in(0).flags[static_cast<std::size_t>(i)])
                    : error > 0 && margin <= safety * error)
          flags(i) |= undecided;
      }
    }
  }
  // An integer type makes its lowest value of NaN, and of what is beyond its range the nearest.
  real truncated(real x) const {
    bool const is_signed = kt::core::is_signed(out_.type);
    real const beyond = std::ldexp(real(1), 8 * kt::core::bytes_of(out_.type) - (is_signed ? 1 : 0)), lowest = is_signed ? -beyond : 0;
    if (!(x > lowest)) return lowest;
    real const whole = std::trunc(x);
    return whole >= beyond ? beyond - 1 : whole == 0 ? 0 : whole;  // integers have no -0
  }

  void choose_one() {
    if (in(1).shape != in(2).shape) throw std::domain_error("branches of two shapes");
    make(in(1).shape);
    select([&](int k, index const& i) { return k == 0 ? 0 : position_in(in(k), i); });
  }
  void choose() {
    make(common_shape());
    select([&](int k, index const& i) { return aligned(k, i); });
  }
  // What the branch not taken holds is of no account.
  template <class F>
  void select(F position_of) {
    for_each(out_.shape, [&](index const& i, long position) {
      long const from[] = {position_of(0, i), position_of(1, i), position_of(2, i)};
      real const* const condition = lanes_of(in(0), from[0]);
      int const taken = condition[0] != 0 ? 1 : 2;
      flags(position) = in(0).flags[static_cast<std::size_t>(from[0])] | in(taken).flags[static_cast<std::size_t>(from[taken])];
      for (int k = 0; k < lanes_; ++k) {
        int const branch = is_spread_lane(k) || condition[k] == condition[0] ? taken : 3 - taken;
        at(position)[k] = lanes_of(in(branch), from[branch])[k];
      }
    });
  }
};

}  // namespace fuzz
