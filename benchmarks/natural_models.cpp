// Models as different users write them: a Kalman step, rotations, a rigid motion, a mixture of
// Gaussians, options, kernels between points. What the way of writing costs.
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/contest.hpp"

#include <kroton/kroton.hpp>
#include <xsimd/xsimd.hpp>
#include <xtensor/xfixed.hpp>

#include <cmath>

namespace kt = kroton;

namespace {

using bench::nanoseconds;
template <int... N>
using fixed = kt::fixed<double, N...>;
template <std::size_t... N>
using array = xt::xtensor_fixed<double, xt::xshape<N...>>;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using batch = xsimd::batch<double>;

matrix numbers(std::size_t rows, std::size_t columns, double scale = 1, double shift = 0) {
  matrix x(std::array{rows, columns});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.flat(i) = shift + scale * std::sin(double(i * 7919 % 10007));
  return x;
}

// ---- one step of a Kalman filter: four states, two measurements
template <std::size_t N, std::size_t K, std::size_t M>
void multiply(double const (&a)[N][K], double const (&b)[K][M], double (&to)[N][M]) {
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = 0; j < M; ++j) {
      to[i][j] = 0;
      for (std::size_t k = 0; k < K; ++k) to[i][j] += a[i][k] * b[k][j];
    }
}
template <std::size_t N, std::size_t K, std::size_t M>
void multiply_transposed(double const (&a)[N][K], double const (&b)[M][K], double (&to)[N][M]) {
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = 0; j < M; ++j) {
      to[i][j] = 0;
      for (std::size_t k = 0; k < K; ++k) to[i][j] += a[i][k] * b[j][k];
    }
}
struct filter_matrices {
  double f[4][4], q[4][4], h[2][4], r[2][2];
};
void kalman_by_hand(filter_matrices const& m, double (&x)[4], double (&p)[4][4],
                    double const (&z)[2]) {
  double predicted[4], fp[4][4], pp[4][4], hp[2][4], s[2][2], inverse[2][2], gain[4][2], y[2];
  for (int i = 0; i < 4; ++i) {
    predicted[i] = 0;
    for (int k = 0; k < 4; ++k) predicted[i] += m.f[i][k] * x[k];
  }
  multiply(m.f, p, fp);
  multiply_transposed(fp, m.f, pp);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) pp[i][j] += m.q[i][j];
  multiply(m.h, pp, hp);
  multiply_transposed(hp, m.h, s);
  for (int i = 0; i < 2; ++i) {
    y[i] = z[i];
    for (int k = 0; k < 4; ++k) y[i] -= m.h[i][k] * predicted[k];
    for (int j = 0; j < 2; ++j) s[i][j] += m.r[i][j];
  }
  double const d = 1 / (s[0][0] * s[1][1] - s[0][1] * s[1][0]);
  inverse[0][0] = s[1][1] * d, inverse[0][1] = -s[0][1] * d, inverse[1][0] = -s[1][0] * d,
  inverse[1][1] = s[0][0] * d;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j) gain[i][j] = hp[0][i] * inverse[0][j] + hp[1][i] * inverse[1][j];
  for (int i = 0; i < 4; ++i) {
    x[i] = predicted[i] + gain[i][0] * y[0] + gain[i][1] * y[1];
    for (int j = 0; j < 4; ++j) p[i][j] = pp[i][j] - gain[i][0] * hp[0][j] - gain[i][1] * hp[1][j];
  }
}

using mat4 = fixed<4, 4>;
using mat24 = fixed<2, 4>;
constexpr auto by_solution = [](fixed<4> x, mat4 p, fixed<2> z, mat4 f, mat4 q, mat24 h,
                                fixed<2, 2> r) {
  auto xp = dot(f, x);
  auto pp = dot(dot(f, p), f.T()) + q;
  auto s = dot(dot(h, pp), h.T()) + r;
  auto gain = solve(s, dot(h, pp)).T();
  return std::tuple(xp + dot(gain, z - dot(h, xp)), pp - dot(gain, dot(h, pp)));
};
constexpr auto by_inverse = [](fixed<4> x, mat4 p, fixed<2> z, mat4 f, mat4 q, mat24 h,
                               fixed<2, 2> r) {
  auto xp = dot(f, x);
  auto pp = dot(dot(f, p), f.T()) + q;
  auto gain = dot(dot(pp, h.T()), matrix_inverse(dot(dot(h, pp), h.T()) + r));
  return std::tuple(xp + dot(gain, z - dot(h, xp)), dot(kt::eye<double>(4) - dot(gain, h), pp));
};
constexpr auto by_einsum = [](fixed<4> x, mat4 p, fixed<2> z, mat4 f, mat4 q, mat24 h,
                              fixed<2, 2> r) {
  auto xp = kt::einsum<"ij,j->i">(f, x);
  auto pp = kt::einsum<"ij,jk,lk->il">(f, p, f) + q;
  auto hp = kt::einsum<"ij,jk->ik">(h, pp);
  auto gain = solve(kt::einsum<"ik,jk->ij">(hp, h) + r, hp);
  return std::tuple(xp + kt::einsum<"ji,j->i">(gain, z - kt::einsum<"ij,j->i">(h, xp)),
                    pp - kt::einsum<"ki,kj->ij">(gain, hp));
};

void kalman(bench::program& p) {
  bench::contest c(p, "a Kalman step", nanoseconds("a step"), "4 states, 2 measurements", 1);
  if (!c) return;
  filter_matrices m{{{1, 0, 0.1, 0}, {0, 1, 0, 0.1}, {0, 0, 1, 0}, {0, 0, 0, 1}},
                    {},
                    {{1, 0, 0, 0}, {0, 1, 0, 0}},
                    {{0.1, 0}, {0, 0.1}}};
  for (int i = 0; i < 4; ++i) m.q[i][i] = 0.01;
  double const x0[4] = {1, 2, -0.5, 0.25}, z0[2] = {1.1, 1.9};
  double p0[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) p0[i][j] = i == j ? 1 : 0.1;
  auto const copied = [](auto& to, auto const& from) {
    std::copy_n(&from[0][0], to.size(), to.begin());
  };
  array<4, 4> f, q, pa;
  array<2, 4> h;
  array<2, 2> r;
  copied(f, m.f), copied(q, m.q), copied(pa, p0), copied(h, m.h), copied(r, m.r);
  array<4> const x{1, 2, -0.5, 0.25};
  array<2> const z{1.1, 1.9};
  array<4> xs;
  array<4, 4> ps;
  double xh[4], ph[4][4];
  c.tolerance(1e-12);
  c.add(
      "by hand",
      [&] {
        std::copy_n(x0, 4, xh);
        std::copy_n(&p0[0][0], 16, &ph[0][0]);
        kalman_by_hand(m, xh, ph, z0);
      },
      [&] {
        return std::tuple(std::vector<double>(xh, xh + 4),
                          std::vector<double>(&ph[0][0], &ph[0][0] + 16));
      });
  auto const add = [&](char const* name, auto step) {
    c.add(
        name, [&, step] { step.into(std::tie(xs, ps), x, pa, z, f, q, h, r); },
        [&] { return std::tuple(xs, ps); });
  };
  add("Kroton, solve", kt::function(by_solution));
  add("Kroton, the inverse", kt::function(by_inverse));
  add("Kroton, einsum", kt::function(by_einsum));
  c.measure();
}

// ---- a vector turned by a quaternion
constexpr auto cross = [](auto a, auto b) {
  return kt::stack(a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2), a(0) * b(1) - a(1) * b(0));
};
constexpr auto product = [](auto a, auto b) {
  return kt::stack(a(0) * b(0) - a(1) * b(1) - a(2) * b(2) - a(3) * b(3),
                   a(0) * b(1) + a(1) * b(0) + a(2) * b(3) - a(3) * b(2),
                   a(0) * b(2) - a(1) * b(3) + a(2) * b(0) + a(3) * b(1),
                   a(0) * b(3) + a(1) * b(2) - a(2) * b(1) + a(3) * b(0));
};
constexpr auto by_products = [](fixed<4> q, fixed<3> v) {
  auto const pure = concatenate<0>(kt::zeros<double>(1), v);
  auto const conjugate = concatenate<0>(q(kt::slice(0, 1)), -q(kt::slice(1, 4)));
  return product(product(q, pure), conjugate)(kt::slice(1, 4));
};
constexpr auto by_matrix = [](fixed<4> q, fixed<3> v) {
  auto w = q(0), x = q(1), y = q(2), z = q(3);
  auto m = kt::stack(kt::stack(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
                     kt::stack(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
                     kt::stack(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)));
  return dot(m, v);
};
constexpr auto by_cross_products = [](fixed<4> q, fixed<3> v) {
  auto u = q(kt::slice(1, 4));
  auto t = 2 * cross(u, v);
  return v + q(0) * t + cross(u, t);
};

void rotation(bench::program& p) {
  constexpr std::size_t n = 10'000;
  bench::contest one(p, "a vector turned by a quaternion", nanoseconds("a vector"), "one", 1);
  array<4> q{0.5, -0.5, 0.7, 0.1};
  q /= std::sqrt(xt::sum(q * q)());
  array<3> const v{1, -2, 0.5};
  array<3> turned;
  auto const by_hand = [](double const* a, double const* b, double* to) {
    double const tx = 2 * (a[2] * b[2] - a[3] * b[1]), ty = 2 * (a[3] * b[0] - a[1] * b[2]),
                 tz = 2 * (a[1] * b[1] - a[2] * b[0]);
    to[0] = b[0] + a[0] * tx + (a[2] * tz - a[3] * ty);
    to[1] = b[1] + a[0] * ty + (a[3] * tx - a[1] * tz);
    to[2] = b[2] + a[0] * tz + (a[1] * ty - a[2] * tx);
  };
  if (one) {
    one.output(turned).tolerance(1e-12);
    one.add("by hand", [&] { by_hand(q.data(), v.data(), turned.data()); });
    one.add("Kroton, quaternions", [&, f = kt::function(by_products)] { f.into(turned, q, v); });
    one.add("Kroton, a matrix", [&, f = kt::function(by_matrix)] { f.into(turned, q, v); });
    one.add("Kroton, cross products",
            [&, f = kt::function(by_cross_products)] { f.into(turned, q, v); });
    one.measure();
  }
  bench::contest c(p, "a vector turned by a quaternion", nanoseconds("a vector"), "10,000, vmap",
                   double(n));
  if (!c) return;
  matrix qs = numbers(n, 4), vs = numbers(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += qs(i, k) * qs(i, k);
    for (std::size_t k = 0; k < 4; ++k) qs(i, k) /= std::sqrt(sum);
  }
  matrix all(std::array{n, std::size_t{3}});
  c.output(all).tolerance(1e-12);
  c.add("by hand", [&] {
    for (std::size_t i = 0; i < n; ++i) by_hand(&qs(i, 0), &vs(i, 0), &all(i, 0));
  });
  c.add("Kroton, quaternions",
        [&, f = kt::function(kt::vmap<0, 1>(by_products))] { f.into(all, qs, vs); });
  c.add("Kroton, a matrix",
        [&, f = kt::function(kt::vmap<0, 1>(by_matrix))] { f.into(all, qs, vs); });
  c.add("Kroton, cross products",
        [&, f = kt::function(kt::vmap<0, 1>(by_cross_products))] { f.into(all, qs, vs); });
  c.measure();
}

// ---- a point moved by a rigid motion of six parameters, with its Jacobian
constexpr auto moved = [](fixed<6> motion, fixed<3> from, fixed<3> to) {
  auto r = motion(kt::slice(0, 3));
  auto theta = norm(r);
  auto axis = r / theta;
  return from * cos(theta) + cross(axis, from) * sin(theta) +
         axis * dot(axis, from) * (1 - cos(theta)) + motion(kt::slice(3, 6)) - to;
};
constexpr auto moved_by_matrix = [](fixed<6> motion, fixed<3> from, fixed<3> to) {
  auto x = motion(0), y = motion(1), z = motion(2);
  auto theta = sqrt(x * x + y * y + z * z);
  auto zero = 0 * x;
  auto k =
      kt::stack(kt::stack(zero, -z, y), kt::stack(z, zero, -x), kt::stack(-y, x, zero)) / theta;
  auto turn = kt::eye<double>(3) + sin(theta) * k + (1 - cos(theta)) * dot(k, k);
  return dot(turn, from) + motion(kt::slice(3, 6)) - to;
};
template <auto residual>
constexpr auto with_jacobian = [](fixed<6> motion, fixed<3> from, fixed<3> to) {
  auto r = residual(motion, from, to);
  return std::tuple(r, jacobian(r, motion));
};

void rigid_motion(bench::program& p) {
  bench::contest c(p, "a point moved, and its Jacobian by the motion", nanoseconds("a point"),
                   "one", 1);
  if (!c) return;
  array<6> const motion{0.1, -0.2, 0.3, 1, 2, -1};
  array<3> const from{1, -2, 0.5}, to{1.5, 0.5, -0.5};
  array<3> r;
  array<3, 6> j;
  c.tolerance(1e-12);
  auto const add = [&](char const* name, auto f) {
    c.add(
        name, [&, f] { f.into(std::tie(r, j), motion, from, to); },
        [&] { return std::tuple(r, j); });
  };
  add("Kroton, Rodrigues' formula", kt::function(with_jacobian<moved>));
  add("Kroton, a matrix", kt::function(with_jacobian<moved_by_matrix>));
  c.measure();
}

// ---- a mixture of four Gaussians with diagonal covariances: the log-likelihood of 10,000 points
constexpr auto by_axes = [](kt::dmatrix x, kt::dmatrix mean, kt::dmatrix precision,
                            kt::dvector weight) {
  auto d = kt::dimshuffle<0, 'x', 1>(x) - kt::dimshuffle<'x', 0, 1>(mean);
  auto e = -0.5 * sum(sqr(d) * kt::dimshuffle<'x', 0, 1>(precision), kt::axis<2>);
  return sum(logsumexp(e + kt::dimshuffle<'x', 0>(weight), kt::axis<1>));
};
constexpr auto by_products_of_matrices = [](kt::dmatrix x, kt::dmatrix mean, kt::dmatrix precision,
                                            kt::dvector weight) {
  auto of_mean = sum(sqr(mean) * precision, kt::axis<1>);
  auto e = -0.5 * (dot(sqr(x), precision.T()) - 2 * dot(x, (mean * precision).T()) +
                   kt::dimshuffle<'x', 0>(of_mean));
  return sum(logsumexp(e + kt::dimshuffle<'x', 0>(weight), kt::axis<1>));
};
template <int D>
constexpr auto by_points = [](kt::dmatrix x, fixed<4, D> mean, fixed<4, D> precision,
                              fixed<4> weight) {
  auto each = kt::vmap([&](fixed<D> point) {
    return logsumexp(
        -0.5 * sum(sqr(kt::dimshuffle<'x', 0>(point) - mean) * precision, kt::axis<1>) + weight);
  })(x);
  return sum(each);
};

template <int D>
void mixture(bench::program& p) {
  constexpr std::size_t n = 10'000, k = 4, d = D;
  bench::contest c(p, "a mixture of four Gaussians, log-likelihood", nanoseconds("a point"),
                   std::to_string(D) + " coordinates", double(n));
  if (!c) return;
  matrix const x = numbers(n, d), mean = numbers(k, d), precision = numbers(k, d, 0.25, 1);
  vector const weight{-1, -1.5, -1.25, -2};
  double total = 0;
  c.tolerance(1e-9);
  c.add(
      "by hand",
      [&] {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
          double e[k], most = -1e300;
          for (std::size_t a = 0; a < k; ++a) {
            double square = 0;
            for (std::size_t b = 0; b < d; ++b) {
              double const difference = x(i, b) - mean(a, b);
              square += difference * difference * precision(a, b);
            }
            e[a] = weight(a) - 0.5 * square;
            most = std::max(most, e[a]);
          }
          double exps = 0;
          for (double each : e) exps += std::exp(each - most);
          sum += most + std::log(exps);
        }
        total = sum;
      },
      [&] { return total; });
  auto const add = [&](char const* name, auto f) {
    c.add(name, [&, f] { total = f(x, mean, precision, weight); }, [&] { return total; });
  };
  add("Kroton, (n, 1, d) - (4, d)", kt::function(by_axes));
  add("Kroton, products of matrices", kt::function(by_products_of_matrices));
  add("Kroton, vmap over points", kt::function(by_points<D>));
  c.measure();
}

// ---- European options, Black and Scholes
constexpr auto call_price = [](auto s, auto x, auto t, auto r, auto v) {
  auto d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
  auto below = [](auto d) { return 0.5 * erfc(-d * std::sqrt(0.5)); };
  return s * below(d1) - x * exp(-r * t) * below(d2);
};
constexpr auto call_price_of_numbers = [](kt::dscalar s, kt::dscalar x, kt::dscalar t,
                                          kt::dscalar r,
                                          kt::dscalar v) { return call_price(s, x, t, r, v); };

void options(bench::program& p) {
  constexpr std::size_t n = 10'000;
  bench::contest c(p, "Black and Scholes", nanoseconds("an option"), "10,000 calls", double(n));
  if (!c) return;
  matrix columns(std::array{n, std::size_t{5}});
  for (std::size_t i = 0; i < n; ++i) {
    double const u = 0.5 + 0.5 * std::sin(double(i * 7919 % 10007));
    columns(i, 0) = 80 + 40 * u, columns(i, 1) = 90 + 20 * std::cos(i),
               columns(i, 2) = 0.25 + 2 * u, columns(i, 3) = 0.01 + 0.04 * u,
               columns(i, 4) = 0.1 + 0.4 * u;
  }
  matrix const rows = xt::transpose(columns);
  vector const s = xt::row(rows, 0), x = xt::row(rows, 1), t = xt::row(rows, 2),
               r = xt::row(rows, 3), v = xt::row(rows, 4);
  vector price(std::array{n});
  c.output(price).tolerance(1e-11);
  c.add("by hand", [&] {
    for (std::size_t i = 0; i < n; ++i) {
      double const root = v(i) * std::sqrt(t(i)),
                   d1 = (std::log(s(i) / x(i)) + (r(i) + 0.5 * v(i) * v(i)) * t(i)) / root,
                   d2 = d1 - root;
      auto const below = [](double d) { return 0.5 * std::erfc(-d * std::sqrt(0.5)); };
      price(i) = s(i) * below(d1) - x(i) * std::exp(-r(i) * t(i)) * below(d2);
    }
  });
  c.add("Kroton, five vectors", [&, f = kt::function([](kt::dvector s, kt::dvector x, kt::dvector t,
                                                        kt::dvector r, kt::dvector v) {
                                      return call_price(s, x, t, r, v);
                                    })] { f.into(price, s, x, t, r, v); });
  c.add("Kroton, vmap of numbers",
        [&, f = kt::function(kt::vmap<0, 1, 2, 3, 4>(call_price_of_numbers))] {
          f.into(price, s, x, t, r, v);
        });
  c.add("Kroton, rows of a matrix", [&, f = kt::function([](kt::dmatrix m) {
                                          return call_price(m(0), m(1), m(2), m(3), m(4));
                                        })] { f.into(price, rows); });
  c.add("Kroton, columns of a matrix", [&, f = kt::function([](kt::dmatrix m) {
                                             auto column = [&](int k) { return m(kt::slice(), k); };
                                             return call_price(column(0), column(1), column(2),
                                                               column(3), column(4));
                                           })] { f.into(price, columns); });
  c.measure();
}

// ---- kernels exp(-|p - q|^2 / 2) between all pairs of points
constexpr auto kernel_of_rows = [](kt::dmatrix x) {
  return exp(-0.5 *
             sum(sqr(kt::dimshuffle<0, 'x', 1>(x) - kt::dimshuffle<'x', 0, 1>(x)), kt::axis<2>));
};
constexpr auto kernel_of_columns = [](kt::dmatrix x) {
  return exp(-0.5 *
             sum(sqr(kt::dimshuffle<0, 1, 'x'>(x) - kt::dimshuffle<0, 'x', 1>(x)), kt::axis<0>));
};
constexpr auto kernel_of_products = [](kt::dmatrix x) {
  auto square = sum(sqr(x), kt::axis<1>);
  return exp(dot(x, x.T()) -
             0.5 * (kt::dimshuffle<0, 'x'>(square) + kt::dimshuffle<'x', 0>(square)));
};
template <int D>
constexpr auto kernel_of_points = [](kt::dmatrix x) {
  return kt::vmap([&](fixed<D> a) {
    return kt::vmap([&](fixed<D> b) { return exp(-0.5 * sum(sqr(a - b))); })(x);
  })(x);
};
/// The sum of the squares of a kernel's elements, and its gradient by the points.
template <auto kernel>
constexpr auto with_gradient = [](kt::dmatrix x) {
  auto cost = sum(sqr(kernel(x)));
  return std::tuple(cost, grad(cost, x));
};

template <int D>
void kernels(bench::program& p) {
  constexpr std::size_t n = 500, d = D;
  bench::contest c(p, "kernels between all pairs, and a gradient", nanoseconds("a pair"),
                   std::to_string(D) + " coordinates", double(n * n));
  if (!c) return;
  matrix const x = numbers(n, d), columns = xt::transpose(x);
  double cost = 0;
  matrix g(std::array{n, d}), gt(std::array{d, n});
  c.tolerance(1e-8);
  c.add(
      "by hand",
      [&] {
        std::size_t const whole = n / batch::size * batch::size;
        batch sum(0.0);
        double rest = 0;
        for (std::size_t i = 0; i < n; ++i) {
          batch of_point[d];
          for (batch& each : of_point) each = batch(0.0);
          double of_rest[d]{};
          for (std::size_t j = 0; j < whole; j += batch::size) {
            batch difference[d], square(0.0);
            for (std::size_t a = 0; a < d; ++a) {
              difference[a] = columns(a, i) - batch::load_unaligned(&columns(a, j));
              square = xsimd::fma(difference[a], difference[a], square);
            }
            batch const k = xsimd::exp(-square);
            sum += k;
            for (std::size_t a = 0; a < d; ++a)
              of_point[a] = xsimd::fma(k, difference[a], of_point[a]);
          }
          for (std::size_t j = whole; j < n; ++j) {
            double square = 0;
            for (std::size_t a = 0; a < d; ++a)
              square += (columns(a, i) - columns(a, j)) * (columns(a, i) - columns(a, j));
            double const k = std::exp(-square);
            rest += k;
            for (std::size_t a = 0; a < d; ++a) of_rest[a] += k * (columns(a, i) - columns(a, j));
          }
          for (std::size_t a = 0; a < d; ++a)
            g(i, a) = -4 * (xsimd::hadd(of_point[a]) + of_rest[a]);
        }
        cost = xsimd::hadd(sum) + rest;
      },
      [&] { return std::tuple(cost, g); });
  auto const add = [&](char const* name, auto f) {
    c.add(name, [&, f] { f.into(std::tie(cost, g), x); }, [&] { return std::tuple(cost, g); });
  };
  add("Kroton, (n, 1, d) - (n, d)", kt::function(with_gradient<kernel_of_rows>));
  c.add(
      "Kroton, (d, n, 1) - (d, 1, n)",
      [&, f = kt::function(with_gradient<kernel_of_columns>)] {
        f.into(std::tie(cost, gt), columns);
      },
      [&] { return std::tuple(cost, matrix(xt::transpose(gt))); });
  add("Kroton, products of matrices", kt::function(with_gradient<kernel_of_products>));
  add("Kroton, nested vmap", kt::function(with_gradient<kernel_of_points<D>>));
  c.measure();
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("natural_models", "natural_models: models as different users write them", argc,
                   argv);
  kalman(p), rotation(p), rigid_motion(p);
  mixture<2>(p), mixture<3>(p), mixture<8>(p);
  options(p);
  kernels<1>(p), kernels<2>(p), kernels<3>(p), kernels<8>(p);
  p.compare_forms("Kroton");
  return p.finish();
}
