// SPDX-License-Identifier: BSD-3-Clause
#include "formula.hpp"

#include <kroton/kroton.hpp>

namespace accuracy {

namespace kt = kroton;

namespace {

struct infix {
  std::string_view op, sign;
  int rank;  // of precedence
};
constexpr infix operators[] = {{"add", " + ", 1}, {"sub", " - ", 1}, {"mul", " * ", 2},
                               {"div", " / ", 2}, {"lt", " < ", 0},  {"le", " <= ", 0},
                               {"gt", " > ", 0},  {"ge", " >= ", 0}};

/// The formula, in parentheses where its operator binds less than `least`.
std::string formula(kt::graph const& g, int id, int least) {
  std::string const own = kt::printing::node_text(g, id);
  if (g.is_literal(id)) return own;
  if (g.is<kt::op::input>(id)) return own.substr(0, own.find(' '));
  auto const inputs = g.inputs(id);
  std::string_view const name = g[id].op->name;
  for (infix const& o : operators)
    if (o.op == name) {
      std::string const text =
          formula(g, inputs[0], o.rank) + std::string(o.sign) + formula(g, inputs[1], o.rank + 1);
      return o.rank < least ? '(' + text + ')' : text;
    }
  if (name == "neg") return '-' + formula(g, inputs[0], 3);
  std::string text = kt::printing::op_text(g, id) + '(';
  for (int i : inputs) text += (text.back() == '(' ? "" : ", ") + formula(g, i, 0);
  return text + ')';
}

}  // namespace

std::string formula_of(kt::graph const& g, int id) { return formula(g, id, 0); }

}  // namespace accuracy
