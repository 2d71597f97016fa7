// Outputs and updates of a function on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/launch.hpp>
#include <kroton/cuda/shared.hpp>

namespace kroton::cuda {

/// One output of a call with values of type Value. It is computed in memory of its own, which the
/// target takes over at the end.
template <class Target, class Value>
class output_slot;
template <class T, int Rank, class Device, class Value>
class output_slot<array<T, Rank, Device>, Value> {
  using array = cuda::array<T, Rank, Device>;

 public:
  void prepare(device_frame<Device>& f, array const&, int v, bool computed_here) {
    computed_here_ = computed_here;
    if (!computed_here) return;
    core::array_ref shape;
    for (int d = 0; d < Rank; ++d) shape.extents[d] = f.extent(f.tables().values[v].extents[d]);
    made_ = array(array::shape_of(shape));
    f.value(v).data = made_.ref().data;
  }
  void finish(device_frame<Device>& f, array& target, int v) {
    if (!computed_here_) made_ = copy_of<array>(f.at(v, side::device));
    std::swap(target, made_);  // further outputs may lie in the old memory
  }

 private:
  array made_;
  bool computed_here_ = false;
};
/// A view of memory that the caller owns, whose extents must match.
template <class T, int Rank, class Device, class Value>
class output_slot<array_view<T, Rank, Device>, Value> {
 public:
  void prepare(device_frame<Device>& f, array_view<T, Rank, Device> const& target, int v,
               bool computed_here) {
    computed_here_ = computed_here;
    core::array_ref const to = target.ref();
    core::array_ref wanted = to;
    bool fits = true;
    if (f.tables().values[v].where == plan::storage::grown) return;
    for (int d = 0; d < Rank; ++d) {
      wanted.extents[d] = f.extent(f.tables().values[v].extents[d]);
      fits = fits && wanted.extents[d] == to.extents[d];
    }
    if (!fits) refuse(to, wanted);
    if (!computed_here) return;
    wanted.make_contiguous_strides();
    f.value(v).data = f.device_extra(v, cpu::bytes_that_fit(wanted));
  }
  void finish(device_frame<Device>& f, array_view<T, Rank, Device>& target, int v) {
    core::array_ref const &from = f.at(v, side::device), to = target.ref();
    for (int d = 0; d < Rank; ++d)
      if (from.extents[d] != to.extents[d]) refuse(to, from);
    copy_on<Device>(to, from);
  }

 private:
  [[noreturn, gnu::cold]] static void refuse(core::array_ref const& to,
                                             core::array_ref const& from) {
    throw shape_error(core::message({"into: a target of shape ", cpu::shape_text(to),
                                     " was passed for a result of shape ", cpu::shape_text(from),
                                     ": only arrays that own their elements are resized"}));
  }
  bool computed_here_ = false;
};
/// A number of the caller, for which the call waits.
template <number T, class Value>
class output_slot<T, Value> {
 public:
  template <class Device>
  void prepare(device_frame<Device>&, T const&, int, bool) {}
  template <class Device>
  void finish(device_frame<Device>& f, T& target, int v) {
    Value value;
    std::memcpy(&value, f.at(v, side::host).data, sizeof(value));
    cpu::store_scalar(target, value);
  }
};

/// A new value of a shared variable, until all of them are known. What stays on the host has none.
template <class Storage>
struct pending_update {};
template <class T, int Rank, class Device>
struct pending_update<array<T, Rank, Device>> {
  array<T, Rank, Device> fresh;
  bool is_stored = false;
};
/// Stores new values. Those that may lie in a shared variable are copied first, into memory that
/// the variable takes over at the end, so that variables can be exchanged, and be views of
/// themselves; the others go into the variable's own memory if they have its extents.
template <class Program, class Device, class... S>
void store_updates(device_frame<Device>& f, std::tuple<S...> const& shared) {
  std::tuple<pending_update<std::remove_cvref_t<decltype(std::declval<S>().storage())>>...> pending;
  auto const each = [&](auto visit) {
    [&]<std::size_t... N>(std::index_sequence<N...>) {
      [[maybe_unused]] auto const one = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
        constexpr plan::planned_update u = Program::updates[I];
        if constexpr (!u.in_place) {
          constexpr auto at = static_cast<std::size_t>(u.parameter - free_parameters<Program>);
          visit(std::integral_constant<int, u.value>{}, std::get<at>(pending),
                std::get<at>(shared).storage());
        }
      };
      (one(std::integral_constant<std::size_t, N>{}), ...);
    }(std::make_index_sequence<Program::updates.size()>{});
  };
  each([&]<int V, class Storage>(std::integral_constant<int, V>, auto& update, Storage& storage) {
    if constexpr (!is_array<Storage>) return cpu::store_update(storage, f.at(V, side::host));
    else {
      core::array_ref const& value = f.at(V, side::device);
      bool const has_place = storage.shape() == storage.shape_of(value);
      if (has_place && !cpu::may_lie_in_parameter(Program::values[static_cast<std::size_t>(V)]))
        return;
      update.fresh = copy_of<Storage>(value);
      update.is_stored = true;
    }
  });
  each([&]<int V, class Storage>(std::integral_constant<int, V>, auto& update, Storage& storage) {
    if constexpr (!is_array<Storage>) return;
    else if (update.is_stored) std::swap(storage, update.fresh);
    else copy_on<Device>(storage.ref(), f.at(V, side::device));
  });
}

}  // namespace kroton::cuda
