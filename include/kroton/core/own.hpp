// Ops with their own kernels, on whole arrays, as the graph sees them. The kernels belong to the
// targets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/declaration.hpp>

#include <cstdint>
#include <type_traits>

namespace kroton {

namespace op {
template <class Op>
struct each;
}  // namespace op

namespace core {

/// The kernel of an op, if it has its own: one for all element types, or one for each type of the
/// first operand. A built-in op declares it as `static constexpr auto own`; each target defines the
/// function, on the CPU as cpu::kernel<Op>.
enum class own_function : std::uint8_t { none, untyped, typed };

/// Whether a struct has a function for elements of type T: `run<T>(invocation)`, or with a
/// `choice&` as a second argument, see cpu/op/choice.hpp.
// Tested by a call: nvcc does not find the address of a member template's specialization.
template <class Kernel, class T>
concept runs_on =
    requires { static_cast<void (*)(invocation const&)>(&Kernel::template run<T>); } || requires {
      static_cast<void (*)(invocation const&, typename Kernel::choice&)>(&Kernel::template run<T>);
    };

/// Built-in ops declare their kernel; a user's op contains it: `run(invocation)` or
/// `run<T>(invocation)`.
template <class Op>
concept declares_own =
    requires { requires std::is_same_v<std::remove_cv_t<decltype(Op::own)>, own_function>; };
template <class Op>
constexpr own_function own_function_of() {
  if constexpr (declares_own<Op>) return Op::own;
  else if constexpr (runs_on<Op, double>) return own_function::typed;
  else if constexpr (requires { &Op::run; }) return own_function::untyped;
  else return own_function::none;
}
template <class Op>
concept runs_by_type = own_function_of<Op>() == own_function::typed;
template <class Op>
concept runs_itself = own_function_of<Op>() != own_function::none;

/// An op whose kernel takes no choice can run slice by slice, if its number of outputs is fixed and
/// the order of its calls is free. A built-in op says `keeps_choice` if its kernel takes one.
template <class Op>
concept runs_by_slices = runs_itself<Op> && !counts_outputs<Op> && !Op::is_serial &&
                         requires { Op::extent; } && !requires { typename Op::choice; } &&
                         !requires { Op::keeps_choice; };

}  // namespace core

namespace cpu {

/// The kernels of a user's op for all element types; defined by the target, in cpu/op/by_type.hpp.
template <class Op>
void const* kernels_of();

}  // namespace cpu

namespace core {

template <class Op>
inline constexpr bool is_each = false;
template <class Op>
inline constexpr bool is_each<op::each<Op>> = true;

}  // namespace core
}  // namespace kroton
