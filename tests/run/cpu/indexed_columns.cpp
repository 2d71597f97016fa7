// Columns of rows that indices select, read and added to as if the rows had been copied.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;

namespace {
namespace of_columns {

// Twice the areas of triangles, whose corners are rows of v.
constexpr auto areas = [](auto p, auto q) {
  auto x = p.T()(0), y = p.T()(1), z = p.T()(2), u = q.T()(0), v = q.T()(1), w = q.T()(2);
  return sum(sqrt(sqr(y * w - z * v) + sqr(z * u - x * w) + sqr(x * v - y * u)));
};
constexpr auto by_vectors = [](auto v, kt::lvector i, kt::lvector j, kt::lvector k) {
  auto area = areas(v(j) - v(i), v(k) - v(i));
  return std::tuple(area, grad(area, v));
};
constexpr auto by_matrix = [](auto v, kt::lmatrix f) {
  auto t = v(f);
  auto a = t(kt::slice(), 0), b = t(kt::slice(), 1), c = t(kt::slice(), 2);
  auto area = areas(b - a, c - a);
  return std::tuple(area, grad(area, v));
};

}  // namespace of_columns
}  // namespace

TEMPLATE_TEST_CASE("areas of a mesh, in two forms", "[indexed_rows]", double, float) {
  using T = TestType;
  auto f = kt::function([](kt::variable<T, 2> v, kt::lvector i, kt::lvector j, kt::lvector k) { return of_columns::by_vectors(v, i, j, k); });
  auto g = kt::function([](kt::variable<T, 2> v, kt::lmatrix t) { return of_columns::by_matrix(v, t); });
  double const tolerance = std::is_same_v<T, float> ? 1e-3 : 1e-10;
  for (std::size_t n : {std::size_t{5}, std::size_t{40}, std::size_t{700}})
    for (std::size_t m : {std::size_t{0}, std::size_t{1}, std::size_t{10}, std::size_t{1500}, std::size_t{20000}}) {
      CAPTURE(n, m);
      mat<T> v = xt::zeros<T>({n, std::size_t{3}});
      for (std::size_t q = 0; q < v.size(); ++q) v.flat(q) = static_cast<T>(std::sin(static_cast<double>(q * q)));
      vec<std::int64_t> corner[3];
      mat<std::int64_t> faces = xt::zeros<std::int64_t>({m, std::size_t{3}});
      for (std::size_t c = 0; c < 3; ++c) {
        corner[c] = xt::zeros<std::int64_t>({m});
        for (std::size_t t = 0; t < m; ++t) {
          auto const at = static_cast<std::int64_t>((t * 31 + c) % n);
          corner[c](t) = faces(t, c) = t % 4 == 1 ? at - static_cast<std::int64_t>(n) : at;
        }
      }
      double total = 0;
      mat<double> expected = xt::zeros<double>({n, std::size_t{3}});
      for (std::size_t t = 0; t < m; ++t) {
        std::size_t at[3];
        for (std::size_t c = 0; c < 3; ++c) at[c] = (t * 31 + c) % n;
        double p[3], q[3], s[3];
        for (std::size_t d = 0; d < 3; ++d) p[d] = v(at[1], d) - v(at[0], d), q[d] = v(at[2], d) - v(at[0], d);
        for (std::size_t d = 0; d < 3; ++d) s[d] = p[(d + 1) % 3] * q[(d + 2) % 3] - p[(d + 2) % 3] * q[(d + 1) % 3];
        double const area = std::sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        total += area;
        for (std::size_t d = 0; d < 3; ++d) {
          std::size_t const e = (d + 1) % 3, h = (d + 2) % 3;
          double const gp = (q[e] * s[h] - q[h] * s[e]) / area, gq = (s[e] * p[h] - s[h] * p[e]) / area;
          expected(at[1], d) += gp, expected(at[2], d) += gq, expected(at[0], d) -= gp + gq;
        }
      }
      auto const check = [&](auto const& result) {
        auto const& [area, gradient] = result;
        CHECK(std::abs(area - total) <= tolerance * (1 + total));
        bool right = true;
        for (std::size_t q = 0; q < expected.size(); ++q)
          right = right && std::abs(gradient.flat(q) - expected.flat(q)) <= tolerance * (1 + std::abs(expected.flat(q)));
        CHECK(right);
      };
      check(f(v, corner[0], corner[1], corner[2]));
      check(g(v, faces));
    }
}

TEST_CASE("an index of a column that is out of range is named", "[indexed_rows]") {
  mat<double> const ones = xt::ones<double>({std::size_t{5}, std::size_t{3}});
  auto g = kt::function([](kt::dmatrix v, kt::lmatrix f) { return of_columns::by_matrix(v, f); });
  for (std::size_t m : {std::size_t{10}, std::size_t{5000}}) {
    mat<std::int64_t> faces = xt::zeros<std::int64_t>({m, std::size_t{3}});
    faces(7, 2) = 5;
    CHECK_THROWS_WITH(g(ones, faces), Catch::Contains("index 5 at position 7 is out of range: extent 0 is 5"));
  }
}
