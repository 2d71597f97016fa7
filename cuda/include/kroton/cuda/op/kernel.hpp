// Ops that have a function of their own, on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/products.hpp>

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
  long long attribute(int i) const { return s_.attribute(i); }
  int operands() const { return s_.info.operand_count; }
  device_frame<Device>& frame() const { return f_; }
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

// A kernel<Op> of this folder has `takes<T>`, whether it runs for elements of type T of the first
// operand; `may_fault`, whether it sets the frame's fault word where it refuses an element, which
// the CPU's kernel then finds again and names; `is_ordered`, whether equal calls give equal bits;
// where it reads operands of rank 0, `reads_scalars`; where the host reads the first operand and
// nothing reads the others, `reads_on_host`; and `run<T>(device_call)`.

}  // namespace kroton::cuda
