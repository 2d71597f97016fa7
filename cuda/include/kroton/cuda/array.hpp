// Contiguous arrays in a device's memory, and how they come from and go to xtensor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/call/containers.hpp>
#include <kroton/cpu/call/memory.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace kroton::cuda {

/// The GPU that is current on the calling thread; defined in cuda/gpu.hpp.
class gpu;

/// Memory of a device, owned.
template <class Device>
class memory {
 public:
  memory() = default;
  explicit memory(std::size_t bytes)
      : data_(bytes == 0 ? nullptr : Device::allocate(bytes)), bytes_(bytes) {}
  memory(memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  memory& operator=(memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~memory() {
    if (data_ != nullptr) Device::release(data_);
  }
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// Makes room for at least so many bytes; what was there is lost.
  void reserve(std::size_t bytes) {
    if (bytes > bytes_) *this = memory(bytes);
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A row-major array without gaps in the memory of a device; copies copy the elements. Rank is at
/// least 1: scalars are plain numbers. Errors of the device are kt::error and name the call that
/// failed. (Theano's GpuArray)
template <class T, int Rank, class Device = gpu>
class array {
  static_assert(Rank > 0 && Rank <= core::max_rank,
                "kt::cuda::array: an array has 1 to 8 dimensions; scalars are plain numbers");

 public:
  using value_type = T;
  using device_type = Device;
  static constexpr int rank = Rank;
  using shape_type = std::array<std::size_t, static_cast<std::size_t>(Rank)>;

  /// Without elements.
  array() = default;
  /// Of the given extents, elements unset.
  /// kt::shape_error for more of them than an array can have.
  explicit array(shape_type const& shape) : shape_(checked(shape)), memory_(size() * sizeof(T)) {}
  /// From an xtensor container, view or expression, a std::vector, a std::span of this rank.
  /// Elements are converted when no value is lost; the transfer is over on return. kt::shape_error
  /// when a rank known at run time is another.
  template <class Host>
    requires(cpu::xtensor_expression<Host> || cpu::number_range<Host>)
  explicit array(Host const& host) : array(cpu::argument<T, Rank, Host>(host).ref(), 0) {}
  array(array const& other) : array(other.shape_) {
    Device::copy_within(memory_.data(), other.memory_.data(), memory_.bytes());
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

  /// The elements on the host; waits for the device.
  xt::xtensor<T, static_cast<std::size_t>(Rank)> get_value() const {
    xt::xtensor<T, static_cast<std::size_t>(Rank)> host(shape_);
    if (size() > 0)
      Device::copy_out(reinterpret_cast<std::byte*>(host.data()), memory_.data(),
                       size() * sizeof(T));
    return host;
  }
  /// The same, so that `xt::xtensor<double, 1> y = f(x);` and `y = f(x);` work.
  operator xt::xtensor<T, static_cast<std::size_t>(Rank)>() const { return get_value(); }

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
    xt::xtensor<T, static_cast<std::size_t>(Rank)> packed;
    core::array_ref from = host;
    if (!host.contiguous()) {
      packed.resize(shape_);
      from = cpu::ref_to(packed);
      core::copy(from, host);
    }
    Device::copy_in(memory_.data(), from.data, memory_.bytes());
  }

  shape_type shape_{};
  memory<Device> memory_;
};

template <class Host>
  requires(cpu::static_rank_of<Host> > 0)
array(Host const&) -> array<cpu::element_t<Host>, cpu::static_rank_of<Host>>;

template <class A>
inline constexpr bool is_array = false;
template <class T, int Rank, class Device>
inline constexpr bool is_array<array<T, Rank, Device>> = true;
template <class A, class Device>
inline constexpr bool is_array_of = false;
template <class T, int Rank, class Device>
inline constexpr bool is_array_of<array<T, Rank, Device>, Device> = true;

}  // namespace kroton::cuda

namespace kroton::cpu {

template <class T, int Rank, class Device>
inline constexpr int rank_of_device_array<cuda::array<T, Rank, Device>> = Rank;
template <class T, int Rank, class Device>
struct element_of_argument<cuda::array<T, Rank, Device>> {
  using type = T;
};

}  // namespace kroton::cpu
