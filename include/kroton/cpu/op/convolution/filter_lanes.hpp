// Gradients by filters, whose lanes are channels of the outputs: a tile has one or two batches of
// channels and some elements of a filter, each a sum over all positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/op/convolution/columns.hpp>

namespace kroton::cpu {

template <class T>
class filter_lanes {
  using B = xsimd::batch<T>;
  using row = correlation_phase::row;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  static constexpr int most = vector_registers == 32 ? 12 : 6;
  static constexpr std::ptrdiff_t bytes_of_outputs = 24 << 10;

 public:
  /// `c`: the plan of the outputs.
  explicit filter_lanes(correlation const& c) : c_(c), p_(c.phases[0]) {
    for (std::ptrdiff_t i = 0; i < c.inner; ++i)
      for (std::ptrdiff_t const offset : p_.offsets)
        offsets_.push_back(i * c.field.channel + offset);
  }
  /// Elements that a thread works with: outputs position by position, and sums.
  std::ptrdiff_t scratch_size() const { return 2 * width * c_.plane + size(); }
  /// Before the first image of a group.
  void start(T* scratch) const { std::fill_n(sums_in(scratch), size(), T(0)); }
  /// Adds what an image contributes to a share of the filters of its group.
  void add(share const& of, T const* field, T const* outputs, T* scratch) const {
    each_tile(of, [&](std::ptrdiff_t first, std::ptrdiff_t channels, std::ptrdiff_t batches) {
      std::ptrdiff_t const lanes = batches * width;
      turn(outputs + first * c_.plane, channels, lanes, scratch);
      T* const sums = sums_in(scratch) + first * elements();
      if (batches == 2) rows<2>(field, scratch, sums);
      else rows<1>(field, scratch, sums);
    });
  }
  /// After the last image of a group.
  void finish(share const& of, T const* scratch, T* filters) const {
    each_tile(of, [&](std::ptrdiff_t first, std::ptrdiff_t channels, std::ptrdiff_t batches) {
      transposition_in_registers::run(
          reinterpret_cast<std::byte*>(filters + first * c_.outer_step),
          reinterpret_cast<std::byte const*>(sums_in(scratch) + first * elements()), sizeof(T),
          {channels, c_.outer_step, 1}, {elements(), 1, batches * width});
    });
  }

 private:
  static std::ptrdiff_t lanes_of_outer(correlation const& c) {
    return (c.outer + width - 1) / width * width;
  }
  std::ptrdiff_t elements() const { return c_.inner * c_.taps; }
  std::ptrdiff_t size() const { return elements() * lanes_of_outer(c_); }
  template <class U>
  U* sums_in(U* scratch) const {
    return scratch + 2 * width * c_.plane;
  }
  template <class Visit>
  void each_tile(share const& of, Visit visit) const {
    std::ptrdiff_t const tiles = (c_.outer + 2 * width - 1) / (2 * width);
    for (std::ptrdiff_t t = of.begin(tiles); t < of.end(tiles); ++t) {
      std::ptrdiff_t const first = t * 2 * width;
      std::ptrdiff_t const channels = std::min(2 * width, c_.outer - first);
      visit(first, channels, (channels + width - 1) / width);
    }
  }
  // The outputs of some channels, position by position.
  void turn(T const* outputs, std::ptrdiff_t channels, std::ptrdiff_t lanes, T* to) const {
    if (channels < lanes) std::fill_n(to, c_.plane * lanes, T(0));
    transposition_in_registers::run(reinterpret_cast<std::byte*>(to),
                                    reinterpret_cast<std::byte const*>(outputs), sizeof(T),
                                    {c_.plane, lanes, 1}, {channels, 1, c_.plane});
  }
  template <int Batches>
  void rows(T const* field, T const* turned, T* sums) const {
    constexpr std::ptrdiff_t lanes = Batches * width, size = sizeof(T);
    auto const count = static_cast<std::ptrdiff_t>(p_.rows.size());
    std::ptrdiff_t const some =
        std::clamp<std::ptrdiff_t>(bytes_of_outputs / (p_.columns * lanes * size), 1, count);
    for (std::ptrdiff_t first = 0; first < count; first += some) {
      row const* const begin = p_.rows.data() + first;
      row const* const end = begin + std::min(some, count - first);
      for (std::ptrdiff_t e = 0; e < elements();) {
        std::ptrdiff_t const left = elements() - e;
        if (left >= most) e += tile<Batches, most>(field, turned, e, begin, end, sums);
        else if (left >= most / 2) e += tile<Batches, most / 2>(field, turned, e, begin, end, sums);
        else if (left >= 2) e += tile<Batches, 2>(field, turned, e, begin, end, sums);
        else e += tile<Batches, 1>(field, turned, e, begin, end, sums);
      }
    }
  }
  template <int Batches, int Elements>
  std::ptrdiff_t tile(T const* field, T const* turned, std::ptrdiff_t e, row const* begin,
                      row const* end, T* all) const {
    constexpr std::ptrdiff_t lanes = Batches * width;
    T* const at = all + e * lanes;
    tile_of<B, Elements, Batches> sums;
    KROTON_UNROLL(12)
    for (int i = 0; i < Elements; ++i) KROTON_UNROLL(2)
    for (int k = 0; k < Batches; ++k) sums[i][k] = B::load_unaligned(at + i * lanes + k * width);
    array_of<T const*, Elements> from;
    for (int i = 0; i < Elements; ++i) from[i] = field + offsets_[static_cast<std::size_t>(e + i)];
    for (row const* r = begin; r != end; ++r) {
      T const* y = turned + r->to * lanes;
      for (std::ptrdiff_t j = r->from; j < r->from + p_.columns; ++j, y += lanes) {
        array_of<B, Batches> v;
        KROTON_UNROLL(2)
        for (int k = 0; k < Batches; ++k) v[k] = B::load_unaligned(y + k * width);
        KROTON_UNROLL(12)
        for (int i = 0; i < Elements; ++i) {
          B const x(from[i][j]);
          KROTON_UNROLL(2)
          for (int k = 0; k < Batches; ++k) sums[i][k] = xsimd::fma(v[k], x, sums[i][k]);
        }
      }
    }
    KROTON_UNROLL(12)
    for (int i = 0; i < Elements; ++i) KROTON_UNROLL(2)
    for (int k = 0; k < Batches; ++k) sums[i][k].store_unaligned(at + i * lanes + k * width);
    return Elements;
  }

  correlation const& c_;
  correlation_phase const& p_;
  std::vector<std::ptrdiff_t> offsets_;  // of the elements of a filter, in the field
};

}  // namespace kroton::cpu
