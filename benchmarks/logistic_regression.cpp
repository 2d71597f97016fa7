// A step of logistic regression with gradient and updates, Figures 1 to 4 of the Theano paper: 4 x 100 and 400 x 784.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/blas.hpp"
#include "hand/vector_math.hpp"
#include "harness/python.hpp"

#include <kroton/kroton.hpp>

#include <cmath>

#if defined(BENCH_EIGEN)
#include <Eigen/Core>
#endif

namespace kt = kroton;

namespace {

constexpr auto step = [](kt::dmatrix x, kt::dvector y, kt::dvector w, kt::dscalar b) {
  auto p = 1 / (1 + exp(-dot(x, w) - b));
  auto cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(pow(w, 2));
  auto [gw, gb] = grad(cost, w, b);
  return kt::outputs(cost).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};

using batch = xsimd::batch<double>;
constexpr std::size_t width = batch::size;

/// max(z, 0) + log(1 + e^-|z|) - y z, the cross-entropy of one row, and its probability.
struct row_loss {
  double cost, p;
};
row_loss loss(double z, double y) {
  double const e = std::exp(-std::abs(z));
  return {std::max(z, 0.0) + std::log1p(e) - y * z, (z >= 0 ? 1 : e) / (1 + e)};
}

/// A model by hand: its parameters and room for a step.
struct model {
  std::size_t rows, columns;
  std::vector<double> w, gradient, z;
  double b = 0, cost = 0;

  model(std::size_t r, std::size_t c) : rows(r), columns(c), w(c), gradient(c), z(r) {}

  void update(double total, double gb) {
    double const decay = 0.1 * 0.02;
    double penalty = 0;
    batch sum(0.0);
    std::size_t j = 0;
    for (; j + width <= columns; j += width) {
      batch const v = batch::load_unaligned(&w[j]);
      sum = xsimd::fma(v, v, sum);
      (v - 0.1 * batch::load_unaligned(&gradient[j]) - decay * v).store_unaligned(&w[j]);
    }
    for (; j < columns; ++j) {
      penalty += w[j] * w[j];
      w[j] -= 0.1 * gradient[j] + decay * w[j];
    }
    b -= 0.1 * gb;
    cost = total / static_cast<double>(rows) + 0.01 * (penalty + xsimd::hadd(sum));
  }

  /// Two products of a matrix and a vector by BLAS, and a loop between them.
  void two_products(double const* x, double const* y) {
    hand::gemv(CblasNoTrans, static_cast<int>(rows), static_cast<int>(columns), 1, x, w.data(), 0, z.data());
    double total = 0, gb = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      auto const [cost, p] = loss(z[i] + b, y[i]);
      total += cost;
      z[i] = (p - y[i]) / static_cast<double>(rows);
      gb += z[i];
    }
    hand::gemv(CblasTrans, static_cast<int>(rows), static_cast<int>(columns), 1, x, z.data(), 0, gradient.data());
    update(total, gb);
  }

  /// x is read once: of some rows the products, the loss, and then the gradient, while they are in the cache.
  template <std::size_t Rows>
  void once(double const* x, double const* y) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double total = 0, gb = 0;
    std::size_t i = 0;
    for (; i + Rows <= rows; i += Rows) block<Rows>(x + i * columns, y + i, total, gb);
    for (; i < rows; ++i) block<1>(x + i * columns, y + i, total, gb);
    update(total, gb);
  }

 private:
  template <std::size_t Rows>
  void block(double const* x, double const* y, double& total, double& gb) {
    batch sums[Rows];
    for (auto& s : sums) s = batch(0.0);
    std::size_t j = 0;
    for (; j + width <= columns; j += width) {
      batch const v = batch::load_unaligned(&w[j]);
      for (std::size_t r = 0; r < Rows; ++r) sums[r] = xsimd::fma(batch::load_unaligned(x + r * columns + j), v, sums[r]);
    }
    double dots[Rows], d[Rows];
    for (std::size_t r = 0; r < Rows; ++r) dots[r] = xsimd::hadd(sums[r]) + b;
    for (; j < columns; ++j)
      for (std::size_t r = 0; r < Rows; ++r) dots[r] += x[r * columns + j] * w[j];
    losses<Rows>(dots, y, d, total);
    for (std::size_t r = 0; r < Rows; ++r) gb += d[r];
    for (j = 0; j + width <= columns; j += width) {
      batch g = batch::load_unaligned(&gradient[j]);
      for (std::size_t r = 0; r < Rows; ++r) g = xsimd::fma(batch(d[r]), batch::load_unaligned(x + r * columns + j), g);
      g.store_unaligned(&gradient[j]);
    }
    for (; j < columns; ++j)
      for (std::size_t r = 0; r < Rows; ++r) gradient[j] += d[r] * x[r * columns + j];
  }
  /// The losses of some rows, in one vector where they fill it.
  template <std::size_t Rows>
  void losses(double const* z, double const* y, double* d, double& total) const {
    double const share = 1 / static_cast<double>(rows);
    if constexpr (Rows == width) {
      batch const v = batch::load_unaligned(z), labels = batch::load_unaligned(y);
      batch const e = hand::exp(-xsimd::abs(v)), q = batch(1.0) + e;
      total += xsimd::hadd(xsimd::max(v, batch(0.0)) + hand::log(q) - labels * v);
      batch const p = xsimd::select(v >= batch(0.0), batch(1.0), e) / q;
      ((p - labels) * share).store_unaligned(d);
    } else {
      for (std::size_t r = 0; r < Rows; ++r) {
        auto const [cost, p] = loss(z[r], y[r]);
        total += cost;
        d[r] = (p - y[r]) * share;
      }
    }
  }
};

#if defined(BENCH_EIGEN)
struct eigen_model {
  using mat = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::VectorXd w, p;
  double b = 0, cost = 0;

  explicit eigen_model(Eigen::Index columns) : w(Eigen::VectorXd::Zero(columns)) {}
  void step(Eigen::Map<mat const> const& x, Eigen::Map<Eigen::VectorXd const> const& y) {
    p.noalias() = x * w;
    p = (1 + (-p.array() - b).exp()).inverse();
    cost = (-y.array() * p.array().log() - (1 - y.array()) * (1 - p.array()).log()).mean() + 0.01 * w.squaredNorm();
    p = (p - y) / static_cast<double>(x.rows());
    w *= 1 - 0.1 * 0.02;
    w.noalias() -= 0.1 * (x.transpose() * p);
    b -= 0.1 * p.sum();
  }
};
#endif

constexpr char const* numpy_step = R"(def step():
    global w, b
    p = 1 / (1 + np.exp(-x.dot(w) - b))
    cost[0] = (-y*np.log(p) - (1 - y)*np.log(1 - p)).mean() + 0.01*(w*w).sum()
    d = (p - y) / x.shape[0]
    w -= 0.1 * (d.dot(x) + 0.02*w)
    b -= 0.1 * d.sum()
)";

void train(bench::program& p, std::size_t rows, std::size_t columns) {
  bench::contest c(p, "logistic regression, a step", bench::per_second("steps"),
                   std::to_string(rows) + " x " + std::to_string(columns), 1);
  if (!c) return;
  auto x = xt::xtensor<double, 2>::from_shape({rows, columns});
  auto y = xt::xtensor<double, 1>::from_shape({rows});
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = std::sin(static_cast<double>(i * i % 10007));
  for (std::size_t i = 0; i < rows; ++i) y(i) = i % 3 == 0;

  c.tolerance(1e-10).checked_after(25);
  model two(rows, columns), eights(rows, columns), fours(rows, columns);
  double const *const px = x.data(), *const py = y.data();
  c.add(
      "by hand, two products", [&] { two.two_products(px, py); }, [&] { return std::tie(two.cost, two.w, two.b); });
  c.add(
      "by hand, x read once, 8 rows", [&] { eights.once<8>(px, py); },
      [&] { return std::tie(eights.cost, eights.w, eights.b); });
  c.add(
      "by hand, x read once, 4 rows", [&] { fours.once<4>(px, py); }, [&] { return std::tie(fours.cost, fours.w, fours.b); });

  kt::shared w(xt::xtensor<double, 1>(xt::zeros<double>({columns})));
  kt::shared b(0.0);
  auto f = kt::function(step, w, b);
  double cost = 0;
  c.add(
      "Kroton", [&] { cost = f(x, y); }, [&] { return std::tuple(cost, w.get_value(), b.get_value()); });
#if defined(BENCH_EIGEN)
  auto const size = [](std::size_t n) { return static_cast<Eigen::Index>(n); };
  eigen_model eigen(size(columns));
  Eigen::Map<eigen_model::mat const> const ex(px, size(rows), size(columns));
  Eigen::Map<Eigen::VectorXd const> const ey(py, size(rows));
  c.add(
      "Eigen", [&] { eigen.step(ex, ey); },
      [&] { return std::tuple(eigen.cost, std::span(eigen.w.data(), columns), eigen.b); });
#endif
  bench::python python;
  if (bench::python::available()) {
    python.array("x", x);
    python.array("y", y);
    python.run("w = np.zeros(x.shape[1]); b = 0.0; cost = np.zeros(1)");
    python.run(numpy_step);
    c.add("NumPy", python.loop("step()"), [&] { return python.values("cost, w, b"); });
  }
  c.measure();
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("logistic_regression", "logistic_regression: steps of the paper's example", argc, argv);
  train(p, 4, 100);
  train(p, 400, 784);
  return p.finish();
}
