// The outputs of a fused group that have an element for each element of its space, as a grid of
// threads computes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/grid.hpp>
#include <kroton/cuda/kernel/group_packs.hpp>

namespace kroton::cuda {

/// What a launch passes to each thread: operands, then all outputs, over merged axes.
template <int Operands, int Outputs>
struct map_arguments {
  space_over<Operands + Outputs> space;
  std::int64_t count = 0;  // elements of the space
  bool in_packs = false;   // see map_thread::packed
  scalar_operands<Operands> scalars;

  map_arguments() {
    space.operands = Operands;
    space.results = Outputs;
    space.count = Operands + Outputs;
  }
  /// Whether every operand is read at the element's own number, or always at one place.
  bool flat() const { return space.rank == 1; }
  bool operator==(map_arguments const&) const = default;
};

/// What one thread does. K numbers the arrays.
template <class Expression, class Arrays>
struct map_thread;
template <class Expression, std::size_t... K>
struct map_thread<Expression, std::index_sequence<K...>> {
  using outputs = group_outputs<Expression>;
  using evaluation = evaluation_of<Expression>;
  using arguments = map_arguments<outputs::operands, outputs::size>;

  using packs = packs_of<Expression>;
  static constexpr moving_arrays moving_in_rows = packs::moving_along(1);
  /// How many elements a thread takes at once where all arrays are dense, or repeated, along the
  /// last axis.
  static constexpr int pack = packs::size;
  /// Whether that is so, and each row begins where a pack may; finds which arrays are dense.
  static bool takes_packs(arguments const& a) {
    int const last = a.space.rank - 1;
    moving_arrays moving = 0;
    if (last < 0 || a.count > 0x7fffffff - 16 || !packs::find_moving(moving, a.space, last))
      return false;
    if (last == 0) return moving == packs::all_arrays;
    // What is behind the last pack of a row is left to no one.
    return moving == moving_in_rows && a.space.extents[last] % pack == 0;
  }

  /// For a space of one axis, less than 2^31 elements, by packs.
  KROTON_HOST_DEVICE static KROTON_INLINE void packed(arguments const& a, thread_range r) {
    auto scalars = a.scalars;
    evaluation::load(scalars, a.space.data);
    auto const count = static_cast<std::int32_t>(a.count), in_packs = count / pack;
    auto const first = static_cast<std::int32_t>(r.first), step = static_cast<std::int32_t>(r.step);
    auto const nothing = [](auto&) {};
    packs p;
    for (std::int32_t i = first; i < in_packs; i += step) {
      p.load(a.space.data, packs::all_arrays, i);
      p.compute(scalars, nothing);
      p.store(a.space.data, i);
    }
    // The elements behind the last pack, one a thread; the numbers of later threads may be no
    // int32.
    if (auto const i =
            static_cast<std::uint32_t>(in_packs * pack) + static_cast<std::uint32_t>(first);
        i < static_cast<std::uint32_t>(count)) {
      std::int64_t const at[] = {i * a.space.strides[0][K]..., 0};
      compute(a, scalars, at);
    }
  }
  /// For a space of some axes, by packs along the last one.
  KROTON_HOST_DEVICE static KROTON_INLINE void packed_rows(arguments const& a, thread_range r) {
    auto scalars = a.scalars;
    evaluation::load(scalars, a.space.data);
    auto const row = static_cast<std::uint32_t>(a.space.extents[a.space.rank - 1]) / pack;
    auto const in_packs = static_cast<std::uint32_t>(a.count) / pack;
    auto const nothing = [](auto&) {};
    for (auto i = static_cast<std::uint32_t>(r.first); i < in_packs;
         i += static_cast<std::uint32_t>(r.step)) {
      std::uint32_t const number = i / row;
      auto const in_row = static_cast<std::int32_t>(i - number * row);
      std::int64_t at[sizeof...(K) + 1]{};
      add_position(a.space, a.space.rank - 1, number, at, std::index_sequence<K...>{});
      array_rows<packs, std::index_sequence<K...>> const rows(a.space.data, at);
      packs p;
      p.spread(rows.at, moving_in_rows);
      p.load(rows.at, moving_in_rows, in_row);
      p.compute(scalars, nothing);
      p.store(rows.at, in_row);
    }
  }
  /// For a space of one axis.
  KROTON_HOST_DEVICE static KROTON_INLINE void flat(arguments const& a, thread_range r) {
    auto scalars = a.scalars;
    evaluation::load(scalars, a.space.data);
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      std::int64_t const at[] = {i * a.space.strides[0][K]..., 0};
      compute(a, scalars, at);
    }
  }
  /// For any space.
  KROTON_HOST_DEVICE static KROTON_INLINE void strided(arguments const& a, thread_range r) {
    auto scalars = a.scalars;
    evaluation::load(scalars, a.space.data);
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      std::int64_t at[sizeof...(K) + 1]{};
      add_position(a.space, i, at, std::index_sequence<K...>{});
      compute(a, scalars, at);
    }
  }

 private:
  template <class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void compute(arguments const& a, Scalars const& scalars,
                                                       std::int64_t const* at) {
    typename evaluation::values v;
    evaluation::run(v, scalars, a.space.data, at);
    outputs::store(v, a.space.data, at);
  }
};
template <class Expression>
using map_of = map_thread<Expression, std::make_index_sequence<static_cast<std::size_t>(
                                          group_outputs<Expression>::arrays)>>;

}  // namespace kroton::cuda
