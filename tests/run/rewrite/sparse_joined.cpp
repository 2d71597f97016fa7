// Products of joined sparse matrices: what is computed for the gradient by one of them, and what is
// asked of each.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <sstream>

namespace sparse_joined {

using namespace reference;

namespace {

/// How many steps of a function are products of a sparse matrix with a dense one.
template <class F>
int products_in(F const& f) {
  std::ostringstream out;
  kt::debugprint(f, out);
  std::string const text = out.str();
  int found = 0;
  for (std::size_t at = text.find("\nsteps"); at != std::string::npos; ++found)
    at = text.find("csr_", at + 1);
  return found - 1;
}

kt::csr_array<double> made(double first) {
  return {std::vector{first, 2., -1., 0.5}, std::vector{0, 2, 1, 0}, std::vector{0, 2, 3, 4}, {3, 3}};
}

}  // namespace

TEST_CASE("the gradient by one of two joined sparse matrices computes products of that", "[sparse]") {
  auto const beside = kt::function(
      [](kt::csr<double> a, kt::csr<double> b, kt::dmatrix x) {
        return grad(sum(sqr(dot(3 * hstack(a, b).T(), x))), a);
      },
      kt::mode::interpret);
  auto const below = kt::function(
      [](kt::csr<double> a, kt::csr<double> b, kt::dmatrix x) {
        return grad(sum(exp(dot(vstack(a, b), x))), b);
      },
      kt::mode::interpret);
  CHECK(products_in(beside) == 1);
  CHECK(products_in(below) == 1);

  auto const a = made(1), b = made(3);
  mat<double> const x{{1, 2}, {-1, 0.5}, {2, 0.25}}, of_a = a.to_dense(), of_b = b.to_dense();
  // Of sum((3 * dot(a.T(), x))**2): 18 * x dot(x.T(), a), at the places of a.
  auto const by_a = beside(a, b, x).to_dense();
  auto const by_b = below(a, b, x).to_dense();
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double square = 0, power = 0;
      for (std::size_t c = 0; c < 2; ++c) {
        double column = 0, row = 0;
        for (std::size_t k = 0; k < 3; ++k) column += of_a(k, j) * x(k, c), row += of_b(i, k) * x(k, c);
        square += 18 * x(i, c) * column;
        power += std::exp(row) * x(j, c);
      }
      CHECK(by_a(i, j) == Approx(of_a(i, j) != 0 ? square : 0));
      CHECK(by_b(i, j) == Approx(of_b(i, j) != 0 ? power : 0));
    }
}

TEST_CASE("joined sparse matrices have as many values as indices", "[sparse]") {
  kt::runtime::graph g;
  auto const values = g.input<double, 1>("values"), x = g.input<double, 1>("x");
  auto const index = g.input<std::int32_t, 1>("index"), start = g.input<std::int32_t, 1>("start");
  kt::csr<double> const a{{}, values, index, start, x.shape(0)};
  vec<std::int32_t> const at{0, 2, 1, 2}, lines{0, 2, 2, 4};
  auto const check = [&](auto const& form) {
    auto const f = g.function({values, x, index, start}, form);
    CHECK_THROWS_AS(f(vec<double>{1, 3, 2}, vec<double>{1, 2, 4}, at, lines), kt::shape_error);
    CHECK_THROWS_AS(f(vec<double>{1, 3, 2, 4, 5}, vec<double>{1, 2, 4}, at, lines), kt::shape_error);
    f(vec<double>{1, 3, 2, 4}, vec<double>{1, 2, 4}, at, lines);
  };
  check(dot(hstack(a, a).T(), x));
  check(dot(vstack(a, a), x));
  check(vstack(a, 2 * a).data());
}

TEST_CASE("pieces of a sparse matrix whose values are too few are refused", "[sparse]") {
  kt::runtime::graph g;
  auto const values = g.input<double, 1>("values"), x = g.input<double, 1>("x");
  auto const index = g.input<std::int32_t, 1>("index"), start = g.input<std::int32_t, 1>("start");
  auto const k = g.input<std::int64_t, 0>("k");
  auto const list = g.input<std::int64_t, 1>("list");
  kt::csr<double> const own{{}, values, index, start, x.shape(0)};
  vec<std::int32_t> const at{0, 1, 2, 0, 1, 2}, lines{0, 3, 6};
  vec<double> const extent(std::array<std::size_t, 1>{4});
  auto const check = [&](auto const& form) {
    auto const f = g.function({values, x, index, start, k, list}, form);
    vec<std::int64_t> const rows{1, 0};
    CHECK_THROWS_AS(f(vec<double>{1, 2}, extent, at, lines, std::int64_t{1}, rows), kt::shape_error);
    CHECK_THROWS_AS(f(vec<double>{1, 2, 3, 4, 5, 6, 7}, extent, at, lines, std::int64_t{1}, rows),
                    kt::shape_error);
    f(vec<double>{1, 2, 3, 4, 5, 6}, extent, at, lines, std::int64_t{1}, rows);
  };
  using kt::slice;
  check(own(slice(), slice(1, 3)).data());
  check(own(slice(), slice(0, 4, 2)).data());
  check(own(slice(), list).data());
  check(own(slice(0, 2, 2)).data());
  check(own(list).data());
  check(own(slice(), k));
  check(kt::tril(own).data());
  check(kt::triu(own).data());
  check(own.T()(slice(1, 3)).data());
  check(grad(sum(sqr(kt::tril(own).data())), values));
  auto const row = g.function({values, x, index, start, k}, own(k));
  CHECK_THROWS_AS(row(vec<double>{1, 2}, extent, at, lines, std::int64_t{1}), kt::shape_error);
}

}  // namespace sparse_joined
