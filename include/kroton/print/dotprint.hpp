// dotprint: a graph as a Graphviz picture, coloured by kind of node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/file.hpp>
#include <kroton/print/debugprint.hpp>

#include <sstream>

namespace kroton {
namespace printing {

/// Colours by kind: inputs green, constants grey, views white, reductions orange, products blue,
/// the rest yellow.
inline char const* dot_colour(graph const& g, int id) {
  if (g.is<op::input>(id)) return "palegreen";
  if (g.is_literal(id)) return "gray90";
  if (g[id].op->reduction) return "orange";
  if (g.is<op::dot>(id) || g.is<op::gemm>(id)) return "lightblue";
  if (g.is<op::dimshuffle>(id) || g.is<op::reshape>(id) || g.is<op::subtensor>(id)) return "white";
  return "lightyellow";
}

inline void print_dot(graph const& g, std::ostream& out) {
  out << "digraph kroton {\n  rankdir=TB;\n  node [style=filled, fontname=\"sans-serif\", "
         "fontsize=10];\n";
  list<bool> const live = g.live();
  for (int id = 0; id < g.size(); ++id) {
    if (!live[id]) continue;
    bool const leaf = g.is_literal(id) || g.is<op::input>(id);
    out << "  n" << id << " [label=\"" << node_text(g, id)
        << (leaf ? "" : "\\n" + type_text(g.type(id))) << "\", shape=" << (leaf ? "box" : "ellipse")
        << ", fillcolor=" << dot_colour(g, id) << "];\n";
    int position = 0;
    for (int i : g.inputs(id)) {
      out << "  n" << i << " -> n" << id;
      if (g[id].input_count > 1) out << " [label=" << position << ", fontsize=8]";
      ++position;
      out << ";\n";
    }
  }
  int k = 0;
  for (int id : g.results()) {
    ++k;
    out << "  o" << k << " [label=\"output " << k << "\", shape=box, fillcolor=plum];\n  n" << id
        << " -> o" << k << ";\n";
  }
  k = 0;
  for (auto const& u : g.updates()) {
    ++k;
    out << "  u" << k << " [label=\"new " << node_text(g, g.parameters()[u.parameter])
        << "\", shape=box, fillcolor=plum];\n  n" << u.value << " -> u" << k << ";\n";
  }
  out << "}\n";
}

}  // namespace printing

/// Writes a graph, or a function after optimization, as a Graphviz file: `dot -Tsvg file.dot`.
/// Throws kt::file_error if the file cannot be written; an existing file is then unchanged.
/// (theano.printing.pydotprint)
template <class F>
void dotprint(F const& f, std::string const& file) {
  std::ostringstream out;
  if constexpr (std::is_same_v<F, graph>) printing::print_dot(f, out);
  else if constexpr (std::is_same_v<F, graph_view>) printing::print_dot(f.get(), out);
  else if constexpr (functions::is_compiled<F>)
    printing::print_dot(printing::printing_of<F>::get().optimized, out);
  else printing::print_dot(graph_of(f).get(), out);
  core::write_file(file, out.str());
}

}  // namespace kroton
