// Elements and rows that vectors of indices select, in a direct call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/arrays.hpp>
#include <kroton/ops/indexing.hpp>

#include <cstring>

namespace kroton::cpu {

/// Steps that take elements of a vector or a matrix, or rows of a matrix.
template <class Program>
class direct_takes {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  template <int S>
  static constexpr int count = tables::step(S).operand_count - 1;

 public:
  template <int S>
  static constexpr bool takes() {
    if constexpr (tables::step(S).kind != step_kind::own) return false;
    else if constexpr (!std::is_same_v<op_at<Program::value.ops[tables::step(S).op]>, op::take>)
      return false;
    else {
      int const x = tables::operand(S, 0), rank = tables::value(x).rank,
                vectors = rank - count<S> + 1;
      bool fits = tables::attribute(S, 0) == (1 << count<S>) - 1 && tables::attribute(S, 1) == 0 &&
                  rank >= 1 && rank <= 2 && tables::value(tables::result(S, 0)).rank == vectors;
      for (int k = 1; k <= count<S>; ++k)
        fits = fits && tables::value(tables::operand(S, k)).rank <= 1;
      return fits && (vectors == 1 || tables::last_stride(x) == 1);
    }
  }
  /// False, with nothing done, where an index is out of range.
  template <int S>
  static KROTON_INLINE bool take(state& s) {
    return take<S>(s, std::make_integer_sequence<int, count<S>>{});
  }

 private:
  template <int S, int... K>
  static KROTON_INLINE bool take(state& s, std::integer_sequence<int, K...>) {
    constexpr int x = tables::operand(S, 0), to = tables::result(S, 0);
    constexpr auto each = static_cast<std::ptrdiff_t>(bytes_of(tables::value(x).type));
    std::ptrdiff_t const n = s.template extent<tables::value(to).extents[0]>();
    std::int64_t const* const index[]{reinterpret_cast<std::int64_t const*>(
        s.template address<tables::operand(S, 1 + K)>())...};
    std::ptrdiff_t const step[]{step_of_index<tables::operand(S, 1 + K)>(s)...},
        extent[]{s.template extent<tables::value(x).extents[K]>()...},
        stride[]{s.template stride<x, K>()...};
    std::uint64_t outside = 0;  // negative where one is, see are_inside
    for (std::ptrdiff_t j = 0; j < n; ++j)
      ((outside |= differences(index[K][j * step[K]], extent[K])), ...);
    if (static_cast<std::int64_t>(outside) < 0) return false;
    std::byte const* const from = s.template address<x>();
    std::byte* const out = s.template address<to>();
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      std::ptrdiff_t at = 0;
      ((at += wrapped(index[K][j * step[K]], extent[K]) * stride[K]), ...);
      if constexpr (tables::value(to).rank == 1) {
        std::memcpy(out + j * each, from + at * each, static_cast<std::size_t>(each));
      } else {
        std::ptrdiff_t const row = s.template extent<tables::value(to).extents[1]>() * each;
        std::memcpy(out + j * row, from + at * each, static_cast<std::size_t>(row));
      }
    }
    return true;
  }
  template <int V>
  static KROTON_INLINE std::ptrdiff_t step_of_index([[maybe_unused]] state const& s) {
    if constexpr (tables::value(V).rank == 0 || tables::is_one(tables::value(V).extents[0]))
      return 0;
    else return s.template stride<V, 0>();
  }
  static KROTON_INLINE std::uint64_t differences(std::int64_t index, std::ptrdiff_t extent) {
    auto const i = static_cast<std::uint64_t>(index), size = static_cast<std::uint64_t>(extent);
    return (i + size) | (size - 1 - i);
  }
  static KROTON_INLINE std::ptrdiff_t wrapped(std::int64_t index, std::ptrdiff_t extent) {
    return static_cast<std::ptrdiff_t>(index < 0 ? index + extent : index);
  }
};

}  // namespace kroton::cpu
