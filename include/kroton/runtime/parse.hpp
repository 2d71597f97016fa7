// Formulas as text, in the language of Python and NumPy: parsed once, recorded in any graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime/parser.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kroton::runtime {

/// A call in a formula that reads whole arrays, as `mean(x - 1)` does: its function, where the call stands in the text, and
/// where its (first) operand does.
struct reduction_site {
  std::string_view function;
  std::size_t begin, end, operand_begin, operand_end;
  bool has_options;  // axis or keepdims
};

/// A parsed formula. It has no element types yet: these come from the terms that it is recorded with.
class formula {
 public:
  /// Throws kt::value_error, whose text shows the place, when the text is no formula.
  explicit formula(std::string_view text) : text_(text), tree_(syntax::parser(text_).parse()) {}

  std::string const& text() const { return text_; }
  /// The names of the variables in the order of their first appearance.
  std::vector<std::string> const& variables() const { return tree_.names; }

  /// The reductions in the formula, inner ones before those around them: what a program needs that reads its data block by
  /// block.
  std::vector<reduction_site> reductions() const;

  /// Records the formula in g, with `values` for the variables in the order of `variables()`: the nodes that the same operators
  /// and functions record in C++, where integers in the text are std::int64_t, other numbers double. A formula of numbers alone
  /// gives a literal (bool, int64 or float64). Throws kt::value_error for operands that a function does not take.
  term record(kroton::graph& g, kroton::core::items<term> values) const;
  /// The same with the variables by name; names that the formula does not use are left alone.
  term record(kroton::graph& g, std::map<std::string, term> const& values) const;

 private:
  std::string text_;
  syntax::tree tree_;
};

/// The names of the functions that formulas know, operators left out.
inline std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names;
  for (syntax::table_entry const& e : syntax::function_table)
    if (syntax::is_name(e.name)) names.push_back(e.name);
  return names;
}

/// Parses a formula: Python's operators and precedence, NumPy's functions. Throws kt::value_error. (numexpr)
inline formula parse(std::string_view text) { return formula(text); }

inline std::vector<reduction_site> formula::reductions() const {
  std::vector<reduction_site> sites;
  for (syntax::node const& n : tree_.nodes)
    if (n.function != nullptr && syntax::reads_whole_arrays(*n.function))
      sites.push_back({n.function->name, n.begin, n.end, n.operand_begin, n.operand_end, n.options});
  return sites;
}

inline term formula::record(kroton::graph& g, kroton::core::items<term> values) const {
  if (values.size() != static_cast<int>(variables().size()))
    throw value_error("parse: the formula has " + std::to_string(variables().size()) + " variables, not " +
                      std::to_string(values.size()) + ": " + text_);
  for (int i = 0; i < values.size(); ++i)
    if (values[i].of != &g)
      throw value_error("parse: the value of '" + variables()[static_cast<std::size_t>(i)] + "' belongs to another graph");
  std::vector<syntax::value> made;
  made.reserve(tree_.nodes.size());
  bool const failed = !g.error().empty();
  for (syntax::node const& n : tree_.nodes) {
    if (n.function == nullptr) {
      made.push_back(n.variable < 0 ? n.constant : syntax::value(values[n.variable]));
      continue;
    }
    std::string_view const name = n.function->name;
    syntax::call c{g, text_, n, name.substr(name.starts_with("unary ") ? 6 : 0)};
    for (; c.count < n.argument_count; ++c.count)
      c.arguments[static_cast<std::size_t>(c.count)] =
          made[static_cast<std::size_t>(tree_.arguments[static_cast<std::size_t>(n.first_argument + c.count)])];
    made.push_back(n.function->record(c));
    if (!failed && !g.error().empty()) c.refuse(std::string(g.error()));
  }
  return std::visit(
      [&]<class V>(V const& x) {
        if constexpr (symbolic<V>)
          return x;
        else
          return term{&g, g.literal(x, kroton::core::element_of<V>())};
      },
      made.back());
}

inline term formula::record(kroton::graph& g, std::map<std::string, term> const& values) const {
  std::vector<term> ordered;
  for (std::string const& name : variables()) {
    auto const found = values.find(name);
    if (found == values.end()) throw value_error("parse: no value for the variable '" + name + "' of " + text_);
    ordered.push_back(found->second);
  }
  return record(g, kroton::core::items<term>(ordered));
}

}  // namespace kroton::runtime
