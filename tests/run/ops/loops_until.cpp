// Loops that a condition stops: kt::until.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && (a.size() == 0 || xt::amax(xt::abs(a - b))() <= 1e-14);
}
template <class F, class Check, class... A>
void in_all_stages(F const& f, Check check, A const&... arguments) {
  check(kt::function(f)(arguments...));
  check(kt::function(f, kt::mode::interpret)(arguments...));
  check(kt::function(f, kt::mode::debug)(arguments...));
}
int scans_in(kt::graph const& g) {
  int found = 0;
  for (int id = 0; id < g.size(); ++id) found += g[id].op->name == "scan" ? 1 : 0;
  return found;
}

struct point : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(point, (kt::dscalar, x), (kt::dvector, v));
};
constexpr auto first_above = [](auto x, double most) {
  return scan([=](auto e) { return kt::until(e > most, e * e); }, kt::sequences(x));
};
constexpr auto two_loops = [](kt::dvector x, double a, double b) {
  return std::tuple(first_above(x, a), scan([=](auto e) { return kt::until(e > b, e + 1); }, kt::sequences(x)));
};

}  // namespace

TEST_CASE("until: the step in which the condition holds counts", "[loops]") {
  auto const doubled = [](kt::dscalar x, kt::lscalar n) {
    return scan([](kt::dscalar h) { return kt::until(2 * h >= 16, 2 * h); }, kt::outputs_info(x), kt::n_steps(n));
  };
  in_all_stages(doubled, [](vector const& y) { CHECK(same(y, vector{2, 4, 8, 16})); }, 1.0, std::int64_t{1000000000});
  in_all_stages(doubled, [](vector const& y) { CHECK(same(y, vector{2, 4})); }, 1.0, std::int64_t{2});
  in_all_stages(doubled, [](vector const& y) { CHECK(y.size() == 0); }, 1.0, std::int64_t{0});
  in_all_stages(doubled, [](vector const& y) { CHECK(same(y, vector{40})); }, 20.0, std::int64_t{5});
  auto const f = kt::function(doubled);
  CHECK_THROWS_WITH(f(1.0, std::int64_t{-1}), Catch::Contains("n_steps"));
}

TEST_CASE("until: the shortest sequence is a limit, and the shape is that of the steps done", "[loops]") {
  vector x = xt::ones<double>({50});
  x(23) = 4;
  auto const f = [](kt::dvector x) {
    auto y = scan([](kt::dscalar e) { return kt::until(e > 3, 10 * e); }, kt::sequences(x));
    return std::tuple(y, y.shape(0), sum(y), y(-1));
  };
  in_all_stages(
      f,
      [&](auto const& found) {
        auto const& [y, count, total, last] = found;
        CHECK(same(y, vector(10 * xt::view(x, xt::range(0, 24)))));
        CHECK(count == 24);
        CHECK(total == Approx(270));
        CHECK(last == 40);
      },
      x);
  // Nothing stops it before the end.
  in_all_stages(f, [](auto const& found) { CHECK(std::get<1>(found) == 30); }, vector(xt::ones<double>({30})));
}

TEST_CASE("until: without a limit, over rows, with a state of two taps", "[loops]") {
  auto const f = [](kt::dmatrix start) {
    auto [rows, sums] = scan(
        [](kt::dvector before, kt::dvector last) {
          auto next = before + last;
          return kt::until(sum(next) > 1000, next, sum(next));
        },
        kt::outputs_info(kt::taps<-2, -1>(start), kt::none));
    return std::tuple(rows, sums);
  };
  std::vector<std::array<double, 2>> expected{{0, 1}, {1, 1}};
  while (expected.size() < 3 || expected.back()[0] + expected.back()[1] <= 1000) {
    auto const a = expected[expected.size() - 2], b = expected.back();
    expected.push_back({a[0] + b[0], a[1] + b[1]});
  }
  in_all_stages(
      f,
      [&](auto const& found) {
        auto const& [rows, sums] = found;
        REQUIRE(rows.shape(0) == expected.size() - 2);
        for (std::size_t t = 0; t < rows.shape(0); ++t) {
          CHECK(rows(t, 0) == expected[t + 2][0]);
          CHECK(rows(t, 1) == expected[t + 2][1]);
          CHECK(sums(t) == rows(t, 0) + rows(t, 1));
        }
      },
      matrix{{0, 1}, {1, 1}});
}

TEST_CASE("until: the condition of states that nothing else reads, in folds and for structs", "[loops]") {
  auto const newton = [](kt::dscalar a) {
    return foldl(
        [&](kt::dscalar x, kt::dscalar) {
          auto next = 0.5 * (x + a / x);
          return kt::until(abs(next - x) < 1e-15 * x, next, x);
        },
        kt::outputs_info(a, 0.0), kt::n_steps(100));
  };
  in_all_stages(newton, [](auto const& found) { CHECK(std::get<0>(found) == Approx(std::sqrt(7.0)).epsilon(1e-15)); }, 7.0);
  auto const structs = [](kt::dvector v) {
    point start{{}, zeros_like(sum(v)), v};
    return foldl(
        [](point p) {
          return kt::until(p.x >= 2, point{{}, p.x + 1, 2 * p.v});
        },
        kt::outputs_info(start)).v;
  };
  in_all_stages(structs, [](vector const& v) { CHECK(same(v, vector{8, 16})); }, vector{1, 2});
}

TEST_CASE("until: updates, captured values, a loop in a loop", "[loops]") {
  auto w = kt::shared(1.0);
  auto f = kt::function(
      [](kt::dvector x, kt::dscalar w) {
        return scan(
            [&](kt::dscalar e) {
              auto next = w * e;
              return kt::until(next > 5, kt::outputs(next).update(w, next));
            },
            kt::sequences(x));
      },
      w);
  CHECK(same(f(vector{2, 1, 3, 100}), vector{2, 2, 6}));
  CHECK(w.get_value() == 6);
  // The number of steps differs from row to row.
  auto const nested = [](kt::dvector x, kt::dscalar most) {
    return map(
        [&](kt::dscalar e) {
          auto y = scan([&](kt::dscalar h) { return kt::until(2 * h > most, 2 * h); }, kt::outputs_info(e));
          return sum(y) + kt::cast<double>(y.shape(0));
        },
        kt::sequences(x));
  };
  in_all_stages(nested, [](vector const& y) { CHECK(same(y, vector{2 + 4 + 8 + 16 + 4, 6 + 12 + 2, 200 + 1})); },
                vector{1, 3, 100}, 10.0);
}

TEST_CASE("until: equal loops are one, others stay apart", "[loops][passes]") {
  auto const optimized = [](auto f) { return kt::optimize(kt::graph_of(f).get(), kt::stage::specialize); };
  CHECK(scans_in(optimized([](kt::dvector x) { return two_loops(x, 3, 3); })) == 1);
  CHECK(scans_in(optimized([](kt::dvector x) { return two_loops(x, 3, 4); })) == 2);
  // Nor is a loop that stops one with a loop that does not.
  CHECK(scans_in(optimized([](kt::dvector x) {
          return std::tuple(first_above(x, 3), scan([](auto e, auto s) { return e * tanh(s); }, kt::sequences(x), kt::outputs_info(1.0)));
        })) == 2);
  vector const x{1, 2, 3, 4, 5, 6};
  in_all_stages([](kt::dvector x) { return two_loops(x, 3, 4); },
                [](auto const& found) {
                  CHECK(same(std::get<0>(found), vector{1, 4, 9, 16}));
                  CHECK(same(std::get<1>(found), vector{2, 3, 4, 5, 6}));
                },
                x);
}

TEST_CASE("until: memory grows with the steps that are done, and is used again", "[loops]") {
  auto f = kt::function([](kt::dvector x, kt::dscalar most) {
    return scan([&](kt::dvector h) { return kt::until(sum(h) + 1 > most, h + 1.0 / 3); }, kt::outputs_info(x));
  });
  for (double most : {10.0, 1000.0, 10.0, 100.0}) {
    matrix const y = f(vector{0, 0, 0}, most);
    std::size_t steps = 0;
    double h = 0;
    do h += 1.0 / 3, ++steps;
    while (!(3 * (h - 1.0 / 3) + 1 > most));
    REQUIRE(y.shape(0) == steps);
    CHECK(y(steps - 1, 2) == Approx(h));
    CHECK(y(0, 0) == Approx(1.0 / 3));
  }
}

TEST_CASE("until: what is refused while it is recorded", "[loops][errors]") {
  auto const refused = [](auto body) {
    kt::graph g;
    kt::term const x{&g, g.input(kt::dmatrix::parameter_type, 0)};
    scan(body, kt::sequences(x));
    return std::string(g.error());
  };
  CHECK(refused([](kt::term row) { return kt::until(row > 0, row); }) ==
        "kt::until: the condition is one bool: compare scalars, or reduce with all or any");
  CHECK(refused([](kt::term row) { return kt::until(sum(row), row); }) ==
        "kt::until: the condition is one bool: compare scalars, or reduce with all or any");
}

TEST_CASE("until: the condition by its names", "[loops]") {
  auto const f = [](kt::dvector x) {
    return scan([](kt::dscalar e, kt::dscalar s) { return kt::until(s > 3, s + e, e * e); }, kt::sequences(x),
                kt::outputs_info(0.0, kt::none));
  };
  for (auto const& node : kt::graph_of(f).toposort()) {
    if (node.name() != "scan") continue;
    kt::scan_args const args(node);
    REQUIRE(args.cond().size() == 1);
    CHECK(args.inner_outputs().size() == 3);
    CHECK(args.cond()[0] == args.inner_outputs().back());
    CHECK(args.outer_outputs().size() == 2);
    CHECK(args.inner_connection_pattern() == std::vector<std::vector<bool>>{{true, true, false}, {true, false, true}});
    CHECK(args.connection_pattern()[1] == std::vector<bool>{true, true});
  }
}
