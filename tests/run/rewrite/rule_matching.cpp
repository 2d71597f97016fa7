// Rules whose left sides are sums and products of many operands, in the compiler and at run time.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <type_traits>
#include <utility>

namespace kt = kroton;

namespace {

template <std::size_t>
using scalar = kt::dscalar;
template <auto const& Book>
constexpr auto with = kt::mode::fast_run.with<Book>();

/// Whether a formula of N scalars becomes what a lambda says, in both stages. The right sides of these rules change the value.
template <auto const& Book, std::size_t N, class Written, class Wanted>
void becomes(Written written, Wanted wanted) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    constexpr auto formula = [](scalar<I>... x) { return Written{}(x...); };
    constexpr auto other = [](scalar<I>... x) { return Wanted{}(x...); };
    STATIC_REQUIRE(std::is_same_v<kt::canonical<formula, with<Book>>, kt::canonical<other>>);
    kt::runtime::graph g;
    std::array const x{((void)I, g.input<double, 0>("x"))...};
    auto const value = [](auto const& f) { return f(0.3 + 0.1 * static_cast<double>(I)...); };
    double const right = value(g.function({x[I]...}, wanted(x[I]...)));
    CHECK(value(g.function({x[I]...}, written(x[I]...))) != Approx(right).epsilon(1e-12));
    CHECK(value(g.function({x[I]...}, written(x[I]...), with<Book>)) == Approx(right).epsilon(1e-12));
  }(std::make_index_sequence<N>{});
}

constexpr auto four_terms = kt::rules(kt::rule<"four_terms">(
    [](auto a, auto b, auto c, auto d) { return (sin(a) + cos(b) + tan(c) + atan(d)) >> a * b * c * d; }));
constexpr auto five_terms = kt::rules(kt::rule<"five_terms">([](auto a, auto b, auto c, auto d, auto e) {
  return (sin(a) + cos(b) + tan(c) + atan(d) + erf(e)) >> a * b * c * d * e;
}));
constexpr auto six_terms = kt::rules(kt::rule<"six_terms">([](auto a, auto b, auto c, auto d, auto e, auto f) {
  return (sin(a) + cos(b) + tan(c) + atan(d) + erf(e) + exp(f)) >> a * b * c * d * e * f;
}));
constexpr auto six_factors = kt::rules(kt::rule<"six_factors">([](auto a, auto b, auto c, auto d, auto e, auto f) {
  return sin(a) * cos(b) * tan(c) * atan(d) * erf(e) * exp(f) >> (a + b + c + d + e + f);
}));
constexpr auto bare_sum = kt::rules(kt::rule<"bare_sum">(
    [](auto a, auto b, auto c, auto d, auto e) { return atan(a + b + c + d + e) >> (a * b * c * d * e); }));
constexpr auto bare_product = kt::rules(kt::rule<"bare_product">(
    [](auto a, auto b, auto c, auto d, auto e) { return atan(a * b * c * d * e) >> (a + b + c + d + e); }));
constexpr auto eight_terms = kt::rules(kt::rule<"eight_terms">(
    [](auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h) {
      return sin(1 + a + b + c + d + e + f + g + h) >> (a * b * c * d * e * f * g * h);
    }));
constexpr auto mixed = kt::rules(kt::rule<"mixed">([](auto a, auto b, auto c, auto d) {
  return (sin(a) * b + cos(b) * c + tan(c) * d + atan(d) * a) >> (a + b + c + d);
}));
constexpr auto difference = kt::rules(kt::rule<"difference">(
    [](auto a, auto b, auto c, auto d) { return (sin(a) - cos(b) + 2 * tan(c) - atan(d) / 3) >> a * b * c * d; }));

}  // namespace

TEST_CASE("rules of four and more addends and factors apply", "[rewrite]") {
  becomes<four_terms, 4>([](auto a, auto b, auto c, auto d) { return atan(a) + tan(b) + cos(c) + sin(d); },
                         [](auto a, auto b, auto c, auto d) { return a * b * c * d; });
  becomes<four_terms, 5>([](auto a, auto b, auto c, auto d, auto e) { return atan(a) + tan(b) + e + cos(c) + sin(d); },
                         [](auto a, auto b, auto c, auto d, auto e) { return a * b * c * d + e; });
  becomes<five_terms, 5>([](auto a, auto b, auto c, auto d, auto e) { return erf(e) + (tan(c) + sin(a)) + (cos(b) + atan(d)); },
                         [](auto a, auto b, auto c, auto d, auto e) { return a * b * c * d * e; });
  becomes<six_terms, 6>(
      [](auto a, auto b, auto c, auto d, auto e, auto f) { return exp(f) + sin(a) + cos(b) + tan(c) + atan(d) + erf(e); },
      [](auto a, auto b, auto c, auto d, auto e, auto f) { return a * b * c * d * e * f; });
  becomes<six_factors, 6>(
      [](auto a, auto b, auto c, auto d, auto e, auto f) { return sin(a) * cos(b) * (tan(c) * atan(d)) * erf(e) * exp(f); },
      [](auto a, auto b, auto c, auto d, auto e, auto f) { return a + b + c + d + e + f; });
}

TEST_CASE("rules of many bare wildcards apply", "[rewrite]") {
  becomes<bare_sum, 5>([](auto a, auto b, auto c, auto d, auto e) { return atan(a + b + c + d + e); },
                       [](auto a, auto b, auto c, auto d, auto e) { return a * b * c * d * e; });
  becomes<bare_product, 5>([](auto a, auto b, auto c, auto d, auto e) { return atan(a * b * c * d * e); },
                           [](auto a, auto b, auto c, auto d, auto e) { return a + b + c + d + e; });
  becomes<eight_terms, 8>(
      [](auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h) { return sin(a + b + c + d + e + f + g + h + 1); },
      [](auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h) { return a * b * c * d * e * f * g * h; });
}

TEST_CASE("rules of products in sums and of coefficients apply", "[rewrite]") {
  becomes<mixed, 4>([](auto a, auto b, auto c, auto d) { return atan(d) * a + tan(c) * d + sin(a) * b + cos(b) * c; },
                    [](auto a, auto b, auto c, auto d) { return a + b + c + d; });
  becomes<difference, 4>([](auto a, auto b, auto c, auto d) { return 2 * tan(c) - atan(d) / 3 + sin(a) - cos(b); },
                         [](auto a, auto b, auto c, auto d) { return a * b * c * d; });
}

namespace {

constexpr auto around = kt::rules(kt::rule<"around">(
    [](auto a, auto b) { return (sin(a) * cos(b) + cos(a) * sin(b)) >> tan(a) * tan(b); }));
constexpr auto chain = kt::rules(kt::rule<"chain">(
    [](auto a, auto b, auto c) { return (sin(a) + atan(a - b) + atan(b - c) + cos(c)) >> a * b * c; }));
constexpr auto outside = kt::rules(kt::rule<"outside">([](auto a, auto b) { return (a + b) * sin(a) >> (a - b); }));
constexpr auto third_root = kt::rules(kt::rule<"third_root">([](auto a, auto b) { return atan(a * b) * sin(a) * cos(b) >> (a + b); }));
constexpr auto in_common = kt::rules(kt::rule<"in_common">(
    [](auto a, auto b, auto c) { return atan(a + b) * erf(a + c) >> (sin(a) * tan(b) + tan(c)); }));
constexpr auto swish = kt::rules(kt::rule<"swish">([](auto x) { return x * atan(x) >> sin(x); }));
constexpr auto guarded = kt::rules(kt::rule<"guarded">([](auto a, auto b) { return sin(a) * sin(b) >> (cos(a) + b); })
                                       .when([](kt::match const& m) { return m.is_literal(0); }));

}  // namespace

TEST_CASE("rules with repeated wildcards try every operand", "[rewrite]") {
  // The sines and cosines of others stand in between, whichever order they come in.
  becomes<around, 4>([](auto a, auto b, auto c, auto d) { return sin(c) * cos(b) + cos(a) * sin(b) + cos(b) * sin(a) + sin(d) * cos(c); },
                     [](auto a, auto b, auto c, auto d) { return tan(a) * tan(b) + sin(c) * cos(b) + sin(d) * cos(c); });
  becomes<chain, 5>(
      [](auto a, auto b, auto c, auto d, auto e) { return sin(a) + sin(d) + atan(d - e) + atan(b - c) + atan(a - b) + cos(c) + cos(d); },
      [](auto a, auto b, auto c, auto d, auto e) { return a * b * c + sin(d) + atan(d - e) + cos(d); });
  becomes<outside, 2>([](auto a, auto b) { return sin(b) * (a + b); }, [](auto a, auto b) { return b - a; });
  becomes<outside, 2>([](auto a, auto b) { return sin(a) * (a + b); }, [](auto a, auto b) { return a - b; });
  becomes<third_root, 3>([](auto a, auto b, auto c) { return atan(a * b) * cos(a) * sin(c) * sin(b); },
                         [](auto a, auto b, auto c) { return (a + b) * sin(c); });
  becomes<in_common, 3>([](auto a, auto b, auto c) { return atan(c + b) * erf(c + a); },
                        [](auto a, auto b, auto c) { return sin(c) * tan(b) + tan(a); });
  becomes<in_common, 3>([](auto a, auto b, auto c) { return atan(a + b) * erf(c + a); },
                        [](auto a, auto b, auto c) { return sin(a) * tan(b) + tan(c); });
}

TEST_CASE("a wildcard that stands for a product is found among the factors of another one", "[rewrite]") {
  becomes<swish, 4>([](auto a, auto b, auto c, auto d) { return a * atan(a * b * c) * b * c * d; },
                    [](auto a, auto b, auto c, auto d) { return sin(a * b * c) * d; });
  becomes<swish, 2>([](auto a, auto b) { return (a + b) * atan(a + b); }, [](auto a, auto b) { return sin(a + b); });
}

TEST_CASE("a guard that refuses one way to match is asked about the next one", "[rewrite]") {
  becomes<guarded, 1>([](auto a) { return sin(a) * sin(a + 2 - a); }, [](auto a) { return cos(a + 2 - a) + a; });
}

