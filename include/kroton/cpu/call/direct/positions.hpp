// Where the largest and smallest elements stand, in a direct call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/arrays.hpp>
#include <kroton/cpu/op/sorting/positions.hpp>

namespace kroton::cpu {

/// What a step finds positions of, or void.
template <class Op>
struct found_extremum {
  using type = void;
};
template <>
struct found_extremum<op::argmax> {
  using type = op::max;
};
template <>
struct found_extremum<op::argmin> {
  using type = op::min;
};

/// Steps that find positions in a vector, or along an axis of a matrix.
template <class Program>
class direct_positions {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  template <int S>
  static constexpr auto extremum_of() {
    if constexpr (tables::step(S).kind == step_kind::own)
      return found_extremum<op_at<Program::value.ops[tables::step(S).op]>>{};
    else return found_extremum<void>{};
  }
  template <int S>
  using extremum = typename decltype(extremum_of<S>())::type;

 public:
  template <int S>
  static constexpr bool finds() {
    if constexpr (std::is_void_v<extremum<S>>) return false;
    else {
      constexpr value_info from = tables::value(tables::operand(S, 0));
      using T = value_t<from.type>;
      return from.rank <= 2 && std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
    }
  }
  template <int S>
  static KROTON_INLINE void find(state& s) {
    constexpr int v = tables::operand(S, 0), axis = tables::attribute(S, 0);
    constexpr value_info from = tables::value(v);
    using T = value_t<from.type>;
    T const* const x = reinterpret_cast<T const*>(s.template address<v>());
    auto* const out = reinterpret_cast<std::int64_t*>(s.template address<tables::result(S, 0)>());
    std::ptrdiff_t const along = s.template stride<v, axis>(),
                         n = s.template extent<from.extents[axis]>();
    if constexpr (from.rank == 1) {
      find_positions<extremum<S>>(x, along, n, 0, 1, out, 1);
    } else {
      constexpr int other = 1 - axis;
      constexpr long long lines = tables::known_extent(from.extents[other]);
      std::ptrdiff_t const across = s.template stride<v, other>();
      if constexpr (lines >= 0 && lines <= machine::max_written_elements)
        find_in_few<extremum<S>, static_cast<int>(lines)>(x, along, n, across, out);
      else
        find_positions<extremum<S>>(x, along, n, across,
                                    s.template extent<from.extents[other]>(), out, 1);
    }
  }

 private:
  /// In a known number of lines, in as few vectors as they fill.
  template <class Extreme, int Lines, class T>
  static KROTON_INLINE void find_in_few(T const* x, std::ptrdiff_t along, std::ptrdiff_t n,
                                        std::ptrdiff_t across, std::int64_t* out) {
    if constexpr (Lines > 0) {
      constexpr int width = lanes_of_next<T>(Lines);
      if constexpr (width == 1) *out = find_in_line<Extreme>(x, along, n);
      else find_in_lanes<Extreme, width, 1>(x, along, n, out, 1, across);
      find_in_few<Extreme, Lines - width>(x + width * across, along, n, across, out + width);
    }
  }
};

}  // namespace kroton::cpu
