// Runs a scan: the program of its body, step by step, on rows of the arrays outside.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/scan/loop_rows.hpp>
#include <kroton/cpu/call/steps.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/ops/loop/layout.hpp>

#include <memory>
#include <vector>

namespace kroton::cpu {

/// The program of a body, compiled or interpreted: the functions receive the frame and `self`.
struct body_code {
  program_tables const& tables;
  items<int> outputs;
  void const* self;
  void (*lay_out)(frame&, void const* self);  // of a step whose parameters are bound
  void (*run)(frame&, void const* self);
};

/// That of a body that is a part of a compiled program.
template <class Body>
body_code code_of_body();

/// Where the frame and the arrays of a loop are. Another target has the same members.
struct host_side {
  using frame = cpu::frame;
  using block = memory_block;
  static void copy(array_ref const& to, array_ref const& from) { copy_array(to, from); }
  static void copy_bytes(std::byte* to, std::byte const* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
  }
  /// A value that the body has computed, and whether one that is a condition holds.
  static array_ref const& computed(frame& f, int v) { return f.value(v); }
  static bool holds(frame& f, int v) { return f.value(v).data[0] != std::byte{0}; }
};

/// Where the operands and results of a step that is a loop stand.
inline ops::scan_layout layout_of(step_view const& s) {
  return ops::scan_layout(
      {s.f.tables().pool.first + s.info.first + s.info.operand_count + s.info.result_count +
           s.info.space_rank,
       s.info.attribute_count});
}

/// An array without its first axis: its first row.
inline array_ref first_row(array_ref const& a) {
  array_ref row = a;
  row.rank = a.rank - 1;
  for (int d = 0; d < row.rank; ++d) {
    row.extents[d] = a.extents[d + 1];
    row.strides[d] = a.strides[d + 1];
  }
  return row;
}

/// The rows of a stack, as many as a loop has done steps.
inline array_ref& shape_stack(step_view const& s, int result, std::byte* rows,
                              std::ptrdiff_t done) {
  value_info const& info = s.f.tables().values[s.result(result)];
  array_ref& stack = s.f.value(s.result(result));
  for (int d = 0; d < stack.rank; ++d) stack.extents[d] = s.f.extent(info.extents[d]);
  stack.extents[0] = done;
  stack.make_contiguous_strides();
  stack.data = rows;
  return stack;
}
/// Stores how many steps a loop has done, where something needs it.
inline void store_count(step_view const& s, int result, std::ptrdiff_t steps) {
  std::int64_t const count = steps;
  if (int const v = s.result(result); v >= 0)
    std::memcpy(s.f.value(v).data, &count, sizeof(count));
}
/// Tells who watches how many steps a loop has done.
inline void count_steps(step_view const& s, std::ptrdiff_t done) {
  if (step_observer* const observer = s.f.observer()) observer->count_steps(s.number(), done);
}
/// Whether the step itself has memory for a result.
inline bool is_grown(step_view const& s, int result) {
  return s.result(result) >= 0 && s.f.tables().values[s.result(result)].where == storage::grown;
}

/// Whether a step computes a state in the memory of the one before, of which it changes a part.
constexpr bool is_overwritten(ops::scan_layout const& at, int tape, value_info const& output) {
  return tape < at.states() && at.taps(tape) == 1 && at.tap(tape, 0) == -1 &&
         output.where == storage::buffer && output.output == tape &&
         plan::overwritten_parameters(output.detail).changed == at.tap_input(tape, 0);
}

/// Whether a step may compute a state where the one before lies. Of those that go further back, the
/// earliest row would do: one row less of several, for steps that wait for what they overwrite.
constexpr bool is_replaced(ops::scan_layout const& at, int tape, value_info const& output) {
  return tape < at.states() && at.reach(tape) == 1 && output.where == storage::buffer &&
         output.output == tape &&
         plan::overwritten_parameters(output.detail).gives(at.tap_input(tape, 0));
}
/// How many rows there are of what nobody sees all rows of.
constexpr int rows_of_ring(ops::scan_layout const& at, int tape, value_info const& output) {
  return is_replaced(at, tape, output) ? 1 : at.reach(tape) + 1;
}

/// Where the one row of a state lies: where its last value is stored or its start was, or in memory
/// of its own. Steps of few elements take longer where these are not aligned.
template <class Block>
std::byte* place_of_state(step_view const& s, ops::scan_layout const& at, int tape,
                          std::size_t bytes, Block& own) {
  int const operand = at.tape_operand(tape), result = s.result(tape);
  if (result >= 0 && s.f.value(result).contiguous()) {
    std::byte* const last = s.f.value(result).data;
    bool const is_aligned = reinterpret_cast<std::uintptr_t>(last) % machine::line == 0;
    if (is_aligned || bytes >= machine::min_unaligned_state) return last;
  }
  value_info const& start = s.f.tables().values[s.operand(operand)];
  bool const is_mine = start.detail == plan::spent_start(s.number());
  return start.where == storage::buffer && is_mine ? s.array(operand).data : own.room(bytes);
}

/// Takes steps; errors say which one it was.
template <class Steps>
KROTON_INLINE void with_number_in_errors(std::ptrdiff_t const& step, Steps const& take) {
  auto in_words = [&](error const& e) {
    return message({"step ", step, " of a scan: ", e.what()});
  };
  try {
    take();
  } catch (value_error const& e) {
    throw value_error(in_words(e));
  } catch (shape_error const& e) {
    throw shape_error(in_words(e));
  } catch (linalg_error const& e) { throw linalg_error(in_words(e)); }
}

/// What a frame keeps of a scan from call to call: the frame of the body, and the memory of what
/// the arrays outside have no room for: of states of which nobody sees all steps, a few rows, and
/// of stacks whose number of rows a condition decides, all of them.
template <class Side>
class scan_run {
 public:
  /// The frame of the body is made of the last arguments.
  template <class... Frame>
  explicit scan_run(step_view const& s, Frame const&... frame)
      : inner_(frame...), layout_(layout_of(s)) {
    auto const tapes = static_cast<std::size_t>(layout_.tapes());
    stores_.resize(tapes);
    rings_.resize(tapes);
    grown_.resize(tapes);
    to_.resize(tapes);
  }

  void run(body_code const& body, step_view const& s) {
    std::ptrdiff_t const steps = core::as_extent(s.integer(layout_.steps_operand));
    observe(s);
    if (steps > 0) bind_all(s);
    take_steps(body, s, 0, steps);
  }
  /// Takes the steps that another way of running the loop has left, which has looked at the
  /// operands of the first of them.
  void resume(body_code const& body, step_view const& s, interrupted_scan<Side>& from) {
    observe(s);
    bind_all(s);
    for (int tape = 0; tape < layout_.tapes(); ++tape) {
      auto const t = static_cast<std::size_t>(tape);
      stores_[t] = from.rows[t];
      to_[t] = from.written[t];
      std::swap(grown_[t], from.grown[t]);
      if (!is_seen(s, tape) && is_overwritten(layout_, tape, output_info(body, tape)))
        read_in_place(tape);
    }
    for (cursor& c : cursors_) {
      row_cursor const& read = from.read[static_cast<std::size_t>(c.parameter)];
      array_ref& value = inner_.value(c.parameter);
      c.at = value.data = read.at;
      c.bytes = read.bytes;
      value.make_contiguous_strides();
    }
    take_steps(body, s, from.step, core::as_extent(s.integer(layout_.steps_operand)));
  }

 private:
  // A parameter of the body that is another row in each step. A state is read from its start until
  // the step that reads what step 0 has made of it.
  struct cursor {
    int parameter = 0;
    std::byte* at = nullptr;
    std::ptrdiff_t bytes = 0;  // from row to row
    int tape = -1;             // of a state
    std::ptrdiff_t turn = 0;   // the step from which on rows are read that the scan has made
  };

  void observe(step_view const& s) {
    step_observer* const observer = s.f.observer();
    inner_.observe(observer == nullptr ? nullptr : observer->of_body(s.number()));
    inner_.part_bands(inner_.observer() == nullptr);
  }
  // From a step on whose parameters are bound.
  void take_steps(body_code const& body, step_view const& s, std::ptrdiff_t first,
                  std::ptrdiff_t steps) {
    std::ptrdiff_t step = first;
    with_number_in_errors(step, [&] {
      for (bool goes_on = true; goes_on && step < steps; ++step) {
        if (step > first) advance(s, step);
        body.lay_out(inner_, body.self);
        if (step == 0) place_stores(body, s, steps);
        take(body);
        goes_on = !layout_.stops() || !Side::holds(inner_, body.outputs[layout_.tapes()]);
      }
    });
    give_last_values(s, step);
    if (layout_.stops()) give_stacks(s, step);
    count_steps(s, step);
  }

  void bind_all(step_view const& s) {
    cursors_.clear();
    for (int i = 0; i < layout_.sequences(); ++i) {
      array_ref const& all = s.array(layout_.sequence_operand(i));
      bind(layout_.sequence_input(i), first_row(all));
      cursors_.push_back({layout_.sequence_input(i), all.data, all.strides[0] * all.bytes, -1, 0});
    }
    for (int tape = 0; tape < layout_.states(); ++tape) bind_state(s, tape);
    for (int i = 0; i < layout_.non_sequences(); ++i)
      bind(layout_.non_sequence_input(i), s.array(layout_.non_sequence_operand(i)));
  }
  void bind_state(step_view const& s, int tape) {
    array_ref const& start = s.array(layout_.tape_operand(tape));
    bool const has_rows = layout_.kind(tape) == ops::tape_kind::mit_sot;
    std::ptrdiff_t const bytes = has_rows ? start.strides[0] * start.bytes : 0;
    for (int k = 0; k < layout_.taps(tape); ++k) {
      int const parameter = layout_.tap_input(tape, k), back = -layout_.tap(tape, k);
      array_ref row = has_rows ? first_row(start) : start;
      if (row.data != nullptr) row.data += (layout_.reach(tape) - back) * bytes;
      bind(parameter, row);
      cursors_.push_back({parameter, row.data, bytes, tape, back});
    }
  }
  void bind(int parameter, array_ref const& to) { inner_.bind(parameter, to); }

  // Where each step leaves its results, once the extents of the body are known.
  void place_stores(body_code const& body, step_view const& s, std::ptrdiff_t steps) {
    for (int tape = 0; tape < layout_.tapes(); ++tape) {
      row_store& store = stores_[static_cast<std::size_t>(tape)];
      array_ref const row = row_of(body, s, tape);
      bool const is_seen = this->is_seen(s, tape);
      to_[static_cast<std::size_t>(tape)] = nullptr;
      if (tape >= layout_.states() && !is_seen && !is_computed_there(body, tape)) continue;
      store.bytes = row.size() * row.bytes;
      if (!is_seen && is_overwritten(layout_, tape, output_info(body, tape))) {
        begin_overwritten(s, tape);
      } else if (is_grown(s, tape)) {
        grown_[static_cast<std::size_t>(tape)].begin(store.bytes);
        make_room(tape, 0);
      } else if (is_seen) {
        store = row_store::of_stack(s.f.value(s.result(tape)).data, store.bytes, steps,
                                    layout_.is_backwards(tape));
      } else {
        begin_ring(body, s, tape);
      }
      to_[static_cast<std::size_t>(tape)] = store.base;
    }
  }
  bool is_seen(step_view const& s, int tape) const {
    return s.result(tape) >= 0 && !layout_.is_shared(tape);
  }
  // Who watches the steps sees what they have read.
  void begin_ring(body_code const& body, step_view const& s, int tape) {
    row_store& store = stores_[static_cast<std::size_t>(tape)];
    auto& own = rings_[static_cast<std::size_t>(tape)];
    bool const is_watched = inner_.observer() != nullptr;
    store.keep = is_watched ? layout_.reach(tape) + 1
                            : rows_of_ring(layout_, tape, output_info(body, tape));
    auto const bytes = static_cast<std::size_t>(store.bytes * store.keep);
    bool const is_one = tape < layout_.states() && store.keep == 1;
    store.base = is_one ? place_of_state(s, layout_, tape, bytes, own) : own.room(bytes);
  }
  // The start lies where the last value will, and every one in between.
  void begin_overwritten(step_view const& s, int tape) {
    row_store& store = stores_[static_cast<std::size_t>(tape)];
    store.keep = 1;
    array_ref row = s.array(layout_.tape_operand(tape));
    array_ref const start = row;
    row.data = place_of_state(s, layout_, tape, static_cast<std::size_t>(store.bytes),
                              rings_[static_cast<std::size_t>(tape)]);
    row.make_contiguous_strides();
    if (row.data != start.data) Side::copy(row, start);
    store.base = row.data;
    inner_.value(layout_.tap_input(tape, 0)) = row;
    read_in_place(tape);
  }
  // A state that each step overwrites does not move.
  void read_in_place(int tape) {
    int const parameter = layout_.tap_input(tape, 0);
    for (cursor& c : cursors_)
      if (c.parameter == parameter)
        c = {parameter, stores_[static_cast<std::size_t>(tape)].base, 0, -1, 0};
  }
  // For another row after the first `rows`.
  void make_room(int tape, std::ptrdiff_t rows) {
    growing_rows<Side>& grown = grown_[static_cast<std::size_t>(tape)];
    row_store& store = stores_[static_cast<std::size_t>(tape)];
    if (grown.room() <= rows) grown.grow();
    store.base = grown.data();
    store.keep = grown.room();
    if (rows == 0) return;
    to_[static_cast<std::size_t>(tape)] = store.row(rows - 1);
    for (cursor& c : cursors_)
      if (c.tape == tape && rows > c.turn) c.at = store.row(rows - 1 - c.turn);
  }
  // A state's row is like its start, that of an output like those of the result, if there is one.
  array_ref row_of(body_code const& body, step_view const& s, int tape) {
    if (tape >= layout_.states() && is_grown(s, tape))
      return first_row(shape_stack(s, tape, nullptr, 0));
    if (tape >= layout_.states() && s.result(tape) >= 0)
      return first_row(s.f.value(s.result(tape)));
    if (tape >= layout_.states()) return inner_.value(body.outputs[tape]);
    array_ref const& start = s.array(layout_.tape_operand(tape));
    return layout_.kind(tape) == ops::tape_kind::mit_sot ? first_row(start) : start;
  }

  // Whether a body computes a result where it is told to.
  static value_info const& output_info(body_code const& body, int tape) {
    return body.tables.values[body.outputs[tape]];
  }
  static bool is_computed_there(body_code const& body, int tape) {
    return output_info(body, tape).output == tape;
  }

  void advance(step_view const& s, std::ptrdiff_t step) {
    for (int tape = 0; layout_.stops() && tape < layout_.tapes(); ++tape)
      if (is_grown(s, tape) && stores_[static_cast<std::size_t>(tape)].keep == step)
        make_room(tape, step);
    for (cursor& c : cursors_) {
      array_ref& value = inner_.value(c.parameter);
      if (c.tape < 0 || step < c.turn) {
        c.at += c.bytes;
      } else if (row_store const& store = stores_[static_cast<std::size_t>(c.tape)];
                 step > c.turn) {
        c.at = store.next(c.at);
      } else {
        c.at = store.base;
        value.make_contiguous_strides();
      }
      value.data = c.at;
    }
    for (std::size_t tape = 0; tape < to_.size(); ++tape)
      if (to_[tape] != nullptr) to_[tape] = stores_[tape].next(to_[tape]);
  }
  void take(body_code const& body) {
    for (int tape = 0; tape < layout_.tapes(); ++tape)
      if (is_computed_there(body, tape))
        inner_.value(body.outputs[tape]).data = to_[static_cast<std::size_t>(tape)];
    inner_.join_companions();
    body.run(inner_, body.self);
    for (int tape = 0; tape < layout_.tapes(); ++tape) {
      std::byte* const to = to_[static_cast<std::size_t>(tape)];
      if (to == nullptr || is_computed_there(body, tape)) continue;
      array_ref const& from = Side::computed(inner_, body.outputs[tape]);
      array_ref row = from;
      row.data = to;
      row.make_contiguous_strides();
      Side::copy(row, from);
    }
  }
  void give_last_values(step_view const& s, std::ptrdiff_t steps) {
    for (int tape = 0; tape < layout_.states(); ++tape) {
      if (!layout_.is_shared(tape) || s.result(tape) < 0) continue;
      array_ref const& to = s.f.value(s.result(tape));
      array_ref last = to;
      if (steps == 0) last = s.array(layout_.tape_operand(tape));
      else last.data = stores_[static_cast<std::size_t>(tape)].row(steps - 1);
      if (last.data != to.data) Side::copy(to, last);
    }
  }

  void give_stacks(step_view const& s, std::ptrdiff_t steps) {
    for (int tape = 0; tape < layout_.tapes(); ++tape)
      if (is_grown(s, tape))
        shape_stack(s, tape, grown_[static_cast<std::size_t>(tape)].data(), steps);
    store_count(s, layout_.tapes(), steps);
  }

  typename Side::frame inner_;
  ops::scan_layout layout_;
  std::vector<cursor> cursors_;
  std::vector<row_store> stores_;
  std::vector<typename Side::block> rings_;
  std::vector<growing_rows<Side>> grown_;
  std::vector<std::byte*> to_;  // where each result of the current step is stored
};

/// Runs a step whose body has this program.
inline void run_scan(step_view const& s, body_code const& body) {
  std::shared_ptr<void>& kept = s.f.kept(s.number()).made;
  if (!kept) kept = std::make_shared<scan_run<host_side>>(s, body.tables);
  static_cast<scan_run<host_side>*>(kept.get())->run(body, s);
}

}  // namespace kroton::cpu
