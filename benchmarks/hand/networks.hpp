// Recurrent networks by hand: what needs no state is one product of all steps, each step calls BLAS,
// and one loop computes everything between two products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "blas.hpp"
#include "vector_math.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hand {

/// y[i] = f(a[i], b[i], ...) on batches; the extents of networks are multiples of their width.
template <class T, class F, class... A>
[[gnu::always_inline]] inline void each(std::size_t n, T* y, F f, A const*... a) {
  for (std::size_t i = 0; i < n; i += batch<T>::size) f(batch<T>::load_unaligned(a + i)...).store_unaligned(y + i);
}
template <class T>
[[gnu::always_inline]] inline batch<T> sigmoid(batch<T> x) {
  return batch<T>(T(1)) / (batch<T>(T(1)) + hand::exp(-x));
}
/// The sums of columns are added to y.
template <class T>
void add_rows(std::size_t rows, std::size_t columns, T alpha, T const* a, T* y) {
  constexpr std::size_t width = batch<T>::size;
  for (std::size_t j = 0; j < columns; j += width) {
    batch<T> sum(T(0));
    for (std::size_t i = 0; i < rows; ++i) sum += batch<T>::load_unaligned(a + i * columns + j);
    xsimd::fma(sum, batch<T>(alpha), batch<T>::load_unaligned(y + j)).store_unaligned(y + j);
  }
}

/// h_t = tanh(x_t U + h_(t-1) W + b), for a batch of rows.
template <class T>
struct tanh_network {
  std::size_t steps, rows, inputs, units;
  std::vector<T> h, before, d;  // d is the gradient by what tanh is of
  std::vector<T> of_U, of_W, of_b, of_start;

  tanh_network(std::size_t t, std::size_t r, std::size_t i, std::size_t u)
      : steps(t), rows(r), inputs(i), units(u), h(t * r * u), before(h), d(h), of_U(i * u), of_W(u * u), of_b(u), of_start(r * u) {}

  void forward(T const* x, T const* U, T const* W, T const* b, T const* start) {
    std::size_t const row = rows * units;
    for (std::size_t r = 0; r < steps * rows; ++r) std::copy(b, b + units, h.data() + r * units);
    product(steps * rows, units, inputs, T(1), x, U, T(1), h.data());
    for (std::size_t t = 0; t < steps; ++t) {
      T* const now = h.data() + t * row;
      product(rows, units, units, T(1), t > 0 ? now - row : start, W, T(1), now);
      each(row, now, [](batch<T> v) { return hand::tanh(v); }, now);
    }
  }
  /// The gradients of half of the sum of squares of all states.
  void gradients(T const* x, T const* U, T const* W, T const* b, T const* start) {
    forward(x, U, W, b, start);
    std::size_t const row = rows * units;
    for (std::size_t t = steps; t-- > 0;) {
      T const* const now = h.data() + t * row;
      T* const to = d.data() + t * row;
      if (t + 1 < steps) {
        std::copy(now, now + row, to);
        product_with_transposed(rows, units, units, T(1), to + row, W, T(1), to);
        each(row, to, [](batch<T> g, batch<T> y) { return xsimd::fnma(g * y, y, g); }, to, now);
      } else {
        each(row, to, [](batch<T> y) { return xsimd::fnma(y * y, y, y); }, now);
      }
    }
    product_with_transposed(rows, units, units, T(1), d.data(), W, T(0), of_start.data());
    std::copy(start, start + row, before.data());
    std::copy(h.data(), h.data() + (steps - 1) * row, before.data() + row);
    for (auto* of : {&of_U, &of_W, &of_b}) std::fill(of->begin(), of->end(), T(0));
    add_transposed_product(inputs, units, steps * rows, T(1), x, d.data(), of_U.data());
    add_transposed_product(units, units, steps * rows, T(1), before.data(), d.data(), of_W.data());
    add_rows(steps * rows, units, T(1), d.data(), of_b.data());
  }
};

/// A layer of long short-term memory; columns are the input, forget and output gates, and the new values.
template <class T>
struct lstm {
  std::size_t steps, rows, inputs, units;
  std::vector<T> U, W, b, start, start_c;
  std::vector<T> gates, h, c, before, dh, dc;  // the gates' values, and then the gradients by what they are functions of
  T cost = 0;

  lstm(std::size_t t, std::size_t r, std::size_t i, std::size_t u, T const* first_U, T const* first_W)
      : steps(t), rows(r), inputs(i), units(u), U(first_U, first_U + i * 4 * u), W(first_W, first_W + u * 4 * u), b(4 * u),
        start(r * u), start_c(r * u), gates(t * r * 4 * u), h(t * r * u), c(h), before(h), dh(r * u), dc(dh) {}

  /// A step of descent on the mean of the squares of h - y.
  void step(T const* x, T const* y, T rate) {
    std::size_t const row = rows * units, all = steps * rows;
    for (std::size_t r = 0; r < all; ++r) std::copy(b.begin(), b.end(), gates.data() + r * 4 * units);
    product(all, 4 * units, inputs, T(1), x, U.data(), T(1), gates.data());
    for (std::size_t t = 0; t < steps; ++t) {
      T const* const last = t > 0 ? h.data() + (t - 1) * row : start.data();
      T const* const last_c = t > 0 ? c.data() + (t - 1) * row : start_c.data();
      product(rows, 4 * units, units, T(1), last, W.data(), T(1), gates.data() + t * 4 * row);
      for (std::size_t r = 0; r < rows; ++r) forward(t * rows + r, last_c + r * units);
    }
    T const scale = T(2) / static_cast<T>(steps * row);
    batch<T> sum(T(0));
    for (std::size_t i = 0; i < steps * row; i += width) {
      batch<T> const e = load(h.data() + i) - load(y + i);
      sum = xsimd::fma(e, e, sum);
    }
    cost = xsimd::hadd(sum) / static_cast<T>(steps * row);

    std::fill(dh.begin(), dh.end(), T(0));
    std::fill(dc.begin(), dc.end(), T(0));
    for (std::size_t t = steps; t-- > 0;) {
      T const* const last_c = t > 0 ? c.data() + (t - 1) * row : start_c.data();
      for (std::size_t r = 0; r < rows; ++r) back(t * rows + r, r, last_c + r * units, y, scale);
      product_with_transposed(rows, units, 4 * units, T(1), gates.data() + t * 4 * row, W.data(), T(0), dh.data());
    }
    std::copy(start.begin(), start.end(), before.begin());
    std::copy(h.data(), h.data() + (steps - 1) * row, before.data() + row);
    add_transposed_product(inputs, 4 * units, all, -rate, x, gates.data(), U.data());
    add_transposed_product(units, 4 * units, all, -rate, before.data(), gates.data(), W.data());
    add_rows(all, 4 * units, -rate, gates.data(), b.data());
  }

 private:
  static constexpr std::size_t width = batch<T>::size;
  static batch<T> load(T const* p) { return batch<T>::load_unaligned(p); }

  void forward(std::size_t r, T const* last_c) {
    T* const g = gates.data() + r * 4 * units;
    for (std::size_t j = 0; j < units; j += width) {
      batch<T> const in = sigmoid(load(g + j)), forget = sigmoid(load(g + units + j)), out = sigmoid(load(g + 2 * units + j)),
                     value = hand::tanh(load(g + 3 * units + j));
      batch<T> const now = xsimd::fma(forget, load(last_c + j), in * value);
      in.store_unaligned(g + j);
      forget.store_unaligned(g + units + j);
      out.store_unaligned(g + 2 * units + j);
      value.store_unaligned(g + 3 * units + j);
      now.store_unaligned(c.data() + r * units + j);
      (out * hand::tanh(now)).store_unaligned(h.data() + r * units + j);
    }
  }
  void back(std::size_t r, std::size_t k, T const* last_c, T const* y, T scale) {
    T* const g = gates.data() + r * 4 * units;
    batch<T> const one(T(1));
    for (std::size_t j = 0; j < units; j += width) {
      std::size_t const at = r * units + j, to = k * units + j;
      batch<T> const in = load(g + j), forget = load(g + units + j), out = load(g + 2 * units + j),
                     value = load(g + 3 * units + j), shown = hand::tanh(load(c.data() + at));
      batch<T> const of_h = xsimd::fma(load(h.data() + at) - load(y + at), batch<T>(scale), load(dh.data() + to));
      batch<T> const of_c = xsimd::fma(of_h * out, one - shown * shown, load(dc.data() + to));
      (of_c * value * in * (one - in)).store_unaligned(g + j);
      (of_c * load(last_c + j) * forget * (one - forget)).store_unaligned(g + units + j);
      (of_h * shown * out * (one - out)).store_unaligned(g + 2 * units + j);
      (of_c * in * (one - value * value)).store_unaligned(g + 3 * units + j);
      (of_c * forget).store_unaligned(dc.data() + to);
    }
  }
};

/// The forward algorithm of a hidden Markov model on logarithms: a_t(j) = e_t(j) + log sum_i exp(a_(t-1)(i) + m(i, j)). The
/// number of states is a multiple of the width of a batch.
struct forward_algorithm {
  std::size_t steps, states;
  std::vector<double> a, of_seen, of_moves, later, sums;

  forward_algorithm(std::size_t t, std::size_t s) : steps(t), states(s), a(t * s), of_seen(a), of_moves(s * s), later(s), sums(s) {}

  static double log_sum(double const* x, std::size_t n) {
    double const largest = *std::max_element(x, x + n);
    batch<double> sum(0.0);
    for (std::size_t i = 0; i < n; i += width) sum += hand::exp(load(x + i) - largest);
    return largest + std::log(xsimd::hadd(sum));
  }
  double run(double const* seen, double const* moves) {
    std::size_t const n = states;
    for (std::size_t j = 0; j < n; ++j) a[j] = seen[j] - std::log(static_cast<double>(n));
    for (std::size_t t = 1; t < steps; ++t) {
      double const* const last = a.data() + (t - 1) * n;
      for (std::size_t j = 0; j < n; j += width) {
        batch<double> largest = load(moves + j) + last[0], sum(0.0);
        for (std::size_t i = 1; i < n; ++i) largest = xsimd::max(largest, load(moves + i * n + j) + last[i]);
        for (std::size_t i = 0; i < n; ++i) sum += hand::exp(load(moves + i * n + j) + (last[i] - largest));
        (load(seen + t * n + j) + largest + hand::log(sum)).store_unaligned(a.data() + t * n + j);
      }
    }
    return log_sum(a.data() + (steps - 1) * n, n);
  }
  /// The derivatives by `seen` and `moves`: probabilities of states, and expected counts of moves.
  double gradients(double const* seen, double const* moves) {
    std::size_t const n = states;
    double const all = run(seen, moves);
    std::fill(of_moves.begin(), of_moves.end(), 0.0);
    for (std::size_t j = 0; j < n; j += width)
      hand::exp(load(a.data() + (steps - 1) * n + j) - all).store_unaligned(later.data() + j);
    for (std::size_t t = steps - 1; t > 0; --t) {
      double const *const last = a.data() + (t - 1) * n, *const now = a.data() + t * n;
      std::copy(later.begin(), later.end(), of_seen.data() + t * n);
      for (std::size_t j = 0; j < n; j += width) (load(now + j) - load(seen + t * n + j)).store_unaligned(sums.data() + j);
      for (std::size_t i = 0; i < n; ++i) {
        batch<double> total(0.0);
        for (std::size_t j = 0; j < n; j += width) {
          double* const to = of_moves.data() + i * n + j;
          batch<double> const share =
              load(of_seen.data() + t * n + j) * hand::exp(load(moves + i * n + j) + (last[i] - load(sums.data() + j)));
          (load(to) + share).store_unaligned(to);
          total += share;
        }
        later[i] = xsimd::hadd(total);
      }
    }
    std::copy(later.begin(), later.end(), of_seen.begin());
    return all;
  }

 private:
  static constexpr std::size_t width = batch<double>::size;
  static batch<double> load(double const* p) { return batch<double>::load_unaligned(p); }
};

}  // namespace hand
