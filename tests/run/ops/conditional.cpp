// ifelse: the values of where, of which only the branch taken is computed, forwards and backwards.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <sstream>

using namespace reference;

namespace {

// How often each numbered op ran.
int ran[8];

/// Twice the operand, as a step of its own that counts. That of an even number has the next number as its gradient.
template <int Number>
struct counted : kt::operation<"counted", 1> {
  static constexpr kt::tensor_type type(kt::core::application const& a) { return a.input(0); }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int d) {
    return {kt::core::extent_source::dimension, 0, d};
  }
  static constexpr auto pullback(auto g, auto, auto) {
    return kt::inputs(kt::term{g.of, g.of->template apply<counted<Number | 1>>({g.id})});
  }
  static void run(kt::core::invocation const& call) {
    ++ran[Number];
    kt::core::array_ref const &out = call.result(), &in = call.operand(0);
    auto const* from = reinterpret_cast<double const*>(in.data);
    for (std::ptrdiff_t i = 0; i < out.size(); ++i)
      reinterpret_cast<double*>(out.data)[i] = 2 * from[i * (out.rank > 0 ? in.strides[0] : 0)];
  }
};
template <int Number, class X>
constexpr X twice(X const& x) {
  return X(kt::term{x.of, x.of->template apply<counted<Number>>({x.id})});
}

/// What ran since the last call, as `0 2`: the numbers, each as often as it did.
std::string what_ran() {
  std::string text;
  for (int k = 0; k < 8; ++k)
    for (; ran[k] > 0; --ran[k]) text += (text.empty() ? "" : " ") + std::to_string(k);
  return text;
}

template <class T>
void check_values() {
  auto f = kt::function([](kt::scalar<T> c, kt::vector<T> x, kt::vector<T> y) {
    return std::tuple(ifelse(c > 0, x + y, x * y), cond(c, x, T(2) * y), ifelse(c, sum(x), 1), ifelse(c, 2, 3),
                      ifelse(true, x, y));
  });
  vec<T> const x{1, 2, 3}, y{4, 5, 6};
  auto const [a, b, c, d, e] = f(T(1), x, y);
  CHECK((a == vec<T>{5, 7, 9}));
  CHECK((b == x));
  CHECK(c == 6);
  CHECK(d == 2);
  CHECK((e == x));
  auto const [p, q, r, s, t] = f(T(0), x, y);
  CHECK((p == vec<T>{4, 10, 18}));
  CHECK((q == vec<T>{8, 10, 12}));
  CHECK(r == 1);
  CHECK(s == 3);
  CHECK((t == x));
}

}  // namespace

TEST_CASE("ifelse: values, of three element types", "[conditional]") {
  check_values<double>();
  check_values<float>();
  check_values<std::int32_t>();
}

TEST_CASE("ifelse: types are those of where", "[conditional]") {
  auto f = kt::function([](kt::scalar<bool> c, kt::ivector x, kt::fvector y) { return ifelse(c, x, y); });
  static_assert(std::is_same_v<decltype(f(true, vec<int>{1}, vec<float>{1})), vec<double>>);
  CHECK((f(true, vec<int>{1, 2}, vec<float>{3, 4}) == vec<double>{1, 2}));
  CHECK((f(false, vec<int>{1, 2}, vec<float>{3, 4}) == vec<double>{3, 4}));
  auto number = kt::function([](kt::fscalar c, kt::fscalar x) { return ifelse(c, x, 0.5); });
  static_assert(std::is_same_v<decltype(number(1.f, 1.f)), float>);
  CHECK(number(0.f, 7.f) == 0.5f);
  CHECK(number(-0.1f, 7.f) == 7);
  CHECK(number(std::numeric_limits<float>::quiet_NaN(), 7.f) == 7);
}

TEST_CASE("ifelse: only the branch taken is computed", "[conditional]") {
  auto f = kt::function([](kt::dscalar c, kt::dvector x) {
    auto const shared = twice<0>(x);
    return ifelse(c > 0, exp(twice<1>(shared)) + x, twice<2>(x + 1) * shared);
  });
  vec<double> const x{0.5, -1};
  what_ran();
  CHECK(xt::allclose(f(1, x), xt::exp(4 * x) + x));
  if (runs_once) CHECK(what_ran() == "0 1");
  CHECK(xt::allclose(f(-1, x), 2 * (x + 1) * 2 * x));
  if (runs_once) CHECK(what_ran() == "0 2");
}

TEST_CASE("ifelse: conditions that are computed, also in a branch", "[conditional]") {
  auto f = kt::function([](kt::dvector x, kt::dvector y) {
    auto const inner = sum(twice<1>(x)) > 4;
    return ifelse(sum(twice<0>(x)) > 0, ifelse(inner, twice<2>(x), twice<3>(x)),
                  ifelse(max(y) > 0, twice<4>(y), twice<5>(y) + 1));
  });
  vec<double> const one{1, 0}, three{3, 0};
  what_ran();
  CHECK((f(three, one) == vec<double>{6, 0}));
  if (runs_once) CHECK(what_ran() == "0 1 2");
  CHECK((f(one, one) == vec<double>{2, 0}));
  if (runs_once) CHECK(what_ran() == "0 1 3");
  CHECK((f(-one, one) == vec<double>{2, 0}));
  if (runs_once) CHECK(what_ran() == "0 4");
  CHECK((f(-one, -one) == vec<double>{-1, 1}));
  if (runs_once) CHECK(what_ran() == "0 5");
}

TEST_CASE("ifelse: what two choices by one condition need runs once, where it holds", "[conditional]") {
  auto f = kt::function([](kt::dscalar c, kt::dscalar d, kt::dvector x) {
    auto const y = twice<0>(x), z = twice<1>(x);
    return std::tuple(ifelse(c, y, x), ifelse(c, sum(y), sum(x)), ifelse(c, ifelse(d, z, x), x),
                      ifelse(d, ifelse(c, z + 1, x), x));
  });
  vec<double> const x{1, 2};
  what_ran();
  auto const [p, q, r, s] = f(1, 1, x);
  CHECK((p == 2 * x));
  CHECK(q == 6);
  CHECK((r == 2 * x));
  CHECK((s == 2 * x + 1));
  if (runs_once) CHECK(what_ran() == "0 1");
  CHECK((std::get<3>(f(1, 0, x)) == x));
  if (runs_once) CHECK(what_ran() == "0");
  CHECK((std::get<2>(f(0, 1, x)) == x));
  if (runs_once) CHECK(what_ran() == "");
}

TEST_CASE("ifelse: branches that are parameters, views, products and reductions", "[conditional]") {
  auto f = kt::function([](kt::dscalar c, kt::dmatrix a, kt::dmatrix b, kt::dvector v) {
    auto const row = ifelse(c, a(0), v);
    return std::tuple(ifelse(c, dot(a, b), a.T()), ifelse(c, sum(a, kt::axis<0>), v),
                      ifelse(c, reshape<1>(a, -1), reshape<1>(b.T(), -1)), row + 1, ifelse(c, a, b)(0, 1),
                      ifelse(c, v(0), a(1, 1)));
  });
  mat<double> const a{{1, 2}, {3, 4}}, b{{5, 6}, {7, 8}};
  vec<double> const v{9, 10};
  auto const [p, q, r, s, t, u] = f(1, a, b, v);
  CHECK((p == mat<double>{{19, 22}, {43, 50}}));
  CHECK((q == vec<double>{4, 6}));
  CHECK((r == vec<double>{1, 2, 3, 4}));
  CHECK((s == vec<double>{2, 3}));
  CHECK(t == 2);
  CHECK(u == 9);
  auto const [p0, q0, r0, s0, t0, u0] = f(0, a, b, v);
  CHECK((p0 == mat<double>{{1, 3}, {2, 4}}));
  CHECK((q0 == v));
  CHECK((r0 == vec<double>{5, 7, 6, 8}));
  CHECK((s0 == vec<double>{10, 11}));
  CHECK(t0 == 6);
  CHECK(u0 == 4);
}

TEST_CASE("ifelse: shapes are those of both branches, checked at every call", "[conditional]") {
  auto f = kt::function([](kt::dscalar c, kt::dvector x, kt::dvector y) { return ifelse(c, exp(x), y); });
  CHECK_THROWS_WITH(f(1, vec<double>{1, 2}, vec<double>{1, 2, 3}),
                    "ifelse: extent 0 of parameter 2 (dvector) is 2, extent 0 of parameter 3 (dvector) is 3");
  auto rows = kt::function([](kt::dscalar c, kt::drow x, kt::dmatrix y) {
    auto const z = ifelse(c, x, 2 * y);
    return std::tuple(z, grad(sum(sqr(z)), x));
  });
  CHECK_THROWS_AS(rows(1, mat<double>{{1, 2}}, mat<double>{{1, 2}, {3, 4}}), kt::shape_error);
  auto const [z, g] = rows(1, mat<double>{{1, 2}}, mat<double>{{3, 4}});
  CHECK((z == mat<double>{{1, 2}}));
  CHECK((g == mat<double>{{2, 4}}));
  CHECK((std::get<1>(rows(0, mat<double>{{1, 2}}, mat<double>{{3, 4}})) == mat<double>{{0, 0}}));
  // A row of both broadcasts.
  auto both = kt::function([](kt::dscalar c, kt::drow x, kt::drow y, kt::dmatrix z) { return ifelse(c, x, y) + z; });
  CHECK((both(0, mat<double>{{1, 2}}, mat<double>{{3, 4}}, mat<double>{{0, 0}, {1, 1}}) == mat<double>{{3, 4}, {4, 5}}));
}

TEST_CASE("ifelse: updates of shared variables, into, and targets that are arguments", "[conditional]") {
  kt::shared w(vec<double>{1, 2}), n(vec<double>{3, 4});
  auto step = kt::function(
      [](kt::dscalar c, kt::dvector a, kt::dvector b) {
        return kt::outputs(ifelse(c, a, b)).update(a, ifelse(c, b, a + 1)).update(b, ifelse(c, a, 2 * b));
      },
      w, n);
  CHECK((step(1) == vec<double>{1, 2}));
  CHECK((w.get_value() == vec<double>{3, 4}));
  CHECK((n.get_value() == vec<double>{1, 2}));
  CHECK((step(0) == vec<double>{1, 2}));
  CHECK((w.get_value() == vec<double>{4, 5}));
  CHECK((n.get_value() == vec<double>{2, 4}));
  // The old value is read through the choice after the new one is known.
  auto late = kt::function(
      [](kt::dscalar c, kt::dvector x, kt::dvector a) {
        auto const old = ifelse(c, a, x);
        return kt::outputs(old, sum(old)).update(a, a + x);
      },
      w);
  auto const [old, total] = late(1, vec<double>{10, 20});
  CHECK((old == vec<double>{4, 5}));
  CHECK(total == 9);
  CHECK((w.get_value() == vec<double>{14, 25}));

  kt::shared s(1.0), t(2.0);
  auto exchange =
      kt::function([](kt::dscalar c, kt::dscalar a,
                      kt::dscalar b) { return kt::outputs().update(a, ifelse(c, b, a)).update(b, ifelse(c, a, b)); },
                   s, t);
  exchange(0);
  CHECK((s.get_value() == 1 && t.get_value() == 2));
  exchange(1);
  CHECK((s.get_value() == 2 && t.get_value() == 1));

  auto f = kt::function(
      [](kt::dscalar c, kt::dvector x, kt::dvector y) { return std::tuple(ifelse(c, x, x * y), x + y, ifelse(c, x + y, y)); });
  vec<double> x{1, 2}, y{3, 4}, z{0, 0};
  f.into(std::tie(z, x, y), 1, x, y);
  CHECK((z == vec<double>{1, 2}));
  CHECK((x == vec<double>{4, 6}));
  CHECK((y == vec<double>{4, 6}));
}

TEST_CASE("ifelse: in opaque callables, and of them", "[conditional]") {
  auto f = kt::function([](kt::dscalar c, kt::dvector x) {
    auto inner = kt::opaque([](kt::dscalar d, kt::dvector v) { return ifelse(d > 0, twice<0>(v), twice<2>(v) * v); });
    auto const y = ifelse(c > 1, inner(c, x), inner(-c, x));
    return std::tuple(y, grad(sum(y), x));
  });
  vec<double> const x{3, -1};
  what_ran();
  auto const [y, g] = f(2, x);
  CHECK((y == vec<double>{6, -2}));
  CHECK((g == vec<double>{2, 2}));
  // The interpreter opens what is opaque; then both calls share what is equal in them, whatever their conditions.
  if (runs_compiled) CHECK(what_ran() == "0 1");
  auto const [z, h] = f(0.5, x);
  CHECK((z == vec<double>{18, 2}));
  CHECK((h == vec<double>{12, -4}));
}

TEST_CASE("ifelse: gradients of the first and second order in every branch", "[conditional]") {
  auto f = kt::function([](kt::dvector c, kt::dvector x) {
    auto const y = sin(x) * ifelse(c(0) > 0, sqr(x) * x, ifelse(c(1) > 0, exp(x), cosh(2 * x) / (1 + sqr(x))));
    auto const z = ifelse(c(1) > 0, ifelse(c(0) > 0, y * y, log(2 + y)), y + x);
    auto const first = grad(sum(z), x);
    return std::tuple(z, first, grad(sum(first), x), rop(z, x, ones_like(x)));
  });
  vec<double> const x{0.3, 0.8, 1.4};
  double const step = 1e-4;
  for (double a : {-1., 1.})
    for (double b : {-1., 1.}) {
      CAPTURE(a, b);
      vec<double> const c{a, b};
      auto const at = f(c, x), up = f(c, x + step), down = f(c, x - step);
      CHECK(xt::allclose(std::get<1>(at), (std::get<0>(up) - std::get<0>(down)) / (2 * step), 1e-6, 1e-6));
      CHECK(xt::allclose(std::get<2>(at), (std::get<1>(up) - std::get<1>(down)) / (2 * step), 1e-6, 1e-6));
      CHECK(xt::allclose(std::get<3>(at), std::get<1>(at), 1e-12));
    }
}

TEST_CASE("ifelse: only the gradient of the branch taken is computed", "[conditional]") {
  // The gradient of twice<2k> is twice<2k + 1>.
  auto f = kt::function([](kt::dscalar c, kt::dvector x) {
    auto const y = tanh(x);
    return grad(sum(sqr(ifelse(c > 0, exp(twice<0>(sin(y))), twice<2>(twice<4>(y)) + y))), x);
  });
  auto plain = [](bool c) {
    return [=](vec<double> const& x) {
      vec<double> const y = xt::tanh(x), z = c ? vec<double>(xt::exp(2 * xt::sin(y))) : vec<double>(5 * y);
      return vec<double>(z * z);
    };
  };
  vec<double> const x{0.2, -0.7};
  double const step = 1e-5;
  what_ran();
  for (bool c : {true, false}) {
    auto const g = f(c ? 1 : -1, x);
    if (runs_once) CHECK(what_ran() == (c ? "0 1" : "2 3 4 5"));
    CHECK(xt::allclose(g, (plain(c)(x + step) - plain(c)(x - step)) / (2 * step), 1e-6, 1e-6));
  }
}

TEST_CASE("ifelse: gradients of several choices meet, nested ones too", "[conditional]") {
  auto f = kt::function([](kt::dscalar c, kt::dscalar d, kt::dvector x) {
    auto const y = twice<0>(x), z = twice<2>(x);
    auto const cost = sum(ifelse(c, ifelse(d, sqr(y), x), x)) + sum(ifelse(c, y, ifelse(d, 3 * z, x)));
    return grad(cost, x);
  });
  vec<double> const x{1, 2};
  what_ran();
  CHECK((f(1, 1, x) == 8 * x + 2));
  if (runs_once) CHECK(what_ran() == "0 1");
  CHECK((f(1, 0, x) == vec<double>{3, 3}));
  if (runs_once) CHECK(what_ran() == "1");
  CHECK((f(0, 1, x) == vec<double>{7, 7}));
  if (runs_once) CHECK(what_ran() == "3");
  CHECK((f(0, 0, x) == vec<double>{2, 2}));
  if (runs_once) CHECK(what_ran() == "");
}

TEST_CASE("ifelse: the branch not taken poisons no gradient", "[conditional]") {
  auto f = kt::function([](kt::dscalar c, kt::dvector x) {
    auto const root = sqrt(x);
    auto const y = ifelse(c, where(x > 0, root, 0), ifelse(c < -1, root, x));
    return std::tuple(grad(sum(y), x), grad(sum(ifelse(c, root, 1 + 0 * x)), x));
  });
  vec<double> const x{4, 0};
  CHECK((std::get<0>(f(1, x)) == vec<double>{0.25, 0}));
  CHECK((std::get<0>(f(0, x)) == vec<double>{1, 1}));
  CHECK((std::get<1>(f(0, x)) == vec<double>{0, 0}));
}

TEST_CASE("ifelse: what is checked is checked whatever is taken", "[conditional]") {
  auto f = kt::function([](kt::dscalar c, kt::dvector x) { return ifelse(c, max(x), 0); });
  CHECK(f(0, vec<double>{1, 2}) == 0);
  CHECK(f(1, vec<double>{1, 2}) == 2);
  CHECK_THROWS_AS(f(0, vec<double>::from_shape({0})), kt::value_error);
}

TEST_CASE("ifelse: it is printed as an op of three operands", "[conditional]") {
  auto f = kt::function([](kt::dscalar c, kt::dvector x) { return ifelse(c > 0, exp(x), x); });
  std::ostringstream out, picture;
  kt::debugprint(f, out);
  CHECK_THAT(out.str(), Catch::Contains("output 1\n  ifelse : dvector\n    lt : bool scalar\n"));
  CHECK_THAT(out.str(), Catch::Contains("3. ifelse\n"));
  kt::printing::print_dot(kt::functions::graph_of_compiled<decltype(f)>::optimized(), picture);
  CHECK_THAT(picture.str(), Catch::Contains("ifelse"));
}

TEST_CASE("ifelse: a function has at most 32 conditions", "[conditional]") {
  auto error_of = [](int conditions) {
    kt::graph g;
    kt::dvector const x(kt::term{&g, g.input({kt::element::float64, 1, 0}, 0)});
    kt::dvector y = x;
    for (int k = 0; k < conditions; ++k) y = ifelse(x(k) > 0, exp(y), y);
    g.results().push_back(y.id);
    kt::plan::planner const plan(g);
    return std::string(g.error());
  };
  CHECK(error_of(32) == "");
  CHECK(error_of(33) == "kt::ifelse: more than 32 different conditions in one function: compile parts with kt::opaque");
}
