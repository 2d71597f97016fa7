// The graph's view of an op: one record made from its declaration, whose address is the op's
// identity.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/affine.hpp>
#include <kroton/core/list.hpp>
#include <kroton/core/step.hpp>
#include <kroton/core/text.hpp>
#include <kroton/core/type.hpp>

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace kroton {

class graph;
namespace calculus {
class batching;
struct lanes;
}  // namespace calculus

/// Algebraic laws of an op, used by the matcher and the normal form, and checked on samples by the
/// test suite.
enum class law : std::uint32_t {
  none = 0,
  commutative = 1,  ///< f(a, b) = f(b, a)
  associative = 2,  ///< f(f(a, b), c) = f(a, f(b, c))
  idempotent = 4,   ///< f(a, a) = a
  involution = 8,   ///< f(f(a)) = a
  odd = 16,         ///< f(-a) = -f(a)
  even = 32,        ///< f(-a) = f(a)
  increasing = 64,  ///< a < b implies f(a) <= f(b)
};
constexpr law operator|(law a, law b) {
  return static_cast<law>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool operator&(law a, law b) {
  return (static_cast<unsigned>(a) & static_cast<unsigned>(b)) != 0;
}

namespace core {

/// An op's inputs and static attributes, as its type and shape rules see them.
struct application {
  graph const* of = nullptr;
  items<int> inputs;
  items<long long> attributes;

  constexpr tensor_type input(int i) const;
  constexpr int count() const { return inputs.count; }
  constexpr long long attribute(int i) const { return attributes.first[i]; }
  constexpr int attribute_count() const { return attributes.count; }
};

/// Element types of an elementwise op: those that its operands are converted to, and that of its
/// result.
struct signature {
  element result = element::float64;
  element operand[3]{};
};

/// Where the extent of one dimension of a result comes from.
struct extent_source {
  // The literals 1 and 0; dimension `axis` of an operand; the value of an operand, an int64 scalar;
  // the number of elements of an operand, or of the result.
  enum kind { one, zero, dimension, value, count, result_count } from = one;
  int input = 0;
  int axis = 0;
  affine by{};  // a function of it
};

/// What a condition requires of its two int64 scalars.
enum class condition : long long {
  equal,     // they are the same
  index,     // the left one is an index within the extent on the right
  at_least,  // the left one is not less than the right one
  count,     // an array can have as many elements as the left one, multiplied by those of the
             // entries behind it:
  extent,    //   the extent of the next axis,
  factor,    //   one more factor of the extent before it
  note,  // for the error of the condition before it; what it says is up to the op: an extent of the
         // operand's shape (right is 0) or of the one asked for (1), or what is at least so long;
         // of op where, what the condition compares if there is a step: it asks of where's choice
};

/// Whether an entry belongs to the condition before it.
constexpr bool is_continued(condition kind) {
  return kind == condition::extent || kind == condition::factor || kind == condition::note;
}

/// What an op requires of extents.
struct extent_pair {
  extent_source left, right;
  condition kind = condition::equal;
};

/// A unique number for each type, by which ops are compared. (Under -fsanitize=undefined g++ 12
/// does not compare addresses of inline variables in a constant evaluation.)
template <class Op>
constexpr std::uint64_t key_of() {
  return hash_of(__PRETTY_FUNCTION__);
}

template <class Op>
constexpr std::string_view name_in_function() {
  return __PRETTY_FUNCTION__;
}
/// Where the name of a type begins in there, found once for all ops.
inline constexpr std::size_t name_begins = name_in_function<void>().rfind("void");

/// Whether an op is one of the library's, by its namespace: a type derived from one is not.
template <class Op>
constexpr bool is_built_in() {
  return name_in_function<Op>().substr(name_begins).starts_with("kroton::op::");
}

/// The same as a constant: naming an op's record would instantiate it in programs that never use
/// the op.
template <class Op>
inline constexpr std::uint64_t key_constant = key_of<Op>();

/// Sets of ops as bits: if an op's bit is missing, the op is absent; if it is set, the op may be
/// present.
constexpr std::uint64_t op_bit(std::uint64_t key) { return std::uint64_t{1} << (key >> 58); }

/// Everything that passes know about an op. A node holds its address. Ops are compared by `key` and
/// ordered by `name_hash`, which is the same in every build.
struct op_info {
  std::string_view name;
  std::uint64_t key = 0;
  std::uint64_t name_hash = 0;
  int arity = 0;  // negative: any number
  // A node is its first output, an op::item of it each further one. 0: `output_count` says how many
  int outputs = 1;
  // The operand in whose memory its step may leave the result; the op performs its checks before it
  // writes
  int overwrites = -1;
  law laws = law::none;
  bool elementwise = false;
  bool reduction = false;
  bool cheap = false;  // see plan/recompute.hpp
  // Computes rows of all its operands as it does whole arrays, unless its first attribute is axis 0
  bool by_rows = false;
  // Lays its operands, all but the first, one behind the other along the axis that is its first
  // attribute: they may be computed where they come to lie
  bool concatenates = false;
  // Selects elements or rows of its first operand by the indices in the others. Loops may then read
  // them where they are, see plan/indirect.hpp.
  bool selects = false;
  // Adds its second operand to elements or rows of the first one, which the indices in the others
  // select: for some of them after the others, see plan/bands.hpp.
  bool scatters = false;
  // Makes its elements from their positions alone; a loop may then make those that it reads
  bool generates = false;
  // Takes operands of 16 bits as they are stored, since it computes with none of their elements
  bool takes_stored = false;
  // Whether the functions below exist. Under -fsanitize=undefined g++ 12 does not compare their
  // addresses with null in a constant evaluation, so flags are needed.
  bool has_extent = false, has_constraints = false, has_pullback = false, has_fold = false;
  bool takes_complex = true, is_holomorphic = true;  // see `elementwise`
  bool takes_only_integers = false;
  step_kind step = step_kind::own;  // how a plan takes it, unless it is fused into a loop
  bool has_inner = false, has_each = false, has_batch = false, has_slice = false;
  bool has_growing = false;
  bool is_serial = false;  // never merged, copied or reordered, see `operation`
  bool has_abandon = false;
  bool is_eager = false;  // a plan runs it as soon as its operands are there, see `operation`
  bool is_draw = false;  // makes random numbers of a state, its first operand,
  int drawn = 0;         // of this distribution
  // Its first attribute is the address of a body, see `operation`; a plan takes the nodes that it
  // stands for in its place
  bool has_body = false, is_written_out = false;
  // Its outputs are its first operands, and it matters to derivatives alone: it is gone as soon as
  // rewriting begins
  bool is_for_derivatives = false;
  bool is_constant = false;  // its gradient is 0 everywhere, see `no_gradient`
  std::string_view unwritten_gradient =
      {};  // the error of a gradient that needs it: the op has neither a pullback nor `no_gradient`
  signature (*types)(element const*, int) = nullptr;  // elementwise only
  tensor_type (*type)(application const&) = nullptr;
  extent_source (*extent)(application const&, int) = nullptr;  // if null: known at run time only
  void (*constraints)(application const&, list<extent_pair>&) = nullptr;  // if null: none
  void (*pullback)(graph&, int y, int g, list<int>& gradients) = nullptr;
  bool (*fold)(application const&, element, std::int64_t& bits) = nullptr;  // if null: never folded
  int (*output_count)(application const&) = nullptr;                        // if `outputs` is 0
  // The same for ops that have items. The last argument is the number of the output or, for a
  // pullback, the number of gradients.
  tensor_type (*type_of_output)(application const&, int) = nullptr;
  extent_source (*extent_of_output)(application const&, int, int output) = nullptr;
  void (*pullback_of_outputs)(graph&, int y, items<int> g, list<int>& gradients) = nullptr;
  // Whether the step finds out how many rows an output has, and its extent only says how many there
  // may be. Readers take no more rows than another output tells them
  bool (*grows)(application const&, int output) = nullptr;
  // What a target has for graphs of the running program, by its own type; null for built-in ops,
  // which are in the target's lists.
  void const* (*kernels)() = nullptr;
  graph (*inner)() = nullptr;  // ops that stand for a graph
  // A rule for batches, see grad/batching.hpp
  calculus::lanes (*batch)(calculus::batching&, int) = nullptr;
  void (*abandon)() = nullptr;  // told of calls that throw, see `operation`
  // If it is written out
  void (*write_out)(graph&, application const&, list<int>& outputs) = nullptr;
  op_info const* (*each)() = nullptr;   // the same op slice by slice, see core/each.hpp
  op_info const* (*slice)() = nullptr;  // the op that it runs slice by slice

  constexpr bool has(law l) const { return laws & l; }
  /// How many of a node's operands the op reads: a serial node's last one only precedes it.
  constexpr int read(int operands) const { return is_serial ? operands - 1 : operands; }
  /// Whether its nodes may have further outputs, which are op::items.
  constexpr bool has_items() const { return outputs != 1; }
  /// Identity of ops.
  constexpr bool operator==(op_info const& other) const { return key == other.key; }
};

/// What an op may declare instead of a pullback: nothing, as its base class does, or that no
/// gradient passes through it.
struct no_pullback {};
struct gradient_barrier {};
/// Or that its gradient is made from that of its body, see grad/loop/pullback.hpp.
struct pullback_of_body {};
template <class Op, class Instead>
inline constexpr bool has_instead_of_pullback =
    requires { requires std::is_same_v<std::remove_cvref_t<decltype(Op::pullback)>, Instead>; };

}  // namespace core

/// Declares that an op has no gradient by nature, like rounding and comparisons: `static constexpr
/// auto pullback = kt::no_gradient;`. Its gradient is then 0. (If an op has neither this nor a
/// pullback, a gradient that needs it is an error.)
struct no_gradient_t {};
inline constexpr no_gradient_t no_gradient{};

namespace core {

/// Whether an op declares a gradient, decided without instantiating it.
template <class Op>
inline constexpr bool has_pullback =
    !has_instead_of_pullback<Op, no_pullback> && !has_instead_of_pullback<Op, gradient_barrier> &&
    !has_instead_of_pullback<Op, no_gradient_t>;

/// The error of a gradient that needs the gradient of an op which does not declare one.
template <class Op>
struct unwritten_gradient {
  static constexpr std::string_view before = "kt: the gradient of ",
                                    after =
                                        " is needed but not defined: give the op a pullback, or "
                                        "kt::no_gradient if it has none by nature";
  static constexpr auto sentence =
      joined<before.size() + Op::name.size() + after.size() + 1>({before, Op::name, after});
};

template <class Op>
constexpr op_info describe();

}  // namespace core

/// The record of an op; its address is the op's identity in a graph.
template <class Op>
inline constexpr core::op_info info = core::describe<Op>();

namespace core {

// Maps the address back to the type, through a friend found by argument-dependent lookup:
// op_join<Op>, instantiated wherever the op is recorded, defines what op_key declares. This needs
// no list and no number.
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1301
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
template <op_info const* Address>
struct op_key {
  friend constexpr auto op_of(op_key);
};
template <class Op>
struct op_join {
  friend constexpr auto op_of(op_key<&info<Op>>) { return std::type_identity<Op>{}; }
  static constexpr op_info const* address = &info<Op>;
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

/// The op type behind an address. A class instead of an alias alone, so that the lookup happens
/// once per op and not once per node.
template <op_info const* Address>
struct op_behind {
  using type = typename decltype(op_of(op_key<Address>{}))::type;
};
template <op_info const* Address>
using op_at = typename op_behind<Address>::type;

/// Whether an op is `Op`.
template <class Op>
constexpr bool is_op(op_info const* op) {
  return op->key == key_constant<Op>;
}

/// The identity of `Op`, joined so that it can be frozen to a type.
template <class Op>
constexpr op_info const* identity() {
  return op_join<Op>::address;
}

}  // namespace core
}  // namespace kroton
