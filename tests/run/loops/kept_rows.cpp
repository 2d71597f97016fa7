// Stacks of which the last rows alone are read are not stored.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/agreement.hpp"

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

/// The results of a function with the pass and without it.
template <class F, class... A>
void agree(F const& f, A const&... arguments) {
  loop_tests::check_agreement(suite::mode.excluding<"N6">(), {1e-14, 1e-14}, f, arguments...);
}
/// The kinds of the states of the only loop that is left: mit_sot, sit_sot, shared, nit_sot.
template <class F>
std::array<int, 4> kinds_of(F const& f) {
  kt::graph const g = kt::optimize(kt::graph_of(f).get(), kt::stage::specialize);
  std::array<int, 4> kinds{};
  for (auto const& node : kt::graph_view(g).toposort())
    if (node.name() == "scan") {
      kt::scan_args const args(node);
      kinds[0] += static_cast<int>(args.inner_in_mit_sot().size());
      kinds[1] += static_cast<int>(args.inner_in_sit_sot().size());
      kinds[2] += static_cast<int>(args.inner_in_shared().size());
      kinds[3] += static_cast<int>(args.inner_out_nit_sot().size());
    }
  return kinds;
}

}  // namespace

TEST_CASE("scan_save_mem: the last rows of a state", "[loops][passes]") {
  constexpr auto f = [](kt::dvector h, kt::lscalar n) {
    auto y = scan([](auto h) { return 0.5 * h + 1; }, kt::outputs_info(h), kt::n_steps(n));
    return std::tuple(y(-3), y(-1), y(-1)(0) + y(-4)(1));
  };
  CHECK(kinds_of(f) == std::array<int, 4>{0, 0, 4, 0});
  for (std::int64_t n : {4, 5, 100}) agree(f, vector{1, 2}, n);
  CHECK_THROWS_AS(kt::function(f)(vector{1, 2}, 3), kt::error);
}

TEST_CASE("scan_save_mem: a state of several taps", "[loops][passes]") {
  constexpr auto f = [](kt::dmatrix start, kt::dscalar a, kt::lscalar n) {
    auto y = scan([=](auto third, auto last) { return a * third - last; }, kt::outputs_info(kt::taps<-3, -1>(start)), kt::n_steps(n));
    return std::tuple(y(-1), y(-2));
  };
  CHECK(kinds_of(f) == std::array<int, 4>{0, 0, 3, 0});
  matrix const start{{1, 2}, {3, 4}, {5, 6}, {70, 80}};
  for (std::int64_t n : {2, 3, 4, 50}) agree(f, start, 0.9, n);
  constexpr auto scalars = [](kt::dvector start, kt::lscalar n) {
    auto y = scan([=](auto a, auto b) { return 0.3 * a + 0.5 * b; }, kt::outputs_info(kt::taps<-2, -1>(start)), kt::n_steps(n));
    return std::tuple(y(-1), y(-6));
  };
  CHECK(kinds_of(scalars) == std::array<int, 4>{0, 0, 6, 0});
  for (std::int64_t n : {6, 7, 50}) agree(scalars, vector{1, 2}, n);
}

TEST_CASE("scan_save_mem: outputs, and what is read whole stays", "[loops][passes]") {
  constexpr auto f = [](kt::dmatrix x, kt::dvector h) {
    auto [y, z] = scan([](auto e, auto h) { return std::tuple(tanh(h + e), e * h); }, kt::sequences(x), kt::outputs_info(h, kt::none));
    return std::tuple(y, z(-2), z(-1));
  };
  CHECK(kinds_of(f) == std::array<int, 4>{0, 1, 2, 0});
  agree(f, matrix{{1, 2}, {3, 4}, {0.5, 0.25}}, vector{0.1, 0.2});
}

TEST_CASE("scan_save_mem: states that only the next steps read", "[loops][passes]") {
  constexpr auto f = [](kt::dmatrix x, kt::dvector h, kt::dmatrix start) {
    auto [y, s, z] = scan(
        [](auto e, auto h, auto third, auto last) {
          return std::tuple(tanh(h + e), 0.5 * third + last * h, sum(e * h) + third(0));
        },
        kt::sequences(x), kt::outputs_info(h, kt::taps<-3, -1>(start), kt::none));
    return z;
  };
  CHECK(kinds_of(f) == std::array<int, 4>{0, 0, 4, 1});
  matrix const start{{1, 2}, {3, 4}, {5, 6}};
  for (std::size_t n : {0, 1, 2, 3, 4, 20})
    agree(f, matrix(0.01 * xt::ones<double>({n, std::size_t{2}})), vector{0.1, 0.2}, start);
  constexpr auto stops = [](kt::dscalar x) {
    auto [y, z] = scan([](auto h) { return kt::until(h > 100, 2 * h, h + 1); },
                       kt::outputs_info(x, kt::none), kt::n_steps(1000));
    return z;
  };
  CHECK(kinds_of(stops) == std::array<int, 4>{0, 0, 1, 1});
  agree(stops, 3.0);
}

TEST_CASE("scan_save_mem: a loop that a condition stops", "[loops][passes]") {
  constexpr auto f = [](kt::dscalar x) {
    auto y = scan([](auto h) { return kt::until(2 * h > 100, 2 * h); }, kt::outputs_info(x), kt::n_steps(1000000000));
    return std::tuple(y(-1), y(-2), y.shape(0));
  };
  CHECK(kinds_of(f) == std::array<int, 4>{0, 0, 2, 0});
  agree(f, 3.0);
}
