// Pooling against plain loops: windows, strides, padding, borders, ranks, element types, gradients;
// ties, NaN.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/convolutions.hpp"

using namespace reference;

namespace {

/// What a pooling does to an axis.
struct pooled {
  std::ptrdiff_t window, stride, before = 0, after = 0;
  bool ignores_border = true;

  std::ptrdiff_t windows(std::ptrdiff_t n) const {
    if (ignores_border) return (n + before + after - window) / stride + 1;
    // The first window that reaches the end is the last one, and none begins behind it.
    std::ptrdiff_t count = 1;
    while (count * stride < n && (count - 1) * stride + window < n) ++count;
    return count;
  }
};
using pooled2 = std::array<pooled, 2>;
using plane = xt::xtensor<double, 4>;

/// Visits every window of every plane, with the numbers of its elements and how many it has,
/// padding included.
template <class Visit>
void each_window(plane const& x, pooled2 const& p, Visit visit) {
  auto const n = [&](std::size_t d) { return static_cast<std::ptrdiff_t>(x.shape()[2 + d]); };
  std::size_t to = 0;
  for (std::size_t image = 0; image < x.shape()[0] * x.shape()[1]; ++image)
    for (std::ptrdiff_t i = 0; i < p[0].windows(n(0)); ++i)
      for (std::ptrdiff_t j = 0; j < p[1].windows(n(1)); ++j, ++to) {
        std::vector<std::size_t> elements;
        std::ptrdiff_t padded = 0;
        for (std::ptrdiff_t a = i * p[0].stride - p[0].before, k = 0; k < p[0].window; ++k, ++a)
          for (std::ptrdiff_t b = j * p[1].stride - p[1].before, l = 0; l < p[1].window; ++l, ++b) {
            padded += a < n(0) + p[0].after && b < n(1) + p[1].after ? 1 : 0;
            if (a < 0 || a >= n(0) || b < 0 || b >= n(1)) continue;
            elements.push_back(image * static_cast<std::size_t>(n(0) * n(1)) +
                               static_cast<std::size_t>(a * n(1) + b));
          }
        visit(to, elements, static_cast<double>(padded));
      }
}

/// The pooling of a plane and its gradient, for a seed of ones times numbers, against loops.
/// `average`: 0 for maxima, 1 with the padding, 2 without.
void compare(kt::runtime::graph const& g, kt::dtensor4 x, kt::dtensor4 c, kt::dtensor4 y,
             pooled2 const& p, int average, plane const& given) {
  plane::shape_type shape = given.shape();
  for (std::size_t d = 0; d < 2; ++d)
    shape[2 + d] =
        static_cast<std::size_t>(p[d].windows(static_cast<std::ptrdiff_t>(shape[2 + d])));
  plane const v = random_numbers<plane>(shape, 5);
  plane expected(shape, 0.0), slope(given.shape(), 0.0);
  each_window(given, p,
              [&](std::size_t to, std::vector<std::size_t> const& elements, double count) {
                if (average == 0) {
                  std::size_t best = elements[0];
                  for (std::size_t e : elements) best = given.flat(e) > given.flat(best) ? e : best;
                  expected.flat(to) = given.flat(best);
                  slope.flat(best) += v.flat(to);
                  return;
                }
                double const over = average == 1 ? count : static_cast<double>(elements.size());
                for (std::size_t e : elements) {
                  expected.flat(to) += given.flat(e) / over;
                  slope.flat(e) += v.flat(to) / over;
                }
              });
  auto const f = g.function({x, c}, std::tuple(y, grad(sum(y * c), x)));
  auto const [value, gradient] = f(given, v);
  CHECK(difference(value, expected) < 1e-15);
  CHECK(difference(gradient, slope) < 1e-15);
  auto const alone = g.function({x}, y);
  CHECK(difference(alone(given), expected) < 1e-15);
}

template <int R, int C, class... Options>
void check(pooled2 const& p, plane::shape_type const& shape, Options... options) {
  kt::runtime::graph g;
  auto const x = g.input<double, 4>("x"), c = g.input<double, 4>("c");
  // Equal numbers, for ties
  plane given = random_numbers<plane>(shape, 6);
  for (double& v : given) v = std::round(v * 4) / 4;
  compare(g, x, c, max_pool_2d<R, C>(x, options...), p, 0, given);
  compare(g, x, c, avg_pool_2d<R, C>(x, options...), p, 1, given);
  compare(g, x, c, avg_pool_2d<R, C>(x, options..., kt::ignore_padding), p, 2, given);
}

}  // namespace

TEST_CASE("windows, strides, padding and borders of pooling") {
  check<2, 2>({{{2, 2}, {2, 2}}}, {2, 3, 6, 8});
  check<2, 3>({{{2, 2}, {3, 3}}}, {1, 2, 7, 11});
  check<2, 2>({{{2, 2}, {2, 2}}}, {2, 2, 21, 19});  // more rows of windows than are kept at once
  check<3, 2>({{{3, 1}, {2, 2}}}, {2, 1, 6, 41}, kt::stride<1, 2>);
  check<3, 3>({{{3, 2, 1, 1}, {3, 2, 2, 2}}}, {1, 2, 7, 6}, kt::padding<1, 2>, kt::stride<2>);
  check<2, 3>({{{2, 1, 1, 0}, {3, 2, 0, 2}}}, {1, 2, 5, 6}, kt::padding<1, 0, 0, 2>,
              kt::stride<1, 2>);
  check<2, 3>({{{2, 2, 0, 0, false}, {3, 3, 0, 0, false}}}, {2, 2, 5, 7}, kt::ignore_border<false>);
  check<3, 3>({{{3, 2, 0, 0, false}, {3, 4, 0, 0, false}}}, {1, 2, 8, 10}, kt::ignore_border<false>,
              kt::stride<2, 4>);
  check<4, 3>({{{4, 1, 0, 0, false}, {3, 1, 0, 0, false}}}, {1, 2, 3, 2}, kt::ignore_border<false>,
              kt::stride<1>);
}

TEST_CASE("strides of pooling that batches have, and wider ones") {
  check<1, 4>({{{1, 1}, {4, 1}}}, {1, 2, 3, 70}, kt::stride<1>);
  check<2, 5>({{{2, 2}, {5, 3, 2, 1}}}, {1, 2, 6, 71}, kt::stride<2, 3>, kt::padding<0, 0, 2, 1>);
  check<1, 4>({{{1, 2}, {4, 4}}}, {2, 1, 5, 73}, kt::stride<2, 4>);
  check<2, 6>({{{2, 1}, {6, 5, 1, 3}}}, {1, 2, 5, 68}, kt::stride<1, 5>, kt::padding<0, 0, 1, 3>);
  check<3, 2>({{{3, 3}, {2, 7}}}, {1, 2, 9, 61}, kt::stride<3, 7>);
}

TEST_CASE("NaN in some of many rows of windows") {
  kt::runtime::graph g;
  auto const x = g.input<double, 3>("x");
  auto const y = max_pool_2d<2>(x, kt::stride<1, 2>);
  auto const f = g.function({x}, std::tuple(y, grad(sum(y), x)));
  auto const alone = g.function({x}, y);
  auto given = random_numbers<xt::xtensor<double, 3>>({2, 20, 33}, 7);
  for (std::size_t i : {5u, 6u, 18u}) given(0, i, 3 * i % 32) = std::nan("");
  auto const [largest, slope] = f(given);
  auto const again = alone(given);
  for (std::size_t plane = 0; plane < 2; ++plane)
    for (std::size_t i = 0; i < 19; ++i)
      for (std::size_t j = 0; j < 16; ++j) {
        double best = given(plane, i, 2 * j);
        for (double v : {given(plane, i, 2 * j + 1), given(plane, i + 1, 2 * j),
                         given(plane, i + 1, 2 * j + 1)})
          if (std::isnan(v) || v > best) best = std::isnan(best) ? best : v;
        for (double found : {largest(plane, i, j), again(plane, i, j)})
          if (std::isnan(best)) CHECK(std::isnan(found));
          else CHECK(found == best);
      }
  CHECK(slope(0, 5, 15) == 2);
  CHECK(xt::sum(slope)() == 2 * 19 * 16);
}

TEST_CASE("pooling of one and three axes, of other types, and of NaN") {
  kt::runtime::graph g;
  auto const x = g.input<float, 2>("x");
  auto const n = g.input<int, 3>("n");
  auto const f = g.function({x}, std::tuple(max_pool_1d<2>(x), avg_pool_1d<3>(x, kt::stride<1>)));
  float const nan = std::numeric_limits<float>::quiet_NaN(),
              infinite = std::numeric_limits<float>::infinity();
  auto const [largest, mean] =
      f(xt::xtensor<float, 2>{{1, 3, -infinite, -infinite, nan, 5}, {2, nan, nan, 1, -0.f, 0}});
  CHECK(largest(0, 0) == 3);
  CHECK(largest(0, 1) == -infinite);
  CHECK(std::isnan(largest(0, 2)));
  CHECK(std::isnan(largest(1, 1)));
  CHECK(std::signbit(largest(1, 2)));  // the first of equals
  CHECK(mean(1, 3) == 1.f / 3);
  auto const p = max_pool_1d<3>(x, kt::stride<2>, kt::padding<1>);
  auto const slope = g.function({x}, grad(sum(p), x));
  CHECK_THROWS_AS(slope(xt::xtensor<float, 2>(std::array<std::size_t, 2>{2, 0})), kt::shape_error);
  CHECK((slope(xt::xtensor<float, 2>{{-infinite, -infinite, -infinite}, {-infinite, nan, 2}}) ==
         xt::xtensor<float, 2>{{1, 1, 0}, {0, 2, 0}}));
  auto const t = g.input<double, 3>("t");
  auto const deep = max_pool_3d<2, 1, 2>(t);
  xt::xtensor<double, 3> const cube{{{1, 2, 5}, {-1, -2, 0}}, {{7, 0, 9}, {-5, -4, 0}}};
  CHECK((g.function({t}, grad(sum(deep), t))(cube) ==
         xt::xtensor<double, 3>{{{0, 0, 0}, {1, 0, 0}}, {{1, 0, 0}, {0, 0, 0}}}));
  auto const h = g.function({n}, std::tuple(max_pool_3d<2, 1, 2>(n), avg_pool_3d<2, 1, 2>(n)));
  auto const [of_integers, averages] =
      h(xt::xtensor<int, 3>{{{1, 2, 5}, {-1, -2, 0}}, {{7, 0, 9}, {-5, -4, 0}}});
  CHECK((of_integers == xt::xtensor<int, 3>{{{7}, {-1}}}));
  CHECK((averages == xt::xtensor<double, 3>{{{2.5}, {-3}}}));
}
