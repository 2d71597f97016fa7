// A Gaussian process: the log marginal likelihood and its gradients compute the kernel matrix once, however its distances are written.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <catch2/catch.hpp>

#include <string_view>

namespace kt = kroton;

namespace {

constexpr auto as_row = [](kt::dvector s) { return kt::dimshuffle<'x', 0>(s); };
constexpr auto as_column = [](kt::dvector s) { return kt::dimshuffle<0, 'x'>(s); };

/// Squared distances of the rows of z, up to the order of operands and the axes that broadcasting adds.
kt::dmatrix distances(int form, kt::dmatrix z) {
  kt::dvector const s = sum(sqr(z), kt::axis<1>);
  if (form == 0) return as_column(s) + s - 2 * dot(z, z.T());
  if (form == 1) return as_row(s) + as_column(s) - 2 * dot(z, z.T());
  return sum(sqr(z), kt::axis<1>, kt::keepdims) + s - 2 * dot(z, z.T());
}

/// How often the optimized likelihood and its gradients have an op with a result of some rank.
struct counts {
  int exponentials, products, factorizations;
};
counts count(int form, int amplitude) {
  kt::runtime::graph g;
  auto const x = g.input<double, 2>("x");
  auto const y = g.input<double, 1>("y");
  auto const length = g.input<double, 0>("length"), height = g.input<double, 0>("height"), noise = g.input<double, 0>("noise");
  kt::dmatrix const d = distances(form, x / length);
  kt::dscalar scale = height;
  if (amplitude == 1) scale = sqr(height);
  auto const k = scale * exp(-0.5 * d) + exp(noise) * kt::identity_like(d);
  auto const cost = 0.5 * dot(y, solve(k, y)) + sum(log(diag(cholesky(k))));
  auto const gradients = kt::grad(cost, length, height, noise);
  kt::graph& recording = g.recording();
  recording.results().push_back(cost.id);
  std::apply([&](auto const&... each) { (recording.results().push_back(each.id), ...); }, gradients);
  kt::graph const made = kt::optimize(recording, kt::stage::specialize);
  REQUIRE(made.error().empty());
  auto often = [&](std::string_view op, int rank) {
    int found = 0;
    for (int id = 0; id < made.size(); ++id) found += made[id].op->name == op && made.type(id).rank == rank;
    return found;
  };
  return {often("exp", 2), often("dot", 2), often("lu", 2) + often("solve", 1)};
}

}  // namespace

TEST_CASE("a Gaussian process computes its kernel matrix once", "[rewrite]") {
  for (int form = 0; form < 3; ++form)
    for (int amplitude = 0; amplitude < 2; ++amplitude) {
      counts const c = count(form, amplitude);
      INFO("distances " << form << ", amplitude " << amplitude);
      CHECK(c.exponentials == 1);
      // One of the kernel matrix, and two of its gradient.
      CHECK(c.products == 3);
      CHECK(c.factorizations == 1);
    }
}
