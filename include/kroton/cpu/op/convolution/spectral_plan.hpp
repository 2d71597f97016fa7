// What products of spectra compute, and tiles that are best for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/convolution/geometry.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <bit>
#include <cmath>

namespace kroton::cpu {

/// to(b, o, p) = sum of from(b, i, p + t - before) * filter(o, i, t) over i and t, where `from`
/// outside its extents is 0, p and t have two axes, and b, o and i have steps in the three arrays.
struct spectral_shape {
  struct steps {
    std::ptrdiff_t first = 0, second = 0;
  };
  std::ptrdiff_t batch = 1, inner = 1, outer = 1;
  steps from_steps{}, filter_steps{}, to_steps{};  // (b, i), (o, i) and (b, o)
  std::ptrdiff_t from[2]{}, filter[2]{}, to[2]{}, before[2]{};
  bool flips = false;

  static spectral_shape of_outputs(convolution_shape const& s) {
    std::ptrdiff_t const all_inner = s.groups * s.channels * s.pixels(),
                         all_outer = s.groups * s.outputs * s.positions();
    spectral_shape w{s.batch,
                     s.channels,
                     s.outputs,
                     {all_inner, s.pixels()},
                     {s.patch(), s.taps()},
                     {all_outer, s.positions()},
                     {},
                     {},
                     {},
                     {},
                     s.flips};
    for (int d = 0; d < 2; ++d) {
      window_axis const& a = s.axes[1 + d];
      w.from[d] = a.image, w.filter[d] = a.filter, w.to[d] = a.positions, w.before[d] = a.before;
    }
    return w;
  }
  static spectral_shape of_images(convolution_shape const& s) {
    spectral_shape w = of_outputs(s);
    std::swap(w.inner, w.outer);
    std::swap(w.from_steps, w.to_steps);
    std::swap(w.filter_steps.first, w.filter_steps.second);
    std::swap(w.from, w.to);
    for (int d = 0; d < 2; ++d) w.before[d] = w.filter[d] - 1 - w.before[d];
    w.flips = !w.flips;
    return w;
  }
  /// The sum goes over images, and the result has a filter of each channel.
  static spectral_shape of_filters(convolution_shape const& s) {
    spectral_shape w = of_outputs(s);
    std::swap(w.batch, w.inner);
    std::swap(w.from_steps.first, w.from_steps.second);
    w.filter_steps = {w.to_steps.second, w.to_steps.first};
    w.to_steps = {s.taps(), s.patch()};
    std::swap(w.filter, w.to);
    w.flips = false;
    return w;
  }
  static bool fits(convolution_shape const& s) {
    auto const is_plain = [](window_axis const& a) { return a.stride == 1 && a.dilation == 1; };
    window_axis const& z = s.axes[0];
    return is_plain(s.axes[1]) && is_plain(s.axes[2]) && z.filter == 1 && z.image == 1 &&
           z.positions == 1;
  }
};

/// The extents of tiles, and what they cost in multiplications of direct loops.
template <class T>
struct spectral_plan {
  std::ptrdiff_t tile[2]{1, 1}, count[2]{1, 1};
  double multiplications = INFINITY;

  explicit spectral_plan(spectral_shape const& s) {
    for (std::ptrdiff_t rows : sizes(s, 0))
      for (std::ptrdiff_t columns : sizes(s, 1)) {
        std::ptrdiff_t const extents[] = {rows, columns};
        std::ptrdiff_t counts[2];
        for (int d = 0; d < 2; ++d) {
          std::ptrdiff_t const fresh = extents[d] - s.filter[d] + 1;
          counts[d] = (s.to[d] + fresh - 1) / fresh;
        }
        double const cost = cost_of(s, extents, counts);
        if (cost >= multiplications) continue;
        multiplications = cost;
        std::copy_n(extents, 2, tile);
        std::copy_n(counts, 2, count);
      }
  }

 private:
  static constexpr auto width = static_cast<std::ptrdiff_t>(xsimd::batch<T>::size);
  // Powers of 2 from what one element of the result takes to what all of them take.
  static std::vector<std::ptrdiff_t> sizes(spectral_shape const& s, int d) {
    auto const power = [](std::ptrdiff_t n) {
      return static_cast<std::ptrdiff_t>(std::bit_ceil(static_cast<std::size_t>(n)));
    };
    std::vector<std::ptrdiff_t> found;
    std::ptrdiff_t const all = power(s.to[d] + s.filter[d] - 1);
    for (std::ptrdiff_t n = power(s.filter[d]); n <= all; n *= 2) found.push_back(n);
    return found;
  }
  static double cost_of(spectral_shape const& s, std::ptrdiff_t const (&extents)[2],
                        std::ptrdiff_t const (&counts)[2]) {
    constexpr double stage = 4, product = 7;  // of a number, in batches of multiplications
    auto const elements = static_cast<double>(extents[0] * extents[1]),
               tiles = static_cast<double>(s.batch * counts[0] * counts[1]),
               inner = static_cast<double>(s.inner),
               inner_blocks = static_cast<double>((s.inner + width - 1) / width),
               outer_blocks = static_cast<double>((s.outer + 2 * width - 1) / (2 * width));
    double const transform = stage * elements * (std::log2(elements) + 3);
    return static_cast<double>(width) *
           (transform * (tiles * (inner_blocks + outer_blocks) + inner * outer_blocks) +
            product * elements * tiles * inner * outer_blocks);
  }
};

}  // namespace kroton::cpu
