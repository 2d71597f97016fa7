// Rejected loops: the sentence for each fault, and variables in the place of the results, so that
// no second error follows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/faults.hpp>

namespace kroton::ops {

/// What a rejected body gives, if that is known from the parameters that it declares.
template <class Body>
struct declared_results {
  using type = std::tuple<>;
};
template <core::has_signature Body>
  requires(core::all_variables<core::parameters_of<Body>> &&
           !has_no_variable<typename body_call<core::parameters_of<Body>>::template result<Body>>)
struct declared_results<Body> {
  using type = results_of_body<Body, core::parameters_of<Body>>;
};

/// A row of result number U: the body's, or else the start of a state, or else a scalar.
template <std::size_t U, class Results, class Outputs>
constexpr auto row_in_place() {
  using rows =
      boost::mp11::mp_append<std::tuple<>, Results,
                             boost::mp11::mp_drop_c<Outputs, std::min(std::tuple_size_v<Results>,
                                                                      std::tuple_size_v<Outputs>)>>;
  if constexpr (U < std::tuple_size_v<rows>) {
    using row = typename state_before<std::tuple_element_t<U, rows>>::type;
    if constexpr (typed<row>) return variable<value_type_of<row>, rank_of<row>>();
    else return variable<double, 0>();
  } else {
    return variable<double, 0>();
  }
}
template <int Axes, class T, int Rank>
constexpr auto stack_in_place(graph* g, variable<T, Rank> const&) {
  using stack = variable<T, Rank + Axes>;
  if (g == nullptr) return stack(term{nullptr, core::refused_node});
  g->fail(core::said_above);
  return stack(term{g, core::stand_in(*g, stack::parameter_type)});
}

/// The results of a rejected scan: as many as the body returns or kt::outputs_info names, but at
/// least `Least`.
template <std::size_t Least, class Body, class... A>
constexpr auto in_place_of_scan(A const&... arguments) {
  using outputs = typename scan_arguments<A...>::outputs;
  using results = typename declared_results<Body>::type;
  constexpr std::size_t count =
      std::max({Least, std::tuple_size_v<outputs>, std::tuple_size_v<results>});
  constexpr bool only_last = (std::is_same_v<A, last_values> || ...);
  graph* const g = std::apply([](auto const&... x) { return graph_among(x...); },
                              std::tuple_cat(operands_of(arguments)...));
  return [&]<std::size_t... U>(std::index_sequence<U...>) {
    auto const all =
        std::tuple(stack_in_place<only_last ? 0 : 1>(g, row_in_place<U, results, outputs>())...);
    if constexpr (sizeof...(U) == 1) return std::get<0>(all);
    else return all;
  }(std::make_index_sequence<count>{});
}

/// Reports a fault.
template <class Fault, class Body, class... A>
constexpr auto refuse_scan(A const&... arguments) {
  using enum scan_fault;
  using at = of::argument<Fault::at>;
  using state = of::state<Fault::at>;
  using parameter = of::parameter<Fault::at>;
  using met = typename Fault::met;
  using wanted = typename Fault::wanted;
  constexpr scan_fault what = Fault::what;
  if constexpr (what == argument)
    static_assert(is_accepted<at>,
                  "kt::scan: after the body come kt::sequences(x), kt::outputs_info(start), "
                  "kt::non_sequences(w), kt::n_steps(n) and options: put each variable into one of "
                  "them");
  else if constexpr (what == repeated_argument)
    static_assert(is_accepted<A...>,
                  "kt::scan: kt::sequences, kt::outputs_info, kt::non_sequences and kt::n_steps "
                  "are given once each, with everything that belongs there: kt::sequences(x, y)");
  else if constexpr (what == states_of_map)
    static_assert(is_accepted<A...>,
                  "kt::map: its steps do not depend on each other, so there is nothing for "
                  "kt::outputs_info: use kt::scan");
  else if constexpr (what == no_operand)
    static_assert(is_accepted<at, met>,
                  "kt::scan: an argument is not a variable: pass an array as a parameter of the "
                  "lambda, and several variables one by one");
  else if constexpr (what == passed_stream)
    static_assert(is_accepted<at>,
                  "kt::scan: a random stream is not passed to the body: the body captures it, [=] "
                  "or [r], and each step draws from it");
  else if constexpr (what == scalar_sequence)
    static_assert(is_accepted<at>,
                  "kt::sequences: a scalar has no elements to go through: put what is the same in "
                  "each step into kt::non_sequences");
  else if constexpr (what == no_taps)
    static_assert(is_accepted<A...>, "kt::taps: name at least one step, as in kt::taps<-1, 0>(x)");
  else if constexpr (what == taps_of_constant)
    static_assert(is_accepted<at>,
                  "kt::taps: a non-sequence is the same in each step: only sequences and states "
                  "have taps");
  else if constexpr (what == taps_without_start)
    static_assert(is_accepted<state>,
                  "kt::taps: a state that is read in later steps needs a start: put the values "
                  "before the first step in the place of kt::none");
  else if constexpr (what == taps_of_later_steps)
    static_assert(is_accepted<state>,
                  "kt::taps: a state is known of earlier steps alone: its taps are negative, as in "
                  "kt::taps<-2, -1>(start)");
  else if constexpr (what == repeated_taps)
    static_assert(is_accepted<state>,
                  "kt::taps: a tap of a state is named twice: the body receives each once");
  else if constexpr (what == start_without_rows)
    static_assert(is_accepted<state>,
                  "kt::taps: the start of a state that is read several steps back has one "
                  "dimension more than the state, and a row for each step before the first");
  else if constexpr (what == floating_steps)
    static_assert(is_accepted<met>,
                  "kt::n_steps: the number of steps is an integer or an integer scalar, such as a "
                  "kt::lscalar or x.shape(0)");
  else if constexpr (what == unknown_steps)
    static_assert(is_accepted<A...>,
                  "kt::scan: the number of steps is unknown: pass kt::sequences(...) or "
                  "kt::n_steps(n), or return kt::until(condition, ...) from the body");
  else if constexpr (what == stop_condition)
    static_assert(is_accepted<met>,
                  "kt::until: the condition is one bool: compare scalars, or reduce with all or "
                  "any");
  else if constexpr (what == nothing_symbolic)
    static_assert(is_accepted<A...>,
                  "kt::scan: none of the arguments is a variable, so there is no graph to record "
                  "in: put a variable that the body reads into kt::non_sequences, or start with "
                  "zeros_like(x)");
  else if constexpr (what == parameter_count)
    static_assert(is_accepted<met, wanted>,
                  "kt::scan: the body has another number of parameters than it gets: an element of "
                  "each sequence, each state once for each of its taps, and each non-sequence, in "
                  "this order");
  else if constexpr (what == element_parameter)
    static_assert(is_accepted<parameter, met, wanted>,
                  "kt::scan: a parameter of the body has another type than what it gets, an "
                  "element of a sequence: that has one dimension less than the sequence, and its "
                  "element type");
  else if constexpr (what == state_parameter)
    static_assert(is_accepted<parameter, met, wanted>,
                  "kt::scan: a parameter of the body has another type than what it gets, a state: "
                  "that has the type of its start, or, with several taps, of a row of it");
  else if constexpr (what == constant_parameter)
    static_assert(is_accepted<parameter, met, wanted>,
                  "kt::scan: a parameter of the body has another type than what it gets, a "
                  "non-sequence: that is passed as it is");
  else if constexpr (what == number_result)
    static_assert(is_accepted<met>,
                  "kt::scan: the body returns a number or nothing where it must return a variable: "
                  "write full_like(x, number), or drop what does not change");
  else if constexpr (what == result_count)
    static_assert(is_accepted<met, wanted>,
                  "kt::scan: the body returns another number of results than kt::outputs_info has "
                  "entries: one for each result, in order, kt::none for an output that no later "
                  "step reads");
  else if constexpr (what == state_rank)
    static_assert(is_accepted<state, met, wanted>,
                  "kt::scan: a state changes its rank from one step to the next: the body must "
                  "return it with the rank of its start");
  else
    static_assert(is_accepted<state, met, wanted>,
                  "kt::scan: a state changes its element type from one step to the next: convert "
                  "its start, or what the body returns, with kt::cast<T>");
  constexpr std::size_t results = what == result_count ? Fault::at : 1;
  return in_place_of_scan<results, Body>(arguments...);
}

}  // namespace kroton::ops
