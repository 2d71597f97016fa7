// Modes that interpret, debug and profile a static function.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <sstream>

using namespace reference;

namespace {

constexpr auto step = [](kt::dmatrix x, kt::lvector y, kt::dvector w, kt::dscalar b) {
  auto p = 1 / (1 + exp(-dot(x, w) - b));
  auto xent = -y * log(p) - (1 - y) * log(1 - p);
  auto cost = mean(xent) + 0.01 * sum(pow(w, 2));
  auto [gw, gb] = grad(cost, w, b);
  return kt::outputs(p > 0.5, xent).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};

bool is(vec<double> const& got, std::vector<double> const& want) { return std::vector<double>(got.begin(), got.end()) == want; }

struct trained {
  vec<double> w;
  double b;
  std::tuple<vec<bool>, vec<double>> last;
};
template <class Mode>
trained train(Mode mode) {
  mat<double> x(std::array<std::size_t, 2>{40, 5});
  vec<std::int64_t> y(std::array<std::size_t, 1>{40});
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 5; ++j) x(i, j) = std::sin(static_cast<double>(7 * i + 3 * j * j));
    y(i) = x(i, 0) + x(i, 2) > 0.1;
  }
  kt::shared<double, 1> w(xt::zeros<double>({5}));
  kt::shared b(0.0);
  auto f = kt::function(step, w, b, mode);
  for (int i = 0; i < 9; ++i) f(x, y);
  auto last = f(x, y);
  return {w.get_value(), b.get_value(), last};
}

constexpr auto wrong = kt::rules(kt::rule<"wrong_sine">([](auto a) { return sin(a) >> cos(a); }));
constexpr auto wrong_size = kt::rules(kt::rule<"wrong_size">([](auto a) { return abs(a) >> (abs(a) + 1); }));
// It breaks the shape of what it rewrites in the last place only.
constexpr auto sloppy = kt::rules(kt::rule<"sloppy_tan">([](auto a) { return tan(a) >> (a + 0.3 * a * a * a); }));

template <class F, class... A>
std::string refused(F const& f, A const&... arguments) {
  return sentence<kt::debug_error>([&] { f(arguments...); });
}

}  // namespace

TEST_CASE("modes: every one trains the same model", "[runtime]") {
  trained const want = train(kt::mode::fast_run);
  auto check = [&](char const* name, trained const& got) {
    CAPTURE(name);
    CHECK(mismatch(got.w, [&](auto i) { return want.w(i); }, 1e-12) == "");
    CHECK(close(got.b, want.b, 1e-12));
    CHECK(mismatch(std::get<0>(got.last), [&](auto i) { return std::get<0>(want.last)(i); }) == "");
    CHECK(mismatch(std::get<1>(got.last), [&](auto i) { return std::get<1>(want.last)(i); }, 1e-12) == "");
  };
  check("fast_compile", train(kt::mode::fast_compile));
  check("interpret", train(kt::mode::interpret));
  check("interpret without BLAS", train(kt::mode::interpret.excluding<"blas">()));
  check("debug", train(kt::mode::debug));
  check("profile", train(kt::mode::profile));
}

TEST_CASE("mode fast_compile leaves the expression as it is written", "[runtime]") {
  auto fast = kt::function([](kt::dscalar x) { return log(1 + exp(x)); }, kt::mode::fast_compile);
  auto stable = kt::function([](kt::dscalar x) { return log(1 + exp(x)); }, kt::mode::fast_run);
  CHECK(std::isinf(fast(800)));
  CHECK(stable(800) == 800);
  auto soft = kt::function([](kt::dmatrix x) { return softmax(x); }, kt::mode::fast_compile);
  CHECK(close(soft(mat<double>{{1, 1}, {0, 1000}})(0, 1), 0.5));
}

TEST_CASE("mode debug names the rule that changes a value, and updates nothing", "[runtime]") {
  kt::shared w(vec<double>{1, 2});
  auto f = kt::function([](kt::dvector x, kt::dvector v) { return kt::outputs(exp(x) * sin(x + v)).update(v, v + 1); }, w,
                        kt::mode::debug.with<wrong>());
  std::string const text = refused(f, vec<double>{0.25, 0.5});
  CAPTURE(text);
  CHECK(text.find("output 1 differs at element 0 of 2") != std::string::npos);
  CHECK(text.find("the rule \"wrong_sine\" changes the value") != std::string::npos);
  CHECK(text.find("0.25 0.5") != std::string::npos);
  CHECK(is(w.get_value(), {1, 2}));

  auto g = kt::function([](kt::dvector x) { return tan(x); }, kt::mode::debug.with<sloppy>());
  CHECK(refused(g, vec<double>{0.2}).find("\"sloppy_tan\"") != std::string::npos);
  auto good = kt::function([](kt::dvector x) { return tan(x); }, kt::mode::debug);
  CHECK(refused(good, vec<double>{0.2}) == "");
}

TEST_CASE("mode debug does not hold lost digits against the form that keeps them", "[runtime]") {
  auto f = kt::function([](kt::dvector x) {
    auto p = 1 / (1 + exp(-x));
    return std::tuple(log(1 - p), log(1 + exp(x)), exp(x) - 1, sum(exp(x)) / sum(exp(x)), x > 0.5);
  }, kt::mode::debug);
  vec<double> const x{-800, -40, -1e-9, 1e-12, 0.5, 30, 36, 37, 800};
  auto const r = f(x);
  CHECK(std::get<1>(r)(8) == 800);
  CHECK(close(std::get<0>(r)(7), -37, 1e-15));
}

TEST_CASE("modes: errors of a call are the same, and leave shared variables alone", "[runtime]") {
  auto check = [](auto mode) {
    kt::shared w(vec<double>{1, 2});
    auto f = kt::function([](kt::dvector x, kt::dvector v) { return kt::outputs(x + v).update(v, v * 2); }, w, mode);
    CHECK_THROWS_WITH((f(vec<double>{1, 2, 3})), Catch::Contains("extent 0 of parameter 1 (dvector) is 3"));
    CHECK(is(w.get_value(), {1, 2}));
    CHECK(is(f(vec<double>{1, 2}), {2, 4}));
    CHECK(is(w.get_value(), {2, 4}));
  };
  check(kt::mode::fast_run);
  check(kt::mode::fast_compile);
  check(kt::mode::interpret);
  check(kt::mode::debug);
  check(kt::mode::profile);
}

TEST_CASE("mode profile counts calls, bytes and operations, and writes JSON and a timeline", "[runtime]") {
  auto f = kt::function([](kt::dmatrix x, kt::dvector v) { return exp(dot(x, v)) + 1; }, kt::mode::profile);
  mat<double> const x = xt::ones<double>({30, 20});
  vec<double> const v = xt::zeros<double>({20});
  for (int i = 0; i < 3; ++i) CHECK(f(x, v)(29) == 2);
  auto const& costs = f.executor().costs();
  CHECK(costs.calls() == 3);
  CHECK(costs.seconds() > 0);
  REQUIRE(costs.steps().size() == 2);
  CHECK(costs.steps()[0].what == "dot");
  CHECK(costs.steps()[0].calls == 3);
  CHECK(costs.steps()[0].flops == 3 * 2 * 30 * 20);
  CHECK(costs.steps()[0].bytes == 3 * 8 * (30 * 20 + 20 + 30));
  CHECK(costs.steps()[1].what == "exp add");
  CHECK(costs.steps()[1].flops == 3 * 2 * 30);
  std::ostringstream table, json, timeline;
  kt::profile(f, table);
  CHECK(table.str().find("3 calls") == 0);
  CHECK(table.str().find("exp add") != std::string::npos);
  kt::profile_json(f, json);
  CHECK(json.str().find("{\"step\": \"dot\", \"calls\": 3, ") != std::string::npos);
  kt::profile_trace(f, timeline);
  CHECK(timeline.str().find("{\"name\": \"dot\", \"ph\": \"X\"") != std::string::npos);
}

TEST_CASE("modes: functions of run-time graphs are checked and profiled too", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x");
  auto f = g.function({x}, exp(x) * sin(x), kt::mode::debug.with<wrong>());
  std::string const text = refused(f, vec<double>{0.25, 0.5});
  CHECK(text.find("the rule \"wrong_sine\" changes the value\n  x (dvector), 2: 0.25 0.5") != std::string::npos);
  auto good = g.function({x}, {exp(x) * sin(x)}, kt::mode::debug);
  CHECK(close(good(vec<double>{0.5})[0].data<double>()[0], std::exp(0.5) * std::sin(0.5), 1e-15));
  auto timed = g.function({x}, sum(exp(x)), kt::mode::profile);
  for (int i = 0; i < 4; ++i) timed(vec<double>{1, 2, 3});
  auto const copy = timed;
  CHECK(timed.costs().calls() == 4);
  CHECK(copy.costs().calls() == 0);
  std::ostringstream table;
  kt::profile(timed, table);
  CHECK(table.str().find("exp sum{0}") != std::string::npos);
  CHECK_THROWS_AS(good.costs(), kt::value_error);
}

TEST_CASE("mode debug_finite names the op that makes a NaN or an infinity", "[runtime]") {
  constexpr auto formula = [](kt::dvector x) { return exp(log(x) / 2) + 1; };
  auto f = kt::function(formula, kt::mode::debug_finite);
  CHECK(refused(f, vec<double>{4, 9}) == "");
  CHECK(refused(f, vec<double>{4, -1}).find("kt::mode::debug_finite: log(-1) is ") == 0);
  CHECK(refused(f, vec<double>{4, infinity}) == "");  // it came in with the argument
  CHECK(refused(kt::function(formula, kt::mode::debug), vec<double>{4, -1}) == "");
  kt::runtime::graph g;
  auto x = g.input<float, 1>("x");
  auto h = g.function({x}, 1 / x, kt::mode::debug_finite);
  CHECK(refused(h, vec<float>{2, 0}).find("kt::mode::debug_finite: div(1, 0) is inf\n  x (fvector), 2: 2 0") == 0);
}

TEST_CASE("mode interpret: new values that are shared variables, and views of them, are those before the call", "[runtime]") {
  auto check = [](auto mode) {
    kt::shared a(vec<double>{0, 0}), b(vec<double>{1, 2}), c(vec<double>{0, 0});
    auto f = kt::function([](kt::dvector u, kt::dvector v, kt::dvector w) {
      return kt::outputs().update(u, v).update(v, v + 10).update(w, v(kt::slice(kt::none, kt::none, -1)));
    }, a, b, c, mode);
    f();
    CHECK(is(a.get_value(), {1, 2}));
    CHECK(is(b.get_value(), {11, 12}));
    CHECK(is(c.get_value(), {2, 1}));
  };
  check(kt::mode::fast_run);
  check(kt::mode::interpret);
  check(kt::mode::debug);
}

TEST_CASE("mode debug stores what is updated and nothing else", "[runtime]") {
  kt::shared w(vec<double>{1, 2});
  auto f = kt::function([](kt::dvector u, kt::dvector v) { return kt::outputs(sum(v)).update(u, u + 1); }, w, w, kt::mode::debug);
  CHECK(f() == 3);
  CHECK(is(w.get_value(), {2, 3}));
}

TEST_CASE("mode debug compares integers as they are", "[runtime]") {
  auto f = kt::function([](kt::lvector x) { return abs(x); }, kt::mode::debug.with<wrong_size>());
  CHECK(refused(f, vec<std::int64_t>{5'000'000'000}).find("\"wrong_size\"") != std::string::npos);
  CHECK(refused(f, vec<std::int64_t>{std::int64_t(1) << 60}).find("\"wrong_size\"") != std::string::npos);
}

TEST_CASE("mode debug does not hold the order of a sum against it", "[runtime]") {
  auto f = kt::function([](kt::dvector x) { return std::tuple(sum(x), prod(x + 1)); }, kt::mode::debug);
  for (std::size_t n : {50u, 500u, 5000u}) {
    vec<double> x = xt::zeros<double>({n});
    for (std::size_t i = 0; i < n; ++i) x(i) = 1e6 * std::sin(static_cast<double>(i * i + 1));
    for (std::size_t i = n / 2; i < n; ++i) x(i) = 1e-6 * std::cos(static_cast<double>(i)) - x(n - 1 - i);
    CHECK(refused(f, x) == "");
  }
}

namespace {
/// Twice the operand, which it spoils.
struct spoiling : kt::operation<"spoiling", 1> {
  static constexpr kt::tensor_type type(kt::core::application const& a) { return a.input(0); }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int d) {
    return {kt::core::extent_source::dimension, 0, d};
  }
  static void run(kt::core::invocation const& call) {
    auto* const x = reinterpret_cast<double*>(call.operand(0).data);
    for (std::ptrdiff_t i = 0; i < call.result().size(); ++i) reinterpret_cast<double*>(call.result().data)[i] = 2 * x[i];
    x[0] = 7;
  }
};
constexpr auto spoil = [](kt::dvector, kt::dvector x) { return kt::dvector(kt::term{x.of, x.of->apply<spoiling>({x.id})}); };
}  // namespace

TEST_CASE("mode debug refuses calls that change an argument", "[runtime]") {
  vec<double> const x{1, 2};
  vec<double> y{3, 4};
  CHECK(refused(kt::function(spoil, kt::mode::debug), x, y) == "kt::mode::debug: the call changed argument 2");
  kt::runtime::graph g;
  auto a = g.input<double, 1>("a"), b = g.input<double, 1>("b");
  y(0) = 3;
  CHECK(refused(g.function({a, b}, spoil(a, b), kt::mode::debug), x, y) == "kt::mode::debug: the call changed argument 2");
}

TEST_CASE("mode debug checks functions whose graph is gone", "[runtime]") {
  auto f = [] {
    kt::runtime::graph g;
    auto x = g.input<double, 1>("an input whose name is too long to be kept in a string itself");
    return g.function({x}, exp(x) * sin(x), kt::mode::debug.with<wrong>());
  }();
  CHECK(refused(f, vec<double>{1}).find("an input whose name is too long to be kept in a string itself (dvector), 1: 1") != std::string::npos);
}

namespace {
struct multiply_add : kt::elementwise<"multiply_add", 3> {
  template <class R>
  KROTON_FN static R value(R x, R y, R z) {
    return x * y + z;
  }
};
}  // namespace

TEST_CASE("mode debug_finite sees operands that the result is stored over, long arrays, and ops of three operands", "[runtime]") {
  auto f = kt::function([](kt::dmatrix x, kt::dvector v) { return dot(x, log(dot(x, v))); }, kt::mode::debug_finite);
  CHECK(refused(f, mat<double>{{1, 0}, {0, 1}}, vec<double>{1, -1}).find("log(-1) is ") != std::string::npos);
  vec<double> x = xt::ones<double>({300'000});
  x(299'990) = -1;
  CHECK(refused(kt::function([](kt::dvector v) { return log(v) + 1; }, kt::mode::debug_finite), x).find("log(-1) is ") != std::string::npos);
  auto h = kt::function([](kt::dvector v) { return kt::call<multiply_add>(v, v, v); }, kt::mode::debug_finite);
  CHECK(refused(h, vec<double>{infinity}) == "");
  CHECK(refused(h, vec<double>{1e200}).find(") is inf") != std::string::npos);
}

TEST_CASE("mode profile counts what is computed", "[runtime]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dvector v) { return dot(dot(a, b), v); }, kt::mode::profile);
  mat<double> const a = xt::ones<double>({30, 30});
  f(a, a, vec<double>(xt::ones<double>({30})));
  REQUIRE(f.executor().costs().steps().size() == 2);
  for (auto const& step : f.executor().costs().steps()) CHECK(step.flops == 2 * 30 * 30);

  kt::runtime::graph g;
  auto c = g.input<bool, 0>("c");
  auto x = g.input<double, 1>("x");
  auto h = g.function({c, x}, ifelse(c, exp(kt::print("a\nb", x)), sqr(x)), kt::mode::profile);
  h(false, vec<double>{1, 2});
  for (auto const& step : h.costs().steps())
    if (step.what == "exp") CHECK(step.calls == 0);
  std::ostringstream json;
  kt::profile_json(h, json);
  CHECK(json.str().find("print{a\\u000ab}") != std::string::npos);
}
