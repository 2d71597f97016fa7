// Loops of numbers, next to the same loops written by hand, and loops that need not be loops, next to the expressions that say so.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/recurrence.hpp"
#include "harness/matrices.hpp"

#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

using vec = xt::xtensor<double, 1>;
constexpr std::size_t steps = 1'000'000;

vec noise(std::size_t n = steps) {
  vec x = vec::from_shape({n});
  bench::fill(x);
  return x - 0.5;
}

// ---- recurrences ---------------------------------------------------------------------------------

constexpr auto rational_ar = [](kt::dvector e, kt::dscalar a, kt::dscalar x) {
  return scan([&](auto e, auto x) { return a * x / (1 + x * x) + e; }, kt::sequences(e), kt::outputs_info(x));
};
constexpr auto tanh_ar = [](kt::dvector e, kt::dscalar a, kt::dscalar x) {
  return scan([&](auto e, auto x) { return tanh(a * x + e); }, kt::sequences(e), kt::outputs_info(x));
};
constexpr auto ar2 = [](kt::dvector e, kt::dscalar a, kt::dscalar b, kt::dvector x) {
  return scan([&](auto e, auto first, auto second) { return a * second + b * first + e; }, kt::sequences(e),
              kt::outputs_info(kt::taps<-2, -1>(x)));
};
constexpr auto horner = [](kt::dvector c, kt::dscalar x) {
  return scan([&](auto c, auto sum) { return c + x * sum; }, kt::sequences(c), kt::outputs_info(0), kt::go_backwards);
};
constexpr auto lorenz = [](kt::dvector s, kt::dvector p, kt::dscalar h, kt::lscalar n) {
  auto rates = [&](auto x, auto y, auto z) { return std::tuple(p(0) * (y - x), x * (p(1) - z) - y, x * y - p(2) * z); };
  return scan(
      [&](kt::dscalar x, kt::dscalar y, kt::dscalar z) {
        auto [x1, y1, z1] = rates(x, y, z);
        auto [x2, y2, z2] = rates(x + h / 2 * x1, y + h / 2 * y1, z + h / 2 * z1);
        auto [x3, y3, z3] = rates(x + h / 2 * x2, y + h / 2 * y2, z + h / 2 * z2);
        auto [x4, y4, z4] = rates(x + h * x3, y + h * y3, z + h * z3);
        return std::tuple(x + h / 6 * (x1 + 2 * (x2 + x3) + x4), y + h / 6 * (y1 + 2 * (y2 + y3) + y4),
                          z + h / 6 * (z1 + 2 * (z2 + z3) + z4));
      },
      kt::outputs_info(s(0), s(1), s(2)), kt::n_steps(n));
};

/// A case of a table about recurrences.
bench::contest contest(bench::program& p, std::string const& table, char const* name) {
  bench::contest c(p, "recurrences, " + table, bench::nanoseconds("a step"), name, static_cast<double>(steps));
  c.tolerance(1e-9);
  return c;
}

constexpr char const* tables[] = {"the last value", "all values", "gradients"};

/// The case of one of these tables: a loop of one state, and the gradient of a function of it. `by_hand(all)` gives the last
/// value, `gradient_by_hand(all, of_sequence)` the derivatives by the numbers, in the order of the parameters.
template <class... P, class Loop, class Gradient, class ByHand, class GradientByHand, class... A>
void recurrence(bench::program& p, std::string const& table, char const* name, Loop, Gradient, ByHand by_hand,
                GradientByHand gradient_by_hand, A const&... arguments) {
  auto c = contest(p, table, name);
  if (!c) return;
  vec all = noise(), of = noise();
  if (table == tables[0]) {
    double last = 0, found = 0;
    c.add("by hand", [&] { last = by_hand(nullptr); }, last);
    auto f = kt::function<P...>([](P... x) { return Loop{}(x...)(-1); });
    c.add("Kroton", [&] { found = f(arguments...); }, found);
    c.measure();
    return;
  }
  if (table == tables[1]) {
    c.output(all);
    c.add("by hand", [&] { by_hand(all.data()); });
    auto f = kt::function<P...>(Loop{});
    c.add("Kroton", [&] { f.into(all, arguments...); });
    c.measure();
    return;
  }
  auto numbers = gradient_by_hand(all.data(), of.data());
  c.add("by hand", [&] { numbers = gradient_by_hand(all.data(), of.data()); }, [&] { return std::tie(of, numbers); });
  auto f = kt::function<P...>(Gradient{});
  auto found = f(arguments...);
  c.add("Kroton", [&] { std::apply([&](auto&... g) { f.into(std::tie(g...), arguments...); }, found); }, found);
  c.measure();
}

void recurrences(bench::program& p, std::string const& table) {
  vec const e = noise(), two{0.3, 0.4};
  std::size_t const n = e.size();
  double const a = 0.9, b = -0.3, x = 0.3, near_one = 0.999999;
  using rational = decltype(rational_ar);
  recurrence<kt::dvector, kt::dscalar, kt::dscalar>(
      p, table, "a x / (1 + x^2) + e", rational{}, [](auto... x) { return grad(sum(sqr(rational{}(x...))), x...); },
      [&](double* all) { return hand::rational_ar(e.data(), n, a, x, all); },
      [&](double* all, double* of) { return hand::rational_ar_gradient(e.data(), n, a, x, all, of); }, e, a, x);
  using squashed = decltype(tanh_ar);
  recurrence<kt::dvector, kt::dscalar, kt::dscalar>(
      p, table, "tanh(a x + e)", squashed{}, [](auto... x) { return grad(sum(sqr(squashed{}(x...))), x...); },
      [&](double* all) { return hand::tanh_ar(e.data(), n, a, x, all); },
      [&](double* all, double* of) { return hand::tanh_ar_gradient(e.data(), n, a, x, all, of); }, e, a, x);
  using taps = decltype(ar2);
  recurrence<kt::dvector, kt::dscalar, kt::dscalar, kt::dvector>(
      p, table, "two taps", taps{}, [](auto... x) { return grad(sum(sqr(taps{}(x...))), x...); },
      [&](double* all) { return hand::ar2(e.data(), n, a, b, two(0), two(1), all); },
      [&](double* all, double* of) { return hand::ar2_gradient(e.data(), n, a, b, two(0), two(1), all, of); }, e, a, b, two);
  using polynomial = decltype(horner);
  recurrence<kt::dvector, kt::dscalar>(
      p, table, "Horner", polynomial{}, [](auto... x) { return grad(polynomial{}(x...)(-1), x...); },
      [&](double* all) { return hand::horner(e.data(), n, near_one, all); },
      [&](double* all, double* of) { return hand::horner_gradient(e.data(), n, near_one, all, of); }, e, near_one);
}

void lorenz_system(bench::program& p, std::string const& table) {
  auto c = contest(p, table, "Lorenz");
  if (!c) return;
  // Parameters without chaos, in which rounding would decide.
  vec const start{1, 2, 3}, parameters{10, 10, 8. / 3};
  hand::triple const s{1, 2, 3}, q{10, 10, 8. / 3};
  double const h = 0.001;
  auto const n = static_cast<std::int64_t>(steps);
  vec x = noise(), y = x, z = x;
  if (table == tables[0]) {
    hand::triple last{};
    c.add("by hand", [&] { last = hand::lorenz(s, q, h, steps, nullptr, nullptr, nullptr); }, last);
    auto f = kt::function([](kt::dvector s, kt::dvector p, kt::dscalar h, kt::lscalar n) {
      auto [x, y, z] = lorenz(s, p, h, n);
      return std::tuple(x(-1), y(-1), z(-1));
    });
    auto found = f(start, parameters, h, n);
    c.add("Kroton", [&] { found = f(start, parameters, h, n); }, found);
    c.measure();
  } else if (table == tables[1]) {
    auto all = [&] { return std::tie(x, y, z); };
    c.add("by hand", [&] { hand::lorenz(s, q, h, steps, x.data(), y.data(), z.data()); }, all);
    auto f = kt::function(lorenz);
    c.add("Kroton", [&] { f.into(std::tie(x, y, z), start, parameters, h, n); }, all);
    c.measure();
  } else {
    auto of = hand::lorenz_gradient(s, q, h, steps, x.data(), y.data(), z.data());
    c.add("by hand", [&] { of = hand::lorenz_gradient(s, q, h, steps, x.data(), y.data(), z.data()); }, of);
    auto f = kt::function([](kt::dvector s, kt::dvector p, kt::dscalar h, kt::lscalar n) {
      return grad(sum(std::get<0>(lorenz(s, p, h, n))), s, p);
    });
    auto found = f(start, parameters, h, n);
    c.add("Kroton", [&] { found = f(start, parameters, h, n); }, found);
    c.measure();
  }
}

// ---- gradients that store less ---------------------------------------------------------------------

/// The gradient of the end of a loop by its parameter.
template <class Option>
constexpr auto end_by_rate(Option option, kt::dscalar rate, kt::lscalar n) {
  auto x = scan([=](auto x) { return x + 1e-5 * rate * x * (1 - x); }, kt::outputs_info(0.1), kt::n_steps(n), option);
  return grad(x(-1), rate);
}

void less_memory(bench::program& p) {
  constexpr std::int64_t n = 1'000'000;
  bench::contest c(p, "gradients that store less", bench::nanoseconds("a step"), "a million steps", static_cast<double>(n));
  if (!c) return;
  auto all = kt::function([](kt::dscalar rate, kt::lscalar n) { return end_by_rate(kt::unroll(1), rate, n); });
  auto root = kt::function([](kt::dscalar rate, kt::lscalar n) { return end_by_rate(kt::checkpoint, rate, n); });
  auto few = kt::function([](kt::dscalar rate, kt::lscalar n) { return end_by_rate(kt::snapshots(20), rate, n); });
  double one = 0, two = 0, three = 0;
  c.add("Kroton, all states", [&] { one = all(0.5, n); }, one);
  c.add("Kroton, kt::checkpoint", [&] { two = root(0.5, n); }, two);
  c.add("Kroton, kt::snapshots(20)", [&] { three = few(0.5, n); }, three);
  c.measure();
}

// ---- arrays that a loop fills ------------------------------------------------------------------------

void filled_arrays(bench::program& p) {
  constexpr std::size_t n = 20'000;
  bench::contest c(p, "arrays that a loop fills", bench::nanoseconds("an element"), "x(i + 1) from x(i)", static_cast<double>(n));
  if (!c) return;
  vec const start = noise(n + 1);
  vec by_hand = start, found = start;
  auto f = kt::function([](kt::dvector x, kt::dscalar a) {
    return foldl([=](auto i, auto x) { return set_subtensor(x(i + 1), a * x(i) + 1); }, kt::sequences(kt::arange(x.shape(0) - 1)),
                 kt::outputs_info(x));
  });
  c.add("by hand", [&] {
    by_hand = start;
    for (std::size_t i = 0; i < n; ++i) by_hand(i + 1) = 0.9 * by_hand(i) + 1;
  }, by_hand);
  c.add("Kroton", [&] { f.into(found, start, 0.9); }, found);
  c.measure();
}

// ---- loops that need not be loops ----------------------------------------------------------------

template <class... P, class Without, class With, class... A>
void needless(bench::program& p, char const* name, std::size_t items, Without, With, A const&... arguments) {
  bench::contest c(p, "loops that need not be loops", bench::nanoseconds("an element"), name, static_cast<double>(items));
  if (!c) return;
  auto without = kt::function<P...>(Without{}), with = kt::function<P...>(With{});
  auto one = without(arguments...), other = with(arguments...);
  c.add("by hand, without a loop", [&] { without.into(one, arguments...); }, one);
  c.add("Kroton, a loop", [&] { with.into(other, arguments...); }, other);
  c.measure();
}

void needless_loops(bench::program& p) {
  vec const x = noise(100'000);
  bench::matrix<double> m = bench::matrix<double>::from_shape({1000, 100}), w = bench::matrix<double>::from_shape({100, 100});
  bench::fill(m);
  bench::fill(w, 0.1);
  needless<kt::dvector>(
      p, "map, numbers", x.size(), [](auto x) { return exp(x) * x; },
      [](auto x) { return map([](auto e) { return exp(e) * e; }, kt::sequences(x)); }, x);
  needless<kt::dmatrix, kt::dmatrix>(
      p, "map, products of rows", m.size(), [](auto x, auto w) { return tanh(dot(x, w)); },
      [](auto x, auto w) { return map([&](auto row) { return tanh(dot(row, w)); }, kt::sequences(x)); }, m, w);
  needless<kt::dvector>(
      p, "sums so far", x.size(), [](auto x) { return cumsum(x); },
      [](auto x) { return scan([](auto e, auto s) { return s + e; }, kt::sequences(x), kt::outputs_info(0)); }, x);
  needless<kt::dvector>(
      p, "products so far", x.size(), [](auto x) { return cumprod(1 + 1e-6 * x); },
      [](auto x) { return scan([](auto e, auto s) { return s * (1 + 1e-6 * e); }, kt::sequences(x), kt::outputs_info(1)); }, x);
  needless<kt::dvector>(
      p, "sum", x.size(), [](auto x) { return sum(sqr(x)) + zeros_like(x)(kt::slice(0, 1)); },
      [](auto x) {
        return foldl([](auto e, auto s) { return s + e * e; }, kt::sequences(x), kt::outputs_info(0)) +
               zeros_like(x)(kt::slice(0, 1));
      }, x);
}

// ---- what a step costs ---------------------------------------------------------------------------

template <std::size_t N>
void small_vectors(bench::program& p) {
  constexpr std::size_t n = 10'000;
  bench::contest c(p, "a state of a short vector, s / 2 + x", bench::nanoseconds("a step"), std::to_string(N) + " elements",
                   static_cast<double>(n));
  if (!c) return;
  bench::matrix<double> x = bench::matrix<double>::from_shape({n, N}), all = x;
  bench::fill(x);
  vec const start = noise(N);
  c.output(all);
  c.add("by hand", [&] {
    double s[N];
    std::copy(start.begin(), start.end(), s);
    for (std::size_t t = 0; t < n; ++t)
      for (std::size_t i = 0; i < N; ++i) all.data()[t * N + i] = s[i] = s[i] / 2 + x.data()[t * N + i];
  });
  auto f = kt::function([](kt::dmatrix x, kt::dvector start) {
    return scan([](auto x, auto s) { return s / 2 + x; }, kt::sequences(x), kt::outputs_info(start));
  });
  c.add("Kroton", [&] { f.into(all, x, start); });
  c.measure();
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("scan", "scan: loops of numbers and of short vectors", argc, argv);
  for (char const* table : tables) {
    recurrences(p, table);
    lorenz_system(p, table);
  }
  less_memory(p);
  filled_arrays(p);
  needless_loops(p);
  small_vectors<4>(p);
  small_vectors<8>(p);
  small_vectors<64>(p);
  return p.finish();
}
