// What convolutions and their gradients by images have in common: sums over channels and taps of
// filters' elements times elements of a field.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/convolution/field.hpp>

#include <numeric>

namespace kroton::cpu {

/// Which rows of a phase meet the same elements: what row i + rows_apart meets by tap row k is what
/// row i meets by tap row k + taps_apart, `step` elements further on.
struct shared_rows {
  std::ptrdiff_t rows_apart = 1, taps_apart = 1, step = 0;
};

/// Positions that have the same taps: all of a convolution; of a gradient by images those whose
/// elements leave the same remainders when they are divided by the strides.
struct correlation_phase {
  struct row {
    std::ptrdiff_t from, to;
    std::ptrdiff_t begin, end;  // the taps that meet elements of an image on it
  };
  std::vector<std::ptrdiff_t> offsets;   // of the taps, in the field
  std::vector<std::ptrdiff_t> elements;  // of the taps, in a filter
  std::vector<row> rows;
  std::vector<row> batches;  // of as many columns as are read at once; the last of a row overlaps
  std::ptrdiff_t columns = 0, step = 1;  // of a row; from one to the next in the result
  std::ptrdiff_t lines = 1;              // rows of one depth
  std::ptrdiff_t tap_rows = 1, tap_columns = 1;
  shared_rows shared;

  /// Adds the row whose first element in the field is (z, y).
  void add_row(field_layout const& field, std::ptrdiff_t z, std::ptrdiff_t y, std::ptrdiff_t to) {
    auto const inside = [&](std::size_t t) {
      std::ptrdiff_t const depth = offsets[t] / field.depth,
                           line = offsets[t] % field.depth / field.row;
      return field.has_row(z + depth, y + line);
    };
    std::size_t begin = 0, end = offsets.size();
    while (begin < end && !inside(begin)) ++begin;
    while (end > begin && !inside(end - 1)) --end;
    rows.push_back({field.offset(z, y, 0), to, static_cast<std::ptrdiff_t>(begin),
                    static_cast<std::ptrdiff_t>(end)});
  }
  void find_batches(std::ptrdiff_t width) {
    for (row const& r : rows)
      for (std::ptrdiff_t j = 0; j < columns; j += width) {
        std::ptrdiff_t const at = columns >= width ? std::min(j, columns - width) : 0;
        batches.push_back({r.from + at, r.to + at * step, r.begin, r.end});
      }
  }
  /// Also puts taps into the order in which they lie in the field.
  void find_shared_rows() {
    if (offsets.empty()) return;
    if (offsets.front() > offsets.back()) {
      std::reverse(offsets.begin(), offsets.end());
      std::reverse(elements.begin(), elements.end());
    }
    std::ptrdiff_t const of_rows = lines > 1 ? rows[1].from - rows[0].from : 0,
                         of_taps = tap_rows > 1
                                       ? offsets[static_cast<std::size_t>(tap_columns)] - offsets[0]
                                       : 0;
    shared.step = std::max(of_rows, of_taps);
    if (of_rows == 0 || of_taps == 0) return;
    shared.step = std::lcm(of_rows, of_taps);
    shared.rows_apart = shared.step / of_rows;
    shared.taps_apart = shared.step / of_taps;
  }
};

/// The plan of all positions of one image and group.
struct correlation {
  std::ptrdiff_t inner = 1, outer = 1;  // channels that are summed, and those of the result
  std::ptrdiff_t inner_step = 1, outer_step = 1, taps = 1;  // in the filters of a group
  std::ptrdiff_t plane = 1;                                 // elements of a channel of the result
  field_layout field;
  std::vector<correlation_phase> phases;

  /// `reach` and `line` are those of the field.
  static correlation of_outputs(convolution_shape const& s, std::ptrdiff_t reach,
                                std::ptrdiff_t line = 1);
  static correlation of_images(convolution_shape const& s, std::ptrdiff_t reach,
                               std::ptrdiff_t line = 1);

  /// The filters' elements of a phase for some outer channels from `begin` on, those of one tap and
  /// inner channel next to each other, `lanes` apart from those of the next tap.
  template <class T>
  void gather(correlation_phase const& p, T const* filters, std::ptrdiff_t begin,
              std::ptrdiff_t count, std::ptrdiff_t lanes, T* to) const {
    auto const own = static_cast<std::ptrdiff_t>(p.elements.size());
    T const* const from = filters + begin * outer_step;
    auto const copy = [&](T* t, T const* f, std::ptrdiff_t elements) {
      transposition_in_registers::run(reinterpret_cast<std::byte*>(t),
                                      reinterpret_cast<std::byte const*>(f), sizeof(T),
                                      {elements, lanes, 1}, {count, 1, outer_step});
    };
    if (own == taps && inner_step == taps) return copy(to, from, inner * taps);
    for (std::ptrdiff_t c = 0; c < inner; ++c, to += own * lanes)
      if (own == taps) copy(to, from + c * inner_step, taps);
      else
        for (std::ptrdiff_t t = 0; t < own; ++t)
          for (std::ptrdiff_t o = 0; o < count; ++o)
            to[t * lanes + o] =
                from[o * outer_step + c * inner_step + p.elements[static_cast<std::size_t>(t)]];
  }
};

inline correlation correlation::of_outputs(convolution_shape const& s, std::ptrdiff_t reach,
                                           std::ptrdiff_t line) {
  correlation c;
  c.taps = s.taps();
  c.inner = s.channels;
  c.outer = s.outputs;
  c.inner_step = c.taps;
  c.outer_step = s.patch();
  c.plane = s.positions();
  for (int d = 0; d < 3; ++d) {
    c.field.image[d] = s.axes[d].image;
    c.field.first[d] = -s.axes[d].before;
    c.field.extents[d] = std::max<std::ptrdiff_t>(s.axes[d].covered(), 1);
  }
  c.field.phases = s.axes[2].stride;
  c.field.lay_out(s.axes[2].positions, reach, line);
  correlation_phase& p = c.phases.emplace_back();
  for (std::ptrdiff_t t = 0; t < c.taps; ++t) {
    std::ptrdiff_t at[3];
    s.tap(t, at);
    p.offsets.push_back(c.field.offset(at[0], at[1], at[2]));
    p.elements.push_back(t);
  }
  p.columns = s.axes[2].positions;
  p.lines = s.axes[1].positions;
  p.tap_rows = s.axes[1].filter;
  p.tap_columns = s.axes[2].filter;
  for (std::ptrdiff_t z = 0; z < s.axes[0].positions; ++z)
    for (std::ptrdiff_t y = 0; y < s.axes[1].positions; ++y)
      p.add_row(c.field, z * s.axes[0].stride, y * s.axes[1].stride,
                (z * s.axes[1].positions + y) * p.columns);
  p.find_batches(reach);
  return c;
}

/// The positions of an axis of images with one remainder: image element j with j + before = phase +
/// m * stride meets element m + shift of the outputs by tap k, where shift = (phase - k * dilation)
/// / stride is an integer.
struct phase_of_axis {
  std::ptrdiff_t begin = 0, end = 0;  // of m
  struct tap {
    std::ptrdiff_t element, shift;
  };
  std::vector<tap> taps;

  phase_of_axis(window_axis const& a, std::ptrdiff_t phase) {
    auto const rounded_up = [&](std::ptrdiff_t n) {
      return n <= 0 ? -(-n / a.stride) : (n + a.stride - 1) / a.stride;
    };
    begin = rounded_up(a.before - phase);
    end = std::max(rounded_up(a.image + a.before - phase), begin);
    for (std::ptrdiff_t k = 0; k < a.filter; ++k)
      if ((k * a.dilation - phase) % a.stride == 0)
        taps.push_back({k, (phase - k * a.dilation) / a.stride});
  }
};

inline correlation correlation::of_images(convolution_shape const& s, std::ptrdiff_t reach,
                                          std::ptrdiff_t line) {
  correlation c;
  c.taps = s.taps();
  c.inner = s.outputs;
  c.outer = s.channels;
  c.inner_step = s.patch();
  c.outer_step = c.taps;
  c.plane = s.pixels();
  std::vector<phase_of_axis> axes[3];
  std::ptrdiff_t columns = s.axes[2].image;
  for (int d = 0; d < 3; ++d) {
    std::ptrdiff_t first = PTRDIFF_MAX, last = PTRDIFF_MIN;
    for (std::ptrdiff_t phase = 0; phase < s.axes[d].stride; ++phase) {
      phase_of_axis const& a = axes[d].emplace_back(s.axes[d], phase);
      if (a.end > a.begin && d == 2) columns = std::min(columns, a.end - a.begin);
      for (phase_of_axis::tap const& t : a.taps) {
        if (a.end == a.begin) continue;
        first = std::min(first, a.begin + t.shift);
        last = std::max(last, a.end - 1 + t.shift);
      }
    }
    c.field.image[d] = s.axes[d].positions;
    c.field.first[d] = first == PTRDIFF_MAX ? 0 : first;
    c.field.extents[d] = first == PTRDIFF_MAX ? 1 : last - first + 1;
  }
  c.field.lay_out(columns, reach, line);
  for (phase_of_axis const& z : axes[0])
    for (phase_of_axis const& y : axes[1])
      for (phase_of_axis const& x : axes[2]) {
        if (z.begin == z.end || y.begin == y.end || x.begin == x.end) continue;
        correlation_phase& p = c.phases.emplace_back();
        for (auto const& tz : z.taps)
          for (auto const& ty : y.taps)
            for (auto const& tx : x.taps) {
              p.offsets.push_back((z.begin + tz.shift - c.field.first[0]) * c.field.depth +
                                  (y.begin + ty.shift - c.field.first[1]) * c.field.row + x.begin +
                                  tx.shift - c.field.first[2]);
              std::ptrdiff_t const tap =
                  (tz.element * s.axes[1].filter + ty.element) * s.axes[2].filter + tx.element;
              p.elements.push_back(s.flips ? c.taps - 1 - tap : tap);
            }
        if (s.flips) {  // in the order of elements
          std::reverse(p.offsets.begin(), p.offsets.end());
          std::reverse(p.elements.begin(), p.elements.end());
        }
        p.columns = x.end - x.begin;
        p.lines = y.end - y.begin;
        p.tap_rows = static_cast<std::ptrdiff_t>(y.taps.size());
        p.tap_columns = static_cast<std::ptrdiff_t>(x.taps.size());
        p.step = s.axes[2].stride;
        auto const element = [&](int d, auto const& axis, std::ptrdiff_t m) {
          return &axis - axes[d].data() - s.axes[d].before + m * s.axes[d].stride;
        };
        for (std::ptrdiff_t i = z.begin; i < z.end; ++i)
          for (std::ptrdiff_t j = y.begin; j < y.end; ++j)
            p.add_row(c.field, i - z.begin, j - y.begin,
                      (element(0, z, i) * s.axes[1].image + element(1, y, j)) * s.axes[2].image +
                          element(2, x, x.begin));
        p.find_batches(reach);
      }
  return c;
}

}  // namespace kroton::cpu
