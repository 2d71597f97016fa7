// What a target of into whose elements are narrower than those of its output is told, in words with both types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/core/variable.hpp>
#include <kroton/cpu/containers.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace kroton::core {

/// The sentence for an output of one element type and a target of another.
template <std::size_t Position, element From, element To>
struct narrowed_output {
  static constexpr list<char> sentence() {
    list<char> words;
    auto add = [&](std::string_view part) { words.append(part.data(), static_cast<int>(part.size())); };
    char const digits[] = {static_cast<char>('0' + (Position + 1) / 10), static_cast<char>('0' + (Position + 1) % 10)};
    add("kt::function: into would narrow output ");
    add(Position < 9 ? std::string_view(digits + 1, 1) : std::string_view(digits, 2));
    add(", whose elements are ");
    add(name_of(From));
    add(", to a target of ");
    add(name_of(To));
    add("; take another target, or kt::cast the output");
    return words;
  }
  static constexpr std::size_t length = static_cast<std::size_t>(sentence().size());
  static constexpr text<length + 1> written = [] {
    text<length + 1> result;
    list<char> const from = sentence();
    for (int i = 0; i < from.size(); ++i) result.characters[i] = from[i];
    return result;
  }();
  struct refusal {
    std::string_view error;
  };
  static constexpr refusal made{written.view()};
};

template <class V>
struct output_element : element_of_argument<V> {};
template <typed V>
struct output_element<V> {
  using type = value_type_of<V>;
};

/// Whether a target can hold every value of an output, of which the value or the variable is given, as arguments ask it of
/// parameters.
template <class Target, class Output>
constexpr bool takes_output() {
  if constexpr (requires { typename element_of_argument<std::remove_cvref_t<Target>>::type; })
    return is_lossless<typename output_element<Output>::type, element_t<Target>>();
  else
    return true;
}
template <class Targets, class Outputs>
inline constexpr bool take_outputs = true;
template <class... Target, class... Output>
inline constexpr bool take_outputs<std::tuple<Target...>, std::tuple<Output...>> = (takes_output<Target, Output>() && ...);

/// The sentence for the first target that cannot.
template <std::size_t Position = 0, class Targets, class Outputs>
void refuse_narrowing(std::type_identity<Targets> targets, std::type_identity<Outputs> outputs) {
  using to = std::tuple_element_t<Position, Targets>;
  using from = std::tuple_element_t<Position, Outputs>;
  if constexpr (takes_output<to, from>()) {
    refuse_narrowing<Position + 1>(targets, outputs);
  } else {
    using sentence = narrowed_output<Position, element_of<typename output_element<from>::type>(), element_of<element_t<to>>()>;
    refuse<sentence>(std::make_index_sequence<line_count(sentence::made.error)>{});
  }
}

}  // namespace kroton::core
