// Elements in another order, several times, side by side; diagonals, triangles, and tensors made from extents.
// SPDX-License-Identifier: BSD-3-Clause
#include "library_calls.hpp"

namespace fuzz {

namespace {

// Calls f with the variable and an axis below its rank (and `More` axes more).
template <int High, int More = 0, class F>
kt::term ranked_along(kt::term x, int axis, F f) {
  return ranked<1 - More, High>(x, [&](auto v) { return along<kt::rank_of<decltype(v)> + More>(axis, [&](auto a) { return f(v, a); }); });
}
// The same for two of one rank.
template <int More, class F>
kt::term paired_along(kt::graph& g, kt::term x, kt::term y, int axis, F f) {
  if (x.rank() != y.rank()) return refused(g, x);
  return ranked_along<3, More>(x, axis, [&](auto v, auto a) { return f(v, decltype(v)(y), a); });
}
template <int A>
constexpr int axis_of(kt::axis_t<A>) {
  return A;
}
#define AXIS axis_of(decltype(axis){})

}  // namespace

void add_arrangements(std::vector<library_function>& to) {
  std::vector<library_function> const all{
      {"flip", "kt::flip($0, kt::axis<#0>)", "a", "x", 1, 3, CALL((ranked_along<4>(x0, p[0], [](auto x, auto axis) { return kt::flip(x, axis); })))},
      {"flip", "kt::flip($0)", "a", "", 1, 3, CALL((ranked<1, 4>(x0, [](auto x) { return kt::flip(x); })))},
      {"roll", "kt::roll($0, #1, kt::axis<#0>)", "a", "xk", 1, 3,
       CALL((ranked_along<4>(x0, p[0], [&](auto x, auto axis) { return kt::roll(x, p[1], axis); })))},
      {"roll", "kt::roll($0, #0)", "a", "k", 1, 3, CALL((ranked<1, 4>(x0, [&](auto x) { return kt::roll(x, p[0]); })))},
      {"repeat", "kt::repeat($0, #1, kt::axis<#0>)", "a", "xn", 1, 3,
       CALL((ranked_along<4>(x0, p[0], [&](auto x, auto axis) { return kt::repeat(x, p[1], axis); })))},
      {"tile", "kt::tile($0, #0)", "a", "p", 1, 3, CALL((ranked<1, 4>(x0, [&](auto x) { return kt::tile(x, p[0]); })))},
      {"tile", "kt::tile($0, #0, #1)", "a", "pp", 1, 3, CALL((ranked<1, 4>(x0, [&](auto x) { return kt::tile(x, p[0], p[1]); })))},
      {"broadcast_to", "kt::broadcast_to($0, $1.shape(0), $1.shape(1))", "aa", "", 0, 2,
       CALL(x1.rank() != 2 ? refused(g, x0) : kt::term(ranked<0, 2>(x0, [&](auto x) {
         kt::variable<double, 2> const like(x1);
         return kt::broadcast_to(x, like.shape(0), like.shape(1));
       })))},
      {"moveaxis", "kt::moveaxis<0, -1>($0)", "a", "", 2, 3, CALL((ranked<2, 4>(x0, [](auto x) { return kt::moveaxis<0, -1>(x); })))},
      {"swapaxes", "kt::swapaxes<0, -1>($0)", "a", "", 2, 3, CALL((ranked<2, 4>(x0, [](auto x) { return kt::swapaxes<0, -1>(x); })))},
      {"squeeze", "kt::squeeze($0, kt::axis<#0>)", "a", "x", 1, 3, CALL((ranked_along<4>(x0, p[0], [](auto x, auto axis) { return kt::squeeze(x, axis); })))},
      {"concatenate", "kt::concatenate<#0>($0, $1)", "aA", "x", 1, 3,
       CALL((paired_along<0>(g, x0, x1, p[0], [](auto x, auto y, auto axis) { return kt::concatenate<AXIS>(x, y); })))},
      {"concatenate", "kt::concatenate<#0>($0, $1, $0)", "aA", "x", 1, 3,
       CALL((paired_along<0>(g, x0, x1, p[0], [](auto x, auto y, auto axis) { return kt::concatenate<AXIS>(x, y, x); })))},
      {"stack", "kt::stack<#0>($0, $1)", "aA", "y", 0, 2,
       CALL((paired_along<1>(g, x0, x1, p[0], [](auto x, auto y, auto axis) { return kt::stack<AXIS>(x, y); })))},
      {"split", "kt::split<2>($0, kt::axis<#0>)[#1]", "a", "xz", 1, 3,
       CALL((ranked_along<4>(x0, p[0], [&](auto x, auto axis) { return kt::split<2>(x, axis)[static_cast<std::size_t>(p[1])]; })))},
      {"split", "kt::split($0, kt::sizes<1, 2>, kt::axis<#0>)[#1]", "a", "xz", 1, 3,
       CALL((ranked_along<4>(x0, p[0], [&](auto x, auto axis) { return kt::split(x, kt::sizes<1, 2>, axis)[static_cast<std::size_t>(p[1])]; })))},
      {"triu", "kt::triu($0, #0)", "n", "k", 2, 3, CALL((ranked<2, 4>(x0, [&](auto x) { return kt::triu(x, p[0]); })))},
      {"tril", "kt::tril($0, #0)", "n", "k", 2, 3, CALL((ranked<2, 4>(x0, [&](auto x) { return kt::tril(x, p[0]); })))},
      {"diag", "kt::diag($0, #0)", "a", "k", 1, 2, CALL((ranked<1, 2>(x0, [&](auto x) { return kt::diag(x, p[0]); })))},
      {"diag", "kt::diag($0)", "a", "", 1, 2, CALL((ranked<1, 2>(x0, [](auto x) { return kt::diag(x); })))},
      {"trace", "kt::trace($0)", "n", "", 2, 2, CALL((ranked<2, 2>(x0, [](auto x) { return kt::trace(x); })))},
      {"eye", "kt::eye<double>($0.shape(0), $0.shape(1), #0)", "a", "k", 2, 2, CALL((ranked<2, 2>(x0, [&](auto x) {
         return kt::eye<double>(x.shape(0), x.shape(1), p[0]);
       })))},
      {"identity_like", "kt::identity_like($0)", "a", "", 2, 2, CALL((ranked<2, 2>(x0, [](auto x) { return kt::identity_like(x); })))},
      {"arange", "kt::arange($0.shape(0))", "a", "", 1, 3, CALL((ranked<1, 4>(x0, [](auto x) { return kt::arange(x.shape(0)); })))},
      {"arange", "kt::arange(#0, $0.shape(0), #1)", "a", "kp", 1, 3,
       CALL((ranked<1, 4>(x0, [&](auto x) { return kt::arange(p[0], x.shape(0), p[1]); })))},
      {"arange", "kt::arange($0.shape(0), #0, -#1)", "a", "kp", 1, 3,
       CALL((ranked<1, 4>(x0, [&](auto x) { return kt::arange(x.shape(0), p[0], -p[1]); })))},
      {"zeros", "kt::zeros<double>($0.shape(0), #0)", "a", "n", 1, 3, CALL((ranked<1, 4>(x0, [&](auto x) { return kt::zeros<double>(x.shape(0), p[0]); })))},
      {"clip", "kt::clip($0, #0, #0 + #1)", "r", "kn", 0, 3, CALL((ranked<0, 4>(x0, [&](auto x) { return kt::clip(x, p[0], p[0] + p[1]); })))},
  };
  to.insert(to.end(), all.begin(), all.end());
}

std::vector<library_function> const& library_functions() {
  static std::vector<library_function> const all = [] {
    std::vector<library_function> parts;
    for (auto const add : {add_statistics, add_arrangements, add_indexing, add_products, add_learning, add_batches,
                           add_factors, add_structures, add_samples, add_grids})
      add(parts);
    return parts;
  }();
  return all;
}

}  // namespace fuzz
