// Gradients of determinants of regular and singular matrices, against minors that are written out.
// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "run/linalg.hpp"

using namespace reference;
using linalg_test::regular;

namespace {

/// The determinant without some rows and columns, by expansion.
template <class M>
auto minor_of(M const& a, unsigned rows, unsigned columns) {
  using T = typename M::value_type;
  std::size_t const n = a.shape()[0];
  std::size_t row = 0;
  while (row < n && (rows >> row & 1u) != 0) ++row;
  if (row == n) return T(1);
  T sum(0), sign(1);
  for (std::size_t j = 0; j < n; ++j) {
    if ((columns >> j & 1u) != 0) continue;
    sum += sign * a(row, j) * minor_of(a, rows | 1u << row, columns | 1u << j);
    sign = -sign;
  }
  return sum;
}
template <class M>
auto cofactor_of(M const& a, std::size_t i, std::size_t j) {
  auto const minor = minor_of(a, 1u << i, 1u << j);
  return (i + j) % 2 == 0 ? minor : -minor;
}
/// The derivative by the element (k, l) of the sum of the cofactors times g.
template <class M, class G>
auto change_of(M const& a, G const& g, std::size_t k, std::size_t l) {
  using T = typename M::value_type;
  T sum(0);
  for (std::size_t i = 0; i < a.shape()[0]; ++i)
    for (std::size_t j = 0; j < a.shape()[0]; ++j) {
      if (i == k || j == l) continue;
      T const term = g(i, j) * minor_of(a, 1u << i | 1u << k, 1u << j | 1u << l);
      sum += (i + j + k + l + (i > k) + (j > l)) % 2 == 0 ? term : -term;
    }
  return sum;
}

constexpr auto derivatives = [](auto a, auto g) {
  auto const first = grad(det(a), a);
  return std::pair(first, grad(sum(first * g), a));
};
template <class F, class M, class G>
void check(F const& f, M const& a, G const& g) {
  auto const [first, second] = f(a, g);
  CHECK(mismatch(first, [&](auto i, auto j) { return cofactor_of(a, i, j); }, 1e-12, 1e-13) == "");
  CHECK(mismatch(second, [&](auto i, auto j) { return change_of(a, g, i, j); }, 1e-12, 1e-13) == "");
}

mat<double> const of_rank_2{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, of_rank_1{{1, 2, -1}, {2, 4, -2}, {3, 6, -3}};

}  // namespace

TEST_CASE("a determinant's gradients, of regular and singular matrices", "[linalg]") {
  auto const f = kt::function<kt::dmatrix, kt::dmatrix>(derivatives);
  check(f, regular<double>(4, 1), matrix<double>(4, 4, 2));
  check(f, mat<double>(1e-5 * regular<double>(5, 8)), matrix<double>(5, 5, 9));
  // Next to a singular matrix the inverse is far larger than the change, which singular values keep.
  for (double e : {1e-3, 1e-7, 1e-11}) check(f, mat<double>{{1, 2, 3}, {4, 5, 6}, {7, 8, 9 + e}}, matrix<double>(3, 3, 10));
  check(f, of_rank_2, matrix<double>(3, 3, 3));
  check(f, of_rank_1, matrix<double>(3, 3, 4));
  check(f, mat<double>{{0, 1}, {0, 0}}, mat<double>{{1, 2}, {3, 4}});  // of rank 1, and both pivots are 0
  check(f, mat<double>{{0, 0}, {0, 0}}, mat<double>{{1, 2}, {3, 4}});
  check(f, mat<double>{{5}}, mat<double>{{2}});
  mat<double> large = matrix<double>(5, 5, 5);
  xt::view(large, 4) = xt::view(large, 0) - 2 * xt::view(large, 3);
  check(f, large, matrix<double>(5, 5, 6));
  xt::view(large, 2) = xt::view(large, 0) + xt::view(large, 3);
  check(f, large, matrix<double>(5, 5, 7));
  mat<double> const tiny{{1e-200, 0, 0}, {0, 1e-120, 0}, {0, 0, 1e100}};  // the determinant is a subnormal number
  check(f, tiny, mat<double>(tiny / 1e-100));
  // Determinants that are subnormal numbers, or beyond the largest.
  for (mat<double> const& a : {mat<double>{{1e-160, 0}, {0, 1e-160}}, mat<double>{{1e200, 0}, {0, 1e200}},
                               mat<double>{{1e-150, 0, 0}, {0, 3e-80, 0}, {0, 0, 1e-91}}}) {
    auto const cofactors = std::get<0>(f(a, a));
    CHECK(mismatch(cofactors, [&](auto i, auto j) { return cofactor_of(a, i, j); }, 1e-12, 0) == "");
  }
  CHECK(std::get<0>(f(mat<double>{{1e-310, 0}, {0, 1}}, mat<double>{{1, 0}, {0, 1}}))(0, 0) == Approx(1));
}

TEST_CASE("gradients of determinants of small matrices in the type", "[linalg]") {
  auto const check_fixed = [](auto f, mat<double> const& a) {
    check(f, a, matrix<double>(a.shape()[0], a.shape()[0], 1));
  };
  auto const three = kt::function<kt::fixed<double, 3, 3>, kt::fixed<double, 3, 3>>(derivatives);
  check_fixed(three, of_rank_2);
  check_fixed(three, of_rank_1);
  check_fixed(kt::function<kt::fixed<double, 2, 2>, kt::fixed<double, 2, 2>>(derivatives), mat<double>{{1, 2}, {2, 4}});
  check_fixed(kt::function<kt::fixed<double, 4, 4>, kt::fixed<double, 4, 4>>(derivatives), regular<double>(4, 2));
}

TEST_CASE("gradients of determinants of complex matrices, many matrices, and by systems that share factors", "[linalg]") {
  using C = std::complex<double>;
  auto const f = kt::function([](kt::zmatrix a) { return grad(real(det(a)), a); });
  mat<C> const a{{C(1, 2), C(2, -1)}, {C(0, 5), C(0, 5) * C(2, -1) / C(1, 2)}};
  // The conjugate of the derivative is the direction in which the real part grows.
  CHECK(mismatch(f(a), [&](auto i, auto j) { return std::conj(cofactor_of(a, i, j)); }, 1e-13) == "");
  auto const both = kt::function([](kt::dmatrix m) { return std::tuple(det(m), grad(sqr(det(m)), m)); });
  mat<double> const m = regular<double>(3, 8);
  auto const [d, slope] = both(m);
  double const wanted = minor_of(m, 0, 0);
  CHECK(d == Approx(wanted));
  CHECK(mismatch(slope, [&](auto i, auto j) { return 2 * wanted * cofactor_of(m, i, j); }, 1e-12) == "");
  CHECK((std::get<1>(both(of_rank_1)) == xt::zeros<double>({3, 3})));
  auto const each = kt::function(kt::vmap<0>([](kt::dmatrix x) { return grad(det(x), x); }));
  xt::xtensor<double, 3> stack({2, 3, 3});
  xt::view(stack, 0) = of_rank_2;
  xt::view(stack, 1) = m;
  auto const slopes = each(stack);
  CHECK(slopes(0, 1, 1) == Approx(-12));
  CHECK(slopes(1, 2, 0) == Approx(cofactor_of(m, 2, 0)));
}

TEST_CASE("third derivatives of determinants, and logarithms of those out of range", "[linalg]") {
  constexpr auto third = [](kt::dmatrix a) { return sum(sin(grad(sum(grad(det(a) * sin(det(a) / 40), a) * cos(a)), a) / 10)); };
  CHECK(kt::verify_grad(third, regular<double>(3, 2)));
  auto const log_det = kt::function([](kt::dmatrix a) { return grad(log(det(a)), a); });
  mat<double> const a{{2e200, 0}, {1e200, 4e200}};
  auto const g = log_det(a);
  CHECK(g(0, 0) == Approx(5e-201));
  CHECK(g(1, 0) == 0);
  CHECK(g(0, 1) == Approx(-1.25e-201));
  CHECK_THROWS_AS(log_det(of_rank_1), kt::linalg_error);
  CHECK_THROWS_AS(kt::function([](kt::dmatrix x) { return grad(std::get<1>(slogdet(x)), x); })(of_rank_1), kt::linalg_error);
}
