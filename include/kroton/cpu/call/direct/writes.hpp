// Parts of arrays in a direct call: where they lie, and writes to those of vectors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/arrays.hpp>
#include <kroton/cpu/call/direct/loop.hpp>

namespace kroton::cpu {

/// Whether an expression is one literal.
template <class Expression>
inline constexpr bool is_literal_alone = false;
template <class T, long long Value>
inline constexpr bool is_literal_alone<expression<literal<T, Value>>> = true;
template <class T, std::uint64_t Bits>
inline constexpr bool is_literal_alone<expression<kroton::literal_bits<T, Bits>>> = true;

/// Selections and writes to what they select.
template <class Program>
class direct_writes {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  using expand = int[];
  template <int V>
  using type_of = value_t<tables::value(V).type>;

 public:
  /// Where the part of value V begins that a step's attributes and its operands from number First
  /// on select, in bytes.
  template <int S, int V, int First>
  static KROTON_INLINE std::ptrdiff_t offset(state const& s) {
    return offset<S, V, First>(s, std::make_integer_sequence<int, tables::value(V).rank>{});
  }
  template <int S, int V, int First, int... D>
  static KROTON_INLINE std::ptrdiff_t offset(state const& s, std::integer_sequence<int, D...>) {
    return (std::ptrdiff_t{0} + ... + offset_along<S, V, First, D>(s)) *
           bytes_of(tables::value(V).type);
  }
  template <int S, int V, int First, int D>
  static KROTON_INLINE std::ptrdiff_t offset_along(state const& s) {
    if constexpr (tables::attribute(S, 2 * D) == 0) return 0;
    else
      return s.template extent<tables::value(V).extents[D]>() > 0
                 ? begin_along<S, First, D>(s) * s.template stride<V, D>()
                 : 0;
  }
  template <int S, int First, int D>
  static KROTON_INLINE std::ptrdiff_t begin_along([[maybe_unused]] state const& s) {
    if constexpr (tables::attribute(S, 2 * D) == 0) return 0;
    else
      return s.template integer<tables::operand(S, operand_of_axis(S, First, D))>();
  }
  /// Where what is joined behind others begins, in bytes.
  template <int S>
  static KROTON_INLINE std::ptrdiff_t offset_behind(state const& s) {
    constexpr int v = tables::operand(S, 0), axis = tables::attribute(S, 0);
    return rows_before<S>(s, std::make_integer_sequence<int, tables::step(S).space_rank>{}) *
           s.template stride<v, axis>() * bytes_of(tables::value(v).type);
  }
  template <int S, int... D>
  static KROTON_INLINE std::ptrdiff_t rows_before([[maybe_unused]] state const& s,
                                                  std::integer_sequence<int, D...>) {
    return (std::ptrdiff_t{0} + ... + s.template extent<tables::space(S, D)>());
  }
  static constexpr int operand_of_axis(int s, int first, int axis) {
    int next = first;
    for (int d = 0; d < axis; ++d) next += tables::attribute(s, 2 * d);
    return next;
  }

  /// A write; what it writes to is filled on the way where a literal did that, and the write before
  /// it is done with it where both add to one vector, as in the gradient of what neighbours have to
  /// do with each other.
  template <int S>
  static KROTON_INLINE void write_part(state& s) {
    constexpr int old = tables::operand(S, 0), v = tables::result(S, 0);
    using T = type_of<v>;
    T* const to = reinterpret_cast<T*>(s.template address<v>());
    std::ptrdiff_t const n = s.template size<v>();
    if constexpr (tables::is_written_in_place(S)) {
      write_around<S>(s, to, n, part<S>(s, n));
    } else if constexpr (next_write<S>() >= 0) {
      return;
    } else if constexpr (S > 0 && next_write<S - 1>() == S) {
      write_two<S>(to, n, part<S - 1>(s, n), part<S>(s, n));
    } else if constexpr (constexpr int maker = maker_of_old<S>(); maker >= 0) {
      write_filled<S>(to, n, filling<maker>(), part<S>(s, n));
    } else {
      T const* const from = reinterpret_cast<T const*>(s.template address<old>());
      if constexpr (tables::value(old).rank > 0 &&
                    tables::value(old).extents[0] == tables::value(v).extents[0]) {
        if (from != to) std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
      } else {
        fill(to, n, *from);
      }
      write<S>(to, part<S>(s, n));
    }
  }

  /// Whether a matrix lacks nothing but what lies around a part: rows of another one, or a number.
  template <int S>
  static constexpr bool writes_rim() {
    constexpr int old = tables::operand(S, 0), v = tables::result(S, 0);
    if (!tables::is_written_in_place(S) || tables::value(v).rank != 2) return false;
    if (tables::value(old).rank == 0) return true;
    if (tables::value(old).rank != 2 || tables::last_stride(old) != 1) return false;
    for (int d = 0; d < 2; ++d)
      if (tables::is_one(tables::value(old).extents[d]) !=
          tables::is_one(tables::value(v).extents[d]))
        return false;
    return true;
  }
  template <int S>
  static KROTON_INLINE void write_rim(state& s) {
    constexpr int old = tables::operand(S, 0), v = tables::result(S, 0),
                  part = tables::operand(S, 1);
    using T = type_of<v>;
    T* to = reinterpret_cast<T*>(s.template address<v>());
    T const* from = reinterpret_cast<T const*>(s.template address<old>());
    if (from == to) return;
    constexpr bool fills = tables::value(old).rank == 0;
    std::ptrdiff_t const to_next = s.template stride<v, 0>();
    std::ptrdiff_t next = 0;
    if constexpr (!fills) next = s.template stride<old, 0>();
    std::ptrdiff_t const rows = s.template extent<tables::value(v).extents[0]>(),
                         columns = s.template extent<tables::value(v).extents[1]>(),
                         height = s.template extent<tables::value(part).extents[0]>(),
                         width = s.template extent<tables::value(part).extents[1]>();
    std::ptrdiff_t const top = begin_along<S, 2, 0>(s), left = begin_along<S, 2, 1>(s);
    for (std::ptrdiff_t i = 0; i < rows; ++i, to += to_next, from += next)
      if (i < top || i >= top + height) {
        if constexpr (fills) fill(to, columns, *from);
        else std::memcpy(to, from, static_cast<std::size_t>(columns) * sizeof(T));
      } else {
        copy_few<!fills>(to, from, 0, left);
        copy_few<!fills>(to, from, left + width, columns);
      }
  }
  /// Without a call.
  template <bool Moves, class T>
  static KROTON_INLINE void copy_few(T* to, T const* from, std::ptrdiff_t i, std::ptrdiff_t end) {
    for (; i < end; ++i) {
      to[i] = from[Moves ? i : 0];
      __asm__("" : "+r"(i));
    }
  }

  /// Whether a loop does nothing but fill a vector with a number, for a write that does it too.
  template <int S>
  static constexpr bool is_left_to_write() {
    if constexpr (fills<S>())
      return tables::write_of(S) >= 0;
    else
      return false;
  }

 private:
  /// What a step adds or writes, and where: count elements from the begin-th on.
  template <int S>
  struct selected {
    type_of<tables::result(S, 0)> const* with;
    std::ptrdiff_t begin, count;
  };
  template <int S>
  static constexpr bool adds = tables::step(S).kind == step_kind::inc_subtensor;
  template <int S>
  static constexpr std::ptrdiff_t step = tables::attribute(S, 0) == 2 ? tables::attribute(S, 1) : 1;
  /// Whether what is written has an element for each one of the part.
  template <int S>
  static constexpr bool spans_part() {
    constexpr int added = tables::operand(S, 1);
    constexpr int rank = tables::value(added).rank;
    return rank > 1 || (rank == 1 && !tables::is_one(tables::value(added).extents[0]));
  }
  /// From element to element of what is written.
  template <int S>
  static constexpr std::ptrdiff_t stride =
      spans_part<S>() ? tables::last_stride(tables::operand(S, 1)) : 0;

  template <int S>
  static KROTON_INLINE selected<S> part(state& s, std::ptrdiff_t n) {
    constexpr int v = tables::result(S, 0);
    using T = type_of<v>;
    return {reinterpret_cast<T const*>(s.template address<tables::operand(S, 1)>()),
            offset<S, v, 2>(s) / static_cast<std::ptrdiff_t>(sizeof(T)),
            n == 0 ? 0 : part_size<S>(s, n)};
  }
  template <int S, class T>
  static KROTON_INLINE void write(T* to, selected<S> const& part) {
    for (std::ptrdiff_t i = 0; i < part.count; ++i) {
      T& at = to[part.begin + i * step<S>];
      at = adds<S> ? static_cast<T>(plus(at, part.with[i * stride<S>])) : part.with[i * stride<S>];
    }
  }
  /// What lies before and behind a part that has been computed where it lies.
  template <int S, class T>
  static KROTON_INLINE void write_around(state& s, T* to, std::ptrdiff_t n,
                                         selected<S> const& part) {
    constexpr int old = tables::operand(S, 0);
    std::ptrdiff_t const end = part.begin + part.count;
    auto const fill_around = [&](T every) {
      fill(to, part.begin, every);
      fill(to + end, n - end, every);
    };
    if constexpr (constexpr int maker = maker_of_old<S>(); maker >= 0) {
      fill_around(filling<maker>());
    } else {
      T const* const from = reinterpret_cast<T const*>(s.template address<old>());
      if constexpr (tables::value(old).rank == 0 ||
                    tables::value(old).extents[0] != tables::value(tables::result(S, 0)).extents[0])
        fill_around(*from);
      else if (from != to) {
        std::memcpy(to, from, static_cast<std::size_t>(part.begin) * sizeof(T));
        std::memcpy(to + end, from + end, static_cast<std::size_t>(n - end) * sizeof(T));
      }
    }
  }
  template <int S, class T>
  static KROTON_INLINE void write_filled(T* to, std::ptrdiff_t n, T every,
                                         selected<S> const& part) {
    if constexpr (step<S> == 1) {
      fill(to, part.begin, every);
      fill(to + part.begin + part.count, n - part.begin - part.count, every);
    } else {
      fill(to, n, every);
    }
    for (std::ptrdiff_t i = 0; i < part.count; ++i) {
      T const with = part.with[i * stride<S>];
      to[part.begin + i * step<S>] = adds<S> ? static_cast<T>(plus(every, with)) : with;
    }
  }
  /// Two ranges that lie over each other for the most part: no vector is stored to be read in other
  /// pieces at once.
  template <int S, class T>
  static KROTON_INLINE void write_two(T* to, std::ptrdiff_t n, selected<S - 1> const& first,
                                      selected<S> const& second) {
    constexpr T every = filling<maker_of_old<S - 1>()>();
    std::ptrdiff_t const low = first.begin > second.begin ? first.begin : second.begin;
    std::ptrdiff_t const ends[] = {first.begin + first.count, second.begin + second.count};
    std::ptrdiff_t const high = ends[0] < ends[1] ? ends[0] : ends[1];
    if (high - low < n / 2) {
      write_filled<S - 1>(to, n, every, first);
      write<S>(to, second);
      return;
    }
    auto one = [&](std::ptrdiff_t i) {
      T sum = every;
      if (i >= first.begin && i < ends[0])
        sum = static_cast<T>(plus(sum, first.with[(i - first.begin) * stride<S - 1>]));
      if (i >= second.begin && i < ends[1])
        sum = static_cast<T>(plus(sum, second.with[(i - second.begin) * stride<S>]));
      to[i] = sum;
    };
    for (std::ptrdiff_t i = 0; i < low; ++i) one(i);
    T const* const a = first.with + (low - first.begin) * stride<S - 1>;
    T const* const b = second.with + (low - second.begin) * stride<S>;
    for (std::ptrdiff_t i = 0; i < high - low; ++i)
      to[low + i] = static_cast<T>(plus(plus(every, a[i * stride<S - 1>]), b[i * stride<S>]));
    for (std::ptrdiff_t i = high; i < n; ++i) one(i);
  }
  /// The next step where it adds to what this one makes by adding to a vector that is filled, in
  /// place and both to ranges.
  template <int S>
  static constexpr int next_write() {
    if constexpr (S < 0 || S + 1 >= tables::step_count ||
                  tables::step(S).kind != step_kind::inc_subtensor)
      return -1;
    else if constexpr (tables::step(S + 1).kind != step_kind::inc_subtensor ||
                       !tables::writes_vector(S + 1) || maker_of_old<S>() < 0)
      return -1;
    else
      return tables::operand(S + 1, 0) == tables::result(S, 0) &&
                     tables::operand(S + 1, 1) != tables::result(S, 0) &&
                     lie_alike(tables::result(S, 0), tables::result(S + 1, 0)) && step<S> == 1 &&
                     step<S + 1> == 1
                 ? S + 1
                 : -1;
  }
  /// Whether two values have one place.
  static constexpr bool lie_alike(int a, int b) {
    int const x = tables::last_companion(a), y = tables::last_companion(b);
    return x == y || (tables::value(x).slot >= 0 && tables::value(x).slot == tables::value(y).slot);
  }
  /// The loop that fills the vector of which a part is written, if that is for nothing else.
  template <int S>
  static constexpr int maker_of_old() {
    if constexpr (constexpr int maker = tables::maker_of_old(S); maker >= 0)
      return fills<maker>() ? maker : -1;
    else
      return -1;
  }
  /// Whether a loop does nothing but fill a vector with a number.
  template <int S>
  static constexpr bool fills() {
    if constexpr (tables::step(S).operand_count == 0 && tables::step(S).result_count == 1)
      return is_literal_alone<typename direct_loop<Program, S>::G::type>;
    else
      return false;
  }
  template <int S>
  static constexpr auto filling() {
    return node_traits<typename direct_loop<Program, S>::G::template node<0>>::value;
  }
  /// Few elements are not worth a call.
  template <class T>
  static KROTON_INLINE void fill(T* to, std::ptrdiff_t n, T value) {
    if (n > 16) {
      std::fill_n(to, n, value);
      return;
    }
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      to[i] = value;
      __asm__("" : "+r"(i));  // or it is one again
    }
  }
  template <int S>
  static KROTON_INLINE std::ptrdiff_t part_size(state const& s, std::ptrdiff_t n) {
    constexpr int code = tables::attribute(S, 0), rank = tables::value(tables::result(S, 0)).rank;
    if constexpr (code == 2) {
      return s.template integer<tables::operand(S, 3)>();
    } else if constexpr (rank == 1) {
      return code == 1 ? 1 : n;
    } else {
      std::ptrdiff_t count = 1;
      for (int d = 0; d < rank; ++d)
        if (tables::attribute(S, 2 * d) == 0)
          count *= s.extents[tables::value(tables::result(S, 0)).extents[d]];
      return count;
    }
  }
};

}  // namespace kroton::cpu
