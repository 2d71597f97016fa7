// Loops of numbers: what the step before gives is taken last in sums and products.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/agreement.hpp"

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;

/// The body of the last scan of an optimized graph.
template <class F>
kt::graph body_of(F const& f) {
  kt::graph const g = kt::loops::optimize(kt::graph_of(f).get(), kt::stage::specialize);
  int last = -1;
  for (int id = 0; id < g.size(); ++id)
    if (g.is<kt::op::scan>(id)) last = id;
  return g.body(g.attribute(last, 0));
}
/// Operations on the way from a parameter to a node; -1 if there is none.
int operations_between(kt::graph const& g, int parameter, int id) {
  if (id == parameter) return 0;
  int most = -1;
  for (int in : g.inputs(id)) most = std::max(most, operations_between(g, parameter, in));
  return most < 0 ? -1 : most + 1;
}
template <class F, class... A>
void agree(F const& f, A const&... arguments) {
  loop_tests::check_agreement(suite::mode.excluding<"scan_short_chains">(), {1e-12, 1e-13},
                              f, arguments...);
}

}  // namespace

TEST_CASE("scan_short_chains: a sum of several terms", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dvector y, kt::dscalar a, kt::dscalar b) {
    return scan([&](auto u, auto v, auto s) { return u * a - v + b * s + u * v; },
                kt::sequences(x, y), kt::outputs_info(0.25));
  };
  kt::graph const body = body_of(f);
  CHECK(operations_between(body, body.parameters()[2], body.results()[0]) == 2);
  agree(f, vector{1, 2, -3, 4}, vector{0.5, 0.25, 2, -1}, 0.5, 0.75);
}

TEST_CASE("scan_short_chains: elements of arrays", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dvector r, kt::dscalar a, kt::lscalar n) {
    return foldl([=](auto x) { return r * x * (1 - x) + a; }, kt::outputs_info(x), kt::n_steps(n));
  };
  kt::graph const body = body_of(f);
  CHECK(operations_between(body, body.parameters()[0], body.results()[0]) == 3);
  agree(f, vector{0.1, 0.2, 0.7}, vector{3, 2.5, 2}, 0.01, 30);
  constexpr auto scaled = [](kt::dvector x, kt::drow r, kt::dmatrix w, kt::dscalar a, kt::lscalar n) {
    return foldl([=](auto x, auto w) { return std::tuple(a * x * (a * (2 - x)), r * w * (w - 1) / a); }, kt::outputs_info(x, w), kt::n_steps(n));
  };
  using matrix = xt::xtensor<double, 2>;
  agree(scaled, vector{0.1, 0.2}, matrix{{0.5, 0.25, 2}}, matrix{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, 0.9, 7);
}

TEST_CASE("scan_short_chains: states of which several steps are read", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dscalar a, kt::dscalar b, kt::dvector start) {
    auto y = scan([&](auto e, auto before, auto last) { return a * last + b * before + e; },
                  kt::sequences(x), kt::outputs_info(kt::taps<-2, -1>(start)));
    return y(-1) + kt::zeros_like(start);
  };
  kt::graph const body = body_of(f);
  int shortest = 9;
  for (int p = 1; p < 3; ++p)
    shortest =
        std::min(shortest, operations_between(body, body.parameters()[p], body.results()[0]));
  CHECK(shortest == 2);
  agree(f, vector{1, 2, -3, 4}, 0.5, 0.75, vector{2, 3});
}

TEST_CASE("scan_short_chains: a quotient of what is known before", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dvector y) {
    return scan([&](auto u, auto v, auto s) { return (s + 1) * u * v / (1 + v * v); },
                kt::sequences(x, y), kt::outputs_info(4.0));
  };
  kt::graph const body = body_of(f);
  CHECK(operations_between(body, body.parameters()[2], body.results()[0]) <= 2);
  agree(f, vector{1, 2, -3, 4}, vector{0.5, 0.25, 2, -1});
}

TEST_CASE("scan_short_chains: integers and quotients by the state stay as they are",
          "[loops][passes]") {
  constexpr auto f = [](kt::dvector x) {
    return scan([&](auto u, auto s) { return u * (1 + u) / (2 + s); }, kt::sequences(x),
                kt::outputs_info(4.0));
  };
  agree(f, vector{1, 2, 3, 4});
  constexpr auto whole = [](kt::lvector x) {
    return scan([&](auto u, auto s) { return u - s + 3 * u * s; }, kt::sequences(x),
                kt::outputs_info(std::int64_t{4}));
  };
  agree(whole, xt::xtensor<std::int64_t, 1>{1, 2, -3});
}
