// One expression through all stages: as written, in each form the optimizer gives it, as a type, as the steps that run; with an
// argument also as a Graphviz picture: print_graph graph.dot && dot -Tsvg graph.dot > graph.svg
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cstdio>
#include <iostream>
#include <string_view>

namespace kt = kroton;

// cut: cost
// A logistic loss with a penalty, and its gradient.
constexpr auto cost = [](kt::dvector x, kt::dscalar w) {
  kt::named(x, "x"), kt::named(w, "w");
  auto loss = sum(log(1 + exp(w * x))) + pow(w, 4) / 2;
  return std::tuple(loss, grad(loss, w));
};
// end cut

// cut: equal
constexpr auto written = [](kt::dscalar a, kt::dscalar b, kt::dscalar c, kt::dscalar d) { return a / (((a * b) / c) / d); };
constexpr auto simple = [](kt::dscalar, kt::dscalar b, kt::dscalar c, kt::dscalar d) { return (c * d) / b; };
static_assert(!std::is_same_v<kt::expression_of<written>, kt::expression_of<simple>>);
static_assert(std::is_same_v<kt::canonical<written>, kt::canonical<simple>>);
// end cut

// The name of a type as the compiler has it, one node a line.
template <class T>
void print_type() {
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find("T = ") + 4);
  name = name.substr(0, name.find_last_of("];"));
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with("kroton::")) {
      i += 7;
      continue;
    }
    depth += (name[i] == '<') - (name[i] == '>');
    text += name[i];
    if (depth == 1 && (name[i] == '<' || name[i] == ',')) {
      text += "\n   ";
      if (name[i] == '<') text += ' ';
    }
  }
  std::cout << text << '\n';
}

int main(int argc, char** argv) {
  auto const graph = kt::graph_of(cost);
  std::cout << "== as written\n";
  kt::debugprint(graph);
  std::cout << "== canonicalize\n";
  kt::debugprint(kt::optimize(graph, kt::stage::canonicalize));
  std::cout << "== stabilize\n";
  kt::debugprint(kt::optimize(graph, kt::stage::stabilize));
  std::cout << "== specialize\n";
  kt::debugprint(kt::optimize(graph, kt::stage::specialize));
  std::cout << "== type\n";
  print_type<kt::optimized<cost>>();
  std::cout << "== steps\n";
  auto f = kt::function(cost);
  std::ostringstream text;
  kt::debugprint(f, text);
  std::string const all = text.str();
  std::cout << all.substr(all.find("steps\n") + 6);
  std::cout << "== call\n";
  auto const [value, slope] = f(std::vector<double>{-1, 0, 800}, 1.0);
  std::printf("%.17g %.17g\n", value, slope);
  std::cout << "== type of (c * d) / b\n";
  print_type<kt::canonical<simple>>();
  if (argc > 1) kt::dotprint(f, argv[1]);
}
