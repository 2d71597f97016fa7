// The memory of a function on a device. Each value has a home, the host or the device, and a copy
// on the other side where a step asks for one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/steps.hpp>
#include <kroton/cuda/call/placement.hpp>
#include <kroton/cuda/call/recording.hpp>
#include <kroton/cuda/memory.hpp>

#include <vector>

namespace kroton::cuda {

template <class Device>
void copy_on(core::array_ref const& to, core::array_ref const& from);
template <class Target, class Value>
class output_slot;

/// Scratch memory of reductions that several blocks share. Each launch uses it anew.
template <class Device>
class reduction_memory {
 public:
  std::byte* partial(std::int64_t bytes) { return partial_.room(static_cast<std::size_t>(bytes)); }
  /// Zeros, and zeros again when a launch has ended.
  unsigned* tickets(std::int64_t count) {
    std::size_t const bytes = static_cast<std::size_t>(count) * sizeof(unsigned);
    if (bytes > tickets_.size()) Device::set_zero(tickets_.room(bytes), bytes);
    return reinterpret_cast<unsigned*>(tickets_.data());
  }

 private:
  memory<Device> partial_, tickets_;
};

/// `value(v)` is where a value is at home; `at(v, side)` is where it is on that side, which may
/// take a transfer, once in a call.
template <class Device>
class device_frame : public cpu::frame {
 public:
  template <class Target, class Value>
  using slot = cuda::output_slot<Target, Value>;

  device_frame(cpu::program_tables const& tables, side const* homes, int free_parameters,
               bool takes_tf32, bool is_deterministic)
      : cpu::frame(tables),
        homes_(homes),
        free_parameters_(free_parameters),
        takes_tf32_(takes_tf32),
        is_deterministic_(is_deterministic),
        copies_(static_cast<std::size_t>(tables.values.size())) {
    for (auto const& u : tables.updates)
      if (u.in_place && homes[u.parameter] == side::device)
        copies_[static_cast<std::size_t>(u.value)].is_awaited = true;
    for (int v = 0; v < tables.values.size(); ++v)
      if (tables.values[v].output >= 0 || tables.values[v].companion >= 0)
        copies_[static_cast<std::size_t>(v)].is_awaited = true;
  }

  /// Whether products of float32 may be computed in TF32.
  bool takes_tf32() const { return takes_tf32_; }
  /// Whether equal calls have to give equal bits.
  bool is_deterministic() const { return is_deterministic_; }
  side home(int v) const { return homes_[v]; }
  reduction_memory<Device>& reductions() { return reductions_; }
  /// Memory of the device for the duration of one step.
  std::byte* device_scratch(std::size_t bytes) { return scratch_.room(bytes); }

  /// A word that kernels set where they refuse an element: 0 until then.
  unsigned* fault_word() {
    may_have_fault_ = true;
    if (fault_.data() == nullptr) Device::set_zero(fault_.room(sizeof(unsigned)), sizeof(unsigned));
    return reinterpret_cast<unsigned*>(fault_.data());
  }
  /// Waits for what has been launched, and returns whether an element was refused.
  bool has_met_fault() {
    unsigned met = 0;
    Device::copy_out(reinterpret_cast<std::byte*>(&met), reinterpret_cast<std::byte*>(fault_word()),
                     sizeof(met));
    if (met != 0) Device::set_zero(fault_.data(), sizeof(unsigned));
    may_have_fault_ = met != 0;
    return met != 0;
  }
  /// Whether steps that may refuse an element let the host look first, which says what is wrong.
  bool is_careful() const { return is_careful_; }
  /// All steps are taken again, so copies count no more: others may lie there by now.
  void be_careful(bool careful) {
    is_careful_ = careful;
    forget_copies();
  }

  /// A parameter of rank 0 that is at home on the host may be given by an array of the device.
  void bind(int p, core::array_ref const& given) {
    if (given.rank == 0 && p >= free_parameters_ && home(p) == side::host) {
      copied& c = copies_[static_cast<std::size_t>(p)];
      core::array_ref host = given;
      host.data = c.host.room(16);
      Device::copy_out(host.data, given.data, static_cast<std::size_t>(given.bytes));
      cpu::frame::bind(p, host);
    } else {
      cpu::frame::bind(p, given);
    }
  }
  /// A band of rows is for the caches of a CPU.
  void part_bands(bool) { cpu::frame::part_bands(false); }

  /// Before the prologue of a call: nothing has a copy yet.
  void begin_call() {
    forget_copies();
    // Nobody has looked where the last call ended early.
    if (std::exchange(may_have_fault_, false)) Device::set_zero(fault_.data(), sizeof(unsigned));
  }
  /// After the extents are known: gives all values of the device their addresses.
  void place_all() {
    bytes_of_arena_ = measure(static_cast<std::size_t>(core::most_bytes));
    place(arena_.room(bytes_of_arena_));
    std::byte* const cells = cells_.room(copies_.size() * bytes_of_cell);
    for (int v = 0; v < tables().values.size(); ++v)
      if (home(v) == side::device && tables().values[v].where == plan::storage::scalar)
        value(v).data = cells + static_cast<std::size_t>(v) * bytes_of_cell;
  }
  /// After outputs have got their memory, too: what the host computes has memory there, from which
  /// it goes to the place that it has on the device.
  void give_host_memory() {
    for (int v = 0; v < tables().values.size(); ++v) {
      plan::value_info const& info = tables().values[v];
      if (home(v) == side::device || info.rank == 0) continue;
      if (info.where != plan::storage::buffer && !is_written_to_device(v)) continue;
      copied& c = copies_[static_cast<std::size_t>(v)];
      core::array_ref& a = value(v);
      if (a.data == c.host.data() && a.data != nullptr) continue;  // as in the last call
      c.place = a;
      a.data = c.host.room(cpu::bytes_that_fit(a) + 1);
      a.make_contiguous_strides();
    }
  }

  /// The steps of one call, which may be recorded.
  typename recorded_calls<Device>::call record() {
    typename recorded_calls<Device>::layout_key extents;
    std::size_t bytes = bytes_of_arena_;
    for (int p = 0; p < tables().parameters.size(); ++p) {
      core::array_ref const& given = value(p);
      extents.insert(extents.end(), given.extents, given.extents + given.rank);
      bytes += static_cast<std::size_t>(given.size() * given.bytes);
    }
    return {calls_, extents, bytes};
  }

  /// A value on one side, after a transfer if it is not there yet.
  core::array_ref const& at(int v, side on) {
    if (home(v) == on) return value(v);
    copied& c = copies_[static_cast<std::size_t>(v)];
    if (!c.is_there) {
      on == side::host ? download(v, c) : upload(v, c);
      c.is_there = true;
    }
    return c.there;
  }
  /// After a step of the host: sends what others than steps will look for on the device.
  void has_computed(int v) {
    if (v >= 0 && home(v) == side::host && copies_[static_cast<std::size_t>(v)].is_awaited)
      at(v, side::device);
  }
  /// A scalar of the device as a value of the host: for extents, which are needed first.
  void bring_home(int v) {
    copied& c = copies_[static_cast<std::size_t>(v)];
    std::byte* const cell = c.host.room(16);
    Device::copy_out(cell, value(v).data, static_cast<std::size_t>(value(v).bytes));
    value(v).data = cell;
  }
  /// Device memory for a value that has no other place.
  std::byte* device_extra(int v, std::size_t bytes) {
    return copies_[static_cast<std::size_t>(v)].device.room(bytes);
  }

  /// While it lives, steps see values where they are on one side.
  class seen_on {
   public:
    seen_on(device_frame& f, side on) : f_(f), side_(on) {}
    seen_on(seen_on const&) = delete;
    seen_on& operator=(seen_on const&) = delete;
    ~seen_on() {
      for (auto const& [v, there] : seen_) f_.value(v) = there;
    }
    void see(int v) {
      if (v < 0 || f_.home(v) == side_) return;
      for (auto const& s : seen_)
        if (s.first == v) return;
      core::array_ref const other = f_.at(v, side_);
      seen_.emplace_back(v, f_.value(v));
      f_.value(v) = other;
    }

   private:
    device_frame& f_;
    side side_;
    std::vector<std::pair<int, core::array_ref>> seen_;
  };

 private:
  static constexpr std::size_t bytes_of_cell = 16;

  // Whether a value lies in the shared variable whose new value it is, and that on the device.
  bool is_written_to_device(int v) const {
    plan::value_info const& info = tables().values[v];
    return info.where == plan::storage::parameter && v >= tables().parameters.size() &&
           home(static_cast<int>(info.detail)) == side::device;
  }

  void forget_copies() {
    for (copied& c : copies_) c.is_there = false;
  }

  struct copied {
    core::array_ref there{};  // the copy
    core::array_ref place{};  // that the plan has for it, if it has one
    bool is_there = false;
    bool is_awaited = false;  // where the plan has a place for it, by others than steps
    cpu::memory_block host;
    memory<Device> device;
  };

  void download(int v, copied& c) {
    core::array_ref const& from = value(v);
    c.there = from;
    c.there.make_contiguous_strides();
    std::size_t const bytes = cpu::bytes_that_fit(from);
    c.there.data = c.host.room(bytes > 0 ? bytes : 1);
    if (bytes == 0) return;
    if (from.contiguous()) return Device::copy_out(c.there.data, from.data, bytes);
    core::array_ref packed = c.there;
    packed.data = device_scratch(bytes);
    copy_on<Device>(packed, from);
    Device::copy_out(c.there.data, packed.data, bytes);
  }
  void upload(int v, copied& c) {
    core::array_ref const& from = value(v);
    std::size_t const bytes = cpu::bytes_that_fit(from);
    c.there = from;
    c.there.make_contiguous_strides();
    if (c.place.data != nullptr) c.there = c.place;
    else c.there.data = c.device.room(bytes);
    if (bytes == 0) return;
    core::array_ref packed = from;
    packed.make_contiguous_strides();
    if (!from.contiguous()) {
      packed.data = scratch(bytes);
      core::copy(packed, from);
    }
    if (c.there.contiguous()) return Device::copy_in(c.there.data, packed.data, bytes);
    core::array_ref staged = packed;
    staged.data = device_scratch(bytes);
    Device::copy_in(staged.data, packed.data, bytes);
    copy_on<Device>(c.there, staged);
  }

  side const* homes_;
  int free_parameters_;
  bool takes_tf32_, is_deterministic_;
  std::vector<copied> copies_;
  memory<Device> arena_, cells_, scratch_, fault_;
  std::size_t bytes_of_arena_ = 0;
  bool is_careful_ = false, may_have_fault_ = false;
  reduction_memory<Device> reductions_;
  recorded_calls<Device> calls_;
};

}  // namespace kroton::cuda
