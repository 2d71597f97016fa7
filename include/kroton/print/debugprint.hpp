// debugprint: a graph as an indented tree, with shared nodes marked, and the steps of a function.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/function.hpp>
#include <kroton/function/types.hpp>
#include <kroton/print/describe.hpp>
#include <kroton/print/printed.hpp>
#include <kroton/print/shape_plan.hpp>

#include <iostream>
#include <sstream>

namespace kroton {
namespace printing {

/// Prints graphs as trees. A node that is read more than once gets a number where it is printed in
/// full, and is referred to by that number elsewhere.
class tree_printer {
 public:
  [[gnu::cold]] tree_printer(graph const& g, std::ostream& out, int depth = 0)
      : g_(g), out_(out), depth_(depth), readers_(g.size(), 0), number_(g.size(), 0) {
    list<bool> const live = g.live();
    for (int id = 0; id < g.size(); ++id)
      if (live[id])
        for (int i : g.inputs(id)) ++readers_[i];
    for (int id : g.results()) ++readers_[id];
    for (auto const& u : g.updates()) ++readers_[u.value];
  }
  [[gnu::cold]] void print() {
    for (int k = 0; k < g_.results().size(); ++k) {
      line(depth_) << "output " << k + 1 << '\n';
      tree(g_.results()[k], depth_ + 1);
    }
    for (auto const& u : g_.updates()) {
      line(depth_) << "new value of " << node_text(g_, g_.parameters()[u.parameter]) << '\n';
      tree(u.value, depth_ + 1);
    }
    for (int k = 0; k < g_.bodies().size(); ++k) {
      line(depth_) << "body " << k + 1 << '\n';
      tree_printer(*g_.bodies()[k], out_, depth_ + 1).print();
    }
  }

 private:
  [[gnu::cold]] std::ostream& line(int depth) {
    for (int i = 0; i < depth; ++i) out_ << "  ";
    return out_;
  }
  [[gnu::cold]] void tree(int id, int depth) {
    bool const leaf = g_.is_literal(id) || g_.is<op::input>(id);
    line(depth) << node_text(g_, id);
    if (leaf) {
      out_ << '\n';
      return;
    }
    if (number_[id] > 0) {
      out_ << " [" << number_[id] << ", above]\n";
      return;
    }
    out_ << " : " << type_text(g_.type(id));
    if (readers_[id] > 1) {
      number_[id] = ++shared_;
      out_ << " [" << number_[id] << ']';
    }
    out_ << '\n';
    for (int i : g_.inputs(id)) tree(i, depth + 1);
  }

  graph const& g_;
  std::ostream& out_;
  int depth_;
  list<int> readers_, number_;
  int shared_ = 0;
};

/// Prints one line for each step of the plan.
[[gnu::cold]] inline void print_steps(graph const& g, std::vector<printed_step> const& steps,
                                      std::ostream& out) {
  int loops = 0, products = 0, line = 0;
  for (printed_step const& step : steps) {
    out << "  " << ++line << ". ";
    if (step.kind == step_kind::loop) {
      if (step.has_space) ++loops;
      out << (step.has_space ? "loop:" : "scalars:");
      for (int id : step.nodes) out << ' ' << op_text(g, id);
      if (!step.again.empty()) out << "; again";
      for (int id : step.again) out << ' ' << op_text(g, id);
      out << step.where << '\n';
      continue;
    }
    if (int const factors = factors_of(step.kind, step.operands); factors > 0)
      products += factors - 1;
    out << (core::places_part(step.kind) ? "part of " : "") << op_text(g, step.node) << step.where
        << '\n';
  }
  out << "  " << products << (products == 1 ? " product, " : " products, ") << loops
      << (loops == 1 ? " fused loop" : " fused loops") << '\n';
}

}  // namespace printing

/// Prints a graph as an indented tree: each node with its type, shared nodes numbered.
/// (theano.printing.debugprint)
inline void debugprint(graph const& g, std::ostream& out = std::cout) {
  printing::tree_printer(g, out).print();
}
inline void debugprint(graph_view const& g, std::ostream& out = std::cout) {
  debugprint(g.get(), out);
}

/// Prints a lambda as written.
template <class F>
  requires core::has_signature<F> && (!functions::is_compiled<F>)
void debugprint(F const& f, std::ostream& out = std::cout) {
  debugprint(graph_of(f), out);
}

/// Prints a compiled function: as written, as optimized, and its steps.
template <class F>
  requires functions::is_compiled<F>
void debugprint(F const&, std::ostream& out = std::cout) {
  printing::printed_function const& printed = printing::printing_of<F>::get();
  out << "as written\n";
  debugprint(printed.written, out);
  out << "optimized\n";
  debugprint(printed.optimized, out);
  out << "steps\n";
  printing::print_steps(printed.optimized, printed.steps, out);
  if (!printed.note.empty()) out << "  " << printed.note << '\n';
}

/// Prints a compiled function and its plan for given extents: each step with its extents, the
/// choices made from them and why, axes of loops that merge, steps that have nothing to do, and
/// memory. Each parameter that is not bound to a shared variable is given by its shape,
/// `kt::debugprint(f, kt::shape(10, 1000), kt::shape(1000))`, or by an array or a number as in a
/// call. Extents that do not match throw the same kt::shape_error as a call; nothing is computed.
template <class F, class... A>
  requires functions::is_compiled<F> && (sizeof...(A) > 0) &&
           (printing::stands_for_parameter<A> && ...)
void debugprint(F const& f, std::ostream& out, A const&... shapes) {
  std::ostringstream plan;  // first: nothing is printed if the extents do not match
  printing::shape_plan<F>::print(f, plan, shapes...);
  debugprint(f, out);
  out << plan.str();
}
template <class F, class... A>
  requires functions::is_compiled<F> && (sizeof...(A) > 0) &&
           (printing::stands_for_parameter<A> && ...)
void debugprint(F const& f, A const&... shapes) {
  debugprint(f, std::cout, shapes...);
}

}  // namespace kroton
