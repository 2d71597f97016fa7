// Rules of written, taken and joined parts: each fires, and the graph before and after gives the same.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/function/mode.hpp>
#include <kroton/grad/reverse.hpp>
#include <kroton/ops/shapes/extents.hpp>

#include "run/rewrite_interpreter.hpp"

using namespace rewrite_test;

namespace {

using kt::none, kt::slice;
using kt::dmatrix, kt::dvector;

struct outcome {
  std::vector<std::string> fired;
  std::string difference;
  std::string text;  // the ops of the result
};

/// Optimizes f on two matrices and a vector of 3, an int64 vector of the numbers 2, 0, 2, and a scalar 0.5; evaluates both graphs.
template <class F>
outcome optimized(F f, bool ieee = false) {
  kt::graph g;
  auto input = [&](kt::element e, std::uint8_t rank, int position) { return kt::term{&g, g.input({e, rank, 0}, position)}; };
  kt::term const a = input(kt::element::float64, 2, 0), b = input(kt::element::float64, 2, 1), v = input(kt::element::float64, 1, 2),
                 i = input(kt::element::int64, 1, 3), s = input(kt::element::float64, 0, 4);
  g.results().push_back(f(dmatrix(a), dmatrix(b), dvector(v), kt::lvector(i), kt::dscalar(s)).id);
  kt::ops::collect_constraints(g);
  REQUIRE(g.error() == "");
  kt::rewrite::rewrite_log log;
  kt::rewrite::rewrite_options options;
  options.log = &log;
  options.ieee = ieee;
  kt::graph const after = kt::rewrite::optimize(g, kt::stage::specialize, options);
  REQUIRE(after.error() == "");
  std::vector<value> inputs;
  for (int k = 0; k < 3; ++k) {
    value x{k < 2 ? std::vector<long>{3, 3} : std::vector<long>{3}, {}};
    for (long n = 0; n < x.size(); ++n) x.data.push_back(0.25 + 1.5 * static_cast<double>((7 * n + 5 * k) % 11));
    inputs.push_back(x);
  }
  inputs.push_back({{3}, {2, 0, 2}});
  inputs.push_back(value::scalar(0.5));
  value const left = interpreter(g, inputs)[g.results()[0]], right = interpreter(after, inputs)[after.results()[0]];
  outcome result;
  for (auto name : log) result.fired.push_back(std::string(name));
  if (left.shape != right.shape) result.difference = "shape";
  for (std::size_t k = 0; k < left.data.size() && result.difference.empty(); ++k)
    if (std::abs(left.data[k] - right.data[k]) > 1e-12 * std::abs(left.data[k])) result.difference = "element " + std::to_string(k);
  kt::graph shown = after;
  shown.constraints().clear();
  shown = kt::rewrite::cleaner(shown).run();
  for (int id = 0; id < shown.size(); ++id)
    if (!shown.is<kt::op::input>(id) && !shown.is_literal(id)) result.text += (result.text.empty() ? "" : " ") + std::string(shown[id].op->name);
  return result;
}

/// "" when the rule fired, both graphs agree, and the ops that are left are these.
template <class F>
std::string wrong(std::string const& rule, std::string const& left, F f, bool ieee = false) {
  outcome const o = optimized(f, ieee);
  if (!o.difference.empty()) return "another value: " + o.difference;
  if (std::find(o.fired.begin(), o.fired.end(), rule) == o.fired.end()) return rule + " did not fire: " + o.text;
  return o.text == left ? "" : o.text;
}

}  // namespace

#define GIVES(rule, left, ...) \
  CHECK(wrong(rule, left, [](auto a, auto b, auto v, auto i, auto s) { return (void)a, (void)b, (void)v, (void)i, (void)s, __VA_ARGS__; }) == "")

TEST_CASE("writes to parts are merged, and read back", "[rewrite]") {
  GIVES("read_of_write", "", set_subtensor(a(1), v)(1));
  GIVES("read_of_write", "subtensor add", inc_subtensor(a(1), v)(1));
  GIVES("read_of_write", "extent alloc", set_subtensor(a(1), s)(1));
  GIVES("read_beside_write", "subtensor", set_subtensor(a(1), v)(0));
  GIVES("read_beside_write", "extent minimum minimum sub subtensor", inc_subtensor(a(slice(0, 1)), v)(slice(1, 2)));
  GIVES("write_of_write", "set_subtensor", set_subtensor(inc_subtensor(a(1), s)(1), v));
  GIVES("write_of_write", "set_subtensor", set_subtensor(set_subtensor(a(1), s)(1), v));
  GIVES("write_of_write", "add inc_subtensor", inc_subtensor(inc_subtensor(a(1), s)(1), v));
  GIVES("write_of_write", "add set_subtensor", inc_subtensor(set_subtensor(a(1), s)(1), v));
  GIVES("write_of_write", "add inc_take", inc_subtensor(inc_subtensor(a(i), s)(i), v));
  GIVES("write_of_write", "set_take", set_subtensor(inc_subtensor(a(i), s)(i), v));
  GIVES("write_of_all", "", set_subtensor(a(slice(0, a.shape(0))), b));
  GIVES("write_of_all", "add", inc_subtensor(a(slice(), slice(0, a.shape(1))), v));
  GIVES("write_of_all", "set_subtensor", set_subtensor(a(1, slice(0, a.shape(1))), v));
  GIVES("write_of_all", "extent add subtensor", set_subtensor(a(slice(none, none, -1)), b));
  GIVES("write_of_all", "extent add extent add subtensor add", inc_subtensor(a(slice(none, none, -1), slice(none, none, -1)), b));
  GIVES("write_of_read", "", set_subtensor(a(1), a(1)));
  GIVES("write_of_read", "inc_subtensor", set_subtensor(a(1), a(1) + v));
  GIVES("write_of_read", "add inc_subtensor", set_subtensor(a(1), v + a(1) + s));
}

TEST_CASE("writes that are not to one part stay", "[rewrite]") {
  auto ops = [](auto f) { return optimized(f).text; };
  CHECK(ops([](auto a, auto, auto v, auto, auto s) { return set_subtensor(inc_subtensor(a(1), s)(0), v); }) == "inc_subtensor set_subtensor");
  CHECK(ops([](auto a, auto, auto v, auto i, auto s) { return inc_subtensor(set_subtensor(a(i), s)(i), v); }) == "set_take inc_take");
  CHECK(ops([](auto a, auto b, auto, auto, auto) { return set_subtensor(a(1), b(1)); }) == "subtensor set_subtensor");
  CHECK(ops([](auto a, auto, auto v, auto, auto) { return set_subtensor(a(1), v)(kt::slice(0, 2)); }) == "set_subtensor extent minimum subtensor");
  CHECK(optimized([](auto a, auto, auto v, auto, auto s) { return inc_subtensor(inc_subtensor(a(1), s)(1), v); }, true).text == "inc_subtensor inc_subtensor");
}

TEST_CASE("parts of zeros are written to where they are added", "[rewrite]") {
  GIVES("sum_of_set_parts", "inc_subtensor", b + inc_subtensor(zeros_like(a)(0), v));
  GIVES("sum_of_set_parts", "inc_subtensor inc_subtensor", inc_subtensor(zeros_like(a)(0), v) + b + inc_subtensor(zeros_like(a)(1), s));
  GIVES("sum_of_set_parts", "inc_subtensor", b + set_subtensor(zeros_like(a)(0), v));
  GIVES("sum_of_taken", "inc_take", b + inc_subtensor(zeros_like(a)(i), v));
  GIVES("sum_of_taken", "inc_subtensor inc_subtensor inc_take", b + inc_subtensor(inc_subtensor(set_subtensor(zeros_like(a)(0), v)(1), s)(i), v));
  GIVES("scaled_part", "mul inc_subtensor inc_subtensor", b + s * inc_subtensor(set_subtensor(zeros_like(a)(0), v)(1), v));
  GIVES("scaled_set_part", "mul inc_subtensor", b + s * inc_subtensor(zeros_like(a)(0), v));
  GIVES("scaled_taken", "neg mul inc_take", b - s * inc_subtensor(zeros_like(a)(i), v));
  GIVES("scaled_taken", "mul take mul inc_take", a - s * grad(sum(sqr(a(i))), a));
  GIVES("sum_of_added", "extent extent alloc take_along_axis mul add_along_axis", b + grad(sum(sqr(take_along_axis(a, i(kt::newaxis, slice()), kt::axis<1>))), a));
  GIVES("scaled_added", "mul extent extent alloc take_along_axis mul add_along_axis", b - s * grad(sum(sqr(take_along_axis(a, i(kt::newaxis, slice()), kt::axis<1>))), a));
  GIVES("increment_by_zero", "", inc_subtensor(a(1), 0 * v));
}

TEST_CASE("parts of parts of zeros are one part", "[rewrite]") {
  GIVES("write_of_parts", "extent minimum sub inc_subtensor", inc_subtensor(b(slice(1, none)), set_subtensor(zeros_like(b(slice(1, none)))(slice(), 0), s)));
  GIVES("write_of_parts", "inc_subtensor mul extent minimum sub add floordiv maximum inc_subtensor", inc_subtensor(b(1), inc_subtensor(set_subtensor(zeros_like(v)(0), s)(slice(1, none, 2)), 2 * s)));
  GIVES("write_of_parts", "extent extent alloc mul add minimum sub set_subtensor", set_subtensor(zeros_like(b)(slice(none, none, -1), slice(0, -1)), set_subtensor(zeros_like(b(slice(), slice(0, -1)))(0), 3 * s)));
  GIVES("rest_of_slices", "extent minimum sub subtensor", a(slice(0, -1)));
  GIVES("rest_of_slices", "extent minimum minimum sub extent minimum sub subtensor", a(slice(1, -1), slice(0, -2)));
  GIVES("rest_of_slices", "extent minimum sub subtensor", a(slice(0, -1))(slice(0, -1)));
  GIVES("rest_of_slices", "extent minimum minimum add minimum sub minimum sub subtensor", a(slice(1, -1))(slice(1, -1)));
  GIVES("rest_of_slices", "extent minimum minimum sub minimum sub subtensor", a(slice(none, -1))(slice(3, -9)));
  auto ops = [](auto f) { return optimized(f).text; };
  CHECK(ops([](auto, auto b, auto, auto, auto s) { return set_subtensor(b(slice(1, none)), set_subtensor(zeros_like(b(slice(1, none)))(0), s)); }) == "extent minimum sub extent alloc set_subtensor set_subtensor");
}

// As Python counts: one after the other of some bounds at both ends, for vectors of every length.
TEST_CASE("slices of slices have the elements that they name", "[rewrite]") {
  int const bounds[] = {0, 1, 3, 9, -1, -2, -5, -9};
  auto const cut = [](std::vector<double> const& x, int begin, int end) {
    long const n = static_cast<long>(x.size());
    auto const place = [n](int at) { return std::clamp(at < 0 ? at + n : static_cast<long>(at), 0l, n); };
    long const from = place(begin), to = std::max(from, place(end));
    return std::vector<double>(x.begin() + from, x.begin() + to);
  };
  int wrong = 0;
  for (int first = 0; first < 64; ++first)
    for (int second = 0; second < 64; ++second) {
      kt::graph g;
      kt::dvector const x(kt::term{&g, g.input({kt::element::float64, 1, 0}, 0)});
      int const b = bounds[first % 8], e = bounds[first / 8], c = bounds[second % 8], f = bounds[second / 8];
      g.results().push_back(kt::dvector(kt::dvector(x(slice(b, e)))(slice(c, f))).id);
      kt::graph const after = kt::rewrite::optimize(g, kt::stage::canonicalize);
      std::vector<double> numbers;
      for (long n = 0; n < 14; ++n) {
        value const got = interpreter(after, {value{{n}, numbers}})[after.results()[0]];
        wrong += got.data == cut(cut(numbers, b, e), c, f) ? 0 : 1;
        numbers.push_back(static_cast<double>(n));
      }
    }
  CHECK(wrong == 0);
}

TEST_CASE("columns of selected rows are selected, and written", "[rewrite]") {
  GIVES("part_of_taken", "subtensor take", a(i)(slice(), 1));
  GIVES("part_of_taken", "subtensor take", a(slice(), i)(1));
  GIVES("part_of_taken", "subtensor take", a(i).T()(1));
  GIVES("part_of_taken", "sub take", a(kt::stack(i, 2 - i))(1));
  GIVES("part_of_taken", "subtensor take", a(kt::dimshuffle<0, 'x'>(i), i)(slice(), 1));
  GIVES("transposed_write", "inc_subtensor", b + inc_subtensor(zeros_like(a)(0), v).T());
  GIVES("transposed_write", "extent minimum subtensor dimshuffle exp inc_subtensor", b + inc_subtensor(zeros_like(a)(slice(0, 1)), exp(b(slice(0, 1)))).T());
  GIVES("taken_columns", "inc_take", inc_subtensor(b(i), inc_subtensor(zeros_like(a)(slice(), 1), v)));
  GIVES("taken_columns", "inc_take exp inc_take", inc_subtensor(b(i), inc_subtensor(inc_subtensor(zeros_like(a)(slice(), 1), v)(slice(), 0), exp(v))));
  GIVES("taken_columns", "inc_take", inc_subtensor(b(slice(), i), inc_subtensor(zeros_like(a)(1), v)));
  GIVES("taken_columns", "extent extent alloc subtensor take exp inc_take", grad(sum(exp(a(i).T()(1))), a));
}

TEST_CASE("ranges of selected rows, and single ones, are left as they are", "[rewrite]") {
  auto ops = [](auto f) { return optimized(f).text; };
  CHECK(ops([](auto a, auto, auto, auto i, auto) { return a(i)(slice(1)); }) == "take extent minimum subtensor");
  CHECK(ops([](auto a, auto, auto, auto i, auto) { return a(i)(1); }) == "take subtensor");
  CHECK(ops([](auto, auto b, auto v, auto i, auto) { return inc_subtensor(b(i), inc_subtensor(zeros_like(b)(1), v)); }).find("set_subtensor inc_take") != std::string::npos);
}

TEST_CASE("joined tensors are taken apart", "[rewrite]") {
  GIVES("join_of_one", "", concatenate<0>(a));
  GIVES("join_of_nothing", "", concatenate<0>(a, a(slice(0, 0))));
  GIVES("join_of_ranges", "", concatenate<1>(a(slice(), slice(1)), a(slice(), slice(1, none))));
  GIVES("join_of_functions", "extent minimum sub subtensor subtensor join exp", concatenate<0>(exp(a(slice(1, none))), exp(a(slice(1)))));
  GIVES("sum_of_set_parts", "extent minimum subtensor mul sub subtensor sqr join",
        inc_subtensor(zeros_like(a)(slice(1)), 2 * a(slice(1))) + inc_subtensor(zeros_like(a)(slice(1, none)), sqr(a(slice(1, none)))));
  GIVES("part_of_join", "", concatenate<0>(a, b)(slice(a.shape(0), none)));
  GIVES("part_of_join", "", concatenate<0>(a, b)(slice(a.shape(0))));
  GIVES("part_of_join", "", concatenate<1>(a, b)(slice(), slice(a.shape(1), a.shape(1) + b.shape(1))));
  GIVES("part_of_join", "", stack(v, 2 * v, exp(v))(0));
  GIVES("part_of_join", "exp", stack(v, 2 * v, exp(v))(2));
  GIVES("reduction_of_join", "exp add", sum(stack(v, exp(v)), kt::axis<0>));
  GIVES("reduction_of_join", "sqr mul exp add", sum(sqr(stack(v, exp(v))), kt::axis<0>));
  GIVES("reduction_of_join", "mul mul mul add mul add", sum(sqr(stack(a, b)) * stack(b, a) + s, kt::axis<0>));
  GIVES("reduction_of_join", "subtensor sub maximum", max(stack<-1>(v, a(0)) - v(slice(), kt::newaxis), kt::axis<1>));
  GIVES("reduction_of_join", "subtensor maximum", max(stack<-1>(v, a(0), v), kt::axis<1>));
  GIVES("element_of_vector", "extent cast add", v + a.shape()(0));
  auto text = [](auto f) { return optimized(f).text; };
  CHECK(text([](auto a, auto b, auto, auto, auto) { return kt::concatenate<0>(a, b)(slice(1, none)); }).find("join") != std::string::npos);
  // Not where more would be joined than before, nor where parts of other tensors are
  CHECK(text([](auto a, auto b, auto, auto, auto) {
          return concatenate<0>(exp(a(slice(1, none))) * b(slice(1, none)), exp(a(slice(1))) * b(slice(1)));
        }).find("mul join") != std::string::npos);
  CHECK(text([](auto a, auto b, auto, auto, auto) { return concatenate<0>(exp(a(slice(1, none))), exp(b(slice(1)))); }).find("exp join") != std::string::npos);
  CHECK(text([](auto a, auto b, auto, auto, auto) {
          return concatenate<0>(a(slice(1)) * b(slice(1)), a(slice(1, none)) * b(slice(1, none)));
        }).find("mul join") != std::string::npos);
}
