// Parts of models that learn, as different users write them: attention, a contrastive loss,
// normalization, a factorization machine, a polynomial. What the way of writing costs.
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/contest.hpp"

#include <kroton/kroton.hpp>
#include <xsimd/xsimd.hpp>

#include <cblas.h>
#include <cmath>

namespace kt = kroton;

namespace {

using bench::nanoseconds;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using batch = xsimd::batch<double>;
constexpr std::size_t lanes = batch::size;

matrix numbers(std::size_t rows, std::size_t columns, double shift = 0) {
  matrix x(std::array{rows, columns});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.flat(i) = shift + 0.5 * std::sin(double(i * 7919 % 10007));
  return x;
}
/// c = a.b, where either factor may be transposed, plus what is there times beta.
void multiply(matrix const& a, bool ta, matrix const& b, bool tb, matrix& c, double beta = 0) {
  auto const extent = [](matrix const& m, int d) {
    return static_cast<int>(m.shape(std::size_t(d)));
  };
  cblas_dgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
              extent(c, 0), extent(c, 1), extent(a, ta ? 0 : 1), 1, a.data(), extent(a, 1),
              b.data(), extent(b, 1), beta, c.data(), extent(c, 1));
}
/// exp(scale * x - shift) of a row whose length is a multiple of the lanes; returns the sum.
double exponentials(double const* x, double* to, std::size_t n, double scale, double shift) {
  batch sum(0.);
  for (std::size_t j = 0; j < n; j += lanes) {
    batch const e =
        xsimd::exp(xsimd::fms(batch(scale), batch::load_unaligned(x + j), batch(shift)));
    e.store_unaligned(to + j);
    sum += e;
  }
  return xsimd::hadd(sum);
}

// ---- attention of n queries to n keys with d coordinates, and its gradients
constexpr std::size_t n_keys = 128, n_coordinates = 32;
constexpr auto attention_by_softmax = [](kt::dmatrix q, kt::dmatrix k, kt::dmatrix v) {
  return dot(softmax(dot(q, k.T()) / std::sqrt(double(n_coordinates))), v);
};
constexpr auto attention_by_exponentials = [](kt::dmatrix q, kt::dmatrix k, kt::dmatrix v) {
  auto e = exp(dot(q, k.T()) / std::sqrt(double(n_coordinates)));
  return dot(e / sum(e, kt::axis<1>, kt::keepdims), v);
};
constexpr auto attention_by_einsum = [](kt::dmatrix q, kt::dmatrix k, kt::dmatrix v) {
  auto s = kt::einsum<"id,jd->ij">(q, k) / std::sqrt(double(n_coordinates));
  auto e = exp(s - max(s, kt::axis<1>, kt::keepdims));
  return kt::einsum<"ij,jd->id">(e, v) / sum(e, kt::axis<1>, kt::keepdims);
};
constexpr auto attention_of_queries = [](kt::dmatrix q, kt::dmatrix k, kt::dmatrix v) {
  return kt::vmap([](kt::dvector r, kt::dmatrix k, kt::dmatrix v) {
    return dot(softmax(dot(k, r) / std::sqrt(double(n_coordinates))), v);
  })(q, k, v);
};
template <auto attention>
constexpr auto attention_gradient = [](kt::dmatrix q, kt::dmatrix k, kt::dmatrix v) {
  return grad(sum(sqr(attention(q, k, v))), q, k, v);
};
void attention(bench::program& p) {
  bench::contest c(p, "attention, gradients of a sum of squares", nanoseconds("a pair"),
                   "128 queries and keys of 32", double(n_keys * n_keys));
  if (!c) return;
  matrix const q = numbers(n_keys, n_coordinates), k = numbers(n_keys, n_coordinates, 0.1),
               v = numbers(n_keys, n_coordinates, -0.2);
  matrix by_q = q, by_k = q, by_v = q, s = numbers(n_keys, n_keys), by_s = s, out = q;
  c.tolerance(1e-10);
  auto const values = [&] { return std::tuple(by_q, by_k, by_v); };
  c.add(
      "by hand",
      [&] {
        double const scale = 1 / std::sqrt(double(n_coordinates));
        multiply(q, false, k, true, s);
        for (std::size_t i = 0; i < n_keys; ++i) {
          double* const row = &s(i, 0);
          batch largest(row[0]);
          for (std::size_t j = 0; j < n_keys; j += lanes)
            largest = xsimd::max(largest, batch::load_unaligned(row + j));
          double top = row[0];
          for (std::size_t l = 0; l < lanes; ++l) top = std::max(top, largest.get(l));
          double const sum = exponentials(row, row, n_keys, scale, scale * top);
          for (std::size_t j = 0; j < n_keys; ++j) row[j] /= sum;
        }
        multiply(s, false, v, false, out);
        for (double& o : out) o *= 2;
        multiply(s, true, out, false, by_v);
        multiply(out, false, v, true, by_s);
        for (std::size_t i = 0; i < n_keys; ++i) {
          batch sum(0.);
          for (std::size_t j = 0; j < n_keys; j += lanes)
            sum += batch::load_unaligned(&s(i, j)) * batch::load_unaligned(&by_s(i, j));
          double const mean = xsimd::hadd(sum);
          for (std::size_t j = 0; j < n_keys; ++j)
            by_s(i, j) = scale * s(i, j) * (by_s(i, j) - mean);
        }
        multiply(by_s, false, k, false, by_q);
        multiply(by_s, true, q, false, by_k);
      },
      values);
  auto const add = [&](char const* name, auto f) {
    c.add(name, [&, f] { f.into(std::tie(by_q, by_k, by_v), q, k, v); }, values);
  };
  add("Kroton, softmax", kt::function(attention_gradient<attention_by_softmax>));
  add("Kroton, exponentials", kt::function(attention_gradient<attention_by_exponentials>));
  add("Kroton, einsum", kt::function(attention_gradient<attention_by_einsum>));
  add("Kroton, vmap", kt::function(attention_gradient<attention_of_queries>));
  c.measure();
}

// ---- pairs of rows found by their cosines among all others, and the gradients (InfoNCE)
constexpr auto unit_rows = [](kt::dmatrix x) {
  return x / sqrt(sum(sqr(x), kt::axis<1>, kt::keepdims));
};
constexpr auto contrast_by_softmax = [](kt::dmatrix a, kt::dmatrix b) {
  return -mean(diag(log_softmax(dot(unit_rows(a), unit_rows(b).T()) / 0.1)));
};
constexpr auto contrast_by_sums = [](kt::dmatrix a, kt::dmatrix b) {
  auto u = unit_rows(a), v = unit_rows(b);
  return mean(log(sum(exp(dot(u, v.T()) / 0.1), kt::axis<1>)) - sum(u * v, kt::axis<1>) / 0.1);
};
constexpr auto contrast_by_norms = [](kt::dmatrix a, kt::dmatrix b) {
  auto norms = kt::outer(sqrt(sum(sqr(a), kt::axis<1>)), sqrt(sum(sqr(b), kt::axis<1>)));
  auto cosines = dot(a, b.T()) / norms / 0.1;
  return mean(logsumexp(cosines, kt::axis<1>) - diag(cosines));
};
template <auto contrast>
constexpr auto contrast_gradient =
    [](kt::dmatrix a, kt::dmatrix b) { return grad(contrast(a, b), a, b); };
void contrast(bench::program& p) {
  bench::contest c(p, "contrastive loss, gradients", nanoseconds("a pair"), "128 pairs of 32",
                   double(n_keys * n_keys));
  if (!c) return;
  matrix const a = numbers(n_keys, n_coordinates), b = numbers(n_keys, n_coordinates, 0.1);
  matrix u = a, v = b, by_u = a, by_v = b, s = numbers(n_keys, n_keys);
  c.tolerance(1e-10);
  auto const values = [&] { return std::tuple(by_u, by_v); };
  c.add(
      "by hand",
      [&] {
        double norm[2][n_keys];
        auto const scale_rows = [&](matrix const& x, matrix& unit, double(&norms)[n_keys]) {
          for (std::size_t i = 0; i < n_keys; ++i) {
            batch sum(0.);
            for (std::size_t j = 0; j < n_coordinates; j += lanes) {
              batch const e = batch::load_unaligned(&x(i, j));
              sum = xsimd::fma(e, e, sum);
            }
            norms[i] = 1 / std::sqrt(xsimd::hadd(sum));
            for (std::size_t j = 0; j < n_coordinates; ++j) unit(i, j) = x(i, j) * norms[i];
          }
        };
        scale_rows(a, u, norm[0]);
        scale_rows(b, v, norm[1]);
        multiply(u, false, v, true, s);
        double const scale = 1 / (0.1 * n_keys);
        for (std::size_t i = 0; i < n_keys; ++i) {
          double const sum = exponentials(&s(i, 0), &s(i, 0), n_keys, 10, 10);
          for (std::size_t j = 0; j < n_keys; ++j) s(i, j) *= scale / sum;
          s(i, i) -= scale;
        }
        multiply(s, false, v, false, by_u);
        multiply(s, true, u, false, by_v);
        auto const through_norms = [&](matrix const& unit, matrix& g, double(&norms)[n_keys]) {
          for (std::size_t i = 0; i < n_keys; ++i) {
            batch sum(0.);
            for (std::size_t j = 0; j < n_coordinates; j += lanes)
              sum = xsimd::fma(batch::load_unaligned(&g(i, j)), batch::load_unaligned(&unit(i, j)),
                               sum);
            double const along = xsimd::hadd(sum);
            for (std::size_t j = 0; j < n_coordinates; ++j)
              g(i, j) = (g(i, j) - along * unit(i, j)) * norms[i];
          }
        };
        through_norms(u, by_u, norm[0]);
        through_norms(v, by_v, norm[1]);
      },
      values);
  auto const add = [&](char const* name, auto f) {
    c.add(name, [&, f] { f.into(std::tie(by_u, by_v), a, b); }, values);
  };
  add("Kroton, log_softmax", kt::function(contrast_gradient<contrast_by_softmax>));
  add("Kroton, sums", kt::function(contrast_gradient<contrast_by_sums>));
  add("Kroton, norms", kt::function(contrast_gradient<contrast_by_norms>));
  c.measure();
}

// ---- a factorization machine: n rows of p features, k factors of each; value and gradients
constexpr auto machine_of_squares = [](kt::dmatrix x, kt::dvector w, kt::dmatrix v) {
  return dot(x, w) + 0.5 * sum(sqr(dot(x, v)) - dot(sqr(x), sqr(v)), kt::axis<1>);
};
constexpr auto machine_of_sums = [](kt::dmatrix x, kt::dvector w, kt::dmatrix v) {
  return dot(x, w) +
         0.5 * (sum(sqr(dot(x, v)), kt::axis<1>) - dot(sqr(x), sum(sqr(v), kt::axis<1>)));
};
constexpr auto machine_of_rows = [](kt::dmatrix x, kt::dvector w, kt::dmatrix v) {
  return kt::vmap([](kt::dvector r, kt::dvector w, kt::dmatrix v) {
    return dot(r, w) + 0.5 * (sum(sqr(dot(r, v))) - dot(sqr(r), sum(sqr(v), kt::axis<1>)));
  })(x, w, v);
};
template <auto machine>
constexpr auto fit = [](kt::dmatrix x, kt::dvector w, kt::dmatrix v, kt::dvector y) {
  auto cost = mean(sqr(machine(x, w, v) - y));
  return grad(cost, w, v);
};
void factorization(bench::program& p) {
  constexpr std::size_t n = 500, features = 40, factors = 8;
  bench::contest c(p, "factorization machine, gradients", nanoseconds("a row"),
                   "500 rows of 40, 8 factors", double(n));
  if (!c) return;
  matrix const x = numbers(n, features), v = numbers(features, factors, 0.1);
  vector const w = xt::row(numbers(1, features), 0), y = xt::row(numbers(1, n), 0);
  vector by_w = w, rest(std::array{n}), squares(std::array{features}), of_squares = squares;
  matrix by_v = v, xv = numbers(n, factors), scaled = xv, xx = x;
  c.tolerance(1e-10);
  auto const values = [&] { return std::tuple(by_w, by_v); };
  c.add(
      "by hand",
      [&] {
        multiply(x, false, v, false, xv);
        for (std::size_t f = 0; f < features; ++f) {
          squares(f) = 0;
          for (std::size_t k = 0; k < factors; ++k) squares(f) += v(f, k) * v(f, k);
        }
        for (std::size_t i = 0; i < n; ++i) {
          double linear = 0, own = 0, mixed = 0;
          for (std::size_t f = 0; f < features; ++f) {
            linear += x(i, f) * w(f);
            own += (xx(i, f) = x(i, f) * x(i, f)) * squares(f);
          }
          for (std::size_t k = 0; k < factors; ++k) mixed += xv(i, k) * xv(i, k);
          rest(i) = 2 * (linear + 0.5 * (mixed - own) - y(i)) / n;
          for (std::size_t k = 0; k < factors; ++k) scaled(i, k) = rest(i) * xv(i, k);
        }
        auto const times_rest = [&](matrix const& m, vector& to) {
          cblas_dgemv(CblasRowMajor, CblasTrans, n, features, 1, m.data(), features, rest.data(), 1,
                      0, to.data(), 1);
        };
        times_rest(x, by_w);
        times_rest(xx, of_squares);
        for (std::size_t f = 0; f < features; ++f)
          for (std::size_t k = 0; k < factors; ++k) by_v(f, k) = -of_squares(f) * v(f, k);
        multiply(x, true, scaled, false, by_v, 1);
      },
      values);
  auto const add = [&](char const* name, auto f) {
    c.add(name, [&, f] { f.into(std::tie(by_w, by_v), x, w, v, y); }, values);
  };
  add("Kroton, sum of squares", kt::function(fit<machine_of_squares>));
  add("Kroton, sums apart", kt::function(fit<machine_of_sums>));
  add("Kroton, vmap", kt::function(fit<machine_of_rows>));
  c.measure();
}

// ---- the coefficients of a polynomial, fitted: gradients
constexpr auto horner = [](kt::dvector t, kt::dvector q) {
  return q(0) + t * (q(1) + t * (q(2) + t * (q(3) + t * (q(4) + t * q(5)))));
};
constexpr auto stacked = [](kt::dvector t, kt::dvector q) {
  return dot(kt::stack<1>(kt::ones_like(t), t, sqr(t), pow(t, 3), pow(t, 4), pow(t, 5)), q);
};
constexpr auto powers = [](kt::dvector t, kt::dvector q) {
  return sum(pow(kt::dimshuffle<0, 'x'>(t), kt::arange(6)) * q, kt::axis<1>);
};
constexpr auto of_each = [](kt::dvector t, kt::dvector q) {
  return kt::vmap<0>([&](kt::dscalar s) {
    return q(0) + q(1) * s + q(2) * s * s + q(3) * pow(s, 3) + q(4) * pow(s, 4) + q(5) * pow(s, 5);
  })(t);
};
template <auto polynomial>
constexpr auto coefficients_gradient = [](kt::dvector t, kt::dvector q, kt::dvector y) {
  return grad(mean(sqr(polynomial(t, q) - y)), q);
};
void polynomial(bench::program& p) {
  constexpr std::size_t n = 2000;
  static_assert(n % lanes == 0);
  bench::contest c(p, "a polynomial of degree 5, gradient by its coefficients",
                   nanoseconds("a point"), "2,000 points", double(n));
  if (!c) return;
  vector const t = xt::row(numbers(1, n, 0.5), 0), y = xt::row(numbers(1, n), 0),
               q = xt::row(numbers(1, 6), 0);
  vector by_q = q;
  c.output(by_q).tolerance(1e-11);
  c.add("by hand", [&] {
    batch sums[6]{0., 0., 0., 0., 0., 0.};
    for (std::size_t i = 0; i < n; i += lanes) {
      batch const s = batch::load_unaligned(&t(i));
      batch value(q(5));
      for (std::size_t k = 5; k-- > 0;) value = xsimd::fma(value, s, batch(q(k)));
      batch rest = value - batch::load_unaligned(&y(i));
      for (batch& sum : sums) sum += rest, rest *= s;
    }
    for (std::size_t k = 0; k < 6; ++k) by_q(k) = 2 * xsimd::hadd(sums[k]) / n;
  });
  auto const add = [&](char const* name, auto f) {
    c.add(name, [&, f] { f.into(by_q, t, q, y); });
  };
  add("Kroton, Horner", kt::function(coefficients_gradient<horner>));
  add("Kroton, stack", kt::function(coefficients_gradient<stacked>));
  add("Kroton, pow and arange", kt::function(coefficients_gradient<powers>));
  add("Kroton, vmap", kt::function(coefficients_gradient<of_each>));
  c.measure();
}

// ---- columns with mean 0 and variance 1, scaled, shifted and through tanh; gradients
constexpr auto by_variance = [](kt::dmatrix x, kt::dvector scale, kt::dvector shift) {
  return (x - mean(x, kt::axis<0>)) / sqrt(var(x, kt::axis<0>) + 1e-5) * scale + shift;
};
constexpr auto by_squares = [](kt::dmatrix x, kt::dvector scale, kt::dvector shift) {
  auto d = x - mean(x, kt::axis<0>);
  return d * (scale / sqrt(mean(sqr(d), kt::axis<0>) + 1e-5)) + shift;
};
constexpr auto by_transpose = [](kt::dmatrix x, kt::dvector scale, kt::dvector shift) {
  auto t = x.T();
  auto d = t - mean(t, kt::axis<1>, kt::keepdims);
  return (d / sqrt(mean(sqr(d), kt::axis<1>, kt::keepdims) + 1e-5)).T() * scale + shift;
};
template <auto normalized>
constexpr auto normalization_gradient =
    [](kt::dmatrix x, kt::dvector scale, kt::dvector shift, kt::dmatrix w) {
      return grad(sum(w * tanh(normalized(x, scale, shift))), x, scale, shift);
    };
void normalization(bench::program& p) {
  constexpr std::size_t n = 512, d = 64;
  bench::contest c(p, "normalized columns, gradients", nanoseconds("an element"), "512 x 64",
                   double(n * d));
  if (!c) return;
  matrix const x = numbers(n, d), w = numbers(n, d, 0.1);
  vector const scale = xt::row(numbers(1, d, 1), 0), shift = xt::row(numbers(1, d), 0);
  matrix by_x = x, centred = x;
  vector by_scale = scale, by_shift = shift;
  c.tolerance(1e-9);
  auto const values = [&] { return std::tuple(by_x, by_scale, by_shift); };
  c.add(
      "by hand",
      [&] {
        alignas(64) double mean[d]{}, inverse[d]{}, of_scale[d]{}, of_shift[d]{};
        auto const columns = [&](auto const& each) {
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < d; j += lanes) each(i, j);
        };
        auto const at = [](auto const& m, std::size_t i, std::size_t j) {
          return batch::load_unaligned(&m(i, j));
        };
        auto const add = [](double* to, batch const& b) {
          (batch::load_aligned(to) + b).store_aligned(to);
        };
        columns([&](std::size_t i, std::size_t j) { add(mean + j, at(x, i, j)); });
        for (double& m : mean) m /= n;
        columns([&](std::size_t i, std::size_t j) {
          batch const e = at(x, i, j) - batch::load_aligned(mean + j);
          e.store_unaligned(&centred(i, j));
          add(inverse + j, e * e);
        });
        for (double& v : inverse) v = 1 / std::sqrt(v / n + 1e-5);
        columns([&](std::size_t i, std::size_t j) {
          batch const e = at(centred, i, j) * batch::load_aligned(inverse + j);
          batch const y = xsimd::tanh(
              xsimd::fma(e, batch::load_unaligned(&scale(j)), batch::load_unaligned(&shift(j))));
          batch const g = at(w, i, j) * (1 - y * y);
          g.store_unaligned(&by_x(i, j));
          add(of_shift + j, g);
          add(of_scale + j, g * e);
        });
        columns([&](std::size_t i, std::size_t j) {
          batch const inv = batch::load_aligned(inverse + j), e = at(centred, i, j) * inv;
          batch const g = at(by_x, i, j) - (batch::load_aligned(of_shift + j) +
                                            e * batch::load_aligned(of_scale + j)) /
                                               double(n);
          (g * inv * batch::load_unaligned(&scale(j))).store_unaligned(&by_x(i, j));
        });
        std::copy_n(of_scale, d, by_scale.data());
        std::copy_n(of_shift, d, by_shift.data());
      },
      values);
  auto const add = [&](char const* name, auto f) {
    c.add(name, [&, f] { f.into(std::tie(by_x, by_scale, by_shift), x, scale, shift, w); }, values);
  };
  add("Kroton, var", kt::function(normalization_gradient<by_variance>));
  add("Kroton, mean of squares", kt::function(normalization_gradient<by_squares>));
  add("Kroton, of the transpose", kt::function(normalization_gradient<by_transpose>));
  c.measure();
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("natural_learning", "natural_learning: parts of models that learn", argc, argv);
  attention(p), contrast(p), factorization(p), polynomial(p), normalization(p);
  p.compare_forms("Kroton");
  return p.finish();
}
