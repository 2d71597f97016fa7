// Elements that index tensors name: taken, added to, replaced.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/loop/tiles.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/indexing/taking.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/ops/indexing.hpp>

#include <cstring>

namespace kroton::cpu {

template <>
struct kernel<op::take> {
  static void run(core::invocation const& call) {
    core::array_ref const &x = call.operand(0), &out = call.result();
    if (x.rank == 1 && (call.operand(1).rank == 1 || call.operand(1).contiguous())) {
      core::array_ref const& index = call.operand(1);
      check_index(op::take::name, index, 0, x.extents[0]);
      return cpu::gather_tile(out.data, core::selected(x, index), index.data, 1, index.size(), 0,
                              index.rank == 1 ? index.strides[0] : 1);
    }
    taking(op::take::name, call, x, 1)
        .for_each(
            out,
            [&](auto from, auto to, auto count, auto fs, auto ts) {
              core::copy_row(out.data + to * out.bytes, ts, x.data + from * x.bytes, fs, count,
                             x.bytes);
            },
            [&](std::ptrdiff_t const* from, auto count, auto to, auto ts) {
              core::with_bytes(x.bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
                for (std::ptrdiff_t j = 0; j < count; ++j)
                  std::memcpy(out.data + (to + j * ts) * Bytes, x.data + from[j] * Bytes, Bytes);
              });
            });
  }
};

template <>
struct kernel<op::inc_take> {
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const &v = call.operand(1), &out = call.result();
    taking const taken(op::inc_take::name, call, out, 2);
    copy_array(out, call.operand(0));
    T* const whole = reinterpret_cast<T*>(out.data);
    T const* const added = reinterpret_cast<T const*>(v.data);
    taken.for_each(
        v,
        [&](auto to, auto from, auto count, auto ts, auto fs) {
          for (std::ptrdiff_t i = 0; i < count; ++i)
            whole[to + i * ts] = ops::plus(whole[to + i * ts], added[from + i * fs]);
        },
        [&](std::ptrdiff_t const* to, auto count, auto from, auto fs) {
          for (std::ptrdiff_t j = 0; j < count; ++j)
            whole[to[j]] = ops::plus(whole[to[j]], added[from + j * fs]);
        });
  }
};

template <>
struct kernel<op::set_take> {
  static void run(core::invocation const& call) {
    core::array_ref const &v = call.operand(1), &out = call.result();
    taking const taken(op::set_take::name, call, out, 2);
    copy_array(out, call.operand(0));
    taken.for_each(
        v,
        [&](auto to, auto from, auto count, auto ts, auto fs) {
          core::copy_row(out.data + to * out.bytes, ts, v.data + from * v.bytes, fs, count,
                         v.bytes);
        },
        [&](std::ptrdiff_t const* to, auto count, auto from, auto fs) {
          core::with_bytes(v.bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
            for (std::ptrdiff_t j = 0; j < count; ++j)
              std::memcpy(out.data + to[j] * Bytes, v.data + (from + j * fs) * Bytes, Bytes);
          });
        });
  }
};

}  // namespace kroton::cpu
