// Ops that have a function of their own, on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/products.hpp>

#include <array>
#include <vector>

namespace kroton::cuda {

/// The operands and results of a step whose op has a function of its own, where the device has
/// them. (core::invocation)
template <class Device>
class device_call {
 public:
  explicit device_call(cpu::step_view const& s)
      : s_(s), f_(static_cast<device_frame<Device>&>(s.f)) {}

  core::array_ref const& operand(int k) const { return f_.at(s_.operand(k), side::device); }
  /// An operand that the host reads.
  core::array_ref const& on_host(int k) const { return f_.at(s_.operand(k), side::host); }
  core::array_ref const& result(int k = 0) const { return f_.value(s_.result(k)); }
  /// Whether a step or the caller reads a result; others have no memory.
  bool is_read(int k) const { return s_.result(k) >= 0 && result(k).data != nullptr; }
  long long attribute(int i) const { return s_.attribute(i); }
  /// An operand that is an integer of the host: an extent, or another fact of the shapes.
  std::ptrdiff_t integer(int k) const {
    return static_cast<std::ptrdiff_t>(
        *reinterpret_cast<std::int64_t const*>(f_.at(s_.operand(k), side::host).data));
  }
  int operands() const { return s_.info.operand_count; }
  device_frame<Device>& frame() const { return f_; }
  /// Device memory that outlives the step's scratch: until the step runs again.
  std::byte* extra(std::size_t bytes) const { return f_.device_extra(s_.result(0), bytes); }
  /// The same for geometry, which reads no element: operands that are arrays where the device has
  /// them.
  core::invocation geometry() {
    arrays_.resize(static_cast<std::size_t>(operands() + s_.info.result_count));
    core::invocation const call = s_.call(arrays_.data());
    for (int k = 0; k < operands(); ++k)
      if (arrays_[static_cast<std::size_t>(k)].rank > 0)
        arrays_[static_cast<std::size_t>(k)] = operand(k);
    return call;
  }

 private:
  cpu::step_view s_;
  device_frame<Device>& f_;
  std::vector<core::array_ref> arrays_;
};

/// Parts of the memory of a step, of so many bytes each.
template <class Device, std::size_t Count>
std::array<std::byte*, Count> scratch_parts(device_frame<Device>& f,
                                            std::array<std::size_t, Count> const& bytes) {
  constexpr std::size_t line = 256;
  std::array<std::size_t, Count> offsets{};
  std::size_t all = 0;
  for (std::size_t k = 0; k < Count; ++k) {
    offsets[k] = all;
    all += (bytes[k] + line - 1) / line * line;
  }
  std::byte* const memory = f.device_scratch(all);
  std::array<std::byte*, Count> parts{};
  for (std::size_t k = 0; k < Count; ++k) parts[k] = memory + offsets[k];
  return parts;
}

/// The bytes that an array takes when it is packed; none where it is already.
inline std::size_t bytes_to_pack(core::array_ref const& a) {
  return a.contiguous() ? 0 : static_cast<std::size_t>(a.size() * a.bytes);
}
/// Where an array's elements lie in row-major order: in the array, or in a copy in `memory`.
template <class Device>
std::byte* packed_on(core::array_ref const& a, std::byte* memory) {
  if (a.contiguous()) return a.data;
  core::array_ref copy = a;
  copy.make_contiguous_strides();
  copy.data = memory;
  copy_on<Device>(copy, a);
  return memory;
}

/// What a kernel<Op> of this folder says of itself; each has `run<T>(device_call)`, too.
struct device_kernel {
  /// Whether it runs for elements of this type, that of the first operand.
  template <class T>
  static constexpr bool takes = true;
  /// Whether it sets the frame's fault word where it refuses an element, which the CPU's kernel
  /// then finds again and names.
  static constexpr bool may_fault = false;
  /// Whether equal calls give equal bits.
  static constexpr bool is_ordered = true;
  static constexpr read_operands reads = read_operands::arrays;
};

}  // namespace kroton::cuda
