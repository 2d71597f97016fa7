// Matrices that are gone through some rows at a time: values are those of the whole, whatever is gathered, overwritten or refused.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/direct.hpp"

#include <kroton/cpu/call/bands/bands.hpp>

#include <numeric>

using namespace reference;

namespace {

// Rows and columns beyond what goes in one part, and a last part of its own size.
constexpr std::size_t rows = 531, columns = 263;

/// How many bands a function of no shared variables has.
template <class F>
constexpr std::size_t bands_of(F const&) {
  using program = kt::cpu::traced_program<F, std::remove_const_t<decltype(kt::mode::fast_run)>, 0, kt::core::parameters_of<F>>;
  return program::bands.size();
}
template <class T>
constexpr double bound = std::is_same_v<T, double> ? 1e-13 : 2e-6;

/// The rows of a result are those of the function of each row.
template <class F, class T>
void check_by_rows(F const& f, mat<T> const& x) {
  mat<T> const whole = f(x);
  REQUIRE(whole.shape() == x.shape());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.shape(0); ++i) {
    mat<T> const one = f(mat<T>(xt::view(x, xt::range(i, i + 1), xt::all())));
    for (std::size_t j = 0; j < x.shape(1); ++j) wrong += close(whole(i, j), one(0, j), bound<T>, bound<T>) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

template <class T>
void check_normalizations() {
  using M = kt::matrix<T>;
  auto const x = matrix<T>(rows, columns, 1, -2, 2);
  check_by_rows(kt::function([](M m) { return softmax(m); }), x);
  check_by_rows(kt::function([](M m) { return log_softmax(m); }), x);
  check_by_rows(kt::function([](M m) {
    auto const centred = m - mean(m, kt::axis<1>, kt::keepdims);
    return centred / sqrt(var(m, kt::axis<1>, kt::keepdims) + 1e-3);
  }), x);
}
TEST_CASE("rows are normalized in bands as row by row") {
  static_assert(bands_of([](kt::dmatrix m) { return softmax(m); }) == 1);
  check_normalizations<double>();
  check_normalizations<float>();
}

/// A function's results past the frame are those in it, which takes what lies in columns.
template <class T, class F>
void check_past_frame(F const& formula) {
  auto const past_frame = kt::function(formula), in_frame = kt::function(formula);
  direct::check_direct(past_frame);
  for (auto [n, m] : {std::pair<std::size_t, std::size_t>{0, 5}, {1, 1}, {3, 7}, {40, 40}, {63, 3}, {257, 8}, {1000, 9}, {rows, columns}, {20, 9000}, {3, 16000}}) {
    CAPTURE(n, m);
    mat<T> const x = matrix<T>(n, m, static_cast<unsigned>(n), -2, 2), turned = xt::transpose(x);
    vec<T> const scale = numbers<T>(m);
    auto const got = past_frame(x, scale), expected = in_frame(xt::transpose(turned), scale);
    auto const same = [](auto const& y, auto const& z) {
      return mismatch(y, [&](auto... i) { return z(i...); }, 100 * bound<T>, 100 * bound<T>);
    };
    CHECK(same(std::get<0>(got), std::get<0>(expected)) == "");
    CHECK(same(std::get<1>(got), std::get<1>(expected)) == "");
  }
  direct::check_past_frame(past_frame);
  direct::check_in_frame(in_frame);
  CHECK_THROWS_AS(past_frame(matrix<T>(500, 100), numbers<T>(99)), kt::shape_error);
}
TEMPLATE_TEST_CASE("bands past the frame are those in it", "", float, double) {
  using T = TestType;
  using M = kt::matrix<T>;
  using V = kt::vector<T>;
  check_past_frame<T>([](M m, V scale) {
    auto const centred = m - mean(m, kt::axis<1>, kt::keepdims);
    return std::tuple(centred / sqrt(var(m, kt::axis<1>, kt::keepdims) + 1e-3) * scale + 1, exp(scale));
  });
  check_past_frame<T>([](M m, V scale) { return std::tuple(log_softmax(m * scale), max(m * scale, kt::axis<1>)); });
}

TEMPLATE_TEST_CASE("a loss past the frame is that in it, and gathers all rows", "", float, double) {
  using T = TestType;
  auto const loss = [](kt::matrix<T> x, kt::lvector labels) {
    auto cost = mean(categorical_crossentropy(softmax(x), labels));
    return std::tuple(cost, grad(cost, x));
  };
  auto const past_frame = kt::function(loss), in_frame = kt::function(loss);
  direct::check_direct(past_frame);
  for (auto [n, m] : {std::pair<std::size_t, std::size_t>{1, 1}, {3, 7}, {40, 40}, {63, 3}, {257, 8}, {1000, 9}, {rows, columns}, {20, 9000}, {16000, 8}}) {
    CAPTURE(n, m);
    mat<T> const x = matrix<T>(n, m, static_cast<unsigned>(n), -2, 2), turned = xt::transpose(x);
    xt::xtensor<std::int64_t, 1> labels = xt::xtensor<std::int64_t, 1>::from_shape({n});
    for (std::size_t i = 0; i < n; ++i) labels(i) = static_cast<std::int64_t>(i * 7 % m) - (i % 2 == 0 ? static_cast<std::int64_t>(m) : 0);
    auto const [cost, g] = past_frame(x, labels);
    auto const [expected, h] = in_frame(xt::transpose(turned), labels);
    CHECK(close(cost, expected, bound<T>));
    CHECK(mismatch(g, [&h = h](auto... i) { return h(i...); }, 10 * bound<T>, bound<T> / static_cast<double>(n)) == "");
    for (std::size_t i : {std::size_t{0}, n - 1}) {
      xt::xtensor<std::int64_t, 1> wrong = labels;
      wrong(i) = static_cast<std::int64_t>(m);
      CHECK_THROWS_AS(past_frame(x, wrong), kt::value_error);
    }
  }
  direct::check_past_frame(past_frame);
  direct::check_in_frame(in_frame);
  CHECK_THROWS_AS(past_frame(matrix<T>(5, 3), xt::xtensor<std::int64_t, 1>{1, 2}), kt::shape_error);
}

TEST_CASE("a view of all rows behind a band, and rows whose number the compiler knows") {
  auto const f = kt::function([](kt::dmatrix x, kt::dmatrix w) {
    auto const c = sum(exp(x), kt::axis<1>, kt::keepdims);
    auto const y = x / c;
    auto const t = sum(y);
    return std::tuple(y, maximum(w * t, c), t);
  });
  mat<double> x(std::array<std::size_t, 2>{1000, 64});
  for (std::size_t i = 0; i < 1000; ++i)
    for (std::size_t j = 0; j < 64; ++j) x(i, j) = static_cast<double>(i) * 1e-3;
  auto const [y, g, t] = f(x, mat<double>(xt::zeros<double>({1000, 3})));
  CHECK(mismatch(g, [](std::size_t i, std::size_t) { return 64 * std::exp(static_cast<double>(i) * 1e-3); }, 1e-13) == "");
  auto const h = kt::function([](kt::fixed<double, 4, 5000> m) {
    auto const s = sum(m, kt::axis<1>), v = s * s + 1;
    return std::tuple(m / v(kt::slice(), kt::newaxis), v);
  });
  xt::xtensor_fixed<double, xt::xshape<4, 5000>> ones;
  ones.fill(1);
  auto const [a, b] = h(ones);
  CHECK(mismatch(mat<double>(a), [](auto...) { return 1 / (5000. * 5000 + 1); }, 1e-15) == "");
  CHECK(mismatch(vec<double>(b), [](auto) { return 5000. * 5000 + 1; }) == "");
}

TEST_CASE("extents that change between calls, and none at all") {
  auto const f = kt::function([](kt::dmatrix m) { return softmax(m); });
  for (std::size_t m : {rows, std::size_t{1}, std::size_t{0}, std::size_t{3}, 2 * rows, rows}) {
    mat<double> const y = f(matrix<double>(m, columns));
    REQUIRE(y.shape(0) == m);
    for (std::size_t i = 0; i < m; ++i) {
      auto const row = xt::view(y, i, xt::all());
      CHECK(close(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12));
    }
  }
  CHECK(f(matrix<double>(rows, 0)).shape(0) == rows);
}

// A column's sum, and what is computed from all rows, next to what is computed from one.
template <class T>
void check_gathered() {
  using M = kt::matrix<T>;
  auto f = [](M x) {
    auto p = exp(x - max(x, kt::axis<1>, kt::keepdims));
    auto q = p / sum(p, kt::axis<1>, kt::keepdims);
    return std::tuple(q, sum(q, kt::axis<0>), max(q, kt::axis<0>), sum(q * x));
  };
  static_assert(bands_of(f) == 1);
  auto const x = matrix<T>(rows, columns, 3);
  auto const [q, sums, most, all] = kt::function(f)(x);
  std::vector<double> s(columns), m(columns);
  double total = 0;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      s[j] += static_cast<double>(q(i, j));
      m[j] = std::fmax(m[j], static_cast<double>(q(i, j)));
      total += static_cast<double>(q(i, j)) * static_cast<double>(x(i, j));
    }
  // Sums of floats accumulate in double, over all parts.
  double const last_place = std::is_same_v<T, float> ? 1.2e-7 : 1e-13;
  CHECK(mismatch(sums, [&](std::size_t j) { return s[j]; }, last_place) == "");
  CHECK(mismatch(most, [&](std::size_t j) { return m[j]; }) == "");
  CHECK(close(all, total, 4 * last_place));
}
TEST_CASE("what is gathered from all rows") {
  check_gathered<double>();
  check_gathered<float>();
}

template <class T>
void check_training() {
  auto step = [](kt::matrix<T> x, kt::vector<T> y, kt::vector<T> w, kt::scalar<T> b) {
    auto p = sigmoid(dot(x, w) + b);
    auto cost = mean(binary_crossentropy(p, y)) + 0.01 * sum(sqr(w));
    auto [gw, gb] = grad(cost, w, b);
    return kt::outputs(cost).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
  };
  mat<T> const x = matrix<T>(rows, columns, 5);
  vec<T> y = vec<T>::from_shape({rows});
  for (std::size_t i = 0; i < rows; ++i) y(i) = static_cast<T>(i % 3 == 0);
  kt::shared<T, 1> w(numbers<T>(columns, 7));
  kt::shared<T, 0> b(T(0.25));
  auto const f = kt::function(step, w, b);
  std::vector<double> rw(columns);
  for (std::size_t j = 0; j < columns; ++j) rw[j] = static_cast<double>(w.get_value()(j));
  double rb = 0.25;
  for (int repeat = 0; repeat < 3; ++repeat) {
    double const cost = static_cast<double>(f(x, y));
    double expected = 0, gb = 0;
    std::vector<double> g(columns);
    for (std::size_t i = 0; i < rows; ++i) {
      double z = rb;
      for (std::size_t j = 0; j < columns; ++j) z += static_cast<double>(x(i, j)) * rw[j];
      double const yi = static_cast<double>(y(i)), d = 1 / (1 + std::exp(-z)) - yi;
      expected += (std::fmax(z, 0) - yi * z + std::log1p(std::exp(-std::fabs(z)))) / rows;
      for (std::size_t j = 0; j < columns; ++j) g[j] += d * static_cast<double>(x(i, j)) / rows;
      gb += d / rows;
    }
    for (std::size_t j = 0; j < columns; ++j) {
      expected += 0.01 * rw[j] * rw[j];
      rw[j] -= 0.1 * (g[j] + 0.02 * rw[j]);
    }
    rb -= 0.1 * gb;
    CHECK(close(cost, expected, bound<T>));
    CHECK(mismatch(w.get_value(), [&](std::size_t j) { return rw[j]; }, bound<T>, bound<T>) == "");
    CHECK(close(b.get_value(), rb, bound<T>));
  }
}
TEST_CASE("a training step reads the weights that all rows need until the last one") {
  check_training<double>();
  check_training<float>();
}

TEST_CASE("a matrix is updated in place, row by row") {
  auto step = [](kt::dmatrix w) {
    auto d = w - max(w, kt::axis<1>, kt::keepdims);
    return kt::outputs(sum(d)).update(w, d / (1 + sum(abs(d), kt::axis<1>, kt::keepdims)));
  };
  mat<double> const x = matrix<double>(rows, columns, 9);
  kt::shared<double, 2> w(x);
  double const total = kt::function(step, w)();
  mat<double> const got = w.get_value();
  double expected = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    auto const row = xt::view(x, i, xt::all());
    double const most = *std::max_element(row.begin(), row.end());
    double below = 1;
    for (std::size_t j = 0; j < columns; ++j) below += std::fabs(x(i, j) - most);
    for (std::size_t j = 0; j < columns; ++j) {
      expected += x(i, j) - most;
      wrong += close(got(i, j), (x(i, j) - most) / below, 1e-12) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(close(total, expected, 1e-11));
}

// x.y for the rows of x, then the sum of what each row gives of all rows, which nothing in between may have changed.
TEST_CASE("products of rows and of columns, transposed and square") {
  auto both = [](kt::dmatrix x, kt::dvector v) {
    auto z = tanh(dot(x, v));
    return std::tuple(z, dot(x.T(), z), dot(z, x), dot(v, x.T()));
  };
  for (auto const n : {columns, rows}) {  // one of them a square
    mat<double> const x = matrix<double>(rows, n, 11);
    vec<double> const v = numbers<double>(n, 13, -0.1, 0.1);
    auto const [z, g, h, t] = kt::function(both)(x, v);
    std::vector<double> rz(rows), rg(n);
    for (std::size_t i = 0; i < rows; ++i) {
      double s = 0;
      for (std::size_t j = 0; j < n; ++j) s += x(i, j) * v(j);
      rz[i] = s;
      for (std::size_t j = 0; j < n; ++j) rg[j] += x(i, j) * std::tanh(s);
    }
    CHECK(mismatch(z, [&](std::size_t i) { return std::tanh(rz[i]); }, 0, 1e-12) == "");
    CHECK(mismatch(t, [&](std::size_t i) { return rz[i]; }, 0, 1e-12) == "");
    CHECK(mismatch(g, [&](std::size_t j) { return rg[j]; }, 0, 1e-10) == "");
    CHECK(mismatch(h, [&](std::size_t j) { return rg[j]; }, 0, 1e-10) == "");
  }
}

TEST_CASE("operands in any layout, and a target that is an argument") {
  auto const f = kt::function([](kt::dmatrix m) { return softmax(m); });
  mat<double> const x = matrix<double>(rows, columns);
  mat<double> const expected = f(x);
  mat<double> wide = matrix<double>(rows, 2 * columns, 17);
  auto part = xt::view(wide, xt::all(), xt::range(0, 2 * columns, 2));
  part = x;
  auto const same = [&](std::size_t i, std::size_t j) { return expected(i, j); };
  CHECK(mismatch(mat<double>(f(part)), same, 1e-14) == "");
  mat<double> const turned = xt::transpose(x);
  CHECK(mismatch(mat<double>(f(xt::transpose(turned))), same, 1e-14) == "");
  mat<double> own = x;
  f.into(own, own);
  CHECK(mismatch(own, same, 1e-14) == "");
}

TEST_CASE("labels: a loss with its gradient, and one out of range that changes nothing") {
  auto loss = [](kt::dmatrix x, kt::lvector labels, kt::dscalar count) {
    auto cost = mean(categorical_crossentropy(softmax(x), labels));
    return kt::outputs(cost, grad(cost, x)).update(count, count + cost);
  };
  kt::shared<double, 0> count(0.0);
  auto const f = kt::function(loss, count);
  mat<double> const x = matrix<double>(rows, columns, 19);
  xt::xtensor<std::int64_t, 1> labels = xt::xtensor<std::int64_t, 1>::from_shape({rows});
  for (std::size_t i = 0; i < rows; ++i) labels(i) = static_cast<std::int64_t>(i * 7 % columns);
  auto const [cost, g] = f(x, labels);
  double expected = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    double s = 0;
    for (std::size_t j = 0; j < columns; ++j) s += std::exp(x(i, j));
    expected += (std::log(s) - x(i, static_cast<std::size_t>(labels(i)))) / rows;
    for (std::size_t j = 0; j < columns; ++j) {
      double const one = static_cast<std::int64_t>(j) == labels(i) ? 1 : 0;
      wrong += close(g(i, j), (std::exp(x(i, j)) / s - one) / rows, 1e-12, 1e-16) ? 0 : 1;
    }
  }
  CHECK(close(cost, expected, 1e-12));
  CHECK(wrong == 0);
  double const before = count.get_value();
  labels(rows - 1) = columns;
  CHECK_THROWS_AS(f(x, labels), kt::value_error);
  CHECK(count.get_value() == before);
  labels(rows - 1) = 0;
  f(x, labels);  // what the walk moved lies where it did
  CHECK(count.get_value() > before);
}

// All rows are equal, and so are those of the result, unless one is read after it was overwritten.
TEST_CASE("nothing is overwritten of which a view shows more than the rows at hand") {
  mat<double> const x = xt::ones<double>({rows, columns}) / 300.0, square = xt::ones<double>({rows, rows}) / 300.0;
  auto const same_rows = [](auto const& y) {
    return mismatch(y, [&](std::size_t, std::size_t) { return y(0, 0); }, interprets ? 1e-14 : 1e-15) == "";
  };
  auto by_row = [](kt::dmatrix w) {
    auto r = sum(w, kt::axis<1>, kt::keepdims);
    return kt::outputs().update(w, w * sum(exp(w * w(0) * r), kt::axis<1>, kt::keepdims));
  };
  kt::shared<double, 2> w(x);
  kt::function(by_row, w)();
  CHECK(same_rows(w.get_value()));
  auto by_column = [](kt::dmatrix w) {
    auto r = sum(w, kt::axis<1>, kt::keepdims);
    return kt::outputs().update(w, w * sum(exp(w * w.T() * r), kt::axis<1>, kt::keepdims));
  };
  kt::shared<double, 2> v(square);
  kt::function(by_column, v)();
  CHECK(same_rows(v.get_value()));
  auto by_product = [](kt::dmatrix w) {
    auto z = tanh(dot(w, w(0)));
    return kt::outputs().update(w, w * z(kt::slice(), kt::newaxis));
  };
  kt::shared<double, 2> u(x);
  kt::function(by_product, u)();
  CHECK(same_rows(u.get_value()));
  auto sorted = kt::function([](kt::dmatrix m) {
    auto a = sort(m, kt::axis<0>);
    auto s = sum(exp(a * a(0) * sum(a, kt::axis<1>, kt::keepdims)), kt::axis<1>, kt::keepdims);
    return std::tuple(a * s, sort(a * s + 1, kt::axis<0>));
  });
  auto const [output, again] = sorted(x);
  CHECK(same_rows(output));
  CHECK(same_rows(again));
}

TEST_CASE("views that a band takes are whole behind it") {
  auto f = kt::function([](kt::dmatrix x, kt::dvector v) {
    auto z = tanh(dot(x, v));
    auto const turned = z(kt::newaxis, kt::slice());
    auto const y = x * z(kt::slice(), kt::newaxis);
    return std::tuple(dot(turned, y), sum(turned) + sum(exp(turned)), dot(y.T(), y));
  });
  mat<double> const x = matrix<double>(rows, columns, 29, -0.1, 0.1);
  vec<double> const v = numbers<double>(columns, 31);
  auto const [product, total, square] = f(x, v);
  std::vector<double> z(rows), p(columns), q(columns);
  double t = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) z[i] += x(i, j) * v(j);
    z[i] = std::tanh(z[i]);
    t += z[i] + std::exp(z[i]);
    for (std::size_t j = 0; j < columns; ++j) {
      p[j] += z[i] * x(i, j) * z[i];
      q[j] += x(i, j) * z[i] * x(i, 0) * z[i];
    }
  }
  CHECK(mismatch(product, [&](std::size_t, std::size_t j) { return p[j]; }, 1e-11, 1e-13) == "");
  CHECK(close(total, t, 1e-12));
  CHECK(mismatch(vec<double>(xt::view(square, xt::all(), 0)), [&](std::size_t j) { return q[j]; }, 1e-11, 1e-13) == "");
}

TEST_CASE("bands of tensors go along the first axis") {
  auto const f = kt::function([](kt::dtensor3 x) { return softmax(x, kt::axis<2>); });
  xt::xtensor<double, 3> x = xt::xtensor<double, 3>::from_shape({37, 41, 67});
  auto const all = numbers<double>(x.size(), 23, -3, 3);
  std::copy(all.begin(), all.end(), x.begin());
  auto const y = f(x);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.shape(0); ++i)
    for (std::size_t j = 0; j < x.shape(1); ++j) {
      double s = 0;
      for (std::size_t k = 0; k < x.shape(2); ++k) s += std::exp(x(i, j, k));
      for (std::size_t k = 0; k < x.shape(2); ++k) wrong += close(y(i, j, k), std::exp(x(i, j, k)) / s, 1e-12) ? 0 : 1;
    }
  CHECK(wrong == 0);
}

// What a band computes for one row at a time takes no memory of its size.
TEST_CASE("temporaries of a band are as large as a part") {
  auto f = [](kt::dmatrix x) {
    auto e = exp(x - max(x, kt::axis<1>, kt::keepdims));
    return sum(e * e, kt::axis<1>) / sum(e, kt::axis<1>) + sum(tanh(e / (1 + sum(e, kt::axis<1>, kt::keepdims))), kt::axis<1>);
  };
  using F = decltype(f);
  using program = kt::cpu::traced_program<F, std::remove_const_t<decltype(kt::mode::fast_run)>, 0, kt::core::parameters_of<F>>;
  kt::cpu::program_frame<program> frame;
  mat<double> const x = matrix<double>(rows, columns);
  frame.bind(0, kt::cpu::ref_to(x));
  frame.read_extents();
  frame.part_bands(false);
  std::size_t const most = std::size_t{1} << 40;
  std::size_t const whole = frame.measure(most);
  frame.part_bands(true);
  std::size_t const in_parts = frame.measure(most);
  CHECK(whole >= rows * columns * sizeof(double));
  CHECK(in_parts < rows * columns * sizeof(double) / 2);
}

}  // namespace
