// Fused loops: the body of a group over a row, in batches where its types allow it, with reductions
// inside.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/output.hpp>
#include <kroton/cpu/loop/reduce_both.hpp>
#include <kroton/cpu/loop/reduce_columns.hpp>
#include <kroton/cpu/loop/reduce_rows.hpp>
#include <kroton/cpu/loop/schedule.hpp>

#include <type_traits>

namespace kroton::cpu {

/// How many nodes do what takes more than an instruction or two.
template <class Expression>
inline constexpr int costly_nodes = group<Expression>::costly;

/// Runs one group over a space. `rows` and the table of facts are all that is named for the whole
/// expression, since each such symbol costs the compiler the square of its length; nothing that is
/// instantiated for each node may be.
template <class Expression, class Outputs>
struct loop_kernel;
template <class Expression, int... O>
struct loop_kernel<Expression, std::integer_sequence<int, O...>> {
  using G = group<Expression>;
  using lane = typename decltype(lane_type<Expression>())::type;
  using lane_or_double = std::conditional_t<std::is_void_v<lane>, double, lane>;
  static constexpr int size = G::all;
  static constexpr int operands = G::operands, results = static_cast<int>(sizeof...(O)),
                       count = operands + results;
  using space = loop_space<count>;
  using body = body_of<G>;
  template <int Node>
  using output =
      output_node<typename G::template node<Node>, G::elements[static_cast<std::size_t>(Node)]>;
  using expand = int[];
  static constexpr bool reduces_rows = (output<O>::along_rows && ...);
  static constexpr bool adds_rows =
      !std::is_void_v<lane> && ((output<O>::fact().reduction && !output<O>::along_rows) && ...);

  static constexpr bool reduces_both = !std::is_void_v<lane> && !reduces_rows && !adds_rows &&
                                       (output<O>::fact().reduction && ...);

  template <int Node>
  static constexpr bool is_extremum() {
    using traits = typename output<Node>::traits;
    if constexpr (traits::is_reduction)
      return is_extremum_of_floats<typename traits::op_type, lane_or_double>;
    else return false;
  }
  static constexpr bool only_extrema = adds_rows && (is_extremum<O>() && ...);

  static constexpr result_fact result_facts[static_cast<std::size_t>(results) + 1]{
      output<O>::fact()...};
  static constexpr bool widens = [] {
    for (result_fact const& fact : result_facts)
      if (fact.widened) return true;
    return false;
  }();
  static void run(space& s) {
    if constexpr (widens) run_space(s, facts, &rows);
    else run_rows(s, facts, &rows);
  }

  /// A group of scalars, which needs no space: its operands and results lie there.
  static void run_scalars(std::byte* const* at) {
    constexpr std::ptrdiff_t strides[static_cast<std::size_t>(count)]{};
    alignas(16) std::byte sums[static_cast<std::size_t>(results)][16];
    one_element(at, strides, 0, sums);
  }

  static constexpr bool has_floats = [] {
    for (element e : G::elements)
      if (is_continuous(e)) return true;
    return false;
  }();
  static constexpr bool has_masks = G::has(element::boolean);
  static constexpr bool has_foreign = [] {
    for (int i = 0; i < G::size; ++i)
      if (element const e = G::elements[static_cast<std::size_t>(i)];
          e != element::boolean && e != element_of<lane_or_double>())
        return true;
    return false;
  }();
  static constexpr bool reduces = (output<O>::fact().reduction || ...);
  // Loops in which little is computed are written out for four batches.
  static constexpr bool is_short = costly_nodes<Expression> == 0 &&
                                   size <= machine::max_short_nodes &&
                                   results <= machine::max_short_results;
  using values = batch_values<lane_or_double, size, has_masks ? size : 1, has_foreign ? size : 1>;
  using window = lane_window<lane_or_double>;
  static constexpr std::ptrdiff_t width = xsimd::batch<lane_or_double>::size;
  // Whether rows of a few batches are worth going without preparation, and whether a batch may
  // begin a row that is shorter.
  static constexpr bool takes_few_batches = is_short && !reduces && !std::is_void_v<lane>,
                        may_exceed = !has_foreign && !has_masks;
  static constexpr loop_facts facts{
      G::spans_rows.data(), result_facts, costly_nodes<Expression>,
      adds_rows || (!std::is_void_v<lane> && reduces_rows), reduces_both && is_short,
      takes_few_batches&& may_exceed ? width + width / 2 : machine::max_joined_row};

  // What the outputs do together.
  template <class Sums>
  static KROTON_INLINE void start(Sums& sums) {
    int k = 0;
    (void)expand{0, (output<O>::start_part(sums, k++), 0)...};
  }
  template <int Chain, class Sums>
  static KROTON_INLINE void accumulate(values& v, std::byte* const* p, std::ptrdiff_t i,
                                       Sums& sums) {
    body::template batch<lane_or_double>(v, p, i);
    int k = 0;
    (void)expand{0, (output<O>::accumulate(sums, k++, Chain, v.v[O]), 0)...};
  }
  /// Two batches, each in a chain of its own.
  template <int Chain, class Sums>
  static KROTON_INLINE void accumulate_two(values& v, std::byte* const* p, std::ptrdiff_t i,
                                           Sums& sums) {
    body::template batch<lane_or_double>(v, p, i);
    xsimd::batch<lane_or_double> const first[] = {v.v[O]...};
    body::template batch<lane_or_double>(v, p, i + width);
    int k = 0;
    (void)expand{0, (output<O>::accumulate_two(sums, k, Chain, first[k], v.v[O]), ++k)...};
  }
  /// A batch of one row and that of another one, each in a chain of its own.
  template <int Chain, class Sums>
  static KROTON_INLINE void accumulate_rows(values& v, std::byte* const* p, std::byte* const* other,
                                            std::ptrdiff_t i, Sums& sums) {
    body::template load_invariants<lane_or_double>(v, p);
    body::template batch<lane_or_double>(v, p, i);
    xsimd::batch<lane_or_double> const first[] = {v.v[O]...};
    body::template load_invariants<lane_or_double>(v, other);
    body::template batch<lane_or_double>(v, other, i);
    int k = 0;
    (void)expand{0, (output<O>::accumulate_two(sums, k, Chain, first[k], v.v[O]), ++k)...};
  }
  /// Only some lanes, unless the batch is `whole`: a branch, so that there is one copy of what is
  /// computed.
  template <class Sums>
  static KROTON_INLINE void accumulate(values& v, std::byte* const* p, std::ptrdiff_t i, Sums& sums,
                                       bool whole, window const& lanes) {
    body::template batch<lane_or_double>(v, p, i);
    int k = 0;
    if (whole) (void)expand{0, (output<O>::accumulate(sums, k++, 0, v.v[O]), 0)...};
    else (void)expand{0, (output<O>::accumulate(sums, k++, v.v[O], lanes), 0)...};
  }
  template <class Sums>
  static KROTON_INLINE void merge(Sums& sums, Sums const& others) {
    int k = 0;
    (void)expand{0, (output<O>::accumulate(sums, k, 0, others.batch[k][0]), ++k)...};
  }
  template <class Sums, class Chains>
  static KROTON_INLINE void gather_chains(Sums& sums, Chains const& chains) {
    int k = 0;
    (void)expand{0, (output<O>::gather_chains(sums, k, chains), ++k)...};
  }
  /// What accumulated along rows: so many batches of each result.
  using batches_of_rows = xsimd::batch<lane_or_double>[static_cast<std::size_t>(width)];
  template <class Sums>
  static KROTON_INLINE void keep_row(Sums const& sums, batches_of_rows* of, std::ptrdiff_t row) {
    int k = 0;
    (void)expand{0, (output<O>::along_rows ? void(of[k][row] = sums.batch[k][0]) : void(), ++k)...};
  }
  static KROTON_INLINE void store_rows(batches_of_rows const* of, std::byte* const* to,
                                       std::ptrdiff_t rows) {
    int k = 0;
    (void)expand{0, (output<O>::template store_rows<lane_or_double>(of[k], to[k], rows), ++k)...};
  }
  /// Writes the sums of a batch of columns.
  template <class Sums>
  static KROTON_INLINE void store_columns(Sums const& sums, std::byte* const* to) {
    int k = 0;
    (void)expand{0, (output<O>::store_columns(sums, k, to[k]), ++k)...};
  }
  /// Adds sums along a row to the results there.
  template <class Sums>
  static KROTON_INLINE void finish(Sums const& sums, std::byte* const* row, bool few) {
    int k = 0;
    (void)expand{0, (output<O>::finish_part(sums, k, row[operands + k], few), ++k)...};
  }
  template <class Sums>
  static KROTON_INLINE void gather_rows(Sums& sums,
                                        Sums const (&of_row)[static_cast<std::size_t>(width)]) {
    int k = 0;
    (void)expand{
        0, (output<O>::template gather_rows<Sums, lane_or_double>(sums, k, of_row), ++k)...};
  }
  /// Where sums over rows go. To be held in a copy that does not escape: a batch that is stored may
  /// lie anywhere, so that what others can see is read again behind it.
  struct sum_targets {
    std::byte* row[static_cast<std::size_t>(results) + 1];
    std::ptrdiff_t bytes[static_cast<std::size_t>(results) + 1];  // of an element
    bool adds_few, writes;

    sum_targets(space const& s, std::byte* const* rows, bool writes_sums)
        : adds_few(s.adds_few), writes(writes_sums) {
      for (int k = 0; k < results; ++k)
        row[k] = rows[operands + k], bytes[k] = s.bytes[operands + k];
    }
  };
  /// Adds sums over rows to a batch of the results from element `at` on, or to `part` elements of
  /// them, or writes them there.
  template <class Sums>
  static KROTON_INLINE void finish_batch(Sums const& sums, sum_targets const& to, std::ptrdiff_t at,
                                         window const& lanes) {
    int k = 0;
    (void)expand{0, (output<O>::finish_batch(sums, k, to.row[k] + at * to.bytes[k], lanes,
                                             to.adds_few, to.writes),
                     ++k)...};
  }
  template <class Sums>
  static KROTON_INLINE void finish_elements(Sums const& sums, space const& s, std::byte* const* row,
                                            std::ptrdiff_t at, std::ptrdiff_t part, bool writes) {
    std::ptrdiff_t const* const strides = s.strides[s.rank - 1] + operands;
    int k = 0;
    (void)expand{0, (output<O>::template finish_elements<lane_or_double>(
                         sums, k, row[operands + k] + at * strides[k] * s.bytes[operands + k],
                         strides[k], part, s.adds_few, writes),
                     ++k)...};
  }

  /// So many elements of dense rows, one by one. With -O2 g++ makes vectors only of loops of a
  /// known length in which it need not ask whether arrays overlap: what is written in place lies
  /// where it is read.
  static constexpr bool in_blocks =
      size <= machine::max_nodes_in_blocks && (costly_nodes<Expression> == 0 || !has_floats);
  static KROTON_INLINE void block_of_elements(std::byte* const* at, std::ptrdiff_t begin,
                                              std::byte (*sums)[16]) {
    KROTON_INDEPENDENT
    for (std::ptrdiff_t i = 0; i < machine::block; ++i)
      one_element(at, dense_strides.data(), begin + i, sums);
  }

 private:
  static constexpr auto dense_strides = [] {
    std::array<std::ptrdiff_t, static_cast<std::size_t>(count) + 1> made{};
    for (int k = 0; k < count; ++k)
      made[static_cast<std::size_t>(k)] =
          k >= operands || G::spans_rows[static_cast<std::size_t>(k)] ? 1 : 0;
    return made;
  }();
  static void rows(space const& s, std::byte* const* first, std::ptrdiff_t left) {
    if constexpr (std::is_void_v<lane>) {
      rows_of_elements(s, first, left);
    } else if constexpr (reduces_rows) {
      std::byte* row[static_cast<std::size_t>(count)];
      for (int k = 0; k < count; ++k) row[k] = first[k];
      if constexpr (is_short) {
        // Elements cost less than a batch whose lanes are combined
        left -= reduce_short_rows<loop_kernel>(s, row, left);
        if (s.extents[s.rank - 1] <= machine::max_elementwise_sum)
          return rows_of_elements(s, row, left);
      }
      reduce_rows<loop_kernel>(s, row, left);
    } else if constexpr (adds_rows) {
      column_reduction<loop_kernel>(s, first).run(left);
    } else {
      [[maybe_unused]] std::byte* rest[static_cast<std::size_t>(count)];
      if constexpr (reduces_both && is_short) {
        for (int k = 0; k < count; ++k) rest[k] = first[k];
        left -= rows_and_columns<loop_kernel>::reduce(s, rest, left);
        first = rest;
      }
      row_parts<operands, results, static_cast<int>(width)> part(s, facts, first, left, may_exceed);
      bool const is_narrow = s.extents[s.rank - 1] < width,
                 in_few = takes_few_batches && part.is_of_few_batches(may_exceed);
      if constexpr (takes_few_batches)
        if (in_few) {
          rows_of_few_batches(s, first, part.rows_within());
          part.skip(part.rows_within());
        }
      // Not the ends of longer rows: compilers contract products and sums of elements otherwise
      // than those of batches.
      if constexpr (is_short)
        if (is_narrow && !in_few && s.whole_rows) return rows_of_elements(s, first, left);
      values v;
      row_sums<lane, results> sums;
      while (part.next_row()) {
        std::byte* row[static_cast<std::size_t>(count)];
        for (int k = 0; k < count; ++k) row[k] = part.row(k);
        body::template load_invariants<lane>(v, row);
        while (part.next()) {
          // A copy that does not escape, for registers.
          std::byte* p[static_cast<std::size_t>(count)];
          for (int k = 0; k < count; ++k) p[k] = part.at(k);
          bool const streams = part.streams, exceeds = part.exceeds;
          window const lanes = window::first(part.lanes());
          start(sums);
          int k = 0;
          for (std::ptrdiff_t i = 0, n = part.size; i < n; i += width) {
            body::template batch<lane>(v, p, i);
            bool const whole = !exceeds || i + width <= n;
            k = 0;
            (void)expand{0, (output<O>::template store<lane>(v, O, sums, k, p, p[operands + k], i,
                                                             streams, whole, lanes),
                             ++k)...};
          }
          k = 0;
          (void)expand{0, (output<O>::finish_part(sums, k, p[operands + k],
                                                  exceeds ? window::all() : lanes),
                           ++k)...};
        }
      }
    }
  }
  /// Dense rows whose last batch overlaps the one before, or goes on in the next row.
  static void rows_of_few_batches(space const& s, std::byte* const* first, std::ptrdiff_t left) {
    std::ptrdiff_t const n = s.extents[s.rank - 1], last = n < width ? 0 : n - width;
    std::byte* at[static_cast<std::size_t>(count)];
    std::ptrdiff_t step[static_cast<std::size_t>(count)];
    for (int k = 0; k < count; ++k) {
      at[k] = first[k];
      step[k] = s.strides[s.rank - 2][k] * s.bytes[k];
    }
    values v;
    row_sums<lane, results> none;
    for (; left > 0; --left) {
      body::template load_invariants<lane>(v, at);
      for (std::ptrdiff_t i = 0;; i = i + width < last ? i + width : last) {
        body::template batch<lane>(v, at, i);
        int k = 0;
        (void)expand{
            0, (output<O>::template store<lane>(v, O, none, k, at, at[operands + k], i, false),
                ++k)...};
        if (i == last) break;
      }
      for (int k = 0; k < count; ++k) at[k] += step[k];
    }
  }
  static void rows_of_elements(space const& s, std::byte* const* first, std::ptrdiff_t left) {
    std::byte* at[static_cast<std::size_t>(count) + 1];
    std::ptrdiff_t step[static_cast<std::size_t>(count) + 1],
        strides[static_cast<std::size_t>(count) + 1];
    for (int k = 0; k < count; ++k) {
      at[k] = first[k];
      step[k] = s.rank > 1 ? s.strides[s.rank - 2][k] * s.bytes[k] : 0;
      strides[k] = s.strides[s.rank - 1][k];
    }
    bool const is_dense = in_blocks && dense(strides);
    for (; left > 0; --left) {
      row_of_elements(s, at, strides, is_dense);
      for (int k = 0; k < count; ++k) at[k] += step[k];
    }
  }
  static KROTON_INLINE void one_element(std::byte* const* at, std::ptrdiff_t const* strides,
                                        std::ptrdiff_t i, std::byte (*sums)[16]) {
    scalar_values<size> v;
    body::single(v, at, strides, i);
    int k = 0;
    (void)expand{
        0, (output<O>::store_element(v, O, at[operands + k], i * strides[operands + k], sums[k]),
            ++k)...};
  }
  static bool dense(std::ptrdiff_t const* strides) {
    bool is = true;
    int k = 0;
    for (; k < operands; ++k) is = is && strides[k] == dense_strides[static_cast<std::size_t>(k)];
    (void)expand{0, (is = is && (output<O>::along_rows || strides[k] == 1), ++k)...};
    return is;
  }
  static KROTON_INLINE void row_of_elements(space const& s, std::byte* const* at,
                                            std::ptrdiff_t const* strides, bool is_dense) {
    std::ptrdiff_t const n = s.extents[s.rank - 1];
    alignas(16) std::byte sums[static_cast<std::size_t>(results) + 1][16];
    for (std::ptrdiff_t begin = 0; begin < n; begin += machine::max_narrow_sum) {
      int k = 0;
      (void)expand{0, (output<O>::start_element(sums[k++]), 0)...};
      std::ptrdiff_t i = begin;
      std::ptrdiff_t const end = std::min(n, begin + machine::max_narrow_sum);
      if constexpr (in_blocks)
        for (; is_dense && i + machine::block <= end; i += machine::block)
          block_of_elements(at, i, sums);
      for (; i < end; ++i) one_element(at, strides, i, sums);
      k = 0;
      (void)expand{0, (output<O>::finish_element(sums[k], at[operands + k], s.adds_few), ++k)...};
    }
  }
};

/// The kernel of a group.
template <class Expression>
using loop_of = loop_kernel<Expression, typename group<Expression>::outputs>;

}  // namespace kroton::cpu
