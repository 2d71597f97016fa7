// Functions of run-time graphs: a program, a workspace, and the types of the outputs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/targets.hpp>
#include <kroton/function/target_faults.hpp>
#include <kroton/runtime/monitor.hpp>
#include <kroton/runtime/profile.hpp>
#include <kroton/runtime/run.hpp>
#include <kroton/runtime/supervisor.hpp>
#include <kroton/runtime/text.hpp>

#include <memory>
#include <string>

namespace kroton::runtime {

/// The result of kt::runtime::graph::function. Result is a container for one typed output, a
/// std::tuple of containers for several, and std::vector<kt::runtime::array> for outputs whose
/// types are known only at run time. Copies share the program and have separate workspaces, so one
/// copy per thread is safe.
template <class Result>
class function {
 public:
  /// For kt::runtime::graph. With a supervisor every call is checked, with a recorder every step is
  /// timed, and watchers see every step.
  explicit function(std::shared_ptr<program const> p,
                    std::shared_ptr<supervisor const> checked = nullptr, bool profiled = false,
                    step_watchers watchers = {})
      : program_(std::move(p)),
        supervisor_(std::move(checked)),
        watchers_(watchers),
        frame_(program_->tables()) {
    if (profiled) costs_ = std::make_unique<recorder>(program_->optimized());
    if (watchers.after != nullptr)
      monitor_ = std::make_unique<step_monitor>(program_->optimized(), watchers);
    observe();
  }
  function(function const& other)
      : function(other.program_, other.supervisor_, other.costs_ != nullptr, other.watchers_) {}
  function(function&&) = default;
  function& operator=(function other) {
    program_ = std::move(other.program_);
    supervisor_ = std::move(other.supervisor_);
    costs_ = std::move(other.costs_);
    watchers_ = other.watchers_;
    monitor_ = std::move(other.monitor_);
    frame_ = cpu::frame(program_->tables());
    observe();
    return *this;
  }

  /// Computes the outputs for arguments in the order of the function's inputs: numbers, xtensor
  /// expressions, ranges of numbers, kt::runtime::array. Throws kt::shape_error or kt::value_error
  /// naming the input.
  template <class... A>
  Result operator()(A const&... arguments) const {
    Result result{};
    into(result, arguments...);
    return result;
  }
  /// Computes into the caller's targets: a container or view, a std::tuple of them (std::tie), or a
  /// vector of arrays.
  template <class Out, class... A>
  void into(Out&& out, A const&... arguments) const {
    if constexpr (std::is_same_v<Result, std::vector<array>>) {
      bind_and_call(out, arguments...);
    } else {
      using values = decltype(values_of(std::declval<Result&>()));
      using target = std::conditional_t<cpu::is_tuple<Result>, std::remove_cvref_t<Out>, int>;
      constexpr int given = functions::count_of_targets<target>,
                    count = static_cast<int>(std::tuple_size_v<values>);
      static_assert(given == count || is_accepted<met::targets<given>, wanted::targets<count>>,
                    "kt::runtime: into takes one target for each output; tie several with "
                    "std::tie: f.into(std::tie(y, z), x)");
      if constexpr (given == count) {
        // Checked here and not deeper: clang prints the instantiation stack after an error.
        if constexpr (functions::takes_targets<
                          values, functions::given_targets<Out, cpu::is_tuple<Result>>>())
          bind_and_call(out, arguments...);
      }
    }
  }

  /// The same for arrays in a list, one for each input.
  void into(Result& out, core::items<array const*> arguments) const {
    run_or_abandon(*program_, [&] {
      auto const& parameters = program_->tables().parameters;
      check_count(static_cast<std::size_t>(arguments.size()));
      std::vector<bound_argument> bound;
      bound.reserve(static_cast<std::size_t>(parameters.size()));
      for (int k = 0; k < arguments.size(); ++k) {
        auto const position = static_cast<std::size_t>(k);
        bound.emplace_back(*arguments[k], parameters[position]);
        frame_.bind(k, bound.back().ref());
      }
      call(out);
    });
  }

  /// Writes the optimized graph as text, for kt::runtime::graph::read. Throws kt::value_error for
  /// ops of one's own.
  void write(std::ostream& to) const { write_graph(to, program_->optimized()); }

  /// The program, for printing.
  runtime::program const& compiled() const& { return *program_; }
  runtime::program const& compiled() && = delete;
  /// The executor, which is the function itself. For kt::profile.
  function const& executor() const { return *this; }
  /// The costs of the calls. Throws kt::value_error if the function was not made with
  /// kt::mode::profile.
  recorder const& costs() const {
    if (costs_ == nullptr)
      throw value_error("kt::profile: the function was not made with kt::mode::profile");
    return *costs_;
  }

 private:
  void observe() {
    if (costs_ != nullptr) frame_.observe(&costs_->timer());
    if (monitor_ != nullptr) frame_.observe(monitor_.get());
  }
  void check_count(std::size_t given) const {
    auto const count = static_cast<std::size_t>(program_->tables().parameters.size());
    if (given != count)
      throw value_error("the function has " + std::to_string(count) +
                        " inputs, but the call passes " + std::to_string(given));
  }
  template <class A>
  bound_argument bind(A const& given, std::size_t position) const {
    return bound_argument(given, program_->tables().parameters[position]);
  }
  // The values of the results.
  template <class Value>
  static std::tuple<Value> values_of(Value&);
  template <class... Value>
  static std::tuple<Value...> values_of(std::tuple<Value...>&);
  template <class Out, class... A>
  void bind_and_call(Out& out, A const&... arguments) const {
    run_or_abandon(*program_, [&] {
      check_count(sizeof...(A));
      std::size_t position = 0;
      [[maybe_unused]] auto next = [&] { return position++; };
      std::tuple<std::conditional_t<true, bound_argument, A>...> const bound{
          bind(arguments, next())...};
      std::size_t k = 0;
      std::apply([&](auto const&... b) { (frame_.bind(static_cast<int>(k++), b.ref()), ...); },
                 bound);
      call(out);
    });
  }
  template <class Out>
  void call(Out& out) const {
    if (supervisor_ != nullptr) check();
    auto const run_call = [&] {
      cpu::with_memory_errors([&] { run(out, static_cast<Result*>(nullptr)); });
    };
    if (costs_ == nullptr) run_call();
    else costs_->call(run_call);
  }
  // Runs the call separately and compares it with the graph as written.
  void check() const {
    std::vector<array> inputs, got;
    for (int p = 0; p < program_->tables().parameters.size(); ++p)
      inputs.push_back(
          array::copy_of(frame_.value(p), program_->tables().parameters[p].type.element));
    run_program(*program_, frame_, got);
    for (std::size_t p = 0; p < inputs.size(); ++p)
      if (!inputs[p].is_copy_of(frame_.value(static_cast<int>(p))))
        throw debug_error("kt::mode::debug: the call changed argument " + std::to_string(p + 1));
    supervisor_->check(inputs, got);
  }
  void run(std::vector<array>& out, std::vector<array>*) const {
    run_program(*program_, frame_, out);
  }
  template <class Out, class... Value>
  void run(Out& out, std::tuple<Value...>*) const {
    auto targets = std::apply([](auto&... target) { return std::tie(target...); }, out);
    run_into<Value...>(targets);
  }
  template <class Out, class Value>
  void run(Out& out, Value*) const {
    std::tuple<Out&> targets(out);
    run_into<Value>(targets);
  }
  template <class... Value, class Targets>
  void run_into(Targets& targets) const {
    std::tuple<> none;
    cpu::require_memory_of_their_own(targets, none, [](int) { return false; });
    run_program<Value...>(*program_, frame_, targets, none);
  }

  std::shared_ptr<program const> program_;
  std::shared_ptr<supervisor const> supervisor_;
  std::unique_ptr<recorder> costs_;
  step_watchers watchers_;
  std::unique_ptr<step_monitor> monitor_{};
  mutable cpu::frame frame_;
};

}  // namespace kroton::runtime
