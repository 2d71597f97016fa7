// Sums with products of complex matrices as one call of BLAS, and the order of their chains, against plain loops.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/complex_linalg.hpp"

using namespace complex_linalg_tests;
using namespace std::complex_literals;

namespace {

constexpr auto sums = [](auto a, auto b, auto c, auto v, auto s, auto x) {
  return std::tuple(dot(a, b) + c, 2i * dot(b, a) - 3 * c, s * b - dot(a, c), c + x * dot(c, a), c - 2 * (s * dot(b, c)), dot(a, v) - 1i * dot(c, v),
                    s * dot(conj(b.T()), a) + conj(c), dot(dot(c, b), a) + s * a);
};
constexpr auto chains = [](auto a, auto b, auto c, auto v, auto, auto) { return std::tuple(dot(dot(a, b), c), dot(dot(v, a), dot(b, v)), dot(dot(dot(c, b), a), v)); };

/// The optimized graph of these on complex arguments.
template <class F>
kt::graph optimized(F f) {
  kt::graph g;
  auto const input = [&](kt::element e, int rank, int i) { return kt::term{&g, g.input({e, static_cast<std::uint8_t>(rank), 0}, i)}; };
  auto const z = kt::element::complex128;
  auto const a = input(z, 2, 0), b = input(z, 2, 1), c = input(z, 2, 2), v = input(z, 1, 3), s = input(z, 0, 4), x = input(kt::element::float64, 0, 5);
  std::apply([&](auto const&... t) { (g.results().push_back(t.id), ...); }, f(kt::zmatrix(a), kt::zmatrix(b), kt::zmatrix(c), kt::zvector(v), kt::zscalar(s), kt::dscalar(x)));
  return kt::mode::fast_run.prepare(g);
}
template <class Op>
int count(kt::graph const& g) {
  auto const live = g.live();
  int found = 0;
  for (int id = 0; id < g.size(); ++id) found += live[id] && g.is<Op>(id);
  return found;
}

template <class F, class M, class V, class S, class X>
void check_sums(F& f, M const& a, M const& b, M const& c, V const& v, S s, X x, double e) {
  auto const [one, two, three, four, five, six, seven, eight] = f(a, b, c, v, s, x);
  mat<c128> const as(a), bs(b), cs(c);
  c128 const z = s;
  same(one, mat<c128>(product(a, b) + cs), e);
  same(two, mat<c128>(2i * product(b, a) - 3. * cs), e);
  same(three, mat<c128>(z * bs - product(a, c)), e);
  same(four, mat<c128>(cs + double(x) * product(c, a)), e);
  same(five, mat<c128>(cs - 2. * z * product(b, c)), e);
  same(column(six), mat<c128>(product(a, column(v)) - 1i * product(c, column(v))), e);
  same(seven, mat<c128>(z * product(adjoint(b), a) + xt::conj(cs)), e);
  same(eight, mat<c128>(product(product(c, b), a) + z * as), e);
}

}  // namespace

TEST_CASE("scaled products of complex matrices that are added to something are one call", "[dot]") {
  kt::graph const g = optimized(sums);
  CHECK(count<kt::op::gemm>(g) == 8);
  CHECK(count<kt::op::dot>(g) == 1);  // of the vector
  auto compiled = kt::function<kt::zmatrix, kt::zmatrix, kt::zmatrix, kt::zvector, kt::zscalar, kt::dscalar>(sums);
  auto interpreted = kt::function<kt::cmatrix, kt::cmatrix, kt::cmatrix, kt::cvector, kt::cscalar, kt::fscalar>(sums, kt::mode::interpret);
  for (std::size_t n : {1u, 4u, 9u}) {
    check_sums(compiled, matrix(n, n, 1), matrix(n, n, 2), matrix(n, n, 3), numbers(n, 4), 0.5 - 2i, 1.5, 1e-13);
    check_sums(interpreted, matrix<float>(n, n, 1), matrix<float>(n, n, 2), matrix<float>(n, n, 3), numbers<float>(n, 4), c64(0.5f, -2), 1.5f, 1e-5);
  }
}

TEST_CASE("complex sums of products accumulate in a shared variable", "[dot]") {
  mat<c128> const start = matrix(3, 3, 5), a = matrix(3, 3, 6);
  kt::shared w(start);
  auto f = kt::function([](kt::zmatrix a, kt::zmatrix w) { return kt::outputs().update(w, 1i * w - 2i * dot(a, a)); }, w);
  f(a);
  same(w.get_value(), mat<c128>(1i * start - 2i * product(a, a)), 1e-13);
}

TEST_CASE("chains of complex products take the cheapest order", "[chains]") {
  // A vector at one end tells the order of the third.
  CHECK(count<kt::op::product_chain>(optimized(chains)) == 2);
  auto f = kt::function<kt::zmatrix, kt::zmatrix, kt::zmatrix, kt::zvector, kt::zscalar, kt::dscalar>(chains, kt::mode::interpret);
  auto const a = matrix(4, 4, 1), b = matrix(4, 4, 2), c = matrix(4, 4, 3);
  auto const v = numbers(4, 4);
  auto const [abc, vabv, cbav] = f(a, b, c, v, 0., 0.);
  same(abc, product(product(a, b), c), 1e-13);
  CHECK(close(vabv, xt::sum(v * xt::view(product(product(a, b), column(v)), xt::all(), 0))(), 1e-13));
  same(column(cbav), product(product(product(c, b), a), column(v)), 1e-13);
  auto thin = kt::function([](kt::cmatrix a, kt::cmatrix b, kt::cmatrix c) { return dot(dot(a, b), c); });
  auto const p = matrix<float>(2, 30, 1), q = matrix<float>(30, 5, 2), r = matrix<float>(5, 40, 3);
  same(thin(p, q, r), product(product(p, q), r), 1e-4);
}
