// kt::all_reduce of values that a device has: by NCCL, in the stream of the call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/nccl/device_ranks.hpp>
#include <kroton/cuda/nccl/ordered.hpp>
#include <kroton/cuda/op/kernel.hpp>
#include <kroton/distributed/ops.hpp>

#if KROTON_NCCL
#include <cstddef>
#include <vector>

namespace kroton::cuda {

/// The operands of a call, reduced by one request.
template <class T, class Device>
class device_reduction {
  using collective = distributed::collective;
  static constexpr bool is_number = std::is_floating_point_v<T>;

 public:
  device_reduction(device_call<Device>& call, int values)
      : call_(call), what_(static_cast<collective>(call.attribute(0))), parts_(count_of(values)) {}

  void run() {
    distributed::group& g = distributed::all_groups::current();
    if (g.size() == 1) return copy_all();
    device_ranks& ranks = device_ranks::of(g);
    ranks.stay_on_device<Device>();
    distributed::request mine(what_, core::element_of<T>(), call_.attribute(1), size(),
                              distributed::way::nccl);
    for (int k = 0; k < size(); ++k) mine.add(k, call_.operand(k));
    // What may fail on one rank comes before the ranks agree.
    find_places();
    prepare();
    if constexpr (Device::records) recorded_calls<Device>::interrupt();
    distributed::early::get().finish([](int, core::array_ref const&) {});
    g.agree(mine);
    std::vector<device_message> const messages = all_messages();
    if (!messages.empty())
      ranks.reduce<Device>(messages, is_ordered() ? type_of_keys() : nccl_element<T>::type(), op());
    take();
  }

 private:
  struct part {
    std::byte* from = nullptr;  // packed, or keys
    std::byte* to = nullptr;    // without gaps, and not where nobody reads it
    std::size_t copy = 0, result = 0;
    bool is_copied = false, has_own_place = false;
  };
  static std::size_t count_of(int values) { return static_cast<std::size_t>(values); }
  int size() const { return static_cast<int>(parts_.size()); }
  part& at(int k) { return parts_[static_cast<std::size_t>(k)]; }
  bool is_largest() const { return what_ == collective::max; }
  bool is_ordered() const {
    return is_number && (what_ == collective::max || what_ == collective::min);
  }
  static ncclDataType_t type_of_keys() { return sizeof(T) == 4 ? ncclInt32 : ncclInt64; }
  ncclRedOp_t op() const {
    switch (what_) {
      case collective::mean: return ncclAvg;
      case collective::max: return ncclMax;
      case collective::min: return ncclMin;
      default: return ncclSum;
    }
  }

  void copy_all() {
    for (int k = 0; k < size(); ++k)
      if (call_.is_read(k)) copy_on<Device>(call_.result(k), call_.operand(k));
  }
  void find_places() {
    constexpr std::size_t line = 256;
    std::size_t bytes = 0;
    auto const room = [&](core::array_ref const& a) {
      std::size_t const begin = bytes;
      bytes += (static_cast<std::size_t>(a.size() * a.bytes) + line - 1) / line * line;
      return begin;
    };
    for (int k = 0; k < size(); ++k) {
      core::array_ref const& x = call_.operand(k);
      part& p = at(k);
      p.is_copied = is_ordered() || !x.contiguous();
      p.has_own_place = is_ordered() || !call_.is_read(k) || !call_.result(k).contiguous();
      if (p.is_copied) p.copy = room(x);
      if (p.has_own_place) p.result = room(x);
    }
    std::byte* const memory = call_.frame().device_scratch(bytes);
    for (int k = 0; k < size(); ++k) {
      part& p = at(k);
      p.from = p.is_copied ? memory + p.copy : call_.operand(k).data;
      p.to = p.has_own_place ? memory + p.result : call_.result(k).data;
    }
  }
  // Keys are made of packed elements, which lie where the result will.
  void prepare() {
    for (int k = 0; k < size(); ++k) {
      part const& p = at(k);
      core::array_ref const& x = call_.operand(k);
      if (x.size() == 0) continue;
      if (!is_ordered()) packed_on<Device>(x, p.from);
      else if constexpr (is_number) {
        std::byte* const packed = packed_on<Device>(x, p.to);
        if (is_largest()) convert<to_ordered_thread<T, true>>(packed, p.from, x.size());
        else convert<to_ordered_thread<T, false>>(packed, p.from, x.size());
      }
    }
  }
  std::vector<device_message> all_messages() {
    std::vector<device_message> all;
    for (int k = 0; k < size(); ++k) {
      std::ptrdiff_t const n = call_.operand(k).size() * nccl_element<T>::count;
      if (n > 0) all.push_back({at(k).from, at(k).to, static_cast<std::size_t>(n)});
    }
    return all;
  }
  void take() {
    for (int k = 0; k < size(); ++k) {
      part const& p = at(k);
      if (!call_.is_read(k) || !p.has_own_place || call_.operand(k).size() == 0) continue;
      core::array_ref const& out = call_.result(k);
      core::array_ref packed = out;
      packed.make_contiguous_strides();
      packed.data = p.to;
      if constexpr (is_number) {
        if (is_ordered()) {
          packed.data = p.from;  // of which nothing is left to send
          if (is_largest()) convert<from_ordered_thread<T, true>>(p.to, p.from, out.size());
          else convert<from_ordered_thread<T, false>>(p.to, p.from, out.size());
        }
      }
      copy_on<Device>(out, packed);
    }
  }
  template <class Thread>
  static void convert(std::byte* from, std::byte* to, std::ptrdiff_t count) {
    typename Thread::arguments a;
    a.from = reinterpret_cast<decltype(a.from)>(from);
    a.to = reinterpret_cast<decltype(a.to)>(to);
    a.count = count;
    Device::template launch<Thread>(a);
  }

  device_call<Device>& call_;
  collective what_;
  std::vector<part> parts_;
};

/// What the ops have in common.
struct exchange_kernel : device_kernel {
  template <class T>
  static constexpr bool takes = nccl_element<T>::is_known;
  static constexpr read_operands reads = read_operands::all_but_last;
};
template <>
struct kernel<distributed::all_reduction> : exchange_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    device_reduction<T, Device>(call, 1).run();
  }
};
template <std::size_t Values>
struct kernel<distributed::bucket<Values>> : exchange_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    device_reduction<T, Device>(call, static_cast<int>(Values)).run();
  }
};
/// All values of a bucket are reduced by one launch: nothing is begun before.
template <>
struct kernel<distributed::early_reduction> : exchange_kernel {
  static constexpr read_operands reads = read_operands::arrays;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    if (call.is_read(0)) Device::set_zero(call.result().data, sizeof(std::int64_t));
  }
};

template <>
struct kernel<distributed::is_first_rank> : exchange_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    distributed::group& g = distributed::all_groups::current();
    core::array_ref const &x = call.operand(0), &y = call.operand(1);
    auto const n = static_cast<std::size_t>(x.size());
    auto const [first, packed_x, packed_y, own] = scratch_parts(
        call.frame(), std::array{n * sizeof(std::int32_t), bytes_to_pack(x), bytes_to_pack(y), n});
    if (n > 0)
      Device::template launch<claim_thread<T>>(
          {reinterpret_cast<T const*>(packed_on<Device>(x, packed_x)),
           reinterpret_cast<T const*>(packed_on<Device>(y, packed_y)),
           reinterpret_cast<std::int32_t*>(first), g.rank(), g.size(), x.size()});
    if (g.size() > 1) {
      device_ranks& ranks = device_ranks::of(g);
      ranks.stay_on_device<Device>();
      distributed::request mine(distributed::collective::first_rank, core::element_of<T>(),
                                call.attribute(0), 1, distributed::way::nccl);
      mine.add(0, x);
      if constexpr (Device::records) recorded_calls<Device>::interrupt();
      distributed::early::get().finish([](int, core::array_ref const&) {});
      g.agree(mine);
      if (n > 0) ranks.reduce<Device>({{first, first, n}}, ncclInt32, ncclMin);
    }
    if (!call.is_read(0) || n == 0) return;
    core::array_ref const& out = call.result();
    core::array_ref marks = out;
    marks.make_contiguous_strides();
    marks.data = own;
    Device::template launch<claimed_thread>({reinterpret_cast<std::int32_t const*>(first),
                                             reinterpret_cast<bool*>(own), g.rank(), x.size()});
    copy_on<Device>(out, marks);
  }
};

}  // namespace kroton::cuda
#endif
