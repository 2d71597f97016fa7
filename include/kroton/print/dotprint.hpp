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

/// Writes the nodes and edges of a graph. The names of its nodes begin with a prefix of its own.
class dot_printer {
 public:
  dot_printer(graph const& g, std::ostream& out, std::string prefix = "")
      : g_(g), out_(out), prefix_(std::move(prefix)) {}

  void print() {
    list<bool> const live = g_.live();
    for (int id = 0; id < g_.size(); ++id)
      if (live[id]) print_node(id);
    for (int k = 0; k < g_.results().size(); ++k)
      print_target("o", k, "output " + std::to_string(k + 1), g_.results()[k]);
    for (int k = 0; k < g_.updates().size(); ++k)
      print_target("u", k, "new " + node_text(g_, g_.parameters()[g_.updates()[k].parameter]),
                   g_.updates()[k].value);
  }

 private:
  std::string name(int id) const { return prefix_ + "n" + std::to_string(id); }
  void print_node(int id) {
    bool const leaf = g_.is_literal(id) || g_.is<op::input>(id);
    out_ << "  " << name(id) << " [label=\"" << node_text(g_, id)
         << (leaf ? "" : "\\n" + type_text(g_.type(id)))
         << "\", shape=" << (leaf ? "box" : "ellipse") << ", fillcolor=" << dot_colour(g_, id)
         << "];\n";
    int position = 0;
    for (int i : g_.inputs(id)) {
      out_ << "  " << name(i) << " -> " << name(id);
      if (g_[id].input_count > 1) out_ << " [label=" << position << ", fontsize=8]";
      ++position;
      out_ << ";\n";
    }
    if (g_.is<op::scan>(id)) print_body(id);
  }
  // A loop's step as a cluster: edges lead from the operands to its parameters, and from its
  // results to the loop.
  void print_body(int id) {
    graph const& body = g_.body(g_.attribute(id, 0));
    ops::scan_layout const at = ops::layout_of(g_, id);
    std::string const inside = name(id) + "_";
    out_ << "  subgraph cluster_" << name(id) << " {\n  label=\"step of " << op_text(g_, id)
         << "\"; fontsize=10; style=dashed;\n";
    dot_printer(body, out_, inside).print();
    out_ << "  }\n";
    for (int p = 0; p < body.parameters().size(); ++p)
      out_ << "  " << name(g_.input_of(id, ops::operand_of_input(at, p).operand)) << " -> "
           << inside << "n" << body.parameters()[p] << " [style=dashed];\n";
    for (int k = 0; k < body.results().size(); ++k)
      out_ << "  " << inside << "o" << k + 1 << " -> " << name(id) << " [style=dashed];\n";
  }
  void print_target(char const* kind, int k, std::string const& label, int id) {
    std::string const target = prefix_ + kind + std::to_string(k + 1);
    out_ << "  " << target << " [label=\"" << label << "\", shape=box, fillcolor=plum];\n  "
         << name(id) << " -> " << target << ";\n";
  }

  graph const& g_;
  std::ostream& out_;
  std::string prefix_;
};

inline void print_dot(graph const& g, std::ostream& out) {
  out << "digraph kroton {\n  rankdir=TB;\n  node [style=filled, fontname=\"sans-serif\", "
         "fontsize=10];\n";
  dot_printer(g, out).print();
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
