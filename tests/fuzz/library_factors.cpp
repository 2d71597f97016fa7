// Factors, powers and functions of matrices.
// SPDX-License-Identifier: BSD-3-Clause
#include "library_matrices.hpp"

namespace fuzz {

void add_factors(std::vector<library_function>& to) {
  std::vector<library_function> const all{
      OF_ONE("matrix_power", "r", 2, 2, kt::matrix_power(REGULAR(x) * 0.125, 0)),
      OF_ONE("matrix_power", "r", 2, 2, kt::matrix_power(REGULAR(x) * 0.125, 2)),
      OF_ONE("matrix_power", "r", 2, 2, kt::matrix_power(REGULAR(x) * 0.125, 3)),
      OF_ONE("matrix_power", "r", 2, 2, kt::matrix_power(REGULAR(x) * 0.125, -1)),
      OF_ONE("matrix_power", "r", 2, 2, kt::matrix_power(REGULAR(x) * 0.125, -2)),
      OF_ONE("pinv", "r", 2, 2, kt::pinv(x)),
      OF_ONE("pinv", "r", 2, 2, kt::pinv(REGULAR(x))),
      OF_ONE("expm", "r", 2, 2, kt::expm(tanh(DEFINITE(x)))),
      OF_ONE("expm", "r", 2, 2, kt::expm(kt::triu(tanh(REGULAR(x))))),
      OF_ONE("lu", "r", 2, 2, std::get<0>(kt::lu(x))),
      OF_ONE("lu", "r", 2, 2, std::get<1>(kt::lu(x))),
      OF_ONE("lu", "r", 2, 2, std::get<2>(kt::lu(x))),
      OF_ONE(
          "lu", "r", 2, 2,
          std::apply([](auto order, auto l, auto u) { return dot(order, dot(l, u)); }, kt::lu(x))),
      OF_ONE("qr", "r", 2, 2, std::get<0>(kt::qr(x))),
      OF_ONE("qr", "r", 2, 2, std::get<1>(kt::qr(x))),
      OF_ONE("qr", "r", 2, 2, kt::qr(x, kt::qr_mode::r)),
      OF_ONE("qr", "r", 2, 2, std::get<0>(kt::qr(x, kt::qr_mode::complete))),
      OF_ONE("qr", "r", 2, 2, std::get<1>(kt::qr(REGULAR(x)))),
      OF_ONE("qr", "r", 2, 2, std::apply([](auto q, auto r) { return dot(q, r); }, kt::qr(x))),
      OF_ONE("qr", "r", 2, 2, dot(std::get<0>(kt::qr(x)).T(), std::get<0>(kt::qr(x)))),
      OF_ONE("svdvals", "r", 2, 2, kt::svdvals(x)),
      OF_ONE("svdvals", "r", 2, 2, kt::svdvals(REGULAR(x))),
      OF_ONE("svdvals", "r", 2, 2, sum(sqr(kt::svdvals(x)))),
      OF_ONE("svd", "r", 2, 2,
             std::apply([](auto left, auto s, auto right) { return dot(left * s, right); },
                        kt::svd(x))),
      OF_ONE("cond", "r", 2, 2, kt::cond(REGULAR(x))),
      OF_ONE("matrix_rank", "r", 2, 2, kt::matrix_rank(x)),
      OF_ONE("eigvalsh", "r", 2, 2, kt::eigvalsh(DEFINITE(x))),
      OF_ONE(
          "eigh", "r", 2, 2,
          std::apply([](auto w, auto vs) { return dot(vs * w, vs.T()); }, kt::eigh(DEFINITE(x)))),
      OF_ONE("lstsq", "r", 2, 2, kt::lstsq(x, sum(x, kt::axis<1>))),
      OF_ONE("lstsq", "r", 2, 2, kt::lstsq(x, sin(x))),
      OF_ONE("sylvester", "r", 2, 2,
             kt::solve_sylvester(REGULAR(x), DEFINITE(x), tanh(DEFINITE(x)))),
      OF_TWO("kron", 2, 2, kt::kron(x, y)),
      OF_ONE("kron", "n", 2, 2, kt::kron(x, x)),
      OF_TWO("kron", 2, 2, kt::det(kt::kron(REGULAR(x), REGULAR(y) * 0.125))),
      OF_TWO("kron", 2, 2, kt::matrix_inverse(kt::kron(REGULAR(x), DEFINITE(y)))),
  };
  to.insert(to.end(), all.begin(), all.end());
}

}  // namespace fuzz
