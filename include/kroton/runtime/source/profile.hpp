// How a recorder counts and reports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/chain.hpp>
#include <kroton/runtime/profile.hpp>
#include <kroton/runtime/source/step_texts.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

namespace kroton::runtime {

namespace detail {

/// The steps of an optimized graph, which have cost nothing yet.
inline std::vector<step_cost> steps_without_costs(kroton::graph optimized) {
  std::vector<step_cost> costs;
  plan::planner const plan(optimized);
  for (auto const& step : plan.steps) {
    step_cost cost;
    cost.ops = op_texts(optimized, step);
    cost.what = joined(cost.ops);
    if (step.kind == core::step_kind::scan)
      cost.body = steps_without_costs(optimized.body(optimized.attribute(step.node, 0)));
    costs.push_back(std::move(cost));
  }
  return costs;
}
/// Whether the steps of a loop's body have been taken one by one.
inline bool is_body_timed(step_cost const& loop) {
  return std::any_of(loop.body.begin(), loop.body.end(), [](auto const& c) { return c.calls > 0; });
}
/// The ops of a loop of which the compiler has made one piece of code.
inline std::vector<std::string> ops_inside(step_cost const& loop) {
  std::vector<std::string> ops;
  for (step_cost const& c : loop.body) {
    std::vector<std::string> const inside = c.body.empty() ? c.ops : ops_inside(c);
    ops.insert(ops.end(), inside.begin(), inside.end());
  }
  return ops;
}

}  // namespace detail

KROTON_RUNTIME_INLINE recorder::recorder(kroton::graph const& optimized)
    : steps_(detail::steps_without_costs(optimized)), timer_(*this) {}

KROTON_RUNTIME_INLINE void step_timer::end(cpu::frame& f, int number) {
  double const seconds = std::chrono::duration<double>(clock::now() - begin_).count();
  step_cost& cost = costs_[static_cast<std::size_t>(number)];
  plan::step_info const& info = f.tables().steps[static_cast<std::size_t>(number)];
  cpu::step_view const s{f, info};
  if (!cpu::guards_hold(f, info)) return;  // its branch was not taken
  ++cost.calls;
  cost.seconds += seconds;
  if (core::is_view(info.kind)) return;
  auto size = [&](int v) { return static_cast<double>(f.value(v).size()); };
  for (int k = 0; k < info.operand_count; ++k)
    cost.bytes += size(s.operand(k)) * f.value(s.operand(k)).bytes;
  for (int k = 0; k < info.result_count; ++k)
    if (s.result(k) >= 0) cost.bytes += size(s.result(k)) * f.value(s.result(k)).bytes;
  if (info.kind == core::step_kind::scan) {
    cost.flops = 0;
    for (step_cost const& inner : cost.body) cost.flops += inner.flops;
  } else if (info.kind == core::step_kind::loop) {
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

KROTON_RUNTIME_INLINE void recorder::outer_timer::end(cpu::frame& f, int number) {
  double const seconds = std::chrono::duration<double>(clock::now() - began()).count();
  long const& calls = of_.steps_[static_cast<std::size_t>(number)].calls;
  long const before = calls;
  step_timer::end(f, number);
  if (calls > before) of_.keep(number, began(), seconds);
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
/// One line of a table of costs.
inline void print_cost(std::ostream& out, step_cost const& c, double total,
                       std::string const& indent = "") {
  out << number("%6.1f %%", total > 0 ? 100 * c.seconds / total : 0)
      << number(" %11.6f s", c.seconds) << number(" %9.0f", static_cast<double>(c.calls))
      << number(" %9.3f", c.seconds > 0 ? c.bytes / c.seconds * 1e-9 : 0)
      << number(" %9.3f", c.seconds > 0 ? c.flops / c.seconds * 1e-9 : 0) << "  " << indent
      << c.what;
}
inline bool costs_more(step_cost const& a, step_cost const& b) {
  return a.seconds != b.seconds ? a.seconds > b.seconds : a.what < b.what;
}
/// The lines of steps and, below each loop, those of its body.
inline void print_steps(std::ostream& out, std::vector<step_cost> steps, double total,
                        std::string const& indent = "") {
  std::sort(steps.begin(), steps.end(), costs_more);
  for (step_cost const& c : steps) {
    print_cost(out, c, total, indent);
    if (c.body.empty()) {
      out << '\n';
      continue;
    }
    out << ": " << c.steps << (c.steps == 1 ? " step" : " steps");
    if (c.steps > 0)
      out << number(" of %.4g us", c.seconds / static_cast<double>(c.steps) * 1e6);
    if (is_body_timed(c)) {
      out << '\n';
      print_steps(out, c.body, total, indent + "  ");
    } else {
      out << ", one piece of code for";
      for (std::string const& op : ops_inside(c)) out << ' ' << op;
      out << '\n';
    }
  }
}
/// Adds the costs of each op. The ops of a fused loop run together: each is attributed an equal
/// part. Of a loop over steps this is what the steps of its body leave.
inline void add_ops(std::map<std::string, step_cost>& ops, std::vector<step_cost> const& steps) {
  for (step_cost const& c : steps) {
    step_cost own = c;
    bool const timed = is_body_timed(c);
    if (timed) add_ops(ops, c.body);
    for (step_cost const& inner : c.body)
      if (timed) own.seconds -= inner.seconds, own.flops -= inner.flops;
    if (!c.body.empty() && !timed) own.ops = ops_inside(c);
    double const part = 1.0 / static_cast<double>(own.ops.size());
    for (std::string const& name : own.ops) {
      step_cost& op = ops[name];
      op.what = name;
      op.calls += own.calls;
      op.seconds += part * own.seconds;
      op.bytes += part * own.bytes;
      op.flops += part * own.flops;
    }
  }
}
/// A list of steps, each with those of its body.
inline void write_steps(std::ostream& out, std::vector<step_cost> const& steps) {
  for (std::size_t k = 0; k < steps.size(); ++k) {
    step_cost const& c = steps[k];
    out << (k == 0 ? "\n" : ",\n") << "  {\"step\": " << quoted(c.what)
        << ", \"calls\": " << c.calls << ", \"seconds\": " << number("%.9g", c.seconds)
        << ", \"bytes\": " << number("%.17g", c.bytes)
        << ", \"flops\": " << number("%.17g", c.flops) << ", \"ops\": [";
    for (std::size_t i = 0; i < c.ops.size(); ++i)
      out << (i == 0 ? "" : ", ") << quoted(c.ops[i]);
    out << ']';
    if (!c.body.empty()) {
      out << ", \"steps_done\": " << c.steps << ", \"body\": [";
      write_steps(out, c.body);
      out << ']';
    }
    out << '}';
  }
}
}  // namespace detail

KROTON_RUNTIME_INLINE void recorder::print(std::ostream& out) const {
  double const in_steps = std::accumulate(
      steps_.begin(), steps_.end(), 0.0, [](double sum, auto const& c) { return sum + c.seconds; });
  out << calls_ << " calls, " << detail::number("%.6f", seconds_) << " s, "
      << detail::number("%.1f", seconds_ > 0 ? 100 * in_steps / seconds_ : 0)
      << " % of it in steps\n";
  std::string const head = "   share     seconds       calls      GB/s   Gflop/s  ";
  out << head << "step\n";
  detail::print_steps(out, steps_, in_steps);

  out << head << "op (equal parts of its loops)\n";
  std::map<std::string, step_cost> ops;
  detail::add_ops(ops, steps_);
  std::vector<step_cost> sorted;
  for (auto const& entry : ops) sorted.push_back(entry.second);
  std::sort(sorted.begin(), sorted.end(), detail::costs_more);
  for (auto const& c : sorted) {
    detail::print_cost(out, c, in_steps);
    out << '\n';
  }
}

KROTON_RUNTIME_INLINE void recorder::write_json(std::ostream& out) const {
  using detail::number;
  out << "{\"calls\": " << calls_ << ", \"seconds\": " << number("%.9g", seconds_)
      << ", \"steps\": [";
  detail::write_steps(out, steps_);
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
