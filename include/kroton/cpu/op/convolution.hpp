// Convolutions: the algorithm that a call takes, and the tensor that it computes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/convolution/patches.hpp>
#include <kroton/cpu/op/kernel.hpp>

#include <string>

namespace kroton::cpu {

/// How a convolution is computed.
enum class convolution_way { nothing, zeros, product, patches };

/// The memory of a step, and how it computes its last shape.
struct convolution_choice {
  convolution_way way = convolution_way::nothing;
  convolution_shape shape;
  kept_memory images{}, filters{}, outputs{}, panel{};
};

/// The way for a shape.
template <class Op>
convolution_way way_of(convolution_shape const& s) {
  auto const elements = [&](bool has_images, bool has_filters, bool has_outputs) {
    return (has_images ? s.batch * s.groups * s.channels * s.pixels() : 1) *
           (has_filters ? s.groups * s.outputs * s.patch() : 1) *
           (has_outputs ? s.batch * s.groups * s.outputs * s.positions() : 1);
  };
  bool const of_images = std::is_same_v<Op, op::convolution_images>,
             of_filters = std::is_same_v<Op, op::convolution_filters>;
  if (elements(of_images, of_filters, !of_images && !of_filters) == 0)
    return convolution_way::nothing;
  if (elements(!of_images, !of_filters, of_images || of_filters) == 0)
    return convolution_way::zeros;
  return s.is_product() ? convolution_way::product : convolution_way::patches;
}

/// Computes the tensor of `Op` from the two others.
template <class Op, class T>
void convolve_by_patches(convolution_choice& c, convolution_arrays const& arrays) {
  convolution_shape const& s = c.shape;
  patches<T> by(s, c.panel);
  std::ptrdiff_t const image = s.channels * s.pixels(), filter = s.outputs * s.patch(),
                       output = s.outputs * s.positions();
  auto const whole = [](core::array_ref const& a) { return reinterpret_cast<T*>(a.data); };
  auto const each = [&](auto const& compute) {
    for (std::ptrdiff_t b = 0; b < s.batch; ++b)
      for (std::ptrdiff_t g = 0; g < s.groups; ++g)
        compute((b * s.groups + g) * image, g * filter, (b * s.groups + g) * output);
  };
  if constexpr (std::is_same_v<Op, op::convolution>) {
    T const *const x = packed<T>(arrays.images, c.images),
            *const w = packed<T>(arrays.filters, c.filters);
    each([&](std::ptrdiff_t i, std::ptrdiff_t f, std::ptrdiff_t o) {
      by.outputs(x + i, w + f, whole(arrays.outputs) + o);
    });
  } else if constexpr (std::is_same_v<Op, op::convolution_images>) {
    T const *const y = packed<T>(arrays.outputs, c.outputs),
            *const w = packed<T>(arrays.filters, c.filters);
    if (c.way != convolution_way::product)
      std::fill_n(whole(arrays.images), arrays.images.size(), T(0));
    each([&](std::ptrdiff_t i, std::ptrdiff_t f, std::ptrdiff_t o) {
      by.images(y + o, w + f, whole(arrays.images) + i);
    });
  } else {
    T const *const x = packed<T>(arrays.images, c.images),
            *const y = packed<T>(arrays.outputs, c.outputs);
    std::fill_n(whole(arrays.filters), arrays.filters.size(), T(0));
    each([&](std::ptrdiff_t i, std::ptrdiff_t f, std::ptrdiff_t o) {
      by.filters(x + i, y + o, whole(arrays.filters) + f);
    });
  }
}

template <class Op, class T>
void convolve(convolution_choice& c, convolution_arrays const& arrays,
              core::array_ref const& result) {
  switch (c.way) {
    case convolution_way::nothing: return;
    case convolution_way::zeros:
      std::memset(result.data, 0, static_cast<std::size_t>(result.size()) * sizeof(T));
      return;
    default: return convolve_by_patches<Op, T>(c, arrays);
  }
}

/// The words of debugprint.
inline std::string describe_way(convolution_way way) {
  switch (way) {
    case convolution_way::nothing: return "nothing to do: no elements";
    case convolution_way::zeros: return "zeros: sums of nothing";
    case convolution_way::product: return "filters of one element: a product of matrices";
    default: return "patches as a matrix, in panels, and products of matrices";
  }
}

template <class Op>
struct convolution_kernel {
  using choice = convolution_choice;

  /// From extents alone: the border is not known yet, and `run` looks again.
  template <class View>
  static choice choose(View const& s) {
    choice c;
    c.shape = shape_of(arrays_of<Op>(s.array(0), s.array(1), s.target()), 1,
                       [&](int i) { return static_cast<std::ptrdiff_t>(s.attribute(i)); },
                       [](int) { return std::ptrdiff_t{0}; });
    c.way = way_of<Op>(c.shape);
    return c;
  }
  static std::string describe(choice const& c) { return describe_way(c.way); }

  template <class T>
    requires std::is_floating_point_v<T> || is_complex_number<T>
  static void run(core::invocation const& call, choice& c) {
    auto const integer = [&](int k) {
      return static_cast<std::ptrdiff_t>(
          *reinterpret_cast<std::int64_t const*>(call.operand(k).data));
    };
    convolution_arrays const arrays =
        arrays_of<Op>(call.operand(0), call.operand(1), call.result());
    convolution_shape const shape =
        shape_of(arrays, integer(ops::groups_operand),
                 [&](int i) { return static_cast<std::ptrdiff_t>(call.attribute(i)); },
                 [&](int d) { return integer(ops::first_border_operand + d); });
    if (!(shape == c.shape)) {
      c.shape = shape;
      c.way = way_of<Op>(shape);
    }
    convolve<Op, T>(c, arrays, call.result());
  }
};

template <>
struct kernel<op::convolution> : convolution_kernel<op::convolution> {};
template <>
struct kernel<op::convolution_images> : convolution_kernel<op::convolution_images> {};
template <>
struct kernel<op::convolution_filters> : convolution_kernel<op::convolution_filters> {};

}  // namespace kroton::cpu
