// Messages: values that ranks reduce together, by MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
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
/// The same, with the number of ranks for a mean.
template <class T>
void reduce_elements(group const& g, T const* from, T* to, std::ptrdiff_t count, collective what) {
  if (g.size() > 1) reduce_elements(g, from, to, count, operation_of<T>(what));
  else if (from != to) std::copy(from, from + count, to);
  if (what == collective::mean) divide(to, count, g.size());
}

/// Reduces them where they are, and leaves the core to others while it waits.
template <class T>
void reduce_calmly(group const& g, T* values, std::ptrdiff_t count, collective what) {
  constexpr std::ptrdiff_t most = std::numeric_limits<int>::max();
  for (std::ptrdiff_t at = 0; at < count; at += most) {
    MPI_Request pending = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, values + at, static_cast<int>(std::min(most, count - at)),
                         datatype<T>(), operation_of<T>(what), g.ranks(), &pending),
          "MPI_Iallreduce");
    patience::wait_calmly(pending);
  }
  if (what == collective::mean) divide(values, count, g.size());
}

/// From how many elements on a value is a message by itself.
template <class T>
inline constexpr std::ptrdiff_t large = (64 << 10) / static_cast<std::ptrdiff_t>(sizeof(T));

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
      return reduce_elements(g, reinterpret_cast<T*>(from().data),
                             reinterpret_cast<T*>(to().data), count_, what);
    reduce_elements(g, memory_, memory_, count_, what);
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

}  // namespace kroton::distributed
