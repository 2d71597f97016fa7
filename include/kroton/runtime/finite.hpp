// Where a NaN or an infinity comes from: the first op that makes one of finite operands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime/observer.hpp>
#include <kroton/runtime/visit.hpp>

#include <cmath>
#include <sstream>
#include <string>

namespace kroton::runtime {

/// Notes the first value that is not finite although all its operands are.
class finite_check final : public observer {
 public:
  void see(computed_block const& block) override {
    if (!found_.empty() || !core::is_float(block.to) || block.in_count == 0) return;
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
  /// `log(-1) is nan`, or nothing.
  std::string const& found() const { return found_; }

 private:
  static double number(element e, std::byte const* values, std::ptrdiff_t i) {
    return visit_element(e, [&]<class T>(std::type_identity<T>) { return static_cast<double>(reinterpret_cast<T const*>(values)[i]); });
  }
  std::string found_;
};

}  // namespace kroton::runtime
