// Modes that interpret: a static function whose lambda is traced, optimized and run at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/function.hpp>
#include <kroton/runtime/make.hpp>
#include <kroton/runtime/run.hpp>

#include <memory>

namespace kroton {
namespace runtime {

/// Records a lambda's call on fresh parameters as a graph. Throws kt::value_error for an update of
/// a parameter that is not bound.
template <class F, int Bound, class... P>
kroton::graph traced() {
  kroton::graph g = freeze::trace<F, P...>();
  for (auto const& u : g.updates())
    if (u.parameter < static_cast<int>(sizeof...(P)) - Bound)
      throw value_error(
          "update: only a parameter bound to a kt::shared can be updated; pass the shared variable "
          "to kt::function");
  return opened(g);
}

/// A lambda's program, with the types of its outputs.
template <class F, int Bound, class... P>
class interpreted_program {
  using results = core::result_variables_t<decltype(std::declval<F>()(std::declval<P>()...))>;

 public:
  interpreted_program(stage last, rewrite::rewrite_options const& options)
      : program_(make_program(traced<F, Bound, P...>(), last, options)),
        frame_(program_->tables()) {}
  interpreted_program(interpreted_program const& other)
      : program_(other.program_), frame_(program_->tables()) {}
  interpreted_program& operator=(interpreted_program const&) {
    return *this;
  }  // of the same lambda and mode

  template <class Targets, class SharedTuple, class... A>
  void run(Targets& targets, SharedTuple& shared, A const&... arguments) {
    cpu::bind_all(frame_, shared, arguments...);
    run_on(targets, shared, static_cast<results*>(nullptr));
  }
  template <class Call>
  void run_or_abandon(Call const& call) const {
    runtime::run_or_abandon(*program_, call);
  }
  program const& compiled() const { return *program_; }
  plan::program_tables const& tables() const { return program_->tables(); }

 private:
  template <class Targets, class SharedTuple, class... V>
  void run_on(Targets& targets, SharedTuple& shared, std::tuple<V...>*) {
    auto tied = std::apply([](auto&... target) { return std::tie(target...); }, targets);
    run_program<cpu::container_t<value_type_of<V>, rank_of<V>>...>(*program_, frame_, tied, shared);
  }

  std::shared_ptr<program const> program_;
  cpu::frame frame_;
};

}  // namespace runtime

namespace functions {

/// kt::mode::interpret
template <class F, class Mode, int Bound, class... P>
class executor<execution::interpreted, F, Mode, Bound, P...>
    : public runtime::interpreted_program<F, Bound, P...> {
 public:
  static constexpr bool is_scalar = false;
  executor() : runtime::interpreted_program<F, Bound, P...>(Mode::last, Mode::options()) {}
};

}  // namespace functions
}  // namespace kroton
