// Convolutions: the algorithm that a call takes, and the tensor that it computes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/convolution/channels.hpp>
#include <kroton/cpu/op/convolution/filter_lanes.hpp>
#include <kroton/cpu/op/convolution/filters.hpp>
#include <kroton/cpu/op/convolution/patches.hpp>
#include <kroton/cpu/op/convolution/planes.hpp>
#include <kroton/cpu/op/convolution/spectral.hpp>
#include <kroton/cpu/op/convolution/taps.hpp>
#include <kroton/cpu/op/convolution/ways.hpp>
#include <kroton/cpu/op/kernel.hpp>

namespace kroton::cpu {

/// The memory of a step, and how it computes its last shape.
struct convolution_choice {
  convolution_way way = convolution_way::nothing;
  convolution_shape shape{};
  kept_memory images{}, filters{}, outputs{}, panel{}, weights{}, sums{};
  correlation plan{};
  bool is_planned = false;

  /// Looks again if the shape is another one.
  template <class Op, class T>
  void take_shape(convolution_shape const& s);
};

template <class Op, class T>
void convolution_choice::take_shape(convolution_shape const& s) {
  if (shape == s) return;
  shape = s;
  way = way_of<Op, T>(s);
  is_planned = false;
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
    T const *const x = packed<T>(arrays.images, c.images), *const w =
                                                               packed<T>(arrays.filters, c.filters);
    each([&](std::ptrdiff_t i, std::ptrdiff_t f, std::ptrdiff_t o) {
      by.outputs(x + i, w + f, whole(arrays.outputs) + o);
    });
  } else if constexpr (std::is_same_v<Op, op::convolution_images>) {
    T const *const y = packed<T>(arrays.outputs, c.outputs), *const w = packed<T>(arrays.filters,
                                                                                  c.filters);
    if (c.way != convolution_way::product)
      std::fill_n(whole(arrays.images), arrays.images.size(), T(0));
    each([&](std::ptrdiff_t i, std::ptrdiff_t f, std::ptrdiff_t o) {
      by.images(y + o, w + f, whole(arrays.images) + i);
    });
  } else {
    T const *const x = packed<T>(arrays.images, c.images), *const y =
                                                               packed<T>(arrays.outputs, c.outputs);
    std::fill_n(whole(arrays.filters), arrays.filters.size(), T(0));
    each([&](std::ptrdiff_t i, std::ptrdiff_t f, std::ptrdiff_t o) {
      by.filters(x + i, y + o, whole(arrays.filters) + f);
    });
  }
}

/// Outputs, one element of a filter at a time.
template <class T>
void convolve_by_taps(convolution_choice& c, convolution_arrays const& arrays) {
  convolution_shape const& s = c.shape;
  T const *const images = packed<T>(arrays.images, c.images), *const filters = packed<T>(
                                                                  arrays.filters, c.filters);
  T* const outputs = reinterpret_cast<T*>(arrays.outputs.data);
  for (std::ptrdiff_t i = 0; i < s.batch * s.groups; ++i)
    taps<T>(s, images + i * s.channels * s.pixels(),
            filters + i % s.groups * s.outputs * s.patch())
        .outputs(outputs + i * s.outputs * s.positions());
}

/// Outputs or images, whose lanes are columns or channels.
template <class Op, class T, class By>
void correlate(convolution_choice& c, convolution_arrays const& arrays, By by) {
  convolution_shape const& s = c.shape;
  T const* const from = packed<T>(is_of_images<Op> ? arrays.outputs : arrays.images, c.images);
  T const* const filters = packed<T>(arrays.filters, c.filters);
  T* const to = reinterpret_cast<T*>(is_of_images<Op> ? arrays.images.data : arrays.outputs.data);
  std::ptrdiff_t const size = by.packed_size();
  T* const weights = c.weights.template room<T>(s.groups * size);
  for (std::ptrdiff_t g = 0; g < s.groups; ++g)
    by.pack(filters + g * s.outputs * s.patch(), weights + g * size);
  std::ptrdiff_t const inner = c.plan.inner * (is_of_images<Op> ? s.positions() : s.pixels());
  int const parts = threads_of(s.multiplications());
  T* const fields = c.plan.field.room<T>(c.plan.inner, c.panel, parts);
  std::ptrdiff_t const scratch_size = by.scratch_size();
  T* const scratch = c.sums.template room<T>(parts * scratch_size);
  run_shared(parts, s.batch * s.groups, by.is_divisible,
             [&](int p, std::ptrdiff_t i, share const& of) {
               T* const field = fields + p * c.plan.field.size(c.plan.inner);
               by.run(of, c.plan.field.of(from + i * inner, c.plan.inner, field),
                      weights + i % s.groups * size, to + i * c.plan.outer * c.plan.plane,
                      scratch + p * scratch_size);
             });
}
/// Outputs or images, by Winograd's algorithm.
template <class Op, class T, class Tile>
void convolve_by_winograd(convolution_choice& c, convolution_arrays const& arrays) {
  auto const s =
      is_of_images<Op> ? winograd_shape::of_images(c.shape) : winograd_shape::of_outputs(c.shape);
  T const* const from = packed<T>(is_of_images<Op> ? arrays.outputs : arrays.images, c.images);
  T const* const filters = packed<T>(arrays.filters, c.filters);
  T* const to = reinterpret_cast<T*>(is_of_images<Op> ? arrays.images.data : arrays.outputs.data);
  winograd<T, Tile> const by(s, threads_of(c.shape.multiplications()), c.weights, c.panel);
  for (std::ptrdiff_t g = 0; g < s.groups; ++g)
    by.run(from + g * s.inner * s.from[0] * s.from[1], filters + g * s.inner * s.outer * 9,
           to + g * s.outer * s.to[0] * s.to[1]);
}

/// Any of the three, by products of spectra.
template <class Op, class T>
void convolve_by_spectra(convolution_choice& c, convolution_arrays const& arrays) {
  convolution_shape const& s = c.shape;
  std::ptrdiff_t const image = s.channels * s.pixels(), filter = s.outputs * s.patch(),
                       output = s.outputs * s.positions();
  spectral<T> const by(spectral_shape_of<Op>(s), threads_of(s.multiplications()), c.weights,
                       c.panel);
  auto const whole = [](core::array_ref const& a) { return reinterpret_cast<T*>(a.data); };
  for (std::ptrdiff_t g = 0; g < s.groups; ++g)
    if constexpr (is_of_filters<Op>) {
      T* const to = whole(arrays.filters) + g * filter;
      by.run(packed<T>(arrays.images, c.images) + g * image,
             packed<T>(arrays.outputs, c.outputs) + g * output, to);
      for (T* of = to; s.flips && of != to + filter; of += s.taps())
        std::reverse(of, of + s.taps());
    } else if constexpr (is_of_images<Op>) {
      by.run(packed<T>(arrays.outputs, c.outputs) + g * output,
             packed<T>(arrays.filters, c.filters) + g * filter, whole(arrays.images) + g * image);
    } else {
      by.run(packed<T>(arrays.images, c.images) + g * image,
             packed<T>(arrays.filters, c.filters) + g * filter, whole(arrays.outputs) + g * output);
    }
}

/// Filters, whose lanes are columns.
template <class T, class By>
void correlate_filters(convolution_choice& c, convolution_arrays const& arrays, By const& by) {
  convolution_shape const& s = c.shape;
  T const* const images = packed<T>(arrays.images, c.images);
  T const* outputs = packed<T>(arrays.outputs, c.outputs);
  constexpr auto width = static_cast<std::ptrdiff_t>(xsimd::batch<T>::size);
  if (s.axes[2].positions < width && arrays.outputs.contiguous()) {
    // Rows are read beyond their end, as far as kept memory goes beyond its own
    T* const copy = c.outputs.room<T>(arrays.outputs.size());
    std::copy_n(outputs, arrays.outputs.size(), copy);
    outputs = copy;
  }
  T* const filters = reinterpret_cast<T*>(arrays.filters.data);
  std::fill_n(filters, arrays.filters.size(), T(0));
  int const parts = threads_of(s.multiplications());
  T* const fields = c.plan.field.room<T>(s.channels, c.panel, parts);
  run_shared(parts, s.groups, by.is_divisible, [&](int p, std::ptrdiff_t g, share const& of) {
    T* const field = fields + p * c.plan.field.size(s.channels);
    for (std::ptrdiff_t i = g; i < s.batch * s.groups; i += s.groups)
      by.run(of, c.plan.field.of(images + i * s.channels * s.pixels(), s.channels, field),
             outputs + i * s.outputs * s.positions(), filters + g * s.outputs * s.patch());
  });
}

/// Filters, whose lanes are channels.
template <class T>
void correlate_filters_by_channels(convolution_choice& c, convolution_arrays const& arrays) {
  convolution_shape const& s = c.shape;
  T const* const images = packed<T>(arrays.images, c.images);
  T const* const outputs = packed<T>(arrays.outputs, c.outputs);
  T* const filters = reinterpret_cast<T*>(arrays.filters.data);
  filter_lanes<T> const by(c.plan);
  int const parts = threads_of(s.multiplications());
  T* const fields = c.plan.field.room<T>(s.channels, c.panel, parts);
  T* const scratch = c.sums.room<T>(parts * by.scratch_size());
  run_shared(parts, s.groups, true, [&](int p, std::ptrdiff_t g, share const& of) {
    T* const field = fields + p * c.plan.field.size(s.channels);
    T* const own = scratch + p * by.scratch_size();
    by.start(own);
    for (std::ptrdiff_t i = g; i < s.batch * s.groups; i += s.groups)
      by.add(of, c.plan.field.of(images + i * s.channels * s.pixels(), s.channels, field),
             outputs + i * s.outputs * s.positions(), own);
    by.finish(of, own, filters + g * s.outputs * s.patch());
  });
}

/// The plan of a shape, which is kept.
template <class Op, class T>
void plan(convolution_choice& c) {
  if (c.is_planned) return;
  bool const of_planes = c.way == convolution_way::planes;
  std::ptrdiff_t const reach = of_planes ? planes_reach<T>
                               : c.way == convolution_way::channels
                                   ? channels_correlation<T>::max_columns
                                   : columns_correlation<T>::width,
                       line = of_planes ? planes_line<T> : 1;
  c.plan = is_of_images<Op> ? correlation::of_images(c.shape, reach, line)
                            : correlation::of_outputs(c.shape, reach, line);
  if (of_planes)
    for (correlation_phase& p : c.plan.phases) p.find_shared_rows();
  c.is_planned = true;
}

/// The ways of numbers that fill vectors.
template <class Op, class T>
  requires(!is_of_filters<Op>)
void convolve_directly(convolution_choice& c, convolution_arrays const& arrays) {
  switch (c.way) {
    case convolution_way::planes: return correlate<Op, T>(c, arrays, planes_correlation<T>(c.plan));
    case convolution_way::columns:
      return correlate<Op, T>(c, arrays, columns_correlation<T>(c.plan));
    default: return correlate<Op, T>(c, arrays, channels_correlation<T>(c.plan));
  }
}
template <class Op, class T>
void convolve_directly(convolution_choice& c, convolution_arrays const& arrays) {
  switch (c.way) {
    case convolution_way::planes: return correlate_filters<T>(c, arrays, planes_filters<T>(c.plan));
    case convolution_way::columns:
      return correlate_filters<T>(c, arrays, filters_correlation<T>(c.plan));
    default: return correlate_filters_by_channels<T>(c, arrays);
  }
}

template <class Op, class T>
void convolve(convolution_choice& c, convolution_arrays const& arrays,
              core::array_ref const& result) {
  if (c.way == convolution_way::nothing) return;
  if (c.way == convolution_way::zeros)
    return void(std::memset(result.data, 0, static_cast<std::size_t>(result.size()) * sizeof(T)));
  if constexpr (std::is_same_v<Op, op::convolution>)
    if (c.way == convolution_way::taps) return convolve_by_taps<T>(c, arrays);
  if constexpr (may_use_winograd<Op, T>) {
    if (c.way == convolution_way::winograd_of_two)
      return convolve_by_winograd<Op, T, winograd_of_two>(c, arrays);
    if (c.way == convolution_way::winograd_of_four)
      return convolve_by_winograd<Op, T, winograd_of_four>(c, arrays);
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (c.way == convolution_way::spectra) return convolve_by_spectra<Op, T>(c, arrays);
    if (c.way >= convolution_way::planes) {
      plan<Op, T>(c);
      return convolve_directly<Op, T>(c, arrays);
    }
  }
  if constexpr (!std::is_integral_v<T>) convolve_by_patches<Op, T>(c, arrays);
}

template <class Op>
struct convolution_kernel {
  using choice = convolution_choice;

  /// From extents alone: the border is not known yet, and `run` looks again.
  template <class View>
  static choice choose(View const& s) {
    choice c;
    c.shape = shape_of(
        arrays_of<Op>(s.array(0), s.array(1), s.target()),
        static_cast<std::ptrdiff_t>(s.integer(ops::groups_operand)),
        [&](int i) { return static_cast<std::ptrdiff_t>(s.attribute(i)); },
        [](int) { return std::ptrdiff_t{0}; });
    element const e = s.f.tables().values[s.operand(0)].type;
    c.way = e == element::float32   ? way_of<Op, float>(c.shape)
            : e == element::float64 ? way_of<Op, double>(c.shape)
            : is_continuous(e)      ? way_of<Op, std::complex<double>>(c.shape)
                                    : way_of<Op, std::int64_t>(c.shape);
    return c;
  }
  static std::string describe(choice const& c) { return describe_way(c.way); }

  template <class T>
    requires std::is_floating_point_v<T> || is_complex_number<T> ||
             (std::is_integral_v<T> && std::is_same_v<Op, op::convolution>)
  static void run(core::invocation const& call, choice& c) {
    auto const integer = [&](int k) {
      return static_cast<std::ptrdiff_t>(
          *reinterpret_cast<std::int64_t const*>(call.operand(k).data));
    };
    convolution_arrays const arrays =
        arrays_of<Op>(call.operand(0), call.operand(1), call.result());
    convolution_shape const shape = shape_of(
        arrays, integer(ops::groups_operand),
        [&](int i) { return static_cast<std::ptrdiff_t>(call.attribute(i)); },
        [&](int d) { return integer(ops::first_border_operand + d); });
    c.take_shape<Op, T>(shape);
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
