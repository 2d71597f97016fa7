// Tensors from extents and of numbers: symbolic extents, numbers alone, constants, next to every kind of op.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <sstream>

using namespace reference;
using I = std::size_t;

namespace {

constexpr auto from_extents = [](kt::dmatrix x, kt::fvector v, kt::lscalar n, kt::iscalar m) {
  return std::tuple(zeros<float>(n, m), ones(x.shape(0)), full(2.5, n, 3), full<bool>(1, m), alloc(v, n, v.shape(0)), zeros<std::int8_t>(n, 1) + v,
                    alloc(n, 2, m), full(x, n, x.shape(0), x.shape(1)));
};
constexpr auto from_numbers = [](kt::dmatrix x, kt::fvector v) {
  return std::tuple(x + kt::zeros<float>(2, 3), kt::ones<double>(3) - v, v * kt::full(2, 3), 2 * kt::ones<float>(3) / kt::full(4.f, 3) + v,
                    -kt::alloc(1, 1, 3) * x, maximum(v, kt::zeros<float>(3)), v > kt::ones<float>(3));
};
constexpr auto constants = [](kt::dmatrix x, kt::fvector v, kt::vector<bool> b) {
  auto const table = kt::constant({{1., 2.}, {3., 4.}});
  return std::tuple(dot(table, x), x * kt::constant({{1, 2, 3}}), v + kt::constant({0.5, 0.25, 0.125}), v + kt::constant({0.5f, 0.25f, 0.125f}),
                    where(kt::constant({true, false, true}), v, kt::constant({7, 8, 9})), b & kt::constant({true, true, false}),
                    sum(kt::constant({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}) + kt::cast<int>(v(0)), kt::axis<1>), v + kt::constant(1.), v + 1.,
                    ifelse(v(0) > 0, v, kt::constant({1.f, 2.f, 3.f})), dot(table * table, x));
};

}  // namespace

TEST_CASE("tensors from symbolic extents") {
  for (auto n : {0, 1, 2}) {
    CAPTURE(n);
    auto check = [&](auto const& f) {
      auto const [z, o, c, b, rows, flagged, spread, stack] = f(mat<double>{{1, 2}, {3, 4}, {5, 6}}, vec<float>{1, 2}, n, 2);
      I const k = static_cast<I>(n);
      CHECK((z == mat<float>(std::array<I, 2>{k, 2}, 0.f)));
      CHECK((o == vec<double>{1, 1, 1}));
      CHECK((c == mat<double>(std::array<I, 2>{k, 3}, 2.5)));
      CHECK((b == vec<bool>{true, true}));
      REQUIRE(rows.shape()[0] == k);
      CHECK(mismatch(rows, [](I, I j) { return static_cast<float>(j + 1); }) == "");
      CHECK((flagged == rows));
      CHECK((spread == mat<std::int64_t>(std::array<I, 2>{2, 2}, n)));
      CHECK(mismatch(stack, [](I, I i, I j) { return static_cast<double>(2 * i + j + 1); }) == "");
    };
    check(kt::function(from_extents));
    check(kt::function(from_extents, kt::mode::interpret));
  }
  auto f = kt::function(from_extents);
  CHECK_THROWS_WITH(f(mat<double>{{1}}, vec<float>{1, 2}, -1, 2), Catch::Contains("negative"));
  CHECK_THROWS_AS(kt::function([](kt::dvector v, kt::lscalar n) { return alloc(v, 2, n); })(vec<double>{1, 2}, 3), kt::shape_error);
}

TEST_CASE("tensors from numbers join the graph that they meet") {
  auto const [a, b, c, d, e, g, h] = kt::function(from_numbers)(mat<double>{{1, 2, 3}, {4, 5, 6}}, vec<float>{-1, 1, 3});
  static_assert(std::is_same_v<decltype(b), vec<double> const> && std::is_same_v<decltype(c), vec<double> const>);
  CHECK(a == mat<double>{{1, 2, 3}, {4, 5, 6}});
  CHECK(b == vec<double>{2, 0, -2});
  CHECK(c == vec<double>{-2, 2, 6});
  CHECK(d == vec<float>{-0.5f, 1.5f, 3.5f});
  CHECK(e == mat<double>{{-1, -2, -3}, {-4, -5, -6}});
  CHECK(g == vec<float>{0, 1, 3});
  CHECK(h == vec<bool>{false, false, true});
  CHECK_THROWS_AS(kt::function(from_numbers)(mat<double>{{1, 2}, {3, 4}}, vec<float>{-1, 1, 3}), kt::shape_error);
}

TEST_CASE("constants next to variables") {
  auto check = [&](auto const& f) {
    auto const [product, row, wide, same, chosen, both, three, widened, kept, branch, more] =
        f(mat<double>{{1, 2, 3}, {4, 5, 6}}, vec<float>{1, -1, 3}, vec<bool>{false, true, true});
    static_assert(std::is_same_v<decltype(wide), vec<double> const> && std::is_same_v<decltype(same), vec<float> const>);
    static_assert(std::is_same_v<decltype(widened), vec<double> const> && std::is_same_v<decltype(kept), vec<float> const>);
    CHECK((product == mat<double>{{9, 12, 15}, {19, 26, 33}}));
    CHECK((row == mat<double>{{1, 4, 9}, {4, 10, 18}}));
    CHECK((wide == vec<double>{1.5, -0.75, 3.125}));
    CHECK((same == vec<float>{1.5f, -0.75f, 3.125f}));
    CHECK((chosen == vec<double>{1, 8, 3}));
    CHECK((both == vec<bool>{false, true, false}));
    CHECK((three == mat<std::int64_t>{{6, 8}, {14, 16}}));
    CHECK((widened == vec<double>{2, 0, 4}));
    CHECK((kept == vec<float>{2, 0, 4}));
    CHECK((branch == vec<float>{1, -1, 3}));
    CHECK((more == mat<double>{{17, 22, 27}, {73, 98, 123}}));
  };
  check(kt::function(constants));
  check(kt::function(constants, kt::mode::interpret));
}

TEST_CASE("gradients by what a constant multiplies, updates by numbers") {
  CHECK(kt::verify_grad([](kt::dvector x) { return sum(sqr(dot(kt::constant({{1., 2.}, {3., -1.}}), x)) * kt::ones<double>(2)); }, vec<double>{1, 2}));
  kt::shared w(vec<double>{1, 2});
  auto reset = kt::function([](kt::dvector v) { return kt::outputs(sum(v)).update(v, kt::constant({5., 6.})); }, w);
  CHECK(reset() == 3);
  CHECK((w.get_value() == vec<double>{5, 6}));
}

TEST_CASE("a constant of some hundred numbers") {
  constexpr auto f = [](kt::lvector x) {
    return x + kt::constant({3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5, 0, 2, 8, 8, 4, 1, 9, 7, 1, 6, 9, 3,
                             9, 9, 3, 7, 5, 1, 0, 5, 8, 2, 0, 9, 7, 4, 9, 4, 4, 5, 9, 2, 3, 0, 7, 8, 1, 6, 4, 0, 6, 2, 8, 6, 2, 0, 8, 9, 9, 8, 6, 2, 8, 0, 3, 4,
                             8, 2, 5, 3, 4, 2, 1, 1, 7, 0, 6, 7, 9, 8, 2, 1, 4, 8, 0, 8, 6, 5, 1, 3, 2, 8, 2, 3, 0, 6, 6, 4, 7, 0, 9, 3, 8, 4, 4, 6, 0, 9, 5, 5,
                             0, 5, 8, 2, 2, 3, 1, 7, 2, 5, 3, 5, 9, 4, 0, 8, 1, 2, 8, 4, 8, 1, 1, 1, 7, 4, 5, 0, 2, 8, 4, 1, 0, 2, 7, 0, 1, 9, 3, 8, 5, 2, 1, 1,
                             0, 5, 5, 5, 9, 6, 4, 4, 6, 2, 2, 9, 4, 8, 9, 5, 4, 9, 3, 0, 3, 8, 1, 9});
  };
  auto const y = kt::function(f)(vec<std::int64_t>(std::array<I, 1>{200}, 0));
  CHECK(y(0) == 3);
  CHECK(y(199) == 9);
  std::int64_t total = 0;
  for (std::int64_t v : y) total += v;
  CHECK(total == 897);
  std::ostringstream text;
  kt::debugprint(kt::graph_of(f), text);
  CHECK_THAT(text.str(), Catch::Contains("constant{3,1,4,1,5,9,2,6,...} : ivector"));
}

TEST_CASE("tensors of numbers in products, solutions and joins") {
  auto f = kt::function([](kt::dmatrix a, kt::dvector v) {
    return std::tuple(dot(a, kt::eye<double>(2)), solve(a, 2 * kt::eye<double>(2)), concatenate<1>(kt::zeros<double>(2, 1), a), stack<0>(v, kt::ones<double>(2)),
                      outer(kt::constant({1., 2.}), v), v * kt::arange(1, 3), a + kt::eye<double>(2, 2, 1), concatenate(v, kt::constant({7}), v));
  });
  auto const [same, inverse, wide, two, pairs, counted, above, joined] = f(mat<double>{{2, 0}, {0, 4}}, vec<double>{5, 6});
  CHECK(same == mat<double>{{2, 0}, {0, 4}});
  CHECK(inverse == mat<double>{{1, 0}, {0, 0.5}});
  CHECK(wide == mat<double>{{0, 2, 0}, {0, 0, 4}});
  CHECK(two == mat<double>{{5, 6}, {1, 1}});
  CHECK(pairs == mat<double>{{5, 6}, {10, 12}});
  CHECK(counted == vec<double>{5, 12});
  CHECK(above == mat<double>{{2, 1}, {0, 4}});
  CHECK(joined == vec<double>{5, 6, 7, 5, 6});
}
