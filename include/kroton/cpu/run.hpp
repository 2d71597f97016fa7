// Runs a program: binds, checks, lays out memory, takes the steps, stores updates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/containers.hpp>
#include <kroton/cpu/loop.hpp>
#include <kroton/cpu/steps.hpp>

#include <array>

namespace kroton::core {

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;

template <class F, class Mode, int Bound, class Parameters>
struct program_of;
template <class F, class Mode, int Bound, class... P>
struct program_of<F, Mode, Bound, std::tuple<P...>> {
  using type = program<F, Mode, Bound, P...>;
  using evaluated = evaluation<F, Mode, Bound, P...>;
};
template <class F, class Mode, int Bound, class Parameters>
using traced_program = typename program_of<F, Mode, Bound, Parameters>::type;
template <class F, class Mode, int Bound, class Parameters>
using traced_evaluation = typename program_of<F, Mode, Bound, Parameters>::evaluated;

template <class Program>
inline constexpr program_tables tables_storage{Program::values,      Program::steps,   Program::pool,       Program::extents,
                                               Program::constraints, Program::updates, Program::parameters, Program::made.slots};
template <class Program>
program_tables const& tables_of() {
  return tables_storage<Program>;
}

inline void bind(frame& f, int parameter, array_ref const& given) {
  array_ref& value = f.value(parameter);
  value.data = given.data;
  for (int d = 0; d < value.rank; ++d) {
    value.extents[d] = given.extents[d];
    value.strides[d] = given.strides[d];
  }
}

template <class T, int Rank, template <class, int> class Shared>
array_ref shared_ref(Shared<T, Rank> const& s) {
  if constexpr (Rank == 0) {
    array_ref r;
    r.data = reinterpret_cast<std::byte*>(&s.storage());
    return r;
  } else {
    return ref_to(s.storage());
  }
}

/// A fused loop over the space that the step names.
template <class Kernel>
void run_loop(step_view const& s) {
  typename Kernel::space space;
  space.rank = s.info.space_rank;
  for (int d = 0; d < space.rank; ++d) space.extents[d] = s.f.extent(s.space(d));
  for (int k = 0; k < s.info.operand_count; ++k) space.add(k, s.f.value(s.operand(k)), space.rank);
  for (int k = 0; k < s.info.result_count; ++k)
    space.add_result(s.info.operand_count + k, s.f.value(s.result(k)), Kernel::facts.result[k]);
  Kernel::run(space);
}

template <class Program, int I>
void run_step(frame& f) {
  static constexpr step_info const& info = Program::steps[static_cast<std::size_t>(I)];
  step_view const s{f, info};
  if constexpr (info.kind == step_kind::loop) {
    run_loop<loop_of<lift_t<Program, info.body>>>(s);
  } else if constexpr (info.kind == step_kind::dimshuffle) {
    run_dimshuffle(s);
  } else if constexpr (info.kind == step_kind::reshape) {
    run_reshape(s);
  } else if constexpr (info.kind == step_kind::subtensor) {
    run_subtensor(s);
  } else if constexpr (info.kind == step_kind::own) {
    array_ref operands[info.operand_count > 0 ? info.operand_count : 1];
    for (int k = 0; k < info.operand_count; ++k) operands[k] = f.value(s.operand(k));
    op_at<Program::value.ops[info.op]>::run(operands, f.value(s.result(0)));
  } else {
    constexpr int operand = static_cast<int>(Program::pool[static_cast<std::size_t>(info.first)]);
    using T = value_t<Program::values[static_cast<std::size_t>(operand)].type>;
    if constexpr (info.kind == step_kind::dot) {
      product<T>(f.value(s.operand(0)), f.value(s.operand(1)), f.value(s.result(0)), T(1), T(0));
    } else if constexpr (info.kind == step_kind::gemm) {
      array_ref const& out = f.value(s.result(0));
      copy(out, f.value(s.operand(gemm_accumulator)));
      product<T>(f.value(s.operand(0)), f.value(s.operand(1)), out, static_cast<T>(f.real(s.operand(3))),
                 static_cast<T>(f.real(s.operand(4))));
    } else if constexpr (info.kind == step_kind::first_equal) {
      run_first_equal<T>(s);
    } else {
      run_inc_subtensor<T>(s);
    }
  }
}

template <class Program, bool Prologue>
void run_steps(frame& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    [[maybe_unused]] auto take = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      if constexpr (Program::steps[K].prologue == Prologue) run_step<Program, static_cast<int>(K)>(f);
    };
    using expand = int[];
    (void)expand{0, (take(std::integral_constant<std::size_t, I>{}), 0)...};
  }(std::make_index_sequence<Program::steps.size()>{});
}

inline bool overlaps(array_ref const& a, array_ref const& b) {
  auto range = [](array_ref const& r) {
    std::ptrdiff_t low = 0, high = 0;
    for (int d = 0; d < r.rank; ++d) (r.strides[d] < 0 ? low : high) += (r.extents[d] - 1) * r.strides[d];
    return std::pair(r.data + low * r.bytes, r.data + (high + 1) * r.bytes);
  };
  if (a.size() == 0 || b.size() == 0) return false;
  auto const [a0, a1] = range(a);
  auto const [b0, b1] = range(b);
  return a0 < b1 && b0 < a1;
}

/// Gives a target the extents of a value: owning containers are resized, views must have them.
template <class Target>
void shape_target(Target& target, array_ref const& value) {
  auto const size = static_cast<std::size_t>(value.rank);
  bool fits = target.dimension() == size;
  for (std::size_t d = 0; fits && d < size; ++d) fits = static_cast<std::ptrdiff_t>(target.shape()[d]) == value.extents[d];
  if (fits) return;
  if constexpr (requires { target.resize(std::vector<std::size_t>{}); }) {
    std::vector<std::size_t> extents(value.extents, value.extents + size);
    target.resize(extents);
  } else {
    std::string text = "into: the target has other extents than the result:";
    for (std::size_t d = 0; d < size; ++d) text += (d == 0 ? " " : " x ") + std::to_string(value.extents[d]);
    throw shape_error(text);
  }
}

inline bool overlaps_parameters(frame& f, array_ref const& to) {
  for (std::size_t p = 0; p < f.tables().parameters.size(); ++p)
    if (overlaps(to, f.value(static_cast<int>(p)))) return true;
  return false;
}

/// One output of a call: where it is computed, and how it gets to the target.
template <class Target, class Value>
class output_slot {
 public:
  static constexpr int rank = static_cast<int>(static_rank_of<Value>);

  // Before the steps: refuses a target that cannot take the extents, and lets the value be computed in it where possible.
  void prepare(frame& f, Target& target, int v, bool computed_here) {
    if constexpr (rank > 0) {
      array_ref& value = f.value(v);
      array_ref shape = value;
      for (int d = 0; d < rank; ++d) shape.extents[d] = f.extent(f.tables().values[static_cast<std::size_t>(v)].extents[d]);
      if constexpr (!requires { target.resize(std::vector<std::size_t>{}); }) shape_target(target, shape);
      if (!computed_here) return;
      bool direct = false;
      if constexpr (strided_expression<Target>) {
        using T = typename Value::value_type;
        if constexpr (std::is_same_v<typename Target::value_type, T>) {
          if (!overlaps_parameters(f, ref_to(target))) shape_target(target, value);
          array_ref const to = ref_to(target);
          direct = to.contiguous() && to.size() == value.size() && !overlaps_parameters(f, to);
          if (direct) value.data = to.data;
        }
      }
      if (!direct) value.data = f.extra(v, static_cast<std::size_t>(value.size() * value.bytes));
    }
  }
  // After the steps.
  void finish(frame& f, Target& target, int v) {
    array_ref const& value = f.value(v);
    using T = element_t<Value>;
    if constexpr (rank == 0) {
      T result;
      std::memcpy(&result, value.data, sizeof(T));
      if constexpr (std::is_arithmetic_v<Target>) target = result;
      else target() = result;
    } else {
      shape_target(target, value);
      if constexpr (strided_expression<Target>) {
        if constexpr (std::is_same_v<typename Target::value_type, T>) return copy(ref_to(target), value);
      }
      Value aside;
      shape_target(aside, value);
      copy(ref_to(aside), value);
      xt::noalias(target) = aside;
    }
  }
};

/// Moves a value that lies in another array to memory of its own.
inline void set_aside(frame& f, int v) {
  array_ref& value = f.value(v);
  array_ref aside = value;
  aside.make_contiguous_strides();
  aside.data = f.extra(v, static_cast<std::size_t>(value.size() * value.bytes));
  copy(aside, value);
  value = aside;
}

/// Stores the new values of the shared variables that were not updated in place. A value that lies in a shared variable
/// itself is set aside first, so that variables can be exchanged, and be views of themselves.
template <class Program, class SharedTuple>
void store_updates(frame& f, SharedTuple& shared) {
  constexpr std::size_t first = Program::parameters.size() - std::tuple_size_v<SharedTuple>;
  std::array<array_ref, Program::updates.size()> old{};  // before a value, which may be a parameter, is set aside
  auto const* updated = Program::updates.data();
  for (array_ref& o : old) o = f.value((updated++)->parameter);
  for (auto const& u : Program::updates) {
    bool meets = false;
    for (array_ref const& o : old) meets = meets || overlaps(f.value(u.value), o);
    if (!u.in_place && meets) set_aside(f, u.value);
  }
  [[maybe_unused]] auto store = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    constexpr planned_update u = Program::updates[N];
    if constexpr (!u.in_place) {
      auto& storage = std::get<static_cast<std::size_t>(u.parameter) - first>(shared).storage();
      array_ref const& value = f.value(u.value);
      if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(storage)>>) {
        std::memcpy(&storage, value.data, sizeof(storage));
      } else {
        shape_target(storage, value);
        copy(ref_to(storage), value);
      }
    }
  };
  [&]<std::size_t... N>(std::index_sequence<N...>) {
    (store(std::integral_constant<std::size_t, N>{}), ...);
  }(std::make_index_sequence<Program::updates.size()>{});
}

/// A value that lies in an argument is copied aside when a target lies there too: it has to survive until it is stored.
template <class Targets>
void keep_from_targets(frame& f, int v, Targets const& targets) {
  array_ref const& value = f.value(v);
  bool meets = false;
  auto look = [&]<class Target>(Target const& target) {
    if constexpr (strided_expression<Target>) meets = meets || overlaps(ref_to(target), value);
  };
  std::apply([&](auto const&... target) { (look(target), ...); }, targets);
  if (value.rank > 0 && meets && overlaps_parameters(f, value)) set_aside(f, v);
}

template <class Program, class Targets, class SharedTuple>
void run_program(frame& f, Targets& targets, SharedTuple& shared) {
  f.read_extents();
  run_steps<Program, true>(f);
  f.lay_out();
  // A value updated in place lives in the shared variable.
  for (auto const& u : Program::updates)
    if (u.in_place) f.value(u.value).data = f.value(u.parameter).data;
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    [[maybe_unused]] auto prepare = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
      constexpr int v = Program::outputs[N];
      using Value = container_t<value_t<Program::values[v].type>, Program::values[v].rank>;
      using Target = std::remove_cvref_t<std::tuple_element_t<N, Targets>>;
      output_slot<Target, Value>{}.prepare(f, std::get<N>(targets), v, Program::values[v].output == static_cast<int>(N));
    };
    (prepare(std::integral_constant<std::size_t, K>{}), ...);
    run_steps<Program, false>(f);
    for (int v : Program::outputs) keep_from_targets(f, v, targets);
    for (auto const& u : Program::updates)
      if (!u.in_place) keep_from_targets(f, u.value, targets);
    [[maybe_unused]] auto finish = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
      constexpr int v = Program::outputs[N];
      using Value = container_t<value_t<Program::values[v].type>, Program::values[v].rank>;
      using Target = std::remove_cvref_t<std::tuple_element_t<N, Targets>>;
      output_slot<Target, Value>{}.finish(f, std::get<N>(targets), v);
    };
    (finish(std::integral_constant<std::size_t, K>{}), ...);
  }(std::make_index_sequence<Program::outputs.size()>{});
  store_updates<Program>(f, shared);
}

/// Runs a program of one output inside another one, on its values.
template <class Program>
void run_detached(frame& f, array_ref const* operands, array_ref const& out) {
  for (std::size_t p = 0; p < Program::parameters.size(); ++p) bind(f, static_cast<int>(p), operands[p]);
  f.read_extents();
  run_steps<Program, true>(f);
  f.lay_out();
  constexpr int v = Program::outputs[0];
  if constexpr (Program::values[v].output == 0) f.value(v).data = out.data;
  run_steps<Program, false>(f);
  if (f.value(v).data != out.data) copy(out, f.value(v));
}

}  // namespace kroton::core
