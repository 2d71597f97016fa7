// Convolutions and pooling by plain loops, in double, for tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/reference.hpp"

#include <kroton/runtime.hpp>

#include <algorithm>
#include <complex>
#include <random>
#include <vector>

namespace reference {

/// Extents of tensors with three axes for windows, of which the first ones may be 1.
using extents5 = std::array<std::ptrdiff_t, 5>;

inline extents5 padded_extents(auto const& x) {
  extents5 e{static_cast<std::ptrdiff_t>(x.shape()[0]), static_cast<std::ptrdiff_t>(x.shape()[1]),
             1, 1, 1};
  std::size_t const axes = x.dimension() - 2;
  for (std::size_t d = 0; d < axes; ++d)
    e[5 - axes + d] = static_cast<std::ptrdiff_t>(x.shape()[2 + d]);
  return e;
}

/// What the options of a convolution come to, for three axes.
struct windows {
  std::ptrdiff_t before[3]{}, after[3]{}, stride[3]{1, 1, 1}, dilation[3]{1, 1, 1}, groups = 1;
  bool flips = true;

  std::ptrdiff_t positions(int d, std::ptrdiff_t n, std::ptrdiff_t k) const {
    return (n + before[d] + after[d] - ((k - 1) * dilation[d] + 1)) / stride[d] + 1;
  }
  /// Visits every product of an image's element and a filter's: their numbers, and that of the
  /// output.
  template <class Visit>
  void each_product(extents5 const& x, extents5 const& w, Visit visit) const {
    std::ptrdiff_t out[3];
    for (int d = 0; d < 3; ++d)
      out[d] = positions(d, x[static_cast<std::size_t>(2 + d)], w[static_cast<std::size_t>(2 + d)]);
    std::ptrdiff_t const per_group = w[0] / groups;
    std::ptrdiff_t to = 0;
    for (std::ptrdiff_t b = 0; b < x[0]; ++b)
      for (std::ptrdiff_t o = 0; o < w[0]; ++o)
        for (std::ptrdiff_t i = 0; i < out[0]; ++i)
          for (std::ptrdiff_t j = 0; j < out[1]; ++j)
            for (std::ptrdiff_t l = 0; l < out[2]; ++l, ++to)
              for (std::ptrdiff_t c = 0; c < w[1]; ++c)
                for (std::ptrdiff_t p = 0; p < w[2]; ++p)
                  for (std::ptrdiff_t q = 0; q < w[3]; ++q)
                    for (std::ptrdiff_t r = 0; r < w[4]; ++r) {
                      std::ptrdiff_t const z = i * stride[0] + p * dilation[0] - before[0],
                                           y = j * stride[1] + q * dilation[1] - before[1],
                                           s = l * stride[2] + r * dilation[2] - before[2];
                      if (z < 0 || z >= x[2] || y < 0 || y >= x[3] || s < 0 || s >= x[4]) continue;
                      std::ptrdiff_t const channel = o / per_group * w[1] + c;
                      std::ptrdiff_t const element = ((p * w[3]) + q) * w[4] + r;
                      visit((((b * x[1] + channel) * x[2] + z) * x[3] + y) * x[4] + s,
                            (o * w[1] + c) * w[2] * w[3] * w[4] +
                                (flips ? w[2] * w[3] * w[4] - 1 - element : element),
                            to);
                    }
  }
};

/// Small numbers, the same at every run.
template <class Array>
Array random_numbers(typename Array::shape_type const& shape, unsigned seed) {
  Array a(shape);
  std::mt19937 random(seed);
  for (auto& v : a) {
    using T = std::remove_reference_t<decltype(v)>;
    auto const one = [&] { return static_cast<double>(random() % 2001) / 1000 - 1; };
    if constexpr (kt::core::is_complex_number<T>) {
      double const re = one(), im = one();
      v = T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
    } else {
      v = static_cast<T>(one());
    }
  }
  return a;
}

/// The largest difference of two arrays of the same shape, relative to the largest element;
/// infinite if the shapes differ.
template <class A, class B>
double difference(A const& a, B const& b) {
  if (a.dimension() != b.dimension() ||
      !std::equal(a.shape().begin(), a.shape().end(), b.shape().begin()))
    return infinity;
  double most = 0, largest = 1;
  auto j = b.begin();
  for (auto i = a.begin(); i != a.end(); ++i, ++j) {
    most = std::max(most, static_cast<double>(std::abs(*i - *j)));
    largest = std::max(largest, static_cast<double>(std::abs(*j)));
  }
  return most / largest;
}

/// What options mean for filters of extents k, in three axes.
template <class... Options>
windows meaning(int axes, extents5 const& w) {
  kt::ops::window_options o;
  o.axes = axes;
  (o.take(Options{}), ...);
  windows result;
  result.groups = o.groups;
  result.flips = !o.correlates;
  for (int d = 0; d < axes; ++d) {
    int const to = 3 - axes + d;
    std::ptrdiff_t const covered = (w[static_cast<std::size_t>(2 + to)] - 1) * o.dilation[d] + 1;
    bool const half = o.border == kt::ops::window_border::half,
               full = o.border == kt::ops::window_border::full;
    result.before[to] = half ? covered / 2 : full ? covered - 1 : o.before[d];
    result.after[to] = half ? covered / 2 : full ? covered - 1 : o.after[d];
    result.stride[to] = o.stride[d];
    result.dilation[to] = o.dilation[d];
  }
  return result;
}

template <int Axes>
constexpr auto convolve = [](auto x, auto w, auto... options) {
  if constexpr (Axes == 1) return conv1d(x, w, options...);
  else if constexpr (Axes == 2) return conv2d(x, w, options...);
  else return conv3d(x, w, options...);
};

template <class T, int Axes>
using tensor = xt::xtensor<T, Axes + 2>;
template <class T, int Axes>
using shape = typename tensor<T, Axes>::shape_type;

/// A recorded convolution of a and b and, for real numbers, its gradients, against loops.
template <class T, int Axes>
void compare(kt::runtime::graph const& g, kt::variable<T, Axes + 2> a, kt::variable<T, Axes + 2> b,
             kt::variable<T, Axes + 2> c, kt::variable<T, Axes + 2> result, windows const& by,
             shape<T, Axes> const& images, shape<T, Axes> const& filters) {
  using array = tensor<T, Axes>;
  array const x = random_numbers<array>(images, 1), w = random_numbers<array>(filters, 2);
  extents5 const xe = padded_extents(x), we = padded_extents(w);
  shape<T, Axes> out = images;
  out[1] = filters[0];
  for (std::size_t d = 0; d < Axes; ++d)
    out[2 + d] = static_cast<std::size_t>(
        by.positions(static_cast<int>(3 - Axes + d), xe[5 - Axes + d], we[5 - Axes + d]));
  array const v = random_numbers<array>(out, 3);
  array y(out, T(0)), gx(images, T(0)), gw(filters, T(0));
  by.each_product(xe, we, [&](auto i, auto f, auto o) {
    auto const at = [](auto k) { return static_cast<std::size_t>(k); };
    y.flat(at(o)) += x.flat(at(i)) * w.flat(at(f));
    gx.flat(at(i)) += v.flat(at(o)) * w.flat(at(f));
    gw.flat(at(f)) += v.flat(at(o)) * x.flat(at(i));
  });
  double const bound = sizeof(T) == sizeof(float) ? 2e-6 : 1e-14;
  if constexpr (kt::core::is_complex_number<T>) {
    CHECK(difference(g.function({a, b}, result)(x, w), y) <= bound);
  } else {
    auto const f = g.function(
        {a, b, c}, std::tuple(result, grad(sum(result * c), a), grad(sum(result * c), b)));
    auto const [fy, fx, fw] = f(x, w, v);
    CHECK(difference(fy, y) <= bound);
    CHECK(difference(fx, gx) <= bound);
    CHECK(difference(fw, gw) <= bound);
  }
}
template <class T, int Axes, class... Options>
void check(shape<T, Axes> const& images, shape<T, Axes> const& filters, Options... options) {
  kt::runtime::graph g;
  auto const a = g.input<T, Axes + 2>("a"), b = g.input<T, Axes + 2>("b"),
             c = g.input<T, Axes + 2>("c");
  extents5 const w = padded_extents(tensor<T, Axes>(filters));
  compare<T, Axes>(g, a, b, c, convolve<Axes>(a, b, options...), meaning<Options...>(Axes, w),
                   images, filters);
}

}  // namespace reference
