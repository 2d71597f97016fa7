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
    if (!found_.empty() || !core::is_continuous(block.to) || block.in_count == 0) return;
    for (std::ptrdiff_t i = 0; i < block.n; ++i) {
      if (is_finite(block.to, block.out, i)) continue;
      auto type_of = [&](int k) { return k == 0 && core::is_op<op::where>(block.op) ? element::boolean : block.from; };
      bool all_finite = true;
      for (int k = 0; k < block.in_count; ++k) all_finite = all_finite && is_finite(type_of(k), block.in[k], i);
      if (!all_finite) continue;
      std::ostringstream text;
      text.precision(17);
      text << block.op->name << '(';
      for (int k = 0; k < block.in_count; ++k) write(text << (k == 0 ? "" : ", "), type_of(k), block.in[k], i);
      write(text << ") is ", block.to, block.out, i);
      found_ = text.str();
      return;
    }
  }
  /// `log(-1) is nan`, or nothing.
  std::string const& found() const { return found_; }

 private:
  static bool is_finite(element e, std::byte const* values, std::ptrdiff_t i) {
    return visit_element(e, [&]<class T>(std::type_identity<T>) {
      T const value = reinterpret_cast<T const*>(values)[i];
      if constexpr (core::is_complex_number<T>) return std::isfinite(value.real()) && std::isfinite(value.imag());
      else return std::isfinite(static_cast<double>(value));
    });
  }
  static void write(std::ostream& out, element e, std::byte const* values, std::ptrdiff_t i) {
    visit_element(e, [&]<class T>(std::type_identity<T>) {
      T const value = reinterpret_cast<T const*>(values)[i];
      if constexpr (core::is_complex_number<T>) out << value;
      else out << static_cast<double>(value);
    });
  }
  std::string found_;
};

}  // namespace kroton::runtime
