// Correlations whose lanes are channels of the result: a tile has one or two batches of channels and
// some neighbouring columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/convolution/columns.hpp>

namespace kroton::cpu {

template <class T>
class channels_correlation {
  using B = xsimd::batch<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  static constexpr int third = vector_registers == 32 ? 4 : 2;

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
        std::ptrdiff_t lane = 0;
        c_.each_element(p, filters, first, channels, [&](T w) {
          *to++ = w;
          if (++lane < channels) return;
          for (; lane < batches * width; ++lane) *to++ = T(0);
          lane = 0;
        });
      });
  }
  /// The result for one image and group, from its field and the packed filters.
  void run(T const* field, T const* filters, T* result) const {
    for (correlation_phase const& p : c_.phases)
      each_tile([&](std::ptrdiff_t first, std::ptrdiff_t channels, std::ptrdiff_t batches) {
        T* const to = result + first * c_.plane;
        if (batches == 2) rows<2>(p, field, filters, to, channels);
        else rows<1>(p, field, filters, to, channels);
        filters +=
            batches * width * c_.inner * static_cast<std::ptrdiff_t>(p.elements.size());
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
  template <int Batches>
  void rows(correlation_phase const& p, T const* field, T const* filters, T* to,
            std::ptrdiff_t channels) const {
    for (correlation_phase::row const& r : p.rows)
      for (std::ptrdiff_t j = 0; j < p.columns;) {
        std::ptrdiff_t const left = p.columns - j;
        std::ptrdiff_t const count = std::min(left, max_columns);
        T const* const from = field + r.from + j;
        T* const result = to + r.to + j * p.step;
        if (left > 2 * third) tile<Batches, 3 * third>(p, from, filters, result, channels, count);
        else if (left > third) tile<Batches, 2 * third>(p, from, filters, result, channels, count);
        else tile<Batches, third>(p, from, filters, result, channels, count);
        j += count;
      }
  }
  template <int Batches, int Columns>
  void tile(correlation_phase const& p, T const* from, T const* w, T* to, std::ptrdiff_t channels,
            std::ptrdiff_t count) const {
    B sums[Columns][Batches];
#pragma GCC unroll 16
    for (int j = 0; j < Columns; ++j)
#pragma GCC unroll 2
      for (int k = 0; k < Batches; ++k) sums[j][k] = B(T(0));
    std::ptrdiff_t const* const offsets = p.offsets.data();
    auto const taps = static_cast<std::ptrdiff_t>(p.offsets.size());
    for (std::ptrdiff_t c = 0; c < c_.inner; ++c, from += c_.field.channel)
      for (std::ptrdiff_t t = 0; t < taps; ++t, w += Batches * width) {
        T const* const x = from + offsets[t];
        B v[Batches];
#pragma GCC unroll 2
        for (int k = 0; k < Batches; ++k) v[k] = B::load_unaligned(w + k * width);
#pragma GCC unroll 16
        for (int j = 0; j < Columns; ++j) {
          B const element(x[j]);
#pragma GCC unroll 2
          for (int k = 0; k < Batches; ++k) sums[j][k] = xsimd::fma(v[k], element, sums[j][k]);
        }
      }
    alignas(64) T lanes[Columns][Batches * B::size];
#pragma GCC unroll 16
    for (int j = 0; j < Columns; ++j)
#pragma GCC unroll 2
      for (int k = 0; k < Batches; ++k) sums[j][k].store_aligned(&lanes[j][k * width]);
    for (std::ptrdiff_t k = 0; k < channels; ++k)
      for (std::ptrdiff_t j = 0; j < count; ++j) to[k * c_.plane + j * p.step] = lanes[j][k];
  }

  correlation const& c_;
};

}  // namespace kroton::cpu
