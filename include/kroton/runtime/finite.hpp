// Where a NaN or an infinity comes from: the first op that makes one of finite operands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime/observer.hpp>
#include <kroton/runtime/visit.hpp>

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

namespace kroton::runtime {

/// Notes the first value that is not finite although all its operands are, of elementwise ops, reductions and products.
class finite_check final : public observer {
 public:
  void see(computed_block const& block) override {
    if (!found_.empty() || !core::is_float(block.to)) return;
    if (block.in_count == 0) {
      for (std::ptrdiff_t i = 0; i < block.n && !has_read(block.result); ++i)
        if (!std::isfinite(number(block.to, block.out, i))) read_ |= std::uint64_t{1} << block.result;
      return;
    }
    for (std::ptrdiff_t i = 0; i < block.n; ++i) {
      double const value = number(block.to, block.out, i);
      if (std::isfinite(value)) continue;
      bool all_finite = true;
      std::ostringstream operands;
      operands.precision(17);
      for (int k = 0; k < block.in_count; ++k) {
        bool const condition = k == 0 && core::is_op<op::where>(block.op);
        double const x = number(condition ? element::boolean : block.from, block.in[k], i);
        all_finite = all_finite && std::isfinite(x);
        operands << (k == 0 ? "" : ", ") << x;
      }
      if (!all_finite) continue;
      std::ostringstream text;
      text << block.op->name << '(' << operands.str() << ") is " << value;
      found_ = text.str();
      return;
    }
  }
  /// A reduction is judged where all that it has read is finite, whatever element of its result it read it for.
  void see_whole(whole_result const& result) override {
    bool finite = !has_read(result.result);
    if (result.in_count == 0) read_ &= ~(std::uint64_t{1} << result.result);
    if (!found_.empty() || !core::is_float(result.type)) return;
    for (int k = 0; k < result.in_count; ++k) finite = finite && all_finite(result.type, result.in[k]);
    if (finite && !all_finite(result.type, result.to)) found_ = std::string(result.op->name) + " of finite elements is not finite";
  }
  /// `log(-1) is nan`, or nothing.
  std::string const& found() const { return found_; }

 private:
  static double number(element e, std::byte const* values, std::ptrdiff_t i) {
    return visit_element(e, [&]<class T>(std::type_identity<T>) { return static_cast<double>(reinterpret_cast<T const*>(values)[i]); });
  }
  bool has_read(int result) const { return (read_ >> result & 1) != 0; }
  static bool all_finite(element e, core::array_ref const& a) {
    return visit_element(e, [&]<class T>(std::type_identity<T>) {
      std::ptrdiff_t index[core::max_rank]{};
      for (std::ptrdiff_t left = a.size(), at = 0; left > 0; --left) {
        if (!std::isfinite(static_cast<double>(reinterpret_cast<T const*>(a.data)[at]))) return false;
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

  std::uint64_t read_ = 0;  // the results of the loop whose reduction has read what is not finite
  std::string found_;
};

}  // namespace kroton::runtime
