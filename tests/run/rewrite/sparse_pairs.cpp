// Products of two sparse matrices and a dense one: whichever two a call multiplies first, values,
// gradients and errors are those of the expression as written.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <random>
#include <sstream>

namespace sparse_pairs {

using namespace reference;

namespace {

using kt::csr;
template <class T>
using array_of = kt::csr_array<T>;

/// Rows of up to `most` values, every fifth without any.
template <class T>
array_of<T> made(std::size_t rows, std::size_t columns, std::size_t most, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> data;
  std::vector<int> indices, indptr{0};
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns && i % 5 != 3; ++j) {
      if (random() % columns >= most) continue;
      indices.push_back(static_cast<int>(j));
      data.push_back(static_cast<T>(static_cast<double>(random() % 9) - 4));
      if constexpr (kt::core::is_complex_number<T>) data.back() += T(0, static_cast<double>(random() % 5));
    }
    indptr.push_back(static_cast<int>(data.size()));
  }
  return {data, indices, indptr, {rows, columns}};
}
template <class T>
mat<T> dense(std::size_t rows, std::size_t columns) {
  mat<T> x(std::array{rows, columns});
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = static_cast<T>(static_cast<double>(i * 7 % 11) - 5);
  return x;
}
template <class T>
mat<T> times(mat<T> const& a, mat<T> const& b) {
  mat<T> c = xt::zeros<T>({a.shape()[0], b.shape()[1]});
  for (std::size_t i = 0; i < a.shape()[0]; ++i)
    for (std::size_t k = 0; k < a.shape()[1]; ++k)
      for (std::size_t j = 0; j < b.shape()[1]; ++j) c(i, j) = static_cast<T>(c(i, j) + a(i, k) * b(k, j));
  return c;
}

// The numbers are whole: sums in another order are the same.
template <class T>
void check() {
  auto const f = kt::function(
      [](csr<T> a, csr<T> b, kt::matrix<T> x, kt::matrix<T> y) {
        return std::tuple(dot(dot(a, b), x), dot(dot(a, a.T()), y), dot(dot(b.T(), a.T()), y),
                          dot(dot(b.T(), b), x), dot(y.T(), dot(a, b)).T());
      },
      kt::mode::interpret);
  // Narrow and wide, long between and short: with either order.
  for (std::size_t width : {1u, 2u, 5u, 900u})
    for (std::size_t between : {4u, 300u}) {
      auto const a = made<T>(11, between, between == 4 ? 2 : 40, 1),
                 b = made<T>(between, 9, 3, 2);
      mat<T> const x = dense<T>(9, width), y = dense<T>(11, width), p = a.to_dense(),
                   q = b.to_dense(), pt = xt::transpose(p), qt = xt::transpose(q);
      auto const [abx, aay, bay, bbx, yab] = f(a, b, x, y);
      CHECK((abx == times(p, times(q, x))));
      CHECK((aay == times(p, times(pt, y))));
      CHECK((bay == times(qt, times(pt, y))));
      CHECK((bbx == times(qt, times(q, x))));
      CHECK((yab == times(qt, times(pt, y))));
    }
}

}  // namespace

TEST_CASE("a call orders the products of two sparse matrices and a dense one", "[sparse]") {
  check<double>();
  check<float>();
  check<std::int64_t>();
  check<std::complex<double>>();
}

TEST_CASE("gradients of ordered products of sparse matrices", "[sparse]") {
  constexpr auto form = [](csr<double> a, kt::dmatrix x) {
    auto const y = dot(dot(a.T(), a), x);
    auto const cost = sum(sqr(y));
    return std::tuple(y, grad(cost, a), grad(cost, x), rop(y, x, x));
  };
  auto const f = kt::function(form, kt::mode::interpret);
  auto const plain = kt::function(form, kt::mode::interpret.excluding<"sparse", "sparse_pairs">());
  auto const a = made<double>(400, 6, 3, 5);
  mat<double> const x = dense<double>(6, 500);
  auto const have = f(a, x), want = plain(a, x);
  auto const same = [](auto const& p, auto const& q) { return xt::allclose(p, q, 1e-12); };
  CHECK(same(std::get<0>(have), std::get<0>(want)));
  CHECK(same(std::get<1>(have).data(), std::get<1>(want).data()));
  CHECK(same(std::get<2>(have), std::get<2>(want)));
  CHECK(same(std::get<3>(have), std::get<3>(want)));
}

TEST_CASE("which products of sparse matrices are ordered by calls", "[sparse]") {
  auto const has_choice = [](auto const& f) {
    std::ostringstream text;
    kt::debugprint(f, text);
    return text.str().find("sparse_pair_dot") != std::string::npos;
  };
  CHECK(has_choice(kt::function(
      [](csr<double> a, kt::dmatrix x) { return grad(sum(sqr(dot(dot(a.T(), a), x))), x); },
      kt::mode::interpret)));
  // One column needs no choice; what the gradient reads as well is computed anyway.
  CHECK(!has_choice(kt::function(
      [](csr<double> a, kt::dvector x) { return dot(dot(a.T(), a), x); }, kt::mode::interpret)));
  CHECK(!has_choice(kt::function(
      [](csr<double> a, kt::dmatrix x) {
        auto const y = dot(a, x);
        return std::tuple(y, dot(a.T(), y));
      },
      kt::mode::interpret)));
  CHECK(!has_choice(kt::function(
      [](csr<double> a, kt::dmatrix x) { return dot(dot(a.T(), a), x); },
      kt::mode::interpret.excluding<"sparse_pairs">())));
}

TEST_CASE("chains of several sparse matrices, and of none of their rows", "[sparse]") {
  auto const f = kt::function(
      [](csr<double> a, kt::dmatrix x) {
        auto const gram = dot(a.T(), a);
        return std::tuple(dot(dot(gram, gram), x), dot(gram, x));
      },
      kt::mode::interpret);
  auto const a = made<double>(200, 5, 3, 3);
  mat<double> const x = dense<double>(5, 900), p = a.to_dense(), pt = xt::transpose(p);
  auto const [four, two] = f(a, x);
  CHECK((four == times(pt, times(p, times(pt, times(p, x))))));
  CHECK((two == times(pt, times(p, x))));
  auto const none = array_of<double>(std::vector<double>{}, std::vector<int>{}, std::vector<int>{0}, {0, 5});
  auto const [zeros, others] = f(none, x);
  CHECK((zeros == mat<double>(xt::zeros<double>({5, 900}))));
  CHECK((others == zeros));
}

TEST_CASE("as many products of two sparse matrices as one likes", "[sparse]") {
  auto const f = kt::function(
      [](csr<double> a, kt::dmatrix x) {
        for (int k = 0; k < 34; ++k) x = dot(a.T(), dot(a, x)) * 0.5 + x;
        return x;
      },
      kt::mode::interpret);
  array_of<double> const a{std::vector<double>{2}, std::vector<int>{0}, std::vector<int>{0, 1, 1}, {2, 2}};
  mat<double> const y = f(a, dense<double>(2, 5)), x = dense<double>(2, 5);
  for (std::size_t c = 0; c < 5; ++c) {
    CHECK(y(0, c) == Approx(x(0, c) * std::pow(3, 34)));
    CHECK(y(1, c) == x(1, c));
  }
}

TEST_CASE("what products of two sparse matrices and a dense one refuse", "[sparse]") {
  auto const f = kt::function(
      [](csr<double> a, csr<double> b, kt::dmatrix x) { return dot(dot(a, b), x); },
      kt::mode::interpret);
  auto const a = made<double>(5, 40, 20, 1);
  CHECK_THROWS_AS(f(a, made<double>(41, 3, 2, 2), dense<double>(3, 50)), kt::shape_error);
  CHECK_THROWS_AS(f(a, made<double>(40, 3, 2, 2), dense<double>(4, 50)), kt::shape_error);
  // Vectors of the program's own are checked before anything is read out of bounds.
  auto const parts = kt::function(
      [](kt::dvector v, kt::ivector i, kt::ivector s, csr<double> b, kt::dmatrix x) {
        csr<double> const own{{}, v, i, s, b.shape(0)};
        return dot(dot(own, b), x);
      },
      kt::mode::interpret);
  auto const b = made<double>(40, 3, 2, 2);
  using ints = vec<std::int32_t>;
  vec<double> const two{1, 2};
  CHECK_THROWS_AS(parts(two, ints{0, 40}, ints{0, 1, 2}, b, dense<double>(3, 50)), kt::value_error);
  CHECK_THROWS_AS(parts(two, ints{0, 1}, ints{0, 3, 2}, b, dense<double>(3, 50)), kt::value_error);
}

}  // namespace sparse_pairs
