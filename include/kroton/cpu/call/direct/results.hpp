// The results of a direct call: scalar outputs, and new values of shared variables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/arrays.hpp>

#include <cstring>
#include <tuple>

namespace kroton::cpu {

/// Stores the results that were not computed where they belong.
template <class Program>
class direct_results {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  using expand = int[];

 public:
  template <class Targets, std::size_t... K>
  static KROTON_INLINE void store_outputs(state& s, Targets& targets, std::index_sequence<K...>) {
    (void)expand{0, (store_output<K>(s, std::get<K>(targets)), 0)...};
  }
  template <class SharedTuple, std::size_t... U>
  static KROTON_INLINE void store_updates(state& s, SharedTuple& shared,
                                          std::index_sequence<U...>) {
    (void)expand{0, (store_update<U>(s, shared), 0)...};
  }

 private:
  static constexpr std::size_t first_shared(std::size_t shared) {
    return Program::parameters.size() - shared;
  }
  template <std::size_t K, class Target>
  static KROTON_INLINE void store_output(state& s, Target& target) {
    constexpr int v = Program::outputs[K];
    if constexpr (tables::value(v).rank == 0) store_scalar(target, read_scalar<v>(s));
  }
  template <int V>
  static KROTON_INLINE auto read_scalar(state& s) {
    return *reinterpret_cast<value_t<tables::value(V).type> const*>(s.template address<V>());
  }
  template <std::size_t U, class SharedTuple>
  static KROTON_INLINE void store_update(state& s, SharedTuple& shared) {
    constexpr planned_update u = Program::updates[U];
    constexpr value_info info = tables::value(u.value);
    if constexpr (!u.in_place) {
      if constexpr (info.rank == 0)
        std::get<static_cast<std::size_t>(u.parameter) -
                 first_shared(std::tuple_size_v<SharedTuple>)>(shared)
            .storage() = read_scalar<u.value>(s);
      else
        std::memcpy(s.data[u.parameter], s.template address<u.value>(),
                    static_cast<std::size_t>(s.template size<u.value>() * bytes_of(info.type)));
    }
  }
};

}  // namespace kroton::cpu
