// Arrays that a loop fills, each step one place: they are made behind it, and so are their gradients.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/filled.hpp"

namespace kt = kroton;

using namespace loop_tests;

TEST_CASE("scan_fill: an element from the one before", "[loops][passes]") {
  constexpr auto filled = [](kt::dvector x, kt::dscalar a) {
    auto y = foldl([&](auto i, auto y) { return set_subtensor(y(i + 1), a * sin(y(i)) + x(i)); },
                   kt::sequences(kt::arange(x.shape(0) - 1)), kt::outputs_info(x));
    auto [gx, ga] = grad(sum(sqr(y)) + y(-1), x, a);
    return std::tuple(y, gx, ga, grad(sum(gx) + ga, a));
  };
  constexpr auto plain = [](kt::dvector x, kt::dscalar a) {
    auto rest = scan([&](auto e, auto y) { return a * sin(y) + e; }, kt::sequences(x(kt::slice(0, -1))), kt::outputs_info(x(0)));
    auto y = concatenate(x(kt::slice(0, 1)), rest);
    auto [gx, ga] = grad(sum(sqr(y)) + y(-1), x, a);
    return std::tuple(y, gx, ga, grad(sum(gx) + ga, a));
  };
  for (std::size_t n : {1, 2, 3, 9}) agree(filled, plain, some(n), 1.1);
}

TEST_CASE("scan_fill: what is added to elements, from several before", "[loops][passes]") {
  constexpr auto filled = [](kt::dvector x, kt::dscalar a) {
    auto y = scan([&](auto i, auto y) { return inc_subtensor(y(i), a * y(i - 1) * y(i - 3)); },
                  kt::sequences(kt::arange(3, x.shape(0))), kt::outputs_info(x))(-1);
    auto [gx, ga] = grad(sum(sqr(y)), x, a);
    return std::tuple(y, gx, ga, grad(sum(gx) + ga, a));
  };
  constexpr auto plain = [](kt::dvector x, kt::dscalar a) {
    auto rest = scan([&](auto e, auto third, auto last) { return e + a * last * third; },
                     kt::sequences(x(kt::slice(3, kt::none))), kt::outputs_info(kt::taps<-3, -1>(x(kt::slice(0, 3)))));
    auto y = concatenate(x(kt::slice(0, 3)), rest);
    auto [gx, ga] = grad(sum(sqr(y)), x, a);
    return std::tuple(y, gx, ga, grad(sum(gx) + ga, a));
  };
  CHECK(selections_left(filled) == 0);
  for (std::size_t n : {4, 5, 6, 11}) agree(filled, plain, some(n), 1.1);
}

TEST_CASE("scan_fill: rows, columns, and parts of them", "[loops][passes]") {
  constexpr auto rows = [](kt::dmatrix x, kt::dmatrix w) {
    auto y = foldl([&](auto i, auto y) { return set_subtensor(y(i + 1), tanh(dot(w, y(i))) + y(i, 1)); },
                   kt::sequences(kt::arange(x.shape(0) - 1)), kt::outputs_info(x));
    auto [gx, gw] = grad(sum(sqr(y)), x, w);
    return std::tuple(y, gx, gw);
  };
  constexpr auto columns = [](kt::dmatrix x, kt::dmatrix w) {
    auto all = kt::slice();
    auto z = foldl([&](auto i, auto y) { return set_subtensor(y(all, i + 1), tanh(dot(w, y(all, i))) + y(1, i)); },
                   kt::sequences(kt::arange(x.shape(0) - 1)), kt::outputs_info(transpose(x)));
    auto y = transpose(z);
    auto [gx, gw] = grad(sum(sqr(y)), x, w);
    return std::tuple(y, gx, gw);
  };
  constexpr auto plain = [](kt::dmatrix x, kt::dmatrix w) {
    auto rest = scan([&](auto y) { return tanh(dot(w, y)) + y(1); }, kt::outputs_info(x(0)), kt::n_steps(x.shape(0) - 1));
    auto y = concatenate(x(kt::slice(0, 1)), rest);
    auto [gx, gw] = grad(sum(sqr(y)), x, w);
    return std::tuple(y, gx, gw);
  };
  for (std::size_t n : {1, 2, 6}) {
    agree(rows, plain, table(n, 3), table(3, 3));
    agree(columns, plain, table(n, 3), table(3, 3));
  }
}

TEST_CASE("scan_fill: a part of each row, and a number in all of it", "[loops][passes]") {
  constexpr auto filled = [](kt::dmatrix x, kt::dscalar a) {
    auto y = foldl([&](auto i, auto y) { return set_subtensor(y(i, kt::slice(1, 3)), a * y(i - 1, kt::slice(1, 3))); },
                   kt::sequences(kt::arange(1, x.shape(0))), kt::outputs_info(x));
    auto z = foldl([&](auto i, auto z) { return set_subtensor(z(i), a * z(i - 1, 2)); }, kt::sequences(kt::arange(1, x.shape(0))),
                   kt::outputs_info(x));
    auto [gx, ga] = grad(sum(sqr(y)) + sum(sqr(z)), x, a);
    return std::tuple(y, z, gx, ga);
  };
  constexpr auto plain = [](kt::dmatrix x, kt::dscalar a) {
    auto n = x.shape(0);
    auto rest = scan([&](auto y) { return a * y; }, kt::outputs_info(x(0, kt::slice(1, 3))), kt::n_steps(n - 1));
    auto y = set_subtensor(x(kt::slice(1, kt::none), kt::slice(1, 3)), rest);
    auto one = scan([&](auto z) { return a * z; }, kt::outputs_info(x(0, 2)), kt::n_steps(n - 1));
    auto z = set_subtensor(x(kt::slice(1, kt::none)), dimshuffle<0, 'x'>(one));
    auto [gx, ga] = grad(sum(sqr(y)) + sum(sqr(z)), x, a);
    return std::tuple(y, z, gx, ga);
  };
  for (std::size_t n : {1, 2, 5}) agree(filled, plain, table(n, 4), 0.9);
}

TEST_CASE("scan_fill: from the end, every second one, and elements that are not yet written", "[loops][passes]") {
  constexpr auto filled = [](kt::dvector x, kt::dscalar a) {
    auto n = x.shape(0);
    auto back = foldl([&](auto i, auto y) { return set_subtensor(y(n - 2 - i), a * y(n - 1 - i) + sin(y(n - 2 - i))); },
                      kt::sequences(kt::arange(n - 1)), kt::outputs_info(x));
    auto second = foldl([&](auto i, auto y) { return set_subtensor(y(2 * i + 2), a * y(2 * i) * y(2 * i + 1)); },
                        kt::sequences(kt::arange(floordiv(n - 1, 2))), kt::outputs_info(x));
    auto smooth = foldl([&](auto i, auto y) { return set_subtensor(y(i), a * (y(i - 1) + y(i) + y(i + 1))); },
                        kt::sequences(kt::arange(1, n - 1)), kt::outputs_info(x));
    auto [gx, ga] = grad(sum(sqr(back)) + sum(sqr(second)) + sum(sqr(smooth)), x, a);
    return std::tuple(back, second, smooth, gx, ga);
  };
  constexpr auto plain = [](kt::dvector x, kt::dscalar a) {
    auto const after = kt::slice(1, kt::none);
    auto n = x.shape(0);
    auto r = x(kt::slice(kt::none, kt::none, -1));
    auto b = scan([&](auto e, auto y) { return a * y + sin(e); }, kt::sequences(r(after)), kt::outputs_info(r(0)));
    auto back = concatenate(r(kt::slice(0, 1)), b)(kt::slice(kt::none, kt::none, -1));
    auto s = scan([&](auto odd, auto y) { return a * y * odd; }, kt::sequences(x(kt::slice(1, n - 1, 2))), kt::outputs_info(x(0)));
    auto second = set_subtensor(x(kt::slice(2, kt::none, 2)), s);
    auto m = scan([&](auto now, auto next, auto y) { return a * (y + now + next); },
                  kt::sequences(x(kt::slice(1, n - 1)), x(kt::slice(2, n))), kt::outputs_info(x(0)));
    auto smooth = set_subtensor(x(kt::slice(1, n - 1)), m);
    auto [gx, ga] = grad(sum(sqr(back)) + sum(sqr(second)) + sum(sqr(smooth)), x, a);
    return std::tuple(back, second, smooth, gx, ga);
  };
  CHECK(selections_left(filled) == 0);
  for (std::size_t n : {2, 3, 4, 9}) agree(filled, plain, some(n), 0.4);
}

TEST_CASE("scan_fill: two arrays that read each other, before and after they are written", "[loops][passes]") {
  constexpr auto filled = [](kt::dvector x, kt::dvector z, kt::dscalar a) {
    auto [p, q, r] = foldl(
        [&](auto i, auto p, auto q, auto r) {
          auto next = set_subtensor(p(i), a * p(i - 1) + q(i - 1));
          auto other = set_subtensor(q(i), next(i) * q(i - 1) + next(i - 1));
          return std::tuple(next, other, r + other(i) * q(i));
        },
        kt::sequences(kt::arange(1, x.shape(0))), kt::outputs_info(x, z, 0.0));
    auto [gx, gz, ga] = grad(sum(sqr(p)) + sum(q) * r, x, z, a);
    return std::tuple(p, q, r, gx, gz, ga);
  };
  constexpr auto plain = [](kt::dvector x, kt::dvector z, kt::dscalar a) {
    auto const after = kt::slice(1, kt::none);
    auto [p1, q1, r1] = scan(
        [&](auto e, auto p, auto q, auto r) {
          auto next = a * p + q;
          auto other = next * q + p;
          return std::tuple(next, other, r + other * e);
        },
        kt::sequences(z(after)), kt::outputs_info(x(0), z(0), 0.0));
    auto p = set_subtensor(x(after), p1), q = set_subtensor(z(after), q1);
    auto r = r1(-1);
    auto [gx, gz, ga] = grad(sum(sqr(p)) + sum(q) * r, x, z, a);
    return std::tuple(p, q, r, gx, gz, ga);
  };
  CHECK(selections_left(filled) == 0);
  for (std::size_t n : {2, 3, 7}) agree(filled, plain, some(n), vector(some(n) + 0.2), 0.9);
}

