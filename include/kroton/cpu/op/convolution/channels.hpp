// Correlations whose lanes are channels of the result: a tile has one or two batches of channels
// and some neighbouring columns. Sums lie position by position until they are complete, so that
// filters of some inner channels at a time stay in the first cache.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/convolution/columns.hpp>

namespace kroton::cpu {

template <class T>
class channels_correlation {
  using B = xsimd::batch<T>;
  using row = correlation_phase::row;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  static constexpr int third = vector_registers == 32 ? 4 : 2;
  static constexpr std::ptrdiff_t bytes_of_filters = 20 << 10, bytes_of_sums = 128 << 10;

 public:
  /// The columns of the widest tile.
  static constexpr std::ptrdiff_t max_columns = 3 * third;

  explicit channels_correlation(correlation const& c) : c_(c) {}

  std::ptrdiff_t packed_size() const {
    return (c_.outer + width - 1) / width * width * c_.inner * c_.taps;
  }
  /// The filters of a group, in the order in which they are read; channels that fill up a batch are
  /// zeros.
  void pack(T const* filters, T* to) const {
    for (correlation_phase const& p : c_.phases)
      each_tile([&](std::ptrdiff_t first, std::ptrdiff_t channels, std::ptrdiff_t batches) {
        std::ptrdiff_t const lanes = batches * width,
                             rows = c_.inner * static_cast<std::ptrdiff_t>(p.elements.size());
        if (channels < lanes) std::fill_n(to, rows * lanes, T(0));
        c_.gather(p, filters, first, channels, lanes, to);
        to += rows * lanes;
      });
  }
  static constexpr bool is_divisible = true;
  /// Memory for sums, which `run` works with.
  std::ptrdiff_t scratch_size() const {
    std::ptrdiff_t most = bytes_of_sums / static_cast<std::ptrdiff_t>(sizeof(T));
    for (correlation_phase const& p : c_.phases) most = std::max(most, pitch_of(p) * 2 * width);
    return most;
  }
  /// A share of the result for one image and group, from its field and the packed filters.
  void run(share const& of, T const* field, T const* filters, T* result, T* sums) const {
    for (correlation_phase const& p : c_.phases)
      each_tile([&](std::ptrdiff_t first, std::ptrdiff_t channels, std::ptrdiff_t batches) {
        T* const to = result + first * c_.plane;
        if (batches == 2) rows<2>(of, p, field, filters, to, channels, sums);
        else rows<1>(of, p, field, filters, to, channels, sums);
        filters += batches * width * c_.inner * static_cast<std::ptrdiff_t>(p.elements.size());
      });
  }

 private:
  template <class Visit>
  void each_tile(Visit visit) const {
    for (std::ptrdiff_t first = 0; first < c_.outer; first += 2 * width) {
      std::ptrdiff_t const channels = std::min(2 * width, c_.outer - first);
      visit(first, channels, (channels + width - 1) / width);
    }
  }
  // Sums of a row shorter than its tile are followed by some that do not count.
  static std::ptrdiff_t pitch_of(correlation_phase const& p) {
    return std::max(p.columns, std::min(columns_of_tile(p.columns), max_columns));
  }
  static std::ptrdiff_t columns_of_tile(std::ptrdiff_t left) {
    return left > 2 * third ? 3 * third : left > third ? 2 * third : third;
  }
  template <int Batches>
  void rows(share const& of, correlation_phase const& p, T const* field, T const* filters, T* to,
            std::ptrdiff_t channels, T* sums) const {
    constexpr std::ptrdiff_t lanes = Batches * width, size = sizeof(T);
    auto const taps = static_cast<std::ptrdiff_t>(p.elements.size()),
               begin = of.begin(static_cast<std::ptrdiff_t>(p.rows.size())),
               end = of.end(static_cast<std::ptrdiff_t>(p.rows.size()));
    std::ptrdiff_t const pitch = pitch_of(p);
    std::ptrdiff_t const at_once =
        std::max<std::ptrdiff_t>(bytes_of_sums / (pitch * lanes * size), 1);
    std::ptrdiff_t const inner = std::clamp<std::ptrdiff_t>(
        bytes_of_filters / std::max<std::ptrdiff_t>(taps * lanes * size, 1), 1, c_.inner);
    for (std::ptrdiff_t first = begin; first < end; first += at_once) {
      row const* const rows = p.rows.data() + first;
      std::ptrdiff_t const some = std::min(at_once, end - first);
      for (std::ptrdiff_t c = 0; c < c_.inner; c += inner)
        for (std::ptrdiff_t i = 0; i < some; ++i)
          sum_row<Batches>(p, rows[i], field + c * c_.field.channel, filters + c * taps * lanes,
                           std::min(inner, c_.inner - c), c == 0, sums + i * pitch * lanes);
      store(p, rows, some, sums, pitch, lanes, channels, to);
    }
  }
  template <int Batches>
  void sum_row(correlation_phase const& p, row const& r, T const* field, T const* filters,
               std::ptrdiff_t inner, bool starts, T* sums) const {
    constexpr std::ptrdiff_t lanes = Batches * width;
    for (std::ptrdiff_t j = 0; j < p.columns;) {
      std::ptrdiff_t const left = p.columns - j, columns = columns_of_tile(left);
      // The last tile of a row overlaps the one before it.
      std::ptrdiff_t const known =
          left < columns && p.columns >= columns ? columns - left : std::ptrdiff_t{0};
      T const* const from = field + r.from + j - known;
      T* const at = sums + (j - known) * lanes;
      if (columns == 3 * third)
        tile<Batches, 3 * third>(p, r, from, filters, inner, starts, known, at);
      else if (columns == third)
        tile<Batches, third>(p, r, from, filters, inner, starts, known, at);
      else tile<Batches, 2 * third>(p, r, from, filters, inner, starts, known, at);
      j += std::min(left, columns);
    }
  }
  template <int Batches, int Columns>
  void tile(correlation_phase const& p, row const& r, T const* from, T const* filters,
            std::ptrdiff_t inner, bool starts, std::ptrdiff_t known, T* at) const {
    constexpr std::ptrdiff_t lanes = Batches * width;
    tile_of<B, Columns, Batches> sums;
    KROTON_UNROLL(16)
    for (int j = 0; j < Columns; ++j) KROTON_UNROLL(2)
    for (int k = 0; k < Batches; ++k) sums[j][k] = B(T(0));
    if (!starts) {
      KROTON_UNROLL(16)
      for (int j = 0; j < Columns; ++j) KROTON_UNROLL(2)
      for (int k = 0; k < Batches; ++k) sums[j][k] = B::load_aligned(at + j * lanes + k * width);
    }
    std::ptrdiff_t const* const offsets = p.offsets.data();
    auto const taps = static_cast<std::ptrdiff_t>(p.offsets.size());
    for (std::ptrdiff_t c = 0; c < inner; ++c, from += c_.field.channel) {
      T const* w = filters + (c * taps + r.begin) * lanes;
      for (std::ptrdiff_t t = r.begin; t < r.end; ++t, w += lanes) {
        T const* const x = from + offsets[t];
        // The channels of an image lie too far apart for the processor to foresee what comes next.
        __builtin_prefetch(x + 2 * Columns);
        array_of<B, Batches> v;
        KROTON_UNROLL(2)
        for (int k = 0; k < Batches; ++k) v[k] = B::load_unaligned(w + k * width);
        KROTON_UNROLL(16)
        for (int j = 0; j < Columns; ++j) {
          B const element(x[j]);
          KROTON_UNROLL(2)
          for (int k = 0; k < Batches; ++k) sums[j][k] = xsimd::fma(v[k], element, sums[j][k]);
        }
      }
    }
    KROTON_UNROLL(16)
    for (int j = 0; j < Columns; ++j)
      if (j >= known) {
        KROTON_UNROLL(2)
        for (int k = 0; k < Batches; ++k) sums[j][k].store_aligned(at + j * lanes + k * width);
      }
  }
  // Rows of complete sums as channels of the result.
  void store(correlation_phase const& p, row const* rows, std::ptrdiff_t count, T const* sums,
             std::ptrdiff_t pitch, std::ptrdiff_t lanes, std::ptrdiff_t channels, T* to) const {
    bool const joined = p.step == 1 && pitch == p.columns && c_.phases.size() == 1;
    std::ptrdiff_t const columns = joined ? count * p.columns : p.columns;
    for (std::ptrdiff_t i = 0; i < (joined ? 1 : count); ++i) {
      T const* const from = sums + i * pitch * lanes;
      T* const at = to + rows[i].to;
      if (p.step == 1)
        transposition_in_registers::run(reinterpret_cast<std::byte*>(at),
                                        reinterpret_cast<std::byte const*>(from), sizeof(T),
                                        {channels, c_.plane, 1}, {columns, 1, lanes});
      else
        for (std::ptrdiff_t k = 0; k < channels; ++k)
          for (std::ptrdiff_t j = 0; j < columns; ++j)
            at[k * c_.plane + j * p.step] = from[j * lanes + k];
    }
  }

  correlation const& c_;
};

}  // namespace kroton::cpu
