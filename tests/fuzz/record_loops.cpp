// Recording: loops, whose sequences, states and results are counted at run time.
// SPDX-License-Identifier: BSD-3-Clause
#include "record.hpp"

namespace fuzz {

namespace {

using kt::core::list;

list<int> list_of(std::vector<int> const& all) {
  list<int> made;
  for (int x : all) made.push_back(x);
  return made;
}

/// One call of kt::scan, as that records it.
class loop_recording {
 public:
  loop_recording(kt::graph& g, call const& c, std::vector<kt::term> const& values) : loop_(c.loops[0]), call_(c), values_(values), made_(g) {
    made_.truncate = loop_.truncate;
    made_.counted = loop_.counted;
    made_.snapshots = loop_.snapshots;
    if (loop_.checkpoint > 0) made_.length_of_segments = kt::ops::integer(g, loop_.checkpoint);
  }

  kt::term run() {
    if (!add_operands()) {
      made_.g.fail("the fuzzer: a loop over what has no rows");
      return values_[0];
    }
    list<int> results;
    call_body(results);
    while (made_.widen(results)) call_body(results);
    made_.record(formals_, results);
    kt::term const found = made_.given(call_.function);
    return found.exists() ? found : values_[0];
  }

 private:
  operand const& next() { return call_.operands[next_++]; }
  kt::term value_of(operand const& o) const { return values_[static_cast<std::size_t>(o.value)]; }

  bool add_operands() {
    for (auto const& taps : loop_.sequences) {
      kt::term const x = value_of(next());
      if (x.rank() == 0) return false;
      kt::ops::add_sequence(made_.sequences, x, list_of(taps), loop_.backwards, !loop_.counted);
    }
    std::size_t input = static_cast<std::size_t>(made_.sequences.size());
    for (auto const& taps : loop_.results) {
      kt::ops::recorded_tape tape;
      if (!taps.empty()) add_state(tape, taps, next(), loop_.body.arguments[input].type.element);
      if (tape.kind == kt::ops::tape_kind::mit_sot && made_.g.type(tape.start).rank == 0) return false;
      input += taps.size();
      made_.tapes.push_back(tape);
    }
    if (loop_.counted) add_steps(next());
    else made_.steps = kt::ops::steps_of(made_.g, made_.sequences);
    for (int k = 0; next_ < call_.operands.size(); ++k) {
      kt::term const x = value_of(next());
      if (k < loop_.listed) made_.constants.push_back(x.id);
      else captured_.push_back(x);
    }
    return true;
  }
  void add_state(kt::ops::recorded_tape& tape, std::vector<int> const& taps, operand const& start, kt::element e) {
    bool const has_rows = taps != std::vector<int>{-1};
    tape.kind = has_rows ? kt::ops::tape_kind::mit_sot : loop_.only_last ? kt::ops::tape_kind::shared : kt::ops::tape_kind::sit_sot;
    tape.taps = list_of(taps);
    tape.only_last = loop_.only_last;
    tape.start = start.is_number() ? made_.g.literal(start.number, e) : value_of(start).id;
    tape.broadcast = made_.g.type(tape.start).broadcast >> (has_rows ? 1 : 0);
  }
  void add_steps(operand const& count) {
    kt::graph& g = made_.g;
    int const id = count.is_number() ? g.literal(static_cast<long long>(count.number), kt::element::int64) : value_of(count).id;
    made_.steps = {&g, g.cast(id, kt::element::int64)};
  }
  void call_body(list<int>& results) {
    formals_ = made_.formals();
    std::vector<kt::term> inner;
    for (int id : formals_) inner.push_back({&made_.g, id});
    inner.insert(inner.end(), captured_.begin(), captured_.end());
    for (call const& c : loop_.body.calls) inner.push_back(record(made_.g, c, inner));
    results.clear();
    for (int v : loop_.body.outputs) results.push_back(inner[static_cast<std::size_t>(v)].id);
  }

  loop const& loop_;
  call const& call_;
  std::vector<kt::term> const& values_;
  kt::ops::scan_recording made_;
  std::vector<kt::term> captured_;
  list<int> formals_;
  std::size_t next_ = 0;
};

}  // namespace

kt::term record_loop(kt::graph& g, call const& c, std::vector<kt::term> const& values) { return loop_recording(g, c, values).run(); }

}  // namespace fuzz
