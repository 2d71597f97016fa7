// Arrays in a direct call: the caller's, which are dense or not taken, and those of a program as
// locals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/cpu/call/arrays/outputs.hpp>
#include <kroton/cpu/call/direct/tables.hpp>
#include <kroton/cpu/loop/lanes.hpp>

#include <array>
#include <utility>

namespace kroton::cpu {

template <class A>
KROTON_INLINE std::byte* data_of(A const& a) {
  using T = typename A::value_type;
  return reinterpret_cast<std::byte*>(const_cast<T*>(a.data() + a.data_offset()));
}

/// Reads where an array lies and its extents. False where it has another rank or gaps.
template <int Rank, class A>
KROTON_INLINE bool bind_dense(A const& a, std::byte*& data, std::ptrdiff_t* extents) {
  if constexpr (number_range<A>) {
    data = unknown_value(reinterpret_cast<std::byte*>(const_cast<element_t<A>*>(std::data(a))));
    extents[0] = static_cast<std::ptrdiff_t>(std::size(a));
    return true;
  } else {
    if constexpr (static_rank_of<A> != Rank)
      if (static_cast<int>(a.dimension()) != Rank) return false;
    data = data_of(a);
    for (int d = 0; d < Rank; ++d)
      extents[d] = static_cast<std::ptrdiff_t>(a.shape()[static_cast<std::size_t>(d)]);
    if constexpr (!is_row_major<A>()) {
      std::ptrdiff_t expected = 1;
      for (int d = Rank - 1; d >= 0; --d) {
        if (extents[d] != 1 &&
            static_cast<std::ptrdiff_t>(a.strides()[static_cast<std::size_t>(d)]) != expected)
          return false;
        expected *= extents[d];
      }
    }
    return true;
  }
}

/// Whether results of element type T can be computed in a target.
template <class Target, class T, int Rank>
constexpr bool can_be_computed_in() {
  if constexpr (!strided_expression<Target>)
    return false;
  else
    return std::is_same_v<typename Target::value_type, T> &&
           (static_rank_of<Target> == Rank || static_rank_of<Target> == -1);
}
template <class Target, class T, int Rank>
inline constexpr bool is_dense_target = can_be_computed_in<Target, T, Rank>();

/// Where the values of a program lie in slots that are part of the state of a call: where all of
/// them are small and their extents are numbers, so that the compiler keeps them in registers.
template <class Program>
struct known_slots {
  using tables = direct_tables<Program>;
  static constexpr int count = Program::places.slots;
  /// Where each slot begins, and how many bytes there are; 0 where it is not known.
  static constexpr auto begins = [] {
    std::array<long long, static_cast<std::size_t>(count) + 1> at{};
    for (int v = 0; v < tables::value_count; ++v) {
      if (tables::value(v).slot < 0) continue;
      long long const size = tables::known_size(v);
      long long& most = at[static_cast<std::size_t>(tables::value(v).slot)];
      if (size < 0 || size > machine::max_known_slot_bytes) return decltype(at){};
      long long const bytes = (size * bytes_of(tables::value(v).type) + 63) / 64 * 64;
      most = bytes > most ? bytes : most;
    }
    long long total = 0;
    for (long long& begin : at) total += std::exchange(begin, total);
    return total > machine::max_known_slot_bytes ? decltype(at){} : at;
  }();
  static constexpr long long bytes = begins[static_cast<std::size_t>(count)];
  static constexpr bool has(int v) { return bytes > 0 && tables::value(v).slot >= 0; }
  static constexpr std::ptrdiff_t begin(int v) {
    return begins[static_cast<std::size_t>(tables::value(v).slot)];
  }
};

/// The values of a program in a direct call. All indices are constants, so that the compiler keeps
/// them in registers.
template <class Program>
struct direct_state {
  using tables = direct_tables<Program>;
  scalar_values<tables::value_count + 1> scalars;
  std::byte* data[tables::value_count + 1];
  std::ptrdiff_t extents[tables::extent_count + 1];
  std::ptrdiff_t given[tables::parameter_count + 1][4];  // extents of parameters
  // What lies in slots, where the compiler knows how large they all are
  alignas(64) std::byte slots[static_cast<std::size_t>(known_slots<Program>::bytes) + 1];
  std::ptrdiff_t all_rows = -1;  // how many a band has of which it takes some at a time
  std::ptrdiff_t first_row = 0;  // the first one that it takes now
  // Totals of the rows so far
  alignas(16) std::byte gathered[Program::bands.size() > 0 ? tables::value_count : 1][16];

  template <int V>
  KROTON_INLINE auto& scalar() {
    return scalars.template at<tables::value(V).type>(V);
  }
  template <int E>
  KROTON_INLINE std::ptrdiff_t extent() const {
    if constexpr (constexpr long long known = tables::known_extent(E); known >= 0) return known;
    else return extents[E];
  }
  /// An extent as a number that is computed with: that of all rows, however many are current.
  template <int E>
  KROTON_INLINE std::ptrdiff_t whole_extent() const {
    if constexpr (tables::is_taken_in_parts(E))
      if (all_rows >= 0) return all_rows;
    return extent<E>();
  }
  /// A scalar int64, wherever it is.
  template <int V>
  KROTON_INLINE std::int64_t integer() const {
    constexpr value_info info = tables::value(V);
    if constexpr (info.where == storage::extent)
      return whole_extent<static_cast<int>(info.detail)>();
    else if constexpr (info.where == storage::literal)
      return info.detail;
    else if constexpr (info.where == storage::view)
      return *reinterpret_cast<std::int64_t const*>(data[V]);
    else
      return scalars.i64[V];
  }
  /// The address of a value that is computed or given.
  template <int V>
  KROTON_INLINE std::byte* address() {
    constexpr value_info info = tables::value(V);
    if constexpr (known_slots<Program>::has(V)) return slots + known_slots<Program>::begin(V);
    if constexpr (info.rank > 0 || info.where == storage::view) return data[V];
    if constexpr (info.where == storage::extent)
      scalars.i64[V] = whole_extent<static_cast<int>(info.detail)>();
    return reinterpret_cast<std::byte*>(&scalar<V>());
  }
  template <int V>
  KROTON_INLINE std::ptrdiff_t size() const {
    if constexpr (constexpr long long known = tables::known_size(V); known >= 0) {
      return known;
    } else {
      std::ptrdiff_t n = 1;
      for (int d = 0; d < tables::value(V).rank; ++d) n *= extents[tables::value(V).extents[d]];
      return n;
    }
  }
  /// The stride along an axis, in elements.
  template <int V, int D>
  KROTON_INLINE std::ptrdiff_t stride() const {
    constexpr value_info info = tables::value(V);
    if constexpr (constexpr long long known = tables::stride_of(V, D); known != unknown_stride) {
      return known;
    } else if constexpr (tables::lies_by_columns(V)) {
      return extent<info.extents[0]>();
    } else if constexpr (info.where != storage::view ||
                         tables::is_without_gaps(tables::step_of(V))) {
      std::ptrdiff_t n = 1;
      for (int d = D + 1; d < info.rank; ++d) n *= extents[info.extents[d]];
      return n;
    } else {
      constexpr int s = tables::step_of(V), axis = tables::axis_of_base(s, D);
      constexpr int scale = is_selection(tables::step(s).kind) ? tables::scale_of(s, axis) : 1;
      return stride<tables::operand(s, 0), axis>() * scale;
    }
  }
};

}  // namespace kroton::cpu
