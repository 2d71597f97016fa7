// Reverse mode: adds gradients to the graph, from the outputs back to the inputs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/core/structure.hpp>
#include <kroton/grad/batching.hpp>
#include <kroton/grad/conjugate.hpp>
#include <kroton/grad/logarithms.hpp>
#include <kroton/grad/masks.hpp>
#include <kroton/ops/reduction.hpp>

#include <tuple>

namespace kroton {
namespace calculus {

/// Accumulates the gradients of all nodes of a graph by one sweep from the last seeded node back.
///
/// A gradient that came through `where` is kept as what it is, where(c, v, 0): an elementwise op is
/// pulled back with v, and its result masked again, so that 0 * inf in the branch not taken never
/// becomes NaN, in gradients of any order. One that came through `ifelse` is treated so by every
/// op, so that what leads from the branch not taken to the inputs is not computed.
class reverse_sweep {
 public:
  constexpr explicit reverse_sweep(graph& g)
      : g_(g), masking_(g), logarithms_(g), contributions_(g.size(), list<int>{}) {}

  constexpr void seed(int node, int gradient) { add(node, gradient); }

  /// Visits only nodes that depend on one of `wrt`, and not through integers and bools, which no
  /// gradient passes.
  constexpr void run(list<int> const& wrt) {
    int const size = contributions_.size();
    list<bool> depends(size, false);
    for (int id : wrt) depends[id] = true;
    for (int id = 0; id < size; ++id)
      for (int in : g_.inputs(id))
        depends[id] = depends[id] || (depends[in] && has_continuous_output(in));
    logarithms_.find(depends, wrt);
    if (logarithms_.any())
      by_logarithm_ = list<list<int>>(static_cast<int>(std::size(logarithms)) * size, list<int>{});
    for (int id = size - 1; id >= 0; --id) {
      if (!depends[id] || wrt_only(wrt, id)) continue;
      if (!g_[id].op->has_pullback) {
        stop(id, depends);
        continue;
      }
      if (g_[id].op->has_items()) {
        pull_back_outputs(id, size);
        continue;
      }
      pull_back_all(id, gradient_by::value);
      if (!logarithms_.any()) continue;
      for (gradient_by by : logarithms) pull_back_all(id, by);
    }
  }

  /// The gradient of a node, or -1 if none reached it.
  constexpr int gradient(int id) {
    return contributions_[id].empty() ? -1 : total(contributions_[id]);
  }

 private:
  // A node that leads to no other requested node.
  constexpr bool wrt_only(list<int> const& wrt, int id) const {
    return wrt.size() == 1 && wrt[0] == id;
  }

  // Whether any output of a node is continuous.
  constexpr bool has_continuous_output(int id) const {
    return is_continuous(g_.type(id).element) || g_[id].op->has_items();
  }

  constexpr bool is_output_of(int output, int id) const {
    return g_.is<op::item>(output) && g_.input_of(output, 0) == id;
  }

  constexpr bool is_reached(int id) const {
    if (!contributions_[id].empty()) return true;
    if (g_[id].op->has_items())
      for (int output = id + 1; output < contributions_.size(); ++output)
        if (is_output_of(output, id) && !contributions_[output].empty()) return true;
    return false;
  }

  // At an op without a pullback, a gradient that would continue is 0, or an error if the op does
  // not declare one.
  constexpr void stop(int id, list<bool> const& depends) {
    op_info const& op = *g_[id].op;
    if ((!op.is_constant && op.unwritten_gradient.empty()) || !is_reached(id)) return;
    for (int i = 0; i < op.read(g_[id].input_count); ++i) {
      int const operand = g_.input_of(id, i);
      element const e = g_.type(operand).element;
      if (!depends[operand] || !is_continuous(e)) continue;
      if (!op.is_constant) return g_.fail(op.unwritten_gradient);
      add(operand, fitted(g_.literal(0, e), operand));
    }
  }

  constexpr void add(int node, int gradient) { contributions_[node].push_back(gradient); }

  // The gradients that have reached a node, with respect to its value or a logarithm of it.
  constexpr list<int>& reached(int id, gradient_by by) {
    if (by == gradient_by::value) return contributions_[id];
    return by_logarithm_[static_cast<int>(std::size(logarithms)) * id + static_cast<int>(by) - 1];
  }
  constexpr void pull_back_all(int id, gradient_by by) {
    if (reached(id, by).empty()) return;
    if (g_[id].op->elementwise || all_lazy(reached(id, by))) {
      for (int gradient : grouped(reached(id, by))) pull_back_masked(id, gradient, {}, by);
    } else {
      pull_back(id, total(reached(id, by)), {}, by);
    }
  }

  // Whether no gradient of a node is needed whatever the conditions are.
  constexpr bool all_lazy(list<int> const& all) const {
    for (int given : all)
      if (!masking_.is_lazy(given)) return false;
    return true;
  }

  // Adds contributions with the same mask, or with none; those that remain have different masks.
  constexpr list<int> grouped(list<int> const& all) {
    list<int> groups;
    for (int next : all) {
      bool merged = false;
      for (int& group : groups) {
        if (!masking_.joins(group, next)) continue;
        group = masking_.add(group, next);
        merged = true;
        break;
      }
      if (!merged) groups.push_back(next);
    }
    return groups;
  }
  constexpr int total(list<int>& all) {
    list<int> const groups = grouped(all);
    int result = groups[0];
    for (int i = 1; i < groups.size(); ++i) result = masking_.add(result, groups[i]);
    all = list<int>{result};
    return result;
  }
  // Not by value: nvcc leaks the memory of a parameter.
  constexpr void pull_back_masked(int id, int gradient, list<mask> const& outer, gradient_by by) {
    list<mask> masks(outer);
    bool const elementwise = g_[id].op->elementwise;
    mask m{}, inner{};
    int value = 0;
    while (masking_.find(gradient, m, value) && (m.lazy || elementwise)) {
      masks.push_back(m);
      gradient = value;
    }
    // A lazy choice of two gradients is propagated as a whole, unless one of them must keep its own
    // mask.
    if (elementwise && masking_.is_lazy(gradient)) {
      int const condition = g_.input_of(gradient, 0), then = g_.input_of(gradient, 1),
                otherwise = g_.input_of(gradient, 2);
      if (masking_.find(then, inner, value) || masking_.find(otherwise, inner, value)) {
        masks.push_back({condition, true, true});
        pull_back_masked(id, then, masks, by);
        masks.back().then = false;
        pull_back_masked(id, otherwise, masks, by);
        return;
      }
    }
    pull_back(id, gradient, masks, by);
  }
  constexpr void pull_back(int id, int gradient, list<mask> const& masks, gradient_by by) {
    // The value inside a mask may span less than the node; its gradient must not.
    term const full = expand_like({&g_, gradient}, {&g_, id});
    auto plain = [&](int node, term own) {
      list<int> given{own.id}, gradients;
      pull_back_given(node, given, gradients);
      return gradients;
    };
    list<gradient_part> parts;
    if (by != gradient_by::value) {
      logarithms_.pull_back(id, by, full, parts, plain);
    } else if (logarithms_.converts(id)) {
      logarithms_.convert(id, full, parts, plain);
    } else {
      add_gradients(id, plain(id, full), masks);
      return;
    }
    for (gradient_part const& part : parts) add_gradient(part.node, part.gradient, masks, part.by);
  }
  // From all outputs together: they come after the node.
  constexpr void pull_back_outputs(int id, int size) {
    list<int> given(g_.output_count(id), -1);
    bool any = false;
    for (int output = id; output < size; ++output) {
      bool const is_item = is_output_of(output, id);
      if ((output != id && !is_item) || contributions_[output].empty()) continue;
      given[is_item ? static_cast<int>(g_.attribute(output, 0)) : 0] =
          expand_like({&g_, total(contributions_[output])}, {&g_, output}).id;
      any = true;
    }
    if (!any) return;
    list<int> gradients;
    pull_back_given(id, given, gradients);
    add_gradients(id, gradients, {});
  }
  // The gradients of the operands from those of all outputs; of one slice if the node runs slice by
  // slice.
  constexpr void pull_back_given(int id, list<int>& given, list<int>& gradients) {
    op_info const& op = *g_[id].op;
    bool const conjugates = pulls_back_conjugates(g_, id);
    if (conjugates) conjugate_all(g_, given);
    if (op.has_slice) pull_back_each(g_, id, given, gradients);
    else if (op.has_items()) op.pullback_of_outputs(g_, id, given, gradients);
    else op.pullback(g_, id, given[0], gradients);
    if (conjugates) conjugate_all(g_, gradients);
  }
  constexpr void add_gradients(int id, list<int> const& gradients, list<mask> const& masks) {
    for (int i = 0; i < gradients.size(); ++i) {
      int const operand = g_.input_of(id, i);
      if (gradients[i] >= 0 && is_continuous(g_.type(operand).element))
        add_gradient(operand, gradients[i], masks, gradient_by::value);
    }
  }
  constexpr void add_gradient(int operand, int gradient, list<mask> const& masks, gradient_by by) {
    int given = gradient_as(g_, gradient, g_.type(operand).element);
    for (int k = masks.size() - 1; k >= 0; --k) {
      if (masks[k].lazy) given = fitted(given, operand);
      given = masking_.put(masks[k], given, operand);
    }
    reached(operand, by).push_back(fitted(given, operand));
  }
  // Converts a gradient to the type and the shape of the operand.
  constexpr int fitted(int gradient, int operand) {
    term const x{&g_, operand};
    return gradient_as(g_, expand_like(unbroadcast({&g_, gradient}, x.type()), x).id, x.element());
  }

  graph& g_;
  masking masking_;
  logarithmic_gradients logarithms_;
  list<list<int>> contributions_;
  // The gradients of a node with respect to each logarithm, in one list: nvcc frees only the first
  // of an array of lists
  list<list<int>> by_logarithm_;
};

}  // namespace calculus

/// Gives a parameter that the cost does not depend on the gradient 0, instead of an error.
struct disconnected_t {};
namespace disconnected {
inline constexpr disconnected_t zero{};
}

/// Known gradients: `kt::known_grads(y, gy, z, gz)` seeds y with gy and z with gz.
template <symbolic... X>
struct known_grads {
  std::tuple<X...> pairs;
  constexpr explicit known_grads(X const&... x) : pairs(x...) {
    static_assert(sizeof...(X) % 2 == 0,
                  "kt::known_grads takes pairs of a variable and its gradient");
  }
};

namespace calculus {

template <class X>
constexpr bool is_known_grads = false;
template <class... X>
constexpr bool is_known_grads<known_grads<X...>> = true;

template <class W>
inline constexpr bool is_gradient_option =
    symbolic<W> || structured<W> || std::same_as<W, disconnected_t> || is_known_grads<W>;

}  // namespace calculus

/// The arguments after the cost are variables, structs of them, and options.
template <class... W>
concept gradient_names_a_variable =
    ((symbolic<W> || structured<W>) || ...) && (calculus::is_gradient_option<W> && ...);

/// A cost is a floating-point scalar; derivatives of anything else need `lop` or `jacobian`.
template <class C>
concept cost_is_a_floating_scalar =
    !typed<C> || (rank_of<C> == 0 && core::is_continuous(core::element_of<value_type_of<C>>()));

namespace calculus {

template <class W>
constexpr bool is_differentiable() {
  if constexpr (typed<W>)
    return is_continuous(element_of<value_type_of<W>>());
  else if constexpr (structured<W>)
    return with_members<W>([]<class... M>(std::type_identity<M>...) {
      return (is_differentiable<typename M::type>() && ...);
    });
  else
    return true;
}

}  // namespace calculus

/// Gradients exist with respect to floating-point variables, and to structs of them.
template <class W>
concept gradient_is_with_respect_to_floating_variables = calculus::is_differentiable<W>();

namespace op {

// Not the ops of any node: they name the conditions that a given gradient has the extents of its
// variable.
struct lop : operation<"lop", 0> {
  static constexpr tensor_type type(core::application const&) { return {element::int64, 0, 0}; }
};
struct known_grads : operation<"known_grads", 0> {
  static constexpr tensor_type type(core::application const&) { return {element::int64, 0, 0}; }
};

}  // namespace op

namespace calculus {

struct grad_options {
  bool zero_when_disconnected = false;
};

/// Seeds the sweep, runs it, and returns the gradients of `wrt` as terms of their types.
class gradient_request {
 public:
  constexpr explicit gradient_request(graph& g) : sweep_(g), g_(g) {}

  constexpr void option(disconnected_t) { zero_ = true; }
  template <class... X>
  constexpr void option(known_grads<X...> const& known) {
    auto const seed = [&](term y, term gradient) {
      sweep_.seed(y.id, shaped_like(identity<op::known_grads>(), gradient, y,
                                    "kt::known_grads: a gradient must have the shape of its "
                                    "variable")
                            .id);
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (seed(std::get<2 * I>(known.pairs), std::get<2 * I + 1>(known.pairs)), ...);
    }(std::make_index_sequence<sizeof...(X) / 2>{});
  }
  template <symbolic W>
  constexpr void option(W const& w) {
    wrt_.push_back(w.id);
  }
  template <structured S>
  constexpr void option(S const& s) {
    std::apply([&](auto const&... w) { (option(w), ...); }, leaves(s));
  }
  constexpr void seed(int node, int gradient) { sweep_.seed(node, gradient); }
  constexpr void run() { sweep_.run(wrt_); }
  constexpr term result(term w) {
    int const id = sweep_.gradient(w.id);
    if (id >= 0) return {&g_, id};
    if (!zero_)
      g_.fail(
          "kt::grad: the cost does not depend on a variable it is differentiated by; pass "
          "kt::disconnected::zero to get 0");
    return expand_like({&g_, g_.literal(0, w.element())}, w);
  }

 private:
  reverse_sweep sweep_;
  graph& g_;
  list<int> wrt_;
  bool zero_ = false;
};

template <class W>
constexpr auto gradient_tuple(gradient_request& request, W const& w) {
  if constexpr (symbolic<W>) {
    if constexpr (typed<W>)
      return std::tuple(variable<value_type_of<W>, rank_of<W>>(request.result(w)));
    else
      return std::tuple(request.result(w));
  } else if constexpr (structured<W>) {
    return std::tuple<W>(memberwise([&]<class V>(V const& v) { return V(request.result(v)); }, w));
  } else {
    return std::tuple<>();
  }
}

template <class Tuple>
constexpr auto one_or_all(Tuple const& t) {
  if constexpr (std::tuple_size_v<Tuple> == 1) return std::get<0>(t);
  else return t;
}

}  // namespace calculus

/// Gradient of a scalar cost with respect to w, of w's shape and type, or a struct of gradients for
/// a struct of variables; for several variables, a tuple. The cost is real; its gradient with
/// respect to a complex z = x + iy is dL/dx + i dL/dy, the direction in which it rises fastest.
/// Further arguments: `kt::known_grads(...)`, `kt::disconnected::zero`. The result is part of the
/// graph and can be differentiated again. (theano.grad)
template <symbolic C, class... W>
  requires cost_is_a_floating_scalar<C> && gradient_names_a_variable<W...> &&
           (gradient_is_with_respect_to_floating_variables<W> && ...)
constexpr auto grad(C const& cost, W const&... w) {
  graph& g = *cost.of;
  if (core::is_complex(cost.type().element))
    g.fail(
        "kt::grad: the cost is complex; only a real cost has a gradient: use real(cost) or "
        "abs(cost)");
  calculus::gradient_request request(g);
  request.seed(cost.id, g.literal(1, cost.type().element));
  (request.option(w), ...);
  request.run();
  return calculus::one_or_all(std::tuple_cat(calculus::gradient_tuple(request, w)...));
}

/// The pullback of v through y(x): v times the Jacobian of y with respect to x, without forming the
/// Jacobian. v must have the shape of y or broadcast to it, otherwise kt::shape_error. (theano Lop)
template <symbolic Y, symbolic X, symbolic V>
constexpr auto lop(Y const& y, X const& x, V const& v) {
  calculus::gradient_request request(*y.of);
  term const like =
      ops::shaped_like(core::identity<op::lop>(), v, y, "kt::lop: v must have the shape of y");
  request.seed(y.id, calculus::gradient_as(*y.of, like.id, y.type().element));
  request.option(x);
  request.run();
  return calculus::one_or_all(calculus::gradient_tuple(request, x));
}

}  // namespace kroton
