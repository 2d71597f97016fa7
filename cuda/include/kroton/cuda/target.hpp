// A device as the target of kt::function: the plan is that of the CPU, and so is the order of its
// steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/loops.hpp>
#include <kroton/cuda/call/outputs.hpp>
#include <kroton/cuda/call/transfers.hpp>
#include <kroton/function/mode.hpp>
#include <kroton/function/streams.hpp>

namespace kroton::cuda {

/// An argument on its way to where its parameter is: arrays of the device are used in place, others
/// are transferred; numbers are wanted on the host.
template <class T, int Rank, class Device, class A>
class device_argument {
 public:
  explicit device_argument(A const& a) : held_(a) {}
  core::array_ref ref() const { return held_.ref(); }

 private:
  std::conditional_t<is_array_of<A, Device>, A const&, array<T, Rank, Device>> held_;
};
template <class T, class Device, class A>
  requires is_array_of<A, Device>
class device_argument<T, 0, Device, A> {
 public:
  explicit device_argument(A const& a) {
    Device::copy_out(reinterpret_cast<std::byte*>(&value_), a.ref().data, sizeof(value_));
  }
  core::array_ref ref() const {
    core::array_ref r;
    r.data = reinterpret_cast<std::byte*>(const_cast<T*>(&value_));
    r.bytes = static_cast<int>(sizeof(T));
    return r;
  }

 private:
  T value_{};
};

/// The frame of a program.
template <class Device, class Program>
struct program_frame : device_frame<Device> {
  program_frame()
      : device_frame<Device>(cpu::tables_storage<Program>, placement_of<Program>.values.data(),
                             free_parameters<Program>,
                             mode_facts<Program>::mode_type::has(device_option::tf32),
                             mode_facts<Program>::mode_type::has(device_option::deterministic)) {}
};

/// A mode on a device: `kt::function(f, kt::cuda::mode_on<kt::cuda::gpu>{})`. `OnHost`: which of
/// the variables that a function is bound to stay on the host; without them, none.
template <class Device, class Mode = std::remove_const_t<decltype(mode::fast_run)>, bool... OnHost>
struct mode_on;

/// The state of a stream of random numbers is small, and its owner reads it.
template <class S>
inline constexpr bool stays_on_host = std::is_same_v<S, functions::stream_words>;
template <class S, class Device>
inline constexpr bool is_shared_on = stays_on_host<S>;
template <class T, int Rank, class Device>
inline constexpr bool is_shared_on<shared<T, Rank, Device>, Device> = true;

/// A device, kt::cuda::gpu or kt::cuda::emulated, as a mode's target.
template <class Device>
struct target {
  static constexpr bool is_host = false;
  template <class T, int Rank>
  using container = array<T, Rank, Device>;
  template <class T, int Rank, class A>
  using argument =
      std::conditional_t<Rank == 0 && !is_array_of<A, Device>, cpu::argument<T, Rank, A>,
                         device_argument<T, Rank, Device, A>>;
  template <class A>
  static constexpr bool has_array = is_array_of<A, Device>;
  template <class Program>
  using frame = program_frame<Device, Program>;
  template <class Mode, class... S>
  using mode_for =
      std::conditional_t<(stays_on_host<S> || ...),
                         mode_on<Device, typename Mode::on_host, stays_on_host<S>...>, Mode>;
  template <class Program>
  static constexpr bool takes_program() {
    return allows_transfers<Program>();
  }
  /// For prints: where a step runs, and what a call moves.
  template <class Program>
  static std::string_view place_of_step(int number) {
    bool const is_view = core::is_view(Program::steps[static_cast<std::size_t>(number)].kind);
    side const on = placement_of<Program>.steps[static_cast<std::size_t>(number)];
    return is_view ? "" : on == side::device ? " @device" : " @host";
  }
  template <class Program>
  static std::string note() {
    constexpr transfer_counts count = transfers_of<Program>;
    return core::message(
        {"transfers: ", count.to_host, " to the host, ", count.to_device, " to the device"});
  }
  template <class... S>
  static constexpr bool takes_shared() {
    constexpr bool are_here = (is_shared_on<S, Device> && ...);
    static_assert(are_here,
                  "kt::cuda::function: a shared variable is not on the device; it needs a "
                  "kt::cuda::shared in place of kt::shared");
    return are_here;
  }
};

template <class Device, class Mode, bool... OnHost>
struct mode_on : Mode {
  static_assert(Mode::run == execution::compiled,
                "kt::cuda::function: this mode needs the CPU, kt::function");
  using kroton_mode = mode_on;
  using on_host = Mode;
  using target = cuda::target<Device>;
  static constexpr bool keeps_on_host(int shared) {
    bool const kept[] = {OnHost..., false};
    return shared < static_cast<int>(sizeof...(OnHost)) && kept[shared];
  }
};

// What cpu::run_program does in another way for a frame and for arrays of a device; found by
// argument-dependent lookup.

/// Records the steps of a call and its stores, unless somebody looks at each.
template <class Device, class Observer>
auto record(device_frame<Device>& f, Observer const&) {
  if constexpr (Device::records && std::is_same_v<Observer, cpu::no_observer>) return f.record();
  else return cpu::unrecorded{};
}
/// Moves a value that lies in another array to memory of its own. (cpu::set_aside)
template <class Device>
void set_aside(device_frame<Device>& f, int v) {
  core::array_ref& value = f.value(v);
  core::array_ref aside = value;
  aside.make_contiguous_strides();
  aside.data = f.device_extra(v, cpu::bytes_that_fit(value));
  copy_on<Device>(aside, value);
  value = aside;
}
/// Lets values that are updated in place lie in their shared variables. A parameter that lies there
/// too is copied aside first: it keeps its old value.
template <class Device>
void place_updates(device_frame<Device>& f) {
  for (auto const& u : f.tables().updates) {
    if (!u.in_place) continue;
    cpu::memory_range const updated = cpu::range_of(f.value(u.parameter));
    f.value(u.value).data = f.value(u.parameter).data;
    for (int p = 0; p < f.tables().parameters.size(); ++p) {
      core::array_ref const& other = f.value(p);
      if (p == u.parameter || f.home(p) != f.home(u.parameter) || f.home(p) == side::host ||
          !updated.meets(cpu::range_of(other)))
        continue;
      set_aside(f, p);
    }
  }
}
/// Arrays take new memory, so that no result is lost by another; only views are written where they
/// are. Results that lie there, in an argument or a shared variable, are copied aside.
template <class Device, class Targets>
void keep_from_targets(device_frame<Device>& f, plan::items<int> outputs, Targets const& targets) {
  auto const meets = [&](cpu::memory_range const& value) {
    return std::apply(
        [&](auto const&... target) {
          [[maybe_unused]] auto const one = [&](auto const& t) {
            if constexpr (is_view<std::remove_cvref_t<decltype(t)>>)
              return value.meets(cpu::range_of(t.ref()));
            else return false;
          };
          return (one(target) || ...);
        },
        targets);
  };
  auto const keep = [&](int v) {
    core::array_ref const& value = f.value(v);
    if (f.home(v) == side::host || !cpu::may_lie_in_parameter(f.tables().values[v]) ||
        !meets(cpu::range_of(value)))
      return;
    set_aside(f, v);
  };
  for (int v : outputs) keep(v);
  for (auto const& u : f.tables().updates)
    if (!u.in_place) keep(u.value);
}
/// Two targets that are arrays are told apart by where they stand; views, by their elements.
template <class Target>
  requires(is_array<Target> || is_view<Target>)
cpu::memory_range spanned_range(Target& target) {
  if constexpr (is_view<Target>) {
    return cpu::range_of(target.ref());
  } else {
    auto const* const at = reinterpret_cast<std::byte const*>(&target);
    return {at, at + sizeof(target)};
  }
}

}  // namespace kroton::cuda
