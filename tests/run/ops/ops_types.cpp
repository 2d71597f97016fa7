// Element types of results, and conversions: NumPy's promotion with float32 where NumPy would give float16.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;

namespace {

template <class A, class B>
using sum_of = kt::value_type_of<decltype(std::declval<kt::vector<A>>() + std::declval<kt::vector<B>>())>;
template <class A, class B>
using quotient_of = kt::value_type_of<decltype(std::declval<kt::vector<A>>() / std::declval<kt::vector<B>>())>;
template <class A, class N>
using beside = kt::value_type_of<decltype(std::declval<kt::vector<A>>() + std::declval<N>())>;

static_assert(std::is_same_v<sum_of<bool, bool>, bool>);
static_assert(std::is_same_v<sum_of<bool, std::int8_t>, std::int8_t>);
static_assert(std::is_same_v<sum_of<std::int8_t, std::uint8_t>, std::int16_t>);
static_assert(std::is_same_v<sum_of<std::uint8_t, std::int16_t>, std::int16_t>);
static_assert(std::is_same_v<sum_of<std::int16_t, std::uint16_t>, std::int32_t>);
static_assert(std::is_same_v<sum_of<std::int32_t, std::uint32_t>, std::int64_t>);
static_assert(std::is_same_v<sum_of<std::int64_t, std::uint64_t>, double>);
static_assert(std::is_same_v<sum_of<std::int8_t, std::uint64_t>, double>);
static_assert(std::is_same_v<sum_of<std::uint8_t, std::uint64_t>, std::uint64_t>);
static_assert(std::is_same_v<sum_of<std::int8_t, float>, float>);
static_assert(std::is_same_v<sum_of<std::int16_t, float>, float>);
static_assert(std::is_same_v<sum_of<std::int32_t, float>, double>);
static_assert(std::is_same_v<sum_of<std::uint16_t, float>, float>);
static_assert(std::is_same_v<sum_of<bool, float>, float>);
static_assert(std::is_same_v<sum_of<float, double>, double>);
static_assert(std::is_same_v<quotient_of<std::int8_t, std::int8_t>, double>);
static_assert(std::is_same_v<quotient_of<bool, bool>, double>);
static_assert(std::is_same_v<quotient_of<std::int8_t, float>, float>);
static_assert(std::is_same_v<beside<float, double>, float>);
static_assert(std::is_same_v<beside<float, int>, float>);
static_assert(std::is_same_v<beside<std::int8_t, int>, std::int8_t>);
static_assert(std::is_same_v<beside<std::uint8_t, long long>, std::uint8_t>);
static_assert(std::is_same_v<beside<std::int8_t, double>, double>);
static_assert(std::is_same_v<beside<std::int64_t, float>, double>);
static_assert(std::is_same_v<beside<bool, int>, std::int64_t>);
static_assert(std::is_same_v<beside<bool, bool>, bool>);

}  // namespace

TEST_CASE("operands of different element types are promoted before they are combined") {
  auto f = kt::function([](kt::bvector b, kt::vector<std::uint8_t> u, kt::ivector i, kt::fvector s, kt::dvector d) {
    return std::tuple(b + u, b * i, i + s, s * d, b / u, i / i, u - b, b + s, maximum(i, d), b < u, i * 0.5, s * 0.1);
  });
  for (std::size_t n : lengths) {
    CAPTURE(n);
    auto const b = bits<std::int8_t>(n, 1);
    auto const u = bits<std::uint8_t>(n, 2);
    auto const i = bits<std::int32_t>(n, 3);
    auto const s = numbers<float>(n, 4);
    auto const d = numbers<double>(n, 5, -1e9, 1e9);
    auto const r = f(b, u, i, s, d);
    using R = std::remove_const_t<decltype(r)>;
    static_assert(std::is_same_v<R, std::tuple<vec<std::int16_t>, vec<std::int32_t>, vec<double>, vec<double>, vec<double>, vec<double>,
                                               vec<std::int16_t>, vec<float>, vec<double>, vec<bool>, vec<double>, vec<float>>>);
    CHECK(mismatch(std::get<0>(r), [&](std::size_t k) { return b(k) + u(k); }) == "");
    CHECK(mismatch(std::get<1>(r), [&](std::size_t k) { return static_cast<std::int32_t>(std::int64_t{b(k)} * i(k)); }) == "");
    CHECK(mismatch(std::get<2>(r), [&](std::size_t k) { return static_cast<double>(i(k)) + static_cast<double>(s(k)); }) == "");
    CHECK(mismatch(std::get<3>(r), [&](std::size_t k) { return static_cast<double>(s(k)) * d(k); }) == "");
    CHECK(mismatch(std::get<4>(r), [&](std::size_t k) { return static_cast<double>(b(k)) / static_cast<double>(u(k)); }) == "");
    CHECK(mismatch(std::get<6>(r), [&](std::size_t k) { return u(k) - b(k); }) == "");
    CHECK(mismatch(std::get<7>(r), [&](std::size_t k) { return static_cast<float>(b(k)) + s(k); }, 1e-7) == "");
    CHECK(mismatch(std::get<8>(r), [&](std::size_t k) { return std::fmax(static_cast<double>(i(k)), d(k)); }) == "");
    CHECK(mismatch(std::get<9>(r), [&](std::size_t k) { return int{b(k)} < int{u(k)}; }) == "");
    CHECK(mismatch(std::get<10>(r), [&](std::size_t k) { return i(k) * 0.5; }) == "");
    CHECK(mismatch(std::get<11>(r), [&](std::size_t k) { return s(k) * 0.1f; }, 1e-7) == "");
  }
}

TEST_CASE("casts convert as C++ does, and to bool by comparison with 0") {
  auto f = kt::function([](kt::dvector d, kt::lvector l, kt::vector<bool> b) {
    return std::tuple(kt::cast<int>(d), kt::cast<float>(d), kt::cast<bool>(d), kt::cast<std::int8_t>(l), kt::cast<std::uint16_t>(l),
                      kt::cast<double>(l), kt::cast<bool>(l), kt::cast<double>(b), kt::cast<std::int64_t>(b), kt::cast<float>(l),
                      kt::cast<double>(kt::cast<float>(d)), kt::cast<std::uint8_t>(kt::cast<std::int16_t>(l)));
  });
  for (std::size_t n : lengths) {
    CAPTURE(n);
    auto d = numbers<double>(n, 1, -100, 100);
    auto l = bits<std::int64_t>(n, 2);
    vec<bool> b(std::array<std::size_t, 1>{n});
    for (std::size_t k = 0; k < n; ++k) {
      b(k) = k % 3 == 1;
      if (k % 4 == 0) d(k) = 0;
    }
    if (n > 1) d(1) = 0.25;  // not 0, though its integer part is
    auto const r = f(d, l, b);
    CHECK(mismatch(std::get<0>(r), [&](std::size_t k) { return static_cast<int>(d(k)); }) == "");
    CHECK(mismatch(std::get<1>(r), [&](std::size_t k) { return static_cast<float>(d(k)); }) == "");
    CHECK(mismatch(std::get<2>(r), [&](std::size_t k) { return d(k) != 0; }) == "");
    CHECK(mismatch(std::get<3>(r), [&](std::size_t k) { return static_cast<std::int8_t>(l(k)); }) == "");
    CHECK(mismatch(std::get<4>(r), [&](std::size_t k) { return static_cast<std::uint16_t>(l(k)); }) == "");
    CHECK(mismatch(std::get<5>(r), [&](std::size_t k) { return static_cast<double>(l(k)); }) == "");
    CHECK(mismatch(std::get<6>(r), [&](std::size_t k) { return l(k) != 0; }) == "");
    CHECK(mismatch(std::get<7>(r), [&](std::size_t k) { return b(k) ? 1.0 : 0.0; }) == "");
    CHECK(mismatch(std::get<8>(r), [&](std::size_t k) { return std::int64_t{b(k)}; }) == "");
    CHECK(mismatch(std::get<9>(r), [&](std::size_t k) { return static_cast<float>(l(k)); }) == "");
    CHECK(mismatch(std::get<10>(r), [&](std::size_t k) { return static_cast<double>(static_cast<float>(d(k))); }) == "");
    CHECK(mismatch(std::get<11>(r), [&](std::size_t k) { return static_cast<std::uint8_t>(l(k)); }) == "");
  }
}

TEST_CASE("bools: + is or, * is and, the rest is logic") {
  auto f = kt::function([](kt::vector<bool> a, kt::vector<bool> b, kt::dvector x) {
    return std::tuple(a + b, a * b, a & b, a | b, a ^ b, ~a, a == b, a < b, where(a, x, -x), where(a, b, ~b), a + 1, a * x, (x > 0) == a,
                      where(x, 1., 2.), maximum(a, b));
  });
  for (std::size_t n : lengths) {
    CAPTURE(n);
    vec<bool> a(std::array<std::size_t, 1>{n}), b = a;
    auto const x = numbers<double>(n);
    for (std::size_t k = 0; k < n; ++k) {
      a(k) = k % 2 == 1;
      b(k) = k / 2 % 2 == 1;
    }
    auto const r = f(a, b, x);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<0>(r))>, vec<bool>>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<10>(r))>, vec<std::int64_t>>);
    auto same = [&](auto const& got, auto formula) {
      REQUIRE(got.size() == n);
      return mismatch(got, [&](std::size_t k) { return formula(bool{a(k)}, bool{b(k)}, double{x(k)}); });
    };
    CHECK(same(std::get<0>(r), [](bool p, bool q, double) { return p || q; }) == "");
    CHECK(same(std::get<1>(r), [](bool p, bool q, double) { return p && q; }) == "");
    CHECK(same(std::get<2>(r), [](bool p, bool q, double) { return p && q; }) == "");
    CHECK(same(std::get<3>(r), [](bool p, bool q, double) { return p || q; }) == "");
    CHECK(same(std::get<4>(r), [](bool p, bool q, double) { return p != q; }) == "");
    CHECK(same(std::get<5>(r), [](bool p, bool, double) { return !p; }) == "");
    CHECK(same(std::get<6>(r), [](bool p, bool q, double) { return p == q; }) == "");
    CHECK(same(std::get<7>(r), [](bool p, bool q, double) { return !p && q; }) == "");
    CHECK(same(std::get<8>(r), [](bool p, bool, double v) { return p ? v : -v; }) == "");
    CHECK(same(std::get<9>(r), [](bool p, bool q, double) { return p ? q : !q; }) == "");
    CHECK(same(std::get<10>(r), [](bool p, bool, double) { return std::int64_t{p} + 1; }) == "");
    CHECK(same(std::get<11>(r), [](bool p, bool, double v) { return p ? v : 0; }) == "");
    CHECK(same(std::get<12>(r), [](bool p, bool, double v) { return (v > 0) == p; }) == "");
    CHECK(same(std::get<13>(r), [](bool, bool, double v) { return v != 0 ? 1. : 2.; }) == "");
    CHECK(same(std::get<14>(r), [](bool p, bool q, double) { return p || q; }) == "");
  }
}

TEST_CASE("literals take the type of the tensor, not the other way round") {
  auto f = kt::function([](kt::fvector s, kt::vector<std::uint8_t> u, kt::lvector l) {
    return std::tuple(s + 0.1, u + 255, u * 2, l + 9223372036854775807ll, 1 - u, s / 3, u / 2, l * true, s > 0.1);
  });
  auto const [a, b, c, d, e, g, h, i, j] = f(vec<float>{0.1f, 1.f}, vec<std::uint8_t>{3, 200}, vec<std::int64_t>{-1, 5});
  static_assert(std::is_same_v<decltype(a), vec<float> const> && std::is_same_v<decltype(b), vec<std::uint8_t> const>);
  static_assert(std::is_same_v<decltype(h), vec<double> const> && std::is_same_v<decltype(i), vec<std::int64_t> const>);
  CHECK(a == vec<float>{0.1f + 0.1f, 1.f + 0.1f});
  CHECK(b == vec<std::uint8_t>{2, 199});
  CHECK(c == vec<std::uint8_t>{6, 144});
  CHECK(d == vec<std::int64_t>{9223372036854775806ll, std::numeric_limits<std::int64_t>::min() + 4});
  CHECK(e == vec<std::uint8_t>{254, 57});
  CHECK(g == vec<float>{0.1f / 3, 1.f / 3});
  CHECK(h == vec<double>{1.5, 100});
  CHECK(i == vec<std::int64_t>{-1, 5});
  CHECK(j == vec<bool>{false, true});  // 0.1 is rounded to float before it is compared
}
