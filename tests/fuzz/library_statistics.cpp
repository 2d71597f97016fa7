// Statistics, positions of extrema, orders and running sums.
// SPDX-License-Identifier: BSD-3-Clause
#include "library_calls.hpp"

namespace fuzz {

void add_statistics(std::vector<library_function>& to) {
  std::vector<library_function> const all{
      {"var", "kt::var($0#0#1)", "n", "AK", 0, 3, CALL(reducing(p, [&](auto... o) { return kt::var(x0, o...); }))},
      {"stddev", "kt::stddev($0#0#1)", "n", "AK", 0, 3, CALL(reducing(p, [&](auto... o) { return kt::stddev(x0, o...); }))},
      {"norm", "kt::norm($0#0#1)", "n", "AK", 0, 3, CALL(reducing(p, [&](auto... o) { return kt::norm(x0, o...); }))},
      {"argmax", "kt::argmax($0#0#1)", "a", "AK", 1, 3, CALL(reducing(p, [&](auto... o) { return kt::argmax(x0, o...); }))},
      {"argmin", "kt::argmin($0#0#1)", "a", "AK", 1, 3, CALL(reducing(p, [&](auto... o) { return kt::argmin(x0, o...); }))},
      {"cumsum", "kt::cumsum($0#0)", "a", "A", 1, 3, CALL(along_or_all(p[0], [&](auto... o) { return kt::cumsum(x0, o...); }))},
      {"cumprod", "kt::cumprod($0#0)", "n", "A", 1, 3, CALL(along_or_all(p[0], [&](auto... o) { return kt::cumprod(x0, o...); }))},
      {"sort", "kt::sort($0, kt::axis<#0>)", "a", "x", 1, 3, CALL(along<4>(p[0], [&](auto axis) { return kt::sort(x0, axis); }))},
      {"argsort", "kt::argsort($0, kt::axis<#0>)", "a", "x", 1, 3, CALL(along<4>(p[0], [&](auto axis) { return kt::argsort(x0, axis); }))},
      {"topk", "std::get<0>(kt::topk($0, #1, kt::axis<#0>))", "a", "xn", 1, 3,
       CALL(along<4>(p[0], [&](auto axis) { return std::get<0>(kt::topk(x0, p[1], axis)); }))},
      {"topk", "std::get<1>(kt::topk($0, #1, kt::axis<#0>))", "a", "xn", 1, 3,
       CALL(along<4>(p[0], [&](auto axis) { return std::get<1>(kt::topk(x0, p[1], axis)); }))},
      {"searchsorted", "kt::searchsorted(kt::sort(kt::flatten($0), kt::axis<0>), $1, kt::side::#0)", "nn", "s", 1, 3,
       CALL(kt::searchsorted(kt::sort(kt::flatten(x0), kt::axis<0>), x1, p[0] == 0 ? kt::side::left : kt::side::right))},
      {"ldexp", "kt::ldexp($0, #0)", "r", "k", 0, 3, CALL(kt::ldexp(x0, p[0]))},
      {"frexp", "std::get<0>(kt::frexp($0))", "r", "", 0, 3, CALL(std::get<0>(kt::frexp(x0)))},
      {"unique", "kt::unique($0)", "n", "", 1, 2, CALL((ranked<1, 2>(x0, [](auto x) { return kt::unique(x); })))},
      {"nonzero", "kt::nonzero($0)", "a", "", 1, 2, CALL((ranked<1, 2>(x0, [](auto x) { return kt::nonzero(x); })))},
  };
  to.insert(to.end(), all.begin(), all.end());
}

}  // namespace fuzz
