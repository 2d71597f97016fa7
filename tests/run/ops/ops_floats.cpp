// Operators on float and double: plain loops, every length of tail, NaN and infinities.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;

namespace {

constexpr auto rounding = [](auto a, auto b) {
  return std::tuple(floordiv(a, b), a % b, floor(a), ceil(a), round(a), trunc(a), minimum(a, b), maximum(a, b), clip(a, -1, b),
                    pow(a, 2), pow(a, 3), pow(a, -1), pow(a, 0), sqrt(a), +a);
};
constexpr auto comparisons = [](auto a, auto b) {
  return std::tuple(a == b, a != b, a < b, a <= b, a > b, a >= b, eq(a, b), neq(a, b), a > 0.5, 0 < a, (a > 0) & (b > 0),
                    (a > 0) | ~(b > 0), where(a > b, a, b), where(a < b, 1.5, 2), (a > 0) ^ (b > 0));
};

// Pairs of the values for which comparisons and selections differ most.
template <class T>
std::pair<vec<T>, vec<T>> extremes() {
  T const values[] = {T(not_a_number), T(infinity), T(-infinity), T(0), T(-0.0), T(1), T(-1), std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min()};
  vec<T> a(std::array<std::size_t, 1>{81}), b(std::array<std::size_t, 1>{81});
  for (std::size_t i = 0; i < 81; ++i) {
    a(i) = values[i / 9];
    b(i) = values[i % 9];
  }
  return {a, b};
}

template <class T, class F>
void for_all_inputs(F check) {
  for (std::size_t n : lengths) {
    CAPTURE(n, sizeof(T));
    check(numbers<T>(n, 1, -5, 5), numbers<T>(n, 2, -3, 3));
  }
  INFO("extreme values");
  auto const [a, b] = extremes<T>();
  check(a, b);
}

template <class T>
T python_mod(T a, T b) {
  T const rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

template <class T>
void check_arithmetic() {
  auto f = kt::function<kt::vector<T>, kt::vector<T>>([](auto a, auto b) {
    return std::tuple(a + b, a - b, a * b, a / b, -a, a + 2, 3 - a, 0.5 * a, a / 4, 1 / b, sqr(a), inv(b), abs(a), sgn(a));
  });
  for_all_inputs<T>([&](vec<T> const& a, vec<T> const& b) {
    auto const r = f(a, b);
    auto same = [&]<class G>(vec<T> const& got, G formula) {
      REQUIRE(got.size() == a.size());
      return mismatch(got, [&](std::size_t i) { return formula(a(i), b(i)); }, 4 * static_cast<double>(std::numeric_limits<T>::epsilon()));
    };
    CHECK(same(std::get<0>(r), [](T x, T y) { return x + y; }) == "");
    CHECK(same(std::get<1>(r), [](T x, T y) { return x - y; }) == "");
    CHECK(same(std::get<2>(r), [](T x, T y) { return x * y; }) == "");
    CHECK(same(std::get<3>(r), [](T x, T y) { return x / y; }) == "");
    CHECK(same(std::get<4>(r), [](T x, T) { return -x; }) == "");
    CHECK(same(std::get<5>(r), [](T x, T) { return x + 2; }) == "");
    CHECK(same(std::get<6>(r), [](T x, T) { return 3 - x; }) == "");
    CHECK(same(std::get<7>(r), [](T x, T) { return T(0.5) * x; }) == "");
    CHECK(same(std::get<8>(r), [](T x, T) { return x / 4; }) == "");
    CHECK(same(std::get<9>(r), [](T, T y) { return 1 / y; }) == "");
    CHECK(same(std::get<10>(r), [](T x, T) { return x * x; }) == "");
    CHECK(same(std::get<11>(r), [](T, T y) { return 1 / y; }) == "");
    CHECK(same(std::get<12>(r), [](T x, T) { return std::fabs(x); }) == "");
    CHECK(same(std::get<13>(r), [](T x, T) { return std::isnan(x) ? x : T((x > 0) - (x < 0)); }) == "");
  });
}

template <class T>
void check_rounding() {
  auto f = kt::function<kt::vector<T>, kt::vector<T>>(rounding);
  for_all_inputs<T>([&](vec<T> const& a, vec<T> const& b) {
    auto const r = f(a, b);
    auto same = [&]<class G>(vec<T> const& got, G formula, double epsilons = 0) {
      REQUIRE(got.size() == a.size());
      return mismatch(got, [&](std::size_t i) { return formula(a(i), b(i)); }, epsilons * static_cast<double>(std::numeric_limits<T>::epsilon()));
    };
    // NaN of either operand wins, as in NumPy.
    auto smaller = [](T x, T y) { return std::isnan(x) ? x : std::isnan(y) ? y : x < y ? x : y; };
    auto larger = [](T x, T y) { return std::isnan(x) ? x : std::isnan(y) ? y : x < y ? y : x; };
    CHECK(same(std::get<2>(r), [](T x, T) { return std::floor(x); }) == "");
    CHECK(same(std::get<3>(r), [](T x, T) { return std::ceil(x); }) == "");
    CHECK(same(std::get<4>(r), [](T x, T) { return std::nearbyint(x); }) == "");
    CHECK(same(std::get<5>(r), [](T x, T) { return std::trunc(x); }) == "");
    CHECK(same(std::get<6>(r), smaller) == "");
    CHECK(same(std::get<7>(r), larger) == "");
    CHECK(same(std::get<8>(r), [&](T x, T y) { return smaller(larger(x, T(-1)), y); }) == "");
    CHECK(same(std::get<9>(r), [](T x, T) { return x * x; }, 4) == "");
    CHECK(same(std::get<10>(r), [](T x, T) { return x * x * x; }, 4) == "");
    CHECK(same(std::get<11>(r), [](T x, T) { return 1 / x; }, 4) == "");
    CHECK(same(std::get<12>(r), [](T, T) { return T(1); }) == "");
    CHECK(same(std::get<13>(r), [](T x, T) { return std::sqrt(x); }, 1) == "");
    CHECK(same(std::get<14>(r), [](T x, T) { return x; }) == "");
    if (a.size() != 81 || !std::isnan(a(0))) {  // the quotient and remainder of infinities are nobody's convention
      CHECK(same(std::get<0>(r), [](T x, T y) { return (x - python_mod(x, y)) / y; }, 8) == "");
      CHECK(same(std::get<1>(r), python_mod<T>, 8) == "");
    }
  });
}

template <class T>
void check_comparisons() {
  auto f = kt::function<kt::vector<T>, kt::vector<T>>(comparisons);
  for_all_inputs<T>([&](vec<T> const& a, vec<T> const& b) {
    auto const r = f(a, b);
    auto same = [&](auto const& got, auto formula) {
      REQUIRE(got.size() == a.size());
      return mismatch(got, [&](std::size_t i) { return formula(a(i), b(i)); });
    };
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<0>(r))>, vec<bool>>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<13>(r))>, vec<double>>);
    CHECK(same(std::get<0>(r), [](T x, T y) { return x == y; }) == "");
    CHECK(same(std::get<1>(r), [](T x, T y) { return x != y; }) == "");
    CHECK(same(std::get<2>(r), [](T x, T y) { return x < y; }) == "");
    CHECK(same(std::get<3>(r), [](T x, T y) { return x <= y; }) == "");
    CHECK(same(std::get<4>(r), [](T x, T y) { return x > y; }) == "");
    CHECK(same(std::get<5>(r), [](T x, T y) { return x >= y; }) == "");
    CHECK(same(std::get<6>(r), [](T x, T y) { return x == y; }) == "");
    CHECK(same(std::get<7>(r), [](T x, T y) { return x != y; }) == "");
    CHECK(same(std::get<8>(r), [](T x, T) { return x > T(0.5); }) == "");
    CHECK(same(std::get<9>(r), [](T x, T) { return 0 < x; }) == "");
    CHECK(same(std::get<10>(r), [](T x, T y) { return x > 0 && y > 0; }) == "");
    CHECK(same(std::get<11>(r), [](T x, T y) { return x > 0 || !(y > 0); }) == "");
    CHECK(same(std::get<12>(r), [](T x, T y) { return x > y ? x : y; }) == "");
    CHECK(same(std::get<13>(r), [](T x, T y) { return x < y ? 1.5 : 2.0; }) == "");
    CHECK(same(std::get<14>(r), [](T x, T y) { return (x > 0) != (y > 0); }) == "");
  });
}

}  // namespace

TEST_CASE("arithmetic of floats and doubles") {
  check_arithmetic<float>();
  check_arithmetic<double>();
}
TEST_CASE("rounding, extremes and powers of floats and doubles") {
  check_rounding<float>();
  check_rounding<double>();
}
TEST_CASE("comparisons and choices of floats and doubles") {
  check_comparisons<float>();
  check_comparisons<double>();
}
