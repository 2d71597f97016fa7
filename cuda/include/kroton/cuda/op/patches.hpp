// Convolutions on a device: products of matrices, of filters with patches of images or with the
// columns that become images, for some images at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/convolution/geometry.hpp>
#include <kroton/cuda/kernel/columns.hpp>
#include <kroton/cuda/op/kernel.hpp>

#include <algorithm>

namespace kroton::cuda {

/// Patches are collected for so many images at a time as make so many elements for each thread that
/// a device is busy with: some 64 MB of floats on a large GPU. One image is the least.
inline constexpr std::int64_t patch_elements_of_thread = 64;

/// An array over two axes and those that filters move along, with three of these.
inline core::array_ref over_three_axes(core::array_ref const& a) {
  core::array_ref result{
      a.data, 5, a.bytes, {a.extents[0], a.extents[1], 1, 1, 1}, {a.strides[0], a.strides[1]}};
  int const first = 5 - (a.rank - 2);
  for (int d = first; d < 5; ++d) {
    result.extents[d] = a.extents[2 + d - first];
    result.strides[d] = a.strides[2 + d - first];
  }
  return result;
}

/// The matrices of a convolution. Each of its tensors is computed from the two others.
template <class T, class Device>
class device_convolution {
 public:
  device_convolution(device_frame<Device>& f, cpu::convolution_shape const& s)
      : f_(f),
        s_(s),
        inner_(s.groups * s.channels),
        outer_(s.groups * s.outputs),
        at_once_(std::clamp<std::ptrdiff_t>(
            most_elements() / std::max<std::ptrdiff_t>(inner_ * s.taps() * s.positions(), 1), 1,
            std::max<std::ptrdiff_t>(s.batch, 1))) {}

  void outputs(cpu::convolution_arrays const& of) {
    core::array_ref const images = over_three_axes(of.images);
    bool const in_place = s_.is_product() && images.contiguous();
    bytes_[weights] = bytes_to_pack(of.filters);
    if (in_place) at_once_ = s_.batch;
    else want_patches();
    take_memory();
    blas_product<T> p = product(s_.outputs, s_.patch(), s_.positions());
    p.a = {packed(of.filters, weights), false, p.inner};
    for (std::ptrdiff_t i = 0; i < s_.batch; i += at_once_) {
      core::array_ref const some = part(images, 0, i);
      p.b = {in_place ? elements(some) : patches_of(some, true), false, p.columns};
      p.c = reinterpret_cast<T*>(of.outputs.data) + i * outer_ * s_.positions();
      multiply_each(p, some.extents[0]);
    }
  }
  void images(cpu::convolution_arrays const& of) {
    bool const in_place = s_.is_product();
    bytes_[weights] = bytes_to_pack(of.filters);
    bytes_[turned] = bytes_to_pack(of.outputs);
    if (in_place) at_once_ = s_.batch;
    else bytes_[patches] = bytes_of(at_once_ * inner_ * s_.taps() * s_.positions());
    take_memory();
    blas_product<T> p = product(s_.patch(), s_.outputs, s_.positions());
    p.a = {packed(of.filters, weights), true, p.rows};
    T const* const outputs = packed(of.outputs, turned);
    for (std::ptrdiff_t i = 0; i < s_.batch; i += at_once_) {
      std::ptrdiff_t const count = std::min(at_once_, s_.batch - i);
      T* const to = reinterpret_cast<T*>(of.images.data) + i * inner_ * s_.pixels();
      p.b = {outputs + i * outer_ * s_.positions(), false, p.columns};
      p.c = in_place ? to : reinterpret_cast<T*>(parts_[patches]);
      multiply_each(p, count);
      if (!in_place) add_columns(p.c, to, count);
    }
  }
  void filters(cpu::convolution_arrays const& of) {
    want_patches();
    bytes_[turned] = bytes_of(at_once_ * outer_ * s_.positions());
    take_memory();
    core::array_ref const images = over_three_axes(of.images);
    core::array_ref outputs = over_three_axes(of.outputs);
    std::swap(outputs.extents[0], outputs.extents[1]);
    std::swap(outputs.strides[0], outputs.strides[1]);
    for (std::ptrdiff_t i = 0; i < s_.batch; i += at_once_) {
      core::array_ref const some = part(images, 0, i);
      std::ptrdiff_t const columns = some.extents[0] * s_.positions();
      blas_product<T> p = product(s_.outputs, columns, s_.patch());
      p.beta = i == 0 ? T(0) : T(1);
      p.a = {packed(part(outputs, 1, i), turned), false, columns};
      p.b = {patches_of(some, false), true, columns};
      p.c = reinterpret_cast<T*>(of.filters.data);
      p.count = s_.groups;
      p.stride_a = p.rows * columns;
      p.stride_b = p.columns * columns;
      p.stride_c = p.rows * p.columns;
      Device::multiply(p);
    }
  }

 private:
  enum part_of_memory { weights, field, patches, turned, part_count };

  static std::ptrdiff_t most_elements() {
    device_facts const d = Device::facts();
    return static_cast<std::ptrdiff_t>(patch_elements_of_thread * d.threads * d.blocks);
  }
  static std::size_t bytes_of(std::ptrdiff_t count) {
    return static_cast<std::size_t>(count) * sizeof(T);
  }
  static T const* elements(core::array_ref const& a) { return reinterpret_cast<T const*>(a.data); }
  void take_memory() { parts_ = scratch_parts(f_, bytes_); }
  void want_patches() {
    bytes_[patches] = bytes_of(at_once_ * inner_ * s_.taps() * s_.positions());
    if (!s_.is_inside())
      bytes_[field] = bytes_of(at_once_ * inner_ * s_.axes[0].covered() * s_.axes[1].covered() *
                               s_.axes[2].covered());
  }
  T const* packed(core::array_ref const& a, part_of_memory in) {
    return reinterpret_cast<T const*>(packed_on<Device>(a, parts_[in]));
  }
  blas_product<T> product(std::ptrdiff_t rows, std::ptrdiff_t inner, std::ptrdiff_t columns) {
    return {rows, inner, columns, T(1), T(0), {}, {}, nullptr, f_.takes_tf32()};
  }
  /// Some images, from number `first` on.
  core::array_ref part(core::array_ref a, int axis, std::ptrdiff_t first) const {
    a.data += first * a.strides[axis] * a.bytes;
    a.extents[axis] = std::min(at_once_, s_.batch - first);
    return a;
  }
  /// A product for each image and group: `a` is of a group. As many calls as there are of one of
  /// them, the other is the batch.
  void multiply_each(blas_product<T> p, std::ptrdiff_t images) {
    std::ptrdiff_t const of_group = p.rows * p.inner, b = p.inner * p.columns,
                         c = p.rows * p.columns;
    bool const by_groups = images >= s_.groups;
    p.count = by_groups ? images : s_.groups;
    p.stride_a = by_groups ? 0 : of_group;
    p.stride_b = by_groups ? s_.groups * b : b;
    p.stride_c = by_groups ? s_.groups * c : c;
    for (std::ptrdiff_t k = 0; k < (by_groups ? s_.groups : images); ++k) {
      Device::multiply(p);
      if (by_groups) p.a.data += of_group;
      p.b.data += by_groups ? b : s_.groups * b;
      p.c += by_groups ? c : s_.groups * c;
    }
  }
  /// What filters meet: images, with zeros around them where they reach beyond.
  core::array_ref field_of(core::array_ref const& images) {
    if (s_.is_inside()) return images;
    core::array_ref whole = images;
    whole.data = parts_[field];
    for (int d = 0; d < 3; ++d) whole.extents[2 + d] = s_.axes[d].covered();
    whole.make_contiguous_strides();
    Device::set_zero(whole.data, static_cast<std::size_t>(whole.size() * whole.bytes));
    core::array_ref from = images, to = whole;
    for (int d = 0; d < 3; ++d) {
      std::ptrdiff_t const before = s_.axes[d].before, first = std::max<std::ptrdiff_t>(-before, 0),
                           end = std::min(s_.axes[d].image, s_.axes[d].covered() - before);
      if (end <= first) return whole;
      from.data += first * from.strides[2 + d] * from.bytes;
      to.data += (first + before) * to.strides[2 + d] * to.bytes;
      from.extents[2 + d] = to.extents[2 + d] = end - first;
    }
    copy_on<Device>(to, from);
    return whole;
  }
  /// For each channel and element of a filter what it meets at all positions: image by image, or
  /// for all images.
  T const* patches_of(core::array_ref const& images, bool image_by_image) {
    core::array_ref const from = field_of(images);
    core::array_ref view{from.data, 8, from.bytes, {}, {}};
    auto const add = [&](int axis, std::ptrdiff_t extent, std::ptrdiff_t stride) {
      view.extents[axis] = extent;
      view.strides[axis] = stride;
    };
    int const channel = image_by_image ? 1 : 0;
    add(image_by_image ? 0 : 4, from.extents[0], from.strides[0]);
    add(channel, from.extents[1], from.strides[1]);
    for (int d = 0; d < 3; ++d) {
      cpu::window_axis const& a = s_.axes[d];
      std::ptrdiff_t const stride = from.strides[2 + d], step = a.dilation * stride;
      if (s_.flips) view.data += (a.filter - 1) * step * view.bytes;
      add(channel + 1 + d, a.filter, s_.flips ? -step : step);
      add(5 + d, a.positions, a.stride * stride);
    }
    return packed(view, patches);
  }
  void add_columns(T const* columns, T* images, std::ptrdiff_t count) {
    columns_arguments<T> a;
    a.columns = columns;
    a.images = images;
    a.count = count * inner_ * s_.pixels();
    a.flips = s_.flips;
    for (int d = 0; d < 3; ++d) {
      cpu::window_axis const& of = s_.axes[d];
      a.axes[d] = {of.image, of.filter, of.positions, of.before, of.stride, of.dilation};
    }
    Device::template launch<columns_thread<T>>(a);
  }

  device_frame<Device>& f_;
  cpu::convolution_shape const& s_;
  std::ptrdiff_t inner_, outer_;  // channels of images and outputs, those of all groups
  std::ptrdiff_t at_once_;        // images
  std::array<std::size_t, part_count> bytes_{};
  std::array<std::byte*, part_count> parts_{};
};

}  // namespace kroton::cuda
