// Direct calls: simple programs of small dense arrays as straight-line code on locals. What is not
// simple is left to the frame.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct_arrays.hpp>
#include <kroton/cpu/call/direct_band.hpp>
#include <kroton/cpu/call/direct_program.hpp>
#include <kroton/cpu/call/direct_steps.hpp>

namespace kroton::cpu {

/// The call of a program that is_direct_program. Nothing is written before it is known that the
/// call is simple.
template <class Program>
class direct_call {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  using steps = direct_steps<Program>;
  using band = direct_band<Program>;

 public:
  /// False, with nothing done, where the frame has to take the call.
  template <class Targets, class SharedTuple, class... A>
  static bool run(small_memory& memory, Targets& targets, SharedTuple& shared,
                  A const&... arguments) {
    using all_values = std::make_integer_sequence<int, tables::value_count>;
    using all_steps = std::make_integer_sequence<int, tables::step_count>;
    using all_outputs = std::make_index_sequence<Program::outputs.size()>;
    using all_updates = std::make_index_sequence<Program::updates.size()>;
    state s;
    if (!bind(s, shared, std::index_sequence_for<A...>{},
              std::make_index_sequence<std::tuple_size_v<SharedTuple>>{}, arguments...))
      return false;
    read_literals(s, all_values{});
    read_extents(s, std::make_integer_sequence<int, tables::extent_count>{});
    take<true>(s, memory.scratch, all_steps{});
    read_computed_extents(s, std::make_integer_sequence<int, tables::extent_count>{});
    std::ptrdiff_t const together = rows_together(s);
    if (together < 0 ||
        !is_simple(s, shared, targets, all_values{}, all_outputs{}, all_updates{}) ||
        !is_small(s, together, all_steps{}))
      return false;
    place(s, memory.arena, targets, together, all_values{}, all_outputs{});
    take_all(s, memory.scratch, together, all_steps{});
    store_outputs(s, targets, all_outputs{});
    store_updates(s, shared, all_updates{});
    return true;
  }
  /// What keeps a call of these extents in the frame, which has laid it out; nothing where it is
  /// small.
  static std::string needs_frame(frame& f) {
    state s;
    for (int p = 0; p < tables::parameter_count; ++p)
      std::copy_n(f.value(p).extents, tables::value(p).rank, s.given[p]);
    for (int e = 0; e < tables::extent_count; ++e) s.extents[e] = f.extent(e);
    return needs_frame(s, std::make_integer_sequence<int, tables::value_count>{},
                       std::make_integer_sequence<int, tables::step_count>{});
  }

 private:
  template <int... V, int... S>
  static std::string needs_frame(state& s, std::integer_sequence<int, V...>,
                                 std::integer_sequence<int, S...>) {
    if (!extents_fit(s, std::make_integer_sequence<int, tables::extent_count>{}) ||
        !(value_fits<V>(s) && ...))
      return "an array is large";
    std::ptrdiff_t const together = rows_together(s);
    if (together < 0) return "threads share the rows";
    int const small[]{is_small_step<S>(s, together)...};
    for (int i = 0; i < tables::step_count; ++i)
      if (!small[i]) return "step " + std::to_string(i + 1) + " is large";
    return {};
  }
  static constexpr std::size_t first_shared(std::size_t shared) {
    return Program::parameters.size() - shared;
  }
  using expand = int[];

  // ---- parameters and extents
  template <class SharedTuple, std::size_t... I, std::size_t... S, class... A>
  static KROTON_INLINE bool bind(state& s, SharedTuple const& shared, std::index_sequence<I...>,
                                 std::index_sequence<S...>, A const&... arguments) {
    return (bind_argument<static_cast<int>(I)>(s, arguments) && ...) &&
           (bind_array<static_cast<int>(sizeof...(I) + S)>(s, std::get<S>(shared).storage()) &&
            ...);
  }
  template <int V, class A>
  static KROTON_INLINE bool bind_argument(state& s, A const& argument) {
    if constexpr (tables::value(V).rank == 0)
      return bind_array<V>(s, argument.value());
    else
      return bind_array<V>(s, argument.array());
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
  template <int... V>
  static KROTON_INLINE void read_literals(state& s, std::integer_sequence<int, V...>) {
    (void)expand{0, (read_literal<V>(s), 0)...};
  }
  template <int V>
  static KROTON_INLINE void read_literal(state& s) {
    if constexpr (tables::value(V).where == storage::literal)
      s.template scalar<V>() =
          node_traits<typename decltype(literal_type<tables::value(V).type,
                                                     tables::value(V).detail>())::type>::value;
  }
  template <int... E>
  static KROTON_INLINE void read_extents(state& s, std::integer_sequence<int, E...>) {
    (void)expand{0, (read_extent<E>(s), 0)...};
  }
  template <int E>
  static KROTON_INLINE void read_extent(state& s) {
    constexpr planned_extent from = Program::extents[E];
    if constexpr (from.from == planned_extent::number)
      s.extents[E] = from.which;
    else if constexpr (from.from == planned_extent::parameter)
      s.extents[E] = s.given[from.which][from.axis];
  }
  template <int... E>
  static KROTON_INLINE void read_computed_extents(state& s, std::integer_sequence<int, E...>) {
    (void)expand{0, (read_computed_extent<E>(s), 0)...};
  }
  template <int E>
  static KROTON_INLINE void read_computed_extent(state& s) {
    constexpr planned_extent from = Program::extents[E];
    if constexpr (from.from == planned_extent::value)
      s.extents[E] = s.template integer<static_cast<int>(from.which)>();
  }

  // ---- whether this call is simple
  template <class SharedTuple, class Targets, int... V, std::size_t... K, std::size_t... U>
  static KROTON_INLINE bool is_simple(state const& s, SharedTuple const& shared,
                                      Targets const& targets, std::integer_sequence<int, V...>,
                                      std::index_sequence<K...>, std::index_sequence<U...>) {
    return extents_fit(s, std::make_integer_sequence<int, tables::extent_count>{}) &&
           (value_fits<V>(s) && ...) &&
           conditions_hold(s, std::make_index_sequence<Program::constraints.size()>{}) &&
           (target_fits<K>(s, std::get<K>(targets)) && ...) && (update_fits<U>(s, shared) && ...);
  }
  /// How many rows of a band go together, any number without one; negative where threads might
  /// share them.
  static KROTON_INLINE std::ptrdiff_t rows_together([[maybe_unused]] state const& s) {
    if constexpr (!band::exists) return 0;
    else if (std::ptrdiff_t const n = band::rows_together(s);
             n == s.extents[band::rows] || band::is_for_one_thread())
      return n;
    else return -1;
  }
  /// Whether every step is small, of a band for the rows that go together.
  template <int... S>
  static KROTON_INLINE bool is_small(state& s, std::ptrdiff_t together,
                                     std::integer_sequence<int, S...>) {
    return (is_small_step<S>(s, together) && ...);
  }
  template <int S>
  static KROTON_INLINE bool is_small_step(state& s, [[maybe_unused]] std::ptrdiff_t together) {
    if constexpr (band::exists && band::is_inside(S)) std::swap(s.extents[band::rows], together);
    bool const small = steps::template is_small<S>(s);
    if constexpr (band::exists && band::is_inside(S)) std::swap(s.extents[band::rows], together);
    return small;
  }
  template <int... E>
  static KROTON_INLINE bool extents_fit(state const& s, std::integer_sequence<int, E...>) {
    return (((band::exists && E == band::rows) ||
             static_cast<std::size_t>(s.extents[E]) <=
                 static_cast<std::size_t>(machine::max_small_elements)) &&
            ...);
  }
  template <int V>
  static KROTON_INLINE bool value_fits(state const& s) {
    constexpr value_info info = tables::value(V);
    if constexpr (info.where == storage::parameter && V < tables::parameter_count)
      for (int d = 0; d < info.rank; ++d)
        if (s.given[V][d] != s.extents[info.extents[d]]) return false;
    constexpr bool in_parts = band::exists && band::parted_axes(V) > 0 && !band::is_seen_outside(V);
    if constexpr (!in_parts && (info.rank > 1 || band::exists))
      return s.template size<V>() <= machine::max_small_elements;
    return true;
  }
  template <std::size_t... C>
  static KROTON_INLINE bool conditions_hold(state const& s, std::index_sequence<C...>) {
    return (condition_holds<C>(s) && ...);
  }
  template <std::size_t C>
  static KROTON_INLINE bool condition_holds(state const& s) {
    constexpr constraint_info c = Program::constraints[C];
    if constexpr (c.kind == condition::count) {
      shape_count count;
      take_factors<C>(s, count,
                      std::make_index_sequence<entries_of_count(Program::constraints, C)>{});
      return count.fits();
    } else if constexpr (c.kind == condition::equal || c.kind == condition::index ||
                         c.kind == condition::at_least) {
      std::int64_t const left = s.template integer<c.left>(), right = s.template integer<c.right>();
      return c.kind == condition::index      ? left >= 0 && left < right
             : c.kind == condition::at_least ? left >= right
                                             : left == right;
    } else {
      return true;
    }
  }
  template <std::size_t C, std::size_t... I>
  static KROTON_INLINE void take_factors(state const& s, shape_count& count,
                                         std::index_sequence<I...>) {
    (void)expand{0, (count.take(s.template integer<Program::constraints[C + I].left>(),
                                Program::constraints[C + I].kind == condition::factor), 0)...};
  }
  template <std::size_t K, class Target>
  static KROTON_INLINE bool target_fits(state const& s, Target const& target) {
    constexpr int v = Program::outputs[K];
    if constexpr (tables::value(v).rank > 0) {
      constexpr int rank = tables::value(v).rank;
      if constexpr (!is_dense_target<Target, value_t<tables::value(v).type>, rank>)
        return false;
      else {
        std::byte* data = nullptr;
        std::ptrdiff_t given[static_cast<std::size_t>(rank)];
        if (!bind_dense<rank>(target, data, given)) return false;
        bool same = true;
        std::ptrdiff_t size = 1;
        for (int d = 0; d < rank; ++d) {
          same = same && given[d] == s.extents[tables::value(v).extents[d]];
          size *= given[d];
        }
        if (!same && !(resizable<Target> && is_row_major<Target>())) return false;
        return meets_none(s, data, size * bytes_of(tables::value(v).type), -1);
      }
    }
    return true;
  }
  template <std::size_t U, class SharedTuple>
  static KROTON_INLINE bool update_fits(state const& s, SharedTuple const&) {
    constexpr planned_update u = Program::updates[U];
    constexpr value_info info = tables::value(u.value);
    if constexpr (info.rank > 0) {
      for (int d = 0; d < info.rank; ++d)
        if (s.given[u.parameter][d] != s.extents[info.extents[d]]) return false;
      return meets_none(s, s.data[u.parameter], s.template size<u.value>() * bytes_of(info.type),
                        u.parameter);
    }
    return true;
  }
  /// Whether memory is that of no parameter but one.
  static KROTON_INLINE bool meets_none(state const& s, std::byte const* data, std::ptrdiff_t bytes,
                                       int but) {
    return meets_none(s, data, bytes, but,
                      std::make_integer_sequence<int, tables::parameter_count>{});
  }
  template <int... P>
  static KROTON_INLINE bool meets_none(state const& s, std::byte const* data, std::ptrdiff_t bytes,
                                       int but, std::integer_sequence<int, P...>) {
    return ((P == but || tables::value(P).rank == 0 || lies_apart<P>(s, data, bytes)) && ...);
  }
  template <int P>
  static KROTON_INLINE bool lies_apart(state const& s, std::byte const* data,
                                       std::ptrdiff_t bytes) {
    std::ptrdiff_t const own = s.template size<P>() * bytes_of(tables::value(P).type);
    return data >= s.data[P] + own || s.data[P] >= data + bytes;
  }

  // ---- memory
  template <class Targets, int... V, std::size_t... K>
  static KROTON_INLINE void place(state& s, memory_block& memory, Targets& targets,
                                  [[maybe_unused]] std::ptrdiff_t together,
                                  std::integer_sequence<int, V...>, std::index_sequence<K...>) {
    constexpr int slots = Program::places.slots;
    if constexpr (slots > 0) {
      std::ptrdiff_t sizes[static_cast<std::size_t>(slots)]{};
      (void)expand{0, (measure<V>(s, sizes, together), 0)...};
      std::ptrdiff_t total = 0;
      for (int k = 0; k < slots; ++k) total += std::exchange(sizes[k], total);
      std::byte* const arena = memory.room(static_cast<std::size_t>(total));
      (void)expand{0, (place_in_slot<V>(s, arena, sizes), 0)...};
    }
    (void)expand{0, (place_output<K>(s, std::get<K>(targets)), 0)...};
    (void)expand{0, (place_others<V>(s), 0)...};
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
  static KROTON_INLINE void place_others(state& s) {
    constexpr value_info info = tables::value(V);
    if constexpr (info.companion >= 0) s.data[V] = s.data[tables::last_companion(V)];
    if constexpr (info.where == storage::parameter && V >= tables::parameter_count && info.rank > 0)
      s.data[V] = s.data[info.detail];
  }

  // ---- steps and results
  template <bool Prologue, int... S>
  static KROTON_INLINE void take(state& s, memory_block& scratch,
                                 std::integer_sequence<int, S...>) {
    (void)expand{0, (take_step<Prologue, S>(s, scratch), 0)...};
  }
  template <bool Prologue, int S>
  static KROTON_INLINE void take_step(state& s, memory_block& scratch) {
    if constexpr (tables::step(S).prologue == Prologue) steps::template take<S>(s, scratch);
  }
  template <int... S>
  static KROTON_INLINE void take_all(state& s, memory_block& scratch,
                                     [[maybe_unused]] std::ptrdiff_t together,
                                     std::integer_sequence<int, S...> all) {
    if constexpr (band::exists)
      (void)expand{0, (S == band::first        ? take_band(s, scratch, together, all)
                       : band::is_inside(S) ? void()
                                               : take_step<false, S>(s, scratch),
                       0)...};
    else
      take<false>(s, scratch, all);
  }
  /// The steps of a band for some rows after the other.
  template <int... S>
  static KROTON_INLINE void take_band(state& s, memory_block& scratch, std::ptrdiff_t together,
                                      std::integer_sequence<int, S...>) {
    std::ptrdiff_t const rows = s.extents[band::rows];
    std::ptrdiff_t begin = 0;
    (void)expand{0, (steps::template start<S>(s), 0)...};
    for (;;) {
      s.extents[band::rows] = rows - begin < together ? rows - begin : together;
      (void)expand{0, (take_inside<S>(s, scratch), 0)...};
      if (rows - begin <= together) break;
      band::move(s, together);
      begin += together;
    }
    band::move(s, -begin);
    s.extents[band::rows] = rows;
    (void)expand{0, (look_again<S>(s, scratch), 0)...};
  }
  /// A view that was taken of some rows, for the steps behind the band.
  template <int S>
  static KROTON_INLINE void look_again(state& s, memory_block& scratch) {
    if constexpr (band::is_inside(S) && is_view(tables::step(S).kind))
      take_step<false, S>(s, scratch);
  }
  template <int S>
  static KROTON_INLINE void take_inside(state& s, memory_block& scratch) {
    if constexpr (band::is_inside(S)) take_step<false, S>(s, scratch);
  }
  template <class Targets, std::size_t... K>
  static KROTON_INLINE void store_outputs(state& s, Targets& targets, std::index_sequence<K...>) {
    (void)expand{0, (store_output<K>(s, std::get<K>(targets)), 0)...};
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
  template <class SharedTuple, std::size_t... U>
  static KROTON_INLINE void store_updates(state& s, SharedTuple& shared,
                                          std::index_sequence<U...>) {
    (void)expand{0, (store_update<U>(s, shared), 0)...};
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
        std::memcpy(s.data[u.parameter], s.data[u.value],
                    static_cast<std::size_t>(s.template size<u.value>() * bytes_of(info.type)));
    }
  }
};

}  // namespace kroton::cpu
