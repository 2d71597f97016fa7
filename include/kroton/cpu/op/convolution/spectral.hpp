// Correlations as products of spectra, for large filters: tiles of images as large as the filters
// allow, which overlap, are transformed with their inner channels as lanes, filters with their
// outer channels as lanes, of which the second half are imaginary parts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/convolution/shares.hpp>
#include <kroton/cpu/op/convolution/spectra.hpp>
#include <kroton/cpu/op/convolution/spectral_plan.hpp>

namespace kroton::cpu {

template <class T>
class spectral {
  using B = xsimd::batch<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  static constexpr std::ptrdiff_t unit = spectral_tile<T>::unit, max_bytes = 32 << 20;

 public:
  spectral(spectral_shape const& s, int threads, kept_memory& images, kept_memory& work)
      : s_(s), plan_(s), by_(plan_.tile[0], plan_.tile[1]), threads_(threads) {
    inner_blocks_ = (s.inner + width - 1) / width;
    std::ptrdiff_t const bytes =
        by_.size() * (inner_blocks_ + 1) * static_cast<std::ptrdiff_t>(sizeof(T));
    some_ = std::clamp<std::ptrdiff_t>(max_bytes / bytes, 1, tiles());
    images_ = images.room<T>(some_ * inner_blocks_ * by_.size());
    work_size_ = (some_ + width + 1) * by_.size();
    work_ = work.room<T>(threads * work_size_);
  }
  /// The result for one group, of arrays that begin at it.
  void run(T const* from, T const* filters, T* to) const {
    std::ptrdiff_t const blocks = (s_.outer + 2 * width - 1) / (2 * width);
    for (std::ptrdiff_t first = 0; first < tiles(); first += some_) {
      std::ptrdiff_t const count = std::min(some_, tiles() - first), all = count * inner_blocks_;
      run_parts(threads_, [&](int p) {
        share const own{p, threads_};
        for (std::ptrdiff_t k = own.begin(all); k < own.end(all); ++k)
          transform_images(
              from, first + k / inner_blocks_, k % inner_blocks_, work_ + p * work_size_,
              images_ + (k % inner_blocks_ * by_.size() * some_) + k / inner_blocks_ * unit);
      });
      run_parts(threads_, [&](int p) {
        share const own{p, threads_};
        for (std::ptrdiff_t b = own.begin(blocks); b < own.end(blocks); ++b)
          block(filters, to, b * 2 * width, first, count, work_ + p * work_size_);
      });
    }
  }

 private:
  std::ptrdiff_t tiles() const { return s_.batch * plan_.count[0] * plan_.count[1]; }
  /// The image of a tile, and its first element of the result.
  struct place {
    std::ptrdiff_t image, at[2];
  };
  place place_of(std::ptrdiff_t tile) const {
    std::ptrdiff_t const columns = plan_.count[1], of_image = plan_.count[0] * columns;
    return {tile / of_image,
            {tile % of_image / columns * (plan_.tile[0] - s_.filter[0] + 1),
             tile % columns * (plan_.tile[1] - s_.filter[1] + 1)}};
  }
  /// Copies rows of some channels, `step` apart, to lanes from `lane` on.
  static void to_lanes(T* to, std::ptrdiff_t lane, T const* from, std::ptrdiff_t elements,
                       std::ptrdiff_t channels, std::ptrdiff_t step) {
    transposition_in_registers::run(reinterpret_cast<std::byte*>(to + lane),
                                    reinterpret_cast<std::byte const*>(from), sizeof(T),
                                    {elements, unit, 1}, {channels, 1, step});
  }
  /// Those of all tiles lie side by side, number by number.
  void transform_images(T const* from, std::ptrdiff_t tile, std::ptrdiff_t block, T* work,
                        T* to) const {
    place const at = place_of(tile);
    std::fill_n(work, by_.size(), T(0));
    from += at.image * s_.from_steps.first + block * width * s_.from_steps.second;
    std::ptrdiff_t const channels = std::min(width, s_.inner - block * width);
    std::ptrdiff_t begin[2], end[2];  // of the tile, where there is an image
    for (int d = 0; d < 2; ++d) {
      std::ptrdiff_t const first = at.at[d] - s_.before[d];
      begin[d] = std::clamp<std::ptrdiff_t>(-first, 0, plan_.tile[d]);
      end[d] = std::clamp(s_.from[d] - first, begin[d], plan_.tile[d]);
    }
    for (std::ptrdiff_t i = begin[0]; i < end[0] && begin[1] < end[1]; ++i)
      to_lanes(
          work + i * by_.row() + begin[1] * unit, 0,
          from + (at.at[0] - s_.before[0] + i) * s_.from[1] + at.at[1] - s_.before[1] + begin[1],
          end[1] - begin[1], channels, s_.from_steps.second);
    by_.forward(work, end[0]);
    spread(work, to, some_ * unit);
  }
  /// Filters of some outer channels for one inner channel, turned: element t at -t.
  void transform_filters(T const* from, std::ptrdiff_t channels, T* to) const {
    std::fill_n(to, by_.size(), T(0));
    std::ptrdiff_t const rows = s_.filter[0], columns = s_.filter[1];
    for (std::ptrdiff_t lane = 0; lane < channels; lane += width) {
      std::ptrdiff_t const some = std::min(width, channels - lane);
      for (std::ptrdiff_t i = 0; i < rows; ++i)
        if (s_.flips)
          to_lanes(to + i * by_.row(), lane, from + lane * s_.filter_steps.first + i * columns,
                   columns, some, s_.filter_steps.first);
        else
          for (std::ptrdiff_t j = 0; j < columns; ++j)
            for (std::ptrdiff_t k = 0; k < some; ++k)
              to[(rows - 1 - i) * by_.row() + (columns - 1 - j) * unit + lane + k] =
                  from[(lane + k) * s_.filter_steps.first + i * columns + j];
    }
    by_.forward(to, rows);
  }
  /// Some outer channels of some tiles: for each batch of inner channels, number by number.
  void block(T const* filters, T* to, std::ptrdiff_t outer, std::ptrdiff_t first,
             std::ptrdiff_t count, T* work) const {
    std::ptrdiff_t const channels = std::min(2 * width, s_.outer - outer),
                         numbers = by_.size() / unit;
    T *const tile = work, *const spectra = tile + by_.size(),
             *const sums = spectra + width * by_.size();
    std::fill_n(sums, count * by_.size(), T(0));
    for (std::ptrdiff_t i = 0; i < inner_blocks_; ++i) {
      std::ptrdiff_t const inner = std::min(width, s_.inner - i * width);
      for (std::ptrdiff_t k = 0; k < inner; ++k) {
        transform_filters(
            filters + outer * s_.filter_steps.first + (i * width + k) * s_.filter_steps.second,
            channels, tile);
        spread(tile, spectra + k * unit, width * unit);
      }
      T const* image = images_ + i * by_.size() * some_;
      for (std::ptrdiff_t f = 0; f < numbers; ++f, image += some_ * unit) {
        T const* const filter = spectra + f * width * unit;
        T* const to_sums = sums + f * unit;
        std::ptrdiff_t t = 0;
        for (; t + 4 <= count; t += 4)
          add_products<4>(image + t * unit, filter, inner, to_sums + t * by_.size());
        for (; t < count; ++t)
          add_products<1>(image + t * unit, filter, inner, to_sums + t * by_.size());
      }
    }
    for (std::ptrdiff_t t = 0; t < count; ++t)
      store(sums + t * by_.size(), first + t, channels, to + outer * s_.to_steps.second);
  }
  /// The numbers of a tile, `step` apart.
  void spread(T const* tile, T* to, std::ptrdiff_t step) const {
    using line = spectral_line<T>;
    for (std::ptrdiff_t at = 0; at < by_.size(); at += unit, to += step)
      line::store(to, line::load(tile + at));
  }
  /// Lanes of a number of some tiles' spectra times those of filters.
  template <int Tiles>
  void add_products(T const* image, T const* filter, std::ptrdiff_t inner, T* to) const {
    using line = spectral_line<T>;
    complex_batch<B> sums[static_cast<std::size_t>(Tiles)];
    KROTON_UNROLL(4)
    for (int t = 0; t < Tiles; ++t) sums[t] = line::load(to + t * by_.size());
    for (std::ptrdiff_t i = 0; i < inner; ++i) {
      auto const f = line::load(filter + i * unit);
      KROTON_UNROLL(4)
      for (int t = 0; t < Tiles; ++t) {
        B const re(image[t * unit + i]), im(image[t * unit + width + i]);
        sums[t].re = xsimd::fma(re, f.re, xsimd::fnma(im, f.im, sums[t].re));
        sums[t].im = xsimd::fma(re, f.im, xsimd::fma(im, f.re, sums[t].im));
      }
    }
    KROTON_UNROLL(4)
    for (int t = 0; t < Tiles; ++t) line::store(to + t * by_.size(), sums[t]);
  }
  /// The part of a tile that nothing wraps around into, as rows of channels.
  void store(T* sums, std::ptrdiff_t tile, std::ptrdiff_t channels, T* to) const {
    place const at = place_of(tile);
    by_.backward(sums, by_.rows());
    std::ptrdiff_t const rows = std::min(plan_.tile[0] - s_.filter[0] + 1, s_.to[0] - at.at[0]),
                         columns = std::min(plan_.tile[1] - s_.filter[1] + 1, s_.to[1] - at.at[1]);
    B const scale(T(1) / static_cast<T>(by_.rows() * by_.columns()));
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      T* const line = sums + (s_.filter[0] - 1 + i) * by_.row() + (s_.filter[1] - 1) * unit;
      for (std::ptrdiff_t k = 0; k < columns * unit; k += width)
        (scale * B::load_aligned(line + k)).store_aligned(line + k);
      transposition_in_registers::run(
          reinterpret_cast<std::byte*>(to + at.image * s_.to_steps.first +
                                       (at.at[0] + i) * s_.to[1] + at.at[1]),
          reinterpret_cast<std::byte const*>(line), sizeof(T), {channels, s_.to_steps.second, 1},
          {columns, 1, unit});
    }
  }

  spectral_shape s_;
  spectral_plan<T> plan_;
  spectral_tile<T> by_;
  int threads_;
  std::ptrdiff_t inner_blocks_ = 1, some_ = 1;  // tiles that are taken together
  std::ptrdiff_t work_size_ = 0;                // of a thread
  T *images_ = nullptr, *work_ = nullptr;
};

}  // namespace kroton::cpu
