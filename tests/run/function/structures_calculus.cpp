// Structs of variables: memberwise arithmetic and gradients.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <boost/hana/define_struct.hpp>
#include <kroton/runtime.hpp>

using namespace reference;

namespace {

struct pair : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(pair, (kt::dvector, v), (kt::fscalar, s));
};
struct model : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(model, (kt::dmatrix, W), (pair, rest));
};

kt::values<pair> const p0(vec<double>{1, -2, 4}, 3.f);
kt::values<pair> const q0(vec<double>{0.5, 0.25, infinity}, -2.f);
kt::values<model> const m0(mat<double>{{0.5, -1, 0.25}, {1, 0.75, -0.5}}, p0);

}  // namespace

TEST_CASE("arithmetic is memberwise and keeps the types of the members") {
  auto f = kt::function([](pair p, pair q, kt::fscalar a) {
    pair r = p;
    r += q;
    r -= 1;
    r *= a;
    r /= 4;
    return std::tuple(p + q, p - 0.1 * q, p * q / 2, -p, 1 - p, r, 2 / p);
  });
  auto const [sum, step, product, negative, rest, compound, quotient] = f(p0, q0, 2.f);
  CHECK((kt::get<&pair::v>(sum) == vec<double>{1.5, -1.75, infinity}));
  CHECK(kt::get<&pair::s>(sum) == 1.f);
  static_assert(std::is_same_v<std::tuple_element_t<1, kt::values<pair>>, float>);
  CHECK((kt::get<&pair::v>(step) == vec<double>{1 - 0.1 * 0.5, -2 - 0.1 * 0.25, -infinity}));
  CHECK(kt::get<&pair::s>(step) == Approx(3.2f));
  CHECK((kt::get<&pair::v>(product) == vec<double>{0.25, -0.25, infinity}));
  CHECK(kt::get<&pair::s>(product) == -3.f);
  CHECK((kt::get<&pair::v>(negative) == vec<double>{-1, 2, -4}));
  CHECK((kt::get<&pair::v>(rest) == vec<double>{0, 3, -3}));
  CHECK(kt::get<&pair::s>(rest) == -2.f);
  CHECK((kt::get<&pair::v>(compound) == vec<double>{0.25, -1.375, infinity}));
  CHECK(kt::get<&pair::s>(compound) == 0.f);
  CHECK((kt::get<&pair::v>(quotient) == vec<double>{2, -1, 0.5}));
}

TEST_CASE("memberwise applies a function to corresponding members, members gives them all") {
  auto f = kt::function([](model p, model q) {
    auto root = kt::memberwise([](auto m, auto v) { return m / sqrt(v + 1); }, p, 0.25 * q * q);
    return std::tuple(root, std::apply([](auto... m) { return (sum(sqr(m)) + ...); }, kt::members(p)));
  });
  auto const [root, norm] = f(m0, m0);
  CHECK(mismatch(kt::get<&model::W>(root), [](auto i, auto j) {
          double const w = kt::get<&model::W>(m0)(i, j);
          return w / std::sqrt(0.25 * w * w + 1);
        }, 1e-15) == "");
  CHECK(norm == Approx(0.25 + 1 + 0.0625 + 1 + 0.5625 + 0.25 + 1 + 4 + 16 + 9));
}

constexpr auto cost = [](kt::dmatrix x, model p) {
  auto h = tanh(dot(x, p.W) * p.rest.v);
  return mean(sqr(h)) + 0.5 * sum(exp(-sqr(p.W))) + cast<double>(p.rest.s * p.rest.s);
};
mat<double> const x0{{1, -0.5}, {0.25, 2}, {-1, 0.5}, {0.1, 0.2}};

TEST_CASE("a gradient with respect to a struct is such a struct, equal to those by its members") {
  auto by_struct = kt::function([](kt::dmatrix x, model p) {
    auto [gx, g] = grad(cost(x, p), x, p);
    return std::tuple(g, gx);
  });
  auto by_members = kt::function([](kt::dmatrix x, model p) {
    return std::apply([](auto const&... g) { return std::tuple(g...); }, grad(cost(x, p), p.W, p.rest.v, p.rest.s, x));
  });
  auto const [g, gx] = by_struct(x0, m0);
  auto const [W, v, s, x] = by_members(x0, m0);
  static_assert(std::is_same_v<std::remove_const_t<decltype(g)>, kt::values<model>>);
  CHECK(kt::get<&model::W>(g) == W);
  CHECK(kt::get<&pair::v>(kt::get<&model::rest>(g)) == v);
  CHECK(kt::get<&pair::s>(kt::get<&model::rest>(g)) == s);
  CHECK(s == 6.f);
  CHECK(gx == x);
}

constexpr auto square = [](pair p) { return sum(sqr(p.v)) * cast<double>(p.s); };

TEST_CASE("verify_grad, kt::grad and kt::value_and_grad take structs") {
  CHECK(kt::verify_grad([](kt::dmatrix x, pair p) { return sum(tanh(dot(x, p.v))); }, mat<double>{{1, 2, 3}, {-1, 0.5, 0.1}}, p0));
  auto const wrong = kt::verify_grad([](pair p) { return sum(kt::stop_gradient(p.v) * p.v); }, p0);
  CHECK(!wrong);
  CHECK(wrong.parameter == 0);
  auto const g = kt::function(kt::grad(square))(p0);
  CHECK((kt::get<&pair::v>(g) == vec<double>{6, -12, 24}));
  CHECK(kt::get<&pair::s>(g) == 21.f);
  auto const [value, again] = kt::function(kt::value_and_grad<1>([](kt::dscalar a, pair p) { return a * square(p); }))(2., p0);
  CHECK(value == 126);
  CHECK((kt::get<&pair::v>(again) == vec<double>{12, -24, 48}));
}

// A disconnected member is an error, or 0 where that is asked for.
TEST_CASE("gradients of members that the cost does not depend on") {
  auto const g = kt::function([](pair p) { return grad(sum(sqr(p.v)), p, kt::disconnected::zero); })(p0);
  CHECK((kt::get<&pair::v>(g) == vec<double>{2, -4, 8}));
  CHECK(kt::get<&pair::s>(g) == 0.f);
}

double cost_by_loops() {
  auto const& W = kt::get<&model::W>(m0);
  auto const& v = kt::get<&pair::v>(p0);
  double squares = 0, penalty = 0;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double const h = std::tanh((x0(i, 0) * W(0, j) + x0(i, 1) * W(1, j)) * v(j));
      squares += h * h;
    }
  for (double w : W) penalty += std::exp(-w * w);
  return squares / 12 + penalty / 2 + 9;
}

template <class Mode>
void descend(Mode mode) {
  kt::shared<model> weights(m0);
  kt::shared<model> speed(mat<double>(xt::zeros<double>({2, 3})), kt::values<pair>(vec<double>{0, 0, 0}, 0.f));
  auto train = kt::function(
      [](kt::dmatrix x, model v, model p) {
        auto value = cost(x, p);
        auto next = 0.9 * v - 0.05 * grad(value, p);
        return kt::outputs(value).update(v, next).update(p, p + next);
      },
      speed, weights, mode);
  double const before = train(x0);
  double after = before;
  for (int i = 0; i < 50; ++i) after = train(x0);
  CHECK(before == Approx(cost_by_loops()).epsilon(1e-12));
  CHECK(after < 3.5);
  CHECK(std::abs(kt::get<&pair::s>(kt::get<&model::rest>(weights.get_value()))) < 1);
}
TEST_CASE("momentum with two shared structs, in every kind of mode") {
  descend(kt::mode::fast_run);
  descend(kt::mode::interpret);
  descend(kt::mode::debug);
}
