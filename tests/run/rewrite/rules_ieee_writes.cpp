// kt::mode::ieee: writes to parts, joins and products of matrices keep values, signs of zero, infinities and NaN. A sum with a
// zero keeps no zero's sign.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include "run/ieee.hpp"

namespace {

using namespace ieee_test;

auto const first = [](auto const& x) { return x(kt::slice(), 0); };
auto const rest = [](auto const& x) { return x(kt::slice(), kt::slice(1, 4)); };
auto const some = [](auto const& x) { return x(kt::slice(0, 4)); };

template <class M>
struct formula {
  char const* text;
  kt::term (*record)(M, M, M);
};
#define FORMULA(...) formula<M>{#__VA_ARGS__, [](M a, M b, M c) { (void)a, (void)b, (void)c; auto const y = __VA_ARGS__; return kt::term{y.of, y.id}; }}

template <class M>
std::vector<formula<M>> const write_formulas{
    FORMULA(set_subtensor(first(a), first(b))), FORMULA(inc_subtensor(first(a), first(b))),
    FORMULA(inc_subtensor(first(a), 0 * first(b))), FORMULA(inc_subtensor(first(0 * a), first(b))),
    FORMULA(inc_subtensor(first(zeros_like(a)), first(b))), FORMULA(inc_subtensor(first(zeros_like(a)), -first(b)) + c),
    FORMULA(first(set_subtensor(first(a), first(b)))), FORMULA(first(inc_subtensor(first(a), first(b)))),
    FORMULA(rest(set_subtensor(first(a), first(b)))), FORMULA(rest(inc_subtensor(first(a), first(b)))),
    FORMULA(inc_subtensor(first(zeros_like(a)), first(b)) + inc_subtensor(rest(zeros_like(a)), rest(c))),
    FORMULA(set_subtensor(first(zeros_like(a)), first(b)) + set_subtensor(rest(zeros_like(a)), rest(c))),
    FORMULA(inc_subtensor(first(zeros_like(a)), first(b)) * c), FORMULA(set_subtensor(first(a), first(b)) * c),
    FORMULA(inc_subtensor(first(inc_subtensor(first(a), first(b))), first(c))),
    FORMULA(set_subtensor(first(inc_subtensor(first(a), first(b))), first(c))),
    FORMULA(inc_subtensor(first(set_subtensor(first(a), first(b))), first(c))),
    FORMULA(set_subtensor(first(a), first(a))), FORMULA(exp(set_subtensor(first(a), first(b))) - 1),
    FORMULA(sum(inc_subtensor(first(zeros_like(a)), first(b)), kt::axis<1>)),
    FORMULA(-inc_subtensor(first(zeros_like(a)), first(b))), FORMULA(2 * set_subtensor(first(a), 0 * first(b))),
    FORMULA(kt::concatenate<1>(a, b)(kt::slice(), kt::slice(2, 6))), FORMULA(kt::concatenate<1>(-a, 0 * b)),
    FORMULA(log(1 + kt::concatenate<1>(a, b))), FORMULA(tril(a) + triu(b)),
};
template <class M>
std::vector<formula<M>> const product_formulas{
    FORMULA(dot(a, some(c))), FORMULA(dot(2 * a, some(c))), FORMULA(dot(-a, some(b))), FORMULA(dot(zeros_like(a), some(c))),
    FORMULA(transpose(dot(transpose(some(c)), transpose(a)))), FORMULA(dot(a, some(c)) + b),
    FORMULA(dot(a, some(c)) - dot(b, some(c))), FORMULA(dot(a, some(b)) + dot(a, some(c))), FORMULA(first(dot(a, some(c)))),
    FORMULA(dot(a, transpose(a(kt::slice(0, 1))))), FORMULA(dot(first(a)(kt::slice(), kt::newaxis), c(kt::slice(1, 2)))),
    FORMULA(sum(dot(a, some(c)), kt::axis<1>)), FORMULA(dot(a, dot(some(b), some(c)))), FORMULA(0 * dot(a, some(c)) + b),
    FORMULA(b - dot(a, 3 * some(c))),
};
#undef FORMULA

}  // namespace

TEMPLATE_TEST_CASE("ieee: writes, joins and products of matrices keep values, signs, infinities and NaN", "[rewrite]", float, double) {
  using M = kt::variable<TestType, 2>;
  std::vector<std::string> found;
  std::set<std::string> fired;
  std::vector<array> const rows = arguments<TestType>(true);
  for (auto const* formulas : {&write_formulas<M>, &product_formulas<M>})
    for (auto const& f : *formulas) {
      kt::graph g;
      kt::term x[3];
      for (int k = 0; k < 3; ++k) x[k] = {&g, g.input(M::parameter_type, k)};
      g.results().push_back(f.record(M(x[0]), M(x[1]), M(x[2])).id);
      if (std::string const d = difference<TestType>(g, rows, fired, formulas == &write_formulas<M>); !d.empty()) found.push_back(f.text + (" " + d));
    }
  CHECK(found == std::vector<std::string>{});
  CHECK(fired.size() > 5);
}
