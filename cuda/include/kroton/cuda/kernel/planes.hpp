// Elements of planes: where they stand, and those that positions in their plane name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/indexed.hpp>

namespace kroton::cuda {

/// An element's plane, and its indices on three axes, of which the first ones may be trivial.
struct plane_place {
  std::int64_t plane, at[3];

  KROTON_HOST_DEVICE KROTON_INLINE plane_place(std::int64_t number, std::int64_t depth,
                                               std::int64_t rows, std::int64_t columns) {
    std::int64_t const row = quotient(number, columns), layer = quotient(row, rows);
    plane = quotient(layer, depth);
    at[0] = layer - plane * depth;
    at[1] = row - layer * rows;
    at[2] = number - row * columns;
  }
};

/// Whole planes, and positions in them, which are counted in row-major order. All are contiguous.
struct positions_arguments {
  std::byte* whole = nullptr;
  std::byte* part = nullptr;
  std::int64_t const* positions = nullptr;
  std::int64_t count = 0, of_part = 1, of_whole = 1;  // all of the part; those of a plane
  bool operator==(positions_arguments const&) const = default;
};
/// Element: what becomes of the element of the whole and that of the part. (taken_element)
template <class Element>
struct positions_thread {
  using arguments = positions_arguments;
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step)
      Element::run(a.whole, quotient(i, a.of_part) * a.of_whole + a.positions[i], a.part, i);
  }
};

/// Raises a number that other threads may raise at the same time.
KROTON_HOST_DEVICE KROTON_INLINE void raise_atomically(unsigned long long* to,
                                                       unsigned long long value) {
#if defined(__CUDA_ARCH__)
  atomicMax(to, value);
#else
  if (*to < value) *to = value;
#endif
}
/// Sums in an order that does not depend on the threads, in two launches. For each element of the
/// whole, all zero before: how many positions name it, and how far the first of them stands before
/// the end of its plane.
struct ordered_arguments : positions_arguments {
  unsigned long long* firsts = nullptr;
  unsigned* counts = nullptr;

  KROTON_HOST_DEVICE KROTON_INLINE std::int64_t named(std::int64_t plane, std::int64_t i) const {
    return plane * of_whole + positions[i];
  }
  KROTON_HOST_DEVICE KROTON_INLINE unsigned long long left(std::int64_t plane,
                                                           std::int64_t i) const {
    return static_cast<unsigned long long>((plane + 1) * of_part - i);
  }
  bool operator==(ordered_arguments const&) const = default;
};
struct marking_thread {
  using arguments = ordered_arguments;
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      std::int64_t const plane = quotient(i, a.of_part), at = a.named(plane, i);
      raise_atomically(a.firsts + at, a.left(plane, i));
      add_atomically(a.counts + at, 1u);
    }
  }
};
/// The first of equal positions looks for the others.
template <class T>
struct ordered_sum_thread {
  using arguments = ordered_arguments;
  KROTON_HOST_DEVICE static KROTON_INLINE void run(arguments const& a, thread_range r) {
    T const* const part = reinterpret_cast<T const*>(a.part);
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      std::int64_t const plane = quotient(i, a.of_part), at = a.named(plane, i);
      if (a.firsts[at] != a.left(plane, i)) continue;
      T sum = part[i];
      std::int64_t j = i;
      for (unsigned others = a.counts[at] - 1; others > 0; --others) {
        do ++j;
        while (a.positions[j] != a.positions[i]);
        sum += part[j];
      }
      reinterpret_cast<T*>(a.whole)[at] = sum;
    }
  }
};

}  // namespace kroton::cuda
