// Gradients and Hessians of cost functions, and the greeks of an option, next to what is derived by hand, Ceres' jets and
// Eigen's AutoDiffScalar. SPDX-License-Identifier: BSD-3-Clause
#include "hand/derivatives.hpp"
#include "harness/call.hpp"
#include "harness/forward_mode.hpp"

#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

using bench::nanoseconds;

// Each works on numbers, on variables, and on the types of other libraries.
constexpr auto rosenbrock = [](auto x, auto y) {
  auto const u = 1. - x;
  auto const v = y - x * x;
  return u * u + 100. * (v * v);
};
/// The residuals of an observed point: a camera of angle-axis rotation, translation, focal length and two coefficients of
/// radial distortion, as in bundle adjustment in the large.
constexpr auto reprojection = [](auto a, auto b, auto c, auto tx, auto ty, auto tz, auto f, auto k1, auto k2, auto x, auto y,
                                 auto z) {
  using std::cos, std::sin, std::sqrt;
  auto const theta = sqrt(a * a + b * b + c * c);
  auto const wa = a / theta, wb = b / theta, wc = c / theta;
  auto const s = sin(theta), co = cos(theta);
  auto const along = (wa * x + wb * y + wc * z) * (1. - co);
  auto const px = x * co + (wb * z - wc * y) * s + wa * along + tx;
  auto const py = y * co + (wc * x - wa * z) * s + wb * along + ty;
  auto const pz = z * co + (wa * y - wb * x) * s + wc * along + tz;
  auto const xp = -px / pz, yp = -py / pz;
  auto const r2 = xp * xp + yp * yp;
  auto const scale = f * (1. + r2 * (k1 + k2 * r2));
  return std::tuple(scale * xp, scale * yp);
};
constexpr auto black_scholes = [](auto spot, auto strike, auto time, auto rate, auto sigma) {
  using std::erfc, std::exp, std::log, std::sqrt;
  auto const spread = sigma * sqrt(time);
  auto const d1 = (log(spot / strike) + (rate + 0.5 * sigma * sigma) * time) / spread;
  auto const d2 = d1 - spread;
  return 0.5 * spot * erfc(d1 * -0.70710678118654752) - 0.5 * strike * exp(-rate * time) * erfc(d2 * -0.70710678118654752);
};

void rosenbrock_of_two(bench::program& p) {
  std::array const at{0.7, 0.4};
  if (bench::contest c(p, "value and gradient", nanoseconds("a call"), "Rosenbrock, 2", 1); c) {
    bench::add_call(
        c, "by hand", [](double x, double y) { return hand::rosenbrock_gradient(x, y); }, at);
    bench::add_call(c, "Kroton", kt::function([](kt::dscalar x, kt::dscalar y) {
                      auto const value = rosenbrock(x, y);
                      return std::tuple(value, grad(value, x, y));
                    }),
                    at);
#if defined(BENCH_CERES)
    bench::add_call(
        c, "Ceres jets", [](auto... x) { return bench::parts(bench::with_jets<2>(rosenbrock)(x...)); }, at);
#endif
#if defined(BENCH_EIGEN)
    bench::add_call(
        c, "AutoDiffScalar",
        [](auto... x) {
          return bench::parts(bench::with_autodiff<2>([](auto u, auto v) {
            using scalar = decltype(u);
            scalar const a = 1 - u, b = v - u * u;
            return scalar(a * a + 100 * (b * b));
          })(x...));
        },
        at);
#endif
    c.measure();
  }
}

constexpr auto chain = [](kt::dvector v) {
  auto const head = v(kt::slice(kt::none, -1)), tail = v(kt::slice(1, kt::none));
  return sum(sqr(1 - head) + 100 * sqr(tail - sqr(head)));
};

void rosenbrock_of_twenty(bench::program& p) {
  constexpr std::size_t n = 20;
  xt::xtensor<double, 1> x = 0.4 + 0.02 * xt::arange<double>(n), g = x;
  double value = 0;
  if (bench::contest c(p, "value and gradient", nanoseconds("a call"), "Rosenbrock, 20", 1); c) {
    auto both = [&] { return std::tie(value, g); };
    c.add(
        "by hand", [&] { value = hand::rosenbrock_chain<n>(x.data(), g.data()); }, both);
    auto f = kt::function(kt::value_and_grad(chain));
    c.add(
        "Kroton", [&] { f.into(std::tie(value, g), x); }, both);
#if defined(BENCH_CERES)
    using jet = ceres::Jet<double, static_cast<int>(n)>;
    c.add(
        "Ceres jets",
        [&] {
          std::array<jet, n> in;
          for (std::size_t i = 0; i < n; ++i) in[i] = jet(x(i), static_cast<int>(i));
          jet total(0.0);
          for (std::size_t i = 0; i + 1 < n; ++i) total += rosenbrock(in[i], in[i + 1]);
          value = total.a;
          std::copy(total.v.data(), total.v.data() + n, g.data());
        },
        both);
#endif
    c.measure();
  }
}

void curve_fit(bench::program& p) {
  constexpr std::size_t n = 100;
  std::array const at{0.5, 0.1, 2.0, 4.0, 1.5};
  xt::xtensor<double, 1> const t = 0.1 * xt::arange<double>(n),
                               y = 0.4 + 0.12 * t + 1.9 * xt::exp(-xt::square((t - 4.2) / 1.4));
  auto cost = [](kt::dvector ts, kt::dvector ys, kt::dscalar base, kt::dscalar slope, kt::dscalar height, kt::dscalar centre,
                 kt::dscalar width) {
    auto const u = (ts - centre) / width;
    return sum(sqr(base + slope * ts + height * exp(-u * u) - ys));
  };
  if (bench::contest c(p, "value and gradient", nanoseconds("a call"), "curve fit", 1); c) {
    double const *const pt = t.data(), *const py = y.data();
    bench::add_call(
        c, "by hand", [=](auto... q) { return hand::curve_fit(pt, py, n, {q...}); }, at);
    bench::add_call(
        c, "Kroton", [&, f = kt::function(kt::value_and_grad<2, 3, 4, 5, 6>(cost))](auto... q) { return f(t, y, q...); }, at);
#if defined(BENCH_CERES)
    bench::add_call(
        c, "Ceres jets",
        [=](auto... q) {
          return bench::parts(bench::with_jets<5>([=](auto base, auto slope, auto height, auto centre, auto width) {
            decltype(base) total(0.0);
            for (std::size_t i = 0; i < n; ++i) {
              auto const u = (pt[i] - centre) / width;
              auto const r = base + slope * pt[i] + height * exp(-u * u) - py[i];
              total += r * r;
            }
            return total;
          })(q...));
        },
        at);
#endif
    c.measure();
  }
}

void bundle_adjustment(bench::program& p) {
  std::array const at{0.1, -0.2, 0.3, 0.5, -0.4, -6.0, 500.0, -0.02, 0.001, 0.7, -0.9, 1.1};
  bench::contest c(p, "value and gradient", nanoseconds("a call"), "reprojection, 2 x 12", 1);
  if (!c) return;
  bench::add_call(
      c, "by hand", [](auto... q) { return hand::reprojection({q...}); }, at);
  bench::add_call(c, "Kroton",
                  kt::function([](kt::dscalar a, kt::dscalar b, kt::dscalar d, kt::dscalar tx, kt::dscalar ty, kt::dscalar tz,
                                  kt::dscalar f, kt::dscalar k1, kt::dscalar k2, kt::dscalar x, kt::dscalar y, kt::dscalar z) {
                    auto const [u, v] = reprojection(a, b, d, tx, ty, tz, f, k1, k2, x, y, z);
                    return std::tuple(u, grad(u, a, b, d, tx, ty, tz, f, k1, k2, x, y, z), v,
                                      grad(v, a, b, d, tx, ty, tz, f, k1, k2, x, y, z));
                  }),
                  at);
#if defined(BENCH_CERES)
  bench::add_call(
      c, "Ceres jets",
      [](auto... q) {
        auto const [u, v] = bench::with_jets<12>(reprojection)(q...);
        return std::tuple(bench::parts(u), bench::parts(v));
      },
      at);
#endif
  c.measure();
}

void option(bench::program& p) {
  std::array const at{100.0, 95.0, 0.75, 0.03, 0.2};
  bench::contest c(p, "value and gradient", nanoseconds("a call"), "Black-Scholes", 1);
  if (!c) return;
  bench::add_call(
      c, "by hand", [](auto... q) { return hand::black_scholes(q...); }, at);
  bench::add_call(c, "Kroton", kt::function([](kt::dscalar s, kt::dscalar k, kt::dscalar t, kt::dscalar r, kt::dscalar v) {
                    auto const price = black_scholes(s, k, t, r, v);
                    auto const [delta, of_strike, theta, rho, vega] = grad(price, s, k, t, r, v);
                    return std::tuple(price, delta, of_strike, theta, rho, vega, grad(delta, s));
                  }),
                  at);
  c.measure();
}

void hessians(bench::program& p) {
  constexpr std::size_t n = 20;
  xt::xtensor<double, 1> const x = 0.4 + 0.02 * xt::arange<double>(n);
  if (bench::contest c(p, "Hessian", nanoseconds("a call"), "Rosenbrock, 2", 1); c) {
    std::array const at{0.7, 0.4};
    bench::add_call(
        c, "by hand",
        [](double u, double v) {
          return std::array{2 - 400 * (v - 3 * u * u), -400 * u, -400 * u, 200.0};
        },
        at);
    bench::add_call(c, "Kroton", kt::function([](kt::dscalar u, kt::dscalar v) { return hessian(rosenbrock(u, v), u, v); }),
                    at);
    c.measure();
  }
  if (bench::contest c(p, "Hessian", nanoseconds("a call"), "Rosenbrock, 20", 1); c) {
    xt::xtensor<double, 2> h = xt::zeros<double>({n, n});
    c.output(h);
    c.add("by hand", [&] { hand::rosenbrock_hessian<n>(x.data(), h.data()); });
    auto f = kt::function(kt::hessian(chain));
    c.add("Kroton", [&] { f.into(h, x); });
    c.measure();
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("cost_functions", "cost_functions: gradients and Hessians", argc, argv);
  rosenbrock_of_two(p);
  rosenbrock_of_twenty(p);
  curve_fit(p);
  bundle_adjustment(p);
  option(p);
  hessians(p);
  return p.finish();
}
