// Where extrema stand, on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/panels.hpp>
#include <kroton/cuda/kernel/search.hpp>
#include <kroton/cuda/op/kernel.hpp>
#include <kroton/ops/along_axes/positions.hpp>

namespace kroton::cuda {

/// Launches a search in x along `axes`, as bits counted from the last. `compared`, which
/// equal_search compares x with, and `out` have the rank of x.
template <class Search, class Device>
void launch_search(core::array_ref const& x, core::array_ref const& compared,
                   core::array_ref const& out, long long axes) {
  space_over<3> whole;
  whole.operands = 2;
  whole.results = 1;
  whole.count = 3;
  whole.rank = x.rank;
  for (int d = 0; d < x.rank; ++d) whole.extents[d] = x.extents[d];
  whole.add(0, x, x.rank);
  whole.add(1, compared, x.rank);
  whole.add(2, out, x.rank);
  search_arguments a;
  divide_space(whole, axes, a.kept, a.reduced);
  std::int64_t const kept = size_of_merged(a.kept), reduced = size_of_merged(a.reduced);
  if (kept == 0 || reduced == 0) return;
  a.shape =
      choose_shape(kept, reduced, lies_along_reduced(a.kept, a.reduced, 1), 1, Device::facts());
  a.shape.splits = 1;
  Device::template launch_blocks<search_thread<Search>>(a);
}

template <class Extreme>
struct position_kernel : device_kernel {
  template <class T>
  static constexpr bool takes = std::is_arithmetic_v<T>;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    int const axis = static_cast<int>(call.attribute(0));
    core::array_ref const& x = call.operand(0);
    core::array_ref const out = core::spread(cpu::with_axis(call.result(), axis), x);
    launch_search<extremum_search<T, Extreme>, Device>(x, out, out, 1ll << (x.rank - 1 - axis));
  }
};
template <>
struct kernel<op::argmax> : position_kernel<op::max> {};
template <>
struct kernel<op::argmin> : position_kernel<op::min> {};

/// Marks the first element of each reduced slice that equals its extremum.
template <class Device, class T>
void run_first_equal(cpu::step_view const& s) {
  auto& f = static_cast<device_frame<Device>&>(s.f);
  core::array_ref const &x = f.at(s.operand(0), side::device),
                        &m = f.at(s.operand(1), side::device), &out = f.value(s.result(0));
  if (x.size() == 0) return;
  Device::set_zero(out.data, static_cast<std::size_t>(out.size()));
  long long axes = 0;
  for (int d = 0; d < x.rank; ++d)
    if (m.extents[d] == 1) axes |= 1ll << (x.rank - 1 - d);
  launch_search<equal_search<T>, Device>(x, core::spread(m, x), out, axes);
}

}  // namespace kroton::cuda
