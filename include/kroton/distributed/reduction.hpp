// Reductions of arrays over ranks, by MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/call/memory.hpp>
#include <kroton/distributed/communicator.hpp>
#include <kroton/math/functions.hpp>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace kroton::distributed {

/// MPI's name of an element type.
template <class T>
MPI_Datatype datatype() {
  constexpr element e = core::element_of<T>();
  if constexpr (e == element::int8) return MPI_INT8_T;
  else if constexpr (e == element::int16) return MPI_INT16_T;
  else if constexpr (e == element::int32) return MPI_INT32_T;
  else if constexpr (e == element::int64) return MPI_INT64_T;
  else if constexpr (e == element::uint8) return MPI_UINT8_T;
  else if constexpr (e == element::uint16) return MPI_UINT16_T;
  else if constexpr (e == element::uint32) return MPI_UINT32_T;
  else if constexpr (e == element::uint64) return MPI_UINT64_T;
  else if constexpr (e == element::float32) return MPI_FLOAT;
  else if constexpr (e == element::float64) return MPI_DOUBLE;
  else if constexpr (e == element::complex64) return MPI_C_FLOAT_COMPLEX;
  else return MPI_C_DOUBLE_COMPLEX;
}

/// Extrema in which NaN wins, as in kt::max and kt::min; MPI leaves open what its own do.
template <class T, bool Largest>
void combine_extrema(void* from, void* into, int* count, MPI_Datatype*) {
  T const* const a = static_cast<T const*>(from);
  T* const b = static_cast<T*>(into);
  for (int i = 0; i < *count; ++i)
    b[i] = Largest ? math::maximum(a[i], b[i]) : math::minimum(a[i], b[i]);
}
template <class T, bool Largest>
MPI_Op extremum() {
  if constexpr (!std::is_floating_point_v<T>) return Largest ? MPI_MAX : MPI_MIN;
  else {
    static MPI_Op const made = [] {
      MPI_Op op = MPI_OP_NULL;
      check(MPI_Op_create(&combine_extrema<T, Largest>, 1, &op), "MPI_Op_create");
      return op;
    }();
    return made;
  }
}
template <class T>
MPI_Op operation_of(collective what) {
  if constexpr (!core::is_complex_number<T>) {
    if (what == collective::max) return extremum<T, true>();
    if (what == collective::min) return extremum<T, false>();
  }
  return MPI_SUM;
}

/// Reduces count elements over all ranks; `from` may be `to`.
template <class T>
void reduce_elements(group const& g, T const* from, T* to, std::ptrdiff_t count, MPI_Op op) {
  constexpr std::ptrdiff_t most = std::numeric_limits<int>::max();
  for (std::ptrdiff_t at = 0; at < count; at += most)
    check(MPI_Allreduce(from == to ? MPI_IN_PLACE : static_cast<void const*>(from + at), to + at,
                        static_cast<int>(std::min(most, count - at)), datatype<T>(), op, g.ranks()),
          "MPI_Allreduce");
}
template <class T>
void divide(T* x, std::ptrdiff_t count, int by) {
  if constexpr (!std::is_integral_v<T>) {
    T const divisor = static_cast<T>(by);
    for (std::ptrdiff_t i = 0; i < count; ++i) x[i] /= divisor;
  }
}

/// What a call reduces: `values` arrays of one type.
inline request request_of(core::invocation const& call, collective what, element type,
                          long long number, int values) {
  request mine(what, type, number, values);
  for (int k = 0; k < values; ++k) mine.add(call.operand(k));
  return mine;
}

/// Reduces the operands of a call over the ranks, all in one message. Attributes: what, and the
/// number of the op in its function.
template <class T>
void reduce_operands(core::invocation const& call, int values) {
  group& g = all_groups::current();
  auto const what = static_cast<collective>(call.attribute(0));
  if (g.size() > 1)
    g.agree(request_of(call, what, core::element_of<T>(), call.attribute(1), values));
  std::ptrdiff_t count = 0;
  for (int k = 0; k < values; ++k) count += call.operand(k).size();
  auto const reduce = [&](T const* from, T* to) {
    if (g.size() > 1) reduce_elements(g, from, to, count, operation_of<T>(what));
    else if (from != to) std::copy(from, from + count, to);
    if (what == collective::mean) divide(to, count, g.size());
  };
  auto const elements = [](core::array_ref const& a) { return reinterpret_cast<T*>(a.data); };
  if (values == 1 && call.operand(0).contiguous() && call.result().data != nullptr)
    return reduce(elements(call.operand(0)), elements(call.result()));

  // One behind the other. A result that nothing reads has no memory.
  thread_local cpu::memory_block memory;
  T* const packed =
      reinterpret_cast<T*>(memory.room((static_cast<std::size_t>(count) + 1) * sizeof(T)));
  auto const place = [&](int k, T*& at) {
    core::array_ref packed_one = call.operand(k);
    packed_one.data = reinterpret_cast<std::byte*>(at);
    packed_one.make_contiguous_strides();
    at += packed_one.size();
    return packed_one;
  };
  T* at = packed;
  for (int k = 0; k < values; ++k) core::copy(place(k, at), call.operand(k));
  reduce(packed, packed);
  at = packed;
  for (int k = 0; k < values; ++k)
    if (core::array_ref const from = place(k, at); call.result(k).data != nullptr)
      core::copy(call.result(k), from);
}

}  // namespace kroton::distributed
