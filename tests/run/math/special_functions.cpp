// Special functions against values of 60 digits, computed by mpmath, of scalars, batches and
// constants.
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include <kroton/cpu/simd/math.hpp>

namespace math = kroton::math;
namespace constant = kroton::math::constant;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double denormal = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

struct row {
  double x, exact;
};
struct row3 {
  double a, b, exact;
};

/// Distance in units in the last place of R, or of a larger size that is given.
template <class R>
double ulps(R got, double exact, double least = 0) {
  R const rounded = constant::rounded<R>(exact);
  if (got == rounded) return 0;
  if (!std::isfinite(got) || !std::isfinite(rounded))
    return std::isnan(got) && std::isnan(rounded) ? 0 : HUGE_VAL;
  double const size = std::fmax(std::fmax(std::fabs(exact), least),
                                static_cast<double>(std::numeric_limits<R>::min()));
  return std::fabs(static_cast<double>(got) - exact) /
         std::ldexp(1.0, std::ilogb(size) + 1 - std::numeric_limits<R>::digits);
}
template <class R>
bool same(R a, R b) {
  return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
}

/// The rows whose argument is a number of R; a lane of a batch beside another argument.
template <class R, class F>
void check_rows(char const* name, std::vector<row> const& rows, F f, double bound,
                double least = 0) {
  using batch = xsimd::batch<R>;
  for (row const& r : rows) {
    R const x = static_cast<R>(r.x);
    if (static_cast<double>(x) != r.x) continue;
    R lanes[batch::size], out[batch::size];
    for (R& lane : lanes) lane = R(0.75);
    lanes[0] = x;
    f(batch::load_unaligned(lanes)).store_unaligned(out);
    CAPTURE(name, r.x, r.exact, f(x), out[0]);
    CHECK(ulps<R>(f(x), r.exact, least) <= bound);
    CHECK(ulps<R>(out[0], r.exact, least) <= bound);
  }
}
/// Special values are exact, in every form.
template <class R, class F>
void check_exactly(char const* name, std::vector<row> const& rows, F f) {
  for (row const& r : rows) {
    R const x = static_cast<R>(r.x), exact = static_cast<R>(r.exact);
    CAPTURE(name, r.x, r.exact, f(x), f(xsimd::batch<R>(x)).get(0));
    CHECK(same(f(x), exact));
    CHECK(same(f(xsimd::batch<R>(x)).get(0), exact));
  }
}

#define ROWS(name, bound, ...) \
  check_rows<TestType>(        \
      #name, name##_rows, [](auto x) { return math::name(x); }, bound __VA_OPT__(, ) __VA_ARGS__)
#define EXACTLY(name, ...) \
  check_exactly<TestType>(#name, {__VA_ARGS__}, [](auto x) { return math::name(x); })

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

const std::vector<row> i0_rows{{1e-300, 1.0},
                               {1e-20, 1.0},
                               {0.001, 1.0000002500000156},
                               {-0.5, 1.0634833707413236},
                               {1.0, 1.2660658777520084},
                               {2.5, 3.289839144050123},
                               {-4.0, 11.30192195213633},
                               {4.025781899720828, 11.556508266974046},
                               {5.976383508328684, 65.80150729630049},
                               {7.438535985200476, 253.25603474929633},
                               {7.478320666935398, 262.8053095152462},
                               {8.0, 427.5641157218048},
                               {8.0000000001, 427.5641157617921},
                               {-9.0, 1093.5883545113747},
                               {12.0, 18948.925349296307},
                               {16.0, 893446.227920105},
                               {20.5, 70922869.83431701},
                               {50.0, 2.9325537838493362e+20},
                               {100.25, 1.3769999662779009e+42},
                               {300.0, 4.475847367935052e+128},
                               {475.0194557129673, 3.639126762270965e+204},
                               {629.2107124774249, 2.9129883080501385e+271},
                               {-700.0, 1.5295933476718737e+302},
                               {713.5, 1.1051012081178279e+308},
                               {713.98, 1.785325134768229e+308}};
const std::vector<row> i1_rows{{1e-300, 5e-301},
                               {1e-20, 5e-21},
                               {0.001, 0.0005000000625000026},
                               {-0.5, -0.2578943053908963},
                               {1.0, 0.565159103992485},
                               {2.5, 2.5167162452886984},
                               {-4.0, -9.75946515370445},
                               {4.025781899720828, 9.990677679980891},
                               {5.976383508328684, 60.010364010849806},
                               {7.438535985200476, 235.56005786203863},
                               {7.478320666935398, 244.54422591536914},
                               {8.0, 399.8731367825601},
                               {8.0000000001, 399.8731368203181},
                               {-9.0, -1030.9147225169565},
                               {12.0, 18141.348781638833},
                               {16.0, 865059.4358548395},
                               {20.5, 69170831.67918438},
                               {50.0, 2.903078590103557e+20},
                               {100.25, 1.370114835703483e+42},
                               {300.0, 4.468381385036955e+128},
                               {475.0194557129673, 3.6352942391867293e+204},
                               {629.2107124774249, 2.9106725913180003e+271},
                               {-700.0, -1.5285003902339006e+302},
                               {713.5, 1.1043265136795952e+308},
                               {713.98, 1.7840744336676367e+308}};
const std::vector<row> i0e_rows{{1e-300, 1.0},
                                {1e-20, 1.0},
                                {0.001, 0.9990007495835156},
                                {-0.5, 0.6450352704491501},
                                {1.0, 0.46575960759364043},
                                {2.5, 0.27004644161220276},
                                {-4.0, 0.2070019212239867},
                                {4.025781899720828, 0.20627745754569882},
                                {5.976383508328684, 0.16700345752767473},
                                {7.438535985200476, 0.14895142794351743},
                                {7.478320666935398, 0.14853908200288524},
                                {8.0, 0.14343178185685032},
                                {8.0000000001, 0.14343178185592137},
                                {-9.0, 0.134959524581723},
                                {12.0, 0.11642622121344044},
                                {16.0, 0.10054412736125203},
                                {20.5, 0.08866442901574524},
                                {50.0, 0.05656162664745419},
                                {100.25, 0.03989441662880772},
                                {300.0, 0.02304255841508546},
                                {475.0194557129673, 0.01830917479617327},
                                {629.2107124774249, 0.015907369098894272},
                                {-700.0, 0.015081295651531358},
                                {713.5, 0.014937888578556241},
                                {713.98, 0.014932864693404956},
                                {1000.0, 0.012617240455891257},
                                {1000000.0, 0.00039894233026924577},
                                {1e+30, 3.989422804014327e-16},
                                {1e+300, 3.9894228040143264e-151}};
const std::vector<row> i1e_rows{{1e-300, 5e-301},
                                {1e-20, 5e-21},
                                {0.001, 0.0004995003123542213},
                                {-0.5, -0.1564208031848717},
                                {1.0, 0.20791041534970844},
                                {2.5, 0.20658464953126657},
                                {-4.0, -0.17875083950243534},
                                {4.025781899720828, 0.17832822366202764},
                                {5.976383508328684, 0.1523056034594775},
                                {7.438535985200476, 0.13854361662000134},
                                {7.478320666935398, 0.13821781186071438},
                                {8.0, 0.13414249329269817},
                                {8.0000000001, 0.13414249329195033},
                                {-9.0, -0.1272249839358912},
                                {12.0, 0.11146429929018098},
                                {16.0, 0.09734961475646808},
                                {20.5, 0.08647411349408725},
                                {50.0, 0.0559931238928954},
                                {100.25, 0.03969494075777918},
                                {300.0, 0.02300412204026895},
                                {475.0194557129673, 0.018289892605789813},
                                {629.2107124774249, 0.015894723335543693},
                                {-700.0, -0.015070519444716848},
                                {713.5, 0.014927416868711262},
                                {713.98, 0.014922403545492274},
                                {1000.0, 0.012610930256928629},
                                {1000000.0, 0.0003989421307980308},
                                {1e+30, 3.989422804014327e-16},
                                {1e+300, 3.9894228040143264e-151}};
const std::vector<row> j0_rows{{1e-300, 1.0},
                               {1e-20, 1.0},
                               {0.001, 0.9999997500000156},
                               {-0.5, 0.9384698072408129},
                               {0.9852467870373223, 0.7716542876844382},
                               {1.0, 0.7651976865579666},
                               {1.0000001, 0.7651976425529063},
                               {1.0624795694347844, 0.7370822386822193},
                               {2.0, 0.22389077914123567},
                               {2.4, 0.002507683297243859},
                               {2.404825557695773, -6.10876525973673e-17},
                               {2.4048255576400512, 2.8927693804132062e-11},
                               {2.520739789790303, -0.058639761874001016},
                               {3.0, -0.26005195490193345},
                               {3.83, -0.4027588095334348},
                               {3.8317059702075125, -0.402759395702553},
                               {-3.8317059692281608, -0.402759395702553},
                               {4.5, -0.32054250898512143},
                               {5.188536380518698, -0.11422202267210356},
                               {5.520078110286311, -2.7522649432621832e-17},
                               {6.0, 0.15064525725099692},
                               {7.015586669815619, 0.30011575252613254},
                               {7.629271515277752, 0.24684337841770493},
                               {7.999, 0.17188537228232045}};
const std::vector<row> j1_rows{{1e-300, 5e-301},
                               {1e-20, 5e-21},
                               {0.001, 0.0004999999375000026},
                               {-0.5, -0.2422684576748739},
                               {0.9852467870373223, 0.4352183595239277},
                               {1.0, 0.4400505857449335},
                               {1.0000001, 0.440050618259642},
                               {1.0624795694347844, 0.4597218293029167},
                               {2.0, 0.5767248077568734},
                               {2.4, 0.520185268181931},
                               {2.404825557695773, 0.5191474972894667},
                               {2.4048255576400512, 0.5191474973014958},
                               {2.520739789790303, 0.4918985927006451},
                               {3.0, 0.3390589585259365},
                               {3.83, 0.000687248220597037},
                               {3.8317059702075125, -6.149807356994906e-17},
                               {-3.8317059692281608, -3.944430417901851e-10},
                               {4.5, -0.23106043192337064},
                               {5.188536380518698, -0.34269304538983253},
                               {5.520078110286311, -0.34026480655836816},
                               {6.0, -0.27668385812756563},
                               {7.015586669815619, 2.825339409478929e-17},
                               {7.629271515277752, 0.1658844663368081},
                               {7.999, 0.2344939012279374}};
const std::vector<row> far_j0_rows{{8.0, 0.1716508071375539},
                                   {-8.5, 0.041939251842934504},
                                   {8.653727912911013, -7.948465570525162e-17},
                                   {10.0, -0.24593576445134835},
                                   {11.79, -0.00035671850501950875},
                                   {20.0, 0.16702466434058316},
                                   {21.47682590294834, -0.04513006580989058},
                                   {50.0, 0.055812327669251816},
                                   {75.95356358880166, 0.0891040688349288},
                                   {100.0, 0.019985850304223122},
                                   {1234.5, -0.013550379618035721},
                                   {26798.616634230024, 0.0048688489232957466},
                                   {1000000.0, 0.00033104301373987376},
                                   {10000000000.0, 2.175591750246892e-06}};
const std::vector<row> far_j1_rows{{8.0, 0.23463634685391463},
                                   {-8.5, -0.2731219636740537},
                                   {8.653727912911013, 0.27145229992838193},
                                   {10.173468135062722, 1.1192177797744682e-16},
                                   {11.79, -0.2324898117430302},
                                   {20.0, 0.06683312417585005},
                                   {21.47682590294834, 0.16511955441112683},
                                   {50.0, -0.09751182812517514},
                                   {75.95356358880166, -0.020437245427529657},
                                   {100.0, -0.07714535201411216},
                                   {1234.5, 0.0182175083373925},
                                   {26798.616634230024, 0.00022370993870010923},
                                   {1000000.0, -0.000725968356813763},
                                   {10000000000.0, -7.676508175684158e-06}};

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

TEMPLATE_TEST_CASE("modified Bessel functions", "[math][simd]", double, float) {
  ROWS(i0, 5);
  ROWS(i1, 5);
  ROWS(i0e, 5);
  ROWS(i1e, 5);
  EXACTLY(i0, {0, 1}, {-0.0, 1}, {infinity, infinity}, {-infinity, infinity},
          {not_a_number, not_a_number}, {-750, infinity});
  EXACTLY(i1, {0, 0}, {-0.0, -0.0}, {infinity, infinity}, {-infinity, -infinity},
          {not_a_number, not_a_number}, {-750, -infinity});
  EXACTLY(i0e, {0, 1}, {-0.0, 1}, {infinity, 0}, {-infinity, 0}, {not_a_number, not_a_number});
  EXACTLY(i1e, {0, 0}, {-0.0, -0.0}, {infinity, 0}, {-infinity, -0.0},
          {not_a_number, not_a_number});
  constexpr TestType near[] = {math::i0(TestType(2.5)), math::i1(TestType(2.5)),
                               math::i0e(TestType(2.5)), math::i1e(TestType(2.5))};
  constexpr TestType far[] = {math::i0(TestType(20.5)), math::i1(TestType(20.5)),
                              math::i0e(TestType(20.5)), math::i1e(TestType(20.5))};
  constexpr TestType ends[] = {math::i0(TestType(800)), math::i1(TestType(-800)),
                               math::i0e(TestType(infinity)), math::i0e(TestType(-1e30)),
                               math::i1(TestType(not_a_number))};
  auto const all = [](double x, TestType const* values) {
    CHECK(ulps<TestType>(values[0], math::i0(x)) <= 4);
    CHECK(ulps<TestType>(values[1], math::i1(x)) <= 4);
    CHECK(ulps<TestType>(values[2], math::i0e(x)) <= 4);
    CHECK(ulps<TestType>(values[3], math::i1e(x)) <= 4);
  };
  all(2.5, near);
  all(20.5, far);
  CHECK(ends[0] == infinity);
  CHECK(ends[1] == -infinity);
  CHECK(ends[2] == 0);
  CHECK(ulps<TestType>(ends[3], math::i0e(static_cast<double>(TestType(-1e30)))) <= 2);
  CHECK(std::isnan(ends[4]));
}

TEMPLATE_TEST_CASE("Bessel functions", "[math][simd]", double, float) {
  ROWS(j0, 7);
  ROWS(j1, 7);
  // Far from 0 the error is small relative to the envelope.
  for (row const& r : far_j0_rows)
    check_rows<TestType>(
        "j0", {r}, [](auto x) { return math::j0(x); }, 6, std::sqrt(0.6366 / std::fabs(r.x)));
  for (row const& r : far_j1_rows)
    check_rows<TestType>(
        "j1", {r}, [](auto x) { return math::j1(x); }, 6, std::sqrt(0.6366 / std::fabs(r.x)));
  EXACTLY(j0, {0, 1}, {-0.0, 1}, {infinity, 0}, {-infinity, 0}, {not_a_number, not_a_number});
  EXACTLY(j1, {0, 0}, {-0.0, -0.0}, {infinity, 0}, {-infinity, -0.0}, {not_a_number, not_a_number});
  constexpr TestType values[] = {math::j0(TestType(0.5)),      math::j1(TestType(0.5)),
                                 math::j0(TestType(2.5)),      math::j1(TestType(-2.5)),
                                 math::j0(TestType(50)),       math::j1(TestType(50)),
                                 math::j0(TestType(infinity)), math::j1(TestType(not_a_number))};
  CHECK(ulps<TestType>(values[0], math::j0(0.5)) <= 2);
  CHECK(ulps<TestType>(values[1], math::j1(0.5)) <= 2);
  CHECK(ulps<TestType>(values[2], math::j0(2.5)) <= 5);
  CHECK(ulps<TestType>(values[3], math::j1(-2.5)) <= 5);
  CHECK(ulps<TestType>(values[4], math::j0(50.0)) <= 5);
  CHECK(ulps<TestType>(values[5], math::j1(50.0)) <= 5);
  CHECK(values[6] == 0);
  CHECK(std::isnan(values[7]));
}
