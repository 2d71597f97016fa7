// Indexing by integer tensors and by bools, and writes to parts.
// SPDX-License-Identifier: BSD-3-Clause
#include "library_calls.hpp"

namespace fuzz {

namespace {

// Index tensors as variables: of rank 1 or 2.
template <class F>
kt::term by_index(kt::graph& g, kt::term x, kt::term i, F f) {
  if (!kt::core::is_integer(i.element()) || kt::core::is_bool(i.element())) return refused(g, x);
  return ranked<1, 2, std::int64_t>(i, f);
}
// A part of x for a write: x as a variable of its own element type, and the value, which has to fit it.
template <int Rank, class F>
kt::term written(kt::graph& g, kt::term x, kt::term value, F f) {
  auto as = [&]<class T>(T) { return kt::term(f(kt::variable<T, Rank>(x))); };
  if (x.rank() != Rank || kt::core::promote(x.element(), value.element()) != x.element()) return refused(g, x);
  if (x.element() == kt::element::float64) return as(double());
  if (x.element() == kt::element::float32) return as(float());
  if (x.element() == kt::element::int64) return as(std::int64_t());
  if (x.element() == kt::element::float16) return as(kt::half(0.f));
  return refused(g, x);
}
kt::term matrix_by_pair(kt::graph& g, kt::term x, kt::term i, kt::term j) {
  return by_index(g, x, i, [&](auto a) {
    return by_index(g, x, j, [&](auto b) { return kt::variable<double, 2>(x)(a, b); });
  });
}

}  // namespace

// Of a part the value has no more axes.
#define WRITE(RANK, MOST, FUNCTION, PART)                                                                            \
  CALL(x1.rank() > MOST ? refused(g, x0) : written<RANK>(g, x0, x1, [&](auto x) { return kt::FUNCTION(PART, x1); }))
#define WRITE_AT(RANK, FUNCTION, PART)                                              \
  CALL(by_index(g, x0, x2, [&](auto i) {                                            \
    if (x1.rank() > kt::rank_of<decltype(i)> + RANK - 1) return refused(g, x0);     \
    return written<RANK>(g, x0, x1, [&](auto x) { return kt::FUNCTION(PART, x1); }); \
  }))

void add_indexing(std::vector<library_function>& to) {
  std::vector<library_function> const all{
      {"take", "kt::take($0, $1, kt::axis<#0>)", "ai", "x", 1, 3, CALL(along<4>(p[0], [&](auto axis) { return kt::take(x0, x1, axis); }))},
      {"take", "kt::take($0, $1)", "ai", "", 1, 3, CALL(kt::take(x0, x1))},
      {"take_along_axis", "kt::take_along_axis($0, $1, kt::axis<#0>)", "ai", "x", 1, 3,
       CALL(along<4>(p[0], [&](auto axis) { return kt::take_along_axis(x0, x1, axis); }))},
      {"index", "$0($1)", "ai", "", 1, 3,
       CALL(by_index(g, x0, x1, [&](auto i) { return ranked<1, 3>(x0, [&](auto x) { return x(i); }); }))},
      {"index", "$0(kt::slice(), $1)", "ai", "", 2, 2, CALL(by_index(g, x0, x1, [&](auto i) { return kt::variable<double, 2>(x0)(kt::slice(), i); }))},
      {"index", "$0($1, 0)", "ai", "", 2, 2, CALL(by_index(g, x0, x1, [&](auto i) { return kt::variable<double, 2>(x0)(i, 0); }))},
      {"index", "$0($1, kt::slice(1, kt::none), $1)", "ai", "", 3, 3,
       CALL(by_index(g, x0, x1, [&](auto i) { return kt::variable<double, 3>(x0)(i, kt::slice(1, kt::none), i); }))},
      {"index", "$0($1, $2)", "aii", "", 2, 2, CALL(matrix_by_pair(g, x0, x1, x2))},
      {"mask", "$0($1)", "ab", "", 1, 2, CALL(x1.rank() != x0.rank() ? refused(g, x0) : ranked<1, 2>(x0, [&](auto x) {
         return x(kt::variable<bool, kt::rank_of<decltype(x)>>(x1));
       }))},
      {"set", "kt::set_subtensor($0(#0), $1)", "aa", "z", 1, 1, WRITE(1, 0, set_subtensor, x(p[0]))},
      {"set", "kt::set_subtensor($0(kt::slice(#0, kt::none)), $1)", "aa", "k", 1, 1, WRITE(1, 1, set_subtensor, x(kt::slice(p[0], kt::none)))},
      {"set", "kt::set_subtensor($0(kt::slice(), #0), $1)", "aa", "z", 2, 2, WRITE(2, 1, set_subtensor, x(kt::slice(), p[0]))},
      {"set", "kt::set_subtensor($0(kt::slice(#0, kt::none, -1)), $1)", "aa", "k", 2, 2,
       WRITE(2, 2, set_subtensor, x(kt::slice(p[0], kt::none, -1)))},
      {"inc", "kt::inc_subtensor($0(#0), $1)", "aa", "z", 1, 1, WRITE(1, 0, inc_subtensor, x(p[0]))},
      {"inc", "kt::inc_subtensor($0(kt::slice(kt::none, #0)), $1)", "aa", "k", 1, 1, WRITE(1, 1, inc_subtensor, x(kt::slice(kt::none, p[0])))},
      {"inc", "kt::inc_subtensor($0(#0), $1)", "aa", "z", 2, 2, WRITE(2, 1, inc_subtensor, x(p[0]))},
      {"inc", "kt::inc_subtensor($0(kt::slice(), kt::slice(#0, kt::none, 2)), $1)", "aa", "z", 2, 2,
       WRITE(2, 2, inc_subtensor, x(kt::slice(), kt::slice(p[0], kt::none, 2)))},
      {"set", "kt::set_subtensor($0($2), $1)", "aai", "", 1, 1, WRITE_AT(1, set_subtensor, x(i))},
      {"set", "kt::set_subtensor($0($2), $1)", "aai", "", 2, 2, WRITE_AT(2, set_subtensor, x(i))},
      {"inc", "kt::inc_subtensor($0($2), $1)", "aai", "", 1, 1, WRITE_AT(1, inc_subtensor, x(i))},
      {"inc", "kt::inc_subtensor($0($2), $1)", "aai", "", 2, 2, WRITE_AT(2, inc_subtensor, x(i))},
      {"inc", "kt::inc_subtensor($0(kt::slice(), $2), $1)", "aai", "", 2, 2, WRITE_AT(2, inc_subtensor, x(kt::slice(), i))},
  };
  to.insert(to.end(), all.begin(), all.end());
}

}  // namespace fuzz
