// Runs the calls of a compiled function: as numbers only, bypassing the frame, or in the frame.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/abandon.hpp>
#include <kroton/cpu/call/direct/call.hpp>
#include <kroton/cpu/call/direct/elements.hpp>
#include <kroton/cpu/call/direct/scalars.hpp>
#include <kroton/cpu/call/run.hpp>
#include <kroton/function/mode.hpp>

namespace kroton::functions {

/// An executor runs the calls of a function. There is one for each kind of execution; those that
/// need the interpreter are defined in kroton/runtime.hpp.
template <execution Run, class F, class Mode, int Bound, class... P>
class executor;

/// The compiled kernels. Each copy of an executor has its own workspace.
template <class F, class Mode, int Bound, class... P>
class executor<execution::compiled, F, Mode, Bound, P...> {
  using program = freeze::program<F, Mode, Bound, P...>;
  using target = typename Mode::target;
  static constexpr bool scalar = target::is_host && is_scalar_program<program, true>(),
                        of_elements = target::is_host && is_element_program<program>(),
                        direct = target::is_host && !scalar && !of_elements &&
                                 is_direct_program<program>();

 public:
  executor() = default;
  executor(executor const&) {}
  executor& operator=(executor const&) { return *this; }

  /// The outputs of a call with cpu::argument objects.
  template <class Outputs, class SharedTuple, class... A>
    requires(scalar)
  KROTON_INLINE Outputs values(SharedTuple& shared, A const&... arguments) {
    return scalar_call<program>::template values<Outputs>(shared, arguments.value()...);
  }
  /// The same, written into targets.
  template <class Targets, class SharedTuple, class... A>
  void run(Targets& targets, SharedTuple& shared, A const&... arguments) {
    if constexpr (scalar) {
      scalar_call<program>::run(targets, shared, arguments.value()...);
    } else if constexpr (of_elements) {
      if (!element_call<program>::run(targets, shared, arguments...))
        run_in_frame(targets, shared, arguments...);
    } else if constexpr (direct) {
      if (!direct_call<program>::run(memory_, targets, shared, arguments...))
        run_in_frame(targets, shared, arguments...);
    } else {
      run_in_frame(targets, shared, arguments...);
    }
  }
  /// Runs a call of the function, from its arguments to its results, and tells the ops that are to
  /// know where it throws.
  template <class Call>
  static KROTON_INLINE void run_or_abandon(Call const& call) {
    cpu::run_or_abandon<program>(call);
  }

  static constexpr program_tables const& tables() { return tables_storage<program>; }
  /// What keeps a call whose extents a frame has laid out in the frame; nothing where it is small.
  static std::string needs_frame([[maybe_unused]] frame& f) {
    if constexpr (of_elements) return {};
    else if constexpr (direct) return direct_call<program>::needs_frame(f);
    else return text_of<program>(cpu::needs_frame<program>());
  }
  /// How many rows of a band go together in a small call of these extents; 0 without one.
  static std::ptrdiff_t rows_together([[maybe_unused]] frame& f) {
    if constexpr (direct) return direct_call<program>::rows_together(f);
    else return 0;
  }
  /// Whether simple calls bypass the frame; whether they are a plain function of numbers, or of the
  /// elements of arrays; and, for tests, whether the last call was laid out in the frame.
  static constexpr bool is_direct = direct || of_elements, is_scalar = scalar,
                        is_of_elements = of_elements;
  bool has_used_frame() const
    requires(!scalar)
  {
    return frame_.is_laid_out();
  }

 private:
  struct nothing {};

  template <class Targets, class SharedTuple, class... A>
  [[gnu::noinline]] void run_in_frame(Targets& targets, SharedTuple& shared,
                                      A const&... arguments) {
    bind_all(frame_, shared, arguments...);
    run_program<program>(frame_, targets, shared);
  }

  // The workspace is not part of a function's value.
  using frame_type = typename target::template frame<program>;
  [[no_unique_address]] std::conditional_t<scalar, no_frame, frame_type> frame_;
  [[no_unique_address]] std::conditional_t<direct, direct_memory<program>, nothing> memory_;
};

}  // namespace kroton::functions
