// Elements that indices name: taken, or added to, by a grid of threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/copy.hpp>
#include <kroton/ops/elementwise/wrapping.hpp>

#include <type_traits>

namespace kroton::cuda {

/// Adds to an element that other threads may add to at the same time. The order is theirs: sums of
/// floats may differ in their last bits from one call to the next.
template <class T>
KROTON_HOST_DEVICE KROTON_INLINE void add_atomically(T* to, T value) {
#if defined(__CUDA_ARCH__)
  // Two's complement: the sum of the bits is the bits of the sum.
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
  else if constexpr (std::is_integral_v<T>)
    atomicAdd(reinterpret_cast<unsigned*>(to), static_cast<unsigned>(value));
  else atomicAdd(to, value);
#else
  *to = ops::plus(*to, value);
#endif
}
/// Whether a device adds such elements atomically.
template <class T>
inline constexpr bool is_added_atomically = std::is_arithmetic_v<T> && sizeof(T) >= 4;

/// Arrays over the axes of the part that is selected: the base, which the indices move along axes
/// of their own; the elements that are taken from or added to it; the indices.
template <int Indices>
struct indexed_arguments {
  space_over<2 + Indices> space;
  std::int64_t count = 0;
  std::int64_t extents[Indices + 1]{},
      strides[Indices + 1]{};  // of the base, along the axes of the indices
  unsigned* fault = nullptr;   // set by an index that is out of range

  indexed_arguments() {
    space.operands = space.count = 2 + Indices;
    space.results = 0;
  }
  bool operator==(indexed_arguments const&) const = default;
};

template <int Bytes>
struct taken_element {
  KROTON_HOST_DEVICE static KROTON_INLINE void run(std::byte* base, std::int64_t at,
                                                   std::byte* part, std::int64_t own) {
    using element = raw_element<Bytes>;
    reinterpret_cast<element*>(part)[own] = reinterpret_cast<element const*>(base)[at];
  }
};
template <class T>
struct added_element {
  KROTON_HOST_DEVICE static KROTON_INLINE void run(std::byte* base, std::int64_t at,
                                                   std::byte* part, std::int64_t own) {
    add_atomically(reinterpret_cast<T*>(base) + at, reinterpret_cast<T const*>(part)[own]);
  }
};

template <class Element, class K>
struct indexed_elements;
template <class Element, std::size_t... K>
struct indexed_elements<Element, std::index_sequence<K...>> {
  using arguments = indexed_arguments<static_cast<int>(sizeof...(K))>;

  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      std::int64_t at[2 + sizeof...(K)]{};
      add_position(a.space, i, at, std::make_index_sequence<2 + sizeof...(K)>{});
      std::int64_t base = at[0];
      bool is_inside = true;
      using expand = bool[];
      (void)expand{true, (is_inside = move<K>(a, at, base) && is_inside)...};
      if (is_inside) Element::run(a.space.data[0], base, a.space.data[1], at[1]);
      else *a.fault = 1;
    }
  }

 private:
  template <std::size_t Number>
  KROTON_HOST_DEVICE static KROTON_INLINE bool move(arguments const& a, std::int64_t const* at,
                                                    std::int64_t& base) {
    std::int64_t const index =
        reinterpret_cast<std::int64_t const*>(a.space.data[2 + Number])[at[2 + Number]];
    std::int64_t const extent = a.extents[Number];
    base += (index < 0 ? index + extent : index) * a.strides[Number];
    return index >= -extent && index < extent;
  }
};
template <class Element, int Indices>
using indexed_thread =
    indexed_elements<Element, std::make_index_sequence<static_cast<std::size_t>(Indices)>>;

/// The numbers 0, 1, 2 ...
struct counting_thread {
  struct arguments {
    std::int64_t* to = nullptr;
    std::int64_t count = 0;
    bool operator==(arguments const&) const = default;
  };
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) a.to[i] = i;
  }
};

}  // namespace kroton::cuda
