// Loops whose results are reduced along rows and over rows: several rows at once.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;

namespace {

/// Sums along rows, and extrema and sums over rows, of x(i, k, j) y(i, j).
template <class T>
void check() {
  auto const f = kt::function([](kt::variable<T, 3> x, kt::variable<T, 2> y) {
    auto z = x * kt::dimshuffle<0, 'x', 1>(y);
    return std::tuple(sum(z, kt::axis<2>), max(z, kt::axis<0>));
  });
  auto const g = kt::function([](kt::variable<T, 2> x) {
    auto z = 3 * x;
    return std::tuple(sum(z, kt::axis<0>), max(z, kt::axis<1>));
  });
  for (std::size_t n : {1u, 3u, 4u, 5u, 8u, 11u})
    for (std::size_t k : {1u, 3u, 4u})
      for (std::size_t m : {1u, 2u, 7u, 8u, 9u, 31u, 64u, 300u, 2100u}) {
        INFO(n << " x " << k << " x " << m);
        xt::xtensor<T, 3> x(std::array{n, k, m});
        mat<T> y(std::array{n, m});
        int i = 0;
        for (T& each : x) each = static_cast<T>((++i * 37) % 101 - 50);
        for (T& each : y) each = static_cast<T>((++i * 29) % 7 - 3);
        xt::xtensor<T, 3> z = x;
        for (std::size_t a = 0; a < n; ++a)
          for (std::size_t b = 0; b < k; ++b)
            for (std::size_t c = 0; c < m; ++c) z(a, b, c) *= y(a, c);
        auto const [along, over] = f(x, y);
        CHECK(along == mat<T>(xt::sum(z, {2})));
        CHECK(over == mat<T>(xt::amax(z, {0})));
        mat<T> const flat = xt::reshape_view(x, std::array{n * k, m});
        auto const [sums, most] = g(flat);
        CHECK(sums == vec<T>(3 * xt::sum(flat, {0})));
        CHECK(most == vec<T>(3 * xt::amax(flat, {1})));
      }
}

}  // namespace

TEST_CASE("sums along rows and extrema over them in one loop") {
  check<double>();
  check<float>();
  check<std::int32_t>();
}
