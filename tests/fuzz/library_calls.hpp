// From ranks and axes that are known at run time to those that the library's functions take as template arguments.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "library.hpp"

#include <utility>

namespace fuzz {

inline constexpr int highest_rank = 4;

/// Calls f with a variable of the term's rank, where that is among Low to High. Element types are found in the graph.
template <int Low, int High, class Value = double, class F>
kt::term ranked(kt::term x, F f) {
  kt::term result = x;
  bool known = false;
  [&]<int... R>(std::integer_sequence<int, R...>) {
    ((x.rank() == Low + R ? (known = true, result = kt::term(f(kt::variable<Value, Low + R>(x)))) : result), ...);
  }(std::make_integer_sequence<int, High - Low + 1>{});
  if (!known) x.of->fail("the fuzzer: a rank that the function does not take");
  return result;
}

/// Calls f with kt::axis<...> for an axis below Rank.
template <int Rank, class F>
kt::term along(int axis, F f) {
  kt::term result{};
  [&]<int... A>(std::integer_sequence<int, A...>) {
    ((axis == A ? (result = kt::term(f(kt::axis<A>)), 0) : 0), ...);
  }(std::make_integer_sequence<int, Rank>{});
  return result;
}
/// The same for one axis of a term, or for no argument where `axis` is -1.
template <class F>
kt::term along_or_all(int axis, F f) {
  return axis < 0 ? kt::term(f()) : along<highest_rank>(axis, f);
}
/// Reductions: an axis or all, kept or not.
template <class F>
kt::term reducing(int const* p, F f) {
  return along_or_all(p[0], [&](auto... axis) { return p[1] != 0 ? kt::term(f(axis..., kt::keepdims)) : kt::term(f(axis...)); });
}

inline kt::term refused(kt::graph& g, kt::term x) {
  g.fail("the fuzzer: operands that the function does not take");
  return x;
}

/// What a function records from x0, x1, x2 (terms) and p (parameters).
#define CALL(...)                                                                                    \
  [](kt::graph& g, [[maybe_unused]] int const* p, [[maybe_unused]] kt::term const* v) -> kt::term { \
    (void)g;                                                                                         \
    [[maybe_unused]] kt::term const &x0 = v[0], &x1 = v[1], &x2 = v[2];                              \
    return kt::term(__VA_ARGS__);                                                                    \
  }

}  // namespace fuzz
