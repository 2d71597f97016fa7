// A network of many layers on small matrices, as an expression and by hand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/kroton.hpp>

#include <array>
#include <cmath>
#include <vector>

namespace deep {

namespace kt = kroton;

enum class unit { tanh, relu };

/// The sum of squares of the last of `layers` layers. Layer i has matrix i of w and row i of b; where it is shared, the first.
template <class X, class W, class B>
constexpr auto cost(unit u, bool has_bias, bool is_shared, int layers, X const& x, W const& w, B const& b) {
  kt::dmatrix h = x;
  for (int i = 0; i < layers; ++i) {
    int const own = is_shared ? 0 : i;
    kt::dmatrix z = dot(h, w(own));
    if (has_bias) z = z + b(own);
    h = u == unit::tanh ? kt::dmatrix(tanh(z)) : kt::dmatrix(maximum(z, 0.0));
  }
  return sum(sqr(h));
}

/// The same for one row of two numbers, with the gradients by w and b: loops over numbers.
struct by_hand {
  using row = std::array<double, 2>;
  double cost = 0;
  std::vector<std::array<row, 2>> dw;
  std::vector<row> db;

  template <class W, class B>
  by_hand(unit u, bool has_bias, bool is_shared, int layers, row x, W const& w, B const& b)
      : dw(w.shape(0)), db(b.shape(0)) {
    std::vector<row> h{x};
    for (int i = 0; i < layers; ++i) {
      auto const own = static_cast<std::size_t>(is_shared ? 0 : i);
      row next{};
      for (std::size_t k = 0; k < 2; ++k) {
        double const z = h.back()[0] * w(own, 0, k) + h.back()[1] * w(own, 1, k) + (has_bias ? b(own, k) : 0.);
        next[k] = u == unit::tanh ? std::tanh(z) : z > 0 ? z : 0;
      }
      h.push_back(next);
    }
    row const last = h.back();
    cost = last[0] * last[0] + last[1] * last[1];
    row gradient{2 * last[0], 2 * last[1]};
    for (int i = layers - 1; i >= 0; --i) {
      auto const own = static_cast<std::size_t>(is_shared ? 0 : i), layer = static_cast<std::size_t>(i);
      row below{};
      for (std::size_t k = 0; k < 2; ++k) {
        double const y = h[layer + 1][k];
        double const d = gradient[k] * (u == unit::tanh ? 1 - y * y : y > 0 ? 1 : 0);
        db[own][k] += d;
        for (std::size_t j = 0; j < 2; ++j) {
          dw[own][j][k] += h[layer][j] * d;
          below[j] += w(own, j, k) * d;
        }
      }
      gradient = below;
    }
  }
};

}  // namespace deep
