// What the fuzzer found, shrunk: one case for each mistake that it led to.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/runtime.hpp>

#include <limits>
#include <random>

using namespace reference;

// Its result has the shape of its operand, but starts as zeros.
TEST_CASE("a sum over no axis does not lie in its operand's memory") {
  constexpr auto as_written = kt::mode::ieee.excluding<"canonicalize", "stabilize", "hoisting", "folding">();
  auto f = kt::function([](kt::dmatrix x) { return sum(max(x, kt::axis<1>), kt::axis<>) > 0.; }, as_written);
  CHECK(f(mat<double>{{2.}})(0));
}

TEST_CASE("an interpreted loop reduces an operand before another result takes over its memory") {
  kt::runtime::graph g;
  auto x = g.input<double, 2>("x");
  auto const product = dot(x, x);
  auto f = g.function({x}, std::tuple(dot(cos(x.T()), x), sum(product)), kt::mode::fast_run.excluding<"hoisting", "blas">());
  auto const [matrix, total] = f(mat<double>{{2.}});
  CHECK(matrix(0, 0) == Approx(2 * std::cos(2.)));
  CHECK(total == Approx(4));
}

TEST_CASE("the extents of a loop are computed also where no value has them") {
  constexpr auto as_written = kt::mode::ieee.excluding<"canonicalize", "stabilize", "hoisting", "folding">()
                                  .including<"extent_of_expression">();
  auto f = kt::function([](kt::dvector x) { return sum(ones_like(x(kt::slice(kt::none, 1, 1)))); }, as_written);
  CHECK(f(vec<double>{2., 3.}) == 1);
}

TEST_CASE("ieee keeps the NaN of 0 times an infinity behind a choice") {
  auto f = kt::function([](kt::variable<bool, 1> c, kt::dvector x, kt::dvector y) { return std::tuple(where(c, 0, x) * y, where(c, 0, x) / y); },
                        kt::mode::ieee);
  auto const [product, quotient] = f(vec<bool>{true, false}, vec<double>{1., 2.}, vec<double>{std::numeric_limits<double>::infinity(), 4.});
  CHECK(std::isnan(product(0)));
  CHECK(product(1) == 8);
  CHECK(quotient(0) == 0);
  CHECK(quotient(1) == 0.5);
}

TEST_CASE("the gradient of an element that is not there is refused") {
  auto f = kt::function([](kt::dvector x, kt::lscalar i) { return kt::grad(x(i) * 2., x); });
  CHECK(f(vec<double>{1., 2.}, 1)(1) == 2);
  CHECK_THROWS_AS(f(vec<double>{1., 2.}, 5), kt::value_error);
  CHECK_THROWS_WITH(f(vec<double>{1., 2.}, -3), "index -3 is out of range: extent 0 of parameter 1 (dvector) is 2");
}

TEST_CASE("functions of the negative of an unsigned integer") {
  auto f = kt::function([](kt::vector<std::uint8_t> x) { return std::tuple(sgn(-x), abs(-x)); });
  auto const [sign, magnitude] = f(vec<std::uint8_t>{0, 1, 200});
  CHECK(sign == vec<std::uint8_t>{0, 1, 1});
  CHECK(magnitude == vec<std::uint8_t>{0, 255, 56});
}

// The maximum of a multiple is the multiple of a maximum, which may be rounded to another number than the element itself.
TEST_CASE("fuzz: the gradient of a maximum finds its element also where both are rounded apart") {
  auto f = kt::function([](kt::dvector x, kt::dvector y) {
    auto t = y * (x * 3);
    return grad(sum(t - max(t)), x);
  });
  std::mt19937 random(7);
  std::uniform_real_distribution<double> numbers(-2, 2);
  for (int round = 0; round < 300; ++round) {
    xt::xtensor<double, 1> x = xt::zeros<double>({5}), y = x;
    for (std::size_t i = 0; i < 5; ++i) x(i) = numbers(random), y(i) = numbers(random);
    std::size_t top = 0;
    for (std::size_t i = 1; i < 5; ++i)
      if (x(i) * y(i) > x(top) * y(top)) top = i;
    auto const g = f(x, y);
    for (std::size_t i = 0; i < 5; ++i) {
      CAPTURE(round, i, top);
      CHECK(std::abs(g(i) - 3 * y(i) * (i == top ? -4 : 1)) <= 1e-13);
    }
  }
}

// Nothing is rewritten, so that extents are computed from extents that are computed themselves.
TEST_CASE("fuzz: extents that depend on computed extents, without rewriting") {
  constexpr auto parts = [](kt::dvector x, kt::lscalar b) {
    auto rest = x(kt::slice(b, kt::none));
    auto inner = rest(kt::slice(1, kt::none));
    return std::tuple(inner + x(kt::slice(b, kt::none))(kt::slice(1, kt::none)), grad(sum(sqr(inner)), x));
  };
  auto check = [](auto const& f) {
    xt::xtensor<double, 1> const x{1, 2, 3, 4, 5, 6};
    for (std::int64_t b : {0, 3, 1}) {
      CAPTURE(b);
      auto const [twice, slope] = f(x, b);
      REQUIRE(twice.size() == static_cast<std::size_t>(5 - b));
      for (std::size_t i = 0; i < twice.size(); ++i) CHECK(twice(i) == 2 * x(i + 1 + static_cast<std::size_t>(b)));
      for (std::size_t i = 0; i < 6; ++i) CHECK(slope(i) == (static_cast<std::int64_t>(i) > b ? 2 * x(i) : 0));
    }
  };
  check(kt::function(parts));
  check(kt::function(parts, kt::mode::fast_compile));
  check(kt::function(parts, kt::mode::debug));
}

// The factor alone, to the power of the number of elements, overflowed: infinity * 0.
TEST_CASE("fuzz: a product keeps its factors, whose power may overflow") {
  auto f = kt::function([](kt::fvector x, kt::dvector y) { return std::tuple(prod(x * 4), prod(y * 0.5)); });
  auto const [zero, one] = f(xt::zeros<float>({64}), xt::ones<double>({2000}) * 2);
  CHECK(zero == 0);
  CHECK(one == 1);
}

// 1 / x tells the zeros apart. A sum starts from 0, so that of -0 it is 0.
TEST_CASE("fuzz: the signs of zeros in ieee mode") {
  auto f = kt::function(
      [](kt::dscalar x, kt::drow y, kt::dvector z) {
        auto part = z(kt::slice(0, 1));
        return std::tuple(1 / sum(x, kt::axis<>), 1 / mean(x, kt::axis<>), 1 / sum(y, kt::axis<0>), 1 / sum(y, kt::axis<0>, kt::keepdims),
                          1 / (sgn(z) * abs(z)), 1 / sgn(-z), 1 / sum(zeros_like(z) + x), 1 / sum(full_like(z, -0.)), 1 / (z - -0.),
                          1 / prod(x, kt::axis<>), 1 / max(y, kt::axis<0>), grad(sum(part + 0 * part), z));
      },
      kt::mode::ieee);
  xt::xtensor<double, 2> const row{{-0., -0.}};
  auto const [sum_of_one, mean_of_one, sum_of_row, kept, size, sign, sum_of_spread, sum_of_literal, less_nothing, product, extremum, slope] =
      f(-0., row, vec<double>{-0., 2.});
  CHECK(sum_of_one == infinity);
  CHECK(mean_of_one == infinity);
  CHECK(sum_of_row == vec<double>{infinity, infinity});
  CHECK(kept(0, 1) == infinity);
  CHECK(size == vec<double>{infinity, 0.5});
  CHECK(sign == vec<double>{infinity, -1});
  CHECK(sum_of_spread == infinity);
  CHECK(sum_of_literal == infinity);
  CHECK(less_nothing == vec<double>{infinity, 0.5});
  CHECK(product == -infinity);
  CHECK(extremum == vec<double>{-infinity, -infinity});
  CHECK(slope == vec<double>{1, 0});
}

TEST_CASE("fuzz: sums over no elements are 0 whatever is added up, in ieee mode") {
  auto f = kt::function([](kt::dvector x, kt::dscalar y) { return std::tuple(sum(full_like(x, infinity)), sum(x * 0 + y), sum(x / y), prod(x * y)); },
                        kt::mode::ieee);
  auto const [spread, factor, quotient, product] = f(vec<double>::from_shape({0}), infinity);
  CHECK(spread == 0);
  CHECK(factor == 0);
  CHECK(quotient == 0);
  CHECK(product == 1);
}

TEST_CASE("fuzz: the tangent of a right angle is not infinite in ieee mode") {
  auto f = kt::function([](kt::dscalar x) { return tan(atan(x)) * 0; }, kt::mode::ieee);
  CHECK(f(infinity) == 0);
}

// BLAS reads nothing that it scales by 0.
TEST_CASE("fuzz: 0 times what is not finite next to a product, in ieee mode") {
  auto f = kt::function([](kt::dmatrix x, kt::dmatrix y, kt::dscalar a) { return std::tuple(dot(x, x) - 0 * y, dot(y, x) + a * y, x + a * dot(x, y)); },
                        kt::mode::ieee);
  auto const [literal, scaled, product] = f(mat<double>{{1., 2.}, {3., 4.}}, mat<double>{{1., infinity}, {1., 1.}}, 0.);
  CHECK(std::isnan(literal(0, 1)));
  CHECK(literal(1, 1) == 22);
  CHECK(std::isnan(scaled(0, 1)));
  CHECK(std::isnan(product(1, 1)));
  CHECK(product(1, 0) == 3);
}

// The part of an axis that is 1 by its type is an axis that is 1 by its extents.
TEST_CASE("fuzz: a write to the whole of an axis that broadcasts leaves it one that does") {
  auto f = kt::function([](kt::dvector x) {
    auto part = sum(x, kt::axis<0>, kt::keepdims)(kt::slice(kt::none, 1, 1));
    return grad(sum(min(part, kt::axis<0>, kt::keepdims)), x);
  });
  vec<double> const slope = f(vec<double>{1., 1.});
  CHECK((slope == vec<double>{1., 1.}));
}

// The multiple of a maximum is not rounded as the element itself; next to 1e28 the difference is more than an exponential holds.
TEST_CASE("fuzz: logsumexp of large multiples") {
  auto f = kt::function([](kt::dmatrix x, kt::dvector y) { return kt::logsumexp(x * (y * 3.), kt::axis<0>); });
  auto const total = f(mat<double>{{0., 4311231547115195.}, {148., 11719142372802612.}}, vec<double>{55., 10686474581524.463});
  CHECK(total(0) == 148 * 165.);
  CHECK(total(1) == Approx(11719142372802612. * (10686474581524.463 * 3)));
}

// Of one copy the loop took the exponential, of the other, behind a view, the compiler did.
TEST_CASE("fuzz: logsumexp of equal functions of literals, in ieee mode") {
  auto f = kt::function(
      [](kt::fvector x, kt::dscalar y) {
        auto t = sigmoid(kt::grad(y, x, kt::disconnected::zero) - -1);
        return std::tuple(kt::logsumexp(exp(t + pow(t, 1)), kt::axis<0>, kt::keepdims), kt::logsumexp(exp(t + pow(t, 1)), kt::axis<0>));
      },
      kt::mode::ieee);
  auto const [kept, total] = f(vec<float>{2.f}, 2.);
  CHECK(kept(0) == Approx(4.3150855790553588999));
  CHECK(total == Approx(4.3150855790553588999));
}

// What was read of v was not asked for: a slice of it reached beyond its end.
TEST_CASE("fuzz: a direction and a gradient that is given have the shape of what they belong to") {
  auto pulled = kt::function([](kt::dvector x, kt::dvector v) { return kt::lop(kt::concatenate(x, x), x, v); });
  CHECK((pulled(vec<double>{1., 2.}, vec<double>{1., 2., 3., 4.}) == vec<double>{4., 6.}));
  CHECK_THROWS_AS(pulled(vec<double>{1., 2.}, vec<double>{1., 2.}), kt::shape_error);
  auto known = kt::function([](kt::dvector x, kt::dvector v) {
    auto y = kt::concatenate(x, x);
    return kt::grad(sum(x), x, kt::known_grads(y, v));
  });
  CHECK((known(vec<double>{1., 2.}, vec<double>{1., 2., 3., 4.}) == vec<double>{5., 7.}));
  CHECK_THROWS_AS(known(vec<double>{1., 2.}, vec<double>{1.}), kt::shape_error);
  auto pushed = kt::function([](kt::dvector x, kt::dvector v) { return kt::rop(kt::concatenate(x, x), x, v); });
  CHECK((pushed(vec<double>{1., 2.}, vec<double>{3., 4.}) == vec<double>{3., 4., 3., 4.}));
  CHECK_THROWS_AS(pushed(vec<double>{1., 2.}, vec<double>{3.}), kt::shape_error);
}

// By its type the last axis broadcasts; the vector's, which has to be 1, does not.
TEST_CASE("fuzz: a vector spread over an axis of extent 1 is one that broadcasts") {
  auto f = kt::function([](kt::drow x, kt::dvector y, kt::dmatrix z) {
    auto total = kt::sum(x, kt::axis<0, 1>, kt::keepdims);
    return kt::broadcast_to(y, total.shape(0), total.shape(1)) + z;
  });
  CHECK((f(mat<double>{{2.}}, vec<double>{2.}, mat<double>{{1., 2.}, {3., 4.}}) == mat<double>{{3., 4.}, {5., 6.}}));
}

TEST_CASE("fuzz: the position of an extremum of steps is that of the first of equals") {
  auto f = kt::function([](kt::dvector x) { return std::tuple(kt::argmin(kt::round(x)), kt::argmax(sgn(x)), kt::argmax(exp(x))); });
  auto const [least, most, strict] = f(vec<double>{0.25, 0., 2.});
  CHECK(least == 0);
  CHECK(most == 0);
  CHECK(strict == 2);
}

TEST_CASE("fuzz: a product with a diagonal of one element is one that broadcasts") {
  auto f = kt::function([](kt::dvector x, kt::dvector y) { return dot(kt::diag(min(x, kt::axis<0>, kt::keepdims)), x) + y; });
  CHECK((f(vec<double>{3.}, vec<double>{1., 2.}) == vec<double>{10., 11.}));
}

// The number of distinct elements, which is the extent of a part in another place, is counted over that part.
TEST_CASE("fuzz: an extent is not taken from elements that have it themselves") {
  constexpr auto both = [](kt::drow x) {
    auto part = x(kt::slice(kt::none, kt::none, 3), kt::slice(kt::none, 2, 3));
    return sigmoid(part) * 0.5 + kt::unique(part);
  };
  CHECK(kt::function(both)(mat<double>{{0.}})(0, 0) == 0.25);
  CHECK(kt::function(both, kt::mode::fast_compile)(mat<double>{{0.}})(0, 0) == 0.25);
}
TEST_CASE("a log_softmax next to 0 keeps its digits whatever sum it stands in") {
  auto const f = kt::function([](kt::dvector x) {
    auto const l = kt::log_softmax(x);
    return std::tuple(-l, -l + 1e-30 * x, l - 1e-30 * x);
  });
  auto const [minus, plus, other] = f(xt::xtensor<double, 1>{40, 2, 1});
  double const small = std::log1p(std::exp(-38.) + std::exp(-39.));
  CHECK(minus(0) == Approx(small).epsilon(1e-12));
  CHECK(plus(0) == Approx(small).epsilon(1e-12));
  CHECK(other(0) == Approx(-small).epsilon(1e-12));
  CHECK(minus(1) == Approx(38 + small).epsilon(1e-12));
}

// Sums and products of bools are of two operands at a time.
TEST_CASE("fuzz: factors of a product of bools leave it one by one") {
  auto const product = kt::function([](kt::variable<bool, 0> s, kt::variable<bool, 2> x) {
    auto part = x * s;
    return dot(part, part);
  });
  xt::xtensor<bool, 2> const no{{false}}, yes{{true}};
  CHECK((product(true, no) == no));
  CHECK((product(true, yes) == yes));
  CHECK((product(false, yes) == no));
}

TEST_CASE("fuzz: the sign of a sum of positive numbers is 0 where there are none") {
  auto f = kt::function([](kt::dvector x, kt::dscalar b) {
    auto product = b * sum(kt::sigmoid(x)) / kt::cosh(b);
    return std::tuple(sgn(sum(exp(x))), sgn(product), sgn(1 + sum(exp(x))));
  });
  for (std::size_t n : {0, 3}) {
    auto const [one, product, more] = f(xt::xtensor<double, 1>(std::array{n}, 0.5), -2.);
    CHECK(one == (n == 0 ? 0 : 1));
    CHECK(product == (n == 0 ? 0 : -1));
    CHECK(more == 1);
  }
}
