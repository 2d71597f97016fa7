// Expressions in which the rules that are functions apply, as functions of three tensors of one
// type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/kroton.hpp>
#include <kroton/ops/linear_algebra/triangles.hpp>
#include <kroton/ops/shapes/extents.hpp>

namespace rewrite_test {

namespace kt = kroton;

struct rule_expression {
  char const* text;
  kt::tensor_type type;
  kt::term (*record)(kt::term, kt::term, kt::term);
};

#define RULE_EXPRESSION(type, ...)                                          \
  {#__VA_ARGS__, type, [](kt::term a, kt::term b, kt::term c) -> kt::term { \
     return (void)a, (void)b, (void)c, __VA_ARGS__;                         \
   }}

inline std::vector<rule_expression> rule_expressions() {
  using kt::dmatrix, kt::slice;
  static constexpr auto csr = [](kt::term x) { return kt::csr_from_dense(dmatrix(x)); };
  static constexpr auto row = [](kt::term x) { return dmatrix(x)(0); };
  static constexpr auto upright = [](kt::term x) { return kt::dimshuffle<0, 'x'>(dmatrix(x)(0)); };
  static constexpr auto full = [](kt::term x) { return dmatrix(x); };
  static constexpr auto diagonal_of = [](kt::term x, auto columns) {
    auto const n = kt::dvector(x).shape(0);
    return csr_from_parts(kt::dvector(x), kt::arange(n), kt::arange(n + 1), n, columns);
  };
  // One matrix for many right-hand sides, as maps write it
  static constexpr auto for_each_system = [](kt::term a, kt::term b, auto of) {
    auto const matrices = kt::dtensor4(a)(0);
    return kt::vmap<0>([&](auto right) { return kt::vmap<0, 1>(of)(matrices, right); })(
        kt::dtensor4(b)(0));
  };
  static constexpr auto diagonal = [](kt::term x) {
    return diagonal_of(x, kt::dvector(x).shape(0));
  };
  kt::tensor_type const number{kt::element::float64, 0, 0}, vector{kt::element::float64, 1, 0},
      matrix{kt::element::float64, 2, 0}, column{kt::element::float64, 2, 2},
      planes{kt::element::float64, 4, 0}, ints{kt::element::int64, 1, 0},
      bools{kt::element::boolean, 1, 0}, complexes{kt::element::complex128, 2, 0};
  return {
      RULE_EXPRESSION(number, log(a + 1) - log(a) + atan(c + 1) - atan(c)),
      RULE_EXPRESSION(number, (-b + sqrt(b * b - 4 * a * c)) / (2 * a) + sqrt(2 * sqr(a - b))),
      RULE_EXPRESSION(number, log(a * b + sqrt(sqr(a) * sqr(b) + 1)) + log((1 + c) / (1 - c))),
      RULE_EXPRESSION(number, pow(a + 1, b) - pow(a, b) + 2 * (pow(1 + b / c, c) - 1)),
      RULE_EXPRESSION(number, (a + 1) * log(a + 1) - a * log(a) + exp(sin(b * c) - b * c)),
      RULE_EXPRESSION(number, 1 / (a + 1) - 2 / a + 1 / (a - 1)),
      RULE_EXPRESSION(number, sqr(a + b) - sqr(a)),
      RULE_EXPRESSION(number, (1 - cos(a)) / sin(a) + tan(b * c) / sin(b * c)),
      RULE_EXPRESSION(number,
                      log(a) / log(kt::term{a.of, a.of->literal(10, kt::element::float64)})),
      RULE_EXPRESSION(matrix, abs(a * b) + sgn(2 * a) + log(sqrt(b)) + log(sqr(c))),
      RULE_EXPRESSION(
          matrix, where(a > 0, b, 0) + where(a > 0, 0, c) + where(a > 1, where(a > 1, b, c), a)),
      RULE_EXPRESSION(matrix, b * where(a > 0, c, 1) + c * where(a > 0, -1, b) -
                                  sin(b) * where(b > 0, a, 1) + where(b > 0, c, a)),
      RULE_EXPRESSION(matrix, sum(where(a > 0, b, 0)) + sum(where(a > 0, 0, c)) +
                                  sum(where(b > 0, 0, a)) + sum(where(b > 0, c, 0))),
      RULE_EXPRESSION(
          matrix, sum(where(a > 0, 2 * a * b, b * c)) + sum(where(a > 0, a * c, b), kt::axis<0>)),
      RULE_EXPRESSION(matrix, where(~(a > 0), b, c) + where(eq(a, a), b, c)),
      RULE_EXPRESSION(matrix, ifelse(sum(a) > 0, b, b)),
      RULE_EXPRESSION(bools, (a ^ a) | b),
      RULE_EXPRESSION(ints, floordiv(a, 1) + maximum(kt::lvector(a).shape(0), 0)),
      RULE_EXPRESSION(matrix, kt::cast<float>(kt::cast<double>(kt::cast<float>(a)))),
      RULE_EXPRESSION(matrix, kt::cast<double>(where(a > 0, 1, -1)) * b),
      RULE_EXPRESSION(matrix,
                      transpose(transpose(a)) + transpose(zeros_like(a)) + transpose(exp(b) + c)),
      RULE_EXPRESSION(matrix, dmatrix(a)(kt::slice(0, dmatrix(a).shape(0)))),
      RULE_EXPRESSION(matrix,
                      dmatrix(transpose(a))(0) + dmatrix(dmatrix(b)(kt::slice(1, kt::none)))(0)),
      RULE_EXPRESSION(matrix, dmatrix(dmatrix(a)(kt::slice(1, kt::none)))(kt::slice(2, kt::none))),
      RULE_EXPRESSION(matrix, kt::reshape<2>(kt::reshape<3>(dmatrix(a), 2, 2, -1), 2, -1)),
      RULE_EXPRESSION(matrix, kt::reshape<2>(dmatrix(a), dmatrix(a).shape(0), dmatrix(a).shape(1))),
      RULE_EXPRESSION(matrix, transpose(dot(2 * a, b)) + dot(zeros_like(a), b)),
      RULE_EXPRESSION(matrix, dot(a, zeros_like(b) + upright(c)) + dot(zeros_like(a) + row(b), c) +
                                  dot(a, zeros_like(b) + row(c)) + dot(ones_like(a), b)),
      RULE_EXPRESSION(matrix, a - dot(row(b), ones_like(c)) + dot(a, ones_like(row(c)))),
      RULE_EXPRESSION(matrix, dmatrix(dot(a, b))(1, 2) + 0 * sum(c)),
      RULE_EXPRESSION(column, dot(a, transpose(b))),
      RULE_EXPRESSION(matrix, batched_dot(kt::dimshuffle<0, 'x', 1>(full(a)),
                                          exp(kt::dimshuffle<0, 1, 'x'>(full(b)) -
                                              kt::dimshuffle<'x', 0, 1>(full(c)))) *
                                  batched_dot(kt::dimshuffle<0, 'x', 'x'>(row(a)),
                                              kt::dimshuffle<0, 'x', 1>(full(b)))),
      RULE_EXPRESSION(matrix, dot(kt::stack<1>(exp(row(a)), row(b)), row(c)(slice(0, 2))) *
                                  dot(kt::stack<0>(row(a), sin(row(b))), row(c))(0)),
      RULE_EXPRESSION(matrix, max(-2 * a) + sum(3 * a) + sum(sum(b, kt::axis<0>)) +
                                  sum(ones_like(a)) + sum(transpose(a), kt::axis<1, 0>)),
      RULE_EXPRESSION(matrix, sum(transpose(a), kt::axis<0>) + sum(b, kt::axis<0>, kt::keepdims)),
      RULE_EXPRESSION(column, sum(a, kt::axis<1>)),
      RULE_EXPRESSION(matrix, (a / b + c) * b),
      RULE_EXPRESSION(matrix, exp(a) / sum(exp(a), kt::axis<1>, kt::keepdims) +
                                  softmax(b - max(b, kt::axis<1>, kt::keepdims))),
      RULE_EXPRESSION(matrix, log_softmax(a) + softmax(b) + logsumexp(c + sum(b)) - sum(b) +
                                  (a - log(sum(exp(a), kt::axis<1>, kt::keepdims)))),
      RULE_EXPRESSION(
          matrix, kt::ops::reduce(kt::core::identity<kt::op::largest_exponent>(), a, 2ll, false) +
                      kt::ops::reduce(kt::core::identity<kt::op::relative_sum>(), b, 2ll, false)),
      RULE_EXPRESSION(number, log(exp(a) + exp(b)) + (1 - erf(a)) + exp(a) / (1 + exp(a)) +
                                  sigmoid(b) / sigmoid(-b)),
      RULE_EXPRESSION(number, sigmoid(b) / sigmoid(-b)),
      RULE_EXPRESSION(number, (exp(a) + exp(-a)) + b * exp(-c * c) / erfc(c)),
      RULE_EXPRESSION(matrix, argmax(exp(a), kt::axis<0>) + argmin(softmax(a), kt::axis<1>)),
      RULE_EXPRESSION(matrix, argmax(kt::cast<double>(eq(a, min(a, kt::axis<1>, kt::keepdims))),
                                     kt::axis<1>)),
      RULE_EXPRESSION(matrix, log(1 + sum(exp(a))) + log(mean(exp(b))) + log(prod(exp(c)))),
      RULE_EXPRESSION(
          matrix, kt::ops::alloc(zeros_like(a), {kt::ops::extent(a, 0), kt::ops::extent(a, 1)})),
      RULE_EXPRESSION(complexes, complex(real(a), imag(a)) + real(conj(b)) + abs(conj(c))),
      RULE_EXPRESSION(complexes, ifft(fft(a)) + fft(fft(2 * b), kt::axis<0>)),
      RULE_EXPRESSION(matrix, irfft(rfft(a), dmatrix(a).shape(1)) + irfft(2 * rfft(b), 3) + 0 * c),
      RULE_EXPRESSION(complexes, sqr(abs(a)) + sgn(b) * abs(b) + conj(b * c) + sgn(c) * conj(c)),
      RULE_EXPRESSION(matrix, sum(csr_from_dense(dmatrix(a)) * dmatrix(dot(b, c)))),
      RULE_EXPRESSION(matrix, dot(dense_from_sparse(csr_from_dense(dmatrix(a))), b) + c),
      RULE_EXPRESSION(matrix, dot(dot(csr(a), csr(b)), full(c)) +
                                  dot(dot(csr(a).T(), csr(b)), full(c)) +
                                  dot(csr(c) + csr(b).T(), full(a))),
      RULE_EXPRESSION(matrix, dot(vstack(csr(a), csr(b)), full(c)) +
                                  dot(hstack(csr(a), csr(b)).T(), full(c))),
      RULE_EXPRESSION(matrix, sum(sampling_dot(kt::concatenate<0>(full(a), full(b)), full(c),
                                               vstack(csr(a), csr(b))))),
      RULE_EXPRESSION(matrix,
                      sum(sampling_dot(full(c), kt::concatenate<0>(full(a), full(b)),
                                       hstack(csr(a), csr(b)))) +
                          grad(sum(dot(hstack(csr(a), csr(b)).T(), full(c)) *
                                   kt::concatenate<0>(full(b), full(c))),
                               full(a))),
      RULE_EXPRESSION(matrix, dot(csr(b), row(c)) - 2. * dot(csr(b), row(a))),
      RULE_EXPRESSION(matrix, dot(csr(a) * row(b), row(c)) + 2. * dot(3. * csr(a), full(c)) +
                                  dot(dot(upright(b) * csr(a), full(c)), full(b)) +
                                  dot(csr(a), upright(c) * dot(full(b), full(c))) +
                                  dot(csr(a), 2. * full(b) * sum(full(c)))),
      RULE_EXPRESSION(matrix, dot(csr(a), upright(b)) + dot(dot(csr(a), full(c)), row(b)) +
                                  dot(diagonal(row(b)), full(c)) + diag(dot(csr(a), csr(b)))),
      RULE_EXPRESSION(
          matrix,
          dot(diagonal_of(row(a), kt::cast<std::int64_t>(4.1 + 0.1 * min(full(a)))), full(b)) + c),
      RULE_EXPRESSION(matrix, sum(dot(csr(a), csr(c))) + sum(csr(a) + csr(b)) +
                                  sum(csr(a) * exp(full(b))) +
                                  sum(dot(diagonal(row(c)), csr(a))) +
                                  sum(sampling_dot(upright(b), upright(c), csr(a) * row(c)))),
      RULE_EXPRESSION(matrix, grad(sum(sqr(dot(dot(csr(a), csr(b)), row(c)))), full(b))),
      RULE_EXPRESSION(matrix, grad(sum(sqr(dot(csr(a) + csr(b), row(c)))), full(a)) +
                                  grad(sum(sqr(dot(dot(csr(a).T(), csr(b)), row(c)))), full(b))),
      RULE_EXPRESSION(
          vector, grad(sum(sqr(dot(diagonal(a) * kt::dvector(b), kt::dvector(c)))), kt::dvector(b))),
      RULE_EXPRESSION(matrix, matrix_inverse(matrix_inverse(a)) + matrix_inverse(transpose(b)) +
                                  dot(matrix_inverse(c), b)),
      RULE_EXPRESSION(matrix, solve(cholesky(a), b) +
                                  cholesky(dot(cholesky(a), transpose(cholesky(a)))) +
                                  log(det(cholesky(a)))),
      RULE_EXPRESSION(matrix,
                      det(transpose(a)) + log(det(a)) + trace(dot(a, b)) + sum(diag(transpose(c)))),
      RULE_EXPRESSION(vector, dot(diag(a), b) + dot(matrix_inverse(diag(b)), c)),
      RULE_EXPRESSION(vector,
                      pinv(diag(a)) + expm(diag(b)) + sqrtm(diag(sqr(a))) + logm(diag(exp(c)))),
      RULE_EXPRESSION(vector, svdvals(diag(a)) + eigvalsh(diag(c))),
      RULE_EXPRESSION(matrix, expm(kt::identity_like(a)) + sqrtm(kt::identity_like(b)) +
                                  logm(kt::identity_like(c))),
      RULE_EXPRESSION(matrix, inc_subtensor(dmatrix(a)(0), dmatrix(b)(1))(0) +
                                  inc_subtensor(dmatrix(b)(0), 0 * dmatrix(a)(0))),
      RULE_EXPRESSION(matrix, set_subtensor(dmatrix(a)(slice(0, dmatrix(a).shape(0))), b) +
                                  set_subtensor(set_subtensor(dmatrix(c)(0), 1)(0), 2)),
      RULE_EXPRESSION(matrix, set_subtensor(dmatrix(a)(0), 1. + dmatrix(a)(0))),
      RULE_EXPRESSION(matrix, a - sum(b) * inc_subtensor(dmatrix(zeros_like(a))(0), 3.)),
      RULE_EXPRESSION(matrix, a + set_subtensor(dmatrix(zeros_like(a))(1), 2.)),
      RULE_EXPRESSION(
          matrix, a - sum(b) * inc_subtensor(dmatrix(zeros_like(a))(kt::dmatrix(a).shape()), 3.)),
      RULE_EXPRESSION(matrix,
                      dmatrix(a) - sum(b) * grad(sum(sqr(kt::take_along_axis(
                                                     dmatrix(a), kt::cast<std::int64_t>(dmatrix(c)),
                                                     kt::axis<1>))),
                                                 dmatrix(a))),
      RULE_EXPRESSION(matrix,
                      exp(roll(dmatrix(a), 1, kt::axis<0>)) +
                          kt::concatenate<0>(2 * dmatrix(b)(slice(1, kt::none)) - dmatrix(c)(0),
                                             2 * dmatrix(b)(slice(1)) - dmatrix(c)(0)) +
                          grad(sum(sqr(dmatrix(c) - roll(dmatrix(c), 1, kt::axis<1>))), c)),
      RULE_EXPRESSION(matrix,
                      kt::concatenate<0>(dmatrix(a)) +
                          kt::concatenate<0>(dmatrix(b)(slice(1)), dmatrix(b)(slice(1, kt::none)))),
      RULE_EXPRESSION(matrix, sum(kt::stack(dmatrix(a), dmatrix(b)), kt::axis<0>) +
                                  kt::stack(dmatrix(a), dmatrix(c))(1) + dmatrix(a).shape()(0)),
      RULE_EXPRESSION(matrix, a * set_subtensor(dmatrix(zeros_like(a))(1), 2.) +
                                  set_subtensor(dmatrix(b)(0), 1.)(1)),
      RULE_EXPRESSION(matrix, a * kt::ops::diagonal_matrix(dmatrix(b)(0)) +
                                  a * kt::ifelse(sum(c) > 0, b, zeros_like(b))),
      RULE_EXPRESSION(
          matrix,
          dmatrix(a)(0) * sum(inc_subtensor(dmatrix(zeros_like(b))(0, 1), sum(c)), kt::axis<0>)),
      RULE_EXPRESSION(matrix, a * (kt::ifelse(sum(c) > 0, b, zeros_like(b)) +
                                   kt::ops::diagonal_matrix(dmatrix(b)(0)))),
      RULE_EXPRESSION(matrix, kt::ifelse(sum(c) > 0, kt::ifelse(sum(c) > 0, a, b) / b, c)),
      RULE_EXPRESSION(matrix, kt::ifelse(sum(c) > 0, kt::ifelse(sum(c) > 0, a, b), c)),
      RULE_EXPRESSION(matrix, log(c * exp(a) + exp(b)) + exp(a) / (exp(a) + exp(b) + exp(c)) +
                                  exp(a) * (b + 1 / (exp(a) + exp(b) + exp(c)))),
      RULE_EXPRESSION(matrix, log(det(kt::tril(dmatrix(a)))) + log(abs(det(kt::triu(dmatrix(b))))) +
                                  kt::solve(kt::tril(dmatrix(a)), b)),
      RULE_EXPRESSION(matrix,
                      kt::solve(dot(std::get<1>(kt::eigh(a)),
                                    kt::tril(dmatrix(a)) + kt::identity_like(dmatrix(a))),
                                b) +
                          matrix_inverse(dot(kt::tril(dmatrix(c)), std::get<1>(kt::eigh(c))))),
      RULE_EXPRESSION(matrix, matrix_inverse(kt::tril(dmatrix(a))) +
                                  dot(matrix_inverse(kt::triu(dmatrix(b))), c) +
                                  kt::tril(dmatrix(matrix_inverse(kt::triu(dmatrix(b))))) +
                                  std::get<1>(kt::slogdet(kt::tril(dmatrix(c))))),
      RULE_EXPRESSION(matrix, sinh(a) / cosh(a)),
      RULE_EXPRESSION(matrix, dot(a, sum(b, kt::axis<1>, kt::keepdims))),
      RULE_EXPRESSION(matrix, log(minimum(sigmoid(a), c)) + log(maximum(sigmoid(a), sigmoid(b))) +
                                  log2(softmax(c))),
      RULE_EXPRESSION(matrix, log(kt::cast<float>(sigmoid(a)))),
      RULE_EXPRESSION(matrix, cholesky(kt::identity_like(dmatrix(a)))),
      RULE_EXPRESSION(matrix, where(a > 0, b, c) / where(a > 0, c, b) +
                                  maximum(where(a > 1, b, c), where(a > 1, a, b))),
      RULE_EXPRESSION(matrix, inc_subtensor(dmatrix(zeros_like(a))(0), dmatrix(b)(0))),
      RULE_EXPRESSION(matrix, inc_subtensor(dmatrix(a)(0), set_subtensor(kt::dvector(zeros_like(
                                                               dmatrix(b)(0)))(0), sum(c)))),
      RULE_EXPRESSION(
          matrix,
          a - sum(b) * inc_subtensor(dmatrix(inc_subtensor(dmatrix(zeros_like(a))(0), 3.))(1), 4.)),
      RULE_EXPRESSION(
          matrix, a * inc_subtensor(dmatrix(inc_subtensor(dmatrix(zeros_like(b))(0), 3.))(1), 4.)),
      RULE_EXPRESSION(number, det(kt::block_diagonal(dmatrix(a), dmatrix(b)))),
      RULE_EXPRESSION(matrix, dot(kt::block_diagonal(dmatrix(a), dmatrix(b)),
                                  kt::concatenate<0>(dmatrix(a), dmatrix(c)))),
      RULE_EXPRESSION(matrix, kt::block_diagonal(dmatrix(a), dmatrix(b)) +
                                  expm(kt::block_diagonal(dmatrix(a), dmatrix(b))) +
                                  cholesky(kt::block_diagonal(dmatrix(a), dmatrix(b)))),
      RULE_EXPRESSION(matrix, grad(det(kt::block_diagonal(dmatrix(a), dmatrix(b))), dmatrix(a))),
      RULE_EXPRESSION(matrix, matrix_inverse(kt::block_diagonal(dmatrix(a), dmatrix(b)))),
      RULE_EXPRESSION(matrix,
                      solve(kt::block_diagonal(dmatrix(a), dmatrix(b)),
                            kt::concatenate<0>(dmatrix(a), dmatrix(c))) +
                          std::get<0>(kt::slogdet(kt::block_diagonal(dmatrix(a), dmatrix(b)))) *
                              std::get<1>(kt::slogdet(kt::block_diagonal(dmatrix(b), dmatrix(c))))),
      RULE_EXPRESSION(vector, std::get<0>(kt::eigh(kt::block_diagonal(dmatrix(a), dmatrix(b)))) +
                                  kt::diag(kt::block_diagonal(dmatrix(a), dmatrix(b)))),
      RULE_EXPRESSION(number, exp(2 * log(a)) + expm1(3 * log(b))),
      RULE_EXPRESSION(matrix, b * where(eq(a, 0), a, c) + where(eq(0, b), b, c)),
      RULE_EXPRESSION(matrix,
                      sum(kt::unique(kt::repeat(dmatrix(a), 2))) +
                          kt::unique(kt::tile(dmatrix(b), 2)) * kt::unique(sum(dmatrix(c)))(0)),
      RULE_EXPRESSION(number, sigmoid(log((1 - a) / a)) + a * sigmoid(b) / sigmoid(-b)),
      RULE_EXPRESSION(matrix, sum(b) * (dot(b, c) + a) + max(a) * dot(b, c) + sum(c) * dot(b, c)),
      RULE_EXPRESSION(matrix, solve(std::get<0>(kt::qr(a)), b) +
                                  matrix_inverse(std::get<0>(kt::qr(a))) +
                                  dot(kt::identity_like(dmatrix(a)), b)),
      RULE_EXPRESSION(matrix, solve(dot(transpose(a), a) + 2. * kt::identity_like(dmatrix(a)), b)),
      RULE_EXPRESSION(matrix, kt::diag(dmatrix(a + 2. * kt::identity_like(dmatrix(a))))),
      RULE_EXPRESSION(matrix, grad(sum(sqr(kt::max_pool_2d<2>(dmatrix(tanh(2 + a))))), dmatrix(a))),
      RULE_EXPRESSION(matrix,
                      sum(grad(sum(exp(kt::max_pool_2d<2>(relu(dmatrix(b))))), dmatrix(b)))),
      RULE_EXPRESSION(planes, grad(sum(sqr(kt::max_pool_2d<2>(kt::conv2d(
                                       kt::dtensor4(a), kt::dtensor4(b), kt::border::half)))),
                                   kt::dtensor4(b))),
      RULE_EXPRESSION(planes, grad(sum(exp(kt::max_pool_2d<2>(kt::conv2d(
                                       kt::dtensor4(a), kt::dtensor4(b), kt::border::half)))),
                                   kt::dtensor4(a))),
      RULE_EXPRESSION(
          matrix,
          grad(sum(exp(dmatrix(a)(kt::argsort(dmatrix(b)(slice(), 0))).T()(1))), dmatrix(a))),
      RULE_EXPRESSION(
          matrix, grad(sum(min(sum(sqr(kt::dimshuffle<0, 'x', 1>(dmatrix(a)) - dmatrix(b)),
                                   kt::axis<2>),
                               kt::axis<1>)),
                       dmatrix(b))),
      RULE_EXPRESSION(planes, for_each_system(a, b, [](auto m, auto x) { return solve(m, x); })),
      RULE_EXPRESSION(planes, for_each_system(a, b, [](auto m, auto x) {
                        return solve_triangular(m, x, kt::lower);
                      })),
  };
}
#undef RULE_EXPRESSION

}  // namespace rewrite_test
