// Placement: on which side each step of a program runs, and on which each value is at home.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/target.hpp>
#include <kroton/function/mode.hpp>

#include <array>
#include <utility>

namespace kroton::cuda {

enum class side : unsigned char { host, device };

/// What a step of the device reads there: operands that are arrays, all of them, all but the last,
/// which only says what comes before, or none, since the first is read on the host and the others
/// are extents.
enum class read_operands { arrays, all, all_but_last, first_on_host };

/// The function of an op on a device; see cuda/op/kernel.hpp. Ops without a specialization run on
/// the host.
template <class Op>
struct kernel {
  template <class T>
  static constexpr bool takes = false;
};

/// The parameters of a program that are arguments, not shared variables.
template <class Program>
inline constexpr int free_parameters = 0;
template <class F, class Mode, int Bound, class... P>
inline constexpr int free_parameters<freeze::program<F, Mode, Bound, P...>> =
    static_cast<int>(sizeof...(P)) - Bound;

/// What a program's mode says.
template <class Program>
struct mode_facts;
template <class F, class Mode, int Bound, class... P>
struct mode_facts<freeze::program<F, Mode, Bound, P...>> {
  using mode_type = Mode;
  /// Whether a parameter is a shared variable that stays on the host.
  static constexpr bool on_host(int p) {
    int const shared = p - (static_cast<int>(sizeof...(P)) - Bound);
    return shared >= 0 && Mode::keeps_on_host(shared);
  }
};

template <class Of, int Number>
struct mode_facts<freeze::body_program<Of, Number>> : mode_facts<Of> {
  static constexpr bool on_host(int) { return false; }
};

/// The program of the body of a loop. All its parameters are rows, which are on the device if the
/// loop is.
template <class Program, std::size_t I>
using body_of_step = typename freeze::program_of_body<Program, Program::steps[I].body>::type;
/// Where the operands and results of a step that is a loop stand. (cpu::layout_of)
template <class Program>
constexpr ops::scan_layout layout_of_loop(plan::step_info const& s) {
  int const attributes = s.first + s.operand_count + s.result_count + s.space_rank;
  return ops::scan_layout({Program::pool.data() + attributes, s.attribute_count});
}
/// Whether the steps of a loop are worth launching: whether they compute with arrays. And the
/// extents of a step may not depend on its rows.
template <class Body>
constexpr bool is_loop_of_arrays() {
  bool has_arrays = false;
  for (auto const& v : Body::values) has_arrays = has_arrays || v.rank > 0;
  for (auto const& e : Body::extents)
    if (e.from == plan::planned_extent::value) return false;
  auto const is_row = [](int v) { return static_cast<std::size_t>(v) < Body::parameters.size(); };
  for (auto const& c : Body::constraints)
    if (is_row(c.left) || is_row(c.right)) return false;
  return has_arrays;
}

/// Whether a fused group can be computed on a device: complex functions call the C library.
template <class Expression>
constexpr bool is_real_group() {
  using group = freeze::group<Expression>;
  return !group::has(element::complex64) && !group::has(element::complex128);
}
/// Whether a step has a form for devices, if its operands are there.
template <class Program, std::size_t I>
constexpr bool has_device_form() {
  constexpr plan::step_info step = Program::steps[I];
  constexpr auto first =
      static_cast<std::size_t>(Program::pool[static_cast<std::size_t>(step.first)]);
  if constexpr (step.kind == core::step_kind::loop) {
    return is_real_group<freeze::lift_t<Program, step.body>>();
  } else if constexpr (step.kind == core::step_kind::scan) {
    return is_loop_of_arrays<body_of_step<Program, I>>();
  } else if constexpr (step.kind == core::step_kind::own) {
    using own = kernel<freeze::op_at<Program::value.ops[step.op]>>;
    if constexpr (!own::template takes<core::value_t<Program::values[first].type>>) return false;
    else
      return own::is_ordered || !mode_facts<Program>::mode_type::has(device_option::deterministic);
  } else {
    bool const is_real = !core::is_complex(Program::values[first].type);
    switch (step.kind) {
      case core::step_kind::dot:
      case core::step_kind::chain:
      case core::step_kind::gemm:
      case core::step_kind::first_equal:
      case core::step_kind::inc_subtensor: return is_real;
      case core::step_kind::set_subtensor: return true;
      default: return false;
    }
  }
}

/// The sides of a program's values and steps.
template <std::size_t Values, std::size_t Steps>
struct placement {
  std::array<side, Values + 1> values{};
  std::array<side, Steps + 1> steps{};
};

template <class Program>
class placing {
 public:
  constexpr explicit placing(bool const* has_form) : has_form_(has_form) {
    place_parameters();
    for (std::size_t s = 0; s < Program::steps.size(); ++s) place_step(s);
  }
  placement<Program::values.size(), Program::steps.size()> result;

 private:
  constexpr side& home(long long v) { return result.values[static_cast<std::size_t>(v)]; }
  static constexpr long long operand(plan::step_info const& s, int k) {
    return Program::pool[static_cast<std::size_t>(s.first + k)];
  }
  static constexpr long long result_of(plan::step_info const& s, int k) {
    return operand(s, s.operand_count + k);
  }
  // Extents and conditions are checked on the host, before anything is launched.
  static constexpr bool is_asked_for(std::size_t v) {
    for (auto const& e : Program::extents)
      if (e.from == plan::planned_extent::value && static_cast<std::size_t>(e.which) == v)
        return true;
    for (auto const& c : Program::constraints)
      if (static_cast<std::size_t>(c.left) == v || static_cast<std::size_t>(c.right) == v)
        return true;
    return false;
  }
  // Whether a result is written into a variable of the host.
  constexpr bool updates_host(plan::step_info const& s) const {
    for (auto const& u : Program::updates)
      for (int k = 0; k < s.result_count; ++k)
        if (u.in_place && u.value == result_of(s, k) &&
            result.values[static_cast<std::size_t>(u.parameter)] == side::host)
          return true;
    return false;
  }
  static constexpr bool counts_steps(plan::step_info const& s) {
    return layout_of_loop<Program>(s).tapes() == s.result_count - 1;
  }
  constexpr void place_parameters() {
    for (std::size_t v = 0; v < Program::values.size(); ++v) {
      plan::value_info const& info = Program::values[v];
      bool const is_shared =
          v < Program::parameters.size() && static_cast<int>(v) >= free_parameters<Program>;
      if (is_shared && mode_facts<Program>::on_host(static_cast<int>(v))) continue;
      if (info.where == plan::storage::parameter &&
          (info.rank > 0 || (is_shared && !is_asked_for(v))))
        result.values[v] = side::device;
    }
  }
  constexpr void place_step(std::size_t number) {
    plan::step_info const& s = Program::steps[number];
    core::step_traits const traits = core::traits_of(s.kind);
    side on = side::host;
    if (core::places_part(s.kind)) {
      place_part(number);
      return;
    } else if (traits.view == core::step_traits::part) {
      on = home(operand(s, 0));
    } else if (traits.view == core::step_traits::whole) {
      on = home(operand(s, traits.looks_into));
      if (traits.or_into >= 0 && home(operand(s, traits.or_into)) == side::device)
        on = side::device;
    } else if (may_run_on_device(number)) {
      on = side::device;
      if (s.kind == core::step_kind::loop && s.space_rank == 0) {
        on = side::host;
        for (int k = 0; k < s.operand_count; ++k)
          if (home(operand(s, k)) == side::device) on = side::device;
      }
    }
    result.steps[number] = on;
    for (int k = 0; k < s.result_count; ++k) {
      long long const v = result_of(s, k);
      if (v < 0) continue;
      bool const comes_home = s.prologue && Program::values[static_cast<std::size_t>(v)].rank == 0;
      // How many steps a loop has done is counted by the host.
      bool const is_counted = s.kind == core::step_kind::scan && k == s.result_count - 1 &&
                              Program::values[static_cast<std::size_t>(v)].rank == 0 &&
                              counts_steps(s);
      home(v) = comes_home || is_counted ? side::host : on;
    }
  }

  constexpr bool may_run_on_device(std::size_t number) const {
    plan::step_info const& s = Program::steps[number];
    return !s.prologue && has_form_[number] && !updates_host(s);
  }
  // Later steps make both a part and that of which it is one, perhaps on different sides.
  constexpr void place_part(std::size_t number) {
    plan::step_info const& part = Program::steps[number];
    long long const whole = operand(part, 0), own = result_of(part, 0);
    for (std::size_t s = number + 1; s < Program::steps.size(); ++s) {
      plan::step_info const& maker = Program::steps[s];
      for (int k = 0; !core::places_part(maker.kind) && k < maker.result_count; ++k)
        if (long long const v = result_of(maker, k); v == whole || v == own)
          home(v) = may_run_on_device(s) ? side::device : side::host;
    }
    result.steps[number] = home(whole);
  }

  bool const* has_form_;
};

template <class Program>
inline constexpr auto placement_of = [] {
  constexpr auto has_form = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<bool, sizeof...(I) + 1>{has_device_form<Program, I>()...};
  }(std::make_index_sequence<Program::steps.size()>{});
  return placing<Program>(has_form.data()).result;
}();

}  // namespace kroton::cuda
