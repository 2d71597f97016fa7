// A scan of scalars: one loop around straight-line code, with the states in registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/scalars.hpp>
#include <kroton/cpu/call/scan/scan.hpp>
#include <kroton/cpu/call/scan/step.hpp>

#include <algorithm>
#include <array>
#include <tuple>

namespace kroton::cpu {

/// The loop of step number `I` of a program, whose body is the scalar program `Body`.
template <class Program, int I, class Body>
class scalar_scan {
 public:
  static void run(step_view const& s) { run_step(s); }
  /// The same of a step of a frame or of a small call.
  static KROTON_INLINE void run_step(auto const& s) {
    std::ptrdiff_t const steps = core::as_extent(s.integer(0));
    inputs in = read_inputs(s, all_inputs{});
    outputs out = find_outputs(s, steps, all_tapes{});
    states now = read_starts(s, all_states{});
    if constexpr (stops) {
      std::ptrdiff_t const done = run_until(s, steps, in, out, now);
      give_stacks(s, done, all_tapes{});
      count_steps(s, done);
    } else {
      std::ptrdiff_t step = 0;
      if constexpr (together > 1)
        for (; step + together <= steps; step += together)
          take_steps(in, out, now, std::make_integer_sequence<int, together>{});
      for (; step < steps; ++step) take_step(in, out, now);
      count_steps(s, step);
    }
    give_last(s, now, all_states{});
  }

 private:
  using facts = scan_step<Program, I, Body>;
  static constexpr auto layout() { return facts::layout(); }
  static constexpr int tape_count = facts::tape_count, first_constant = facts::first_constant;
  static constexpr bool stops = facts::stops;
  static constexpr int together = [] {
    long long const steps = layout().all[ops::scan_layout::unrolled];
    return steps > machine::max_unrolled_steps ? machine::max_unrolled_steps
                                               : static_cast<int>(steps);
  }();
  static constexpr bool is_sequence(int p) { return facts::is_sequence(p); }
  static constexpr bool is_constant(int p) { return facts::is_constant(p); }
  static constexpr bool is_stored(int tape) { return facts::is_stored(tape); }
  template <int P>
  using input_type = typename facts::template input_type<P>;
  template <int T>
  using output_type = typename facts::template output_type<T>;
  using all_inputs = std::make_integer_sequence<int, facts::input_count>;
  using all_states = std::make_integer_sequence<int, facts::state_count>;
  using all_tapes = std::make_integer_sequence<int, tape_count>;
  using all_results = std::make_integer_sequence<int, facts::result_count>;
  using expand = int[];

  // An element in each step, or a constant. Of a state, nothing.
  template <class T>
  struct input {
    T constant;
    std::byte const* at;
    std::ptrdiff_t bytes;
  };
  template <int... P>
  static std::tuple<input<input_type<P>>...> tuple_of_inputs(std::integer_sequence<int, P...>);
  using inputs = decltype(tuple_of_inputs(all_inputs{}));
  // The values of the steps before, the last one first.
  template <int... T>
  static std::tuple<std::array<output_type<T>, static_cast<std::size_t>(layout().reach(T))>...>
      tuple_of_states(std::integer_sequence<int, T...>);
  using states = decltype(tuple_of_states(all_states{}));
  template <int... T>
  static std::tuple<output_type<T>*...> tuple_of_outputs(std::integer_sequence<int, T...>);
  using outputs = decltype(tuple_of_outputs(all_tapes{}));
  template <int... T>
  static std::tuple<output_type<T>...> tuple_of_values(std::integer_sequence<int, T...>);
  using values = decltype(tuple_of_values(all_results{}));
  // The memory of stacks whose number of rows the condition decides.
  using stacks = std::array<growing_rows<host_side>, static_cast<std::size_t>(tape_count)>;

  template <class T>
  static KROTON_INLINE T load(std::byte const* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
  template <int P>
  static auto read_input(auto const& s) {
    using T = input_type<P>;
    input<T> in{};
    if constexpr (is_sequence(P)) {
      array_ref const& all = s.array(layout().sequence_operand(P));
      in.at = all.data;
      in.bytes = all.strides[0] * all.bytes;
    } else if constexpr (is_constant(P)) {
      in.constant = load<T>(s.array(layout().non_sequence_operand(P - first_constant)).data);
    }
    return in;
  }
  template <int... P>
  static inputs read_inputs(auto const& s, std::integer_sequence<int, P...>) {
    return inputs(read_input<P>(s)...);
  }
  template <int T>
  static auto read_start(auto const& s) {
    array_ref const& start = s.array(layout().tape_operand(T));
    constexpr auto reach = static_cast<std::size_t>(layout().reach(T));
    std::array<output_type<T>, reach> values{};
    for (std::size_t back = 1; back <= reach; ++back)
      values[back - 1] = load<output_type<T>>(
          start.data + (start.rank == 0 ? 0
                                        : static_cast<std::ptrdiff_t>(reach - back) *
                                              start.strides[0] * start.bytes));
    return values;
  }
  template <int... T>
  static states read_starts(auto const& s, std::integer_sequence<int, T...>) {
    return states(read_start<T>(s)...);
  }
  template <int T>
  static output_type<T>* find_output(auto const& s, std::ptrdiff_t steps) {
    if (!is_stored(T) || stops || steps == 0) return nullptr;
    auto* const first = reinterpret_cast<output_type<T>*>(s.data_of_result(T));
    return facts::is_backwards(T) ? first + (steps - 1) : first;
  }
  template <int... T>
  static outputs find_outputs(auto const& s, [[maybe_unused]] std::ptrdiff_t steps,
                              std::integer_sequence<int, T...>) {
    return outputs(find_output<T>(s, steps)...);
  }

  // One step; whether it was the last one.
  static KROTON_INLINE bool take_step(inputs& in, outputs& out, states& now) {
    auto const made = take(in, now, all_inputs{});
    store(out, made, all_tapes{});
    shift(now, made, all_states{});
    advance(in, all_inputs{});
    if constexpr (stops) return std::get<static_cast<std::size_t>(tape_count)>(made);
    else return false;
  }
  template <int... K>
  static KROTON_INLINE void take_steps(inputs& in, outputs& out, states& now,
                                       std::integer_sequence<int, K...>) {
    (void)expand{(take_step(in, out, now), K)...};
  }
  // Steps until the condition holds: as many as there is room for, then more room. How many.
  static std::ptrdiff_t run_until(step_view const& s, std::ptrdiff_t limit, inputs& in,
                                  outputs& out, states& now) {
    stacks& kept = kept_stacks(s);
    std::ptrdiff_t step = 0;
    for (bool stopped = false; !stopped && step < limit;) {
      std::ptrdiff_t end = limit;
      make_room(kept, out, step, end, all_tapes{});
      while (!stopped && step < end) stopped = take_step(in, out, now), ++step;
    }
    return step;
  }
  static stacks& kept_stacks(step_view const& s) {
    std::shared_ptr<void>& kept = s.f.kept(s.number()).made;
    if (!kept) kept = std::make_shared<stacks>();
    return *static_cast<stacks*>(kept.get());
  }
  template <int T>
  static void make_room_for(stacks& kept, outputs& out, [[maybe_unused]] std::ptrdiff_t rows,
                            [[maybe_unused]] std::ptrdiff_t& end) {
    if constexpr (is_stored(T)) {
      growing_rows<host_side>& stack = kept[static_cast<std::size_t>(T)];
      stack.begin(sizeof(output_type<T>));
      if (stack.room() <= rows) stack.grow();
      std::get<T>(out) = reinterpret_cast<output_type<T>*>(stack.data()) + rows;
      end = std::min(end, stack.room());
    }
  }
  template <int... T>
  static void make_room(stacks& kept, outputs& out, [[maybe_unused]] std::ptrdiff_t rows,
                        [[maybe_unused]] std::ptrdiff_t& end, std::integer_sequence<int, T...>) {
    (void)expand{0, (make_room_for<T>(kept, out, rows, end), 0)...};
  }
  template <int... T>
  static void give_stacks(step_view const& s, std::ptrdiff_t done,
                          std::integer_sequence<int, T...>) {
    stacks& kept = kept_stacks(s);
    (void)expand{
        0, (is_stored(T) ? void(shape_stack(s, T, kept[static_cast<std::size_t>(T)].data(), done))
                         : void(),
            0)...};
    store_count(s, tape_count, done);
  }

  template <int P>
  static KROTON_INLINE auto argument(inputs const& in, states const& now) {
    if constexpr (is_sequence(P)) return load<input_type<P>>(std::get<P>(in).at);
    else if constexpr (is_constant(P)) return std::get<P>(in).constant;
    else
      return std::get<facts::tape_of(P)>(
          now)[std::integral_constant<std::size_t,
                                      static_cast<std::size_t>(facts::steps_back(P) - 1)>{}];
  }
  template <int... P>
  static KROTON_INLINE values take(inputs const& in, states const& now,
                                   std::integer_sequence<int, P...>) {
    return scalar_call<Body>::template inlined_values<values>(argument<P>(in, now)...);
  }
  template <int T>
  static KROTON_INLINE void store_one(outputs& out, values const& made) {
    if constexpr (is_stored(T)) {
      *std::get<T>(out) = std::get<T>(made);
      std::get<T>(out) += facts::is_backwards(T) ? -1 : 1;
    }
  }
  template <int... T>
  static KROTON_INLINE void store(outputs& out, values const& made,
                                  std::integer_sequence<int, T...>) {
    (void)expand{0, (store_one<T>(out, made), 0)...};
  }
  template <int T>
  static KROTON_INLINE void shift_one(states& now, values const& made) {
    auto& all = std::get<T>(now);
    for (std::size_t k = all.size() - 1; k > 0; --k) all[k] = all[k - 1];
    all[0] = std::get<T>(made);
  }
  template <int... T>
  static KROTON_INLINE void shift(states& now, values const& made,
                                  std::integer_sequence<int, T...>) {
    (void)expand{0, (shift_one<T>(now, made), 0)...};
  }
  template <int P>
  static KROTON_INLINE void advance_one(inputs& in) {
    if constexpr (is_sequence(P)) std::get<P>(in).at += std::get<P>(in).bytes;
  }
  template <int... P>
  static KROTON_INLINE void advance(inputs& in, std::integer_sequence<int, P...>) {
    (void)expand{0, (advance_one<P>(in), 0)...};
  }
  template <int T>
  static void give_one(auto const& s, states const& now) {
    if constexpr (facts::is_last_seen(T)) {
      // A copy: g++ 12 keeps a state whose bytes are copied in an integer register, which costs two
      // moves in each step.
      output_type<T> const last = std::get<T>(now)[0];
      std::memcpy(s.data_of_result(T), &last, sizeof(last));
    }
  }
  template <int... T>
  static void give_last(auto const& s, states const& now, std::integer_sequence<int, T...>) {
    (void)expand{0, (give_one<T>(s, now), 0)...};
  }
};

}  // namespace kroton::cpu
