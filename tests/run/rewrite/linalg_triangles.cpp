// Determinants, solutions and inverses of what tril, triu and eye make: the same numbers, and no factors.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <set>

using namespace reference;

namespace {

/// What a function of a square matrix and a vector gives as written and optimized, and the ops of the optimized one.
struct outcome {
  std::vector<double> written, optimized;
  std::set<std::string> ops;

  bool factorizes() const {
    for (char const* name : {"det", "solve", "matrix_inverse", "slogdet", "lu", "cholesky", "cofactors"})
      if (ops.count(name) != 0) return true;
    return false;
  }
  bool agrees() const {
    bool same = written.size() == optimized.size();
    for (std::size_t i = 0; same && i < written.size(); ++i) same = close(optimized[i], written[i], 1e-12);
    return same;
  }
};

template <class F>
outcome of(F f) {
  kt::runtime::graph g;
  auto const a = g.input<double, 2>("a");
  auto const b = g.input<double, 1>("b");
  kt::term const y = f(a, b);
  mat<double> const m{{2, 0.5, -1}, {0.25, -3, 1.5}, {1, -0.5, 0.75}};
  vec<double> const v{1, -2, 0.5};
  outcome result;
  auto numbers = [](kt::runtime::array const& x) {
    std::size_t count = 1;
    for (std::size_t e : x.shape()) count *= e;
    return std::vector<double>(x.data<double>(), x.data<double>() + count);
  };
  result.written = numbers(g.function(std::vector<kt::term>{a, b}, std::vector<kt::term>{y}, kt::mode::debug)(m, v)[0]);
  result.optimized = numbers(g.function(std::vector<kt::term>{a, b}, std::vector<kt::term>{y})(m, v)[0]);
  kt::graph const whole = [&] {
    kt::graph copy = g.recording();
    copy.results().push_back(y.id);
    kt::ops::collect_constraints(copy);
    return kt::rewrite::optimize(copy, kt::stage::specialize);
  }();
  for (int id = 0; id < whole.size(); ++id) result.ops.insert(std::string(whole[id].op->name));
  return result;
}

}  // namespace

#define NEEDS_NO_FACTORS(...)                                                                      \
  {                                                                                                \
    outcome const o = of([&](auto a, auto b) { return (void)a, (void)b, kt::term(__VA_ARGS__); }); \
    CHECK(o.agrees());                                                                             \
    CHECK(!o.factorizes());                                                                        \
  }

TEST_CASE("triangles and identities are not factorized") {
  using kt::tril, kt::triu, kt::identity_like;
  NEEDS_NO_FACTORS(det(tril(a)));
  NEEDS_NO_FACTORS(det(triu(a)));
  NEEDS_NO_FACTORS(det(triu(a).T()));
  NEEDS_NO_FACTORS(det(2 * tril(a) + identity_like(a)));
  NEEDS_NO_FACTORS(det(identity_like(a)));
  NEEDS_NO_FACTORS(log(abs(det(tril(a)))));
  NEEDS_NO_FACTORS(solve(tril(a), b));
  NEEDS_NO_FACTORS(solve(triu(a), a));
  NEEDS_NO_FACTORS(solve(tril(a).T(), b));
  NEEDS_NO_FACTORS(solve(identity_like(a), b));
  NEEDS_NO_FACTORS(matrix_inverse(triu(a)));
  NEEDS_NO_FACTORS(matrix_inverse(identity_like(a)));
  NEEDS_NO_FACTORS(dot(matrix_inverse(tril(a)), b));
  NEEDS_NO_FACTORS(dot(b, matrix_inverse(triu(a))));
  NEEDS_NO_FACTORS(std::get<1>(kt::slogdet(tril(a))));
  NEEDS_NO_FACTORS(std::get<0>(kt::slogdet(tril(a))));
  NEEDS_NO_FACTORS(std::get<0>(kt::slogdet(triu(a) - 2 * identity_like(a))) * std::get<1>(kt::slogdet(triu(a) - 2 * identity_like(a))));
  NEEDS_NO_FACTORS(std::get<0>(kt::slogdet(identity_like(a))) + std::get<1>(kt::slogdet(identity_like(a))));
  NEEDS_NO_FACTORS(cholesky(identity_like(a)));
  NEEDS_NO_FACTORS(grad(log(det(tril(a))), a));
  NEEDS_NO_FACTORS(grad(sum(solve(triu(a), b)), a));
}

TEST_CASE("sums and products of triangles are triangles") {
  using kt::tril, kt::triu, kt::eye, kt::diag, kt::identity_like;
  NEEDS_NO_FACTORS(det(triu(a) + 2 * eye<double>(3)));
  NEEDS_NO_FACTORS(solve(triu(a) + 2 * eye<double>(a.shape(0)), b));
  NEEDS_NO_FACTORS(matrix_inverse(tril(a) - diag(b)));
  NEEDS_NO_FACTORS(solve(tril(a) - diag(b), b));
  NEEDS_NO_FACTORS(det(triu(a) + diag(b)));
  NEEDS_NO_FACTORS(det(diag(b) - identity_like(a)));
  NEEDS_NO_FACTORS(std::get<1>(kt::slogdet(tril(a) - 3 * diag(b))));
  NEEDS_NO_FACTORS(solve(triu(a) * a + triu(a) / 2 - identity_like(a), a));
  NEEDS_NO_FACTORS(det(tril(a) + triu(a).T()));
  NEEDS_NO_FACTORS(solve((tril(a) + diag(b)).T(), b));
  NEEDS_NO_FACTORS(solve(triu(a) + diag(b) + 2 * triu(a) + identity_like(a), b));
  NEEDS_NO_FACTORS(solve(dot(tril(a), tril(a) + diag(b)), b));
  NEEDS_NO_FACTORS(grad(det(tril(a) + diag(b)), a));
}

TEST_CASE("gradients of determinants of triangles and diagonals are made of diagonals") {
  using kt::tril, kt::triu, kt::diag;
#define NEEDS_DIAGONALS(...)                                                                       \
  {                                                                                                \
    outcome const o = of([&](auto a, auto b) { return (void)a, (void)b, kt::term(__VA_ARGS__); }); \
    CHECK(o.agrees());                                                                             \
    CHECK(!o.factorizes());                                                                        \
    CHECK(o.ops.count("solve_triangular") == 0);                                                   \
  }
  NEEDS_DIAGONALS(grad(det(tril(a)), a));
  NEEDS_DIAGONALS(grad(det(2 * triu(a)), a));
  NEEDS_DIAGONALS(grad(det(diag(b)), b));
  NEEDS_DIAGONALS(grad(log(abs(det(tril(a)))), a));
  NEEDS_DIAGONALS(grad(std::get<1>(kt::slogdet(triu(a))), a));
  NEEDS_DIAGONALS(tril(matrix_inverse(triu(a))));
  NEEDS_DIAGONALS(triu(triu(a)) + tril(triu(a)));
#undef NEEDS_DIAGONALS
}

TEST_CASE("products of the other elements of a diagonal, of which some are 0") {
  kt::runtime::graph g;
  auto const b = g.input<double, 1>("b");
  auto const f = g.function({b}, grad(det(kt::diag(b)), b));
  CHECK((f(vec<double>{2, 3, 5}) == vec<double>{15, 10, 6}));
  CHECK((f(vec<double>{2, 0, 5}) == vec<double>{0, 10, 0}));
  CHECK((f(vec<double>{0, 0, 5}) == vec<double>{0, 0, 0}));
}

TEST_CASE("orthogonal matrices, and products of them and of triangles, are not factorized") {
  using kt::tril, kt::triu, kt::diag, kt::identity_like;
  auto const vectors = [](auto x) { return std::get<1>(kt::eigh(x)); };
  auto const values = [](auto x) { return std::get<0>(kt::eigh(x)); };
  NEEDS_NO_FACTORS(solve(vectors(a), b));
  NEEDS_NO_FACTORS(solve(vectors(a * a + 2 * a), b));
  NEEDS_NO_FACTORS(matrix_inverse(dot(vectors(a), vectors(sqr(a)).T())));
  NEEDS_NO_FACTORS(solve(dot(vectors(a), vectors(sqr(a)).T()), b));
  NEEDS_NO_FACTORS(solve(dot(tril(a), triu(a)), b));
  NEEDS_NO_FACTORS(solve(dot(tril(a) + diag(b), (tril(a) + diag(b)).T()), b));
  NEEDS_NO_FACTORS(solve(dot(tril(a * a) - diag(b), (tril(a * a) - diag(b)).T()), a));
  NEEDS_NO_FACTORS(matrix_inverse(dot(tril(a) + diag(b), (tril(a) + diag(b)).T())));
  NEEDS_NO_FACTORS(det(dot(tril(a) + diag(b), triu(a) / 2)));
  NEEDS_NO_FACTORS(solve(dot(vectors(a) * (2 + sqr(b)), vectors(a).T()), b));
  NEEDS_NO_FACTORS(solve(dot(dot(vectors(a), diag(exp(values(a)))), vectors(a).T()), b));
  NEEDS_NO_FACTORS(matrix_inverse(dot(dot(vectors(a), diag(1 + sqr(b))), vectors(a).T())));
  NEEDS_NO_FACTORS(solve(3 * vectors(a), a));
  NEEDS_NO_FACTORS(grad(sum(solve(dot(tril(a), triu(a)), b)), a));
}

TEST_CASE("an orthogonal matrix and its transpose are an identity") {
  auto const vectors = [](auto x) { return std::get<1>(kt::eigh(x)); };
#define NEEDS_NO_PRODUCT(...)                                                                      \
  {                                                                                                \
    outcome const o = of([&](auto a, auto b) { return (void)a, (void)b, kt::term(__VA_ARGS__); }); \
    CHECK((o.ops.count("dot") == 0 && o.ops.count("eigh") == 0));                                  \
    bool same = o.written.size() == o.optimized.size();                                            \
    for (std::size_t i = 0; same && i < o.written.size(); ++i)                                     \
      same = close(o.optimized[i], o.written[i], 1e-12, 1e-12);                                    \
    CHECK(same);                                                                                   \
  }
  NEEDS_NO_PRODUCT(dot(vectors(a), vectors(a).T()));
  NEEDS_NO_PRODUCT(dot(vectors(a).T(), vectors(a)));
  NEEDS_NO_PRODUCT(dot(vectors(a * a + a), vectors(a * a + a).T()));
  NEEDS_NO_PRODUCT(dot(2 * vectors(sqr(a)), vectors(sqr(a)).T()) + a);
  NEEDS_NO_PRODUCT(dot(dot(a + 1, vectors(a)), vectors(a).T()));
  NEEDS_NO_PRODUCT(dot(vectors(a).T(), dot(vectors(a), sqr(a))));
  NEEDS_NO_PRODUCT(kt::diag(dot(vectors(a), vectors(a).T())));
  CHECK(of([&](auto a, auto) { return kt::term(dot(vectors(a), vectors(a))); }).ops.count("dot") ==
        1);
  CHECK(of([&](auto a, auto) {
          return kt::term(dot(vectors(a), vectors(2 * a).T()));
        }).ops.count("dot") == 1);
}

TEST_CASE("functions of diagonals, identities and orthogonal matrices need no decomposition") {
  using kt::diag, kt::identity_like, kt::tril;
  auto const vectors = [](auto x) { return std::get<1>(kt::eigh(x)); };
#define NEEDS_NO(name, ...)                                                                        \
  {                                                                                                \
    outcome const o = of([&](auto a, auto b) { return (void)a, (void)b, kt::term(__VA_ARGS__); }); \
    CHECK((o.agrees() && o.ops.count(name) == 0));                                                 \
  }
  NEEDS_NO("expm", expm(diag(b)));
  NEEDS_NO("expm", expm(identity_like(a)) + a);
  NEEDS_NO("matrix_inverse", matrix_inverse(expm(a)));
  NEEDS_NO("expm", log(det(expm(a))));
  NEEDS_NO("sqrtm", sqrtm(diag(sqr(b))));
  NEEDS_NO("sqrtm", sqrtm(identity_like(a)) + a);
  NEEDS_NO("sqrtm", dot(sqrtm(dot(a, a.T())), sqrtm(dot(a, a.T()))));
  NEEDS_NO("logm", logm(diag(exp(b))) + logm(identity_like(a)));
  NEEDS_NO("logm", expm(logm(dot(a, a.T()))));
  NEEDS_NO("pinv", pinv(diag(b)) + pinv(identity_like(a)));
  NEEDS_NO("pinv", pinv(diag(b), 0.3));
  CHECK_THROWS_AS(of([](auto, auto b) { return kt::term(sqrtm(diag(b))); }), kt::linalg_error);
  NEEDS_NO("pinv", dot(pinv(vectors(a)), vectors(a)) + a);
  NEEDS_NO("svd", svdvals(diag(b)));
  NEEDS_NO("svd", svdvals(identity_like(a)) + svdvals(vectors(a)));
  NEEDS_NO("svd", cond(diag(b)) + cond(kt::eye<double>(a.shape(0))) + norm(diag(b), 2));
  NEEDS_NO("svd", kt::cast<double>(matrix_rank(diag(b))));
  NEEDS_NO("eigh", eigvalsh(diag(b)) * eigvalsh(identity_like(a)));
  NEEDS_NO("dimshuffle", svdvals(a.T()));
  // Vectors are not known.
  CHECK(of([](auto, auto b) { return kt::term(std::get<1>(kt::eigh(diag(b)))); }).ops.count("eigh") == 1);
  CHECK(of([](auto a, auto) { return kt::term(expm(tril(a))); }).ops.count("expm") == 1);
  // Of nothing.
  kt::runtime::graph g;
  auto const b = g.input<double, 1>("b");
  vec<double> const none(std::array<std::size_t, 1>{0});
  CHECK(g.function(std::vector<kt::term>{b}, std::vector<kt::term>{pinv(diag(b))})(none)[0].shape() == std::vector<std::size_t>{0, 0});
}

TEST_CASE("what is not a triangle, or only near one, keeps its factors") {
  CHECK(of([](auto a, auto) { return kt::term(det(kt::tril(a, 1))); }).factorizes());
  CHECK(of([](auto a, auto) { return kt::term(det(kt::tril(a) + kt::triu(a))); }).factorizes());
  CHECK(of([](auto a, auto b) { return kt::term(solve(a + kt::identity_like(a), b)); }).factorizes());
  CHECK(of([](auto a, auto b) { return kt::term(solve(kt::tril(a) + kt::diag(b) + kt::triu(a), b)); }).factorizes());
  CHECK(of([](auto a, auto b) { return kt::term(solve(kt::tril(a) + b, b)); }).factorizes());
  outcome const both = of([](auto a, auto) { return std::get<0>(kt::slogdet(a)) * std::get<1>(kt::slogdet(a)); });
  CHECK((both.factorizes() && both.agrees()));
  CHECK(of([](auto a, auto b) { return kt::term(solve(kt::dot(kt::tril(a), kt::triu(a).T() + kt::triu(a)), b)); }).factorizes());
}
