// Builds the syntax tree from tokens, with Python's precedence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime/function_table.hpp>
#include <kroton/runtime/tokenizer.hpp>

#include <limits>
#include <numbers>
#include <optional>

namespace kroton::runtime::syntax {

/// Python's binary operators except **, the loosest first. Comparisons do not chain.
inline int precedence(std::string_view symbol) {
  for (std::string_view s : {"==", "!=", "<", "<=", ">", ">="})
    if (symbol == s) return 1;
  if (symbol == "|") return 2;
  if (symbol == "^") return 3;
  if (symbol == "&") return 4;
  if (symbol == "<<" || symbol == ">>") return 5;
  if (symbol == "+" || symbol == "-") return 6;
  for (std::string_view s : {"*", "/", "//", "%", "@"})
    if (symbol == s) return 7;
  return 0;
}
inline constexpr int comparison_precedence = 1;

/// Builds the tree of one formula. Throws kt::value_error.
class parser {
 public:
  explicit parser(std::string_view text) : text_(text), tokens_(tokenize(text)) {}

  tree parse() {
    if (now().kind == token::end) fail(now(), "an empty formula");
    expression(1);
    if (now().kind != token::end) unexpected();
    return std::move(tree_);
  }

 private:
  // The maximum nesting of parentheses, signs and powers; each level uses stack space.
  static constexpr int deepest = 200;
  struct level {
    parser& p;
    explicit level(parser& of) : p(of) {
      if (++p.depth_ > deepest)
        p.fail(p.now(), "nested more than " + std::to_string(deepest) + " levels deep");
    }
    ~level() { --p.depth_; }
  };

  token const& now() const { return tokens_[next_]; }
  bool at(std::string_view symbol) const {
    return now().kind == token::symbol && now().text == symbol;
  }
  bool take(std::string_view symbol) {
    if (!at(symbol)) return false;
    ++next_;
    return true;
  }
  [[noreturn]] void fail(token const& where, std::string const& message) const {
    refuse(text_, where.position, message);
  }

  [[noreturn]] void unexpected() const {
    token const& t = now();
    if (t.kind == token::end) fail(t, "unexpected end");
    if (t.kind == token::name && (t.text == "and" || t.text == "or" || t.text == "not"))
      fail(t,
           in_quotes(t.text) + " does not work on arrays; write (a > 0) & (b > 0), | for or, ~ for "
                               "not");
    if (t.kind == token::name && (t.text == "if" || t.text == "else"))
      fail(t, in_quotes(t.text) + " does not work on arrays; write where(condition, a, b)");
    if (at("=")) fail(t, "unexpected '='; equality is ==");
    fail(t, "unexpected " + in_quotes(t.text));
  }
  static bool is_keyword(std::string_view name) {
    for (std::string_view k :
         {"and", "or", "not", "if", "else", "in", "is", "lambda", "for", "None"})
      if (name == k) return true;
    return false;
  }

  int add(node n) {
    tree_.nodes.push_back(std::move(n));
    return static_cast<int>(tree_.nodes.size()) - 1;
  }
  int apply(std::string_view name, token const& where, std::initializer_list<int> arguments) {
    node n;
    n.function = find_function(name);
    n.position = where.position;
    n.first_argument = static_cast<int>(tree_.arguments.size());
    n.argument_count = static_cast<int>(arguments.size());
    tree_.arguments.insert(tree_.arguments.end(), arguments);
    return add(std::move(n));
  }
  int number(value v, token const& where) {
    node n;
    n.constant = v;
    n.position = where.position;
    return add(std::move(n));
  }

  int expression(int least) {
    int left = unary();
    for (bool compared = false;;) {
      token const& operation = now();
      int const p = operation.kind == token::symbol ? precedence(operation.text) : 0;
      if (p < least || p == 0) return left;
      if (p == comparison_precedence && compared)
        fail(operation, "comparisons do not chain; write (a < b) & (b < c)");
      compared = p == comparison_precedence;
      ++next_;
      int const right = expression(p + 1);
      left = apply(operation.text, operation, {left, right});
    }
  }
  int unary() {
    level const here(*this);
    token const& sign = now();
    if (take("-")) return apply("unary -", sign, {unary()});
    if (take("+")) return apply("unary +", sign, {unary()});
    if (take("~")) return apply("~", sign, {unary()});
    int const base = postfix();
    token const& operation = now();
    if (!take("**")) return base;
    int const exponent = unary();
    return apply("**", operation, {base, exponent});
  }
  int postfix() {
    int of = primary();
    while (at(".")) {
      ++next_;
      token const& attribute = now();
      if (attribute.kind != token::name) unexpected();
      if (attribute.text != "T") {
        bool const known = find_function(attribute.text) != nullptr;
        fail(attribute,
             "unknown attribute " + in_quotes(attribute.text) +
                 (known ? "; functions are written " + std::string(attribute.text) + "(x)"
                        : "; only .T is supported"));
      }
      ++next_;
      of = apply("transpose", attribute, {of});
    }
    return of;
  }
  int primary() {
    token const& t = now();
    if (t.kind == token::integer) return ++next_, number(t.integer_value, t);
    if (t.kind == token::floating) return ++next_, number(t.floating_value, t);
    if (t.kind == token::name && !is_keyword(t.text))
      return ++next_, at("(") ? function(t) : named(t);
    if (!take("(")) unexpected();
    if (at(")")) fail(now(), "nothing between the parentheses");
    int const inside = expression(1);
    if (at(",")) fail(now(), "unexpected ','");
    close(t);
    return inside;
  }
  void close(token const& opened) {
    if (take(")")) return;
    if (now().kind == token::end) fail(opened, "'(' is not closed");
    unexpected();
  }
  int named(token const& t) {
    if (t.text == "True" || t.text == "False") return number(t.text == "True", t);
    if (t.text == "pi") return number(std::numbers::pi, t);
    if (t.text == "inf") return number(std::numeric_limits<double>::infinity(), t);
    if (t.text == "nan") return number(std::numeric_limits<double>::quiet_NaN(), t);
    auto const found = std::find(tree_.names.begin(), tree_.names.end(), t.text);
    node n;
    n.position = t.position;
    n.variable = static_cast<int>(found - tree_.names.begin());
    if (found == tree_.names.end()) tree_.names.emplace_back(t.text);
    return add(std::move(n));
  }

  int function(token const& name) {
    table_entry const* const entry = find_function(name.text);
    if (entry == nullptr) {
      std::string_view const nearest = nearest_function(name.text);
      fail(name, "unknown function " + in_quotes(name.text) +
                     (nearest.empty() ? std::string()
                                      : "; did you mean '" + std::string(nearest) + "'?"));
    }
    token const& opened = now();
    ++next_;
    node n;
    n.function = entry;
    n.position = n.begin = name.position;
    std::vector<int> arguments;
    bool named_argument = false;
    while (!at(")")) {
      token const& first = now();
      bool const keyword = first.kind == token::name && tokens_[next_ + 1].kind == token::symbol &&
                           tokens_[next_ + 1].text == "=";
      if (keyword) {
        named_argument = true;
        next_ += 2;
        option(*entry, first, n.over);
      } else {
        if (first.kind == token::end) fail(opened, "'(' is not closed");
        if (named_argument) fail(first, "an operand after a keyword argument");
        if (arguments.empty()) n.operand_begin = first.position;
        arguments.push_back(expression(1));
        if (arguments.size() == 1)
          n.operand_end = tokens_[next_ - 1].position + tokens_[next_ - 1].text.size();
      }
      if (!at(",")) break;
      ++next_;
    }
    close(opened);
    n.end = tokens_[next_ - 1].position + 1;
    n.options = named_argument;
    check_count(*entry, name, static_cast<int>(arguments.size()));
    n.first_argument = static_cast<int>(tree_.arguments.size());
    n.argument_count = entry->arity;
    tree_.arguments.insert(tree_.arguments.end(), arguments.begin(), arguments.end());
    return add(std::move(n));
  }
  void check_count(table_entry const& entry, token const& name, int count) const {
    if (count == entry.arity) return;
    fail(name, in_quotes(name.text) + " takes " + std::to_string(entry.arity) +
                   (entry.arity == 1 ? " argument" : " arguments") + ", not " +
                   std::to_string(count) +
                   (entry.hint.empty() ? "" : "; " + std::string(entry.hint)));
  }

  // ---- keyword arguments of reductions ----------------------------------------------------------

  void option(table_entry const& entry, token const& name, axes_option& over) {
    bool const axis = name.text == "axis" && entry.options != keywords::none;
    bool const keepdims = name.text == "keepdims" && entry.options == keywords::axis_and_keepdims;
    if (axis) return axes(over);
    if (!keepdims)
      fail(name, "'" + std::string(entry.name) + "' takes no keyword " + in_quotes(name.text));
    if (now().kind != token::name || (now().text != "True" && now().text != "False"))
      fail(now(), "keepdims must be True or False");
    over.keep = now().text == "True";
    ++next_;
  }
  void axes(axes_option& over) {
    if (now().kind == token::name && now().text == "None") {
      ++next_;
      return;
    }
    over.everything = false;
    token const& opened = now();
    if (!take("(")) return over.axes.push_back(axis());
    while (!at(")")) {
      over.axes.push_back(axis());
      if (!take(",")) break;
    }
    close(opened);
  }
  int axis() {
    bool const negative = take("-");
    if (now().kind != token::integer)
      fail(now(), "an axis must be an integer; write several as axis=(0, 1)");
    std::int64_t const a = now().integer_value;
    if (a > 64) fail(now(), "axis " + std::string(now().text) + " is outside the range of any "
                                                                "rank");
    ++next_;
    return static_cast<int>(negative ? -a : a);
  }

  std::string_view text_;
  std::vector<token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
  tree tree_;
};

}  // namespace kroton::runtime::syntax
