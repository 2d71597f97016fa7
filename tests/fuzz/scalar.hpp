// Scalar functions in extended precision, and integers of any width: what the fuzzer takes for the truth.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.hpp"

#include <kroton/core/op.hpp>

#include <cstdint>

namespace fuzz {

/// Wide enough for the sum of any two 64-bit integers.
__extension__ typedef __int128 integer;

/// Modulo 2^64: the product of two unsigned integers may not fit.
inline integer product(integer a, integer b) { return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b); }

/// An integer as the element type has it: modulo its width, a bool 0 or 1.
integer wrapped(integer value, kt::element e);

/// The number of an element type that is nearest, of two nearest the even one.
real nearest(real x, kt::element e);

/// An op on numbers: for floating operands, and for integers or bools; null where it takes none.
struct scalar_function {
  std::string_view name;
  real (*of_reals)(real const* x);
  integer (*of_integers)(integer const* x, kt::element e);
  // Where rounding may decide: a margin that says how far the operands are from a jump or from the end of the domain.
  real (*margin)(real const* x) = nullptr;
  // Whether the result is a step function of its operands.
  bool jumps = false;
};

/// The function of an op. Throws std::logic_error for an op that has none.
scalar_function const& scalar_function_of(kt::core::op_info const* op);

}  // namespace fuzz
