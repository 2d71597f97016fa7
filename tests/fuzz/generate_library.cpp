// How programs grow: calls from the table of the library's functions, and what rules look for among them.
// SPDX-License-Identifier: BSD-3-Clause
#include "generate.hpp"
#include "library.hpp"

#include <algorithm>
#include <cctype>

namespace fuzz {

bool generator::is_number(int v) const { return !kt::core::is_bool(of(v).type.element); }
bool generator::is_bool(int v) const { return kt::core::is_bool(of(v).type.element); }
bool generator::is_position(int v) const { return is_number(v) && !is_real(v); }

int generator::drawn_operand(char letter, int first) {
  bool const fits = std::isupper(static_cast<unsigned char>(letter)) != 0;
  for (int tries = 0; tries < 20; ++tries) {
    int const v = fits && !dice_.one_in(8) ? beside(first) : any();
    switch (std::tolower(static_cast<unsigned char>(letter))) {
      case 'r': if (is_real(v)) return v; break;
      case 'n': if (is_number(v)) return v; break;
      case 'i': if (is_position(v)) return v; break;
      case 'b': if (is_bool(v)) return v; break;
      default: return v;
    }
  }
  return -1;
}
int generator::drawn_parameter(char letter, int rank) {
  switch (letter) {
    case 'x': return dice_.below(rank);
    case 'y': return dice_.below(rank + 1);
    case 'A': return rank == 0 ? -1 : dice_.below(rank + 1) - 1;
    case 'n': return dice_.below(4);
    case 'p': return 1 + dice_.below(3);
    case 'k': return dice_.below(7) - 3;
    default: return dice_.below(2);
  }
}
/// A call of one function on drawn operands, the first of them given, or drawn where it is -1. Gives -1 where it is refused.
int generator::call_library(int number, std::vector<int> operands) {
  library_function const& f = library_functions()[static_cast<std::size_t>(number)];
  for (std::size_t k = operands.size(); k < f.operands.size(); ++k) {
    int const v = drawn_operand(f.operands[k], k == 0 ? 0 : operands[0]);
    if (v < 0) return -1;
    operands.push_back(v);
  }
  int const rank = of(operands[0]).type.rank;
  if (rank < f.low || rank > f.high) return -1;
  call c;
  c.kind = call_kind::library;
  c.function = number;
  for (int v : operands) c.operands.push_back(value(v));
  for (char letter : f.parameters) c.axes.push_back(drawn_parameter(letter, rank));
  return add(c, -1);
}
void generator::library() {
  int const number = dice_.below(static_cast<int>(library_functions().size()));
  for (int tries = 0; tries < 6; ++tries)
    if (call_library(number, {}) >= 0) return;
}
/// A call, and now and then the gradient of the sum of what it gives, weighted so that it is not a sum
/// of the function's own, by one of its operands.
void generator::library_with_gradient() {
  int const before = program_.size();
  library();
  if (program_.size() == before || !dice_.one_in(3)) return;
  call const c = program_.calls.back();
  int const result = program_.size() - 1, wrt = c.operands[0].value;
  if (!is_real(result) || !is_real(wrt)) return;
  int const weighted = f("*", result, f("cos", result));
  std::vector<int> all;
  for (int d = 0; d < of(weighted).type.rank; ++d) all.push_back(d);
  gradient_of(all.empty() ? weighted : reduce("sum", weighted, all, false), wrt);
}
/// A call by name; what it gives, or its first operand.
int generator::lib(std::string_view name, std::vector<int> operands) {
  std::vector<int> numbers;
  auto const& all = library_functions();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].name == name) numbers.push_back(static_cast<int>(k));
  int const first = operands[0];
  for (int tries = 0; tries < 4; ++tries)
    if (int const v = call_library(dice_.pick(numbers), operands); v >= 0) return v;
  return first;
}

int generator::library_idiom(int a, int b) {
  int const rank = of(a).type.rank;
  std::vector<int> reversed;
  for (int d = rank - 1; d >= 0; --d) reversed.push_back(d);
  std::vector<int> const axes = random_axes(rank);
  std::string_view const increasing = dice_.pick({"exp", "tanh", "sigmoid", "atan", "sqrt", "log1p"});
  std::string_view const write = dice_.pick({"set", "inc"});
  switch (dice_.below(38)) {
    case 0: return lib(dice_.pick({"argmax", "argmin"}), {f(increasing, a)});
    case 1: return lib(dice_.pick({"argmax", "argmin"}), {with("*", a, dice_.pick({2., -1., 0.5}))});
    case 2: return part(lib(dice_.pick({"concatenate", "stack"}), {a, b}));
    case 3: return reduce(dice_.pick({"sum", "max", "min", "prod"}), lib(dice_.pick({"concatenate", "stack"}), {a, b}), axes, dice_.one_in(2));
    case 4: return part(lib(write, {a}));
    case 5: return lib(write, {lib(write, {a})});
    case 6: return reduce("sum", lib(write, {a}), axes, dice_.one_in(2));
    case 7: return with("*", part(lib(write, {f("zeros_like", a)})), 3);
    case 8: return f("+", lib("set", {f("zeros_like", a)}), lib("set", {f("zeros_like", a)}));
    case 9: return lib("take", {lib("take", {a})});
    case 10: return with("*", lib("take", {a}), dice_.pick({2., -0.5}));
    case 11: return lib("take_along_axis", {a, lib("argsort", {a})});
    case 12: return lib("sort", {lib("sort", {a})});
    case 13: return lib("index", {lib("sort", {a})});
    case 14: return lib("diag", {lib("diag", {a})});
    case 15: return lib("diag", {dot(a, b)});
    case 16: return lib("trace", {dot(a, b)});
    case 17: return lib("diag", {view(call_kind::dimshuffle, a, reversed)});
    case 18: return dot(lib("diag", {a}), b);
    case 19: return dot(lib("inverse", {a}), b);
    case 20: return lib("inverse", {view(call_kind::dimshuffle, a, reversed)});
    case 21: return f("log", f("abs", lib("det", {a})));
    case 22: return dot(lib("cholesky", {a}), b);
    case 23: return lib("flip", {lib("flip", {a})});
    case 24: return lib("cumsum", {with("*", a, 2)});
    case 25: return reduce("sum", f("sqr", f("-", a, lib("roll", {a}))), axes, false);
    case 26: return f("/", f("-", a, lib("norm", {a})), lib("stddev", {a}));
    case 27: return lib("split", {lib("concatenate", {a, b})});
    case 28: return lib("crossentropy", {f("+", a, b)});
    case 29: return lib("mask", {a, with(">", a, 0)});
    case 30: return lib("mask", {a, f("<", a, b)});
    case 31: return lib(dice_.pick({"multiclass_hinge", "crossentropy"}), {a});
    case 32: return lib("einsum", {a, b});
    case 33: return lib("jacobian", {f("*", f("sin", a), b), a});
    case 34: return lib("jacobian", {lib(dice_.pick({"cumsum", "cumprod", "sort", "take", "diag", "solve", "inverse"}), {a}), a});
    case 35: return lib("vmap", {lib("stack", {a, b})});
    case 36: return lib(dice_.pick({"index", "take", "take_along_axis"}), {f("+", a, b)});
    default: return dot(dot(a, b), lib("triu", {b}));
  }
}

}  // namespace fuzz
