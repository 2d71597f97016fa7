// Every rule and pass is right whichever two others are left out.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/runtime.hpp>

#include <set>
#include <sstream>

namespace {

namespace kt = kroton;
using kt::dmatrix, kt::axis, kt::keepdims, kt::slice;
using kt::runtime::array;

/// Positive numbers and negative ones, none of them near 0 or large.
std::vector<array> arguments() {
  std::vector<array> result(3, array(kt::element::float64, {4, 4}));
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < 16; ++i)
      result[k].data<double>()[i] = 0.3 + 0.9 * static_cast<double>((7 * i + 5 * k + 3) % 16) / 16 + (i % 5 == 0 ? 2 : 0);
  for (std::size_t i = 1; i < 16; i += 3) result[2].data<double>()[i] *= -1;
  return result;
}

using names = std::vector<std::string_view>;

kt::graph optimized(kt::graph const& g, names const& excluded, kt::rewrite::rewrite_log* log = nullptr) {
  kt::rewrite::rewrite_options options;
  options.excluded = {excluded.data(), static_cast<int>(excluded.size())};
  options.log = log;
  return kt::functions::prepare(g, kt::stage::specialize, options);
}

std::uint64_t hash_of(kt::graph const& g) {
  std::uint64_t hash = 0;
  for (int id : g.results()) hash = hash * 31 + g[id].hash;
  return hash;
}

/// The rules and passes that have something to do where others are left out: leaving them out makes another graph.
names active(kt::graph const& g, names const& excluded) {
  kt::rewrite::rewrite_log log;
  std::uint64_t const all = hash_of(optimized(g, excluded, &log));
  std::set<std::string_view> tried;
  for (auto const& p : kt::passes())
    if (p.optional) tried.insert(p.name);
  for (auto name : log)
    if (kt::can_be_left_out(name)) tried.insert(name);
  names result;
  for (auto name : tried) {
    names more = excluded;
    more.push_back(name);
    if (hash_of(optimized(g, more)) != all) result.push_back(name);
  }
  return result;
}

array value(kt::graph g, std::vector<array> const& with) {
  kt::runtime::function<std::vector<array>> const f(
      std::make_shared<kt::runtime::program>(std::move(g), kt::runtime::builtin_kernels()));
  std::vector<array const*> list;
  for (array const& a : with) list.push_back(&a);
  std::vector<array> result;
  f.into(result, {list.data(), static_cast<int>(list.size())});
  return result[0];
}

std::string difference(array const& want, array const& have) {
  if (want.shape() != have.shape()) return "another shape";
  double largest = 0;
  for (std::size_t i = 0; i < want.size(); ++i) largest = std::max(largest, std::abs(want.data<double>()[i]));
  for (std::size_t i = 0; i < want.size(); ++i) {
    double const x = want.data<double>()[i], y = have.data<double>()[i];
    if (std::abs(x - y) <= 1e-9 * (1 + largest)) continue;
    std::ostringstream text;
    text << x << " becomes " << y << " at " << i;
    return text.str();
  }
  return "";
}

struct formula {
  char const* text;
  kt::term (*record)(kt::term, kt::term, kt::term);
};
#define FORMULA(...) formula{#__VA_ARGS__, [](kt::term a, kt::term b, kt::term c) -> kt::term { (void)a, (void)b, (void)c; return __VA_ARGS__; }}
#define ROW kt::axis<1>, kt::keepdims
#define GRAD(cost) grad(cost, kt::dmatrix(a))

// What rules look for, as a factor, a term or an operand of more, and the gradients of it.
formula const formulas[] = {
    FORMULA(sqr(exp(a) / sum(exp(a), ROW))), FORMULA(pow(exp(a), 3) / sqr(sum(exp(a), ROW)) * b), FORMULA(exp(a) / sqr(sum(exp(a), ROW))),
    FORMULA(sqrt(exp(a) / sum(exp(a), ROW))), FORMULA(exp(2 * a) / sum(exp(a), ROW)), FORMULA(log(exp(a) / sum(exp(a), ROW)) * b),
    FORMULA(exp(a) * exp(b) / sum(exp(a), ROW)), FORMULA(exp(c) / (exp(c) + exp(b)) + exp(b) / sqr(exp(c) + exp(b))),
    FORMULA(sqr(1 / (1 + exp(-c)))), FORMULA(b / sqr(1 + exp(c))), FORMULA(exp(c) / (1 + exp(c)) * (1 - exp(c) / (1 + exp(c)))),
    FORMULA(exp(2 * c) / sqr(1 + exp(c))), FORMULA(exp(-c) / sqr(1 + exp(-c)) - sigmoid(c)), FORMULA(sqr(sigmoid(c)) * exp(-c)),
    FORMULA(log(1 + exp(c)) - c + log(1 / (1 + exp(-b)))), FORMULA(-b * log(sigmoid(c)) - (1 - b) * log(1 - sigmoid(c))),
    FORMULA(log(2 * exp(c) + exp(b) + 3)), FORMULA(log(exp(a + 2) - exp(a)) * 2), FORMULA(log(cosh(c)) + log(sqr(a))), FORMULA(log(a * b / sqr(c))),
    FORMULA(sqr(exp(c) - 1) / (exp(c) + 1)), FORMULA((exp(2 * c) - 1) / (exp(2 * c) + 1)), FORMULA((exp(c) - exp(-c)) / (exp(c) + exp(-c))),
    FORMULA(sqr(sinh(c) / cosh(c))), FORMULA(sqr(1 - sqr(tanh(c))) * b), FORMULA((exp(c) - 1) * exp(-c) * b), FORMULA(exp(c) / (exp(c) - 1)),
    FORMULA(exp(-sqr(c)) / erfc(c) * b), FORMULA(sqr(exp(c * c) * erfc(c))), FORMULA(sqr(1 - erf(c)) + log(erfc(c))), FORMULA(sqr(sigmoid(c) / sigmoid(-c))),
    FORMULA(sigmoid(log(b / (1 + b))) + sigmoid(log(a) - log(b))), FORMULA(logsumexp(c, ROW) - c), FORMULA(exp(log_softmax(c, axis<1>)) * b),
    FORMULA(softmax(c - max(c, ROW), axis<1>) * a), FORMULA(log(sum(exp(c), axis<1>) * 3)), FORMULA(log(mean(exp(c), axis<1>)) + log(prod(exp(a)))),
    FORMULA(a / abs(c) * c), FORMULA(sqr(c) * abs(c)), FORMULA(sqrt(sqr(c)) * abs(c)), FORMULA(pow(abs(c), 3) / c), FORMULA(abs(2 * c * b) + sgn(3 * c)),
    FORMULA(sgn(c) * abs(c) + sgn(c * c * c)), FORMULA(sin(-c) + cos(b - c) + tanh(-2 * c)), FORMULA(a * a + 2 * a * b + b * b - sqr(a + b)),
    FORMULA(3 * a * a - 6 * a * b + 3 * b * b), FORMULA((a * b + a * c) / (b + c)), FORMULA((a / b + c) * b), FORMULA(pow(a, b) * pow(a, c) / pow(a, 2)),
    FORMULA(pow(pow(a, 2), b) + sqrt(pow(c, 4))), FORMULA(a * b * c + a * b * sin(c) + cos(a * b)), FORMULA(a / b + c / b + sin(c) / b), FORMULA((2 * a) / (4 * b) - a / b / 2),
    FORMULA((a + 10 * b) * sin(2 * a + 20 * b + c)), FORMULA(exp(c + log(a)) + exp(c) - b * exp(c)), FORMULA(exp(a - b) * exp(b) - exp(a)),
    FORMULA(expm1(c) * exp(c) + sqr(sin(c / 2)) + sin(c) * cos(c)), FORMULA(sigmoid(c) * softplus(-c) + log(1 + exp(c))),
    FORMULA(where(c > 0, 0, b) * a + where(c > 0, b, 0) * sin(a)), FORMULA(where(c > 0, a, b) + where(c > 0, where(c > 0, c, a), b)),
    FORMULA(sum(where(c > 0, a, 0)) + sum(where(c > 0, 0, b))), FORMULA(sum(where(c > 0, a * b, b * c), axis<1>)),
    FORMULA(sum(3 * a * sum(b, ROW), axis<1>)), FORMULA(max(-2 * c, axis<0>) * min(3 * c)), FORMULA(sum(transpose(2 * a)) + sum(sum(b, axis<0>))),
    FORMULA(transpose(exp(transpose(c)) + b) * exp(c)), FORMULA(dmatrix(exp(c) * b)(slice(1, 3)) + dmatrix(exp(c))(slice(1, 3))),
    FORMULA(kt::flatten(exp(c)) * kt::flatten(a + b)), FORMULA(dot(2 * a, transpose(3 * b)) + 2 * c), FORMULA(dot(dot(a, b), dot(c, transpose(a))) - a),
    FORMULA(transpose(dot(a, b)) + dot(transpose(b), transpose(a))), FORMULA(dmatrix(dot(a, b))(1) * 2), FORMULA(var(c, axis<1>) + mean(c, axis<1>)),
    FORMULA(sqr(c - mean(c)) / var(c)), FORMULA(solve(a + 9 * kt::eye<double>(4), b) * det(a + 9 * kt::eye<double>(4))),
    FORMULA(log(det(dot(a, transpose(a)) + 9 * kt::eye<double>(4)))), FORMULA(dot(matrix_inverse(a + 9 * kt::eye<double>(4)), b)),
    FORMULA(inc_subtensor(dmatrix(a)(0), 2 * dmatrix(b)(0)) + set_subtensor(dmatrix(c)(1), dmatrix(a)(1))),
    FORMULA(kt::concatenate<0>(dmatrix(a), dmatrix(b))(slice(2, 6)) + c), FORMULA(sum(kt::stack<0>(dmatrix(a), dmatrix(b)), axis<0>)),
    FORMULA(sum(sum(a, ROW) * b, ROW) + max(-2 * c, ROW)), FORMULA(sum(transpose(3 * a * sum(b, ROW)), ROW) + prod(ones_like(a), ROW)),
    FORMULA(sum(sum(kt::reshape<3>(c, 2, 2, 4), kt::axis<2>, kt::keepdims), kt::axis<1>, kt::keepdims)), FORMULA(sum(max(b, kt::axis<0, 1>, kt::keepdims) * c, ROW)),
    FORMULA(mean(kt::stack<0>(dmatrix(a), dmatrix(b)), axis<0>, kt::keepdims) + c), FORMULA(logsumexp(sum(c, ROW), ROW) - log(sum(exp(c), ROW))),
    FORMULA(log(dmatrix(exp(c))(kt::arange(2))) * 2), FORMULA(log(where(b > 1, exp(c), a)) + b), FORMULA(log1p(kt::concatenate<0>(dmatrix(exp(c)), dmatrix(b)))),
    FORMULA(log(abs(kt::prod(kt::diag(dmatrix(c)), axis<0>, kt::keepdims)))), FORMULA(GRAD(-sum(log(dmatrix(sigmoid(a))(1, kt::slice(0, 2)))))),
    FORMULA(log(minimum(sigmoid(c), b)) + log1p(-maximum(sigmoid(c), 0.25)) + log(maximum(exp(c), 1))),
    FORMULA(log(b * sqr(sigmoid(c))) + kt::log2(softmax(c, axis<1>))), FORMULA(abs(sigmoid(c)) * abs(softmax(c, axis<1>)) - kt::log10(2 * exp(c))),
    FORMULA(GRAD(sum(log(1 + exp(c * a))))), FORMULA(GRAD(-sum(b * log(softmax(a, axis<1>))))), FORMULA(GRAD(sum(tanh(dot(a, b)) * c))),
    FORMULA(GRAD(sum(sqr(a - mean(a)) * b))), FORMULA(GRAD(sum(where(c > 0, a * a * b, a * b)))), FORMULA(GRAD(sum(sqr(sigmoid(a) - b)))),
    FORMULA(GRAD(sum(log(sum(exp(a * c), axis<1>)) * 2))), FORMULA(GRAD(prod(dmatrix(a)(0)) * sum(b))), FORMULA(GRAD(sum(erf(a) * exp(-a * a)))),
};

}  // namespace

TEST_CASE("rules: every one is right whichever two others are left out", "[rewrite]") {
  std::vector<array> const with = arguments();
  std::vector<std::string> found;
  int pairs = 0;
  std::set<std::string_view> seen;
  for (formula const& f : formulas) {
    kt::graph g;
    kt::term x[3];
    for (int k = 0; k < 3; ++k) x[k] = {&g, g.input({kt::element::float64, 2, 0}, k)};
    g.results().push_back(f.record(x[0], x[1], x[2]).id);
    CAPTURE(f.text);
    kt::ops::collect_constraints(g);
    REQUIRE(std::string(g.error()) == "");
    array const want = value(kt::functions::prepare(g, kt::stage::as_written, {}), with);
    std::set<std::uint64_t> compared;  // graphs
    auto compare = [&](names const& out) {
      kt::graph const form = optimized(g, out);
      ++pairs;
      if (!compared.insert(hash_of(form)).second) return;
      std::string text(form.error());
      try {
        if (text.empty()) text = difference(want, value(form, with));
      } catch (std::exception const& e) {
        text = e.what();
      }
      if (text.empty()) return;
      std::string without = " without";
      for (auto name : out) without += " " + std::string(name);
      found.push_back(f.text + without + ": " + text);
    };
    compare({});
    for (auto first : active(g, {})) {
      seen.insert(first);
      compare({first});
      for (auto second : active(g, {first})) compare({first, second});
    }
  }
  CHECK(found == std::vector<std::string>{});
  CHECK(pairs > 500);
  CHECK(seen.size() > 70);
  for (auto name : {"seen_through", "written_products"}) CHECK(seen.count(name) == 1);
}
