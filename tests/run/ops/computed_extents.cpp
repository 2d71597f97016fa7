// Extents that depend on elements: what they are computed from runs before memory is laid out.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <catch2/catch.hpp>

using namespace reference;

namespace {

using I = std::size_t;
using positions = vec<std::int64_t>;

constexpr auto where_large = [](kt::dvector x, kt::dvector y) {
  auto at = nonzero(x * y > 1);
  return std::tuple(at, 2 * at + at.shape(0), sum(at), y - at.shape(0));
};
// The second extent depends on elements whose number the first one is.
constexpr auto twice = [](kt::lvector x) { return nonzero(nonzero(x) > 1) + x(0); };
constexpr auto added = [](kt::dvector x, kt::dvector y) { return nonzero(x > 0) + y; };
constexpr auto masked = [](kt::dvector x, kt::dmatrix m, kt::dvector r) {
  auto positive = x(x > 0);
  return std::tuple(positive, m(m > 2), m(r > 0), m(kt::slice(), x > 0)(0), set_subtensor(x(x < 0), 0.), sum(sqr(m(r > 0, 1))));
};
constexpr auto cost = [](kt::dvector x) {
  auto large = x(x > 0.5);
  return sum(sqr(large)) / large.shape(0) + prod(inc_subtensor(x(x < 0), 2 * x(x < 0)));
};
constexpr auto largest = [](kt::dvector x, kt::dvector y) { return y(argmax(x)) + take(x, argsort(x))(0); };
// Steps of the prologue over extents that other ones compute.
constexpr auto over_computed = [](kt::lvector x) {
  auto n = nonzero(cumsum(x) > 0).shape(0);
  return std::tuple(nonzero(cumsum(ones<double>(n)) > 1), nonzero(set_subtensor(zeros<double>(n)(0), 5.)));
};
constexpr auto as_long = [](kt::dvector x) { return x(x > 0) + x; };
constexpr auto marked = [](kt::dvector x, kt::dvector y) { return std::tuple(nonzero(grad(max(x), x)), y(grad(max(x), x) > 0.5)); };
constexpr auto counted_by_element = [](kt::lvector n, kt::dvector y) { return ones<double>(n(0)) + y; };
constexpr auto negative = [](kt::lscalar n) { return nonzero(cumsum(ones<double>(n), kt::axis<0>)); };
constexpr auto scaled = [](kt::dvector a, kt::dscalar c, kt::dvector b, kt::dvector w) {
  auto e = kt::print("e", ifelse(c > 0, a, b));
  return kt::outputs(ones<double>(sum(kt::cast<std::int64_t>(e > 1))), exp(e / sum(sum(e) * e))).update(w, w * 10);
};
constexpr auto distinct = [](kt::dmatrix x) { return unique(x); };
constexpr auto chosen = [](kt::dvector x, kt::dscalar c) { return ifelse(c > 0, sum(nonzero(x > c)), sum(nonzero(x < c))); };

}  // namespace

TEST_CASE("an extent may depend on elements", "[extents]") {
  auto f = kt::function(where_large);
  auto const [at, scaled, total, moved] = f(vec<double>{1, 2, 3, 0.1}, vec<double>{1, 2, 3, 4});
  CHECK((at == positions{1, 2}));
  CHECK((scaled == positions{4, 6}));
  CHECK(total == 3);
  CHECK((moved == vec<double>{-1, 0, 1, 2}));
  // Others with the same shapes, more and none at all.
  CHECK((std::get<0>(f(vec<double>{2, 2, 3, 1}, vec<double>{1, 2, 3, 4})) == positions{0, 1, 2, 3}));
  auto const [none, nothing, zero, same] = f(vec<double>{0, 0, 0, 0}, vec<double>{1, 2, 3, 4});
  CHECK(none.size() == 0);
  CHECK(nothing.size() == 0);
  CHECK(zero == 0);
  CHECK((same == vec<double>{1, 2, 3, 4}));
}

TEST_CASE("computed extents depend on each other", "[extents]") {
  auto f = kt::function(twice);
  CHECK((f(vec<std::int64_t>{5, 0, 7, 0, 9}) == positions{6, 7}));  // 0 2 4; of these 1 and 2
  CHECK(f(vec<std::int64_t>{5, 0}).size() == 0);
  CHECK((f(vec<std::int64_t>{0, 0, 7, 8}) == positions{0, 1}));
}

TEST_CASE("operands of what computes an extent are checked before", "[extents]") {
  auto f = kt::function(where_large);
  CHECK_THROWS_AS(f(vec<double>{1, 2, 3}, vec<double>{1, 2}), kt::shape_error);
  auto g = kt::function(added);
  CHECK((g(vec<double>{1, -1, 1}, vec<double>{0.5, 0.5}) == vec<double>{0.5, 2.5}));
  CHECK_THROWS_WITH(g(vec<double>{1, -1, 1}, vec<double>{1, 2, 3}), Catch::Contains("a computed extent is 2"));
}

TEST_CASE("computed extents within a choice", "[extents]") {
  auto f = kt::function(chosen);
  CHECK(f(vec<double>{1, 2, 3}, 1.5) == 3);
  CHECK(f(vec<double>{-1, -2, 3}, -1.5) == 1);
}

TEST_CASE("the interpreter computes extents too", "[extents]") {
  auto const [at, scaled, total, moved] = kt::function(where_large, kt::mode::interpret)(vec<double>{1, 2, 3, 0.1}, vec<double>{1, 2, 3, 4});
  CHECK((at == positions{1, 2}));
  CHECK((scaled == positions{4, 6}));
  CHECK((kt::function(twice, kt::mode::debug)(vec<std::int64_t>{5, 0, 7, 0, 9}) == positions{6, 7}));
}

TEST_CASE("no plan for shapes alone where elements matter", "[extents]") {
  std::ostringstream out;
  CHECK_THROWS_AS(kt::debugprint(kt::function(twice), out, kt::shape(5)), kt::value_error);
}

TEST_CASE("bools select elements, axes and what is written to", "[extents]") {
  auto f = kt::function(masked);
  vec<double> const x{1, -2, 3};
  mat<double> const m{{1, 2, 3}, {4, 5, 6}};
  auto const [positive, large, rows, columns, cut, squares] = f(x, m, vec<double>{0, 1});
  CHECK((positive == vec<double>{1, 3}));
  CHECK((large == vec<double>{3, 4, 5, 6}));
  CHECK((rows == mat<double>{{4, 5, 6}}));
  CHECK((columns == vec<double>{1, 3}));
  CHECK((cut == vec<double>{1, 0, 3}));
  CHECK(squares == 25);
  CHECK(std::get<1>(f(x, mat<double>(m - 10), vec<double>{0, 1})).size() == 0);
  CHECK_THROWS_WITH(f(x, m, vec<double>{0, 1, 1}), Catch::Contains("nonzero") && Catch::Contains("3") && Catch::Contains("2"));
}

TEST_CASE("gradients of selected elements", "[extents]") {
  CHECK(kt::verify_grad(cost, vec<double>{0.7, -0.3, 0.2, 0.9, -0.8}));
}

TEST_CASE("an index may be computed from elements", "[extents]") {
  auto f = kt::function(largest);
  CHECK(f(vec<double>{1, 3, 2}, vec<double>{10, 20, 30}) == 21);
  CHECK(f(vec<double>{1, 3, 2}, vec<double>{10, 20}) == 21);
  CHECK_THROWS_WITH(f(vec<double>{1, 2, 3}, vec<double>{10, 20}), Catch::Contains("out of range"));
}

TEST_CASE("what computes extents may be computed over others", "[extents]") {
  auto const [large, set] = kt::function(over_computed)(vec<std::int64_t>{1, -1, 2, 3});
  CHECK((large == positions{1, 2}));
  CHECK((set == positions{0}));
  auto f = kt::function(as_long);
  CHECK((f(vec<double>{1, 2, 3}) == vec<double>{2, 4, 6}));
  CHECK_THROWS_AS(f(vec<double>{1, -2, 3}), kt::shape_error);
  auto const [at, chosen] = kt::function(marked)(vec<double>{1, 2, 7, 3}, vec<double>{1, 2, 3, 4});
  CHECK((at == positions{2}));
  CHECK((chosen == vec<double>{3}));
  auto g = kt::function(counted_by_element);
  CHECK((g(vec<std::int64_t>{2}, vec<double>{0, 2}) == vec<double>{1, 3}));
  CHECK((g(vec<std::int64_t>{3}, vec<double>{0, 2, 1}) == vec<double>{1, 3, 2}));
  CHECK_THROWS_AS(g(vec<std::int64_t>{2}, vec<double>{0, 2, 1}), kt::shape_error);
  CHECK_THROWS_AS(kt::function(negative)(-2), kt::shape_error);
}

TEST_CASE("a shared variable that is updated in place keeps its old value for views of it", "[extents]") {
  kt::shared w(vec<double>{1, 2, 3});
  auto f = kt::function(scaled, w);
  auto const [count, values] = f(w.storage(), 1., vec<double>{0, 0, 0});
  CHECK(count.size() == 2);
  for (I i = 0; i < 3; ++i) CHECK(values(i) == Approx(std::exp(static_cast<double>(i + 1) / 36)));
  CHECK((w.get_value() == vec<double>{10, 20, 30}));
}

TEST_CASE("distinct elements", "[extents]") {
  auto f = kt::function(distinct);
  CHECK((f(mat<double>{{3, 1, 3}, {2, 1, -0.0}}) == vec<double>{0, 1, 2, 3}));
  auto const some = f(mat<double>{{not_a_number, 1}, {not_a_number, 1}});
  CHECK(some.size() == 2);
  CHECK(some(0) == 1);
  CHECK(std::isnan(some(1)));
  CHECK(f(mat<double>(std::array<I, 2>{0, 3})).size() == 0);
}
