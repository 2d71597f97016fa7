// Reductions of a fused group as blocks of threads compute them: the formula is evaluated on the
// way, and nothing of it is stored.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/reduced_group.hpp>

namespace kroton::cuda {

/// How the value of a sum that has ended is stored.
struct store_value {
  template <class T, class Sum>
  KROTON_HOST_DEVICE KROTON_INLINE void operator()(T* to, Sum sum) const {
    *to = static_cast<T>(sum);
  }
  bool operator==(store_value const&) const = default;
};

/// What one thread of a block does: it accumulates its elements, then half of the threads combine
/// what the others have, again and again. Threads meet between these parts; each order is fixed by
/// the shape, so that a result has the same bits each time.
template <class Expression, long long Axes, int First, bool Stores, class Arrays, class Outputs>
struct reduction_thread;
template <class Expression, long long Axes, int First, bool Stores, std::size_t... K,
          std::size_t... W>
struct reduction_thread<Expression, Axes, First, Stores, std::index_sequence<K...>,
                        std::index_sequence<W...>>
    : reduced_group<Expression, Axes, First, Stores, std::index_sequence<K...>,
                    std::index_sequence<W...>> {
  using base = reduced_group<Expression, Axes, First, Stores, std::index_sequence<K...>,
                             std::index_sequence<W...>>;
  using typename base::arguments;
  using typename base::expand;
  using typename base::outputs;
  using typename base::rows;
  using typename base::sums;
  template <std::size_t Number>
  using sum_t = typename base::template sum_t<Number>;
  template <std::size_t Number>
  static constexpr int position = base::template position<Number>;

  static constexpr int bytes_of_cell = 8;
  static_assert(((sizeof(sum_t<W>) <= bytes_of_cell) && ...));
  /// The bytes of the memory of a block of so many threads, or of so many partial results.
  static constexpr std::int64_t bytes_for(std::int64_t count) {
    return static_cast<std::int64_t>(sizeof...(W)) * count * bytes_of_cell;
  }

  /// What a thread finds in the results of the splits of its tile.
  KROTON_HOST_DEVICE static KROTON_INLINE sums accumulate_splits(arguments const& a,
                                                                 block_place const& p) {
    sums found = base::start();
    if (!p.is_inside) return found;
    for (int split = p.depth; split < a.shape.splits; split += a.shape.depth)
      found = base::both(found, sums{*partial<W>(a, split, p.kept)...});
    return found;
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
    if (p.depth < half) put(shared, s, p, base::both(get(shared, s, p), get(shared, s, p, half)));
  }
  /// The first thread of each lane stores what a split found.
  KROTON_HOST_DEVICE static KROTON_INLINE void put_partial(arguments const& a, sums const& found,
                                                           block_place const& p) {
    if (p.depth > 0 || !p.is_inside) return;
    (void)expand{0, (*partial<W>(a, p.split, p.kept) = std::get<W>(found), 0)...};
  }
  /// The first thread of each lane stores the results.
  template <class Store>
  KROTON_HOST_DEVICE static KROTON_INLINE void put_results(rows const& r, sums const& found,
                                                           block_place const& p,
                                                           Store const& store) {
    if (p.depth > 0 || !p.is_inside) return;
    (void)expand{0, (store(reinterpret_cast<typename outputs::template value<position<W>>*>(
                               r.at[outputs::operands + position<W>]),
                           std::get<W>(found)),
                     0)...};
  }

 private:
  template <std::size_t Number>
  KROTON_HOST_DEVICE static KROTON_INLINE sum_t<Number>* cell(std::byte* shared,
                                                              reduction_shape const& s, int lane,
                                                              int depth) {
    return at_cell<Number>(shared, std::int64_t{s.lanes} * s.depth, cell_of(s, lane, depth));
  }
  template <std::size_t Number>
  KROTON_HOST_DEVICE static KROTON_INLINE sum_t<Number>* partial(arguments const& a, int split,
                                                                 std::int64_t kept) {
    std::int64_t const all = a.shape.kept * a.shape.unit;
    return at_cell<Number>(a.partial, a.shape.splits * all, split * all + kept);
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
template <class Thread, taking How, class Store>
void walk_reduction(typename Thread::arguments const& a, std::byte* shared, Store const& store) {
  constexpr int unit = Thread::template unit<How>;
  // Each of the kept elements that threads take together, one after the other.
  auto const fold_each = [&](auto const& each, auto const& find, auto const& end) {
    for (int e = 0; e < unit; ++e) {
      each([&](auto const& p) { Thread::put(shared, a.shape, p, find(p, e)); });
      fold_block<Thread>(shared, a.shape, each);
      each([&](auto const& p) { end(Thread::get(shared, a.shape, p), place_of_unit(p, unit, e)); });
    }
  };
  auto const store_results = [&](auto const& found, auto const& p) {
    if (p.is_inside) Thread::put_results(Thread::rows_at(a, a.kept.data, p.kept), found, p, store);
  };
  auto const accumulated = [&](auto const& p, int e) {
    typename Thread::sums found[unit];
    Thread::template accumulate<How>(found, a, a.kept.data,
                                     Thread::rows_at(a, a.kept.data, p.kept * unit), p);
    return found[e];
  };
  walk_blocks(a.shape, [&](std::int64_t block, auto const& each) {
    if (a.shape.splits == 1) return fold_each(each, accumulated, store_results);
    fold_each(each, accumulated,
              [&](auto const& found, auto const& p) { Thread::put_partial(a, found, p); });
    unsigned& ticket = a.tickets[block / a.shape.splits];
    if (++ticket < static_cast<unsigned>(a.shape.splits)) return;
    ticket = 0;
    fold_each(
        each,
        [&](auto const& p, int e) {
          return Thread::accumulate_splits(a, place_of_unit(p, unit, e));
        },
        store_results);
  });
}

}  // namespace kroton::cuda
