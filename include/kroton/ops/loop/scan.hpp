// scan: the user's loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/recording.hpp>
#include <kroton/ops/loop/structs.hpp>

namespace kroton {
namespace ops {

template <template <class...> class Kind, class X>
inline constexpr bool is_kind = false;
template <template <class...> class Kind, class... X>
inline constexpr bool is_kind<Kind, Kind<X...>> = true;

/// States give their last value alone: what folds ask for.
struct last_values {};

template <class X>
inline constexpr bool is_scan_argument =
    is_kind<sequence_arguments, X> || is_kind<output_arguments, X> ||
    is_kind<constant_arguments, X> || is_kind<step_count, X> || std::is_same_v<X, backwards> ||
    std::is_same_v<X, truncation> || std::is_same_v<X, last_values>;

/// The arguments of one kind, as a tuple; empty if there are none.
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
template <class Tuple>
inline constexpr bool any_symbolic = false;
template <class... X>
inline constexpr bool any_symbolic<std::tuple<X...>> = (symbolic<typename taps_of<X>::of> || ...);
/// One call of scan with the arguments sorted: Sequences, Outputs and Constants are tuples.
template <class Body, class Sequences, class Outputs, class Constants>
class scan_call {
  template <class Starts>
  using parameters = typename body_parameters<Sequences, Starts, Constants>::type;

  // Numbers among the starts as states of an element type.
  template <std::size_t Position, class X>
  static constexpr auto typed_start(X const& x) {
    if constexpr (number<X>)
      return number_start<typename number_state<Body, Position, X>::type, X>{x};
    else return x;
  }
  template <std::size_t U>
  static constexpr std::size_t position_of_state() {
    return [&]<std::size_t... S, std::size_t... O>(std::index_sequence<S...>,
                                                   std::index_sequence<O...>) {
      std::size_t const before_states =
          (std::size_t{0} + ... +
           static_cast<std::size_t>(taps_of<std::tuple_element_t<S, Sequences>>::count));
      return (before_states + ... + parameters_of_start<std::tuple_element_t<O, Outputs>>());
    }(std::make_index_sequence<std::tuple_size_v<Sequences>>{}, std::make_index_sequence<U>{});
  }
  template <class X>
  static constexpr std::size_t parameters_of_start() {
    if constexpr (std::is_same_v<X, none_t>) return 0;
    else return static_cast<std::size_t>(taps_of<X>::count);
  }
  // A step that makes floats of an integer start has a float state.
  template <std::size_t U, class Starts>
  static constexpr auto promoted_start(Starts const& starts) {
    using start = std::tuple_element_t<U, Starts>;
    if constexpr (is_number_start<start>) {
      using results = results_of_body<Body, parameters<Starts>>;
      if constexpr (U < std::tuple_size_v<results>) {
        using made = std::tuple_element_t<U, results>;
        if constexpr (typed<made> && !core::has_signature<Body>) {
          using type = value_t<promote(element_of<typename start::value_type>(),
                                       element_of<value_type_of<made>>())>;
          auto const value = std::get<U>(starts).value;
          return number_start<type, std::remove_const_t<decltype(value)>>{value};
        } else {
          return std::get<U>(starts);
        }
      } else {
        return std::get<U>(starts);
      }
    } else {
      return std::get<U>(starts);
    }
  }
  template <int Rounds = 3, class Starts>
  static constexpr auto promoted(Starts const& starts) {
    auto const once = [&]<std::size_t... U>(std::index_sequence<U...>) {
      return std::tuple(promoted_start<U>(starts)...);
    }(std::make_index_sequence<std::tuple_size_v<Starts>>{});
    using next = std::remove_const_t<decltype(once)>;
    if constexpr (std::is_same_v<next, Starts> || Rounds == 0) return starts;
    else return promoted<Rounds - 1>(once);
  }
  static constexpr auto typed_starts(Outputs const& outputs) {
    return [&]<std::size_t... U>(std::index_sequence<U...>) {
      return std::tuple(typed_start<position_of_state<U>()>(std::get<U>(outputs))...);
    }(std::make_index_sequence<std::tuple_size_v<Outputs>>{});
  }

  template <class X>
  static constexpr bool has_valid_taps() {
    if constexpr (taps_of<X>::given)
      return taps_of<X>::count > 0 && taps_of<X>::all_negative && taps_of<X>::all_differ;
    else return true;
  }

  using first_starts = decltype(typed_starts(std::declval<Outputs const&>()));

 public:
  static constexpr bool body_takes_arguments =
      body_call<parameters<first_starts>>::template is_possible<Body>;
  static constexpr bool taps_are_valid = []<class... X>(std::type_identity<std::tuple<X...>>) {
    return (has_valid_taps<X>() && ...);
  }(std::type_identity<Outputs>{});

  /// Records the loop. `OnlyLast`: states give their last value alone.
  template <bool OnlyLast, class Steps>
  static constexpr auto run(graph& g, Body const& body, Sequences const& sequences,
                            Outputs const& outputs, Constants const& constants, Steps const& steps,
                            bool backwards, long long truncate) {
    auto const starts = promoted(typed_starts(outputs));
    using starts_type = std::remove_const_t<decltype(starts)>;
    using call = body_call<parameters<starts_type>>;
    scan_recording made(g);
    made.truncate = truncate;
    std::apply([&](auto const&... x) { (add_sequence_of(made, x, backwards), ...); }, sequences);
    std::apply([&](auto const&... x) { (add_state(made, x, OnlyLast), ...); }, starts);
    std::apply(
        [&](auto const&... x) { (made.constants.push_back(node_of(g, x, element::float64)), ...); },
        constants);
    set_steps(made, steps);
    list<int> formals, results;
    list<core::update> updates;
    using result_type = std::remove_const_t<decltype(call::run(body, g, nullptr))>;
    auto call_once = [&] {
      formals = made.formals();
      auto const result = call::run(body, g, formals.data());
      if constexpr (gives_updates<result_type>) updates = result.updates();
      auto const variables = body_results(g, result);
      results.clear();
      std::apply(
          [&](auto const&... r) { (results.push_back(node_of(g, r, element::float64)), ...); },
          variables);
      return variables;
    };
    auto const variables = call_once();
    constexpr std::size_t count = std::tuple_size_v<std::remove_const_t<decltype(variables)>>;
    while (made.tapes.size() < static_cast<int>(count)) made.tapes.push_back({});
    check_states<starts_type>(variables);
    while (made.widen(results)) call_once();
    made.record(formals, results, updates);
    auto const flat = stacked<OnlyLast, starts_type>(made, variables);
    using form = form_of_results<OnlyLast, starts_type>;
    if constexpr (gives_updates<result_type>) {
      for (int u = 0; u < updates.size(); ++u)
        updates[u].value = value_of_update(made, static_cast<int>(count) + u);
      using values = std::remove_cvref_t<decltype(std::declval<result_type>().values())>;
      return std::apply(
          [&](auto const&... v) {
            return std::tuple(output_list<std::remove_cvref_t<decltype(v)>...>({v...}, &g, updates));
          },
          in_form_of_result<values, 0, form, false>(flat));
    } else {
      return in_form_of_result<result_type, 0, form>(flat);
    }
  }

 private:
  static constexpr int value_of_update(scan_recording const& made, int u) {
    term const last = made.output(u);
    return last.exists() ? last.id : made.tapes[u].start;
  }
  template <class X>
  static constexpr void add_sequence_of(scan_recording& made, X const& x, bool backwards) {
    using taps = taps_of<X>;
    static_assert(!taps::given || taps::count > 0,
                  "kt::taps: name at least one step, as in kt::taps<-1, 0>(x)");
    term const t{&made.g, node_of(made.g, untapped(x), element::float64)};
    if (t.rank() == 0) return made.g.fail("kt::sequences: a scalar has no elements to go through");
    if constexpr (taps::given)
      add_sequence(made.sequences, t, {taps::steps, taps::count}, backwards);
    else add_sequence(made.sequences, t, list<int>{0}, backwards);
  }
  template <class X>
  static constexpr void add_state(scan_recording& made, X const& x, bool only_last) {
    recorded_tape tape;
    if constexpr (!std::is_same_v<X, none_t>) {
      using taps = taps_of<X>;
      tape.kind = only_last ? tape_kind::shared : tape_kind::sit_sot;
      if constexpr (is_number_start<X>) {
        tape.start = made.g.literal(x.value, element_of<typename X::value_type>());
      } else {
        tape.start = node_of(made.g, untapped(x), element::float64);
      }
      std::uint32_t broadcast = made.g.type(tape.start).broadcast;
      if constexpr (taps::given) {
        for (int k = 0; k < taps::count; ++k) tape.taps.push_back(taps::steps[k]);
        if constexpr (!taps::is_one_step_back) {
          tape.kind = tape_kind::mit_sot;
          broadcast >>= 1;
          if (made.g.type(tape.start).rank == 0)
            made.g.fail(
                "kt::taps: the start of a state that is read several steps back has a row "
                "for each step before the first");
        }
      } else {
        tape.taps.push_back(-1);
      }
      tape.broadcast = broadcast;
    }
    made.tapes.push_back(tape);
  }
  template <class Steps>
  static constexpr void set_steps(scan_recording& made, Steps const& steps) {
    graph& g = made.g;
    if constexpr (std::is_same_v<Steps, none_t>) {
      made.steps = steps_of(g, made.sequences);
    } else {
      made.steps = {&g, g.cast(node_of(g, steps, element::int64), element::int64)};
      made.counted = true;
    }
  }
  template <class Starts, class Variables>
  static constexpr void check_states(Variables const&) {
    [&]<std::size_t... U>(std::index_sequence<U...>) {
      (check_state<std::tuple_element_t<U, Starts>, std::tuple_element_t<U, Variables>>(), ...);
    }(std::make_index_sequence<std::tuple_size_v<Starts>>{});
  }
  template <class Start, class Made>
  static constexpr void check_state() {
    if constexpr (!std::is_same_v<Start, none_t> && typed<Made>) {
      using before = std::tuple_element_t<0, typename state_parameters<Start>::type>;
      if constexpr (typed<before>) {
        if constexpr (rank_of<before> != rank_of<Made>)
          static_assert(is_accepted<met::rank<rank_of<Made>>, wanted::rank<rank_of<before>>>,
                        "kt::scan: a state changes its rank from one step to the next; the body "
                        "must return what it receives");
        else
          static_assert(std::is_same_v<value_type_of<before>, value_type_of<Made>>,
                        "kt::scan: a state changes its element type from one step to the next; "
                        "convert its start or the body's result with kt::cast<T>");
      }
    }
  }
  template <bool OnlyLast, class Starts, class... V>
  static constexpr auto stacked(scan_recording const& made, std::tuple<V...> const& rows) {
    return [&]<std::size_t... U>(std::index_sequence<U...>) {
      return std::tuple(output_of_row<(OnlyLast && is_state<U, Starts>()) ? 0 : 1>(
          made, static_cast<int>(U), std::get<U>(rows))...);
    }(std::make_index_sequence<sizeof...(V)>{});
  }
  template <std::size_t U, class Starts>
  static constexpr bool is_state() {
    if constexpr (U < std::tuple_size_v<Starts>)
      return !std::is_same_v<std::tuple_element_t<U, Starts>, none_t>;
    else return false;
  }
  template <bool OnlyLast, class Starts>
  struct form_of_results {
    template <std::size_t U>
    static constexpr bool is_last = OnlyLast && is_state<U, Starts>();
  };
  template <int Axes, class V>
  static constexpr auto output_of_row(scan_recording const& made, int u, V const& row) {
    term const whole = made.output(u);
    if constexpr (!typed<V>) {
      return whole.exists() ? whole : row;
    } else {
      using type = variable<value_type_of<V>, rank_of<V> + Axes>;
      return type(whole.exists() ? whole
                                 : term{row.of, core::stand_in(*row.of, type::parameter_type)});
    }
  }
};

}  // namespace ops

/// The arguments of a scan are made by kt::sequences, kt::outputs_info ..., each at most once.
template <class... A> concept scan_takes_named_arguments = (ops::is_scan_argument<A> && ...);

/// Runs `body` in steps: on one element of each sequence, what earlier steps have made of the
/// states, and the non-sequences, which are its parameters in this order. It returns the new states
/// and the outputs in the order of kt::outputs_info, as one variable or a tuple; variables that it
/// captures are non-sequences, too. Each result of the scan is a stack of these along a new first
/// axis, with one row for each step, without the start. Arguments, in any order: kt::sequences,
/// kt::outputs_info (without it no output feeds back), kt::non_sequences, kt::n_steps,
/// kt::go_backwards, kt::truncate_gradient. Throws kt::shape_error before the first step if a
/// sequence or a start is too short; what a step throws names the step. (theano.scan)
template <class Body, class... A>
  requires scan_takes_named_arguments<A...>
constexpr auto scan(Body const& given, A const&... arguments) {
  auto const given_sequences = ops::collected<ops::sequence_arguments>(arguments...);
  auto const given_outputs = ops::collected<ops::output_arguments>(arguments...);
  auto const given_constants = ops::collected<ops::constant_arguments>(arguments...);
  auto const sequences = ops::variables_of_arguments(given_sequences);
  auto const outputs = ops::variables_of_arguments(given_outputs);
  auto const constants = ops::variables_of_arguments(given_constants);
  auto const& body = ops::on_variables(given, given_sequences, given_outputs, given_constants);
  auto const steps = ops::collected<ops::step_count>(arguments...);
  auto const all = std::tuple_cat(sequences, outputs, constants, steps);
  bool backwards = false;
  long long truncate = -1;
  auto option = [&](auto const& a) {
    using type = std::remove_cvref_t<decltype(a)>;
    backwards = backwards || std::is_same_v<type, ops::backwards>;
    if constexpr (std::is_same_v<type, ops::truncation>) truncate = a.steps;
  };
  (option(arguments), ...);
  constexpr bool only_last = (std::is_same_v<A, ops::last_values> || ...);
  constexpr bool has_steps =
      ((ops::is_kind<ops::sequence_arguments, A> || ops::is_kind<ops::step_count, A>) || ...);
  static_assert(
      has_steps,
      "kt::scan: the number of steps is unknown: pass kt::sequences(...) or kt::n_steps(n)");
  using call = ops::scan_call<std::remove_cvref_t<decltype(body)>, std::remove_const_t<decltype(sequences)>,
                              std::remove_const_t<decltype(outputs)>,
                              std::remove_const_t<decltype(constants)>>;
  constexpr bool is_symbolic = ops::any_symbolic<std::remove_const_t<decltype(all)>>;
  static_assert(is_symbolic,
                "kt::scan: none of the arguments is a variable, so there is no graph to record in: "
                "put one into kt::non_sequences, or start with zeros_like(x)");
  static_assert(call::body_takes_arguments,
                "kt::scan: the body must take an element of each sequence, each state once for "
                "each of its taps, and the non-sequences, in this order and of their types");
  static_assert(call::taps_are_valid,
                "kt::taps: the taps of a state are negative and differ from each other");
  graph& g = *std::apply([](auto const&... x) { return ops::graph_among(x...); }, all);
  auto const results = [&] {
    if constexpr (std::tuple_size_v<std::remove_const_t<decltype(steps)>> == 0)
      return call::template run<only_last>(g, body, sequences, outputs, constants, none, backwards,
                                           truncate);
    else
      return call::template run<only_last>(g, body, sequences, outputs, constants,
                                           std::get<0>(steps), backwards, truncate);
  }();
  if constexpr (std::tuple_size_v<std::remove_const_t<decltype(results)>> == 1)
    return std::get<0>(results);
  else return results;
}

}  // namespace kroton
