// Narrow rows in a direct call that are reduced over next to what is stored, or computed with a row
// that is the same for all: blocks of them as one long row.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/loop.hpp>
#include <kroton/cpu/call/direct/rows.hpp>
#include <kroton/cpu/loop/folding.hpp>

#include <cstring>
#include <numeric>

namespace kroton::cpu {

/// A loop of a program whose rows may go so; see folding.hpp of the loops with a space.
template <class Program, int S>
class folded_direct_loop {
  using loop = direct_loop<Program, S>;
  using tables = direct_tables<Program>;
  using kernel = typename loop::kernel;
  using rows = direct_rows<typename loop::G::type, typename loop::G::outputs>;
  static constexpr int operands = loop::info.operand_count, results = loop::info.result_count,
                       count = operands + results;

 public:
  using totals = typename rows::totals;
  /// Whether the kinds of its operands and results allow it.
  static constexpr bool exists = [] {
    bool possible = loop::rank == 2 && !loop::is_flat && !loop::has_gaps &&
                    !loop::has_no_elements && loop::in_batches &&
                    count <= machine::max_folded_arrays;
    for (int k = 0; possible && k < operands; ++k) {
      int const v = tables::operand(S, k);
      possible =
          kernel::facts.spans_rows[k] || tables::value(v).rank == 0 || !loop::spans(v, 0);
    }
    for (int k = 0; possible && k < results; ++k) {
      result_fact const& fact = kernel::facts.result[k];
      possible = loop::kind_of(k) != direct_result::one_a_row &&
                 (loop::kind_of(k) != direct_result::one_a_column ||
                  (fact.axes != 0 && !fact.widened)) &&
                 tables::is_dense(tables::result(S, k));
    }
    return possible;
  }();

  /// Whether all rows lie behind each other, or are the same one, and are worth it.
  static KROTON_INLINE bool takes(std::ptrdiff_t const* to_next, std::ptrdiff_t n_rows,
                                  std::ptrdiff_t n) {
    return is_worth_it(n_rows, n) &&
           lie_together(to_next, n, std::make_integer_sequence<int, operands>{});
  }
  /// Takes all rows; returns what accumulated over all of them, on these totals. Results that are
  /// reduced over rows have been started.
  static KROTON_INLINE totals take(std::byte* const* at, std::ptrdiff_t const* to_next,
                                   std::ptrdiff_t n_rows, std::ptrdiff_t n, totals const& on) {
    return take(at, to_next, n_rows, n, on, std::make_integer_sequence<int, count>{});
  }

 private:
  // One by one, and copies: of a loop, or where they escape, the caller's arrays would lie in
  // memory, not in registers.
  template <int... K>
  static KROTON_INLINE totals take(std::byte* const* at, std::ptrdiff_t const* to_next,
                                   std::ptrdiff_t n_rows, std::ptrdiff_t n, totals const& on,
                                   std::integer_sequence<int, K...>) {
    std::byte* const first[]{at[K]...};
    std::ptrdiff_t const step[]{to_next[K]...};
    return take_blocks(first, step, n_rows, n, on);
  }
  template <int... K>
  static KROTON_INLINE bool lie_together([[maybe_unused]] std::ptrdiff_t const* to_next,
                                         [[maybe_unused]] std::ptrdiff_t n,
                                         std::integer_sequence<int, K...>) {
    return ((!kernel::facts.spans_rows[K] || to_next[K] == 0 || to_next[K] == n * bytes(K)) && ...);
  }
  /// Whether it takes less time, which differs where rows fill a batch or two by themselves, or a
  /// block does not fill its last one.
  static constexpr bool is_worth_it(std::ptrdiff_t n_rows, std::ptrdiff_t n) {
    if (n_rows < machine::min_folded_rows || n <= 0 || n > machine::max_folded_row) return false;
    bool const is_cheap = kernel::facts.costly <= 1;
    std::ptrdiff_t const least = fills_batches(n) ? machine::min_folded_whole_rows
                                 : is_cheap       ? machine::min_folded_cheap_rows
                                                  : machine::min_folded_rows;
    if (n_rows < least || n_rows * n < 3 * rows::width ||
        rows_of_batches(n) * n > machine::max_folded)
      return false;
    return is_one_block(n_rows, n) || n_rows >= 2 * rows_of_batches(n);
  }
  static constexpr bool fills_batches(std::ptrdiff_t n) {
    std::ptrdiff_t const all = (n + rows::width - 1) / rows::width * rows::width;
    return n >= 2 * rows::width || 4 * (all - n) < all;
  }
  static constexpr bool is_one_block(std::ptrdiff_t n_rows, std::ptrdiff_t n) {
    return n_rows * n <= machine::min_small_folded;
  }
  static constexpr std::ptrdiff_t bytes(int k) {
    return bytes_of(
        tables::value(k < operands ? tables::operand(S, k) : tables::result(S, k - operands)).type);
  }
  static constexpr bool is_column(int k) {
    return k >= operands && loop::kind_of(k - operands) == direct_result::one_a_column;
  }
  static constexpr bool is_element(int k) {
    return k >= operands && loop::kind_of(k - operands) == direct_result::elements;
  }
  /// So many rows fill whole batches; and more of them, where there are some times as many.
  static std::ptrdiff_t rows_together(std::ptrdiff_t n_rows, std::ptrdiff_t n) {
    if (is_one_block(n_rows, n)) return n_rows;
    std::ptrdiff_t const least = rows_of_batches(n),
                         part = n_rows / machine::min_rows_of_folded * n,
                         few = machine::min_small_folded < part ? part : machine::min_small_folded,
                         most = few < machine::max_folded ? few : machine::max_folded,
                         whole = most / n / least * least;
    return whole < least ? least : whole;
  }
  static constexpr std::ptrdiff_t rows_of_batches(std::ptrdiff_t n) {
    return rows::width / std::gcd(rows::width, n);
  }
  // Apart from the caller, which has no room on its stack for the sums otherwise.
  [[gnu::noinline]] static totals take_blocks(std::byte* const* at, std::ptrdiff_t const* to_next,
                                              std::ptrdiff_t n_rows, std::ptrdiff_t n,
                                              totals sums) {
    alignas(64) std::byte buffer[static_cast<std::size_t>(count)]
                                [static_cast<std::size_t>(machine::max_folded) * 8];
    std::ptrdiff_t const together = rows_together(n_rows, n);
    std::byte* p[static_cast<std::size_t>(count)];
    for (int k = 0; k < count; ++k) {
      p[k] = at[k];
      if (is_column(k)) {
        start_folded(buffer[k], kernel::facts.result[k - operands], static_cast<int>(bytes(k)),
                     together * n);
        p[k] = buffer[k];
      } else if (k < operands && kernel::facts.spans_rows[k] && to_next[k] == 0) {
        repeat_row(buffer[k], at[k], n * bytes(k), together);
        p[k] = buffer[k];
      }
    }
    for (std::ptrdiff_t i = 0; i < n_rows; i += together) {
      std::ptrdiff_t const some = n_rows - i < together ? n_rows - i : together;
      rows::row(p, some * n, sums);
      for (int k = 0; k < count; ++k)
        p[k] += is_element(k) || (k < operands && kernel::facts.spans_rows[k] && to_next[k] != 0)
                    ? some * n * bytes(k)
                    : 0;
    }
    for (int k = operands; k < count; ++k)
      if (is_column(k))
        finish_folded(at[k], buffer[k], kernel::facts.result[k - operands],
                      static_cast<int>(bytes(k)), together, n);
    return sums;
  }
  static void repeat_row(std::byte* to, std::byte const* row, std::ptrdiff_t bytes,
                         std::ptrdiff_t times) {
    std::memcpy(to, row, static_cast<std::size_t>(bytes));
    for (std::ptrdiff_t done = 1; done < times;) {
      std::ptrdiff_t const more = done < times - done ? done : times - done;
      std::memcpy(to + done * bytes, to, static_cast<std::size_t>(more * bytes));
      done += more;
    }
  }
};

}  // namespace kroton::cpu
