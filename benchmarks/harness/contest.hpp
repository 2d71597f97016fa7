// A contest: programs for one task, checked against each other and then timed in turn.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.hpp"

#include <functional>
#include <limits>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>

namespace bench {

/// Makes the compiler know nothing of a scalar, which stays in its register.
[[gnu::always_inline]] inline void touch(double& value) { asm volatile("" : "+x"(value)); }
[[gnu::always_inline]] inline void touch(float& value) { asm volatile("" : "+x"(value)); }
/// Makes the compiler compute a value, and all memory that it refers to.
[[gnu::always_inline]] inline void use(double value) { asm volatile("" : : "x"(value)); }
[[gnu::always_inline]] inline void use(float value) { asm volatile("" : : "x"(value)); }
template <class T>
[[gnu::always_inline]] inline void use(T const& value) {
  asm volatile("" : : "m"(value) : "memory");
}

/// Runs a task so many times.
using repeated = std::function<void(std::size_t)>;

/// A callable as a loop around it, so that no call through a pointer is timed.
template <class Run>
repeated loop_of(Run run) {
  return [run = std::move(run)](std::size_t n) mutable {
    for (std::size_t i = 0; i < n; ++i) {
      run();
      asm volatile("" ::: "memory");
    }
  };
}

/// Values as doubles: of a number, of a range, of a tuple of both, or of a callable that gives one.
template <class V>
void append_values(std::vector<double>& to, V const& v) {
  if constexpr (std::is_arithmetic_v<V>)
    to.push_back(static_cast<double>(v));
  else if constexpr (std::ranges::range<V>)
    for (auto const& x : v) append_values(to, x);
  else if constexpr (requires { std::tuple_size<V>::value; })
    std::apply([&](auto const&... parts) { (append_values(to, parts), ...); }, v);
  else
    append_values(to, v());
}

/// Contestants of one case. The first that has values is the one the others are checked against.
class contest {
 public:
  /// What to measure: a case of a table.
  contest(program& p, std::string title, unit u, std::string column, double items)
      : program_(p), title_(std::move(title)), unit_(std::move(u)), active_(p.selected(title_, column) && !p.skips(items)) {
    column_.label = std::move(column);
    column_.items = items;
  }

  /// False where the filter leaves the case out; then nothing need be prepared.
  explicit operator bool() const { return active_; }

  /// The largest difference allowed, relative to 1 + |value|.
  contest& tolerance(double t) {
    tolerance_ = t;
    return *this;
  }
  /// Values are checked after so many runs: steps of a model in training.
  contest& checked_after(std::size_t runs) {
    runs_before_check_ = runs;
    return *this;
  }
  /// The array that every contestant writes to; it is overwritten before each check.
  template <class Array>
  contest& output(Array& shared) {
    read_shared_ = [&shared] {
      std::vector<double> v;
      append_values(v, shared);
      return v;
    };
    spoil_ = [&shared] {
      using value = std::ranges::range_value_t<Array>;
      for (auto& x : shared) x = std::numeric_limits<value>::quiet_NaN();
    };
    return *this;
  }

  /// A contestant that writes to the common output.
  template <class Run>
  void add(std::string name, Run run) {
    add_repeated(std::move(name), as_loop(std::move(run)), read_shared_, spoil_);
  }
  /// A contestant with values of its own: anything append_values takes. They are read after it has run, so arrays are kept
  /// by reference; callables are copied.
  template <class Run, class Values>
  void add(std::string name, Run run, Values&& values) {
    auto read = [kept = keep(std::forward<Values>(values))] {
      std::vector<double> v;
      append_values(v, kept());
      return v;
    };
    add_repeated(std::move(name), as_loop(std::move(run)), read, {});
  }
  /// A contestant whose values are not those of the task, such as calls of BLAS alone.
  template <class Run>
  void add_unchecked(std::string name, Run run) {
    add_repeated(std::move(name), as_loop(std::move(run)), {}, {});
  }

  /// Checks, times, and hands the case to the program.
  void measure();

 private:
  struct contestant {
    std::string name;
    repeated run;
    std::function<std::vector<double>()> values;
    std::function<void()> spoil;
    std::size_t repeat = 1;
    std::vector<double> samples{};
  };

  template <class Run>
  static repeated as_loop(Run run) {
    if constexpr (std::is_same_v<Run, repeated>)
      return run;
    else
      return loop_of(std::move(run));
  }
  template <class Values>
  static auto keep(Values&& values) {
    using type = std::remove_cvref_t<Values>;
    constexpr bool holds_values = std::ranges::range<type> || std::is_arithmetic_v<type> || requires {
      std::tuple_size<type>::value;
    };
    if constexpr (std::is_lvalue_reference_v<Values> && holds_values) return [&values]() -> auto const& {
        return values;
      };
    else
      return [values = std::forward<Values>(values)]() -> auto const& { return values; };
  }
  void add_repeated(std::string name, repeated run, std::function<std::vector<double>()> values, std::function<void()> spoil);

  void check();
  void calibrate();
  std::size_t baseline() const;

  program& program_;
  std::string title_;
  bench::unit unit_;
  bool active_;
  bench::column column_;
  double tolerance_ = 1e-12;
  std::size_t runs_before_check_ = 1;
  std::function<std::vector<double>()> read_shared_;
  std::function<void()> spoil_;
  std::vector<contestant> contestants_;
};

}  // namespace bench
