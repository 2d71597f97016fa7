// kt::mode::monitor: callables that see every step of a function.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/function.hpp>
#include <kroton/function/types.hpp>
#include <kroton/runtime/array.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kroton {

/// A step of a call, as the callables of kt::mode::monitor see it.
class monitored_step {
 public:
  monitored_step(cpu::frame& f, int number, std::string const& what, int depth)
      : frame_(f), number_(number), what_(what), depth_(depth) {}

  /// Its position in the plan of the function, or of the body of a loop.
  int number() const { return number_; }
  /// 0 for steps of the function itself, 1 for those of the body of a loop in it, and so on.
  int depth() const { return depth_; }
  /// Its ops: `gemm`, or those of a fused loop.
  std::string const& what() const { return what_; }
  int operand_count() const { return static_cast<int>(values(false).size()); }
  int result_count() const { return static_cast<int>(values(true).size()); }
  /// Copies of the arrays. Before the step, results hold what their memory held.
  runtime::array operand(int k) const { return copy_of(values(false), k); }
  runtime::array result(int k) const { return copy_of(values(true), k); }
  /// Whether an element of a result is NaN. (Theano's detect_nan)
  bool has_nan() const;

 private:
  /// Without results that nothing needs.
  std::vector<int> values(bool results) const;
  runtime::array copy_of(std::vector<int> const& values, int k) const;

  cpu::frame& frame_;
  int number_;
  std::string const& what_;
  int depth_;
};

namespace runtime {

/// What is called before and after every step.
struct step_watchers {
  using watcher = void (*)(monitored_step const&);
  watcher before = nullptr, after = nullptr;
};
/// Those of a mode; none unless it is kt::mode::monitor.
template <class Mode>
constexpr step_watchers watchers_of() {
  if constexpr (Mode::run == execution::monitored) {
    using before = typename Mode::before;
    using after = typename Mode::after;
    constexpr bool takes_steps = std::is_invocable_v<before const&, monitored_step const&> &&
                                 std::is_invocable_v<after const&, monitored_step const&>;
    static_assert(takes_steps, "kt::mode::monitor: the callables take a kt::monitored_step");
    if constexpr (takes_steps)
      return {[](monitored_step const& step) { before{}(step); },
              [](monitored_step const& step) { after{}(step); }};
  }
  return {};
}

/// Calls them for the steps of a program, and for those of its loops.
class step_monitor : public cpu::step_observer {
 public:
  /// For the steps of an optimized graph's plan.
  step_monitor(kroton::graph const& optimized, step_watchers watchers, int depth = 0);

  void begin(cpu::frame& f, int number) override { show(f, number, watchers_.before); }
  void end(cpu::frame& f, int number) override { show(f, number, watchers_.after); }
  cpu::step_observer* of_body(std::size_t number) override { return bodies_[number].get(); }
  void count_steps(std::size_t, std::ptrdiff_t) override {}

 private:
  void show(cpu::frame& f, int number, step_watchers::watcher to) const;

  step_watchers watchers_;
  int depth_;
  std::vector<std::string> names_{};
  std::vector<std::unique_ptr<step_monitor>> bodies_{};
};

}  // namespace runtime

namespace functions {

/// kt::mode::monitor
template <class F, class Mode, int Bound, class... P>
class executor<execution::monitored, F, Mode, Bound, P...> {
  using program = freeze::program<F, Mode, Bound, P...>;

 public:
  static constexpr bool is_scalar = false;
  executor()
      : monitor_(std::make_unique<runtime::step_monitor>(
            Mode::prepare(tracer<F, std::tuple<P...>>::run()), runtime::watchers_of<Mode>())) {
    frame_.observe(monitor_.get());
  }
  executor(executor const&) : executor() {}
  executor& operator=(executor const&) { return *this; }

  template <class Targets, class SharedTuple, class... A>
  void run(Targets& targets, SharedTuple& shared, A const&... arguments) {
    bind_all(frame_, shared, arguments...);
    run_program<program>(frame_, targets, shared, *monitor_);
  }
  template <class Call>
  static KROTON_INLINE void run_or_abandon(Call const& call) {
    cpu::run_or_abandon<program>(call);
  }
  static constexpr program_tables const& tables() { return tables_storage<program>; }

 private:
  program_frame<program> frame_;
  std::unique_ptr<runtime::step_monitor> monitor_;
};

}  // namespace functions
}  // namespace kroton
