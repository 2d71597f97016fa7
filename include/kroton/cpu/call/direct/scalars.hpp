// Functions of scalars alone: straight-line code on locals, without frame, tables or memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/cpu/loop/batch.hpp>
#include <kroton/freeze/program.hpp>
#include <kroton/ops/assertion.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace kroton::cpu {

/// Whether all values of a program are scalars, computed element by element, with nothing to check
/// at a call, but assertions if it may throw.
template <class Program, bool MayThrow = false>
constexpr bool is_scalar_program() {
  bool result = Program::extents.empty() && Program::constraints.empty();
  for (auto const& v : Program::values) result = result && v.rank == 0;
  for (auto const& s : Program::steps)
    result = result && s.space_rank == 0 &&
             (s.kind == step_kind::loop || (MayThrow && s.kind == step_kind::assertion));
  return result;
}

/// Gives a scalar output to a number or to an array of rank 0.
template <class Target, class T>
KROTON_INLINE void store_scalar(Target& target, T value) {
  if constexpr (number<Target>) target = value;
  else target() = value;
}

/// What a function has in place of a frame where it needs none.
struct no_frame {};

/// The call of a program of scalars. Its values are locals that the compiler turns into registers;
/// nothing is stored before all is computed. Arguments and outputs go by value, so that also a call
/// that is not inlined takes them from registers, and knows where the outputs go.
template <class Program>
class scalar_call {
 public:
  /// The outputs, as a std::tuple of their types.
  template <class Outputs, class SharedTuple, class... T>
  static Outputs values(SharedTuple& shared, T... arguments) {
    locals v;
    compute(v, shared, arguments...);
    update(v, shared, all_updates{});
    return outputs<Outputs>(v, all_outputs{});
  }
  /// The same of a program without shared variables, as a part of the loop that calls it.
  template <class Outputs, class... T>
  static KROTON_INLINE Outputs inlined_values(T... arguments) {
    std::tuple<> nothing;
    locals v;
    compute(v, nothing, arguments...);
    return outputs<Outputs>(v, all_outputs{});
  }
  /// The same, into targets; updates follow, since a target may be what is updated.
  template <class Targets, class SharedTuple, class... T>
  static KROTON_INLINE void run(Targets& targets, SharedTuple& shared, T const&... arguments) {
    using types = decltype(output_types(all_outputs{}));
    if constexpr (Program::updates.empty()) {
      store(values<types>(shared, arguments...), targets, all_outputs{});
    } else {
      locals v;
      compute(v, shared, arguments...);
      store(outputs<types>(v, all_outputs{}), targets, all_outputs{});
      update(v, shared, all_updates{});
    }
  }

 protected:
  using locals = scalar_values<static_cast<int>(Program::values.size()) + 1>;
  using all_outputs = std::make_index_sequence<Program::outputs.size()>;
  using all_updates = std::make_index_sequence<Program::updates.size()>;
  using expand = int[];

  template <int V>
  static KROTON_INLINE auto& local(locals& v) {
    return v.template at<Program::values[static_cast<std::size_t>(V)].type>(V);
  }
  template <class SharedTuple, class... T>
  static KROTON_INLINE void compute(locals& v, SharedTuple& shared, T const&... arguments) {
    read(v, shared, std::index_sequence_for<T...>{},
         std::make_index_sequence<std::tuple_size_v<SharedTuple>>{}, arguments...);
    take_steps(v, std::make_index_sequence<Program::steps.size()>{});
  }
  /// Parameters are the first values of a program; literals among its values are outputs or new
  /// values.
  template <class SharedTuple, std::size_t... I, std::size_t... S, class... T>
  static KROTON_INLINE void read(locals& v, SharedTuple& shared, std::index_sequence<I...>,
                                 std::index_sequence<S...>, T const&... arguments) {
    (void)expand{0, (local<static_cast<int>(I)>(v) = arguments, 0)...};
    (void)expand{
        0, (local<static_cast<int>(sizeof...(I) + S)>(v) = std::get<S>(shared).storage(), 0)...};
    read_literals(v, std::make_index_sequence<Program::values.size()>{});
  }
  template <std::size_t... V>
  static KROTON_INLINE void read_literals(locals& v, std::index_sequence<V...>) {
    (void)expand{0, (read_literal<static_cast<int>(V)>(v), 0)...};
  }
  template <int V>
  static KROTON_INLINE void read_literal(locals& v) {
    constexpr value_info info = Program::values[static_cast<std::size_t>(V)];
    if constexpr (info.where == storage::literal)
      local<V>(v) =
          node_traits<typename decltype(literal_type<info.type, info.detail>())::type>::value;
  }

  template <std::size_t... S>
  static KROTON_INLINE void take_steps(locals& v, std::index_sequence<S...>) {
    (void)expand{0, (take_step<S>(v), 0)...};
  }
  template <std::size_t S>
  static KROTON_INLINE void take_step(locals& v) {
    constexpr step_info info = Program::steps[S];
    if constexpr (info.kind == step_kind::assertion) assure<S>(v);
    else compute_step<S>(v);
  }
  // Only an int64 is a position that an assertion tells.
  static std::int64_t position_of(std::int64_t x) { return x; }
  template <class T>
  static std::int64_t position_of(T const&) {
    return 0;
  }
  template <std::size_t S>
  static KROTON_INLINE void assure(locals& v) {
    constexpr step_info info = Program::steps[S];
    if (!local<value_at(info.first + 1)>(v))
      ops::refuse_assertion([](int i) { return attribute<S>(i); }, info.attribute_count,
                            [&] { return position_of(local<value_at(info.first)>(v)); });
    local<value_at(info.first + 2)>(v) = local<value_at(info.first)>(v);
  }
  template <std::size_t S>
  static long long attribute(int i) {
    constexpr step_info info = Program::steps[S];
    return Program::pool[static_cast<std::size_t>(info.first + info.operand_count +
                                                  info.result_count + info.space_rank + i)];
  }
  template <std::size_t S>
  static KROTON_INLINE void compute_step(locals& v) {
    constexpr step_info info = Program::steps[S];
    using G = group<lift_t<Program, info.body>>;
    run_step<G, info.first>(v, std::make_integer_sequence<int, info.operand_count>{},
                            typename G::outputs{},
                            std::make_integer_sequence<int, info.result_count>{});
  }
  template <class G, int First, int... K, int... O, int... R>
  static KROTON_INLINE void run_step(locals& v, std::integer_sequence<int, K...>,
                                     std::integer_sequence<int, O...>,
                                     std::integer_sequence<int, R...>) {
    constexpr int operands = static_cast<int>(sizeof...(K));
    constexpr std::ptrdiff_t strides[sizeof...(K) + 1]{};
    std::byte* const at[sizeof...(K) + 1]{
        reinterpret_cast<std::byte*>(&local<value_at(First + K)>(v))...};
    scalar_values<G::all> nodes;
    body_of<G>::single(nodes, at, strides, 0);
    (void)expand{
        0, (local<value_at(First + operands + R)>(v) = nodes.template at<G::elements[O]>(O), 0)...};
  }
  static constexpr int value_at(int i) {
    return static_cast<int>(Program::pool[static_cast<std::size_t>(i)]);
  }
  template <std::size_t... N>
  static std::tuple<value_t<Program::values[static_cast<std::size_t>(Program::outputs[N])].type>...>
      output_types(std::index_sequence<N...>);
  template <class Outputs, class Targets, std::size_t... N>
  static KROTON_INLINE void store(Outputs const& all, Targets& targets, std::index_sequence<N...>) {
    (void)expand{0, (store_scalar(std::get<N>(targets), std::get<N>(all)), 0)...};
  }
  template <class Outputs, std::size_t... N>
  static KROTON_INLINE Outputs outputs(locals& v, std::index_sequence<N...>) {
    return Outputs(static_cast<std::tuple_element_t<N, Outputs>>(local<Program::outputs[N]>(v))...);
  }
  template <class SharedTuple, std::size_t... N>
  static KROTON_INLINE void update(locals& v, SharedTuple& shared, std::index_sequence<N...>) {
    [[maybe_unused]] constexpr std::size_t first =
        Program::parameters.size() - std::tuple_size_v<SharedTuple>;
    (void)expand{0,
                 (std::get<static_cast<std::size_t>(Program::updates[N].parameter) - first>(shared)
                      .storage() = local<Program::updates[N].value>(v),
                  0)...};
  }
};

}  // namespace kroton::cpu
