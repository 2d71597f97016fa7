// Diagonals of matrices, and matrices that have nothing next to one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/ops/linear_algebra/diagonals.hpp>

#include <cstring>

namespace kroton::cpu {

/// The diagonal as a view of a matrix, with the extents of `like`, which has it as its last axis.
inline core::array_ref diagonal_of(core::array_ref const& of, core::array_ref const& like,
                                   core::invocation const& call) {
  core::array_ref part = like;
  long long const first = call.attribute(0), second = call.attribute(1), offset = call.attribute(2);
  for (int d = 0, position = 0; d < of.rank; ++d)
    if (d != first && d != second) part.strides[position++] = of.strides[d];
  part.strides[part.rank - 1] = of.strides[first] + of.strides[second];
  part.data =
      of.data + (offset > 0 ? offset * of.strides[second] : -offset * of.strides[first]) * of.bytes;
  return part;
}

template <>
struct kernel<op::diagonal> {
  static void run(core::invocation const& call) {
    if (call.result().size() > 0)
      copy_array(call.result(), diagonal_of(call.operand(0), call.result(), call));
  }
};

template <>
struct kernel<op::from_diagonal> {
  static void run(core::invocation const& call) {
    core::array_ref const &x = call.operand(0), &out = call.result();
    if (out.size() == 0) return;
    std::memset(out.data, 0, static_cast<std::size_t>(out.size() * out.bytes));
    copy_array(diagonal_of(out, x, call), x);
  }
};

template <>
struct kernel<op::from_diagonals> {
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const& out = call.result();
    if (out.size() == 0) return;
    std::memset(out.data, 0, static_cast<std::size_t>(out.size()) * sizeof(T));
    core::array_ref const* of = call.operands;
    for (; of[0].rank == 1; of += 3)
      add_along(reinterpret_cast<T*>(out.data), out.extents[1], of[0], first(of[1]), first(of[2]));
  }

 private:
  static std::int64_t first(core::array_ref const& x) {
    return *reinterpret_cast<std::int64_t const*>(x.data);
  }
  template <class T>
  static void add_along(T* to, std::ptrdiff_t columns, core::array_ref const& x, std::int64_t row,
                        std::int64_t column) {
    T const* const from = reinterpret_cast<T const*>(x.data);
    std::ptrdiff_t const n = x.extents[0], stride = x.strides[0];
    to += row * columns + column;
    for (std::ptrdiff_t i = 0; i < n; ++i) to[i * (columns + 1)] += from[i * stride];
  }
};

}  // namespace kroton::cpu
