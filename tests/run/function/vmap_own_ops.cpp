// vmap of ops that compute by a function of their own, which run slice by slice, and of opaque callables.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/runtime.hpp>

using namespace reference;
using I = std::size_t;
namespace core = kt::core;
namespace ops = kt::ops;
namespace calculus = kt::calculus;

namespace {

/// The sums of the first elements of a vector, times a number.
struct running_sum : kt::operation<"running_sum", 2> {
  static constexpr kt::tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) { return {core::extent_source::dimension, 0, d}; }
  static constexpr kt::term of(kt::term x, kt::term scale) { return {x.of, x.of->apply<running_sum>({x.id, scale.id})}; }
  static constexpr core::gradient_list<2> pullback(kt::term g, kt::term y, kt::term, kt::term scale) {
    auto reversed = [](kt::term v) { return kt::dvector(v)(kt::slice(kt::none, kt::none, -1)); };
    return kt::inputs(reversed(of(reversed(g), scale)), sum(g * y) / scale);
  }
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const& x = call.operand(0);
    T const scale = *reinterpret_cast<T const*>(call.operand(1).data);
    T sum{};
    for (std::ptrdiff_t i = 0; i < x.extents[0]; ++i) {
      sum = static_cast<T>(sum + reinterpret_cast<T const*>(x.data)[i * x.strides[0]]);
      reinterpret_cast<T*>(call.result().data)[i] = static_cast<T>(scale * sum);
    }
  }
};
constexpr auto running = [](kt::dvector x, kt::dscalar s) { return kt::dvector(running_sum::of(x, s)); };

/// The sum and the product of a vector.
struct two_numbers : kt::operation<"two_numbers", 1> {
  static constexpr int outputs = 2;
  static constexpr kt::tensor_type type(core::application const& a, int) { return {a.input(0).element, 0, 0}; }
  static constexpr core::extent_source extent(core::application const&, int, int) { return {}; }
  static constexpr core::gradient_list<1> pullback(core::several const& g, core::several const& y, kt::term x) {
    kt::term result{x.of, ops::zeros_of(x)};
    if (g.has(0)) result = result + g[0];
    if (g.has(1)) result = result + g[1] * y[1] / x;
    return kt::inputs(result);
  }
  static void run(core::invocation const& call) {
    core::array_ref const& x = call.operand(0);
    double sum = 0, product = 1;
    for (std::ptrdiff_t i = 0; i < x.extents[0]; ++i) {
      double const v = reinterpret_cast<double const*>(x.data)[i * x.strides[0]];
      sum += v;
      product *= v;
    }
    if (call.result(0).data != nullptr) *reinterpret_cast<double*>(call.result(0).data) = sum;
    if (call.result(1).data != nullptr) *reinterpret_cast<double*>(call.result(1).data) = product;
  }
};
constexpr auto numbers_of = [](kt::dvector x) {
  kt::term const node{x.of, x.of->apply<two_numbers>({x.id})};
  return std::tuple(kt::dscalar(node), kt::dscalar(core::output_of(node, 1)));
};
/// Vectors end to end, any number of them.
struct joined : kt::operation<"joined", -1> {
  static constexpr kt::tensor_type type(core::application const& a) { return a.input(1); }
  static constexpr core::extent_source extent(core::application const&, int) { return {core::extent_source::value, 0, 0}; }
  static constexpr core::gradient_list<3> pullback(kt::term g, kt::term y) {
    kt::term const a{y.of, y.of->input_of(y.id, 1)};
    kt::dvector const whole(g);
    return kt::inputs(kt::none, whole(kt::slice(kt::dvector(a).shape(0))), whole(kt::slice(kt::dvector(a).shape(0), kt::none)));
  }
  static void run(core::invocation const& call) {
    auto* out = reinterpret_cast<double*>(call.result().data);
    for (int k = 1; k < 3; ++k)
      for (std::ptrdiff_t i = 0; i < call.operand(k).extents[0]; ++i)
        *out++ = reinterpret_cast<double const*>(call.operand(k).data)[i * call.operand(k).strides[0]];
  }
};
constexpr auto join = [](kt::dvector a, kt::dvector b) { return kt::dvector({a.of, a.of->apply<joined>({(a.shape(0) + b.shape(0)).id, a.id, b.id})}); };

/// Twice its operand, with a rule of its own for batches.
struct doubled : kt::operation<"doubled", 1> {
  static constexpr kt::tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) { return {core::extent_source::dimension, 0, d}; }
  static constexpr calculus::lanes batch(calculus::batching& pass, int id) {
    kt::term const x = pass.dense(pass.of().input_of(id, 0));
    return {(x + x).id, 0, true, true};
  }
  static void run(core::invocation const&) { throw kt::value_error("this must not run"); }
};
constexpr auto twice = [](kt::dvector x) { return kt::dvector({x.of, x.of->apply<doubled>({x.id})}); };

constexpr auto total = [](kt::dvector x, kt::dscalar s) {
  auto [sum, product] = numbers_of(x);
  return sum * product + kt::sum(sqr(running(x, s)));
};

constexpr auto mapped = [](kt::dmatrix x, kt::dvector s, kt::dscalar t) {
  auto one = kt::vmap<0>(running)(x, t);
  auto both = kt::vmap<0, 1>(running)(x, s);
  auto scales = kt::vmap<1>(running)(x(0), s);
  auto pairs = kt::vmap<0>([&](auto row) { return kt::vmap<0>([&](auto scale) { return running(row, scale); })(s); })(x);
  auto nested = kt::vmap<0>([&](auto scale) { return kt::vmap<0>([&](auto row) { return running(row * scale, scale); })(x); })(s);
  auto [sums, products] = kt::vmap<0>(numbers_of)(x);
  return std::tuple(one, both, scales, pairs, nested, sums, products);
};

template <class Function>
void check_values(Function f) {
  mat<double> const x = matrix<double>(3, 4, 1);
  vec<double> const s{0.5, -2, 3};
  double const t = 0.7;
  auto const [one, both, scales, pairs, nested, sums, products] = f(xt::view(x, xt::all()), s, t);
  auto upto = [&](I i, I j) {
    double sum = 0;
    for (I k = 0; k <= j; ++k) sum += x(i, k);
    return sum;
  };
  CHECK(mismatch(one, [&](I i, I j) { return t * upto(i, j); }, 1e-14) == "");
  CHECK(mismatch(both, [&](I i, I j) { return s(i) * upto(i, j); }, 1e-14) == "");
  CHECK(mismatch(scales, [&](I i, I j) { return s(i) * upto(0, j); }, 1e-14) == "");
  CHECK(mismatch(pairs, [&](I i, I k, I j) { return s(k) * upto(i, j); }, 1e-14) == "");
  CHECK(mismatch(nested, [&](I k, I i, I j) { return s(k) * s(k) * upto(i, j); }, 1e-13) == "");
  CHECK(mismatch(sums, [&](I i) { return upto(i, 3); }, 1e-14) == "");
  CHECK(mismatch(products, [&](I i) { return x(i, 0) * x(i, 1) * x(i, 2) * x(i, 3); }, 1e-14) == "");
}

}  // namespace

TEST_CASE("own ops run slice by slice", "[own]") {
  check_values(kt::function(mapped));
  check_values(kt::function(mapped, kt::mode::interpret));
}

TEST_CASE("gradients of own ops that run slice by slice", "[own]") {
  auto whole = kt::function([](kt::dmatrix x, kt::dvector s, kt::dscalar t) {
    auto values = kt::vmap<0, 1>(total)(x, s);
    auto [by_x, by_s] = grad(sum(values), x, s);
    return std::tuple(by_x, by_s, grad(sum(sqr(kt::vmap<0>(running)(x, t))), t), kt::vmap<0, 1>(kt::grad<0>(total))(x, s));
  });
  auto one = kt::function([](kt::dvector x, kt::dscalar s) { return grad(total(x, s), x, s); });
  auto scale = kt::function([](kt::dvector x, kt::dscalar t) { return grad(sum(sqr(running(x, t))), t); });
  mat<double> const x = matrix<double>(3, 4, 1, 0.5, 2);
  vec<double> const s{0.5, -2, 3};
  double const t = 0.7;
  auto const [by_x, by_s, by_t, inside] = whole(x, s, t);
  double sum = 0;
  for (I i = 0; i < 3; ++i) {
    auto const [of_x, of_s] = one(xt::view(x, i), s(i));
    for (I j = 0; j < 4; ++j) {
      CHECK(close(by_x(i, j), of_x(j), 1e-12));
      CHECK(close(inside(i, j), of_x(j), 1e-12));
    }
    CHECK(close(by_s(i), of_s, 1e-12));
    sum += scale(xt::view(x, i), t);
  }
  CHECK(close(by_t, sum, 1e-12));
  CHECK(kt::verify_grad(total, vec<double>{0.5, 1, -2}, 0.7));
}

TEST_CASE("an op of any number of operands, and one with a rule of its own", "[own]") {
  auto f = kt::function([](kt::dmatrix x, kt::dvector y) {
    auto both = kt::vmap<0>(join)(x, y);
    auto [by_x, by_y] = grad(sum(both * kt::arange(both.shape(1))), x, y);
    return std::tuple(both, by_x, by_y, kt::vmap<0>(twice)(x));
  });
  mat<double> const x = matrix<double>(3, 2, 1);
  vec<double> const y = numbers<double>(4, 2);
  auto const [both, by_x, by_y, sums] = f(x, y);
  CHECK(both.shape() == std::array<I, 2>{3, 6});
  CHECK(mismatch(both, [&](I i, I j) { return j < 2 ? x(i, j) : y(j - 2); }) == "");
  CHECK(mismatch(by_x, [](I, I j) { return static_cast<double>(j); }) == "");
  CHECK(mismatch(by_y, [](I j) { return static_cast<double>(3 * (j + 2)); }) == "");
  CHECK(mismatch(sums, [&](I i, I j) { return 2 * x(i, j); }) == "");
}

TEST_CASE("an opaque callable is mapped as what it stands for", "[own]") {
  auto f = kt::function([](kt::dmatrix x, kt::dmatrix w) {
    return kt::vmap<0>([&](kt::dvector row) { return kt::opaque([](kt::dvector v, kt::dmatrix m) { return tanh(dot(m, v)) * sum(v); })(row, w); })(x);
  });
  mat<double> const x = matrix<double>(3, 4, 1), w = matrix<double>(2, 4, 2);
  CHECK(mismatch(f(x, w), [&](I i, I j) {
    double sum = 0, product = 0;
    for (I k = 0; k < 4; ++k) sum += x(i, k), product += w(j, k) * x(i, k);
    return std::tanh(product) * sum;
  }, 1e-13, 1e-14) == "");
}
