// Fused loops: the body of a group over a row, in batches where its types allow it, with reductions inside.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/batch.hpp>
#include <kroton/cpu/reduce.hpp>
#include <kroton/cpu/row.hpp>

#include <type_traits>

namespace kroton::core {

/// What a loop does with a node that is an output. Named for the node alone, so that symbols stay short.
template <class Node, element E>
struct output_node {
  using traits = node_traits<Node>;
  using T = value_t<E>;
  using A = typename accumulation<Node, T>::type;
  static constexpr bool along_rows = accumulation<Node, T>::along_rows;

  static constexpr result_fact fact() { return accumulation<Node, T>::fact(); }

  template <class Sums>
  static KROTON_INLINE void start_part(Sums& sums, int k) {
    if constexpr (traits::is_reduction) sums.template start<typename traits::op_type>(k);
  }
  template <class Sums, class B>
  static KROTON_INLINE void accumulate(Sums& sums, int k, int chain, B const& value) {
    sums.template combine<typename traits::op_type>(k, chain, value);
  }
  /// Accumulates only some lanes.
  template <class Sums, class L>
  static KROTON_INLINE void accumulate(Sums& sums, int k, xsimd::batch<L> const& value, lane_window<L> const& lanes) {
    sums.template combine<typename traits::op_type>(k, 0, lanes.template of<typename traits::op_type>(value));
  }
  /// Stores or accumulates the batch of a node; `at` is the address of the result's part.
  template <class L, class Values, class Sums>
  static KROTON_INLINE void store(Values const& v, int id, Sums& sums, int k,
                                  std::byte* const* operands, std::byte* at, std::ptrdiff_t i, bool streams) {
    using B = xsimd::batch<L>;
    if constexpr (along_rows) {
      accumulate(sums, k, 0, v.v[id]);
    } else if constexpr (traits::is_reduction) {
      A* const to = reinterpret_cast<A*>(at) + i;
      if constexpr (std::is_same_v<A, L>) {
        traits::op_type::combine(B::load_unaligned(to), v.v[id]).store_unaligned(to);
      } else {
        alignas(64) L lanes[B::size];
        v.v[id].store_aligned(lanes);
        for (std::size_t j = 0; j < B::size; ++j) to[j] = traits::op_type::combine(to[j], static_cast<A>(lanes[j]));
      }
    } else {
      T* const to = reinterpret_cast<T*>(at) + i;
      if constexpr (traits::is_input && !std::is_same_v<T, L> && !std::is_same_v<T, bool>)
        batch_node<L, Node>::template copy_foreign<T>(v, id, operands, at + i * static_cast<std::ptrdiff_t>(sizeof(T)));  // an operand of another type is copied as it is
      else
        store_batch<L>(v, id, to, streams);
    }
  }
  /// Adds what a part of a row accumulated, in these lanes, to the result.
  template <class Sums, class L>
  static KROTON_INLINE void finish_part(Sums const& sums, int k, std::byte* at, lane_window<L> const& lanes) {
    if constexpr (along_rows) add(lanes.template of<typename traits::op_type>(sums.template total<typename traits::op_type>(k)), at);
  }
  template <class Sums>
  static KROTON_INLINE void finish_part(Sums const& sums, int k, std::byte* at) {
    add(sums.template total<typename traits::op_type>(k), at);
  }
  template <class B>
  static KROTON_INLINE void add(B const& batch, std::byte* at) {
    A* const to = reinterpret_cast<A*>(at);
    *to = traits::op_type::combine(*to, static_cast<A>(horizontal<typename traits::op_type>(batch)));
  }
  /// Adds what rows accumulated in these lanes to a batch of the result, or to so many elements of it.
  template <class L, class Sums>
  static KROTON_INLINE void finish_batch(Sums const& sums, int k, std::byte* at, lane_window<L> const& lanes) {
    using B = xsimd::batch<L>;
    B const total = lanes.template of<typename traits::op_type>(sums.template total<typename traits::op_type>(k));
    A* const to = reinterpret_cast<A*>(at);
    if constexpr (std::is_same_v<A, L>) {
      traits::op_type::combine(B::load_unaligned(to), total).store_unaligned(to);
    } else {
      using W = xsimd::batch<A>;
      W const low = widened<0>(total), high = widened<1>(total);
      traits::op_type::combine(W::load_unaligned(to), low).store_unaligned(to);
      traits::op_type::combine(W::load_unaligned(to + W::size), high).store_unaligned(to + W::size);
    }
  }
  template <class L, class Sums>
  static KROTON_INLINE void finish_elements(Sums const& sums, int k, std::byte* at, std::ptrdiff_t stride, std::ptrdiff_t n) {
    finish_elements<L>(sums.template total<typename traits::op_type>(k), reinterpret_cast<A*>(at), stride, n);
  }
  template <class L>
  static KROTON_INLINE void finish_elements(xsimd::batch<L> const& total, A* to, std::ptrdiff_t stride, std::ptrdiff_t n) {
    alignas(64) L lane[xsimd::batch<L>::size];
    total.store_aligned(lane);
    for (std::ptrdiff_t j = 0; j < n; ++j) to[j * stride] = traits::op_type::combine(to[j * stride], static_cast<A>(lane[j]));
  }
  // Without batches: what a part of a row accumulates lies in `sum`, that is, in a register.
  static KROTON_INLINE void start_element(std::byte* sum) {
    if constexpr (along_rows) *reinterpret_cast<A*>(sum) = traits::op_type::template start<A>();
  }
  template <class Values>
  static KROTON_INLINE void store_element(Values& v, int id, std::byte* at, std::ptrdiff_t i, std::byte* sum) {
    A* const to = along_rows ? reinterpret_cast<A*>(sum) : reinterpret_cast<A*>(at) + i;
    T const value = v.template at<E>(id);
    if constexpr (traits::is_reduction) *to = traits::op_type::combine(*to, static_cast<A>(value));
    else *to = value;
  }
  static KROTON_INLINE void finish_element(std::byte const* sum, std::byte* at) {
    if constexpr (along_rows) {
      A* const to = reinterpret_cast<A*>(at);
      *to = traits::op_type::combine(*to, *reinterpret_cast<A const*>(sum));
    }
  }
};

template <class Node>
inline constexpr bool is_costly = false;
template <class Op, int... In>
  requires requires { Op::is_cheap; }
inline constexpr bool is_costly<apply<Op, In...>> = !Op::is_cheap;
template <class Expression>
inline constexpr int costly_nodes = 0;
template <class... N>
inline constexpr int costly_nodes<expression<N...>> = (0 + ... + (is_costly<N> ? 1 : 0));

/// Runs one group over a space. `rows` and the table of facts are all that is named for the whole expression, since each such
/// symbol costs the compiler the square of its length; nothing that is instantiated for each node may be.
template <class Expression, class Outputs>
struct loop_kernel;
template <class Expression, int... O>
struct loop_kernel<Expression, std::integer_sequence<int, O...>> {
  using G = group<Expression>;
  using lane = typename decltype(lane_type<Expression>())::type;
  using lane_or_double = std::conditional_t<std::is_void_v<lane>, double, lane>;
  static constexpr int size = G::all;
  using space = loop_space<G::operands, static_cast<int>(sizeof...(O))>;
  using body = loop_body<&G::elements, Expression, std::make_integer_sequence<int, size>>;
  template <int Node>
  using output = output_node<typename G::template node<Node>, G::elements[static_cast<std::size_t>(Node)]>;
  using expand = int[];

  static constexpr typename space::facts_type facts = [] {
    typename space::facts_type made;
    for (int i = 0; i < space::operands; ++i) made.spans_rows[i] = G::spans_rows[static_cast<std::size_t>(i)];
    made.costly = costly_nodes<Expression>;
    int k = 0;
    (void)expand{0, (made.result[k++] = output<O>::fact(), 0)...};
    return made;
  }();

  static void run(space& s) { run_space(s, facts, &rows); }

 private:
  static constexpr bool has_masks = G::has(element::boolean);
  static constexpr bool has_foreign = [] {
    for (int i = 0; i < G::size; ++i)
      if (element const e = G::elements[static_cast<std::size_t>(i)]; e != element::boolean && e != element_of<lane_or_double>())
        return true;
    return false;
  }();

  // Loops in which little is computed are written out for four batches.
  static constexpr bool is_short = costly_nodes<Expression> == 0 && size <= 8 && sizeof...(O) <= 2;
  using values = batch_values<lane_or_double, size, has_masks ? size : 1, has_foreign ? size : 1>;
  static constexpr std::ptrdiff_t width = xsimd::batch<lane_or_double>::size;

  static void rows(space const& s, std::byte* const* first, std::ptrdiff_t count) {
    if constexpr (std::is_void_v<lane>) {
      rows_of_elements(s, first, count);
    } else if constexpr ((output<O>::along_rows && ...)) {
      constexpr std::ptrdiff_t few = 16;  // elements cost less than a batch whose lanes are combined
      if constexpr (is_short)
        if (s.extents[s.rank - 1] <= few) return rows_of_elements(s, first, count);
      reduce_rows(s, first, count);
    } else if constexpr (((output<O>::fact().reduction && !output<O>::along_rows) && ...)) {
      reduce_columns(s, first, count);
    } else {
      values v;
      row_sums<lane, space::results, 1> sums;
      row_parts<space, static_cast<int>(width)> part(s, facts, first, count);
      while (part.next_row()) {
        std::byte* row[space::count];
        for (int k = 0; k < space::count; ++k) row[k] = part.row(k);
        body::template load_invariants<lane>(v, row);
        while (part.next()) {
          std::byte* p[space::count];  // a copy that does not escape, for registers
          for (int k = 0; k < space::count; ++k) p[k] = part.at(k);
          bool const streams = part.streams;
          int k = 0;
          (void)expand{0, (output<O>::start_part(sums, k++), 0)...};
          for (std::ptrdiff_t i = 0, n = part.size; i < n; i += width) {
            body::template batch<lane>(v, p, i);
            k = 0;
            (void)expand{0, (output<O>::template store<lane>(v, O, sums, k, p, p[G::operands + k], i, streams), ++k)...};
          }
          k = 0;
          (void)expand{0, (output<O>::finish_part(sums, k, p[G::operands + k], lane_window<lane>::first(part.lanes())), ++k)...};
        }
      }
    }
  }
  template <int Chain, class Sums>
  static KROTON_INLINE void accumulate(values& v, std::byte* const* p, std::ptrdiff_t i, Sums& sums) {
    body::template batch<lane_or_double>(v, p, i);
    int k = 0;
    (void)expand{0, (output<O>::accumulate(sums, k++, Chain, v.v[O]), 0)...};
  }
  /// Everything is reduced along rows. Their ends are batches that overlap the ones before, and of long rows the beginnings, too, so
  /// that loads between them are aligned.
  static void reduce_rows(space const& s, std::byte* const* first, std::ptrdiff_t count) {
    using window = lane_window<lane_or_double>;
    constexpr int chains = is_short ? 4 : 1;
    constexpr std::ptrdiff_t long_part = 64 * chains * width;  // what accumulates in the lane type without rounding much
    std::ptrdiff_t const n = s.extents[s.rank - 1];
    part_buffers<space, static_cast<int>(width)> buffers(s, facts);
    bool const in_place = buffers.dense && n >= width;
    std::ptrdiff_t const most = buffers.dense ? long_part : buffers.most;
    values v;
    row_sums<lane_or_double, space::results, chains> sums;
    std::byte* row[space::count];
    std::ptrdiff_t to_next[space::count], step[space::count];
    for (int k = 0; k < space::count; ++k) {
      row[k] = first[k];
      to_next[k] = s.rank > 1 ? s.strides[s.rank - 2][k] * s.bytes[k] : 0;
      step[k] = k < G::operands && facts.spans_rows[k] ? s.strides[s.rank - 1][k] * s.bytes[k] : 0;
    }
    for (; count > 0; --count) {
      body::template load_invariants<lane_or_double>(v, row);
      for (std::ptrdiff_t begin = 0, part; begin < n; begin += part) {
        part = n - begin < most ? n - begin : most;
        std::byte* p[space::count];
        for (int k = 0; k < space::count; ++k) p[k] = row[k] + begin * step[k];
        if (!in_place) buffers.fill(p, part);
        std::ptrdiff_t head = in_place && part >= 32 * width ? before_aligned(s, p) : 0;
        int k = 0;
        (void)expand{0, (output<O>::start_part(sums, k++), 0)...};
        for (std::ptrdiff_t i = 0;; head = 0) {
          if constexpr (is_short) {
            for (; head == 0 && i + 4 * width <= part; i += 4 * width) {
              accumulate<0>(v, p, i, sums);
              accumulate<1>(v, p, i + width, sums);
              accumulate<2>(v, p, i + 2 * width, sums);
              accumulate<3>(v, p, i + 3 * width, sums);
            }
          }
          if (i >= part) break;
          bool const begins = head != 0 || (!in_place && part < width);
          std::ptrdiff_t const at = begins ? 0 : i + width <= part ? i : part - width;
          window const lanes = begins ? window::first(head != 0 ? head : part) : window::from(i - at);
          body::template batch<lane_or_double>(v, p, at);
          k = 0;
          (void)expand{0, (output<O>::accumulate(sums, k++, v.v[O], lanes), 0)...};
          i += head != 0 ? head : width;
        }
        k = 0;
        (void)expand{0, (output<O>::finish_part(sums, k, p[G::operands + k]), ++k)...};
      }
      for (int k = 0; k < space::count; ++k) row[k] += to_next[k];
    }
  }
  /// How many elements stand before the first operand that spans rows is aligned.
  static std::ptrdiff_t before_aligned(space const& s, std::byte* const* p) {
    constexpr std::size_t batch_bytes = sizeof(xsimd::batch<lane_or_double>);
    for (int k = 0; k < G::operands; ++k) {
      if (!facts.spans_rows[k] || s.bytes[k] != sizeof(lane_or_double)) continue;
      std::size_t const beyond = reinterpret_cast<std::uintptr_t>(p[k]) % batch_bytes;
      return static_cast<std::ptrdiff_t>((batch_bytes - beyond) % batch_bytes / sizeof(lane_or_double));
    }
    return 0;
  }
  template <int Chain, class Sums>
  static KROTON_INLINE void accumulate_row(values& v, std::byte** of_row, std::ptrdiff_t const* step, std::ptrdiff_t i, Sums& sums) {
    body::template load_invariants<lane_or_double>(v, of_row);
    accumulate<Chain>(v, of_row, i, sums);
    for (int a = 0; a < G::operands; ++a) of_row[a] += step[a];
  }
  /// Everything is reduced along other axes: some rows accumulate in registers before they are added to the results.
  static void reduce_columns(space const& s, std::byte* const* first, std::ptrdiff_t count) {
    using window = lane_window<lane_or_double>;
    std::ptrdiff_t const n = s.extents[s.rank - 1];
    std::ptrdiff_t const* const strides = s.strides[s.rank - 1];
    part_buffers<space, static_cast<int>(width)> buffers(s, facts);
    bool in_place = buffers.dense && n >= width, together = s.rank > 1;
    std::ptrdiff_t step[space::count];
    std::byte* row[space::count];
    for (int k = 0; k < space::count; ++k) {
      step[k] = s.rank > 1 ? s.strides[s.rank - 2][k] * s.bytes[k] : 0;
      row[k] = first[k];
      if (k < G::operands) continue;
      in_place = in_place && strides[k] == 1;
      together = together && step[k] == 0;
    }
    // Few, so that the processor fetches ahead of all of them; many where they are short.
    std::ptrdiff_t const most = !together ? 1 : in_place && n > 32 * width ? 16 : 64;
    values v;
    row_sums<lane_or_double, space::results, is_short ? 2 : 1> sums;
    for (std::ptrdiff_t rows; count > 0; count -= rows) {
      rows = count < most ? count : most;
      for (std::ptrdiff_t j = 0; j < n; j += width) {
        std::ptrdiff_t const part = n - j < width ? n - j : width, at = in_place ? j + part - width : 0;
        int k = 0;
        (void)expand{0, (output<O>::start_part(sums, k++), 0)...};
        std::byte* of_row[space::count];
        for (int a = 0; a < space::count; ++a) of_row[a] = row[a];
        std::ptrdiff_t r = 0;
        if constexpr (is_short) {
          for (; in_place && r + 4 <= rows; r += 4) {
            accumulate_row<0>(v, of_row, step, at, sums);
            accumulate_row<1>(v, of_row, step, at, sums);
            accumulate_row<0>(v, of_row, step, at, sums);
            accumulate_row<1>(v, of_row, step, at, sums);
          }
        }
        for (; r < rows; ++r) {
          std::byte* p[space::count];
          for (int a = 0; a < space::count; ++a) p[a] = of_row[a];
          body::template load_invariants<lane_or_double>(v, p);
          if (!in_place) {
            for (int a = 0; a < G::operands; ++a) p[a] += facts.spans_rows[a] ? j * strides[a] * s.bytes[a] : 0;
            buffers.fill(p, part);
          }
          accumulate<0>(v, p, at, sums);
          for (int a = 0; a < G::operands; ++a) of_row[a] += step[a];
        }
        k = 0;
        if (in_place) (void)expand{0, (output<O>::finish_batch(sums, k, row[G::operands + k] + at * s.bytes[G::operands + k],
                                                              window::from(width - part)), ++k)...};
        else (void)expand{0, (output<O>::template finish_elements<lane_or_double>(
                                 sums, k, row[G::operands + k] + j * strides[G::operands + k] * s.bytes[G::operands + k],
                                 strides[G::operands + k], part), ++k)...};
      }
      for (int a = 0; a < space::count; ++a) row[a] += rows * step[a];
    }
  }
  static void rows_of_elements(space const& s, std::byte* const* first, std::ptrdiff_t count) {
    std::byte* at[static_cast<std::size_t>(space::count) + 1];
    for (int k = 0; k < space::count; ++k) at[k] = first[k];
    for (; count > 0; --count) {
      row_of_elements(s, at);
      for (int k = 0; k < space::count && s.rank > 1; ++k) at[k] += s.strides[s.rank - 2][k] * s.bytes[k];
    }
  }
  static KROTON_INLINE void row_of_elements(space const& s, std::byte* const* at) {
    std::ptrdiff_t const n = s.extents[s.rank - 1];
    std::ptrdiff_t const* const strides = s.strides[s.rank - 1];
    constexpr std::ptrdiff_t part = 256;  // what accumulates without rounding much
    alignas(16) std::byte sums[static_cast<std::size_t>(space::results) + 1][16];
    for (std::ptrdiff_t begin = 0; begin < n; begin += part) {
      int k = 0;
      (void)expand{0, (output<O>::start_element(sums[k++]), 0)...};
      for (std::ptrdiff_t i = begin, end = n - begin < part ? n : begin + part; i < end; ++i) {
        scalar_values<size> v;
        body::single(v, at, strides, i);
        k = 0;
        (void)expand{0, (output<O>::store_element(v, O, at[G::operands + k], i * strides[G::operands + k], sums[k]), ++k)...};
      }
      k = 0;
      (void)expand{0, (output<O>::finish_element(sums[k], at[G::operands + k]), ++k)...};
    }
  }
};

/// The kernel of a group.
template <class Expression>
using loop_of = loop_kernel<Expression, typename group<Expression>::outputs>;

}  // namespace kroton::core
