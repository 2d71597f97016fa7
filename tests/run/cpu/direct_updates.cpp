// Shared variables in calls past the frame: updated in place and otherwise, bound twice, overlapped, and in several threads.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "run/direct.hpp"

#include <thread>

using namespace reference;
using namespace direct;
using I = std::size_t;

namespace {

constexpr auto logistic_step = [](kt::dmatrix x, kt::dvector y, kt::dvector w, kt::dscalar b) {
  auto p = 1 / (1 + exp(-dot(x, w) - b));
  auto cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(pow(w, 2));
  auto [gw, gb] = grad(cost, w, b);
  return kt::outputs(cost).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};

}  // namespace

TEST_CASE("steps of logistic regression past the frame and in it") {
  for (I rows : {1, 4, 7})
    for (I columns : {1, 8, 100}) {
      CAPTURE(rows, columns);
      auto const x = matrix<double>(rows, columns, 1);
      auto const y = numbers<double>(rows, 2, 0, 1);
      kt::shared w(numbers<double>(columns, 3)), v(numbers<double>(columns, 3));
      kt::shared b(0.5), c(0.5);
      auto direct = kt::function(logistic_step, w, b);
      check_direct(direct);
      auto in_frame = kt::function(logistic_step, v, c);
      auto const other_layout = by_columns(x);
      for (int k = 0; k < 20; ++k) CHECK(close(direct(x, y), in_frame(other_layout, strided(y)), 1e-12));
      CHECK(close(b.get_value(), c.get_value(), 1e-12, 1e-15));
      vec<double> const expected = v.get_value();
      CHECK(mismatch(
                w.get_value(), [&](I i) { return expected(i); }, 1e-12, 1e-15) == "");
      check_past_frame(direct);
    }
}

TEST_CASE("new values are made of old ones, whatever is bound to what") {
  kt::shared a(vec<double>{1, 2, 3}), b(vec<double>{4, 5, 6});
  auto step = kt::function(
      [](kt::dvector u, kt::dvector v) { return kt::outputs(sum(u + v)).update(u, u + v).update(v, u - v); }, a, b);
  check_direct(step);
  CHECK(step() == 21);
  CHECK((a.get_value() == vec<double>{5, 7, 9}));
  CHECK((b.get_value() == vec<double>{-3, -3, -3}));
  check_past_frame(step);

  // One variable bound twice: each update sees the old value.
  kt::shared c(vec<double>{1, 2});
  auto twice = kt::function([](kt::dvector u, kt::dvector v) { return kt::outputs(sum(v)).update(u, u + 10 * v); }, c, c);
  CHECK(twice() == 3);
  CHECK((c.get_value() == vec<double>{11, 22}));

  // An argument and a target that lie in the variable.
  kt::shared w(vec<double>{1, 2, 3});
  auto shift = kt::function([](kt::dvector x, kt::dvector v) { return kt::outputs(2 * x).update(v, v + x); }, w);
  CHECK((shift(w.storage()) == vec<double>{2, 4, 6}));
  CHECK((w.get_value() == vec<double>{2, 4, 6}));
  check_in_frame(shift);
  vec<double> y;
  shift.into(y, vec<double>{1, 1, 1});
  CHECK((y == vec<double>{2, 2, 2}));
  CHECK((w.get_value() == vec<double>{3, 5, 7}));
  CHECK_THROWS_AS(shift(vec<double>{1, 1}), kt::shape_error);
  CHECK((w.get_value() == vec<double>{3, 5, 7}));

  // A variable that changes its extents.
  kt::shared s(vec<double>{1, 2, 3});
  auto shrink = kt::function([](kt::dvector v) { return kt::outputs().update(v, v(kt::slice(1, kt::none)) + 1); }, s);
  shrink();
  CHECK((s.get_value() == vec<double>{3, 4}));
  shrink();
  CHECK((s.get_value() == vec<double>{5}));

  // Scalars, counted and exchanged.
  kt::shared n(std::int64_t{0});
  kt::shared p(1.5), q(2.5);
  auto count =
      kt::function([](kt::dvector x, kt::lscalar k, kt::dscalar g,
                      kt::dscalar h) { return kt::outputs(x * g).update(k, k + 1).update(g, h + sum(x)).update(h, g * 1.); },
                   n, p, q);
  CHECK((count(vec<double>{1, 2}) == vec<double>{1.5, 3}));
  CHECK((n.get_value() == 1 && p.get_value() == 5.5 && q.get_value() == 1.5));
}

TEST_CASE("copies of a function, one a thread") {
  auto f = kt::function([](kt::dvector v) {
    auto const cost = sum(100 * sqr(v(kt::slice(1, kt::none)) - sqr(v(kt::slice(kt::none, -1)))));
    return std::tuple(cost, grad(cost, v));
  });
  check_direct(f);
  bool same[4]{};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([mine = f, &same, t] {
      auto const v = numbers<double>(20 + t, t + 1);
      auto const [cost, gradient] = mine(v);
      bool all = true;
      for (int k = 0; k < 500; ++k) {
        auto const [c, g] = mine(v);
        all = all && c == cost && g == gradient;
      }
      same[t] = all;
    });
  for (auto& t : threads) t.join();
  for (bool s : same) CHECK(s);
}
