// Losses of probabilities that come from numbers of any size, by whatever way: values and two gradients of what they are written out.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/ops/along_axes/statistics.hpp>
#include <kroton/ops/elementwise/learning.hpp>

#include "run/stable_views.hpp"

using namespace stable_views;

namespace {

using kt::dmatrix, kt::lvector, kt::slice, kt::keepdims;
using rows = kt::axis_t<1>;
inline constexpr rows by_row{};

/// A formula of a matrix, targets from 0 to 1, probabilities, and labels; and one that is the same and has no large exponentials.
struct formula {
  char const* name;
  term (*written)(dmatrix x, dmatrix t, dmatrix q, lvector i);
  term (*stable)(dmatrix x, dmatrix t, dmatrix q, lvector i);
};
using function = term (*)(dmatrix, dmatrix, dmatrix, lvector);

term log_sigmoid(term x) { return -softplus(-x); }
term logits_loss(term x, term t) { return t * softplus(-x) + (1 - t) * softplus(x); }
term loss(term p, term t) { return kt::ops::binary_crossentropy(p, t); }
term loss_as_written(term p, term t) { return -(t * log(p) + (1 - t) * log1p(-p)); }
dmatrix soft(dmatrix x) { return softmax(x, by_row); }
dmatrix log_soft(dmatrix x) { return log_softmax(x, by_row); }
dmatrix written_soft(dmatrix x) { return exp(x) / sum(exp(x), by_row, keepdims); }
dmatrix careful_soft(dmatrix x) {
  dmatrix const e = exp(x - max(x, by_row, keepdims));
  return e / sum(e, by_row, keepdims);
}
template <class P>
term of_targets(P const& p, dmatrix t) { return kt::categorical_crossentropy(p, t); }
template <class P, class I>
term of_labels(P const& p, I const& i) { return kt::categorical_crossentropy(p, i); }
term targets_loss(dmatrix x, dmatrix t) { return -sum(t * log_soft(x), by_row); }
kt::dvector labels_loss(dmatrix x, lvector i) { return -log_soft(x)(kt::arange(x.shape(0)), i); }

formula const formulas[] = {
#define ARGUMENTS [](dmatrix x, dmatrix t, dmatrix q, lvector i) -> term
#define FORM(written, ...) {#written, ARGUMENTS { return (void)x, (void)t, (void)q, (void)i, written; }, ARGUMENTS { return (void)x, (void)t, (void)q, (void)i, __VA_ARGS__; }}
    // Choices.
    FORM(log(where(t < 0.5, sigmoid(x), q)), where(t < 0.5, log_sigmoid(x), log(q))),
    FORM(log(where(x < 0, sigmoid(x), q)), where(x < 0, log_sigmoid(x), log(q))),
    FORM(log(where(t < 0.5, sigmoid(x), 1 - sigmoid(x))), where(t < 0.5, log_sigmoid(x), log_sigmoid(-x))),
    FORM(log(where(t < 0.5, sigmoid(x), exp(q))), where(t < 0.5, log_sigmoid(x), q)),
    FORM(log(1 - where(t < 0.5, sigmoid(x), q)), where(t < 0.5, log_sigmoid(-x), log1p(-q))),
    FORM(log(where(t < 0.5, soft(x), q)), where(t < 0.5, log_soft(x), log(q))),
    FORM(log(where(t < 0.5, sigmoid(x), 1 + x * x)), where(t < 0.5, log_sigmoid(x), log1p(x * x))),
    FORM(log(where(t < 0.5, sigmoid(x), 1 + x * x)(1)), dmatrix(where(t < 0.5, log_sigmoid(x), log1p(x * x)))(1)),
    FORM(where(t < 0.5, log(sigmoid(x)), q), where(t < 0.5, log_sigmoid(x), q)),
    FORM(log(maximum(sigmoid(x), 1e-7)), maximum(log_sigmoid(x), std::log(1e-7))),
    FORM(log(clip(sigmoid(x), 1e-7, 1 - 1e-7)), clip(log_sigmoid(x), std::log(1e-7), std::log1p(-1e-7))),
    FORM(log(1 - clip(sigmoid(x), 1e-7, 1 - 1e-7)), clip(log_sigmoid(-x), std::log(1e-7), std::log1p(-1e-7))),
    FORM(log(maximum(sigmoid(x), sigmoid(-x))), maximum(log_sigmoid(x), log_sigmoid(-x))),
    FORM(log(minimum(sigmoid(x), 0.9)), minimum(log_sigmoid(x), std::log(0.9))),
    FORM(log(minimum(sigmoid(x), sigmoid(-x))), minimum(log_sigmoid(x), log_sigmoid(-x))),
    FORM(log1p(-maximum(sigmoid(x), 0.1)), minimum(log_sigmoid(-x), std::log(0.9))),
    // Products, and logarithms to other bases.
    FORM(log(where(t < 0.5, sigmoid(x), q) * q), where(t < 0.5, log_sigmoid(x), log(q)) + log(q)),
    FORM(log(q * exp(x)), x + 0 * x * x + log(q)),
    FORM(log(soft(x) / q), log_soft(x) - log(q)),
    FORM(log(sqr(sigmoid(x)) * sigmoid(q)), 2 * log_sigmoid(x) + log_sigmoid(q)),
    FORM(log(abs(sigmoid(x))), log_sigmoid(x)),
    FORM(kt::log2(soft(x)(i)), log_soft(x)(i) / std::numbers::ln2),
    FORM(kt::log10(sigmoid(x)), log_sigmoid(x) / std::numbers::ln10),
    // Binary cross-entropies.
    FORM(loss(where(q < 0.5, sigmoid(x), q), t), where(q < 0.5, logits_loss(x, t), loss(q, t))),
    FORM(loss(where(q < 0.5, sigmoid(x), 1 - sigmoid(x)), t), where(q < 0.5, logits_loss(x, t), logits_loss(-x, t))),
    FORM(loss(flatten(where(q < 0.5, sigmoid(x), q)), flatten(t)), flatten(where(q < 0.5, dmatrix(logits_loss(x, t)), dmatrix(loss(q, t))))),
    FORM(loss(kt::concatenate<0>(sigmoid(x), q), kt::concatenate<0>(t, t)), kt::concatenate<0>(dmatrix(logits_loss(x, t)), dmatrix(loss(q, t)))),
    FORM(loss(sigmoid(x) * ones_like(x), t), logits_loss(x, t)),
    FORM(loss(1 * flatten(sigmoid(x)), flatten(t)), logits_loss(flatten(x), flatten(t))),
    FORM(loss(1 - sigmoid(x), t), logits_loss(-x, t)),
    FORM(loss(1 - 1 / (1 + exp(x)), t), logits_loss(x, t)),
    FORM(loss((1 + tanh(x / 2)) / 2, t), logits_loss(x, t)),
    FORM(loss(0.5 * (1 + tanh(x / 2)), t), logits_loss(x, t)),
    FORM(loss(sigmoid(x)(i), t(i)), logits_loss(x(i), t(i))),
    FORM(loss_as_written(1 / (1 + exp(-x)), t), logits_loss(x, t)),
    FORM(loss_as_written(flatten(sigmoid(x)), flatten(t)), logits_loss(flatten(x), flatten(t))),
    FORM(loss_as_written(kt::diag(sigmoid(x)), kt::diag(t)), logits_loss(kt::diag(x), kt::diag(t))),
    FORM(mean(kt::dvector(loss(flatten(sigmoid(x)), flatten(t)))), mean(dmatrix(logits_loss(x, t)))),
    // Categorical ones.
    FORM(of_targets(soft(x), t), targets_loss(x, t)),
    FORM(of_labels(soft(x), i), labels_loss(x, i)),
    FORM(of_targets(written_soft(x), t), targets_loss(x, t)),
    FORM(of_labels(written_soft(x), i), labels_loss(x, i)),
    FORM(of_targets(careful_soft(x), t), targets_loss(x, t)),
    FORM(of_labels(careful_soft(x), i), labels_loss(x, i)),
    FORM(of_targets(1 * soft(x), t), targets_loss(x, t)),
    FORM(of_labels(1 * soft(x), i), labels_loss(x, i)),
    FORM(of_targets(dmatrix(soft(x)(i)), dmatrix(t(i))), targets_loss(x(i), t(i))),
    FORM(of_labels(soft(x)(slice(0, 2)), i(slice(0, 2))), labels_loss(x, i)(slice(0, 2))),
    FORM(of_labels(soft(x)(slice(kt::none, kt::none, -1)), i), labels_loss(x(slice(kt::none, kt::none, -1)), i)),
    FORM(of_labels(dmatrix(softmax(dmatrix(x.T()), kt::axis<0>).T()), i), labels_loss(x, i)),
    FORM(of_labels(kt::concatenate<0>(soft(x), q), kt::concatenate<0>(i, i)), kt::concatenate<0>(labels_loss(x, i), kt::dvector(-log(q)(kt::arange(x.shape(0)), i)))),
    FORM(of_labels(kt::stack<0>(soft(x), soft(x)), kt::stack<0>(i, i)), kt::stack<0>(labels_loss(x, i), labels_loss(x, i))),
    FORM(of_targets(kt::repeat(soft(x), 2, kt::axis<0>), kt::repeat(t, 2, kt::axis<0>)), kt::repeat(kt::dvector(targets_loss(x, t)), 2, kt::axis<0>)),
    FORM(of_targets(kt::reshape<2>(softmax(kt::reshape<3>(x, 3, 2, 2), kt::axis<2>), 6, 2), kt::reshape<2>(t, 6, 2)), targets_loss(kt::reshape<2>(x, 6, 2), kt::reshape<2>(t, 6, 2))),
    // A softmax as one writes it.
    FORM(log(careful_soft(x)(kt::arange(x.shape(0)), i)), -labels_loss(x, i)),
    FORM(careful_soft(x)(kt::arange(x.shape(0)), i), exp(-labels_loss(x, i))),
    FORM(log(written_soft(x)(1, 2)), log_soft(x)(1, 2)),
    FORM(log(flatten(written_soft(x))), flatten(log_soft(x))),
    FORM(written_soft(x)(i), soft(x)(i)),
    FORM(log(where(q < 0.5, careful_soft(x), q)), where(q < 0.5, log_soft(x), log(q))),
    FORM(log(written_soft(x) + 1e-9), log(soft(x) + 1e-9)),
    FORM(log(1 + soft(x)), log1p(soft(x))),
};
formula const in_floats[] = {
    FORM(loss(kt::cast<double>(sigmoid(kt::cast<float>(x))), t), logits_loss(kt::cast<double>(kt::cast<float>(x)), t)),
    FORM(of_targets(kt::cast<double>(softmax(kt::cast<float>(x), by_row)), t), targets_loss(kt::cast<double>(kt::cast<float>(x)), t)),
    FORM(of_labels(kt::cast<double>(softmax(kt::cast<float>(x), by_row)), i), labels_loss(kt::cast<double>(kt::cast<float>(x)), i)),
#undef FORM
#undef ARGUMENTS
};

/// The value of a formula and its first two gradients by x, weighted, with or without the others in the graph.
std::vector<value> outcomes(function f, std::vector<value> const& with, int only) {
  kt::graph g;
  kt::tensor_type const matrix{kt::element::float64, 2, 0};
  term const x{&g, g.input(matrix, 0)}, t{&g, g.input(matrix, 1)}, q{&g, g.input(matrix, 2)}, i{&g, g.input({kt::element::int64, 1, 0}, 3)};
  term const y = f(dmatrix(x), dmatrix(t), dmatrix(q), lvector(i)), first = grad(weighted(y), x), second = grad(weighted(first), x);
  term const all[] = {y, first, second};
  for (int k = 0; k < 3; ++k)
    if (only < 0 || only == k) g.results().push_back(all[k].id);
  kt::ops::collect_constraints(g);
  kt::graph const after = kt::rewrite::optimize(g, kt::stage::specialize);
  REQUIRE(std::string(after.error()) == "");
  interpreter const run(after, with);
  std::vector<value> result;
  for (int id : after.results()) result.push_back(run[id]);
  return result;
}

/// Whether a formula and its stable one agree, and all is finite.
void check(formula const& f, double tolerance) {
  for (double const scale : {1., 800., 1e4}) {
    CAPTURE(f.name, scale);
    std::vector<value> with{{{3, 4}, {}}, {{3, 4}, {}}, {{3, 4}, {}}, {{3}, {2, 0, 2}}};
    for (int k = 0; k < 12; ++k) {
      with[0].data.push_back(scale * ((5 * k) % 12 - 5.5) / 5.5);
      with[1].data.push_back((7 * k) % 13 / 12.);
      with[2].data.push_back(0.1 + (5 * k) % 11 / 13.);
    }
    std::vector<value> const wanted = outcomes(f.stable, with, -1), together = outcomes(f.written, with, -1);
    for (int order = 0; order < 3; ++order) {
      CAPTURE(order);
      auto const k = static_cast<std::size_t>(order);
      for (value const& got : {together[k], outcomes(f.written, with, order)[0]}) {
        CHECK(std::all_of(got.data.begin(), got.data.end(), [](double y) { return std::isfinite(y); }));
        CHECK(difference(got, wanted[k], order == 2 ? 1e3 * tolerance : tolerance) == "");
      }
    }
  }
}

}  // namespace

TEST_CASE("losses and two gradients are those of the formula that has no large exponentials", "[rewrite]") {
  for (formula const& f : formulas) check(f, 1e-9);
}

TEST_CASE("losses see through conversions", "[rewrite]") {
  for (formula const& f : in_floats) check(f, 1e-5);
}
