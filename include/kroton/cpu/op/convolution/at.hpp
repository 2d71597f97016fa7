// Gradients of convolutions by outputs that are zero except at few positions: these one by one, or
// all of the outputs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/convolution/convolution.hpp>
#include <kroton/cpu/op/convolution/places.hpp>
#include <kroton/ops/signal/convolution_at.hpp>

namespace kroton::cpu {

/// The op for all positions.
template <class Op>
using convolution_of_all = std::conditional_t<std::is_same_v<Op, op::convolution_images_at>,
                                              op::convolution_images, op::convolution_filters>;

template <class Op>
struct convolution_at_kernel {
  using all = convolution_of_all<Op>;
  struct choice {
    convolution_choice of_all{};
    kept_memory outputs{}, elements{}, positions{}, places{};
  };

  template <class View>
  static choice choose(View const&) {
    return {};
  }
  static std::string describe(choice const&) {
    return "position by position where they are few, else as all positions";
  }

  template <class T>
    requires std::is_floating_point_v<T> || is_complex_number<T>
  static void run(core::invocation const& call, choice& c) {
    core::array_ref const &elements = call.operand(0), &other = call.operand(2);
    int const axes = elements.rank - 2;
    auto const integer = [&](int k) {
      return static_cast<std::ptrdiff_t>(
          *reinterpret_cast<std::int64_t const*>(call.operand(k).data));
    };
    core::array_ref outputs = elements;
    for (int d = 0; d < axes; ++d)
      outputs.extents[2 + d] = integer(ops::first_border_operand + 1 + 2 * axes + d);
    outputs.make_contiguous_strides();
    convolution_arrays arrays = is_of_images<all>
                                    ? convolution_arrays{call.result(), other, outputs}
                                    : convolution_arrays{other, call.result(), outputs};
    convolution_shape const shape = shape_of(
        arrays, integer(ops::groups_operand + 1),
        [&](int i) { return static_cast<std::ptrdiff_t>(call.attribute(i)); },
        [&](int d) { return integer(ops::first_border_operand + 1 + d); });
    T const* const v = packed<T>(elements, c.elements);
    auto const* const positions = packed<std::int64_t>(call.operand(1), c.positions);
    std::ptrdiff_t const planes = shape.batch * shape.groups * shape.outputs,
                         count = planes == 0 ? 0 : elements.size() / planes;
    if constexpr (std::is_floating_point_v<T>)
      if (are_few<T>(shape, count)) return by_places<T>(c, shape, arrays, v, positions, count);
    // All positions
    T* const whole = c.outputs.template room<T>(outputs.size());
    std::fill_n(whole, outputs.size(), T(0));
    for (std::ptrdiff_t p = 0; p < planes; ++p)
      for (std::ptrdiff_t i = p * count; i < (p + 1) * count; ++i)
        whole[p * shape.positions() + positions[i]] += v[i];
    arrays.outputs.data = reinterpret_cast<std::byte*>(whole);
    c.of_all.template take_shape<all, T>(shape);
    convolve<all, T>(c.of_all, arrays, call.result());
  }

 private:
  // Whether so many positions in a plane cost less than all of them, in batches of multiplications.
  template <class T>
  static bool are_few(convolution_shape const& s, std::ptrdiff_t count) {
    constexpr auto width = static_cast<std::ptrdiff_t>(xsimd::batch<T>::size);
    std::ptrdiff_t const row = s.axes[2].filter;
    if (s.axes[2].dilation != 1 || row > places_correlation<T>::max_columns) return false;
    std::ptrdiff_t const rows = s.taps() / std::max<std::ptrdiff_t>(row, 1) * (row > width ? 2 : 1);
    return 5 * count * rows * width < 2 * s.positions() * s.taps();
  }
  template <class T>
  static void by_places(choice& c, convolution_shape const& s, convolution_arrays const& arrays,
                        T const* v, std::int64_t const* positions, std::ptrdiff_t count) {
    places_correlation<T> const by(s);
    field_layout const& layout = by.field();
    T* const field = layout.room<T>(s.channels, c.of_all.panel);
    std::ptrdiff_t* const places = c.places.template room<std::ptrdiff_t>(count);
    std::ptrdiff_t const image = s.channels * s.pixels(), filter = s.outputs * s.patch();
    core::array_ref const& given = is_of_images<all> ? arrays.filters : arrays.images;
    T const* const from = packed<T>(given, c.of_all.images);
    T* const to =
        reinterpret_cast<T*>(is_of_images<all> ? arrays.images.data : arrays.filters.data);
    if (!is_of_images<all>) std::fill_n(to, arrays.filters.size(), T(0));
    for (std::ptrdiff_t i = 0; i < s.batch * s.groups; ++i) {
      std::ptrdiff_t const of_group = i % s.groups * filter;
      if (is_of_images<all>) std::fill_n(field, s.channels * layout.channel, T(0));
      else layout.of(from + i * image, s.channels, field);
      for (std::ptrdiff_t o = 0; o < s.outputs; ++o) {
        std::ptrdiff_t const first = (i * s.outputs + o) * count;
        for (std::ptrdiff_t p = 0; p < count; ++p) places[p] = by.place(positions[first + p]);
        if (is_of_images<all>)
          by.images(v + first, places, count, from + of_group + o * s.patch(), field);
        else by.filters(field, v + first, places, count, to + of_group + o * s.patch());
      }
      if (is_of_images<all>) by.take_images(field, to + i * image);
    }
  }
};

template <>
struct kernel<op::convolution_images_at> : convolution_at_kernel<op::convolution_images_at> {};
template <>
struct kernel<op::convolution_filters_at> : convolution_at_kernel<op::convolution_filters_at> {};

}  // namespace kroton::cpu
