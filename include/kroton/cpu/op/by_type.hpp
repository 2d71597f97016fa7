// The kernels of an op for every element type, for graphs whose types are known at run time only.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/block.hpp>
#include <kroton/cpu/op/kernel.hpp>

namespace kroton {

namespace cpu {
struct step_view;
}

namespace cpu {

/// Runs a whole step of an op with its own kernel.
using own_kernel = void (*)(core::invocation const&, cpu::step_view const&);

/// Kernels by the element type that decides: for an elementwise op that of the last operand, for
/// others that of the first. Null for a type that the op does not take.
template <class Kernel>
using kernels_by_type = std::array<Kernel, core::computed_types>;

template <class Op, class T>
constexpr block_kernel block_kernel_of() {
  if constexpr (Op::arity > 3 || !block_types<Op, T>::exists) return nullptr;
  else return &block_loop<Op, T, std::make_index_sequence<Op::arity>>::run;
}
/// A type that no op asks for: a `run<T>` that takes it has no constraint, and is then not tried
/// with bool, on which arithmetic warns.
struct any_type {};

template <class Op, class T>
constexpr own_kernel own_kernel_of() {
  if constexpr (!core::runs_by_type<Op>) return &run_kernel<Op, void, cpu::step_view>;
  else if constexpr (core::is_complex_number<T> && !Op::takes_complex) return nullptr;
  else if constexpr (std::is_same_v<T, bool> && !core::declares_own<Op> && runs_on<Op, any_type>)
    return nullptr;
  else if constexpr (runs_on<Op, T>) return &run_kernel<Op, T, cpu::step_view>;
  else return nullptr;
}

template <class Op, std::size_t... E>
constexpr auto all_kernels_of(std::index_sequence<E...>) {
  if constexpr (Op::is_elementwise)
    return kernels_by_type<block_kernel>{
        block_kernel_of<Op, core::value_t<static_cast<element>(E)>>()...};
  else
    return kernels_by_type<own_kernel>{
        own_kernel_of<Op, core::value_t<static_cast<element>(E)>>()...};
}
template <class Op>
inline constexpr auto kernels =
    all_kernels_of<Op>(std::make_index_sequence<core::computed_types>{});

template <class Op>
void const* kernels_of() {
  return &cpu::kernels<Op>;
}

}  // namespace cpu
}  // namespace kroton
