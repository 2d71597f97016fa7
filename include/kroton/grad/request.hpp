// A request for gradients: the seeds, the variables and options, and the results in their types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/arguments.hpp>
#include <kroton/grad/loop/pullback.hpp>

#include <tuple>

namespace kroton {
namespace op {

// Not the op of any node: it names the condition that a known gradient has the extents of its
// variable.
struct known_grads : core::named_condition<"known_grads"> {};

}  // namespace op

namespace calculus {

/// Seeds the sweep, runs it, and returns the gradients of `wrt` as terms of their types.
class gradient_request {
 public:
  constexpr explicit gradient_request(graph& g)
      : sweep_(g, &pull_back_scan), g_(g), given_(g.size()) {}

  constexpr void option(disconnected_t d) {
    zero_ = true;
    warns_ = d.warns;
  }
  template <class... X>
  constexpr void option(known_grads<X...> const& known) {
    int const first = g_.constraints().size();
    auto const seed = [&](term y, term gradient) {
      sweep_.seed(y.id, shaped_like(identity<op::known_grads>(), gradient, y,
                                    "kt::known_grads: a gradient must have the shape of its "
                                    "variable")
                            .id);
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (seed(std::get<2 * I>(known.pairs), std::get<2 * I + 1>(known.pairs)), ...);
    }(std::make_index_sequence<sizeof...(X) / 2>{});
    need_conditions_from(first);
  }
  /// The gradients need the conditions of the graph from the `first` on.
  constexpr void need_conditions_from(int first) {
    for (int k = first; k < g_.constraints().size(); ++k) conditions_.push_back(k);
  }
  template <symbolic W>
  constexpr void option(W const& w) {
    wrt_.push_back(w.id);
  }
  template <structured S>
  constexpr void option(S const& s) {
    std::apply([&](auto const&... w) { (option(w), ...); }, core::continuous_leaves(s));
  }
  constexpr void seed(int node, int gradient) { sweep_.seed(node, gradient); }
  /// The gradient of what follows is asked for, and goes no further.
  template <class... H>
  constexpr void end_at(H const&... h) {
    int const first = wrt_.size();
    (option(h), ...);
    ends_.append(wrt_.data() + first, wrt_.size() - first);
  }
  constexpr void run() { sweep_.run(wrt_, ends_); }
  constexpr term result(term w) {
    int const id = sweep_.gradient(w.id);
    if (id >= 0) {
      need_conditions({&g_, id});
      return {&g_, id};
    }
    if (!zero_)
      g_.fail(
          "kt::grad: the cost does not depend on a variable it is differentiated by; pass "
          "kt::disconnected::zero to get 0");
    if (warns_) g_.note_disconnected();
    return expand_like({&g_, g_.literal(0, w.element())}, w);
  }

 private:
  // A function of this gradient alone has the conditions of all seeds; not one of what the graph
  // had before.
  constexpr void need_conditions(term gradient) {
    if (gradient.id < given_) return;
    for (int k : conditions_) {
      extent_constraint c = g_.constraints()[k];
      bool const is_taken = c.node >= 0;
      c.node = gradient.id;
      if (is_taken) g_.constraints().push_back(c);
      else g_.constraints()[k] = c;
    }
  }

  reverse_sweep sweep_;
  graph& g_;
  list<int> wrt_, ends_;
  list<int> conditions_;  // of what the sweep starts from
  int given_;  // nodes of the graph
  bool zero_ = false, warns_ = false;
};

template <class W>
constexpr auto gradient_tuple(gradient_request& request, W const& w) {
  if constexpr (symbolic<W>) {
    if constexpr (typed<W>)
      return std::tuple(variable<value_type_of<W>, rank_of<W>>(request.result(w)));
    else return std::tuple(request.result(w));
  } else if constexpr (structured<W>) {
    return std::tuple<W>(memberwise([&]<class V>(V const& v) { return V(request.result(v)); }, w));
  } else {
    return std::tuple<>();
  }
}

/// One or all, as a tuple again.
template <class... X>
constexpr auto as_tuple(std::tuple<X...> const& all) {
  return all;
}
template <class X>
constexpr auto as_tuple(X const& one) {
  return std::tuple<X>(one);
}
template <class Tuple>
constexpr auto one_or_all(Tuple const& t) {
  if constexpr (std::tuple_size_v<Tuple> == 1) return std::get<0>(t);
  else return t;
}

}  // namespace calculus
}  // namespace kroton
