// An op that owns a body: computed, differentiated, rewritten, batched and printed, in both stages.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/core/splice.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

#include <sstream>

namespace kt = kroton;

namespace {

using kt::core::extent_source;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

/// Applies its body to a state and a constant operand a fixed number of times. Attributes: the body, the number.
struct fold_steps : kt::operation<"fold_steps", 2> {
  static constexpr kt::tensor_type type(kt::core::application const& a) { return a.input(0); }
  static constexpr extent_source extent(kt::core::application const&, int d) { return {extent_source::dimension, 0, d}; }
  static constexpr void constraints(kt::core::application const& a, kt::core::list<kt::core::extent_pair>& pairs) {
    kt::graph const& body = a.of->body(a.attribute(0));
    for (auto const& c : body.constraints()) {
      kt::core::extent_pair pair{{}, {}, c.kind};
      if (kt::functions::outer_source(body, c.left, pair.left) && kt::functions::outer_source(body, c.right, pair.right))
        pairs.push_back(pair);
    }
  }
  static constexpr void write_out(kt::graph& g, kt::core::application const& a, kt::core::list<int>& outputs) {
    int state = a.inputs[0];
    for (long long k = a.attribute(1); k > 0; --k) {
      int const arguments[] = {state, a.inputs[1]};
      state = kt::core::splice(g, g.body(a.attribute(0)), arguments)[0];
    }
    outputs.push_back(state);
  }
  static constexpr kt::core::gradient_list<2> pullback(kt::term g, kt::term y, kt::term x, kt::term w) {
    long long const address = y.of->attribute(y.id, 0);
    kt::graph const back = pullback_of(y.of->body(address));
    kt::term of_state = g, of_constant{};
    for (long long k = y.of->attribute(y.id, 1); k > 0; --k) {
      int const state = k == 1 ? x.id : y.of->apply<fold_steps>({x.id, w.id}, {address, k - 1});
      int const arguments[] = {state, w.id, of_state.id};
      kt::core::list<int> const found = kt::core::splice(*y.of, back, arguments);
      of_state = {y.of, found[0]};
      kt::term const part{y.of, found[1]};
      of_constant = of_constant.exists() ? of_constant + part : part;
    }
    return kt::inputs(of_state, of_constant);
  }

 private:
  /// The gradients of a body's parameters, from that of its result.
  static constexpr kt::graph pullback_of(kt::graph const& body) {
    kt::graph g = body;
    int const result = g.results()[0];
    kt::term const x{&g, g.parameters()[0]}, w{&g, g.parameters()[1]}, seed{&g, g.input(g.type(result), 2)};
    kt::calculus::gradient_request request(g);
    request.option(kt::disconnected::zero);
    request.seed(result, seed.id);
    request.option(x);
    request.option(w);
    request.run();
    g.results().clear();
    for (kt::term const& of : {x, w}) g.results().push_back(request.result(of).id);
    return g;
  }
};

template <class F>
constexpr kt::term fold(F record, int steps, kt::term x, kt::term w) {
  kt::graph inner;
  kt::dvector const state(kt::term{&inner, inner.input(x.type(), 0)}), constant(kt::term{&inner, inner.input(w.type(), 1)});
  inner.results().push_back(record(state, constant).id);
  kt::ops::collect_constraints(inner);
  long long const address = x.of->intern(kt::core::body(inner));
  return {x.of, x.of->apply<fold_steps>({x.id, w.id}, {address, steps})};
}
template <class F>
constexpr kt::dvector fold(F record, int steps, kt::dvector x, kt::dvector w) {
  return kt::dvector(fold(record, steps, kt::term(x), kt::term(w)));
}

constexpr auto step = [](auto x, auto w) { return sin(x) * w + x; };
constexpr auto soft = [](auto x, auto w) { return log(1 + exp(x)) - w; };

constexpr auto folded = [](kt::dvector x, kt::dvector w) { return 2 * fold(step, 3, x, w); };
constexpr auto by_hand = [](kt::dvector x, kt::dvector w) { return 2 * step(step(step(x, w), w), w); };

template <class A, class B>
bool close(A const& a, B const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-14;
}

bool has(kt::graph const& g, std::string_view op) {
  for (int id = 0; id < g.size(); ++id)
    if (g[id].op->name == op) return true;
  return false;
}

vector const x0{0.25, -1, 2}, w0{0.5, 3, -0.25};

}  // namespace

TEST_CASE("an op computes its body, and its gradient that of the body") {
  auto const f = kt::function(folded);
  auto const expected = kt::function(by_hand);
  CHECK(close(f(x0, w0), expected(x0, w0)));

  auto const d = kt::function([](kt::dvector x, kt::dvector w) { return grad(sum(folded(x, w)), x, w); });
  auto const d_by_hand = kt::function([](kt::dvector x, kt::dvector w) { return grad(sum(by_hand(x, w)), x, w); });
  auto const [dx, dw] = d(x0, w0);
  auto const [ex, ew] = d_by_hand(x0, w0);
  CHECK(close(dx, ex));
  CHECK(close(dw, ew));

  kt::runtime::graph g;
  auto const x = g.input<double, 1>("x"), w = g.input<double, 1>("w");
  auto const h = g.function({x, w}, folded(x, w));
  CHECK(close(h(x0, w0), expected(x0, w0)));
}

// Types of expressions are equal if bodies are; canonical ones also where only the normal forms of bodies are.
constexpr auto doubled = [](kt::dvector x, kt::dvector w) { return fold([](auto s, auto c) { return s + c + s; }, 2, x, w); };
constexpr auto twice = [](kt::dvector x, kt::dvector w) { return fold([](auto s, auto c) { return s + c + 2 * s - s; }, 2, x, w); };
constexpr auto tripled = [](kt::dvector x, kt::dvector w) { return fold([](auto s, auto c) { return c + 3 * s; }, 2, x, w); };
static_assert(std::is_same_v<kt::canonical<doubled>, kt::canonical<twice>>);
static_assert(!std::is_same_v<kt::canonical<doubled>, kt::canonical<tripled>>);
static_assert(!std::is_same_v<kt::expression_of<doubled>, kt::expression_of<twice>>);

TEST_CASE("conditions of a body are those of its owner") {
  auto const f = kt::function([](kt::dvector x, kt::dvector w) { return fold(step, 2, x, w); });
  CHECK_THROWS_WITH(f(x0, vector{1, 2}),
                    "fold_steps: extent 0 of parameter 1 (dvector) is 3, extent 0 of parameter 2 (dvector) is 2");
}

TEST_CASE("a body is rewritten as the graph that owns it, once") {
  kt::graph const g = kt::optimize(kt::graph_of([](kt::dvector x, kt::dvector w) {
                                     return fold(soft, 2, x, w) * fold(soft, 4, x, w);
                                   }).get(), kt::stage::stabilize);
  REQUIRE(g.bodies().size() == 1);
  CHECK(has(*g.bodies()[0], "softplus"));
  CHECK_FALSE(has(*g.bodies()[0], "exp"));
  CHECK(has(g, "fold_steps"));
  auto const f = kt::function([](kt::dvector x, kt::dvector w) { return fold(soft, 2, x, w); });
  CHECK(close(f(vector{800}, vector{1}), vector{798}));  // no overflow
  auto const ieee = kt::function([](kt::dvector x, kt::dvector w) { return fold(soft, 2, x, w); }, kt::mode::ieee);
  CHECK(std::isinf(ieee(vector{800}, vector{1})(0)));
}

TEST_CASE("an op with a body is batched as its body") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector w) {
    return kt::vmap([&](kt::dvector row) { return fold(step, 2, row, w); })(x);
  });
  auto const expected = kt::function([](kt::dmatrix x, kt::dvector w) {
    return kt::vmap([&](kt::dvector row) { return step(step(row, w), w); })(x);
  });
  matrix const x{{0.25, -1, 2}, {1, 0, 3}};
  CHECK(close(f(x, w0), expected(x, w0)));
}

TEST_CASE("bodies are printed once, below the graph that owns them") {
  auto const f = kt::function([](kt::dvector x, kt::dvector w) { return fold(soft, 2, x, w); });
  std::ostringstream text, of_lambda;
  kt::debugprint(f, text);
  kt::debugprint([](kt::dvector x, kt::dvector w) { return fold(soft, 2, x, w); }, of_lambda);
  CHECK(of_lambda.str() ==
        "output 1\n"
        "  fold_steps{body 1,2} : dvector\n"
        "    parameter 1 (dvector)\n"
        "    parameter 2 (dvector)\n"
        "body 1\n"
        "  output 1\n"
        "    sub : dvector\n"
        "      log : dvector\n"
        "        add : dvector\n"
        "          1\n"
        "          exp : dvector\n"
        "            parameter 1 (dvector)\n"
        "      parameter 2 (dvector)\n");
  INFO(text.str());
  CHECK(text.str().find("fold_steps{body 1,2} : dvector") != std::string::npos);
  CHECK(text.str().find("      log : dvector") != std::string::npos);
}
