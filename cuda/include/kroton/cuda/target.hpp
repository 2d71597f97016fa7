// A device as the target of kt::function: the plan is that of the CPU, its loops are launched as
// grids, and its scalars stay on the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/array.hpp>
#include <kroton/cuda/grid.hpp>
#include <kroton/cuda/obstacles.hpp>

namespace kroton::cuda {

/// An argument on its way to the device: an array of the device is used in place, all else is
/// transferred.
template <class T, int Rank, class Device, class A>
class device_argument {
 public:
  explicit device_argument(A const& a) : held_(a) {}
  core::array_ref ref() const { return held_.ref(); }

 private:
  std::conditional_t<is_array<A>, A const&, array<T, Rank, Device>> held_;
};

/// Launches a group whose space is filled in, unless it is empty.
template <class Device, class Expression>
void launch_space(typename group_body<Expression>::arguments& a) {
  if (a.space.empty()) return;
  a.space.merge_axes();
  a.count = 1;
  for (int d = 0; d < a.space.rank; ++d) a.count *= a.space.extents[d];
  Device::launch(Expression{}, a);
}
/// Launches a group over the space that a step names.
template <class Device, class Expression>
void launch_step(cpu::step_view const& s) {
  typename group_body<Expression>::arguments a;
  a.space.rank = s.info.space_rank;
  for (int d = 0; d < a.space.rank; ++d) a.space.extents[d] = s.f.extent(s.space(d));
  for (int k = 0; k < s.info.operand_count; ++k) {
    core::array_ref const& operand = s.f.value(s.operand(k));
    a.space.add(k, operand, a.space.rank);
    if (operand.rank == 0) a.set_scalar(k, operand.data, operand.bytes);
  }
  for (int k = 0; k < s.info.result_count; ++k)
    a.space.add(s.info.operand_count + k, s.f.value(s.result(k)), a.space.rank);
  launch_space<Device, Expression>(a);
}
/// Copies a parameter or a view that is returned to an array.
template <class T, int Rank, class Device>
void launch_copy(array<T, Rank, Device> const& to, core::array_ref const& from) {
  using identity = expression<input<T, 0, Rank>>;
  typename group_body<identity>::arguments a;
  a.space.rank = Rank;
  for (int d = 0; d < Rank; ++d) a.space.extents[d] = from.extents[d];
  a.space.add(0, from, Rank);
  a.space.add(1, to.ref(), Rank);
  launch_space<Device, identity>(a);
}

/// The memory of a function on a device: extents and scalars on the host, buffers on the device.
template <class Device>
struct device_frame : cpu::frame {
  using cpu::frame::frame;
  memory<Device> arena;
};
template <class Device, class Program>
struct program_frame : device_frame<Device> {
  program_frame() : device_frame<Device>(cpu::tables_storage<Program>) {}
};

/// A device, kt::cuda::gpu or kt::cuda::emulated, as a mode's target.
template <class Device>
struct target {
  static constexpr bool is_host = false;
  template <class T, int Rank>
  using container =
      typename std::conditional_t<Rank == 0, cpu::container_of<T, 0>,
                                  std::type_identity<array<T, Rank + (Rank == 0), Device>>>::type;
  template <class T, int Rank, class A>
  using argument = std::conditional_t<Rank == 0, cpu::argument<T, Rank, A>,
                                      device_argument<T, Rank + (Rank == 0), Device, A>>;
  template <class A>
  static constexpr bool has_array = is_array_of<A, Device>;
  template <class Program>
  using frame = program_frame<Device, Program>;
  template <class Program, int Step>
  static constexpr cpu::step_function step() {
    constexpr plan::step_info info = Program::steps[static_cast<std::size_t>(Step)];
    if constexpr (info.kind == core::step_kind::loop && info.space_rank > 0)
      return &launch_step<Device, freeze::lift_t<Program, info.body>>;
    else return cpu::function_of_step<Program, Step>();
  }
  template <class Program, int Bound>
  static constexpr bool takes_program() {
    return runs_on_device<Program, Bound>();
  }
};

// What cpu::run_program does in another way for a frame and for arrays of a device; found by
// argument-dependent lookup.

template <class Program, class Device>
void lay_out(device_frame<Device>& f) {
  f.find_extents([&](auto const& prologue) { cpu::run_steps<Program, true>(f, prologue); });
  f.arena.reserve(f.measure(static_cast<std::size_t>(core::most_bytes)));
  f.place(f.arena.data());
}
template <class Program, bool Prologue, class Device, class Observer>
void run_steps(device_frame<Device>& f, Observer&& observer) {
  for (int s = 0; s < f.tables().steps.size(); ++s)
    if (cpu::takes_part(f.tables().steps[s], Prologue))
      cpu::take_step(f, cpu::listed_steps<target<Device>, Program, Prologue>.data(), s, observer);
}
/// Results are computed in memory of their own, which a target takes over at the end.
template <class T, int Rank, class Device>
cpu::memory_range spanned_range(array<T, Rank, Device>& target) {
  auto const* const at = reinterpret_cast<std::byte const*>(&target);
  return {at, at + sizeof(target)};
}
template <class T, int Rank, class Device>
bool target_meets(array<T, Rank, Device> const&, cpu::memory_range const&) {
  return false;
}

}  // namespace kroton::cuda

namespace kroton::cpu {

template <class T, int Rank, class Device, class Value>
class output_slot<cuda::array<T, Rank, Device>, Value> {
  using array = cuda::array<T, Rank, Device>;

 public:
  void prepare(frame& f, array const&, int v, bool computed_here) {
    array_ref shape;
    for (int d = 0; d < Rank; ++d) shape.extents[d] = f.extent(f.tables().values[v].extents[d]);
    made_ = array(array::shape_of(shape));
    computed_here_ = computed_here;
    if (computed_here) f.value(v).data = made_.ref().data;
  }
  void finish(frame& f, array& target, int v) {
    if (!computed_here_) cuda::launch_copy(made_, f.value(v));
    std::swap(target, made_);  // further outputs may lie in the old memory
  }

 private:
  array made_;
  bool computed_here_ = false;
};

}  // namespace kroton::cpu
