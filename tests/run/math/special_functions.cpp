// Inverse error functions, the gamma and the beta function against values of 60 digits, computed by mpmath, of scalars, batches and
// constants.
// SPDX-License-Identifier: BSD-3-Clause
#include "known_values.hpp"

namespace math = kroton::math;
using namespace known_values;

namespace {

const std::vector<row> erfinv_rows{{1e-300, 8.86226925452758e-301},
                                   {-1e-20, -8.86226925452758e-21},
                                   {1e-05, 8.862269254759594e-06},
                                   {0.1, 0.08885599049425769},
                                   {-0.25, -0.2253120550121781},
                                   {0.3, 0.2724627147267543},
                                   {0.5, 0.4769362762044699},
                                   {-0.505, -0.48251406997072055},
                                   {0.520488944033968, 0.4999875581158264},
                                   {0.6, 0.5951160814499948},
                                   {0.62, 0.6207664234092699},
                                   {0.624999, 0.6273060342411186},
                                   {0.625, 0.627307347788559},
                                   {0.63, 0.6339023948388711},
                                   {-0.7, -0.7328690779592167},
                                   {0.75, 0.8134198475976185},
                                   {0.9, 1.1630871536766743},
                                   {0.99, 1.8213863677184494},
                                   {-0.999, -2.3267537655135246},
                                   {0.9998, 2.6297417762102926},
                                   {0.99995, 2.8677613403147943},
                                   {0.9999999999, 4.572824958544925},
                                   {0.9999999999999999, 5.8635847487551676},
                                   {-0.999999999999999, -5.675915739744713}};
const std::vector<row> erfcinv_rows{{5e-324, 27.21329321081295},
                                    {1e-310, 26.644806559364763},
                                    {1e-300, 26.209469960516124},
                                    {1e-200, 21.37478304902626},
                                    {1e-100, 15.065574702592645},
                                    {1e-50, 10.592090169527365},
                                    {1e-20, 6.601580622355143},
                                    {1e-10, 4.572824967389486},
                                    {1e-05, 3.123413274340875},
                                    {0.000123, 2.7153384562960756},
                                    {0.000124, 2.713932516400305},
                                    {0.001, 2.3267537655135246},
                                    {0.1, 1.163087153676674},
                                    {0.3, 0.7328690779592169},
                                    {0.374999, 0.627308661338164},
                                    {0.375, 0.627307347788559},
                                    {0.4, 0.5951160814499948},
                                    {0.48289330663199714, 0.4961461831942983},
                                    {0.5, 0.4769362762044699},
                                    {0.75, 0.2253120550121781},
                                    {0.999, 0.0008862271574665529},
                                    {1.0000001, -8.862269259701992e-08},
                                    {1.25, -0.2253120550121781},
                                    {1.5, -0.4769362762044699},
                                    {1.61, -0.6078412674811622},
                                    {1.63, -0.633902394838871},
                                    {1.75, -0.8134198475976185},
                                    {1.9, -1.1630871536766738},
                                    {1.999, -2.3267537655135464},
                                    {1.9999999999, -4.572824958544925},
                                    {1.9999999999999998, -5.805018683193453}};
const std::vector<row> gamma_rows{{1e-308, 1e+308},
                                  {-1e-308, -1e+308},
                                  {1e-30, 9.999999999999999e+29},
                                  {-1e-20, -1e+20},
                                  {1e-10, 9999999999.422785},
                                  {0.004, 249.42672610199477},
                                  {0.1, 9.51350769866873},
                                  {0.5, 1.772453850905516},
                                  {0.999, 1.0005782056293586},
                                  {1.0, 1.0},
                                  {1.0001, 0.9999422883231625},
                                  {1.4616321449683622, 0.8856031944108887},
                                  {1.5, 0.886226925452758},
                                  {2.0, 1.0},
                                  {2.5, 1.329340388179137},
                                  {3.0, 2.0},
                                  {6.037017868206055, 127.83911265685269},
                                  {10.0, 362880.0},
                                  {20.0, 1.21645100408832e+17},
                                  {23.0, 1.1240007277776077e+21},
                                  {50.5, 4.29046291235196e+63},
                                  {99.0715099890281, 1.3089723321978411e+154},
                                  {134.8005824940776, 7.499880940126644e+227},
                                  {150.0, 3.80892263763057e+260},
                                  {170.0, 4.269068009004705e+304},
                                  {171.0, 7.257415615307999e+306},
                                  {171.6, 1.5858969096672565e+308},
                                  {171.62437, 1.797628828869357e+308},
                                  {-0.001, -1000.5782056293586},
                                  {-0.25, -4.901666809860711},
                                  {-0.5, -3.544907701811032},
                                  {-0.5082454452427794, -3.544918214072042},
                                  {-0.75, -4.834146544295877},
                                  {-0.999999, -1000000.4227569912},
                                  {-1.0000001, 9999999.571377134},
                                  {-1.5, 2.363271801207355},
                                  {-2.25, -1.7428148657282527},
                                  {-4.080548273512525, -0.46278674654170143},
                                  {-7.9999, 0.24806897394064115},
                                  {-8.090066404827038, -0.00023003242900401593},
                                  {-20.5, -2.834656574391335e-19},
                                  {-55.48712017756676, 3.493139662878317e-74},
                                  {-63.99, 8.217691767914788e-88},
                                  {-100.25, -1.503087709322751e-158},
                                  {-150.5, -4.478447658150641e-264},
                                  {-170.04, -2.812098932622348e-306},
                                  {-176.5, -1.196e-321},
                                  {-178.3, -0.0}};

const std::vector<row3> betaln_rows{{1.0, 2.0, -0.6931471805599453},
                                    {0.5, 0.5, 1.1447298858494002},
                                    {1e-300, 1e-300, 691.4686750787737},
                                    {1e-10, 3.0, 23.025850929790458},
                                    {2.5, 3.5, -3.301835269962053},
                                    {9.99, 9.99, -13.721853536324813},
                                    {3.952072053319827, 0.8498259825220689, -1.045468663655639},
                                    {5.0, 10.0, -9.211339872309265},
                                    {10.0, 10.0, -13.736229227036555},
                                    {10.5, 200.0, -41.937026526175934},
                                    {0.3, 10000000000.0, -5.811957284153562},
                                    {10000000000.0, 10000000000.0, -13862943621.44632},
                                    {1000000000000000.0, 3.0, -102.92318200417212},
                                    {1e+100, 1e+100, -1.3862943611198906e+100},
                                    {1e-05, 1e+100, 11.510617107802831},
                                    {1e+300, 1e+305, -1.2512930464953563e+301},
                                    {123.456, 7.5, -28.778580864140647},
                                    {20.0, 100000000.0, -329.0737325918477}};

}  // namespace

TEMPLATE_TEST_CASE("inverse error functions", "[math][simd]", double, float) {
  ROWS(erfinv, 4);
  ROWS(erfcinv, 4);
  EXACTLY(erfinv, {0, 0}, {-0.0, -0.0}, {1, infinity}, {-1, -infinity}, {1.5, not_a_number},
          {-infinity, not_a_number}, {infinity, not_a_number}, {not_a_number, not_a_number});
  constexpr TestType undefined = math::erfcinv(TestType(not_a_number));
  CHECK(std::isnan(undefined));
  EXACTLY(erfcinv, {0, infinity}, {-0.0, infinity}, {1, 0}, {2, -infinity}, {-0.5, not_a_number},
          {2.5, not_a_number}, {infinity, not_a_number}, {-infinity, not_a_number},
          {not_a_number, not_a_number});
  STATIC_REQUIRE(math::erfinv(TestType(1)) == infinity);
  STATIC_REQUIRE(math::erfinv(TestType(-2)) != math::erfinv(TestType(-2)));
  constexpr TestType half = math::erfinv(TestType(0.5)), few = math::erfcinv(TestType(1e-30)),
                     far = math::erfcinv(TestType(1.75));
  CHECK(ulps<TestType>(half, 0.47693627620446987) <= 2);
  CHECK(ulps<TestType>(few, math::erfcinv(static_cast<double>(TestType(1e-30)))) <= 4);
  CHECK(ulps<TestType>(far, -0.8134198475976185) <= 3);
}

TEMPLATE_TEST_CASE("the gamma function", "[math][simd]", double, float) {
  ROWS(gamma, 6);
  EXACTLY(gamma, {0, infinity}, {-0.0, -infinity}, {-1, not_a_number}, {-2, not_a_number},
          {-1e10, not_a_number}, {infinity, infinity}, {-infinity, not_a_number},
          {not_a_number, not_a_number}, {1, 1}, {2, 1}, {3, 2}, {4, 6}, {5, 24}, {11, 3628800},
          {172, infinity}, {1e30, infinity}, {-200.5, -0.0}, {-201.5, 0});
  if (sizeof(TestType) == 8)
    EXACTLY(gamma, {denormal, infinity}, {-denormal, -infinity}, {19, 6402373705728000.0},
            {largest, infinity});
  constexpr TestType values[] = {
      math::gamma(TestType(0.0)),   math::gamma(TestType(-0.0)),  math::gamma(TestType(-3)),
      math::gamma(TestType(5)),     math::gamma(TestType(-2.25)), math::gamma(TestType(200)),
      math::gamma(TestType(1e-35)), math::gamma(TestType(34.5)),  math::gamma(TestType(-200.5))};
  CHECK(values[0] == infinity);
  CHECK(values[1] == -infinity);
  CHECK(std::isnan(values[2]));
  CHECK(values[3] == 24);
  CHECK(ulps<TestType>(values[4], math::gamma(-2.25)) <= 5);
  CHECK(values[5] == infinity);
  CHECK(ulps<TestType>(values[6], 1 / static_cast<double>(TestType(1e-35))) <= 1);
  CHECK(ulps<TestType>(values[7], math::gamma(34.5)) <= 3);
  CHECK(values[8] == 0);
}

TEMPLATE_TEST_CASE("logarithms of the beta function", "[math][simd]", double, float) {
  using batch = xsimd::batch<TestType>;
  for (row3 const& r : betaln_rows) {
    TestType const a = static_cast<TestType>(r.a), b = static_cast<TestType>(r.b);
    if (static_cast<double>(a) != r.a || static_cast<double>(b) != r.b) continue;
    CAPTURE(r.a, r.b, r.exact, math::betaln(a, b));
    for (TestType got :
         {math::betaln(a, b), math::betaln(b, a), math::betaln(batch(a), batch(b)).get(0)})
      CHECK(ulps<TestType>(got, r.exact, 1) <= 4.5);
  }
  auto const ends = [](double x, double y, double exact) {
    TestType const a = static_cast<TestType>(x), b = static_cast<TestType>(y),
                   want = static_cast<TestType>(exact);
    CAPTURE(x, y, exact);
    CHECK(same(math::betaln(a, b), want));
    CHECK(same(math::betaln(b, a), want));
    CHECK(same(math::betaln(batch(a), batch(b)).get(0), want));
  };
  ends(0, 1, infinity);
  ends(-0.0, 0, infinity);
  ends(0, infinity, not_a_number);
  ends(2, infinity, -infinity);
  ends(infinity, infinity, -infinity);
  ends(-1, 2, not_a_number);
  ends(-0.5, infinity, not_a_number);
  ends(not_a_number, 2, not_a_number);
  constexpr TestType small = math::betaln(TestType(2.5), TestType(3.5)),
                     large = math::betaln(TestType(10), TestType(1000)),
                     none = math::betaln(TestType(-1), TestType(1)),
                     lopsided = math::betaln(TestType(0.5), TestType(1e30));
  CHECK(ulps<TestType>(small, -3.301835269962053) <= 3);
  CHECK(ulps<TestType>(large, math::betaln(10.0, 1000.0)) <= 2);
  CHECK(std::isnan(none));
  CHECK(ulps<TestType>(lopsided, math::betaln(0.5, static_cast<double>(TestType(1e30)))) <= 2);
}
