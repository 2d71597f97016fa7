// How programs grow: loops, whose bodies are programs.
// SPDX-License-Identifier: BSD-3-Clause
#include "generate.hpp"

#include <algorithm>

namespace fuzz {

/// A loop as far as it is drawn.
struct generator::drawn_loop {
  call calls{};
  loop does{};
  long steps = -1;
  std::vector<int> read{};  // the values that are its operands
};

generator::generator(generator const& around, std::vector<argument> const& given, std::uint64_t seed)
    : dice_(seed), extents_(around.extents_), palette_(around.palette_), depth_(around.depth_ + 1) {
  for (argument const& a : given) {
    program_.arguments.push_back(a);
    terms_.push_back({&graph_, graph_.input(a.type, static_cast<int>(terms_.size()))});
    known_.push_back(a);
  }
  inputs_ = given;
}

bool generator::is_count(int v) const {
  return of(v).type == kt::tensor_type{kt::element::int64, 0, 0} && of(v).data[0] >= 0 && of(v).data[0] <= 6;
}

/// A row of a value; a row of ones where it has none.
argument generator::row_of(int v, long r) const {
  known const& whole = of(v);
  argument row;
  row.type = whole.type;
  --row.type.rank;
  row.type.broadcast >>= 1;
  row.shape.assign(whole.shape.begin() + 1, whole.shape.end());
  long count = 1;
  for (long e : row.shape) count *= e;
  if (r < 0 || r >= whole.shape[0]) row.data.assign(static_cast<std::size_t>(count), 1);
  else row.data.assign(whole.data.begin() + r * count, whole.data.begin() + (r + 1) * count);
  return row;
}

std::vector<int> generator::taps_of_sequence() {
  static std::vector<std::vector<int>> const all{{-1, 0}, {0, 1}, {-1, 0, 1}, {-2}, {1}, {0, 2}, {1, -1}};
  return dice_.one_in(3) ? dice_.pick(all) : std::vector<int>{0};
}

void generator::draw_sequences(drawn_loop& d, std::vector<int> const& given) {
  int const count = given.empty() ? dice_.pick({0, 1, 1, 1, 2, 2, 3}) : static_cast<int>(given.size());
  for (int k = 0; k < count; ++k) {
    int const v = given.empty() ? any_where(&generator::has_rows) : given[static_cast<std::size_t>(k)];
    if (v < 0) continue;
    std::vector<int> const taps = taps_of_sequence();
    int const earliest = std::min(0, *std::min_element(taps.begin(), taps.end())), latest = std::max(0, *std::max_element(taps.begin(), taps.end()));
    if (of(v).shape[0] < latest - earliest) continue;  // is refused
    long const rows = of(v).shape[0] - (latest - earliest);
    if (d.steps >= 0 && rows != d.steps && !dice_.one_in(4)) continue;
    d.steps = d.steps < 0 ? rows : std::min(d.steps, rows);
    d.does.sequences.push_back(taps);
    d.calls.operands.push_back(value(v));
    d.read.push_back(v);
    for (int t : taps) d.does.body.arguments.push_back(row_of(v, d.does.backwards ? of(v).shape[0] - 1 - latest + t : t - earliest));
  }
}

void generator::draw_results(drawn_loop& d) {
  static std::vector<std::vector<int>> const several{{-2, -1}, {-1, -2}, {-2}, {-1, -3}, {-3, -2, -1}};
  int const states = dice_.pick({0, 1, 1, 1, 2, 2, 3}), count = std::max(1, states + dice_.pick({0, 0, 1, 1, 2}));
  for (int k = 0; k < count; ++k) {
    std::vector<int> taps;
    if (k < states) {
      taps = dice_.one_in(4) ? dice_.pick(several) : std::vector<int>{-1};
      bool const has_rows = taps != std::vector<int>{-1};
      int const v = has_rows ? any_where(&generator::has_rows) : dice_.one_in(4) ? any() : any_real();
      int const reach = -*std::min_element(taps.begin(), taps.end());
      if (v < 0 || of(v).type.rank > (has_rows ? 4 : 3)) continue;
      if (has_rows && of(v).shape[0] < reach && !dice_.one_in(20)) continue;
      if (!has_rows && is_real(v) && dice_.one_in(8)) {
        d.calls.operands.push_back(dice_.pick({number(0), number(1), number(0.5)}));
        d.does.body.arguments.push_back({{kt::element::float64, 0, 0}, {}, {static_cast<real>(d.calls.operands.back().number)}});
      } else {
        d.calls.operands.push_back(value(v));
        d.read.push_back(v);
        for (int t : taps) d.does.body.arguments.push_back(has_rows ? row_of(v, reach + t) : of(v));
      }
    }
    d.does.results.push_back(taps);
  }
}

void generator::draw_steps(drawn_loop& d) {
  d.does.counted = d.does.sequences.empty() || dice_.one_in(5);
  if (!d.does.counted) return;
  int const v = any_where(&generator::is_count), most = d.steps < 0 ? 5 : static_cast<int>(d.steps);
  if (v >= 0 && dice_.one_in(2)) {
    d.calls.operands.push_back(value(v));
    d.read.push_back(v);
  } else {
    d.calls.operands.push_back(whole(dice_.one_in(30) ? most + 1 : most - dice_.below(std::min(most + 1, 3))));
  }
}

void generator::draw_constants(drawn_loop& d) {
  int const count = dice_.pick({0, 1, 1, 2, 2, 3});
  for (int k = 0; k < count; ++k) {
    int const matrix = dice_.one_in(2) ? any_where(&generator::is_matrix) : -1, v = matrix >= 0 ? matrix : any();
    d.calls.operands.push_back(value(v));
    d.read.push_back(v);
    d.does.body.arguments.push_back(of(v));
  }
  d.does.listed = dice_.one_in(2) ? 0 : dice_.below(count + 1);
}

/// What a body makes of a state: a value of its type and shape.
int generator::next_state(int state) {
  known const was = of(state);
  auto fits = [&](int v) {
    known const& x = of(v);
    return x.type.element == was.type.element && x.type.rank == was.type.rank && x.shape == was.shape;
  };
  for (int tries = 0; tries < 6; ++tries)
    if (int const v = any(); fits(v) && (!program_.is_argument(v) || dice_.one_in(10))) {
      int const bounded = is_real(v) && dice_.one_in(2) ? f(dice_.pick({"tanh", "sin", "sigmoid", "atan"}), v) : v;
      return fits(bounded) ? bounded : v;
    }
  if (is_real(state))
    for (int tries = 0; tries < 6; ++tries)
      if (int const v = f(dice_.pick({"+", "-", "*", "maximum"}), with("*", state, dice_.pick({0.5, -0.5, 1.})), beside(state)); fits(v)) return v;
  return state;
}

void generator::draw_body(drawn_loop& d) {
  generator body(*this, d.does.body.arguments, static_cast<std::uint64_t>(dice_.below(1 << 30)));
  int const calls = 1 + dice_.below(6);
  for (int k = 0; k < calls; ++k) {
    if (body.dice_.one_in(5)) body.product();
    body.next();
  }
  int state = 0;
  for (auto const& taps : d.does.sequences) state += static_cast<int>(taps.size());
  for (auto const& taps : d.does.results) {
    int result = taps.empty() ? body.any() : body.next_state(state);
    // An argument is a result now and then.
    if (taps.empty() && body.program_.is_argument(result) && !dice_.one_in(6)) result = body.program_.size() - 1;
    body.program_.outputs.push_back(result);
    state += static_cast<int>(taps.size());
  }
  d.does.body = body.program_;
}

/// A loop over some values, or over given ones, and what a program makes of its results.
void generator::loop_over(std::vector<int> const& sequences) {
  drawn_loop d;
  d.calls.kind = call_kind::loop;
  d.does.backwards = dice_.one_in(4);
  d.does.only_last = dice_.one_in(6);
  if (dice_.one_in(12)) d.does.truncate = 1 + dice_.below(3);
  if (dice_.one_in(5)) (dice_.one_in(2) ? d.does.checkpoint : d.does.snapshots) = 1 + dice_.below(3);
  draw_sequences(d, sequences);
  draw_results(d);
  draw_steps(d);
  if (d.does.results.empty()) return;
  int const symbols = static_cast<int>(d.read.size());
  draw_constants(d);
  // The graph of a loop is that of its arguments.
  if ((symbols == 0 && d.does.listed == 0) || d.does.body.arguments.empty()) return;
  draw_body(d);
  d.calls.loops = {d.does};
  int const count = static_cast<int>(d.does.results.size()), first = dice_.below(count);
  std::vector<int> made;
  for (int k = 0; k < count; ++k) {
    d.calls.function = (first + k) % count;
    int const v = add(d.calls, -1);
    if (v < 0) return;
    made.push_back(v);
    if (dice_.one_in(2)) break;
  }
  for (int v : made) after_loop(d, v);
  if (sequences.empty() && !d.does.sequences.empty() && dice_.one_in(4)) {
    std::vector<int> again;
    for (std::size_t k = 0; k < d.does.sequences.size(); ++k) again.push_back(d.calls.operands[k].value);
    loop_over(again);
  }
}

/// Reads of the last row, totals over the steps, and gradients.
void generator::after_loop(drawn_loop const& d, int v) {
  int const rank = of(v).type.rank;
  if (rank > 0 && dice_.one_in(3)) {
    call last;
    last.kind = call_kind::subtensor;
    last.operands = {value(v)};
    last.index.resize(static_cast<std::size_t>(rank));
    last.index[0].code = 1;
    last.index[0].begin = {false, false, -1};
    v = add(last, v);
  } else if (rank > 0 && dice_.one_in(3)) {
    v = reduce(dice_.pick({"sum", "sum", "max", "prod"}), v, {0}, false);
  }
  if (d.read.empty() || !is_real(v) || !dice_.one_in(2)) return;
  std::vector<int> axes;
  for (int k = 0; k < of(v).type.rank; ++k) axes.push_back(k);
  int const cost = axes.empty() ? v : reduce("sum", dice_.one_in(2) ? f("sin", v) : v, axes, false), wrt = dice_.pick(d.read);
  if (is_real(wrt) && of(cost).type.rank == 0) gradient_of(cost, wrt);
}

}  // namespace fuzz
