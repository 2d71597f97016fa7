// Outputs: targets of the right extents, and values that are moved aside.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/cpu/call/arrays/overlap.hpp>
#include <kroton/cpu/call/direct/scalars.hpp>
#include <kroton/cpu/call/frame.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/pages.hpp>

#include <algorithm>
#include <concepts>
#include <string>
#include <vector>

namespace kroton::cpu {

inline bool meets_parameters(frame& f, memory_range const& to) {
  for (int p = 0; p < f.tables().parameters.size(); ++p)
    if (to.meets(range_of(f.value(p)))) return true;
  return false;
}

/// Whether a value may be computed where a target lies: no parameter does, or only one whose
/// elements it may overwrite. Who watches the steps may stop them by an error, which leaves the
/// parameters as they were. (numpy.ufunc's out, JAX's donated arguments)
inline bool may_compute_in(frame& f, int v, array_ref const& to) {
  plan::overwritten_parameters const overwrites(f.tables().values[v].detail);
  memory_range const range = range_of(to);
  for (int p = 0; p < f.tables().parameters.size(); ++p) {
    array_ref const& given = f.value(p);
    if (range.meets(range_of(given)) &&
        !(overwrites.gives(p) && lie_alike(given, to) && f.observer() == nullptr))
      return false;
  }
  return true;
}

/// Whether a value may lie in an argument or a shared variable. All others are in the frame, or in
/// a target.
constexpr bool may_lie_in_parameter(value_info const& v) {
  return v.where == storage::parameter || v.where == storage::view;
}

template <class Shape>
inline constexpr bool is_fixed_shape = false;
template <std::size_t... N>
inline constexpr bool is_fixed_shape<xt::fixed_shape<N...>> = true;
/// What xt::adapt gives: a view of memory that has other owners, whatever can be called on it.
template <class Target>
inline constexpr bool is_adaptor = false;
template <class C, xt::layout_type L, class S, class Tag>
inline constexpr bool is_adaptor<xt::xarray_adaptor<C, L, S, Tag>> = true;
template <class C, std::size_t N, xt::layout_type L, class Tag>
inline constexpr bool is_adaptor<xt::xtensor_adaptor<C, N, L, Tag>> = true;
template <class Target>
concept resizable = requires(Target& target) {
  target.resize(std::vector<std::size_t>{});
  requires !is_fixed_shape<typename Target::shape_type>;
  requires !is_adaptor<Target>;
};

/// Resizes a container. Where there is not enough memory it is left without elements.
template <class Target>
void resize_target(Target& target, array_ref const& like) {
  (void)bytes_that_fit(like);
  try {
    target.resize(std::vector<std::size_t>(like.extents, like.extents + like.rank));
  } catch (std::bad_alloc const&) {
    target.resize(std::vector<std::size_t>(static_cast<std::size_t>(like.rank)));
    refuse_memory(bytes_that_fit(like));
  }
  if constexpr (requires { { target.data() } -> std::convertible_to<void*>; })
    ask_for_large_pages(target.data(), target.size() * sizeof(*target.data()));
}

/// Gives a target the extents of a value: owning containers are resized, views must have them.
template <class Target>
void shape_target(Target& target, std::ptrdiff_t const* extents, std::size_t rank) {
  array_ref given, wanted;
  given.rank = static_cast<int>(target.dimension());
  wanted.rank = static_cast<int>(rank);
  bool fits = given.rank == wanted.rank;
  for (int d = 0; d < given.rank && d < max_rank; ++d)
    given.extents[d] = static_cast<std::ptrdiff_t>(target.shape()[static_cast<std::size_t>(d)]);
  for (int d = 0; d < wanted.rank; ++d) {
    wanted.extents[d] = extents[d];
    fits = fits && given.extents[d] == wanted.extents[d];
  }
  if (fits) return;
  if constexpr (resizable<Target>) {
    wanted.bytes = static_cast<int>(sizeof(typename Target::value_type));
    resize_target(target, wanted);
  } else {
    throw shape_error(
        message({"into: a target of shape ", shape_text(given),
                 " was passed for a result of shape ",
                 shape_text(wanted), ": only containers that own their elements are resized"}));
  }
}

/// Copies the elements of an array to a target of the same extents.
template <class Target, class Value>
void assign_elements(Target& target, Value const& value) {
  if constexpr (is_row_major<Target>())
    std::copy(value.begin(), value.end(), target.data());
  else if constexpr (requires { Target::is_view_of_others; })
    target.assign(value);
  else xt::noalias(target) = value;
}

/// One output of a call: where it is computed, and how it gets to the target.
template <class Target, class Value>
class output_slot {
 public:
  static constexpr auto rank = static_cast<std::size_t>(static_rank_of<Value>);

  /// Before the steps: refuses a target that cannot take the extents, and lets the value be
  /// computed in it where possible.
  void prepare(frame& f, Target& target, int v, bool computed_here) {
    if constexpr (rank > 0) {
      if constexpr (!resizable<Target>) {
        std::ptrdiff_t extents[rank];
        for (std::size_t d = 0; d < rank; ++d)
          extents[d] = f.extent(f.tables().values[v].extents[d]);
        shape_target(target, extents, rank);
      }
      if (!computed_here) return;
      array_ref& value = f.value(v);
      if constexpr (in_place) {
        if (may_compute_in(f, v, ref_to(target))) {
          shape_target(target, value.extents, rank);
          array_ref const to = ref_to(target);
          direct_ = to.contiguous();
          if (direct_) value.data = to.data;
        }
      }
      if (!direct_) value.data = f.extra(v, bytes_that_fit(value));
    }
  }
  /// After the steps.
  void finish(frame& f, Target& target, int v) const {
    if (direct_) return;
    array_ref const& value = f.value(v);
    using T = element_t<Value>;
    if constexpr (rank == 0) {
      T result;
      std::memcpy(&result, value.data, sizeof(T));
      store_scalar(target, result);
    } else {
      shape_target(target, value.extents, rank);
      if constexpr (in_place) return copy_array(ref_to(target), value);
      Value aside;
      shape_target(aside, value.extents, rank);
      copy_array(ref_to(aside), value);
      assign_elements(target, aside);
    }
  }

 private:
  static constexpr bool in_place = [] {
    if constexpr (strided_expression<Target>)
      return std::is_same_v<typename Target::value_type, element_t<Value>>;
    else
      return false;
  }();
  bool direct_ = false;
};

/// Moves a value that lies in another array to memory of its own.
inline void set_aside(frame& f, int v) {
  array_ref& value = f.value(v);
  array_ref aside = value;
  aside.make_contiguous_strides();
  aside.data = f.extra(v, bytes_that_fit(value));
  copy_array(aside, value);
  value = aside;
}

/// Whether a target lies in a range of memory, or may do so, when it does not say where it lies.
template <class Target>
bool target_meets(Target const& target, memory_range const& range) {
  if constexpr (strided_expression<Target>) {
    return range.meets(range_of(ref_to(target)));
  } else if constexpr (number<Target>) {
    auto const* const at = reinterpret_cast<std::byte const*>(&target);
    return range.meets({at, at + sizeof(target)});
  } else {
    return true;
  }
}

/// Outputs and new values that lie in an argument are copied aside when a target lies there too:
/// they have to survive until they are stored. Views first: a parameter that is copied aside no
/// longer tells what lies in the caller's memory.
template <class Targets>
void keep_from_targets(frame& f, items<int> outputs, Targets const& targets) {
  for (storage const where : {storage::view, storage::parameter}) {
    auto keep = [&](int v) {
      if (f.tables().values[v].where != where) return;
      memory_range const value = range_of(f.value(v));
      bool const meets = std::apply(
          [&](auto const&... target) { return (target_meets(target, value) || ...); }, targets);
      if (meets && meets_parameters(f, value)) set_aside(f, v);
    };
    for (int v : outputs) keep(v);
    for (auto const& u : f.tables().updates)
      if (!u.in_place) keep(u.value);
  }
}

}  // namespace kroton::cpu
