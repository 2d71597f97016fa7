// Ops that run by element type, for the interpreter: a function for every type that the op takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/elementwise.hpp>
#include <kroton/core/error.hpp>
#include <kroton/runtime/visit.hpp>

namespace kroton::core {

template <class Op>
void run_by_type(element e, invocation const& call, step_view const& step) {
  runtime::visit_element(e, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_complex_number<T> && !Op::takes_complex)
      throw value_error(std::string(Op::name) + ": " + std::string(no_complex_numbers));
    else if constexpr (runs_on<Op, T>) run_own_by_type<Op, T>(call, step);
    else throw value_error(std::string(Op::name) + ": not for elements of type " + std::string(name_of(element_of<T>())));
  });
}

}  // namespace kroton::core
