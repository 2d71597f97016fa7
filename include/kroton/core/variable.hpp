// Symbolic variables: handles to nodes of a graph, with element type and rank in their C++ type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>
#include <kroton/core/refusal.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace kroton {

/// A node of a graph without a static type, used to write gradients and rules. Every operation on
/// variables takes terms too, and then reads element types and ranks from the graph.
struct term {
  graph* of = nullptr;
  int id = -1;

  constexpr tensor_type type() const { return of->type(id); }
  constexpr int rank() const { return type().rank; }
  constexpr kroton::element element() const { return type().element; }
  constexpr bool exists() const { return of != nullptr; }
};

template <class Value, int Rank>
struct variable;

namespace core {

template <int Rank>
inline constexpr bool is_rank = Rank >= 0 && Rank <= max_rank;

/// An operand that is not a V and does not convert to one: a variable of another type, a number, a
/// tensor of numbers.
template <class X, class V>
concept foreign_to =
    (std::derived_from<X, term> && !std::same_as<X, term> && !std::derived_from<X, V>) ||
    number<X> || requires { X::is_unplaced; };

/// A variable of V's element type and rank, of its base class B, without the extents that V
/// declares.
template <class X, class V, class B>
concept undeclared = std::derived_from<X, B> && !std::derived_from<X, V>;

template <class X, class V>
constexpr term refused_conversion(X const& x);
/// What has been computed for a variable of a type of 16 bits is stored in it.
template <class Value>
constexpr term in_storage(term t) {
  if constexpr (is_short_float<Value>)
    if (t.of != nullptr && is_float(t.element())) t.id = t.of->store(t.id, element_of<Value>());
  return t;
}
constexpr void check_node_type(term t, tensor_type const& type);

}  // namespace core

/// A symbolic tensor of element type Value and the given rank (Theano's TensorType). A parameter of
/// a traced lambda; operations on it record nodes. Its only conversions are operations such as
/// `kt::cast`: its constructors and its assignment take only a variable of its type.
template <class Value, int Rank>
struct variable : term {
  static_assert(Rank >= 0, "kt::variable: a tensor has 0 to 8 dimensions");
  using value_type = Value;
  static constexpr int rank = Rank;
  /// Element type, rank and broadcast flags that a parameter of this type has.
  static constexpr tensor_type parameter_type{core::element_of<Value>(), Rank, 0};

  constexpr variable() = default;
  /// For operations, which know the node's element type and rank.
  constexpr explicit variable(term t) : term(core::in_storage<Value>(t)) {
    // Checked here: clang rejects an expression whose class contains an error.
    static_assert(core::is_rank<Rank>, "kt::variable: a tensor has 0 to 8 dimensions");
    if constexpr (core::is_rank<Rank>) core::check_node_type(*this, parameter_type);
    else if (t.of != nullptr) t.of->fail(core::said_above);
  }
  /// Rejects variables of other types and numbers, with a sentence.
  template <class X>
    requires core::foreign_to<X, variable>
  constexpr variable(X const& x) : term(core::refused_conversion<X, variable>(x)) {}
  constexpr variable(variable const&) = default;
  constexpr variable& operator=(variable const&) & = default;

  /// The extent of dimension d as an int64 scalar; negative d counts from the end.
  constexpr variable<std::int64_t, 0> shape(int d) const
    requires(Rank > 0);
  /// All extents as an int64 vector.
  constexpr variable<std::int64_t, 1> shape() const
    requires(Rank > 0);
  /// Basic indexing: an integer (a number or an integer scalar; negative counts from the end) drops
  /// its axis, `kt::slice` keeps part of it, `kt::newaxis` adds one; axes that are not named remain
  /// whole. The result is a view. (NumPy's basic indexing) If there are integer tensors among the
  /// indices, they broadcast together, and the result is a copy of the elements that they select.
  /// (NumPy's advanced indexing)
  template <class... I>
  constexpr auto operator()(I const&... index) const;
  /// All axes reversed (a view).
  constexpr variable T() const;

  // Uses that a variable does not support. Each is rejected with a sentence.
  template <class I>
  constexpr variable<Value, (Rank > 0 ? Rank - 1 : 0)> operator[](I const&) const;
  template <std::same_as<bool> B>
  constexpr explicit operator B() const;
  constexpr operator double() const;
  template <class V>
    requires(!std::derived_from<V, variable> && !core::foreign_to<V, variable>)
  constexpr variable& operator=(V const&) & {
    return refuse_assignment<V>();  // clang 16 cannot match what is defined elsewhere
  }
  template <class V>
  constexpr variable const& operator=(V const&) const&&;
  constexpr variable<Value, (Rank > 0 ? Rank - 1 : 0)> const* begin() const;
  constexpr variable<Value, (Rank > 0 ? Rank - 1 : 0)> const* end() const;

 private:
  template <class V>
  constexpr variable& refuse_assignment();
};

/// A symbolic matrix with one row, which broadcasts: its first extent must be 1, which each call
/// checks.
template <class T = double>
struct row : variable<T, 2> {
  using variable<T, 2>::variable;
  /// Rejects other matrices, with a sentence.
  template <class X>
    requires core::undeclared<X, row, variable<T, 2>>
  constexpr row(X const& x) : variable<T, 2>(core::refused_conversion<X, row>(x)) {}
  static constexpr tensor_type parameter_type{core::element_of<T>(), 2, 0b01};
};

/// A symbolic matrix with one column, which broadcasts: its last extent must be 1, which each call
/// checks.
template <class T = double>
struct col : variable<T, 2> {
  using variable<T, 2>::variable;
  /// Rejects other matrices, with a sentence.
  template <class X>
    requires core::undeclared<X, col, variable<T, 2>>
  constexpr col(X const& x) : variable<T, 2>(core::refused_conversion<X, col>(x)) {}
  static constexpr tensor_type parameter_type{core::element_of<T>(), 2, 0b10};
};

template <class T = double> using scalar = variable<T, 0>;
template <class T = double> using vector = variable<T, 1>;
template <class T = double> using matrix = variable<T, 2>;
template <class T = double> using tensor3 = variable<T, 3>;
template <class T = double> using tensor4 = variable<T, 4>;

// Theano's names: the letter gives the element type.
using bscalar = scalar<std::int8_t>;
using wscalar = scalar<std::int16_t>;
using iscalar = scalar<std::int32_t>;
using lscalar = scalar<std::int64_t>;
using fscalar = scalar<float>;
using dscalar = scalar<double>;
using cscalar = scalar<std::complex<float>>;
using zscalar = scalar<std::complex<double>>;
using bvector = vector<std::int8_t>;
using wvector = vector<std::int16_t>;
using ivector = vector<std::int32_t>;
using lvector = vector<std::int64_t>;
using fvector = vector<float>;
using dvector = vector<double>;
using cvector = vector<std::complex<float>>;
using zvector = vector<std::complex<double>>;
using bmatrix = matrix<std::int8_t>;
using wmatrix = matrix<std::int16_t>;
using imatrix = matrix<std::int32_t>;
using lmatrix = matrix<std::int64_t>;
using fmatrix = matrix<float>;
using dmatrix = matrix<double>;
using cmatrix = matrix<std::complex<float>>;
using zmatrix = matrix<std::complex<double>>;
using brow = row<std::int8_t>;
using wrow = row<std::int16_t>;
using irow = row<std::int32_t>;
using lrow = row<std::int64_t>;
using frow = row<float>;
using drow = row<double>;
using crow = row<std::complex<float>>;
using zrow = row<std::complex<double>>;
using bcol = col<std::int8_t>;
using wcol = col<std::int16_t>;
using icol = col<std::int32_t>;
using lcol = col<std::int64_t>;
using fcol = col<float>;
using dcol = col<double>;
using ccol = col<std::complex<float>>;
using zcol = col<std::complex<double>>;
using btensor3 = tensor3<std::int8_t>;
using wtensor3 = tensor3<std::int16_t>;
using itensor3 = tensor3<std::int32_t>;
using ltensor3 = tensor3<std::int64_t>;
using ftensor3 = tensor3<float>;
using dtensor3 = tensor3<double>;
using ctensor3 = tensor3<std::complex<float>>;
using ztensor3 = tensor3<std::complex<double>>;
using btensor4 = tensor4<std::int8_t>;
using wtensor4 = tensor4<std::int16_t>;
using itensor4 = tensor4<std::int32_t>;
using ltensor4 = tensor4<std::int64_t>;
using ftensor4 = tensor4<float>;
using dtensor4 = tensor4<double>;
using ctensor4 = tensor4<std::complex<float>>;
using ztensor4 = tensor4<std::complex<double>>;

/// Anything that represents a node: a term or a variable.
template <class X>
concept symbolic = std::derived_from<std::remove_cvref_t<X>, term>;

namespace core {

template <class T, int Rank>
std::integral_constant<int, Rank> rank_of_(variable<T, Rank> const*);
template <class T, int Rank>
T value_of_(variable<T, Rank> const*);

}  // namespace core

/// A symbolic variable with a static type.
template <class X>
concept typed = symbolic<X> && requires(std::remove_cvref_t<X>* x) { core::rank_of_(x); };

/// Rank and element type of a variable.
template <typed X>
inline constexpr int rank_of =
    decltype(core::rank_of_(static_cast<std::remove_cvref_t<X>*>(nullptr)))::value;
template <typed X>
using value_type_of = decltype(core::value_of_(static_cast<std::remove_cvref_t<X>*>(nullptr)));

namespace core {
template <class... X>
constexpr graph* graph_of_operands(X const&... x);
}

/// A tensor that does not belong to a graph yet, such as `kt::zeros<double>(2, 3)`: `Make` records
/// it in the graph of the first variable that it is combined with.
template <class T, int Rank, class Make>
struct unplaced {
  using value_type = T;
  static constexpr int rank = Rank;
  static constexpr bool is_unplaced = true;
  Make make;

  constexpr variable<T, Rank> in(graph& g) const { return variable<T, Rank>(make(g)); }
  /// Its elements at indices of which one is symbolic, as those of a variable.
  template <class... I>
    requires(symbolic<I> || ...)
  constexpr auto operator()(I const&... index) const {
    return in(*core::graph_of_operands(index...))(index...);
  }
};

/// A tensor made of numbers alone, which joins the graph of the first variable that it is combined
/// with.
template <class X>
concept placeable = requires { std::remove_cvref_t<X>::is_unplaced; };

namespace core {

/// A placeable tensor as a variable of a graph; everything else unchanged.
template <class X>
constexpr auto placed(graph& g, X const& x) {
  if constexpr (placeable<X>) return x.in(g);
  else return x;
}
template <class X>
using placed_type = decltype(placed(std::declval<graph&>(), std::declval<X const&>()));

/// Whether a variable of rank From is accepted where one of rank To is required.
template <int From, int To>
inline constexpr bool is_of_rank = From == To;
template <class From, class To>
inline constexpr bool is_of_element_type = std::same_as<From, To>;
template <class X>
inline constexpr bool is_variable = typed<X>;
template <class From, class To>
inline constexpr bool declares_extents = std::same_as<From, To>;

/// The node of a variable that was rejected.
inline constexpr int refused_node = -2;

/// A node of a type, for a program that is rejected.
constexpr int stand_in(graph& g, tensor_type const& type) {
  long long const attributes[] = {-1, -1};
  return g.add(&info<op::input>, type, core::items<int>{}, attributes);
}

/// Reports why x does not convert to a V, and what to write.
template <class X, class V>
constexpr term refused_conversion([[maybe_unused]] X const& x) {
  if constexpr (!typed<X>) {
    static_assert(
        is_variable<X>,
        "kt::variable: a number does not convert to a variable: write the number itself in the "
        "expression, or full_like(x, number) for a tensor of it");
    return {nullptr, refused_node};
  } else {
    if constexpr (rank_of<X> != rank_of<V>)
      static_assert(is_of_rank<rank_of<X>, rank_of<V>>,
                    "kt::variable: a variable of another rank does not convert: write x(i), "
                    "x(kt::newaxis), reshape, flatten, dimshuffle or a reduction");
    else if constexpr (!std::same_as<value_type_of<X>, value_type_of<V>>)
      static_assert(is_of_element_type<value_type_of<X>, value_type_of<V>>,
                    "kt::variable: a variable of another element type does not convert: write "
                    "kt::cast<T>(x)");
    else
      static_assert(
          declares_extents<X, V>,
          "kt::variable: only a parameter can be declared as a kt::row, kt::col or kt::fixed: "
          "write auto or kt::matrix<T> for an expression, and x(i, kt::newaxis) or broadcast_to "
          "for one that broadcasts");
    x.of->fail(said_above);
    return {x.of, stand_in(*x.of, V::parameter_type)};
  }
}

/// A variable's element type and rank are those of its node.
constexpr void check_node_type(term t, tensor_type const& type) {
  if (t.of == nullptr) return;
  tensor_type const& node = (*t.of)[t.id].type;
  if (node.element != type.element || node.rank != type.rank)
    t.of->fail(
        "kt::variable: the term has another element type or rank: only operations make variables "
        "from terms");
}

/// A variable whose element type and rank are in its C++ type.
template <class X>
concept static_operand = typed<X> || placeable<X>;
template <static_operand X>
constexpr element static_element_of() {
  return element_of<typename std::remove_cvref_t<X>::value_type>();
}

}  // namespace core

/// An operand: a symbolic variable, a plain number, or a tensor of numbers.
template <class X>
concept operand = symbolic<X> || number<X> || placeable<X>;
/// Operands of which at least one is symbolic, so that the operator is Kroton's.
template <class... X>
concept operands = (operand<X> && ...) && (symbolic<X> || ...);

/// Gives a variable a name for errors and prints. The name is not part of the expression's
/// identity.
template <symbolic X>
constexpr X named(X const& x, std::string_view name) {
  x.of->names().push_back({x.of->is_stored(x.id) ? x.of->input_of(x.id, 0) : x.id, name});
  return x;
}

}  // namespace kroton
