// Parts of one array that several loops compute: none writes to what lies around its own.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

using kt::none, kt::slice;

template <class T, std::size_t N>
xt::xtensor<T, N> numbers(std::array<std::size_t, N> const& extents, int seed) {
  xt::xtensor<T, N> x(extents);
  for (std::size_t i = 0; i < x.size(); ++i)
    x.flat(i) =
        static_cast<T>(static_cast<int>((i * 37 + static_cast<std::size_t>(seed) * 13) % 29)) / 4;
  return x;
}

/// Three loops side by side; one of them adds along rows and one over them.
constexpr auto side_by_side = [](auto a, auto b, auto c) {
  auto const x = 2 * a + 1, y = b * b - 1, z = 3 - c;
  return std::tuple(concatenate<1>(x, y, z), sum(x, kt::axis<1>), sum(y, kt::axis<0>), sum(z));
};
template <class T>
void check_side_by_side() {
  auto const f = [](kt::variable<T, 2> a, kt::variable<T, 2> b, kt::variable<T, 2> c) {
    return side_by_side(a, b, c);
  };
  auto compiled = kt::function(f);
  auto interpreted = kt::function(f, kt::mode::interpret);
  for (std::size_t rows : {0, 1, 2, 7, 40, 300, 5000})
    for (std::size_t width : {1, 2, 3, 5, 8, 9, 17, 40}) {
      CAPTURE(rows, width);
      std::size_t const widths[] = {width, 11, 1 + width % 5};
      auto const a = numbers<T, 2>({rows, widths[0]}, 1), b = numbers<T, 2>({rows, widths[1]}, 2),
                 c = numbers<T, 2>({rows, widths[2]}, 3);
      xt::xtensor<T, 2> wanted({rows, widths[0] + widths[1] + widths[2]});
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < widths[0]; ++j) wanted(i, j) = 2 * a(i, j) + 1;
        for (std::size_t j = 0; j < widths[1]; ++j)
          wanted(i, widths[0] + j) = b(i, j) * b(i, j) - 1;
        for (std::size_t j = 0; j < widths[2]; ++j)
          wanted(i, widths[0] + widths[1] + j) = 3 - c(i, j);
      }
      auto const same = [&](auto const& results) {
        auto const& [all, x, y, z] = results;
        CHECK((all == wanted));
        CHECK(xt::allclose(x, xt::sum(2 * a + T(1), {1}), 1e-5));
        CHECK(xt::allclose(y, xt::sum(b * b - T(1), {0}), 1e-5));
        CHECK(z == Approx(xt::sum(3 - c)()).epsilon(1e-5));
      };
      same(compiled(a, b, c));
      same(interpreted(a, b, c));
    }
}

}  // namespace

TEST_CASE("loops compute what lies side by side", "[parts]") {
  check_side_by_side<double>();
  check_side_by_side<float>();
}

TEST_CASE("what lies around a part of a shared variable stays", "[parts]") {
  auto const step = [](kt::dmatrix a, kt::dmatrix w) {
    auto const inner = 2 * a + 1;
    auto const next = set_subtensor(w(slice(1, -1), slice(2, -1)), inner);
    return kt::outputs(sum(inner, kt::axis<1>)).update(w, next);
  };
  for (std::size_t rows : {1, 2, 9, 70})
    for (std::size_t columns : {1, 2, 3, 8, 13, 33}) {
      CAPTURE(rows, columns);
      auto const a = numbers<double, 2>({rows, columns}, 1),
                 old = numbers<double, 2>({rows + 2, columns + 3}, 2);
      kt::shared<double, 2> w(old);
      auto f = kt::function(step, w);
      xt::xtensor<double, 2> wanted = old;
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) wanted(i + 1, j + 2) = 2 * a(i, j) + 1;
      for (int call = 0; call < 2; ++call) {
        CHECK((f(a) == xt::sum(2 * a + 1.0, {1})));
        CHECK((w.get_value() == wanted));
      }
    }
}

TEST_CASE("parts lie in parts", "[parts]") {
  auto const framed = [](kt::tensor3<double> x, kt::tensor3<double> y) {
    auto const inner = concatenate<2>(exp(x) - 1, sqr(y));
    auto const rows = concatenate<1>(inner, -inner(slice(), slice(0, 1)));
    auto const border = kt::pad(rows, kt::padding<1, 0, 2>);
    return set_subtensor(kt::ones_like(border)(slice(), slice(), slice(1, none)),
                         border(slice(), slice(), slice(1, none)) * 2);
  };
  auto compiled = kt::function(framed);
  auto interpreted = kt::function(framed, kt::mode::interpret);
  for (std::size_t n : {1, 2, 3, 9, 20}) {
    CAPTURE(n);
    auto const x = numbers<double, 3>({n, n + 1, 3}, 1), y = numbers<double, 3>({n, n + 1, n}, 2);
    xt::xtensor<double, 3> wanted = xt::zeros<double>({n + 2, n + 2, n + 7});
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n + 2; ++j)
        for (std::size_t k = 0; k < n + 3; ++k) {
          std::size_t const row = j == n + 1 ? 0 : j;
          double const value =
              k < 3 ? std::exp(x(i, row, k)) - 1 : y(i, row, k - 3) * y(i, row, k - 3);
          wanted(i + 1, j, k + 2) = 2 * (j == n + 1 ? -value : value);
        }
    for (std::size_t i = 0; i < n + 2; ++i)
      for (std::size_t j = 0; j < n + 2; ++j) wanted(i, j, 0) = 1;
    CHECK(xt::allclose(compiled(x, y), wanted, 1e-14));
    CHECK(xt::allclose(interpreted(x, y), wanted, 1e-14));
  }
}

TEST_CASE("arrays of which a row is written lie side by side", "[parts]") {
  auto const rows = [](kt::dmatrix a, kt::dvector b) {
    auto const first = set_subtensor(a(0), 2 * b), last = inc_subtensor(a(-1), b);
    return concatenate<1>(first, sqr(a), last);
  };
  auto compiled = kt::function(rows);
  auto interpreted = kt::function(rows, kt::mode::interpret);
  for (std::size_t n : {1, 2, 5, 30, 400}) {
    CAPTURE(n);
    auto const a = numbers<double, 2>({n, 7}, 1);
    auto const b = numbers<double, 1>({7}, 2);
    xt::xtensor<double, 2> wanted({n, 21});
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < 7; ++j) {
        wanted(i, j) = i == 0 ? 2 * b(j) : a(i, j);
        wanted(i, 7 + j) = a(i, j) * a(i, j);
        wanted(i, 14 + j) = a(i, j) + (i + 1 == n ? b(j) : 0);
      }
    CHECK((compiled(a, b) == wanted));
    CHECK((interpreted(a, b) == wanted));
  }
}

TEST_CASE("rows of one matrix lie behind each other", "[parts]") {
  auto const rows = [](kt::dvector a, kt::dvector b) {
    auto const row = concatenate<1>(kt::dimshuffle<'x', 0>(exp(a)), kt::dimshuffle<'x', 0>(2 * b),
                                    kt::dimshuffle<'x', 0>(kt::cumsum(a)));
    auto const column = concatenate<0>(kt::dimshuffle<0, 'x'>(sqr(a)), kt::dimshuffle<0, 'x'>(-b));
    return std::tuple(row, column, stack<1>(a + 1, a * a, kt::cumsum(a)));
  };
  auto compiled = kt::function(rows);
  auto interpreted = kt::function(rows, kt::mode::interpret);
  for (std::size_t n : {1, 2, 5, 300}) {
    CAPTURE(n);
    auto const a = numbers<double, 1>({n}, 1), b = numbers<double, 1>({4}, 2);
    auto const check = [&](auto const& results) {
      auto const& [row, column, stacked] = results;
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += a(i);
        CHECK(row(0, i) == Approx(std::exp(a(i))));
        CHECK(row(0, n + 4 + i) == Approx(sum));
        CHECK(column(i, 0) == a(i) * a(i));
        CHECK(stacked(i, 0) == a(i) + 1);
        CHECK(stacked(i, 1) == a(i) * a(i));
        CHECK(stacked(i, 2) == Approx(sum));
      }
      for (std::size_t i = 0; i < 4; ++i) {
        CHECK(row(0, n + i) == 2 * b(i));
        CHECK(column(n + i, 0) == -b(i));
      }
    };
    check(compiled(a, b));
    check(interpreted(a, b));
  }
}
