// Differences of all pairs of rows of a few elements, reduced over each of the axes, as programs
// with points do.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;

namespace {

template <class T>
mat<T> points(std::size_t n, std::size_t d, int seed) {
  mat<T> p(std::array<std::size_t, 2>{n, d});
  for (std::size_t i = 0; i < p.size(); ++i)
    p.flat(i) = static_cast<T>((static_cast<int>(i) * 37 + seed) % 23 - 11);
  return p;
}

/// Calls visit(i, j, k, value) with each difference, times a weight of the pair.
template <class T, class Visit>
void for_differences(mat<T> const& p, mat<T> const& q, mat<T> const& w, Visit visit) {
  for (std::size_t i = 0; i < p.shape(0); ++i)
    for (std::size_t j = 0; j < q.shape(0); ++j)
      for (std::size_t k = 0; k < p.shape(1); ++k)
        visit(i, j, k, static_cast<T>((p(i, k) - q(j, k)) * w(i, j)));
}

constexpr auto differences = [](auto p, auto q, auto w) {
  return (kt::dimshuffle<0, 'x', 1>(p) - kt::dimshuffle<'x', 0, 1>(q)) *
         kt::dimshuffle<0, 1, 'x'>(w);
};

template <class T>
void check_sums() {
  using matrix = kt::variable<T, 2>;
  auto const f = kt::function([](matrix p, matrix q, matrix w) {
    auto d = differences(p, q, w);
    return std::tuple(sum(d, kt::axis<0>), sum(d, kt::axis<1>), sum(d, kt::axis<2>));
  });
  auto const g = kt::function(
      [](matrix p, matrix q, matrix w) { return sum(differences(p, q, w), kt::axis<0>); });
  auto const h = kt::function([](matrix p, matrix q, matrix w) {
    auto d = differences(p, q, w);
    return std::tuple(max(d, kt::axis<0>), max(d, kt::axis<1>),
                      max(where(d > T(2), d, T(0)), kt::axis<2>));
  });
  for (std::size_t d : {1u, 2u, 3u, 5u, 8u, 16u, 17u})
    for (auto [n, m] :
         {std::pair<std::size_t, std::size_t>{1, 9}, {8, 8}, {9, 40}, {33, 7}, {70, 33}, {80, 5}}) {
      INFO(n << " and " << m << " points of " << d << " numbers");
      mat<T> const p = points<T>(n, d, 3), q = points<T>(m, d, 8), w = points<T>(n, m, 5);
      std::array<mat<T>, 3> sums{xt::zeros<T>({m, d}), xt::zeros<T>({n, d}), xt::zeros<T>({n, m})};
      T const least = std::numeric_limits<T>::lowest();
      std::array<mat<T>, 3> most{least * xt::ones<T>({m, d}), least * xt::ones<T>({n, d}),
                                 least * xt::ones<T>({n, m})};
      for_differences(p, q, w, [&](auto i, auto j, auto k, T x) {
        sums[0](j, k) += x, sums[1](i, k) += x, sums[2](i, j) += x;
        T const large = x > T(2) ? x : T(0);
        most[0](j, k) = std::max(most[0](j, k), x), most[1](i, k) = std::max(most[1](i, k), x);
        most[2](i, j) = std::max(most[2](i, j), large);
      });
      // Sums of small integers are exact in every order.
      auto const [by_j, by_i, by_pair] = f(p, q, w);
      CHECK((by_j == sums[0]));
      CHECK((by_i == sums[1]));
      CHECK((by_pair == sums[2]));
      CHECK((g(p, q, w) == sums[0]));
      auto const [top_j, top_i, top_pair] = h(p, q, w);
      CHECK((top_j == most[0]));
      CHECK((top_i == most[1]));
      CHECK((top_pair == most[2]));
      // Rows with gaps, and columns.
      mat<T> wide(std::array<std::size_t, 2>{m, 2 * d});
      wide.fill(T(77));
      auto gaps = xt::view(wide, xt::all(), xt::range(0, 2 * d, 2));
      gaps = q;
      xt::xtensor<T, 2, xt::layout_type::column_major> const columns = p;
      auto const [other_j, other_i, other_pair] = f(columns, gaps, w);
      CHECK((other_j == sums[0]));
      CHECK((other_i == sums[1]));
      CHECK((other_pair == sums[2]));
    }
}

/// The same of few rows of many elements, and of columns with gaps, which are read again and again.
template <class T>
void check_columns() {
  using matrix = kt::variable<T, 2>;
  auto const f = kt::function([](matrix p, matrix q) {
    return sum(kt::dimshuffle<0, 1, 'x'>(p) * kt::dimshuffle<0, 'x', 1>(q), kt::axis<0>);
  });
  auto const g = kt::function([](matrix p, matrix q) {
    auto of = [](auto x, auto y) { return kt::dimshuffle<0, 'x'>(x) * y; };
    auto a = p.T(), b = q.T();
    return std::tuple(of(a(0), b(0)) + of(a(1), b(1)), sum(of(a(0), b(1)) + 1, kt::axis<0>),
                      sum(of(a(1), b(0)) + 2, kt::axis<1>));
  });
  for (std::size_t d : {2u, 3u, 16u, 17u, 300u})
    for (auto [n, m] :
         {std::pair<std::size_t, std::size_t>{1, 40}, {9, 17}, {40, 33}, {67, 3}, {200, 6}}) {
      INFO(n << " and " << m << " points of " << d << " numbers");
      mat<T> const p = points<T>(n, d, 3), q = points<T>(m, d, 8);
      mat<T> all = xt::zeros<T>({n, m}), two = all;
      std::array<vec<T>, 2> sums{xt::zeros<T>({m}), xt::zeros<T>({n})};
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) {
          for (std::size_t k = 0; k < d; ++k) all(i, j) += p(i, k) * q(j, k);
          two(i, j) = p(i, 0) * q(j, 0) + p(i, 1) * q(j, 1);
          sums[0](j) += p(i, 0) * q(j, 1) + 1, sums[1](i) += p(i, 1) * q(j, 0) + 2;
        }
      CHECK((f(mat<T>(xt::transpose(p)), mat<T>(xt::transpose(q))) == all));
      CHECK((f(xt::transpose(p), xt::transpose(q)) == all));
      auto const [products, over_i, over_j] = g(p, q);
      CHECK((products == two));
      CHECK((over_i == sums[0]));
      CHECK((over_j == sums[1]));
    }
}

}  // namespace

TEST_CASE("sums of few rows, and strided operands that are read often") {
  check_columns<double>();
  check_columns<std::int32_t>();
}
TEST_CASE("sums of narrow rows over each axis: double") { check_sums<double>(); }
TEST_CASE("sums of narrow rows over each axis: float") { check_sums<float>(); }
TEST_CASE("sums of narrow rows over each axis: int32") { check_sums<std::int32_t>(); }
