// Maps of which some operands lie along another axis than the rest, such as a transposed one: tiles
// of them go through the memory of a block, so that neighbouring threads read neighbouring elements
// of each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/map.hpp>

#include <utility>

namespace kroton::cuda {

/// The last two axes are those of the tiles; the operands that lie along the first of them are
/// turned.
template <int Operands, int Outputs>
struct tile_arguments {
  map_arguments<Operands, Outputs> of_map;
  moving_arrays turned = 0;
  std::int64_t across = 0, along = 0;  // tiles on the last axis but one, and on the last
  std::int64_t outer = 1;              // elements of the other axes
  KROTON_HOST_DEVICE std::int64_t tiles() const { return across * along * outer; }
};

/// What the threads of a block do with a tile: first some load the turned operands, along which
/// they lie; then each computes elements along the last axis. K numbers the arrays.
template <class Expression, class Arrays>
struct tile_thread;
template <class Expression, std::size_t... K>
struct tile_thread<Expression, std::index_sequence<K...>> {
  using outputs = group_outputs<Expression>;
  using evaluation = evaluation_of<Expression>;
  using packs = packs_of<Expression>;
  using arguments = tile_arguments<outputs::operands, outputs::size>;
  using expand = int[];
  using arrays = std::index_sequence<K...>;

  /// Elements of a tile's side. A row in memory is one longer: then columns are in different banks.
  static constexpr int side = 32, row = side + 1;
  static constexpr int most_turned = 4;
  static constexpr std::size_t bytes = std::size_t{most_turned} * side * row * 8;

  /// Whether some operands are dense along another axis, and outputs along the last; puts that axis
  /// next to it.
  static bool takes_tiles(arguments& a,
                          map_arguments<outputs::operands, outputs::size> const& map) {
    auto const& space = map.space;
    int const last = space.rank - 1;
    if (last < 1 || outputs::arrays > 64 || space.extents[last] < side) return false;
    for (int k = outputs::operands; k < outputs::arrays; ++k)
      if (packs::bytes(k) > 0 && space.strides[last][k] != 1) return false;
    int across = -1, count = 0;
    a.turned = 0;
    for (int k = 0; k < outputs::operands; ++k) {
      if (packs::bytes(k) == 0 || space.strides[last][k] == 1 || space.strides[last][k] == 0)
        continue;
      for (int d = 0; d < last; ++d)
        if (space.strides[d][k] == 1 && space.extents[d] >= side && (across < 0 || across == d)) {
          across = d;
          a.turned |= moving_arrays{1} << k;
          ++count;
        }
    }
    if (count == 0 || count > most_turned) return false;
    a.of_map = map;
    auto& turned = a.of_map.space;
    std::swap(turned.extents[across], turned.extents[last - 1]);
    for (int k = 0; k < outputs::arrays; ++k)
      std::swap(turned.strides[across][k], turned.strides[last - 1][k]);
    a.across = (turned.extents[last - 1] + side - 1) / side;
    a.along = (turned.extents[last] + side - 1) / side;
    a.outer = 1;
    for (int d = 0; d < last - 1; ++d) a.outer *= turned.extents[d];
    return true;
  }

  /// Where a tile lies.
  struct place {
    std::int64_t row, column;  // of its first element
    std::int64_t at[sizeof...(K) + 1];
  };
  KROTON_HOST_DEVICE static KROTON_INLINE place place_of_tile(arguments const& a,
                                                              std::int64_t tile) {
    auto const& space = a.of_map.space;
    std::int64_t const line = quotient(tile, a.along), outer = quotient(line, a.across);
    place p{(line - outer * a.across) * side, (tile - line * a.along) * side, {}};
    if (space.rank > 2) add_position(space, space.rank - 2, outer, p.at, arrays{});
    int const d = space.rank - 2;
    (void)expand{
        0, (p.at[K] += p.row * space.strides[d][K] + p.column * space.strides[d + 1][K], 0)...};
    return p;
  }
  /// What a thread loads of the turned operands; `x` and `y` number it in a block of `side` by
  /// `Rows` threads. All loads are asked for before the first is waited for.
  template <int Rows>
  KROTON_HOST_DEVICE static KROTON_INLINE void load(arguments const& a, place const& p,
                                                    std::byte* shared, int x, int y) {
    int slot = 0;
    (void)expand{0, (load_one<static_cast<int>(K), Rows>(a, p, shared, slot, x, y), 0)...};
  }
  /// What it computes.
  template <int Rows>
  KROTON_HOST_DEVICE static KROTON_INLINE void compute(arguments const& a, place const& p,
                                                       std::byte const* shared, int x, int y) {
    auto const& space = a.of_map.space;
    int const d = space.rank - 2;
    if (p.column + x >= space.extents[d + 1]) return;
    auto scalars = a.of_map.scalars;
    evaluation::load(scalars, space.data);
    std::int64_t const left = space.extents[d] - p.row;
    if (left >= side) {
      compute_rows<Rows, side / Rows>(a, p, scalars, shared, x, y);
    } else {
      for (int i = y; i < left; i += Rows) compute_rows<Rows, 1>(a, p, scalars, shared, x, i);
    }
  }

 private:
  // A bank is four bytes wide.
  static constexpr int bytes_of_cell(int size) { return size < 4 ? 4 : size; }
  static constexpr std::size_t bytes_of_slot = std::size_t{side} * row * 8;

  struct elements_of_tile {
    std::byte* const* data;
    std::int64_t const* at;
    std::byte const* tile;
    int cell;
    moving_arrays turned;

    template <class T, int Position>
    KROTON_HOST_DEVICE KROTON_INLINE T element() const {
      if ((turned >> Position & 1) == 0) return elements_in_memory{data, at}.element<T, Position>();
      // The turned operands before this one.
      int slot = 0;
      for (int k = 0; k < Position; ++k) slot += static_cast<int>(turned >> k & 1);
      return *reinterpret_cast<T const*>(tile + static_cast<std::size_t>(slot) * bytes_of_slot +
                                         cell * bytes_of_cell(static_cast<int>(sizeof(T))));
    }
  };
  /// The elements of so many rows, `Rows` apart from row `y` on.
  template <int Rows, int Count, class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void compute_rows(arguments const& a, place const& p,
                                                            Scalars const& scalars,
                                                            std::byte const* shared, int x, int y) {
    auto const& space = a.of_map.space;
    int const d = space.rank - 2;
    typename evaluation::values v[Count];
    for (int n = 0; n < Count; ++n) {
      int const i = y + n * Rows;
      std::int64_t const at[] = {p.at[K] + i * space.strides[d][K] + x * space.strides[d + 1][K]...,
                                 0};
      evaluation::run(v[n], scalars,
                      elements_of_tile{space.data, at, shared, x * row + i, a.turned});
    }
    for (int n = 0; n < Count; ++n) {
      int const i = y + n * Rows;
      std::int64_t const at[] = {p.at[K] + i * space.strides[d][K] + x * space.strides[d + 1][K]...,
                                 0};
      outputs::store(v[n], space.data, at);
    }
  }
  template <int Array, int Rows>
  KROTON_HOST_DEVICE static KROTON_INLINE void load_one(arguments const& a, place const& p,
                                                        std::byte* shared, int& slot, int x,
                                                        int y) {
    if constexpr (Array < outputs::operands && packs::bytes(Array) > 0) {
      if ((a.turned >> Array & 1) == 0) return;
      constexpr int size = packs::bytes(Array), cell = bytes_of_cell(size);
      auto const& space = a.of_map.space;
      int const d = space.rank - 2;
      std::byte* const tile = shared + static_cast<std::size_t>(slot++) * bytes_of_slot;
      if (p.row + x >= space.extents[d]) return;
      std::byte const* const from = space.data[Array] + (p.at[Array] + x) * size;
      std::int64_t const step = space.strides[d + 1][Array] * size,
                         left = space.extents[d + 1] - p.column;
      using element = element_bits<size>;
      element loaded[side / Rows]{};
      for (int n = 0; n < side / Rows; ++n)
        if (int const j = y + n * Rows; j < left)
          loaded[n] = *reinterpret_cast<element const*>(from + j * step);
      for (int n = 0; n < side / Rows; ++n)
        *reinterpret_cast<element*>(tile + ((y + n * Rows) * row + x) * cell) = loaded[n];
    }
  }
};
template <class Expression>
using tiles_of = tile_thread<Expression, std::make_index_sequence<static_cast<std::size_t>(
                                             group_outputs<Expression>::arrays)>>;

/// Walks the tiles on the host, by blocks of so many threads.
template <class Thread, int Threads>
void walk_tiles(typename Thread::arguments const& a, std::byte* shared) {
  constexpr int rows = Threads / Thread::side;
  for (std::int64_t tile = 0; tile < a.tiles(); ++tile) {
    auto const p = Thread::place_of_tile(a, tile);
    for (int t = 0; t < Threads; ++t)
      Thread::template load<rows>(a, p, shared, t % Thread::side, t / Thread::side);
    for (int t = 0; t < Threads; ++t)
      Thread::template compute<rows>(a, p, shared, t % Thread::side, t / Thread::side);
  }
}

}  // namespace kroton::cuda
