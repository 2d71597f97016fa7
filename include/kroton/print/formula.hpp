// Nodes of a graph as formulas on one line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/print/describe.hpp>

#include <string>
#include <string_view>

namespace kroton::printing {

/// Writes nodes as formulas: operators, and calls of other ops by their names. What is used twice
/// is written twice, so that there is a limit to the length, and one to the depth.
class formula_writer {
 public:
  /// `named` has the names of the parameters, by position. `by_names`: where the user has named a
  /// value, its name stands for it.
  formula_writer(graph const& g, graph const& named, std::size_t longest, bool by_names = false)
      : g_(g), named_(named), longest_(longest), by_names_(by_names) {}

  /// In parentheses where the operator binds less than `least`.
  [[gnu::cold]] void write(int id, int least = 0) {
    if (text_.size() > longest_) return;
    if (depth_ == deepest) {
      text_ += "...";
      return;
    }
    ++depth_;
    write_node(id, least);
    --depth_;
  }
  /// The text, cut where it has become too long.
  std::string text() const {
    return text_.size() <= longest_ ? text_ : text_.substr(0, longest_) + "...";
  }

 private:
  static constexpr int deepest = 1000;  // calls in each other

  [[gnu::cold]] void write_node(int id, int least) {
    std::string_view const name = g_[id].op->name;
    if (by_names_ && depth_ > 1 && !g_.is<op::input>(id) && !g_.name(id).empty()) {
      text_ += g_.name(id);
    } else if (g_.is_literal(id)) {
      text_ += node_text(g_, id);
    } else if (g_.is<op::input>(id)) {
      text_ += parameter(id);
    } else if (infix const* const o = infix_of(name)) {
      binary(*o, g_.inputs(id), least);
    } else if (name == "neg") {
      text_ += '-';
      write(g_.input_of(id, 0), 3);
    } else {
      call(id);
    }
  }
  struct infix {
    std::string_view op, sign;
    int rank;  // of precedence
  };
  static infix const* infix_of(std::string_view name) {
    static constexpr infix all[] = {{"add", " + ", 1}, {"sub", " - ", 1}, {"mul", " * ", 2},
                                    {"div", " / ", 2}, {"lt", " < ", 0},  {"le", " <= ", 0},
                                    {"gt", " > ", 0},  {"ge", " >= ", 0}};
    for (infix const& o : all)
      if (o.op == name) return &o;
    return nullptr;
  }
  /// A parameter without a name is x1, x2 and so on.
  std::string parameter(int id) const {
    long long const position = g_.attribute(id, 0);
    std::string_view name;
    for (int other : named_.parameters())
      if (name.empty() && named_.attribute(other, 0) == position) name = named_.name(other);
    if (name.empty()) return "x" + std::to_string(position + 1);
    bool const is_number = name.starts_with(core::numbered_parameter);
    return is_number ? "x" + std::string(name.substr(core::numbered_parameter.size()))
                     : std::string(name);
  }
  template <class Inputs>
  void binary(infix const& o, Inputs const& inputs, int least) {
    if (o.rank < least) text_ += '(';
    int done = 0;
    for (int i : inputs) {
      if (done > 0) text_ += o.sign;
      write(i, done > 0 ? o.rank + 1 : o.rank);
      ++done;
    }
    if (o.rank < least) text_ += ')';
  }
  void call(int id) {
    text_ += op_text(g_, id) + '(';
    bool first = true;
    for (int i : g_.inputs(id)) {
      if (!first) text_ += ", ";
      first = false;
      write(i);
    }
    text_ += ')';
  }

  graph const &g_, &named_;
  std::size_t longest_;
  bool by_names_;
  int depth_ = 0;
  std::string text_;
};

/// A node of a graph as a formula of at most so many characters.
[[gnu::cold]] inline std::string formula_of(graph const& g, int id, graph const& named,
                                            std::size_t longest, bool by_names = false) {
  formula_writer writer(g, named, longest, by_names);
  writer.write(id);
  return writer.text();
}
/// A node of a graph as a formula, however long.
[[gnu::cold]] inline std::string formula_of(graph const& g, int id) {
  return formula_of(g, id, g, std::string::npos - 3);
}

}  // namespace kroton::printing
