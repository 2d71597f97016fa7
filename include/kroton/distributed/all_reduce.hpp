// Values of all ranks, reduced, as an op.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/structure.hpp>
#include <kroton/distributed/ops.hpp>
#include <kroton/ops/along_axes/reduction.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

namespace kroton {
namespace distributed {

/// How all_reduce combines the values of the ranks: kt::sum, kt::mean, kt::max or kt::min, the
/// functions themselves.
using reducer = term (*)(term const&);

constexpr bool collective_of(reducer how, collective& found) {
  constexpr std::pair<reducer, collective> known[] = {{kroton::sum, collective::sum},
                                                      {kroton::mean, collective::mean},
                                                      {kroton::max, collective::max},
                                                      {kroton::min, collective::min}};
  for (auto const& [function, what] : known)
    if (function == how) return found = what, true;
  return false;
}

/// The fault of a reduction of such elements; none: empty.
constexpr std::string_view fault_of(element type, collective what) {
  bool const is_extremum = what == collective::max || what == collective::min;
  if (core::is_bool(type)) return "kt::all_reduce: bools have no sum: cast them to an integer type";
  if (core::is_complex(type) && is_extremum) return core::no_complex_numbers;
  if (core::is_integer(type) && what == collective::mean)
    return "kt::all_reduce: integers have no mean: cast them to a floating-point type";
  return {};
}
/// Whether values can be reduced so; otherwise the graph has the fault.
constexpr bool can_be_reduced(term x, reducer how, collective& what) {
  if (!collective_of(how, what)) {
    x.of->fail("kt::all_reduce: the second argument is kt::sum, kt::mean, kt::max or kt::min");
    return false;
  }
  std::string_view const fault = fault_of(x.element(), what);
  if (!fault.empty()) x.of->fail(fault);
  return fault.empty();
}

/// The positions of values of one element type among variables.
template <element E, class... V>
constexpr auto positions_of() {
  constexpr bool has[] = {core::element_of<value_type_of<V>>() == E...};
  constexpr std::size_t count = (std::size_t{core::element_of<value_type_of<V>>() == E} + ...);
  std::array<std::size_t, count> at{};
  for (std::size_t k = 0, next = 0; k < sizeof...(V); ++k)
    if (has[k]) at[next++] = k;
  return at;
}
/// Reduces those of the variables that have this type.
template <element E, class... V>
constexpr void reduce_type(std::array<term, sizeof...(V)>& all, reducer how) {
  constexpr auto at = positions_of<E, V...>();
  if constexpr (at.size() > 0) {
    std::array<term, at.size()> some{};
    for (std::size_t k = 0; k < at.size(); ++k) some[k] = all[at[k]];
    collective what{};
    if (!can_be_reduced(some[0], how, what)) return;
    some = reduced(some, what);
    for (std::size_t k = 0; k < at.size(); ++k) all[at[k]] = some[k];
  }
}
template <class... V>
constexpr std::array<term, sizeof...(V)> reduced_leaves(std::tuple<V...> const& leaves,
                                                        reducer how) {
  auto all = std::apply([](auto const&... v) { return std::array<term, sizeof...(V)>{term(v)...}; },
                        leaves);
  [&]<std::size_t... E>(std::index_sequence<E...>) {
    (reduce_type<static_cast<element>(E), V...>(all, how), ...);
  }(std::make_index_sequence<core::element_types>{});
  return all;
}

template <class P>
constexpr bool has_compounds() {
  if constexpr (compound<P>) return true;
  else if constexpr (structured<P>)
    return core::with_members<P>([]<class... M>(std::type_identity<M>...) {
      return (has_compounds<typename M::type>() || ...);
    });
  else return false;
}

}  // namespace distributed

/// The values that x has on all ranks, added up or otherwise reduced element by element: the same
/// on every rank. `how` is kt::sum, kt::mean, kt::max or kt::min. All ranks call the function that
/// contains it, with the same extents of x: otherwise kt::shape_error or kt::distributed::error on
/// all of them. It is computed also where its branch of an ifelse is not taken, and cannot stand in
/// the body of a loop. (jax.lax.psum, MPI_Allreduce)
///
/// Gradients are those of the sum of the costs of all ranks: of a sum that of the gradients, of a
/// mean their mean; of an extremum the sum, which goes to the first rank that has it.
template <symbolic X>
constexpr X all_reduce(X const& x, distributed::reducer how) {
  distributed::collective what{};
  if (!distributed::can_be_reduced(x, how, what)) return x;
  return X(distributed::reduced<1>({term(x)}, what)[0]);
}
/// The same of variables and structs together: `auto [cost, g] = kt::all_reduce(std::tuple(cost,
/// grad(cost, w)), kt::mean)`. Those of one element type are one op.
template <class... X>
  requires((typed<X> || structured<X>) && ...)
constexpr std::tuple<X...> all_reduce(std::tuple<X...> const& x, distributed::reducer how) {
  constexpr bool is_dense = !(distributed::has_compounds<X>() || ...);
  static_assert(is_dense,
                "kt::all_reduce: sparse matrices are not reduced: reduce a.value, where all ranks "
                "have one pattern");
  if constexpr (!is_dense) return x;
  else {
    auto const all = std::apply(
        [&](auto const&... each) {
          return distributed::reduced_leaves(std::tuple_cat(core::leaves(each)...), how);
        },
        x);
    std::size_t k = 0;
    auto next = [&]<class V>(std::type_identity<V>) { return V(all[k++]); };
    return std::tuple<X...>{core::build<X>(next)...};
  }
}
/// The same of all variables of a struct, such as gradients.
template <structured S>
constexpr S all_reduce(S const& s, distributed::reducer how) {
  return std::get<0>(all_reduce(std::tuple<S>(s), how));
}

}  // namespace kroton
