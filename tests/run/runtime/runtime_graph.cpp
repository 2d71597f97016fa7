// Graphs recorded at run time: functions of them against loops, their arguments, outputs, errors, memory.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <sstream>
#include <thread>

using namespace reference;
using kt::runtime::array;

namespace {

template <class... A>
std::string message(auto const& f, A const&... arguments) {
  try {
    f(arguments...);
  } catch (kt::error const& e) {
    return e.what();
  }
  return "";
}

bool is(vec<double> const& got, std::vector<double> const& want) { return std::vector<double>(got.begin(), got.end()) == want; }

mat<double> ramp(std::size_t rows, std::size_t columns) {
  mat<double> m(std::array<std::size_t, 2>{rows, columns});
  for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = 0.25 * static_cast<double>(i) - 1;
  return m;
}

}  // namespace

TEST_CASE("run-time graph: one typed output, several, and arrays", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 2>("x");
  auto v = g.input<double, 1>("v");
  auto f = g.function({x}, tanh(dot(x, x.T())));
  static_assert(std::is_same_v<decltype(f(mat<double>{})), mat<double>>);
  mat<double> const a = ramp(2, 3);
  CHECK(mismatch(f(a), [&](auto i, auto j) {
          double sum = 0;
          for (std::size_t k = 0; k < 3; ++k) sum += a(i, k) * a(j, k);
          return std::tanh(sum);
        }, 1e-15) == "");

  auto several = g.function({x, v}, std::tuple(x * v, sum(x), max(x, kt::axis<0>), x > 0.1));
  auto const [product, total, top, above] = several(a, std::vector<double>{1, 2, 3});
  CHECK(mismatch(product, [&](auto i, auto j) { return a(i, j) * static_cast<double>(j + 1); }) == "");
  CHECK(total == -2.25);
  CHECK(mismatch(top, [&](auto j) { return a(1, j); }) == "");
  CHECK(mismatch(above, [&](auto i, auto j) { return a(i, j) > 0.1; }) == "");

  auto arrays = g.function({v, x}, {sum(x, kt::axis<1>), v, exp(v)});
  std::vector<array> const r = arrays(array(std::vector<double>{1, 2, 3}), a);
  REQUIRE(r.size() == 3);
  CHECK(r[0].shape() == std::vector<std::size_t>{2});
  CHECK(r[0].data<double>()[1] == 0);
  CHECK(r[1].as<double, 1>()(2) == 3);
  CHECK(close(r[2].as<double, 1>()(0), std::exp(1.0), 1e-15));
}

TEST_CASE("run-time graph: rows of every length, strides, broadcasts and reductions agree with loops", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 2>("x");
  auto r = g.input<kt::drow>("r");
  auto c = g.input<kt::dcol>("c");
  auto y = x * r + c - 2 * x;
  auto f = g.function({x, r, c}, std::tuple(y, sum(y), sum(y, kt::axis<0>), sum(y, kt::axis<1>), prod(x, kt::axis<1>),
                                            min(x, kt::axis<0>), sum(y.T(), kt::axis<0>)));
  for (std::size_t rows : {1u, 2u, 7u, 300u})
    for (std::size_t columns : {1u, 3u, 64u, 257u, 5000u}) {
      CAPTURE(rows, columns);
      mat<double> const wide = ramp(2 * rows, columns + 3);
      auto const a = xt::view(wide, xt::range(0, 2 * rows, 2), xt::range(1, columns + 1));
      mat<double> const row = ramp(1, columns), column = ramp(rows, 1);
      auto value = [&](std::size_t i, std::size_t j) { return a(i, j) * row(0, j) + column(i, 0) - 2 * a(i, j); };
      auto const [whole, total, by_column, by_row, products, least, transposed] = f(a, row, column);
      CHECK(mismatch(whole, value, 1e-14, 1e-12) == "");
      double all = 0, size = 0;
      std::vector<double> columns_of(columns), rows_of(rows), smallest(columns, infinity), product(rows, 1);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
          all += value(i, j);
          size += std::abs(value(i, j));
          columns_of[j] += value(i, j);
          rows_of[i] += value(i, j);
          smallest[j] = std::min(smallest[j], a(i, j));
          product[i] *= a(i, j);
        }
      CHECK(close(total, all, 0, 1e-14 * size));
      CHECK(mismatch(by_column, [&](auto j) { return columns_of[j]; }, 0, 1e-14 * size) == "");
      CHECK(mismatch(by_row, [&](auto i) { return rows_of[i]; }, 0, 1e-14 * size) == "");
      CHECK(mismatch(transposed, [&](auto i) { return rows_of[i]; }, 0, 1e-14 * size) == "");
      CHECK(mismatch(least, [&](auto j) { return smallest[j]; }) == "");
      if (columns < 64) CHECK(mismatch(products, [&](auto i) { return product[i]; }, 1e-13) == "");
    }
}

TEST_CASE("run-time graph: sums of floats accumulate in double", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<float, 1>("x");
  auto f = g.function({x}, sum(x));
  vec<float> const tenths = 0.1f * xt::ones<float>({1'000'000});
  CHECK(close(f(tenths), 0.1f * 1e6f, 1e-6));
}

TEST_CASE("run-time graph: gradients, opaque callables and the user's ops", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x");
  constexpr auto square_sum = [](kt::dvector v) { return v * sum(sqr(v)); };
  auto y = sum(kt::opaque(square_sum)(x) * sin(x));
  auto f = g.function({x}, std::tuple(y, grad(y, x)));
  auto compiled = kt::function([](kt::dvector v) {
    auto z = sum(v * sum(sqr(v)) * sin(v));
    return std::tuple(z, grad(z, v));
  });
  vec<double> const a{0.5, -1.5, 2};
  auto const [value, gradient] = f(a);
  auto const [want, wanted] = compiled(a);
  CHECK(close(value, want, 1e-14));
  CHECK(mismatch(gradient, [&, w = wanted](auto i) { return w(i); }, 1e-13) == "");
}

TEST_CASE("run-time graph: what is wrong with a function is said when it is made", "[runtime]") {
  kt::runtime::graph g, other;
  auto x = g.input<double, 1>("x"), y = g.input<double, 1>("y");
  auto foreign = other.input<double, 1>("z");
  auto made = [](auto make) {
    try {
      make();
    } catch (kt::value_error const& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  kt::term const constant{&g.recording(), g.recording().literal(2.0, kt::element::float64)};
  CHECK(made([&] { g.function({x, constant}, x * 2); }) == "a constant was passed as an input of a function");
  CHECK(made([&] { g.function({exp(x)}, x); }) == "a computed value (exp) was passed as an input of a function");
  CHECK(made([&] { g.function({x, x}, x); }) == "the input x was passed twice");
  CHECK(made([&] { g.function({x}, x + y); }) == "the input y, which the outputs need, is not among the function's inputs");
  CHECK(made([&] { g.function({foreign}, x); }) == "a function's inputs and outputs belong to the graph that it is made from");

}

TEST_CASE("run-time graph: what is wrong with a call names the input", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 2>("x");
  auto n = g.input<std::int32_t, 1>("n");
  auto r = g.input<kt::drow>();
  auto f = g.function({x, n, r}, x + n + r);
  mat<double> const a = ramp(2, 3), row = ramp(1, 3);
  vec<std::int32_t> const ok{1, 2, 3};
  CHECK(message(f, a, ok, row) == "");
  CHECK(message(f, a, vec<std::int32_t>{1, 2}, row) == "add: extent 1 of x is 3, extent 0 of n is 2");
  CHECK(message(f, a, a, row) == "an array of rank 2 was passed for n, whose rank is 1");
  CHECK(message(f, a, vec<double>{1, 2, 3}, row) ==
        "elements of type float64 were passed for n, whose elements are of type int32: convert them first");
  CHECK(message(f, a, ok, a) == "extent 0 of parameter 3 (drow) is 2, but it must be 1");
  CHECK(message(f, a) == "the function has 3 inputs, but the call passes 1");
  CHECK_THROWS_AS(array(a).data<float>(), kt::value_error);
  CHECK_THROWS_AS((array(a).as<double, 1>()), kt::shape_error);
}

TEST_CASE("run-time graph: conditions of what the outputs need, and of no other expression", "[runtime]") {
  kt::runtime::graph g;
  auto const x = g.input<double, 1>("x"), xp = g.input<double, 1>("xp"), fp = g.input<double, 1>("fp");
  auto const f = g.function({x, xp, fp}, interp(x, xp, fp));
  vec<double> const at{0.5}, two{0, 1}, three{0, 1, 2};
  CHECK(is(f(at, two, two), {0.5}));
  CHECK_THROWS_AS(f(at, three, two), kt::shape_error);
  CHECK_THROWS_AS(f(at, vec<double>{0}, vec<double>{0}), kt::shape_error);
  auto const order = g.function({xp, fp}, lexsort(xp, fp));
  CHECK_THROWS_AS(order(three, two), kt::shape_error);
  CHECK_NOTHROW(order(two, two));
  // Conditions of other expressions, of the same arrays.
  CHECK(is(g.function({xp}, 2 * xp)(vec<double>{3}), {6}));
  CHECK(g.function({xp, fp}, sum(xp) + sum(fp))(three, two) == 4);
  CHECK(g.function({x, xp}, searchsorted(xp, x, kt::side::right))(at, vec<double>{0})(0) == 1);
  auto const m = g.input<double, 2>("m"), n = g.input<double, 2>("n");
  auto const square = g.function({m}, matrix_power(m, 2));
  CHECK_THROWS_AS(square(ramp(2, 3)), kt::shape_error);
  CHECK_NOTHROW(g.function({m, n}, dot(m, n))(ramp(2, 3), ramp(3, 2)));
  // The node of a search is that of the first one.
  auto const gp = g.input<double, 1>("gp");
  auto const second = g.function({x, xp, gp}, interp(x, xp, gp));
  CHECK_THROWS_AS(second(at, two, three), kt::shape_error);
  auto const put = g.function({m, n}, put_along_axis(m, argsort(n, kt::axis<1>), 1., kt::axis<1>));
  CHECK_THROWS_AS(put(ramp(2, 3), ramp(3, 3)), kt::shape_error);
}

TEST_CASE("run-time graph: windows fit, and channels, whatever else the graph has", "[runtime]") {
  kt::runtime::graph g;
  auto const x = g.input<double, 4>("x"), w = g.input<double, 4>("w");
  auto const first = conv2d(x, w);
  auto const second = g.function({x, w}, conv2d(x, 2 * w));  // with the conditions of the first one
  auto const back = g.function({x, w}, conv2d_transpose(x, w, kt::size(x.shape(2), 3)));
  auto const pooled = g.function({x}, max_pool_2d<3>(x));
  auto const images = [](std::size_t c, std::size_t n) { return xt::xtensor<double, 4>(xt::ones<double>({2ul, c, n, 3ul})); };
  CHECK(second(images(2, 3), images(2, 3)).size() == 4);
  CHECK(message(second, images(2, 3), images(3, 3)) ==
        "conv2d: images of shape (2, 2, 3, 3) and filters of shape (2, 3, 3, 3): the images have 2 channels, but the filters need 3");
  CHECK_THROWS_AS(second(images(2, 2), images(2, 3)), kt::shape_error);
  CHECK_THROWS_AS(back(images(2, 3), images(2, 3)), kt::shape_error);
  CHECK_THROWS_AS(pooled(images(2, 2)), kt::shape_error);
  CHECK(pooled(images(2, 3)).size() == 4);
  CHECK(g.function({x, w}, sum(x) * sum(w))(images(2, 2), images(3, 3)) == 24 * 54);
  CHECK_THROWS_AS(g.function({x, w}, first)(images(2, 2), images(2, 3)), kt::shape_error);
}

TEST_CASE("run-time graph: sparse matrices that are combined have equal extents", "[runtime]") {
  kt::runtime::graph g;
  auto const v = g.input<double, 1>("v");
  auto const k = g.input<std::int32_t, 1>("k"), starts = g.input<std::int32_t, 1>("starts");
  auto const n = g.input<std::int64_t, 0>("n"), m = g.input<std::int64_t, 0>("m");
  auto const of = [&](auto columns) { return csr_from_parts(v, k, starts, 2, columns); };
  auto const both = g.function({v, k, starts, n, m}, (of(n) + of(m)).data());
  vec<std::int32_t> const columns{2, 0}, bounds{0, 1, 2};
  CHECK(is(both(vec<double>{1, 2}, columns, bounds, 3, 3), {2, 4}));
  CHECK_THROWS_AS(both(vec<double>{1, 2}, columns, bounds, 3, 4), kt::shape_error);
  // Others do not ask for it.
  CHECK(g.function({n, m}, n + m)(3, 4) == 7);
}

TEST_CASE("run-time graph: a gradient that is an input has no conditions for others", "[runtime]") {
  kt::runtime::graph g;
  auto const x = g.input<double, 1>("x"), v = g.input<double, 1>("v");
  auto const pulled = lop(x + 1, x, v);
  vec<double> const two{1, 2}, three{1, 2, 3};
  CHECK(is(g.function({v}, v * 2)(two), {2, 4}));
  CHECK(g.function({x, v}, sum(x) * sum(v))(two, three) == 18);
  CHECK(is(g.function({x, v}, pulled * x)(two, two), {1, 4}));
}

TEST_CASE("run-time graph: arguments are widened, numbers are scalars, and views are read in place", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x");
  auto s = g.input<double, 0>("s");
  auto f = g.function({x, s}, x * s);
  CHECK(mismatch(f(vec<float>{1.5f, 2}, 2), [](auto i) { return i == 0 ? 3. : 4.; }) == "");
  CHECK(mismatch(f(std::vector<int>{1, 2}, 2.5f), [](auto i) { return i == 0 ? 2.5 : 5.; }) == "");
  vec<double> const v{1, 2, 3, 4, 5};
  CHECK(mismatch(f(xt::view(v, xt::range(4, xt::placeholders::_, -2)), 1), [](auto i) { return 5. - 2. * static_cast<double>(i); }) == "");
}

TEST_CASE("run-time graph: into what the caller has, also where it overlaps an argument", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x"), y = g.input<double, 1>("y");
  auto f = g.function({x, y}, std::tuple(x + y, x - y));
  vec<double> a{1, 2, 3}, b{10, 20, 30}, d;
  f.into(std::tie(a, d), a, b);
  CHECK(is(a, {11, 22, 33}));
  CHECK(is(d, {-9, -18, -27}));
  auto h = g.function({x, y}, {x + y, x - y});
  std::vector<array> out{array(b)};
  h.into(out, out[0], a);
  CHECK(is(out[0].as<double, 1>(), {21, 42, 63}));
  CHECK(is(out[1].as<double, 1>(), {-1, -2, -3}));
}

TEST_CASE("run-time graph: empty arrays, scalars and whole functions of scalars", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 2>("x");
  auto s = g.input<double, 0>("s");
  auto f = g.function({x, s}, std::tuple(sum(x), prod(x, kt::axis<0>), x * s, dot(x, x.T())));
  auto const [total, products, scaled, gram] = f(mat<double>(std::array<std::size_t, 2>{0, 3}), 2.);
  CHECK(total == 0);
  CHECK(is(products, {1, 1, 1}));
  CHECK(scaled.size() == 0);
  CHECK(gram.size() == 0);
  CHECK(g.function({s}, log(1 + exp(s)))(800.) == 800);
  CHECK(message(g.function({x}, max(x)), mat<double>(std::array<std::size_t, 2>{0, 3})) != "");
}

TEST_CASE("run-time graph: directions and known gradients have the shapes of their variables", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x");
  auto v = g.input<double, 1>("v");
  auto y = x * x;
  auto const pushed = g.function({x, v}, rop(sum(x), x, v));
  CHECK(pushed(vec<double>{1, 2}, vec<double>{3, 4}) == 7);
  CHECK_THROWS_WITH(pushed(vec<double>{1, 2}, vec<double>{3, 4, 5}),
                    Catch::Contains("rop") && Catch::Contains("2") && Catch::Contains("3"));
  auto const [gx, gy] = grad(sum(y), x, y, kt::known_grads(y, v));
  auto const first = g.function({x, v}, sum(gx)), second = g.function({x, v}, sum(gy));
  CHECK(first(vec<double>{1, 2}, vec<double>{3, 4}) == 28);
  CHECK(second(vec<double>{1, 2}, vec<double>{3, 4}) == 9);
  CHECK_THROWS_AS(first(vec<double>{1, 2}, vec<double>{3, 4, 5}), kt::shape_error);
  CHECK_THROWS_AS(second(vec<double>{1, 2}, vec<double>{3, 4, 5}), kt::shape_error);
  CHECK(g.function({x}, sum(y))(vec<double>{1, 2}) == 5);
}

TEST_CASE("run-time graph: one copy a thread is safe", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x");
  auto f = g.function({x}, sum(exp(x) * x));
  std::array<double, 4> results{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([copy = f, t, &results] {
      vec<double> const a = static_cast<double>(t) * xt::ones<double>({5000});
      for (int i = 0; i < 20; ++i) results[t] = copy(a);
    });
  for (auto& t : threads) t.join();
  for (std::size_t t = 0; t < 4; ++t) CHECK(close(results[t], 5000 * std::exp(double(t)) * double(t), 1e-13));
}

TEST_CASE("run-time graph: a lazy choice computes one branch", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x");
  auto c = g.input<bool, 0>("c");
  auto y = ifelse(c, exp(x), sqr(x));
  auto f = g.function({c, x}, std::tuple(y, grad(sum(y), x)));
  vec<double> const a{1, 2, 3};
  auto const [taken, slope] = f(true, a);
  CHECK(mismatch(taken, [&](auto i) { return std::exp(a(i)); }, 1e-15) == "");
  CHECK(mismatch(slope, [&](auto i) { return std::exp(a(i)); }, 1e-15) == "");
  auto const [other, other_slope] = f(false, a);
  CHECK(mismatch(other, [&](auto i) { return a(i) * a(i); }) == "");
  CHECK(mismatch(other_slope, [&](auto i) { return 2 * a(i); }) == "");
}

TEST_CASE("run-time graph: prints of variables and functions", "[runtime]") {
  kt::runtime::graph g;
  auto x = g.input<double, 2>("x");
  auto y = log(1 + exp(dot(x, x.T())));
  std::ostringstream recorded, optimized;
  kt::debugprint(y, recorded);
  CHECK(recorded.str().find("log : dmatrix") != std::string::npos);
  CHECK(recorded.str().find("x (dmatrix)") != std::string::npos);
  kt::debugprint(g.function({x}, y), optimized);
  CHECK(optimized.str().find("softplus : dmatrix") != std::string::npos);
  CHECK(optimized.str().find("1 product, 1 fused loop") != std::string::npos);
}

TEST_CASE("run-time graph: the plan for given shapes", "[runtime]") {
  kt::runtime::graph g;
  auto a = g.input<double, 2>("a"), b = g.input<double, 2>("b"), c = g.input<double, 2>("c");
  auto f = g.function({a, b, c}, exp(dot(dot(a, b), c)) + 1);
  std::ostringstream text;
  kt::debugprint(f, text, kt::shape(10, 1000), kt::shape(1000, 10), kt::shape(10, 1000));
  CAPTURE(text.str());
  CHECK(text.str().find("plan for (10, 1000), (1000, 10), (10, 1000)") != std::string::npos);
  CHECK(text.str().find("product_chain") != std::string::npos);
  CHECK(text.str().find("rows and columns merged: 1 axis of 10000") != std::string::npos);
  CHECK(text.str().find("call: in the frame, by the interpreter") != std::string::npos);
  CHECK_THROWS_WITH(kt::debugprint(f, text, kt::shape(10, 7), kt::shape(1000, 10), kt::shape(10, 1000)), Catch::Contains("dot: "));
  CHECK_THROWS_AS(kt::debugprint(f, text, kt::shape(10, 7)), kt::value_error);
}
