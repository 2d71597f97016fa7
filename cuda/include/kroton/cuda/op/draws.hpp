// Uniform and normal numbers of Philox on a device. The state of a stream is read on the host, and
// travels with the launch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/random.hpp>
#include <kroton/cuda/kernel/draws.hpp>
#include <kroton/cuda/op/kernel.hpp>

namespace kroton::cuda {

template <ops::distribution D>
  requires op::draw<ops::generator::philox, D>::generates
struct kernel<op::draw<ops::generator::philox, D>> : device_kernel {
  static constexpr read_operands reads = read_operands::first_on_host;

  template <class, class Device>
  static void run(device_call<Device>& call) {
    using attributes = ops::draw_attributes;
    math::philox_place const place =
        cpu::place_of(call.on_host(0), call.attribute(attributes::steps));
    if (static_cast<element>(call.attribute(attributes::element)) == element::float32)
      launch<float, Device>(place, call.result());
    else launch<double, Device>(place, call.result());
  }

 private:
  template <class T, class Device>
  static void launch(math::philox_place const& place, core::array_ref const& out) {
    using thread =
        std::conditional_t<D == ops::distribution::normal, normal_thread<T>, uniform_thread<T>>;
    typename thread::arguments a;
    a.place = place;
    a.to = reinterpret_cast<T*>(out.data);
    a.elements = out.size();
    a.count = thread::count_for(a.elements);
    if (a.count > 0) Device::template launch<thread>(a);
  }
};

}  // namespace kroton::cuda
