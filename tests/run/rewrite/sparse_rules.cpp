// Rules of sparse matrices among dense ones: which ops are left, and that results are the same.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <sstream>

using namespace reference;

namespace {

constexpr auto on_pattern = [](kt::csr<double> a, kt::csc<double> c, kt::dmatrix u, kt::dmatrix v) {
  auto y = a * dot(u, v);
  auto z = c * dot(u, v);
  return std::tuple(y, z, grad(sum(sqr(y.data())), u), grad(sum(sqr(z.data())), v));
};
constexpr auto placed = [](kt::csr<double> a, kt::csc<double> c, kt::dmatrix x, kt::dvector v) {
  auto da = dense_from_sparse(a), dc = dense_from_sparse(c);
  return std::tuple(dot(da, x), dot(x, da), dot(dc, x), dot(x, dc), dot(da, v), dot(v, dc));
};
template <class F>
std::string steps_of(F const& f) {
  std::ostringstream out;
  kt::debugprint(f, out);
  std::string const text = out.str();
  return text.substr(text.find("\noptimized"));
}
bool has(std::string const& text, char const* op) { return text.find(op) != std::string::npos; }

kt::csr_array<double> const a(numbers<double>(5, 1), std::vector{0, 2, 1, 0, 3},
                              std::vector{0, 2, 2, 3, 5}, {4, 4});
kt::csc_array<double> const c(numbers<double>(4, 2), std::vector{3, 0, 1, 2},
                              std::vector{0, 1, 2, 2, 4}, {4, 4});

}  // namespace

TEST_CASE("rules: what is read of a product at the places of a pattern needs no product",
          "[sparse]") {
  auto fast = kt::function(on_pattern, kt::mode::fast_run);
  auto plain = kt::function(on_pattern, kt::mode::fast_run.excluding<"sparse">());
  CHECK_FALSE((has(steps_of(fast), " dot ") || has(steps_of(fast), "inc_take")));
  CHECK(has(steps_of(fast), "sampling"));
  CHECK(has(steps_of(plain), "inc_take"));
  mat<double> const u = matrix<double>(4, 3, 3), v = matrix<double>(3, 4, 4);
  auto const [y, z, by_u, by_v] = fast(a, c, u, v);
  auto const [y2, z2, by_u2, by_v2] = plain(a, c, u, v);
  CHECK(mismatch(y.data(), [&](auto k) { return y2.data()(k); }, 1e-14, 1e-15) == "");
  CHECK(mismatch(z.data(), [&](auto k) { return z2.data()(k); }, 1e-14, 1e-15) == "");
  CHECK(mismatch(by_u, [&](auto i, auto j) { return by_u2(i, j); }, 1e-14, 1e-15) == "");
  CHECK(mismatch(by_v, [&](auto i, auto j) { return by_v2(i, j); }, 1e-14, 1e-15) == "");
}

TEST_CASE("rules: a product with a matrix that is dense again is that of the sparse one",
          "[sparse]") {
  auto f = kt::function(placed, kt::mode::fast_run);
  CHECK_FALSE((has(steps_of(f), " dot ") || has(steps_of(f), "inc_take")));
  mat<double> const x = matrix<double>(4, 4, 5);
  vec<double> const v = numbers<double>(4, 6);
  auto const da = a.to_dense(), dc = c.to_dense();
  auto const product = [](auto const& m, auto const& n) {
    return [&](auto i, auto j) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += m(i, k) * n(k, j);
      return sum;
    };
  };
  auto const [ax, xa, cx, xc, av, vc] = f(a, c, x, v);
  CHECK(mismatch(ax, product(da, x), 1e-14, 1e-15) == "");
  CHECK(mismatch(xa, product(x, da), 1e-14, 1e-15) == "");
  CHECK(mismatch(cx, product(dc, x), 1e-14, 1e-15) == "");
  CHECK(mismatch(xc, product(x, dc), 1e-14, 1e-15) == "");
  auto const with_v = [&](auto const& at) {
    return [&](auto i) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += at(i, k) * v(k);
      return sum;
    };
  };
  CHECK(mismatch(av, with_v([&](auto i, auto k) { return da(i, k); }), 1e-14, 1e-15) == "");
  CHECK(mismatch(vc, with_v([&](auto i, auto k) { return dc(k, i); }), 1e-14, 1e-15) == "");
}
