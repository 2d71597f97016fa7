// How convolutions may be computed, and which way is the fastest one for a shape.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/convolution/spectral_plan.hpp>
#include <kroton/cpu/op/convolution/winograd.hpp>

#include <cmath>
#include <string>

namespace kroton::cpu {

/// How a convolution is computed.
enum class convolution_way {
  nothing,
  zeros,
  taps,
  product,
  patches,
  winograd_of_two,
  winograd_of_four,
  spectra,
  planes,
  columns,
  channels
};

/// Whether an op computes the gradient by filters, or by images.
template <class Op>
inline constexpr bool is_of_filters = std::is_same_v<Op, op::convolution_filters>;
template <class Op>
inline constexpr bool is_of_images = std::is_same_v<Op, op::convolution_images>;

/// Of float64, the errors of Winograd's algorithm would be those of fewer digits.
template <class Op, class T>
inline constexpr bool may_use_winograd = !is_of_filters<Op> && std::is_same_v<T, float>;
/// Winograd's algorithm for a shape, where it is faster than products of `direct` multiplications.
template <class Op, class T>
convolution_way winograd_way(convolution_shape const& s, double direct) {
  if constexpr (may_use_winograd<Op, T>)
    if (s.may_transform && winograd_shape::fits(s)) {
      auto const w =
          is_of_images<Op> ? winograd_shape::of_images(s) : winograd_shape::of_outputs(s);
      double const two = winograd<T, winograd_of_two>::multiplications(w),
                   four = winograd<T, winograd_of_four>::multiplications(w);
      if (std::min(two, four) < 0.9 * direct)
        return two < four ? convolution_way::winograd_of_two : convolution_way::winograd_of_four;
    }
  return convolution_way::nothing;
}

template <class Op>
spectral_shape spectral_shape_of(convolution_shape const& s) {
  return is_of_images<Op>    ? spectral_shape::of_images(s)
         : is_of_filters<Op> ? spectral_shape::of_filters(s)
                             : spectral_shape::of_outputs(s);
}
/// Whether products of spectra are faster than that.
template <class Op, class T>
bool takes_spectra(convolution_shape const& s, double direct) {
  if (!s.may_transform || !spectral_shape::fits(s)) return false;
  return static_cast<double>(s.groups) *
             spectral_plan<T>(spectral_shape_of<Op>(s)).multiplications <
         0.7 * direct;
}

/// Whether outputs are so few that what the other ways prepare takes longer than their sums.
template <class Op>
bool are_few_sums(convolution_shape const& s) {
  return std::is_same_v<Op, op::convolution> && s.multiplications() <= 128;
}

/// The way for a shape of elements of type T.
template <class Op, class T>
convolution_way way_of(convolution_shape const& s) {
  std::ptrdiff_t const images = s.batch * s.groups * s.channels * s.pixels(),
                       filters = s.groups * s.outputs * s.patch(),
                       outputs = s.batch * s.groups * s.outputs * s.positions();
  std::ptrdiff_t const result = is_of_images<Op> ? images : is_of_filters<Op> ? filters : outputs;
  if (result == 0) return convolution_way::nothing;
  if (images == 0 || filters == 0 || outputs == 0) return convolution_way::zeros;
  if (std::is_integral_v<T> || are_few_sums<Op>(s)) return convolution_way::taps;
  if constexpr (!std::is_floating_point_v<T>) {
    return s.is_product() ? convolution_way::product : convolution_way::patches;
  } else {
    auto const filled = [](std::ptrdiff_t n, double width = xsimd::batch<T>::size) {
      auto const elements = static_cast<double>(n);
      return elements / (std::ceil(elements / width) * width);
    };
    std::ptrdiff_t const columns = is_of_images<Op>
                                       ? (s.axes[2].image + s.axes[2].stride - 1) / s.axes[2].stride
                                       : s.axes[2].positions;
    std::ptrdiff_t const outer = is_of_images<Op> ? s.channels : s.outputs;
    if (s.channels == 1 && s.outputs == 1) {
      // Tiles of a gradient by filters have three rows and columns of them.
      if (!is_of_filters<Op> || (s.axes[1].stride == 1 &&
                                 filled(s.axes[1].filter, 3) * filled(s.axes[2].filter, 3) > 0.8))
        return convolution_way::planes;
      return convolution_way::columns;
    }
    double const lanes = std::max(0.9 * filled(columns), filled(outer));
    double const direct = s.multiplications() / lanes;
    convolution_way const by_winograd = winograd_way<Op, T>(s, direct);
    if (by_winograd != convolution_way::nothing) return by_winograd;
    if (takes_spectra<Op, T>(s, direct)) return convolution_way::spectra;
    if (s.is_product())
      return filled(outer) > 0.9 ? convolution_way::channels : convolution_way::product;
    return 0.9 * filled(columns) >= filled(outer) ? convolution_way::columns
                                                  : convolution_way::channels;
  }
}

/// The words of debugprint.
inline std::string describe_way(convolution_way way) {
  switch (way) {
    case convolution_way::nothing: return "nothing to do: no elements";
    case convolution_way::zeros: return "zeros: sums of nothing";
    case convolution_way::taps: return "direct, one element of a filter at a time";
    case convolution_way::product: return "filters of one element: a product of matrices";
    case convolution_way::winograd_of_two:
      return "Winograd's algorithm, F(2 x 2, 3 x 3), several channels at a time";
    case convolution_way::winograd_of_four:
      return "Winograd's algorithm, F(4 x 4, 3 x 3), several channels at a time";
    case convolution_way::spectra: return "products of spectra, several channels at a time";
    case convolution_way::planes: return "direct, several rows of a plane at a time";
    case convolution_way::columns: return "direct, several columns at a time";
    case convolution_way::channels: return "direct, several channels at a time";
    default: return "patches as a matrix, in panels, and products of matrices";
  }
}

}  // namespace kroton::cpu
