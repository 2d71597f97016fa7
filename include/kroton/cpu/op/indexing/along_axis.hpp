// Elements picked along an axis by an array of positions, and added up where they came from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/cpu/op/panels.hpp>
#include <kroton/ops/indexing/along_axis.hpp>

#include <cstring>
#include <string_view>

namespace kroton::cpu {

/// A position counted from the front.
inline std::ptrdiff_t checked_position(std::int64_t given, std::ptrdiff_t extent,
                                       std::string_view op) {
  std::int64_t const i = given < 0 ? given + extent : given;
  if (i < 0 || i >= extent)
    throw value_error(core::message(
        {op, ": index ", given, " is out of range for an axis of ", extent, " elements"}));
  return static_cast<std::ptrdiff_t>(i);
}

template <>
struct kernel<op::take_along_axis> {
  static void run(core::invocation const& call) {
    int const axis = static_cast<int>(call.attribute(0));
    core::array_ref const* const arrays[] = {&call.operand(1), &call.operand(0), &call.result()};
    std::ptrdiff_t const n = arrays[0]->extents[axis];
    auto const* const positions = reinterpret_cast<std::int64_t const*>(arrays[0]->data);
    core::with_bytes(arrays[1]->bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
      for_each_panel(arrays, axis, [&](panel<3> const& p) {
        for (std::ptrdiff_t i = 0; i < n; ++i)
          for (std::ptrdiff_t j = 0; j < p.width; ++j) {
            std::ptrdiff_t const from = checked_position(
                positions[p.at(0, i, j)], arrays[1]->extents[axis], op::take_along_axis::name);
            std::memcpy(arrays[2]->data + p.at(2, i, j) * Bytes,
                        arrays[1]->data + p.at(1, from, j) * Bytes, Bytes);
          }
      });
    });
  }
};

template <>
struct kernel<op::add_along_axis> {
  template <class T>
  static void run(core::invocation const& call) {
    int const axis = static_cast<int>(call.attribute(0));
    core::array_ref const* const arrays[] = {&call.operand(1), &call.operand(2), &call.result()};
    std::ptrdiff_t const n = arrays[0]->extents[axis], positions = arrays[2]->extents[axis];
    T* const out = reinterpret_cast<T*>(arrays[2]->data);
    T const* const added = reinterpret_cast<T const*>(arrays[0]->data);
    auto const* const indices = reinterpret_cast<std::int64_t const*>(arrays[1]->data);
    // What is out of range is found before anything is written
    for (bool const writes : {false, true}) {
      if (writes) copy_array(call.result(), call.operand(0));
      for_each_panel(arrays, axis, [&](panel<3> const& p) {
        for (std::ptrdiff_t i = 0; i < n; ++i)
          for (std::ptrdiff_t j = 0; j < p.width; ++j) {
            std::ptrdiff_t const to =
                checked_position(indices[p.at(1, i, j)], positions, "take_along_axis");
            if (!writes) continue;
            T& sum = out[p.at(2, to, j)];
            sum = ops::plus(sum, added[p.at(0, i, j)]);
          }
      });
    }
  }
};

}  // namespace kroton::cpu
