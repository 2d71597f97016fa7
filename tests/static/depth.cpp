// No expression is refused for its depth: what is optimized here in a constant evaluation is deeper than compilers nest calls.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

/// Whether the optimizer comes to its end with an expression of x and w.
template <class F>
constexpr bool is_optimized(F record) {
  kt::graph g;
  kt::dvector const x(kt::term{&g, g.input(kt::dvector::parameter_type, 0)});
  kt::dmatrix const w(kt::term{&g, g.input(kt::dmatrix::parameter_type, 1)});
  g.results().push_back(record(x, w).id);
  return kt::functions::prepare(g, kt::stage::specialize, {}).error().empty();
}
/// The same for a chain of steps that begins with x.
template <class Step>
constexpr bool is_chain_optimized(int depth, Step step) {
  return is_optimized([&](kt::dvector x, kt::dmatrix) {
    kt::dvector h = x;
    for (int i = 0; i < depth; ++i) h = step(h, x, i);
    return h;
  });
}

static_assert(is_chain_optimized(3000, [](auto h, auto, int) { return exp(h); }));
static_assert(is_chain_optimized(1000, [](auto h, auto x, int i) { return h + sin(1.0 * i * x); }));
static_assert(is_chain_optimized(600, [](auto h, auto x, int i) { return i % 3 == 0 ? h * x : i % 3 == 1 ? h + x : x / h; }));
static_assert(is_chain_optimized(300, [](auto h, auto x, int) { return where(h > x, maximum(exp(h), x), x); }));
static_assert(is_chain_optimized(300, [](auto h, auto x, int) { return concatenate(h, x); }));
static_assert(is_optimized([](auto, auto w) {
  kt::dmatrix h = w;
  for (int i = 0; i < 300; ++i) h = dot(w, h).T();
  return h;
}));

}  // namespace
