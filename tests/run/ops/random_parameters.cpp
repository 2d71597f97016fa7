// Numbers of Philox by their definition; parameters of distributions.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <cmath>

namespace kt = kroton;

namespace {

using numbers = xt::xtensor<double, 1>;

/// Python: two blocks of Philox4x32-10 for the key (42, 0), by the definition in Salmon et al.,
/// 2011:
///   def philox(c, k):
///     for _ in range(10):
///       a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
///       c = [(b >> 32) ^ c[1] ^ k[0], b & M, (a >> 32) ^ c[3] ^ k[1], a & M]; k = [(k[0] +
///       0x9E3779B9) & M, (k[1] + 0xBB67AE85) & M]
///     return c
///   high, low = philox([0, 0, 0, 0], [42, 0]), philox([1, 0, 0, 0], [42, 0])
///   [((h >> 5) * 2**26 + (l >> 6)) / 2**53 for h, l in zip(high, low)], [(h >> 8) / 2**24 for h in
///   high]
constexpr double first_doubles[] = {0.6129598840156096, 0.4685865143467737, 0.0732317381643216,
                                    0.3408615473979383};
constexpr float first_floats[] = {0.6129598617553711f, 0.4685865044593811f, 0.07323169708251953f,
                                  0.3408614993095398f};

}  // namespace

TEST_CASE("random: numbers of Philox are functions of seed, draw and position") {
  kt::philox_streams s(42), t(42);
  auto f = kt::function(
      [](kt::lscalar n, kt::rng r) { return std::pair{r.uniform(n), r.uniform<float>(n)}; }, s,
      kt::mode::interpret);
  auto const few = f(4), many = kt::function(
                             [](kt::lscalar n, kt::rng r) {
                               return std::pair{r.uniform(n), r.uniform<float>(n)};
                             },
                             t, kt::mode::interpret)(1000);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK((std::get<0>(few)(i) == first_doubles[i]));
    CHECK((std::get<0>(many)(i) == std::get<0>(few)(i)));
    CHECK((std::get<1>(many)(i) == std::get<1>(few)(i)));
  }
  // A draw of doubles takes the words of two draws, one of floats those of one.
  kt::philox_streams u(42);
  auto g = kt::function([](kt::rng r) { return r.uniform<float>(4); }, u, kt::mode::interpret);
  auto const floats = g();
  for (std::size_t i = 0; i < 4; ++i) CHECK((floats(i) == first_floats[i]));
  CHECK((u.get_state()(2) == 1));
  CHECK((s.get_state()(2) == 3));
}

TEST_CASE("random: parameters that no distribution has are kt::value_error") {
  kt::philox_streams s(1);
  auto const refused = [&](auto f, auto... a) {
    auto const before = s.get_state();
    CHECK_THROWS_AS(f(a...), kt::value_error);
    CHECK((s.get_state() == before));
  };
  auto f = kt::function(
      [](kt::dscalar a, kt::dvector p, kt::lscalar n, kt::rng r) {
        return std::tuple{r.gamma(a, kt::size(2)),
                          r.poisson(a),
                          r.exponential(a, kt::size(2)),
                          r.multinomial(n + 1, p),
                          r.choice(3, kt::size(n + 3), p, kt::replace<false>),
                          r.choice(3, kt::size(2), p)};
      },
      s, kt::mode::interpret);
  numbers const p{0.2, 0.3, 0.5}, negative{0.7, 0.5, -0.2}, less{0.1, 0.2, 0.3};
  CHECK_NOTHROW(f(1., p, 0));
  refused(f, -1., p, 0);
  refused(f, std::nan(""), p, 0);
  refused(f, 1., negative, 0);
  refused(f, 1., less, 0);
  refused(f, 1., p, 1);
  refused(f, 1., p, -2);
  CHECK_THROWS_AS(kt::mrg_random_streams(0), kt::value_error);
  CHECK_THROWS_AS(kt::mrg_random_streams(2147462579u), kt::value_error);
}

TEST_CASE("random: parameters broadcast, and give extents where none are written") {
  kt::philox_streams s(8);
  auto f = kt::function(
      [](kt::dcol mean, kt::drow deviation, kt::rng r) {
        return std::tuple{r.normal(mean, deviation),
                          r.normal(mean, 1e-9, kt::size(2, 3)),
                          r.uniform(5, 6, kt::size()),
                          r.binomial(kt::constant({1, 1000}), 1.0),
                          r.multinomial(kt::constant({3, 4}), kt::constant({1., 0.})),
                          r.uniform(0, 2)};
      },
      s, kt::mode::interpret);
  auto const [a, b, c, d, e, nothing] =
      f(xt::xtensor<double, 2>{{1.}, {2.}}, xt::xtensor<double, 2>{{0., 1., 0.}});
  CHECK((a.shape()[0] == 2));
  CHECK((a.shape()[1] == 3));
  CHECK((a(1, 2) == 2));
  CHECK((a(1, 1) != 2));
  CHECK((b(1, 2) == Approx(2).margin(1e-7)));
  CHECK(c >= 5);
  CHECK(c < 6);
  CHECK((d == xt::xtensor<std::int64_t, 1>{1, 1000}));
  CHECK((e == xt::xtensor<std::int64_t, 2>{{3, 0}, {4, 0}}));
  CHECK((nothing.size() == 0));
}
