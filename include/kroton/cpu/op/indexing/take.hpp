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

/// Adds a short row to another one, which it does not overlap, eight elements at a time.
template <class T>
class added_row {
 public:
  static void add(T* to, T const* from, std::ptrdiff_t n) {
    for (; n >= 8; n -= 8, to += 8, from += 8) add_few<8>(to, from);
    if ((n & 4) != 0) add_few<4>(to, from), to += 4, from += 4;
    if ((n & 2) != 0) add_few<2>(to, from), to += 2, from += 2;
    if ((n & 1) != 0) add_few<1>(to, from);
  }

 private:
  template <std::size_t N>
  static KROTON_INLINE void add_few(T* to, T const* from) {
    T sums[N];
    for (std::size_t i = 0; i < N; ++i) sums[i] = ops::plus(to[i], from[i]);
    for (std::size_t i = 0; i < N; ++i) to[i] = sums[i];
  }
};

/// Copies rows of a tensor that indices select to an array, or back.
template <bool Back>
void copy_rows(selected_rows const& rows, array_ref const& base, array_ref const& array) {
  std::byte *const b = base.data, *const a = array.data;
  std::ptrdiff_t const each = base.bytes;
  if (rows.are_dense())
    return with_short_row(rows.n * each, [=, &rows](auto bytes) {
      rows.for_each([=](std::ptrdiff_t in_base, std::ptrdiff_t in_array) {
        std::byte *const one = b + in_base * each, *const other = a + in_array * each;
        std::memcpy(Back ? one : other, Back ? other : one, static_cast<std::size_t>(bytes));
      });
    });
  if (rows.array_stride > rows.step_of_array && rows.step_of_array > 0)  // it lies by columns
    return core::with_bytes(base.bytes, [=, &rows]<int Bytes>(std::integral_constant<int, Bytes>) {
      for (std::ptrdiff_t c = 0; c < rows.n; ++c)
        rows.for_each([=, &rows](std::ptrdiff_t in_base, std::ptrdiff_t in_array) {
          std::byte *const one = b + (in_base + c * rows.base_stride) * Bytes,
                          *const other = a + (in_array + c * rows.array_stride) * Bytes;
          std::memcpy(Back ? one : other, Back ? other : one, Bytes);
        });
    });
  rows.for_each([=, &rows](std::ptrdiff_t in_base, std::ptrdiff_t in_array) {
    std::byte *const one = b + in_base * each, *const other = a + in_array * each;
    if constexpr (Back)
      core::copy_row(one, rows.base_stride, other, rows.array_stride, rows.n, base.bytes);
    else core::copy_row(other, rows.array_stride, one, rows.base_stride, rows.n, base.bytes);
  });
}

template <>
struct kernel<op::take> {
  static void check(core::invocation const& call) {
    core::array_ref const &x = call.operand(0), &index = call.operand(1);
    if (call.attribute(0) == 1) return check_index(op::take::name, index, 0, x.extents[0]);
    taking(op::take::name, call, x, 1);
  }
  static void run(core::invocation const& call) {
    if (call.attribute(0) != 1) return copy(call, taking(op::take::name, call, call.operand(0), 1));
    check(call);
    run_checked<void>(call);
  }
  /// For indices that were checked; the element type does not matter.
  template <class>
  static void run_checked(core::invocation const& call) {
    core::array_ref const &x = call.operand(0), &index = call.operand(1), &out = call.result();
    bool const is_line = index.rank == 1 || (index.contiguous() && out.contiguous());
    if (x.rank != 1 || !is_line) return copy(call, taking(call, x, 1));
    cpu::gather_tile(out.data, core::selected(x, index), index.data, 1, index.size(), 0,
                     index.rank == 1 ? index.strides[0] : 1);
  }

 private:
  static void copy(core::invocation const& call, taking const& taken) {
    core::array_ref const &x = call.operand(0), &out = call.result();
    taken.for_each(
        out, [&](selected_rows const& rows) { copy_rows<false>(rows, x, out); },
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
  static void check(core::invocation const& call) {
    taking(op::inc_take::name, call, call.result(), 2);
  }
  template <class T>
  static void run(core::invocation const& call) {
    add<T>(call, taking(op::inc_take::name, call, call.result(), 2));
  }
  /// For indices that were checked.
  template <class T>
  static void run_checked(core::invocation const& call) {
    add<T>(call, taking(call, call.result(), 2));
  }

 private:
  template <class T>
  static void add(core::invocation const& call, taking const& taken) {
    core::array_ref const &v = call.operand(1), &out = call.result();
    copy_array(out, call.operand(0));
    T* const whole = reinterpret_cast<T*>(out.data);
    T const* const added = reinterpret_cast<T const*>(v.data);
    taken.for_each(
        v,
        [&](selected_rows const& rows) {
          rows.for_each([&](std::ptrdiff_t to, std::ptrdiff_t from) {
            if (rows.are_dense()) return added_row<T>::add(whole + to, added + from, rows.n);
            for (std::ptrdiff_t i = 0; i < rows.n; ++i) {
              T& sum = whole[to + i * rows.base_stride];
              sum = ops::plus(sum, added[from + i * rows.array_stride]);
            }
          });
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
        [&](selected_rows const& rows) { copy_rows<true>(rows, out, v); },
        [&](std::ptrdiff_t const* to, auto count, auto from, auto fs) {
          core::with_bytes(v.bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
            for (std::ptrdiff_t j = 0; j < count; ++j)
              std::memcpy(out.data + to[j] * Bytes, v.data + (from + j * fs) * Bytes, Bytes);
          });
        });
  }
};

}  // namespace kroton::cpu
