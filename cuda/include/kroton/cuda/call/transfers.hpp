// The transfers of a call, counted by the compiler, and modes that allow none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/refusal.hpp>
#include <kroton/cuda/call/steps.hpp>

#include <array>

namespace kroton::cuda {

/// How many values a call moves between the sides, apart from the arguments that it is given: where
/// all branches are taken, and each loop does one step. Each that goes to the host is a wait.
struct transfer_counts {
  int to_host = 0, to_device = 0;
};

/// Goes through the steps as a call does, and notes which values have a copy on the other side.
template <class Program>
class transfer_count {
 public:
  constexpr explicit transfer_count(read_operands const* read) {
    for (std::size_t s = 0; s < Program::steps.size(); ++s) take_step(s, read[s]);
    if (last_fault<Program> >= 0) ++counts.to_host;
    for (int v : Program::outputs) need(v, side::device);
    for (auto const& u : Program::updates)
      if (!u.in_place) need(u.value, home(u.parameter));
  }
  transfer_counts counts;

 private:
  static constexpr side home(long long v) {
    return placement_of<Program>.values[static_cast<std::size_t>(v)];
  }
  static constexpr plan::value_info const& info(long long v) {
    return Program::values[static_cast<std::size_t>(v)];
  }
  constexpr void need(long long v, side on) {
    if (v < 0 || home(v) == on || copied_[static_cast<std::size_t>(v)]) return;
    copied_[static_cast<std::size_t>(v)] = true;
    ++(on == side::host ? counts.to_host : counts.to_device);
  }
  constexpr void take_loop(plan::step_info const& s) {
    auto const at = [&](int i) { return Program::pool[static_cast<std::size_t>(s.first + i)]; };
    ops::scan_layout const layout = layout_of_loop<Program>(s);
    need(at(ops::scan_layout::steps_operand), side::host);
    for (int i = 0; i < layout.sequences(); ++i) need(at(layout.sequence_operand(i)), side::device);
    for (int tape = 0; tape < layout.states(); ++tape)
      need(at(layout.tape_operand(tape)), side::device);
    for (int i = 0; i < layout.non_sequences(); ++i)
      need(at(layout.non_sequence_operand(i)), side::device);
    if (layout.stops()) ++counts.to_host;
  }
  constexpr void take_step(std::size_t number, read_operands read) {
    plan::step_info const& s = Program::steps[number];
    if (s.kind == core::step_kind::scan && placement_of<Program>.steps[number] == side::device)
      return take_loop(s);
    core::step_traits const traits = core::traits_of(s.kind);
    auto const at = [&](int i) { return Program::pool[static_cast<std::size_t>(s.first + i)]; };
    int const guards = s.operand_count + s.result_count + s.space_rank + s.attribute_count;
    for (int k = 0; k < s.guard_count; ++k) need(at(guards + k) / 2, side::host);
    bool const is_view = traits.is_view();
    side const on = placement_of<Program>.steps[number];
    for (int k = 0; k < s.operand_count; ++k) {
      long long const v = at(k);
      if (traits.view == core::step_traits::part) {
        if (k > 0) need(v, side::host);
      } else if (traits.view == core::step_traits::whole) {
        bool const is_shown = k == traits.looks_into || k == traits.or_into;
        if (s.kind == core::step_kind::ifelse && is_shown) need(v, home(at(s.operand_count)));
        else if ((traits.reads >> k & 1u) != 0) need(v, side::host);
      } else if (on == side::host) {
        need(v, side::host);
      } else if (traits.arrays != 0 && k >= traits.array_count(s.operand_count)) {
        need(v, side::host);  // bounds and factors
      } else if (read == read_operands::first_on_host) {
        if (k == 0) need(v, side::host);
      } else if (read == read_operands::all_but_last) {
        if (k + 1 < s.operand_count) need(v, side::device);
      } else if (info(v).rank > 0 || read == read_operands::all) {
        need(v, side::device);
      }
    }
    for (int k = 0; k < s.result_count; ++k) {
      long long const v = at(s.operand_count + k);
      if (v < 0) continue;
      if (is_view && s.prologue && info(v).rank == 0 && home(at(0)) == side::device)
        ++counts.to_host;
      bool const is_awaited = info(v).output >= 0 || info(v).companion >= 0;
      if (!is_view && on == side::host && is_awaited) need(v, side::device);
    }
  }

  std::array<bool, Program::values.size() + 1> copied_{};
};

template <class Program, std::size_t I>
constexpr read_operands what_is_read() {
  constexpr plan::step_info step = Program::steps[I];
  if constexpr (step.kind != core::step_kind::own) {
    bool const has_scalars = core::traits_of(step.kind).arrays != 0;
    return has_scalars ? read_operands::all : read_operands::arrays;
  } else {
    using op = freeze::op_at<Program::value.ops[step.op]>;
    if constexpr (placement_of<Program>.steps[I] == side::host) return read_operands::arrays;
    else return kernel<op>::reads;
  }
}
template <class Program>
inline constexpr transfer_counts transfers_of = [] {
  constexpr auto read = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<read_operands, sizeof...(I) + 1>{what_is_read<Program, I>()...};
  }(std::make_index_sequence<Program::steps.size()>{});
  transfer_counts all = transfer_count<Program>(read.data()).counts;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto const add = [&]<std::size_t At>(std::integral_constant<std::size_t, At>) {
      if constexpr (Program::steps[At].kind == core::step_kind::scan &&
                    placement_of<Program>.steps[At] == side::device) {
        transfer_counts const inside = transfers_of<body_of_step<Program, At>>;
        all.to_host += inside.to_host;
        all.to_device += inside.to_device;
      }
    };
    (add(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<Program::steps.size()>{});
  return all;
}();

namespace met {
/// The op of a step that has no form for devices; void for a fused loop.
template <int Step, class Op>
struct step_of_the_host;
}  // namespace met

template <class Program, int I>
constexpr auto op_of_step() {
  constexpr plan::step_info step = Program::steps[static_cast<std::size_t>(I)];
  if constexpr (step.kind == core::step_kind::loop) return std::type_identity<void>{};
  else return std::type_identity<freeze::op_at<Program::value.ops[step.op]>>{};
}
/// The first step that runs on the host though it computes with arrays; -1 if there is none.
template <class Program>
inline constexpr int first_on_host = [] {
  for (std::size_t s = 0; s < Program::steps.size(); ++s) {
    plan::step_info const& info = Program::steps[s];
    if (placement_of<Program>.steps[s] == side::device || core::is_view(info.kind)) continue;
    for (int k = 0; k < info.operand_count + info.result_count; ++k) {
      long long const v = Program::pool[static_cast<std::size_t>(info.first + k)];
      if (v >= 0 && Program::values[static_cast<std::size_t>(v)].rank > 0)
        return static_cast<int>(s);
    }
  }
  return -1;
}();
/// Rejects a program whose mode allows no transfers but needs some, with a sentence.
template <class Program>
constexpr bool allows_transfers() {
  if constexpr (mode_facts<Program>::mode_type::has(device_option::no_transfers)) {
    constexpr int at = first_on_host<Program>;
    if constexpr (at >= 0) {
      using op = typename decltype(op_of_step<Program, at>())::type;
      static_assert(is_accepted<met::step_of_the_host<at + 1, op>>,
                    "kt::cuda::function: a step has no form for the device, and the mode allows no "
                    "transfers");
      return false;
    } else {
      constexpr bool waits = transfers_of<Program>.to_host > 0;
      static_assert(!waits,
                    "kt::cuda::function: the host has to read a number that the device computes, "
                    "and the mode allows no transfers");
      return !waits;
    }
  } else {
    return true;
  }
}

}  // namespace kroton::cuda
