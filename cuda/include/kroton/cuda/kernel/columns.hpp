// Images from the columns of a matrix, one for each position of the filters: each thread sums what
// the columns have for its pixel, so that equal calls give equal bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/planes.hpp>

#include <numeric>

namespace kroton::cuda {

/// Where an element of a filter meets an element of an image: the position of the filter.
struct meeting {
  std::int64_t tap, position;
};
/// cpu::window_axis. An element i of an image meets tap k of a filter at position p where
/// k * dilation + p * stride = i + before: every so many taps, and then so many positions earlier.
struct columns_axis {
  std::int64_t image = 1, filter = 1, positions = 1, before = 0, stride = 1, dilation = 1;
  std::int64_t divisor = 1;            // the greatest common one of stride and dilation
  std::int64_t taps = 1, earlier = 1;  // from one meeting to the next
  std::int64_t inverse = 0;            // of dilation / divisor, modulo taps

  columns_axis() = default;
  columns_axis(std::int64_t image_, std::int64_t filter_, std::int64_t positions_,
               std::int64_t before_, std::int64_t stride_, std::int64_t dilation_)
      : image(image_),
        filter(filter_),
        positions(positions_),
        before(before_),
        stride(stride_),
        dilation(dilation_),
        divisor(std::gcd(stride_, dilation_)),
        taps(stride / divisor),
        earlier(dilation / divisor) {
    while (inverse * earlier % taps != 1 % taps) ++inverse;
  }
  /// The meeting with the first tap; without any, one before the first position.
  KROTON_HOST_DEVICE KROTON_INLINE meeting first(std::int64_t element) const {
    std::int64_t const sum = element + before;
    if (stride == 1) return {0, sum};
    std::int64_t const part = quotient(sum, divisor);
    if (part * divisor != sum) return {0, -1};
    std::int64_t const turned = (part - quotient(part, taps) * taps) * inverse,
                       tap = turned - quotient(turned, taps) * taps, left = sum - tap * dilation;
    return {tap, left < 0 ? -1 : quotient(left, stride)};
  }
  KROTON_HOST_DEVICE KROTON_INLINE bool has(meeting const& m) const {
    return m.tap < filter && m.position >= 0;
  }
  KROTON_HOST_DEVICE KROTON_INLINE void go_on(meeting& m) const {
    m.tap += taps;
    m.position -= earlier;
  }
  bool operator==(columns_axis const&) const = default;
};

/// The columns of each channel of each image: its filter's elements by positions.
template <class T>
struct columns_arguments {
  T const* columns = nullptr;
  T* images = nullptr;
  std::int64_t count = 0;
  columns_axis axes[3];
  bool flips = false;
  bool operator==(columns_arguments const&) const = default;
};
template <class T>
struct columns_thread {
  using arguments = columns_arguments<T>;
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    columns_axis const &depth = a.axes[0], &rows = a.axes[1], &columns = a.axes[2];
    std::int64_t const taps = depth.filter * rows.filter * columns.filter,
                       positions = depth.positions * rows.positions * columns.positions;
    // From one element of a filter to the next, in the order of offsets.
    std::int64_t const step = a.flips ? -positions : positions;
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      plane_place const place(i, depth.image, rows.image, columns.image);
      T const* const first =
          a.columns + (place.plane * taps + (a.flips ? taps - 1 : 0)) * positions;
      meeting const first_row = rows.first(place.at[1]), first_column = columns.first(place.at[2]);
      T sum = T(0);
      for (meeting z = depth.first(place.at[0]); depth.has(z); depth.go_on(z)) {
        if (z.position >= depth.positions) continue;
        for (meeting y = first_row; rows.has(y); rows.go_on(y)) {
          if (y.position >= rows.positions) continue;
          T const* const line = first + (z.tap * rows.filter + y.tap) * columns.filter * step +
                                (z.position * rows.positions + y.position) * columns.positions;
          for (meeting x = first_column; columns.has(x); columns.go_on(x))
            if (x.position < columns.positions) sum += line[x.tap * step + x.position];
        }
      }
      a.images[i] = sum;
    }
  }
};

}  // namespace kroton::cuda
