// Parts to which the rows of a band are added, some at a time: what all rows at once give.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <sstream>

using namespace reference;

namespace {
namespace written {

template <class T>
mat<T> waves(std::size_t rows, std::size_t columns) {
  mat<T> m = xt::zeros<T>({rows, columns});
  for (std::size_t k = 0; k < m.size(); ++k)
    m.flat(k) = static_cast<T>(0.125 * static_cast<double>(k * 37 % 101) - 4);
  return m;
}
template <class A, class B>
bool are_close(A const& a, B const& b, double tolerance) {
  if (a.shape() != b.shape()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(std::abs(a.flat(k) - b.flat(k)) <= tolerance * (1 + std::abs(b.flat(k))))) return false;
  return true;
}
template <class F, class... S>
std::string plan_for(F const& f, S const&... shapes) {
  std::ostringstream out;
  kt::debugprint(f, out, shapes...);
  std::string const text = out.str();
  return text.substr(text.find("plan for"));
}

// Lets bands take a few rows at a time, however small they are.
class fewer_rows {
 public:
  fewer_rows() { kt::cpu::machine::band_bytes = 3000; }
  fewer_rows(fewer_rows const&) = delete;
  fewer_rows& operator=(fewer_rows const&) = delete;
  ~fewer_rows() { kt::cpu::machine::band_bytes = own_; }

 private:
  std::ptrdiff_t own_ = kt::cpu::machine::band_bytes;
};

constexpr auto all = kt::slice();
constexpr auto later = kt::slice(1, kt::none);
constexpr auto earlier = kt::slice(0, -1);
constexpr auto inner = kt::slice(1, -1);

// Differences along both axes in one sum, and in a sum for each axis.
constexpr auto roughness = [](auto u) {
  auto down = u(later, earlier) - u(earlier, earlier),
       right = u(earlier, later) - u(earlier, earlier);
  return sum(sqrt(sqr(down) + sqr(right) + 1));
};
constexpr auto differences = [](auto u) {
  return sum(sqr(u(later) - u(earlier))) + sum(sqr(u(all, later) - u(all, earlier)));
};
constexpr auto curvature = [](auto u) {
  return sum(sqr(4 * u(inner, inner) - u(kt::slice(0, -2), inner) -
                 u(kt::slice(2, kt::none), inner) - u(inner, kt::slice(0, -2)) -
                 u(inner, kt::slice(2, kt::none))));
};
constexpr auto mixture = [](auto u, auto v) {
  auto d = u(later) - v(earlier), e = u(earlier) * v(later);
  return sum(tanh(d * e));
};
constexpr auto value_and_slope = [](auto f, auto u) {
  auto e = f(u);
  return std::tuple(e, kt::grad(e, u));
};

template <class T>
mat<double> slope_of_roughness(mat<T> const& u) {
  mat<double> g = xt::zeros<double>(u.shape());
  for (std::size_t i = 0; i + 1 < u.shape(0); ++i)
    for (std::size_t j = 0; j + 1 < u.shape(1); ++j) {
      double const down = u(i + 1, j) - u(i, j), right = u(i, j + 1) - u(i, j),
                   root = std::sqrt(down * down + right * right + 1);
      g(i + 1, j) += down / root;
      g(i, j + 1) += right / root;
      g(i, j) -= (down + right) / root;
    }
  return g;
}
template <class T>
mat<double> slope_of_differences(mat<T> const& u) {
  mat<double> g = xt::zeros<double>(u.shape());
  auto const add = [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
    double const d = 2. * (u(k, l) - u(i, j));
    g(k, l) += d;
    g(i, j) -= d;
  };
  for (std::size_t i = 0; i < u.shape(0); ++i)
    for (std::size_t j = 0; j < u.shape(1); ++j) {
      if (i + 1 < u.shape(0)) add(i, j, i + 1, j);
      if (j + 1 < u.shape(1)) add(i, j, i, j + 1);
    }
  return g;
}
template <class T>
mat<double> slope_of_curvature(mat<T> const& u) {
  mat<double> g = xt::zeros<double>(u.shape());
  for (std::size_t i = 1; i + 1 < u.shape(0); ++i)
    for (std::size_t j = 1; j + 1 < u.shape(1); ++j) {
      double const r = 2. * (4. * u(i, j) - u(i - 1, j) - u(i + 1, j) - u(i, j - 1) - u(i, j + 1));
      g(i, j) += 4 * r;
      g(i - 1, j) -= r;
      g(i + 1, j) -= r;
      g(i, j - 1) -= r;
      g(i, j + 1) -= r;
    }
  return g;
}

}  // namespace written
}  // namespace

TEMPLATE_TEST_CASE("gradients of differences are added row by row", "[written_rows]", double,
                   float) {
  using T = TestType;
  auto const roughness = kt::function(
      [](kt::variable<T, 2> u) { return written::value_and_slope(written::roughness, u); });
  auto const differences = kt::function(
      [](kt::variable<T, 2> u) { return written::value_and_slope(written::differences, u); });
  auto const curvature = kt::function(
      [](kt::variable<T, 2> u) { return written::value_and_slope(written::curvature, u); });
  double const tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-11;
  for (std::size_t rows : {1, 2, 3, 9, 60, 128, 257})
    for (std::size_t columns : {1, 2, 3, 8, 60, 129, 260}) {
      CAPTURE(rows, columns);
      auto const u = written::waves<T>(rows, columns);
      CHECK(
          written::are_close(std::get<1>(roughness(u)), written::slope_of_roughness(u), tolerance));
      CHECK(written::are_close(std::get<1>(differences(u)), written::slope_of_differences(u),
                               tolerance));
      CHECK(
          written::are_close(std::get<1>(curvature(u)), written::slope_of_curvature(u), tolerance));
    }
}

TEST_CASE("plans say how many rows are added together", "[written_rows]") {
  auto const f =
      kt::function([](kt::dmatrix u) { return written::value_and_slope(written::roughness, u); });
  CHECK(written::plan_for(f, kt::shape(128, 128)).find("without the frame, ") != std::string::npos);
  std::string const large = written::plan_for(f, kt::shape(700, 700));
  CHECK(large.find("together") != std::string::npos);
  auto const both =
      kt::function([](kt::dmatrix u) { return written::value_and_slope(written::differences, u); });
  std::string const two = written::plan_for(both, kt::shape(120, 120));
  CHECK(two.find("rows of several bands go some at a time") != std::string::npos);
  // The zeros have as many rows, and begin no band of their own.
  auto const columns = kt::function([](kt::dmatrix x) {
    auto p = x * sqr(x) + x;
    auto wide = kt::zeros<double>(x.shape(0), x.shape(1) + 1);
    return inc_subtensor(
        inc_subtensor(wide(written::all, written::later), p)(written::all, written::earlier),
        p * 2);
  });
  CHECK(written::plan_for(columns, kt::shape(700, 700)).find("steps 3 to 5 together") !=
        std::string::npos);
}

TEST_CASE("what is written first stays in the rows that others add to", "[written_rows]") {
  // The write begins behind the addition, in front of it, and every second row backwards.
  auto const f = kt::function([](kt::dmatrix x, kt::dmatrix y) {
    auto a = x * y + 1, b = sin(x - y);
    auto zeros = [&] { return kt::zeros<double>(x.shape(0) + 2, x.shape(1)); };
    auto behind =
        inc_subtensor(set_subtensor(zeros()(kt::slice(2, kt::none)), a)(kt::slice(0, -2)), b);
    auto before =
        inc_subtensor(set_subtensor(zeros()(kt::slice(0, -2)), a)(kt::slice(2, kt::none)), b);
    auto wide = kt::zeros<double>(2 * x.shape(0), x.shape(1));
    auto backwards = inc_subtensor(
        set_subtensor(wide(kt::slice(kt::none, kt::none, -2)), a)(kt::slice(0, x.shape(0))), b);
    return std::tuple(behind, before, backwards, a + b);
  });
  for (std::size_t rows : {1, 2, 5, 130, 400})
    for (std::size_t columns : {1, 2, 7, 100, 300}) {
      CAPTURE(rows, columns);
      auto const x = written::waves<double>(rows, columns), y = mat<double>(xt::flip(x, 0));
      auto const [behind, before, backwards, sum] = f(x, y);
      mat<double> const a = x * y + 1, b = xt::sin(x - y);
      mat<double> one = xt::zeros<double>({rows + 2, columns}), two = one,
                  three = xt::zeros<double>({2 * rows, columns});
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
          one(i + 2, j) += a(i, j);
          one(i, j) += b(i, j);
          two(i, j) += a(i, j);
          two(i + 2, j) += b(i, j);
          three(2 * rows - 1 - 2 * i, j) += a(i, j);
          three(i, j) += b(i, j);
        }
      CHECK(written::are_close(behind, one, 1e-13));
      CHECK(written::are_close(before, two, 1e-13));
      CHECK(written::are_close(backwards, three, 1e-13));
      CHECK(written::are_close(sum, mat<double>(a + b), 1e-13));
    }
}

TEST_CASE("what alone replaces zeros keeps the signs of its zeros", "[written_rows]") {
  auto const f = kt::function(
      [](kt::dmatrix x) {
        auto y = x * abs(x);
        return std::tuple(
            set_subtensor(kt::zeros<double>(x.shape(0) + 1, x.shape(1))(written::later), y),
            sum(y, kt::axis<1>));
      },
      kt::mode::ieee);
  for (std::size_t rows : {3, 200, 900}) {
    mat<double> const x = -xt::zeros<double>({rows, std::size_t{90}});
    mat<double> const padded = std::get<0>(f(x));
    CHECK(!std::signbit(padded(0, 5)));
    CHECK(std::signbit(padded(1, 5)));
    CHECK(std::signbit(padded(rows, 89)));
  }
}

TEST_CASE("parts of integers and of one number a row are added, too", "[written_rows]") {
  auto const f = kt::function([](kt::imatrix x, kt::dmatrix y) {
    auto a = x * x - 3;
    auto counts = inc_subtensor(set_subtensor(kt::zeros_like(x)(kt::slice(1, kt::none)),
                                              a(kt::slice(0, -1)))(kt::slice(0, -1)),
                                a(kt::slice(1, kt::none)));
    auto e = exp(-y(kt::slice(1, kt::none)));
    auto column = inc_subtensor(kt::ones_like(y)(kt::slice(1, kt::none), 0), sum(e, kt::axis<1>));
    return std::tuple(counts, column, e + 1);
  });
  for (std::size_t rows : {2, 3, 200, 900})
    for (std::size_t columns : {1, 4, 90}) {
      CAPTURE(rows, columns);
      mat<std::int32_t> const x = xt::cast<std::int32_t>(written::waves<double>(rows, columns));
      auto const y = written::waves<double>(rows, columns);
      auto const [counts, column, more] = f(x, y);
      mat<std::int32_t> expected = xt::zeros<std::int32_t>(x.shape());
      mat<double> ones = xt::ones<double>(y.shape());
      for (std::size_t i = 0; i + 1 < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
          expected(i + 1, j) += x(i, j) * x(i, j) - 3;
          expected(i, j) += x(i + 1, j) * x(i + 1, j) - 3;
          ones(i + 1, 0) += std::exp(-y(i + 1, j));
        }
      CHECK((counts == expected));
      CHECK(written::are_close(column, ones, 1e-12));
      CHECK(more.shape(0) == rows - 1);
    }
}

TEST_CASE("two gradients begin with the same zeros, and updates keep what they replace",
          "[written_rows]") {
  kt::shared w(written::waves<double>(150, 140));
  auto const step = kt::function(
      [](kt::dmatrix v, kt::dmatrix u) {
        auto [gu, gv] = grad(written::mixture(u, v), u, v);
        return kt::outputs(gu, gv).update(u, u - 0.5 * gu);
      },
      w);
  auto const before = written::waves<double>(150, 140);
  mat<double> const v = xt::flip(before, 1);
  auto const [gu, gv] = step(v);
  mat<double> u_slope = xt::zeros<double>(v.shape()), v_slope = u_slope;
  for (std::size_t i = 0; i + 1 < 150; ++i)
    for (std::size_t j = 0; j < 140; ++j) {
      double const d = before(i + 1, j) - v(i, j), e = before(i, j) * v(i + 1, j),
                   t = std::tanh(d * e), s = 1 - t * t;
      u_slope(i + 1, j) += s * e;
      v_slope(i, j) -= s * e;
      u_slope(i, j) += s * d * v(i + 1, j);
      v_slope(i + 1, j) += s * d * before(i, j);
    }
  CHECK(written::are_close(gu, u_slope, 1e-10));
  CHECK(written::are_close(gv, v_slope, 1e-10));
  CHECK(written::are_close(mat<double>(w.get_value()), mat<double>(before - 0.5 * u_slope), 1e-10));
}

TEST_CASE("steps of a loop add rows to parts", "[written_rows]") {
  auto const f = kt::function([](kt::dmatrix u) {
    auto last = kt::foldl(
        [](auto s) {
          return inc_subtensor(s(written::inner, written::inner),
                               0.1 * tanh(s(kt::slice(2, kt::none), written::inner) +
                                          s(kt::slice(0, -2), written::inner) -
                                          2 * s(written::inner, written::inner)));
        },
        kt::outputs_info(u), kt::n_steps(3));
    auto e = sum(sqr(last));
    return std::tuple(e, grad(e, u));
  });
  for (std::size_t n : {3, 40, 150}) {
    CAPTURE(n);
    auto const u = written::waves<double>(n, n + 1);
    auto const [e, g] = f(u);
    for (auto const& [i, j] :
         {std::pair{std::size_t{0}, n}, {n / 2, n / 2}, {n - 1, std::size_t{1}}}) {
      mat<double> more = u, less = u;
      more(i, j) += 1e-4;
      less(i, j) -= 1e-4;
      double const slope = (std::get<0>(f(more)) - std::get<0>(f(less))) / 2e-4;
      CHECK(g(i, j) == Approx(slope).epsilon(1e-5).margin(1e-5));
    }
  }
}

TEST_CASE("steps know the number of all rows while some are current", "[written_rows]") {
  auto const places = kt::function([](kt::dmatrix x) {
    auto a = exp(x / 4);
    auto deep = kt::zeros<double>(x.shape(0), x.shape(0) + 1, x.shape(1));
    auto tall = kt::zeros<double>(2 * x.shape(0), x.shape(1));
    return std::tuple(inc_subtensor(deep(kt::slice(), x.shape(0)), a),
                      inc_subtensor(tall(kt::slice(x.shape(0), kt::none)), a), a * 2);
  });
  auto const numbers = kt::function([](kt::lmatrix x) {
    auto a = x * x.shape(0) + 1;
    return std::tuple(a, sum(sqr(a), kt::axis<1>), sum(a * 3));
  });
  written::fewer_rows const together;
  for (std::size_t rows : {1, 2, 10, 33}) {
    CAPTURE(rows);
    auto const x = written::waves<double>(rows, 9);
    auto const [deep, tall, twice] = places(x);
    CHECK(written::are_close(twice, mat<double>(2 * xt::exp(x / 4)), 1e-13));
    xt::xtensor<double, 3> one = xt::zeros<double>({rows, rows + 1, std::size_t{9}});
    mat<double> two = xt::zeros<double>({2 * rows, std::size_t{9}});
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < 9; ++j)
        one(i, rows, j) = two(rows + i, j) = std::exp(x(i, j) / 4);
    CHECK(written::are_close(deep, one, 1e-13));
    CHECK(written::are_close(tall, two, 1e-13));

    auto const n = written::waves<std::int64_t>(rows, 80);
    auto const [a, squares, total] = numbers(n);
    std::int64_t all = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      std::int64_t of_row = 0;
      for (std::size_t j = 0; j < 80; ++j) {
        std::int64_t const each = n(i, j) * static_cast<std::int64_t>(rows) + 1;
        CHECK(a(i, j) == each);
        of_row += each * each;
        all += 3 * each;
      }
      CHECK(squares(i) == of_row);
    }
    CHECK(total == all);
  }
}
