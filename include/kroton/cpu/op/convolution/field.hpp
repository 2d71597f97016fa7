// The elements that filters meet, laid out so that those of neighbouring positions are neighbours:
// with zeros around the images, and with columns sorted by their remainder for strides.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/machine.hpp>
#include <kroton/cpu/op/convolution/geometry.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

namespace kroton::cpu {

/// Where elements lie. Those of an image are used where they are if its rows are long enough and
/// nothing is around it.
struct field_layout {
  std::ptrdiff_t image[3]{1, 1, 1};    // extents of the image
  std::ptrdiff_t first[3]{};           // the element of the image that is the first of the field
  std::ptrdiff_t extents[3]{1, 1, 1};  // of the field
  std::ptrdiff_t phases = 1;           // columns with equal remainders lie together
  std::ptrdiff_t pitch = 1, row = 1, depth = 1, channel = 1;
  bool in_place = false;

  /// `reach`: how many elements may be read from any element that is a position's first. `line`:
  /// rows begin at multiples of so many elements.
  void lay_out(std::ptrdiff_t columns, std::ptrdiff_t reach, std::ptrdiff_t line = 1) {
    in_place = phases == 1 && columns >= reach && line == 1;
    for (int d = 0; d < 3; ++d)
      in_place = in_place && first[d] >= 0 && first[d] + extents[d] <= image[d];
    std::ptrdiff_t const sorted = (extents[2] + phases - 1) / phases;
    pitch = in_place ? image[2] : (sorted + line - 1) / line * line;
    row = in_place ? image[2] : pitch * phases;
    depth = row * (in_place ? image[1] : extents[1]);
    channel = depth * (in_place ? image[0] : extents[0]);
    slack_ = reach;
  }
  std::ptrdiff_t offset(std::ptrdiff_t z, std::ptrdiff_t y, std::ptrdiff_t x) const {
    return z * depth + y * row + x % phases * pitch + x / phases;
  }
  /// Whether a row has elements of the image.
  bool has_row(std::ptrdiff_t z, std::ptrdiff_t y) const {
    z += first[0];
    y += first[1];
    return z >= 0 && z < image[0] && y >= 0 && y < image[1];
  }
  /// The elements that an image takes with all its channels, in whole lines.
  std::ptrdiff_t size(std::ptrdiff_t channels) const {
    if (in_place) return 0;
    return (channels * channel + slack_ + machine::line - 1) / machine::line * machine::line;
  }
  /// Memory for so many images, zeros; null if elements are used where they are.
  template <class T>
  T* room(std::ptrdiff_t channels, kept_memory& memory, std::ptrdiff_t images = 1) const {
    if (in_place) return nullptr;
    std::ptrdiff_t const count = size(channels) * images;
    return std::fill_n(memory.room<T>(count), count, T(0)) - count;
  }
  /// The elements of an image, in that memory. What is around them is not written.
  template <class T>
  T const* of(T const* from, std::ptrdiff_t channels, T* field) const {
    if (in_place) return from + (first[0] * image[1] + first[1]) * image[2] + first[2];
    std::ptrdiff_t begin[3], end[3];
    for (int d = 0; d < 3; ++d) {
      begin[d] = std::clamp<std::ptrdiff_t>(-first[d], 0, extents[d]);
      end[d] = std::clamp(image[d] - first[d], begin[d], extents[d]);
    }
    if (begin[2] == end[2] || begin[1] == end[1]) return field;
    std::ptrdiff_t const columns = end[2] - begin[2], rows = end[1] - begin[1];
    for (std::ptrdiff_t c = 0; c < channels; ++c)
      for (std::ptrdiff_t z = begin[0]; z < end[0]; ++z) {
        std::ptrdiff_t const line = (c * image[0] + first[0] + z) * image[1] + first[1] + begin[1];
        T const* const plane = from + line * image[2] + first[2] + begin[2];
        T* const to = field + c * channel + z * depth + begin[1] * row;
        if (phases == 1) copy_rows(to + begin[2], plane, rows, columns);
        else
          for (std::ptrdiff_t y = 0; y < rows; ++y)
            sort_row(to + y * row, plane + y * image[2], begin[2], end[2]);
      }
    return field;
  }

 private:
  // A row with its columns in the order of their remainders.
  template <class T>
  void sort_row(T* to, T const* from, std::ptrdiff_t begin, std::ptrdiff_t end) const {
    for (std::ptrdiff_t k = 0; k < std::min(phases, end - begin); ++k) {
      T* const at = to + (begin + k) % phases * pitch + (begin + k) / phases;
      std::ptrdiff_t const n = (end - begin - k + phases - 1) / phases;
      if (phases == 2)
        for (std::ptrdiff_t i = 0; i < n; ++i) at[i] = from[k + 2 * i];
      else
        for (std::ptrdiff_t i = 0; i < n; ++i) at[i] = from[k + phases * i];
    }
  }
  // Rows are too short for a call of a function each.
  template <class T>
  void copy_rows(T* to, T const* from, std::ptrdiff_t rows, std::ptrdiff_t columns) const {
    using B = xsimd::batch<T>;
    constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
    std::ptrdiff_t const last = columns - width, source = image[2], target = row;
    for (std::ptrdiff_t y = 0; y < rows; ++y, from += source, to += target) {
      if (last < 0)
        for (std::ptrdiff_t i = 0; i < columns; ++i) to[i] = from[i];
      else {
        for (std::ptrdiff_t i = 0; i < last; i += width)
          B::load_unaligned(from + i).store_unaligned(to + i);
        B::load_unaligned(from + last).store_unaligned(to + last);
      }
    }
  }

  std::ptrdiff_t slack_ = 0;
};

}  // namespace kroton::cpu
