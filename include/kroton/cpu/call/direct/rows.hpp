// Rows in a direct call: whole batches, then the rest of a row through one batch, by the bodies of
// the loops with a space.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/loop.hpp>
#include <kroton/cpu/loop/columns.hpp>

namespace kroton::cpu {

/// Takes rows of a group. Symbols name the expression, as those of the loop with a space do.
template <class Expression, class Outputs>
struct direct_rows;
template <class Expression, int... O>
struct direct_rows<Expression, std::integer_sequence<int, O...>> {
  using kernel = loop_kernel<Expression, std::integer_sequence<int, O...>>;
  using G = typename kernel::G;
  using L = typename kernel::lane_or_double;
  using B = xsimd::batch<L>;
  using body = typename kernel::body;
  static constexpr int operands = G::operands, results = static_cast<int>(sizeof...(O)),
                       count = operands + results;
  static constexpr int size = kernel::size;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  static constexpr bool along_rows = (false || ... || kernel::template output<O>::along_rows);
  using expand = int[];
  using values =
      batch_values<L, size, kernel::has_masks ? size : 1, kernel::has_foreign ? size : 1>;
  static constexpr bool only_reduces = kernel::is_short && results > 0 && kernel::reduces_rows;

  /// An accumulator for each result.
  struct totals {
    alignas(16) std::byte of[static_cast<std::size_t>(results) + 1][16];
  };
  static KROTON_INLINE void start(totals& t) {
    int k = 0;
    (void)expand{0, (kernel::template output<O>::start_element(t.of[k++]), 0)...};
  }

  template <int K>
  static KROTON_INLINE void restart(totals& t) {
    constexpr int nodes[] = {O..., 0};
    kernel::template output<nodes[K]>::start_element(t.of[K]);
  }

  /// One row of n elements in batches; what accumulates along it goes to the totals.
  static KROTON_INLINE void row(std::byte* const* at, std::ptrdiff_t n, totals& t) {
    // What little is computed is limited by the time of an addition: of long rows it accumulates in
    // twice as many batches.
    if constexpr (only_reduces)
      if (n >= 8 * width) return row_in<row_sums<L, results, 4>>(at, n, t);
    if (n > 0) row_in<row_sums<L, results>>(at, n, t);
  }

  /// One row of so few elements that no batch is filled.
  template <std::size_t... I>
  static KROTON_INLINE void row_of(std::byte* const* at, std::ptrdiff_t const* strides,
                                   std::index_sequence<I...>, totals& t) {
    (void)expand{0, (one_element(at, strides, static_cast<std::ptrdiff_t>(I), t), 0)...};
  }
  /// The same of a number of them that only the call knows. Vectors of elements that were stored
  /// one by one would wait for them, so the compiler makes none.
  static KROTON_INLINE void row_of_few(std::byte* const* at, std::ptrdiff_t const* strides,
                                       std::ptrdiff_t n, totals& t) {
    for (std::ptrdiff_t i = 0; i < n; ++i) one_element(at, strides, i = unknown_value(i), t);
  }
  /// One row, element by element.
  template <bool Dense>
  static KROTON_INLINE void row_of_elements(std::byte* const* at, std::ptrdiff_t const* strides,
                                            std::ptrdiff_t n, totals& t) {
    std::ptrdiff_t i = 0;
    if constexpr (Dense && kernel::in_blocks)
      for (; i + machine::block <= n; i += machine::block) kernel::block_of_elements(at, i, t.of);
    for (; i < n; ++i) one_element(at, strides, i, t);
  }

  /// Writes a total, converted from the type in which it accumulated.
  template <int K>
  static KROTON_INLINE void store_total(totals const& t, std::byte* to) {
    constexpr int nodes[] = {O..., 0};
    using output = typename kernel::template output<nodes[K]>;
    auto const value =
        static_cast<typename output::T>(*reinterpret_cast<typename output::A const*>(t.of[K]));
    *reinterpret_cast<typename output::T*>(to) = value;
  }
  /// Writes the element on which a reduction over rows begins.
  template <int K>
  static KROTON_INLINE void start_column(std::byte* to, std::ptrdiff_t n) {
    constexpr int nodes[] = {O..., 0};
    using traits = node_traits<typename G::template node<nodes[K]>>;
    using T = typename kernel::template output<nodes[K]>::T;
    T const neutral = traits::op_type::template start<T>();
    for (std::ptrdiff_t i = 0; i < n; ++i) reinterpret_cast<T*>(to)[i] = neutral;
  }

  /// Reductions over `count` rows of n elements: batch by batch of columns, of which the last may
  /// overlap the one before.
  static KROTON_INLINE void columns(std::byte* const* at, std::ptrdiff_t const* to_next,
                                    std::ptrdiff_t count_of_rows, std::ptrdiff_t n) {
    if (n <= 0) return;
    if (n < width) return few_columns(at, to_next, count_of_rows, n);
    std::ptrdiff_t const last = n - width;
    for (std::ptrdiff_t j = 0;; j = j + width < last ? j + width : last) {
      typename column_rows<kernel>::sums sums[1];
      kernel::start(sums[0]);
      column_rows<kernel>::add(at, to_next, j, count_of_rows, sums);
      std::byte* to[static_cast<std::size_t>(results) + 1];
      for (int k = 0; k < results; ++k)
        to[k] = at[operands + k] + j * static_cast<std::ptrdiff_t>(sizeof(L));
      kernel::store_columns(sums[0], to);
      if (j == last) return;
    }
  }

  /// How many of `count_of_rows` are taken in a few whole batches. The last batch may go on in the
  /// next row, for which what it writes there is written anew; but not behind the last row, nor
  /// where something is summed over rows.
  static KROTON_INLINE std::ptrdiff_t rows_in_batches(std::byte* const* at,
                                                      std::ptrdiff_t const* to_next,
                                                      std::ptrdiff_t count_of_rows,
                                                      std::ptrdiff_t n) {
    if (n <= 0 || n > machine::max_batches_of_small_row * width) return 0;
    if (n % width == 0) return count_of_rows;
    if constexpr (!kernel::may_exceed) return 0;
    constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(L));
    std::ptrdiff_t const own = n * bytes, beyond = (width - n % width) * bytes;
    std::ptrdiff_t left = count_of_rows - (beyond + own - 1) / own;
    for (int r = operands; r < count; ++r) {
      result_fact const& fact = kernel::facts.result[r - operands];
      if (fact.along_rows) continue;
      if (fact.reduction || to_next[r] != own) return 0;
      for (int k = 0; k < operands; ++k)
        if (at[k] < at[r] + count_of_rows * own && at[r] < at[k] + count_of_rows * to_next[k])
          return 0;
    }
    for (int k = 0; k < operands; ++k)
      if (kernel::facts.spans_rows[k] && to_next[k] < own) return 0;
    return left < 0 ? 0 : left;
  }
  /// Such rows, one after the other without preparation. What accumulates along as many of them as
  /// a batch has lanes is combined across the lanes together.
  static KROTON_INLINE void rows_of_few_batches(std::byte* const* at, std::ptrdiff_t const* to_next,
                                                std::ptrdiff_t count_of_rows, std::ptrdiff_t n) {
    using sums = row_sums<L, results, 1>;
    std::byte* p[static_cast<std::size_t>(count) + 1];
    copy_addresses(p, at, std::make_index_sequence<static_cast<std::size_t>(count)>{});
    values v;
    typename kernel::batches_of_rows of_row[static_cast<std::size_t>(results) + 1];
    for (std::ptrdiff_t rows; count_of_rows > 0; count_of_rows -= rows) {
      rows = count_of_rows < width ? count_of_rows : width;
      std::byte* first[static_cast<std::size_t>(results) + 1];
      for (int k = 0; k < results; ++k) first[k] = p[operands + k];
      for (std::ptrdiff_t r = 0; r < rows; ++r) {
        sums sum;
        kernel::start(sum);
        body::template load_invariants<L>(v, p);
        for (std::ptrdiff_t i = 0; i < n; i += width)
          batch(v, p, i, sum, n - i < width ? n - i : width);
        kernel::keep_row(sum, of_row, r);
        move_on(p, to_next, std::make_index_sequence<static_cast<std::size_t>(count)>{});
      }
      kernel::store_rows(of_row, first, rows);
    }
  }

 private:
  // Rows shorter than a batch.
  static KROTON_INLINE void few_columns(std::byte* const* at, std::ptrdiff_t const* to_next,
                                        std::ptrdiff_t count_of_rows, std::ptrdiff_t n) {
    alignas(64)
        std::byte buffer[static_cast<std::size_t>(count) + 1][static_cast<std::size_t>(width) * 8];
    std::byte *p[static_cast<std::size_t>(count) + 1], *few[static_cast<std::size_t>(count) + 1];
    copy_addresses(p, at, std::make_index_sequence<static_cast<std::size_t>(count)>{});
    values v;
    typename column_rows<kernel>::sums sums;
    kernel::start(sums);
    for (; count_of_rows > 0; --count_of_rows) {
      read_few(p, 0, n, buffer, few, std::make_integer_sequence<int, operands>{});
      body::template load_invariants<L>(v, few);
      kernel::template accumulate<0>(v, few, 0, sums);
      move_on(p, to_next, std::make_index_sequence<static_cast<std::size_t>(operands)>{});
    }
    for (int k = 0; k < results; ++k) few[k] = buffer[operands + k];
    kernel::store_columns(sums, few);
    for (int k = 0; k < results; ++k)
      store_few<static_cast<int>(sizeof(L)), static_cast<int>(width)>(at[operands + k], few[k], n);
  }
  template <std::size_t... K>
  static KROTON_INLINE void move_on([[maybe_unused]] std::byte** p,
                                    [[maybe_unused]] std::ptrdiff_t const* to_next,
                                    std::index_sequence<K...>) {
    (void)expand{0, (p[K] = unknown_value(p[K] + to_next[K]), 0)...};
  }
  static KROTON_INLINE void one_element(std::byte* const* at, std::ptrdiff_t const* strides,
                                        std::ptrdiff_t i, totals& t) {
    scalar_values<size> v;
    body::single(v, at, strides, i);
    int k = 0;
    (void)expand{
        0, (kernel::template output<O>::store_element(v, O, at[operands + k], i, t.of[k]), ++k)...};
  }
  template <class Sums>
  static KROTON_INLINE void row_in(std::byte* const* at, std::ptrdiff_t n, totals& t) {
    std::byte* p[static_cast<std::size_t>(count) + 1];
    copy_addresses(p, at, std::make_index_sequence<static_cast<std::size_t>(count)>{});
    values v;
    Sums sums;
    body::template load_invariants<L>(v, p);
    int k = 0;
    if constexpr (along_rows) {
      // What accumulates in the lane type without rounding much
      constexpr std::ptrdiff_t part = 128 * width;
      for (std::ptrdiff_t begin = 0; begin < n;) {
        // The parts behind the first one begin where it is aligned.
        std::ptrdiff_t const next = begin + part + before_aligned(p, begin, part),
                             end = n < next ? n : next;
        k = 0;
        (void)expand{0, (kernel::template output<O>::start_part(sums, k++), 0)...};
        part_of_row(v, p, begin, end, sums);
        k = 0;
        (void)expand{0, (finish<O>(sums, k, t), ++k)...};
        begin = end;
      }
    } else {
      part_of_row(v, p, 0, n, sums);
    }
  }
  // One by one: a loop would be a vector that waits until the addresses are in memory.
  template <std::size_t... K>
  static KROTON_INLINE void copy_addresses(std::byte** p, [[maybe_unused]] std::byte* const* at,
                                           std::index_sequence<K...>) {
    (void)expand{0, (p[K] = at[K], 0)...};
  }
  template <class Sums>
  static KROTON_INLINE void batch(values& v, std::byte* const* p, std::ptrdiff_t i, Sums& sums,
                                  std::ptrdiff_t lanes) {
    body::template batch<L>(v, p, i);
    int k = 0;
    (void)expand{0, (select_lanes<O>(v, lanes),
                     kernel::template output<O>::template store<L>(v, O, sums, k, p,
                                                                   p[operands + k], i, false),
                     ++k)...};
  }
  /// Lets the lanes behind the end of a row accumulate nothing.
  template <int Node>
  static KROTON_INLINE void select_lanes(values& v, std::ptrdiff_t lanes) {
    if constexpr (kernel::template output<Node>::along_rows) {
      using op = typename node_traits<typename G::template node<Node>>::op_type;
      if (lanes != width)
        v.v[Node] = xsimd::select(first_lanes<L>(lanes), v.v[Node], B(op::template start<L>()));
    }
  }
  template <int Node, class Sums>
  static KROTON_INLINE void finish(Sums const& sums, int k, totals& t) {
    using output = typename kernel::template output<Node>;
    if constexpr (output::along_rows) {
      using op = typename output::traits::op_type;
      auto* const to = reinterpret_cast<typename output::A*>(t.of[k]);
      *to = op::combine(
          *to, static_cast<typename output::A>(horizontal<op>(sums.template total<op>(k))));
    }
  }

  template <class Sums>
  static KROTON_INLINE void part_of_row(values& v, std::byte* const* p, std::ptrdiff_t begin,
                                        std::ptrdiff_t end, Sums& sums) {
    std::ptrdiff_t i = begin;
    for (std::ptrdiff_t n = before_aligned(p, begin, end - begin);;) {
      if (n != 0) {
        few_elements(v, p, i, n, sums);
        i += n;
      }
      if (i == end) return;
      if constexpr (Sums::chains == 4)
        for (; i + 4 * width <= end; i += 4 * width) {
          kernel::template accumulate_two<0>(v, p, i, sums);
          kernel::template accumulate_two<2>(v, p, i + 2 * width, sums);
        }
      for (; i + width <= end; i += width) batch(v, p, i, sums, width);
      n = end - i;
      if (n == 0) return;
    }
  }
  /// How many of the next n elements of a longer row stand before its first result, or else its
  /// first operand, is aligned: loads and stores of 64 bytes that cross cache lines take twice the
  /// time and more.
  static KROTON_INLINE std::ptrdiff_t before_aligned(std::byte* const* p, std::ptrdiff_t begin,
                                                     std::ptrdiff_t n) {
    if constexpr (aligned_array < 0 || sizeof(B) < 64) {
      return 0;
    } else {
      auto const at = reinterpret_cast<std::uintptr_t>(
          p[aligned_array] + begin * static_cast<std::ptrdiff_t>(sizeof(L)));
      return n < 16 * width ? 0 : static_cast<std::ptrdiff_t>(-at % sizeof(B) / sizeof(L));
    }
  }
  static constexpr int aligned_array = [] {
    int found = -1, k = operands;
    (void)expand{0, (found = found < 0 && !kernel::template output<O>::traits::is_reduction &&
                                     sizeof(typename kernel::template output<O>::T) == sizeof(L)
                                 ? k
                                 : found,
                     ++k)...};
    for (k = 0; found < 0 && k < operands; ++k)
      if (kernel::facts.spans_rows[k] &&
          bytes_of(G::elements[static_cast<std::size_t>(k)]) == sizeof(L))
        found = k;
    return found;
  }();
  /// Elements that are fewer than a batch.
  template <class Sums>
  static KROTON_INLINE void few_elements(values& v, std::byte* const* p, std::ptrdiff_t i,
                                         std::ptrdiff_t n, Sums& sums) {
    alignas(64)
        std::byte buffer[static_cast<std::size_t>(count) + 1][static_cast<std::size_t>(width) * 8];
    std::byte* few[static_cast<std::size_t>(count) + 1];
    read_few(p, i, n, buffer, few, std::make_integer_sequence<int, operands>{});
    int k = 0;
    (void)expand{0, (read_result<O>(p[operands + k], i, n, buffer[operands + k], few[operands + k]),
                     ++k)...};
    batch(v, few, 0, sums, n);
    k = 0;
    (void)expand{0, (write_result<O>(p[operands + k], i, n, few[operands + k]), ++k)...};
  }
  template <int... K>
  static KROTON_INLINE void read_few(
      [[maybe_unused]] std::byte* const* p, [[maybe_unused]] std::ptrdiff_t i,
      [[maybe_unused]] std::ptrdiff_t n,
      [[maybe_unused]] std::byte (*buffer)[static_cast<std::size_t>(width) * 8],
      [[maybe_unused]] std::byte** few, std::integer_sequence<int, K...>) {
    (void)expand{0, (read_operand<K>(p[K], i, n, buffer[K], few[K]), 0)...};
  }
  template <int K>
  static KROTON_INLINE void read_operand(std::byte* from, [[maybe_unused]] std::ptrdiff_t i,
                                         [[maybe_unused]] std::ptrdiff_t n,
                                         [[maybe_unused]] std::byte* buffer, std::byte*& few) {
    if constexpr (kernel::facts.spans_rows[K]) {
      constexpr int bytes = bytes_of(operand_type(K));
      load_few<bytes, static_cast<int>(width)>(buffer, from + i * bytes, n);
      few = buffer;
    } else {
      few = from;
    }
  }
  static constexpr element operand_type(int k) {
    int found = 0, node = 0;
    auto look = [&]<class N>(std::type_identity<N>) {
      if constexpr (node_traits<N>::is_input)
        if (node_traits<N>::position == k) found = node;
      ++node;
    };
    boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, typename G::nodes>>(
        look);
    return G::elements[static_cast<std::size_t>(found)];
  }
  template <int Node>
  static KROTON_INLINE void read_result([[maybe_unused]] std::byte* from,
                                        [[maybe_unused]] std::ptrdiff_t i,
                                        [[maybe_unused]] std::ptrdiff_t n, std::byte* buffer,
                                        std::byte*& few) {
    using output = typename kernel::template output<Node>;
    few = buffer;
    if constexpr (output::traits::is_reduction && !output::along_rows)
      load_few<static_cast<int>(sizeof(typename output::T)), static_cast<int>(width)>(
          buffer, from + i * static_cast<std::ptrdiff_t>(sizeof(typename output::T)), n);
  }
  template <int Node>
  static KROTON_INLINE void write_result([[maybe_unused]] std::byte* to,
                                         [[maybe_unused]] std::ptrdiff_t i,
                                         [[maybe_unused]] std::ptrdiff_t n,
                                         [[maybe_unused]] std::byte const* few) {
    using output = typename kernel::template output<Node>;
    if constexpr (!output::along_rows)
      store_few<static_cast<int>(sizeof(typename output::T)), static_cast<int>(width)>(
          to + i * static_cast<std::ptrdiff_t>(sizeof(typename output::T)), few, n);
  }
};

}  // namespace kroton::cpu
