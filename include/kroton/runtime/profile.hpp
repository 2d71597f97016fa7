// kt::mode::profile: timing of every step of a function, and reports.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/file.hpp>
#include <kroton/function/function.hpp>
#include <kroton/function/types.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace kroton {
namespace runtime {

/// The cost of a function's step so far.
struct step_cost {
  std::string what;              // `gemm`, or the ops of a fused loop
  std::vector<std::string> ops;  // one by one
  long calls = 0;
  double seconds = 0;
  double bytes = 0;  // of operands read and results written
  double flops = 0;  // arithmetic operations; a function such as exp counts as one
  long steps = 0;    // that a scan has done
  /// Those of a scan. They have no calls where the compiler has made one piece of code of the loop.
  std::vector<step_cost> body{};
};

/// Times the steps of a program, and those of its loops.
class step_timer : public cpu::step_observer {
 public:
  explicit step_timer(std::vector<step_cost>& costs) : costs_(costs) {
    for (step_cost& c : costs)
      bodies_.push_back(c.body.empty() ? nullptr : std::make_unique<step_timer>(c.body));
  }
  void begin(cpu::frame&, int) override { begin_ = clock::now(); }
  void end(cpu::frame& f, int number) override;
  cpu::step_observer* of_body(std::size_t number) override { return bodies_[number].get(); }
  void count_steps(std::size_t number, std::ptrdiff_t done) override {
    costs_[number].steps += static_cast<long>(done);
  }

 protected:
  using clock = std::chrono::steady_clock;
  clock::time_point began() const { return begin_; }

 private:
  std::vector<step_cost>& costs_;
  std::vector<std::unique_ptr<step_timer>> bodies_;
  clock::time_point begin_{};
};

/// Collects the costs of a function's calls. Copies of the function have separate recorders.
class recorder {
 public:
  /// For the steps of an optimized graph's plan.
  explicit recorder(kroton::graph const& optimized);

  /// The observer for the frame of the function.
  cpu::step_observer& timer() { return timer_; }
  /// Times a whole call.
  template <class Call>
  void call(Call const& run) {
    auto const begin = clock::now();
    run();
    note_call(begin, clock::now());
  }

  long calls() const { return calls_; }
  double seconds() const { return seconds_; }
  std::vector<step_cost> const& steps() const { return steps_; }
  /// A table: per step and per op, with shares, the most expensive first. Of a loop it has the
  /// number of steps, the time of one, and what its body's steps have cost.
  void print(std::ostream& out) const;
  void write_json(std::ostream& out) const;
  /// The first calls as events in the format of browsers' trace viewers (chrome://tracing,
  /// Perfetto).
  void write_trace(std::ostream& out) const;

 private:
  using clock = std::chrono::steady_clock;
  struct event {
    int step;  // -1: a call
    double begin, duration;  // microseconds
  };
  // Steps of the function itself are events, too.
  class outer_timer : public step_timer {
   public:
    explicit outer_timer(recorder& of) : step_timer(of.steps_), of_(of) {}
    void end(cpu::frame& f, int number) override;

   private:
    recorder& of_;
  };
  void note_call(clock::time_point begin, clock::time_point end);
  void keep(int step, clock::time_point begin, double seconds);

  std::vector<step_cost> steps_;
  outer_timer timer_;
  std::vector<event> events_;
  clock::time_point start_ = clock::now();
  long calls_ = 0;
  double seconds_ = 0;
};

}  // namespace runtime

namespace functions {

/// kt::mode::profile
template <class F, class Mode, int Bound, class... P>
class executor<execution::profiled, F, Mode, Bound, P...> {
  using program = freeze::program<F, Mode, Bound, P...>;

 public:
  static constexpr bool is_scalar = false;
  executor()
      : recorder_(std::make_unique<runtime::recorder>(
            Mode::prepare(tracer<F, std::tuple<P...>>::run()))) {
    frame_.observe(&recorder_->timer());
  }
  executor(executor const&) : executor() {}
  executor& operator=(executor const&) { return *this; }

  template <class Targets, class SharedTuple, class... A>
  void run(Targets& targets, SharedTuple& shared, A const&... arguments) {
    recorder_->call([&] {
      bind_all(frame_, shared, arguments...);
      run_program<program>(frame_, targets, shared, recorder_->timer());
    });
  }
  template <class Call>
  static KROTON_INLINE void run_or_abandon(Call const& call) {
    cpu::run_or_abandon<program>(call);
  }
  runtime::recorder const& costs() const { return *recorder_; }
  static constexpr program_tables const& tables() { return tables_storage<program>; }

 private:
  program_frame<program> frame_;
  std::unique_ptr<runtime::recorder> recorder_;
};

}  // namespace functions

namespace runtime {

inline void check_written(std::ostream& out) {
  if (!out.flush()) throw file_error("kt::profile: the stream cannot be written");
}

}  // namespace runtime

/// A function that was made with kt::mode::profile.
template <class F>
concept profiled = requires(F const& f) {
  { f.executor().costs() } -> std::same_as<runtime::recorder const&>;
};

/// Prints the costs of a profiled function's calls: seconds, calls, bytes and arithmetic operations
/// of every step and every op, and their shares, the most expensive first. Throws kt::file_error if
/// the stream fails. (Theano's profile)
template <profiled F>
void profile(F const& f, std::ostream& out = std::cout) {
  f.executor().costs().print(out);
  runtime::check_written(out);
}
/// The same as JSON: an object with `calls`, `seconds` and a list `steps`.
template <profiled F>
void profile_json(F const& f, std::ostream& out) {
  f.executor().costs().write_json(out);
  runtime::check_written(out);
}
/// The first calls as a timeline for a browser's trace viewer.
template <profiled F>
void profile_trace(F const& f, std::ostream& out) {
  f.executor().costs().write_trace(out);
  runtime::check_written(out);
}

}  // namespace kroton
