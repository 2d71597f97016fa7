// Functions on a device: the plan of kt::function, with its loops launched as grids and its scalars
// kept on the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/array.hpp>
#include <kroton/cuda/grid.hpp>
#include <kroton/function/function.hpp>

#include <tuple>

namespace kroton::cuda {

/// What keeps a program off the device; see the sentences in function_on.
enum class obstacle { none, complex, reduction, product, view, update, choice, other };

template <class Program>
constexpr core::value_info value_in_pool(int at) {
  return Program::values[static_cast<std::size_t>(Program::pool[static_cast<std::size_t>(at)])];
}
template <class Program, std::size_t I>
constexpr obstacle obstacle_at() {
  constexpr core::step_info step = Program::steps[I];
  if constexpr (step.kind == core::step_kind::loop) {
    using group = core::group<core::lift_t<Program, step.body>>;
    if (group::has(element::complex64) || group::has(element::complex128)) return obstacle::complex;
    return step.space_rank > 0 && group::has_reduction ? obstacle::reduction : obstacle::none;
  } else if constexpr (core::traits_of(step.kind).view == core::step_traits::part) {
    // Scalars live on the host and arrays on the device, so no view leads from one to the other;
    // and a reshape copies what is not contiguous, as a view of a view may be.
    constexpr core::value_info from = value_in_pool<Program>(step.first);
    constexpr core::value_info to = value_in_pool<Program>(step.first + step.operand_count);
    bool const crosses = (from.rank == 0) != (to.rank == 0);
    bool const copies = step.kind == core::step_kind::reshape && from.where == core::storage::view;
    return crosses || copies ? obstacle::view : obstacle::none;
  } else if constexpr (core::traits_of(step.kind).is_product) {
    return obstacle::product;
  } else if constexpr (step.kind == core::step_kind::ifelse) {
    return obstacle::choice;
  } else {
    return obstacle::other;
  }
}

/// The first obstacle of a program.
template <class Program>
constexpr obstacle obstacle_of() {
  if (Program::updates.size() > 0) return obstacle::update;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    obstacle found = obstacle::none;
    using expand = int[];
    (void)expand{0, (found = found == obstacle::none ? obstacle_at<Program, I>() : found, 0)...};
    return found;
  }(std::make_index_sequence<Program::steps.size()>{});
}

/// An argument on its way to the device: an array of the device is used in place, a number stays,
/// all else is transferred.
template <class T, int Rank, class Device, class A>
class device_argument {
 public:
  explicit device_argument(A const& a) : held_(a) {}
  core::array_ref ref() const { return held_.ref(); }

 private:
  std::conditional_t<Rank == 0, core::argument<T, Rank, A>, array<T, Rank == 0 ? 1 : Rank, Device>>
      held_;
};
template <class T, int Rank, class Device, class U, int ArrayRank, class ArrayDevice>
class device_argument<T, Rank, Device, array<U, ArrayRank, ArrayDevice>> {
  static_assert(
      std::is_same_v<T, U> && Rank == ArrayRank && std::is_same_v<Device, ArrayDevice>,
      "kt::cuda::function: an array's element type, rank or device differs from that of its "
      "parameter");

 public:
  explicit device_argument(array<U, ArrayRank, ArrayDevice> const& a) : given_(&a) {}
  core::array_ref ref() const { return given_->ref(); }

 private:
  array<U, ArrayRank, ArrayDevice> const* given_;
};

/// Launches a group whose space is filled in, unless it is empty.
template <class Device, class Expression, class Arguments>
void launch_space(Expression group, Arguments& a) {
  if (a.space.empty()) return;
  a.space.merge_axes();
  a.count = 1;
  for (int d = 0; d < a.space.rank; ++d) a.count *= a.space.extents[d];
  Device::launch(group, a);
}
/// Launches one group over the space that a step names.
template <class Device, class... N>
void launch_step(expression<N...> group, core::step_view const& s) {
  typename group_body<expression<N...>>::arguments a;
  a.space.rank = s.info.space_rank;
  for (int d = 0; d < a.space.rank; ++d) a.space.extents[d] = s.f.extent(s.space(d));
  for (int k = 0; k < s.info.operand_count; ++k) {
    core::array_ref const& operand = s.f.value(s.operand(k));
    a.space.add(k, operand, a.space.rank);
    if (operand.rank == 0) a.set_scalar(k, operand.data, operand.bytes);
  }
  for (int k = 0; k < s.info.result_count; ++k)
    a.space.add(s.info.operand_count + k, s.f.value(s.result(k)), a.space.rank);
  launch_space<Device>(group, a);
}

/// A compiled function on a device: what kt::cuda::function gives. Copies have memory of their own.
template <class F, class Mode, class Device, class Parameters>
class compiled_function;

template <class F, class Mode, class Device, class... P>
class compiled_function<F, Mode, Device, std::tuple<P...>> {
  using program = core::program<F, Mode, 0, P...>;
  template <std::size_t K>
  static constexpr core::value_info output =
      program::values[static_cast<std::size_t>(program::outputs[K])];
  static constexpr std::size_t output_count = program::outputs.size();

 public:
  compiled_function() : frame_(core::tables_of<program>()) {}
  compiled_function(compiled_function const&) : compiled_function() {}
  compiled_function& operator=(compiled_function const&) { return *this; }

  /// One output gives its value, several a std::tuple: kt::cuda::array, or a plain number for rank
  /// 0. Returns when the work is handed to the device. Throws kt::shape_error before anything is
  /// computed, kt::error when the device refuses.
  template <class... A>
  auto operator()(A const&... arguments) {
    static_assert(sizeof...(A) == sizeof...(P),
                  "kt::cuda::function: the number of arguments differs from the number of "
                  "parameters");
    return call(std::index_sequence_for<P...>{}, std::make_index_sequence<output_count>{},
                arguments...);
  }

 private:
  template <std::size_t... I, std::size_t... K, class... A>
  auto call(std::index_sequence<I...>, std::index_sequence<K...>, A const&... arguments) {
    std::tuple<device_argument<value_type_of<P>, rank_of<P>, Device, A>...> const given(
        arguments...);
    (void)given;
    (core::bind(frame_, static_cast<int>(I), std::get<I>(given).ref()), ...);
    constexpr bool early = [] {
      for (auto const& v : program::values)
        if (v.where == core::storage::early) return true;
      return false;
    }();
    static_assert(
        !early,
        "kt::cuda::function: an extent depends on elements of an array, which are on the device");
    frame_.find_extents(
        [&](auto const& prologue) { core::run_steps<program, true>(frame_, prologue); });
    arena_.reserve(frame_.measure(static_cast<std::size_t>(core::most_bytes)));
    frame_.place(arena_.data());
    std::tuple results(make_output<K>()...);
    frame_.join_companions();
    run_steps(std::make_index_sequence<program::steps.size()>{});
    (finish(std::integral_constant<std::size_t, K>{}, std::get<K>(results)), ...);
    if constexpr (output_count == 1) return std::get<0>(std::move(results));
    else return results;
  }

  // An output that a loop computes is computed in its own memory.
  template <std::size_t K>
  auto make_output() {
    constexpr core::value_info info = output<K>;
    using T = core::value_t<info.type>;
    if constexpr (info.rank == 0) {
      return T{};
    } else {
      core::array_ref shape;
      for (int d = 0; d < info.rank; ++d) shape.extents[d] = frame_.extent(info.extents[d]);
      using result = array<T, info.rank, Device>;
      result made(result::shape_of(shape));
      if constexpr (info.output == static_cast<int>(K))
        frame_.value(program::outputs[K]).data = made.ref().data;
      return made;
    }
  }
  template <std::size_t... I>
  void run_steps(std::index_sequence<I...>) {
    (run_step(std::integral_constant<std::size_t, I>{}), ...);
  }
  template <std::size_t I>
  void run_step(std::integral_constant<std::size_t, I>) {
    static constexpr core::step_info info = program::steps[I];
    if constexpr (!core::takes_part(info, false)) return;
    else if constexpr (info.kind == core::step_kind::loop && info.space_rank > 0)
      launch_step<Device>(core::lift_t<program, info.body>{}, core::step_view{frame_, info});
    else core::function_of_step<program, static_cast<int>(I)>()({frame_, info});
  }
  // Scalars are read on the host; a parameter or a view that is returned is copied.
  template <std::size_t K, class Result>
  void finish(std::integral_constant<std::size_t, K>, Result& result) {
    constexpr core::value_info info = output<K>;
    core::array_ref const& value = frame_.value(program::outputs[K]);
    if constexpr (info.rank == 0) {
      std::memcpy(&result, value.data, sizeof(Result));
    } else if constexpr (info.output != static_cast<int>(K)) {
      using copy = expression<input<core::value_t<info.type>, 0, info.rank>>;
      typename group_body<copy>::arguments a;
      a.space.rank = info.rank;
      for (int d = 0; d < info.rank; ++d) a.space.extents[d] = value.extents[d];
      a.space.add(0, value, info.rank);
      a.space.add(1, result.ref(), info.rank);
      launch_space<Device>(copy{}, a);
    }
  }

  core::frame frame_;
  memory<Device> arena_;
};

template <class Device, class F, class Parameters, class Mode>
auto make_function() {
  if constexpr (!std::is_empty_v<F>) {
    static_assert(
        std::is_empty_v<F>,
        "kt::cuda::function: the lambda captures variables; pass them as parameters instead");
    return core::refused_function{};
  } else if constexpr (!core::all_variables<Parameters>) {
    static_assert(core::all_variables<Parameters>,
                  "kt::cuda::function: a parameter of the lambda is not a kt::variable (for auto "
                  "parameters write kt::cuda::function<types...>(lambda))");
    return core::refused_function{};
  } else {
    using p = core::traced_program<F, Mode, 0, Parameters>;
    using evaluated = core::traced_evaluation<F, Mode, 0, Parameters>;
    constexpr bool is_traced = core::is_evaluated<evaluated>;
    if constexpr (!is_traced) {
      static_assert(is_traced,
                    "kt::cuda::function: the lambda cannot be traced at compile time, for the "
                    "reason given above");
      return core::refused_function{};
    } else if constexpr (!evaluated::made.error.empty()) {
      core::refuse<evaluated>(std::make_index_sequence<core::line_count(evaluated::made.error)>{});
      return core::refused_function{};
    } else {
      constexpr obstacle met = obstacle_of<p>();
      static_assert(met != obstacle::complex,
                    "kt::cuda::function: complex numbers need the CPU, kt::function");
      static_assert(met != obstacle::reduction,
                    "kt::cuda::function: only elementwise expressions run here; a reduction (sum, "
                    "mean, max ...) needs the CPU, kt::function");
      static_assert(met != obstacle::product,
                    "kt::cuda::function: only elementwise expressions run here; a product (dot) "
                    "needs the CPU, kt::function");
      static_assert(
          met != obstacle::choice,
          "kt::cuda::function: a lazy ifelse is not supported here: where(c, a, b) chooses element "
          "by element; or use the CPU, kt::function");
      static_assert(
          met != obstacle::other,
          "kt::cuda::function: only elementwise expressions run here; everything else (an update "
          "of part of an array ...) needs the CPU, kt::function");
      static_assert(
          met != obstacle::view,
          "kt::cuda::function: views between scalars and arrays and reshapes of views are not "
          "supported here; they need the CPU, kt::function");
      static_assert(met != obstacle::update,
                    "kt::cuda::function: shared variables are not supported here");
      if constexpr (met == obstacle::none) return compiled_function<F, Mode, Device, Parameters>();
      else return core::refused_function{};
    }
  }
}

/// Compiles a captureless lambda over symbolic variables into a function on a device, kt::cuda::gpu
/// or kt::cuda::emulated.
template <class Device, class F, class Mode = std::remove_const_t<decltype(mode::fast_run)>>
  requires core::has_signature<F>
auto function_on(F const&, Mode const& = {}) {
  return make_function<Device, F, core::parameters_of<F>, Mode>();
}

}  // namespace kroton::cuda
