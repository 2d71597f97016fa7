// Jacobians and Hessians against difference quotients and closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

/// The element of an array of any rank, or a number, at a row-major position.
template <class Array>
double element_at(Array const& a, I i) {
  if constexpr (std::is_arithmetic_v<Array>) return static_cast<double>(a);
  else return static_cast<double>(a.data()[i]);
}
template <class Array>
I count_of(Array const& a) {
  if constexpr (std::is_arithmetic_v<Array>) return 1;
  else return a.size();
}

/// Each formula's value and its Jacobian by x, in turn.
template <class X, class... Formula>
constexpr auto with_jacobians(X const& x, Formula... formula) {
  auto two = [&](auto f) {
    auto const y = f(x);
    return std::tuple(y, jacobian(y, x));
  };
  return std::tuple(two(formula)...);
}

/// Every second result is the derivative of the one before it by all elements of x: difference quotients of fourth order.
template <class Function, class X, class... Rest>
void check(Function& f, X x, double tolerance, Rest const&... rest) {
  auto const at = f(x, rest...);
  I const n = count_of(x);
  double const step = 1e-3;
  for (I j = 0; j < n; ++j) {
    auto moved = [&](double by) {
      X to = x;
      if constexpr (std::is_arithmetic_v<X>) to += by;
      else to.data()[j] += by;
      return f(to, rest...);
    };
    auto const up = moved(step), down = moved(-step), up2 = moved(2 * step), down2 = moved(-2 * step);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      auto one = [&]<std::size_t k>(std::integral_constant<std::size_t, k>) {
        auto const& jacobian = std::get<2 * k + 1>(at);
        I const m = count_of(std::get<2 * k>(at));
        REQUIRE(count_of(jacobian) == m * n);
        for (I i = 0; i < m; ++i) {
          auto value = [&](auto const& of) { return element_at(std::get<2 * k>(of), i); };
          double const quotient = (8 * (value(up) - value(down)) - (value(up2) - value(down2))) / (12 * step);
          I const formula = k;
          CAPTURE(formula, i, j);
          CHECK(close(element_at(jacobian, i * n + j), quotient, tolerance, tolerance));
        }
      };
      (one(std::integral_constant<std::size_t, K>{}), ...);
    }(std::make_index_sequence<std::tuple_size_v<std::remove_const_t<decltype(at)>> / 2>{});
  }
}

}  // namespace

TEST_CASE("the Jacobian of a vector by a vector") {
  auto f = kt::function([](kt::dvector x, kt::dmatrix a, kt::dmatrix b) {
    using kt::slice;
    return with_jacobians(
        x, [](auto v) { return exp(v) * v; }, [](auto v) { return v / sum(v); }, [](auto v) { return softmax(v); },
        [&](auto v) { return tanh(dot(b, tanh(dot(a, v)))); }, [](auto v) { return where(v > 0.2, v * v, -v); },
        [](auto v) { return v(slice(1, kt::none)) * v(slice(kt::none, -1)); }, [](auto v) { return v(slice(kt::none, kt::none, -1)) + 2 * v; },
        [](auto v) { return max(v) * sqr(v); }, [](auto v) { return ifelse(sum(v) > 0, v * v, sin(v)); }, [](auto v) { return prod(v) * v; },
        [&](auto v) { return dot(v, a.T()) + sum(v); }, [](auto v) { return v; });
  });
  check(f, numbers<double>(4, 3), 1e-9, matrix<double>(5, 4, 1), matrix<double>(3, 5, 2));
}

TEST_CASE("Jacobians of other ranks") {
  auto vectors = kt::function([](kt::dvector x, kt::dmatrix m) {
    return with_jacobians(
        x, [](auto v) { return dimshuffle<0, 'x'>(v) * dimshuffle<'x', 0>(sin(v)); }, [&](auto v) { return m * v; },
        [&](auto v) { return sqr(v)(kt::slice(), kt::newaxis) * m; }, [&](auto v) { return exp(kt::reshape<2>(v, 2, 2)); },
        [](auto v) { return sum(v * v, kt::keepdims) * v; }, [](auto v) { return sum(cos(v)); },
        [&](auto v) { return dot(m, m * v); });
  });
  check(vectors, numbers<double>(4, 1), 1e-9, matrix<double>(4, 4, 2));
  auto matrices = kt::function([](kt::dmatrix x, kt::dmatrix w) {
    return with_jacobians(
        x, [&](auto m) { return tanh(dot(m, w)); }, [](auto m) { return softmax(m); }, [](auto m) { return sum(m, kt::axis<1>, kt::keepdims) * m; },
        [](auto m) { return m.T(); }, [](auto m) { return mean(sqr(m), kt::axis<0>); }, [](auto m) { return dot(m, m.T()); },
        [](auto m) { return m(1) * m(0, 2); }, [](auto m) { return exp(flatten(m)); },
        [](auto m) { return logsumexp(m, kt::axis<0>); });
  });
  check(matrices, matrix<double>(2, 3, 3), 1e-8, matrix<double>(3, 2, 4));
  auto scalars = kt::function([](kt::dscalar s, kt::dvector v, kt::dmatrix m) {
    return with_jacobians(
        s, [&](auto x) { return sin(x * v); }, [&](auto x) { return dot(m, tanh(x + v)); }, [](auto x) { return exp(x); }, [&](auto x) { return m * x * x; });
  });
  check(scalars, 0.7, 1e-9, numbers<double>(3, 5), matrix<double>(2, 3, 6));
}

TEST_CASE("Hessians and Jacobians of Jacobians") {
  auto f = kt::function([](kt::dvector x, kt::dmatrix a) {
    auto second = [&](auto cost) { return std::tuple(grad(cost, x), hessian(cost, x)); };
    auto const y = x * x * sum(x);
    auto const first = jacobian(y, x);
    return std::tuple(second(sum(exp(x) * x)), second(sqr(sum(sin(x)))), second(sum(softplus(dot(a, x)))), second(logsumexp(x)), second(dot(x, dot(a.T(), dot(a, x)))),
                      second(prod(x)), first, jacobian(first, x));
  });
  check(f, numbers<double>(4, 3), 1e-8, matrix<double>(5, 4, 1));
  // By several variables: rows of blocks, each other's transposes; variables that do not meet have zeros.
  auto g = kt::function([](kt::dvector x, kt::dmatrix m, kt::dscalar s) {
    auto [of_x, of_m, of_s] = hessian(s * dot(x, dot(m, x)) + sum(exp(x)), x, m, s);
    auto [xx, xm, xs] = of_x;
    auto [mx, mm, ms] = of_m;
    auto [sx, sm, ss] = of_s;
    return std::tuple(xx, xm, xs, mx, mm, ms, sx, sm, ss);
  });
  vec<double> const x = numbers<double>(3, 1);
  mat<double> const m = matrix<double>(3, 3, 2);
  double const s = 0.7;
  auto [xx, xm, xs, mx, mm, ms, sx, sm, ss] = g(x, m, s);
  auto delta = [](I i, I j) { return i == j ? 1. : 0.; };
  auto mixed = [&](I i, I j, I k) { return s * (delta(i, j) * x(k) + delta(i, k) * x(j)); };
  auto by_scalar = [&](I i) {
    double sum = 0;
    for (I k = 0; k < 3; ++k) sum += (m(i, k) + m(k, i)) * x(k);
    return sum;
  };
  CHECK(mismatch(xx, [&](I i, I j) { return s * (m(i, j) + m(j, i)) + delta(i, j) * std::exp(x(i)); }, 1e-13, 1e-14) == "");
  CHECK(mismatch(xm, mixed, 1e-13, 1e-14) == "");
  CHECK(mismatch(mx, [&](I j, I k, I i) { return mixed(i, j, k); }, 1e-13, 1e-14) == "");
  CHECK(mismatch(mm, [](I, I, I, I) { return 0.; }) == "");
  CHECK(mismatch(ms, [&](I j, I k) { return x(j) * x(k); }, 1e-13, 1e-14) == "");
  CHECK(mismatch(sm, [&](I j, I k) { return x(j) * x(k); }, 1e-13, 1e-14) == "");
  CHECK(mismatch(xs, by_scalar, 1e-13, 1e-14) == "");
  CHECK(mismatch(sx, by_scalar, 1e-13, 1e-14) == "");
  CHECK(ss == 0);
}

TEST_CASE("Jacobians of callables") {
  constexpr auto model = [](kt::dvector x, kt::dmatrix w, kt::dscalar s) { return tanh(s * dot(w, x)); };
  constexpr auto two = [](auto x) { return std::tuple(sqr(x), sum(x)); };
  constexpr auto cost = [](kt::dvector x, kt::dscalar s) { return sum(exp(s * x)); };
  auto first = kt::function(kt::jacobian(model));
  auto all = kt::function(kt::jacobian<1, 2, 0>(model));
  vec<double> const x = numbers<double>(3, 1);
  mat<double> const w = matrix<double>(2, 3, 2);
  double const s = 0.7;
  auto const by_x = first(x, w, s);
  auto const [by_w, by_s, again] = all(x, w, s);
  auto slope = [&](I i) {
    double sum = 0;
    for (I k = 0; k < 3; ++k) sum += w(i, k) * x(k);
    double const y = std::tanh(s * sum);
    return std::pair(1 - y * y, sum);
  };
  CHECK(mismatch(by_x, [&](I i, I k) { return slope(i).first * s * w(i, k); }, 1e-13, 1e-14) == "");
  CHECK(mismatch(again, [&](I i, I k) { return by_x(i, k); }, 1e-14) == "");
  CHECK(mismatch(by_w, [&](I i, I j, I k) { return i == j ? slope(i).first * s * x(k) : 0; }, 1e-13, 1e-14) == "");
  CHECK(mismatch(by_s, [&](I i) { return slope(i).first * slope(i).second; }, 1e-13, 1e-14) == "");

  auto several = kt::function<kt::dvector>(kt::jacobian(two));
  auto const [squares, sums] = several(x);
  CHECK(mismatch(squares, [&](I i, I j) { return i == j ? 2 * x(i) : 0; }) == "");
  CHECK(mismatch(sums, [](I) { return 1.; }) == "");

  auto second = kt::function(kt::hessian<0, 1>(cost));
  auto const [xx, xs, sx, ss] = second(x, s);
  CHECK(mismatch(xx, [&](I i, I j) { return i == j ? s * s * std::exp(s * x(i)) : 0; }, 1e-13) == "");
  CHECK(mismatch(xs, [&](I i) { return (1 + s * x(i)) * std::exp(s * x(i)); }, 1e-13) == "");
  CHECK(mismatch(sx, [&](I i) { return xs(i); }, 1e-14) == "");
  CHECK(close(ss, [&] { double sum = 0; for (double v : x) sum += v * v * std::exp(s * v); return sum; }(), 1e-13));
  auto third = kt::function(kt::jacobian(kt::hessian([](kt::dvector v) { return sum(v * v * v); })));
  CHECK(mismatch(third(x), [](I i, I j, I k) { return i == j && j == k ? 6. : 0.; }) == "");
}

TEST_CASE("what a diagonal keeps apart") {
  auto f = kt::function([](kt::dvector x, kt::drow r, kt::fvector u) {
    auto zero = jacobian(sqrt(x), x);                                     // infinite at 0, and 0 next to the diagonal
    auto unrelated = jacobian(x * x, r, kt::disconnected::zero);
    return std::tuple(zero, unrelated, jacobian(r * 2, r), jacobian(u * u, u), jacobian(floor(x) + 0 * x, x), hessian(3 * sum(x), x));
  });
  auto const [zero, unrelated, row, floats, flat, linear] = f(vec<double>{0, 4, infinity}, mat<double>{{1, 2}}, vec<float>{1, 2});
  CHECK(mismatch(zero, [](I i, I j) { return i != j || i == 2 ? 0 : i == 0 ? infinity : 0.25; }) == "");
  CHECK(unrelated.shape() == std::array<I, 3>{3, 1, 2});
  CHECK(mismatch(unrelated, [](I, I, I) { return 0.; }) == "");
  CHECK(row.shape() == std::array<I, 4>{1, 2, 1, 2});
  CHECK(mismatch(row, [](I, I j, I, I k) { return j == k ? 2. : 0.; }) == "");
  STATIC_REQUIRE(std::is_same_v<std::remove_cvref_t<decltype(floats)>, mat<float>>);
  CHECK(mismatch(floats, [](I i, I j) { return i == j ? 2. * static_cast<double>(i + 1) : 0.; }) == "");
  CHECK(mismatch(flat, [](I, I) { return 0.; }) == "");
  CHECK(mismatch(linear, [](I, I) { return 0.; }) == "");

  auto g = kt::function([](kt::dvector x, kt::dmatrix a) { return std::tuple(jacobian(exp(x), x), jacobian(dot(a, exp(x)), x), hessian(sum(x * x), x)); });
  auto const [none, tall, empty] = g(vec<double>(std::array<I, 1>{0}), matrix<double>(2, 0));
  CHECK(none.shape() == std::array<I, 2>{0, 0});
  CHECK(tall.shape() == std::array<I, 2>{2, 0});
  CHECK(empty.shape() == std::array<I, 2>{0, 0});
  // Of a strided argument.
  mat<double> const table = matrix<double>(4, 3, 1);
  auto const column = xt::view(table, xt::all(), 1);
  auto const [diagonal, through, twice] = g(column, matrix<double>(2, 4, 2));
  CHECK(mismatch(diagonal, [&](I i, I j) { return i == j ? std::exp(table(i, 1)) : 0; }, 1e-15) == "");
  CHECK(mismatch(through, [&](I i, I j) { return matrix<double>(2, 4, 2)(i, j) * std::exp(table(j, 1)); }, 1e-14) == "");
  CHECK(mismatch(twice, [](I i, I j) { return i == j ? 2. : 0.; }) == "");
}

namespace {

/// What neighbours have to do with each other.
constexpr auto chained = [](kt::dvector v) {
  auto const head = v(kt::slice(kt::none, -1)), tail = v(kt::slice(1, kt::none));
  return sum(sqr(1 - head) + 100 * sqr(tail - sqr(head)));
};
double chained_twice(vec<double> const& v, I i, I j) {
  double sum = 0;
  for (I k = 0; k + 1 < v.size(); ++k) {
    if (i == k && j == k) sum += 2 - 400 * (v(k + 1) - 3 * v(k) * v(k));
    if ((i == k && j == k + 1) || (i == k + 1 && j == k)) sum += -400 * v(k);
    if (i == k + 1 && j == k + 1) sum += 200;
  }
  return sum;
}

/// How often an op is computed.
template <class Op, class F>
constexpr int count(F) {
  kt::graph const g = kt::mode::fast_run.prepare(kt::freeze::trace<F, kt::dvector>());
  kt::core::list<bool> const live = g.live();
  int n = 0;
  for (int id = 0; id < g.size(); ++id) n += live[id] && g.is<Op>(id) ? 1 : 0;
  return n;
}
constexpr auto chained_hessian = [](kt::dvector v) { return hessian(chained(v), v); };
static_assert(count<kt::op::from_diagonals>(chained_hessian) == 1 && count<kt::op::where>(chained_hessian) == 0);

}  // namespace

TEST_CASE("derivatives of slices lie on diagonals") {
  using kt::slice, kt::none;
  auto f = kt::function(chained_hessian);
  auto third = kt::function(kt::jacobian(chained_hessian));
  auto sums = kt::function([](kt::dvector v) { return grad(sum(sqr(hessian(chained(v), v))), v); });
  for (I n : {0, 1, 2, 3, 4, 9, 20, 41}) {
    CAPTURE(n);
    vec<double> const v = numbers<double>(n, 3);
    auto const h = f(v);
    CHECK(h.shape() == std::array<I, 2>{n, n});
    CHECK(mismatch(h, [&](I i, I j) { return chained_twice(v, i, j); }, 1e-12, 1e-12) == "");
    if (n > 9) continue;
    auto slope = [&](I i, I j, I k) {
      double sum = 0;
      for (I l = 0; l + 1 < n; ++l) {
        if (i == l && j == l && k == l) sum += 2400 * v(l);
        if (i + j + k == 3 * l + 1 && (i == l || i == l + 1) && (j == l || j == l + 1) && (k == l || k == l + 1)) sum += -400;
      }
      return sum;
    };
    CHECK(mismatch(third(v), slope, 1e-12, 1e-12) == "");
    CHECK(mismatch(sums(v), [&](I k) {
            double sum = 0;
            for (I i = 0; i < n; ++i)
              for (I j = 0; j < n; ++j) sum += 2 * chained_twice(v, i, j) * slope(i, j, k);
            return sum;
          }, 1e-11, 1e-9) == "");
  }

  auto others = kt::function([](kt::dvector v, kt::dvector w, kt::dscalar s) {
    auto const head = v(slice(none, -2)), middle = v(slice(1, -1)), tail = v(slice(2, none)), other = w(slice(2, none));
    return std::tuple(jacobian(tail - head, v), jacobian(head * middle / other + s * tail, v), jacobian(where(tail > 0, tail * other, 0) - middle, v),
                      jacobian(head * middle / other + s * tail, w), jacobian(exp(v(slice(none, none, -1))) - v, v), jacobian(inc_subtensor((s * v)(slice(1, -1)), -middle * head), v),
                      jacobian(sum(tail * head) * tail, v), jacobian(v(0) * tail, v), hessian(prod(middle) * v(0), v));
  });
  auto const all = std::tuple(numbers<double>(7, 3), numbers<double>(7, 4, 1, 2), 0.7);
  vec<double> const v = std::get<0>(all), w = std::get<1>(all);
  double const s = 0.7;
  auto const [a, b, c, d, e, g, h, k, l] = others(v, w, s);
  auto at = [](I i, I j, double x) { return i == j ? x : 0; };
  CHECK(mismatch(a, [&](I i, I j) { return at(i + 2, j, 1) - at(i, j, 1); }) == "");
  CHECK(mismatch(b, [&](I i, I j) { return at(i, j, v(i + 1) / w(i + 2)) + at(i + 1, j, v(i) / w(i + 2)) + at(i + 2, j, s); }, 1e-14) == "");
  CHECK(mismatch(c, [&](I i, I j) { return (v(i + 2) > 0 ? at(i + 2, j, w(i + 2)) : 0) - at(i + 1, j, 1); }) == "");
  CHECK(mismatch(d, [&](I i, I j) { return at(i + 2, j, -v(i) * v(i + 1) / (w(i + 2) * w(i + 2))); }, 1e-14) == "");
  CHECK(mismatch(e, [&](I i, I j) { return at(6 - i, j, std::exp(v(j))) - at(i, j, 1); }, 1e-14) == "");
  CHECK(mismatch(g, [&](I i, I j) { return at(i, j, s) - (i > 0 && i < 6 ? at(i, j, v(i - 1)) + at(i - 1, j, v(i)) : 0); }, 1e-14) == "");
  double product = 0;
  for (I i = 0; i < 5; ++i) product += v(i) * v(i + 2);
  CHECK(mismatch(h, [&](I i, I j) { return at(i + 2, j, product) + v(i + 2) * ((j < 5 ? v(j + 2) : 0) + (j > 1 ? v(j - 2) : 0)); }, 1e-13, 1e-13) == "");
  CHECK(mismatch(k, [&](I i, I j) { return at(i + 2, j, v(0)) + at(j, 0, v(i + 2)); }) == "");
  auto without = [&](I i, I j) {
    double product = 1;
    for (I m = 0; m < 6; ++m)
      if (m != i && m != j) product *= v(m);
    return i == j || i == 6 || j == 6 ? 0 : product;
  };
  CHECK(mismatch(l, without, 1e-12, 1e-12) == "");

  auto mapped = kt::function(kt::vmap(chained_hessian));
  mat<double> const table = matrix<double>(3, 5, 8);
  CHECK(mismatch(mapped(table), [&](I r, I i, I j) { return chained_twice(vec<double>(xt::row(table, static_cast<std::ptrdiff_t>(r))), i, j); }, 1e-12, 1e-12) == "");
  // Infinite next to the diagonal is 0 there.
  auto const far = kt::function([](kt::dvector x) { return jacobian(sqrt(x(slice(1, none))), x); })(vec<double>{0, 0, 4, infinity});
  CHECK(mismatch(far, [](I i, I j) { return i + 1 != j || j == 3 ? 0 : j == 1 ? infinity : 0.25; }) == "");
}
