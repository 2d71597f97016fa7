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
#include <utility>
#include <vector>

namespace kroton::distributed {

/// MPI's name of an element type.
template <class T>
MPI_Datatype datatype() {
  constexpr element e = core::element_of<T>();
  static_assert(!core::is_short_float<T>);  // ops compute with these as float
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
    T const divisor = core::converted<T>(by);
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

/// Values that are reduced together, one behind the other, or one where it is.
template <class T>
class message {
 public:
  /// A result that nothing reads has no memory.
  void add(core::array_ref const& from, core::array_ref const& to) {
    parts_.push_back({from, to});
    count_ += from.size();
  }
  /// How many elements have to be copied before and after.
  std::ptrdiff_t copied() const {
    return parts_.size() == 1 && from().contiguous() && to().data != nullptr ? 0 : count_;
  }
  /// Copies them to memory that has room for them.
  void pack(T* memory) {
    memory_ = memory;
    each([](core::array_ref const& place, part const& p) { core::copy(place, p.from); });
  }
  void reduce(group const& g, collective what) const {
    if (memory_ == nullptr)
      return reduce(g, what, reinterpret_cast<T*>(from().data), reinterpret_cast<T*>(to().data));
    reduce(g, what, memory_, memory_);
    each([](core::array_ref const& place, part const& p) {
      if (p.to.data != nullptr) core::copy(p.to, place);
    });
  }

 private:
  struct part {
    core::array_ref from, to;
  };
  core::array_ref const& from() const { return parts_.front().from; }
  core::array_ref const& to() const { return parts_.front().to; }
  void reduce(group const& g, collective what, T const* from, T* to) const {
    if (g.size() > 1) reduce_elements(g, from, to, count_, operation_of<T>(what));
    else if (from != to) std::copy(from, from + count_, to);
    if (what == collective::mean) divide(to, count_, g.size());
  }
  template <class Visit>
  void each(Visit visit) const {
    T* at = memory_;
    for (part const& p : parts_) {
      core::array_ref place = p.from;
      place.data = reinterpret_cast<std::byte*>(at);
      place.make_contiguous_strides();
      visit(place, p);
      at += place.size();
    }
  }

  std::vector<part> parts_;
  std::ptrdiff_t count_ = 0;
  T* memory_ = nullptr;
};

/// The messages for the operands of a call: small ones together, so that latency counts once; large
/// ones by themselves. Which are large depends on extents alone, in which ranks agree.
template <class T>
std::vector<message<T>> messages_of(core::invocation const& call, int values) {
  constexpr std::ptrdiff_t large = (64 << 10) / static_cast<std::ptrdiff_t>(sizeof(T));
  std::vector<message<T>> all;
  message<T> small;
  bool has_small = false;
  for (int k = 0; k < values; ++k) {
    bool const is_large = call.operand(k).size() >= large;
    has_small = has_small || !is_large;
    message<T>& to = is_large ? all.emplace_back() : small;
    to.add(call.operand(k), call.result(k));
  }
  if (has_small) all.push_back(std::move(small));
  return all;
}

/// Reduces the operands of a call over the ranks. Attributes: what, and the number of the op in its
/// function. What may fail on one rank comes before the ranks agree.
template <class T>
void reduce_operands(core::invocation const& call, int values) {
  group& g = all_groups::current();
  auto const what = static_cast<collective>(call.attribute(0));
  request const mine = request_of(call, what, core::element_of<T>(), call.attribute(1), values);
  std::vector<message<T>> messages = messages_of<T>(call, values);
  std::size_t copied = 0;
  for (message<T> const& m : messages) copied += static_cast<std::size_t>(m.copied());
  thread_local cpu::memory_block memory;
  T* at = reinterpret_cast<T*>(memory.room(copied * sizeof(T)));
  for (message<T>& m : messages) {
    if (m.copied() == 0) continue;
    m.pack(at);
    at += m.copied();
  }
  if (g.size() > 1) g.agree(mine);
  for (message<T> const& m : messages) m.reduce(g, what);
}

}  // namespace kroton::distributed
