// Batches of small matrices: determinants, inverses, systems, Cholesky factors and products of
// each, next to Eigen's matrices of fixed extents, one after the other.
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/contest.hpp"

#include <kroton/kroton.hpp>
#include <xtensor/xtensor.hpp>
#if defined(BENCH_EIGEN)
#include <Eigen/Cholesky>
#include <Eigen/LU>
#endif

#include <cmath>

namespace kt = kroton;

namespace {

using bench::nanoseconds;
using matrices = xt::xtensor<double, 3>;
using vectors = xt::xtensor<double, 2>;

constexpr std::size_t count = 2000;

// One type of each for all extents.
constexpr auto determinants = [](kt::dtensor3 a) {
  return kt::vmap<0>([](kt::dmatrix x) { return kt::det(x); })(a);
};
constexpr auto inverses = [](kt::dtensor3 a) {
  return kt::vmap<0>([](kt::dmatrix x) { return kt::matrix_inverse(x); })(a);
};
constexpr auto solutions = [](kt::dtensor3 a, kt::dmatrix b) {
  return kt::vmap<0, 1>([](kt::dmatrix x, kt::dvector y) { return kt::solve(x, y); })(a, b);
};
constexpr auto factors = [](kt::dtensor3 a) {
  return kt::vmap<0>([](kt::dmatrix x) { return kt::cholesky(x); })(a);
};
constexpr auto products = [](kt::dtensor3 a, kt::dtensor3 b) { return kt::batched_dot(a, b); };

matrices definite(std::size_t n) {
  matrices a({count, n, n});
  for (std::size_t i = 0; i < a.size(); ++i) a.flat(i) = std::sin(double(i * 7919 % 10007));
  matrices s = xt::zeros<double>({count, n, n});
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) s(b, i, j) += a(b, i, k) * a(b, j, k);
        s(b, i, j) += i == j ? 1 : 0;
      }
  return s;
}

#if defined(BENCH_EIGEN)
template <std::size_t N>
using square = Eigen::Matrix<double, int(N), int(N), Eigen::RowMajor>;
template <std::size_t N>
using column = Eigen::Matrix<double, int(N), 1>;
#endif

/// One case: Kroton's function of the matrices, and Eigen's of each one.
template <std::size_t N, class Result, class F, class Each, class... X>
void compare(bench::program& p, char const* title, F f, Result& result, Each const& each,
             X const&... x) {
  bench::contest c(p, title, nanoseconds("a matrix"), std::to_string(N) + " x " + std::to_string(N),
                   double(count));
  if (!c) return;
  auto const value = [&] { return result; };
#if defined(BENCH_EIGEN)
  c.add("Eigen, fixed extents, one by one",
        [&] {
          for (std::size_t b = 0; b < count; ++b) each(b);
        },
        value);
#else
  static_cast<void>(each);
#endif
  c.add("Kroton", [&] { f.into(result, x...); }, value);
  c.measure();
}

template <std::size_t N>
void all(bench::program& p) {
  matrices const a = definite(N), b = a + 0.5;
  vectors const v = xt::view(b, xt::all(), 0, xt::all());
  matrices m = a;
  vectors x = v;
  xt::xtensor<double, 1> d = xt::zeros<double>({count});
#if defined(BENCH_EIGEN)
  using M = Eigen::Map<square<N>>;
  using C = Eigen::Map<square<N> const>;
  auto const at = [](matrices const& of, std::size_t i) { return C(&of(i, 0, 0)); };
  auto const det = [&](std::size_t i) { d(i) = at(a, i).determinant(); };
  auto const inverse = [&](std::size_t i) { M(&m(i, 0, 0)) = at(a, i).inverse(); };
  auto const solve = [&](std::size_t i) {
    Eigen::Map<column<N>>(&x(i, 0)) =
        at(a, i).partialPivLu().solve(Eigen::Map<column<N> const>(&v(i, 0)));
  };
  auto const cholesky = [&](std::size_t i) { M(&m(i, 0, 0)) = at(a, i).llt().matrixL(); };
  auto const product = [&](std::size_t i) {
    M(&m(i, 0, 0)).noalias() = at(a, i).lazyProduct(at(b, i));
  };
#else
  auto const det = [](std::size_t) {};
  auto const &inverse = det, &solve = det, &cholesky = det, &product = det;
#endif
  compare<N>(p, "determinants", kt::function(determinants), d, det, a);
  compare<N>(p, "inverses", kt::function(inverses), m, inverse, a);
  compare<N>(p, "systems", kt::function(solutions), x, solve, a, v);
  compare<N>(p, "Cholesky factors", kt::function(factors), m, cholesky, a);
  compare<N>(p, "products", kt::function(products), m, product, a, b);
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("small_matrices", "small_matrices: batches of 2,000 small matrices, float64",
                   argc, argv);
  all<2>(p), all<3>(p), all<4>(p), all<6>(p), all<8>(p);
  return p.finish();
}
