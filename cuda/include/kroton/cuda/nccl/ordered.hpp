// Device code around reductions by NCCL: extrema in which NaN wins, and who has one first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/grid.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kroton::cuda {

/// Integers in the order of the numbers whose bits they have. NCCL's extrema of numbers may pass
/// over NaN, which is behind all others here: above them for a maximum, below for a minimum.
template <class T, bool Largest>
struct ordered {
  using integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  static constexpr integer most = std::numeric_limits<integer>::max();

  // Of what is negative, larger bits mean a smaller number. The same the other way round.
  static constexpr integer turned(integer bits) { return bits >= 0 ? bits : bits ^ most; }
  static constexpr integer key(T x) {
    if (x != x) return Largest ? most : std::numeric_limits<integer>::min();
    return turned(std::bit_cast<integer>(x));
  }
  static constexpr T number(integer key) { return std::bit_cast<T>(turned(key)); }
};

template <class From, class To>
struct converted_elements {
  From const* from = nullptr;
  To* to = nullptr;
  std::int64_t count = 0;
  bool operator==(converted_elements const&) const = default;
};
template <class T, bool Largest>
struct to_ordered_thread {
  using order = ordered<T, Largest>;
  using arguments = converted_elements<T, typename order::integer>;
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) a.to[i] = order::key(a.from[i]);
  }
};
template <class T, bool Largest>
struct from_ordered_thread {
  using order = ordered<T, Largest>;
  using arguments = converted_elements<typename order::integer, T>;
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) a.to[i] = order::number(a.from[i]);
  }
};

/// This rank where x is the extremum y, otherwise the number of ranks.
template <class T>
struct claim_thread {
  struct arguments {
    T const *x = nullptr, *y = nullptr;
    std::int32_t* to = nullptr;
    std::int32_t rank = 0, ranks = 1;
    std::int64_t count = 0;
    bool operator==(arguments const&) const = default;
  };
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step)
      a.to[i] = a.x[i] == a.y[i] || a.x[i] != a.x[i] ? a.rank : a.ranks;
  }
};
/// Whether this rank is the first that claims an element.
struct claimed_thread {
  struct arguments {
    std::int32_t const* first = nullptr;
    bool* to = nullptr;
    std::int32_t rank = 0;
    std::int64_t count = 0;
    bool operator==(arguments const&) const = default;
  };
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) a.to[i] = a.first[i] == a.rank;
  }
};

}  // namespace kroton::cuda
