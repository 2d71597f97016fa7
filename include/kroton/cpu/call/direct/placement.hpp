// Where the arrays of a direct call lie: in slots of an arena, in targets, in parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/band.hpp>
#include <kroton/cpu/call/direct/prologue.hpp>
#include <kroton/cpu/call/memory.hpp>
#include <kroton/cpu/op/pages.hpp>

#include <array>
#include <utility>

namespace kroton::cpu {

/// Gives every array of a call its address.
template <class Program>
class direct_placement {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  using band = direct_band<Program>;
  using expand = int[];

 public:
  template <class Targets, int... V, std::size_t... K>
  static KROTON_INLINE void place(state& s, memory_block& memory, Targets& targets,
                                  std::ptrdiff_t together, std::integer_sequence<int, V...> values,
                                  std::index_sequence<K...>) {
    place_in_slots(s, memory, together, values);
    (void)expand{0, (place_output<K>(s, std::get<K>(targets)), 0)...};
    place_others(s, values);
  }
  template <int... V>
  static KROTON_INLINE void place_in_slots([[maybe_unused]] state& s,
                                           [[maybe_unused]] memory_block& memory,
                                           [[maybe_unused]] std::ptrdiff_t together,
                                           std::integer_sequence<int, V...>) {
    constexpr int slots = Program::places.slots;
    if constexpr (slots > 0 && known_slots<Program>::bytes == 0) {
      std::ptrdiff_t sizes[static_cast<std::size_t>(slots)]{};
      (void)expand{0, (measure<V>(s, sizes, together), 0)...};
      std::ptrdiff_t total = 0;
      for (int k = 0; k < slots; ++k) total += std::exchange(sizes[k], total);
      std::byte* const arena = memory.room(static_cast<std::size_t>(total));
      (void)expand{0, (place_in_slot<V>(s, arena, sizes), 0)...};
    }
  }
  /// The arrays that a step of the prologue computes.
  template <int S>
  static KROTON_INLINE void place_early(state& s, direct_memory<Program>& memory) {
    place_early<S>(s, memory, std::make_integer_sequence<int, tables::step(S).result_count>{});
  }
  /// What lies where other values do, once these have their places.
  template <int... V>
  static KROTON_INLINE void place_others(state& s, std::integer_sequence<int, V...>) {
    (void)expand{0, (place_other<V>(s), 0)...};
  }

 private:
  template <int S, int... K>
  static KROTON_INLINE void place_early(state& s, direct_memory<Program>& memory,
                                        std::integer_sequence<int, K...>) {
    (void)expand{0, (place_early_value<tables::result(S, K)>(s, memory), 0)...};
  }
  template <int V>
  static KROTON_INLINE void place_early_value([[maybe_unused]] state& s,
                                              [[maybe_unused]] direct_memory<Program>& memory) {
    if constexpr (V >= 0)
      if constexpr (constexpr int number = direct_prologue<Program>::early_number(V); number >= 0)
        s.data[V] = memory.early[number].room(
            static_cast<std::size_t>(s.template size<V>() * bytes_of(tables::value(V).type)));
  }
  template <int V>
  static KROTON_INLINE void measure(state const& s, std::ptrdiff_t* sizes,
                                    [[maybe_unused]] std::ptrdiff_t together) {
    if constexpr (constexpr int slot = tables::value(V).slot; slot >= 0) {
      std::ptrdiff_t bytes = s.template size<V>() * bytes_of(tables::value(V).type);
      if constexpr (band::exists && band::is_local(V))
        if (s.extents[band::rows] > together) bytes = bytes / s.extents[band::rows] * together;
      bytes = (bytes + 63) / 64 * 64;
      if (bytes > sizes[slot]) sizes[slot] = bytes;
    }
  }
  template <int V>
  static KROTON_INLINE void place_in_slot(state& s, std::byte* arena,
                                          std::ptrdiff_t const* begins) {
    if constexpr (constexpr int slot = tables::value(V).slot; slot >= 0)
      s.data[V] = arena + begins[slot];
  }
  template <std::size_t K, class Target>
  static KROTON_INLINE void place_output(state& s, Target& target) {
    constexpr int v = Program::outputs[K];
    if constexpr (tables::value(v).rank > 0) {
      constexpr int rank = tables::value(v).rank;
      if constexpr (is_dense_target<Target, value_t<tables::value(v).type>, rank>) {
        if constexpr (resizable<Target>) {
          std::array<std::size_t, static_cast<std::size_t>(rank)> shape;
          bool same = true;
          for (int d = 0; d < rank; ++d) {
            shape[static_cast<std::size_t>(d)] =
                static_cast<std::size_t>(s.extents[tables::value(v).extents[d]]);
            same = same && static_cast<std::size_t>(target.shape()[static_cast<std::size_t>(d)]) ==
                               shape[static_cast<std::size_t>(d)];
          }
          if (!same) {
            target.resize(shape);
            if constexpr (band::exists)
              ask_for_large_pages(s.data[v] = data_of(target),
                                  target.size() * sizeof(*target.data()));
          }
        }
        s.data[v] = data_of(target);
      }
    }
  }
  /// Updates in place, and what outputs are made from in place.
  template <int V>
  static KROTON_INLINE void place_other(state& s) {
    constexpr value_info info = tables::value(V);
    if constexpr (info.companion >= 0) s.data[V] = address_of<V>(s);
    if constexpr (info.where == storage::parameter && V >= tables::parameter_count && info.rank > 0)
      s.data[V] = s.data[info.detail];
  }
  template <int V>
  static KROTON_INLINE std::byte* address_of(state& s) {
    constexpr value_info info = tables::value(V);
    if constexpr (info.companion < 0) {
      return s.template address<V>();
    } else {
      return address_of<info.companion>(s);
    }
  }
};

}  // namespace kroton::cpu
