// What normalizes the rows of a matrix: softmax, log-softmax, cross-entropy with its gradient, layer normalization.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/reduce.hpp"
#include "harness/matrices.hpp"

#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

template <class T>
using vec = xt::xtensor<T, 1>;
using bench::fill, bench::matrix, bench::of_matrices;
#if defined(BENCH_EIGEN)
using bench::eigen_map;
#endif

template <class T>
void normalizations(bench::program& p) {
  using M = kt::matrix<T>;
  using V = kt::vector<T>;
  std::vector<std::array<std::size_t, 2>> const extents{{60, 10}, {100, 100}, {1000, 1000}};
  of_matrices<T>(p, "softmax by rows", extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    matrix<T> y = x;
    auto f = kt::function([](M m) { return softmax(m); });
    c.output(y);
    c.add("by hand", [&] { hand::softmax(y.data(), x.data(), x.shape(0), x.shape(1)); });
    c.add("Kroton", [&] { f.into(y, x); });
#if defined(BENCH_EIGEN)
    c.add("Eigen", [ex = eigen_map(x), ey = eigen_map(y)]() mutable {
      for (Eigen::Index i = 0; i < ex.rows(); ++i) {
        ey.row(i) = (ex.row(i) - ex.row(i).maxCoeff()).exp();
        ey.row(i) /= ey.row(i).sum();
      }
    });
#endif
    if (bench::python::available()) {
      python.array("y", y);
      c.add("NumPy", python.loop("np.subtract(x, x.max(axis=1, keepdims=True), out=y); np.exp(y, out=y); np.divide(y, "
                                 "y.sum(axis=1, keepdims=True), out=y)"));
    }
    c.measure();
  });
  of_matrices<T>(p, "log-softmax by rows", extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    matrix<T> y = x;
    auto f = kt::function([](M m) { return log_softmax(m); });
    c.output(y);
    c.add("by hand", [&] { hand::log_softmax(y.data(), x.data(), x.shape(0), x.shape(1)); });
    c.add("Kroton", [&] { f.into(y, x); });
#if defined(BENCH_EIGEN)
    c.add("Eigen", [ex = eigen_map(x), ey = eigen_map(y)]() mutable {
      for (Eigen::Index i = 0; i < ex.rows(); ++i) {
        ey.row(i) = ex.row(i) - ex.row(i).maxCoeff();
        ey.row(i) -= std::log(ey.row(i).exp().sum());
      }
    });
#endif
    if (bench::python::available()) {
      python.array("y", y);
      c.add("NumPy", python.loop("np.subtract(x, x.max(axis=1, keepdims=True), out=y); np.subtract(y, "
                                 "np.log(np.exp(y).sum(axis=1, keepdims=True)), out=y)"));
    }
    c.measure();
  });
  of_matrices<T>(p, "cross-entropy by rows, gradient", extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    matrix<T> g = x;
    xt::xtensor<std::int64_t, 1> const labels =
        xt::arange<std::int64_t>(static_cast<std::int64_t>(x.shape(0))) % static_cast<std::int64_t>(x.shape(1));
    auto f = kt::function([](M m, kt::lvector l) {
      auto cost = mean(categorical_crossentropy(softmax(m), l));
      return std::tuple(cost, grad(cost, m));
    });
    T cost = 0;
    auto both = [&] { return std::tie(cost, g); };
    c.add(
        "by hand", [&] { cost = hand::cross_entropy(g.data(), x.data(), labels.data(), x.shape(0), x.shape(1)); }, both);
    c.add(
        "Kroton", [&] { f.into(std::tie(cost, g), x, labels); }, both);
    if (bench::python::available()) {
      python.array("g", g);
      python.array("labels", labels);
      python.run("rows = np.arange(x.shape[0]); cost = np.zeros(1, x.dtype)");
      c.add("NumPy",
            python.loop("m = x.max(axis=1, keepdims=True); np.exp(x - m, out=g); s = g.sum(axis=1, keepdims=True)\n"
                        "cost[0] = (np.log(s[:, 0]) - x[rows, labels] + m[:, 0]).mean()\n"
                        "np.divide(g, s, out=g); g[rows, labels] -= 1; np.divide(g, x.dtype.type(x.shape[0]), out=g)"),
            [&] { return python.values("cost, g"); });
    }
    c.measure();
  });
  of_matrices<T>(
      p, "layer normalization", {{60, 512}, {1000, 1000}}, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
        matrix<T> y = x;
        vec<T> scale = vec<T>::from_shape({x.shape(1)}), shift = scale;
        fill(scale);
        fill(shift, 2);
        auto f = kt::function([](M m, V g, V b) {
          auto centred = m - mean(m, kt::axis<1>, kt::keepdims);
          return centred / sqrt(var(m, kt::axis<1>, kt::keepdims) + 1e-5) * g + b;
        });
        c.output(y);
        c.add("by hand", [&] { hand::layer_norm(y.data(), x.data(), scale.data(), shift.data(), x.shape(0), x.shape(1)); });
        c.add("Kroton", [&] { f.into(y, x, scale, shift); });
#if defined(BENCH_EIGEN)
        c.add("Eigen", [ex = eigen_map(x), ey = eigen_map(y), eg = eigen_map(scale), eb = eigen_map(shift)]() mutable {
          for (Eigen::Index i = 0; i < ex.rows(); ++i) {
            T const mean = ex.row(i).mean(), variance = (ex.row(i) - mean).square().mean();
            ey.row(i) = (ex.row(i) - mean) * (1 / std::sqrt(variance + T(1e-5))) * eg + eb;
          }
        });
#endif
        if (bench::python::available()) {
          python.array("y", y);
          python.array("g", scale);
          python.array("b", shift);
          c.add("NumPy", python.loop("np.subtract(x, x.mean(axis=1, keepdims=True), out=y)\n"
                                     "np.divide(y, np.sqrt(x.var(axis=1, keepdims=True) + x.dtype.type(1e-5)), out=y)\n"
                                     "np.multiply(y, g, out=y); np.add(y, b, out=y)"));
        }
        c.measure();
      });
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("normalizations", "normalizations: softmax, cross-entropy and layer normalization by rows", argc, argv);
  normalizations<double>(p);
  normalizations<float>(p);
  return p.finish();
}
