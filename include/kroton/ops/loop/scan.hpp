// scan: the user's loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/recording.hpp>
#include <kroton/ops/loop/refused.hpp>
#include <kroton/ops/loop/results.hpp>
#include <kroton/ops/loop/structs.hpp>

namespace kroton {
namespace ops {

/// What is said of a loop besides its operands.
struct scan_options {
  bool backwards = false;
  long long truncate = -1;
  bool checkpoints = false;
  long long checkpoint = 0;
  long long unrolled = 1;
  bool takes_snapshots = false;
  long long snapshots = 0;
};

/// One call of scan with the arguments sorted: Sequences, Outputs and Constants are tuples.
template <class Body, class Sequences, class Outputs, class Constants>
class scan_call {
  // Numbers among the starts and the non-sequences as scalars of an element type.
  template <std::size_t Position, class X>
  static constexpr auto typed_start(X const& x) {
    if constexpr (number<X>)
      return number_start<typename number_state<Body, Position, X>::type, X>{x};
    else if constexpr (number<typename taps_of<X>::of>) return typed_start<Position>(x.of);
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

  static constexpr auto typed_constants(Constants const& constants) {
    constexpr std::size_t first = position_of_state<std::tuple_size_v<Outputs>>();
    return [&]<std::size_t... C>(std::index_sequence<C...>) {
      return std::tuple(typed_start<first + C>(std::get<C>(constants))...);
    }(std::make_index_sequence<std::tuple_size_v<Constants>>{});
  }
  template <class Starts>
  using parameters =
      typename body_parameters<Sequences, Starts,
                               decltype(typed_constants(std::declval<Constants const&>()))>::type;

  using first_starts = decltype(typed_starts(std::declval<Outputs const&>()));

 public:
  /// What the body receives: of sequences, and of everything, before starts that are numbers take
  /// the type of their states.
  using elements = typename body_parameters<Sequences, std::tuple<>, std::tuple<>>::type;
  using first_parameters = parameters<first_starts>;
  template <class Starts>
  using results = results_of_body<Body, parameters<Starts>>;
  /// The starts of states, with types.
  static constexpr auto starts_of(Outputs const& outputs) {
    if constexpr (boost::mp11::mp_contains<first_starts, none_t>::value) {
      using result = typename body_call<first_parameters>::template result<Body>;
      using sizes = typename result_sizes<result>::type;
      return promoted(starts_of_structs<sizes>::of(typed_starts(outputs)));
    } else {
      return promoted(typed_starts(outputs));
    }
  }

  /// Records the loop. `OnlyLast`: states give their last value alone.
  template <bool OnlyLast, class Steps>
  static constexpr auto run(graph& g, Body const& body, Sequences const& sequences,
                            Outputs const& outputs, Constants const& constants, Steps const& steps,
                            scan_options const& options) {
    auto const starts = starts_of(outputs);
    using starts_type = std::remove_const_t<decltype(starts)>;
    using call = body_call<parameters<starts_type>>;
    scan_recording made(g);
    made.truncate = options.truncate;
    made.unrolled = options.unrolled;
    if (options.unrolled < 1) g.fail("kt::unroll: a loop takes at least one step at once");
    if (options.truncate == 0 || options.truncate < -1)
      g.fail("kt::truncate_gradient: gradients go through at least one step");
    constexpr bool decide = std::is_same_v<std::remove_cvref_t<decltype(steps)>, none_t>;
    std::apply(
        [&](auto const&... x) { (add_sequence_of(made, x, options.backwards, decide), ...); },
        sequences);
    std::apply([&](auto const&... x) { (add_state(made, x, OnlyLast), ...); }, starts);
    std::apply([&](auto const&... x) { (made.constants.push_back(node_of_start(g, x)), ...); },
               typed_constants(constants));
    set_steps(made, steps);
    if (options.checkpoints) set_segments(made, options.checkpoint);
    if (options.takes_snapshots) set_snapshots(made, options);
    list<int> formals, results;
    list<core::update> updates;
    using result_type = typename call::template result<Body>;
    body_streams streams(g);
    auto call_once = [&] {
      streams.begin();
      formals = made.formals();
      auto const returned = call::run(body, g, formals.data());
      if constexpr (is_stopping<std::remove_const_t<decltype(returned)>>)
        made.condition = node_of_condition(g, returned.condition);
      auto const& result = outputs_of(returned);
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
    while (made.widen(results)) call_once();
    for (body_state const& s : streams.kept()) {
      made.constants.push_back(s.start);
      formals.push_back(s.before);
    }
    list<body_state> const drawn_from = streams.states();
    made.record(formals, results, updates, drawn_from);
    for (int k = 0; k < drawn_from.size(); ++k)
      streams.set_last(k, made.output(static_cast<int>(count) + updates.size() + k));
    auto const flat = stacked<OnlyLast, starts_type>(made, variables);
    using form = form_of_results<OnlyLast, starts_type>;
    if constexpr (gives_updates<result_type>) {
      for (int u = 0; u < updates.size(); ++u)
        updates[u].value = value_of_update(made, static_cast<int>(count) + u);
      using values = std::remove_cvref_t<decltype(std::declval<result_type>().values())>;
      return std::tuple(with_updates(g, in_form_of_result<values, 0, form, false>(flat), updates));
    } else {
      return in_form_of_result<result_type, 0, form>(flat);
    }
  }

 private:
  template <class X>
  static constexpr void add_sequence_of(scan_recording& made, X const& x, bool backwards,
                                        bool decides) {
    using taps = taps_of<X>;
    term const t{&made.g, node_of(made.g, untapped(x), element::float64)};
    if (t.rank() == 0) return made.g.fail("kt::sequences: a scalar has no elements to go through");
    if constexpr (taps::given)
      add_sequence(made.sequences, t, {taps::steps, taps::count}, backwards, decides);
    else add_sequence(made.sequences, t, list<int>{0}, backwards, decides);
  }
  template <class X>
  static constexpr int node_of_start(graph& g, X const& x) {
    if constexpr (is_number_start<X>)
      return g.literal(x.value, element_of<typename X::value_type>());
    else return node_of(g, x, element::float64);
  }
  template <class C>
  static constexpr int node_of_condition(graph& g, C const& condition) {
    int const id = node_of(g, condition, element::boolean);
    if (g.type(id).rank != 0 || !is_bool(g.type(id).element))
      g.fail("kt::until: the condition is one bool: compare scalars, or reduce with all or any");
    return id;
  }
  template <class X>
  static constexpr void add_state(scan_recording& made, X const& x, bool only_last) {
    recorded_tape tape;
    if constexpr (!std::is_same_v<X, none_t>) {
      using taps = taps_of<X>;
      tape.kind = only_last ? tape_kind::shared : tape_kind::sit_sot;
      tape.only_last = only_last;
      tape.start = node_of_start(made.g, untapped(x));
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
      made.steps = made.sequences.empty() ? term{&g, g.literal(no_limit, element::int64)}
                                          : steps_of(g, made.sequences);
    } else {
      made.steps = {&g, g.cast(node_of(g, steps, element::int64), element::int64)};
      made.counted = true;
    }
  }
  static constexpr void set_segments(scan_recording& made, long long every) {
    if (every < 0) made.g.fail("kt::checkpoint: a segment has at least one step");
    else made.length_of_segments = every > 0 ? integer(made.g, every) : root_of_steps(made.steps);
  }
  static constexpr void set_snapshots(scan_recording& made, scan_options const& options) {
    made.snapshots = options.snapshots;
    if (options.snapshots < 1)
      made.g.fail("kt::snapshots: a gradient keeps at least one snapshot, that of the start");
    if (!options.checkpoints) return;
    made.length_of_segments = {};
    made.g.fail(
        "kt::snapshots: a loop in segments has no snapshots: leave out kt::checkpoint or "
        "kt::snapshots");
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
  static constexpr int value_of_update(scan_recording const& made, int u) {
    term const last = made.output(u);
    return last.exists() ? last.id : made.tapes[u].start;
  }
  template <int Axes, class V>
  static constexpr auto output_of_row(scan_recording const& made, int u, V const& row) {
    term const whole = made.given(u);
    if constexpr (!typed<V>) {
      return whole.exists() ? whole : row;
    } else {
      using type = variable<value_type_of<V>, rank_of<V> + Axes>;
      return type(whole.exists() ? whole
                                 : term{row.of, core::stand_in(*row.of, type::parameter_type)});
    }
  }
};

/// A loop whose types are right.
template <class Body, class... A>
constexpr auto accepted_scan(Body const& body, A const&... arguments) {
  auto const sequences = collected<sequence_arguments>(arguments...);
  auto const outputs = collected<output_arguments>(arguments...);
  auto const constants = collected<constant_arguments>(arguments...);
  auto const steps = collected<step_count>(arguments...);
  auto const all = std::tuple_cat(sequences, outputs, constants, steps);
  scan_options options;
  auto option = [&](auto const& a) {
    using type = std::remove_cvref_t<decltype(a)>;
    if constexpr (std::is_same_v<type, backwards>) options.backwards = true;
    if constexpr (std::is_same_v<type, truncation>) options.truncate = a.steps;
    if constexpr (std::is_same_v<type, unrolling>) options.unrolled = a.steps;
    if constexpr (std::is_same_v<type, snapshot_count>) {
      options.takes_snapshots = true;
      options.snapshots = a.most;
    }
    if constexpr (std::is_same_v<type, checkpointing>) {
      options.checkpoints = true;
      options.checkpoint = a.every;
    }
  };
  (option(arguments), ...);
  constexpr bool only_last = (std::is_same_v<A, last_values> || ...);
  using call =
      scan_call<Body, std::remove_const_t<decltype(sequences)>,
                std::remove_const_t<decltype(outputs)>, std::remove_const_t<decltype(constants)>>;
  graph& g = *[&] {
    if constexpr (any_symbolic<std::remove_const_t<decltype(all)>>)
      return std::apply([](auto const&... x) { return graph_among(x...); }, all);
    else return graph_of_result(outputs_of(body()));
  }();
  auto const results = [&] {
    if constexpr (std::tuple_size_v<std::remove_const_t<decltype(steps)>> == 0)
      return call::template run<only_last>(g, body, sequences, outputs, constants, none, options);
    else
      return call::template run<only_last>(g, body, sequences, outputs, constants,
                                           std::get<0>(steps), options);
  }();
  if constexpr (std::tuple_size_v<std::remove_const_t<decltype(results)>> == 1)
    return std::get<0>(results);
  else return results;
}

}  // namespace ops

/// The arguments of a scan are made by kt::sequences, kt::outputs_info ..., each at most once.
template <class... A>
concept scan_takes_named_arguments = ((ops::is_scan_argument<A> || symbolic<A>) || ...);

/// Runs `body` in steps: on one element of each sequence, what earlier steps have made of the
/// states, and the non-sequences, which are its parameters in this order. It returns the new states
/// and the outputs in the order of kt::outputs_info, as one variable or a tuple; variables that it
/// captures are non-sequences, too. Each result of the scan is a stack of these along a new first
/// axis, with one row for each step, without the start. Arguments, in any order: kt::sequences,
/// kt::outputs_info (without it no output feeds back), kt::non_sequences, kt::n_steps,
/// kt::go_backwards, kt::truncate_gradient, kt::checkpoint, kt::snapshots, kt::unroll. Structs of
/// variables may be sequences, states and non-sequences: the body receives them whole (of
/// sequences, a struct of its own choice or a tuple of the members' elements), and the members'
/// results are a tuple. A body that returns kt::until stops the loop; there are then as many rows
/// as steps were done. If the body returns kt::outputs with updates of parameters of the function,
/// later steps see the new values, and the scan gives kt::outputs with the last ones as updates.
/// Throws kt::shape_error before the first step if a sequence or a start is too short for n_steps
/// or its taps; what a step throws names the step.
/// (theano.scan)
template <class Body, class... A>
  requires scan_takes_named_arguments<A...>
constexpr auto scan(Body const& body, A const&... arguments) {
  if constexpr ((ops::any_struct_in<A> || ...)) {
    return scan(ops::on_variables(body, arguments...), ops::with_variables(arguments)...);
  } else {
    using fault = decltype(ops::fault_of_scan<ops::scan_call, Body, A...>());
    if constexpr (fault::what == ops::scan_fault::none)
      return ops::accepted_scan(body, arguments...);
    else return ops::refuse_scan<fault, Body>(arguments...);
  }
}

namespace ops {

// Found by the types of its arguments, even if all they hold is numbers.
using kroton::scan;

}  // namespace ops
}  // namespace kroton
