// What an op declares: a name, an arity, a signature and facts; the base classes of elementwise ops
// and of all others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/call.hpp>
#include <kroton/core/config.hpp>

namespace kroton {

/// Signatures: the element types of operands and result. An op picks one with `using types =
/// kt::signatures::...`.
namespace signatures {

/// Floating-point functions (exp, sin, atan2): integer operands become floating-point; operands and
/// result then have the promoted type.
struct floating {
  static constexpr bool takes_floats = true, takes_integers = false;
  static constexpr core::signature of(element const* e, int count) {
    element to = core::floating(e[0]);
    for (int k = 1; k < count; ++k) to = core::promote(to, core::floating(e[k]));
    return {to, {to, to, to}};
  }
};
/// Arithmetic (+, *, maximum): operands and result are the promoted type.
struct promoted {
  static constexpr bool takes_floats = true, takes_integers = true;
  static constexpr core::signature of(element const* e, int count) {
    element const to = core::promote_all(e, count);
    return {to, {to, to, to}};
  }
};
/// True division: as `floating`, but integers of every width give float64.
struct quotient {
  static constexpr bool takes_floats = true, takes_integers = false;
  static constexpr core::signature of(element const* e, int count) {
    element const common = core::promote_all(e, count);
    element const to = core::is_continuous(common) ? common : element::float64;
    return {to, {to, to, to}};
  }
};
/// Comparisons: operands are promoted, the result is bool.
struct comparison {
  static constexpr bool takes_floats = true, takes_integers = true;
  static constexpr core::signature of(element const* e, int count) {
    element const to = core::promote_all(e, count);
    return {element::boolean, {to, to, to}};
  }
};
/// Bitwise operators: as `promoted`, for integers and bools.
struct bitwise : promoted {
  static constexpr bool takes_floats = false, takes_integers = true;
};
/// A property of a number that is real (abs, angle): operands are promoted, the result is their
/// real type.
struct real_part {
  static constexpr bool takes_floats = true, takes_integers = true;
  static constexpr core::signature of(element const* e, int count) {
    element const to = core::promote_all(e, count);
    return {core::real_of(to), {to, to, to}};
  }
};
/// Selection by a condition: (bool, T, T) gives T.
struct selection {
  // If all operands have the same type
  static constexpr bool takes_floats = false, takes_integers = false;
  static constexpr core::signature of(element const* e, int) {
    element const to = core::promote(e[1], e[2]);
    return {to, {element::boolean, to, to}};
  }
};

}  // namespace signatures

/// Base of an elementwise op with `Arity` operands. A derived struct gives `value`, the scalar
/// function for a number, a SIMD batch, a CUDA thread and the constant folder; it may give
/// `pullback(g, y, x...)`, the gradients of the inputs from the gradient g of the result y, or
/// `pullback = kt::no_gradient`; `laws`; and `types`, its signature (by default that of a floating
/// function).
///
/// Of complex numbers: an op with `takes_complex` takes them. Where its result is complex, its
/// pullback is that of a holomorphic function, g times the derivative, and the library conjugates
/// what has to be; an op whose `is_holomorphic` is false writes the gradient dL/dx + i dL/dy of the
/// operand x + iy itself.
template <text Name, int Arity>
struct elementwise {
  static constexpr std::string_view name = Name.view();
  static constexpr int arity = Arity;
  static constexpr law laws = law::none;
  static constexpr bool is_elementwise = true;
  static constexpr bool takes_complex = false, is_holomorphic = true;
  // Less work than storing an element and loading it again
  static constexpr bool is_cheap = false;
  // One instruction, although it takes longer than that
  static constexpr bool is_instruction = false;
  static constexpr core::no_pullback pullback{};
  using types = signatures::floating;
};

/// Base of any other op. A derived struct provides `type(application)`, and optionally
/// `extent(application, axis)`, `constraints(application, list)` and `pullback`. Negative arity:
/// any number of inputs, pullback(g, y) only. With several outputs: `outputs`, their number or a
/// function `outputs(application)`, `type(application, output)`, `extent(application, axis,
/// output)`, and a pullback on `core::several` gradients and outputs. `run` computes it, see
/// core/own.hpp; `overwrites` is the operand in whose memory it may leave its result, if it throws
/// before it writes there.
/// `batch(calculus::batching&, int)` makes a node that computes the op for many slices, see
/// grad/batching.hpp; without it, an op with a `run` is called slice by slice. It receives complex
/// operands if `takes_complex` is set, see `elementwise`.
///
/// An op whose calls have effects on each other, such as random draws, declares `is_serial = true`.
/// Each of its nodes then has one more operand, the serial node that was recorded before it (the
/// first one a literal 0). So no two of them are equal, and none runs before those that were
/// recorded before it, which run even if nothing else needs them, also in a branch of an ifelse
/// that is not taken. `kt::vmap` rejects them. If it also declares `abandon()`, that is called when
/// a call of a function that contains the op has thrown, by the op or before or after it. If it
/// declares `is_eager = true`, a plan runs it directly behind the steps that compute its operands.
///
/// An op that owns a graph has its address, `graph::intern(core::body(...))`, as its first
/// attribute; its functions find the graph with `graph::body`. The optimizer rewrites bodies, each
/// once. If a plan is to take the nodes that an application stands for in its place, the op
/// declares `write_out(graph&, application, list<int>& outputs)`, which records them with
/// core::splice, once the program is optimized.
template <text Name, int Arity>
struct operation {
  static constexpr std::string_view name = Name.view();
  static constexpr int arity = Arity;
  static constexpr law laws = law::none;
  static constexpr bool is_elementwise = false;
  static constexpr bool takes_complex = false, is_holomorphic = true;
  static constexpr bool is_serial = false;
  static constexpr core::no_pullback pullback{};
};

namespace core {

/// Base of what is not the op of any node: it names a condition on extents, in errors, after the
/// function that the user has called.
template <text Name>
struct named_condition : operation<Name, 0> {
  static constexpr tensor_type type(application const&) { return {element::int64, 0, 0}; }
};

/// Whether the number of outputs belongs to the node and not to the op.
template <class Op>
concept counts_outputs = requires(application const& a) { int{Op::outputs(a)}; };

}  // namespace core
}  // namespace kroton
