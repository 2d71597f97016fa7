// How a recorder counts and reports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/chain.hpp>
#include <kroton/plan/bodies.hpp>
#include <kroton/print/describe.hpp>
#include <kroton/runtime/profile.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

namespace kroton::runtime {

KROTON_RUNTIME_INLINE recorder::recorder(kroton::graph optimized) {
  plan::planner const plan(optimized);
  for (auto const& step : plan.steps) {
    step_cost cost;
    for (int id : step.again) cost.ops.push_back(printing::op_text(optimized, id));
    for (int id : step.nodes) cost.ops.push_back(printing::op_text(optimized, id));
    if (step.kind != core::step_kind::loop) cost.ops = {printing::op_text(optimized, step.node)};
    for (auto const& op : cost.ops) cost.what += (cost.what.empty() ? "" : " ") + op;
    steps_.push_back(std::move(cost));
  }
}

KROTON_RUNTIME_INLINE void recorder::note(cpu::frame& f, int number, clock::time_point begin,
                                          clock::time_point end) {
  step_cost& cost = steps_[static_cast<std::size_t>(number)];
  double const seconds = std::chrono::duration<double>(end - begin).count();
  plan::step_info const& info = f.tables().steps[static_cast<std::size_t>(number)];
  cpu::step_view const s{f, info};
  if (!cpu::guards_hold(f, info)) return;  // its branch was not taken
  ++cost.calls;
  cost.seconds += seconds;
  keep(number, begin, seconds);
  if (core::is_view(info.kind)) return;
  auto size = [&](int v) { return static_cast<double>(f.value(v).size()); };
  for (int k = 0; k < info.operand_count; ++k)
    cost.bytes += size(s.operand(k)) * f.value(s.operand(k)).bytes;
  for (int k = 0; k < info.result_count; ++k)
    if (s.result(k) >= 0) cost.bytes += size(s.result(k)) * f.value(s.result(k)).bytes;
  if (info.kind == core::step_kind::loop) {
    double elements = 1;
    for (int d = 0; d < info.space_rank; ++d) elements *= static_cast<double>(f.extent(s.space(d)));
    cost.flops += elements * static_cast<double>(cost.ops.size());
  } else if (int const factors = core::factors_of(info.kind, info.operand_count); factors > 2) {
    cost.flops += 2 * cpu::chosen<cpu::chain_step>(s).multiplications;
  } else if (factors > 0) {
    core::array_ref const& a = f.value(s.operand(0));
    cost.flops += 2 * size(s.result(0)) * static_cast<double>(a.extents[a.rank - 1]);
  } else {
    cost.flops += size(s.result(0));
  }
}

KROTON_RUNTIME_INLINE void recorder::note_call(clock::time_point begin, clock::time_point end) {
  double const seconds = std::chrono::duration<double>(end - begin).count();
  ++calls_;
  seconds_ += seconds;
  keep(-1, begin, seconds);
}

KROTON_RUNTIME_INLINE void recorder::keep(int step, clock::time_point begin, double seconds) {
  constexpr std::size_t most = 100'000;
  if (events_.size() < most)
    events_.push_back(
        {step, std::chrono::duration<double, std::micro>(begin - start_).count(), seconds * 1e6});
}

namespace detail {

inline std::string number(char const* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}
/// One line of a table of costs.
inline void print_cost(std::ostream& out, step_cost const& c, double total) {
  out << number("%6.1f %%", total > 0 ? 100 * c.seconds / total : 0)
      << number(" %11.6f s", c.seconds) << number(" %9.0f", static_cast<double>(c.calls))
      << number(" %9.3f", c.seconds > 0 ? c.bytes / c.seconds * 1e-9 : 0)
      << number(" %9.3f", c.seconds > 0 ? c.flops / c.seconds * 1e-9 : 0) << "  " << c.what << '\n';
}
inline std::string quoted(std::string const& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace detail

KROTON_RUNTIME_INLINE void recorder::print(std::ostream& out) const {
  double const in_steps = std::accumulate(
      steps_.begin(), steps_.end(), 0.0, [](double sum, auto const& c) { return sum + c.seconds; });
  out << calls_ << " calls, " << detail::number("%.6f", seconds_) << " s, "
      << detail::number("%.1f", seconds_ > 0 ? 100 * in_steps / seconds_ : 0)
      << " % of it in steps\n";
  std::string const head = "   share     seconds       calls      GB/s   Gflop/s  ";
  auto by_cost = [](step_cost const& a, step_cost const& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.what < b.what;
  };

  out << head << "step\n";
  std::vector<step_cost> sorted = steps_;
  std::sort(sorted.begin(), sorted.end(), by_cost);
  for (auto const& c : sorted) detail::print_cost(out, c, in_steps);

  // The ops of a fused loop run together: each is attributed an equal part.
  out << head << "op (equal parts of its loops)\n";
  std::map<std::string, step_cost> ops;
  for (auto const& c : steps_)
    for (auto const& name : c.ops) {
      double const part = 1.0 / static_cast<double>(c.ops.size());
      step_cost& op = ops[name];
      op.what = name;
      op.calls += c.calls;
      op.seconds += part * c.seconds;
      op.bytes += part * c.bytes;
      op.flops += part * c.flops;
    }
  sorted.clear();
  for (auto const& entry : ops) sorted.push_back(entry.second);
  std::sort(sorted.begin(), sorted.end(), by_cost);
  for (auto const& c : sorted) detail::print_cost(out, c, in_steps);
}

KROTON_RUNTIME_INLINE void recorder::write_json(std::ostream& out) const {
  using detail::number;
  out << "{\"calls\": " << calls_ << ", \"seconds\": " << number("%.9g", seconds_)
      << ", \"steps\": [";
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    step_cost const& c = steps_[k];
    out << (k == 0 ? "\n" : ",\n") << "  {\"step\": " << detail::quoted(c.what)
        << ", \"calls\": " << c.calls << ", \"seconds\": " << number("%.9g", c.seconds)
        << ", \"bytes\": " << number("%.17g", c.bytes)
        << ", \"flops\": " << number("%.17g", c.flops) << ", \"ops\": [";
    for (std::size_t i = 0; i < c.ops.size(); ++i)
      out << (i == 0 ? "" : ", ") << detail::quoted(c.ops[i]);
    out << "]}";
  }
  out << "\n]}\n";
}

KROTON_RUNTIME_INLINE void recorder::write_trace(std::ostream& out) const {
  out << "{\"traceEvents\": [";
  for (std::size_t k = 0; k < events_.size(); ++k) {
    event const& e = events_[k];
    out << (k == 0 ? "\n" : ",\n") << "  {\"name\": "
        << detail::quoted(e.step < 0 ? "call" : steps_[static_cast<std::size_t>(e.step)].what)
        << ", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": " << detail::number("%.3f", e.begin)
        << ", \"dur\": " << detail::number("%.3f", e.duration) << "}";
  }
  out << "\n], \"displayTimeUnit\": \"ns\"}\n";
}

}  // namespace kroton::runtime
