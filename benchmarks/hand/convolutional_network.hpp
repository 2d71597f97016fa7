// A step of the paper's convolutional network by hand: extents are constants, activations come
// behind the maxima of windows, and gradients of convolutions visit only these.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "blas.hpp"
#include "vector_math.hpp"

#include <xsimd/xsimd.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace hand {

/// One layer: C maps of N x N, filters of K x K, O maps, windows of P x P.
template <class T, int N, int K, int C, int O, int P>
struct convolutional_layer {
  static constexpr int before = N - K + 1, after = before / P, size = O * after * after,
                       inputs = C * N * N, filter = C * K * K;
  static constexpr int width = static_cast<int>(xsimd::batch<T>::size);
  using batch = xsimd::batch<T>;

  std::vector<T> w, packed, bias, z;

  explicit convolutional_layer(T const* filters)
      : w(filters, filters + O * filter),
        packed(O * filter),
        bias(O),
        z(static_cast<std::size_t>(O * before * before + 64)) {}

  /// The filters in the order in which they are read, once a step.
  void pack() {
    for (int o = 0; o < O; ++o)
      for (int k = 0; k < filter; ++k)
        packed[static_cast<std::size_t>(k * O + o)] = w[static_cast<std::size_t>(o * filter + k)];
  }
  /// x is readable a batch behind its end. `slope` is the derivative of the activations, `at` where
  /// the maxima are.
  void forward(T const* x, T* y, T* slope, int* at) {
    constexpr int tile = O % 6 == 0 ? 6 : 4;
    for (int o = 0; o < O; o += tile)
      for (int i = 0; i < before; ++i)
        for (int j = 0; j < before; j += 4 * width) convolve<tile>(x, o, i, j);
    for (int o = 0; o < O; ++o)
      for (int i = 0; i < after; ++i)
        for (int j = 0; j < after; ++j) {
          T const* const plane = z.data() + o * before * before;
          int best = i * P * before + j * P;
          for (int a = 0; a < P; ++a)
            for (int b = 0; b < P; ++b) {
              int const k = (i * P + a) * before + j * P + b;
              best = plane[k] > plane[best] ? k : best;
            }
          int const to = (o * after + i) * after + j;
          at[to] = best;
          y[to] = plane[best] + bias[static_cast<std::size_t>(o)];
        }
    activate(y, slope);
  }
  /// Adds to the gradients of the filters and the bias, and to that of x if it is wanted.
  void backward(T const* x, T const* gradient, int const* at, T* dw, T* db, T* dx) const {
    for (int o = 0; o < O; ++o)
      for (int k = 0; k < after * after; ++k) {
        int const to = o * after * after + k, i = at[to] / before, j = at[to] % before;
        T const g = gradient[to];
        db[o] += g;
        for (int c = 0; c < C; ++c)
          for (int a = 0; a < K; ++a) {
            T const* const row = x + (c * N + i + a) * N + j;
            T* const into = dw + o * filter + (c * K + a) * K;
            for (int b = 0; b < K; ++b) into[b] += g * row[b];
            if (dx == nullptr) continue;
            T const* const f = w.data() + o * filter + (c * K + a) * K;
            T* const back = dx + (c * N + i + a) * N + j;
            for (int b = 0; b < K; ++b) back[b] += g * f[b];
          }
      }
  }

 private:
  static void activate(T* y, T* slope) {
    int k = 0;
    auto const both = [](auto const& v, auto& out, auto& derivative) {
      using V = std::remove_cvref_t<decltype(v)>;
      V const inner = hand::tanh(v), outer = hand::tanh(inner);
      out = outer;
      derivative = (V(T(1)) - outer * outer) * (V(T(1)) - inner * inner);
    };
    for (; k + width <= size; k += width) {
      batch out, derivative;
      both(batch::load_unaligned(y + k), out, derivative);
      out.store_unaligned(y + k);
      derivative.store_unaligned(slope + k);
    }
    for (; k < size; ++k) {
      T const inner = std::tanh(y[k]), outer = std::tanh(inner);
      y[k] = outer;
      slope[k] = (1 - outer * outer) * (1 - inner * inner);
    }
  }
  template <int Tile>
  void convolve(T const* x, int o, int i, int j) {
    batch sums[Tile][4];
    int start[4];
    for (int v = 0; v < 4; ++v) start[v] = std::max(0, std::min(j + v * width, before - width));
    for (auto& row : sums)
      for (batch& s : row) s = batch(T(0));
    for (int c = 0; c < C; ++c)
      for (int a = 0; a < K; ++a) {
        T const* const row = x + (c * N + i + a) * N;
        T const* f = packed.data() + ((c * K + a) * K) * O + o;
#pragma GCC unroll 8
        for (int b = 0; b < K; ++b, f += O) {
          batch v[4];
#pragma GCC unroll 4
          for (int k = 0; k < 4; ++k) v[k] = batch::load_unaligned(row + start[k] + b);
#pragma GCC unroll 6
          for (int h = 0; h < Tile; ++h)
#pragma GCC unroll 4
            for (int k = 0; k < 4; ++k) sums[h][k] = xsimd::fma(batch(f[h]), v[k], sums[h][k]);
        }
      }
    for (int h = 0; h < Tile; ++h)
      for (int k = 0; k < 4; ++k) {
        if (j + k * width >= before) continue;
        alignas(64) T lanes[batch::size];
        sums[h][k].store_aligned(lanes);
        std::copy_n(lanes, std::min(width, before),
                    z.data() + ((o + h) * before + i) * before + start[k]);
      }
  }
};

}  // namespace hand
