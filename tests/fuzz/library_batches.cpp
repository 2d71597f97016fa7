// Functions mapped over a leading axis, and tensors of numbers that are written in the program.
// SPDX-License-Identifier: BSD-3-Clause
#include "library_calls.hpp"

namespace fuzz {

namespace {

// Of numbers without a sign there is no gradient.
kt::term mapped_gradient(kt::graph& g, kt::term x) {
  if (!kt::core::is_float(x.element())) return refused(g, x);
  return ranked<2, 3>(x, [](auto v) { return kt::vmap([](auto s) { return kt::grad(kt::sum(kt::cumprod(s, kt::axis<0>)), s); })(v); });
}

#define STRINGIZED(...) #__VA_ARGS__
// f of each slice s of x0.
#define MAPPED(operands, low, high, ...)                                                      \
  {"vmap", "kt::vmap([](auto s) { return " STRINGIZED(__VA_ARGS__) "; })($0)", operands, "", low, high, \
   CALL((ranked<low, high>(x0, [](auto x) { return kt::vmap([](auto s) { return __VA_ARGS__; })(x); })))}
// f of slices s and t of x0 and x1.
#define MAPPED_PAIR(left, right, ...)                                                                               \
  {"vmap", "kt::vmap<0, 1>([](auto s, auto t) { return " STRINGIZED(__VA_ARGS__) "; })($0, $1)", "rr", "", left, left, \
   CALL(x1.rank() != right ? refused(g, x0)                                                                          \
                           : kt::term(kt::vmap<0, 1>([](auto s, auto t) { return __VA_ARGS__; })(                    \
                                 kt::variable<double, left>(x0), kt::variable<double, right>(x1))))}

}  // namespace

void add_batches(std::vector<library_function>& to) {
  std::vector<library_function> const all{
      MAPPED("n", 1, 3, exp(s * 0.5) - s), MAPPED("n", 2, 3, kt::cumsum(s, kt::axis<0>)), MAPPED("n", 2, 3, kt::sort(s, kt::axis<0>)),
      MAPPED("n", 2, 3, kt::argmax(s)), MAPPED("n", 2, 3, kt::max(s)), MAPPED("r", 2, 3, kt::softmax(s)), MAPPED("n", 2, 3, kt::var(s)),
      MAPPED("n", 2, 3, kt::diag(s)), MAPPED("n", 2, 3, kt::flip(s)), MAPPED("n", 2, 3, kt::concatenate(s, s)), MAPPED("n", 2, 3, s(0)),
      MAPPED("n", 2, 2, kt::take(s, kt::argsort(s, kt::axis<0>), kt::axis<0>)), MAPPED("n", 3, 3, kt::trace(s)),
      MAPPED("n", 2, 2, dot(s, s)), MAPPED("n", 3, 3, dot(s, s.T())), MAPPED("n", 2, 3, kt::repeat(s, 2, kt::axis<0>)),
      MAPPED("n", 2, 3, std::get<0>(kt::topk(s, 1, kt::axis<0>))), MAPPED("n", 2, 2, kt::outer(s, s)),
      MAPPED("r", 3, 3, kt::matrix_inverse(dot(s, s.T()) + 4 * kt::identity_like(dot(s, s.T())))),
      MAPPED("r", 3, 3, kt::det(dot(s, s.T()) + 4 * kt::identity_like(dot(s, s.T())))),
      MAPPED_PAIR(2, 2, dot(s, t)), MAPPED_PAIR(3, 2, dot(s, t)), MAPPED_PAIR(2, 2, s * t), MAPPED_PAIR(2, 1, s - t), MAPPED_PAIR(3, 3, dot(s, t)),
      {"vmap", "kt::vmap([](auto s) { return kt::grad(sum(kt::cumprod(s, kt::axis<0>)), s); })($0)", "r", "", 2, 3, CALL(mapped_gradient(g, x0))},
      {"constant", "$0 * kt::constant({1., -2., 0.5})", "r", "", 0, 2, CALL((ranked<0, 2>(x0, [](auto x) { return x * kt::constant({1., -2., 0.5}); })))},
      {"constant", "$0 + kt::constant({3, 0})", "n", "", 0, 2, CALL((ranked<0, 2>(x0, [](auto x) { return x + kt::constant({3, 0}); })))},
      {"constant", "dot($0, kt::constant({{0., 1.}, {2., 0.}}))", "r", "", 1, 2,
       CALL((ranked<1, 2>(x0, [](auto x) { return dot(x, kt::constant({{0., 1.}, {2., 0.}})); })))},
      {"constant", "kt::take($0, kt::constant({1, 0, 1}) + 0 * kt::cast<std::int64_t>($0.shape(0)), kt::axis<0>)", "a", "", 1, 3,
       CALL((ranked<1, 3>(x0, [](auto x) { return kt::take(x, kt::constant({1, 0, 1}) + 0 * kt::cast<std::int64_t>(x.shape(0)), kt::axis<0>); })))},
  };
  to.insert(to.end(), all.begin(), all.end());
}

}  // namespace fuzz
