// Bodies of loops that update parameters of the function, compiled and interpreted.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

/// Runs a check with the function in each stage: `check(mode)`.
template <class Check>
void in_all_modes(Check check) {
  check(kt::mode::fast_run);
  check(kt::mode::interpret);
  check(kt::mode::debug);
}

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::dvector, b));
};

}  // namespace

TEST_CASE("scan: a parameter is updated and nothing else happens", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<double, 0> state(1.25);
    auto const f = kt::function(
        [](kt::lscalar n, kt::dscalar w) { return scan([&] { return kt::outputs().update(w, 2 * w); }, kt::n_steps(n)); }, state, mode);
    f(3);
    CHECK(state.get_value() == 10);
    f(0);
    CHECK(state.get_value() == 10);
    f(1);
    CHECK(state.get_value() == 20);
  });
}

TEST_CASE("scan: a body that has nothing but what it captures", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<double, 0> w(1.);
    auto const f = kt::function([](kt::dscalar w) { return scan([&] { return kt::outputs().update(w, w + 1); }, kt::n_steps(10)); }, w, mode);
    f();
    CHECK(w.get_value() == 11);
    auto const g = kt::function(
        [](kt::dscalar w) { return scan([&] { return kt::outputs(w * w).update(w, w - 1); }, kt::n_steps(3)); }, w, mode);
    CHECK((g() == vector{121, 100, 81}));
    CHECK(w.get_value() == 8);
  });
  CHECK((kt::function([](kt::dscalar a) { return scan([&] { return std::tuple(2 * a, a); }, kt::n_steps(2)); })(3.) ==
         std::tuple(vector{6, 6}, vector{3, 3})));
}

TEST_CASE("scan: updates beside sequences, states, non-sequences and outputs", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<double, 0> w(1.), v(10.);
    auto const f = kt::function(
        [](kt::dvector x, kt::dscalar s, kt::dscalar c, kt::dscalar w, kt::dscalar v) {
          return scan(
              [&](auto e, auto s, auto c) {
                return kt::outputs(s + w * e, w + v).update(v, v + w).update(w, w * c);
              },
              kt::sequences(x), kt::outputs_info(s, kt::none), kt::non_sequences(c));
        },
        w, v, mode);
    auto const [states, sums] = f(vector{1, 2, 3}, 0.5, 2.);
    // w is 1, 2, 4 and v is 10, 11, 13 as the steps see them.
    CHECK((states == vector{1.5, 5.5, 17.5}));
    CHECK((sums == vector{11, 13, 17}));
    CHECK(w.get_value() == 8);
    CHECK(v.get_value() == 17);
  });
}

TEST_CASE("scan: updates are taken over by other outputs", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<double, 1> w(vector{1, 2});
    kt::shared<double, 0> calls(0.);
    auto const f = kt::function(
        [](kt::dmatrix x, kt::dvector w, kt::dscalar calls) {
          auto r = scan([&](auto row) { return kt::outputs(dot(row, w)).update(w, w + row); }, kt::sequences(x));
          // Around the loop the parameter has its old value.
          return kt::outputs(sum(std::get<0>(r.values())), 2 * w).update(calls, calls + 1).update(r);
        },
        w, calls, mode);
    auto const [total, old] = f(matrix{{1, 0}, {0, 1}, {1, 1}});
    CHECK(total == 1 + 2 + 5);
    CHECK((old == vector{2, 4}));
    CHECK((w.get_value() == vector{3, 4}));
    CHECK(calls.get_value() == 1);
    CHECK_THROWS_AS(f(matrix{{1, 0, 0}}), kt::shape_error);
    CHECK((w.get_value() == vector{3, 4}));
    CHECK(calls.get_value() == 1);
  });
}

TEST_CASE("scan: what is computed of an updated parameter belongs to the step", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<double, 1> w(vector{1, 2});
    auto const f = kt::function(
        [](kt::dvector x, kt::dvector w) {
          auto const twice = 2 * w;
          return scan([&](auto e) { return kt::outputs(twice * e, zeros_like(w) + w.shape(0)).update(w, w + 1); }, kt::sequences(x));
        },
        w, mode);
    auto const [products, shapes] = f(vector{1, 10});
    CHECK((products == matrix{{2, 4}, {40, 60}}));
    CHECK((shapes == matrix{{2, 2}, {2, 2}}));
    CHECK((w.get_value() == vector{3, 4}));
  });
}

TEST_CASE("scan: updates that need no sequence or no non-sequence", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<double, 0> w(2.);
    auto const f = kt::function(
        [](kt::dvector u, kt::dscalar x1, kt::dscalar w) {
          auto r = scan([&](auto u, auto, auto) { return kt::outputs(u + 1, u + 2, u + 3).update(w, u + 4); }, kt::sequences(u),
                        kt::outputs_info(x1, x1, kt::none));
          return r;
        },
        w, mode);
    auto const [a, b, c] = f(vector{1, 5, 7}, 0.);
    CHECK((a == vector{2, 6, 8}));
    CHECK((b == vector{3, 7, 9}));
    CHECK((c == vector{4, 8, 10}));
    CHECK(w.get_value() == 11);
  });
}

TEST_CASE("scan: loops in loops update the same parameter", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<double, 0> w(1.);
    auto const f = kt::function(
        [](kt::dmatrix x, kt::dscalar w) {
          return scan(
              [&](auto row) {
                auto r = scan([&](auto e) { return kt::outputs(w).update(w, w + e); }, kt::sequences(row));
                return kt::outputs(std::get<0>(r.values())).update(r);
              },
              kt::sequences(x));
        },
        w, mode);
    CHECK((f(matrix{{1, 2}, {3, 4}}) == matrix{{1, 2}, {4, 7}}));
    CHECK(w.get_value() == 11);
  });
}

TEST_CASE("folds update parameters, and a body updates a struct", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<layer> weights(matrix{{1, 0}, {0, 1}}, vector{1, 1});
    auto const f = kt::function(
        [](kt::dmatrix x, kt::dvector h, layer l) {
          return foldl(
              [&](auto row, auto h) { return kt::outputs(dot(l.W, h) + l.b).update(l, layer{{}, l.W + 1, row}); },
              kt::sequences(x), kt::outputs_info(h));
        },
        weights, mode);
    CHECK((f(matrix{{5, 6}, {7, 8}}, vector{1, 2}) == vector{2 * 2 + 3 + 5, 2 + 2 * 3 + 6}));
    auto const [W, b] = weights.get_value();
    CHECK((W == matrix{{3, 2}, {2, 3}}));
    CHECK((b == vector{7, 8}));
  });
}

TEST_CASE("scan: gradients through updated parameters", "[loops]") {
  // The last step's output sees what all steps before have made of w.
  kt::shared<double, 0> w(3.);
  auto const f = kt::function(
      [](kt::dvector x, kt::dscalar w) {
        auto r = scan([&](auto e) { return kt::outputs(w * e).update(w, w * e); }, kt::sequences(x));
        return grad(std::get<0>(r.values())(-1), x, w);
      },
      w);
  auto const [of_x, of_w] = f(vector{2, 5, 7});
  CHECK((of_x == vector{105, 42, 30}));
  CHECK(of_w == 70);
  CHECK(w.get_value() == 3);
}

TEST_CASE("scan: two updated parameters do not disturb each other", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<double, 1> a(vector{1, 2}), b(vector{30, 40});
    auto const f = kt::function(
        [](kt::lscalar n, kt::dvector a, kt::dvector b) {
          return scan([&] { return kt::outputs().update(a, b).update(b, a); }, kt::n_steps(n));
        },
        a, b, mode);
    f(3);
    CHECK((a.get_value() == vector{30, 40}));
    CHECK((b.get_value() == vector{1, 2}));
    f(2);
    CHECK((a.get_value() == vector{30, 40}));
  });
}

TEST_CASE("scan: a step that fails updates nothing", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<double, 1> w(vector{1, 2, 3});
    kt::shared<double, 0> v(1.);
    auto const f = kt::function(
        [](kt::lvector at, kt::dvector w, kt::dscalar v) {
          auto first = scan([&](auto) { return kt::outputs().update(v, v + 1); }, kt::sequences(at));
          auto second = scan([&](auto i) { return kt::outputs(w(i)).update(w, w + w(i)); }, kt::sequences(at));
          return kt::outputs(std::get<0>(second.values())).update(first).update(second);
        },
        w, v, mode);
    CHECK_THROWS_AS(f(xt::xtensor<std::int64_t, 1>{0, 7}), kt::value_error);
    CHECK((w.get_value() == vector{1, 2, 3}));
    CHECK(v.get_value() == 1);
    CHECK((f(xt::xtensor<std::int64_t, 1>{0, 2}) == vector{1, 4}));
    CHECK((w.get_value() == vector{6, 7, 8}));
    CHECK(v.get_value() == 3);
  });
}

TEST_CASE("scan: an updated parameter is a sequence and a start, too", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<double, 1> w(vector{1, 2, 3});
    auto const f = kt::function(
        [](kt::dvector w) {
          return scan([&](auto e, auto s) { return kt::outputs(s + w, sum(w) + e).update(w, w * e); }, kt::sequences(w),
                      kt::outputs_info(w, kt::none));
        },
        w, mode);
    auto const [states, sums] = f();
    CHECK((states == matrix{{2, 4, 6}, {3, 6, 9}, {5, 10, 15}}));
    CHECK((sums == vector{7, 8, 15}));
    CHECK((w.get_value() == vector{6, 12, 18}));
  });
}

TEST_CASE("scan: an updated parameter keeps its extents", "[loops]") {
  in_all_modes([](auto const& mode) {
    kt::shared<double, 1> w(vector{1, 2});
    auto const f = kt::function(
        [](kt::dmatrix x, kt::dvector w) { return scan([&](auto row) { return kt::outputs().update(w, dot(x, w) + row(0)); }, kt::sequences(x)); },
        w, mode);
    f(matrix{{1, 0}, {0, 1}});
    CHECK((w.get_value() == vector{2, 3}));
    CHECK_THROWS_AS(f(matrix{{1, 0}, {0, 1}, {1, 1}}), kt::shape_error);
    CHECK((w.get_value() == vector{2, 3}));
  });
}

TEST_CASE("scan: updates of a parameter that the call or a body makes twice are refused", "[loops]") {
  constexpr auto error_of = [](auto const& f) {
    kt::graph g;
    kt::dvector const x(kt::term{&g, g.input(kt::dvector::parameter_type, 0)});
    kt::dscalar const w(kt::term{&g, g.input(kt::dscalar::parameter_type, 1)});
    f(x, w);
    return std::string(g.error());
  };
  auto loop = [](auto x, auto w) { return scan([&](auto e) { return kt::outputs().update(w, w + e); }, kt::sequences(x)); };
  CHECK(error_of([&](auto x, auto w) { return kt::outputs().update(w, w + 1).update(loop(x, w)); }) == "update: a parameter is updated twice");
  CHECK(error_of([&](auto x, auto w) { return loop(x, w).update(loop(x, w)); }) == "update: a parameter is updated twice");
  CHECK(error_of([&](auto x, auto) { return scan([&](auto e) { return kt::outputs().update(e, e + 1); }, kt::sequences(x)); }) ==
        "update: the first argument must be a parameter of the function");
  CHECK(error_of(loop).empty());
}
