// The same formulas as different users write them: what the way of writing costs.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/derivatives.hpp"
#include "harness/call.hpp"

#include <kroton/kroton.hpp>
#include <xtensor/xfixed.hpp>

#if defined(BENCH_EIGEN)
#include <Eigen/Dense>
#endif

namespace kt = kroton;

namespace {

using bench::nanoseconds;
template <int N>
using vec = kt::fixed<double, N>;
template <std::size_t... N>
using array = xt::xtensor_fixed<double, xt::xshape<N...>>;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// ---- a camera of nine parameters that observes a point
constexpr auto cross = [](auto a, auto b) {
  return kt::stack(a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2), a(0) * b(1) - a(1) * b(0));
};
constexpr auto observed = [](vec<9> camera, vec<3> point) {
  auto r = camera(kt::slice(0, 3));
  auto theta = norm(r);
  auto axis = r / theta;
  auto p = cos(theta) * point + sin(theta) * cross(axis, point) +
           (1 - cos(theta)) * dot(axis, point) * axis + camera(kt::slice(3, 6));
  auto u = -p(kt::slice(0, 2)) / p(2);
  auto r2 = dot(u, u);
  return camera(6) * (1 + r2 * (camera(7) + camera(8) * r2)) * u;
};
constexpr auto observed_with_jacobians = [](vec<9> camera, vec<3> point) {
  auto u = observed(camera, point);
  return std::tuple(u, kt::jacobian(u, camera), kt::jacobian(u, point));
};
constexpr auto observed_by_numbers = [](auto a, auto b, auto c, auto tx, auto ty, auto tz, auto f,
                                        auto k1, auto k2, auto x, auto y, auto z) {
  auto const theta = sqrt(a * a + b * b + c * c), wa = a / theta, wb = b / theta, wc = c / theta;
  auto const s = sin(theta), co = cos(theta), along = (wa * x + wb * y + wc * z) * (1. - co);
  auto const px = x * co + (wb * z - wc * y) * s + wa * along + tx,
             py = y * co + (wc * x - wa * z) * s + wb * along + ty,
             pz = z * co + (wa * y - wb * x) * s + wc * along + tz;
  auto const xp = -px / pz, yp = -py / pz, r2 = xp * xp + yp * yp,
             scale = f * (1. + r2 * (k1 + k2 * r2));
  return std::tuple(scale * xp, scale * yp);
};
constexpr std::array<double, 12> camera_and_point{0.1,   -0.2,  0.3,   0.5, -0.4, -6.0,
                                                  500.0, -0.02, 0.001, 0.7, -0.9, 1.1};

/// Residuals, each followed by its derivatives, as by hand.
template <class U, class OfCamera, class OfPoint>
std::vector<double> in_order(U const& u, OfCamera const& of_camera, OfPoint const& of_point) {
  std::vector<double> all;
  for (std::size_t i = 0; i < 2; ++i) {
    all.push_back(u(i));
    for (std::size_t k = 0; k < 9; ++k) all.push_back(of_camera(i, k));
    for (std::size_t k = 0; k < 3; ++k) all.push_back(of_point(i, k));
  }
  return all;
}

void one_observation(bench::program& p) {
  bench::contest c(p, "a camera and a point, both Jacobians", nanoseconds("an observation"), "one",
                   1);
  if (!c) return;
  bench::add_call(
      c, "by hand", [](auto... q) { return hand::reprojection({q...}); }, camera_and_point);
  array<9> camera;
  array<3> point;
  std::copy_n(camera_and_point.begin(), 9, camera.begin());
  std::copy_n(camera_and_point.begin() + 9, 3, point.begin());
  auto f = kt::function(observed_with_jacobians);
  array<2> u;
  array<2, 9> of_camera;
  array<2, 3> of_point;
  c.add(
      "Kroton, vectors", [&] { f.into(std::tie(u, of_camera, of_point), camera, point); },
      [&] { return in_order(u, of_camera, of_point); });
  bench::add_call(c, "Kroton, twelve numbers",
                  kt::function([](kt::dscalar a, kt::dscalar b, kt::dscalar d, kt::dscalar tx,
                                  kt::dscalar ty, kt::dscalar tz, kt::dscalar f, kt::dscalar k1,
                                  kt::dscalar k2, kt::dscalar x, kt::dscalar y, kt::dscalar z) {
                    auto const [u, v] =
                        observed_by_numbers(a, b, d, tx, ty, tz, f, k1, k2, x, y, z);
                    return std::tuple(u, grad(u, a, b, d, tx, ty, tz, f, k1, k2, x, y, z), v,
                                      grad(v, a, b, d, tx, ty, tz, f, k1, k2, x, y, z));
                  }),
                  camera_and_point);
  c.measure();
}

void many_observations(bench::program& p) {
  constexpr std::size_t n = 10'000;
  bench::contest c(p, "a camera and a point, both Jacobians", nanoseconds("an observation"),
                   "10,000", double(n));
  if (!c) return;
  matrix cameras(std::array<std::size_t, 2>{n, 9}), points(std::array<std::size_t, 2>{n, 3});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < 12; ++k) {
      double const x = camera_and_point[k] * (1 + 1e-3 * std::sin(double(i + k)));
      if (k < 9) cameras(i, k) = x;
      else points(i, k - 9) = x;
    }
  std::vector<double> by_hand(26 * n);
  c.add(
      "by hand",
      [&] {
        for (std::size_t i = 0; i < n; ++i) {
          std::array<double, 12> q;
          std::copy_n(&cameras(i, 0), 9, q.begin());
          std::copy_n(&points(i, 0), 3, q.begin() + 9);
          std::array<double, 26> const all = hand::reprojection(q);
          std::copy(all.begin(), all.end(), by_hand.begin() + std::ptrdiff_t(26 * i));
        }
      },
      [&] { return std::vector<double>(by_hand.begin() + 26 * 77, by_hand.begin() + 26 * 78); });
  auto f = kt::function(kt::vmap<0, 1>(observed_with_jacobians));
  matrix u;
  xt::xtensor<double, 3> of_camera, of_point;
  c.add(
      "Kroton, vmap of vectors", [&] { f.into(std::tie(u, of_camera, of_point), cameras, points); },
      [&] { return in_order(xt::view(u, 77), xt::view(of_camera, 77), xt::view(of_point, 77)); });
  auto g = kt::function(observed_with_jacobians);
  std::vector<array<2>> us(n);
  std::vector<array<2, 9>> of_cameras(n);
  std::vector<array<2, 3>> of_points(n);
  c.add(
      "Kroton, call by call",
      [&] {
        for (std::size_t i = 0; i < n; ++i)
          g.into(std::tie(us[i], of_cameras[i], of_points[i]),
                 std::span<double const, 9>(&cameras(i, 0), 9),
                 std::span<double const, 3>(&points(i, 0), 3));
      },
      [&] { return in_order(us[77], of_cameras[77], of_points[77]); });
  c.measure();
}

// ---- three equations
void three_equations(bench::program& p) {
  bench::contest c(p, "three equations", nanoseconds("a call"), "dot(A, x) = b", 1);
  if (!c) return;
  array<3, 3> const a{{4, 1, -2}, {0.5, -3, 1}, {2, 0.25, 5}};
  array<3> const b{1, -2, 3};
  array<3> x;
  c.output(x);
  c.add("by hand, Cramer's rule", [&] {
    double const* const m = a.data();
    double const c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8],
                 c2 = m[3] * m[7] - m[4] * m[6];
    double const inverse = 1 / (m[0] * c0 + m[1] * c1 + m[2] * c2);
    double const d = m[2] * m[7] - m[1] * m[8], e = m[0] * m[8] - m[2] * m[6],
                 f = m[1] * m[6] - m[0] * m[7];
    double const g = m[1] * m[5] - m[2] * m[4], h = m[2] * m[3] - m[0] * m[5],
                 k = m[0] * m[4] - m[1] * m[3];
    x(0) = (c0 * b(0) + d * b(1) + g * b(2)) * inverse;
    x(1) = (c1 * b(0) + e * b(1) + h * b(2)) * inverse;
    x(2) = (c2 * b(0) + f * b(1) + k * b(2)) * inverse;
  });
  using mat3 = kt::fixed<double, 3, 3>;
  auto solved = kt::function([](mat3 a, vec<3> b) { return kt::solve(a, b); });
  c.add("Kroton, solve", [&] { solved.into(x, a, b); });
  auto inverted = kt::function([](mat3 a, vec<3> b) { return dot(kt::matrix_inverse(a), b); });
  c.add("Kroton, the inverse times b", [&] { inverted.into(x, a, b); });
#if defined(BENCH_EIGEN)
  c.add("Eigen, partialPivLu", [&] {
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor> const> const ea(a.data());
    Eigen::Map<Eigen::Vector3d>(x.data()) =
        ea.partialPivLu().solve(Eigen::Map<Eigen::Vector3d const>(b.data()));
  });
#endif
  c.measure();
}

// ---- particles
/// Points as rows, as columns, and as three vectors.
struct particles {
  static constexpr std::size_t count = 1000;
  matrix rows{std::array<std::size_t, 2>{count, 3}}, columns;
  vector x, y, z;

  particles() {
    for (std::size_t i = 0; i < rows.size(); ++i) rows.flat(i) = double((i * 7919) % 1009) / 100;
    columns = xt::transpose(rows);
    x = xt::row(columns, 0), y = xt::row(columns, 1), z = xt::row(columns, 2);
  }
};
constexpr auto of_pairs = [](auto x) {
  auto d = kt::dimshuffle<0, 'x'>(x) - kt::dimshuffle<'x', 0>(x);
  return d * d;
};

void distances(bench::program& p) {
  constexpr std::size_t n = particles::count;
  particles const cloud;
  bench::contest c(p, "squared distances of all pairs", nanoseconds("a pair"),
                   "1000 points of 3 numbers", double(n * n));
  if (!c) return;
  auto const& [points, transposed, x, y, z] = cloud;
  matrix r(std::array<std::size_t, 2>{n, n});
  c.output(r).tolerance(1e-9);
  c.add("by hand", [&, px = x.data(), py = y.data(), pz = z.data()] {
    for (std::size_t i = 0; i < n; ++i) {
      double* __restrict__ const to = &r(i, 0);
      for (std::size_t j = 0; j < n; ++j) {
        double const dx = px[i] - px[j], dy = py[i] - py[j], dz = pz[i] - pz[j];
        to[j] = dx * dx + dy * dy + dz * dz;
      }
    }
  });
  auto vectors = kt::function([](kt::dvector x, kt::dvector y, kt::dvector z) {
    return of_pairs(x) + of_pairs(y) + of_pairs(z);
  });
  c.add("Kroton, three vectors", [&] { vectors.into(r, x, y, z); });
  auto summed = kt::function([](kt::dmatrix p) {
    return sum(sqr(kt::dimshuffle<0, 'x', 1>(p) - kt::dimshuffle<'x', 0, 1>(p)), kt::axis<2>);
  });
  c.add("Kroton, (n, 1, 3) - (n, 3)", [&] { summed.into(r, points); });
  auto columns = kt::function([](kt::dmatrix p) {
    return sum(sqr(kt::dimshuffle<0, 1, 'x'>(p) - kt::dimshuffle<0, 'x', 1>(p)), kt::axis<0>);
  });
  c.add("Kroton, (3, n, 1) - (3, 1, n)", [&] { columns.into(r, transposed); });
  auto mapped = kt::function([](kt::dmatrix p) {
    return kt::vmap(
        [&](vec<3> a) { return kt::vmap([&](vec<3> b) { return sum(sqr(a - b)); })(p); })(p);
  });
  c.add("Kroton, nested vmap", [&] { mapped.into(r, points); });
  c.measure();
}

/// Minus the sum of 1 / (1 + r^2)^3 over pairs.
constexpr auto attraction = [](auto r2) { return -sum(inv((1 + r2) * sqr(1 + r2))); };

void forces(bench::program& p) {
  constexpr std::size_t n = particles::count;
  particles const cloud;
  bench::contest c(p, "energy of all pairs, and forces", nanoseconds("a pair"),
                   "1000 points of 3 numbers", double(n * n));
  if (!c) return;
  auto const& [points, transposed, x, y, z] = cloud;
  double e = 0;
  matrix g(std::array<std::size_t, 2>{n, 3}), gt(std::array<std::size_t, 2>{3, n});
  vector gx(std::array<std::size_t, 1>{n}), gy = gx, gz = gx;
  c.tolerance(1e-8);
  c.add(
      "by hand",
      [&, px = x.data(), py = y.data(), pz = z.data()] {
        using batch = xsimd::batch<double>;
        static_assert(n % batch::size == 0);
        batch energy(0.0);
        for (std::size_t i = 0; i < n; ++i) {
          batch fx(0.0), fy(0.0), fz(0.0);
          for (std::size_t j = 0; j < n; j += batch::size) {
            batch const dx = px[i] - batch::load_unaligned(px + j),
                        dy = py[i] - batch::load_unaligned(py + j),
                        dz = pz[i] - batch::load_unaligned(pz + j);
            batch const inverse = 1.0 / (1.0 + dx * dx + dy * dy + dz * dz),
                        third = inverse * inverse * inverse, k = 12.0 * third * inverse;
            energy += third, fx += k * dx, fy += k * dy, fz += k * dz;
          }
          g(i, 0) = xsimd::hadd(fx), g(i, 1) = xsimd::hadd(fy), g(i, 2) = xsimd::hadd(fz);
        }
        e = -xsimd::hadd(energy);
      },
      [&] { return std::tuple(e, g); });
  auto vectors = kt::function([](kt::dvector x, kt::dvector y, kt::dvector z) {
    auto e = attraction(of_pairs(x) + of_pairs(y) + of_pairs(z));
    return std::tuple(e, kt::grad(e, x), kt::grad(e, y), kt::grad(e, z));
  });
  c.add(
      "Kroton, three vectors", [&] { vectors.into(std::tie(e, gx, gy, gz), x, y, z); },
      [&] { return std::tuple(e, matrix(xt::transpose(xt::stack(xt::xtuple(gx, gy, gz))))); });
  auto summed = kt::function([](kt::dmatrix p) {
    auto e = attraction(
        sum(sqr(kt::dimshuffle<0, 'x', 1>(p) - kt::dimshuffle<'x', 0, 1>(p)), kt::axis<2>));
    return std::tuple(e, kt::grad(e, p));
  });
  c.add(
      "Kroton, (n, 1, 3) - (n, 3)", [&] { summed.into(std::tie(e, g), points); },
      [&] { return std::tuple(e, g); });
  auto columns = kt::function([](kt::dmatrix p) {
    auto e = attraction(
        sum(sqr(kt::dimshuffle<0, 1, 'x'>(p) - kt::dimshuffle<0, 'x', 1>(p)), kt::axis<0>));
    return std::tuple(e, kt::grad(e, p));
  });
  c.add(
      "Kroton, (3, n, 1) - (3, 1, n)", [&] { columns.into(std::tie(e, gt), transposed); },
      [&] { return std::tuple(e, matrix(xt::transpose(gt))); });
  auto mapped = kt::function([](kt::dmatrix p) {
    auto e = attraction(kt::vmap(
        [&](vec<3> a) { return kt::vmap([&](vec<3> b) { return sum(sqr(a - b)); })(p); })(p));
    return std::tuple(e, kt::grad(e, p));
  });
  c.add(
      "Kroton, nested vmap", [&] { mapped.into(std::tie(e, g), points); },
      [&] { return std::tuple(e, g); });
  c.measure();
}

// ---- rows of a few numbers
constexpr auto centred = [](auto z, auto axis) {
  return z - mean(z, axis, kt::keepdims);
};
constexpr auto normalized = [](auto z, auto axis) {
  auto const c = centred(z, axis);
  return c / sqrt(mean(sqr(c), axis, kt::keepdims) + 1e-5);
};
constexpr auto probabilities = [](auto z, auto axis) { return kt::softmax(z, axis); };

/// A formula of each row, as one writes it for rows, for columns, and for a transposed view.
template <class Formula>
void narrow_rows(bench::program& p, char const* title, Formula) {
  constexpr std::size_t n = 10'000;
  for (std::size_t const d : {3u, 4u, 8u}) {
    bench::contest c(p, title, nanoseconds("an element"), std::to_string(d) + " numbers",
                     double(n * d));
    if (!c) continue;
    matrix z(std::array<std::size_t, 2>{n, d}), r = z;
    for (std::size_t i = 0; i < z.size(); ++i) z.flat(i) = std::sin(double(i * 7919 % 10'007));
    matrix const transposed = xt::transpose(z);
    matrix rt = transposed;
    c.tolerance(1e-9);
    auto const rows = kt::function([](kt::dmatrix z) { return Formula{}(z, kt::axis<1>); });
    c.add("Kroton, (n, d)", [&] { rows.into(r, z); }, [&] { return r; });
    auto const columns = kt::function([](kt::dmatrix z) { return Formula{}(z, kt::axis<0>); });
    c.add(
        "Kroton, (d, n)", [&] { columns.into(rt, transposed); },
        [&] { return matrix(xt::transpose(rt)); });
    auto const view = kt::function([](kt::dmatrix z) { return Formula{}(z.T(), kt::axis<1>); });
    c.add("Kroton, a transposed view", [&] { view.into(r, transposed); }, [&] { return r; });
    c.measure();
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("natural", "natural: the same formulas as different users write them", argc,
                   argv);
  one_observation(p), many_observations(p);
  three_equations(p);
  distances(p), forces(p);
  narrow_rows(p, "centring rows", centred);
  narrow_rows(p, "layer normalization of rows", normalized);
  narrow_rows(p, "softmax of rows", probabilities);
  p.compare_forms("Kroton");
  return p.finish();
}
