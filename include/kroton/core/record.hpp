// The record of an op, made from its declaration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/each.hpp>

namespace kroton {

namespace core {

// In normal form, sums and products have any number of operands, all of the same type, so three
// determine the result's type.
template <class Signature>
constexpr tensor_type elementwise_type_rule(application const& a) {
  graph const& g = *a.of;
  element elements[3]{};
  int const count = a.inputs.count < 3 ? a.inputs.count : 3;
  for (int i = 0; i < count; ++i) elements[i] = g[a.inputs.first[i]].type.element;
  return elementwise_type(a, Signature::of(elements, count).result);
}

// Instantiations per op are kept to a minimum here: there are about a hundred ops.

/// The common element type of all operands, which are literals; if there is none, uint64, which is
/// not folded.
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
  else if constexpr (Op::arity == 2) {
    auto value = Op::value(literal_operand<R>(a, 0), literal_operand<R>(a, 1));
    // Sums and products in normal form
    if constexpr (std::is_same_v<decltype(value), R>)
      for (int i = 2; i < a.count(); ++i) value = Op::value(value, literal_operand<R>(a, i));
    return value;
  } else
    return Op::value(literal_operand<R>(a, 0), literal_operand<R>(a, 1), literal_operand<R>(a, 2));
}

/// Evaluates Op on literals at compile time: in double, int64 or bool, then rounded or wrapped to
/// the result's type.
template <class Op>
constexpr bool fold_elementwise(application const& a, element result, std::int64_t& bits) {
  element const operand = folded_type(a);
  if (operand == element::uint64) return false;
  if (is_float(operand)) {
    if constexpr (Op::types::takes_floats)
      bits = literal_bits(value_on_literals<Op, double>(a), result);
    return Op::types::takes_floats;
  }
  if constexpr (Op::types::takes_integers) {
    if (is_bool(operand)) bits = literal_bits(value_on_literals<Op, bool>(a), result);
    else bits = wrap(literal_bits(value_on_literals<Op, std::int64_t>(a), result), result);
  }
  return Op::types::takes_integers;
}

template <class Op>
constexpr tensor_type type_of_first_output(application const& a) {
  return Op::type(a, 0);
}
template <class Op>
constexpr extent_source extent_of_first_output(application const& a, int d) {
  return Op::extent(a, d, 0);
}

template <class Op>
constexpr op_info const* each_of() {
  if constexpr (is_each<Op>) return identity<Op>();
  else return identity<op::each<Op>>();
}

template <class Op>
constexpr void describe_gradient(op_info& d) {
  d.has_pullback = has_pullback<Op>;
  d.is_constant = has_instead_of_pullback<Op, no_gradient_t>;
  if constexpr (has_instead_of_pullback<Op, no_pullback>)
    d.unwritten_gradient = unwritten_gradient<Op>::sentence.view();
}

template <class Op>
constexpr op_info describe() {
  op_info d;
  d.name = Op::name;
  d.key = key_constant<Op>;
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
    d.takes_only_integers = Op::types::takes_integers && !Op::types::takes_floats;
    if constexpr (Op::types::takes_floats || Op::types::takes_integers) {
      d.fold = &fold_elementwise<Op>;
      d.has_fold = true;
    }
  } else {
    if constexpr (requires { Op::outputs; }) {
      if constexpr (counts_outputs<Op>) d.outputs = 0, d.output_count = &Op::outputs;
      else d.outputs = Op::outputs;
      d.type = &type_of_first_output<Op>;
      d.type_of_output = &Op::type;
      d.extent = &extent_of_first_output<Op>;
      d.extent_of_output = &Op::extent;
      d.has_extent = true;
      if constexpr (requires { Op::grows; }) d.grows = &Op::grows, d.has_growing = true;
    } else {
      d.type = &Op::type;
      if constexpr (requires { Op::extent; }) {
        d.extent = &Op::extent;
        d.has_extent = true;
      }
    }
    if constexpr (requires { Op::step; }) d.step = Op::step;
    d.takes_stored = is_view(d.step);
    if constexpr (requires { Op::takes_stored; }) d.takes_stored = Op::takes_stored;
    if constexpr (requires { Op::overwrites; }) d.overwrites = Op::overwrites;
    if constexpr (Op::is_serial) {
      static_assert(Op::arity >= 0, "kt::operation: a serial op has a fixed number of operands");
      d.is_serial = true;
    }
    if constexpr (requires { Op::abandon(); }) d.abandon = &Op::abandon, d.has_abandon = true;
    if constexpr (requires { Op::is_eager; }) d.is_eager = Op::is_eager;
    if constexpr (requires { Op::drawn, Op::stream; })
      d.is_draw = true, d.drawn = static_cast<int>(Op::drawn);
    if constexpr (requires { Op::write_out; }) {
      d.has_body = d.is_written_out = true;
      d.write_out = &Op::write_out;
    }
    if constexpr (requires { Op::has_body; }) d.has_body = Op::has_body;
    if constexpr (requires { Op::is_for_derivatives; })
      d.is_for_derivatives = Op::is_for_derivatives;
    if constexpr (requires { Op::by_rows; }) d.by_rows = Op::by_rows;
    if constexpr (requires { Op::concatenates; }) d.concatenates = Op::concatenates;
    if constexpr (requires { Op::selects; }) d.selects = Op::selects;
    if constexpr (requires { Op::scatters; }) d.scatters = Op::scatters;
    if constexpr (requires { Op::generates; }) d.generates = Op::generates;
    if constexpr (requires { Op::constraints; }) {
      d.constraints = &Op::constraints;
      d.has_constraints = true;
    }
    // The function of an opaque op is a compiled program: the interpreter uses the inner graph
    // instead.
    if constexpr (requires { Op::inner(); }) d.inner = &Op::inner, d.has_inner = true;
    if constexpr (requires { Op::batch; }) {
      d.batch = &Op::batch;
      d.has_batch = true;
    } else if constexpr (runs_by_slices<Op> && !requires { Op::inner(); }) {
      d.each = &each_of<Op>;
      d.has_each = true;
    }
  }
  if constexpr (!is_built_in<Op>() && !requires { Op::inner(); })
    if constexpr (Op::is_elementwise || runs_itself<Op>) d.kernels = &cpu::kernels_of<Op>;
  if constexpr (is_each<Op>) {
    d.slice = &identity<typename Op::of_slice>;
    d.has_slice = true;
    describe_gradient<typename Op::of_slice>(d);
  } else {
    describe_gradient<Op>(d);
    if constexpr (!has_pullback<Op> || has_instead_of_pullback<Op, pullback_of_body>) return d;
    else if constexpr (requires { Op::outputs; }) d.pullback_of_outputs = &pull_back_outputs<Op>;
    else d.pullback = &pull_back<Op>;
  }
  return d;
}

}  // namespace core
}  // namespace kroton
