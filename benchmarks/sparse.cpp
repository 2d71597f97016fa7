// Sparse matrices: products with vectors and with matrices, elements of products on a pattern,
// and functions of the values.
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/python.hpp"
#include "harness/report.hpp"

#include <kroton/kroton.hpp>

#include <random>
#if defined(BENCH_EIGEN)
#include <Eigen/Sparse>
#endif

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

/// Rows and columns, and entries a row at random places or, if so asked, around the diagonal.
struct problem {
  std::size_t n, entries;
  bool banded;
};
constexpr problem problems[] = {
    {10'000, 5, false}, {10'000, 50, false}, {100'000, 20, true}, {300'000, 10, false}};

std::string name_of(problem const& p) {
  return std::to_string(p.n) + " x " + std::to_string(p.entries) + (p.banded ? ", a band" : "");
}
kt::csr_array<double> made(problem const& p) {
  std::mt19937 random(7);
  std::vector<double> data;
  std::vector<int> indices, indptr{0};
  for (std::size_t i = 0; i < p.n; ++i) {
    for (std::size_t k = 0; k < p.entries; ++k) {
      indices.push_back(static_cast<int>(p.banded ? (i + k) % p.n : random() % p.n));
      data.push_back(std::sin(static_cast<double>(data.size())));
    }
    indptr.push_back(static_cast<int>(data.size()));
  }
  return {data, indices, indptr, {p.n, p.n}};
}
matrix wave(std::size_t rows, std::size_t columns) {
  matrix x(std::array{rows, columns});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(1.3 * static_cast<double>(i));
  return x;
}
#if defined(BENCH_EIGEN)
using eigen_sparse = Eigen::Map<Eigen::SparseMatrix<double, Eigen::RowMajor> const>;
using eigen_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
eigen_sparse mapped(kt::csr_array<double> const& a) {
  auto const n = static_cast<Eigen::Index>(a.shape(0));
  return {n,
          n,
          static_cast<Eigen::Index>(a.size()),
          a.indptr().data(),
          a.indices().data(),
          a.data().data()};
}
#endif

template <class A>
void give(bench::python& python, A const& a) {
  python.array("data", a.data());
  vector index(std::array{a.size()}), start(std::array{a.indptr().size()});
  std::copy(a.indices().begin(), a.indices().end(), index.begin());
  std::copy(a.indptr().begin(), a.indptr().end(), start.begin());
  python.array("index", index), python.array("start", start);
  python.run("import scipy.sparse as sp");
  python.run("a = sp.csr_matrix((data, index.astype('i4'), start.astype('i4')))");
}

void vectors(bench::program& p) {
  auto f = kt::function([](kt::csr<double> a, kt::dvector x) { return dot(a, x); });
  for (problem const& q : problems) {
    bench::contest c(p, "matrix times vector", bench::nanoseconds("a value"), name_of(q),
                     static_cast<double>(q.n * q.entries));
    if (!c) continue;
    auto const a = made(q);
    vector const x = xt::flatten(wave(q.n, 1));
    vector y(std::array{q.n});
    c.tolerance(1e-9);
    auto const result = [&] { return y; };
    c.add("Kroton", [&] { f.into(y, a, x); }, result);
    c.add(
        "by hand",
        [&] {
          double const* const value = a.data().data();
          int const *const index = a.indices().data(), *const start = a.indptr().data();
          double const* const from = x.data();
          for (std::size_t i = 0; i < q.n; ++i) {
            double sum = 0;
            for (int k = start[i]; k < start[i + 1]; ++k) sum += value[k] * from[index[k]];
            y.data()[i] = sum;
          }
        },
        result);
#if defined(BENCH_EIGEN)
    eigen_sparse const m = mapped(a);
    Eigen::Map<Eigen::VectorXd const> const v(x.data(), m.cols());
    Eigen::Map<Eigen::VectorXd> out(y.data(), m.rows());
    c.add("Eigen", [&] { out.noalias() = m * v; }, result);
#endif
    c.measure();
  }
}

void matrices(bench::program& p, bool transposed) {
  auto f = kt::function([](kt::csr<double> a, kt::dmatrix x) { return dot(a, x); });
  auto g = kt::function([](kt::csr<double> a, kt::dmatrix x) { return dot(a.T(), x); });
  constexpr std::size_t columns = 32;
  for (problem const& q : problems) {
    if (q.n > 100'000) continue;
    auto const a = made(q);
    matrix const x = wave(q.n, columns);
    matrix y(std::array{q.n, columns});
    auto const result = [&] { return y; };
    double const* const value = a.data().data();
    int const *const index = a.indices().data(), *const start = a.indptr().data();
#if defined(BENCH_EIGEN)
    eigen_sparse const m = mapped(a);
    Eigen::Map<eigen_matrix const> const v(x.data(), m.cols(), columns);
    Eigen::Map<eigen_matrix> out(y.data(), m.rows(), columns);
#endif
    if (bench::contest c(p, "matrix times 32 columns", bench::nanoseconds("a product"), name_of(q),
                         static_cast<double>(q.n * q.entries * columns));
        c && !transposed) {
      c.tolerance(1e-9);
      c.add("Kroton", [&] { f.into(y, a, x); }, result);
      c.add(
          "by hand",
          [&] {
            for (std::size_t i = 0; i < q.n; ++i) {
              double sum[columns]{};
              for (int k = start[i]; k < start[i + 1]; ++k) {
                double const* const row = x.data() + static_cast<std::size_t>(index[k]) * columns;
                for (std::size_t j = 0; j < columns; ++j) sum[j] += value[k] * row[j];
              }
              for (std::size_t j = 0; j < columns; ++j) y.data()[i * columns + j] = sum[j];
            }
          },
          result);
#if defined(BENCH_EIGEN)
      c.add("Eigen", [&] { out.noalias() = m * v; }, result);
#endif
      c.measure();
    }
    if (bench::contest c(p, "transpose times 32 columns", bench::nanoseconds("a product"),
                         name_of(q), static_cast<double>(q.n * q.entries * columns));
        c && transposed) {
      c.tolerance(1e-9);
      c.add("Kroton", [&] { g.into(y, a, x); }, result);
      c.add(
          "by hand",
          [&] {
            std::fill(y.begin(), y.end(), 0.0);
            for (std::size_t i = 0; i < q.n; ++i)
              for (int k = start[i]; k < start[i + 1]; ++k) {
                double* const row = y.data() + static_cast<std::size_t>(index[k]) * columns;
                for (std::size_t j = 0; j < columns; ++j)
                  row[j] += value[k] * x.data()[i * columns + j];
              }
          },
          result);
#if defined(BENCH_EIGEN)
      c.add("Eigen", [&] { out.noalias() = m.transpose() * v; }, result);
#endif
      c.measure();
    }
  }
}

void of_values(bench::program& p, bool sampled) {
  auto f = kt::function(
      [](kt::dmatrix u, kt::dmatrix v, kt::csr<double> a) { return sampling_dot(u, v, a).data(); });
  auto g =
      kt::function([](kt::csr<double> a) { return a.with_data(exp(a.data()) * 2 + 1).data(); });
  constexpr std::size_t columns = 32;
  for (problem const& q : problems) {
    if (q.n > 100'000) continue;
    auto const a = made(q);
    matrix const u = wave(q.n, columns);
    vector y(std::array{a.size()});
    auto const result = [&] { return y; };
    double const* const value = a.data().data();
    int const *const index = a.indices().data(), *const start = a.indptr().data();
    if (bench::contest c(p, "sampling_dot of 32 columns", bench::nanoseconds("a value"), name_of(q),
                         static_cast<double>(a.size()));
        c && sampled) {
      c.tolerance(1e-9);
      c.add("Kroton", [&] { f.into(y, u, u, a); }, result);
      c.add(
          "by hand",
          [&] {
            for (std::size_t i = 0; i < q.n; ++i)
              for (int k = start[i]; k < start[i + 1]; ++k) {
                double const *const l = u.data() + i * columns, *const r = u.data() +
                                                                           static_cast<std::size_t>(
                                                                               index[k]) *
                                                                               columns;
                double sum[8]{};
                for (std::size_t j = 0; j < columns; j += 8)
                  for (std::size_t b = 0; b < 8; ++b) sum[b] += l[j + b] * r[j + b];
                y.data()[k] = value[k] * (((sum[0] + sum[4]) + (sum[1] + sum[5])) +
                                          ((sum[2] + sum[6]) + (sum[3] + sum[7])));
              }
          },
          result);
      c.measure();
    }
    if (bench::contest c(p, "exp(a) * 2 + 1 on the pattern", bench::nanoseconds("a value"),
                         name_of(q), static_cast<double>(a.size()));
        c && !sampled) {
      c.tolerance(1e-9);
      c.add("Kroton", [&] { g.into(y, a); }, result);
      c.add(
          "by hand",
          [&] {
            for (std::size_t k = 0; k < a.size(); ++k) y.data()[k] = std::exp(value[k]) * 2 + 1;
          },
          result);
      c.measure();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("sparse", "sparse: products of sparse matrices, and functions of their values",
                   argc, argv);
  vectors(p), matrices(p, false), matrices(p, true);
  of_values(p, true), of_values(p, false);
  return p.finish();
}
