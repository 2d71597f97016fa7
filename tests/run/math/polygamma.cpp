// The derivatives of digamma: values, ends and poles, batches, constants and gradients of any order.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/gradients.hpp"

#include <kroton/cpu/simd/math.hpp>

using namespace gradients;
namespace math = kroton::math;

namespace {

struct sample {
  int order;
  double x, value;
};
// Computed with 100 digits.
constexpr sample samples[] = {
    {1, 1e-05, 10000000001.644909}, {1, 0.3, 12.245364546107732}, {1, 1.0, 1.6449340668482264},
    {1, 2.5, 0.49035775610023485}, {1, 9.99, 0.10527695014824179},
    {1, 10.01, 0.10505595320551508}, {1, 55.5, 0.01818131736322176},
    {1, 1000000.0, 1.0000005000001667e-06}, {1, 1e+20, 1e-20}, {1, -1e-05, 10000000001.644957},
    {1, -0.3, 13.945160267805722}, {1, -0.5, 8.934802200544679}, {1, -1.75, 19.301637544529786},
    {1, -7.3, 14.951383181433922}, {1, -100.25, 19.729283325349364},
    {2, 1e-05, -2000000000000002.0}, {2, 0.3, -75.27253658872604}, {2, 1.0, -2.4041138063191885},
    {2, 2.5, -0.2362040516417274}, {2, 9.99, -0.011073070531461051},
    {2, 10.01, -0.011026672403393367}, {2, 55.5, -0.0003305511971249759},
    {2, 1000000.0, -1.0000010000005e-12}, {2, 1e+20, -1e-40}, {2, -1e-05, 1999999999999997.0},
    {2, -0.3, 67.63908119988317}, {2, -0.5, -0.82879664423432}, {2, -1.75, -124.21382135423057},
    {2, -7.3, 68.82117406359033}, {2, -100.25, 124.0250082069177},
    {3, 1e-05, 5.999999999999999e+20}, {3, 0.3, 743.1417646550498}, {3, 1.0, 6.493939402266829},
    {3, 2.5, 0.22390584881725206}, {3, 9.99, 0.0023272159399640798},
    {3, 10.01, 0.002312617263215628}, {3, 55.5, 1.201905044064829e-05},
    {3, 1000000.0, 2.000003000002e-18}, {3, 1e+20, 2e-60}, {3, -1e-05, 5.999999999999999e+20},
    {3, -0.3, 766.6198904191685}, {3, -0.5, 193.40909103400244}, {3, -1.75, 1558.3848404165494},
    {3, -7.3, 769.0167339816824}, {3, -100.25, 1558.5454545884686},
    {4, 1e-05, -2.399999999999999e+26}, {4, 0.3, -9883.46855549699},
    {4, 1.0, -24.88626612344088}, {4, 2.5, -0.3137559995067314},
    {4, 9.99, -0.0007329986441825547}, {4, 10.01, -0.0007268797074364018},
    {4, 55.5, -6.555123585953555e-07}, {4, 1000000.0, -6.00001200001e-24}, {4, 1e+20, -6e-80},
    {4, -1e-05, 2.399999999999999e+26}, {4, -0.3, 9731.83495623352},
    {4, -0.5, -3.4742498266672253}, {4, -1.75, -24481.777338295888},
    {4, -7.3, 9738.758702660793}, {4, -100.25, 24481.574782764288},
    {10, 1e-05, -3.628799999999997e+61}, {10, 0.3, -2048468424178.0745},
    {10, 1.0, -3630593.311606629}, {10, 2.5, -156.229596593233},
    {10, 9.99, -5.828065985688232e-05}, {10, 10.01, -5.707816249586107e-05},
    {10, 55.5, -1.430469513417232e-12}, {10, 1000000.0, -3.628818144033264e-55},
    {10, 1e+20, -3.6288e-195}, {10, -1e-05, 3.628799999999997e+61},
    {10, -0.3, 2048284690148.2026}, {10, -0.5, -42108.85876897549},
    {10, -1.75, -15220204740723.598}, {10, -7.3, 2048284893018.5608},
    {10, -100.25, 15220204740668.342}, {30, 1e-05, -2.652528598121904e+187},
    {30, 0.3, -4.2943869917015745e+48}, {30, 1.0, -2.652528599357095e+32},
    {30, 2.5, -1.2232990235199246e+20}, {30, 9.99, -28.886765514197734},
    {30, 10.01, -27.158783969487992}, {30, 55.5, -5.371748934204737e-22},
    {30, 1000000.0, -8.841894620854845e-150}, {30, 1e+20, -0.0},
    {30, -1e-05, 2.652528598121904e+187}, {30, -0.3, 4.2943869916847625e+48},
    {30, -0.5, -9.222127066162056e+26}, {30, -1.75, -1.2232629049437595e+51},
    {30, -7.3, 4.2943869916848365e+48}, {30, -100.25, 1.2232629049437595e+51}};

double on_number(int order, double x) { return math::polygamma(static_cast<double>(order), x); }

constexpr double value_at_half = math::polygamma(2.0, 0.5);
static_assert(value_at_half < -16.82 && value_at_half > -16.83);
static_assert(math::trigamma(0.0) == infinity && math::trigamma(-2.0) == infinity && math::trigamma(1e-200) == infinity);
static_assert(math::polygamma(2.0, 1e-200) == -infinity && math::polygamma(2.0, -1e-200) == infinity);
static_assert(math::polygamma(2.0, -3.0) != math::polygamma(2.0, -3.0));

constexpr auto all_orders = [](auto x) { return std::tuple(digamma(x), trigamma(x), kt::polygamma(2, x), kt::polygamma(3, x)); };

}  // namespace

TEST_CASE("polygamma functions equal values computed with 100 digits") {
  for (auto const& [order, x, value] : samples) {
    CAPTURE(order, x, value, on_number(order, x));
    CHECK(std::abs(on_number(order, x) - value) <= 1e-15 * (order + 3) * std::abs(value));
    float const single = math::polygamma(static_cast<float>(order), static_cast<float>(x));
    if (x == static_cast<float>(x)) CHECK(single == static_cast<float>(on_number(order, x)));
  }
}

TEST_CASE("polygamma functions at their ends, poles and beyond every order") {
  for (int order : {1, 2, 3, 4, 9, 10}) {
    bool const odd = order % 2 != 0;
    CAPTURE(order);
    CHECK(on_number(order, 0.0) == (odd ? infinity : -infinity));
    CHECK(on_number(order, -0.0) == infinity);
    CHECK(on_number(order, infinity) == 0);
    CHECK(std::signbit(on_number(order, infinity)) == !odd);
    CHECK(std::isnan(on_number(order, -infinity)));
    CHECK(std::isnan(on_number(order, not_a_number)));
    for (double pole : {-1.0, -7.0, -1e17})
      if (odd) CHECK(on_number(order, pole) == infinity);
      else CHECK(std::isnan(on_number(order, pole)));
    CHECK(std::abs(on_number(order, 5e-324)) == infinity);
    CHECK(std::abs(on_number(order, -5e-324)) == infinity);
  }
  CHECK(on_number(1, 1e300) == Approx(1e-300));
  CHECK(on_number(2, 1e150) == Approx(-1e-300));
  CHECK(std::isnan(math::polygamma(-1.0, 2.0)));
  CHECK(std::isnan(math::polygamma(0.5, 2.0)));
  CHECK(std::isnan(math::polygamma(1e9, 2.0)));
  CHECK(std::isnan(math::polygamma(not_a_number, 2.0)));
}

TEMPLATE_TEST_CASE("polygamma functions of batches are those of numbers", "[simd]", double, float) {
  using R = TestType;
  using batch = xsimd::batch<R>;
  std::vector<R> x{R(0), R(-0.0), R(infinity), R(-infinity), R(not_a_number), R(-1), R(-2), R(1e30), R(1e-30), R(-1e-30)};
  for (int i = 0; i < 2000; ++i) x.push_back(static_cast<R>(14 * std::sin(1.3 * i) * std::exp(2 * std::sin(0.7 * i))));
  // The functions that they are made of differ by a few units in the last place.
  R const bound = sizeof(R) == 8 ? R(4e-15) : R(2e-7);
  auto same = [&](R got, R want, R size) {
    if (want == 0 || std::isnan(want) || std::isinf(want))
      return std::isnan(want) ? std::isnan(got) : got == want && std::signbit(got) == std::signbit(want);
    return std::abs(got - want) <= bound * std::max(std::abs(want), size);
  };
  R lanes[batch::size], out[batch::size];
  for (std::size_t i = 0; i + batch::size <= x.size(); ++i) {
    std::copy_n(&x[i], batch::size, lanes);
    for (int order = 0; order < 5; ++order) {
      batch const on = batch::load_unaligned(lanes), n(static_cast<R>(order));
      (order == 0 ? math::digamma(on) : order == 1 ? math::trigamma(on) : math::polygamma(n, on)).store_unaligned(out);
      for (std::size_t k = 0; k < batch::size; ++k) {
        R const want = order == 0 ? math::digamma(lanes[k]) : order == 1 ? math::trigamma(lanes[k]) : math::polygamma(R(order), lanes[k]);
        CAPTURE(order, lanes[k], out[k], want);
        // Reflected, an even order passes through 0.
        if (!same(out[k], want, lanes[k] < 0 && order % 2 == 0 ? R(10) : R(0))) FAIL_CHECK("a lane differs");
      }
    }
  }
  for (std::size_t k = 0; k < batch::size; ++k) lanes[k] = static_cast<R>(k % 5);
  math::polygamma(batch::load_unaligned(lanes), batch(R(1.7))).store_unaligned(out);
  for (std::size_t k = 0; k < batch::size; ++k) CHECK(same(out[k], math::polygamma(R(k % 5), R(1.7)), R(0)));
}

TEST_CASE("derivatives of gamma functions of every order") {
  auto f = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return gammaln(v); }, [](auto v) { return digamma(v); }, [](auto v) { return trigamma(v); },
        [](auto v) { return kt::polygamma(2, v); }, [](auto v) { return kt::polygamma(5, v) / 100; });
  });
  check(f, 1.5, 6);
  check(f, -0.8, -0.3, 1e-6);
}

TEST_CASE("derivatives of gamma functions have the values that they should") {
  auto const f = kt::function([](kt::dscalar x) {
    auto const first = grad(digamma(x) + x, x);
    auto const second = grad(grad(gammaln(x) + sqr(x), x), x);
    return std::tuple(first, second, grad(grad(first, x), x), rop(digamma(x), x, 2 * x));
  });
  auto const [first, second, third, forward] = f(2.0);
  CHECK(first == Approx(1.6449340668482264).epsilon(1e-15));
  CHECK(second == Approx(2.6449340668482264).epsilon(1e-15));
  CHECK(third == Approx(0.49393940226682914).epsilon(1e-14));
  CHECK(forward == Approx(4 * 0.6449340668482264).epsilon(1e-14));
}

TEST_CASE("polygamma of arrays of every type") {
  auto const check_type = []<class T>(T) {
    auto const f = kt::function<kt::vector<T>>(all_orders);
    vec<T> x(std::array<std::size_t, 1>{37});
    for (std::size_t i = 0; i < 37; ++i) x(i) = static_cast<T>(i + 1);
    auto const got = f(x);
    auto one = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      using R = typename std::remove_cvref_t<std::tuple_element_t<K, std::remove_const_t<decltype(got)>>>::value_type;
      CHECK(mismatch(std::get<K>(got), [&](std::size_t i) { return math::polygamma(static_cast<R>(K), static_cast<R>(x(i))); }, 1e-7) == "");
    };
    one(std::integral_constant<std::size_t, 0>{});
    one(std::integral_constant<std::size_t, 1>{});
    one(std::integral_constant<std::size_t, 2>{});
    one(std::integral_constant<std::size_t, 3>{});
  };
  check_type(double{});
  check_type(float{});
  check_type(std::int64_t{});
  check_type(std::int8_t{});
}

TEST_CASE("differences of digamma and of its derivatives", "[math][simd]") {
  using batch = xsimd::batch<double>;
  double const inf = std::numeric_limits<double>::infinity();
  struct row {
    double n, a, b, exact;
  };
  for (row const& r : {row {0, 3.0, 1e-12, 3.949340668481494e-13},
      {0, 0.002, 0.0003, 65.21788323841211},
      {0, 12.5, 4.0, 0.28755572034771143},
      {0, 10000000000.0, 0.001, 1.0000000000499501e-13},
      {0, 0.5, 1e+200, 462.4805286248306},
      {1, 0.25, 1e-09, -1.2932773916814587e-07},
      {1, 40.0, 1000000.0, -0.025314103880789467},
      {2, 9.0, 2.0, 0.004743484224965707},
      {3, 0.1, 0.175, -58952.82167626719},
      {5, 30.0, 0.001, -1.8169078901561045e-10},
                       {0, 0, 1, inf}, {1, 0, 1, -inf}, {0, 2, 0, 0}, {0, inf, 2, 0}, {0, 2, inf, inf}, {1, 1, inf, -1.6449340668482264}}) {
    double const got = math::polygamma_difference(r.n, r.a, r.b);
    batch const lanes = math::polygamma_difference(batch(r.n), batch(r.a), batch(r.b));
    CAPTURE(r.n, r.a, r.b, got);
    CHECK((got == r.exact || std::fabs(got / r.exact - 1) <= 2e-15));
    CHECK((lanes.get(0) == got || std::fabs(lanes.get(0) / got - 1) <= 1e-15));
  }
  for (double none : {math::polygamma_difference(0., -1., 3.), math::polygamma_difference(0., 1., -3.), math::polygamma_difference(0., 0., 0.)})
    CHECK(std::isnan(none));
  constexpr double constants[] = {math::polygamma_difference(0., 3., 1e-12), math::polygamma_difference(0., 2., 0.)};
  CHECK(constants[0] == Approx(3.949340668481494e-13).epsilon(1e-14));
  CHECK(constants[1] == 0);
}
