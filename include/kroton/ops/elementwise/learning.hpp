// Activations and losses for learning. They and their gradients neither overflow nor lose digits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/elementwise/special.hpp>
#include <kroton/ops/indexing/along_axis.hpp>

namespace kroton {
namespace ops {

/// The operand of the softmax along the last axis, or of the sigmoid, that p is. Losses use it,
/// because the logarithm of p is lost where p underflows. Nothing if p is computed otherwise.
constexpr term softmax_argument(term p) {
  graph& g = *p.of;
  int const rank = p.rank();
  long long const last = 1ll << (rank - 1);
  if (g.is<op::softmax>(p.id))
    return g.attribute(p.id, 0) == last ? term{&g, g.input_of(p.id, 0)} : term{};
  // exp(x) / sum(exp(x)), written explicitly.
  if (!g.is<op::div>(p.id) || !g.is<op::exp>(g.input_of(p.id, 0))) return {};
  int const exponentials = g.input_of(p.id, 0);
  int total = g.input_of(p.id, 1);
  bool kept = rank == 1;
  if (g.is<op::dimshuffle>(total)) {
    kept = g[total].attribute_count == rank && g.attribute(total, rank - 1) == -1;
    for (int d = 0; d + 1 < rank; ++d) kept = kept && g.attribute(total, d) == d;
    total = g.input_of(total, 0);
  }
  if (!g.is<op::sum>(total) || g.input_of(total, 0) != exponentials ||
      g.attribute(total, 0) != last)
    return {};
  return kept || g.attribute(total, 1) != 0 ? term{&g, g.input_of(exponentials, 0)} : term{};
}
constexpr term sigmoid_argument(term p) {
  return p.of->is<op::sigmoid>(p.id) ? term{p.of, p.of->input_of(p.id, 0)} : term{};
}

constexpr term in_floats(term x) { return {x.of, x.of->cast(x.id, floating(x.element()))}; }
/// Labels as numbers next to floats of x.
constexpr term beside_floats(term labels, term x) {
  return is_continuous(labels.element()) ? labels : term{x.of, x.of->cast(labels.id, x.element())};
}
/// Labels as positions along the last axis of a tensor whose rank is one higher.
constexpr term label_positions(term labels) {
  list<int> pattern;
  for (int d = 0; d < labels.rank(); ++d) pattern.push_back(d);
  pattern.push_back(-1);
  return permute(labels, pattern);
}
/// The elements of x that the labels name.
constexpr term elements_of_labels(term x, term labels) {
  list<int> pattern;
  for (int d = 0; d < labels.rank(); ++d) pattern.push_back(d);
  return permute(take_along_axis(x, label_positions(labels), x.rank() - 1), pattern);
}

constexpr term crossentropy_of_labels(term p, term labels) {
  term const x = softmax_argument(p);
  if (!x.exists()) return -call<op::log>(elements_of_labels(p, labels));
  return reduce(identity<op::logsumexp>(), x, 1ll << (x.rank() - 1), false) -
         elements_of_labels(x, labels);
}
constexpr term crossentropy_of_probabilities(term p, term target) {
  long long const last = 1ll << (p.rank() - 1);
  term const x = softmax_argument(p), t = beside_floats(target, p);
  if (x.exists())
    return -sum_over(t * over_axes(identity<op::log_softmax>(), x, last), last, false);
  return -sum_over(zero_where_is(t, t * call<op::log>(p)), last, false);
}
constexpr term binary_crossentropy(term p, term target) {
  term const x = sigmoid_argument(p), t = beside_floats(target, p);
  if (x.exists()) return t * call<op::softplus>(-x) + (1 - t) * call<op::softplus>(x);
  // 0 * log(0) counts as 0.
  return -(zero_where_is(t, t * call<op::log>(p)) +
           zero_where_is(1 - t, (1 - t) * call<op::log1p>(-p)));
}
constexpr term multiclass_hinge(term scores, term labels, double margin) {
  graph& g = *scores.of;
  int const last = scores.rank() - 1;
  term const positions{&g, g.cast(label_positions(labels).id, element::int64)};
  term const one = expand_like({&g, g.literal(true, element::boolean)}, positions);
  term const none = expand_like({&g, g.literal(false, element::boolean)}, scores);
  term const is_label{&g, g.apply<op::add_along_axis>({none.id, one.id, positions.id}, {last})};
  term const others = call<op::where>(is_label, -std::numeric_limits<double>::infinity(), scores);
  term const best_other = reduce(identity<op::max>(), others, 1ll << last, false);
  return call<op::maximum>(0, best_other - elements_of_labels(scores, labels) + margin);
}

/// The type of a loss: the floating-point type of its first operand, without its last axis.
template <class P>
constexpr auto loss_of_lines(term loss) {
  if constexpr (typed<P>)
    return variable<value_t<floating(element_of<value_type_of<P>>())>, rank_of<P> - 1>(loss);
  else return loss;
}
template <class P, class Y>
constexpr bool are_labels() {
  if constexpr (typed<P> && typed<Y>)
    return rank_of<P> == rank_of<Y> + 1 && is_integer_operand<Y>();
  else return true;
}
template <class P, class Y>
constexpr bool are_probabilities() {
  if constexpr (typed<P> && typed<Y>) return rank_of<P> > 0 && rank_of<P> == rank_of<Y>;
  else return true;
}

}  // namespace ops

/// The larger of 0 and x; the gradient at 0 is 0. (theano.tensor.nnet.relu)
template <symbolic X>
constexpr auto relu(X const& x) {
  return call<op::maximum>(0, x);
}
/// x where it is positive, otherwise alpha * x. (theano.tensor.nnet.relu)
template <symbolic X, operand A>
constexpr auto relu(X const& x, A const& alpha) {
  return where(x > 0, x, alpha * x);
}
/// x where it is positive, otherwise alpha * (exp(x) - 1). (theano.tensor.nnet.elu)
template <symbolic X, operand A = double>
constexpr auto elu(X const& x, A const& alpha = 1.) {
  return where(x > 0, x, alpha * expm1(x));
}
/// x times the probability that a normally distributed number is less than x, exactly, with erfc.
/// (torch.nn.functional.gelu)
template <symbolic X>
constexpr auto gelu(X const& x) {
  return 0.5 * x * erfc(-1 / std::numbers::sqrt2 * x);
}

/// Cross-entropy -log p of each line of p, probabilities along the last axis: for the element that
/// an integer label selects (labels have one rank less), or for a distribution (of the rank of p; 0
/// log 0 counts as 0). If p is a softmax along its last axis, of `kt::softmax` or written
/// explicitly, the loss and its gradient are computed from the operand of the softmax, without
/// overflow. A label out of range throws kt::value_error.
/// (theano.tensor.nnet.categorical_crossentropy)
template <symbolic P, symbolic Y>
constexpr auto categorical_crossentropy(P const& p, Y const& labels) {
  constexpr bool fits = ops::are_labels<P, Y>() || ops::are_probabilities<P, Y>();
  static_assert(fits,
                "kt::categorical_crossentropy: labels must be integers whose rank is one less than "
                "that of the probabilities, or a distribution of the same rank");
  term const floats = ops::in_floats(p);
  if constexpr (fits) {
    if (labels.type().rank == floats.rank())
      return ops::loss_of_lines<P>(ops::crossentropy_of_probabilities(floats, labels));
    return ops::loss_of_lines<P>(ops::crossentropy_of_labels(floats, labels));
  } else {
    return p;
  }
}
/// Cross-entropy of probabilities p with targets t from 0 to 1, elementwise: -t log p - (1 - t)
/// log(1 - p), where 0 log 0 counts as 0. If p is a sigmoid, the loss is computed from the operand
/// of the sigmoid. (theano.tensor.nnet.binary_crossentropy)
template <symbolic P, symbolic T>
constexpr auto binary_crossentropy(P const& p, T const& target) {
  term const loss = ops::binary_crossentropy(ops::in_floats(p), target);
  if constexpr (typed<P> && typed<T>) {
    constexpr element own = core::floating(core::element_of<value_type_of<P>>()),
                      other = core::element_of<value_type_of<T>>();
    constexpr element common = core::is_continuous(other) ? core::promote(own, other) : own;
    return variable<core::value_t<common>, (rank_of<P> > rank_of<T> ? rank_of<P> : rank_of<T>)>(
        loss);
  } else {
    return loss;
  }
}
/// The hinge loss of each line of scores: the larger of 0 and margin + (the largest score of
/// another class) - (the score of the labelled one). Labels are integers whose rank is one less.
/// (Crammer and Singer; lasagne.objectives.multiclass_hinge_loss)
template <symbolic S, symbolic Y>
constexpr auto multiclass_hinge(S const& scores, Y const& labels, double margin = 1) {
  constexpr bool fits = ops::are_labels<S, Y>();
  static_assert(fits, "kt::multiclass_hinge: labels must be integers whose rank is one less than "
                      "that of the scores");
  if constexpr (fits)
    return ops::loss_of_lines<S>(ops::multiclass_hinge(ops::in_floats(scores), labels, margin));
  else return scores;
}

}  // namespace kroton
