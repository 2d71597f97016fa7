// Reductions of vectors, of rows and of columns, and the errors of sums.
// SPDX-License-Identifier: BSD-3-Clause
// xtensor's loops on batches, but the allocator that it has without them: aligned memory costs small arrays more than it
// brings.
#define XTENSOR_USE_XSIMD
#define XTENSOR_DEFAULT_ALLOCATOR(T) std::allocator<T>

#include "hand/reduce.hpp"
#include "harness/matrices.hpp"
#include "harness/report.hpp"

#include <kroton/kroton.hpp>

#include <cstdio>

#if defined(BENCH_ARMADILLO)
#define ARMA_DONT_USE_WRAPPER
#include <armadillo>
#endif

namespace kt = kroton;

namespace {

template <class T>
using vec = xt::xtensor<T, 1>;
using bench::fill, bench::matrix, bench::of_matrices, bench::type_name;
#if defined(BENCH_EIGEN)
using bench::eigen_map;
#endif

/// A reduction of one vector, or of two, to a number, as each contestant writes it.
template <class T, class Kroton, class Hand, class Eigenish, class Arma, class Xtensor>
void of_vectors(bench::program& p, std::string const& name, std::string const& numpy, Kroton f, Hand by_hand,
                [[maybe_unused]] Eigenish eigen, [[maybe_unused]] Arma arma, Xtensor lazy) {
  for (std::size_t n : {1'000, 100'000, 10'000'000}) {
    bench::contest c(p, name + ", " + type_name<T>, bench::nanoseconds("an element"),
                     n == 1'000     ? "1e3"
                     : n == 100'000 ? "1e5"
                                    : "1e7",
                     static_cast<double>(n));
    if (!c) continue;
    vec<T> x = vec<T>::from_shape({n}), y = x;
    fill(x);
    fill(y, 0.7);
    c.tolerance(sizeof(T) == 8 ? 1e-11 : 1e-4);
    T result = 0;
    auto add = [&](char const* who, auto compute) {
      c.add(
          who, [&result, compute] { bench::use(result = compute()); }, [compute] { return compute(); });
    };
    add("by hand", [&] { return by_hand(x.data(), y.data(), n); });
    add("Kroton", [&] { return f(x, y); });
#if defined(BENCH_EIGEN)
    using eigen_array = Eigen::Matrix<T, Eigen::Dynamic, 1>;
    Eigen::Map<eigen_array const> const ex(x.data(), static_cast<Eigen::Index>(n)), ey(y.data(), static_cast<Eigen::Index>(n));
    add("Eigen", [&] { return eigen(ex, ey); });
#endif
    add("xtensor", [&] { return lazy(x, y); });
#if defined(BENCH_ARMADILLO)
    arma::Col<T> const ax(x.data(), n, false, true), ay(y.data(), n, false, true);
    add("Armadillo", [&] { return arma(ax, ay); });
#endif
    bench::python python;
    if (bench::python::available()) {
      python.array("x", x);
      python.array("y", y);
      c.add("NumPy", python.loop(numpy), [&] { return python.values(numpy); });
    }
    c.measure();
  }
}

template <class T>
void vectors(bench::program& p) {
  using V = kt::vector<T>;
#define BOTH(expression) [](auto const& x, [[maybe_unused]] auto const& y) { return expression; }
  of_vectors<T>(
      p, "sum", "x.sum()", kt::function([](V x, [[maybe_unused]] V y) { return sum(x); }),
      [](T const* x, T const*, std::size_t n) { return hand::sum(x, n); }, BOTH(x.sum()), BOTH(arma::accu(x)),
      BOTH(xt::sum(x, xt::evaluation_strategy::immediate)()));
  of_vectors<T>(
      p, "mean", "x.mean()", kt::function([](V x, [[maybe_unused]] V y) { return mean(x); }),
      [](T const* x, T const*, std::size_t n) { return hand::sum(x, n) / static_cast<T>(n); }, BOTH(x.mean()),
      BOTH(arma::mean(x)), BOTH(xt::mean(x, xt::evaluation_strategy::immediate)()));
  of_vectors<T>(
      p, "variance", "x.var()", kt::function([](V x, [[maybe_unused]] V y) { return var(x); }),
      [](T const* x, T const*, std::size_t n) { return hand::variance(x, n); }, BOTH((x.array() - x.mean()).square().mean()),
      BOTH(arma::var(x, 1)), BOTH(xt::variance(x, xt::evaluation_strategy::immediate)()));
  of_vectors<T>(
      p, "norm", "np.linalg.norm(x)", kt::function([](V x, [[maybe_unused]] V y) { return norm(x); }),
      [](T const* x, T const*, std::size_t n) { return std::sqrt(hand::dot(x, x, n)); }, BOTH(x.norm()), BOTH(T(arma::norm(x))),
      BOTH(std::sqrt(xt::sum(x * x, xt::evaluation_strategy::immediate)())));
  of_vectors<T>(
      p, "dot", "x.dot(y)", kt::function([](V x, V y) { return dot(x, y); }),
      [](T const* x, T const* y, std::size_t n) { return hand::dot(x, y, n); }, BOTH(x.dot(y)), BOTH(arma::dot(x, y)),
      BOTH(xt::sum(x * y, xt::evaluation_strategy::immediate)()));
#undef BOTH
}

template <class T>
void sums(bench::program& p) {
  using M = kt::matrix<T>;
  std::vector<std::array<std::size_t, 2>> const extents{{100, 100}, {1000, 1000}, {100'000, 10}};
  of_matrices<T>(p, "row sums", extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    vec<T> y = vec<T>::from_shape({x.shape(0)});
    auto f = kt::function([](M m) { return sum(m, kt::axis<1>); });
    c.output(y);
    c.add("by hand", [&] { hand::row_sums(y.data(), x.data(), x.shape(0), x.shape(1)); });
    c.add("Kroton", [&] { f.into(y, x); });
#if defined(BENCH_EIGEN)
    c.add("Eigen", [ex = eigen_map(x), ey = eigen_map(y)]() mutable { ey = ex.rowwise().sum().transpose(); });
#endif
    c.add("xtensor", [&] { xt::noalias(y) = xt::sum(x, {1}, xt::evaluation_strategy::immediate); });
    if (bench::python::available()) {
      python.array("y", y);
      c.add("NumPy", python.loop("np.sum(x, axis=1, out=y)"));
    }
    c.measure();
  });
  of_matrices<T>(p, "column sums", extents, [&](bench::contest& c, matrix<T>& x, bench::python& python) {
    vec<T> y = vec<T>::from_shape({x.shape(1)});
    auto f = kt::function([](M m) { return sum(m, kt::axis<0>); });
    c.output(y);
    c.add("by hand", [&] { hand::column_sums(y.data(), x.data(), x.shape(0), x.shape(1)); });
    c.add("Kroton", [&] { f.into(y, x); });
#if defined(BENCH_EIGEN)
    c.add("Eigen", [ex = eigen_map(x), ey = eigen_map(y)]() mutable { ey = ex.colwise().sum(); });
#endif
    c.add("xtensor", [&] { xt::noalias(y) = xt::sum(x, {0}, xt::evaluation_strategy::immediate); });
    if (bench::python::available()) {
      python.array("y", y);
      c.add("NumPy", python.loop("np.sum(x, axis=0, out=y)"));
    }
    c.measure();
  });
}

// How far sums of 1e7 numbers are from the sum of exact numbers, relative to it.
template <class T>
void errors(bench::program& p) {
  if (p.options().quick || !p.selected("errors of sums", type_name<T>)) return;
  std::size_t const n = 10'000'000;
  vec<T> x = vec<T>::from_shape({n});
  fill(x);
  // As exact as it gets: the rounding error of each addition of long doubles is added, too. (Neumaier)
  long double exact = 0, lost = 0;
  for (T v : x) {
    long double const next = exact + v;
    lost += (exact - next) + v;
    exact = next;
  }
  exact += lost;
  auto relative = [&](double s) { return bench::three_digits(std::abs(static_cast<double>((s - exact) / exact))); };
  T one_by_one = 0;
  for (T v : x) one_by_one += v;
  std::printf("\nrelative error of the sum of 1e7 numbers, %s: Kroton %s, by hand %s, one by one %s", type_name<T>,
              relative(kt::function([](kt::vector<T> v) { return sum(v); })(x)).c_str(),
              relative(hand::sum(x.data(), n)).c_str(), relative(one_by_one).c_str());
  if (bench::python::available()) {
    bench::python python;
    python.array("x", x);
    std::printf(", NumPy %s", relative(python.values("x.sum()")[0]).c_str());
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("reductions", "reductions: sums and statistics of vectors, rows and columns", argc, argv);
  vectors<double>(p);
  sums<double>(p);
  vectors<float>(p);
  sums<float>(p);
  int const status = p.finish();
  errors<double>(p);
  errors<float>(p);
  return status;
}
