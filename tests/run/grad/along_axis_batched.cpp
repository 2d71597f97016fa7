// Positions, running sums and products, shifts and sorting of slices under vmap, and in Jacobians: one op along an axis, not one a slice.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>

using namespace reference;

namespace {

using stack = xt::xtensor<double, 3>;
stack slices() {
  stack x(std::array<std::size_t, 3>{3, 4, 5});
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = 0.25 + static_cast<double>(i * i % 13) / 8 + static_cast<double>(i % 7) / 64;
  return x;
}

template <class F>
bool works_each(F const& f) {
  kt::graph const g = kt::graph_of(f);
  for (int id = 0; id < g.size(); ++id)
    if (g[id].op->name.starts_with("each ")) return true;
  return false;
}

/// The same of slices along an axis of all of them, and of each slice alone.
template <class T, class Mapped, class One>
void check(Mapped const& mapped, One const& one) {
  CHECK(!works_each(mapped));
  stack const x = slices();
  auto const f = kt::function(mapped);
  auto const g = kt::function(one);
  auto const all = f(x);
  for (std::size_t s = 0; s < 3; ++s) {
    mat<double> const slice = xt::view(x, s);
    auto const alone = g(slice);
    REQUIRE(xt::allclose(xt::view(all, s), alone, 1e-14, 1e-15));
  }
}

constexpr auto cost = [](kt::dvector v) { return sum(cumprod(v) * cumsum(sqr(v))); };

}  // namespace

#define KROTON_CHECK_ALONG(T, ...)                                                 \
  check<T>([](kt::tensor3<double> x) { return kt::vmap<0>(__VA_ARGS__)(x); }, __VA_ARGS__)

TEST_CASE("what goes along an axis of a slice goes along that of all slices") {
  KROTON_CHECK_ALONG(std::int64_t, [](kt::dmatrix x) { return argmax(x, kt::axis<0>); });
  KROTON_CHECK_ALONG(std::int64_t, [](kt::dmatrix x) { return argmin(x, kt::axis<1>); });
  KROTON_CHECK_ALONG(double, [](kt::dmatrix x) { return cumsum(x, kt::axis<0>); });
  KROTON_CHECK_ALONG(double, [](kt::dmatrix x) { return cumprod(x, kt::axis<1>); });
  KROTON_CHECK_ALONG(double, [](kt::dmatrix x) { return sort(x, kt::axis<0>); });
  KROTON_CHECK_ALONG(std::int64_t, [](kt::dmatrix x) { return argsort(x, kt::axis<1>); });
  // Two batch axes of vectors
  KROTON_CHECK_ALONG(std::int64_t, [](kt::dmatrix x) { return kt::vmap<0>([](kt::dvector v) { return argmax(v); })(x); });
  KROTON_CHECK_ALONG(double, [](kt::dmatrix x) { return kt::vmap<0>([](kt::dvector v) { return std::get<0>(topk(v, 2)); })(x); });
}

TEST_CASE("Jacobians of running sums and products of slices") {
  auto const f = kt::function([](kt::dmatrix x) { return kt::jacobian(kt::vmap<0>(cost)(x), x); });
  auto const g = kt::function([](kt::dvector v) { return grad(cost(v), v); });
  mat<double> const x = xt::view(slices(), 0);
  auto const all = f(x);
  for (std::size_t s = 0; s < 4; ++s) {
    vec<double> const row = xt::view(x, s), alone = g(row);
    for (std::size_t t = 0; t < 4; ++t)
      for (std::size_t j = 0; j < 5; ++j)
        CHECK(all(s, t, j) == Approx(s == t ? alone(j) : 0).epsilon(1e-13).margin(1e-14));
  }
}
