// kt::random_streams against numpy.random.RandomState of NumPy 1.24.2. All values were printed by
// Debian's python3; the expressions that made them stand next to them.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <limits>
#include <vector>

namespace kt = kroton;

namespace {

template <class A>
void require_values(A const& met, std::vector<double> const& wanted) {
  REQUIRE(met.size() == wanted.size());
  std::size_t i = 0;
  for (auto const x : met) {
    INFO("element " << i);
    CHECK(static_cast<double>(x) == Approx(wanted[i]).epsilon(1e-15));
    ++i;
  }
}

}  // namespace

TEST_CASE("random: one distribution after the other is NumPy's RandomState") {
  // r = numpy.random.RandomState(42), and then in this order
  kt::random_streams s(42);
  auto f = kt::function(
      [](kt::rng r) {
        auto const p = kt::constant({0.1, 0.2, 0.3, 0.1, 0.1, 0.2});
        return std::tuple{r.uniform(2., 5., kt::size(3)),
                          r.normal(1., 2., kt::size(3)),
                          r.exponential(2., kt::size(2)),
                          r.gamma(kt::constant({0.3, 1., 4.5}), 2., kt::size(3)),
                          r.normal(2),
                          r.poisson(kt::constant({0., 2.5, 40., 1e6})),
                          r.binomial(kt::constant({0, 10, 10, 1000, 1000}),
                                     kt::constant({0.5, 0.3, 0.9, 0.4, 0.7})),
                          r.randint(-5, 5, kt::size(4)),
                          r.randint(0, 1LL << 40, kt::size(2)),
                          r.multinomial(20, kt::constant({0.2, 0.3, 0.5}), kt::size(2)),
                          r.permutation(7),
                          r.choice(10, 3),
                          r.choice(6, kt::size(2, 2), p),
                          r.choice(6, kt::size(3), kt::replace<false>),
                          r.choice(6, kt::size(4), p, kt::replace<false>),
                          r.uniform(2)};
      },
      s, kt::mode::interpret);
  auto const y = f();
  // r.uniform(2., 5., 3)
  require_values(std::get<0>(y), {3.1236203565420873, 4.852142919229749, 4.195981825434215});
  // r.normal(1., 2., 3)
  require_values(std::get<1>(y), {-1.2237602360938409, 1.6378043693787667, 1.5580825844002755});
  // r.exponential(2., 2)
  require_values(std::get<2>(y), {2.4625001234091806, 0.041598615998277244});
  // r.gamma([0.3, 1., 4.5], 2., 3)
  require_values(std::get<3>(y), {5.992612893893095, 0.477375250497894, 13.176951044787772});
  // r.normal(size=2)
  require_values(std::get<4>(y), {-0.5713801657541415, -0.9240828377471049});
  // r.poisson([0., 2.5, 40., 1e6])
  require_values(std::get<5>(y), {0, 2, 42, 999385});
  // r.binomial([0, 10, 10, 1000, 1000], [0.5, 0.3, 0.9, 0.4, 0.7])
  require_values(std::get<6>(y), {0, 4, 10, 405, 715});
  // r.randint(-5, 5, 4)
  require_values(std::get<7>(y), {-1, 3, 1, -4});
  // r.randint(0, 1 << 40, 2)
  require_values(std::get<8>(y), {566687441496, 255822374925});
  // r.multinomial(20, [0.2, 0.3, 0.5], 2)
  require_values(std::get<9>(y), {6, 4, 10, 2, 8, 10});
  // r.permutation(7)
  require_values(std::get<10>(y), {1, 4, 2, 0, 5, 3, 6});
  // r.choice(10, 3)
  require_values(std::get<11>(y), {0, 3, 1});
  // r.choice(6, (2, 2), p=[0.1, 0.2, 0.3, 0.1, 0.1, 0.2])
  require_values(std::get<12>(y), {3, 2, 2, 2});
  // r.choice(6, 3, replace=False)
  require_values(std::get<13>(y), {0, 3, 1});
  // r.choice(6, 4, replace=False, p=[0.1, 0.2, 0.3, 0.1, 0.1, 0.2])
  require_values(std::get<14>(y), {2, 5, 4, 1});
  // r.random_sample(2)
  require_values(std::get<15>(y), {0.5704439744053994, 0.5208342600258237});
}

TEST_CASE("random: sums of many draws are NumPy's") {
  // r = numpy.random.RandomState(7), and then the sums of these, in this order
  kt::random_streams s(7);
  auto f = kt::function(
      [](kt::rng r) {
        auto const n = kt::size(1000);
        return std::tuple{sum(r.normal(n)),                 // r.normal(size=1000)
                          sum(r.exponential(n)),            // r.exponential(size=1000)
                          sum(r.gamma(0.5, n)),             // r.gamma(0.5, size=1000)
                          sum(r.gamma(3., n)),              // r.gamma(3., size=1000)
                          sum(r.poisson(3., n)),            // r.poisson(3., 1000)
                          sum(r.poisson(30., n)),           // r.poisson(30., 1000)
                          sum(r.poisson(1e4, n)),           // r.poisson(1e4, 1000)
                          sum(r.binomial(20, 0.3, n)),      // r.binomial(20, 0.3, 1000)
                          sum(r.binomial(200, 0.7, n)),     // r.binomial(200, 0.7, 1000)
                          sum(r.binomial(100000, 0.4, n)),  // r.binomial(100000, 0.4, 1000)
                          sum(r.randint(0, 1000003, n)),    // r.randint(0, 1000003, 1000)
                          [&] {  // r.permutation(1000) * numpy.arange(1000)
                            auto const p = r.permutation(1000);
                            return sum(p * arange(p.shape(0)));
                          }(),
                          sum(r.uniform(n))};  // r.random_sample(1000)
      },
      s, kt::mode::interpret);
  auto const y = f();
  std::vector<double> const met =
      std::apply([](auto... v) { return std::vector<double>{static_cast<double>(v)...}; }, y);
  std::vector<double> const wanted{-28.475026571171398,
                                   972.7249901252839,
                                   521.961676801317,
                                   2890.1388668350974,
                                   2967,
                                   29815,
                                   10002446,
                                   5988,
                                   140369,
                                   40002489,
                                   495735110,
                                   252221841,
                                   501.6870066508014};
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    INFO("sum " << k);
    CHECK(met[k] == Approx(wanted[k]).epsilon(1e-13));
  }
}

TEST_CASE("random: no trials draw nothing, at borders numbers are NumPy's") {
  // r = numpy.random.RandomState(42), and then in this order
  kt::random_streams s(42);
  auto f = kt::function(
      [](kt::lvector n, kt::dvector p, kt::dvector a, kt::rng r) {
        return std::tuple{r.multinomial(0, kt::constant({0.25, 0.75}), kt::size(3)),
                          r.uniform(2),
                          r.binomial(n, p),
                          r.gamma(a, 1.7),
                          r.poisson(10 * a),
                          r.randint(std::numeric_limits<std::int64_t>::min(), 0, kt::size(2)),
                          r.randint(0, 1LL << 32, kt::size(2)),
                          r.uniform(0, 3),
                          r.normal(3)};
      },
      s, kt::mode::interpret);
  xt::xtensor<std::int64_t, 1> const n{0, 5, 5, 40, 60, 61, 59, 1000000000000, 3000000000};
  xt::xtensor<double, 1> const p{0.5, 0, 1, 0.75, 0.5, 0.5, 0.51, 0.9999, 0.1},
      a{0, 0.001, 0.999, 1, 1.001, 1e8};
  auto const y = f(n, p, a);
  // r.multinomial(0, [0.25, 0.75], 3)
  require_values(std::get<0>(y), {0, 0, 0, 0, 0, 0});
  // r.random_sample(2)
  require_values(std::get<1>(y), {0.3745401188473625, 0.9507143064099162});
  // r.binomial(n, p)
  require_values(std::get<2>(y), {0, 0, 5, 33, 24, 23, 28, 999900020686, 299991348});
  // r.gamma(a, 1.7)
  require_values(std::get<3>(y), {0.0, 0.0, 0.6154398758520199, 0.9614130135265723,
                                  2.6888108597285103, 169974094.85730696});
  // r.poisson(10 * a)
  require_values(std::get<4>(y), {0, 0, 8, 13, 5, 999994672});
  // r.randint(-2**63, 0, 2)
  CHECK((std::get<5>(y) == xt::xtensor<std::int64_t, 1>{-88970295497702649, -8589015751721902046}));
  // r.randint(0, 2**32, 2)
  require_values(std::get<6>(y), {3905501389, 1679592528});
  // r.random_sample((0, 3)), r.normal(size=3)
  CHECK(std::get<7>(y).size() == 0);
  require_values(std::get<8>(y), {0.822544912103189, -1.2208436499710222, 0.2088635950047554});
}
