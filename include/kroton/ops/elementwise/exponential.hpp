// Exponentials, logarithms, and compound functions that stay accurate where their formulas do not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>

#include <numbers>

namespace kroton {
namespace op {

struct exp : elementwise<"exp", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::exp(x);
  }
  static constexpr auto pullback(auto g, auto y, auto) { return inputs(g * y); }
};

struct exp2 : elementwise<"exp2", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::exp2(x);
  }
  static constexpr auto pullback(auto g, auto y, auto) { return inputs(std::numbers::ln2 * g * y); }
};

struct expm1 : elementwise<"expm1", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::expm1(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g * call<exp>(x)); }
};

// exp(x) - 1 if y = exp(x) is computed anyway: y - 1, which is as accurate except near 0. Rewriting
// converts expm1 to it.
struct expm1_from_exp : elementwise<"expm1_from_exp", 2> {
  template <class R>
  KROTON_FN static R value(R x, R y) {
    if constexpr (std::is_floating_point_v<R>)
      return x > R(-0.5) && x < R(0.5) ? math::expm1(x) : y - R(1);
    else return math::select(math::lt(math::abs(x), R(0.5)), math::expm1(x), y - R(1));
  }
  static constexpr auto pullback(auto g, auto, auto x, auto) {
    return inputs(g * call<exp>(x), none);
  }
};

struct log : elementwise<"log", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::log(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g / x); }
};

struct log2 : elementwise<"log2", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::log2(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) {
    return inputs(std::numbers::log2e * g / x);
  }
};

struct log10 : elementwise<"log10", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::log10(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) {
    return inputs(std::numbers::log10e * g / x);
  }
};

struct log1p : elementwise<"log1p", 1> {
  static constexpr bool takes_complex = true;
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::log1p(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g / (1 + x)); }
};

// 1 / (1 + exp(-x)); its gradient is written as sigmoid(x) sigmoid(-x), accurate in both tails.
struct sigmoid : elementwise<"sigmoid", 1> {
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::sigmoid(x);
  }
  static constexpr auto pullback(auto g, auto y, auto x) {
    return inputs(g * y * call<sigmoid>(-x));
  }
};

// log(1 + exp(x))
struct softplus : elementwise<"softplus", 1> {
  static constexpr law laws = law::increasing;
  template <class R>
  KROTON_FN static R value(R x) {
    return math::softplus(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(g * call<sigmoid>(x)); }
};

// log(1 - exp(x)) for x < 0
struct log1mexp : elementwise<"log1mexp", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return math::log1mexp(x);
  }
  static constexpr auto pullback(auto g, auto, auto x) { return inputs(-g / call<expm1>(-x)); }
};

// log(exp(a) + exp(b))
struct logaddexp : elementwise<"logaddexp", 2> {
  static constexpr law laws = law::commutative | law::associative;
  template <class R>
  KROTON_FN static R value(R a, R b) {
    return math::logaddexp(a, b);
  }
  static constexpr auto pullback(auto g, auto, auto a, auto b) {
    return inputs(g * call<sigmoid>(a - b), g * call<sigmoid>(b - a));
  }
};

}  // namespace op

/// Exponential, elementwise. (numpy.exp)
template <symbolic X>
constexpr result_of<op::exp, X> exp(X const& x) {
  return call<op::exp>(x);
}
/// 2 to the power x, elementwise. (numpy.exp2)
template <symbolic X>
constexpr result_of<op::exp2, X> exp2(X const& x) {
  return call<op::exp2>(x);
}
/// exp(x) - 1, accurate near 0. (numpy.expm1)
template <symbolic X>
constexpr result_of<op::expm1, X> expm1(X const& x) {
  return call<op::expm1>(x);
}
/// Natural logarithm; -inf at 0, NaN below. (numpy.log)
template <symbolic X>
constexpr result_of<op::log, X> log(X const& x) {
  return call<op::log>(x);
}
/// Logarithm to base 2. (numpy.log2)
template <symbolic X>
constexpr result_of<op::log2, X> log2(X const& x) {
  return call<op::log2>(x);
}
/// Logarithm to base 10. (numpy.log10)
template <symbolic X>
constexpr result_of<op::log10, X> log10(X const& x) {
  return call<op::log10>(x);
}
/// log(1 + x), accurate near 0. (numpy.log1p)
template <symbolic X>
constexpr result_of<op::log1p, X> log1p(X const& x) {
  return call<op::log1p>(x);
}
/// Logistic function 1 / (1 + exp(-x)), accurate over the whole range. (scipy.special.expit)
template <symbolic X>
constexpr result_of<op::sigmoid, X> sigmoid(X const& x) {
  return call<op::sigmoid>(x);
}
/// log(1 + exp(x)), accurate over the whole range. (theano.tensor.nnet.softplus)
template <symbolic X>
constexpr result_of<op::softplus, X> softplus(X const& x) {
  return call<op::softplus>(x);
}
/// log(1 - exp(x)) for x < 0, accurate near both ends. (PyTensor's log1mexp)
template <symbolic X>
constexpr result_of<op::log1mexp, X> log1mexp(X const& x) {
  return call<op::log1mexp>(x);
}
/// log(exp(a) + exp(b)) without overflow. (numpy.logaddexp)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::logaddexp, A, B> logaddexp(A const& a, B const& b) {
  return call<op::logaddexp>(a, b);
}

}  // namespace kroton
