// Functions of the elements of small arrays: straight-line code on locals, as that of functions of
// scalars. Elements are loaded before anything is stored.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/outputs.hpp>
#include <kroton/cpu/call/direct/arrays.hpp>
#include <kroton/cpu/call/direct/scalars.hpp>
#include <kroton/cpu/call/direct/tables.hpp>
#include <kroton/cpu/op/kernel.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace kroton::cpu {

/// What a program does with the elements of arrays.
template <class Program>
struct element_tables : direct_tables<Program> {
  using tables = direct_tables<Program>;

  /// The step that gives a value, or -1.
  static constexpr int maker(int v) {
    for (int s = 0; s < tables::step_count; ++s)
      for (int k = 0; k < tables::step(s).result_count; ++k)
        if (tables::result(s, k) == v) return s;
    return -1;
  }
  static constexpr bool reads_element(int s) {
    if (tables::step(s).kind != step_kind::subtensor ||
        tables::value(tables::result(s, 0)).rank > 0)
      return false;
    for (int k = 1; k < tables::step(s).operand_count; ++k)
      if (tables::value(tables::operand(s, k)).where != storage::literal) return false;
    return is_parameter(tables::operand(s, 0));
  }
  /// The place of the element that a step reads.
  static constexpr std::ptrdiff_t element_read(int s) {
    std::ptrdiff_t at = 0;
    for (int d = 0; d < tables::value(tables::operand(s, 0)).rank; ++d)
      at = at * extent(tables::operand(s, 0), d) + tables::value(tables::operand(s, 1 + d)).detail;
    return at;
  }
  template <int S>
  static constexpr bool makes_vector() {
    if constexpr (tables::step(S).kind == step_kind::own)
      return std::is_same_v<op_at<Program::value.ops[tables::step(S).op]>, op::make_vector>;
    else return false;
  }
  static constexpr bool is_parameter(int v) {
    return tables::value(v).where == storage::parameter && v < tables::parameter_count;
  }
  static constexpr std::ptrdiff_t extent(int v, int d) {
    return tables::known_extent(tables::value(v).extents[d]);
  }
  /// Whether a step gives an array that lies dense other extents.
  static constexpr bool keeps_order(int s) {
    step_kind const kind = tables::step(s).kind;
    return kind == step_kind::reshape ||
           (kind == step_kind::dimshuffle && tables::is_dense(tables::result(s, 0)));
  }
  /// The step that makes the vector of an array's elements, which may be reshaped; -1 for others.
  static constexpr int vector_of(int v) {
    int s = maker(v);
    while (s >= 0 && keeps_order(s)) s = maker(tables::operand(s, 0));
    return s >= 0 && tables::step(s).kind == step_kind::own ? s : -1;
  }
  /// The element `i` of an array, a scalar value.
  static constexpr int element(int v, int i) { return tables::operand(vector_of(v), 1 + i); }

  /// Whether calls load and store elements only, and between that take steps on numbers.
  static constexpr bool all_are_elements() {
    if constexpr (!are_values_elements()) return false;
    else return are_steps_simple(std::make_integer_sequence<int, tables::step_count>{});
  }

 private:
  static constexpr bool are_values_elements() {
    bool all = tables::extent_count > 0;
    for (int v = 0; v < tables::value_count; ++v) {
      all = all && (tables::value(v).rank == 0 || is_parameter(v) || vector_of(v) >= 0);
      for (int d = 0; d < tables::value(v).rank; ++d) all = all && extent(v, d) > 0;
    }
    for (auto const& c : Program::constraints)
      all = all && c.kind == condition::equal && is_number(c.left) && is_number(c.right);
    for (auto const& u : Program::updates)
      all = all && (tables::value(u.value).rank == 0 || vector_of(u.value) >= 0) &&
            have_same_extents(u.value, u.parameter);
    for (int v : Program::outputs) all = all && (tables::value(v).rank == 0 || vector_of(v) >= 0);
    return all;
  }
  /// Whether a new value fits into the memory of a shared array.
  static constexpr bool have_same_extents(int a, int b) {
    bool same = tables::value(a).rank == tables::value(b).rank;
    for (int d = 0; same && d < tables::value(a).rank; ++d) same = extent(a, d) == extent(b, d);
    return same;
  }
  template <int... S>
  static constexpr bool are_steps_simple(std::integer_sequence<int, S...>) {
    bool all = true;  // a fold over && is nested too deeply for clang
    (void)std::initializer_list<int>{(all = all && is_simple_step<S>(), 0)...};
    return all;
  }
  static constexpr bool is_number(int v) {
    return tables::value(v).where == storage::literal || tables::value(v).where == storage::extent;
  }
  static constexpr bool reads_no_extent(int s) {
    bool none = true;
    for (int k = 0; k < tables::step(s).operand_count; ++k)
      none = none && tables::value(tables::operand(s, k)).where != storage::extent;
    return none;
  }
  template <int S>
  static constexpr bool is_simple_step() {
    constexpr step_info s = tables::step(S);
    if (s.guard_count > 0) return false;
    if (s.kind == step_kind::assertion) return reads_no_extent(S);
    if (s.kind == step_kind::loop) return s.space_rank == 0 && reads_no_extent(S);
    return reads_element(S) || makes_vector<S>() ||
           (keeps_order(S) && vector_of(tables::result(S, 0)) >= 0);
  }
};

template <class Program>
constexpr bool is_element_program() {
  if constexpr (Program::extents.empty()) return false;
  else return element_tables<Program>::all_are_elements();
}

/// The call of a program that is_element_program.
template <class Program>
class element_call : scalar_call<Program> {
  using base = scalar_call<Program>;
  using tables = element_tables<Program>;
  using locals = typename base::locals;
  using all_steps = std::make_integer_sequence<int, tables::step_count>;
  using typename base::all_outputs, typename base::all_updates, typename base::expand;

  struct arrays {
    std::byte* data[static_cast<std::size_t>(tables::parameter_count + 1)];
  };
  template <int V>
  using type_of = value_t<tables::value(V).type>;

 public:
  /// False, with nothing done, where the frame has to take the call: arguments of other extents, or
  /// whose elements do not lie without gaps.
  template <class Targets, class SharedTuple, class... A>
  static bool run(Targets& targets, SharedTuple& shared, A const&... arguments) {
    locals v;
    arrays in;
    if (!bind(v, in, shared, std::index_sequence_for<A...>{},
              std::make_index_sequence<std::tuple_size_v<SharedTuple>>{}, arguments...) ||
        !targets_fit(targets, all_outputs{}))
      return false;
    base::read_literals(v, std::make_index_sequence<Program::values.size()>{});
    take(v, in, all_steps{});
    store_outputs(v, targets, all_outputs{});
    store_updates(v, in, shared, all_updates{});
    return true;
  }

 private:
  template <class SharedTuple, std::size_t... I, std::size_t... S, class... A>
  static KROTON_INLINE bool bind(locals& v, arrays& in, SharedTuple const& shared,
                                 std::index_sequence<I...>, std::index_sequence<S...>,
                                 A const&... arguments) {
    return (bind_argument<static_cast<int>(I)>(v, in, arguments) && ...) &&
           (bind_array<static_cast<int>(sizeof...(I) + S)>(v, in, std::get<S>(shared).storage()) &&
            ...);
  }
  template <int V, class A>
  static KROTON_INLINE bool bind_argument(locals& v, arrays& in, A const& argument) {
    if constexpr (tables::value(V).rank == 0) return bind_array<V>(v, in, argument.value());
    else return bind_array<V>(v, in, argument.array());
  }
  template <int V, class A>
  static KROTON_INLINE bool bind_array(locals& v, [[maybe_unused]] arrays& in, A const& array) {
    constexpr int rank = tables::value(V).rank;
    if constexpr (rank == 0) {
      base::template local<V>(v) = array;
      return true;
    } else {
      std::ptrdiff_t given[static_cast<std::size_t>(rank)];
      return bind_dense<rank>(array, in.data[V], given) && has_extents<V>(given);
    }
  }
  template <int V>
  static KROTON_INLINE bool has_extents(std::ptrdiff_t const* given) {
    bool same = true;
    for (int d = 0; d < tables::value(V).rank; ++d) same = same && given[d] == tables::extent(V, d);
    return same;
  }
  template <class Targets, std::size_t... K>
  static KROTON_INLINE bool targets_fit(Targets const& targets, std::index_sequence<K...>) {
    return (target_fits<Program::outputs[K]>(std::get<K>(targets)) && ...);
  }
  template <int V, class Target>
  static KROTON_INLINE bool target_fits([[maybe_unused]] Target const& target) {
    constexpr int rank = tables::value(V).rank;
    if constexpr (rank == 0) return true;
    else if constexpr (!is_dense_target<Target, type_of<V>, rank>) return false;
    else if constexpr (resizable<Target> && is_row_major<Target>()) return true;
    else {
      std::byte* data = nullptr;
      std::ptrdiff_t given[static_cast<std::size_t>(rank)];
      return bind_dense<rank>(target, data, given) && has_extents<V>(given);
    }
  }

  template <int... S>
  static KROTON_INLINE void take(locals& v, [[maybe_unused]] arrays const& in,
                                 std::integer_sequence<int, S...>) {
    (void)expand{0, (take_step<S>(v, in), 0)...};
  }
  template <int S>
  static KROTON_INLINE void take_step(locals& v, [[maybe_unused]] arrays const& in) {
    constexpr step_kind kind = tables::step(S).kind;
    if constexpr (kind == step_kind::loop || kind == step_kind::assertion) {
      base::template take_step<static_cast<std::size_t>(S)>(v);
    } else if constexpr (tables::reads_element(S)) {
      constexpr int to = tables::result(S, 0), from = tables::operand(S, 0);
      base::template local<to>(v) =
          reinterpret_cast<type_of<to> const*>(in.data[from])[tables::element_read(S)];
    }
  }

  template <int V, int... I>
  static KROTON_INLINE void store_elements(locals& v, std::byte* to,
                                           std::integer_sequence<int, I...>) {
    auto* const elements = reinterpret_cast<type_of<V>*>(to);
    (void)expand{0, (elements[I] = base::template local<tables::element(V, I)>(v), 0)...};
  }
  template <int V>
  static KROTON_INLINE void store_array(locals& v, std::byte* to) {
    store_elements<V>(v, to,
                      std::make_integer_sequence<int, static_cast<int>(tables::known_size(V))>{});
  }
  template <class Targets, std::size_t... K>
  static KROTON_INLINE void store_outputs(locals& v, Targets& targets, std::index_sequence<K...>) {
    (void)expand{0, (store_output<Program::outputs[K]>(v, std::get<K>(targets)), 0)...};
  }
  template <int V, class Target>
  static KROTON_INLINE void store_output(locals& v, Target& target) {
    constexpr int rank = tables::value(V).rank;
    if constexpr (rank == 0) {
      store_scalar(target, base::template local<V>(v));
    } else {
      if constexpr (resizable<Target>) {
        std::array<std::size_t, static_cast<std::size_t>(rank)> shape;
        for (int d = 0; d < rank; ++d)
          shape[static_cast<std::size_t>(d)] = static_cast<std::size_t>(tables::extent(V, d));
        target.resize(shape);
      }
      store_array<V>(v, data_of(target));
    }
  }
  template <class SharedTuple, std::size_t... U>
  static KROTON_INLINE void store_updates(locals& v, [[maybe_unused]] arrays const& in,
                                          [[maybe_unused]] SharedTuple& shared,
                                          std::index_sequence<U...>) {
    (void)expand{0, (store_update<U>(v, in, shared), 0)...};
  }
  template <std::size_t U, class SharedTuple>
  static KROTON_INLINE void store_update(locals& v, arrays const& in, SharedTuple& shared) {
    constexpr planned_update u = Program::updates[U];
    constexpr std::size_t first = Program::parameters.size() - std::tuple_size_v<SharedTuple>;
    if constexpr (tables::value(u.value).rank == 0)
      std::get<static_cast<std::size_t>(u.parameter) - first>(shared).storage() =
          base::template local<u.value>(v);
    else store_array<u.value>(v, in.data[u.parameter]);
  }
};

}  // namespace kroton::cpu
