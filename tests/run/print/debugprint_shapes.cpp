// debugprint with shapes: the plan for given extents, and the errors that a call would give.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <sstream>

using namespace reference;
using I = std::size_t;
using Catch::Contains;

namespace {

template <class F, class... A>
std::string plan(F const& f, A const&... shapes) {
  std::ostringstream out;
  kt::debugprint(f, out, shapes...);
  std::string const text = out.str();
  auto const at = text.find("plan for ");
  CHECK(text.substr(0, 11) == "as written\n");
  return at == std::string::npos ? "" : text.substr(at);
}

}  // namespace

TEST_CASE("the plan of a chain says its order and why", "[debugprint]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) { return dot(dot(a, b), c); });
  CHECK(plan(f, kt::shape(10, 1000), kt::shape(1000, 10), kt::shape(10, 1000)) ==
        "plan for (10, 1000), (1000, 10), (10, 1000)\n"
        "  1. product_chain: (10, 1000) (1000, 10) (10, 1000) -> (10, 1000)\n"
        "     (A B) C, 200,000 multiplications; right to left needs 20,000,000 (10x1000, 1000x10, "
        "10x1000)\n"
        "  memory: 0 bytes between the steps, 832 bytes within chains\n"
        "  call: " +
            std::string(runs_compiled ? "small, without the frame"
                                      : "in the frame, as its mode asks") +
            "\n");
  CHECK_THAT(plan(f, kt::shape(1000, 10), kt::shape(std::array<I, 2>{10, 1000}), matrix<double>(1000, 10)), Contains("A (B C), 200,000 multiplications"));
  CHECK_THAT(plan(f, kt::shape(0, 10), kt::shape(10, 5), kt::shape(5, 6)), Contains("(0, 6)\n     nothing to do: no elements"));
  auto g = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) { return 2 * dot(dot(a, b), c) + c; });
  CHECK_THAT(plan(g, kt::shape(50, 20), kt::shape(20, 50), kt::shape(50, 10)),
             Contains("gemm: (50, 20) (20, 50) (50, 10) (50, 10) -> (50, 10)\n     A (B C), 20,000 multiplications; left to right needs 75,000 (50x20, 20x50, 50x10)"));
  // From a vector on, every product is one with a vector: no call has to choose.
  auto h = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dvector v) { return 2 * dot(dot(a, b), v) + v; });
  CHECK_THAT(plan(h, kt::shape(50, 20), kt::shape(20, 50), kt::shape(50)),
             Contains("1. dot: (20, 50) (50) -> (20)\n     gemv: one column, 1,000 multiplications\n  2. gemm: (50, 20) (20) (50) -> (50)"));
}

TEST_CASE("extents that are too large for memory are planned all the same", "[debugprint]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b) { return exp(dot(dot(a, b), a)) * exp(dot(b, a)) + a; });
  std::ptrdiff_t const n = 10'000'000;
  CHECK_THAT(plan(f, kt::shape(n, n), kt::shape(n, n)), Contains("1e+21 multiplications") && Contains("bytes between the steps"));
}

TEST_CASE("the plan of a product says how its extents are multiplied", "[debugprint]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b) { return dot(a, b); });
  CHECK_THAT(plan(f, kt::shape(3, 4), kt::shape(4, 5)), Contains("dot: (3, 4) (4, 5) -> (3, 5)\n     gemm, 60 multiplications"));
  CHECK_THAT(plan(f, kt::shape(3, 4), kt::shape(4, 1)), Contains("gemv: one column, 12 multiplications"));
  CHECK_THAT(plan(f, kt::shape(1, 4), kt::shape(4, 5)), Contains("gemv: one row, 20 multiplications"));
  CHECK_THAT(plan(f, kt::shape(1, 4), kt::shape(4, 1)), Contains("dot: one row times one column, 4 multiplications"));
  CHECK_THAT(plan(f, kt::shape(3, 1), kt::shape(1, 5)), Contains("one pass over the result: sums of one element, 15 multiplications"));
  CHECK_THAT(plan(f, kt::shape(3, 0), kt::shape(0, 5)), Contains("no product: sums of nothing are 0"));
  CHECK_THAT(plan(f, kt::shape(0, 3), kt::shape(3, 5)), Contains("nothing to do: no elements"));
  auto whole = kt::function([](kt::lmatrix a, kt::lmatrix b) { return dot(a, b); });
  CHECK_THAT(plan(whole, kt::shape(3, 4), kt::shape(4, 5)), Contains("plain loops, 60 multiplications"));
}

TEST_CASE("the plan of a loop says which axes merge", "[debugprint]") {
  auto f = kt::function([](kt::dmatrix a, kt::dvector v) { return std::tuple(exp(a) + 1, a.T() * 2, a + v); });
  std::string const text = plan(f, kt::shape(1000, 1000), kt::shape(1000));
  CHECK_THAT(text, Contains("loop over (1000, 1000): exp add add\n     2 axes of 1000 x 1000"));
  auto g = kt::function([](kt::dmatrix a) { return exp(a) + 1; });
  CHECK_THAT(plan(g, kt::shape(1000, 1000)), Contains("loop over (1000, 1000): exp add\n     rows and columns merged: 1 axis of 1000000"));
  CHECK_THAT(plan(g, kt::shape(1000, 1)), Contains("axes of one element dropped: 1 axis of 1000"));
  auto const wide = matrix<double>(6, 8);
  CHECK_THAT(plan(g, xt::view(wide, xt::all(), xt::range(0, 4))), Contains("loop over (6, 4): exp add\n     2 axes of 6 x 4"));
  CHECK_THAT(plan(g, kt::shape(0, 3)), Contains("loop over (0, 3): exp add\n     nothing to do: no elements"));
  auto reduced = kt::function([](kt::dtensor3 a) { return sum(a, kt::axis<2>); });
  CHECK_THAT(plan(reduced, kt::shape(2, 3, 4)), Contains("loop over (2, 3, 4): sum\n     axes merged: 2 axes of 6 x 4"));
  CHECK_THAT(plan(reduced, kt::shape(2, 3, 0)), Contains("reductions of nothing"));
}

TEST_CASE("the plan of a loop prints its schedule", "[debugprint]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b) { return exp(a.T()) + b; });
  CHECK_THAT(plan(f, kt::shape(300, 200), kt::shape(200, 300)),
             Contains("2 axes of 200 x 300\n     copied in blocks: operand 1\n"));
  CHECK_THAT(plan(f, kt::shape(20, 300), kt::shape(300, 20)),
             Contains("copied in blocks: operand 1; rows become one long row\n"));
  auto sums = kt::function([](kt::dmatrix a) { return std::tuple(exp(a), sum(exp(a), kt::axis<0>)); });
  CHECK_THAT(plan(sums, kt::shape(300, 3)),
             Contains("2 axes of 300 x 3\n     blocks of rows become one long row, each of whose elements has a sum of its own\n"));
  CHECK_THAT(plan(sums, kt::shape(300, 300)), !Contains("long row"));
  auto g = kt::function([](kt::dvector v) { return v + 1; });
  CHECK_THAT(plan(g, kt::shape(4'000'000)),
             Contains("loop over (4000000): add\n     stores bypass the caches\n"));
  CHECK_THAT(plan(g, kt::shape(1'000'000)), !Contains("caches"));
}

TEST_CASE("the plan says which way a call goes, and why", "[debugprint]") {
  if (!runs_compiled) return;  // the mode decides
  auto f = kt::function([](kt::dmatrix a, kt::dvector v) { return dot(a, v) + v; });
  std::vector<double> const v{1, 2, 3};
  auto goes = [](auto const& g, auto const&... shapes) {
    std::string const text = plan(g, shapes...);
    auto const at = text.find("  call: ");
    return at == std::string::npos ? "" : text.substr(at + 8, text.size() - at - 9);
  };
  CHECK(goes(f, kt::shape(3, 3), kt::shape(3)) == "small, without the frame");
  f(matrix<double>(3, 3), v);
  CHECK(!f.executor().has_used_frame());
  CHECK(goes(f, kt::shape(200, 200), kt::shape(200)) == "in the frame, since step 1 is large");
  f(matrix<double>(200, 200), std::vector<double>(200));
  CHECK(f.executor().has_used_frame());
  auto scalars = kt::function([](kt::dscalar x) { return exp(x) + 1; });
  CHECK(goes(scalars, kt::shape()) == "as a function of numbers");
  auto elements = kt::function([](kt::fixed<double, 3> v) { return sum(v) * v; });
  CHECK(goes(elements, kt::shape(3)) == "as a function of the elements of its arrays");
  auto product = kt::function([](kt::dmatrix a, kt::dmatrix b) { return dot(a, b); });
  CHECK(goes(product, kt::shape(4, 4), kt::shape(4, 4)) == "small, without the frame");
  CHECK(goes(product, kt::shape(100, 100), kt::shape(100, 100)) ==
        "in the frame, since step 1 is large");
  auto rows = kt::function([](kt::dmatrix x) { return x / sqrt(sum(sqr(x), kt::axis<1>, kt::keepdims)); });
  CHECK(goes(rows, kt::shape(20, 32)) == "small, without the frame");
#ifndef _OPENMP
  CHECK(goes(rows, kt::shape(1000, 32)) == "small, without the frame, 24 rows at a time");
#endif
  auto branch =
      kt::function([](kt::dscalar x, kt::dvector w) { return ifelse(x > 0, exp(w), log(w)); });
  CHECK_THAT(goes(branch, kt::shape(), kt::shape(3)), Contains("in the frame, since "));
  auto complex = kt::function([](kt::zvector z) { return z * z; });
  CHECK(goes(complex, kt::shape(3)) == "in the frame, since it computes with complex numbers");
}

TEST_CASE("the plan shows views, copies, scalars and shared variables", "[debugprint]") {
  kt::shared w(matrix<double>(3, 2));
  auto f = kt::function(
      [](kt::dmatrix a, kt::lscalar n, kt::dvector v, kt::dmatrix p) {
        return kt::outputs(flatten(a.T()), a(kt::slice(1, n)), dot(a, p), v(2) * 2).update(p, p - 2 * dot(a.T(), a)(kt::slice(), kt::slice(0, 2)));
      },
      w);
  std::string const text = plan(f, kt::shape(5, 3), 4, std::vector<double>{1, 2, 3});
  CHECK_THAT(text, Contains("plan for (5, 3), (), (3), (3, 2)\n"));
  CHECK_THAT(text, Contains("dimshuffle: (5, 3) -> (3, 5), a view\n"));
  CHECK_THAT(text, Contains("reshape: (3, 5) -> (15)\n     copied, since the operand is not contiguous: 120 bytes\n"));
  CHECK_THAT(text, Contains("subtensor: (5, 3) -> (3, 3), a view\n"));
  CHECK_THAT(text, Contains("subtensor: (3) -> (), a view\n"));
  CHECK_THAT(text, Contains("dot: (5, 3) (3, 2) -> (5, 2)\n     gemm, 30 multiplications"));
  CHECK(bool(w.get_value() == matrix<double>(3, 2)));
  auto scalars = kt::function([](kt::dscalar x) { return exp(x) + 1; });
  CHECK_THAT(plan(scalars, kt::shape()),
             Contains("  1. scalars: exp add\n  memory: 0 bytes between the steps\n  call: "));
}

TEST_CASE("shapes that a call would refuse are refused in the same words, and nothing is printed", "[debugprint]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b) { return dot(named(a, "weights"), b); });
  std::ostringstream out;
  CHECK_THROWS_AS(kt::debugprint(f, out, kt::shape(2, 3), kt::shape(4, 5)), kt::shape_error);
  CHECK(out.str().empty());
  std::string said;
  try {
    f(matrix<double>(2, 3), matrix<double>(4, 5));
  } catch (kt::shape_error const& e) {
    said = e.what();
  }
  CHECK_THROWS_WITH(kt::debugprint(f, out, kt::shape(2, 3), kt::shape(4, 5)), said);
  CHECK_THROWS_AS(kt::shape(2, -1), kt::shape_error);
  auto largest = kt::function([](kt::dvector v) { return max(v); });
  CHECK_THROWS_AS(kt::debugprint(largest, out, kt::shape(0)), kt::value_error);
}
