// What a step does, by its kind: known to the compiler in a static program, a value in an
// interpreted one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/chain.hpp>
#include <kroton/cpu/call/print.hpp>
#include <kroton/cpu/call/steps.hpp>

#include <type_traits>

namespace kroton::cpu {

/// A product of two factors.
template <class T, class Step>
void run_dot(Step const& s) {
  product<T>(s.array(0), s.array(1), s.target(), T(1), s.continues() ? T(1) : T(0));
}

/// A step that is neither a loop nor an op of its own, on operands of type T. `Chain`: a gemm of
/// three or more factors.
template <step_kind Kind, class T, bool Chain, class Step>
void run_step_of(Step const& s) {
  if constexpr (Kind == step_kind::dimshuffle) run_dimshuffle(s);
  else if constexpr (Kind == step_kind::reshape) run_reshape(s);
  else if constexpr (is_selection(Kind)) run_subtensor(s);
  else if constexpr (Kind == step_kind::joined_part) run_joined_part(s);
  else if constexpr (Kind == step_kind::ifelse) run_ifelse(s);
  else if constexpr (Kind == step_kind::print) run_print<T>(s);
  else if constexpr (Kind == step_kind::assertion) run_assertion(s);
  else if constexpr (Kind == step_kind::after) run_after(s);
  else if constexpr (Kind == step_kind::dot) run_dot<T>(s);
  else if constexpr (Kind == step_kind::chain) run_chain<T>(s);
  else if constexpr (Kind == step_kind::gemm) run_gemm<T, Chain>(s);
  else if constexpr (Kind == step_kind::first_equal) run_first_equal<T>(s);
  else if constexpr (Kind == step_kind::set_subtensor) run_set_subtensor(s);
  else run_inc_subtensor<T>(s);
}

/// The same for a kind that is a value.
template <class T>
void run_step_of(step_view const& s) {
  switch (s.info.kind) {
    case step_kind::dimshuffle: return run_dimshuffle(s);
    case step_kind::reshape: return run_reshape(s);
    case step_kind::subtensor:
    case step_kind::written_part: return run_subtensor(s);
    case step_kind::joined_part: return run_joined_part(s);
    case step_kind::ifelse: return run_ifelse(s);
    case step_kind::print: return run_print<T>(s);
    case step_kind::assertion: return run_assertion(s);
    case step_kind::after: return run_after(s);
    case step_kind::dot: return run_dot<T>(s);
    case step_kind::first_equal:
      // Complex numbers have no order, hence no extrema.
      if constexpr (!is_complex_number<T>) return run_first_equal<T>(s);
      break;
    case step_kind::inc_subtensor: return run_inc_subtensor<T>(s);
    case step_kind::set_subtensor: return run_set_subtensor(s);
    default: break;
  }
  // Chains and gemm multiply floating-point numbers only.
  if constexpr (std::is_floating_point_v<T> || is_complex_number<T>) {
    if (s.info.kind == step_kind::chain) run_chain<T>(s);
    else if (factors_of(s.info.kind, s.info.operand_count) > 2) run_gemm<T, true>(s);
    else run_gemm<T, false>(s);
  }
}

}  // namespace kroton::cpu
