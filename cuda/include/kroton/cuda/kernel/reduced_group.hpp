// The outputs of a fused group that are reduced over the same axes, and what a thread finds of them
// in its elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/reduce.hpp>
#include <kroton/cuda/kernel/block.hpp>
#include <kroton/cuda/kernel/group_packs.hpp>

#include <cstddef>
#include <tuple>

namespace kroton::cuda {

/// How threads take the elements of a space: one by one; packs along the reduced axis; or packs of
/// adjacent kept elements, each with sums of its own.
enum class taking : unsigned char { elements, packs, columns };

/// What a launch passes to each thread.
template <int Operands, int Outputs>
struct reduction_arguments {
  space_over<Operands + Outputs> kept;     // what the outputs have
  space_over<Operands + Outputs> reduced;  // what they do not have
  scalar_operands<Operands> scalars;
  reduction_shape shape;
  taking how = taking::elements;
  moving_arrays moving = 0;      // along the packs, of whichever axis they are
  std::byte* partial = nullptr;  // what each split found
  unsigned* tickets = nullptr;   // of each tile, how many splits have ended; 0 between launches
  bool operator==(reduction_arguments const&) const = default;
};
/// What is done with packs as soon as they are loaded.
struct leave_packs {
  template <class Packs>
  KROTON_HOST_DEVICE KROTON_INLINE void operator()(Packs const&, std::int32_t) const {}
};

/// W numbers the outputs of the launch, the first of which is number `First` of those that are
/// reduced over `Axes`. A launch that `Stores` stores those that are not reduced, too: it meets
/// each element once. K numbers the arrays.
template <class Expression, long long Axes, int First, bool Stores, class Arrays, class Outputs>
struct reduced_group;
template <class Expression, long long Axes, int First, bool Stores, std::size_t... K,
          std::size_t... W>
struct reduced_group<Expression, Axes, First, Stores, std::index_sequence<K...>,
                     std::index_sequence<W...>> {
  using outputs = group_outputs<Expression>;
  using evaluation = evaluation_of<Expression>;
  using arguments = reduction_arguments<outputs::operands, outputs::size>;
  using packs = packs_of<Expression>;
  template <std::size_t Number>
  static constexpr int position = outputs::position(Axes, First + static_cast<int>(Number));
  template <std::size_t Number>
  using accumulation = cpu::accumulation<typename outputs::template node_type<position<Number>>,
                                         typename outputs::template value<position<Number>>>;
  template <std::size_t Number>
  using sum_t = typename accumulation<Number>::type;
  template <std::size_t Number>
  using op_t = typename accumulation<Number>::op;
  using sums = std::tuple<sum_t<W>...>;
  using expand = int[];

  static constexpr long long axes = Axes;
  static constexpr int first = First;
  static constexpr bool stores = Stores;
  /// How many kept elements a thread takes.
  template <taking How>
  static constexpr int unit = How == taking::columns ? packs::size : 1;

  KROTON_HOST_DEVICE static KROTON_INLINE sums start() {
    return sums{op_t<W>::template start<sum_t<W>>()...};
  }
  KROTON_HOST_DEVICE static KROTON_INLINE sums both(sums const& a, sums const& b) {
    return sums{op_t<W>::combine(std::get<W>(a), std::get<W>(b))...};
  }

  /// Whether neighbouring threads can take neighbouring packs of one row; finds which arrays move.
  static bool takes_packs(arguments& a) {
    return a.reduced.rank == 1 && a.reduced.extents[0] >= packs::size &&
           a.reduced.extents[0] <= most && packs::find_moving(a.moving, a.reduced, 0, a.kept) &&
           a.moving == moving_in_rows;
  }
  /// Whether a thread can take a pack of adjacent kept elements; finds which arrays move.
  static bool takes_columns(arguments& a) {
    int const last = a.kept.rank - 1;
    return !Stores && last >= 0 && a.reduced.rank == 1 && a.kept.extents[last] % packs::size == 0 &&
           packs::find_moving(a.moving, a.kept, last, a.reduced);
  }

  /// Where each array has what belongs to a kept element.
  using rows = array_rows<packs, std::index_sequence<K...>>;
  KROTON_HOST_DEVICE static KROTON_INLINE rows rows_at(arguments const& a, std::byte* const* data,
                                                       std::int64_t kept) {
    std::int64_t at[sizeof...(K) + 1]{};
    add_position(a.kept, kept, at, std::index_sequence<K...>{});
    return rows(data, at);
  }

  /// What a thread finds in its elements, where scalars lie in `data`.
  template <taking How, class Loaded = leave_packs>
  KROTON_HOST_DEVICE static KROTON_INLINE void accumulate(sums* found, arguments const& a,
                                                          std::byte* const* data, rows const& r,
                                                          block_place const& p,
                                                          Loaded const& loaded = {}) {
    for (int e = 0; e < unit<How>; ++e) found[e] = start();
    if (!p.is_inside) return;
    auto scalars = a.scalars;
    evaluation::load(scalars, data);
    std::int64_t const begin = p.split * a.shape.chunk;
    std::int64_t const end =
        begin + a.shape.chunk < a.shape.reduced ? begin + a.shape.chunk : a.shape.reduced;
    if constexpr (How == taking::packs) {
      add_packs(*found, a, scalars, r, static_cast<std::int32_t>(begin),
                static_cast<std::int32_t>(end), p.depth, loaded);
    } else if constexpr (How == taking::columns) {
      add_columns(found, a, scalars, r, begin + p.depth, end);
    } else if (a.reduced.rank <= 1) {
      KROTON_LOADS_TOGETHER
      for (std::int64_t i = begin + p.depth; i < end; i += a.shape.depth) {
        std::int64_t const at[] = {i * a.reduced.strides[0][K]..., 0};
        add(*found, scalars, r, at);
      }
    } else {
      for (std::int64_t i = begin + p.depth; i < end; i += a.shape.depth) {
        std::int64_t at[sizeof...(K) + 1]{};
        add_position(a.reduced, i, at, std::index_sequence<K...>{});
        add(*found, scalars, r, at);
      }
    }
  }
  /// The same for rows of one element, or of none.
  KROTON_HOST_DEVICE static KROTON_INLINE void accumulate_one(sums* found, arguments const& a,
                                                              std::byte* const* data, rows const& r,
                                                              block_place const& p) {
    *found = start();
    if (!p.is_inside || p.depth >= a.shape.reduced) return;
    auto scalars = a.scalars;
    evaluation::load(scalars, data);
    std::int64_t const at[sizeof...(K) + 1]{};
    add(*found, scalars, r, at);
  }

 private:
  static constexpr std::int64_t most = 0x7fffffff - 16;
  static constexpr moving_arrays moving_in_rows =
      packs::moving_along(static_cast<std::uint64_t>(Axes)) &
      (Stores || outputs::operands >= most_packed_arrays
           ? packs::all_arrays
           : (moving_arrays{1} << outputs::operands) - 1);

  /// Elements from `begin`, where a pack may begin, to `end`.
  template <class Scalars, class Loaded>
  KROTON_HOST_DEVICE static KROTON_INLINE void add_packs(sums& found, arguments const& a,
                                                         Scalars const& scalars, rows const& r,
                                                         std::int32_t begin, std::int32_t end,
                                                         int depth, Loaded const& loaded) {
    constexpr int at_once = packs::at_once;
    packs p[at_once];
    p[0].spread(r.at, moving_in_rows);
    for (int n = 1; n < at_once; ++n) p[n] = p[0];
    std::int32_t const last = end / packs::size, step = a.shape.depth;
    auto const add_values = [&](auto& v) { combine(found, v); };
    std::int32_t i = begin / packs::size + depth;
    for (; i + (at_once - 1) * step < last; i += at_once * step) {
      for (int n = 0; n < at_once; ++n) p[n].load(r.at, moving_in_rows, i + n * step);
      for (int n = 0; n < at_once; ++n) {
        loaded(p[n], i + n * step);
        p[n].compute(scalars, add_values);
        if constexpr (Stores) p[n].store(r.at, i + n * step);
      }
    }
    for (; i < last; i += step) {
      p[0].load(r.at, moving_in_rows, i);
      loaded(p[0], i);
      p[0].compute(scalars, add_values);
      if constexpr (Stores) p[0].store(r.at, i);
    }
    // The elements behind the last pack; what follows the last one may be no int32.
    auto const all = static_cast<std::uint32_t>(end);
    for (auto e =
             static_cast<std::uint32_t>(last * packs::size) + static_cast<std::uint32_t>(depth);
         e < all; e += static_cast<std::uint32_t>(step)) {
      std::int64_t const at[] = {e * a.reduced.strides[0][K]..., 0};
      add(found, scalars, r, at);
    }
  }
  /// Of adjacent kept elements, which are a pack, those from `i` to `end` of the reduced ones.
  template <class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void add_columns(sums* found, arguments const& a,
                                                           Scalars const& scalars, rows const& r,
                                                           std::int64_t i, std::int64_t end) {
    constexpr int at_once = packs::at_once;
    packs p[at_once];
    std::int64_t const step = a.shape.depth;
    auto const load = [&](packs& one, std::int64_t number) {
      std::int64_t const at[] = {number * a.reduced.strides[0][K]..., 0};
      rows const there(r.at, at);
      one.spread(there.at, a.moving);
      one.load(there.at, a.moving, 0);
    };
    auto const add_all = [&](packs& one) {
      int e = 0;
      auto const add_values = [&](auto& v) { combine(found[e++], v); };
      one.compute(scalars, add_values);
    };
    for (; i + (at_once - 1) * step < end; i += at_once * step) {
      for (int n = 0; n < at_once; ++n) load(p[n], i + n * step);
      for (int n = 0; n < at_once; ++n) add_all(p[n]);
    }
    for (; i < end; i += step) {
      load(p[0], i);
      add_all(p[0]);
    }
  }
  template <class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void add(sums& found, Scalars const& scalars,
                                                   rows const& r, std::int64_t const* at) {
    typename evaluation::values v;
    evaluation::run(v, scalars, r.at, at);
    if constexpr (Stores) outputs::store(v, r.at, at);
    combine(found, v);
  }
  template <class Values>
  KROTON_HOST_DEVICE static KROTON_INLINE void combine(sums& found, Values& v) {
    (void)expand{
        0,
        (std::get<W>(found) = op_t<W>::combine(
             std::get<W>(found),
             static_cast<sum_t<W>>(
                 v.template at<core::element_of<typename outputs::template value<position<W>>>()>(
                     outputs::template node<position<W>>))),
         0)...};
  }
};

}  // namespace kroton::cuda
