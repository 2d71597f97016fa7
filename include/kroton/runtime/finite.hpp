// Finds the source of a NaN, an infinity or a value beyond a bound: the first op that produces one
// from others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/runtime/observer.hpp>
#include <kroton/runtime/visit.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace kroton::runtime {

/// Records the first value that is not finite, or beyond a bound, although all its operands are
/// within it, for elementwise ops, reductions and products.
class finite_check final : public observer {
 public:
  explicit finite_check(double bound = std::numeric_limits<double>::infinity())
      : bound_(bound) {}

  void see(computed_block const& block) override {
    if (!found_.empty() || !core::is_continuous(block.to)) return;
    if (block.in_count == 0) {
      for (std::ptrdiff_t i = 0; i < block.n && !has_read(block.result); ++i)
        if (!is_within(block.to, block.out, i)) note(block.result, true);
      return;
    }
    for (std::ptrdiff_t i = 0; i < block.n; ++i) {
      if (is_within(block.to, block.out, i)) continue;
      auto type_of = [&](int k) {
        return k == 0 && core::is_op<op::where>(block.op) ? element::boolean : block.from;
      };
      bool are_within = true;
      for (int k = 0; k < block.in_count; ++k)
        are_within = are_within && is_within(type_of(k), block.in[k], i);
      if (!are_within) continue;
      std::ostringstream text;
      text.precision(17);
      text << block.op->name << '(';
      for (int k = 0; k < block.in_count; ++k)
        write(text << (k == 0 ? "" : ", "), type_of(k), block.in[k], i);
      write(text << ") is ", block.to, block.out, i);
      found_ = text.str() + bound_text();
      return;
    }
  }
  /// A reduction is checked only if everything that it has read is finite, whichever element of its
  /// result it was read for.
  void see_whole(whole_result const& result) override {
    bool within = !has_read(result.result);
    if (result.in_count == 0) note(result.result, false);
    if (!found_.empty() || !core::is_continuous(result.type)) return;
    for (int k = 0; k < result.in_count; ++k)
      within = within && all_within(result.type, result.in[k]);
    if (within && !all_within(result.type, result.to))
      found_ = std::string(result.op->name) +
               (std::isinf(bound_) ? " of finite elements is not finite"
                                   : " of elements within the bound is not" + bound_text());
  }
  /// `log(-1) is nan`, or an empty string.
  std::string const& found() const { return found_; }

 private:
  bool is_within(double value) const { return std::isfinite(value) && std::abs(value) <= bound_; }
  bool is_within(element e, std::byte const* values, std::ptrdiff_t i) const {
    return visit_element(e, [&]<class T>(std::type_identity<T>) {
      T const value = reinterpret_cast<T const*>(values)[i];
      if constexpr (core::is_complex_number<T>)
        return is_within(static_cast<double>(value.real())) &&
               is_within(static_cast<double>(value.imag()));
      else return is_within(static_cast<double>(value));
    });
  }
  std::string bound_text() const {
    if (std::isinf(bound_)) return {};
    std::ostringstream text;
    text << ": the bound is " << bound_;
    return text.str();
  }
  static void write(std::ostream& out, element e, std::byte const* values, std::ptrdiff_t i) {
    visit_element(e, [&]<class T>(std::type_identity<T>) {
      T const value = reinterpret_cast<T const*>(values)[i];
      if constexpr (core::is_complex_number<T>) out << value;
      else out << static_cast<double>(value);
    });
  }
  bool has_read(int result) const {
    auto const at = static_cast<std::size_t>(result);
    return at < read_.size() && read_[at];
  }
  void note(int result, bool has_read) {
    auto const at = static_cast<std::size_t>(result);
    if (at >= read_.size()) read_.resize(at + 1);
    read_[at] = has_read;
  }
  bool all_within(element e, core::array_ref const& a) const {
    return visit_element(e, [&]<class T>(std::type_identity<T>) {
      std::ptrdiff_t index[core::max_rank]{};
      for (std::ptrdiff_t left = a.size(), at = 0; left > 0; --left) {
        if (!is_within(e, a.data, at)) return false;
        for (int d = a.rank - 1; d >= 0; --d) {
          at += a.strides[d];
          if (++index[d] < a.extents[d]) break;
          at -= a.strides[d] * a.extents[d];
          index[d] = 0;
        }
      }
      return true;
    });
  }

  double bound_;
  std::vector<bool> read_;  // the results of the loop whose reduction has read what is not within
  std::string found_;
};

}  // namespace kroton::runtime
