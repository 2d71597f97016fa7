// Sequences that repeat one value are constants, and constants that are literals are in the body.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/agreement.hpp"

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

/// How many sequences the loops of a graph have.
template <class F>
int sequences_of(F const& f) {
  kt::graph const g = kt::optimize(kt::graph_of(f).get(), kt::stage::specialize);
  int found = 0;
  for (auto const& node : kt::graph_view(g).toposort())
    if (node.name() == "scan") found += static_cast<int>(kt::scan_args(node).outer_in_seqs().size());
  return found;
}
template <class F, class... A>
void agree(F const& f, A const&... arguments) {
  loop_tests::check_agreement(suite::mode.excluding<"scan_repeated">(), {1e-14, 1e-14}, f,
                              arguments...);
}

}  // namespace

TEST_CASE("scan_repeated: ones, a vector that is repeated", "[loops][passes]") {
  constexpr auto f = [](kt::dmatrix x, kt::dvector v, kt::dvector h) {
    auto ones = ones_like(x), rows = 0 * x + v;
    return scan([](auto a, auto b, auto h) { return tanh(h + a) * b; }, kt::sequences(ones, rows), kt::outputs_info(h));
  };
  CHECK(sequences_of(f) == 0);
  agree(f, matrix{{1, 2}, {3, 4}, {5, 6}}, vector{0.5, -0.5}, vector{0.1, 0.2});
  agree(f, matrix(xt::zeros<double>({0, 2})), vector{0.5, -0.5}, vector{0.1, 0.2});
}

TEST_CASE("scan_repeated: the gradient of a sum", "[loops][passes]") {
  constexpr auto f = [](kt::dvector h, kt::dmatrix W, kt::lscalar n) {
    return grad(sum(scan([=](auto h) { return tanh(dot(W, h)); }, kt::outputs_info(h), kt::n_steps(n))), W);
  };
  CHECK(sequences_of(f) == 1);  // the states
  for (std::int64_t n : {0, 1, 5}) agree(f, vector{0.1, 0.2}, matrix{{0.5, 0.1}, {-0.2, 0.3}}, n);
}

TEST_CASE("scan_repeated: a column that is repeated in rows and steps", "[loops][passes]") {
  constexpr auto f = [](kt::dcol c, kt::dmatrix h, kt::lscalar n) {
    auto x = kt::alloc(c, n, h.shape(0), h.shape(1));
    return scan([](auto e, auto h) { return tanh(h) + e + sum(e) + e.shape(1); }, kt::sequences(x),
                kt::outputs_info(h));
  };
  CHECK(sequences_of(f) == 0);
  matrix const h{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, c{{1}, {2}};
  for (std::int64_t n : {0, 1, 4}) agree(f, c, h, n);
}

TEST_CASE("scan_literals: bounds of slices", "[loops][passes]") {
  constexpr auto f = [](kt::dvector z, kt::dscalar h, kt::lscalar n) {
    return scan([=](auto z) {
      auto q = z(kt::slice(0, 2)), p = z(kt::slice(2, 4));
      return kt::concatenate(q + h * p, p - h * sin(q));
    }, kt::outputs_info(z), kt::n_steps(n));
  };
  kt::graph const g = kt::optimize(kt::graph_of(f).get(), kt::stage::specialize);
  int loops = 0;
  for (auto const& node : kt::graph_view(g).toposort()) {
    if (node.name() != "scan") continue;
    ++loops;
    CHECK(kt::scan_args(node).outer_in_non_seqs().size() == 1);
  }
  CHECK(loops == 1);
  for (std::int64_t n : {0, 1, 5})
    loop_tests::check_agreement(suite::mode.excluding<"scan_literals">(), {1e-14, 1e-14}, f,
                                vector{1, 2, 0.5, -0.5}, 0.1, n);
}
