// The first element of a slice that is better than all others, as blocks of threads find it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/block.hpp>
#include <kroton/cuda/kernel/group.hpp>
#include <kroton/ops/along_axes/reduction.hpp>

#include <limits>

namespace kroton::cuda {

/// What is searched, what it is compared with, and where the answer goes, over the axes that the
/// answer has and over those along which is searched.
struct search_arguments {
  space_over<3> kept, reduced;
  reduction_shape shape;
  bool operator==(search_arguments const&) const = default;
};

/// The position of the largest, or the smallest, element; of a NaN where there is one.
template <class T, class Extreme>
struct extremum_search {
  using key = T;
  KROTON_HOST_DEVICE static KROTON_INLINE key of(std::byte* const* data, std::int64_t const* at) {
    return reinterpret_cast<T const*>(data[0])[at[0]];
  }
  KROTON_HOST_DEVICE static KROTON_INLINE bool is_better(key a, key b) {
    if (a != a || b != b) return a != a && b == b;
    if constexpr (std::is_same_v<Extreme, op::max>) return a > b;
    else return a < b;
  }
  KROTON_HOST_DEVICE static KROTON_INLINE void answer(std::byte* const* data,
                                                      std::int64_t const* at, std::int64_t found) {
    reinterpret_cast<std::int64_t*>(data[2])[at[2]] = found;
  }
  static constexpr bool answers_in_slice = false;
};
/// The element that equals the slice's extremum, or is nearest to it, is marked.
template <class T>
struct equal_search {
  using key = double;
  KROTON_HOST_DEVICE static KROTON_INLINE key of(std::byte* const* data, std::int64_t const* at) {
    T const x = reinterpret_cast<T const*>(data[0])[at[0]];
    T const m = reinterpret_cast<T const*>(data[1])[at[1]];
    if (x == m || (x != x && m != m)) return 0;
    double const distance = static_cast<double>(x) - static_cast<double>(m);
    if (distance != distance) return std::numeric_limits<double>::infinity();
    return distance < 0 ? -distance : distance;
  }
  KROTON_HOST_DEVICE static KROTON_INLINE bool is_better(key a, key b) { return a < b; }
  KROTON_HOST_DEVICE static KROTON_INLINE void answer(std::byte* const* data,
                                                      std::int64_t const* at, std::int64_t) {
    reinterpret_cast<bool*>(data[2])[at[2]] = true;
  }
  static constexpr bool answers_in_slice = true;
};

/// What one thread of a block does; see reduction_thread.
template <class Search>
struct search_thread {
  using arguments = search_arguments;
  using arrays = std::make_index_sequence<3>;
  struct candidate {
    typename Search::key key;
    std::int64_t position;  // -1 for none
  };

  KROTON_HOST_DEVICE static KROTON_INLINE candidate better(candidate const& a, candidate const& b) {
    if (a.position < 0 || b.position < 0) return a.position < 0 ? b : a;
    if (Search::is_better(a.key, b.key)) return a;
    if (Search::is_better(b.key, a.key)) return b;
    return a.position < b.position ? a : b;
  }
  KROTON_HOST_DEVICE static KROTON_INLINE candidate look(arguments const& a, block_place const& p) {
    candidate best{{}, -1};
    if (!p.is_inside) return best;
    std::int64_t base[3]{};
    add_position(a.kept, p.kept, base, arrays{});
    for (std::int64_t i = p.depth; i < a.shape.reduced; i += a.shape.depth) {
      std::int64_t at[3] = {base[0], base[1], base[2]};
      add_position(a.reduced, i, at, arrays{});
      best = better(best, {Search::of(a.kept.data, at), i});
    }
    return best;
  }
  KROTON_HOST_DEVICE static KROTON_INLINE void put(candidate* shared, reduction_shape const& s,
                                                   block_place const& p, candidate const& found) {
    shared[cell_of(s, p.lane, p.depth)] = found;
  }
  KROTON_HOST_DEVICE static KROTON_INLINE void fold(candidate* shared, reduction_shape const& s,
                                                    block_place const& p, int half) {
    if (p.depth >= half) return;
    candidate& own = shared[cell_of(s, p.lane, p.depth)];
    own = better(own, shared[cell_of(s, p.lane, p.depth + half)]);
  }
  KROTON_HOST_DEVICE static KROTON_INLINE void put_result(arguments const& a,
                                                          candidate const* shared,
                                                          block_place const& p) {
    if (p.depth > 0 || !p.is_inside) return;
    std::int64_t const found = shared[cell_of(a.shape, p.lane, 0)].position;
    if (found < 0) return;
    std::int64_t at[3]{};
    add_position(a.kept, p.kept, at, arrays{});
    if constexpr (Search::answers_in_slice) add_position(a.reduced, found, at, arrays{});
    Search::answer(a.kept.data, at, found);
  }
};

/// Walks the blocks of a search on the host.
template <class Thread>
void walk_search(search_arguments const& a, typename Thread::candidate* shared) {
  walk_blocks(a.shape, [&](std::int64_t, auto const& each) {
    each([&](auto const& p) { Thread::put(shared, a.shape, p, Thread::look(a, p)); });
    fold_block<Thread>(shared, a.shape, each);
    each([&](auto const& p) { Thread::put_result(a, shared, p); });
  });
}

}  // namespace kroton::cuda
