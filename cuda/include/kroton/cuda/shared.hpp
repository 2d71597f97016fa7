// Shared variables on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/array.hpp>
#include <kroton/function/default_update.hpp>
#include <kroton/function/values.hpp>

#include <memory>

namespace kroton::cuda {

/// A variable on a device that keeps its value between calls and is an implicit argument of the
/// functions it is bound to: what kt::shared is on the CPU. Copies refer to the same value. It must
/// not be read and updated by several threads, or in several streams, at the same time.
template <class T, int Rank = -1, class Device = gpu>
class shared {
  static_assert(core::is_rank<Rank>, "kt::cuda::shared<T, Rank>: a rank of 0 to 8 is missing");

 public:
  using value_type = T;
  using device_type = Device;
  static constexpr int rank = Rank;
  using array = cuda::array<T, Rank, Device>;

  /// From a number, an xtensor container, view or expression of this rank, whose elements are
  /// converted, or from an array of the device, which is copied.
  template <class V>
    requires(!std::derived_from<V, shared> && !cpu::is_tuple<V>)  // so that tuples of them convert
  explicit shared(V const& value) : value_(std::make_shared<array>(on_device(value))) {}

  /// A copy of the value on the host; waits for the device.
  typename array::container get_value() const { return value_->get_value(); }
  /// Replaces the value; its extents may change.
  template <class V>
  void set_value(V const& value) {
    *value_ = on_device(value);
  }
  /// The extents of the value.
  typename array::shape_type shape() const { return value_->shape(); }
  /// The value itself, on the device.
  array& storage() const { return *value_; }

 private:
  template <class V>
  static array on_device(V const& value) {
    if constexpr (std::same_as<V, array>) return value;
    else return array(cpu::to_container<T, Rank>(value));
  }
  std::shared_ptr<array> value_;
};

/// The variables of the members of a struct.
template <class Device>
struct shared_on {
  template <class P>
  struct variable {
    using type = shared<P, -1, Device>;
  };
  template <typed P>
  struct variable<P> {
    using type = shared<value_type_of<P>, rank_of<P>, Device>;
  };
};
/// Variables on a device for all members of a struct: `kt::cuda::shared<layer> weights(W_0, b_0);`,
/// what `kt::shared<layer>` is on the CPU.
template <structured S, class Device>
class shared<S, -1, Device>
    : public functions::shared_members<S, shared_on<Device>::template variable> {
 public:
  using device_type = Device;
  using functions::shared_members<S, shared_on<Device>::template variable>::shared_members;
};

template <class V>
  requires(cpu::static_rank_of<V> >= 0 && cpu::rank_of_device_array<V> < 0)
shared(V const&) -> shared<cpu::element_t<V>, cpu::static_rank_of<V>>;
template <class T, int Rank, class Device>
shared(array<T, Rank, Device> const&) -> shared<T, Rank, Device>;

/// What a call binds to the variable's parameter.
template <class T, int Rank, class Device>
core::array_ref shared_ref(shared<T, Rank, Device> const& s) {
  return s.storage().ref();
}

}  // namespace kroton::cuda

namespace kroton::functions {

template <class T, int Rank, class Device>
inline constexpr bool is_shared<cuda::shared<T, Rank, Device>> = true;
template <structured P, class Device>
inline constexpr bool binds<P, cuda::shared<P, -1, Device>> = true;
template <typed P, class T, int Rank, class Device>
inline constexpr bool binds<P, cuda::shared<T, Rank, Device>> =
    std::same_as<value_type_of<P>, T> && rank_of<P> == Rank;
template <class T, int Rank, class Device>
  requires(Rank >= 0)
struct parameter_of_shared<cuda::shared<T, Rank, Device>>
    : std::type_identity<variable<T, Rank>> {};
template <class P, class Device>
struct parameter_of_shared<cuda::shared<P, -1, Device>> : std::type_identity<P> {};

}  // namespace kroton::functions
