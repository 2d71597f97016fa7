// Comparing optimized expressions: two lambdas are equal when their graphs are the same list of nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/extents.hpp>
#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/function/catalogue.hpp>

namespace rewrite_test {

namespace kt = kroton;

inline constexpr kt::tensor_type number{kt::element::float64, 0, 0}, vector{kt::element::float64, 1, 0},
    matrix{kt::element::float64, 2, 0}, integers{kt::element::int64, 1, 0}, floats{kt::element::float32, 2, 0};

/// The graph of a lambda of four parameters of one type, with its conditions on extents.
template <class F>
constexpr kt::graph trace(F f, kt::tensor_type type) {
  kt::graph g;
  kt::term const a{&g, g.input(type, 0)}, b{&g, g.input(type, 1)}, c{&g, g.input(type, 2)}, d{&g, g.input(type, 3)};
  g.results().push_back(f(a, b, c, d).id);
  kt::ops::collect_constraints(g);
  return g;
}
/// After a stage, without the conditions: they belong to the expression as written.
template <class F>
constexpr kt::graph optimized(F f, kt::tensor_type type, kt::stage s, bool ieee = false) {
  kt::rewrite::rewrite_options options;
  options.ieee = ieee;
  kt::graph g = kt::rewrite::optimize(trace(f, type), s, options);
  g.constraints().clear();
  return kt::rewrite::cleaner(g).run();
}

constexpr bool same(kt::graph const& a, kt::graph const& b) {
  if (a.size() != b.size() || a.results()[0] != b.results()[0] || !a.error().empty() || !b.error().empty()) return false;
  for (int id = 0; id < a.size(); ++id)
    if (a[id].hash != b[id].hash || a[id].op->key != b[id].op->key || !(a[id].type == b[id].type)) return false;
  return true;
}

/// Whether both lambdas are one expression after the stage.
template <class F, class G>
constexpr bool equal(kt::tensor_type type, F f, G g, kt::stage s = kt::stage::canonicalize, bool ieee = false) {
  return same(optimized(f, type, s, ieee), optimized(g, type, s, ieee));
}
template <class F, class G>
constexpr bool stable(kt::tensor_type type, F f, G g) {
  return equal(type, f, g, kt::stage::stabilize);
}
template <class F, class G>
constexpr bool fast(kt::tensor_type type, F f, G g) {
  return equal(type, f, g, kt::stage::specialize);
}
/// The number of nodes after a stage, without the four parameters.
template <class F>
constexpr int size_of(kt::tensor_type type, F f, kt::stage s = kt::stage::canonicalize) {
  return optimized(f, type, s).size() - 4;
}

}  // namespace rewrite_test

/// A lambda of the parameters a, b, c and d.
#define EXPRESSION(...) \
  [](auto a, auto b, auto c, auto d) { return (void)a, (void)b, (void)c, (void)d, __VA_ARGS__; }
