// What the arguments of a scan are called: sequences, states and outputs, non-sequences, steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>

#include <tuple>

namespace kroton {
namespace ops {

/// A sequence or a start, with the steps that the body reads of it.
template <class X, int... Steps>
struct tapped {
  X of;
};
template <class X>
inline constexpr bool is_tapped = false;
template <class X, int... Steps>
inline constexpr bool is_tapped<tapped<X, Steps...>> = true;

template <class... X>
struct sequence_arguments {
  std::tuple<X...> all;
};
template <class... X>
struct output_arguments {
  std::tuple<X...> all;
};
template <class... X>
struct constant_arguments {
  std::tuple<X...> all;
};
template <class... N>
struct step_count {
  std::tuple<N...> all;
};
struct backwards {};
struct truncation {
  long long steps;
};

/// Segments of so many steps; 0: of about the square root of their number; -1: refused.
struct checkpointing {
  long long every = 0;
  constexpr checkpointing operator()(long long steps) const { return {steps > 0 ? steps : -1}; }
};

/// How many snapshots of the states a gradient keeps at a time.
struct snapshot_count {
  long long most = 0;
};

/// How many steps a compiled loop takes at once.
struct unrolling {
  long long steps = 1;
};

template <template <class...> class Kind, class X>
inline constexpr bool is_kind = false;
template <template <class...> class Kind, class... X>
inline constexpr bool is_kind<Kind, Kind<X...>> = true;

/// What a body returns if a condition may stop the loop.
template <class Condition, class Outputs>
struct stopping {
  Condition condition;
  Outputs outputs;
};
template <class R>
inline constexpr bool is_stopping = false;
template <class C, class R>
inline constexpr bool is_stopping<stopping<C, R>> = true;
template <class R>
struct without_condition {
  using type = R;
};
template <class C, class R>
struct without_condition<stopping<C, R>> {
  using type = R;
};
/// What a body returns without the condition.
template <class R>
constexpr auto const& outputs_of(R const& result) {
  if constexpr (is_stopping<R>) return result.outputs;
  else return result;
}

/// States give their last value alone: what folds ask for.
struct last_values {};

template <class X>
inline constexpr bool is_scan_argument =
    is_kind<sequence_arguments, X> || is_kind<output_arguments, X> ||
    is_kind<constant_arguments, X> || is_kind<step_count, X> || std::is_same_v<X, backwards> ||
    std::is_same_v<X, truncation> || std::is_same_v<X, checkpointing> ||
    std::is_same_v<X, unrolling> || std::is_same_v<X, snapshot_count> ||
    std::is_same_v<X, last_values>;

/// The variables and numbers in one argument, as a tuple.
template <class A>
constexpr auto operands_of(A const& a) {
  if constexpr (requires { a.all; }) return a.all;
  else if constexpr (symbolic<A>) return std::tuple<A>(a);
  else return std::tuple<>();
}
/// Those of the arguments of one kind.
template <template <class...> class Kind, class... A>
constexpr auto collected(A const&... all) {
  return std::tuple_cat([](auto const& a) {
    if constexpr (is_kind<Kind, std::remove_cvref_t<decltype(a)>>) return a.all;
    else return std::tuple<>();
  }(all)...);
}

template <class X>
constexpr auto const& untapped(X const& x) {
  if constexpr (is_tapped<X>) return x.of;
  else return x;
}
/// The first graph that an argument belongs to; null if nothing among them is symbolic.
template <class... X>
constexpr graph* graph_among(X const&... x) {
  graph* found = nullptr;
  auto look = [&](auto const& v) {
    if constexpr (symbolic<decltype(v)>)
      if (found == nullptr) found = v.of;
  };
  (look(untapped(x)), ...);
  return found;
}

}  // namespace ops

/// A sequence of which the body reads elements at these distances from the current step, in this
/// order: `kt::taps<-1, 0>(x)`. The loop has a step for each position at which all of them exist.
/// Of a state in kt::outputs_info: the earlier steps that the body reads, all negative; `x` holds
/// the values before the first step, the earliest first. (theano.scan's `dict(input=x, taps=...)`)
template <int... Steps, class X>
constexpr auto taps(X const& x) {
  return ops::tapped<X, Steps...>{x};
}

/// The arrays whose elements along the first axis a scan goes through, in steps of one. Without
/// kt::n_steps the shortest one counts. (theano.scan's `sequences`)
template <class... X>
constexpr auto sequences(X const&... x) {
  return ops::sequence_arguments<X...>{{x...}};
}

/// For each result of the body, in order: the start of a state, which the body receives, or
/// kt::none for an output that no later step reads. A plain number is a start of rank 0.
/// (theano.scan's `outputs_info`)
template <class... X>
constexpr auto outputs_info(X const&... x) {
  return ops::output_arguments<X...>{{x...}};
}

/// What the body receives as it is in each step. Variables of the enclosing lambda that the body
/// captures need not be listed. (theano.scan's `non_sequences`)
template <class... X>
constexpr auto non_sequences(X const&... x) {
  return ops::constant_arguments<X...>{{x...}};
}

/// The number of steps, an integer or an int64 scalar. Shorter sequences and negative numbers are
/// errors, longer sequences are cut. (theano.scan's `n_steps`)
template <class N>
constexpr auto n_steps(N const& n) {
  return ops::step_count<N>{{n}};
}

/// Sequences are read from their ends; results are in the order in which they are computed. Earlier
/// taps stay earlier. (theano.scan's `go_backwards`)
inline constexpr ops::backwards go_backwards{};

/// A gradient stores the states of every `steps`-th step only, at least 1, and computes the others
/// again from these: `kt::checkpoint(100)`. By itself, `kt::checkpoint` takes the square root of
/// the number of steps. (theano.scan_checkpoints; Griewank and Walther, Evaluating Derivatives)
inline constexpr ops::checkpointing checkpoint{};

/// A gradient keeps `most` snapshots of the states at a time, at least 1, and computes the steps
/// between them again, by the schedule that does so the fewest times: n steps with c snapshots no
/// more than r times each, where r is the least number with (c + r)! / (c! r!) >= n. Where all the
/// states of some steps fit a page, such groups of steps take the place of steps. (Griewank and
/// Walther, Evaluating Derivatives: revolve)
constexpr auto snapshots(long long most) { return ops::snapshot_count{most}; }

/// A compiled loop of scalars takes `steps` steps, at least 1, before it asks whether there are
/// more. Other loops are what they are without it. (jax.lax.scan's `unroll`)
constexpr auto unroll(long long steps) { return ops::unrolling{steps}; }

/// What a body returns to stop the loop: the step in which `condition`, a bool scalar, holds is the
/// last one, and counts. kt::n_steps is then a limit, and may be left out.
/// (theano.scan_module.until)
template <class C, class... R>
  requires(sizeof...(R) > 0)
constexpr auto until(C const& condition, R const&... outputs) {
  if constexpr (sizeof...(R) == 1)
    return ops::stopping<C, R...>{condition, outputs...};
  else return ops::stopping<C, std::tuple<R...>>{condition, {outputs...}};
}

/// Gradients go through the last `steps` steps only, at least one: those of earlier elements, and
/// of starts before them, are 0. (theano.scan's `truncate_gradient`)
constexpr auto truncate_gradient(long long steps) { return ops::truncation{steps}; }

}  // namespace kroton
