// Stable forms of which one half stands on the other side of a view, an index, a repetition or a join.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/ops/elementwise/learning.hpp>

#include "run/stable_views.hpp"

using namespace stable_views;

namespace {

/// Targets that a loss is large for.
term opposite(term y) { return where(y < 0.3, 1., where(y < 0.6, 0.25, 0.)); }
/// What a softmax of rows is written with.
auto relative_exponentials(term x) { return exp(kt::dmatrix(x) - max(kt::dmatrix(x), kt::axis<1>, kt::keepdims)); }

form const forms[] = {
#define FORM(inner, outer, ...) {#outer " of " #inner, [](term x) -> term { return inner; }, [](term y) -> term { return outer; }, ##__VA_ARGS__}
    FORM(exp(x), log(y)),
    FORM(expm1(x), log1p(y)),
    FORM(sigmoid(x), log(y)),
    FORM(sigmoid(x), log(1 - y)),
    FORM(sigmoid(x), log1p(-y)),
    FORM(sigmoid(x), -(0.25 * log(y) + 0.75 * log(1 - y))),
    FORM(sigmoid(x), 1 - y),
    FORM(sigmoid(x), kt::ops::binary_crossentropy(y, 0.25 + 0 * y)),
    FORM(sigmoid(x), kt::ops::binary_crossentropy(y, opposite(y))),
    FORM(1 / (1 + exp(-x)), kt::ops::binary_crossentropy(y, 0.25 + 0 * y)),
    FORM(exp(x) / (1 + exp(x)), kt::ops::binary_crossentropy(y, 0.25 + 0 * y)),
    FORM(1 / (1 + exp(-x)), log(y)),
    FORM(exp(x), log(1 + y)),
    FORM(exp(x), log1p(y)),
    FORM(exp(x), 1 / (1 + y)),
    FORM(exp(x), y / (1 + y)),
    FORM(exp(-abs(x)), log(1 - y)),
    FORM(tanh(x), 1 - y * y),
    FORM(softplus(x), exp(-y)),
    FORM(erfc(x), log(y), 2),
    FORM(cosh(x), log(y)),
    FORM(where(x < 0, sigmoid(x), 0.5), log(y)),
    FORM((softmax(kt::dmatrix(x), kt::axis<1>)), log(y)),
    FORM((exp(x) / kt::dimshuffle<0, 'x'>(sum(exp(kt::dmatrix(x)), kt::axis<1>))), log(y)),
    FORM(relative_exponentials(x) / sum(relative_exponentials(x), kt::axis<1>, kt::keepdims), log(y)),
};
form const float_forms[] = {
    FORM(exp(x), log(y)),
    FORM(sigmoid(x), log(y)),
    FORM(sigmoid(x), log1p(-y)),
    FORM(exp(x), log1p(y)),
    FORM(exp(x), 1 / (1 + y), 2),
#undef FORM
};

}  // namespace

TEST_CASE("stable forms are found through views, in values and two gradients", "[rewrite]") {
  for (form const& f : forms)
    for (view<double> const& v : views<double>) CHECK(mismatch<double>(f, v, {1, 20, 800, 1e4}, 1e-7) == "");
}

TEST_CASE("stable forms of float32 are found through views", "[rewrite]") {
  for (form const& f : float_forms)
    for (view<float> const& v : views<float>) CHECK(mismatch<float>(f, v, {1, 100}, 1e-4) == "");
}
