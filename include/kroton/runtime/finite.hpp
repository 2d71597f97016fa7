// Finds the source of a NaN or an infinity: the first op that produces one from finite operands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/selection.hpp>
#include <kroton/runtime/observer.hpp>
#include <kroton/runtime/visit.hpp>

#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace kroton::runtime {

/// Records the first value that is not finite although all its operands are, for elementwise ops,
/// reductions and products.
class finite_check final : public observer {
 public:
  void see(computed_block const& block) override {
    if (!found_.empty() || !core::is_continuous(block.to)) return;
    if (block.in_count == 0) {
      for (std::ptrdiff_t i = 0; i < block.n && !has_read(block.result); ++i)
        if (!is_finite(block.to, block.out, i)) note(block.result, true);
      return;
    }
    for (std::ptrdiff_t i = 0; i < block.n; ++i) {
      if (is_finite(block.to, block.out, i)) continue;
      auto type_of = [&](int k) {
        return k == 0 && core::is_op<op::where>(block.op) ? element::boolean : block.from;
      };
      bool all_finite = true;
      for (int k = 0; k < block.in_count; ++k)
        all_finite = all_finite && is_finite(type_of(k), block.in[k], i);
      if (!all_finite) continue;
      std::ostringstream text;
      text.precision(17);
      text << block.op->name << '(';
      for (int k = 0; k < block.in_count; ++k)
        write(text << (k == 0 ? "" : ", "), type_of(k), block.in[k], i);
      write(text << ") is ", block.to, block.out, i);
      found_ = text.str();
      return;
    }
  }
  /// A reduction is checked only if everything that it has read is finite, whichever element of its
  /// result it was read for.
  void see_whole(whole_result const& result) override {
    bool finite = !has_read(result.result);
    if (result.in_count == 0) note(result.result, false);
    if (!found_.empty() || !core::is_continuous(result.type)) return;
    for (int k = 0; k < result.in_count; ++k)
      finite = finite && all_finite(result.type, result.in[k]);
    if (finite && !all_finite(result.type, result.to))
      found_ = std::string(result.op->name) + " of finite elements is not finite";
  }
  /// `log(-1) is nan`, or an empty string.
  std::string const& found() const { return found_; }

 private:
  static bool is_finite(element e, std::byte const* values, std::ptrdiff_t i) {
    return visit_element(e, [&]<class T>(std::type_identity<T>) {
      T const value = reinterpret_cast<T const*>(values)[i];
      if constexpr (core::is_complex_number<T>)
        return std::isfinite(value.real()) && std::isfinite(value.imag());
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
  bool has_read(int result) const {
    auto const at = static_cast<std::size_t>(result);
    return at < read_.size() && read_[at];
  }
  void note(int result, bool has_read) {
    auto const at = static_cast<std::size_t>(result);
    if (at >= read_.size()) read_.resize(at + 1);
    read_[at] = has_read;
  }
  static bool all_finite(element e, core::array_ref const& a) {
    return visit_element(e, [&]<class T>(std::type_identity<T>) {
      std::ptrdiff_t index[core::max_rank]{};
      for (std::ptrdiff_t left = a.size(), at = 0; left > 0; --left) {
        if (!is_finite(e, a.data, at)) return false;
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

  std::vector<bool> read_;  // the results of the loop whose reduction has read what is not finite
  std::string found_;
};

}  // namespace kroton::runtime
