// A node of a graph as text: its op, attributes, type, name or value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/core/walk.hpp>
#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/assertion.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/loop/op.hpp>
#include <kroton/ops/printing.hpp>
#include <kroton/ops/shapes/allocation.hpp>
#include <kroton/ops/sparse/sparsity.hpp>
#include <kroton/print/scan.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace kroton::printing {

// Cold: compiled for size, since printing is not time-critical.

/// `dmatrix`, `lvector`, `bool vector`, `row` ...: Theano's name of a type, if it has one.
[[gnu::cold]] inline std::string type_text(tensor_type const& t) {
  return message({letter_of(t.element), shape_name(t)});
}

/// The shortest digits that convert back to the same number.
[[gnu::cold]] inline std::string number_text(double value) {
  char digits[32];
  for (int precision = 1; precision <= 17; ++precision) {
    std::snprintf(digits, sizeof(digits), "%.*g", precision, value);
    if (std::strtod(digits, nullptr) == value) break;  // std::stod rejects subnormal numbers
  }
  return digits;
}
[[gnu::cold]] inline std::string literal_text(graph const& g, int id) {
  if (g.type(id).element == element::boolean) return g.literal_bits(id) != 0 ? "true" : "false";
  if (!is_continuous(g.type(id).element)) return std::to_string(g.literal_bits(id));
  return number_text(g.literal_value(id));
}

/// `constant{1,0,0,1}`: the numbers of a constant, or the first of them.
[[gnu::cold]] inline std::string constant_text(graph const& g, int id) {
  constexpr int shown = 8;
  element const e = g.type(id).element;
  auto const attributes = g.attributes(id);
  if (is_complex(e)) return "constant{...}";
  std::string text = "constant{";
  for (int i = 1; i < attributes.count && i <= shown; ++i) {
    std::int64_t const word = attributes[i];
    double const value = literal_value(literal_of_stored(word, e), e);
    text += (i == 1 ? "" : ",") + (is_continuous(e) ? number_text(value) : std::to_string(word));
  }
  return text + (attributes.count - 1 > shown ? ",...}" : "}");
}

/// `sum{0}`, `dimshuffle{1,x,0}`, `cast{float64}`: an op with its attributes.
[[gnu::cold]] inline std::string op_text(graph const& g, int id) {
  std::string text(g[id].op->name);
  auto const attributes = g.attributes(id);
  auto join = [&](auto const& item) {
    text += '{';
    for (int i = 0; i < attributes.count; ++i) text += (i == 0 ? "" : ",") + item(attributes[i]);
    text += '}';
  };
  if (g.is<op::constant>(id)) return constant_text(g, id);
  if (g.is<op::item>(id)) return text + "{" + std::to_string(attributes[0]) + "}";
  if (g.is<op::print>(id) || g.is<op::assertion>(id))
    return text + "{" +
           ops::text_of_assertion([&](int i) { return attributes[i]; }, attributes.count) + "}";
  if (g.is<op::cast>(id)) return text + "{" + std::string(name_of(g.type(id).element)) + "}";
  if (g[id].op->reduction) {
    int const rank = g.type(g.input_of(id, 0)).rank;
    std::string axes;
    for (int d = 0; d < rank; ++d)
      if ((attributes[0] >> d & 1) != 0) axes += (axes.empty() ? "" : ",") + std::to_string(d);
    return text + "{" + axes + (attributes[1] != 0 ? ",keepdims}" : "}");
  }
  if (g.is<op::scan>(id)) return scan_text(g, id);
  if (g[id].op->has_body) {
    text += "{body " + std::to_string(body_number(g, id));
    for (int i = 1; i < attributes.count; ++i) text += ',' + std::to_string(attributes[i]);
    return text + '}';
  }
  if (g.is<op::dimshuffle>(id))
    join([](long long a) { return a < 0 ? std::string("x") : std::to_string(a); });
  else if (g.is<op::subtensor>(id) || g.is<op::inc_subtensor>(id) || g.is<op::set_subtensor>(id)) {
    text += '{';
    for (int i = 0; i + 1 < attributes.count; i += 2) {
      std::string const step =
          attributes[i + 1] == 1 ? "" : ":" + std::to_string(attributes[i + 1]);
      text += (i == 0 ? "" : ",") + (attributes[i] == 0   ? ":"
                                     : attributes[i] == 1 ? "i"
                                                          : "b:e" + step);
    }
    text += '}';
  } else if (g.is<op::sparsity>(id) || g.is<op::sparsity_places>(id)) {
    text += "{" + std::to_string(attributes[1]) + " steps}";
  } else if (attributes.count > 0) {
    join([](long long a) { return std::to_string(a); });
  }
  return text;
}

/// A node in one phrase: `x (dmatrix)`, `2`, `exp`.
[[gnu::cold]] inline std::string node_text(graph const& g, int id) {
  if (g.is_literal(id)) return literal_text(g, id);
  if (!g.is<op::input>(id)) {
    std::string const name(g.name(id));
    return op_text(g, id) + (name.empty() ? "" : " '" + name + "'");
  }
  std::string const name(g.name(id));
  std::string const type = type_text(g.type(id));
  return name.empty() ? "parameter " + std::to_string(g.attribute(id, 0) + 1) + " (" + type + ")"
                      : name + " (" + type + ")";
}

}  // namespace kroton::printing
