// What is written to most of an array is computed there, and only the rest of the array is copied.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <sstream>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using kt::none, kt::slice;
using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

matrix numbers(std::size_t rows, std::size_t columns) {
  matrix m({rows, columns});
  for (std::size_t i = 0; i < m.size(); ++i)
    m.flat(i) = static_cast<double>((i * 37 + 11) % 101) / 16 - 3;
  return m;
}

constexpr auto relaxed = [](kt::dmatrix u, kt::dmatrix f) {
  auto const sum = u(slice(none, -2), slice(1, -1)) + u(slice(2, none), slice(1, -1)) +
                   u(slice(1, -1), slice(none, -2)) + u(slice(1, -1), slice(2, none));
  return set_subtensor(u(slice(1, -1), slice(1, -1)), 0.25 * (sum + f(slice(1, -1), slice(1, -1))));
};
matrix relaxed_by_hand(matrix const& u, matrix const& f) {
  matrix result = u;
  for (std::size_t i = 1; i + 1 < u.shape(0); ++i)
    for (std::size_t j = 1; j + 1 < u.shape(1); ++j)
      result(i, j) = 0.25 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) + f(i, j));
  return result;
}

/// How many parts a function has.
template <class F>
int parts_of(F const& f) {
  std::ostringstream text;
  kt::debugprint(f, text);
  int count = 0;
  for (std::size_t at = 0; (at = text.str().find("part of set_subtensor", at)) != std::string::npos;
       ++at)
    ++count;
  return count;
}

constexpr std::array<std::size_t, 2> extents[] = {{0, 0}, {0, 5},  {1, 4},   {2, 2},   {3, 3},
                                                  {4, 9}, {17, 5}, {64, 64}, {300, 33}};

}  // namespace

TEST_CASE("steps of a scheme with a border are computed where they lie", "[parts]") {
  auto compiled = kt::function(relaxed);
  auto interpreted = kt::function(relaxed, kt::mode::interpret);
  CHECK(parts_of(compiled) == 1);
  for (auto const& [rows, columns] : extents) {
    CAPTURE(rows, columns);
    matrix const u = numbers(rows, columns), f = 2 * u + 1, wanted = relaxed_by_hand(u, f);
    CHECK((compiled(u, f) == wanted));
    CHECK((interpreted(u, f) == wanted));
    matrix into = u;
    compiled.into(into, into, f);
    CHECK((into == wanted));
    into = u;
    compiled.into(into, f, into);
    CHECK((into == relaxed_by_hand(f, u)));
  }
}

TEST_CASE("states of loops have parts", "[parts]") {
  auto const steps = [](kt::dmatrix u, kt::dmatrix f) {
    return kt::foldl([&](auto, auto state) { return relaxed(state, f); },
                     kt::sequences(kt::arange(5)), kt::outputs_info(u));
  };
  auto compiled = kt::function(steps);
  auto interpreted = kt::function(steps, kt::mode::interpret);
  for (auto const& [rows, columns] : extents) {
    CAPTURE(rows, columns);
    matrix const u = numbers(rows, columns), f = 2 * u + 1;
    matrix wanted = u;
    for (int k = 0; k < 5; ++k) wanted = relaxed_by_hand(wanted, f);
    CHECK((compiled(u, f) == wanted));
    CHECK((interpreted(u, f) == wanted));
  }
}

TEST_CASE("one part after the other", "[parts]") {
  auto const twice = [](kt::dmatrix u, kt::dmatrix f) {
    auto const first = relaxed(u, f), second = relaxed(first, u);
    return std::tuple(second, sum(first));
  };
  auto compiled = kt::function(twice);
  for (auto const& [rows, columns] : extents) {
    CAPTURE(rows, columns);
    matrix const u = numbers(rows, columns), f = 2 * u + 1, first = relaxed_by_hand(u, f);
    auto const [second, total] = compiled(u, f);
    CHECK((second == relaxed_by_hand(first, u)));
    CHECK(total == Approx(xt::sum(first)()));
  }
}

TEST_CASE("parts of vectors, with numbers around them and with those of others", "[parts]") {
  auto const padded = [](kt::dvector x) {
    return set_subtensor(kt::zeros<double>(x.shape(0) + 2)(slice(1, -1)), exp(x));
  };
  auto const shifted = [](kt::dvector x, kt::dvector y) {
    return set_subtensor(y(slice(1, none)), x(slice(none, -1)) * y(slice(none, -1)) - 1);
  };
  auto with_zeros = kt::function(padded);
  auto with_first = kt::function(shifted);
  CHECK(parts_of(with_zeros) + parts_of(with_first) == 2);
  for (std::size_t n : {0, 1, 2, 3, 8, 40, 5000}) {
    CAPTURE(n);
    vector const x = xt::view(numbers(1, n), 0), y = 3 - x;
    vector wanted = xt::zeros<double>({n + 2});
    for (std::size_t i = 0; i < n; ++i) wanted(i + 1) = std::exp(x(i));
    CHECK(xt::allclose(with_zeros(x), wanted, 1e-14));
    vector next = y;
    for (std::size_t i = 1; i < n; ++i) next(i) = x(i - 1) * y(i - 1) - 1;
    CHECK((with_first(x, y) == next));
    vector given = y;  // what may be overwritten is read by its neighbours
    given = with_first(x, std::move(given));
    CHECK((given == next));
  }
}

TEST_CASE("a shared variable is written in its place", "[parts]") {
  auto const step = [](kt::dvector x, kt::dvector state) {
    auto const next = set_subtensor(state(slice(1, none)), 2 * x(slice(1, none)));
    return kt::outputs(sum(x)).update(state, next);
  };
  kt::shared<double, 1> state(vector{7, 7, 7, 7, 7});
  auto f = kt::function(step, state);
  f(vector{1, 2, 3, 4, 5});
  CHECK((state.get_value() == vector{7, 4, 6, 8, 10}));
  auto const neighbours = [](kt::dvector x, kt::dvector state) {
    auto const next = set_subtensor(state(slice(1, none)), 2 * state(slice(none, -1)) + x(0));
    return kt::outputs(sum(x)).update(state, next);
  };
  auto g = kt::function(neighbours, state);
  g(vector{1});
  CHECK((state.get_value() == vector{7, 15, 9, 13, 17}));
}

TEST_CASE("arrays of three axes, integers and complex numbers have parts", "[parts]") {
  auto const volume = [](kt::tensor3<double> u) {
    auto const inner = u(slice(), slice(1, -1), slice(2, none));
    return set_subtensor(inner, inner * 2 + u(slice(), slice(none, -2), slice(none, -2)));
  };
  auto f = kt::function(volume);
  CHECK(parts_of(f) == 1);
  for (std::size_t n : {2, 3, 5, 24}) {
    xt::xtensor<double, 3> u({n, n, n}), wanted;
    for (std::size_t i = 0; i < u.size(); ++i) u.flat(i) = static_cast<double>(i % 17);
    wanted = u;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 1; j + 1 < n; ++j)
        for (std::size_t k = 2; k < n; ++k) wanted(i, j, k) = 2 * u(i, j, k) + u(i, j - 1, k - 2);
    CHECK((f(u) == wanted));
  }
  auto const counts = [](kt::lvector k) {
    return set_subtensor(k(slice(1, none)), k(slice(none, -1)) + 1);
  };
  xt::xtensor<std::int64_t, 1> const k{4, 5, 6, 9}, next{4, 5, 6, 7};
  CHECK((kt::function(counts)(k) == next));
  auto const turned = [](kt::zvector z) {
    return set_subtensor(z(slice(none, -1)), z(slice(1, none)) * z(slice(1, none)));
  };
  using complex = std::complex<double>;
  xt::xtensor<complex, 1> const z{{1, 2}, {0, 1}, {3, 0}}, wanted{{-1, 0}, {9, 0}, {3, 0}};
  CHECK((kt::function(turned)(z) == wanted));
}

TEST_CASE("little is written in place, and what others read too is stored apart", "[parts]") {
  auto const row = [](kt::dmatrix u) {
    auto const scaled = 2 * u;
    return set_subtensor(scaled(slice(0, 2)), exp(u(slice(2, 4))));
  };
  CHECK(parts_of(kt::function(row)) == 0);
  auto const both = [](kt::dvector x) {
    auto const inner = exp(x(slice(1, none)));
    return std::tuple(set_subtensor(x(slice(1, none)), inner), inner);
  };
  auto f = kt::function(both);
  CHECK(parts_of(f) == 0);
  vector const x{1, 2, 3};
  auto const [all, inner] = f(x);
  CHECK(all(0) == 1);
  CHECK(all(2) == Approx(std::exp(3.0)));
  CHECK(inner(1) == all(2));
}

TEST_CASE("gradients of slices have parts", "[parts]") {
  auto const cost = [](kt::dvector x) { return grad(sum(sqr(exp(x(slice(1, none))))), x); };
  auto f = kt::function(cost);
  CHECK(parts_of(f) == 1);
  for (std::size_t n : {1, 2, 9, 3000}) {
    vector const x = xt::view(numbers(1, n), 0), g = f(x);
    CHECK(g(0) == 0);
    for (std::size_t i = 1; i < n; ++i) CHECK(g(i) == Approx(2 * std::exp(2 * x(i))));
  }
}
