// Derivatives of tensors with respect to tensors: Jacobians and Hessians.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching.hpp>
#include <kroton/grad/forward.hpp>
#include <kroton/grad/loop/pullback.hpp>
#include <kroton/grad/transform.hpp>

#include <algorithm>

namespace kroton {

/// A differentiated tensor must be floating-point.
template <class Y>
concept jacobian_is_of_a_floating_variable = gradient_is_with_respect_to_floating_variables<Y>;

namespace calculus {

/// The dimensions of the Jacobian by a variable; the most of all variables of a struct.
template <class Y, class X>
constexpr int jacobian_rank() {
  if constexpr (typed<Y> && typed<X>) return rank_of<Y> + rank_of<X>;
  else if constexpr (structured<X>)
    return with_members<X>([]<class... M>(std::type_identity<M>...) {
      return std::max({0, jacobian_rank<Y, typename M::type>()...});
    });
  else return 0;
}
/// The dimensions of the Hessian by a variable; the most of all variables of a struct.
template <class X>
constexpr int hessian_rank() {
  if constexpr (structured<X>)
    return with_members<X>([]<class... M>(std::type_identity<M>...) {
      return std::max({0, hessian_rank<typename M::type>()...});
    });
  else return jacobian_rank<X, X>();
}

}  // namespace calculus

/// The axes of y and of x together are at most 8.
template <class Y, class X>
concept jacobian_has_at_most_8_dimensions = calculus::jacobian_rank<Y, X>() <= 8;
/// The axes of x are at most 4.
template <class X> concept hessian_has_at_most_8_dimensions = calculus::hessian_rank<X>() <= 8;

namespace calculus {

/// The Jacobians of one tensor with respect to several others: one pullback of all unit tensors
/// together. A unit tensor is 0 except at one index, so the batch starts as ones with every axis
/// tied.
class jacobian_request {
 public:
  constexpr explicit jacobian_request(term y)
      : g_(*y.of),
        y_(y),
        seed_(y.rank() == 0 ? term{&g_, g_.literal(1, y.element())} : lane_of(y, 0)),
        sweep_(g_, &pull_back_scan) {}

  constexpr void option(disconnected_t d) {
    zero_ = true;
    warns_ = d.warns;
  }
  template <symbolic X>
  constexpr void option(X const& x) {
    wrt_.push_back(x.id);
  }
  constexpr void run() {
    sweep_.seed(y_.id, seed_.id);
    sweep_.run(wrt_);
    for (int id : wrt_) {
      int found = sweep_.gradient(id);
      if (found < 0 && !zero_)
        g_.fail(
            "kt::jacobian: the tensor does not depend on a variable it is differentiated by; pass "
            "kt::disconnected::zero to get 0");
      if (found < 0 && warns_) g_.note_disconnected();
      if (found < 0) found = zeros_of({&g_, id});
      found_.push_back(found);
    }
    if (y_.rank() != 0) unite();
  }
  /// The Jacobian with respect to the variable in this position.
  constexpr term result(int i) const { return {&g_, found_[i]}; }

 private:
  constexpr void unite() {
    list<term> extents;
    std::uint32_t ties = 0;
    for (int d = 0; d < y_.rank(); ++d) {
      extents.push_back(extent(y_, d));
      if (!y_.type().broadcasts(d)) ties |= tie(d, d);
    }
    batching pass(g_, extents);
    list<term> all(extents);
    for (int d = 0; d < y_.rank(); ++d)
      if (y_.type().broadcasts(d)) all.push_back({&g_, g_.literal(1, element::int64)});
    pass.set(seed_.id, {alloc({&g_, g_.literal(1, y_.element())}, all).id, ties, true, true});
    pass.run(found_);
    for (int i = 0; i < found_.size(); ++i) {
      // With respect to a scalar, forward mode: no array is larger than y.
      if (g_.type(wrt_[i]).rank == 0) found_[i] = by_scalar(wrt_[i]);
      else found_[i] = pass.dense(found_[i]).id;
    }
  }
  constexpr int by_scalar(int x) {
    term const one{&g_, g_.literal(1, g_.type(x).element)};
    int const pushed = pushforward(y_, {&g_, x}, one);
    return pushed < 0 ? zeros_of(y_) : pushed;
  }

  graph& g_;
  term y_, seed_;
  reverse_sweep sweep_;
  list<int> wrt_{}, found_{};
  bool zero_ = false, warns_ = false;
};

template <class Y, class X>
constexpr auto typed_jacobian(term found) {
  if constexpr (typed<Y> && typed<X>)
    return variable<value_type_of<X>, rank_of<Y> + rank_of<X>>(found);
  else return found;
}
template <class Y, class X>
constexpr auto jacobian_tuple(jacobian_request const& request, int& next) {
  if constexpr (symbolic<X>) return std::tuple(typed_jacobian<Y, X>(request.result(next++)));
  else return std::tuple<>();
}

}  // namespace calculus

/// The Jacobian of y with respect to x: an array whose axes are those of y, then those of x. For
/// several variables, a tuple; a struct counts as its variables. With the additional argument
/// `kt::disconnected::zero`, a variable that y does not depend on is not an error. If y depends on
/// x element by element, the work is that of one gradient, whose elements are put on a diagonal.
/// (theano.gradient.jacobian)
template <symbolic Y, class... X>
  requires jacobian_is_of_a_floating_variable<Y> &&
           (gradient_is_with_respect_to_floating_variables<X> && ...) &&
           (jacobian_has_at_most_8_dimensions<Y, X> && ...)
constexpr auto jacobian(Y const& y, X const&... x) {
  if constexpr (core::any_structured<X...>) {
    return std::apply([&](auto const&... variable) { return jacobian(y, variable...); },
                      std::tuple_cat(core::continuous_leaves(x)...));
  } else {
    calculus::jacobian_request request(y);
    (request.option(x), ...);
    request.run();
    // In braces, which guarantee the order of evaluation.
    int next = 0;
    std::tuple<decltype(calculus::jacobian_tuple<Y, X>(request, next))...> const found{
        calculus::jacobian_tuple<Y, X>(request, next)...};
    return calculus::one_or_all(
        std::apply([](auto const&... part) { return std::tuple_cat(part...); }, found));
  }
}

namespace calculus {

/// The second derivatives of a cost with respect to several variables, as nodes: of the first and
/// the first, of the first and the second, and so on. Half of them are computed; the others are
/// their transposes.
template <std::size_t N>
constexpr std::array<int, N * N> hessian_blocks(term cost, std::array<int, N> const& x) {
  graph& g = *cost.of;
  gradient_request first(g);
  first.seed(cost.id, g.literal(1, cost.element()));
  for (int id : x) first.option(term{&g, id});
  first.run();
  std::array<int, N * N> blocks{};
  for (std::size_t i = 0; i < N; ++i) {
    jacobian_request second(first.result({&g, x[i]}));
    second.option(disconnected::zero);
    for (std::size_t j = 0; j <= i; ++j) second.option(term{&g, x[j]});
    second.run();
    int const rank = g.type(x[i]).rank;
    for (std::size_t j = 0; j <= i; ++j) {
      term const block = second.result(static_cast<int>(j));
      list<int> exchanged;
      for (int d = rank; d < block.rank(); ++d) exchanged.push_back(d);
      for (int d = 0; d < rank; ++d) exchanged.push_back(d);
      blocks[i * N + j] = block.id;
      if (i != j) blocks[j * N + i] = permute(block, exchanged).id;
    }
  }
  return blocks;
}

template <class X, class... W>
constexpr auto hessian_row(graph& g, int const* blocks) {
  auto next = [&] { return term{&g, *blocks++}; };
  return std::tuple{typed_jacobian<X, W>(next())...};  // braces guarantee the order
}

}  // namespace calculus

/// The Hessian of a scalar cost with respect to x: its second derivatives, an array whose axes are
/// those of x, twice. For several variables, a tuple of rows of blocks: the block in row i and
/// column j has the axes of the i-th variable, then those of the j-th; a struct counts as its
/// variables. Blocks of variables that do
/// not interact are 0, as is the Hessian of a cost that is linear in x. (theano.gradient.hessian)
template <symbolic C, calculus::symbolic_or_structured... X>
  requires cost_is_a_floating_scalar<C> &&
           (gradient_is_with_respect_to_floating_variables<X> && ...) &&
           (hessian_has_at_most_8_dimensions<X> && ...)
constexpr auto hessian(C const& cost, X const&... x) {
  if constexpr (core::any_structured<X...>) {
    return std::apply([&](auto const&... variable) { return hessian(cost, variable...); },
                      std::tuple_cat(core::continuous_leaves(x)...));
  } else {
    constexpr std::size_t n = sizeof...(X);
    auto const blocks = calculus::hessian_blocks<n>(cost, {x.id...});
    graph& g = *cost.of;
    [[maybe_unused]] auto row = [&, next = std::size_t{0}]() mutable {
      return blocks.data() + n * next++;
    };
    if constexpr (n == 1) return calculus::typed_jacobian<X..., X...>(term{&g, blocks[0]});
    else return std::tuple{calculus::hessian_row<X, X...>(g, row())...};
  }
}

namespace calculus {

/// Applies a derivative to each output of a callable.
template <class R, class Derivative>
constexpr auto of_each_output(R const& result, Derivative derivative) {
  if constexpr (symbolic<R>) return derivative(result);
  else return std::apply([&](auto const&... y) { return std::tuple(derivative(y)...); }, result);
}

/// Jacobian of F with respect to the parameters numbered Which.
template <class F, int... Which>
struct jacobian_of : keeps_signature<F> {
  template <symbolic_or_structured... X>
  constexpr auto operator()(X const&... x) const {
    auto const all = std::tie(x...);
    return of_each_output(F{}(x...),
                          [&](auto const& y) { return jacobian(y, std::get<Which>(all)...); });
  }
};

/// Hessian of F with respect to the parameters numbered Which.
template <class F, int... Which>
struct hessian_of : keeps_signature<F> {
  template <symbolic_or_structured... X>
  constexpr auto operator()(X const&... x) const {
    auto const all = std::tie(x...);
    return hessian(F{}(x...), std::get<Which>(all)...);
  }
};

}  // namespace calculus

/// The Jacobian of a callable, as a callable of the same parameters: with respect to the first, or
/// `kt::jacobian<0, 2>(f)`, a tuple; for several outputs, a tuple of their Jacobians. It nests.
/// (jax.jacrev)
template <int... Which, calculus::stateless_callable F>
constexpr auto jacobian(F const&) {
  if constexpr (sizeof...(Which) == 0) return calculus::jacobian_of<F, 0>{};
  else return calculus::jacobian_of<F, Which...>{};
}

/// The Hessian of a callable that returns a scalar, as a callable of the same parameters: with
/// respect to the first, or `kt::hessian<0, 2>(f)`, a tuple of rows of blocks. (jax.hessian)
template <int... Which, calculus::stateless_callable F>
constexpr auto hessian(F const&) {
  if constexpr (sizeof...(Which) == 0) return calculus::hessian_of<F, 0>{};
  else return calculus::hessian_of<F, Which...>{};
}

}  // namespace kroton
