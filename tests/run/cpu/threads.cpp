// Loops that are long enough to be shared among threads, where the build has OpenMP, against plain ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/kroton.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kt = kroton;

namespace {

constexpr std::size_t rows = 301, columns = 1003;  // no multiples of anything
xt::xtensor<double, 2> sample() {
  xt::xtensor<double, 2> x({rows, columns});
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = std::sin(static_cast<double>(i));
  return x;
}

}  // namespace

TEST_CASE("threads: elementwise loops over one long row and over rows", "[threads]") {
  auto const x = sample();
  auto f = kt::function([](kt::dmatrix a, kt::dvector b) { return 2 * a + b; });
  auto b = xt::xtensor<double, 1>::from_shape({columns});
  for (std::size_t j = 0; j < columns; ++j) b(j) = static_cast<double>(j);
  auto const y = f(x, b);
  auto g = kt::function([](kt::dmatrix a) { return a * a + 1; });
  auto const z = g(x);
  bool equal = true;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      equal = equal && std::abs(y(i, j) - (2 * x(i, j) + b(j))) < 1e-12 && std::abs(z(i, j) - (x(i, j) * x(i, j) + 1)) < 1e-12;
  CHECK(equal);
}

TEST_CASE("threads: reductions of rows, of columns and of everything", "[threads]") {
  auto const x = sample();
  auto f = kt::function([](kt::dmatrix a) {
    return kt::outputs(sum(a * a), max(a), sum(a * a, kt::axis<0>), sum(a * a, kt::axis<1>), a + 1);
  });
  auto const [total, most, by_column, by_row, next] = f(x);
  double expected = 0, largest = -2;
  xt::xtensor<double, 1> c = xt::zeros<double>({columns}), r = xt::zeros<double>({rows});
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      double const square = x(i, j) * x(i, j);
      expected += square;
      c(j) += square;
      r(i) += square;
      largest = std::max(largest, x(i, j));
    }
  CHECK(std::abs(total - expected) < 1e-8);
  CHECK(most == largest);
  CHECK(xt::allclose(by_column, c, 1e-12, 1e-12));
  CHECK(xt::allclose(by_row, r, 1e-12, 1e-12));
  CHECK(next(rows - 1, columns - 1) == x(rows - 1, columns - 1) + 1);
  // The parts are combined in the threads' order: the same bits each time.
  for (int i = 0; i < 5; ++i) CHECK(std::get<0>(f(x)) == total);
}

TEST_CASE("threads: a float sum accumulates in double, an integer one in int64", "[threads]") {
  xt::xtensor<float, 1> x = xt::ones<float>({300001}) * 0.1f;
  auto f = kt::function([](kt::fvector a) { return sum(a); });
  CHECK(f(x) == Approx(300001 * static_cast<double>(0.1f)).epsilon(1e-6));
  xt::xtensor<std::int64_t, 1> n = xt::arange<std::int64_t>(300001);
  auto g = kt::function([](kt::lvector a) { return kt::outputs(sum(a), a + 1); });
  auto const [total, next] = g(n);
  CHECK(total == std::int64_t{300000} * 300001 / 2);
  CHECK(next(300000) == 300001);
}

TEST_CASE("threads: a float sum of few elements that take long", "[threads]") {
  // So few are not widened, and yet a loop of so many costly ops may be shared.
  auto f = kt::function([](kt::fvector x) {
    for (int k = 0; k < 110; ++k) x = sin(x) + 0.5f;
    return sum(x);
  });
  auto x = xt::xtensor<float, 1>::from_shape({250});
  double expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    float v = x(i) = 0.01f * static_cast<float>(i);
    for (int k = 0; k < 110; ++k) v = std::sin(v) + 0.5f;
    expected += static_cast<double>(v);
  }
  CHECK(static_cast<double>(f(x)) == Approx(expected).epsilon(1e-5));
}

TEST_CASE("threads: strided operands, and a column of one element a row", "[threads]") {
  auto const x = sample();
  auto f = kt::function([](kt::dmatrix a) { return kt::outputs(2 * a.T() + 1, sum(a.T(), kt::axis<0>)); });
  auto const [y, s] = f(x);
  bool equal = true;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) equal = equal && y(j, i) == 2 * x(i, j) + 1;
  CHECK(equal);
  CHECK(s.shape()[0] == rows);
  xt::xtensor<double, 2> tall = xt::ones<double>({200003, 1});
  auto g = kt::function([](kt::dmatrix a, kt::dcol b) { return kt::outputs(a + b, sum(a, kt::axis<1>), sum(a, kt::axis<0>)); });
  auto const [p, by_row, by_column] = g(tall, tall);
  CHECK(p(200002, 0) == 2);
  CHECK(by_row(200002) == 1);
  CHECK(by_column(0) == 200003);
}

#ifdef _OPENMP
TEST_CASE("threads: the last part of a streamed row is shorter than what stands before it is aligned", "[threads]") {
  auto const f = kt::function([](kt::dmatrix a, kt::dcol c) { return 1 / (a + c); });
  std::size_t const m = 63, n = 62 * 384 + 5;
  xt::xtensor<double, 2> const a(std::array<std::size_t, 2>{m, n}, 1.5);
  xt::xtensor<double, 2> c(std::array<std::size_t, 2>{m, 1});
  for (std::size_t i = 0; i < m; ++i) c(i, 0) = static_cast<double>(i);
  int const threads = omp_get_max_threads();
  omp_set_num_threads(64);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<double> memory(m * n + 32, -7);
    std::size_t const begin = (8 - reinterpret_cast<std::uintptr_t>(memory.data()) / 8 % 8) % 8 + shift;
    std::vector<std::size_t> const shape{m, n};
    auto to = xt::adapt(memory.data() + begin, m * n, xt::no_ownership(), shape);
    f.into(to, a, c);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      bool const inside = i >= begin && i < begin + m * n;
      wrong += memory[i] != (inside ? 1 / (1.5 + static_cast<double>((i - begin) / n)) : -7);
    }
    INFO(shift);
    CHECK(wrong == 0);
  }
  omp_set_num_threads(threads);
}
#endif
