// Memory of a device, owned.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>

namespace kroton::cuda {

/// The GPU that is current on the calling thread; defined in cuda/gpu.hpp.
class gpu;

/// A block of a device's memory. It is allocated, and freed, in the order of the stream that is
/// current when it is allocated. Errors of the device are kt::error and name the call that failed.
template <class Device>
class memory {
 public:
  memory() = default;
  explicit memory(std::size_t bytes)
      : stream_(Device::current_stream()),
        data_(bytes == 0 ? nullptr : Device::allocate(bytes, stream_)),
        bytes_(bytes) {}
  memory(memory&& other) noexcept
      : stream_(other.stream_),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  memory& operator=(memory&& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~memory() {
    if (data_ != nullptr) Device::release(data_, stream_);
  }
  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  /// Makes room for at least so many bytes; what was there is lost.
  std::byte* room(std::size_t bytes) {
    if (bytes > bytes_) {
      *this = memory();  // frees first
      *this = memory(bytes);
    }
    return data_;
  }

 private:
  typename Device::stream stream_{};
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace kroton::cuda
