// What a direct call is given: arrays and numbers of the caller, literals, and extents.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/prologue.hpp>

namespace kroton::cpu {

/// Reads arguments, shared variables, literals and extents into the state of a call.
template <class Program>
class direct_binding {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  using expand = int[];

 public:
  /// False where an array has gaps or another rank.
  template <class SharedTuple, std::size_t... I, std::size_t... S, class... A>
  static KROTON_INLINE bool bind(state& s, SharedTuple const& shared, std::index_sequence<I...>,
                                 std::index_sequence<S...>, A const&... arguments) {
    return (bind_argument<static_cast<int>(I)>(s, arguments) && ...) &&
           (bind_array<static_cast<int>(sizeof...(I) + S)>(s, std::get<S>(shared).storage()) &&
            ...);
  }
  template <int... V>
  static KROTON_INLINE void read_literals(state& s, std::integer_sequence<int, V...>) {
    (void)expand{0, (read_literal<V>(s), 0)...};
  }
  template <int... E>
  static KROTON_INLINE void read_extents(state& s, std::integer_sequence<int, E...>) {
    (void)expand{0, (read_extent<E>(s), 0)...};
  }
  /// Those that are known at a stage.
  template <int Stage, int... E>
  static KROTON_INLINE void read_computed_extents(state& s, std::integer_sequence<int, E...>) {
    (void)expand{0, (read_computed_extent<Stage, E>(s), 0)...};
  }

 private:
  template <int V, class A>
  static KROTON_INLINE bool bind_argument(state& s, A const& argument) {
    if constexpr (tables::value(V).rank == 0) return bind_array<V>(s, argument.value());
    else return bind_array<V>(s, argument.array());
  }
  template <int V, class A>
  static KROTON_INLINE bool bind_array(state& s, A const& array) {
    if constexpr (tables::value(V).rank == 0) {
      s.template scalar<V>() = array;
      return true;
    } else {
      return bind_dense<tables::value(V).rank>(array, s.data[V], s.given[V]);
    }
  }
  template <int V>
  static KROTON_INLINE void read_literal(state& s) {
    if constexpr (tables::value(V).where == storage::literal)
      s.template scalar<V>() =
          node_traits<typename decltype(literal_type<tables::value(V).type,
                                                     tables::value(V).detail>())::type>::value;
  }
  template <int E>
  static KROTON_INLINE void read_extent(state& s) {
    constexpr planned_extent from = Program::extents[E];
    if constexpr (from.from == planned_extent::number) s.extents[E] = core::as_extent(from.which);
    else if constexpr (from.from == planned_extent::parameter)
      s.extents[E] = s.given[from.which][from.axis];
  }
  template <int Stage, int E>
  static KROTON_INLINE void read_computed_extent(state& s) {
    constexpr planned_extent from = Program::extents[E];
    if constexpr (from.from == planned_extent::value &&
                  direct_prologue<Program>::stage_of_extent(E) == Stage)
      s.extents[E] = core::as_extent(s.template integer<static_cast<int>(from.which)>());
  }
};

}  // namespace kroton::cpu
