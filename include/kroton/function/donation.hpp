// Arguments that a call is given for good: an output may be computed in the memory of one, which
// then becomes the result's. (jax.jit's donate_argnums, In(x, mutable=True) of Theano)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/outputs.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace kroton::functions {

template <class Argument, class Results>
inline constexpr bool is_donated = false;
/// Whether an argument, as it is forwarded, is a container that nothing else needs and that a
/// result could be.
template <class Argument, class... R>
  requires cpu::resizable<Argument>
inline constexpr bool is_donated<Argument, std::tuple<R...>> = (std::is_same_v<Argument, R> || ...);

/// Where the outputs of a call are computed: each in its result, or in an argument that it takes
/// over.
template <class Results, class... A>
class donated_targets;
template <class... R, class... A>
class donated_targets<std::tuple<R...>, A...> {
  static constexpr auto every_output = std::index_sequence_for<R...>{};

 public:
  /// Offers the arguments of a call in their order. Nothing is moved yet: arguments that look into
  /// others still find them, and a call that fails leaves them as they were.
  explicit donated_targets(cpu::program_tables const& tables,
                           std::remove_reference_t<A>&... arguments)
      : at_(std::apply([](R&... own) { return std::tuple<R*...>(&own...); }, own_)) {
    int parameter = 0;
    (offer<A>(tables, parameter++, arguments, every_output), ...);
  }
  donated_targets(donated_targets const&) = delete;
  donated_targets& operator=(donated_targets const&) = delete;

  std::tuple<R&...> targets() const {
    return std::apply([](R* const... at) { return std::tuple<R&...>(*at...); }, at_);
  }
  /// The results. An argument that has become one is empty.
  std::tuple<R...> take() { return take(every_output); }

 private:
  // Given is a reference where the caller keeps the argument.
  template <class Given, class Argument, std::size_t... K>
  void offer(cpu::program_tables const& tables, int parameter, Argument& argument,
             std::index_sequence<K...>) {
    if constexpr (is_donated<Given, std::tuple<R...>>) {
      bool taken = ((static_cast<void const*>(std::get<K>(at_)) == &argument) || ...);
      (offer_to<K>(tables, parameter, argument, taken), ...);
    }
  }
  template <std::size_t K, class Argument>
  void offer_to(cpu::program_tables const& tables, int parameter, Argument& argument, bool& taken) {
    if constexpr (std::is_same_v<Argument, std::tuple_element_t<K, std::tuple<R...>>>) {
      if (taken || std::get<K>(at_) != &std::get<K>(own_)) return;
      for (auto const& value : tables.values)
        taken = taken || (value.output == static_cast<int>(K) &&
                          plan::overwritten_parameters(value.detail).gives(parameter));
      if (taken) std::get<K>(at_) = &argument;
    }
  }
  template <std::size_t... K>
  std::tuple<R...> take(std::index_sequence<K...>) {
    ((std::get<K>(at_) != &std::get<K>(own_) ? std::swap(std::get<K>(own_), *std::get<K>(at_))
                                             : void()),
     ...);
    return std::move(own_);
  }

  std::tuple<R...> own_;
  std::tuple<R*...> at_;
};

}  // namespace kroton::functions
