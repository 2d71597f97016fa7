// Ops that compute by a function of their own, on whole arrays: what the graph knows of it. The functions are the targets'.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/declaration.hpp>

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace kroton {

namespace op {
template <class Op>
struct each;
}  // namespace op

namespace core {

/// The function that computes an op, if it has one of its own: one for all element types, or one for each type of the first operand.
/// A built-in op says so by `static constexpr auto own`; each target has the function, on the CPU cpu::kernel<Op>.
enum class own_function : std::uint8_t { none, untyped, typed };

/// Whether a struct has a function for elements of type T: `run<T>(invocation)`, or with a `choice&` as a second argument, see
/// cpu/op/choice.hpp.
// By a call: nvcc does not find the address of a member template's specialization.
template <class Kernel, class T>
concept runs_on = requires { static_cast<void (*)(invocation const&)>(&Kernel::template run<T>); } ||
                  requires { static_cast<void (*)(invocation const&, typename Kernel::choice&)>(&Kernel::template run<T>); };

/// An op of a user's has its function itself: `run(invocation)`, or `run<T>(invocation)`.
template <class Op>
constexpr own_function own_function_of() {
  if constexpr (requires { Op::own; }) return Op::own;
  else if constexpr (runs_on<Op, double>) return own_function::typed;
  else if constexpr (requires { &Op::run; }) return own_function::untyped;
  else return own_function::none;
}
template <class Op>
concept runs_by_type = own_function_of<Op>() == own_function::typed;
template <class Op>
concept runs_itself = own_function_of<Op>() != own_function::none;

/// An op that computes by a function without a choice can do so slice by slice.
template <class Op>
concept runs_by_slices = runs_itself<Op> && requires { Op::extent; } && !requires { typename Op::choice; };

#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1301
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
/// Stands for an op of which the type may have no name outside of its file, so that it names a function that nobody has to define.
template <std::uint64_t Key>
struct own_key {
  friend constexpr auto own_op(own_key);
};
template <class Op>
constexpr std::uint64_t own_key_of() {
  std::string_view const name = __PRETTY_FUNCTION__;
  // The unnamed namespaces of two files may have ops of one name.
  bool const is_in_one_file =
      name.find("{anonymous}") != name.npos || name.find("(anonymous namespace)") != name.npos;
  return is_in_one_file ? mix(hash_of(name), hash_of(__BASE_FILE__)) : hash_of(name);
}
/// Leads from the key back to the op, see op_join.
template <class Op>
struct own_join {
  static constexpr std::uint64_t key = own_key_of<Op>();
  friend constexpr auto own_op(own_key<own_key_of<Op>()>) { return std::type_identity<Op>{}; }
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

/// The op's function for the interpreter, for elements of any type. Only programs that interpret shall pay for it: it is defined in
/// runtime/own.hpp, and null where nothing includes that.
template <std::uint64_t Key>
[[gnu::weak]] void run_own(element, invocation const&, step_view const&);

template <class Op>
inline constexpr bool is_each = false;
template <class Op>
inline constexpr bool is_each<op::each<Op>> = true;

}  // namespace core
}  // namespace kroton
