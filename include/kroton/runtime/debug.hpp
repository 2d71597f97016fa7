// kt::mode::debug: every call is compared with the expression as written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime/executor.hpp>
#include <kroton/runtime/supervisor.hpp>

namespace kroton {

namespace runtime {

/// Assigns an output of a call to the caller's target.
template <class Target, class Value>
void assign(Target& target, Value const& value) {
  if constexpr (number<Value>) {
    cpu::store_scalar(target, value);
  } else {
    std::vector<std::ptrdiff_t> const extents(value.shape().begin(), value.shape().end());
    cpu::shape_target(target, extents.data(), extents.size());
    cpu::assign_elements(target, value);
  }
}

}  // namespace runtime

namespace functions {

/// kt::mode::debug and debug_finite. The shared variables are updated only if all checks pass.
template <execution Run, class F, class Mode, int Bound, class... P>
  requires(Run == execution::debugged || Run == execution::debugged_finite)
class executor<Run, F, Mode, Bound, P...> {
  using results = result_variables_t<decltype(std::declval<F>()(std::declval<P>()...))>;

 public:
  static constexpr bool is_scalar = false;
  executor() {
    graph written = runtime::traced<F, Bound, P...>();
    // The new values of updates are additional outputs.
    for (auto const& u : written.updates()) {
      updated_.push_back(static_cast<std::size_t>(u.parameter) -
                         (sizeof...(P) - static_cast<std::size_t>(Bound)));
      written.results().push_back(u.value);
    }
    written.updates().clear();
    supervisor_ = std::make_shared<runtime::supervisor>(
        std::move(written), Mode::last, Mode::options(), bound_of<Mode>());
  }

  template <class Targets, class SharedTuple, class... A>
  void run(Targets& targets, SharedTuple& shared, A const&... arguments) {
    run_on(targets, shared, static_cast<results*>(nullptr), arguments...);
  }
  template <class Call>
  void run_or_abandon(Call const& call) const {
    compiled_.run_or_abandon(call);
  }
  program_tables const& tables() const { return compiled_.tables(); }

 private:
  template <class Targets, class SharedTuple, class... V, class... A>
  void run_on(Targets& targets, SharedTuple& shared, std::tuple<V...>*, A const&... arguments) {
    std::vector<runtime::array> inputs;
    (inputs.push_back(
         runtime::array::copy_of(arguments.ref(), element_of<typename A::value_type>())),
     ...);
    std::apply([&](auto const&... s) { (inputs.emplace_back(s.storage()), ...); }, shared);

    std::tuple<container_t<value_type_of<V>, rank_of<V>>...> values;
    auto tied = std::apply([](auto&... value) { return std::tie(value...); }, values);
    auto trial = std::apply(
        [](auto const&... s) {
          return std::tuple(std::remove_cvref_t<decltype(s)>(s.storage())...);
        },
        shared);
    compiled_.run(tied, trial, arguments...);  // its errors are the caller's

    std::size_t k = 0;
    [[maybe_unused]] auto check = [&](auto const& argument) {
      if (!inputs[k++].is_copy_of(argument.ref()))
        throw debug_error("kt::mode::debug: the call changed argument " + std::to_string(k));
    };
    (check(arguments), ...);
    std::vector<runtime::array> got;
    std::apply([&](auto const&... value) { (got.emplace_back(value), ...); }, values);
    for (std::size_t u : updated_)
      each(trial, [&](std::size_t s, auto const& variable) {
        if (s == u) got.emplace_back(variable.storage());
      });
    supervisor_->check(inputs, got);

    give(targets, values, std::index_sequence_for<V...>{});
    // Only updated variables: another copy may be reading the others, and a variable may be bound
    // twice.
    [&]<std::size_t... S>(std::index_sequence<S...>) {
      for (std::size_t u : updated_)
        ((S == u ? void(std::get<S>(shared).storage() = std::get<S>(trial).storage()) : void()),
         ...);
    }(std::make_index_sequence<static_cast<std::size_t>(Bound)>{});
  }
  template <class Tuple, class Visit>
  static void each(Tuple& tuple, Visit visit) {
    std::size_t k = 0;
    std::apply([&](auto&... element) { (visit(k++, element), ...); }, tuple);
  }
  template <class Targets, class Values, std::size_t... K>
  static void give(Targets& targets, Values const& values, std::index_sequence<K...>) {
    (runtime::assign(std::get<K>(targets), std::get<K>(values)), ...);
  }

  std::shared_ptr<runtime::supervisor const> supervisor_;
  std::vector<std::size_t> updated_;  // which shared variables, in the order of the updates
  executor<execution::compiled, F, Mode, Bound, P...> compiled_;
};

}  // namespace functions
}  // namespace kroton
