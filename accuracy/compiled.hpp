// Problems as Kroton compiles them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "expression.hpp"

#include <memory>
#include <string>

namespace accuracy {

/// As written: every operation by itself. Ieee: with the rules of kt::mode::ieee. Optimized: with
/// all rules, which is the default mode.
enum class way { written, ieee, optimized };
inline constexpr way ways[] = {way::written, way::ieee, way::optimized};

/// Throws std::runtime_error for a name that is none of a rule, pass or book.
void require_rules(std::vector<std::string> const& names);

class compiled {
 public:
  /// Compiles a problem, or its derivative with respect to the first variable by kt::grad. Rules
  /// named in `excluded` are left out; passes named in `included` take part, too.
  compiled(problem const& p, way how, bool gradient, std::vector<std::string> const& excluded,
           std::vector<std::string> const& included);
  compiled(compiled&&) noexcept;
  ~compiled();

  /// The results at points; one column of coordinates for each variable.
  std::vector<double> operator()(std::vector<std::vector<double>> const& columns) const;

  /// What is computed, as a formula on one line.
  std::string text() const;
  /// The rules that were applied, each once.
  std::vector<std::string> rules() const;

 private:
  struct contents;
  std::unique_ptr<contents> contents_;
};

}  // namespace accuracy
