// Reductions over every set of axes, with and without keeping them, of rank 0 to 3, any layout.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;
using cube = xt::xtensor<double, 3>;

namespace {

// Adds up `term` over the axes in the set, for every index of the others: the reference in plain loops.
template <class F>
double over(cube const& x, unsigned axes, std::array<I, 3> at, double start, F combine) {
  double total = start;
  auto range = [&](I d) { return axes >> d & 1u ? std::pair<I, I>(0, x.shape()[d]) : std::pair<I, I>(at[d], at[d] + 1); };
  for (I i = range(0).first; i < range(0).second; ++i)
    for (I j = range(1).first; j < range(1).second; ++j)
      for (I k = range(2).first; k < range(2).second; ++k) total = combine(total, x(i, j, k));
  return total;
}
double sum_over(cube const& x, unsigned axes, std::array<I, 3> at) {
  return over(x, axes, at, 0, [](double a, double b) { return a + b; });
}
double max_over(cube const& x, unsigned axes, std::array<I, 3> at) {
  return over(x, axes, at, -infinity, [](double a, double b) { return a > b ? a : b; });
}

cube filled(I a, I b, I c) {
  cube x(std::array<I, 3>{a, b, c});
  auto const v = numbers<double>(x.size(), 5);
  for (I i = 0; i < x.size(); ++i) x.data()[i] = v(i);
  return x;
}

constexpr auto all_axes = [](kt::dtensor3 x) {
  return std::tuple(sum(x), sum(x, kt::axis<0>), sum(x, kt::axis<1>), sum(x, kt::axis<2>), sum(x, kt::axis<0, 1>), sum(x, kt::axis<0, 2>),
                    sum(x, kt::axis<1, 2>), sum(x, kt::axis<0, 1, 2>), sum(x, kt::axis<-1>), sum(x, kt::axis<0, -1>));
};
constexpr auto all_kept = [](kt::dtensor3 x) {
  return std::tuple(max(x, kt::keepdims), max(x, kt::axis<0>, kt::keepdims), max(x, kt::axis<1>, kt::keepdims),
                    max(x, kt::axis<2>, kt::keepdims), max(x, kt::axis<0, 1>, kt::keepdims), max(x, kt::axis<0, 2>, kt::keepdims),
                    max(x, kt::axis<1, 2>, kt::keepdims), max(x, kt::axis<0, 1, 2>, kt::keepdims), max(x, kt::axis<-2>, kt::keepdims));
};

template <class Result>
void check_sums(Result const& r, cube const& x) {
  double const e = 1e-13;
  CHECK(close(std::get<0>(r), sum_over(x, 7, {}), e, e));
  CHECK(mismatch(std::get<1>(r), [&](I j, I k) { return sum_over(x, 1, {0, j, k}); }, e, e) == "");
  CHECK(mismatch(std::get<2>(r), [&](I i, I k) { return sum_over(x, 2, {i, 0, k}); }, e, e) == "");
  CHECK(mismatch(std::get<3>(r), [&](I i, I j) { return sum_over(x, 4, {i, j, 0}); }, e, e) == "");
  CHECK(mismatch(std::get<4>(r), [&](I k) { return sum_over(x, 3, {0, 0, k}); }, e, e) == "");
  CHECK(mismatch(std::get<5>(r), [&](I j) { return sum_over(x, 5, {0, j, 0}); }, e, e) == "");
  CHECK(mismatch(std::get<6>(r), [&](I i) { return sum_over(x, 6, {i, 0, 0}); }, e, e) == "");
  CHECK(close(std::get<7>(r), sum_over(x, 7, {}), e, e));
  CHECK(mismatch(std::get<8>(r), [&](I i, I j) { return sum_over(x, 4, {i, j, 0}); }, e, e) == "");
  CHECK(mismatch(std::get<9>(r), [&](I j) { return sum_over(x, 5, {0, j, 0}); }, e, e) == "");
}

}  // namespace

TEST_CASE("sums over every set of axes") {
  auto f = kt::function(all_axes);
  for (auto [a, b, c] : {std::array<I, 3>{1, 1, 1}, {2, 3, 4}, {3, 1, 9}, {5, 4, 33}, {1, 7, 1}, {8, 8, 8}}) {
    CAPTURE(a, b, c);
    cube const x = filled(a, b, c);
    auto const r = f(x);
    CHECK(std::get<1>(r).shape() == std::array<I, 2>{b, c});
    CHECK(std::get<2>(r).shape() == std::array<I, 2>{a, c});
    check_sums(r, x);
  }
  SECTION("of views: transposed, strided, reversed") {
    cube const x = filled(6, 5, 7);
    cube const t = xt::transpose(x);
    check_sums(f(xt::transpose(x)), t);
    cube const s = xt::view(x, xt::range(0, 6, 2), xt::all(), xt::range(1, 7, 3));
    check_sums(f(xt::view(x, xt::range(0, 6, 2), xt::all(), xt::range(1, 7, 3))), s);
    cube const reversed = xt::view(x, xt::all(), xt::all(), xt::range(xt::placeholders::_, xt::placeholders::_, -1));
    check_sums(f(xt::view(x, xt::all(), xt::all(), xt::range(xt::placeholders::_, xt::placeholders::_, -1))), reversed);
  }
  SECTION("of nothing they are 0, over the extents that are left") {
    auto const r = f(filled(2, 0, 3));
    CHECK(std::get<0>(r) == 0);
    CHECK(std::get<1>(r).size() == 0);
    CHECK(std::get<2>(r).shape() == std::array<I, 2>{2, 3});
    check_sums(r, filled(2, 0, 3));
    check_sums(f(filled(0, 4, 9)), filled(0, 4, 9));
  }
}

TEST_CASE("maxima over every set of axes, which are kept") {
  auto f = kt::function(all_kept);
  for (auto [a, b, c] : {std::array<I, 3>{1, 1, 1}, {2, 3, 4}, {3, 1, 9}, {5, 4, 33}}) {
    CAPTURE(a, b, c);
    cube const x = filled(a, b, c);
    auto const r = f(x);
    unsigned const sets[] = {7, 1, 2, 4, 3, 5, 6, 7, 2};
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      auto check = [&](cube const& got, unsigned set) {
        CAPTURE(set);
        CHECK(got.shape() == std::array<I, 3>{set & 1 ? 1 : a, set & 2 ? 1 : b, set & 4 ? 1 : c});
        CHECK(mismatch(got, [&](I i, I j, I k) { return max_over(x, set, {i, j, k}); }) == "");
      };
      (check(std::get<K>(r), sets[K]), ...);
    }(std::make_index_sequence<9>{});
  }
}

TEST_CASE("reductions fused with what they reduce, and of scalars, vectors and rows") {
  auto f = kt::function([](kt::dmatrix m, kt::dvector v, kt::dscalar s, kt::drow r) {
    return std::tuple(sum(sqr(m) * v), sum(m * v, kt::axis<1>), sum(m * v, kt::axis<0>), max(abs(m - s), kt::axis<1>), sum(s), max(s),
                      sum(r), sum(r, kt::axis<0>), sum(r, kt::axis<1>), mean(m * m, kt::axis<0>), prod(1 + v / 10), min(v),
                      sum(m.T() * m.T(), kt::axis<0>));
  });
  for (auto [n, k] : {std::pair<I, I>{1, 1}, {3, 4}, {4, 33}, {33, 9}, {100, 7}}) {
    CAPTURE(n, k);
    auto const m = matrix<double>(n, k, 1), r = matrix<double>(1, k, 2);
    auto const v = numbers<double>(k, 3);
    double const s = 0.25, e = 1e-13;
    auto const y = f(m, v, s, r);
    double all = 0, product = 1, least = infinity, row = 0;
    for (I j = 0; j < k; ++j) {
      for (I i = 0; i < n; ++i) all += m(i, j) * m(i, j) * v(j);
      product *= 1 + v(j) / 10;
      least = std::fmin(least, v(j));
      row += r(0, j);
    }
    auto column = [&](I j, auto term) { double t = 0; for (I i = 0; i < n; ++i) t += term(i, j); return t; };
    auto along = [&](I i, auto term) { double t = 0; for (I j = 0; j < k; ++j) t += term(i, j); return t; };
    CHECK(close(std::get<0>(y), all, e, e));
    CHECK(mismatch(std::get<1>(y), [&](I i) { return along(i, [&](I p, I q) { return m(p, q) * v(q); }); }, e, e) == "");
    CHECK(mismatch(std::get<2>(y), [&](I j) { return column(j, [&](I p, I q) { return m(p, q) * v(q); }); }, e, e) == "");
    CHECK(mismatch(std::get<3>(y), [&](I i) { double t = 0; for (I j = 0; j < k; ++j) t = std::fmax(t, std::fabs(m(i, j) - s)); return t; }) == "");
    CHECK(std::get<4>(y) == s);
    CHECK(std::get<5>(y) == s);
    CHECK(close(std::get<6>(y), row, e, e));
    CHECK(mismatch(std::get<7>(y), [&](I j) { return r(0, j); }) == "");
    CHECK(mismatch(std::get<8>(y), [&](I) { return row; }, e, e) == "");
    CHECK(mismatch(std::get<9>(y), [&](I j) { return column(j, [&](I p, I q) { return m(p, q) * m(p, q); }) / static_cast<double>(n); }, e) == "");
    CHECK(close(std::get<10>(y), product, e));
    CHECK(std::get<11>(y) == least);
    CHECK(mismatch(std::get<12>(y), [&](I i) { return along(i, [&](I p, I q) { return m(p, q) * m(p, q); }); }, e, e) == "");
  }
}

TEST_CASE("sums of floats whose result has no elements") {
  auto f = kt::function([](kt::fmatrix x) { return std::tuple(sum(x, kt::axis<0>), prod(x, kt::axis<1>)); });
  auto const [by_column, none] = f(mat<float>(std::array<std::size_t, 2>{3, 0}));
  CHECK(by_column.size() == 0);
  CHECK((none == vec<float>{1, 1, 1}));
  auto const [zeros, by_row] = f(mat<float>(std::array<std::size_t, 2>{0, 3}));
  CHECK((zeros == vec<float>{0, 0, 0}));
  CHECK(by_row.size() == 0);
}
