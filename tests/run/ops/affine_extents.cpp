// Extents that are affine functions of others: checked, computed and compared as such, in both stages.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xtensor.hpp>

#include <sstream>

namespace kt = kroton;

namespace {

using kt::core::affine;

/// Sums of windows along the only axis: its attributes are the length of a window and the stride.
struct windows : kt::operation<"windows", 1> {
  using source = kt::core::extent_source;
  static constexpr kt::tensor_type type(kt::core::application const& a) { return a.input(0); }
  static constexpr source extent(kt::core::application const& a, int d) {
    return {source::dimension, 0, d, {1, a.attribute(1) - a.attribute(0), a.attribute(1)}};
  }
  static constexpr void constraints(kt::core::application const& a, kt::core::list<kt::core::extent_pair>& pairs) {
    pairs.push_back({{source::dimension, 0, 0}, {source::one, 0, 0, {a.attribute(0)}}, kt::core::condition::at_least});
  }
  static void run(kt::core::invocation const& call) {
    auto const* const x = reinterpret_cast<double const*>(call.operand(0).data);
    auto* const y = reinterpret_cast<double*>(call.result().data);
    for (std::ptrdiff_t i = 0; i < call.result().size(); ++i) {
      y[i] = 0;
      for (std::ptrdiff_t k = 0; k < call.attribute(0); ++k)
        y[i] += x[(i * call.attribute(1) + k) * call.operand(0).strides[0]];
    }
  }
};

constexpr kt::term windows_of(kt::term x, int length, int stride) {
  return {x.of, x.of->apply<windows>({x.id}, {length, stride})};
}
constexpr kt::dvector windows_of(kt::dvector x, int length, int stride) {
  return kt::dvector(windows_of(kt::term(x), length, stride));
}

/// Whether two expressions of a vector have the same extent, as one node.
template <class A, class B>
constexpr bool same_extent(A a, B b) {
  kt::graph g;
  kt::dvector const x(kt::term{&g, g.input(kt::dvector::parameter_type, 0)});
  return kt::ops::extent_node(g, a(x).id, 0) == kt::ops::extent_node(g, b(x).id, 0);
}

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

template <class F, class... X>
std::string refused(F const& f, X const&... x) {
  try {
    f(x...);
  } catch (kt::shape_error const& e) {
    return e.what();
  }
  return "";
}

}  // namespace

// (n - 3) / 2 + 1, of (n - 1) / 2 + 1, and the same with the numbers of one window.
static_assert(affine{1, -1, 2}.of({1, 1, 2}) == affine{1, -1, 4});
static_assert(affine{2, 3, 4}.reduced() == affine{1, 1, 2});
static_assert(affine{1, -3, 2}(4) == 0);
static_assert(affine{1, -3, 2}(2) == -1);
static_assert(!affine{2}.composes_with({1, 0, 3}));
static_assert([] {
  for (long long n = 0; n < 40; ++n)
    for (affine outer : {affine{1, -2, 3}, affine{1, 5, 1}, affine{4, 1, 2}})
      for (affine inner : {affine{1, 1, 2}, affine{3, -2, 1}, affine{6, 3, 4}})
        if (outer.composes_with(inner) &&
            (outer.of(inner)(n) != outer(inner(n)) || outer.of(inner).reduced()(n) != outer(inner(n))))
          return false;
  return true;
}());

static_assert(same_extent([](kt::dvector x) { return windows_of(windows_of(x, 3, 1), 2, 1); },
                          [](kt::dvector x) { return windows_of(x, 4, 1); }));
static_assert(same_extent([](kt::dvector x) { return windows_of(windows_of(x, 2, 2), 3, 3); },
                          [](kt::dvector x) { return exp(windows_of(x, 6, 6)); }));
static_assert(!same_extent([](kt::dvector x) { return windows_of(x, 3, 2); },
                           [](kt::dvector x) { return windows_of(x, 4, 2); }));

TEST_CASE("extents are affine functions of others") {
  auto const f = kt::function([](kt::dvector x) { return exp(0 * windows_of(windows_of(x, 3, 2), 2, 1)) + windows_of(x, 5, 2); });
  CHECK((f(vector{1, 2, 3, 4, 5, 6, 7}) == vector{16, 26}));
  CHECK((f(vector{1, 2, 3, 4, 5, 6, 7, 8}) == vector{16, 26}));
  CHECK((f(vector{1, 2, 3, 4, 5, 6, 7, 8, 9}) == vector{16, 26, 36}));

  kt::runtime::graph g;
  auto const v = g.input<double, 1>("v");
  auto const h = g.function({v}, 2 * windows_of(v, 3, 2) + 1);
  CHECK((h(vector{1, 2, 3, 4, 5, 6}) == vector{13, 25}));
  CHECK(refused(h, vector{1, 2}) == "windows: extent 0 of v is 2, but at least 3 are needed");
}

TEST_CASE("conditions on extents: at least so many, and equal ones of affine extents") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y) { return windows_of(x, 3, 2) + y; });
  CHECK((f(vector{1, 2, 3, 4, 5}, vector{10, 20}) == vector{16, 32}));
  CHECK(refused(f, vector{1, 2, 3, 4, 5}, vector{1, 2, 3}) ==
        "add: a computed extent is 2, extent 0 of parameter 2 (dvector) is 3");
  CHECK(refused(f, vector{1, 2}, vector{1}) ==
        "windows: extent 0 of parameter 1 (dvector) is 2, but at least 3 are needed");
}

TEST_CASE("windows of every row, and of shapes alone") {
  auto const f = kt::function([](kt::dmatrix x) { return kt::vmap([](kt::dvector row) { return windows_of(row, 2, 2); })(x); });
  CHECK((f(matrix{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}) == matrix{{3, 7}, {13, 17}}));
  auto const shape = kt::function([](kt::dvector x) { return windows_of(x, 4, 3).shape(0); });
  CHECK(shape(vector{1, 2, 3, 4, 5, 6, 7, 8}) == 2);
  auto const written = kt::graph_of([](kt::dvector x) { return windows_of(x, 4, 3).shape(0); });
  for (auto const& node : kt::optimize(written, kt::stage::specialize).toposort()) CHECK(node.name() != "windows");
}

TEST_CASE("affine extents are printed with the shapes of a call") {
  auto const f = kt::function([](kt::dvector x) { return 2 * windows_of(x, 3, 2); });
  std::ostringstream text;
  kt::debugprint(f, text, kt::shape(7));
  INFO(text.str());
  CHECK(text.str().find("(3)") != std::string::npos);
}
