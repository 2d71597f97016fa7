// A scan of small dense arrays: one loop around direct calls, whose addresses move from row to row.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/call.hpp>
#include <kroton/cpu/call/scan/alike_extents.hpp>
#include <kroton/cpu/call/scan/changing_extents.hpp>
#include <kroton/cpu/call/scan/column_constants.hpp>
#include <kroton/cpu/call/scan/scan.hpp>
#include <kroton/cpu/call/scan/step.hpp>
#include <kroton/cpu/loop/transposition.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace kroton::cpu {

/// Whether the steps of a loop with this body are direct calls, if they are small.
template <class Body>
constexpr bool is_direct_scan() {
  return steps_keep_frame<Body, true>().empty();
}

/// The loop of step number `I` of a program around the direct program `Body`. Arrays that are large
/// or have gaps go through frames.
template <class Program, int I, class Body>
class direct_scan_run {
 public:
  /// False, with nothing done, where frames have to take the loop. `resume` takes the rest of it
  /// where a later step is too large, or wrong.
  template <class Resume>
  bool run(step_view const& s, Resume const& resume) {
    std::ptrdiff_t const steps = core::as_extent(s.integer(0));
    state now{};  // g++ does not see that all of it is set before it is read
    places at;
    std::ptrdiff_t together = -1;
    if (steps > 0 && bind(s, now, at, all_inputs{})) {
      look_at_inputs<true>(now, at, all_inputs{});
      with_number_in_errors(0, [&]() KROTON_INLINE_LAMBDA {
        together = call::begin_calls(now, memory_);
      });
      if (together >= 0 && !place(s, now, at, steps, all_tapes{})) together = -1;
    }
    if (together < 0) return false;
    std::ptrdiff_t step = 0;
    with_number_in_errors(step, [&]() KROTON_INLINE_LAMBDA {
      for (bool goes_on = true;;) {
        goes_on = take(now, at, together) && step + 1 < steps;
        ++step;
        if (!goes_on) break;
        advance(s, at, step, all_inputs{}, all_tapes{});
        look_at_inputs<false>(now, at, all_inputs{});
        if constexpr (!has_same_extents) together = call::begin_calls(now, memory_);
        if (together < 0) break;
      }
    });
    if (together < 0) {
      resume(interrupt(at, step));
      return true;
    }
    give(s, at, step, all_tapes{});
    count_steps(s, step);
    return true;
  }

 private:
  using facts = scan_step<Program, I, Body>;
  using tables = direct_tables<Body>;
  using call = direct_call<Body>;
  using state = direct_state<Body>;
  using all_inputs = std::make_integer_sequence<int, facts::input_count>;
  using all_tapes = std::make_integer_sequence<int, facts::tape_count>;
  static constexpr auto inputs = static_cast<std::size_t>(facts::input_count),
                        tapes = static_cast<std::size_t>(facts::tape_count);
  using expand = int[];
  static constexpr bool has_same_extents = has_same_extents_in_all_steps<facts, Body>();

  // The addresses of a step, and where the rows of each tape are stored.
  struct places {
    std::array<row_cursor, inputs + 1> read{};
    std::array<std::byte*, tapes + 1> written{};
    std::array<row_store, tapes + 1> rows{};
  };

  // ---- the first step
  template <int... P>
  bool bind(step_view const& s, state& now, places& at, std::integer_sequence<int, P...>) {
    return (bind_input<P>(s, now, at) && ...);
  }
  template <int P>
  bool bind_input(step_view const& s, state& now, places& at) {
    constexpr ops::outer_operand from = ops::operand_of_input(facts::layout(), P);
    array_ref all = s.array(from.operand);
    if constexpr (tables::lies_by_columns(P)) {
      if (!lies_by_columns(all) && all.size() > machine::max_small_elements) return false;
      if (!lies_by_columns(all))
        copy_by_columns(all, copies_[P].room(bytes_that_fit(all)));
      std::copy_n(all.extents, 2, now.given[P]);
      at.read[P].at = all.data;
      return true;
    }
    bool const has_gaps = from.axes == 0 ? !all.contiguous() : !first_row(all).contiguous();
    if (has_gaps && all.size() <= (facts::is_sequence(P) ? machine::max_packed_sequence
                                                         : machine::max_small_elements))
      pack(all, P);
    array_ref const row = from.axes == 0 ? all : first_row(all);
    if (!row.contiguous()) return false;
    for (int d = 0; d < tables::value(P).rank; ++d) now.given[P][d] = row.extents[d];
    row_cursor& c = at.read[P];
    c.at = row.data;
    c.bytes = from.axes == 0 ? 0 : all.strides[0] * all.bytes;
    if constexpr (!facts::is_sequence(P) && !facts::is_constant(P))
      if (c.at != nullptr)
        c.at += (facts::reach(facts::tape_of(P)) - facts::steps_back(P)) * c.bytes;
    return true;
  }
  template <int P>
  static KROTON_INLINE void load(state& now, std::byte const* from) {
    std::memcpy(&now.template scalar<P>(), from, bytes_of(tables::value(P).type));
  }
  // A small array with gaps, such as a transposed matrix, is copied once for all steps, and so are
  // the rows of a sequence with gaps.
  void pack(array_ref& array, int input) {
    array_ref const given = array;
    array.data = copies_[static_cast<std::size_t>(input)].room(bytes_that_fit(given));
    array.make_contiguous_strides();
    copy_array(array, given);
  }
  template <int... T>
  bool place(step_view const& s, state const& now, places& at,
             [[maybe_unused]] std::ptrdiff_t steps,
             std::integer_sequence<int, T...>) {
    return (place_tape<T>(s, now, at, steps) && ...);
  }
  // False where rows outside have other extents than those that the body computes.
  template <int T>
  bool place_tape(step_view const& s, state const& now, places& at,
                  [[maybe_unused]] std::ptrdiff_t steps) {
    constexpr int v = facts::output(T);
    row_store& rows = at.rows[T];
    rows.bytes = now.template size<v>() * bytes_of(tables::value(v).type);
    if constexpr (facts::is_stored(T) && facts::stops) {
      if (shape_stack(s, T, nullptr, 1).size() * bytes_of(tables::value(v).type) != rows.bytes)
        return false;
      grown_[T].begin(rows.bytes);
      make_room<T>(at, 0);
    } else if constexpr (facts::is_stored(T)) {
      array_ref const& all = s.f.value(s.result(T));
      if (first_row(all).size() * all.bytes != rows.bytes || !all.contiguous()) return false;
      rows = row_store::of_stack(all.data, rows.bytes, steps, facts::is_backwards(T));
    } else if constexpr (facts::is_overwritten(T)) {
      begin_overwritten<T>(s, at);
    } else {
      rows.keep = facts::rows_of_ring(T);
      auto const bytes = static_cast<std::size_t>(rows.bytes * rows.keep);
      rows.base = facts::has_one_row(T) ? place_of_state(s, facts::layout(), T, bytes, rings_[T])
                                        : rings_[T].room(bytes);
    }
    at.written[T] = rows.base;
    return true;
  }
  // The start lies where the last value will, and every one in between.
  template <int T>
  void begin_overwritten(step_view const& s, places& at) {
    constexpr int parameter = facts::layout().tap_input(T, 0);
    row_store& rows = at.rows[T];
    rows.keep = 1;
    rows.base = place_of_state(s, facts::layout(), T, static_cast<std::size_t>(rows.bytes),
                               rings_[T]);
    if (rows.bytes > 0 && rows.base != at.read[parameter].at)
      std::memcpy(rows.base, at.read[parameter].at, static_cast<std::size_t>(rows.bytes));
    at.read[parameter].at = rows.base;
  }
  // For another row after the first `rows`.
  template <int T>
  void make_room(places& at, std::ptrdiff_t rows) {
    if constexpr (facts::is_stored(T) && facts::stops) {
      row_store& store = at.rows[T];
      if (rows > 0 && store.keep != rows) return;
      if (grown_[T].room() <= rows) grown_[T].grow();
      store.base = grown_[T].data();
      store.keep = grown_[T].room();
      if (rows == 0) return;
      at.written[T] = store.row(rows - 1);
      read_again<T>(at, rows, all_inputs{});
    }
  }
  // The rows of a tape have moved.
  template <int T, int... P>
  static void read_again(places& at, std::ptrdiff_t rows, std::integer_sequence<int, P...>) {
    (void)expand{0, (read_input_again<T, P>(at, rows), 0)...};
  }
  template <int T, int P>
  static void read_input_again(places& at, std::ptrdiff_t rows) {
    if constexpr (!facts::is_sequence(P) && !facts::is_constant(P))
      if constexpr (facts::tape_of(P) == T)
        if (rows > facts::steps_back(P))
          at.read[P].at = at.rows[T].row(rows - 1 - facts::steps_back(P));
  }

  // ---- every step
  // Whether the loop goes on.
  KROTON_INLINE bool take(state& now, places& at, std::ptrdiff_t together) {
    look_at_outputs(now, at, all_tapes{});
    call::take_call(now, memory_, together);
    store_others(now, at, all_tapes{});
    if constexpr (facts::stops)
      return now.template address<facts::output(facts::tape_count)>()[0] == std::byte{0};
    else return true;
  }
  template <bool Begin, int... P>
  static KROTON_INLINE void look_at_inputs(state& now, places const& at,
                                           std::integer_sequence<int, P...>) {
    (void)expand{0, (look_at_input<Begin, P>(now, at), 0)...};
  }
  template <bool Begin, int P>
  static KROTON_INLINE void look_at_input(state& now, places const& at) {
    if constexpr (tables::value(P).rank > 0) now.data[P] = at.read[P].at;
    else if constexpr (Begin || !facts::is_constant(P)) load<P>(now, at.read[P].at);
  }
  template <int... T>
  static KROTON_INLINE void look_at_outputs(state& now, places const& at,
                                            std::integer_sequence<int, T...>) {
    (void)expand{0, (look_at_output<T>(now, at), 0)...};
  }
  template <int T>
  static KROTON_INLINE void look_at_output(state& now, places const& at) {
    if constexpr (tables::is_computed_in_target(T)) now.data[facts::output(T)] = at.written[T];
  }
  template <int... T>
  static KROTON_INLINE void store_others(state& now, places const& at,
                                         std::integer_sequence<int, T...>) {
    (void)expand{0, (store_other<T>(now, at), 0)...};
  }
  template <int T>
  static KROTON_INLINE void store_other(state& now, places const& at) {
    constexpr int v = facts::output(T);
    [[maybe_unused]] std::ptrdiff_t const bytes =
        now.template size<v>() * bytes_of(tables::value(v).type);
    if constexpr (!tables::is_dense(v)) {
      using E = typename facts::template output_type<T>;
      E* to = reinterpret_cast<E*>(at.written[T]);
      store_axes<v, 0>(now, to, reinterpret_cast<E const*>(now.template address<v>()));
    } else if constexpr (tables::value(v).rank == 0 || !tables::is_computed_in_target(T)) {
      std::memcpy(at.written[T], now.template address<v>(), static_cast<std::size_t>(bytes));
    }
  }
  // A view with gaps, such as a transposed matrix, row by row.
  template <int V, int D, class E>
  static KROTON_INLINE void store_axes(state const& now, E*& to, E const* from) {
    if constexpr (D == tables::value(V).rank) {
      *to++ = *from;
    } else {
      std::ptrdiff_t const n = now.template extent<tables::value(V).extents[D]>();
      for (std::ptrdiff_t i = 0; i < n; ++i)
        store_axes<V, D + 1>(now, to, from + i * now.template stride<V, D>());
    }
  }

  // ---- from step to step
  template <int... P, int... T>
  KROTON_INLINE void advance(step_view const&, places& at, std::ptrdiff_t step,
                             std::integer_sequence<int, P...>, std::integer_sequence<int, T...>) {
    (void)expand{0, (make_room<T>(at, step), 0)...};
    (void)expand{0, (advance_input<P>(at, step), 0)...};
    (void)expand{0, (advance_output<T>(at), 0)...};
  }
  template <int T>
  static KROTON_INLINE void advance_output(places& at) {
    if constexpr (!facts::has_one_row(T)) at.written[T] = at.rows[T].next(at.written[T]);
  }
  static constexpr bool is_overwritten_input(int p) {
    return facts::is_overwritten(facts::tape_of(p));
  }
  template <int P>
  static KROTON_INLINE void advance_input(places& at, std::ptrdiff_t step) {
    row_cursor& c = at.read[P];
    if constexpr (facts::is_sequence(P)) {
      c.at += c.bytes;
    } else if constexpr (!facts::is_constant(P) && !is_overwritten_input(P)) {
      row_store const& rows = at.rows[static_cast<std::size_t>(facts::tape_of(P))];
      if constexpr (facts::has_one_row(facts::tape_of(P))) c.at = rows.base;
      else if (step > facts::steps_back(P)) c.at = rows.next(c.at);
      else if (step == facts::steps_back(P)) c.at = rows.base;
      else c.at += c.bytes;
    }
  }

  // What frames need to go on before a step.
  interrupted_scan<host_side> interrupt(places const& at, std::ptrdiff_t step) {
    interrupted_scan<host_side> left{step, {}, {}, {}, {}};
    left.read.assign(at.read.begin(), at.read.end());
    left.rows.assign(at.rows.begin(), at.rows.end());
    left.written.assign(at.written.begin(), at.written.end());
    left.grown.resize(grown_.size());
    std::swap_ranges(grown_.begin(), grown_.end(), left.grown.begin());
    return left;
  }

  // ---- after the last step
  template <int... T>
  void give(step_view const& s, places const& at, std::ptrdiff_t steps,
            std::integer_sequence<int, T...>) {
    (void)expand{0, (give_tape<T>(s, at, steps), 0)...};
    if constexpr (facts::stops) store_count(s, facts::tape_count, steps);
  }
  template <int T>
  void give_tape(step_view const& s, places const& at, std::ptrdiff_t steps) {
    if constexpr (facts::is_stored(T) && facts::stops) {
      shape_stack(s, T, grown_[T].data(), steps);
    } else if constexpr (facts::is_last_seen(T)) {
      array_ref const& to = s.f.value(s.result(T));
      array_ref last = to;
      last.make_contiguous_strides();
      last.data = at.rows[T].row(steps - 1);
      if (last.data != to.data) copy_array(to, last);
    }
  }

  typename call::memory_type memory_;
  std::array<memory_block, tapes + 1> rings_;
  std::array<memory_block, inputs + 1> copies_;
  std::array<growing_rows<host_side>, tapes + 1> grown_;
};

/// The same for any arrays.
template <class Program, int I, class Body>
class direct_scan {
 public:
  static void run(step_view const& s) {
    std::shared_ptr<void>& kept = s.f.kept(s.number()).made;
    if (!kept) kept = std::make_shared<direct_scan>();
    static_cast<direct_scan*>(kept.get())->run_kept(s);
  }

 private:
  using facts = scan_step<Program, I, Body>;
  using tables = direct_tables<Body>;
  using stepped = direct_body<facts, Body>;
  template <int N>
  using alike = direct_scan_run<Program, I, alike_program<stepped, N>>;

  void run_kept(step_view const& s) {
    if (run_alike(s) || any_.run(s, rest_of(s))) return;
    frames(s).run(code_of_body<Body>(), s);
  }
  scan_run<host_side>& frames(step_view const& s) {
    if (!frames_) frames_.emplace(s, code_of_body<Body>().tables);
    return *frames_;
  }
  auto rest_of(step_view const& s) {
    return [&](interrupted_scan<host_side>&& from) {
      frames(s).resume(code_of_body<Body>(), s, from);
    };
  }
  bool run_alike([[maybe_unused]] step_view const& s) {
    if constexpr (has_alike_versions<Body>()) {
      std::ptrdiff_t const n = common_extent(s);
      return n == 2   ? run_as<2>(s)
             : n == 3 ? run_as<3>(s)
             : n == 4 ? run_as<4>(s)
                      : false;
    } else {
      return false;
    }
  }
  /// What all extents of parameters are that only calls know, or 0.
  static std::ptrdiff_t common_extent(step_view const& s) {
    std::ptrdiff_t common = 0;
    for (int p = 0; p < facts::input_count; ++p) {
      ops::outer_operand const from = ops::operand_of_input(facts::layout(), p);
      for (int d = 0; d < tables::value(p).rank; ++d) {
        if (tables::known_extent(tables::value(p).extents[d]) >= 0) continue;
        std::ptrdiff_t const n = s.array(from.operand).extents[d + from.axes];
        if (common != 0 && n != common) return 0;
        common = n;
      }
    }
    return common;
  }
  template <int N>
  bool run_as(step_view const& s) {
    std::shared_ptr<void>& kept = alike_[N - 2];
    if (!kept) kept = std::make_shared<alike<N>>();
    return static_cast<alike<N>*>(kept.get())->run(s, rest_of(s));
  }

  direct_scan_run<Program, I, stepped> any_;
  std::array<std::shared_ptr<void>, 3> alike_;
  std::optional<scan_run<host_side>> frames_;
};

}  // namespace kroton::cpu
