// The same formula over a matrix and over its transpose is computed once, whichever vectors go
// along rows or columns.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <cmath>
#include <string_view>

using namespace reference;

namespace {

int count(kt::graph const& g, std::string_view op) {
  int found = 0;
  for (int id = 0; id < g.size(); ++id) found += g[id].op->name == op ? 1 : 0;
  return found;
}
/// What the optimizer makes of a function of matrices, followed by vectors.
template <int Matrices, int Vectors, class F>
kt::graph optimized(F const& f) {
  kt::runtime::graph g;
  [&]<std::size_t... M, std::size_t... V>(std::index_sequence<M...>, std::index_sequence<V...>) {
    auto results = f(g.input<double, 2>("m" + std::to_string(M))...,
                     g.input<double, 1>("v" + std::to_string(V))...);
    std::apply([&](auto const&... each) { (g.recording().results().push_back(each.id), ...); },
               results);
  }(std::make_index_sequence<Matrices>{}, std::make_index_sequence<Vectors>{});
  return kt::optimize(g.recording(), kt::stage::specialize);
}
mat<double> numbers(std::size_t n, std::size_t d, double shift) {
  mat<double> x(std::array<std::size_t, 2>{n, d});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.flat(i) = shift + std::sin(double(i * 7919 % 10'007));
  return x;
}

/// Columns with mean 0 and variance 1, scaled and shifted, in rows of the transpose and as it is.
constexpr auto normalized_rows = [](auto x, auto scale, auto shift) {
  auto t = x.T();
  auto d = t - mean(t, kt::axis<1>, kt::keepdims);
  return (d / sqrt(mean(sqr(d), kt::axis<1>, kt::keepdims) + 0.1)).T() * scale + shift;
};
constexpr auto normalized_columns = [](auto x, auto scale, auto shift) {
  auto d = x - mean(x, kt::axis<0>);
  return d / sqrt(mean(sqr(d), kt::axis<0>) + 0.1) * scale + shift;
};
template <auto Normalized>
constexpr auto normalization = [](auto x, auto w, auto scale, auto shift) {
  auto value = sum(w * tanh(Normalized(x, scale, shift)));
  auto [by_x, by_scale, by_shift] = grad(value, x, scale, shift);
  return std::tuple(value, by_x, by_scale, by_shift);
};
template <auto Normalized>
constexpr auto typed_normalization =
    [](kt::dmatrix x, kt::dmatrix w, kt::dvector scale, kt::dvector shift) {
      return normalization<Normalized>(x, w, scale, shift);
    };

/// The cross-entropy of pairs of rows by the cosines of all pairs.
constexpr auto contrast = [](auto a, auto b) {
  auto u = a / sqrt(sum(sqr(a), kt::axis<1>, kt::keepdims)),
       v = b / sqrt(sum(sqr(b), kt::axis<1>, kt::keepdims));
  auto value = -mean(diag(log_softmax(dot(u, v.T()) / 0.5)));
  auto [by_a, by_b] = grad(value, a, b);
  return std::tuple(value, by_a, by_b);
};
double contrast_by_hand(mat<double> const& a, mat<double> const& b) {
  std::size_t const n = a.shape(0), d = a.shape(1);
  double result = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double all = 0, own = 0;
    for (std::size_t j = 0; j < n; ++j) {
      double ab = 0, aa = 0, bb = 0;
      for (std::size_t k = 0; k < d; ++k) {
        ab += a(i, k) * b(j, k);
        aa += a(i, k) * a(i, k);
        bb += b(j, k) * b(j, k);
      }
      double const cosine = ab / std::sqrt(aa * bb) / 0.5;
      all += std::exp(cosine);
      if (i == j) own = cosine;
    }
    result += std::log(all) - own;
  }
  return result / static_cast<double>(n);
}

/// Attention of queries to keys, with its gradients.
constexpr auto attention = [](auto q, auto k, auto v) {
  auto value = sum(sqr(dot(softmax(dot(q, k.T())), v)));
  auto [by_q, by_k, by_v] = grad(value, q, k, v);
  return std::tuple(value, by_q, by_k, by_v);
};
double attention_by_hand(mat<double> const& q, mat<double> const& k, mat<double> const& v) {
  double result = 0;
  for (std::size_t i = 0; i < q.shape(0); ++i) {
    std::vector<double> to(v.shape(1), 0.);
    double all = 0;
    for (std::size_t j = 0; j < k.shape(0); ++j) {
      double e = 0;
      for (std::size_t c = 0; c < q.shape(1); ++c) e += q(i, c) * k(j, c);
      all += std::exp(e);
      for (std::size_t c = 0; c < to.size(); ++c) to[c] += std::exp(e) * v(j, c);
    }
    for (double t : to) result += t * t / (all * all);
  }
  return result;
}
/// Compares a gradient with central differences of a function of one matrix.
template <class F>
void check_gradient(mat<double> const& gradient, mat<double> x, F const& value) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    double const at = x.flat(i), h = 1e-5;
    x.flat(i) = at + h;
    double const above = value(x);
    x.flat(i) = at - h;
    double const below = value(x);
    x.flat(i) = at;
    CHECK(std::abs(gradient.flat(i) - (above - below) / (2 * h)) < 1e-7);
  }
}

/// The sums along rows, and the transpose, of one exponential.
constexpr auto exponentials = [](auto x, auto u, auto v) {
  auto column = [](auto y) { return kt::dimshuffle<0, 'x'>(y); };
  return std::tuple(sum(exp(x * u - 10 * column(v)), kt::axis<1>), exp(x.T() * column(u) - 10 * v));
};

}  // namespace

TEST_CASE("transposes: reductions go back to the axes of the matrix", "[rewrite]") {
  for (kt::graph const& g : {optimized<2, 2>(normalization<normalized_rows>),
                             optimized<2, 2>(normalization<normalized_columns>)}) {
    CHECK(count(g, "dimshuffle") == 0);
    CHECK(count(g, "sech2") + count(g, "tanh") == 1);
  }
  auto const rows = kt::function(typed_normalization<normalized_rows>);
  auto const columns = kt::function(typed_normalization<normalized_columns>);
  for (std::size_t n : {2, 5, 40})
    for (std::size_t d : {1, 3, 17}) {
      CAPTURE(n, d);
      mat<double> const x = numbers(n, d, 0.3), w = numbers(n, d, -0.2);
      vec<double> const scale = xt::linspace<double>(0.5, 1.5, d),
                        shift = xt::linspace<double>(-1, 1, d);
      auto const [value, by_x, by_scale, by_shift] = rows(x, w, scale, shift);
      auto const [value2, by_x2, by_scale2, by_shift2] = columns(x, w, scale, shift);
      CHECK(value == Approx(value2).epsilon(1e-12));
      CHECK((xt::allclose(by_x, by_x2, 1e-11, 1e-11)));
      CHECK((xt::allclose(by_scale, by_scale2, 1e-11, 1e-11)));
      CHECK((xt::allclose(by_shift, by_shift2, 1e-11, 1e-11)));
      if (n * d > 60) continue;
      check_gradient(by_x, x, [&](mat<double> const& at) {
        return double(std::get<0>(rows(at, w, scale, shift)));
      });
    }
}

TEST_CASE("transposes: a softmax is not computed again for its transpose", "[rewrite]") {
  CHECK(count(optimized<2, 0>(contrast), "exp") == 1);
  CHECK(count(optimized<3, 0>(attention), "exp") == 1);
  auto const cosines = kt::function([](kt::dmatrix a, kt::dmatrix b) { return contrast(a, b); });
  auto const attend =
      kt::function([](kt::dmatrix q, kt::dmatrix k, kt::dmatrix v) { return attention(q, k, v); });
  for (std::size_t n : {1, 2, 9})
    for (std::size_t d : {1, 4}) {
      CAPTURE(n, d);
      mat<double> const a = numbers(n, d, 0.4), b = numbers(n, d, -0.7), v = numbers(n, 3, 0.1);
      auto const [value, by_a, by_b] = cosines(a, b);
      CHECK(value == Approx(contrast_by_hand(a, b)).epsilon(1e-12));
      check_gradient(by_a, a, [&](mat<double> const& at) { return contrast_by_hand(at, b); });
      check_gradient(by_b, b, [&](mat<double> const& at) { return contrast_by_hand(a, at); });
      auto const [sums, by_q, by_k, by_v] = attend(a, b, v);
      CHECK(sums == Approx(attention_by_hand(a, b, v)).epsilon(1e-12));
      check_gradient(by_q, a, [&](mat<double> const& at) { return attention_by_hand(at, b, v); });
      check_gradient(by_k, b, [&](mat<double> const& at) { return attention_by_hand(a, at, v); });
      check_gradient(by_v, v, [&](mat<double> const& at) { return attention_by_hand(a, b, at); });
    }
}

TEST_CASE("transposes: vectors along either axis, of the matrix and of its transpose",
          "[rewrite]") {
  CHECK(count(optimized<1, 2>(exponentials), "exp") == 1);
  auto const f = kt::function(
      [](kt::dmatrix x, kt::dvector u, kt::dvector v) { return exponentials(x, u, v); });
  mat<double> const x = numbers(4, 3, 0.2);
  vec<double> const u = xt::linspace<double>(-1, 1, 3), v = xt::linspace<double>(0, 0.3, 4);
  auto const results = f(x, u, v);
  vec<double> const sums = std::get<0>(results);
  mat<double> const elements = std::get<1>(results);
  for (std::size_t i = 0; i < 4; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      double const e = std::exp(x(i, j) * u(j) - 10 * v(i));
      expected += e;
      CHECK(elements(j, i) == Approx(e).epsilon(1e-13));
    }
    CHECK(sums(i) == Approx(expected).epsilon(1e-13));
  }
}
