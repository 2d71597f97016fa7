// How functions of formulas are recorded on terms and plain numbers, with the checks that typed
// variables make at compile time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/ops/elementwise/exponents.hpp>
#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/runtime/parse_error.hpp>
#include <kroton/runtime/syntax_tree.hpp>

#include <array>

namespace kroton::runtime::syntax {

inline bool is_term(value const& v) { return std::holds_alternative<term>(v); }

/// A function with its operands, about to be recorded.
struct call {
  kroton::graph& g;
  std::string_view text;
  node const& at;
  std::string_view name;
  std::array<value, 3> arguments{};
  int count = 0;

  value const& operator[](int i) const { return arguments[static_cast<std::size_t>(i)]; }
  [[noreturn]] void refuse(std::string const& message) const {
    syntax::refuse(text, at.position, "'" + std::string(name) + "': " + message);
  }
  bool all_numbers() const {
    for (int i = 0; i < count; ++i)
      if (is_term((*this)[i])) return false;
    return true;
  }
  /// Operand i, which must not be a plain number.
  term tensor(int i) const {
    if (!is_term((*this)[i])) refuse("takes a variable, not a plain number");
    return std::get<term>((*this)[i]);
  }
};

/// The node of an operand; a number becomes a literal next to tensors of type `tensors`.
inline int node_of(call const& c, value const& v, element tensors) {
  return std::visit(
      [&]<class V>(V const& x) {
        if constexpr (!symbolic<V>)
          if (!core::fits(x, core::literal_element<V>(tensors)))
            c.refuse("the integer " + std::to_string(x) + " is out of the range of " +
                     std::string(core::name_of(core::literal_element<V>(tensors))));
        return core::node_of(c.g, x, tensors);
      },
      v);
}

/// The element type of a plain number, or of a term.
inline element element_of(value const& v) {
  return std::visit(
      []<class V>(V const& x) {
        if constexpr (symbolic<V>)
          return x.element();
        else
          return core::element_of<V>();
      },
      v);
}

/// The nodes of the operands of an elementwise op; numbers take the type of the tensors.
inline std::array<int, 3> operand_nodes(call const& c) {
  element found[3]{};
  int tensors = 0;
  for (int i = 0; i < c.count; ++i)
    if (is_term(c[i])) found[tensors++] = element_of(c[i]);
  element const common = core::promote_all(found, tensors);
  std::array<int, 3> nodes{};
  for (int i = 0; i < c.count; ++i) nodes[static_cast<std::size_t>(i)] = node_of(c, c[i], common);
  return nodes;
}

inline double as_double(value const& v) {
  return std::visit(
      []<class V>(V const& x) {
        if constexpr (symbolic<V>)
          return 0.;
        else
          return static_cast<double>(x);
      },
      v);
}

/// An op on plain numbers. Integers stay integers; the result is bool, int64 or float64.
inline value fold(core::op_info const* op, std::array<value, 3> const& numbers, int count) {
  kroton::graph scratch;
  int nodes[3]{};
  for (int i = 0; i < count; ++i)
    nodes[i] = std::visit(
        [&]<class V>(V const& x) {
          if constexpr (symbolic<V>)
            return 0;
          else
            return scratch.literal(x, core::element_of<V>());
        },
        numbers[static_cast<std::size_t>(i)]);
  int const id = core::record_elementwise(scratch, op, {nodes, count});
  element const e = scratch.type(id).element;
  std::int64_t bits = 0;
  op->fold(scratch.application(id), e, bits);
  if (core::is_bool(e)) return bits != 0;
  if (core::is_integer(e)) return bits;
  return core::literal_value(bits, e);
}

/// Arithmetic of plain numbers as in Python: bools count as 0 and 1, and integers that grow out of
/// range are errors.
inline value fold_arithmetic(call const& c, core::op_info const* op) {
  std::array<value, 3> numbers = c.arguments, wide{};
  bool integers = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (auto const* b = std::get_if<bool>(&numbers[i])) numbers[i] = static_cast<std::int64_t>(*b);
    integers = integers && std::holds_alternative<std::int64_t>(numbers[i]);
    wide[i] = as_double(numbers[i]);
  }
  bool const divides = core::is_op<op::floordiv>(op) || core::is_op<op::mod>(op);
  if (integers && divides && std::get<std::int64_t>(numbers[1]) == 0)
    c.refuse("an integer is divided by 0");
  if (integers && core::is_op<op::pow>(op) && std::get<std::int64_t>(numbers[1]) < 0)
    return fold(op, wide, c.count);
  value const result = fold(op, numbers, c.count);
  if (integers && std::holds_alternative<std::int64_t>(result) &&
      std::abs(as_double(fold(op, wide, c.count))) >= 0x1p63)
    c.refuse("the result does not fit an integer of 64 bits; a floating-point number has a point");
  return result;
}

/// Records Op on operands at least one of which is a term.
inline value record(call const& c, core::op_info const* op) {
  std::array<int, 3> const nodes = operand_nodes(c);
  if (op->takes_only_integers) {
    element e = c.g.type(nodes[0]).element;
    for (int i = 1; i < c.count; ++i)
      e = core::promote(e, c.g.type(nodes[static_cast<std::size_t>(i)]).element);
    if (core::is_continuous(e)) c.refuse(std::string(core::no_common_integer));
  }
  return term{&c.g, core::record_elementwise(c.g, op, {nodes.data(), c.count})};
}

// ---- what the table of functions refers to ------------------------------------------------------

template <class Op>
value elementwise(call const& c) {
  return c.all_numbers() ? fold_arithmetic(c, core::identity<Op>())
                         : record(c, core::identity<Op>());
}

/// Difference and negative: not for bools, as in NumPy.
template <class Op>
value difference(call const& c) {
  bool bools = !c.all_numbers();
  for (int i = 0; i < c.count; ++i) bools = bools && core::is_bool(element_of(c[i]));
  if (bools)
    c.refuse(c.count == 1 ? "bools have no negative; the logical not is ~"
                          : "bools have no difference; write a ^ b");
  return elementwise<Op>(c);
}

inline value power(call const& c) {
  auto const* exponent = std::get_if<std::int64_t>(&c[1]);
  if (exponent != nullptr && *exponent < 0 && is_term(c[0]) &&
      !core::is_continuous(element_of(c[0])))
    c.refuse("an integer to a negative integer power; write float64(x) ** n");
  return elementwise<op::pow>(c);
}

/// x times a power of two.
inline value power_of_two(call const& c) {
  if (core::is_continuous(element_of(c[1]))) c.refuse("the exponent must be an integer");
  return elementwise<op::ldexp>(c);
}

/// The operators & | ^ ~ << >>, for integers and bools.
template <class Op>
value bitwise(call const& c) {
  for (int i = 0; i < c.count; ++i)
    if (core::is_continuous(element_of(c[i])))
      c.refuse("takes integers and bools, not " + std::string(core::name_of(element_of(c[i]))) +
               (std::is_same_v<Op, op::bit_xor> ? "; a power is written **"
                                                : "; comparisons next to it need parentheses"));
  if (!c.all_numbers()) return record(c, core::identity<Op>());
  constexpr bool shifts = std::is_same_v<Op, op::shift_left> || std::is_same_v<Op, op::shift_right>;
  if constexpr (!shifts) return fold(core::identity<Op>(), c.arguments, c.count);
  if (as_double(c[1]) < 0 || as_double(c[1]) > 63)
    c.refuse("the number of bits must be between 0 and 63");
  // A shift to the left is a product, with the same check.
  if constexpr (std::is_same_v<Op, op::shift_left>) {
    call product = c;
    product.arguments[1] = std::exp2(as_double(c[1]));
    double const result = as_double(fold_arithmetic(product, core::identity<op::mul>()));
    if (std::abs(result) >= 0x1p63) c.refuse("the result does not fit an integer of 64 bits");
  }
  std::array<value, 3> numbers = c.arguments;
  for (value& v : numbers)
    if (auto const* b = std::get_if<bool>(&v)) v = static_cast<std::int64_t>(*b);
  return fold(core::identity<Op>(), numbers, c.count);
}

inline value identity(call const& c) { return c[0]; }

inline value clip(call const& c) {
  call low = c, high = c;
  low.count = high.count = 2;
  low.arguments[2] = high.arguments[2] = false;
  high.arguments[0] = elementwise<op::maximum>(low);
  high.arguments[1] = c[2];
  return elementwise<op::minimum>(high);
}

/// Two numbers converted to their common type: floating-point if either is.
inline std::array<value, 2> common(value const& a, value const& b) {
  element const e = core::promote(element_of(a), element_of(b));
  if (core::is_continuous(e)) return {as_double(a), as_double(b)};
  if (core::is_bool(e)) return {a, b};
  return {static_cast<std::int64_t>(as_double(a)), static_cast<std::int64_t>(as_double(b))};
}

inline value where(call const& c) {
  call chosen = c;
  if (is_term(c[0])) {
    term const condition = std::get<term>(c[0]);
    chosen.arguments[0] = term{&c.g, c.g.cast(condition.id, element::boolean)};
  } else {
    chosen.arguments[0] = as_double(c[0]) != 0;
  }
  if (!is_term(c[1]) && !is_term(c[2])) {
    // Two numbers are promoted to a common type, without the condition's.
    auto const [then, otherwise] = common(c[1], c[2]);
    if (!is_term(c[0])) return std::get<bool>(chosen[0]) ? then : otherwise;
    element const e = element_of(then);
    chosen.arguments[1] = term{&c.g, node_of(c, then, e)};
    chosen.arguments[2] = term{&c.g, node_of(c, otherwise, e)};
  }
  return record(chosen, core::identity<op::where>());
}

/// The requested axes as a set of bits.
inline long long axes_of(call const& c, int rank) {
  if (c.at.over.everything) return (1ll << rank) - 1;
  long long axes = 0;
  for (int a : c.at.over.axes) {
    if (a < -rank || a >= rank)
      c.refuse("axis " + std::to_string(a) + " is outside the rank " + std::to_string(rank) +
               " of the operand");
    axes |= 1ll << (a < 0 ? a + rank : a);
  }
  return axes;
}

template <class Op>
value reduction(call const& c) {
  term const x = c.tensor(0);
  constexpr bool logical = std::is_same_v<Op, op::all> || std::is_same_v<Op, op::any>;
  element const as = logical ? element::boolean : Op::result(x.element());
  return ops::reduce(core::identity<Op>(), {&c.g, c.g.cast(x.id, as)}, axes_of(c, x.rank()),
                     c.at.over.keep);
}

inline value mean(call const& c) {
  term const x = c.tensor(0);
  long long const axes = axes_of(c, x.rank());
  element const as = core::is_continuous(x.element()) ? x.element() : element::float64;
  term const total =
      ops::reduce(core::identity<op::sum>(), {&c.g, c.g.cast(x.id, as)}, axes, c.at.over.keep);
  return total / term{&c.g, c.g.cast(ops::count_of(x, axes).id, as)};
}

inline value logsumexp(call const& c) {
  term const x = c.tensor(0);
  term const operand{&c.g, c.g.cast(x.id, core::floating(x.element()))};
  return ops::reduce(core::identity<op::logsumexp>(), operand, axes_of(c, x.rank()),
                     c.at.over.keep);
}

/// Softmax and its logarithm, along the last axis by default.
template <class Op>
value normalization(call const& c) {
  term const x = c.tensor(0);
  if (x.rank() == 0) c.refuse("needs an axis to run along, not a scalar");
  term const operand{&c.g, c.g.cast(x.id, core::floating(x.element()))};
  return ops::over_axes(core::identity<Op>(), operand,
                        c.at.over.everything ? 1ll << (x.rank() - 1) : axes_of(c, x.rank()));
}

inline value dot(call const& c) {
  for (int i = 0; i < 2; ++i) {
    int const rank = is_term(c[i]) ? std::get<term>(c[i]).rank() : 0;
    if (rank == 0)
      c.refuse("takes vectors and matrices; a scalar or a number is multiplied with *");
    if (rank > 2)
      c.refuse("takes vectors and matrices; an operand has " + std::to_string(rank) +
               " dimensions");
  }
  return ops::dot(c.tensor(0), c.tensor(1));
}

inline value transposed(call const& c) { return kroton::transpose(c.tensor(0)); }

template <int Number>
value spread(call const& c) {
  return kroton::full_like(c.tensor(0), Number);
}

template <class T>
value conversion(call const& c) {
  return kroton::cast<T>(c.tensor(0));
}

}  // namespace kroton::runtime::syntax
