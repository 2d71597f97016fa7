// Functions of elements on both sides of views, indices, repetitions and joins: what both orders give, with two gradients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/reverse.hpp>
#include <kroton/ops/conditional.hpp>
#include <kroton/ops/elementwise/special.hpp>
#include <kroton/ops/shapes/extents.hpp>
#include <kroton/ops/shapes/rearranging.hpp>

#include "rewrite_interpreter.hpp"

#include <string>

namespace stable_views {

namespace kt = kroton;
using kt::call, kt::term;
using rewrite_test::interpreter, rewrite_test::value;

/// A stable form in two halves, between which a view may stand.
struct form {
  char const* name;
  term (*inner)(term);
  term (*outer)(term);
  int orders = 3;  // of the value, and of the derivatives that exist in numbers without a view
};
/// A view of f, made of x, by an index of 2, 0, 2.
template <class T>
struct view {
  char const* name;
  term (*of)(kt::matrix<T> f, kt::matrix<T> x, kt::lvector i);
};

/// The sum of t with weights that differ from element to element.
inline term weighted(term t) {
  kt::graph& g = *t.of;
  kt::core::list<term> shape;
  term count = kt::ops::integer(g, 1);
  for (int d = 0; d < t.rank(); ++d) {
    shape.push_back(kt::ops::extent(t, d));
    count = count * shape[d];
  }
  term const position{&g, g.cast(kt::ops::iota(count).id, t.element())};
  term const weights = call<kt::op::add>(2, call<kt::op::cos>(position));
  return sum(t * kt::ops::reshape(weights, shape));
}

/// "" where both are the same number, or differ by less than the rounding of what both were computed from.
inline std::string difference(value const& a, value const& b, double tolerance) {
  if (a.shape != b.shape) return "shapes differ";
  double largest = 1;
  for (double x : b.data)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  for (std::size_t k = 0; k < a.data.size(); ++k) {
    double const x = a.data[k], y = b.data[k];
    bool const same = x == y || std::abs(x - y) <= tolerance * std::max(std::abs(y), 1e-6 * largest);
    if (!same) return std::to_string(x) + " for " + std::to_string(y) + " at " + std::to_string(k);
  }
  return "";
}

/// outer(view(inner(x))) against view(outer(inner(x))): "" where the values, the gradients and the gradients of these agree, and are
/// finite, for x up to each of the scales.
template <class T>
std::string mismatch(form const& f, view<T> const& v, std::initializer_list<double> scales, double tolerance) {
  kt::graph g;
  term const z{&g, g.input({kt::core::element_of<T>(), 2, 0}, 0)}, index{&g, g.input({kt::element::int64, 1, 0}, 1)};
  using matrix = kt::matrix<T>;
  auto seen = [&](term t) { return v.of(matrix(t), matrix(z), kt::lvector(index)); };
  for (term t : {f.outer(seen(f.inner(z))), seen(f.outer(f.inner(z)))}) {
    term const first = grad(weighted(t), z), second = grad(weighted(first), z);
    for (term result : {t, first, second}) g.results().push_back(result.id);
  }
  kt::ops::collect_constraints(g);
  kt::graph const after = kt::rewrite::optimize(g, kt::stage::specialize);
  if (!after.error().empty()) return std::string(after.error());
  for (double scale : scales) {
    value x{{3, 4}, {}};
    for (int k = 0; k < 12; ++k) x.data.push_back(static_cast<double>(static_cast<T>(scale * ((5 * k) % 12 - 5.5) / 5.5)));
    interpreter const run(after, {x, value{{3}, {2, 0, 2}}});
    for (int order = 0; order < f.orders; ++order) {
      std::string const where = std::string(f.name) + ", " + v.name + ", derivative " + std::to_string(order) + ", up to " + std::to_string(scale) + ": ";
      value const& got = run[after.results()[order]];
      for (double y : got.data)
        if (!std::isfinite(y)) return where + "not finite";
      if (auto const d = difference(got, run[after.results()[order + 3]], order == 2 ? 1e3 * tolerance : tolerance); !d.empty()) return where + d;
    }
  }
  return "";
}

/// Views, indices, repetitions, joins and choices of a matrix of 3 by 4.
template <class T>
inline view<T> const views[] = {
#define VIEW(name, ...) {name, [](kt::matrix<T> f, kt::matrix<T> x, kt::lvector i) -> term { return (void)f, (void)x, (void)i, term(__VA_ARGS__); }}
    VIEW("itself", f),
    VIEW("reshape", kt::reshape<2>(f, x.shape(1), x.shape(0))),
    VIEW("flatten", flatten(f)),
    VIEW("transpose", f.T()),
    VIEW("squeeze", squeeze(f(kt::slice(1, 2)), kt::axis<0>)),
    VIEW("new axis", f(kt::newaxis, kt::slice(), 1)),
    VIEW("slices with steps", f(kt::slice(0, 2), kt::slice(kt::none, kt::none, 2))),
    VIEW("backwards", f(kt::slice(kt::none, kt::none, -1))),
    VIEW("row", f(1)),
    VIEW("element", f(1, 2)),
    VIEW("row of the transpose", f.T()(1)),
    VIEW("element of flatten", flatten(f)(3)),
    VIEW("index vector", f(i)),
    VIEW("index vector along axis 1", f(kt::slice(), i)),
    VIEW("index vector of a row", f(1)(i)),
    VIEW("pair of index vectors", f(i, i)),
    VIEW("rows and labels", f(kt::arange(x.shape(0)), i)),
    VIEW("mask", f(x > 0)),
    VIEW("take", kt::take(f, i)),
    VIEW("take of a flat transpose", flatten(f.T())(i)),
    VIEW("take along an axis", kt::take_along_axis(f, kt::cast<std::int64_t>(x > 0), kt::axis<1>)),
    VIEW("diagonal", kt::diag(f)),
    VIEW("repeat", kt::repeat(f, 2, kt::axis<0>)),
    VIEW("repeat of all", kt::repeat(f, 2)),
    VIEW("tile", kt::tile(f, 2, 2)),
    VIEW("broadcast_to", kt::broadcast_to(f, 2, x.shape(0), x.shape(1))),
    VIEW("flip", kt::flip(f)),
    VIEW("roll", kt::roll(f, 1, kt::axis<1>)),
    VIEW("roll of all", kt::roll(f, 1)),
    VIEW("split", kt::split<2>(f, kt::axis<1>)[1]),
    VIEW("stack", kt::stack<0>(f, f)),
    VIEW("concatenate", kt::concatenate<1>(f(kt::slice(), kt::slice(2, 4)), f(kt::slice(), kt::slice(0, 1)))),
#undef VIEW
};

}  // namespace stable_views
