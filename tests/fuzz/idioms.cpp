// What the optimizer's rules look for, in random surroundings.
// SPDX-License-Identifier: BSD-3-Clause
#include "generate.hpp"

#include <algorithm>
#include <string>

namespace fuzz {

int generator::reduce(std::string_view name, int a, std::vector<int> axes, bool keep) {
  call c;
  c.kind = call_kind::reduction;
  c.function = static_cast<int>(std::find(std::begin(reduction_names), std::end(reduction_names), name) - std::begin(reduction_names));
  c.operands = {value(a)};
  c.axes = std::move(axes);
  c.keep = keep;
  return add(c, a);
}
int generator::softmax(bool logarithm, int a) {
  if (of(a).type.rank == 0) return a;
  call c;
  c.kind = call_kind::softmax_like;
  c.function = logarithm ? 1 : 0;
  c.operands = {value(a)};
  c.axes = {of(a).type.rank - 1};
  return add(c, a);
}
int generator::choice(int c, int a, int b) { return apply("where", {value(c), value(a), value(b)}); }

namespace {

std::vector<int> all_axes(int rank) {
  std::vector<int> axes;
  for (int d = 0; d < rank; ++d) axes.push_back(d);
  return axes;
}

}  // namespace

void generator::idiom() {
  int const a = any_real();
  if (a < 0) return;
  int b = beside(a);
  if (!is_real(b)) b = a;
  switch (dice_.below(5)) {
    case 0: algebra(a, b); return;
    case 4: library_idiom(a, b); return;
    case 1: exponential(a, b); return;
    case 2: selection(a, b); return;
    default: tensor_idiom(a, b); return;
  }
}

int generator::algebra(int a, int b) {
  int const c = beside(a), d = is_real(c) ? c : b;
  double const n = dice_.pick({2., -1., 0.5, 3., -2., -0.5, 0., 1.});
  switch (dice_.below(32)) {
    case 0: return f("/", a, a);
    case 1: return f("-", a, a);
    case 2: return f("-", f("+", a, b), a);
    case 3: return f("/", f("*", a, b), a);
    case 4: return f("sqrt", f("*", a, a));
    case 5: return with("pow", with("pow", a, 2), n);
    case 6: return f("*", f("pow", f("exp", a), b), f("pow", f("exp", a), d));
    case 7: return f("/", f("pow", f("exp", a), b), f("pow", f("exp", a), d));
    case 8: return f("/", a, f("abs", a));
    case 9: return f("*", f("sgn", a), f("abs", a));
    case 10: return f("abs", f("*", with("*", a, n), b));
    case 11: return f("sgn", f("*", with("*", a, n), b));
    case 12: return f("+", f("*", a, b), f("*", a, d));
    case 13: return f("*", a, f("+", b, d));
    case 14: return f(dice_.pick({"sin", "tan", "sinh", "tanh", "erf", "atan", "asinh"}), f("u-", a));
    case 15: return f(dice_.pick({"cos", "cosh", "sqr", "abs"}), f("u-", a));
    case 16: return f("/", with("*", a, n), with("*", b, 4));
    case 17: return with("*", a, 0);
    case 18: return f("log", with("pow", f("abs", a), n));
    case 19: return with(1, "pow", a);
    case 20: return f("inv", f("inv", a));
    case 21: return f("/", a, f("/", b, d));
    case 22: return f("/", f("/", a, b), d);
    case 23: return f("-", f("+", f("+", a, b), with("*", a, 2)), with("*", b, n));
    case 24: return f("*", f("pow", a, a), with("pow", a, -1));
    case 25: return f("-", f("*", a, b), f("*", b, a));
    case 26: return f("sqrt", f("*", with("pow", a, 2), f("abs", b)));
    case 27: return with("+", with("-", with("*", with("/", a, 3), 3), n), 1);
    case 28: return f("sqr", f("sqr", f("*", a, b)));
    case 29: return f("*", with("pow", f("abs", a), n), with("pow", f("abs", a), 0.5));
    case 30: return with("floordiv", a, 1);
    default: return f("*", f("sqr", f("+", a, b)), f("inv", f("+", a, b)));
  }
}

int generator::exponential(int a, int b) {
  int const e = f("exp", a), s = f("sigmoid", a), minus = f("u-", a);
  static std::vector<std::pair<std::string_view, std::string_view>> const inverse{
      {"log", "exp"}, {"exp", "log"}, {"log1p", "expm1"}, {"expm1", "log1p"}, {"exp", "log1p"}, {"expm1", "log"}, {"exp", "softplus"},
      {"expm1", "softplus"}, {"exp", "log1mexp"}, {"expm1", "log1mexp"}, {"log1mexp", "log1mexp"}, {"softplus", "log"},
      {"log1mexp", "log"}, {"log2", "exp2"}, {"exp2", "log2"}, {"sinh", "asinh"}, {"asinh", "sinh"}, {"cosh", "acosh"},
      {"tanh", "atanh"}, {"atanh", "tanh"}, {"sin", "asin"}, {"cos", "acos"}, {"tan", "atan"}, {"log", "cosh"}, {"log", "erfc"},
      {"log", "sigmoid"}, {"log", "expm1"}, {"log1p", "exp"}};
  switch (dice_.below(38)) {
    case 0: return f("log", with(1, "+", e));
    case 1: return f("log", with(1, "-", b));
    case 2: return f("log", with(1, "+", f("abs", a)));
    case 3: return f("log", f("+", e, f("exp", b)));
    case 4: return f("log", f("-", e, f("exp", b)));
    case 5: return f("log", with(1, "-", f("exp", f("u-", f("abs", a)))));
    case 6: return f("log", with(1, "-", s));
    case 7: return f("-", f("softplus", a), a);
    case 8: return with("pow", with(1, "+", e), dice_.pick({-1., -2., -0.5}));
    case 9: return f("/", b, with(1, "+", e));
    case 10: return with(1, "/", with(1, "+", f("exp", minus)));
    case 11: return f("*", e, f("sigmoid", minus));
    case 12: return f("/", e, with("+", e, 1));
    case 13: return f("/", s, with(1, "-", s));
    case 14: return f("sigmoid", f("log", f("/", a, with(1, "-", a))));
    case 15: return f("/", e, f("+", e, f("exp", b)));
    case 16: return with(1, "-", s);
    case 17: return with("-", e, 1);
    case 18: return with(1, "-", f("erf", a));
    case 19: return with("-", f("erfc", a), 1);
    case 20: return f("*", f("expm1", a), f("exp", minus));
    case 21: return f("/", e, f("expm1", a));
    case 22: return with("/", f(dice_.pick({"+", "-"}), e, f("exp", minus)), 2);
    case 23: return f("/", with("-", e, 1), with("+", e, 1));
    case 24: return f("/", f("sinh", a), f("cosh", a));
    case 25: return f("*", f("exp", f("sqr", a)), f("erfc", a));
    case 26: return f("*", e, f("exp", b));
    case 27: return f("/", a, f("exp", b));
    case 28: return f("-", with(1, "-", f("sqr", f("cos", a))), f("sqr", f("sin", a)));
    case 29: return f("log", f("+", with(1, "+", e), f("exp", b)));
    case 30: return f("/", f(dice_.pick({"+", "-"}), e, f("exp", minus)), f("+", e, f("exp", minus)));
    case 31: return f("*", f("exp", f("u-", f("sqr", a))), f("inv", f("erfc", a)));
    default: {
      auto const& [outer, inner] = dice_.pick(inverse);
      return f(outer, f(inner, a));
    }
  }
}

int generator::selection(int a, int b) {
  int const condition = dice_.one_in(2) ? f(dice_.pick({"<", "<=", ">", ">=", "==", "!="}), a, b) : with(dice_.pick({"<", ">", ">="}), a, 0);
  int const c = beside(a);
  auto zero_else = [&](int v) { return apply("where", {value(condition), whole(0), value(v)}); };
  auto else_zero = [&](int v) { return apply("where", {value(condition), value(v), whole(0)}); };
  switch (dice_.below(22)) {
    case 18:
    case 19:
    case 20:
    case 21: {  // of two tensors, one that is computed
      int const scalar = reduce(dice_.pick({"all", "any"}), condition, all_axes(of(condition).type.rank), false);
      int const first = dice_.one_in(3) ? reduce("sum", f("exp", a), random_axes(of(a).type.rank), true) : f("exp", a), other = dice_.one_in(2) ? b : a;
      return apply("ifelse", {value(scalar), value(dice_.one_in(2) ? first : other), value(other)});
    }
    case 0: return f("*", zero_else(a), b);
    case 1: return f("*", else_zero(a), b);
    case 2: return f("/", zero_else(a), b);
    case 3: return f("/", else_zero(a), b);
    case 4: return f("+", choice(condition, a, b), choice(condition, b, a));
    case 5: return choice(condition, choice(condition, a, b), c);
    case 6: return choice(condition, a, choice(condition, b, c));
    case 7: return choice(condition, a, a);
    case 8: return choice(f("==", a, a), a, b);
    case 9: return choice(f("~", condition), a, b);
    case 10: return f(dice_.pick({"maximum", "minimum"}), a, a);
    case 11: return f(dice_.pick({"<", "<=", "==", "!=", ">", ">="}), a, a);
    case 12: return f(dice_.pick({"&", "|", "^"}), condition, f("~", condition));
    case 13: return f("minimum", with("maximum", a, 0), f("maximum", a, b));
    case 14: return f("+", else_zero(a), zero_else(b));
    case 15: return f("log", choice(condition, f("abs", a), f("exp", b)));
    case 16: return f("*", else_zero(with("pow", f("abs", a), -1)), a);
    default: return f("&", condition, apply(">", {value(a), whole(1)}));
  }
}

int generator::tensor_idiom(int a, int b) {
  std::vector<int> const axes = random_axes(of(a).type.rank);
  int const rank = of(a).type.rank, last = std::max(rank - 1, 0);
  std::vector<int> const row = rank == 0 ? std::vector<int>{} : std::vector<int>{last};
  std::vector<int> reversed;
  for (int d = rank - 1; d >= 0; --d) reversed.push_back(d);
  int const e = f("exp", a);
  std::string_view const any_reduction = dice_.pick({"sum", "prod", "max", "min"});
  switch (dice_.below(32)) {
    case 0: return f("log", reduce("sum", e, axes, dice_.one_in(2)));
    case 1: return f("log", with("+", reduce("sum", e, axes, true), 1));
    case 2: return f("/", e, reduce("sum", e, axes, true));
    case 3: return softmax(dice_.one_in(2), f("-", a, reduce("max", a, row, true)));
    case 4: return f("log", softmax(false, a));
    case 5: return f("exp", softmax(true, a));
    case 6: return f("-", a, reduce("logsumexp", a, axes, true));
    case 7: return f("log", reduce("prod", e, axes, false));
    case 8: return reduce(any_reduction, f("*", a, b), axes, dice_.one_in(2));
    case 9: return reduce(any_reduction, with("*", a, dice_.pick({2., -1., 0.5, -3.})), axes, dice_.one_in(2));
    case 10: return reduce(any_reduction, view(call_kind::dimshuffle, a, reversed), axes, false);
    case 11: {
      int const once = reduce(any_reduction, a, row, dice_.one_in(2));
      return reduce(any_reduction, once, random_axes(of(once).type.rank), false);
    }
    case 12: return f("log", with("*", reduce("sum", e, axes, true), 0.25));
    case 13: return part(part(a));
    case 14: return part(f("*", f("exp", a), b));
    case 15: return part(view(call_kind::dimshuffle, a, reversed));
    case 16: return view(call_kind::dimshuffle, f("+", a, b), reversed);
    case 17: return view(call_kind::reshape, view(call_kind::reshape, f("*", a, b), {-1}), {1, -1});
    case 18: {
      for (int v : {b, a}) {
        if (rank != 2 || of(v).type.rank != 2) continue;
        int const t = view(call_kind::dimshuffle, v, {1, 0});
        int const product = dot(with("*", a, dice_.pick({2., -1., 0.5})), t);
        switch (dice_.below(5)) {
          case 0: return view(call_kind::dimshuffle, product, {1, 0});
          case 1: return part(product);
          case 2: return dot(product, a);
          case 3: return f("-", with("*", product, 0.5), dot(t, v));
          default: return f("+", product, f("u-", product));
        }
      }
      return dot(a, b);
    }
    case 19: return f("/", a, reduce("sum", a, axes, true));
    case 20: return f("-", a, reduce("max", a, axes, true));
    case 21: return f("+", f("zeros_like", a), b);
    case 22: return f("*", f("ones_like", a), b);
    case 23: return reduce("sum", f("ones_like", a), axes, false);
    case 24: return f("*", e, f("inv", reduce("sum", e, row, true)));
    case 25: return f("-", with("*", a, 1), f("log", reduce("sum", e, row, true)));
    case 26: return dot(f("zeros_like", a), b);
    case 27: return reduce("max", f("+", a, f("zeros_like", b)), axes, true);
    case 28: return f("softplus", reduce("logsumexp", a, axes, false));
    case 29: return reduce("sum", f("*", f("*", a, reduce("sum", b, all_axes(of(b).type.rank), false)), with("*", b, 3)), axes, false);
    case 30: return reduce(dice_.pick({"all", "any"}), f("<", a, b), axes, dice_.one_in(2));
    default: return reduce("sum", reduce("max", f("*", a, b), row, false), {}, dice_.one_in(2));
  }
}

}  // namespace fuzz
