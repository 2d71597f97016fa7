// Sparse Jacobians and Hessians: only the elements that can differ from 0.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/jacobian.hpp>
#include <kroton/grad/sparsity.hpp>
#include <kroton/ops/sparse/diagonals.hpp>

namespace kroton {
namespace calculus {

/// The Jacobian of one tensor with respect to another. Of vectors that are computed from each other
/// element by element and by slices, the compiler knows the segments of diagonals. Otherwise the
/// pattern is found when extents are known, and the Jacobian multiplied with few directions.
class sparse_jacobian_request {
 public:
  constexpr sparse_jacobian_request(term y, term x, ops::sparsity_kind kind)
      : g_(*y.of), y_(y), x_(x), kind_(kind) {}

  /// A variable that y does not depend on is an error, unless an option says otherwise.
  constexpr ops::sparse_parts run(disconnected_t const* option) {
    rows_ = {&g_, ops::count_node(g_, y_.id)};
    columns_ = {&g_, ops::count_node(g_, x_.id)};
    list<segment> segments;
    if (y_.rank() == 1 && x_.rank() == 1 && find_segments(segments)) return of_segments(segments);
    sparsity_program const program(y_, x_);
    if (!program.depends() && option == nullptr)
      g_.fail(
          "kt::sparse_jacobian: the tensor does not depend on a variable it is differentiated by; "
          "pass kt::disconnected::zero to get 0");
    if (!program.depends() && option != nullptr && option->warns) g_.note_disconnected();
    return program.depends() ? compressed(program) : empty();
  }

 private:
  constexpr bool find_segments(list<segment>& found) {
    if (y_.type().broadcasts(0)) return false;
    term const seed = lane_of(y_, 0), one{&g_, g_.literal(1, y_.element())};
    list<int> wanted{pulled_back(seed)};
    if (wanted[0] < 0) return false;
    list<term> const extents{extent(y_, 0)};
    batching pass(g_, extents);
    pass.set(seed.id, {alloc(one, extents).id, tie(0, 0), true, true});
    pass.run(wanted);
    return pass.read_segments(wanted[0], found);
  }
  constexpr ops::sparse_parts of_segments(list<segment> const& segments) const {
    list<ops::diagonal_segment> all;
    auto const sum = [&](list<int> const& terms) {
      term total = integer(g_, 0);
      for (int id : terms) total = total + term{&g_, id};
      return total;
    };
    for (segment const& s : segments) {
      int const scalar = scalar_of(s.data), values = scalar >= 0 ? scalar : s.data;
      all.push_back({{&g_, g_.cast(values, x_.element())},
                     extent({&g_, s.data}, 0),
                     sum(s.row),
                     sum(s.column)});
    }
    return ops::matrix_of_diagonals(all, rows_, columns_);
  }
  // The scalar that all elements of a vector are, -1 if they may differ.
  constexpr int scalar_of(int id) const {
    if (g_.type(id).rank == 0) return id;
    bool const is_part = g_.is<op::alloc>(id) || g_.is<op::subtensor>(id);
    if (is_part) return scalar_of(g_.input_of(id, 0));
    if (!g_[id].op->elementwise) return -1;
    list<int> scalars;
    for (int i = 0; i < g_[id].input_count; ++i) {
      scalars.push_back(scalar_of(g_.input_of(id, i)));
      if (scalars.back() < 0) return -1;
    }
    if (g_.is<op::cast>(id)) return g_.cast(scalars[0], g_.type(id).element);
    list<long long> const attributes(g_.attributes(id).first, g_.attributes(id).count);
    return g_.apply(g_[id].op, scalars, attributes);
  }

  constexpr ops::sparse_parts compressed(sparsity_program const& program) const {
    list<int> operands{rows_.id, columns_.id};
    operands.append(program.operands().data(), program.operands().size());
    list<long long> const attributes = program.attributes(kind_);
    term const pattern{&g_, g_.apply(identity<op::sparsity>(), operands, attributes)},
        counts = output_of(pattern, 3);
    list<int> all{number_in(counts, 0).id};
    all.append(operands.data(), operands.size());
    term const places{&g_, g_.apply(identity<op::sparsity_places>(), all, attributes)};
    term products = by_columns(output_of(pattern, 1), number_in(counts, 1));
    if (kind_ == ops::sparsity_kind::general)
      products = join({products, by_rows(output_of(pattern, 2), number_in(counts, 2))}, 0);
    return {ops::picked(products, output_of(places, 1)), places, pattern, columns_};
  }
  static constexpr term number_in(term vector, int position) {
    selection s{*vector.of, vector, {vector.id}};
    s.add(position);
    return permute({vector.of, s.node()}, {});
  }
  // The products of the Jacobian with the sums of the columns of a direction, one after the other.
  constexpr term by_columns(term direction, term count) const {
    term const seeds = indicators(direction, count, x_), lane = lane_of(seeds, 1);
    list<int> const wanted{pushforward(y_, x_, lane)};
    return mapped(seeds, lane, count, wanted, rows_);
  }
  // The same of rows.
  constexpr term by_rows(term direction, term count) const {
    term const seeds = indicators(direction, count, y_), lane = lane_of(seeds, 1);
    list<int> const wanted{pulled_back(lane)};
    return mapped(seeds, lane, count, wanted, columns_);
  }
  constexpr term mapped(term seeds, term lane, term count, list<int> const& wanted,
                        term length) const {
    if (wanted[0] < 0)
      return alloc({&g_, g_.literal(0, x_.element())}, list<term>{count * length});
    batching pass(g_, list<term>{count});
    pass.set(lane.id, {seeds.id, 0, true, true});
    pass.run(wanted);
    term const all = pass.dense(wanted[0]);
    return reshape({&g_, g_.cast(all.id, x_.element())}, {count * length});
  }
  constexpr int pulled_back(term gradient) const {
    reverse_sweep sweep(g_, &pull_back_scan);
    sweep.seed(y_.id, gradient.id);
    sweep.run(list<int>{x_.id});
    return sweep.gradient(x_.id);
  }
  // For each direction 1 at the elements of a tensor that belong to it, 0 at the others.
  constexpr term indicators(term direction, term count, term like) const {
    list<term> extents;
    list<int> of_elements{-1}, of_directions{0};
    for (int d = 0; d < like.rank(); ++d) {
      extents.push_back(extent(like, d));
      of_elements.push_back(d);
      of_directions.push_back(-1);
    }
    term const numbers{&g_, g_.cast(iota(count).id, element::int32)};
    term const is_one = call<op::eq>(permute(reshape(direction, extents), of_elements),
                                     permute(numbers, of_directions));
    return {&g_, g_.cast(is_one.id, like.element())};
  }

  constexpr ops::sparse_parts empty() const {
    term const none{&g_, g_.literal(0, x_.element())}, zero{&g_, g_.literal(0, element::int32)};
    list<term> const extents{integer(g_, 0)};
    return {alloc(none, extents), alloc(zero, extents), alloc(zero, list<term>{rows_ + 1}),
            columns_};
  }

  graph& g_;
  term y_, x_;
  ops::sparsity_kind kind_;
  term rows_{}, columns_{};
};

template <class W>
constexpr bool is_real_or_structured() {
  if constexpr (typed<W>) {
    constexpr element e = element_of<value_type_of<W>>();
    return is_continuous(e) && !is_complex(e);
  } else {
    return structured<W> && is_differentiable<W>();
  }
}

template <class X>
constexpr csr<value_type_of<X>> typed_sparse(ops::sparse_parts const& found) {
  return ops::matrix_of<value_type_of<X>, true>(found);
}
template <class Y, class X>
constexpr auto sparse_jacobian_tuple(Y const& y, X const& x, disconnected_t const* option) {
  if constexpr (typed<X>)
    return std::tuple(
        typed_sparse<X>(sparse_jacobian_request(y, x, ops::sparsity_kind::general).run(option)));
  else return std::tuple<>();
}

/// The second derivatives of a cost with respect to two variables.
template <class A, class B>
constexpr csr<value_type_of<B>> sparse_hessian_block(term cost, A const& a, B const& b) {
  graph& g = *cost.of;
  gradient_request first(g);
  first.seed(cost.id, g.literal(1, cost.element()));
  first.option(disconnected::zero);
  first.option(a);
  first.run();
  auto const kind = a.id == b.id ? ops::sparsity_kind::symmetric : ops::sparsity_kind::general;
  return typed_sparse<B>(
      sparse_jacobian_request(first.result(a), b, kind).run(&disconnected::zero));
}
template <class A, class... X>
constexpr auto sparse_hessian_row(term cost, A const& a, X const&... x) {
  return std::tuple{sparse_hessian_block(cost, a, x)...};
}

}  // namespace calculus

/// What a sparse Jacobian is of, and what it is with respect to: real floating-point variables, or
/// structs of them.
template <class X> concept sparse_derivatives_are_real = calculus::is_real_or_structured<X>();

/// The Jacobian of y with respect to x as a sparse matrix: a row for each element of y and a column
/// for each of x, both in row-major order. For several variables, a tuple; a struct counts as its
/// variables. With the additional argument `kt::disconnected::zero`, a variable that y does not
/// depend on is not an error.
///
/// The pattern has every place where the expression as written can have an element other than 0; an
/// op whose structure is not known makes all of its result depend on all of its operands. It is
/// found while the program compiles for vectors that are computed from each other element by
/// element and by slices, and otherwise by the first call with some extents (and index tensors),
/// and kept. The elements are then read from the products with few directions: of columns that
/// share no row, by forward mode, and of long rows by reverse mode.
/// Throws kt::value_error if there are more elements than int32 can count. (sparsejac.jacfwd)
template <sparse_derivatives_are_real Y, class... X>
  requires typed<Y> && (sizeof...(X) > 0) &&
           ((sparse_derivatives_are_real<X> || std::same_as<X, disconnected_t>) && ...)
constexpr auto sparse_jacobian(Y const& y, X const&... x) {
  if constexpr (core::any_structured<X...>) {
    return std::apply([&](auto const&... variable) { return sparse_jacobian(y, variable...); },
                      std::tuple_cat(core::continuous_leaves(x)...));
  } else {
    disconnected_t const* option = nullptr;
    auto const note = [&](auto const& given) {
      if constexpr (std::same_as<std::remove_cvref_t<decltype(given)>, disconnected_t>)
        option = &given;
    };
    (note(x), ...);
    // In braces, which guarantee the order of evaluation.
    std::tuple<decltype(calculus::sparse_jacobian_tuple(y, x, option))...> const found{
        calculus::sparse_jacobian_tuple(y, x, option)...};
    return calculus::one_or_all(
        std::apply([](auto const&... part) { return std::tuple_cat(part...); }, found));
  }
}

/// The Hessian of a scalar cost with respect to x as a sparse matrix with a row and a column for
/// each element of x, in row-major order; its pattern and its values are symmetric. For several
/// variables, a tuple of rows of blocks; a struct counts as its variables. The pattern is found as
/// by sparse_jacobian, from the gradient; of two mirrored elements one is computed, by products
/// with the directions of a star coloring. (autodiff, CppAD: sparse_hessian)
template <symbolic C, sparse_derivatives_are_real... X>
  requires cost_is_a_floating_scalar<C> && (sizeof...(X) > 0)
constexpr auto sparse_hessian(C const& cost, X const&... x) {
  if constexpr (core::any_structured<X...>)
    return std::apply([&](auto const&... variable) { return sparse_hessian(cost, variable...); },
                      std::tuple_cat(core::continuous_leaves(x)...));
  else if constexpr (sizeof...(X) == 1) return calculus::sparse_hessian_block(cost, x..., x...);
  else return std::tuple{calculus::sparse_hessian_row(cost, x, x...)...};
}

namespace calculus {

template <class F, int... Which>
struct sparse_jacobian_of : keeps_signature<F> {
  template <symbolic_or_structured... X>
  constexpr auto operator()(X const&... x) const {
    auto const all = std::tie(x...);
    return of_each_output(
        F{}(x...), [&](auto const& y) { return sparse_jacobian(y, std::get<Which>(all)...); });
  }
};
template <class F, int... Which>
struct sparse_hessian_of : keeps_signature<F> {
  template <symbolic_or_structured... X>
  constexpr auto operator()(X const&... x) const {
    auto const all = std::tie(x...);
    return sparse_hessian(F{}(x...), std::get<Which>(all)...);
  }
};

}  // namespace calculus

/// The sparse Jacobian of a callable, as a callable of the same parameters: with respect to the
/// first, or `kt::sparse_jacobian<0, 2>(f)`, a tuple; for several outputs, a tuple of theirs.
template <int... Which, calculus::stateless_callable F>
constexpr auto sparse_jacobian(F const&) {
  if constexpr (sizeof...(Which) == 0) return calculus::sparse_jacobian_of<F, 0>{};
  else return calculus::sparse_jacobian_of<F, Which...>{};
}
/// The same for the sparse Hessian of a callable that returns a scalar.
template <int... Which, calculus::stateless_callable F>
constexpr auto sparse_hessian(F const&) {
  if constexpr (sizeof...(Which) == 0) return calculus::sparse_hessian_of<F, 0>{};
  else return calculus::sparse_hessian_of<F, Which...>{};
}

}  // namespace kroton
