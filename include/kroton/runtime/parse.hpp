// Formulas as text, with the syntax of Python and NumPy: parsed once, recorded in any graph.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime/graph.hpp>
#include <kroton/runtime/parser.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kroton::runtime {

/// A call in a formula that reads whole arrays, such as `mean(x - 1)`: its function, and the
/// positions of the call and of its (first) operand in the text.
struct reduction_site {
  std::string_view function;
  std::size_t begin, end, operand_begin, operand_end;
  bool has_options;  // axis or keepdims
};

/// A parsed formula. It has no element types yet: these come from the values that it is called or
/// recorded with. Copies have separate workspaces: one copy per thread is safe.
class formula {
 public:
  /// Throws kt::value_error, whose text shows the position, if the text is not a formula.
  explicit formula(std::string_view text) : text_(text), tree_(syntax::parser(text_).parse()) {}

  std::string const& text() const& { return text_; }
  std::string text() && { return std::move(text_); }
  /// The names of the variables in the order of their first appearance.
  std::vector<std::string> const& variables() const& { return tree_.names; }
  std::vector<std::string> variables() && { return std::move(tree_.names); }

  /// The reductions in the formula, inner ones before outer ones, for programs that read their data
  /// block by block.
  std::vector<reduction_site> reductions() const;

  /// The value of the formula, for values of the variables in the order of `variables()` (numbers,
  /// xtensor expressions, ranges of numbers, kt::runtime::array), or for one std::map<std::string,
  /// kt::runtime::array>. The first call with given element types and ranks compiles the formula
  /// for them; later calls reuse the result. Throws kt::value_error and kt::shape_error.
  template <class... A>
  array operator()(A const&... values) const;

  /// Records the formula in g, with `values` for the variables in the order of `variables()`. The
  /// nodes are those that the same operators and functions record in C++, where integers in the
  /// text are std::int64_t, other numbers double. A formula of numbers alone gives a literal (bool,
  /// int64 or float64). Throws kt::value_error for operands that a function does not accept.
  term record(kroton::graph& g, kroton::core::items<term> values) const;
  /// The same with the variables by name; names that the formula does not use are ignored.
  term record(kroton::graph& g, std::map<std::string, term> const& values) const;

 private:
  using compiled = function<std::vector<array>>;

  /// The function for values of given types, made at the first call for them.
  template <class Types>
  compiled const& made_for(Types const& types) const;

  std::string text_;
  syntax::tree tree_;
  mutable std::vector<std::pair<std::vector<tensor_type>, compiled>> made_;
};

/// The names of the functions in formulas, without operators.
inline std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names;
  for (syntax::table_entry const& e : syntax::function_table)
    if (syntax::is_name(e.name)) names.push_back(e.name);
  return names;
}

/// Parses a formula: Python's operators and precedence, NumPy's functions. Throws kt::value_error.
/// (numexpr)
inline formula parse(std::string_view text) { return formula(text); }

namespace detail {

inline void check_value_count(std::size_t given, std::vector<std::string> const& names,
                              std::string const& text) {
  if (given == names.size()) return;
  std::string list;
  for (std::string const& name : names) list += (list.empty() ? " (" : ", ") + name;
  throw value_error("the formula " + syntax::in_quotes(text) + " has " +
                    std::to_string(names.size()) + " variables" + list + (list.empty() ? "" : ")") +
                    ", " + std::to_string(given) + " values are given");
}

template <class Value>
Value const& value_of_variable(std::map<std::string, Value> const& values, std::string const& name,
                               std::string const& text) {
  auto const found = values.find(name);
  if (found == values.end())
    throw value_error("no value was passed for the variable " + syntax::in_quotes(name) +
                      " of the formula " + syntax::in_quotes(text));
  return found->second;
}

}  // namespace detail

inline std::vector<reduction_site> formula::reductions() const {
  std::vector<reduction_site> sites;
  for (syntax::node const& n : tree_.nodes)
    if (n.function != nullptr && syntax::reads_whole_arrays(*n.function))
      sites.push_back(
          {n.function->name, n.begin, n.end, n.operand_begin, n.operand_end, n.options});
  return sites;
}

inline term formula::record(kroton::graph& g, kroton::core::items<term> values) const {
  detail::check_value_count(static_cast<std::size_t>(values.size()), variables(), text_);
  for (int i = 0; i < values.size(); ++i)
    if (values[i].of != &g)
      throw value_error("the value of the variable " +
                        syntax::in_quotes(variables()[static_cast<std::size_t>(i)]) +
                        " belongs to another graph");
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
      c.arguments[static_cast<std::size_t>(c.count)] = made[static_cast<std::size_t>(
          tree_.arguments[static_cast<std::size_t>(n.first_argument + c.count)])];
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
  for (std::string const& name : variables())
    ordered.push_back(detail::value_of_variable(values, name, text_));
  return record(g, kroton::core::items<term>(ordered));
}

namespace detail {

template <class A>
tensor_type type_of_value(A const& value) {
  if constexpr (std::same_as<A, array>)
    return {value.element_type(), static_cast<std::uint8_t>(value.rank()), 0};
  else if constexpr (cpu::static_rank_of<A> >= 0)
    return {core::element_of<cpu::element_t<A>>(),
            static_cast<std::uint8_t>(cpu::static_rank_of<A>), 0};
  else
    return {core::element_of<cpu::element_t<A>>(), static_cast<std::uint8_t>(value.dimension()), 0};
}

}  // namespace detail

// A template, so that the interpreter is compiled only where a formula is called.
template <class Types>
formula::compiled const& formula::made_for(Types const& types) const {
  for (auto const& [known, made] : made_)
    if (known == types) return made;
  runtime::graph g;
  std::vector<term> inputs;
  for (std::size_t i = 0; i < types.size(); ++i)
    inputs.push_back(g.input(types[i], variables()[i]));
  std::vector<term> const outputs{record(g.recording(), kroton::core::items<term>(inputs))};
  made_.emplace_back(types, g.function(inputs, outputs));
  return made_.back().second;
}

template <class... A>
array formula::operator()(A const&... values) const {
  std::vector<array> result;
  if constexpr ((std::same_as<A, std::map<std::string, array>> || ...)) {
    static_assert(sizeof...(A) == 1,
                  "kt::runtime::formula: a map must hold the values of all variables");
    std::vector<array const*> ordered;
    std::vector<tensor_type> types;
    auto add = [&](std::map<std::string, array> const& named) {
      for (std::string const& name : variables()) {
        ordered.push_back(&detail::value_of_variable(named, name, text_));
        types.push_back(detail::type_of_value(*ordered.back()));
      }
    };
    (add(values), ...);
    made_for(types).into(result, kroton::core::items<array const*>(ordered));
  } else {
    detail::check_value_count(sizeof...(A), variables(), text_);
    made_for(std::vector<tensor_type>{detail::type_of_value(values)...}).into(result, values...);
  }
  return std::move(result.front());
}

}  // namespace kroton::runtime
