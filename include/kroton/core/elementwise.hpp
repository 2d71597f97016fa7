// Elementwise ops: what follows for all of them from a name, an arity, a signature and one scalar function.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/call.hpp>
#include <kroton/core/config.hpp>

namespace kroton {

/// Signatures: the element types of operands and result. An op picks one with `using types = kt::signatures::...`.
namespace signatures {

/// Floating functions (exp, sin, atan2): integer operands become floating, and then operands and result are the promoted type.
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
/// Bitwise operators: as `promoted`, of integers and bools.
struct bitwise : promoted {
  static constexpr bool takes_floats = false, takes_integers = true;
};
/// A property of a number that is real (abs, angle): operands are promoted, the result is their real type.
struct real_part {
  static constexpr bool takes_floats = true, takes_integers = true;
  static constexpr core::signature of(element const* e, int count) {
    element const to = core::promote_all(e, count);
    return {core::real_of(to), {to, to, to}};
  }
};
/// Selection by a condition: (bool, T, T) gives T.
struct selection {
  static constexpr bool takes_floats = false, takes_integers = false;  // of operands that are all of one type
  static constexpr core::signature of(element const* e, int) {
    element const to = core::promote(e[1], e[2]);
    return {to, {element::boolean, to, to}};
  }
};

}  // namespace signatures

/// Base of an elementwise op with `Arity` operands. A derived struct gives `value`, the scalar function for a number, a SIMD
/// batch, a CUDA thread and the constant folder; it may give `pullback(g, y, x...)`, the gradients of the inputs from the
/// gradient g of the result y, or `pullback = kt::no_gradient`; `laws`; and `types`, its signature (by default that of a floating function).
///
/// Of complex numbers: an op with `takes_complex` takes them. Where its result is complex, its pullback is that of a holomorphic
/// function, g times the derivative, and the library conjugates what has to be; an op whose `is_holomorphic` is false writes the
/// gradient dL/dx + i dL/dy of the operand x + iy itself.
template <text Name, int Arity>
struct elementwise {
  static constexpr std::string_view name = Name.view();
  static constexpr int arity = Arity;
  static constexpr law laws = law::none;
  static constexpr bool is_elementwise = true;
  static constexpr bool takes_complex = false, is_holomorphic = true;
  static constexpr bool is_cheap = false;  // less work than to store an element and to load it again
  static constexpr core::no_pullback pullback{};
  using types = signatures::floating;
};

/// Base of any other op. A derived struct gives `type(application)`; it may give `extent(application, axis)`,
/// `constraints(application, list)` and `pullback`. Negative arity: any number of inputs, pullback(g, y) only. With several
/// outputs: `outputs`, `type(application, output)`, `extent(application, axis, output)`, and a pullback on `core::several` gradients
/// and outputs. `run` computes it, see core::runs_itself; `overwrites` is the operand in whose memory it may leave its result.
/// `batch(core::batching&, int)` gives a node of it for many slices at once, see grad/batching.hpp; without it, an op with a `run` is
/// called slice by slice. Complex operands come to it where `takes_complex` is set, see `elementwise`.
template <text Name, int Arity>
struct operation {
  static constexpr std::string_view name = Name.view();
  static constexpr int arity = Arity;
  static constexpr law laws = law::none;
  static constexpr bool is_elementwise = false;
  static constexpr bool takes_complex = false, is_holomorphic = true;
  static constexpr core::no_pullback pullback{};
};

namespace op {
template <class Op>
struct each;
}  // namespace op

namespace core {

// In normal form sums and products have any number of operands, all of one type: three decide the result's type.
template <class Signature>
constexpr tensor_type elementwise_type_rule(application const& a) {
  graph const& g = *a.of;
  element elements[3]{};
  int const count = a.inputs.count < 3 ? a.inputs.count : 3;
  for (int i = 0; i < count; ++i) elements[i] = g[a.inputs.first[i]].type.element;
  return elementwise_type(a, Signature::of(elements, count).result);
}

// What is instantiated for each op is kept to a minimum here: there are a hundred.

/// The element type that all operands have, which are literals; uint64, which is not folded, where there is none.
constexpr element folded_type(application const& a) {
  element const operand = a.input(0).element;
  for (int i = 1; i < a.count(); ++i)
    if (a.input(i).element != operand) return element::uint64;
  return is_complex(operand) ? element::uint64 : operand;
}
template <class R>
constexpr R literal_operand(application const& a, int i) {
  std::int64_t const bits = a.of->literal_bits(a.inputs.first[i]);
  if constexpr (std::is_same_v<R, double>) return std::bit_cast<double>(bits);
  else return static_cast<R>(bits);
}
template <class Op, class R>
constexpr auto value_on_literals(application const& a) {
  static_assert(Op::arity <= 3, "kt::elementwise: an op has one to three operands");
  if constexpr (Op::arity == 1) return Op::value(literal_operand<R>(a, 0));
  else if constexpr (Op::arity == 2) return Op::value(literal_operand<R>(a, 0), literal_operand<R>(a, 1));
  else return Op::value(literal_operand<R>(a, 0), literal_operand<R>(a, 1), literal_operand<R>(a, 2));
}

/// Evaluates Op on literals in the compiler: in double, int64 or bool, then rounded or wrapped to the result's type.
template <class Op>
constexpr bool fold_elementwise(application const& a, element result, std::int64_t& bits) {
  element const operand = folded_type(a);
  if (operand == element::uint64) return false;
  if (is_float(operand)) {
    if constexpr (Op::types::takes_floats) bits = literal_bits(value_on_literals<Op, double>(a), result);
    return Op::types::takes_floats;
  }
  if constexpr (Op::types::takes_integers) {
    if (is_bool(operand)) bits = literal_bits(value_on_literals<Op, bool>(a), result);
    else bits = wrap(literal_bits(value_on_literals<Op, std::int64_t>(a), result), result);
  }
  return Op::types::takes_integers;
}

/// Whether an op computes by a function of its own: `run(invocation)`; `run<T>(invocation)`, where T is the element type of the
/// first operand; either with a `choice&` as a second argument, see cpu/choice.hpp.
// By a call: nvcc does not find the address of a member template's specialization.
template <class Op, class T>
concept runs_on = requires { static_cast<void (*)(invocation const&)>(&Op::template run<T>); } ||
                  requires { static_cast<void (*)(invocation const&, typename Op::choice&)>(&Op::template run<T>); };
template <class Op>
concept runs_by_type = runs_on<Op, double>;
template <class Op>
concept runs_itself = runs_by_type<Op> || requires { &Op::run; };

/// The op's function for the interpreter.
template <class Op>
void run_own(element, invocation const& call, step_view const& step) {
  if constexpr (requires { typename Op::choice; }) Op::run(call, chosen<Op>(step));
  else Op::run(call);
}
template <class Op, class T>
void run_own_by_type(invocation const& call, step_view const& step) {
  if constexpr (requires { typename Op::choice; }) Op::template run<T>(call, chosen<Op>(step));
  else Op::template run<T>(call);
}
// Of an op by type it is a function for every element type, and only programs that interpret shall pay for them: it is defined in
// runtime/own.hpp, and null where nothing includes that.
template <class Op>
[[gnu::weak]] void run_by_type(element, invocation const&, step_view const&);

template <class Op>
constexpr tensor_type type_of_first_output(application const& a) {
  return Op::type(a, 0);
}
template <class Op>
constexpr extent_source extent_of_first_output(application const& a, int d) {
  return Op::extent(a, d, 0);
}

/// An op that computes by a function without a choice can do so slice by slice.
template <class Op>
concept runs_by_slices = runs_itself<Op> && requires { Op::extent; } && !requires { typename Op::choice; };
template <class Op>
inline constexpr bool is_each = false;
template <class Op>
inline constexpr bool is_each<op::each<Op>> = true;
template <class Op>
constexpr op_info const* each_of() {
  if constexpr (is_each<Op>) return identity<Op>();
  else return identity<op::each<Op>>();
}

template <class Op>
constexpr void describe_gradient(op_info& d) {
  d.has_pullback = has_pullback<Op>;
  d.is_constant = has_instead_of_pullback<Op, no_gradient_t>;
  if constexpr (has_instead_of_pullback<Op, no_pullback>) d.unwritten_gradient = unwritten_gradient<Op>::sentence.view();
}

template <class Op>
constexpr op_info describe() {
  op_info d;
  d.name = Op::name;
  d.key = key_of<Op>();
  d.name_hash = hash_of(Op::name);
  d.arity = Op::arity;
  d.laws = Op::laws;
  d.elementwise = Op::is_elementwise;
  d.reduction = requires { Op::is_reduction; };
  d.takes_complex = Op::takes_complex;
  d.is_holomorphic = Op::is_holomorphic;
  if constexpr (Op::is_elementwise) {
    d.cheap = Op::is_cheap;
    d.type = &elementwise_type_rule<typename Op::types>;
    d.types = &Op::types::of;
    d.extent = &elementwise_extent;
    d.constraints = &elementwise_constraints;
    d.has_extent = d.has_constraints = true;
    if constexpr (Op::types::takes_floats || Op::types::takes_integers) {
      d.fold = &fold_elementwise<Op>;
      d.has_fold = true;
    }
  } else {
    if constexpr (requires { Op::outputs; }) {
      d.outputs = Op::outputs;
      d.type = &type_of_first_output<Op>;
      d.type_of_output = &Op::type;
      d.extent = &extent_of_first_output<Op>;
      d.extent_of_output = &Op::extent;
      d.has_extent = true;
    } else {
      d.type = &Op::type;
      if constexpr (requires { Op::extent; }) {
        d.extent = &Op::extent;
        d.has_extent = true;
      }
    }
    if constexpr (requires { Op::overwrites; }) d.overwrites = Op::overwrites;
    if constexpr (requires { Op::by_rows; }) d.by_rows = Op::by_rows;
    if constexpr (requires { Op::constraints; }) {
      d.constraints = &Op::constraints;
      d.has_constraints = true;
    }
    // An opaque op's own function is a compiled program: the interpreter looks inside instead.
    if constexpr (requires { Op::inner(); }) d.inner = &Op::inner, d.has_inner = true;
#if defined(__NVCC__)
    // To nvcc the address of a weak function is not a constant: what it compiles interprets no such op.
    else if constexpr (runs_by_type<Op>) d.run = nullptr;
#else
    else if constexpr (runs_by_type<Op>) d.run = &run_by_type<Op>;
#endif
    else if constexpr (runs_itself<Op>) d.run = &run_own<Op>;
    if constexpr (requires { Op::batch; }) {
      d.batch = &Op::batch;
      d.has_batch = true;
    } else if constexpr (runs_by_slices<Op> && !requires { Op::inner(); }) {
      d.each = &each_of<Op>;
      d.has_each = true;
    }
  }
  if constexpr (is_each<Op>) {
    d.slice = &identity<typename Op::of_slice>;
    d.has_slice = true;
    describe_gradient<typename Op::of_slice>(d);
  } else {
    describe_gradient<Op>(d);
    if constexpr (!has_pullback<Op>) return d;
    else if constexpr (requires { Op::outputs; }) d.pullback_of_outputs = &pull_back_outputs<Op>;
    else d.pullback = &pull_back<Op>;
  }
  return d;
}

}  // namespace core

namespace op {

struct cast {
  template <class To, class R>
  KROTON_FN static To value(R x) {
    return core::convert<To>(x);
  }
};

}  // namespace op

namespace core {

template <class T, class X>
constexpr bool drops_imaginary_part() {
  if constexpr (typed<X>) return is_complex_number<value_type_of<X>> && !is_complex_number<T> && !std::is_same_v<T, bool>;
  else return false;
}

}  // namespace core

/// Converts to element type T. Floats are truncated to integers and saturate at the ends of their range, NaN becomes the
/// lowest integer; integers wrap; bool asks whether a value is not 0. Gradients are converted back; none flows through
/// integers and bools. A complex number converts to bool (whether it is not 0), and to no other real type.
/// (numpy.ndarray.astype)
template <class T, symbolic X>
constexpr auto cast(X const& x) {
  static_assert(number<T> || is_accepted<T>,
                "kt::cast: an element type is bool, an integer, float, double or a std::complex of these");
  using Value = std::conditional_t<number<T>, T, double>;
  static_assert(!core::drops_imaginary_part<T, X>(), "kt::cast: a complex number has no real value: take real(z), imag(z) or abs(z)");
  constexpr element to = core::element_of<Value>();
  if (!typed<X> && core::is_complex(x.element()) && !core::is_complex(to) && !core::is_bool(to)) x.of->fail(core::no_complex_numbers);
  term const result{x.of, x.of->cast(x.id, to)};
  if constexpr (!number<T>) x.of->fail(core::said_above);
  if constexpr (typed<X>) return variable<Value, rank_of<X>>(result);
  else return result;
}

}  // namespace kroton

// What the record of an op refers to.
#include <kroton/core/each.hpp>
