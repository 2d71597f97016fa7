// Arrays in a device's memory, and how they come from and go to xtensor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/core/variable.hpp>
#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/cpu/call/memory.hpp>
#include <kroton/cuda/memory.hpp>
#include <kroton/function/target_faults.hpp>

#include <array>
#include <concepts>
#include <memory>
#include <utility>

namespace kroton::cuda {

template <class T, int Rank, class Device>
class array_view;

/// A row-major array without gaps in the memory of a device; copies copy the elements. A value of
/// rank 0 is an array, too: so a call that gives one does not wait for it. Errors of the device are
/// kt::error and name the call that failed. (Theano's GpuArray)
template <class T, int Rank, class Device = gpu>
class array {
  static_assert(core::is_rank<Rank>, "kt::cuda::array: an array has 0 to 8 dimensions");

 public:
  using value_type = T;
  using device_type = Device;
  static constexpr int rank = Rank;
  using shape_type = std::array<std::size_t, static_cast<std::size_t>(Rank)>;
  /// What it is on the host: xt::xtensor<T, Rank>, or T for a scalar.
  using container = cpu::container_t<T, Rank>;

  /// Without elements; of rank 0, nothing yet.
  array() = default;
  /// Of the given extents, elements unset.
  /// kt::shape_error for more of them than an array can have.
  explicit array(shape_type const& shape) : shape_(checked(shape)), memory_(size() * sizeof(T)) {}
  /// From a number, an xtensor container, view or expression, a std::vector, a std::span of this
  /// rank. Elements are converted when no value is lost; the transfer is over on return.
  /// kt::shape_error when a rank known at run time is another.
  template <class Host>
    requires(cpu::xtensor_expression<Host> || cpu::number_range<Host> ||
             (number<Host> && Rank == 0))
  explicit array(Host const& host) : array(cpu::argument<T, Rank, Host>(host).ref(), 0) {}
  array(array const& other) : array(other.shape_) {
    Device::copy_within(data_of(), other.data_of(), memory_.size());
  }
  array(array&& other) noexcept
      : shape_(std::exchange(other.shape_, {})), memory_(std::move(other.memory_)) {}
  array& operator=(array other) noexcept {
    std::swap(shape_, other.shape_);
    std::swap(memory_, other.memory_);
    return *this;
  }

  shape_type const& shape() const { return shape_; }
  std::size_t size() const {
    std::size_t n = 1;
    for (std::size_t extent : shape_) n *= extent;
    return n;
  }
  /// An address of the device.
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }

  /// The elements on the host, or the number; waits for the device.
  container get_value() const {
    container host{};
    if constexpr (Rank > 0) host.resize(shape_);
    auto const to = [&] {
      if constexpr (Rank > 0) return reinterpret_cast<std::byte*>(host.data());
      else return reinterpret_cast<std::byte*>(&host);
    }();
    if (memory_.size() > 0) Device::copy_out(to, memory_.data(), memory_.size());
    return host;
  }
  /// The same, so that `xt::xtensor<double, 1> y = f(x);`, `y = f(x);` and `double c = g(x);` work.
  operator container() const { return get_value(); }

  /// A view of device memory that the caller owns.
  template <std::convertible_to<std::size_t>... Extents>
    requires(sizeof...(Extents) == Rank)
  static array_view<T, Rank, Device> view(T* data, Extents... extents) {
    return {data, {static_cast<std::size_t>(extents)...}};
  }

  /// What the plan's steps see.
  core::array_ref ref() const {
    core::array_ref r;
    r.data = memory_.data();
    r.rank = Rank;
    r.bytes = static_cast<int>(sizeof(T));
    for (int d = 0; d < Rank; ++d)
      r.extents[d] = static_cast<std::ptrdiff_t>(shape_[static_cast<std::size_t>(d)]);
    r.make_contiguous_strides();
    return r;
  }
  /// The extents that a reference of this rank has.
  static shape_type shape_of(core::array_ref const& from) {
    shape_type shape{};
    for (int d = 0; d < Rank; ++d)
      shape[static_cast<std::size_t>(d)] = static_cast<std::size_t>(from.extents[d]);
    return shape;
  }

 private:
  std::byte* data_of() const { return memory_.data(); }
  static shape_type const& checked(shape_type const& shape) {
    core::array_ref r;
    for (int d = 0; d < Rank; ++d)
      r.extents[d] = static_cast<std::ptrdiff_t>(shape[static_cast<std::size_t>(d)]);
    cpu::require_count(r.extents, Rank, static_cast<int>(sizeof(T)));
    return shape;
  }
  // From memory of the host. The second parameter sets it apart from the public constructors.
  array(core::array_ref const& host, int) : array(shape_of(host)) {
    if (size() == 0) return;
    if (host.contiguous()) {
      Device::copy_in_and_wait(memory_.data(), host.data, memory_.size());
    } else if constexpr (Rank > 0) {
      xt::xtensor<T, static_cast<std::size_t>(Rank)> packed(shape_);
      core::copy(cpu::ref_to(packed), host);
      Device::copy_in_and_wait(memory_.data(), cpu::ref_to(packed).data, memory_.size());
    }
  }

  shape_type shape_{};
  memory<Device> memory_;
};

template <class Host>
  requires(cpu::static_rank_of<Host> >= 0)
array(Host const&) -> array<cpu::element_t<Host>, cpu::static_rank_of<Host>>;

/// A view of device memory that the caller owns: `array<float, 2>::view(pointer, n, m)`.
/// An argument is read in place, whatever its strides; a target of `into`, whose elements are not
/// const, must have the result's extents and is written at the end of the call. The memory must
/// outlive the work on it.
template <class T, int Rank, class Device>
class array_view {
 public:
  using value_type = std::remove_const_t<T>;
  using device_type = Device;
  static constexpr int rank = Rank;
  using shape_type = std::array<std::size_t, static_cast<std::size_t>(Rank)>;

  array_view(T* data, shape_type const& shape) : data_(data), shape_(shape) {
    std::ptrdiff_t stride = 1;
    for (int d = Rank - 1; d >= 0; --d) {
      strides_[static_cast<std::size_t>(d)] = stride;
      stride *= static_cast<std::ptrdiff_t>(shape_[static_cast<std::size_t>(d)]);
    }
  }
  /// The same with other strides, in elements, of either sign.
  template <std::convertible_to<std::ptrdiff_t>... S>
    requires(sizeof...(S) == Rank)
  array_view strided(S... strides) const {
    array_view view = *this;
    view.strides_ = {static_cast<std::ptrdiff_t>(strides)...};
    return view;
  }
  shape_type const& shape() const { return shape_; }
  /// An address of the device.
  T* data() const { return data_; }
  core::array_ref ref() const {
    core::array_ref r;
    r.data = reinterpret_cast<std::byte*>(const_cast<value_type*>(data_));
    r.rank = Rank;
    r.bytes = static_cast<int>(sizeof(T));
    for (int d = 0; d < Rank; ++d) {
      r.extents[d] = static_cast<std::ptrdiff_t>(shape_[static_cast<std::size_t>(d)]);
      r.strides[d] = strides_[static_cast<std::size_t>(d)];
    }
    return r;
  }

 private:
  T* data_;
  shape_type shape_;
  std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)> strides_{};
};

template <class A>
inline constexpr bool is_array = false;
template <class T, int Rank, class Device>
inline constexpr bool is_array<array<T, Rank, Device>> = true;
template <class A>
inline constexpr bool is_view = false;
template <class T, int Rank, class Device>
inline constexpr bool is_view<array_view<T, Rank, Device>> = true;
/// Whether A is an array, or a view of one, of the device.
template <class A, class Device>
inline constexpr bool is_array_of = false;
template <class T, int Rank, class Device>
inline constexpr bool is_array_of<array<T, Rank, Device>, Device> = true;
template <class T, int Rank, class Device>
inline constexpr bool is_array_of<array_view<T, Rank, Device>, Device> = true;

}  // namespace kroton::cuda

namespace kroton::cpu {

template <class T, int Rank, class Device>
inline constexpr int rank_of_device_array<cuda::array<T, Rank, Device>> = Rank;
template <class T, int Rank, class Device>
inline constexpr int rank_of_device_array<cuda::array_view<T, Rank, Device>> = Rank;
template <class T, int Rank, class Device>
struct element_of_argument<cuda::array<T, Rank, Device>> {
  using type = T;
};
template <class T, int Rank, class Device>
struct element_of_argument<cuda::array_view<T, Rank, Device>> {
  using type = std::remove_const_t<T>;
};

}  // namespace kroton::cpu

namespace kroton::functions {

template <class T, int Rank, class Device>
inline constexpr bool
    is_device_target<cuda::array_view<T, Rank, Device>, cuda::array<T, Rank, Device>> = true;
// As a target it is refused because it is const.
template <class T, int Rank, class Device>
inline constexpr bool
    is_device_target<cuda::array_view<T const, Rank, Device>, cuda::array<T, Rank, Device>> = true;

}  // namespace kroton::functions
