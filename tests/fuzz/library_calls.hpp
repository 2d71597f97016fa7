// From ranks and axes that are known at run time to those that the library's functions take as template arguments.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "library.hpp"

#include <cstdint>
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

/// The same with a variable of the term's element type, where that is float64, float32 or int64:
/// for functions that make something of the type while they compile.
template <int Low, int High, class F>
kt::term typed(kt::term x, F f) {
  switch (x.element()) {
    case kt::element::float64: return ranked<Low, High, double>(x, f);
    case kt::element::float32: return ranked<Low, High, float>(x, f);
    case kt::element::int64: return ranked<Low, High, std::int64_t>(x, f);
    default: x.of->fail("the fuzzer: an element type that the function is not called with"); return x;
  }
}
/// Of two variables, both floating-point.
template <int Low, int High, class F>
kt::term typed_pair(kt::term x, kt::term y, F f) {
  auto const with = [&]<class T>(T) {
    return ranked<Low, High, T>(x, [&](auto a) {
      return y.element() == kt::element::float64
                 ? ranked<Low, High, double>(y, [&](auto b) { return f(a, b); })
                 : ranked<Low, High, float>(y, [&](auto b) { return f(a, b); });
    });
  };
  for (kt::term const& t : {x, y})
    if (t.element() != kt::element::float64 && t.element() != kt::element::float32) {
      x.of->fail("the fuzzer: an element type that the function is not called with");
      return x;
    }
  return x.element() == kt::element::float64 ? with(double()) : with(float());
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

/// The same of a variable, with axes that it has.
template <class X, class F>
kt::term reducing(X x, int const* p, F f) {
  if (p[0] < 0) return p[1] != 0 ? kt::term(f(x, kt::keepdims)) : kt::term(f(x));
  return along<kt::rank_of<X>>(p[0], [&](auto axis) {
    return p[1] != 0 ? kt::term(f(x, axis, kt::keepdims)) : kt::term(f(x, axis));
  });
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

// Functions whose text is what they record: of a variable x, or of x and y; with an axis, or with
// `options...`, an axis or none and whether axes are kept.
#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define OF_ONE(name, operands, low, high, ...)                                           \
  {name, "[](auto x) { return " TEXT(__VA_ARGS__) "; }($0)", operands, "", low, high,    \
   CALL((typed<low, high>(x0, [](auto x) { return __VA_ARGS__; })))}
#define OF_TWO(name, low, high, ...)                                                             \
  {name, "[](auto x, auto y) { return " TEXT(__VA_ARGS__) "; }($0, $1)", "rr", "", low, high,    \
   CALL((typed_pair<low, high>(x0, x1, [](auto x, auto y) { return __VA_ARGS__; })))}
#define ALONG(name, operands, low, high, ...)                                                  \
  {name, "[](auto x, auto axis) { return " TEXT(__VA_ARGS__) "; }($0, kt::axis<#0>)", operands, \
   "x", low, high, CALL((typed<low, high>(x0, [&](auto x) {                                    \
     return along<kt::rank_of<decltype(x)>>(p[0], [&](auto axis) { return __VA_ARGS__; });     \
   })))}
#define REDUCED(name, operands, low, high, ...)                                                 \
  {name, "[](auto x, auto... options) { return " TEXT(__VA_ARGS__) "; }($0#0#1)", operands,     \
   "AK", low, high, CALL((typed<low, high>(x0, [&](auto v) {                                    \
     return reducing(v, p, [](auto x, auto... options) { return __VA_ARGS__; });                \
   })))}

}  // namespace fuzz
