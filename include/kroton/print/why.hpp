// What the optimizer has made of a function, and by which rules.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/types.hpp>
#include <kroton/print/formula.hpp>

#include <iostream>
#include <string>
#include <vector>

namespace kroton {

/// Asks `kt::debugprint(f, kt::why)` for the rules that made what is run.
struct why_t {};
inline constexpr why_t why{};

namespace printing {

/// Keeps each application of a rule, its name and what became what, and each choice of an order.
class application_log : public rewrite::rewrite_observer {
 public:
  struct application {
    std::string_view rule;
    std::string before, after;
    bool operator==(application const&) const = default;
  };
  struct order {
    std::string written;
    rewrite::order_choice choice;
  };
  explicit application_log(graph const& named)
      : rewrite_observer{&add, &add_order}, named_(named) {}
  std::vector<application> const& all() const { return all_; }
  std::vector<order> const& orders() const { return orders_; }

 private:
  static constexpr std::size_t longest = 120;

  // Called by the optimizer, which can be evaluated in the compiler: no virtual function.
  static void add(rewrite_observer& self, graph const& g, std::string_view rule, int before,
                  int after) {
    application_log& log = static_cast<application_log&>(self);
    application const made{rule, formula_of(g, before, log.named_, longest),
                           formula_of(g, after, log.named_, longest)};
    for (application const& other : log.all_)
      if (other == made) return;
    log.all_.push_back(made);
  }
  static void add_order(rewrite_observer& self, graph const& g, rewrite::order_choice const& c) {
    application_log& log = static_cast<application_log&>(self);
    log.orders_.push_back({formula_of(g, c.written, log.named_, longest), c});
  }
  graph const& named_;
  std::vector<application> all_;
  std::vector<order> orders_;
};

/// `x * y * z: as written, work 2; regrouped 2 and may leave the range`.
[[gnu::cold]] inline void print_order(application_log::order const& o, std::ostream& out) {
  auto const& c = o.choice;
  double const chosen = c.is_as_written ? c.work_as_written : c.work_otherwise,
               left = c.is_as_written ? c.work_otherwise : c.work_as_written;
  out << "  " << o.written << (c.is_as_written ? ": as written, work " : ": regrouped, work ")
      << number_text(chosen) << (c.is_as_written ? "; regrouped " : "; as written ")
      << number_text(left) << (c.may_leave_range ? " and may leave the range\n" : "\n");
}

/// How often a graph adds, multiplies, divides and calls functions for an element.
struct operation_count {
  int sums = 0, products = 0, quotients = 0, functions = 0;

  [[gnu::cold]] explicit operation_count(graph const& g) {
    list<bool> const live = g.live();
    for (int id = 0; id < g.size(); ++id) {
      if (!live[id] || !g[id].op->elementwise || g[id].input_count == 0) continue;
      std::string_view const name = g[id].op->name;
      if (name == "add" || name == "sub" || name == "neg") ++sums;
      else if (name == "mul" || name == "sqr") ++products;
      else if (name == "div" || name == "inv") ++quotients;
      else ++functions;
    }
  }
  [[gnu::cold]] void print(std::string_view what, std::ostream& out) const {
    out << "  " << what << ": " << sums << " sums, " << products << " products, " << quotients
        << " quotients, " << functions << " other functions\n";
  }
};

/// The values that the user has named, each on a line of its own, then results and updates.
[[gnu::cold]] inline void print_formulas(graph const& g, graph const& named, std::ostream& out) {
  constexpr std::size_t longest = 400;
  auto const formula = [&](int id) { return formula_of(g, id, named, longest, true); };
  list<bool> const live = g.live();
  for (int id = 0; id < g.size(); ++id)
    if (live[id] && !g.is<op::input>(id) && !g.name(id).empty())
      out << "  " << g.name(id) << " = " << formula(id) << '\n';
  for (int id : g.results()) {
    bool const is_named = !g.is<op::input>(id) && !g.name(id).empty();
    out << "  " << (is_named ? std::string(g.name(id)) : formula(id)) << '\n';
  }
  for (auto const& u : g.updates())
    out << "  new " << node_text(g, g.parameters()[u.parameter]) << ": " << formula(u.value)
        << '\n';
}

}  // namespace printing

/// Prints why a compiled function computes what it computes: its formulas as written, each rule
/// that applied with what it found and what it made, in the order in which they applied, the orders
/// of sums and products that it chose, with the work of both for an element (docs/accuracy.md says
/// how), the formulas that run, and the operations of both. What `kt::named` names stands on a line
/// of its own. What the normal form and the passes over the whole graph do is seen in the formulas
/// alone. The optimizer runs once more for this, in the program.
template <class F>
  requires functions::is_compiled<F>
[[gnu::cold]] void debugprint(F const&, why_t, std::ostream& out = std::cout) {
  using compiled = functions::graph_of_compiled<F>;
  graph const written = compiled::written();
  printing::application_log log(written);
  graph const optimized = compiled::optimized(&log);
  out << "as written\n";
  printing::print_formulas(written, written, out);
  out << "rules\n";
  for (auto const& a : log.all())
    out << "  " << a.rule << ": " << a.before << " -> " << a.after << '\n';
  if (!log.orders().empty()) out << "orders\n";
  for (auto const& o : log.orders()) printing::print_order(o, out);
  out << "optimized\n";
  printing::print_formulas(optimized, written, out);
  out << "operations\n";
  printing::operation_count(written).print("as written", out);
  printing::operation_count(optimized).print("optimized", out);
}

}  // namespace kroton
