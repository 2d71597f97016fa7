// Convolutions as products of matrices: the elements that the filters meet at some positions are
// the columns of a matrix, which is made in panels that stay in the second cache.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/op/convolution/geometry.hpp>

namespace kroton::cpu {

/// Products of one image and one group: rows of positions at a time.
template <class T>
class patches {
 public:
  patches(convolution_shape const& s, kept_memory& memory)
      : s_(s), columns_(s.axes[2].positions), is_product_(s.is_product()) {
    std::ptrdiff_t const row = s.patch() * columns_ * static_cast<std::ptrdiff_t>(sizeof(T));
    rows_ = std::clamp<std::ptrdiff_t>(panel_bytes / std::max<std::ptrdiff_t>(row, 1), 1,
                                       std::max<std::ptrdiff_t>(all_rows(), 1));
    if (is_product_) rows_ = all_rows();
    else panel_ = memory.room<T>(s.patch() * rows_ * columns_);
  }

  /// outputs = filters . patches
  void outputs(T const* images, T const* filters, T* outputs) {
    each_panel([&](std::ptrdiff_t first, std::ptrdiff_t rows) {
      std::ptrdiff_t const count = rows * columns_;
      T const* const panel =
          is_product_ ? images + first * columns_ : gathered(images, first, rows);
      multiply(CblasNoTrans, CblasNoTrans, s_.outputs, count, s_.patch(), filters, s_.patch(),
               panel, leading(count), T(0), outputs + first * columns_, s_.positions());
    });
  }
  /// images = the sums of what filters . outputs has for each element; they are 0 before.
  void images(T const* outputs, T const* filters, T* images) {
    each_panel([&](std::ptrdiff_t first, std::ptrdiff_t rows) {
      std::ptrdiff_t const count = rows * columns_;
      T* const panel = is_product_ ? images + first * columns_ : panel_;
      multiply(CblasTrans, CblasNoTrans, s_.patch(), count, s_.outputs, filters, s_.patch(),
               outputs + first * columns_, s_.positions(), T(0), panel, leading(count));
      if (!is_product_) scatter(images, first, rows);
    });
  }
  /// filters += outputs . patches
  void filters(T const* images, T const* outputs, T* filters) {
    each_panel([&](std::ptrdiff_t first, std::ptrdiff_t rows) {
      std::ptrdiff_t const count = rows * columns_;
      T const* const panel =
          is_product_ ? images + first * columns_ : gathered(images, first, rows);
      multiply(CblasNoTrans, CblasTrans, s_.outputs, s_.patch(), count, outputs + first * columns_,
               s_.positions(), panel, leading(count), T(1), filters, s_.patch());
    });
  }

 private:
  static constexpr std::ptrdiff_t panel_bytes = 256 << 10;

  std::ptrdiff_t all_rows() const { return s_.axes[0].positions * s_.axes[1].positions; }
  std::ptrdiff_t leading(std::ptrdiff_t count) const {
    return is_product_ ? s_.positions() : count;
  }
  template <class Visit>
  void each_panel(Visit visit) const {
    for (std::ptrdiff_t first = 0; first < all_rows(); first += rows_)
      visit(first, std::min(rows_, all_rows() - first));
  }
  static void multiply(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, std::ptrdiff_t m, std::ptrdiff_t n,
                       std::ptrdiff_t k, T const* a, std::ptrdiff_t lda, T const* b,
                       std::ptrdiff_t ldb, T beta, T* c, std::ptrdiff_t ldc) {
    blas::gemm(ta, tb, blas_int(m), blas_int(n), blas_int(k), T(1), a, blas_int(lda), b,
               blas_int(ldb), beta, c, blas_int(ldc));
  }
  // Visits each row of a panel: the place of its first element in the panel, the tap's row of the
  // image or null outside, and the positions on it that are inside.
  template <class Image, class Visit>
  void each_row(Image* image, std::ptrdiff_t first, std::ptrdiff_t rows, Visit visit) const {
    window_axis const &depth = s_.axes[0], &row = s_.axes[1], &column = s_.axes[2];
    std::ptrdiff_t to = 0;
    for (std::ptrdiff_t c = 0; c < s_.channels; ++c)
      for (std::ptrdiff_t t = 0; t < s_.taps(); ++t) {
        std::ptrdiff_t at[3];
        s_.tap(t, at);
        std::ptrdiff_t const shift = at[2] - column.before;
        for (std::ptrdiff_t i = first; i < first + rows; ++i, to += columns_) {
          std::ptrdiff_t const z = i / row.positions * depth.stride + at[0] - depth.before;
          std::ptrdiff_t const y = i % row.positions * row.stride + at[1] - row.before;
          bool const inside = z >= 0 && z < depth.image && y >= 0 && y < row.image;
          std::ptrdiff_t const from = ((c * depth.image + z) * row.image + y) * column.image;
          // The positions whose elements are inside are begin to end.
          std::ptrdiff_t const begin =
              shift >= 0 ? 0 : std::min((-shift + column.stride - 1) / column.stride, columns_);
          std::ptrdiff_t const room = column.image - shift;
          std::ptrdiff_t const end =
              room <= 0 ? begin
                        : std::clamp((room + column.stride - 1) / column.stride, begin, columns_);
          if (inside) visit(to, image + from, shift, begin, end);
          else visit(to, image, shift, columns_, columns_);
        }
      }
  }
  T const* gathered(T const* image, std::ptrdiff_t first, std::ptrdiff_t rows) {
    std::ptrdiff_t const step = s_.axes[2].stride;
    each_row(image, first, rows,
             [&](std::ptrdiff_t to, T const* from, std::ptrdiff_t shift, std::ptrdiff_t begin,
                 std::ptrdiff_t end) {
               T* const panel = panel_ + to;
               std::fill(panel, panel + begin, T(0));
               if (step == 1 && end > begin)
                 std::copy(from + begin + shift, from + end + shift, panel + begin);
               else
                 for (std::ptrdiff_t i = begin; i < end; ++i) panel[i] = from[i * step + shift];
               std::fill(panel + end, panel + columns_, T(0));
             });
    return panel_;
  }
  void scatter(T* image, std::ptrdiff_t first, std::ptrdiff_t rows) const {
    std::ptrdiff_t const step = s_.axes[2].stride;
    each_row(image, first, rows,
             [&](std::ptrdiff_t from, T* to, std::ptrdiff_t shift, std::ptrdiff_t begin,
                 std::ptrdiff_t end) {
               T const* const panel = panel_ + from;
               if (step == 1)
                 for (std::ptrdiff_t i = begin; i < end; ++i) to[i + shift] += panel[i];
               else
                 for (std::ptrdiff_t i = begin; i < end; ++i) to[i * step + shift] += panel[i];
             });
  }

  convolution_shape s_;
  std::ptrdiff_t columns_, rows_ = 1;
  bool is_product_;
  T* panel_ = nullptr;
};

}  // namespace kroton::cpu
