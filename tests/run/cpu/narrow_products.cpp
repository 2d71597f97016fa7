// Products of a vector with a matrix of a few columns.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <algorithm>

#include <xtensor/xview.hpp>

using namespace reference;

namespace {

template <class T>
mat<T> whole_numbers(std::size_t rows, std::size_t columns, int seed) {
  mat<T> m(std::array<std::size_t, 2>{rows, columns});
  for (std::size_t i = 0; i < m.size(); ++i)
    m.flat(i) = static_cast<T>((static_cast<int>(i) * 37 + seed) % 23 - 11);
  return m;
}
template <class T>
vec<T> times(mat<T> const& m, vec<T> const& x) {
  vec<T> y = xt::zeros<T>({m.shape(0)});
  for (std::size_t i = 0; i < m.shape(0); ++i)
    for (std::size_t k = 0; k < m.shape(1); ++k) y(i) += m(i, k) * x(k);
  return y;
}

template <class T>
void check_products() {
  using matrix = kt::variable<T, 2>;
  using vector = kt::variable<T, 1>;
  using scalar = kt::variable<T, 0>;
  auto const on_right = kt::function([](matrix m, vector x) { return dot(m, x); });
  auto const on_left = kt::function([](matrix m, vector y) { return dot(y, m); });
  auto const added = kt::function([](matrix m, vector x, vector y, scalar a) {
    return std::tuple(a * dot(m, x) + T(2) * y, a * dot(m.T(), y) - x);
  });
  // More steps than a small call has: the other way to the same kernels.
  auto const in_frame = kt::function([](matrix m, vector x, vector y) {
    auto sorted = kt::sort(x);
    auto residual = dot(m, sorted) - y;
    return std::tuple(residual, dot(m.T(), residual));
  });
  for (std::size_t columns : {1u, 2u, 3u, 4u, 5u, 9u})
    for (std::size_t rows : {0u, 1u, 3u, 15u, 16u, 17u, 32u, 33u, 48u, 100u, 1000u}) {
      CAPTURE(rows, columns);
      mat<T> const m = whole_numbers<T>(rows, columns, 3), flipped = xt::transpose(m);
      vec<T> const x = xt::view(whole_numbers<T>(1, columns, 5), 0),
                   y = xt::view(whole_numbers<T>(1, rows, 8), 0);
      vec<T> const right = times<T>(m, x), left = times<T>(flipped, y);
      CHECK((on_right(m, x) == right));
      CHECK((on_left(m, y) == left));
      auto const [of_rows, of_columns] = added(m, x, y, T(0.5));
      CHECK((of_rows == vec<T>(T(0.5) * right + T(2) * y)));
      CHECK((of_columns == vec<T>(T(0.5) * left - x)));
      vec<T> sorted = x;
      std::sort(sorted.begin(), sorted.end());
      auto const [residual, slope] = in_frame(m, sorted, y);
      vec<T> const expected = times<T>(m, sorted) - y;
      CHECK((residual == expected));
      CHECK((slope == times<T>(flipped, expected)));
      // Rows with gaps, and columns that lie in rows.
      mat<T> const wide = whole_numbers<T>(rows, columns + 3, 3);
      auto const part = xt::view(wide, xt::all(), xt::range(1, 1 + columns));
      CHECK((on_right(part, x) == times<T>(part, x)));
      CHECK((on_left(part, y) == times<T>(xt::transpose(part), y)));
      CHECK((on_right(xt::transpose(flipped), x) == right));
    }
}

}  // namespace

TEST_CASE("narrow products: double") { check_products<double>(); }
TEST_CASE("narrow products: float") { check_products<float>(); }
