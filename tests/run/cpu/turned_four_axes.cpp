// Sums of products over points, components and two axes of coordinates, as mixtures of Gaussians
// have them: the rows of such loops go along the points.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <sstream>

using namespace reference;

namespace {

template <class T>
using tensor = kt::variable<T, 3>;

/// Factors w of matrices times differences, and what the gradients by both are made of.
template <class T>
constexpr auto sums = [](kt::variable<T, 2> x, kt::variable<T, 2> m, tensor<T> w, tensor<T> g) {
  auto const d = kt::dimshuffle<0, 'x', 'x', 1>(x) - kt::dimshuffle<0, 'x', 1>(m);
  auto const z = kt::dimshuffle<0, 1, 2, 'x'>(g);
  return std::tuple(sum(w * d, kt::axis<3>), sum(z * d, kt::axis<0>), sum(z * w, kt::axis<2>),
                    max(z * d, kt::axis<0>));
};

template <class T>
void check(std::size_t n, std::size_t k, std::size_t e) {
  INFO(n << " points, " << k << " components, " << e << " coordinates");
  mat<T> x(std::array{n, e}), m(std::array{k, e});
  xt::xtensor<T, 3> w(std::array{k, e, e}), g(std::array{n, k, e});
  int next = 0;
  auto const fill = [&](auto& a) {
    for (std::size_t i = 0; i < a.size(); ++i) a.flat(i) = static_cast<T>(std::sin(0.7 * ++next));
  };
  fill(x), fill(m), fill(w), fill(g);
  auto const f = kt::function(sums<T>);
  auto const [along, over, across, most] = f(x, m, w, g);
  double const within = sizeof(T) == 4 ? 1e-4 : 1e-12;
  double worst = 0;
  auto const compare = [&](T found, double wanted) {
    worst = std::max(worst, std::abs(static_cast<double>(found) - wanted));
  };
  auto const at = [&](std::size_t i, std::size_t j, std::size_t b) {
    return static_cast<double>(x(i, b)) - static_cast<double>(m(j, b));
  };
  for (std::size_t j = 0; j < k; ++j)
    for (std::size_t a = 0; a < e; ++a) {
      for (std::size_t i = 0; i < n; ++i) {
        double one = 0, other = 0;
        for (std::size_t b = 0; b < e; ++b) {
          one += static_cast<double>(w(j, a, b)) * at(i, j, b);
          other += static_cast<double>(g(i, j, b)) * static_cast<double>(w(j, b, a));
        }
        compare(along(i, j, a), one);
        compare(across(i, j, a), other);
      }
      for (std::size_t b = 0; b < e; ++b) {
        double total = 0, largest = -1e300;
        for (std::size_t i = 0; i < n; ++i) {
          double const product = static_cast<double>(g(i, j, a)) * at(i, j, b);
          total += product;
          largest = std::max(largest, product);
        }
        compare(over(j, a, b), total);
        compare(most(j, a, b), largest);
      }
    }
  CHECK(worst < within);
}

}  // namespace

TEST_CASE("sums over four axes, of which the first is long") {
  for (std::size_t e : {1u, 2u, 3u, 8u, 9u})
    for (auto [n, k] : {std::pair<std::size_t, std::size_t>{1, 5}, {63, 2}, {64, 31}, {301, 5}}) {
      check<double>(n, k, e);
      check<float>(n, k, e);
    }
}

TEST_CASE("the plan says that rows go along the first of four axes") {
  std::ostringstream text;
  auto const f = kt::function([](kt::dtensor3 z, kt::dmatrix x) {
    return sum(kt::dimshuffle<0, 1, 2, 'x'>(z) * kt::dimshuffle<0, 'x', 'x', 1>(x), kt::axis<0>);
  });
  kt::debugprint(f, text, kt::shape(10000, 5, 3), kt::shape(10000, 3));
  CHECK(text.str().find("(3, 5, 3, 10000)") != std::string::npos);
}
