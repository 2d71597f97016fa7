// Loops of numbers make their cheap sequences themselves, and stacks that are read from their end
// are stored in this order.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/agreement.hpp"

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

template <class F, class... A>
void agree(F const& f, A const&... arguments) {
  loop_tests::check_agreement(suite::mode.excluding<"scan_take_in", "scan_backwards">(),
                              {1e-12, 1e-13}, f, arguments...);
}

/// What is left of loops in the optimized graph.
struct loops_left {
  int backwards = 0, sequences = 0, vectors_made = 0;

  template <class F>
  explicit loops_left(F const& f) {
    kt::graph const g = kt::optimize(kt::graph_of(f).get(), kt::stage::specialize);
    for (int id = 0; id < g.size(); ++id) {
      if (g[id].op->elementwise && g.type(id).rank == 1) ++vectors_made;
      if (!g.is<kt::op::scan>(id)) continue;
      kt::ops::scan_layout const at = kt::ops::layout_of(g, id);
      sequences += at.sequences();
      for (int t = 0; t < at.tapes(); ++t) backwards += at.is_backwards(t) ? 1 : 0;
    }
  }
};

vector some(std::size_t n) { return xt::sin(xt::arange<double>(static_cast<double>(n))); }

}  // namespace

TEST_CASE("scan_backwards: the gradient by a sequence", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dscalar a) {
    auto y = scan([&](auto e, auto s) { return tanh(a * s + e); }, kt::sequences(x),
                  kt::outputs_info(0.5));
    return grad(sum(sqr(y)), x, a);
  };
  loops_left const left(f);
  CHECK(left.backwards == 1);
  CHECK(left.vectors_made == 0);
  for (std::size_t n : {0, 1, 2, 7}) agree(f, some(n), 0.7);
}

TEST_CASE("scan_backwards: rows of vectors and states", "[loops][passes]") {
  constexpr auto f = [](kt::dmatrix x, kt::dvector start) {
    auto turned = [](auto y) { return y(kt::slice(kt::none, kt::none, -1)); };
    auto [y, twice] = scan([](auto row, auto s) { return std::tuple(tanh(s + row), 2 * s * row); },
                           kt::sequences(x), kt::outputs_info(start, kt::none));
    auto back = scan([](auto row, auto s) { return sqr(row) - s; }, kt::sequences(x),
                     kt::outputs_info(start), kt::go_backwards);
    auto pairs =
        scan([](auto a, auto b) { return tanh(a - b); },
             kt::outputs_info(kt::taps<-2, -1>(x(kt::slice(0, 2)))), kt::n_steps(x.shape(1)));
    return std::tuple(turned(y), turned(twice), turned(back), turned(pairs));
  };
  CHECK(loops_left(f).backwards == 4);
  for (std::size_t n : {2, 3, 9})
    agree(f, matrix(xt::reshape_view(some(3 * n), {n, std::size_t{3}})), some(3));
  // Too large for direct calls
  agree(f, matrix(xt::reshape_view(some(4000), {std::size_t{4}, std::size_t{1000}})), some(1000));
}

TEST_CASE("scan_backwards: a stack that others read forwards stays as it is", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x) {
    auto y =
        scan([](auto e, auto s) { return tanh(s + e); }, kt::sequences(x), kt::outputs_info(0.0));
    return std::tuple(y, y(kt::slice(kt::none, kt::none, -1)),
                      y(kt::slice(kt::none, kt::none, -2)));
  };
  CHECK(loops_left(f).backwards == 0);
  agree(f, some(5));
}

TEST_CASE("scan_take_in: cheap sequences of one reader", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dvector y, kt::dscalar a, kt::lvector n) {
    auto once = scan([](auto e, auto s) { return tanh(s) + e; },
                     kt::sequences(a * x * y - kt::cast<double>(n)), kt::outputs_info(0.0));
    auto costly = scan([](auto e, auto s) { return s * s - e; }, kt::sequences(1 / (2 + exp(y))),
                       kt::outputs_info(a));
    return std::tuple(once, costly);
  };
  agree(f, some(6), vector(some(6) * 2), 0.3, xt::xtensor<std::int64_t, 1>{1, 2, 3, 4, 5, 6});
  agree(f, some(0), some(0), 0.3, xt::xtensor<std::int64_t, 1>(xt::zeros<std::int64_t>({0})));
  constexpr auto shared = [](kt::dvector x) {
    auto const made = 2 * x;
    auto y = scan([](auto e, auto s) { return tanh(s) + e; }, kt::sequences(made),
                  kt::outputs_info(0.0));
    return std::tuple(y, made);
  };
  CHECK(loops_left(shared).vectors_made == 1);
  agree(shared, some(4));
}
