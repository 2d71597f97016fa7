// Gradients of convolutions by outputs that are zero except at few positions: rows of a filter are
// batches, added up or added to images for each of these positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/op/convolution/columns.hpp>
#include <kroton/cpu/simd/horizontal.hpp>
#include <kroton/ops/along_axes/reduction.hpp>

namespace kroton::cpu {

/// One image and group at a time.
template <class T>
class places_correlation {
  using B = xsimd::batch<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);

 public:
  /// Elements of a row of a filter that two batches hold.
  static constexpr std::ptrdiff_t max_columns = 2 * width;

  explicit places_correlation(convolution_shape const& s)
      : s_(s), batches_(s.axes[2].filter > width ? 2 : 1) {
    for (int d = 0; d < 3; ++d) {
      field_.image[d] = s.axes[d].image;
      field_.first[d] = -s.axes[d].before;
      field_.extents[d] = std::max<std::ptrdiff_t>(s.axes[d].covered(), 1);
    }
    field_.lay_out(0, max_columns);  // not where they are: batches reach beyond rows
    for (std::ptrdiff_t z = 0; z < s.axes[0].filter; ++z)
      for (std::ptrdiff_t y = 0; y < s.axes[1].filter; ++y)
        rows_.push_back(field_.offset(z * s.axes[0].dilation, y * s.axes[1].dilation, 0));
  }
  field_layout const& field() const { return field_; }

  /// Where the filter begins that meets position p of the outputs.
  std::ptrdiff_t place(std::int64_t p) const {
    std::ptrdiff_t const x = p % s_.axes[2].positions, line = p / s_.axes[2].positions;
    return field_.offset(line / s_.axes[1].positions * s_.axes[0].stride,
                         line % s_.axes[1].positions * s_.axes[1].stride, x * s_.axes[2].stride);
  }
  /// filters += elements at places . patches of the field, for one output.
  void filters(T const* field, T const* elements, std::ptrdiff_t const* places,
               std::ptrdiff_t count, T* filters) const {
    for (std::ptrdiff_t c = 0; c < s_.channels; ++c)
      each_tile([&]<int Rows, int Batches>(std::ptrdiff_t row) {
        tile_of<B, Rows, Batches> sums;
        KROTON_UNROLL(8)
        for (int i = 0; i < Rows; ++i) KROTON_UNROLL(2)
        for (int k = 0; k < Batches; ++k) sums[i][k] = B(T(0));
        array_of<T const*, Rows> from;
        for (int i = 0; i < Rows; ++i)
          from[i] = field + c * field_.channel + rows_[static_cast<std::size_t>(row + i)];
        for (std::ptrdiff_t p = 0; p < count; ++p) {
          B const v(elements[p]);
          KROTON_UNROLL(8)
          for (int i = 0; i < Rows; ++i) KROTON_UNROLL(2)
          for (int k = 0; k < Batches; ++k)
            sums[i][k] =
                xsimd::fma(v, B::load_unaligned(from[i] + places[p] + k * width), sums[i][k]);
        }
        alignas(64) array_of<T, Batches* static_cast<int>(B::size)> lanes;
        for (int i = 0; i < Rows; ++i) {
          KROTON_UNROLL(2)
          for (int k = 0; k < Batches; ++k) sums[i][k].store_aligned(lanes + k * width);
          for (std::ptrdiff_t j = 0; j < s_.axes[2].filter; ++j)
            filters[c * s_.taps() + element(row + i, j)] += lanes[j];
        }
      });
  }
  /// field += filters at places, for one output, whose field holds sums of all places in between.
  void images(T const* elements, std::ptrdiff_t const* places, std::ptrdiff_t count,
              T const* filters, T* field) const {
    auto const last = lane_window<T>::first(s_.axes[2].filter - (batches_ - 1) * width);
    for (std::ptrdiff_t c = 0; c < s_.channels; ++c)
      each_tile([&]<int Rows, int Batches>(std::ptrdiff_t row) {
        alignas(64) array_of<T, Batches* static_cast<int>(B::size)> lanes{};
        tile_of<B, Rows, Batches> w;
        array_of<T*, Rows> to;
        for (int i = 0; i < Rows; ++i) {
          for (std::ptrdiff_t j = 0; j < s_.axes[2].filter; ++j)
            lanes[j] = filters[c * s_.taps() + element(row + i, j)];
          KROTON_UNROLL(2)
          for (int k = 0; k < Batches; ++k) w[i][k] = B::load_aligned(lanes + k * width);
          to[i] = field + c * field_.channel + rows_[static_cast<std::size_t>(row + i)];
        }
        for (std::ptrdiff_t p = 0; p < count; ++p) {
          B const v(elements[p]);
          KROTON_UNROLL(8)
          for (int i = 0; i < Rows; ++i) KROTON_UNROLL(2)
          for (int k = 0; k < Batches; ++k) {
            T* const at = to[i] + places[p] + k * width;
            // What an infinite element makes of the zeros behind a row is not added
            B const more = k + 1 == Batches ? last.template of<op::sum>(v * w[i][k]) : v * w[i][k];
            (B::load_unaligned(at) + more).store_unaligned(at);
          }
        }
      });
  }
  /// The elements of images in a field.
  void take_images(T const* field, T* images) const {
    for (std::ptrdiff_t c = 0; c < s_.channels; ++c)
      for (std::ptrdiff_t z = 0; z < field_.image[0]; ++z)
        for (std::ptrdiff_t y = 0; y < field_.image[1]; ++y, images += field_.image[2])
          for (std::ptrdiff_t x = 0; x < field_.image[2]; ++x) {
            std::ptrdiff_t const at[] = {z - field_.first[0], y - field_.first[1],
                                         x - field_.first[2]};
            bool const met = at[0] >= 0 && at[0] < field_.extents[0] && at[1] >= 0 &&
                             at[1] < field_.extents[1] && at[2] >= 0 && at[2] < field_.extents[2];
            images[x] = met ? field[c * field_.channel + field_.offset(at[0], at[1], at[2])] : T(0);
          }
  }

 private:
  std::ptrdiff_t element(std::ptrdiff_t row, std::ptrdiff_t j) const {
    std::ptrdiff_t const tap = row * s_.axes[2].filter + j;
    return s_.flips ? s_.taps() - 1 - tap : tap;
  }
  template <class Visit>
  void each_tile(Visit const& visit) const {
    auto const take = [&]<int Rows>(std::ptrdiff_t row) {
      if (batches_ == 2) visit.template operator()<Rows, 2>(row);
      else visit.template operator()<Rows, 1>(row);
      return row + Rows;
    };
    auto const count = static_cast<std::ptrdiff_t>(rows_.size());
    for (std::ptrdiff_t row = 0; row < count;) {
      std::ptrdiff_t const left = count - row;
      if (left >= 7) row = take.template operator()<7>(row);
      else if (left >= 5) row = take.template operator()<5>(row);
      else if (left >= 3) row = take.template operator()<3>(row);
      else row = take.template operator()<1>(row);
    }
  }

  convolution_shape s_;
  int batches_;
  field_layout field_;
  std::vector<std::ptrdiff_t> rows_;
};

}  // namespace kroton::cpu
