// Incomplete gamma functions and their derivatives against values of 40 digits and more, computed by mpmath from series and
// integrals; scalars, batches and constants; the edges are SciPy's.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include <kroton/cpu/simd/math.hpp>

namespace math = kroton::math;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();

struct row {
  double a, x, lower, upper;
};
constexpr row rows[] = {{0.5, 0.25, 0.5204998778130465, 0.4795001221869535},
                        {1e-10, 0.5, 0.9999999999440227, 5.597735948054988e-11},
                        {0.001, 1.25, 0.9998534120847282, 0.0001465879152717495},
                        {0.03, 0.01, 0.8852733436516289, 0.11472665634837109},
                        {2.5, 1.0, 0.15085496391539036, 0.8491450360846097},
                        {1.0, 3.0, 0.950212931632136, 0.049787068367863944},
                        {9.5, 9.75, 0.5747910615344998, 0.42520893846550023},
                        {10.0, 2.0, 4.6498075017263805e-05, 0.9999535019249828},
                        {3.0, 60.0, 1.0, 1.6295866529378224e-23},
                        {45.0, 44.0, 0.4600209917001805, 0.5399790082998195},
                        {48.0, 70.0, 0.9977140253664275, 0.0022859746335725183},
                        {50.0, 50.0, 0.5188083154720433, 0.48119168452795674},
                        {60.0, 80.0, 0.9914024627419686, 0.008597537258031338},
                        {100.0, 71.0, 0.0006733406012244161, 0.9993266593987756},
                        {100.0, 125.0, 0.9906208683311739, 0.009379131668826096},
                        {300.0, 600.0, 1.0, 2.398972311336745e-42},
                        {1000.0, 1003.0, 0.5419359483174725, 0.4580640516825275},
                        {1e6, 1001500.0, 0.9331388957641022, 0.06686110423589776},
                        {1e6, 996000.0, 3.100711821108297e-05, 0.9999689928817889},
                        {1e-300, 2.0, 1.0, 4.890051070806112e-302},
                        {1e12, 1000002000000.0, 0.9772498140608813, 0.022750185939118726}};

/// Within the documented bound.
bool is_near(double got, double exact) {
  return std::fabs(got / exact - 1) <= 5 * (4 + std::fabs(std::log(exact))) * 0x1p-52;
}
bool same(double a, double b) { return std::isnan(b) ? std::isnan(a) : a == b; }

struct slope {
  int n;
  double a, x, exact;
};
constexpr slope slopes[] = {{1, 0.5, 0.25, -0.797947316783223},    {1, 0.001, 1.25, -0.14676244892833087},
                            {1, 3.0, 2.0, -0.2318486720439896},    {1, 0.75, 8.0, -0.000518503218227694},
                            {1, 30.0, 29.5, -0.073345169841069},   {1, 100.0, 112.0, -0.019350799568512905},
                            {2, 0.5, 0.25, 0.8096615461928606},    {2, 4.0, 6.5, -0.0444213672930081},
                            {2, 40.0, 35.0, 0.006425566137503976}, {3, 2.0, 1.0, -0.018225527636374503},
                            {8, 6.0, 9.0, 0.0032519714213177786},  {1, 1e12, 1e12 + 1e6, -2.4197068419070273e-07},
                            {1, 0, 2, -0.0489005107080611}};
constexpr slope densities[] = {{0, 0.5, 0.25, 0.8787825789354448},      {0, 30.0, 28.0, 0.07257693030180906},
                               {0, 1000.0, 1020.0, 0.010152098590888546}, {1, 3.0, 2.0, -0.0621560187022413},
                               {2, 0.25, 0.5, -1.3240269334081587},     {5, 40.0, 35.0, -4.024582569928513e-05},
                               {0, 2, 1e-200, 1e-200},                  {0, 1, 0, 1}};

}  // namespace

TEST_CASE("incomplete gamma functions, also where they are small", "[math][simd]") {
  using batch = xsimd::batch<double>;
  for (row const& r : rows) {
    CAPTURE(r.a, r.x, math::gammainc(r.a, r.x), math::gammaincc(r.a, r.x));
    CHECK(is_near(math::gammainc(r.a, r.x), r.lower));
    CHECK(is_near(math::gammaincc(r.a, r.x), r.upper));
    CHECK(math::gammainc(batch(r.a), batch(r.x)).get(0) == math::gammainc(r.a, r.x));
    CHECK(math::gammaincc(batch(r.a), batch(r.x)).get(1) == math::gammaincc(r.a, r.x));
    float const a = static_cast<float>(r.a), x = static_cast<float>(r.x);
    CHECK(math::gammainc(a, x) == static_cast<float>(math::gammainc(double(a), double(x))));
  }
  constexpr double constants[] = {math::gammainc(0.5, 0.25), math::gammaincc(0.03, 0.01), math::gammaincc(1.0, 3.0),
                                  math::gammainc(50.0, 50.0)};
  CHECK(is_near(constants[0], rows[0].lower));
  CHECK(is_near(constants[1], rows[3].upper));
  CHECK(is_near(constants[2], rows[5].upper));
  CHECK(is_near(constants[3], rows[11].lower));
}

TEST_CASE("incomplete gamma functions at the edges", "[math]") {
  struct border {
    double a, x, lower;
  };
  for (border const& e : {border{0, 0, not_a_number}, {0, 3, 1}, {0, inf, 1}, {2, 0, 0}, {2, inf, 1}, {inf, 0, 0}, {inf, 3, 0}, {inf, inf, not_a_number},
                        {-1, 3, not_a_number}, {2, -1, not_a_number}, {not_a_number, 3, not_a_number}, {3, not_a_number, not_a_number}, {2, 5e-324, 0}, {5, 1e300, 1}, {1e300, 5, 0}}) {
    CAPTURE(e.a, e.x);
    CHECK(same(math::gammainc(e.a, e.x), e.lower));
    CHECK(same(math::gammaincc(e.a, e.x), 1 - e.lower));
  }
  STATIC_REQUIRE(math::gammaincc(2.0, inf) == 0);
  STATIC_REQUIRE(math::gammainc(2.f, 0.f) == 0);
}

TEST_CASE("derivatives of incomplete gamma functions by the parameter", "[math]") {
  for (slope const& s : slopes) {
    CAPTURE(s.n, s.a, s.x, math::gammainc_by_a(double(s.n), s.a, s.x));
    CHECK(math::gammainc_by_a(double(s.n), s.a, s.x) == Approx(s.exact).epsilon(s.n < 8 ? 1e-14 : 1e-12).margin(0));
  }
  for (slope const& s : densities) {
    CAPTURE(s.n, s.a, s.x, math::gamma_density(double(s.n), s.a, s.x));
    CHECK(math::gamma_density(double(s.n), s.a, s.x) == Approx(s.exact).epsilon(1e-14).margin(0));
  }
  for (double zero : {math::gammainc_by_a(1., 2., 0.), math::gammainc_by_a(1., 2., inf), math::gammainc_by_a(2., inf, 3.),
                      math::gamma_density(0., 2., 0.), math::gamma_density(1., 2., inf), math::gammainc_by_a(1., 2., 900.)})
    CHECK(zero == 0);
  CHECK(math::gamma_density(0., 0.5, 0.) == inf);
  for (double none : {math::gammainc_by_a(1., -2., 3.), math::gammainc_by_a(9., 2., 3.), math::gamma_density(0., not_a_number, 3.)})
    CHECK(std::isnan(none));
  constexpr double constants[] = {math::gammainc_by_a(1., 3., 2.), math::gammainc_by_a(1., 30., 29.5)};
  CHECK(constants[0] == Approx(slopes[2].exact).epsilon(1e-14));
  CHECK(constants[1] == Approx(slopes[4].exact).epsilon(1e-14));
}
