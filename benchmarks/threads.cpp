// Large loops and reductions on one thread and on all processors, by the wall clock.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/loop.hpp"
#include "hand/reduce.hpp"
#include "harness/contest.hpp"

#include <kroton/kroton.hpp>

#include <omp.h>

#include <cstdio>

namespace kt = kroton;

namespace {

using vec = xt::xtensor<double, 1>;

vec filled(std::size_t n) {
  vec x = vec::from_shape({n});
  for (std::size_t i = 0; i < n; ++i) x(i) = std::sin(static_cast<double>(i));
  return x;
}

/// The same task with one thread and with all, for Kroton and by hand; `task(threads)` does it.
template <class Kroton, class Hand, class... Values>
void add_both(bench::contest& c, Kroton kroton, Hand by_hand, Values&... values) {
  int const all = omp_get_num_procs();
  auto add = [&](char const* who, auto task) {
    for (int threads : {1, all})
      c.add(
          std::string(who) + (threads == 1 ? ", one thread" : ", " + std::to_string(threads) + " threads"),
          [task, threads] {
            omp_set_num_threads(threads);
            task(threads);
          },
          values...);
  };
  add("Kroton", kroton);
  add("by hand", by_hand);
}

/// Calls part(begin, count) on as many threads.
template <class Part>
void share(std::size_t n, int threads, Part part) {
  std::size_t const each = (n / static_cast<std::size_t>(threads) + 7) / 8 * 8;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) {
    std::size_t const begin = std::min(n, each * static_cast<std::size_t>(t)),
                      end = t + 1 == threads ? n : std::min(n, begin + each);
    part(t, begin, end - begin);
  }
}

template <class Formula, class Hand>
void loop(bench::program& p, std::string const& text, Formula f, Hand by_hand) {
  for (std::size_t n : {std::size_t{100'000}, std::size_t{1'000'000}, std::size_t{10'000'000}}) {
    bench::contest c(p, text, bench::nanoseconds("an element"),
                     n == 100'000     ? "1e5"
                     : n == 1'000'000 ? "1e6"
                                      : "1e7",
                     static_cast<double>(n));
    if (!c) continue;
    vec const a = filled(n), b = filled(n);
    vec y = a;
    c.output(y);
    double const *const pa = a.data(), *const pb = b.data();
    add_both(
        c, [&](int) { f.into(y, a, b); },
        [&](int threads) {
          share(n, threads, [&](int, std::size_t begin, std::size_t count) {
            if (n >= 2'000'000)
              hand::streaming_loop(y.data() + begin, pa + begin, pb + begin, count, by_hand);
            else
              hand::loop(y.data() + begin, pa + begin, pb + begin, count, by_hand);
          });
        });
    c.measure();
  }
}

/// A sum whose value may not depend on anything but the number of threads.
bool sums(bench::program& p) {
  bool same = true;
  for (std::size_t n : {std::size_t{100'000}, std::size_t{1'000'000}, std::size_t{10'000'000}}) {
    bench::contest c(p, "sum of squares", bench::nanoseconds("an element"),
                     n == 100'000     ? "1e5"
                     : n == 1'000'000 ? "1e6"
                                      : "1e7",
                     static_cast<double>(n));
    if (!c) continue;
    vec const x = filled(n);
    auto f = kt::function([](kt::dvector v) { return sum(v * v); });
    double result = 0;
    add_both(
        c, [&](int) { result = f(x); },
        [&](int threads) {
          std::vector<double> parts(8 * static_cast<std::size_t>(threads));
          share(n, threads, [&](int t, std::size_t begin, std::size_t count) {
            parts[8 * static_cast<std::size_t>(t)] = hand::dot(x.data() + begin, x.data() + begin, count);
          });
          result = 0;
          for (double part : parts) result += part;
        },
        result);
    c.measure();
    double const first = f(x);
    for (int i = 0; i < 20; ++i) same = same && f(x) == first;
  }
  if (!same) std::fprintf(stderr, "WRONG: a sum on several threads is not the same at each call\n");
  return same;
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("threads", "threads: large loops and reductions on all processors", argc, argv, "Kroton, one thread", true);
  using batch = xsimd::batch<double>;
  loop(p, "2*a + 3*b", kt::function([](kt::dvector a, kt::dvector b) { return 2 * a + 3 * b; }),
       [](batch a, batch b) { return xsimd::fma(a, batch(2.0), b * 3.0); });
  loop(p, "tanh(a)*exp(-b*b) + log(1 + exp(a))",
       kt::function([](kt::dvector a, kt::dvector b) { return tanh(a) * exp(-b * b) + log(1 + exp(a)); }),
       [](batch a, batch b) { return xsimd::fma(hand::tanh(a), hand::exp(-b * b), hand::log(hand::exp(a) + batch(1.0))); });
  bool const same = sums(p);
  int const status = p.finish();
  return same ? status : 1;
}
