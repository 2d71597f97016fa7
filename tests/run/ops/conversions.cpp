// Floats as integers: truncated, saturated, NaN the lowest, whatever loop, mode or constant evaluation converts them.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <vector>

using namespace reference;

namespace {

/// The rule, in a type wide enough to compare exactly.
template <class T, class L>
T expected(L x) {
  using limits = std::numeric_limits<T>;
  auto const wide = static_cast<long double>(x);
  if (std::isnan(x) || wide <= static_cast<long double>(limits::min())) return limits::min();
  return wide >= static_cast<long double>(limits::max()) ? limits::max() : static_cast<T>(x);
}

/// The ends of all integer types, what lies next to them, and the ends of the floats.
template <class L>
std::vector<L> extremes() {
  using limits = std::numeric_limits<L>;
  std::vector<L> x{0, L(-0.0), L(0.75), L(-0.75), limits::quiet_NaN(), -limits::quiet_NaN(), limits::infinity(), -limits::infinity(),
                   limits::max(), limits::lowest(), limits::denorm_min()};
  for (int bits : {7, 8, 15, 16, 31, 32, 63, 64})
    for (L sign : {L(1), L(-1)}) {
      L const end = std::ldexp(sign, bits);
      for (L v : {end, std::nextafter(end, L(0)), std::nextafter(end, end * 2), end - 1, end + 1, end - L(0.5), end + L(0.5)}) x.push_back(v);
    }
  return x;
}

template <class T, class L>
void check_compiled() {
  std::vector<L> const numbers = extremes<L>();
  auto const f = kt::function([](kt::vector<L> x) {
    // Stored from lanes, computed with element by element, and after a choice.
    return std::tuple(kt::cast<T>(x), kt::cast<T>(x) ^ kt::cast<T>(-x), kt::cast<T>(where(x > 1, x, 1)));
  });
  auto const scalar = kt::function([](kt::scalar<L> x) { return kt::cast<T>(x); });
  auto const in_order = [&](std::size_t i) { return numbers[i % numbers.size()]; };
  xt::xtensor<L, 2> table(std::array<std::size_t, 2>{3 * numbers.size(), 2});
  for (std::size_t i = 0; i < table.shape()[0]; ++i) table(i, 0) = table(i, 1) = in_order(i);
  auto check = [&](auto const& result) {
    auto const& [stored, computed, chosen] = result;
    CHECK(mismatch(stored, [&](std::size_t i) { return expected<T>(in_order(i)); }) == "");
    CHECK(mismatch(computed, [&](std::size_t i) { return static_cast<T>(expected<T>(in_order(i)) ^ expected<T>(-in_order(i))); }) == "");
    CHECK(mismatch(chosen, [&](std::size_t i) { return expected<T>(in_order(i) > 1 ? in_order(i) : L(1)); }) == "");
  };
  check(f(xt::view(table, xt::all(), 0)));
  check(f(vec<L>(xt::view(table, xt::all(), 1))));
  bool same = true;
  for (L x : numbers) same = same && scalar(x) == expected<T>(x);
  CHECK(same);
}

/// The same graph in the interpreter: as written and optimized, of an argument and of a constant.
template <class L>
void check_interpreted(kt::element to) {
  kt::element const from = kt::core::element_of<L>();
  std::vector<L> const numbers = extremes<L>();
  auto const run = [&](kt::graph g, kt::stage last, L x) {
    kt::rewrite::rewrite_options options;
    kt::runtime::function<std::vector<kt::runtime::array>> const f(kt::runtime::make_program(g, last, options));
    return f(x)[0].cast(kt::element::int64);
  };
  kt::runtime::visit_element(to, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      for (L x : numbers) {
        CAPTURE(x, kt::core::name_of(to), kt::core::name_of(from));
        auto const want = static_cast<std::int64_t>(expected<T>(x));
        kt::graph g;
        int const input = g.input({from, 0, 0}, 0);
        g.results().push_back(g.cast(input, to));
        CHECK(*run(g, kt::stage::as_written, x).template data<std::int64_t>() == want);
        CHECK(*run(g, kt::stage::specialize, x).template data<std::int64_t>() == want);
        CHECK(static_cast<T>(g.literal_bits(g.cast(g.literal(x, from), to))) == expected<T>(x));
      }
  });
}

constexpr auto lowest = [](kt::fvector x) { return kt::cast<std::int8_t>(x * std::numeric_limits<float>::quiet_NaN()); };
constexpr auto saturated = [](kt::dvector x) { return x + kt::cast<std::int8_t>(kt::cast<double>(kt::cast<std::uint32_t>(x))); };

}  // namespace

TEMPLATE_TEST_CASE("conversions: compiled loops saturate", "[types]", std::int8_t, std::uint8_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t) {
  check_compiled<TestType, float>();
  check_compiled<TestType, double>();
}

TEST_CASE("conversions: the interpreter and constants saturate", "[types]") {
  for (kt::element to : {kt::element::int8, kt::element::int16, kt::element::int32, kt::element::int64, kt::element::uint8,
                         kt::element::uint16, kt::element::uint32, kt::element::uint64}) {
    check_interpreted<float>(to);
    check_interpreted<double>(to);
  }
}

TEST_CASE("conversions: every mode gives the same", "[types]") {
  vec<double> const x{1, 200, 4294967295.0, 1e300, -5, not_a_number};
  auto check = [&](auto mode) {
    vec<double> const got = kt::function(saturated, mode)(x);
    CHECK(mismatch(got, [&](std::size_t i) { return x(i) + expected<std::int8_t>(double(expected<std::uint32_t>(x(i)))); }) == "");
  };
  check(kt::mode::fast_run);
  check(kt::mode::ieee);
  check(kt::mode::fast_compile);
  check(kt::mode::interpret);
  check(kt::mode::debug);
}

TEST_CASE("conversions: NaN is the lowest integer", "[types]") {
  CHECK(kt::function(lowest)(vec<float>{1, 2, 3})(1) == -128);
}
