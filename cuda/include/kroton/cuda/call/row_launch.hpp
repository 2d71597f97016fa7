// The launch of loops that are taken row by row.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/row_memory.hpp>

namespace kroton::cuda {

/// Launches the loops of a run of steps when its last one is reached; those before do nothing.
template <class Device, class Program, int Last>
class row_launch {
  static constexpr row_run run = row_runs<Program>[static_cast<std::size_t>(Last)];
  template <int Step>
  using expression_of =
      freeze::lift_t<Program, Program::steps[static_cast<std::size_t>(Step)].body>;
  /// The axes of a step's rows, as bits from the last.
  template <int Step>
  static constexpr long long axes_of =
      (1ll << (Program::steps[static_cast<std::size_t>(Step)].space_rank - run.kept)) - 1;
  template <int Step>
  using step_of = row_step<expression_of<Step>, axes_of<Step>>;
  using loops = loops_of_run<Program, run.first, run.last>;

 public:
  static void launch(cpu::step_view const& last) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      launch_all<loops::numbers[I]...>(static_cast<device_frame<Device>&>(last.f),
                                       std::index_sequence<I...>{});
    }(std::make_index_sequence<loops::numbers.size()>{});
  }

 private:
  template <int... Step, std::size_t... I>
  static void launch_all(device_frame<Device>& f, std::index_sequence<I...>) {
    using steps = row_steps<step_of<Step>...>;
    auto const view = [&](int step) { return cpu::step_view{f, f.tables().steps[step]}; };
    auto const groups = std::tuple(group_of_step<Device, expression_of<Step>>(view(Step))...);
    typename steps::arguments a;
    static_assert(sizeof(a) <= most_bytes_of_arguments, "row_finder::from bounds it");
    bool along = true;
    ((along = divide<step_of<Step>>(at<I>(a.steps), std::get<I>(groups)) && along), ...);
    std::int64_t const rows = a.shape().kept;
    if (rows == 0) return;
    // Threads share the longest of the rows.
    std::int64_t longest = 1;
    int pack = 1;
    a.in_packs = true;
    auto const note = [&](auto const& of_group, int pack_of_step) {
      std::int64_t const row = of_group.shape.reduced;
      if (row > longest) longest = row, pack = pack_of_step;
      if (row > 1 && of_group.how != taking::packs) a.in_packs = false;
    };
    (note(at<I>(a.steps).of_group, step_of<Step>::thread::packs::size), ...);
    device_facts const device = Device::facts();
    reduction_shape const shape = choose_shape(rows, longest, true, a.in_packs ? pack : 1, device);
    // A row is one block's: few long ones are shared by many blocks, loop by loop.
    if (!along || shape.splits > 1) return (launch_group(std::get<I>(groups), f.reductions()), ...);
    (take_shape(at<I>(a.steps).of_group.shape, shape), ...);
    row_memory<Program, run.first, run.last> memory(f, run.kept);
    if (a.in_packs) (memory.template find_copies<step_of<Step>>(at<I>(a.steps), view(Step)), ...);
    memory.find_room((device.bytes_of_block - steps::bytes_for(device.threads)) / shape.lanes);
    (memory.template place<step_of<Step>>(at<I>(a.steps), view(Step)), ...);
    a.bytes_of_lane = memory.bytes_of_lane();
    Device::launch_rows(steps{}, a);
  }
  template <std::size_t I, class Arguments>
  static auto& at(Arguments& a) {
    if constexpr (I == 0) return a.first;
    else return at<I - 1>(a.rest);
  }
  /// The axes of a step and the extents of its rows; whether neighbours lie along the rows.
  template <class Step, class Group>
  static bool divide(typename Step::arguments& of_step, Group const& group) {
    auto& a = of_step.of_group;
    divide_space(group.whole, (1ll << (group.whole.rank - run.kept)) - 1, a.kept, a.reduced);
    a.scalars = group.scalars;
    a.shape.kept = size_of_merged(a.kept);
    a.shape.reduced = size_of_merged(a.reduced);
    if (Step::thread::takes_packs(a)) a.how = taking::packs;
    return a.shape.reduced <= 1 || lies_along_reduced(a.kept, a.reduced, Step::outputs::operands);
  }
  static void take_shape(reduction_shape& of_step, reduction_shape const& shape) {
    std::int64_t const row = of_step.reduced;
    of_step = shape;
    of_step.reduced = of_step.chunk = row;
  }
};

}  // namespace kroton::cuda
