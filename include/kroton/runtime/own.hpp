// The kernels of ops with their own, for the interpreter: for every element type that the op
// accepts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/cpu/op/kernels.hpp>
#include <kroton/runtime/visit.hpp>

namespace kroton::core {

template <class Op>
void run_own(element e, invocation const& call, step_view const& step) {
  if constexpr (!runs_by_type<Op>) cpu::run_kernel<Op, void>(call, step);
  else
    runtime::visit_element(e, [&]<class T>(std::type_identity<T>) {
      if constexpr (is_complex_number<T> && !Op::takes_complex)
        throw value_error(std::string(Op::name) + ": " + std::string(no_complex_numbers));
      else if constexpr (cpu::runs_on<Op, T>) cpu::run_kernel<Op, T>(call, step);
      else
        throw value_error(std::string(Op::name) + ": not supported for elements of type " +
                          std::string(name_of(element_of<T>())));
    });
}

}  // namespace kroton::core
