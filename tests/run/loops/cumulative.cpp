// Loops that are running sums and products.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/agreement.hpp"

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

template <class F, class... A>
void agree(F const& f, A const&... arguments) {
  loop_tests::check_agreement(suite::mode.excluding<"scan_accumulate">(), {1e-12, 1e-13}, f,
                              arguments...);
}
template <class F>
kt::graph optimized(F const& f) {
  return kt::optimize(kt::graph_of(f).get(), kt::stage::specialize);
}
int count(kt::graph const& g, std::string_view op) {
  int found = 0;
  for (int id = 0; id < g.size(); ++id) found += g[id].op->name == op ? 1 : 0;
  return found;
}

}  // namespace

TEST_CASE("scan_accumulate: running sums and products", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dmatrix m, kt::dvector start) {
    auto sums = scan([](auto e, auto s) { return s + e * exp(e); }, kt::sequences(x), kt::outputs_info(2.0));
    auto rows = scan([](auto e, auto p) { return p * (1 + e); }, kt::sequences(m), kt::outputs_info(start));
    return std::tuple(sums, rows);
  };
  kt::graph const g = optimized(f);
  CHECK(count(g, "scan") == 0);
  CHECK(count(g, "cumsum") == 1);
  CHECK(count(g, "cumprod") == 1);
  agree(f, vector{0.1, 0.2, -0.3}, matrix{{0.1, 0.2}, {0.3, -0.4}}, vector{1, 2});
  agree(f, vector(xt::zeros<double>({0})), matrix(xt::zeros<double>({0, 2})), vector{1, 2});
}

TEST_CASE("scan_accumulate: folds are sums and products", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dvector y, kt::lscalar n) {
    auto [s, p] = foldl([](auto a, auto b, auto s, auto p) { return std::tuple(s + a * b, a * p); }, kt::sequences(x, y),
                        kt::outputs_info(1.5, 2.0), kt::n_steps(n));
    return std::tuple(s, p);
  };
  CHECK(count(optimized(f), "scan") == 0);
  for (std::int64_t n : {0, 1, 3}) agree(f, vector{1, 2, 3}, vector{4, 5, 6}, n);
  CHECK_THROWS_AS(kt::function(f)(vector{1, 2}, vector{3, 4}, 3), kt::shape_error);
}

TEST_CASE("scan_accumulate: what others read, or what needs a state, stays in the loop", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x) {
    auto [s, t] = scan([](auto e, auto s, auto t) { return std::tuple(s + e, t + s); }, kt::sequences(x), kt::outputs_info(0.0, 0.0));
    return std::tuple(s, t);
  };
  CHECK(count(optimized(f), "scan") == 1);
  agree(f, vector{1, 2, 3, 4});
}

TEST_CASE("scan_accumulate: gradients", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dscalar a) {
    auto y = scan([=](auto e, auto s) { return s + a * e * e; }, kt::sequences(x), kt::outputs_info(a));
    return std::tuple(grad(sum(y * y), a), grad(y(-1), x));
  };
  agree(f, vector{1, 2, 3, 4}, 0.5);
}

TEST_CASE("scan_accumulate: small integers and truth values keep their element type",
          "[loops][passes]") {
  constexpr auto f = [](kt::bvector x, kt::ivector y, kt::vector<std::uint8_t> z) {
    auto start = x(0);
    auto sums = scan([](auto e, auto s) { return s + e * e; }, kt::sequences(x),
                     kt::outputs_info(start));
    auto last = foldl([](auto e, auto s) { return s + e * e * e; }, kt::sequences(x),
                      kt::outputs_info(start));
    auto products = scan([](auto e, auto p) { return p * (e + 1); }, kt::sequences(y),
                         kt::outputs_info(y(0)));
    auto bytes = scan([](auto e, auto s) { return s + e; }, kt::sequences(z),
                      kt::outputs_info(z(0)));
    return std::tuple(sums, last, products, bytes);
  };
  kt::graph const g = optimized(f);
  CHECK(count(g, "scan") == 0);
  agree(f, xt::xtensor<std::int8_t, 1>{7, 9, 3}, xt::xtensor<std::int32_t, 1>{70000, 60000},
        xt::xtensor<std::uint8_t, 1>{200, 100, 50});
  constexpr auto any = [](kt::vector<bool> x) {
    auto [s, p] = scan([](auto e, auto s, auto p) { return std::tuple(s | e, p & e); },
                       kt::sequences(x), kt::outputs_info(x(0), x(0)));
    auto t = scan([](auto e, auto s) { return s * e; }, kt::sequences(x), kt::outputs_info(x(0)));
    return std::tuple(s, p, t);
  };
  agree(any, xt::xtensor<bool, 1>{true, false, true});
}

TEST_CASE("scan_accumulate: what reads the extents of a sum knows them without it",
          "[loops][passes]") {
  constexpr auto f = [](kt::dmatrix x, kt::dvector start, kt::dvector other) {
    auto [s, h, n] = scan(
        [](auto e, auto s, auto h) {
          return std::tuple(s + e, tanh(h) + kt::ones_like(s), s.shape(0) + sum(h));
        },
        kt::sequences(x), kt::outputs_info(start, other, kt::none));
    return std::tuple(s, h, n);
  };
  agree(f, matrix{{1, 2}, {3, 4}, {5, 6}}, vector{0.5, 0.25}, vector{0.1, 0.2});
}

TEST_CASE("scan_accumulate: conditions of what leaves the loop are checked",
          "[loops][passes][errors]") {
  constexpr auto f = [](kt::dmatrix x, kt::dvector w) {
    auto sums = scan([=](auto e, auto s) { return s + sum(exp(e(kt::slice(1, 3)) + w)); },
                     kt::sequences(x), kt::outputs_info(0.5));
    return std::tuple(sums, 2 * sums);
  };
  matrix const x{{1, 2, 3, 4}, {5, 6, 7, 8}};
  agree(f, x, vector{0.5, 0.25});
  CHECK_THROWS_AS(kt::function(f)(x, vector{1}), kt::shape_error);
  CHECK_THROWS_AS(kt::function(f)(x, vector{1, 2, 3}), kt::shape_error);
}
