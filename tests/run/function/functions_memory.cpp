// No heap allocation from the second call with the same extents on.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/minimize.hpp>
#include <kroton/runtime.hpp>

#include "run/counted_memory.hpp"
#include "run/reference.hpp"

using namespace reference;
using counted_memory::allocations;
using I = std::size_t;

namespace {
// How many allocations a second call makes, after the first has laid out what it needs. None are counted where the expression as
// written is computed next to it.
template <class Call>
long second(Call call) {
  call();
  long const before = allocations;
  call();
  return runs_once ? allocations - before : 0;
}
}  // namespace

TEST_CASE("the counter counts") {
  long const before = allocations;
  vec<double> const v(std::array<I, 1>{100});
  CHECK(allocations > before);
}

TEST_CASE("a training step allocates nothing after its first calls") {
  kt::shared w(numbers<double>(20));
  kt::shared b(0.0);
  auto step = kt::function(
      [](kt::dmatrix x, kt::dvector y, kt::dvector v, kt::dscalar c) {
        auto p = 1 / (1 + exp(-dot(x, v) - c));
        auto cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(sqr(v));
        auto [gv, gc] = grad(cost, v, c);
        return kt::outputs(cost, p).update(v, v - 0.1 * gv).update(c, c - 0.1 * gc);
      },
      w, b);
  auto const x = matrix<double>(50, 20);
  auto const y = numbers<double>(50, 2, 0, 1);
  double cost = 0;
  vec<double> p;
  CHECK(second([&] { step.into(std::tie(cost, p), x, y); }) == 0);
}

TEST_CASE("views, reshapes, reductions and products of strided operands allocate nothing after the first calls") {
  auto f = kt::function([](kt::dmatrix x, kt::fmatrix s) {
    return std::tuple(flatten(x.T()) + 1, sum(x, kt::axis<0>), max(x, kt::axis<1>), dot(x.T(), x), sum(s, kt::axis<0>), grad(sum(max(x, kt::axis<0>)), x), x.T(), sum(s));
  });
  auto const x = matrix<double>(40, 30);
  auto const s = matrix<float>(40, 30);
  vec<double> a, b, c;
  mat<double> d, g, h;
  vec<float> e;
  float t = 0;
  CHECK(second([&] { f.into(std::tie(a, b, c, d, e, g, h, t), x, s); }) == 0);
  CHECK(second([&] { f.into(std::tie(a, b, c, d, e, g, h, t), xt::view(x, xt::range(0, 40, 2), xt::range(0, 30, 3)), xt::transpose(s)); }) <= 2);
}

TEST_CASE("a chain of products keeps its order and the memory of what lies between", "[chains]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c, kt::dvector v) {
    return std::tuple(dot(dot(dot(a, b), c), b), 2 * dot(dot(a, b), c) - 3 * a, dot(dot(dot(v, a), b), v));
  });
  auto const a = matrix<double>(20, 30), b = matrix<double>(30, 20), c = matrix<double>(20, 30);
  auto const v = numbers<double>(20);
  mat<double> d, e;
  double s = 0;
  CHECK(second([&] { f.into(std::tie(d, e, s), a, b, c, v); }) == 0);
  auto const a2 = matrix<double>(5, 3), b2 = matrix<double>(3, 5), c2 = matrix<double>(5, 3);
  auto const v2 = numbers<double>(5);
  CHECK(second([&] { f.into(std::tie(d, e, s), a2, b2, c2, v2); }) == 0);
}

TEST_CASE("outputs that overlap arguments are computed aside in memory that is kept") {
  auto f = kt::function([](kt::dvector x) { return x(kt::slice(kt::none, kt::none, -1)) + x; });
  vec<double> x = numbers<double>(100);
  CHECK(second([&] { f.into(x, x); }) == 0);
}

TEST_CASE("a function of scalars allocates nothing: neither when it is made nor at its first call") {
  if (!runs_compiled) return;  // an interpreted one has a frame
  long const before = allocations;
  auto f = kt::function([](kt::dscalar x, kt::lscalar n) {
    auto y = exp(x) * n;
    return std::tuple(y, grad(y, x), n + 1, x);
  });
  auto const copy = f;
  auto const r = copy(0.5, 3);
  double a = 0, b = 0, d = 0;
  std::int64_t c = 0;
  f.into(std::tie(a, b, c, d), 0.5, 3);
  long const after = allocations;
  CHECK(after == before);
  CHECK(std::get<0>(r) == a);
}

namespace {
/// Twice the operand, as a step of its own.
struct twice : kt::operation<"twice", 1> {
  static constexpr kt::tensor_type type(kt::core::application const& a) { return a.input(0); }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int d) {
    return {kt::core::extent_source::dimension, 0, d};
  }
  static void run(kt::core::invocation const& call) {
    kt::core::array_ref const &x = call.operand(0), &y = call.result();
    for (std::ptrdiff_t i = 0; i < y.size(); ++i)
      reinterpret_cast<double*>(y.data)[i] = 2 * reinterpret_cast<double const*>(x.data)[i * x.strides[0]];
  }
};
}  // namespace

TEST_CASE("results of known extents allocate nothing, and what lies between is kept") {
  auto f = kt::function([](kt::fixed<double, 3, 3> r, kt::fixed<double, 3> p) {
    auto const q = dot(r, p);
    return std::tuple(dot(r, exp(q) / sum(exp(q))), norm(q));
  });
  mat<double> const r = matrix<double>(3, 3);
  std::array<double, 3> const p{1, 2, 3};
  CHECK(second([&] { (void)f(r, p); }) == 0);
}

TEST_CASE("the interpreter allocates nothing after its first calls: ops of their own, updates, loops of many arrays", "[runtime]") {
  kt::shared a(numbers<double>(30)), b(numbers<double>(30));
  kt::shared c(0.0);
  auto step = kt::function(
      [](kt::dvector x, kt::dvector u, kt::dvector v, kt::dscalar w) {
        auto const y = kt::dvector(kt::term{x.of, x.of->apply<twice>({x.id})});
        return kt::outputs(y + u).update(u, v).update(v, u + y).update(w, w + sum(y));
      },
      a, b, c, kt::mode::interpret);
  auto const x = numbers<double>(30);
  vec<double> y;
  CHECK(second([&] { step.into(y, x); }) == 0);
  CHECK(close(y(3), 3 * x(3), 1e-15));  // the second call finds in u what was in v

  kt::runtime::graph g;
  std::vector<kt::term> inputs, outputs;
  for (int k = 0; k < 100; ++k) inputs.push_back(g.input<double, 1>());
  for (int k = 0; k < 100; ++k) outputs.push_back(inputs[I(k)] + inputs[I(99 - k)] * k);
  auto f = g.function(inputs, outputs);
  std::vector<kt::runtime::array> const arguments(100, kt::runtime::array(numbers<double>(50)));
  std::vector<kt::runtime::array const*> addresses;
  for (auto const& argument : arguments) addresses.push_back(&argument);
  std::vector<kt::runtime::array> results;
  // A list of arguments is bound in a list of its own.
  CHECK(second([&] { f.into(results, kt::core::items<kt::runtime::array const*>(addresses)); }) <= 1);
  CHECK(results[7].data<double>()[20] == 8 * numbers<double>(50)(20));
}

TEST_CASE("the work memory of linear algebra is kept from call to call") {
  auto f = kt::function([](kt::dmatrix a, kt::dvector v) {
    auto [q, r] = qr(a);
    auto [u, s, vt] = svd(a);
    auto [w, x] = eigh(a);
    return sum(q) + sum(r) + sum(u) + sum(s) + sum(vt) + sum(w) + sum(x) + sum(solve(a, v)) + sum(solve_triangular(a, v, kt::lower)) + det(a) +
           sum(matrix_inverse(a)) + sum(cholesky(dot(a, a.T()))) + sum(lstsq(a, v)) + kt::einsum<"ij,kj,k->">(a, a, v);
  });
  auto a = matrix<double>(20, 20, 1);
  for (I i = 0; i < 20; ++i) a(i, i) += 20;
  auto const v = numbers<double>(20, 2);
  CHECK(second([&] { f(a, v); }) == 0);
}

TEST_CASE("copies of arrays that are read with a stride are kept from call to call") {
  auto f = kt::function([](kt::dmatrix p) {
    auto d = kt::dimshuffle<0, 'x', 1>(p) - kt::dimshuffle<'x', 0, 1>(p);
    auto cost = sum(exp(-sum(sqr(d), kt::axis<2>)));
    return std::tuple(cost, grad(cost, p));
  });
  for (std::size_t d : {2u, 20u}) {
    xt::xtensor<double, 2> const p = xt::random::rand<double>({std::size_t{100}, d});
    double cost = 0;
    xt::xtensor<double, 2> g = p;
    CHECK(second([&] { f.into(std::tie(cost, g), p); }) == 0);
  }
}

namespace {
constexpr auto residuals = [](kt::dvector x) {
  auto a = x(kt::slice(0, -1)), b = x(kt::slice(1, kt::none));
  return concatenate<0>(10 * (b - sqr(a)), 1 - a);
};
constexpr auto half_squares = [](kt::dvector x) { return sum(sqr(residuals(x))) / 2; };
}  // namespace

TEST_CASE("steps of a minimization allocate nothing, after the first ones") {
  std::vector<double> const start(20, -1.2);
  std::vector<long> seen;
  seen.reserve(10000);
  auto observe = [&](kt::progress const&) {
    seen.push_back(allocations);
    return true;
  };
  auto check = [&] {
    REQUIRE(seen.size() > 14);
    CHECK(seen.back() == seen[14]);
    seen.clear();
  };
  kt::minimize(half_squares, start, {.observe = observe});
  check();
  kt::minimize(half_squares, start, kt::newton{.observe = observe});
  check();
  kt::least_squares(residuals, start, {.observe = observe});
  check();
}
