// Correlations with filters of 3 x 3 elements by Winograd's algorithm: tiles of images and filters
// are transformed, multiplied point by point as matrices of channels, and transformed back. All
// lanes are channels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/convolution/columns.hpp>
#include <kroton/cpu/op/convolution/shares.hpp>
#include <kroton/cpu/op/convolution/winograd_transforms.hpp>

#include <cmath>

namespace kroton::cpu {

/// to(o, y, x) = sum of from(i, y + a - before, x + b - before) * filter(o, i, a, b) over i, a and
/// b, where `from` outside its extents is 0.
struct winograd_shape {
  std::ptrdiff_t images = 1, groups = 1, inner = 1, outer = 1;
  std::ptrdiff_t inner_step = 1, outer_step = 1;  // in the filters of a group
  std::ptrdiff_t from[2]{}, to[2]{}, before[2]{};
  bool flips = false;

  static winograd_shape of_outputs(convolution_shape const& s) {
    winograd_shape w{s.batch, s.groups, s.channels, s.outputs, 9, s.patch(), {}, {}, {}, s.flips};
    for (int d = 0; d < 2; ++d) {
      w.from[d] = s.axes[1 + d].image;
      w.to[d] = s.axes[1 + d].positions;
      w.before[d] = s.axes[1 + d].before;
    }
    return w;
  }
  static winograd_shape of_images(convolution_shape const& s) {
    winograd_shape w{s.batch, s.groups, s.outputs, s.channels, s.patch(), 9, {}, {}, {}, !s.flips};
    for (int d = 0; d < 2; ++d) {
      w.from[d] = s.axes[1 + d].positions;
      w.to[d] = s.axes[1 + d].image;
      w.before[d] = 2 - s.axes[1 + d].before;
    }
    return w;
  }
  /// Whether the algorithm is one for this shape.
  static bool fits(convolution_shape const& s) {
    auto const is_whole = [](window_axis const& a) {
      return a.filter == 3 && a.stride == 1 && a.dilation == 1;
    };
    window_axis const& z = s.axes[0];
    return is_whole(s.axes[1]) && is_whole(s.axes[2]) && z.filter == 1 && z.image == 1 &&
           z.positions == 1;
  }
};

template <class T, class Tile>
class winograd {
  using B = xsimd::batch<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  static constexpr int points = Tile::points, results = Tile::results, all = points * points;
  static constexpr auto side = static_cast<std::size_t>(points),
                        result_side = static_cast<std::size_t>(results);
  static constexpr int third = vector_registers == 32 ? 4 : 2;
  static constexpr std::ptrdiff_t min_bytes_of_tiles = 256 << 10;

 public:
  winograd(winograd_shape const& s, int threads, kept_memory& filters, kept_memory& work)
      : s_(s), inner_blocks_((s.inner + width - 1) / width) {
    std::ptrdiff_t const padded = (s.outer + width - 1) / width * width;
    for (int d = 0; d < 2; ++d) tiles_[d] = (s.to[d] + results - 1) / results;
    pitch_ = tiles_[1] * results + 2;
    // Filters are read once for each block of tiles
    std::ptrdiff_t const of_filters = padded / width * all * apart(inner_blocks_ * width * width),
                         of_row = all * inner_blocks_ * width * tiles_[1];
    constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    std::ptrdiff_t const all_rows = s.images * tiles_[0];
    parts_ = static_cast<int>(std::min<std::ptrdiff_t>(threads, all_rows));
    rows_ = std::clamp<std::ptrdiff_t>(std::max(min_bytes_of_tiles / size, of_filters / 4) / of_row,
                                       1, (all_rows + parts_ - 1) / parts_);
    count_ = (rows_ * tiles_[1] + third - 1) / third * third;
    std::ptrdiff_t const field = points * pitch_ * width, gathered = 9 * s.inner * 2 * width,
                         made = rows_ * tiles_[1] * results * results * 2 * width;
    filters_ = filters.room<T>(of_filters);
    point_ = apart(inner_blocks_ * count_ * width);
    work_size_ = all * (point_ + apart(count_ * 2 * width)) + 2 * field + std::max(gathered, made);
    transformed_ = work.room<T>(parts_ * work_size_);
    products_ = transformed_ + all * point_;
    fields_ = products_ + all * apart(count_ * 2 * width);
    made_ = fields_ + 2 * field;
    for (int p = 0; p < parts_; ++p) std::fill_n(fields_ + p * work_size_, 2 * field, T(0));
  }
  /// What all of it costs, in multiplications of direct loops: transforms of filters more if these
  /// are written to memory.
  static double multiplications(winograd_shape const& s) {
    constexpr auto lanes = static_cast<double>(width);
    double const inner = std::ceil(static_cast<double>(s.inner) / lanes) * lanes,
                 outer = std::ceil(static_cast<double>(s.outer) / lanes) * lanes,
                 filters = inner * outer * all;
    auto const tiles = static_cast<double>(s.images * ((s.to[0] + results - 1) / results) *
                                           ((s.to[1] + results - 1) / results));
    double const filter_cost = filters * sizeof(T) <= (16 << 20) ? 20 : 60, tile_cost = 15;
    return static_cast<double>(s.groups) *
           (tiles * filters + filter_cost * filters + tile_cost * tiles * all * (inner + outer));
  }
  /// The result for one group, of arrays that begin at it.
  void run(T const* from, T const* filters, T* to) const {
    run_parts(parts_, [&](int p) { of_part(p).transform_filters({p, parts_}, filters); });
    std::ptrdiff_t const rows = s_.images * tiles_[0], blocks = (rows + rows_ - 1) / rows_;
    run_parts(parts_, [&](int p) {
      winograd own = of_part(p);
      share const mine{p, parts_};
      for (std::ptrdiff_t b = mine.begin(blocks); b < mine.end(blocks); ++b)
        own.block(from, b * rows_, std::min(rows_, rows - b * rows_), to);
    });
  }

 private:
  /// With the memory of one thread.
  winograd of_part(int p) const {
    winograd own = *this;
    for (T** const memory : {&own.transformed_, &own.products_, &own.fields_, &own.made_})
      *memory += p * work_size_;
    return own;
  }
  template <class Visit>
  void each_tile(share const& of, Visit visit) const {
    std::ptrdiff_t const tiles = (s_.outer + 2 * width - 1) / (2 * width);
    for (std::ptrdiff_t t = of.begin(tiles); t < of.end(tiles); ++t) {
      std::ptrdiff_t const first = t * 2 * width;
      std::ptrdiff_t const channels = std::min(2 * width, s_.outer - first);
      visit(first, channels, (channels + width - 1) / width);
    }
  }
  // From one point to the next: one line more than there is, so that they share no cache set.
  static std::ptrdiff_t apart(std::ptrdiff_t elements) { return elements + width; }
  std::ptrdiff_t image_of(std::ptrdiff_t row) const { return row / tiles_[0] * s_.groups; }

  void transform_filters(share const& of, T const* filters) const {
    each_tile(of, [&](std::ptrdiff_t first, std::ptrdiff_t channels, std::ptrdiff_t batches) {
      transform_filters(filters + first * s_.outer_step, channels, batches * width,
                        filters_ + first / width * all * apart(inner_blocks_ * width * width));
    });
  }
  // Of some outer channels: point by point, for each inner channel a row of lanes.
  void transform_filters(T const* filters, std::ptrdiff_t channels, std::ptrdiff_t lanes,
                         T* to) const {
    std::ptrdiff_t const inner = inner_blocks_ * width;
    if (channels < lanes) std::fill_n(made_, s_.inner * 9 * lanes, T(0));
    for (std::ptrdiff_t c = 0; c < s_.inner; ++c)
      transposition_in_registers::run(
          reinterpret_cast<std::byte*>(made_ + c * 9 * lanes),
          reinterpret_cast<std::byte const*>(filters + c * s_.inner_step), sizeof(T), {9, lanes, 1},
          {channels, 1, s_.outer_step});
    for (std::ptrdiff_t c = 0; c < inner; ++c)
      for (std::ptrdiff_t k = 0; k < lanes; k += width) {
        B g[3][3], u[side][side];
        for (int i = 0; i < 9; ++i)
          g[i / 3][i % 3] =
              c < s_.inner ? B::load_aligned(made_ + (c * 9 + (s_.flips ? 8 - i : i)) * lanes + k)
                           : B(T(0));
        transform_square<points, 3>(g, u, [](auto const& a, auto& b) { Tile::filter(a, b); });
        for (int i = 0; i < all; ++i)
          u[i / points][i % points].store_aligned(to + i * apart(inner * lanes) + c * lanes + k);
      }
  }
  // Some rows of tiles, of one image or of several.
  void block(T const* from, std::ptrdiff_t row, std::ptrdiff_t rows, T* to) {
    for (std::ptrdiff_t r = 0; r < rows; ++r)
      for (std::ptrdiff_t i = 0; i < inner_blocks_; ++i) transform_row(from, row + r, i, r);
    each_tile({}, [&](std::ptrdiff_t first, std::ptrdiff_t channels, std::ptrdiff_t batches) {
      T const* const filters =
          filters_ + first / width * all * apart(inner_blocks_ * width * width);
      if (batches == 2) multiply<2>(filters, rows);
      else multiply<1>(filters, rows);
      for (std::ptrdiff_t r = 0; r < rows; ++r)
        store_row(row + r, r, channels, batches * width,
                  to + (image_of(row + r) * s_.outer + first) * s_.to[0] * s_.to[1]);
    });
  }
  // The tiles of a row, for some inner channels.
  void transform_row(T const* from, std::ptrdiff_t row, std::ptrdiff_t block, std::ptrdiff_t r) {
    std::ptrdiff_t const first = block * width, channels = std::min(width, s_.inner - first),
                         plane = s_.from[0] * s_.from[1];
    // Lanes without a channel are zeros in a field of their own.
    T* const field = fields_ + (channels < width ? points * pitch_ * width : 0);
    std::ptrdiff_t const begin = std::clamp<std::ptrdiff_t>(s_.before[1], 0, pitch_),
                         end = std::clamp(s_.from[1] + s_.before[1], begin, pitch_);
    from += (image_of(row) * s_.inner + first) * plane;
    for (int i = 0; i < points; ++i) {
      std::ptrdiff_t const y = row % tiles_[0] * results + i - s_.before[0];
      T* const line = field + i * pitch_ * width;
      if (y < 0 || y >= s_.from[0]) std::fill_n(line, pitch_ * width, T(0));
      else if (end > begin)
        transposition_in_registers::run(
            reinterpret_cast<std::byte*>(line + begin * width),
            reinterpret_cast<std::byte const*>(from + y * s_.from[1] + begin - s_.before[1]),
            sizeof(T), {end - begin, width, 1}, {channels, 1, plane});
    }
    T* to = transformed_ + (block * count_ + r * tiles_[1]) * width;
    for (std::ptrdiff_t j = 0; j < tiles_[1]; ++j, to += width) {
      B d[side][side], v[side][side];
      KROTON_UNROLL(36)
      for (int i = 0; i < all; ++i)
        d[i / points][i % points] =
            B::load_aligned(field + (i / points * pitch_ + j * results + i % points) * width);
      transform_square<points, points>(d, v, [](auto const& a, auto& b) { Tile::image(a, b); });
      KROTON_UNROLL(36)
      for (int i = 0; i < all; ++i) v[i / points][i % points].store_aligned(to + i * point_);
    }
  }
  // The products of all points and tiles with the filters of some outer channels, transformed back.
  template <int Batches>
  void multiply(T const* filters, std::ptrdiff_t rows) {
    constexpr std::ptrdiff_t lanes = Batches * width;
    std::ptrdiff_t const tiles = rows * tiles_[1];
    for (int i = 0; i < all; ++i) {
      T const* const v = transformed_ + i * point_;
      T const* const u = filters + i * apart(inner_blocks_ * width * lanes);
      T* const m = products_ + i * apart(count_ * lanes);
      for (std::ptrdiff_t t = 0; t < tiles;) {
        std::ptrdiff_t const left = tiles - t;
        if (left > 2 * third) t += product<Batches, 3 * third>(v + t * width, u, m + t * lanes);
        else if (left > third) t += product<Batches, 2 * third>(v + t * width, u, m + t * lanes);
        else t += product<Batches, third>(v + t * width, u, m + t * lanes);
      }
    }
    for (std::ptrdiff_t t = 0; t < tiles; ++t)
      for (int k = 0; k < Batches; ++k) transform_back(t, k * width, lanes);
  }
  template <int Batches, int Tiles>
  std::ptrdiff_t product(T const* v, T const* u, T* m) const {
    constexpr std::ptrdiff_t lanes = Batches * width;
    tile_of<B, Tiles, Batches> sums;
    KROTON_UNROLL(12)
    for (int j = 0; j < Tiles; ++j) KROTON_UNROLL(2)
    for (int k = 0; k < Batches; ++k) sums[j][k] = B(T(0));
    for (std::ptrdiff_t b = 0; b < inner_blocks_; ++b, v += count_ * width)
      for (std::ptrdiff_t c = 0; c < width; ++c, u += lanes) {
        array_of<B, Batches> w;
        KROTON_UNROLL(2)
        for (int k = 0; k < Batches; ++k) w[k] = B::load_aligned(u + k * width);
        KROTON_UNROLL(12)
        for (int j = 0; j < Tiles; ++j) {
          B const element(v[j * width + c]);
          KROTON_UNROLL(2)
          for (int k = 0; k < Batches; ++k) sums[j][k] = xsimd::fma(w[k], element, sums[j][k]);
        }
      }
    KROTON_UNROLL(12)
    for (int j = 0; j < Tiles; ++j) KROTON_UNROLL(2)
    for (int k = 0; k < Batches; ++k) sums[j][k].store_aligned(m + j * lanes + k * width);
    return Tiles;
  }
  void transform_back(std::ptrdiff_t t, std::ptrdiff_t lane, std::ptrdiff_t lanes) {
    B m[side][side], y[result_side][result_side];
    KROTON_UNROLL(36)
    for (int i = 0; i < all; ++i)
      m[i / points][i % points] =
          B::load_aligned(products_ + i * apart(count_ * lanes) + t * lanes + lane);
    transform_square<results, points>(m, y, [](auto const& a, auto& b) { Tile::result(a, b); });
    std::ptrdiff_t const row = t / tiles_[1] * results, column = t % tiles_[1] * results;
    KROTON_UNROLL(16)
    for (int i = 0; i < results * results; ++i)
      y[i / results][i % results].store_aligned(
          made_ + ((row + i / results) * tiles_[1] * results + column + i % results) * lanes +
          lane);
  }
  // A row of tiles, as rows of channels.
  void store_row(std::ptrdiff_t row, std::ptrdiff_t r, std::ptrdiff_t channels,
                 std::ptrdiff_t lanes, T* to) const {
    std::ptrdiff_t const first = row % tiles_[0] * results,
                         count = std::min<std::ptrdiff_t>(results, s_.to[0] - first);
    for (std::ptrdiff_t i = 0; i < count; ++i)
      transposition_in_registers::run(reinterpret_cast<std::byte*>(to + (first + i) * s_.to[1]),
                                      reinterpret_cast<std::byte const*>(
                                          made_ + (r * results + i) * tiles_[1] * results * lanes),
                                      sizeof(T), {channels, s_.to[0] * s_.to[1], 1},
                                      {s_.to[1], 1, lanes});
  }

  winograd_shape s_;
  std::ptrdiff_t inner_blocks_, tiles_[2], pitch_ = 0;
  std::ptrdiff_t rows_ = 1, count_ = 1;  // of tiles that are taken together
  std::ptrdiff_t point_ = 1;             // from one point of transformed tiles to the next
  std::ptrdiff_t work_size_ = 0;         // of a thread
  int parts_ = 1;
  T *filters_ = nullptr, *transformed_ = nullptr, *products_ = nullptr, *fields_ = nullptr,
    *made_ = nullptr;
};

}  // namespace kroton::cpu
