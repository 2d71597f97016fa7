// Pooling on a device: a thread goes through the window of its result, or through the windows that
// its pixel is in.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/planes.hpp>

#include <type_traits>

namespace kroton::cuda {

/// cpu::pooled_axis
struct pooling_axis {
  std::int64_t image, windows, window, stride, before, after;

  KROTON_HOST_DEVICE KROTON_INLINE static std::int64_t smaller(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }
  /// The elements of the image in window i.
  KROTON_HOST_DEVICE KROTON_INLINE std::int64_t begin(std::int64_t i) const {
    std::int64_t const first = i * stride - before;
    return first < 0 ? 0 : first;
  }
  KROTON_HOST_DEVICE KROTON_INLINE std::int64_t end(std::int64_t i) const {
    return smaller(i * stride - before + window, image);
  }
  /// By how many elements of this axis an average is divided.
  KROTON_HOST_DEVICE KROTON_INLINE std::int64_t divisor(std::int64_t i, bool of_image) const {
    return of_image ? end(i) - begin(i) : smaller(window, image + after - (i * stride - before));
  }
  /// The windows that an element of the image is in.
  KROTON_HOST_DEVICE KROTON_INLINE std::int64_t first_window(std::int64_t element) const {
    std::int64_t const at = element + before - window;
    return at < 0 ? 0 : quotient(at, stride) + 1;
  }
  KROTON_HOST_DEVICE KROTON_INLINE std::int64_t last_window(std::int64_t element) const {
    return smaller(quotient(element + before, stride), windows - 1);
  }
  bool operator==(pooling_axis const&) const = default;
};

/// Planes of images and of windows, all contiguous. Of maxima also the positions, if any are
/// wanted.
template <class T>
struct pooling_arguments {
  T const* from = nullptr;
  T* to = nullptr;
  std::int64_t* positions = nullptr;
  std::int64_t count = 0;  // of results
  pooling_axis axes[3];
  bool counts_image_only = false;

  KROTON_HOST_DEVICE KROTON_INLINE plane_place window_of(std::int64_t number) const {
    return {number, axes[0].windows, axes[1].windows, axes[2].windows};
  }
  KROTON_HOST_DEVICE KROTON_INLINE std::int64_t pixels() const {
    return axes[0].image * axes[1].image * axes[2].image;
  }
  KROTON_HOST_DEVICE KROTON_INLINE T divisor(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return static_cast<T>(axes[0].divisor(z, counts_image_only) *
                          axes[1].divisor(y, counts_image_only) *
                          axes[2].divisor(x, counts_image_only));
  }
  bool operator==(pooling_arguments const&) const = default;
};

/// The largest element of a window: the first of equals, or the first NaN.
template <class T>
struct largest_thread {
  using arguments = pooling_arguments<T>;
  KROTON_HOST_DEVICE static KROTON_INLINE bool is_larger(T v, T than) {
    if constexpr (std::is_floating_point_v<T>) return v > than || (v != v && than == than);
    else return v > than;
  }
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      plane_place const w = a.window_of(i);
      T const* const plane = a.from + w.plane * a.pixels();
      std::int64_t at = -1;
      T best{};
      for (std::int64_t z = a.axes[0].begin(w.at[0]); z < a.axes[0].end(w.at[0]); ++z)
        for (std::int64_t y = a.axes[1].begin(w.at[1]); y < a.axes[1].end(w.at[1]); ++y) {
          std::int64_t const row = (z * a.axes[1].image + y) * a.axes[2].image;
          for (std::int64_t x = a.axes[2].begin(w.at[2]); x < a.axes[2].end(w.at[2]); ++x) {
            T const v = plane[row + x];
            if (at >= 0 && !is_larger(v, best)) continue;
            at = row + x;
            best = v;
          }
        }
      a.to[i] = best;
      if (a.positions != nullptr) a.positions[i] = at;
    }
  }
};

template <class T>
struct average_thread {
  using arguments = pooling_arguments<T>;
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      plane_place const w = a.window_of(i);
      T const* const plane = a.from + w.plane * a.pixels();
      T sum = T(0);
      for (std::int64_t z = a.axes[0].begin(w.at[0]); z < a.axes[0].end(w.at[0]); ++z)
        for (std::int64_t y = a.axes[1].begin(w.at[1]); y < a.axes[1].end(w.at[1]); ++y) {
          std::int64_t const row = (z * a.axes[1].image + y) * a.axes[2].image;
          for (std::int64_t x = a.axes[2].begin(w.at[2]); x < a.axes[2].end(w.at[2]); ++x)
            sum += plane[row + x];
        }
      a.to[i] = sum / a.divisor(w.at[0], w.at[1], w.at[2]);
    }
  }
};
/// The transpose: a pixel is the sum of its shares of the windows that it is in.
template <class T>
struct share_thread {
  using arguments = pooling_arguments<T>;
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    pooling_axis const &depth = a.axes[0], &rows = a.axes[1], &columns = a.axes[2];
    std::int64_t const windows = depth.windows * rows.windows * columns.windows;
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      plane_place const p(i, depth.image, rows.image, columns.image);
      T const* const plane = a.from + p.plane * windows;
      T sum = T(0);
      for (std::int64_t z = depth.first_window(p.at[0]); z <= depth.last_window(p.at[0]); ++z)
        for (std::int64_t y = rows.first_window(p.at[1]); y <= rows.last_window(p.at[1]); ++y)
          for (std::int64_t x = columns.first_window(p.at[2]); x <= columns.last_window(p.at[2]);
               ++x)
            sum += plane[(z * rows.windows + y) * columns.windows + x] / a.divisor(z, y, x);
      a.to[i] = sum;
    }
  }
};

}  // namespace kroton::cuda
