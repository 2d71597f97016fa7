// The outputs of a fused group that are reduced over the same axes, as blocks of threads compute
// them: the formula is evaluated on the way, and nothing of it is stored.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/reduce.hpp>
#include <kroton/cuda/kernel/block.hpp>
#include <kroton/cuda/kernel/group_packs.hpp>

#include <cstddef>
#include <tuple>

namespace kroton::cuda {

/// What a launch passes to each thread.
template <int Operands, int Outputs>
struct reduction_arguments {
  space_over<Operands + Outputs> kept;     // what the outputs have
  space_over<Operands + Outputs> reduced;  // what they do not have
  scalar_operands<Operands> scalars;
  reduction_shape shape;
  bool in_packs = false;         // see reduction_thread::takes_packs
  moving_arrays moving = 0;      // if so
  std::byte* partial = nullptr;  // what each split found
  unsigned* tickets = nullptr;   // of each tile, how many splits have ended; 0 between launches
};

/// How the value of a sum that has ended is stored.
struct store_value {
  template <class T, class Sum>
  KROTON_HOST_DEVICE KROTON_INLINE void operator()(T* to, Sum sum) const {
    *to = static_cast<T>(sum);
  }
};

/// What one thread of a block does: it accumulates its elements, then half of the threads combine
/// what the others have, again and again. Threads meet between these parts; each order is fixed by
/// the shape, so that a result has the same bits each time. W numbers the outputs of the launch,
/// the first of which is number `First` of those that are reduced over `Axes`. A launch that
/// `Stores` stores those that are not reduced, too: it meets each element once.
template <class Expression, long long Axes, int First, bool Stores, class Arrays, class Outputs>
struct reduction_thread;
template <class Expression, long long Axes, int First, bool Stores, std::size_t... K,
          std::size_t... W>
struct reduction_thread<Expression, Axes, First, Stores, std::index_sequence<K...>,
                        std::index_sequence<W...>> {
  using outputs = group_outputs<Expression>;
  using evaluation = evaluation_of<Expression>;
  using arguments = reduction_arguments<outputs::operands, outputs::size>;
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

  static constexpr int bytes_of_cell = 8;
  static_assert(((sizeof(sum_t<W>) <= bytes_of_cell) && ...));
  /// The bytes of the memory of a block of so many threads, or of so many partial results.
  static constexpr std::int64_t bytes_for(std::int64_t count) {
    return static_cast<std::int64_t>(sizeof...(W)) * count * bytes_of_cell;
  }

  static constexpr long long axes = Axes;
  static constexpr int first = First;
  static constexpr bool stores = Stores;

  /// A launch that stores nothing for each element has no output among its packs.
  using packs = packs_of<Expression>;
  /// Whether neighbouring threads can take neighbouring packs of one row; finds which arrays move.
  static bool takes_packs(arguments& a) {
    return a.reduced.rank == 1 && a.reduced.extents[0] >= packs::size &&
           a.reduced.extents[0] <= 0x7fffffff - 16 &&
           packs::find_moving(a.moving, a.reduced, 0, a.kept);
  }

  /// What a thread finds in its elements.
  KROTON_HOST_DEVICE static KROTON_INLINE sums accumulate(arguments const& a,
                                                          block_place const& p) {
    sums found{op_t<W>::template start<sum_t<W>>()...};
    if (!p.is_inside) return found;
    std::int64_t base[sizeof...(K) + 1]{};
    add_position(a.kept, p.kept, base, std::index_sequence<K...>{});
    auto scalars = a.scalars;
    evaluation::load(scalars, a.kept.data);
    std::int64_t const begin = p.split * a.shape.chunk;
    std::int64_t const end =
        begin + a.shape.chunk < a.shape.reduced ? begin + a.shape.chunk : a.shape.reduced;
    if (a.in_packs) {
      add_packs(found, a, scalars, base, static_cast<std::int32_t>(begin),
                static_cast<std::int32_t>(end), p.depth);
    } else if (a.reduced.rank == 1) {
      KROTON_LOADS_TOGETHER
      for (std::int64_t i = begin + p.depth; i < end; i += a.shape.depth) {
        std::int64_t const at[] = {base[K] + i * a.reduced.strides[0][K]..., 0};
        add(found, a, scalars, at);
      }
    } else {
      for (std::int64_t i = begin + p.depth; i < end; i += a.shape.depth) {
        std::int64_t at[] = {base[K]..., 0};
        add_position(a.reduced, i, at, std::index_sequence<K...>{});
        add(found, a, scalars, at);
      }
    }
    return found;
  }
  /// What a thread finds in the results of the splits of its tile.
  KROTON_HOST_DEVICE static KROTON_INLINE sums accumulate_splits(arguments const& a,
                                                                 block_place const& p) {
    sums found{op_t<W>::template start<sum_t<W>>()...};
    if (!p.is_inside) return found;
    for (int split = p.depth; split < a.shape.splits; split += a.shape.depth)
      (void)expand{0, (std::get<W>(found) =
                           op_t<W>::combine(std::get<W>(found), *partial<W>(a, split, p.kept)),
                       0)...};
    return found;
  }

  KROTON_HOST_DEVICE static KROTON_INLINE sums both(sums const& a, sums const& b) {
    return sums{op_t<W>::combine(std::get<W>(a), std::get<W>(b))...};
  }
  /// The memory of a block: for each output a value of each thread.
  KROTON_HOST_DEVICE static KROTON_INLINE void put(std::byte* shared, reduction_shape const& s,
                                                   block_place const& p, sums const& found) {
    (void)expand{0, (*cell<W>(shared, s, p.lane, p.depth) = std::get<W>(found), 0)...};
  }
  KROTON_HOST_DEVICE static KROTON_INLINE sums get(std::byte* shared, reduction_shape const& s,
                                                   block_place const& p, int ahead = 0) {
    return sums{*cell<W>(shared, s, p.lane, p.depth + ahead)...};
  }
  /// The first `half` threads of each lane combine what they have with what the others have.
  KROTON_HOST_DEVICE static KROTON_INLINE void fold(std::byte* shared, reduction_shape const& s,
                                                    block_place const& p, int half) {
    if (p.depth < half) put(shared, s, p, both(get(shared, s, p), get(shared, s, p, half)));
  }
  /// The first thread of each lane stores what a split found.
  KROTON_HOST_DEVICE static KROTON_INLINE void put_partial(arguments const& a, sums const& found,
                                                           block_place const& p) {
    if (p.depth > 0 || !p.is_inside) return;
    (void)expand{0, (*partial<W>(a, p.split, p.kept) = std::get<W>(found), 0)...};
  }
  /// The first thread of each lane stores the results.
  template <class Store>
  KROTON_HOST_DEVICE static KROTON_INLINE void put_results(arguments const& a, sums const& found,
                                                           block_place const& p,
                                                           Store const& store) {
    if (p.depth > 0 || !p.is_inside) return;
    std::int64_t at[sizeof...(K) + 1]{};
    add_position(a.kept, p.kept, at, std::index_sequence<K...>{});
    (void)expand{
        0,
        (store(
             &reinterpret_cast<typename outputs::template value<position<W>>*>(
                 a.kept.data[outputs::operands + position<W>])[at[outputs::operands + position<W>]],
             std::get<W>(found)),
         0)...};
  }

 private:
  /// Elements from `begin`, where a pack may begin, to `end`.
  template <class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void add_packs(sums& found, arguments const& a,
                                                         Scalars const& scalars,
                                                         std::int64_t const* base,
                                                         std::int32_t begin, std::int32_t end,
                                                         int depth) {
    constexpr int at_once = packs::at_once;
    packs p[at_once];
    p[0].spread(a.kept.data, base, a.moving);
    for (int n = 1; n < at_once; ++n) p[n] = p[0];
    std::int32_t const last = end / packs::size, step = a.shape.depth;
    auto const add_values = [&](auto& v) { combine(found, v); };
    std::int32_t i = begin / packs::size + depth;
    for (; i + (at_once - 1) * step < last; i += at_once * step) {
      for (int n = 0; n < at_once; ++n) p[n].load(a.kept.data, base, a.moving, i + n * step);
      for (int n = 0; n < at_once; ++n) {
        p[n].compute(scalars, add_values);
        if constexpr (Stores) p[n].store(a.kept.data, base, i + n * step);
      }
    }
    for (; i < last; i += step) {
      p[0].load(a.kept.data, base, a.moving, i);
      p[0].compute(scalars, add_values);
      if constexpr (Stores) p[0].store(a.kept.data, base, i);
    }
    // The elements behind the last pack.
    for (i = last * packs::size + depth; i < end; i += step) {
      std::int64_t const at[] = {base[K] + i * a.reduced.strides[0][K]..., 0};
      add(found, a, scalars, at);
    }
  }
  template <class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void add(sums& found, arguments const& a,
                                                   Scalars const& scalars, std::int64_t const* at) {
    typename evaluation::values v;
    evaluation::run(v, scalars, a.kept.data, at);
    if constexpr (Stores) outputs::store(v, a.kept.data, at);
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
  template <std::size_t Number>
  KROTON_HOST_DEVICE static KROTON_INLINE sum_t<Number>* cell(std::byte* shared,
                                                              reduction_shape const& s, int lane,
                                                              int depth) {
    return at_cell<Number>(shared, std::int64_t{s.lanes} * s.depth, cell_of(s, lane, depth));
  }
  template <std::size_t Number>
  KROTON_HOST_DEVICE static KROTON_INLINE sum_t<Number>* partial(arguments const& a, int split,
                                                                 std::int64_t kept) {
    return at_cell<Number>(a.partial, a.shape.splits * a.shape.kept, split * a.shape.kept + kept);
  }
  // Cells of one size: whatever the types of the sums are, all of them are aligned.
  template <std::size_t Number>
  KROTON_HOST_DEVICE static KROTON_INLINE sum_t<Number>* at_cell(std::byte* memory,
                                                                 std::int64_t cells,
                                                                 std::int64_t i) {
    constexpr auto row = static_cast<std::int64_t>(Number);
    return reinterpret_cast<sum_t<Number>*>(memory + (row * cells + i) * bytes_of_cell);
  }
};
/// The most outputs of one launch: a block has memory for so many.
inline constexpr int most_reduced_outputs = 16;

/// The outputs that are reduced over `Axes`, from the one with this number on.
template <class Expression, long long Axes, int First, bool Stores>
using reduction_of = reduction_thread<
    Expression, Axes, First, Stores,
    std::make_index_sequence<static_cast<std::size_t>(group_outputs<Expression>::arrays)>,
    std::make_index_sequence<static_cast<std::size_t>(
        group_outputs<Expression>::count(Axes) - First < most_reduced_outputs
            ? group_outputs<Expression>::count(Axes) - First
            : most_reduced_outputs)>>;

/// Walks the blocks of a reduction on the host.
template <class Thread, class Store>
void walk_reduction(typename Thread::arguments const& a, std::byte* shared, Store const& store) {
  walk_blocks(a.shape, [&](std::int64_t block, auto const& each) {
    each([&](auto const& p) { Thread::put(shared, a.shape, p, Thread::accumulate(a, p)); });
    fold_block<Thread>(shared, a.shape, each);
    if (a.shape.splits > 1) {
      each([&](auto const& p) { Thread::put_partial(a, Thread::get(shared, a.shape, p), p); });
      unsigned& ticket = a.tickets[block / a.shape.splits];
      if (++ticket < static_cast<unsigned>(a.shape.splits)) return;
      ticket = 0;
      each(
          [&](auto const& p) { Thread::put(shared, a.shape, p, Thread::accumulate_splits(a, p)); });
      fold_block<Thread>(shared, a.shape, each);
    }
    each([&](auto const& p) { Thread::put_results(a, Thread::get(shared, a.shape, p), p, store); });
  });
}

}  // namespace kroton::cuda
