// Reductions over whole columns, of which a program sees one block at a time: sum(x), mean(x), max(x) ...
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime.hpp>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

namespace example {

namespace kt = kroton;
using columns = std::map<std::string, kt::runtime::array>;

/// One reduction of a formula, `mean(x - 1)`, fed with block after block. Floating totals are kept in long double, which holds
/// every int64 as well. Sums and products of integers that do not fit the 64 bits of their type throw
/// std::runtime_error.
class column_total {
 public:
  column_total(std::string const& function, std::string const& operand)
      : function_(function),
        call_(function + "(" + operand + ")"),
        operand_(kt::runtime::parse(operand)),
        of_block_(kt::runtime::parse(function == "mean" ? "sum(float64(" + operand + "))" : call_)) {}

  /// Functions that can be computed from the results for blocks; for the others, what to write.
  static std::string advice(std::string_view function) {
    if (function == "softmax") return "write exp(x - logsumexp(x))";
    if (function == "log_softmax") return "write x - logsumexp(x)";
    if (function == "dot" || function == "@") return "write sum(a * b)";
    return {};
  }

  void add(columns const& block, std::size_t rows) {
    bool has_column = false;
    for (std::string const& name : of_block_.variables()) has_column = has_column || block.at(name).rank() > 0;
    // What no column is in is the same in every block.
    if (!has_column && rows_ > 0) return;
    kt::runtime::array const part = of_block_(block);
    type_ = part.element_type();
    if (is_whole()) add_integers(operand_(block));
    long double value = 0;
    kt::runtime::visit_element(type_, [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_arithmetic_v<T>) value = static_cast<long double>(*part.data<T>());  // formulas have no complex numbers
    });
    total_ = rows_ == 0 ? value : combined(total_, value);
    rows_ += has_column ? static_cast<long double>(rows) : 1;
  }

  /// The total as a number of the type that the reduction gives.
  kt::runtime::array value() const {
    kt::runtime::array result(function_ == "mean" ? kt::element::float64 : type_, {});
    long double const value = function_ == "mean" ? total_ / rows_ : total_;
    kt::runtime::visit_element(result.element_type(), [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_arithmetic_v<T>)
        *result.data<T>() = is_whole() ? checked<T>() : static_cast<T>(value);
    });
    return result;
  }

 private:
  using wide = __int128;

  bool is_whole() const {
    bool const is_integer = type_ == kt::element::int64 || type_ == kt::element::uint64;
    return is_integer && (function_ == "sum" || function_ == "prod");
  }
  // Element by element, since a block's own sum would wrap around.
  void add_integers(kt::runtime::array const& values) {
    if (rows_ == 0) whole_ = function_ == "prod";
    kt::runtime::visit_element(values.element_type(), [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_integral_v<T>)
        for (std::size_t i = 0; i < values.size(); ++i) {
          wide const x = values.data<T>()[i];
          too_large_ |= function_ == "prod" ? __builtin_mul_overflow(whole_, x, &whole_)
                                            : __builtin_add_overflow(whole_, x, &whole_);
        }
    });
  }
  template <class T>
  T checked() const {
    auto const result = static_cast<T>(whole_);
    if (too_large_ || static_cast<wide>(result) != whole_)
      throw std::runtime_error(call_ + " does not fit " + std::string(kt::core::name_of(type_)) +
                               "; write " + function_ + "(float64(...))");
    return result;
  }

  long double combined(long double a, long double b) const {
    if (function_ == "prod") return a * b;
    if (function_ == "any") return a + b > 0;
    if (function_ == "all") return a * b;
    if (function_ == "sum" || function_ == "mean") return a + b;
    if (std::isnan(a) || std::isnan(b)) return a + b;
    if (function_ == "min") return std::min(a, b);
    if (function_ == "max") return std::max(a, b);
    // logsumexp
    long double const large = std::max(a, b), small = std::min(a, b);
    return std::isinf(large) ? large : large + std::log1p(std::exp(small - large));
  }

  std::string function_, call_;
  kt::runtime::formula operand_, of_block_;
  kt::element type_ = kt::element::float64;
  long double total_ = 0, rows_ = 0;
  wide whole_ = 0;  // the total of integers
  bool too_large_ = false;
};

}  // namespace example
