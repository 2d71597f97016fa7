// Block-diagonal matrices: what is computed of the whole matrix is computed of its blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <set>

using namespace reference;

namespace {

mat<double> const a0{{4, 1}, {-2, 3}}, b0{{2, 1, 0.5}, {1, -5, 1}, {0, 1, 3}}, s0{{4, 1}, {1, 3}}, t0{{2, 1, 0}, {1, 5, 1}, {0, 1, 3}};
vec<double> const v0{1, -2, 3, 0.5, 2};

/// The matrix of two blocks, made without Kroton.
template <class T>
mat<T> whole(mat<T> const& a, mat<T> const& b) {
  mat<T> m = xt::zeros<T>({a.shape()[0] + b.shape()[0], a.shape()[1] + b.shape()[1]});
  xt::view(m, xt::range(0, a.shape()[0]), xt::range(0, a.shape()[1])) = a;
  xt::view(m, xt::range(a.shape()[0], m.shape()[0]), xt::range(a.shape()[1], m.shape()[1])) = b;
  return m;
}

/// A product, written out.
template <class T>
mat<T> times(mat<T> const& a, mat<T> const& b) {
  mat<T> c = xt::zeros<T>({a.shape()[0], b.shape()[1]});
  for (std::size_t i = 0; i < a.shape()[0]; ++i)
    for (std::size_t j = 0; j < b.shape()[1]; ++j)
      for (std::size_t k = 0; k < b.shape()[0]; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}
vec<double> times(mat<double> const& a, vec<double> const& v) {
  vec<double> y = xt::zeros<double>({a.shape()[0]});
  for (std::size_t i = 0; i < a.shape()[0]; ++i)
    for (std::size_t k = 0; k < v.size(); ++k) y(i) += a(i, k) * v(k);
  return y;
}

/// The ops of an optimized graph. A join of matrices is named as such.
template <class F>
std::multiset<std::string> ops_of(F) {
  std::multiset<std::string> ops;
  for (auto const& node : kt::optimize(kt::graph_of(F{}), kt::stage::specialize).toposort()) {
    std::string name(node.name());
    for (auto const& x : node.outputs()) name += x.type().rank == 2 && name == "join" ? " of matrices" : "";
    ops.insert(name);
  }
  return ops;
}

}  // namespace

// What a function gives of two blocks and a vector, and of the whole matrix; and that it is computed of two blocks.
#define COMPUTES_BY_BLOCKS(op, a, b, ...)                                                                        \
  {                                                                                                              \
    constexpr auto of_blocks = [](kt::dmatrix a, kt::dmatrix b, kt::dvector v) {                                 \
      auto m = kt::block_diagonal(a, b);                                                                         \
      return (void)v, __VA_ARGS__;                                                                               \
    };                                                                                                           \
    INFO(#__VA_ARGS__);                                                                                          \
    auto const by_blocks = kt::function(of_blocks)(a, b, v0);                                                    \
    auto const by_whole = kt::function([](kt::dmatrix m, kt::dvector v) { return (void)v, __VA_ARGS__; })(whole(a, b), v0); \
    CHECK(all_close(by_blocks, by_whole));                                                                       \
    CHECK(ops_of(of_blocks).count(op) == 2);                                                                     \
  }

namespace {

bool all_close(double x, double y) { return close(x, y, 1e-12); }
constexpr auto cost = [](auto m, kt::dvector v) { return sum(v * solve(m, v)) + std::get<1>(slogdet(m)) + det(m) / 10 + sum(sqr(dot(m, v))); };
template <class X, class Y>
bool all_close(X const& x, Y const& y) {
  return x.shape() == y.shape() && xt::allclose(x, y, 1e-11, 1e-12);
}

}  // namespace

TEST_CASE("functions of a block-diagonal matrix are computed of its blocks") {
  COMPUTES_BY_BLOCKS("det", a0, b0, det(m));
  COMPUTES_BY_BLOCKS("slogdet", s0, t0, log(det(m)));
  COMPUTES_BY_BLOCKS("slogdet", a0, b0, std::get<1>(slogdet(m)));
  COMPUTES_BY_BLOCKS("slogdet", a0, b0, std::get<0>(slogdet(m)));
  COMPUTES_BY_BLOCKS("matrix_inverse", a0, b0, matrix_inverse(m));
  COMPUTES_BY_BLOCKS("matrix_inverse", a0, b0, matrix_inverse(m.T()));
  COMPUTES_BY_BLOCKS("solve", a0, b0, solve(m, v));
  COMPUTES_BY_BLOCKS("solve", a0, b0, solve(m.T(), outer(v, exp(v))));
  COMPUTES_BY_BLOCKS("solve", a0, b0, dot(matrix_inverse(m), v));
  COMPUTES_BY_BLOCKS("cholesky", s0, t0, cholesky(m));
  COMPUTES_BY_BLOCKS("expm", a0, b0, expm(m));
  COMPUTES_BY_BLOCKS("eigh", s0, t0, eigvalsh(m));
  COMPUTES_BY_BLOCKS("dot", a0, b0, dot(m, v));
  COMPUTES_BY_BLOCKS("dot", a0, b0, dot(v, m));
  COMPUTES_BY_BLOCKS("dot", a0, b0, dot(m, outer(v, exp(v))));
  COMPUTES_BY_BLOCKS("dot", a0, b0, dot(outer(v, exp(v)), m.T()));
  COMPUTES_BY_BLOCKS("dot", a0, b0, dot(m, m));
  COMPUTES_BY_BLOCKS("dot", a0, b0, dot(m, m.T()));
}

TEST_CASE("gradients by the blocks are made of the blocks") {
  constexpr auto by_blocks = [](kt::dmatrix a, kt::dmatrix b, kt::dvector v) { return grad(cost(kt::block_diagonal(a, b), v), a, b, v); };
  auto const [ga, gb, gv] = kt::function(by_blocks)(a0, b0, v0);
  auto const [gm, hv] = kt::function([](kt::dmatrix m, kt::dvector v) { return grad(cost(m, v), m, v); })(whole(a0, b0), v0);
  CHECK(xt::allclose(ga, xt::view(gm, xt::range(0, 2), xt::range(0, 2))));
  CHECK(xt::allclose(gb, xt::view(gm, xt::range(2, 5), xt::range(2, 5))));
  CHECK(xt::allclose(gv, hv));
  CHECK(ops_of(by_blocks).count("join of matrices") == 0);
  constexpr auto scalar = [](kt::dmatrix a, kt::dmatrix b) { return log(det(kt::block_diagonal(a, b))); };
  CHECK(ops_of(kt::grad<0, 1>(scalar)).count("matrix_inverse") == 2);
  kt::verify_grad([](kt::dmatrix a, kt::dmatrix b) { return sum(expm(kt::block_diagonal(a, b))); }, a0, b0);
  kt::verify_grad([](kt::dmatrix a, kt::dmatrix b) { return sum(cholesky(kt::block_diagonal(dot(a, a.T()), dot(b, b.T())))); }, a0, b0);
  kt::verify_grad([](kt::dmatrix a, kt::dmatrix b) { return det(kt::block_diagonal(a, b, a)); }, a0, b0);
  // Of a singular block the cofactors are left.
  mat<double> const singular{{1, 2}, {2, 4}};
  auto const slope = kt::function([](kt::dmatrix a, kt::dmatrix b) { return grad(det(kt::block_diagonal(a, b)), a, b); });
  auto const [sa, sb] = slope(singular, s0);
  CHECK(xt::allclose(sa, mat<double>{{44, -22}, {-22, 11}}));
  CHECK(xt::allclose(sb, mat<double>{{0, 0}, {0, 0}}));
}

TEST_CASE("block-diagonal matrices of any blocks") {
  // Rectangles, rows and numbers, as SciPy has them; element types are promoted.
  auto const f = kt::function([](kt::dmatrix a, kt::fvector r, kt::lscalar n) { return kt::block_diagonal(a, r, n, 2); });
  mat<double> const made = f(mat<double>{{1, 2, 3}, {4, 5, 6}}, vec<float>{7, 8}, 9);
  CHECK((made == mat<double>{{1, 2, 3, 0, 0, 0, 0}, {4, 5, 6, 0, 0, 0, 0}, {0, 0, 0, 7, 8, 0, 0}, {0, 0, 0, 0, 0, 9, 0}, {0, 0, 0, 0, 0, 0, 2}}));
  CHECK((kt::function([](kt::dmatrix a) { return kt::block_diagonal(a); })(a0) == a0));
  auto const integers = kt::function([](kt::lmatrix a, kt::lvector v) { return dot(kt::block_diagonal(a, a), v); });
  CHECK((integers(mat<std::int64_t>{{1, 2}}, vec<std::int64_t>{1, 1, 2, 1}) == vec<std::int64_t>{3, 4}));
  // Products with rectangles are made block by block; functions of square matrices want square blocks.
  auto const product = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dvector v) { return dot(kt::block_diagonal(a, b), v); });
  CHECK((product(mat<double>{{1, 2, 3}}, mat<double>{{1}, {1}}, vec<double>{1, 1, 1, 2}) == vec<double>{6, 2, 2}));
  CHECK_THROWS_AS(product(mat<double>{{1, 2, 3}}, mat<double>{{1}, {1}}, vec<double>{1, 1, 1}), kt::shape_error);
  auto const determinant = kt::function([](kt::dmatrix a, kt::dmatrix b) { return det(kt::block_diagonal(a, b)); });
  CHECK_THROWS_AS(determinant(mat<double>{{1, 2}}, mat<double>{{1}, {1}}), kt::shape_error);
  CHECK_THROWS_AS(determinant(mat<double>{{1, 2}}, mat<double>{{1}}), kt::shape_error);
  auto const inverse = kt::function([](kt::dmatrix a, kt::dmatrix b) { return matrix_inverse(kt::block_diagonal(a, b)); });
  CHECK_THROWS_AS(inverse(mat<double>{{1, 2}, {2, 4}}, mat<double>{{1}}), kt::linalg_error);
  auto const ieee = kt::function([](kt::dmatrix a, kt::dmatrix b) { return det(kt::block_diagonal(a, b)); }, kt::mode::ieee);
  CHECK(ieee(a0, b0) == Approx(determinant(a0, b0)));
  auto const as_written = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dvector v) { return solve(kt::block_diagonal(a, b), v); }, kt::mode::fast_compile);
  CHECK(xt::allclose(times(whole(a0, b0), as_written(a0, b0, v0)), v0));
}

TEST_CASE("eigenvalues beside eigenvectors are those of the whole matrix") {
  constexpr auto both = [](kt::dmatrix a, kt::dmatrix b) {
    auto [w, v] = eigh(kt::block_diagonal(a, b));
    return std::tuple(w, v);
  };
  CHECK(ops_of(both).count("eigh") == 1);
  auto const [w, v] = kt::function(both)(s0, t0);
  mat<double> const m = whole(s0, t0), left = times(m, v);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 5; ++j) CHECK(close(left(i, j), v(i, j) * w(j), 1e-12));
  constexpr auto slope = [](kt::dmatrix a, kt::dmatrix b) {
    auto values = eigvalsh(kt::block_diagonal(a, b));
    return std::tuple(values, grad(sum(pow(values, 3)), a));
  };
  CHECK(ops_of(slope).count("eigh") == 1);
  mat<double> const of_whole = kt::function([](kt::dmatrix x) { return grad(sum(pow(eigvalsh(x), 3)), x); })(m);
  CHECK(xt::allclose(std::get<1>(kt::function(slope)(s0, t0)), xt::view(of_whole, xt::range(0, 2), xt::range(0, 2))));
  constexpr auto vectors = [](kt::dmatrix a, kt::dmatrix b) { return std::get<1>(eigh(kt::block_diagonal(a, b))); };
  CHECK(ops_of(vectors).count("eigh") == 1);
}

TEST_CASE("a matrix that is a result is multiplied by vectors as a whole") {
  constexpr auto vectors = [](kt::dmatrix a, kt::dmatrix b, kt::dvector v) {
    auto m = kt::block_diagonal(a, b);
    return std::tuple(m, dot(m, v), dot(v, m));
  };
  CHECK(ops_of(vectors).count("dot") == 2);
  auto const [made, right, left] = kt::function(vectors)(a0, b0, v0);
  CHECK((made == whole(a0, b0)));
  CHECK(xt::allclose(right, times(made, v0)));
  CHECK(xt::allclose(left, times(mat<double>(xt::transpose(made)), v0)));
  // Products with matrices cost more than the matrix itself.
  constexpr auto matrices = [](kt::dmatrix a, kt::dmatrix b) {
    auto m = kt::block_diagonal(a, b);
    return std::tuple(m, dot(m, m));
  };
  CHECK(ops_of(matrices).count("dot") == 2);
  constexpr auto read_twice = [](kt::dmatrix a, kt::dmatrix b, kt::dvector v) {
    auto m = kt::block_diagonal(a, b);
    return std::tuple(dot(m, v), dot(v, m));
  };
  CHECK(ops_of(read_twice).count("dot") == 4);
}

TEST_CASE("blocks of numbers") {
  auto const f = kt::function([](kt::dmatrix a) {
    return kt::block_diagonal(a, kt::eye(2), kt::zeros<double>(1, 2), kt::constant({{1.f, 2.f}}), kt::constant({3, 4}));
  });
  mat<double> const made = f(mat<double>{{5}});
  CHECK((made == mat<double>{{5, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 2, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 3, 4}}));
  // Without a variable the matrix joins the graph of the first one beside it.
  auto const g = kt::function([](kt::dvector v) { return dot(kt::block_diagonal(kt::constant({{1., 2.}, {3., 4.}}), 5), v); });
  CHECK((g(vec<double>{1, 1, 2}) == vec<double>{3, 7, 10}));
  auto const h = kt::function([](kt::dmatrix a, kt::dvector v) { return std::tuple(solve(kt::block_diagonal(a, kt::eye(3)), v), det(kt::block_diagonal(2 * kt::eye(2), a))); });
  auto const [x, d] = h(s0, v0);
  CHECK(xt::allclose(times(whole(s0, mat<double>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), x), v0));
  CHECK(d == Approx(44));
}

TEST_CASE("block-diagonal matrices in other words, of three blocks, and of complex numbers") {
  // Joined by hand: of blocks that are known to be square.
  constexpr auto by_hand = [](kt::dmatrix a, kt::dmatrix b) {
    auto upper = dot(a, a.T()), lower = dot(b, b.T());
    auto n = a.shape(0), m = b.shape(0);
    return det(concatenate<0>(concatenate<1>(upper, zeros<double>(n, m)), concatenate<1>(zeros<double>(m, n), lower)));
  };
  CHECK(ops_of(by_hand).count("join of matrices") == 0);
  CHECK(kt::function(by_hand)(a0, b0) == Approx(14 * 14 * 34.5 * 34.5));
  constexpr auto three = [](kt::dmatrix a, kt::dmatrix b, kt::dvector v) { return solve(kt::block_diagonal(a, b, 2 * a), v); };
  vec<double> const v{1, 2, 3, 4, 5, 6, 7};
  mat<double> const m = whole<double>(whole(a0, b0), 2 * a0);
  CHECK(xt::allclose(times(m, kt::function(three)(a0, b0, v)), v));
  CHECK(ops_of([](kt::dmatrix a, kt::dmatrix b) { return trace(kt::block_diagonal(a, b)) / det(kt::block_diagonal(a, b)); }).count("join of matrices") == 0);
  CHECK(kt::function([](kt::dmatrix a, kt::dmatrix b) { return trace(kt::block_diagonal(a, b)); })(a0, b0) == 7);
  using C = std::complex<double>;
  mat<C> const p{{C(1, 1), 2}, {C(0, -1), 3}}, q{{C(2, -1)}};
  auto const f = kt::function([](kt::zmatrix a, kt::zmatrix b) { auto m = kt::block_diagonal(a, b); return std::tuple(det(m), matrix_inverse(m), log(det(m))); });
  auto const [d, i, l] = f(p, q);
  C const wanted = (C(1, 1) * 3. - 2. * C(0, -1)) * C(2, -1);
  CHECK(std::abs(d - wanted) < 1e-12);
  CHECK(std::abs(l - std::log(wanted)) < 1e-12);
  mat<C> const unit = times(whole(p, q), i);
  for (std::size_t j = 0; j < 9; ++j) CHECK(std::abs(unit.data()[j] - (j % 4 == 0 ? 1. : 0.)) < 1e-12);
  // Determinants out of range
  auto const size = kt::function([](kt::dmatrix a, kt::dmatrix b) { return log(det(a) * det(b)); });
  CHECK(size(1e200 * s0, 1e200 * s0) == Approx(2 * std::log(11) + 4 * 200 * std::log(10)));
  CHECK(std::isnan(size(a0, -1 * b0) + size(a0, b0)));
}
