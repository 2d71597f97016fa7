// Winograd's transforms of filters, tiles of an image and tiles of a result along one axis, for
// filters of three elements. (A. Lavin, S. Gray: Fast Algorithms for Convolutional Neural Networks,
// 2015)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/core/layers.hpp>

namespace kroton::cpu {

/// F(2, 3): two results by four products, with the points 0, 1, -1 and infinity.
struct winograd_of_two {
  static constexpr int results = 2, points = 4;

  template <class B>
  static KROTON_INLINE void filter(B const (&g)[3], B (&u)[4]) {
    B const half(0.5f), ends = half * (g[0] + g[2]), middle = half * g[1];
    u[0] = g[0];
    u[1] = ends + middle;
    u[2] = ends - middle;
    u[3] = g[2];
  }
  template <class B>
  static KROTON_INLINE void image(B const (&d)[4], B (&v)[4]) {
    v[0] = d[0] - d[2];
    v[1] = d[1] + d[2];
    v[2] = d[2] - d[1];
    v[3] = d[1] - d[3];
  }
  template <class B>
  static KROTON_INLINE void result(B const (&m)[4], B (&y)[2]) {
    y[0] = m[0] + m[1] + m[2];
    y[1] = m[1] - m[2] - m[3];
  }
};

/// F(4, 3): four results by six products, with the points 0, 1, -1, 2, -2 and infinity.
struct winograd_of_four {
  static constexpr int results = 4, points = 6;

  template <class B>
  static KROTON_INLINE void filter(B const (&g)[3], B (&u)[6]) {
    B const sixth(1.0f / 6), ends = sixth * (g[0] + g[2]), middle = sixth * g[1];
    B const far = B(1.0f / 24) * g[0] + sixth * g[2], half = B(1.0f / 12) * g[1];
    u[0] = B(0.25f) * g[0];
    u[1] = -(ends + middle);
    u[2] = middle - ends;
    u[3] = far + half;
    u[4] = far - half;
    u[5] = g[2];
  }
  template <class B>
  static KROTON_INLINE void image(B const (&d)[6], B (&v)[6]) {
    B const two(2.0f), four(4.0f), five(5.0f);
    B const even = d[4] - four * d[2], odd = d[3] - four * d[1];
    B const close = d[4] - d[2], far = two * (d[3] - d[1]);
    v[0] = four * d[0] - five * d[2] + d[4];
    v[1] = even + odd;
    v[2] = even - odd;
    v[3] = close + far;
    v[4] = close - far;
    v[5] = four * d[1] - five * d[3] + d[5];
  }
  template <class B>
  static KROTON_INLINE void result(B const (&m)[6], B (&y)[4]) {
    B const sum = m[1] + m[2], difference = m[1] - m[2];
    B const far_sum = m[3] + m[4], far_difference = m[3] - m[4];
    y[0] = m[0] + sum + far_sum;
    y[1] = difference + B(2.0f) * far_difference;
    y[2] = sum + B(4.0f) * far_sum;
    y[3] = difference + B(8.0f) * far_difference + m[5];
  }
};

/// A square of In x In batches to one of Out x Out: every column, then every row.
template <std::size_t Out, std::size_t In, class B, class Along>
KROTON_INLINE void transform_square(B const (&from)[In][In], B (&to)[Out][Out], Along along) {
  B half[Out][In];
  KROTON_UNROLL(6)
  for (std::size_t j = 0; j < In; ++j) {
    B column[In], made[Out];
    KROTON_UNROLL(6)
    for (std::size_t i = 0; i < In; ++i) column[i] = from[i][j];
    along(column, made);
    KROTON_UNROLL(6)
    for (std::size_t i = 0; i < Out; ++i) half[i][j] = made[i];
  }
  KROTON_UNROLL(6)
  for (std::size_t i = 0; i < Out; ++i) along(half[i], to[i]);
}

}  // namespace kroton::cpu
