// Identities, triangles and orthogonal matrices: what is known of them is made use of, and values
// stay.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include <catch2/catch.hpp>

#include "static/rewrite_support.hpp"

#include <kroton/ops/linear_algebra/triangles.hpp>

using namespace rewrite_test;
using kt::dmatrix;
using kt::runtime::array;

namespace {

constexpr auto q_of = [](auto a) { return std::get<0>(kt::qr(a)); };
constexpr auto r_of = [](auto a) { return std::get<1>(kt::qr(a)); };
constexpr auto vectors_of = [](auto a) { return std::get<1>(kt::eigh(a)); };
constexpr auto identity_of = [](auto a) { return kt::identity_like(dmatrix(a)); };

array value(kt::graph g, std::vector<array> const& with) {
  kt::runtime::function<std::vector<array>> const f(
      std::make_shared<kt::runtime::program>(std::move(g), kt::runtime::builtin_kernels()));
  std::vector<array const*> list;
  for (array const& a : with) list.push_back(&a);
  std::vector<array> result;
  f.into(result, {list.data(), static_cast<int>(list.size())});
  return result[0];
}
template <class F>
void keeps_values(char const* text, F f) {
  CAPTURE(text);
  std::vector<array> with;
  for (std::size_t k = 0; k < 4; ++k) {
    array x(kt::element::float64, {4, 4});
    for (std::size_t i = 0; i < 16; ++i)
      x.data<double>()[i] =
          0.1 + static_cast<double>((7 * i + 5 * k + 3) % 16) / 16 + (i % 5 == 0 ? 2 : 0);
    with.push_back(std::move(x));
  }
  kt::graph const g = trace(f, matrix);
  array const want = value(kt::functions::prepare(g, kt::stage::as_written, {}), with);
  array const have = value(kt::mode::fast_run.prepare(g), with);
  REQUIRE(want.shape() == have.shape());
  for (std::size_t i = 0; i < want.size(); ++i)
    CHECK(have.data<double>()[i] == Approx(want.data<double>()[i]).epsilon(1e-9).margin(1e-9));
}
#define LIST(...) __VA_ARGS__
#define BECOMES(written, wanted) \
  keeps_values(#written, EXPRESSION(written)); \
  CHECK(equal(matrix, EXPRESSION(written), EXPRESSION(wanted)))

/// Whether a graph has an op after canonicalization.
template <class Op, class F>
bool has(F f) {
  kt::graph const g = optimized(f, matrix, kt::stage::canonicalize);
  for (int id = 0; id < g.size(); ++id)
    if (g.is<Op>(id)) return true;
  return false;
}

}  // namespace

#define NO_PRODUCT(...)                                \
  keeps_values(#__VA_ARGS__, EXPRESSION(__VA_ARGS__)); \
  CHECK_FALSE(has<kt::op::dot>(EXPRESSION(__VA_ARGS__)))

TEST_CASE("L2: orthogonal matrices are solved and inverted by their transpose",
          "[rewrite][linalg]") {
  BECOMES(LIST(solve(q_of(a), b) + 0 * det(q_of(a))),
          LIST(dot(transpose(q_of(a)), b) + 0 * det(q_of(a))));
  BECOMES(LIST(matrix_inverse(q_of(a))), LIST(transpose(q_of(a))));
  BECOMES(LIST(solve(transpose(q_of(a)), b) + 0 * det(q_of(a))),
          LIST(dot(q_of(a), b) + 0 * det(q_of(a))));
  BECOMES(LIST(solve(vectors_of(a), b)), LIST(dot(transpose(vectors_of(a)), b)));
  NO_PRODUCT(dot(transpose(vectors_of(a)), vectors_of(a)));
  NO_PRODUCT(dot(transpose(q_of(a)), q_of(a)));
  // Of a matrix that may have more rows than columns the rows of q are not orthonormal.
  CHECK(has<kt::op::dot>(EXPRESSION(dot(q_of(a), transpose(q_of(a))))));
}
TEST_CASE("L2: triangles and identities", "[rewrite][linalg]") {
  BECOMES(LIST(solve(r_of(a), b)), LIST(solve_triangular(r_of(a), b, kt::upper)));
  BECOMES(LIST(solve(transpose(r_of(a)), b)),
          LIST(solve_triangular(transpose(r_of(a)), b, kt::lower)));
  NO_PRODUCT(dot(kt::eye<double>(4), b));
  NO_PRODUCT(dot(b, kt::eye<double>(4)));
}
TEST_CASE("C88: diagonals of identities, triangles, transposes and of sums with them",
          "[rewrite][linalg]") {
  BECOMES(LIST(diag(identity_of(a)) + 0 * diag(a)), LIST(1 + 0 * diag(a)));
  BECOMES(LIST(diag(transpose(a), 1)), LIST(diag(a, -1)));
  BECOMES(LIST(diag(transpose(a), -2)), LIST(diag(a, 2)));
  BECOMES(LIST(diag(kt::tril(dmatrix(a * b)))), LIST(diag(a * b)));
  BECOMES(LIST(diag(kt::triu(dmatrix(a + b)))), LIST(diag(a + b)));
  BECOMES(LIST(diag(a + 2 * identity_of(a))), LIST(diag(a) + 2));
  BECOMES(LIST(diag(kt::tril(dmatrix(a)) * b)), LIST(diag(a * b)));
  CHECK_FALSE(equal(matrix, EXPRESSION(diag(kt::tril(dmatrix(a)), 1)), EXPRESSION(diag(a, 1))));
}
