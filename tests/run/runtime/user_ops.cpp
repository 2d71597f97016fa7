// Ops of the user's in the interpreter: elementwise ones for all element types that they take, and those with a function of their own.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <catch2/catch.hpp>

#include <complex>

using namespace reference;
namespace core = kt::core;
using namespace std::complex_literals;

namespace {

struct cube : kt::elementwise<"cube", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return x * x * x;
  }
};

struct larger : kt::elementwise<"larger", 2> {
  using types = kt::signatures::promoted;
  template <class R>
  KROTON_FN static R value(R x, R y) {
    return kt::math::maximum(x, y);
  }
};

struct product : kt::elementwise<"product", 2> {
  static constexpr bool takes_complex = true;
  using types = kt::signatures::promoted;
  template <class R>
  KROTON_FN static R value(R x, R y) {
    return static_cast<R>(x * y);
  }
};

/// The product where a condition holds, else 0: operands of several types.
struct product_where : kt::elementwise<"product_where", 3> {
  static constexpr bool takes_complex = true;
  using types = kt::signatures::selection;
  template <class C, class R>
  KROTON_FN static R value(C c, R x, R y) {
    return kt::math::select(c, static_cast<R>(x * y), R(0));
  }
};

/// For float64 alone, and no function that a batch can use.
struct next_power : kt::elementwise<"next_power", 1> {
  KROTON_FN static double value(double x) { return x * 2; }
};

/// A built-in op with another value.
struct slow_exp : kt::op::exp {
  static constexpr std::string_view name = "slow_exp";
  template <class R>
  KROTON_FN static R value(R x) {
    return kt::math::exp(x) + R(1);
  }
};

template <class T, class Op>
vec<T> interpreted(vec<T> const& a, vec<T> const& b) {
  kt::runtime::graph g;
  auto x = g.input<T, 1>("x"), y = g.input<T, 1>("y");
  return g.function({x, y}, kt::call<Op>(x, y))(a, b);
}

/// Odd numbers of elements, so that batches do not come out even.
template <class T>
vec<T> numbers(int count, int step) {
  vec<T> x(std::array<std::size_t, 1>{static_cast<std::size_t>(count)});
  for (std::size_t i = 0; i < x.size(); ++i) x(i) = static_cast<T>(static_cast<int>(i) * step % 11);
  return x;
}

/// The running maximum of two: by type, for floats only.
struct running_maximum : kt::operation<"running_maximum", 1> {
  static constexpr kt::tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) { return {core::extent_source::dimension, 0, d}; }
  template <std::floating_point T>
  static void run(core::invocation const& call) {
    core::array_ref const& x = call.operand(0);
    T* const to = reinterpret_cast<T*>(call.result().data);
    for (std::ptrdiff_t i = 0; i < x.extents[0]; ++i) {
      T const next = reinterpret_cast<T const*>(x.data)[i * x.strides[0]];
      to[i] = i > 0 && to[i - 1] > next ? to[i - 1] : next;
    }
  }
};
template <class T>
constexpr auto running(kt::variable<T, 1> x) {
  return kt::variable<T, 1>(kt::term{x.of, x.of->template apply<running_maximum>({x.id})});
}

}  // namespace

TEST_CASE("user ops: an elementwise op of floats", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<float, 1>("x");
  auto f = g.function({x}, kt::call<cube>(x + 1));
  CHECK(mismatch(f(vec<float>{1, 2, -3}), [](auto i) { return i == 0 ? 8.f : i == 1 ? 27.f : -8.f; }) == "");
}

TEMPLATE_TEST_CASE("user ops: elementwise ops of all real element types", "[runtime]", std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double) {
  for (int count : {1, 7, 1003}) {
    auto const a = numbers<TestType>(count, 3), b = numbers<TestType>(count, 7);
    CHECK((interpreted<TestType, larger>(a, b) == vec<TestType>(xt::maximum(a, b))));
    CHECK((interpreted<TestType, product>(a, b) == vec<TestType>(a * b)));
  }
}

TEST_CASE("user ops: integers beyond those of a double", "[runtime]") {
  std::uint64_t const most = ~std::uint64_t{0};
  CHECK(interpreted<std::uint64_t, larger>({most, 1}, {most - 1, 2})(0) == most);
}

TEST_CASE("user ops: complex numbers", "[runtime]") {
  using c64 = std::complex<float>;
  using c128 = std::complex<double>;
  CHECK(interpreted<c64, product>({{1, 2}}, {{0, 1}})(0) == c64(-2, 1));
  CHECK(interpreted<c128, product>({1. + 2i, 3.}, {1i, 2.})(0) == -2. + 1i);
}

TEMPLATE_TEST_CASE("user ops: operands of several types", "[runtime]", bool, std::int16_t, float, double, std::complex<double>) {
  kt::runtime::graph g;
  auto c = g.input<bool, 1>("c");
  auto x = g.input<TestType, 1>("x"), y = g.input<TestType, 1>("y");
  auto f = g.function({c, x, y}, kt::call<product_where>(c, x, y));
  auto const z = f(vec<bool>{true, false, true}, vec<TestType>{1, 1, 0}, vec<TestType>{1, 1, 1});
  CHECK(z(0) == TestType(1));
  CHECK(z(1) == TestType(0));
  CHECK(z(2) == TestType(0));
}

TEST_CASE("user ops: an op with a function for numbers alone", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x");
  CHECK(g.function({x}, kt::call<next_power>(x))(vec<double>{3, 4, 5})(2) == 10);
}

TEST_CASE("user ops: an op that derives from a built-in one has its own value", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x");
  CHECK(g.function({x}, kt::call<slow_exp>(x))(vec<double>{0})(0) == 2);
}

TEST_CASE("user ops: a function by type, whole and slice by slice", "[runtime]") {
  CHECK((kt::function([](kt::fvector x) { return running(x); }, kt::mode::interpret)(vec<float>{1, 3, 2}) == vec<float>{1, 3, 3}));
  auto f = kt::function([](kt::dmatrix x) { return kt::vmap<0>([](kt::dvector row) { return running(row); })(x); }, kt::mode::interpret);
  CHECK((f(mat<double>{{1, 3, 2}, {5, 4, 6}}) == mat<double>{{1, 3, 3}, {5, 5, 6}}));
}

TEST_CASE("user ops: element types that an op does not take", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<int, 1>("x");
  auto f = g.function({x}, running(x));
  CHECK_THROWS_WITH(f(vec<int>{1}), "running_maximum: not supported for elements of type int32");
}
