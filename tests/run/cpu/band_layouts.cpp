// Matrices that a band lays out anew: by columns where rows are narrow, by rows where they are
// views of columns.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <sstream>

using namespace reference;

namespace {

template <class T>
struct expected {
  mat<double> soft, normal;
  vec<double> variance, by_scale;

  /// Softmax of z * scale, rows of z with mean 0 and variance 1, their variances, and the gradient
  /// of the sum of the squares of the softmax by the scale.
  expected(mat<T> const& z, vec<T> const& scale)
      : soft(xt::zeros<double>(z.shape())),
        normal(soft),
        variance(xt::zeros<double>({z.shape(0)})),
        by_scale(xt::zeros<double>({z.shape(1)})) {
    std::size_t const d = z.shape(1);
    auto const columns = static_cast<double>(d);
    for (std::size_t i = 0; i < z.shape(0); ++i) {
      double most = -1e300, total = 0, mean = 0, squares = 0;
      auto const at = [&](std::size_t j) { return static_cast<double>(z(i, j)); };
      auto const scaled = [&](std::size_t j) { return at(j) * static_cast<double>(scale(j)); };
      for (std::size_t j = 0; j < d; ++j) most = std::max(most, scaled(j)), mean += at(j) / columns;
      for (std::size_t j = 0; j < d; ++j) total += std::exp(scaled(j) - most);
      for (std::size_t j = 0; j < d; ++j) {
        soft(i, j) = std::exp(scaled(j) - most) / total;
        squares += soft(i, j) * soft(i, j);
        variance(i) += (at(j) - mean) * (at(j) - mean) / columns;
      }
      for (std::size_t j = 0; j < d; ++j) {
        normal(i, j) = (at(j) - mean) / std::sqrt(variance(i) + 1e-3);
        by_scale(j) += 2 * soft(i, j) * (soft(i, j) - squares) * at(j);
      }
    }
  }
};

constexpr auto normalizations = [](auto z, auto scale) {
  auto const s = softmax(z * scale);
  auto const centred = z - mean(z, kt::axis<1>, kt::keepdims);
  auto const v = mean(sqr(centred), kt::axis<1>, kt::keepdims);
  return std::tuple(s, centred / sqrt(v + 1e-3), v(kt::slice(), 0), grad(sum(sqr(s)), scale));
};

template <class T, class F, class Z>
void check(F const& f, Z const& given, mat<T> const& z, vec<T> const& scale) {
  INFO(z.shape(0) << " rows of " << z.shape(1));
  expected<T> const wanted(z, scale);
  double const within = sizeof(T) == 4 ? 1e-4 : 1e-11;
  auto const close = [&](auto const& x, auto const& y) {
    return xt::allclose(xt::cast<double>(x), y, within, within);
  };
  for (int call = 0; call < 2; ++call) {
    auto const [soft, normal, variance, by_scale] = f(given, scale);
    CHECK(close(soft, wanted.soft));
    CHECK(close(normal, wanted.normal));
    CHECK(close(variance, wanted.variance));
    CHECK(close(by_scale, wanted.by_scale));
  }
}

template <class T>
void check_all() {
  auto const f = kt::function(
      [](kt::variable<T, 2> z, kt::variable<T, 1> scale) { return normalizations(z, scale); });
  auto const of_columns = kt::function([](kt::variable<T, 2> z, kt::variable<T, 1> scale) {
    return normalizations(z.T(), scale);
  });
  for (std::size_t d : {1u, 2u, 3u, 4u, 7u, 8u, 20u})
    for (std::size_t n : {0u, 1u, 63u, 64u, 101u, 5003u}) {
      mat<T> z(std::array{n, d});
      vec<T> scale(std::array{d});
      int k = 0;
      for (T& each : z) each = static_cast<T>(std::sin(0.7 * ++k));
      for (T& each : scale) each = static_cast<T>(1 + std::cos(0.3 * ++k));
      check<T>(f, z, z, scale);
      check<T>(of_columns, mat<T>(xt::transpose(z)), z, scale);
      xt::xtensor<T, 2, xt::layout_type::column_major> const by_columns = z;
      check<T>(f, by_columns, z, scale);
    }
}

}  // namespace

TEST_CASE("rows are normalized alike, however narrow they are and however they lie") {
  check_all<double>();
  check_all<float>();
}

TEST_CASE("narrow rows are normalized in place, in columns, and in a shared variable") {
  std::size_t const n = 9001, d = 3;
  mat<double> z(std::array{n, d});
  for (std::size_t i = 0; i < z.size(); ++i) z.flat(i) = std::sin(0.7 * static_cast<double>(i));
  mat<double> const wanted = expected<double>(z, vec<double>{1, 1, 1}).soft;
  auto const close = [&](auto const& found) { return xt::allclose(found, wanted, 1e-12, 1e-12); };
  auto const f = kt::function([](kt::dmatrix z) { return softmax(z); });
  auto const goes_by_columns = [&](std::size_t n, std::size_t d) {
    std::ostringstream plan;
    kt::debugprint(f, plan, kt::shape(n, d));
    return plan.str().find("by columns") != std::string::npos;
  };
  if constexpr (runs_compiled) CHECK(goes_by_columns(n, d));
  CHECK(!goes_by_columns(63, d));
  CHECK(!goes_by_columns(n, 8));
  xt::xtensor<double, 2, xt::layout_type::column_major> columns(std::array{n, d});
  f.into(columns, z);
  CHECK(close(columns));
  kt::shared weights(z);
  auto const update = kt::function(
      [](kt::dmatrix w) { return kt::outputs(sum(w)).update(w, softmax(w)); }, weights);
  (void)update();
  CHECK(close(weights.get_value()));
  mat<double> x = z;
  f.into(x, x);
  CHECK(close(x));
  x = f(std::move(z));
  CHECK(close(x));
}
