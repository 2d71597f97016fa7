// Energies of fields on grids and of lines, with their gradients, as different users write them:
// differences of neighbours by slices, `diff`, `stack`, `roll`, `vmap`. What the way of writing
// costs.
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/contest.hpp"

#include <kroton/kroton.hpp>
#include <xsimd/xsimd.hpp>

#include <cmath>

namespace kt = kroton;

namespace {

using bench::nanoseconds;
using matrix = xt::xtensor<double, 2>;
using batch = xsimd::batch<double>;
constexpr std::size_t lanes = batch::size;

constexpr std::size_t n = 128;  // rows and columns of a grid
constexpr auto all = kt::slice();
constexpr auto earlier = kt::slice(0, -1);
constexpr auto later = kt::slice(1, kt::none);
constexpr auto inner = kt::slice(1, -1);

template <auto energy>
constexpr auto with_gradient = [](kt::dmatrix u) {
  auto e = energy(u);
  return std::tuple(e, kt::grad(e, u));
};
matrix field(std::size_t rows, std::size_t columns) {
  matrix u(std::array{rows, columns});
  for (std::size_t i = 0; i < u.size(); ++i)
    u.flat(i) = std::sin(0.1 * double(i)) + 0.5 * std::sin(double(i * 7919 % 10007));
  return u;
}
/// The sum of f over the places of a row, in batches and then one by one; f takes the place and
/// what says how many elements to read.
template <class F>
double along(std::size_t count, F f) {
  batch sum(0.);
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes) sum += f(j, batch());
  double rest = xsimd::hadd(sum);
  for (; j < count; ++j) rest += f(j, 0.);
  return rest;
}
batch read(double const* p, batch) { return batch::load_unaligned(p); }
double read(double const* p, double) { return *p; }
void write(double* p, batch const& b) { b.store_unaligned(p); }
void write(double* p, double x) { *p = x; }

/// A contest of programs that compute an energy and its gradient.
struct energies {
  bench::contest c;
  matrix u, slope;
  double energy = 0;

  energies(bench::program& p, char const* title, std::string const& size, matrix start)
      : c(p, title, nanoseconds("an element"), size, double(start.size())),
        u(std::move(start)),
        slope(u) {
    c.tolerance(1e-10);
  }
  auto values() {
    return [this] { return std::tuple(energy, slope); };
  }
  template <class F>
  void add(char const* name, F f) {
    c.add(name, [this, f] { f.into(std::tie(energy, slope), u); }, values());
  }
};

// ---- squared differences of neighbours, in both directions
constexpr auto smoothness_by_slices = [](kt::dmatrix u) {
  return sum(sqr(u(later) - u(earlier))) + sum(sqr(u(all, later) - u(all, earlier)));
};
constexpr auto smoothness_by_diff = [](kt::dmatrix u) {
  return sum(sqr(kt::diff(u, kt::axis<0>))) + sum(sqr(kt::diff(u)));
};
constexpr auto smoothness_of_rows = [](kt::dmatrix u) {
  auto of_row = [](kt::dvector r) { return sum(sqr(r(later) - r(earlier))); };
  return sum(kt::vmap(of_row)(u)) + sum(kt::vmap(of_row)(u.T()));
};
void smoothness(bench::program& p) {
  energies e(p, "squared differences of neighbours", "128 x 128", field(n, n));
  if (!e.c) return;
  e.c.add(
      "by hand",
      [&] {
        e.energy = 0;
        for (std::size_t i = 0; i < n; ++i) {
          double const* const row = &e.u(i, 0);
          double* const to = &e.slope(i, 0);
          for (std::size_t j = 0; j < n; j += lanes) {
            batch const x = batch::load_unaligned(row + j);
            batch sum(0.);
            if (i > 0) sum += x - batch::load_unaligned(row + j - n);
            if (i + 1 < n) sum += x - batch::load_unaligned(row + j + n);
            (2 * sum).store_unaligned(to + j);
          }
          if (i + 1 < n)
            e.energy += along(n, [&](std::size_t j, auto as) {
              auto const d = read(row + j + n, as) - read(row + j, as);
              return d * d;
            });
          e.energy += along(n - 1, [&](std::size_t j, auto as) {
            auto const d = read(row + j + 1, as) - read(row + j, as);
            return d * d;
          });
          along(n - 2, [&](std::size_t j, auto as) {
            auto const twice = read(row + j + 1, as) * 2.,
                       around = read(row + j, as) + read(row + j + 2, as);
            write(to + j + 1, read(to + j + 1, as) + 2. * (twice - around));
            return twice;
          });
          to[0] += 2 * (row[0] - row[1]);
          to[n - 1] += 2 * (row[n - 1] - row[n - 2]);
        }
      },
      e.values());
  e.add("Kroton, slices", kt::function(with_gradient<smoothness_by_slices>));
  e.add("Kroton, diff", kt::function(with_gradient<smoothness_by_diff>));
  e.add("Kroton, vmap", kt::function(with_gradient<smoothness_of_rows>));
  e.c.measure();
}

// ---- total variation: the lengths of the slopes
constexpr auto variation_by_slices = [](kt::dmatrix u) {
  auto down = u(later, earlier) - u(earlier, earlier),
       right = u(earlier, later) - u(earlier, earlier);
  return sum(sqrt(sqr(down) + sqr(right) + 1e-3));
};
constexpr auto variation_by_diff = [](kt::dmatrix u) {
  auto down = kt::diff(u, kt::axis<0>)(all, earlier), right = kt::diff(u)(earlier);
  return sum(sqrt(sqr(down) + sqr(right) + 1e-3));
};
constexpr auto variation_by_stack = [](kt::dmatrix u) {
  auto slope = kt::stack(kt::diff(u, kt::axis<0>)(all, earlier), kt::diff(u)(earlier));
  return sum(sqrt(sum(sqr(slope), kt::axis<0>) + 1e-3));
};
void variation(bench::program& p) {
  energies e(p, "total variation", "128 x 128", field(n, n));
  if (!e.c) return;
  matrix down = field(2, n), right = down;
  e.c.add(
      "by hand",
      [&] {
        e.energy = 0;
        for (std::size_t i = 0; i < n; ++i) {
          double const* const row = &e.u(i, 0);
          double* const to = &e.slope(i, 0);
          double *const d = &down(i % 2, 0), *const r = &right(0, 0);
          double const* const above = &down((i + 1) % 2, 0);
          bool const is_last = i + 1 == n;
          if (!is_last)
            e.energy += along(n - 1, [&](std::size_t j, auto as) {
              auto const x = read(row + j, as), dx = read(row + j + n, as) - x,
                         dy = read(row + j + 1, as) - x;
              using std::sqrt, xsimd::sqrt;
              auto const length = sqrt(dx * dx + dy * dy + 1e-3), inverse = 1. / length;
              write(d + j, dx * inverse);
              write(r + j, dy * inverse);
              return length;
            });
          along(n - 1, [&](std::size_t j, auto as) {
            auto sum = read(above + j, as);
            if (i == 0) sum -= sum;
            if (!is_last) sum -= read(d + j, as) + read(r + j, as);
            write(to + j, sum);
            return sum;
          });
          to[n - 1] = 0;
          if (!is_last)
            along(n - 1, [&](std::size_t j, auto as) {
              auto const sum = read(to + j + 1, as) + read(r + j, as);
              write(to + j + 1, sum);
              return sum;
            });
        }
      },
      e.values());
  e.add("Kroton, slices", kt::function(with_gradient<variation_by_slices>));
  e.add("Kroton, diff", kt::function(with_gradient<variation_by_diff>));
  e.add("Kroton, stack", kt::function(with_gradient<variation_by_stack>));
  e.c.measure();
}

// ---- squared Laplacians of the points that have four neighbours
constexpr auto curvature_by_slices = [](kt::dmatrix u) {
  auto before = kt::slice(0, -2);
  auto behind = kt::slice(2, kt::none);
  return sum(sqr(4 * u(inner, inner) - u(before, inner) - u(behind, inner) - u(inner, before) -
                 u(inner, behind)));
};
constexpr auto curvature_by_diff = [](kt::dmatrix u) {
  auto down = kt::diff<2>(u, kt::axis<0>)(all, inner), right = kt::diff<2>(u)(inner);
  return sum(sqr(down + right));
};
void curvature(bench::program& p) {
  energies e(p, "squared Laplacians", "128 x 128", field(n, n));
  if (!e.c) return;
  matrix rest = xt::zeros<double>({n, n});
  e.c.add(
      "by hand",
      [&] {
        e.energy = 0;
        auto const laplacian = [](double const* x, std::size_t j, auto as) {
          return 4. * read(x + j, as) - read(x + j - n, as) - read(x + j + n, as) -
                 read(x + j - 1, as) - read(x + j + 1, as);
        };
        for (std::size_t i = 1; i + 1 < n; ++i)
          e.energy += along(n - 2, [&](std::size_t j, auto as) {
            auto const r = laplacian(&e.u(i, 1), j, as);
            write(&rest(i, 1) + j, r + r);
            return r * r;
          });
        for (std::size_t i = 0; i < n; ++i) {
          double* const to = &e.slope(i, 0);
          double const* const own = &rest(i, 0);
          if (i > 0 && i + 1 < n) {
            along(n - 2, [&](std::size_t j, auto as) {
              auto const g = laplacian(own + 1, j, as);
              write(to + 1 + j, g);
              return g;
            });
            to[0] = -own[1];
            to[n - 1] = -own[n - 2];
          } else {
            double const* const next = &rest(i == 0 ? 1 : n - 2, 0);
            for (std::size_t j = 0; j < n; ++j) to[j] = -next[j];
          }
        }
      },
      e.values());
  e.add("Kroton, slices", kt::function(with_gradient<curvature_by_slices>));
  e.add("Kroton, second differences", kt::function(with_gradient<curvature_by_diff>));
  e.c.measure();
}

// ---- a line of springs: how far the distances of neighbours are from a length
constexpr double length = 0.5;
constexpr auto springs_by_slices = [](kt::dmatrix x) {
  auto d = x(later) - x(earlier);
  return sum(sqr(sqrt(sum(sqr(d), kt::axis<1>)) - length));
};
constexpr auto springs_by_norm = [](kt::dmatrix x) {
  return sum(sqr(kt::norm(kt::diff(x, kt::axis<0>), kt::axis<1>) - length));
};
constexpr auto springs_of_pairs = [](kt::dmatrix x) {
  auto spring = [](kt::dvector a, kt::dvector b) { return sqr(sqrt(sum(sqr(a - b))) - length); };
  return sum(kt::vmap<0, 1>(spring)(x(later), x(earlier)));
};
constexpr auto springs_of_columns = [](kt::dmatrix x) {
  auto dx = kt::diff(x(all, 0)), dy = kt::diff(x(all, 1)), dz = kt::diff(x(all, 2));
  return sum(sqr(sqrt(sqr(dx) + sqr(dy) + sqr(dz)) - length));
};
void springs(bench::program& p) {
  for (std::size_t const points : {50, 1000, 10'000}) {
    energies e(p, "a line of springs", std::to_string(points) + " x 3", field(points, 3));
    if (!e.c) continue;
    e.c.add(
        "by hand",
        [&] {
          e.energy = 0;
          double last[3]{};
          for (std::size_t i = 0; i < points; ++i) {
            double const* const x = &e.u(i, 0);
            double* const to = &e.slope(i, 0);
            double force[3]{};
            if (i + 1 < points) {
              double const d[3]{x[3] - x[0], x[4] - x[1], x[5] - x[2]},
                  distance = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]),
                  by = 2 * (distance - length) / distance;
              e.energy += (distance - length) * (distance - length);
              for (int k = 0; k < 3; ++k) force[k] = by * d[k];
            }
            for (int k = 0; k < 3; ++k) {
              to[k] = last[k] - force[k];
              last[k] = force[k];
            }
          }
        },
        e.values());
    e.add("Kroton, slices", kt::function(with_gradient<springs_by_slices>));
    e.add("Kroton, norm", kt::function(with_gradient<springs_by_norm>));
    e.add("Kroton, vmap", kt::function(with_gradient<springs_of_pairs>));
    e.add("Kroton, columns", kt::function(with_gradient<springs_of_columns>));
    e.c.measure();
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("natural_fields", "natural_fields: energies of fields and lines", argc, argv);
  smoothness(p), variation(p), curvature(p), springs(p);
  p.compare_forms("Kroton");
  return p.finish();
}
