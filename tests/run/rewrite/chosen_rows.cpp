// Gradients of extrema: marks are positions, and sums of what positions choose add rows to places.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/agreement.hpp"
#include "run/op_counts.hpp"

#include <cmath>
#include <limits>

namespace kt = kroton;

namespace {

using Catch::Detail::Approx;
using loop_tests::check_agreement, loop_tests::matrix;

matrix numbers(std::size_t rows, std::size_t columns, double from) {
  matrix m(std::array{rows, columns});
  for (std::size_t i = 0; i < m.size(); ++i)
    m.flat(i) = std::sin(from + 1.7 * static_cast<double>(i)) + from / 4;
  return m;
}
/// Without both rules, and interpreted, a function gives the same.
template <class F, class... X>
void check_chosen(F const& f, X const&... arguments) {
  check_agreement(suite::mode.excluding<"marks_as_positions", "sum_of_chosen">(),
                  {1e-12, 1e-13}, f, arguments...);
}

// The sum of squared distances to the nearest of some centres, as points and centres may lie.
constexpr auto with_gradient = [](auto cost, auto x, auto c) {
  return std::tuple(cost, kt::grad(cost, x), kt::grad(cost, c));
};
constexpr auto of_rows = [](kt::dmatrix x, kt::dmatrix c) {
  auto d = sum(sqr(kt::dimshuffle<0, 'x', 1>(x) - c), kt::axis<2>);
  return with_gradient(sum(min(d, kt::axis<1>)), x, c);
};
constexpr auto of_columns = [](kt::dmatrix x, kt::dmatrix c) {
  auto d = sum(sqr(kt::dimshuffle<1, 0, 'x'>(x) - kt::dimshuffle<1, 'x', 0>(c)), kt::axis<0>);
  return with_gradient(sum(min(d, kt::axis<1>)), x, c);
};
constexpr auto mapped = [](kt::dmatrix x, kt::dmatrix c) {
  return with_gradient(sum(kt::vmap<0>([&](auto p) {
                         return min(kt::vmap<0>([&](auto q) { return sum(sqr(p - q)); })(c));
                       })(x)),
                       x, c);
};
constexpr auto nearest_weighted = [](kt::dmatrix x, kt::dmatrix c) {
  auto d = sum(abs(kt::dimshuffle<0, 'x', 1>(x) - c), kt::axis<2>);
  return with_gradient(sum(exp(-max(-d, kt::axis<1>)) * sum(x, kt::axis<1>)), x, c);
};

}  // namespace

TEST_CASE("distances to the nearest of some centres") {
  for (std::size_t n : {1u, 7u, 300u}) {
    INFO(n << " points");
    matrix const x = numbers(n, 3, 0.5), c = numbers(5, 3, 1.25);
    check_chosen(of_rows, x, c);
    check_chosen(of_columns, x, c);
    check_chosen(mapped, x, c);
    check_chosen(nearest_weighted, x, c);
    // By hand
    double cost = 0;
    matrix by_c = xt::zeros<double>({5, 3});
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < 5; ++j) {
        double d = 0;
        for (std::size_t a = 0; a < 3; ++a) d += std::pow(x(i, a) - c(j, a), 2);
        if (d < least) least = d, best = j;
      }
      cost += least;
      for (std::size_t a = 0; a < 3; ++a) by_c(best, a) += 2 * (c(best, a) - x(i, a));
    }
    auto const [value, gx, gc] = kt::function(of_columns)(x, c);
    CHECK(value == Approx(cost));
    CHECK(xt::allclose(gc, by_c, 1e-12, 1e-12));
  }
  auto const scatters = [](auto const& f) {
    kt::graph const g = op_counts::prepared<kt::dmatrix, kt::dmatrix>(f, kt::mode::fast_run);
    return op_counts::count<kt::op::inc_take>(g) == 1 &&
           op_counts::count<kt::op::first_equal>(g) == 0;
  };
  CHECK(scatters(of_rows));
  CHECK(scatters(of_columns));
  CHECK(scatters(mapped));
}

TEST_CASE("gradients of extrema: ties, NaN, axes, other types") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const f = [](kt::dmatrix x) {
    auto along = [&](auto extremum) { return kt::grad(sum(extremum * sqr(extremum)), x); };
    return std::tuple(along(max(x, kt::axis<0>)), along(min(x, kt::axis<1>)), along(max(x)));
  };
  matrix const ties{{1, 2, 2}, {2, 2, 1}, {0, -1, -1}};
  check_chosen(f, ties);
  check_chosen(f, numbers(40, 9, 0.25));
  auto const [by_column, by_row, by_all] = kt::function(f)(ties);
  CHECK((by_column == matrix{{0, 12, 12}, {12, 0, 0}, {0, 0, 0}}));
  CHECK((by_row == matrix{{3, 0, 0}, {0, 0, 3}, {0, 3, 0}}));
  CHECK((by_all == matrix{{0, 12, 0}, {0, 0, 0}, {0, 0, 0}}));
  auto const slope = kt::function([](kt::dmatrix x) { return kt::grad(sum(max(x, kt::axis<1>)), x); });
  CHECK((slope(matrix{{1, nan, nan}, {2, 0, 1}}) == matrix{{0, 1, 0}, {1, 0, 0}}));
  auto const single = kt::function([](kt::fmatrix x, kt::fmatrix c) {
    auto d = sum(sqr(kt::dimshuffle<0, 'x', 1>(x) - c), kt::axis<2>);
    return kt::grad(sum(min(d, kt::axis<1>)), c);
  });
  xt::xtensor<float, 2> const x = numbers(300, 3, 0.5), c = numbers(5, 3, 1.25);
  matrix const of_doubles = std::get<2>(kt::function(of_rows)(matrix(x), matrix(c)));
  CHECK(xt::allclose(xt::cast<double>(single(x, c)), of_doubles, 1e-5, 1e-5));
}

TEST_CASE("sums of what positions choose: more axes, of which some are summed, too") {
  auto const f = [](kt::tensor3<double> x, kt::dmatrix c) {
    auto best = argmax(x, kt::axis<1>);  // (n, d)
    auto first = argmin(sum(x, kt::axis<2>), kt::axis<1>);  // (n)
    auto is_first = eq(kt::dimshuffle<0, 'x', 'x'>(first),
                       kt::dimshuffle<'x', 0, 'x'>(kt::arange(x.shape(1))));
    auto chosen = where(is_first, exp(c) * kt::dimshuffle<0, 'x', 1>(x(kt::slice(), 0)), 0.);
    return std::tuple(sum(chosen, kt::axis<0>), sum(chosen, kt::axis<0, 2>),
                      sum(where(is_first, c, 0.), kt::axis<0>),
                      sum(where(is_first, x, 0.), kt::axis<0>),
                      sum(where(eq(kt::dimshuffle<0, 'x', 1>(best),
                                   kt::dimshuffle<'x', 0, 'x'>(kt::arange(x.shape(1)))),
                                x, 0.),
                          kt::axis<0>));
  };
  xt::xtensor<double, 3> const x =
      xt::reshape_view(numbers(20, 12, 0.75), std::array<std::size_t, 3>{20, 4, 3});
  check_chosen(f, x, numbers(4, 3, 0.5));
  check_chosen(f, xt::xtensor<double, 3>(xt::zeros<double>({0, 4, 3})), numbers(4, 3, 0.5));
}
