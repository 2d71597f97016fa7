// Launches: what a step or a copy means as grids of threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/frame.hpp>
#include <kroton/cuda/kernel/copy.hpp>
#include <kroton/cuda/kernel/map.hpp>
#include <kroton/cuda/kernel/reduction_shape.hpp>

namespace kroton::cuda {

template <class Space>
std::int64_t size_of_merged(Space& space) {
  space.merge_axes();
  return space.size();
}

/// Copies elements between arrays of a device of the same extents.
template <class Device>
void copy_on(core::array_ref const& to, core::array_ref const& from) {
  copy_arguments a;
  a.space.rank = to.rank;
  for (int d = 0; d < to.rank; ++d) a.space.extents[d] = to.extents[d];
  a.space.add(0, from, to.rank);
  a.space.add(1, to, to.rank);
  a.count = size_of_merged(a.space);
  if (a.count == 0 || (to.data == from.data && from.contiguous() && to.contiguous())) return;
  bool const are_dense = a.space.strides[0][0] == 1 && a.space.strides[0][1] == 1;
  if (a.count == 1 || (a.space.rank == 1 && are_dense))
    return Device::copy_within(to.data, from.data, static_cast<std::size_t>(a.count * to.bytes));
  core::with_bytes(to.bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
    Device::template launch<copy_thread<Bytes>>(a);
  });
}

/// An array of its own with these elements.
template <class Array>
Array copy_of(core::array_ref const& from) {
  Array made(Array::shape_of(from));
  copy_on<typename Array::device_type>(made.ref(), from);
  return made;
}

/// The operands and results of a fused group, over its whole space.
template <class Expression>
struct group_space {
  using outputs = group_outputs<Expression>;
  space_over<outputs::arrays> whole;
  scalar_operands<outputs::operands> scalars;

  group_space() {
    whole.operands = outputs::operands;
    whole.results = outputs::size;
    whole.count = outputs::arrays;
  }
  void add_operand(int k, core::array_ref const& array, side lies_on) {
    whole.add(k, array, whole.rank);
    if (array.rank > 0 || lies_on == side::device) return;
    scalars.set(k, array.data, array.bytes);
    whole.data[k] = nullptr;
  }
  void add_result(int p, core::array_ref const& array) {
    cpu::result_fact fact;
    fact.axes = outputs::axes[static_cast<std::size_t>(p)];
    fact.reduction = fact.axes != 0;
    whole.add_result(outputs::operands + p, array, fact);
  }
};

/// What a launch of a group is for: outputs for which `takes` is false do not keep axes from being
/// merged.
template <class Expression, class Space, class Takes>
void leave_out(Space& space, Takes takes) {
  using outputs = group_outputs<Expression>;
  for (int p = 0; p < outputs::size; ++p)
    if (!takes(outputs::axes[static_cast<std::size_t>(p)]))
      for (int d = 0; d < space.rank; ++d) space.strides[d][outputs::operands + p] = 0;
}
/// Launches what a group gives for each element of its space.
template <class Device, class Expression>
void launch_map(group_space<Expression> const& group) {
  typename map_of<Expression>::arguments a;
  static_assert(sizeof(a) <= most_bytes_of_arguments,
                "kt::cuda::function: one fused loop has more operands than a kernel takes");
  a.space = group.whole;
  leave_out<Expression>(a.space, [](long long axes) { return axes == 0; });
  a.scalars = group.scalars;
  a.count = size_of_merged(a.space);
  if (a.count == 0) return;
  a.in_packs = map_of<Expression>::takes_packs(a);
  Device::launch_map(Expression{}, a);
}
/// Launches what a group gives when it is reduced over these axes, so many outputs at a time; with
/// the last of them, if it `Stores`, what it gives for each element.
template <class Device, class Expression, long long Axes, bool Stores, int First = 0,
          class Store = store_value>
void launch_reduction(group_space<Expression> const& group, reduction_memory<Device>& memory,
                      Store const& store = {}) {
  using outputs = group_outputs<Expression>;
  constexpr bool is_last = First + most_reduced_outputs >= outputs::count(Axes);
  using thread = reduction_of<Expression, Axes, First, Stores && is_last>;
  typename thread::arguments a;
  static_assert(sizeof(a) + sizeof(store) <= most_bytes_of_arguments,
                "kt::cuda::function: one fused loop has more operands than a kernel takes");
  divide_space(group.whole, Axes, a.kept, a.reduced);
  auto const is_taken = [](long long axes) { return axes == Axes || (Stores && axes == 0); };
  leave_out<Expression>(a.kept, is_taken);
  leave_out<Expression>(a.reduced, is_taken);
  a.scalars = group.scalars;
  std::int64_t const kept = size_of_merged(a.kept), reduced = size_of_merged(a.reduced);
  if (kept == 0) return;
  bool const along = lies_along_reduced(a.kept, a.reduced, outputs::operands);
  int pack = 1, unit = 1;
  if (along && thread::takes_packs(a)) {
    a.how = taking::packs;
    pack = thread::packs::size;
  } else if (!along && thread::takes_columns(a)) {
    a.how = taking::columns;
    unit = thread::packs::size;
  }
  a.shape = choose_shape(kept / unit, reduced, along, pack, Device::facts());
  a.shape.unit = unit;
  if (a.shape.splits > 1) {
    a.partial = memory.partial(thread::bytes_for(a.shape.splits * kept));
    a.tickets = memory.tickets(a.shape.tiles());
  }
  Device::launch_reduction(std::type_identity<thread>{}, Expression{}, a, store);
  if constexpr (!is_last)
    launch_reduction<Device, Expression, Axes, Stores, First + most_reduced_outputs>(group, memory,
                                                                                     store);
}
/// Launches all outputs of a group. What is stored for each element is stored by the last launch,
/// since it may be written over an operand.
template <class Device, class Expression>
void launch_group(group_space<Expression> const& group, reduction_memory<Device>& memory) {
  using outputs = group_outputs<Expression>;
  constexpr int last = outputs::last_reduction();
  [&]<int... P>(std::integer_sequence<int, P...>) {
    auto const launch = [&]<int Position>(std::integral_constant<int, Position>) {
      constexpr long long axes = outputs::axes[static_cast<std::size_t>(Position)];
      if constexpr (axes != 0 && outputs::is_first(Position))
        launch_reduction<Device, Expression, axes, Position == last && outputs::count(0) != 0>(
            group, memory);
    };
    (launch(std::integral_constant<int, P>{}), ...);
  }(std::make_integer_sequence<int, outputs::size>{});
  if constexpr (last < 0) launch_map<Device>(group);
}

}  // namespace kroton::cuda
