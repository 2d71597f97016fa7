// Compiles a program and calls it in every way that its arguments allow. What a batch includes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "places.hpp"
#include "types.hpp"

#include <tuple>
#include <utility>

namespace fuzz {

/// A function, its shared variables, and the ways to call it.
template <class Place, class Parameters, std::size_t Bound, class Function, class Shared>
class caller {
  static constexpr std::size_t free = std::tuple_size_v<Parameters> - Bound;
  template <std::size_t K>
  using parameter = std::tuple_element_t<K, Parameters>;

 public:
  caller(trial& to, Function const& f, Shared& shared) : trial_(to), f_(f), shared_(shared) {}

  /// Arguments in containers; outputs returned, into containers of another size and of theirs, into
  /// an argument, and returned where arguments are given away.
  void with_containers() {
    auto const given = each_argument([&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      return container_for<parameter<K>>(trial_.arguments()[K]);
    });
    both(layout::dense, target::returned,
         [&](Function const& f) { return tensors_of(call(f, given)); });
    using outputs = tuple_t<decltype(call(f_, given))>;
    outputs kept{};
    for (target t : {target::empty, target::fitting})
      both(layout::dense, t, [&](Function const& f) {
        if (t == target::empty) kept = outputs{};
        into(f, tied<-1, -1>(kept, kept), given);
        return tensors_of(kept);
      });
    auto const held = std::apply(
        [](auto const&... a) { return std::tuple<decltype(Place::held(a))...>(Place::held(a)...); },
        given);
    constexpr auto same = first_of_one_type<outputs, std::remove_const_t<decltype(held)>>();
    if constexpr (same.first >= 0) {
      both(layout::dense, target::argument, [&](Function const& f) {
        auto own = held;
        auto const targets = tied<same.first, same.second>(kept, own);
        into(f, targets, own);
        return tensors_of(targets);
      });
      both(layout::dense, target::given, [&](Function const& f) {
        auto own = given;
        return tensors_of(std::apply([&](auto&... a) { return f(std::move(a)...); }, own));
      });
    }
  }

  /// Arguments in memory of their own; outputs returned, and into memory of the same layout.
  void with_strides(layout l) {
    auto const given = each_argument([&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      return strided_for<parameter<K>>(trial_.arguments()[K], l);
    });
    auto const views =
        std::apply([](auto const&... a) { return std::tuple<decltype(a.view())...>(a.view()...); }, given);
    both(l, target::returned, [&](Function const& f) { return tensors_of(call(f, views)); });
    if constexpr (Place::has_strides) into_strided(l, views);
  }

 private:
  template <class Views>
  void into_strided(layout l, Views const& views) {
    auto const shapes = trial_.shapes();
    if (shapes.empty()) return;
    using outputs = tuple_t<decltype(call(f_, views))>;
    both(l, target::strided, [&](Function const& f) {
      auto const memory = strided_outputs<outputs>(shapes, l);
      auto targets = std::apply(
          [](auto const&... m) { return std::tuple<decltype(m.view())...>(m.view()...); }, memory);
      into(f, std::apply([](auto&... t) { return std::tie(t...); }, targets), views);
      if (!std::apply([](auto const&... m) { return (m.gaps_are_intact() && ...); }, memory))
        trial_.fail("writes between the elements", l, target::strided);
      return std::apply([](auto const&... m) { return std::vector<tensor>{m.value()...}; }, memory);
    });
  }
  template <class Arguments>
  static decltype(auto) call(Function const& f, Arguments const& arguments) {
    return std::apply([&](auto const&... a) { return f(a...); }, arguments);
  }
  template <class Targets, class Arguments>
  static void into(Function const& f, Targets targets, Arguments const& arguments) {
    std::apply([&](auto const&... a) { f.into(targets, a...); }, arguments);
  }
  template <class Make>
  static auto each_argument(Make make) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::tuple<decltype(make(std::integral_constant<std::size_t, K>{}))...>(
          make(std::integral_constant<std::size_t, K>{})...);
    }(std::make_index_sequence<free>{});
  }

  /// Calls a copy, whose workspace tells which way the call went, and then the function itself.
  template <class Call>
  void both(layout l, target t, Call call) {
    Function const copy = f_;
    outcome const first = outcome_of(call, copy);
    path way = Place::frame;
    using executor = typename Function::executor_type;
    if constexpr (!requires { executor::is_direct; }) way = Place::frame;  // interpreted
    else if constexpr (executor::is_scalar) way = path::scalar;
    else if constexpr (executor::is_direct)
      way = copy.executor().has_used_frame() ? path::frame_of_direct : path::direct;
    trial_.judge(first, way, l, t, "");
    trial_.judge(outcome_of(call, f_), way, l, t, "not the first call, ");
    if (first.exception.empty() && !trial_.updated().empty()) trial_.continue_with(new_values());
  }
  template <class Call>
  outcome outcome_of(Call call, Function const& f) {
    set_shared(std::make_index_sequence<Bound>{});
    return outcome::of([&] {
      std::vector<tensor> all = call(f);
      for (tensor& t : new_values()) all.push_back(std::move(t));
      return all;
    });
  }
  template <std::size_t... K>
  void set_shared(std::index_sequence<K...>) {
    (set(std::get<K>(shared_), container_for<parameter<free + K>>(trial_.arguments()[free + K])), ...);
  }
  template <class To, class Value>
  static void set(To& to, Value const& value) {
    if constexpr (requires { to.set_state(value); }) to.set_state(value);
    else to.set_value(value);
  }
  template <class From>
  static tensor value_of(From const& from) {
    if constexpr (requires { from.get_state(); }) return tensor_of(from.get_state());
    else return tensor_of(from.storage());
  }
  std::vector<tensor> new_values() const {
    std::vector<tensor> all;
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      std::vector<tensor> const values{value_of(std::get<K>(shared_))...};
      for (int u : trial_.updated()) all.push_back(values[static_cast<std::size_t>(u) - free]);
    }(std::make_index_sequence<Bound>{});
    return all;
  }

  trial& trial_;
  Function const& f_;
  Shared& shared_;
};

/// What a parameter is bound to.
template <class Place, class Stream, class Parameter>
auto bound_to(argument const& a) {
  if constexpr (std::is_same_v<Parameter, kt::rng>) return Stream(1);
  else
    return typename Place::template shared<kt::value_type_of<Parameter>, kt::rank_of<Parameter>>(
        container_for<Parameter>(a));
}

/// What `use` does with the calls of a program's function in one place. The last parameters are
/// bound to shared variables, a kt::rng among them to a stream.
template <class Place, std::size_t Bound, class Stream, class F, class Mode, class Use>
void with_calls(trial& to, F const& f, Mode const& mode, Use use) {
  using parameters = kt::core::parameters_of<F>;
  constexpr std::size_t free = std::tuple_size_v<parameters> - Bound;
  auto shared = [&]<std::size_t... K>(std::index_sequence<K...>) {
    return std::tuple(bound_to<Place, Stream, std::tuple_element_t<free + K, parameters>>(
        to.arguments()[free + K])...);
  }(std::make_index_sequence<Bound>{});
  auto const compiled =
      std::apply([&](auto const&... s) { return Place::function(f, s..., mode); }, shared);
  caller<Place, parameters, Bound, std::remove_const_t<decltype(compiled)>, decltype(shared)> calls(
      to, compiled, shared);
  use(calls);
}
/// All rounds of a program, in every place.
template <bool ByStride, class... Calls>
void try_rounds(trial& to, Calls&... calls) {
  auto const try_all = [](auto& of) {
    if constexpr (ByStride)
      for (layout l : {layout::dense, layout::transposed, layout::gaps, layout::reversed})
        of.with_strides(l);
    else of.with_containers();
  };
  while (to.next_round()) (try_all(calls), ...);
}

/// All calls of a program.
template <bool ByStride, std::size_t Bound, class Stream = kt::philox_streams, class F, class Mode>
void try_out(trial& to, F const& f, Mode const& mode) {
  with_calls<on_host, Bound, Stream>(to, f, mode, [&](auto& host) {
#if defined(KROTON_FUZZ_DEVICE)
    with_calls<on_device, Bound, Stream>(to, f, mode,
                                 [&](auto& device) { try_rounds<ByStride>(to, host, device); });
#else
    try_rounds<ByStride>(to, host);
#endif
  });
}

}  // namespace fuzz
