// Modes: which passes and rules a function is compiled with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/target.hpp>
#include <kroton/function/catalogue.hpp>
#include <kroton/loops/optimize.hpp>
#include <kroton/loops/outer_extents.hpp>

#include <array>
#include <limits>
#include <optional>
#include <type_traits>

namespace kroton {

/// How a function runs: by its compiled kernels; by the interpreter of the run-time stage; by both,
/// compared; by its kernels with timing; or by them with callables before and after every step.
enum class execution { compiled, interpreted, debugged, debugged_finite, profiled, monitored };

/// What a mode asks of a device, as bits; see docs/cuda.md.
enum class device_option : unsigned { tf32 = 1, deterministic = 2, no_transfers = 4 };

/// A mode with options for devices, which others do not look at.
template <class Mode, unsigned Options>
struct with_device_options;

namespace functions {

template <double Bound>
struct bounded;

/// Names of rules, books or catalogue ids.
template <text... Names>
struct name_list {
  static constexpr std::array<std::string_view, sizeof...(Names)> value{Names.view()...};

  template <text... More>
  using with = name_list<Names..., More...>;
};

/// The passes that prepare the plan, in bodies, too.
constexpr graph with_products(graph g, rewrite_options const& options) {
  if (!g.bodies().empty())
    g = rewrite::with_bodies(g, [&](graph const& body) { return with_products(body, options); });
  return run_passes(std::move(g), compile_passes, options);
}

constexpr graph prepare_here(graph const& g, stage last, rewrite_options const& options) {
  graph optimized = loops::runnable(g, last, options);
  if (last != stage::as_written)
    optimized = with_products(loops::with_outer_extents(std::move(optimized)), options);
  return optimized;
}
graph prepare_in_library(graph const& g, stage last, rewrite_options const& options);
/// The whole optimizer up to a stage, then the passes that prepare the plan.
constexpr graph prepare(graph const& g, stage last, rewrite_options const& options) {
  if (!KROTON_HAS_LIBRARY || KROTON_IN_COMPILER) return prepare_here(g, last, options);
  else return prepare_in_library(g, last, options);
}

/// Rejects a name that a mode cannot exclude, with a sentence.
template <text Name>
constexpr void check_rewrite_name() {
  constexpr bool is_known = is_known_rewrite(Name.view()),
                 is_form = is_known && !can_be_left_out(Name.view());
  static_assert(
      is_known,
      "kt::mode: no rule, pass, book or catalogue id has this name; docs/rewrites.md lists them");
  static_assert(!is_form,
                "kt::mode: this pass defines the form of a graph and cannot be excluded");
}

}  // namespace functions

/// A mode is a constant of a distinct type. It specifies how a function runs, how far the optimizer
/// goes, whether it may assume real numbers, which rules are excluded or kept, and which of the
/// user's books it reads.
template <execution Run, stage Last, bool Ieee, class Excluded, class Included,
          auto const&... Books>
struct mode_t {
  using kroton_mode = mode_t;
  using target = cpu::target;
  static constexpr execution run = Run;

  /// This mode without some rules: `kt::mode::fast_run.excluding<"softplus", "C26">()`.
  template <text... Names>
  constexpr auto excluding() const {
    (functions::check_rewrite_name<Names>(), ...);
    return mode_t<Run, Last, Ieee, typename Excluded::template with<Names...>, Included,
                  Books...>{};
  }
  /// This mode with some of the excluded rules restored:
  /// `mode.excluding<"stabilize">().including<"log1p">()`.
  template <text... Names>
  constexpr auto including() const {
    (functions::check_rewrite_name<Names>(), ...);
    return mode_t<Run, Last, Ieee, Excluded, typename Included::template with<Names...>,
                  Books...>{};
  }
  /// This mode with the user's own rules, a `constexpr` object made by `kt::rules`.
  template <auto const& Rules>
  constexpr auto with() const {
    return mode_t<Run, Last, Ieee, Excluded, Included, Books..., Rules>{};
  }

  /// kt::mode::debug_finite with a bound: an op that computes a value of greater size from operands
  /// within it is an error as well: `kt::mode::debug_finite.within<1e10>()`. (big_is_error of
  /// Theano's NanGuardMode)
  template <auto Bound>
  constexpr auto within() const {
    static_assert(Run == execution::debugged_finite && Bound > 0,
                  "kt::mode: a positive bound belongs to debug_finite: "
                  "kt::mode::debug_finite.within<1e10>()");
    return typename functions::bounded<static_cast<double>(Bound)>::template mode<mode_t>{};
  }

  /// This mode on a device whose products of float32 may be computed in TF32, which has the
  /// exponent of float32 and the precision of half. Options for devices stand behind others.
  constexpr auto tf32() const {
    return with_device_options<mode_t, 0>{}.tf32();
  }
  /// This mode on a device where equal calls give equal bits: sums whose order would be left to the
  /// device have one, or are computed on the host.
  constexpr auto deterministic() const {
    return with_device_options<mode_t, 0>{}.deterministic();
  }
  /// This mode on a device, where a step that has no form for it is refused, by its op, in place of
  /// being run on the host.
  constexpr auto no_transfers() const {
    return with_device_options<mode_t, 0>{}.no_transfers();
  }
  /// Whether a mode has an option for devices.
  static constexpr bool has(device_option) { return false; }

  /// Runs the optimizer up to a stage, or to the mode's last stage if that is earlier.
  static constexpr graph optimize(graph const& g, stage up_to = Last) {
    return loops::optimize(g, up_to < Last ? up_to : Last, options());
  }
  /// Runs the whole optimizer, gathers chains of products and finds the products for BLAS. The
  /// result is planned and compiled.
  static constexpr graph prepare(graph const& g) { return functions::prepare(g, Last, options()); }
  /// How far the optimizer goes.
  static constexpr stage last = Last;
  /// The options of the optimizer.
  static constexpr rewrite::rewrite_options options() {
    rewrite::rewrite_options options;
    options.ieee = Ieee;
    options.excluded = Excluded::value;
    options.included = Included::value;
    options.extra = {books.data(), sizeof...(Books)};
    return options;
  }

 private:
  static constexpr std::array<rewrite::book_view, sizeof...(Books) + 1> books{
      rewrite::book_view(Books)...};
};

template <class Mode, unsigned Options>
struct with_device_options : Mode {
  using kroton_mode = with_device_options;
  constexpr auto tf32() const { return adding<device_option::tf32>(); }
  constexpr auto deterministic() const { return adding<device_option::deterministic>(); }
  constexpr auto no_transfers() const { return adding<device_option::no_transfers>(); }
  static constexpr bool has(device_option o) { return (Options & static_cast<unsigned>(o)) != 0; }

 private:
  template <device_option Option>
  static constexpr auto adding() {
    return with_device_options<Mode, Options | static_cast<unsigned>(Option)>{};
  }
};

namespace mode {

/// Everything: assumes real numbers, as Theano does (`x * 0`, `x / x`, `exp(log(x))` simplify). The
/// default.
inline constexpr mode_t<execution::compiled, stage::specialize, false, functions::name_list<>,
                        functions::name_list<>>
    fast_run{};
/// Every value, infinity, NaN and sign of zero is that of the expression as written, up to
/// rounding. Rules for real numbers and stable forms, which are finite where the expression
/// overflows, are not applied. Chains of products keep their order.
inline constexpr mode_t<execution::compiled, stage::specialize, true, functions::name_list<>,
                        functions::name_list<>>
    ieee{};
/// Without any rewriting, for short compile times: the expression as written, fused and planned.
/// (Theano's FAST_COMPILE)
inline constexpr mode_t<execution::compiled, stage::as_written, false, functions::name_list<>,
                        functions::name_list<>>
    fast_compile{};
/// Optimized and interpreted at run time: nothing is compiled for the function. Needs
/// kroton/runtime.hpp.
inline constexpr mode_t<execution::interpreted, stage::specialize, false, functions::name_list<>,
                        functions::name_list<>>
    interpret{};
/// Compiled, and at every call compared with the expression as written, which is interpreted. If
/// they differ, throws kt::debug_error, which names the rule. Convolutions are not transformed,
/// which rounds more than is compared. Needs kroton/runtime.hpp. (Theano's DebugMode)
inline constexpr mode_t<execution::debugged, stage::specialize, false,
                        functions::name_list<"convolution_transforms">, functions::name_list<>>
    debug{};
/// As debug. In addition, if an elementwise op, a reduction or a product computes a value that is
/// not finite from finite operands, the error names the op; `.within<1e10>()` also refuses values
/// of greater size. (Theano's NanGuardMode)
inline constexpr mode_t<execution::debugged_finite, stage::specialize, false,
                        functions::name_list<"convolution_transforms">, functions::name_list<>>
    debug_finite{};
/// Compiled, with timing of every step: see kt::profile. Needs kroton/runtime.hpp. (Theano's
/// ProfileMode)
inline constexpr mode_t<execution::profiled, stage::specialize, false, functions::name_list<>,
                        functions::name_list<>>
    profile{};

}  // namespace mode

namespace functions {

/// A mode with further properties, which it keeps without some rules and with others.
template <class Mode, template <class> class Again>
struct extended_mode : Mode {
  template <text... Names>
  constexpr auto excluding() const {
    return of(Mode::template excluding<Names...>());
  }
  template <text... Names>
  constexpr auto including() const {
    return of(Mode::template including<Names...>());
  }
  template <auto const& Rules>
  constexpr auto with() const {
    return of(Mode::template with<Rules>());
  }

 private:
  template <class Other>
  static constexpr Again<Other> of(Other) {
    return {};
  }
};

/// A mode whose steps two callables see.
template <class Before, class After>
struct monitored {
  template <class Mode>
  struct mode : extended_mode<Mode, mode> {
    using kroton_mode = mode;
    using before = Before;
    using after = After;
    static constexpr execution run = execution::monitored;
  };
};
/// A mode that refuses values beyond a bound.
template <double Bound>
struct bounded {
  template <class Mode>
  struct mode : extended_mode<Mode, mode> {
    using kroton_mode = mode;
    static constexpr double bound = Bound;
  };
};
/// The size that values may have in a mode that watches them, or nothing.
template <class Mode>
constexpr std::optional<double> bound_of() {
  if constexpr (Mode::run != execution::debugged_finite) return {};
  else if constexpr (requires { Mode::bound; }) return Mode::bound;
  else return std::numeric_limits<double>::infinity();
}


/// Lambdas without captures, and other types of one value.
template <class F>
concept valueless = std::is_empty_v<F> && std::is_default_constructible_v<F>;

}  // namespace functions

namespace mode {

/// Compiled, with two callables that see every step, before and after it, as a kt::monitored_step:
/// its number, its ops, copies of its operands and results. They are lambdas without captures; a
/// third argument is the mode in which the function is optimized. Needs kroton/runtime.hpp.
/// (Theano's MonitorMode)
template <class Before, class After, class Mode = std::remove_const_t<decltype(fast_run)>>
constexpr auto monitor(Before const&, After const&, Mode = {}) {
  constexpr bool is_valueless = functions::valueless<Before> && functions::valueless<After>;
  static_assert(is_valueless,
                "kt::mode::monitor: takes two callables without captures, such as "
                "[](kt::monitored_step const& step) { std::cout << step.what(); }");
  return typename functions::monitored<Before, After>::template mode<Mode>{};
}

}  // namespace mode
}  // namespace kroton
