// The largest error of a function of SIMD batches over an interval, in units in the last place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "references.hpp"

#include <kroton/cpu/simd/math.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace accuracy {

/// The distance of y from the exact value, in units in the last place of that; half a unit is perfect. Subnormal numbers have the unit
/// of the smallest normal one.
template <class T>
double error_of(T y, quad exact) {
  T const rounded = static_cast<T>(exact);
  if (std::isnan(y) || std::isnan(rounded) || std::isinf(rounded)) return y == rounded || std::isnan(y) == std::isnan(rounded) ? 0 : HUGE_VAL;
  if (std::isinf(y)) return 1;  // one step above the largest number
  T const size = std::max(std::abs(rounded), std::numeric_limits<T>::min());
  return static_cast<double>(fabsq(quad(y) - exact) / scalbnq(1, std::ilogb(size) + 1 - std::numeric_limits<T>::digits));
}

template <class T>
struct found {
  double error;
  T x;
};

template <class T, class F, class Exact>
void measure_at(std::vector<T> x, F f, Exact exact, std::vector<found<T>>& all) {
  using batch = xsimd::batch<T>;
  T y[batch::size];
  while (x.size() % batch::size != 0) x.push_back(x.back());
  for (std::size_t i = 0; i < x.size(); i += batch::size) {
    f(batch::load_unaligned(&x[i])).store_unaligned(y);
    for (std::size_t k = 0; k < batch::size; ++k) all.push_back({error_of(y[k], exact(quad(x[i + k]))), x[i + k]});
  }
}

/// Between two bounds at points of all magnitudes, at evenly spread ones, and then twice next to where the error was largest.
template <class T, class F, class Exact>
found<T> largest_error(F f, Exact exact, double low, double high) {
  std::mt19937_64 random(20);
  auto uniform = [&](double from, double to) { return from + (to - from) * std::ldexp(static_cast<double>(random() >> 11), -53); };
  auto const inside = [&](T x) { return x >= low && x <= high; };
  std::vector<T> x;
  double const least = std::log(static_cast<double>(std::numeric_limits<T>::denorm_min())),
               most = std::log(static_cast<double>(std::numeric_limits<T>::max()));
  for (int i = 0; i < 30000; ++i)
    for (double const sign : {1.0, -1.0})
      if (T const v = static_cast<T>(sign * std::exp(i % 3 == 0 ? uniform(least, most) : uniform(-5, 7))); inside(v)) x.push_back(v);
  for (double const reach : {1.0, 12.0, 120.0, 800.0}) {
    double const from = std::max(low, -reach), to = std::min(high, reach);
    for (int i = 0; i < 10000 && from < to; ++i) x.push_back(static_cast<T>(uniform(from, to)));
  }
  // Where the results of many functions pass a power of two, and the unit in the last place doubles.
  for (int e = -40; e < 10; ++e)
    for (int i = 0; i < 400; ++i)
      if (T const v = static_cast<T>(std::ldexp((i % 2 == 0 ? 1 : -1) * uniform(0.97, 1.03), e)); inside(v)) x.push_back(v);
  std::sort(x.begin(), x.end());  // batches are of one kind, as arrays often are
  std::vector<found<T>> all;
  auto const larger = [](found<T> const& a, found<T> const& b) { return a.error > b.error; };
  measure_at<T>(x, f, exact, all);
  for (int round = 0; round < 2; ++round) {
    std::size_t const kept = std::min<std::size_t>(all.size(), 40);
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(), larger);
    all.resize(kept);
    std::vector<T> near;
    for (found<T> const& worst : all)
      for (int i = 0; i < 400; ++i) {
        T const step = static_cast<T>(std::ldexp(uniform(-1, 1), -1 - static_cast<int>(random() % std::numeric_limits<T>::digits)));
        if (T const v = worst.x + worst.x * step; inside(v)) near.push_back(v);
      }
    measure_at<T>(near, f, exact, all);
  }
  return *std::min_element(all.begin(), all.end(), larger);
}

}  // namespace accuracy
