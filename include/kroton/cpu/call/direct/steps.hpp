// The steps of a direct call: loops, views, writes to parts of vectors and small products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/band.hpp>
#include <kroton/cpu/call/direct/folding.hpp>
#include <kroton/cpu/call/direct/loop.hpp>
#include <kroton/cpu/call/direct/positions.hpp>
#include <kroton/cpu/call/direct/products.hpp>
#include <kroton/cpu/call/direct/rows.hpp>
#include <kroton/cpu/call/direct/searched_loop.hpp>
#include <kroton/cpu/call/direct/small_step.hpp>
#include <kroton/cpu/call/direct/takes.hpp>
#include <kroton/cpu/call/direct/writes.hpp>

namespace kroton::cpu {

/// What the steps of a program do, each with everything about it but addresses and extents as
/// constants.
template <class Program>
class direct_steps {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  using writes = direct_writes<Program>;
  using expand = int[];
  template <int S>
  static constexpr int functions_of_loop() {
    if constexpr (tables::step(S).kind == step_kind::loop)
      return direct_loop<Program, S>::G::functions;
    else return 0;
  }
  template <int... S>
  static constexpr int functions_of_loops(std::integer_sequence<int, S...>) {
    return (0 + ... + functions_of_loop<S>());
  }
  static constexpr int loops = [] {
    int count = 0;
    for (int s = 0; s < tables::step_count; ++s)
      count += tables::step(s).kind == step_kind::loop ? 1 : 0;
    return count;
  }();
  /// The step of a loop none of whose own loops calls a function: rows of a few numbers go without
  /// batches, since a batch waits for numbers that were stored one by one.
  static constexpr bool repeats_cheap_loops() {
    return is_body<Program> &&
           functions_of_loops(std::make_integer_sequence<int, tables::step_count>{}) == 0;
  }
  template <int V>
  using type_of = value_t<tables::value(V).type>;

 public:
  template <int S>
  static KROTON_INLINE void take(state& s, [[maybe_unused]] memory_block& scratch) {
    constexpr step_info info = tables::step(S);
    if constexpr (info.kind == step_kind::loop && writes::template is_left_to_write<S>())
      return;  // what is written to a part of it fills the rest too
    else if constexpr (is_searched_loop<Program, S>())
      searched_loop<Program, S>::take(s);
    else if constexpr (is_search_done_before<Program, S>())
      return;
    else if constexpr (info.kind == step_kind::loop)
      take_loop<S>(s, std::make_integer_sequence<int, info.operand_count>{},
                   std::make_integer_sequence<int, info.result_count>{});
    else if constexpr (info.kind == step_kind::dimshuffle || info.kind == step_kind::reshape)
      look_at<S>(s, 0);
    else if constexpr (info.kind == step_kind::joined_part)
      look_at<S>(s, writes::template offset_behind<S>(s));
    else if constexpr (is_selection(info.kind))
      look_at<S>(s, writes::template offset<S, tables::operand(S, 0), 1>(s));
    else if constexpr (info.kind == step_kind::ifelse)
      choose<S>(s);
    else if constexpr (is_inline_product<S>())
      direct_products<Program>::template multiply<S>(s);
    else if constexpr (writes_vector<S>())
      writes::template write_part<S>(s);
    else if constexpr (writes_rim<S>())
      writes::template write_rim<S>(s);
    else if constexpr (direct_positions<Program>::template finds<S>())
      direct_positions<Program>::template find<S>(s);
    else if constexpr (direct_takes<Program>::template takes<S>()) {
      if (!direct_takes<Program>::template take<S>(s)) [[unlikely]]
        take_small_step<Program, S>(s, scratch);  // says which index is out of range
    } else
      take_small_step<Program, S>(s, scratch);
  }
  /// Whether all conditions of a step's guard are as they have to be. Outer ones come first.
  template <int S>
  static KROTON_INLINE bool guards_hold(state& s) {
    return guards_hold<S>(s, std::make_integer_sequence<int, tables::step(S).guard_count>{});
  }
  template <int S, int... K>
  static KROTON_INLINE bool guards_hold([[maybe_unused]] state& s,
                                        std::integer_sequence<int, K...>) {
    return (guard_holds<tables::guard(S, K)>(s) && ...);
  }
  template <int Guard>
  static KROTON_INLINE bool guard_holds(state& s) {
    return (*s.template address<Guard / 2>() != std::byte{0}) == (Guard % 2 != 0);
  }
  /// Before the first rows of a band: what a step gathers from them.
  template <int S>
  static KROTON_INLINE void start(state& s, [[maybe_unused]] memory_block& scratch) {
    if constexpr (direct_band<Program>::gathers(S))
      start_totals<S>(s, std::make_integer_sequence<int, tables::step(S).result_count>{});
    else if constexpr (direct_band<Program>::adds_to_part(S))
      if (s.all_rows >= 0) copy_first_operand<Program, S>(s, scratch);
  }
  /// Whether a step is small enough in this call.
  template <int S>
  static KROTON_INLINE bool is_small(state const& s) {
    constexpr step_info info = tables::step(S);
    if constexpr (info.kind == step_kind::loop) {
      std::ptrdiff_t n = 1;
      for (int d = 0; d < info.space_rank; ++d) n *= s.extents[tables::space(S, d)];
      using loop = direct_loop<Program, S>;
      constexpr bool is_all = loops == 1;
      if constexpr (is_searched_loop<Program, S>()) return n <= machine::max_small_elements;
      if constexpr (loop::only_adds_rows && !loop::has_gaps)
        return s.extents[tables::space(S, 0)] <= machine::max_narrow_sum &&
               n <= machine::max_small_columns;
      // Of long rows with elements of their own the frame takes one after the other, too
      if constexpr (loop::adds_rows && loop::rank > 0) {
        std::ptrdiff_t const row = s.extents[tables::space(S, loop::rank - 1)];
        bool const adds_rows = loop::has_no_elements || row < machine::min_small_added_row;
        if (adds_rows && !folded_direct_loop<Program, S>::exists &&
            s.extents[tables::space(S, 0)] >
                (is_all ? machine::max_small_added_rows_alone : machine::max_small_added_rows))
          return false;
      }
      if constexpr (is_all && loop::reduces_rows && loop::rank > 1)
        if (s.extents[tables::space(S, 0)] > machine::max_small_short_rows &&
            s.extents[tables::space(S, 1)] <= machine::max_small_short_row)
          return false;
      return n <=
             (loop::has_gaps ? machine::max_small_elements_with_gaps : machine::max_small_elements);
    } else if constexpr (is_inline_product<S>()) {
      constexpr int a = tables::operand(S, 0), b = tables::operand(S, 1),
                    inner = tables::value(a).extents[tables::value(a).rank - 1];
      if (s.template size<a>() > machine::max_small_elements ||
          s.template size<b>() > machine::max_small_elements)
        return false;
      if constexpr (tables::value(a).rank == 2 && tables::value(b).rank == 2)
        return s.template size<a>() * s.template extent<tables::value(b).extents[1]>() <=
                   machine::max_small_product &&
               s.extents[inner] > 0;
      else
        return true;
    } else if constexpr (touches_parts(info.kind)) {
      return true;
    } else if constexpr (info.indirect && joins<S>()) {
      // Rows are copied as one, and short ones are not taken apart
      constexpr int v = tables::result(S, 0), last = tables::value(v).rank - 1;
      constexpr bool of_rows = tables::attribute(S, 0) == 0;
      std::ptrdiff_t most = of_rows ? machine::min_joined_rows : machine::min_joined;
      if (!of_rows && s.extents[tables::value(v).extents[last]] < machine::min_row_in_parts)
        most = machine::max_small_elements;
      return s.template size<v>() < most;
    } else {
      return has_small_operands<S>(s, std::make_integer_sequence<int, info.operand_count>{});
    }
  }

 private:
  template <int S>
  static constexpr bool joins() {
    return Program::value.ops[tables::step(S).op]->concatenates;
  }
  /// Whether a step looks at a part of an array, or writes to one.
  static constexpr bool touches_parts(step_kind kind) {
    return is_view(kind) || kind == step_kind::inc_subtensor || kind == step_kind::set_subtensor;
  }
  template <int S, int... K>
  static KROTON_INLINE bool has_small_operands(state const& s, std::integer_sequence<int, K...>) {
    return ((s.template size<tables::operand(S, K)>() <= machine::max_small_elements) && ...);
  }
  template <int S>
  static constexpr bool is_inline_product() {
    if constexpr (traits_of(tables::step(S).kind).is_product) return tables::is_inline_product(S);
    else return false;
  }
  template <int S>
  static constexpr bool writes_vector() {
    constexpr step_kind kind = tables::step(S).kind;
    if constexpr (kind == step_kind::inc_subtensor || kind == step_kind::set_subtensor)
      return tables::writes_vector(S);
    else return false;
  }
  template <int S>
  static constexpr bool writes_rim() {
    if constexpr (tables::step(S).kind == step_kind::set_subtensor)
      return writes::template writes_rim<S>();
    else
      return false;
  }

  template <int S>
  static KROTON_INLINE void choose(state& s) {
    bool const holds = *s.template address<tables::operand(S, 0)>() != std::byte{0};
    std::byte *const a = s.template address<tables::operand(S, 1)>(),
              *const b = s.template address<tables::operand(S, 2)>();
    s.data[tables::result(S, 0)] = holds ? a : b;
  }

  // ---- loops
  template <int S, int... R>
  static KROTON_INLINE void start_totals(state& s, std::integer_sequence<int, R...>) {
    using loop = direct_loop<Program, S>;
    using rows = direct_rows<typename loop::G::type, typename loop::G::outputs>;
    typename rows::totals totals{};
    rows::start(totals);
    (void)expand{
        0,
        (std::memcpy(s.gathered[tables::result(S, R)], totals.of[R], sizeof totals.of[R]), 0)...};
  }
  template <int S, int... K, int... R>
  static KROTON_INLINE void take_loop(state& s, std::integer_sequence<int, K...>,
                                      std::integer_sequence<int, R...>) {
    using loop = direct_loop<Program, S>;
    using rows = direct_rows<typename loop::G::type, typename loop::G::outputs>;
    using written = written_loop<Program, S>;
    constexpr int operands = static_cast<int>(sizeof...(K));
    std::byte* at[sizeof...(K) + sizeof...(R) + 1]{s.template address<tables::operand(S, K)>()...,
                                                   s.template address<tables::result(S, R)>()...};
    if constexpr (loop::rank == 0) {
      constexpr std::ptrdiff_t strides[sizeof...(K) + 1]{};
      scalar_values<loop::G::all> nodes;
      loop::kernel::body::single(nodes, at, strides, 0);
      store_nodes<S>(s, nodes, typename loop::G::outputs{}, std::integer_sequence<int, R...>{});
    } else if constexpr (written::exists) {
      std::ptrdiff_t const strides[]{loop::template row_stride<K>(s)..., 0};
      small::for_each_of<written::rows>([&](auto i) KROTON_INLINE_LAMBDA {
        std::byte* row[sizeof...(K) + sizeof...(R) + 1]{
            (at[K] + i * next_written_row<S, K>(s))...,
            (at[operands + R] + i * next_result<S, R>(s, written::row))...};
        written::line::template take<operands, written::row>(row, strides);
      });
    } else {
      typename rows::totals totals;
      if constexpr (direct_band<Program>::gathers(S))
        (void)expand{
            0, (std::memcpy(totals.of[R], s.gathered[tables::result(S, R)], sizeof totals.of[R]),
                0)...};
      else
        rows::start(totals);
      if constexpr (loop::is_flat || loop::rank == 1) {
        std::ptrdiff_t n = 1;
        for (int d = 0; d < loop::rank; ++d) n *= s.extents[tables::space(S, d)];
        std::ptrdiff_t const strides[]{loop::template row_stride<K>(s)...,
                                       (loop::kind_of(R) == direct_result::elements ? 1 : 0)..., 0};
        row<S>(at, strides, n, totals);
      } else {
        std::ptrdiff_t count = s.template extent<tables::space(S, 0)>();
        std::ptrdiff_t const n = s.template extent<tables::space(S, 1)>();
        std::ptrdiff_t const strides[]{loop::template row_stride<K>(s)...,
                                       (loop::kind_of(R) == direct_result::elements ? 1 : 0)..., 0};
        std::ptrdiff_t const to_next[]{loop::template next_row<K>(s)...,
                                       next_result<S, R>(s, n)..., 0};
        if constexpr (loop::only_adds_rows && !loop::has_gaps)
          return rows::columns(at, to_next, count, n);
        (void)expand{0, (start_columns<S, R>(at[operands + R], n), 0)...};
        if constexpr (loop::has_row_sums && !loop::has_gaps && known_row<Program, S> < 0)
          if (auto const whole = rows::rows_in_batches(at, to_next, count, n); whole > 0) {
            rows::rows_of_few_batches(at, to_next, whole, n);
            (void)expand{0, (at[K] += whole * to_next[K], 0)...,
                         (at[operands + R] += whole * to_next[operands + R], 0)...};
            count -= whole;
          }
        using folded = folded_direct_loop<Program, S>;
        if constexpr (folded::exists)
          if (folded::takes(to_next, count, n)) [[unlikely]]
            return finish_loop<S>(folded::take(at, to_next, count, n, totals), s,
                                  std::integer_sequence<int, R...>{});
        for (std::ptrdiff_t i = 0; i < count; ++i) {
          row<S>(at, strides, n, totals);
          (void)expand{0, (finish_row<S, R>(totals, at[operands + R]), 0)...};
          if constexpr ((false || ... || (loop::kind_of(R) == direct_result::one_a_row)))
            restart<S>(totals, std::integer_sequence<int, R...>{});
          // One by one: of a loop g++ makes vectors, for which each row waits until the addresses
          // are in memory.
          (void)expand{
              0, (at[K] = unknown_value(at[K] + to_next[K]), 0)...,
              (at[operands + R] = unknown_value(at[operands + R] + to_next[operands + R]), 0)...};
        }
      }
      finish_loop<S>(totals, s, std::integer_sequence<int, R...>{});
    }
  }
  template <int S, class Totals, int... R>
  static KROTON_INLINE void finish_loop(Totals const& totals, state& s,
                                        std::integer_sequence<int, R...>) {
    (void)expand{0, (finish_all<S, R>(totals, s), 0)...};
    if constexpr (direct_band<Program>::gathers(S))
      (void)expand{
          0,
          (std::memcpy(s.gathered[tables::result(S, R)], totals.of[R], sizeof totals.of[R]), 0)...};
  }
  template <int S, int... O, int... R>
  static KROTON_INLINE void store_nodes(state& s,
                                        scalar_values<direct_loop<Program, S>::G::all>& nodes,
                                        std::integer_sequence<int, O...>,
                                        std::integer_sequence<int, R...>) {
    using G = typename direct_loop<Program, S>::G;
    (void)expand{
        0, (*reinterpret_cast<type_of<tables::result(S, R)>*>(
                s.template address<tables::result(S, R)>()) = nodes.template at<G::elements[O]>(O),
            0)...};
  }
  template <int S>
  static KROTON_INLINE void row(std::byte* const* at, std::ptrdiff_t const* strides,
                                std::ptrdiff_t n, auto& totals) {
    using loop = direct_loop<Program, S>;
    using rows = direct_rows<typename loop::G::type, typename loop::G::outputs>;
    constexpr long long known = known_row<Program, S>;
    if constexpr (known >= 0 && known <= machine::max_row_of_elements &&
                  costly_nodes<typename loop::G::type> == 0)
      rows::row_of(at, strides,
                   std::make_index_sequence<static_cast<std::size_t>(known < 0 ? 0 : known)>{},
                   totals);
    else if constexpr (loop::in_batches && !loop::has_gaps) {
      using written = written_loop<Program, S>;
      if constexpr (known < 0 && repeats_cheap_loops() && written::goes_in_pieces)
        if (n % rows::width != 0 && n < machine::max_batches_in_pieces * rows::width)
          return written::line::template take<loop::info.operand_count>(at, strides, 0, n);
      if constexpr (known < 0 && repeats_cheap_loops())
        if (constexpr bool is_only = loop::is_flat || loop::rank == 1;
            n % rows::width != 0 && n <= (is_only ? machine::max_only_row_of_elements
                                                  : machine::max_row_of_elements))
          return rows::row_of_few(at, strides, n, totals);
      rows::row(at, n, totals);
    } else
      rows::template row_of_elements<!loop::has_gaps>(at, strides, n, totals);
  }
  template <int S, int K>
  static KROTON_INLINE std::ptrdiff_t next_written_row([[maybe_unused]] state const& s) {
    using loop = direct_loop<Program, S>;
    if constexpr (!loop::is_flat) return loop::template next_row<K>(s);
    else if constexpr (!loop::kernel::facts.spans_rows[K]) return 0;
    else
      return written_loop<Program, S>::row * bytes_of(tables::value(tables::operand(S, K)).type);
  }
  template <int S, int R>
  static KROTON_INLINE std::ptrdiff_t next_result(state const& s, std::ptrdiff_t n) {
    constexpr direct_result kind = direct_loop<Program, S>::kind_of(R);
    constexpr int v = tables::result(S, R), bytes = bytes_of(tables::value(v).type);
    if constexpr (kind == direct_result::elements && tables::value(v).rank == 2)
      return s.template stride<v, 0>() * bytes;
    return kind == direct_result::elements    ? n * bytes
           : kind == direct_result::one_a_row ? bytes
                                              : 0;
  }
  template <int S, int R>
  static KROTON_INLINE void start_columns(std::byte* at, std::ptrdiff_t n) {
    using loop = direct_loop<Program, S>;
    if constexpr (loop::kind_of(R) == direct_result::one_a_column)
      direct_rows<typename loop::G::type, typename loop::G::outputs>::template start_column<R>(at,
                                                                                               n);
  }
  template <int S, int R, class Totals>
  static KROTON_INLINE void finish_row(Totals const& totals, std::byte* to) {
    using loop = direct_loop<Program, S>;
    if constexpr (loop::kind_of(R) == direct_result::one_a_row)
      direct_rows<typename loop::G::type, typename loop::G::outputs>::template store_total<R>(
          totals, to);
  }
  template <int S, class Totals, int... R>
  static KROTON_INLINE void restart(Totals& totals, std::integer_sequence<int, R...>) {
    using loop = direct_loop<Program, S>;
    (void)expand{
        0,
        (loop::kind_of(R) == direct_result::one_a_row
             ? direct_rows<typename loop::G::type, typename loop::G::outputs>::template restart<R>(
                   totals)
             : void(),
         0)...};
  }
  template <int S, int R, class Totals>
  static KROTON_INLINE void finish_all(Totals const& totals, state& s) {
    using loop = direct_loop<Program, S>;
    if constexpr (loop::kind_of(R) == direct_result::total)
      direct_rows<typename loop::G::type, typename loop::G::outputs>::template store_total<R>(
          totals, s.template address<tables::result(S, R)>());
  }

  // ---- views
  template <int S>
  static KROTON_INLINE void look_at(state& s, std::ptrdiff_t bytes) {
    s.data[tables::result(S, 0)] = s.template address<tables::operand(S, 0)>() + bytes;
  }
};

}  // namespace kroton::cpu
