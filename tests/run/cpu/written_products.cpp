// Products and loops of a few elements whose extents the compiler knows, against plain loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

template <class T>
constexpr double tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-13;

/// A product of extents R x K x C in all layouts, scaled and accumulated, and with vectors.
template <class T, int R, int K, int C>
void check_products() {
  using A = kt::fixed<T, R, K>;
  using B = kt::fixed<T, K, C>;
  using D = kt::fixed<T, R, C>;
  auto f = kt::function<A, B, D, kt::fixed<T, K>, kt::fixed<T, R>>(
      [](auto a, auto b, auto d, auto v, auto w) {
        return std::tuple(dot(a, b), dot(b.T(), a.T()), T(2) * dot(a, b) - T(3) * d, dot(a, v),
                          dot(w, a), dot(v, v), dot(a, v) - T(0.5) * w);
      });
  I const r = R, k = K, c = C;
  auto const a = matrix<T>(r, k, 1, -1, 1), b = matrix<T>(k, c, 2, -1, 1),
             d = matrix<T>(r, c, 3, -1, 1);
  auto const v = numbers<T>(k, 4, -1, 1), w = numbers<T>(r, 5, -1, 1);
  auto const [ab, ba, sum, av, wa, vv, less] = f(a, b, d, v, w);
  double const e = tolerance<T>;
  auto product = [&](I i, I j) {
    double total = 0;
    for (I n = 0; n < k; ++n) total += static_cast<double>(a(i, n)) * static_cast<double>(b(n, j));
    return total;
  };
  auto with_v = [&](I i) {
    double total = 0;
    for (I n = 0; n < k; ++n) total += static_cast<double>(a(i, n)) * static_cast<double>(v(n));
    return total;
  };
  CAPTURE(R, K, C);
  CHECK(mismatch(ab, product, e, e) == "");
  CHECK(mismatch(ba, [&](I j, I i) { return product(i, j); }, e, e) == "");
  CHECK(mismatch(
            sum, [&](I i, I j) { return 2 * product(i, j) - 3 * static_cast<double>(d(i, j)); }, e,
            e) == "");
  CHECK(mismatch(av, with_v, e, e) == "");
  CHECK(
      mismatch(less, [&](I i) { return with_v(i) - 0.5 * static_cast<double>(w(i)); }, e, e) == "");
  double squares = 0;
  for (I n = 0; n < k; ++n) squares += static_cast<double>(v(n)) * static_cast<double>(v(n));
  CHECK(close(vv, squares, e, e));
  CHECK(mismatch(
            wa,
            [&](I j) {
              double total = 0;
              for (I i = 0; i < r; ++i)
                total += static_cast<double>(w(i)) * static_cast<double>(a(i, j));
              return total;
            },
            e, e) == "");
}
/// Everything that is written out in a loop: rows, columns and numbers that broadcast, and all
/// operators.
constexpr auto arithmetic = [](auto x, auto row, auto column, auto s) {
  auto c = dimshuffle<0, 'x'>(column);
  return std::tuple(-x + s, (x - row) / (c + 2), 1 / (sqr(x) + 1) * c, x.T() * 2 - s, row * s,
                    outer(column, row) - x);
};
template <class T, int R, int C>
void check_arithmetic() {
  auto f =
      kt::function<kt::fixed<T, R, C>, kt::fixed<T, C>, kt::fixed<T, R>, kt::scalar<T>>(arithmetic);
  I const r = R, c = C;
  auto const x = matrix<T>(r, c, 1, -1, 1);
  auto const row = numbers<T>(c, 2, -1, 1), column = numbers<T>(r, 3, -1, 1);
  double const e = tolerance<T>, s = 0.75;
  auto const [negative, quotient, inverse, turned, scaled, rest] = f(x, row, column, T(0.75));
  auto at = [&](I i, I j) { return static_cast<double>(x(i, j)); };
  auto in_row = [&](I j) { return static_cast<double>(row(j)); };
  auto in_column = [&](I i) { return static_cast<double>(column(i)); };
  CAPTURE(R, C);
  CHECK(mismatch(negative, [&](I i, I j) { return s - at(i, j); }, e, e) == "");
  CHECK(mismatch(
            quotient, [&](I i, I j) { return (at(i, j) - in_row(j)) / (in_column(i) + 2); }, e,
            e) == "");
  CHECK(mismatch(
            inverse, [&](I i, I j) { return in_column(i) / (at(i, j) * at(i, j) + 1); }, e, e) ==
        "");
  CHECK(mismatch(turned, [&](I j, I i) { return 2 * at(i, j) - s; }, e, e) == "");
  CHECK(mismatch(scaled, [&](I j) { return in_row(j) * s; }, e, e) == "");
  CHECK(mismatch(rest, [&](I i, I j) { return in_column(i) * in_row(j) - at(i, j); }, e, e) == "");
}

}  // namespace

TEST_CASE("products of a few known rows and columns", "[small]") {
  check_products<double, 1, 1, 1>();
  check_products<double, 1, 1, 7>();
  check_products<double, 2, 2, 3>();
  check_products<double, 3, 5, 4>();
  check_products<double, 4, 4, 1>();
  check_products<double, 4, 4, 4>();
  check_products<double, 5, 3, 7>();
  check_products<double, 6, 6, 1>();
  check_products<double, 7, 8, 3>();
  check_products<float, 3, 3, 4>();
  check_products<float, 4, 7, 3>();
  check_products<float, 6, 2, 7>();
  check_products<double, 8, 8, 8>();
  check_products<float, 8, 8, 8>();
  check_products<double, 9, 2, 3>();  // one more than are written out
  check_products<double, 2, 9, 3>();
}

TEST_CASE("loops over a few known elements", "[small]") {
  check_arithmetic<double, 2, 2>();
  check_arithmetic<double, 3, 3>();
  check_arithmetic<double, 4, 4>();
  check_arithmetic<double, 3, 7>();
  check_arithmetic<double, 8, 8>();
  check_arithmetic<double, 9, 8>();
  check_arithmetic<float, 3, 5>();
  check_arithmetic<float, 4, 16>();
  // The sign of 0 is that of the scalar operator.
  auto f = kt::function<kt::fixed<double, 3>>([](auto x) { return -x; }, kt::mode::ieee);
  auto const r = f(vec<double>{0., -0., 1});
  CHECK((std::signbit(r(0)) && !std::signbit(r(1)) && r(2) == -1));
}
