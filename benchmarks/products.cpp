// Chains of products in the order chosen for their extents against the order as written, and products with extents of one
// against gemm.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/blas.hpp"
#include "harness/contest.hpp"

#include <kroton/kroton.hpp>

namespace kt = kroton;
using matrix = xt::xtensor<double, 2>;

namespace {

constexpr auto chain = [](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) { return dot(dot(a, b), c); };
constexpr auto chain_from_right = [](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) { return dot(a, dot(b, c)); };
constexpr auto accumulated = [](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c, kt::dmatrix d) {
  return 2 * dot(dot(a, b), c) - 3 * d;
};
constexpr auto single = [](kt::dmatrix a, kt::dmatrix b) { return dot(a, b); };

constexpr auto as_written = kt::mode::fast_run.excluding<"chains">();

bench::unit const microseconds{"us a call", 1e6, false};

matrix filled(std::size_t rows, std::size_t columns) {
  matrix m = matrix::from_shape({rows, columns});
  for (std::size_t i = 0; i < m.size(); ++i) m.flat(i) = std::sin(static_cast<double>(i));
  return m;
}

template <class F, class... A>
void order(bench::program& p, std::string const& column, F const&, A const&... arguments) {
  bench::contest c(p, "chains of products", microseconds, column, 1);
  if (!c) return;
  matrix out;
  auto f = kt::function(F{});
  auto g = kt::function(F{}, as_written);
  g.into(out, arguments...);
  c.output(out).tolerance(1e-10);
  c.add("as written", [&] { g.into(out, arguments...); });
  c.add("Kroton", [&] { f.into(out, arguments...); });
  c.measure();
}

void product(bench::program& p, std::size_t m, std::size_t k, std::size_t n) {
  auto text = [](std::size_t a, std::size_t b) { return std::to_string(a) + "x" + std::to_string(b); };
  bench::contest c(p, "products with extents of one", microseconds, text(m, k) + " . " + text(k, n), 1);
  if (!c) return;
  matrix const a = filled(m, k), b = filled(k, n);
  matrix out = filled(m, n);
  auto f = kt::function(single);
  c.output(out).tolerance(1e-10);
  c.add("gemm", [&] {
    hand::gemm(CblasNoTrans, CblasNoTrans, hand::extent(m), hand::extent(n), hand::extent(k), 1.0, a.data(), hand::extent(k),
               b.data(), hand::extent(n), 0.0, out.data(), hand::extent(n));
  });
  if (m == 1 || n == 1)
    c.add("by hand, gemv", [&] {
      if (m == 1)
        hand::product(m, n, k, 1.0, a.data(), b.data(), 0.0, out.data());
      else
        hand::gemv(CblasNoTrans, hand::extent(m), hand::extent(k), 1.0, a.data(), b.data(), 0.0, out.data());
    });
  c.add("Kroton", [&] { f.into(out, a, b); });
  c.measure();
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("products", "products: chains of matrix products, and products of vectors", argc, argv);
  matrix const wide = filled(10, 1000), tall = filled(1000, 10), square = filled(300, 300), column = filled(300, 1),
               tiny = filled(2, 2);
  order(p, "(A B) C, 10x1000, 1000x10, 10x1000", chain, wide, tall, wide);
  order(p, "A (B C), 10x1000, 1000x10, 10x1000", chain_from_right, wide, tall, wide);
  order(p, "(A B) C, 1000x10, 10x1000, 1000x10", chain, tall, wide, tall);
  order(p, "(A B) C, 300x300, 300x300, 300x1", chain, square, square, column);
  order(p, "(A B) C, all 300x300", chain, square, square, square);
  order(p, "2 (A B) C - 3 D, all 300x300", accumulated, square, square, square, square);
  order(p, "(A B) C, all 2x2", chain, tiny, tiny, tiny);
  product(p, 1, 1000, 1000);
  product(p, 1000, 1, 1000);
  product(p, 300, 300, 1);
  product(p, 1, 1000, 1);
  return p.finish();
}
