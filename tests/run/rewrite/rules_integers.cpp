// No rule, pass or law changes what integers give: every formula as it is written against its optimized forms, at their ends.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/runtime.hpp>

#include <sstream>

#include "run/seed.hpp"

namespace {

namespace kt = kroton;
using kt::runtime::array;

/// The ends of an integer type and what lies around 0, and then a few of no account.
template <class T>
std::vector<T> corners() {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else {
    T const least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    T const minus_one = static_cast<T>(-1), half = static_cast<T>(most / 2 + 1);
    return {least, static_cast<T>(least + 1), minus_one, 0, 1, 2, 3, 77, half, static_cast<T>(most - 1), most};
  }
}

/// All triples of corners, as three vectors.
std::vector<array> triples(std::array<kt::element, 3> types) {
  std::vector<array> result;
  std::array<std::size_t, 3> counts{};
  for (std::size_t k = 0; k < 3; ++k)
    kt::runtime::visit_element(types[k], [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_integral_v<T>) counts[k] = corners<T>().size();
    });
  for (std::size_t k = 0; k < 3; ++k) {
    array& a = result.emplace_back(types[k], std::vector<std::size_t>{counts[0] * counts[1] * counts[2]});
    kt::runtime::visit_element(types[k], [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_integral_v<T>) {
        std::size_t const repeats = k == 2 ? 1 : k == 1 ? counts[2] : counts[1] * counts[2];
        for (std::size_t i = 0; i < a.size(); ++i) a.data<T>()[i] = corners<T>()[i / repeats % counts[k]];
      }
    });
  }
  return result;
}

std::vector<array> values(kt::graph const& g, kt::stage last, bool ieee, std::vector<array> const& arguments) {
  kt::rewrite::rewrite_options options;
  options.ieee = ieee;
  kt::runtime::function<std::vector<array>> const f(kt::runtime::make_program(g, last, options));
  std::vector<array const*> list;
  for (array const& a : arguments) list.push_back(&a);
  std::vector<array> result;
  f.into(result, {list.data(), static_cast<int>(list.size())});
  return result;
}

std::string number_at(array const& a, std::size_t i) {
  std::ostringstream text;
  kt::runtime::visit_element(a.element_type(), [&]<class T>(std::type_identity<T>) {
    if constexpr (kt::core::is_complex_number<T>) text << a.data<T>()[i].real();
    else if constexpr (std::is_floating_point_v<T>) text << a.data<T>()[i];
    else text << +a.data<T>()[i];
  });
  return text.str();
}
bool same_at(array const& a, array const& b, std::size_t i) {
  bool same = false;
  kt::runtime::visit_element(a.element_type(), [&]<class T>(std::type_identity<T>) {
    T const x = a.data<T>()[i], y = b.data<T>()[i];
    if constexpr (std::is_floating_point_v<T>)
      same = x == y || (x != x && y != y) || std::abs(x - y) <= 8 * std::numeric_limits<T>::epsilon() * std::abs(x);
    else same = x == y;
  });
  return same;
}

/// Where an optimized form of a graph differs from what it was written as; "" where it does nowhere.
std::string difference(kt::graph const& g, std::vector<array> const& arguments) {
  std::vector<array> const written = values(g, kt::stage::as_written, false, arguments);
  for (bool ieee : {false, true})
    for (kt::stage last : {kt::stage::canonicalize, kt::stage::specialize}) {
      std::vector<array> const got = values(g, last, ieee, arguments);
      for (std::size_t i = 0; i < got[0].size(); ++i)
        if (!same_at(written[0], got[0], i)) {
          std::size_t const at = got[0].size() == arguments[0].size() ? i : 0;
          std::string text = "at";
          for (array const& a : arguments) text += " " + number_at(a, at);
          return text + ": " + number_at(written[0], i) + " becomes " + number_at(got[0], i) + (ieee ? " in ieee" : "");
        }
    }
  return "";
}

struct formula {
  char const* text;
  kt::term (*record)(kt::term, kt::term, kt::term);
};
#define FORMULA(...) formula{#__VA_ARGS__, [](kt::term a, kt::term b, kt::term c) -> kt::term { (void)a, (void)b, (void)c; return __VA_ARGS__; }}
using kt::lvector;

// One line for every law that the normal form, a rule or a pass could apply.
formula const formulas[] = {
    // Sums and signs.
    FORMULA(sgn(-a)), FORMULA(sgn(b - a)), FORMULA(sgn(a - b + c)), FORMULA(sgn(3 * a)), FORMULA(sgn(a * b)),
    FORMULA(sgn(-2 * a)), FORMULA(abs(-a)), FORMULA(abs(b - a)), FORMULA(abs(a * b)), FORMULA(abs(-3 * a)),
    FORMULA(sgn(a) * abs(a)), FORMULA(a * abs(a)), FORMULA(abs(a) * abs(a)), FORMULA(abs(abs(a)) + sgn(sgn(b))),
    FORMULA(-(-a)), FORMULA(a - a + b), FORMULA(a + b - a), FORMULA(100 * a + 27 * a + b), FORMULA(a * 3 - 3 * a + b),
    FORMULA(-(a - b)), FORMULA((a - b) - (c - b)), FORMULA(-a * -b), FORMULA(-(a * b) + c), FORMULA(77 + a + 77 + b),
    // Products and powers.
    FORMULA(a * b + a * c), FORMULA(a * (b + c) - a * b), FORMULA((a + b) * (a - b)), FORMULA((-a - b) * c),
    FORMULA(2 * (a + b) + 3 * (a - b)), FORMULA(a * 16 * 16), FORMULA(100 * a * 100), FORMULA(a * a * a),
    FORMULA(sqr(a) * sqr(b)), FORMULA(sqr(-a)), FORMULA(sqr(a - b) + 2 * a * b), FORMULA(a * a + 2 * a * b + b * b),
    FORMULA(pow(a, 3) * pow(a, 2)), FORMULA(pow(pow(a, 2), 3)), FORMULA(pow(a, 100) * pow(a, 100)),
    FORMULA(pow(pow(a, 16), 16)), FORMULA(pow(pow(a, 12), 11) * a), FORMULA(pow(a, b) * pow(a, c)), FORMULA(pow(a, b)),
    FORMULA(pow(1, a)), FORMULA(pow(a, 0)), FORMULA(pow(a * b, 3)), FORMULA(pow(2 * a, 7)), FORMULA(pow(-a, 3)),
    FORMULA(pow(abs(a), 3) * a), FORMULA(pow(pow(a, b), 2)), FORMULA(pow(pow(a, 2), b)), FORMULA(a * pow(a, b)),
    FORMULA(pow(abs(a), 64) * pow(a, 63)), FORMULA(pow(a, 127) * a + pow(a, 127) * b),
    // Minima, maxima, comparisons.
    FORMULA(maximum(a, a + 1)), FORMULA(minimum(a, a + b)), FORMULA(maximum(a + c, b + c)), FORMULA(maximum(2 * a, 2 * b)),
    FORMULA(maximum(-a, -b)), FORMULA(-minimum(-a, -b)), FORMULA(maximum(a, maximum(b, a))), FORMULA(minimum(a, 0) + maximum(a, 0)),
    FORMULA(maximum(maximum(a, 5) + maximum(b, 5), 0)), FORMULA(maximum(maximum(a, 1) * maximum(b, 1), 0)),
    FORMULA(minimum(maximum(a, 0), maximum(a, 0) + maximum(b, 0))), FORMULA(minimum(3, a - minimum(b, a))),
    FORMULA(maximum(a - minimum(b, a), 0)), FORMULA(minimum(maximum(c, 0), a - minimum(b, a))),
    FORMULA(clip(a, -3, 3) + clip(b, 1, 100)), FORMULA(where(gt(a + 1, b + 1), a, b)), FORMULA(a + 1 > b + 1),
    FORMULA(a - b > 0), FORMULA(a < a + 1), FORMULA(2 * a < 2 * b), FORMULA(-a < -b), FORMULA(a + b >= a), FORMULA(eq(a + b, a + c)),
    FORMULA(eq(2 * a, 2 * b)), FORMULA(neq(-a, b)), FORMULA(a - 1 < a), FORMULA(le(maximum(a, 0) + maximum(b, 0), -1)),
    FORMULA(lt(0, maximum(a, 1) + maximum(b, 1))), FORMULA(ge(abs(a), 0)), FORMULA(lt(sqr(a), 0)), FORMULA(eq(a, a) | (b < b)),
    // Quotients, remainders, bits.
    FORMULA(floordiv(a, 1)), FORMULA(floordiv(a, -1)), FORMULA(floordiv(a, b)), FORMULA(a % b), FORMULA(floordiv(-a, b)),
    FORMULA(floordiv(a, b) * b + a % b), FORMULA(floordiv(a * b, b)), FORMULA(floordiv(2 * a, 2)), FORMULA(floordiv(a - b, 3)),
    FORMULA(floordiv(floordiv(a, 2), 3)), FORMULA((a % 5) % 5), FORMULA((-a) % 7), FORMULA((a + b) % 4), FORMULA(a % 1),
    FORMULA(kt::call<kt::op::shift_left>(a, b)), FORMULA(kt::call<kt::op::shift_right>(-a, b)), FORMULA(kt::call<kt::op::shift_right>(kt::call<kt::op::shift_left>(a, 7 + 0 * a), 7 + 0 * a)),
    FORMULA(~(~a)), FORMULA(~a + 1), FORMULA((a & b) | (a & c)), FORMULA((a ^ b) ^ b), FORMULA((a ^ a) + b), FORMULA((a & 0) | b),
    FORMULA(a & -1), FORMULA((a | a) & (b | b)), FORMULA(~(a & b)), FORMULA(-(~a)), FORMULA((a | 0) ^ (b & b)),
    // Conversions and quotients that are floats.
    FORMULA(kt::cast<std::int8_t>(kt::cast<std::int64_t>(a) + kt::cast<std::int64_t>(b))),
    FORMULA(kt::cast<std::int8_t>(kt::cast<double>(a))), FORMULA(kt::cast<std::uint8_t>(kt::cast<float>(a))),
    FORMULA(kt::cast<std::int64_t>(kt::cast<std::int32_t>(a))), FORMULA(kt::cast<std::int32_t>(kt::cast<std::uint8_t>(a)) - 1),
    FORMULA(kt::cast<std::uint16_t>(kt::cast<std::int8_t>(a))), FORMULA(kt::cast<bool>(kt::cast<std::int8_t>(a))),
    FORMULA(kt::cast<std::int32_t>(kt::cast<double>(a))), FORMULA(kt::cast<std::uint64_t>(kt::cast<double>(a))),
    FORMULA(kt::cast<std::int8_t>(where(a > b, kt::cast<std::int64_t>(a), 3))), FORMULA(kt::cast<float>(kt::cast<double>(a))),
    FORMULA(a / b), FORMULA(a * b / b), FORMULA((a + b) / 2), FORMULA(exp(kt::cast<double>(sgn(-a)))), FORMULA(sqrt(abs(a))),
    FORMULA(0.5 * (a - b)), FORMULA(-a / 2), FORMULA(abs(-a) / 2), FORMULA(log(a * a + 1)), FORMULA(kt::cast<double>(-a) + b),
    // Choices.
    FORMULA(where(a > b, a, b) - where(a > b, b, a)), FORMULA(where(a > 0, 2 * a, 0) * b), FORMULA(where(a > 0, 0, b) * a),
    FORMULA(where(a > b, a, 0) + where(a > b, 0, b)), FORMULA(where(a > 0, a, -a)), FORMULA(where(~(a > b), a, c)),
    // Reductions.
    FORMULA(sum(2 * a)), FORMULA(sum(a * 100)), FORMULA(sum(-a)), FORMULA(max(-a)), FORMULA(min(-3 * a)), FORMULA(max(2 * a)),
    FORMULA(prod(2 * minimum(maximum(a, 1), 2))), FORMULA(sum(where(a > b, 2 * a, 2 * b))), FORMULA(sum(a) - sum(b)), FORMULA(sum(a - b)),
    FORMULA(kt::argmax(-a)), FORMULA(kt::argmin(2 * a)), FORMULA(kt::argmax(a + 1)), FORMULA(sum(a > b)), FORMULA(mean(-a)),
    FORMULA(any(-a > a)), FORMULA(all(a + 1 > a)), FORMULA(dot(2 * a, b)), FORMULA(dot(-a, -b)), FORMULA(max(a + 77)),
    FORMULA(sum(max(a) * b)), FORMULA(kt::cumsum(2 * a)), FORMULA(sort(-a)), FORMULA(sum(sqr(a)) - sum(a * a)),
    FORMULA(sum(kt::cast<std::int8_t>(2 * a))), FORMULA(2 * a + 6 * b + sgn(a + 3 * b)), FORMULA((a + 10 * b) * (2 * a + 20 * b + c)),
};
#undef FORMULA

using kt::element;

}  // namespace

TEST_CASE("integers: optimized formulas give what they are written as at the ends of every type", "[rewrite]") {
  element const types[] = {element::boolean, element::int8,   element::int16,  element::int32, element::int64,
                           element::uint8,   element::uint16, element::uint32, element::uint64};
  std::vector<std::string> found;
  int compared = 0;
  auto compare = [&](formula const& f, std::array<element, 3> const& e, std::vector<array> const& arguments) {
    kt::graph g;
    kt::term inputs[3];
    for (int k = 0; k < 3; ++k) inputs[k] = {&g, g.input({e[static_cast<std::size_t>(k)], 1, 0}, k)};
    g.results().push_back(f.record(inputs[0], inputs[1], inputs[2]).id);
    if (!g.error().empty()) return;
    ++compared;
    std::string const text = difference(g, arguments);
    if (!text.empty()) found.push_back(std::string(f.text) + " of " + std::string(kt::core::name_of(e[0])) + " " + text);
  };
  for (element e : types) {
    std::array<element, 3> const all{e, e, e};
    std::vector<array> const arguments = triples(all);
    for (formula const& f : formulas) compare(f, all, arguments);
  }
  // Mixed: neighbours in size, and of the other kind.
  std::array<element, 3> const mixed[] = {{element::int8, element::uint8, element::int16},
                                          {element::uint16, element::int8, element::uint8},
                                          {element::int64, element::uint32, element::int8},
                                          {element::uint64, element::uint16, element::boolean},
                                          {element::boolean, element::int8, element::uint64}};
  for (auto const& e : mixed) {
    std::vector<array> const arguments = triples(e);
    for (formula const& f : formulas) compare(f, e, arguments);
  }
  CHECK(found == std::vector<std::string>{});
  CHECK(compared > 1000);
}

namespace {

/// Grows a formula of integers by applying random ops to what is there.
kt::term grow(std::vector<kt::term> pool, int steps, std::mt19937& random) {
  auto below = [&](std::size_t n) { return random() % n; };
  auto any = [&] { return pool[below(pool.size())]; };
  int const numbers[] = {0, 1, 1, 2, 2, 3, 4, 16, 64, 100};
  for (int i = 0; i < steps; ++i) {
    kt::term const a = any(), b = any();
    int const number = numbers[below(std::size(numbers))] * (kt::core::is_unsigned(a.element()) || random() % 3 > 0 ? 1 : -1);
    switch (below(22)) {
      case 0: case 1: pool.push_back(a + b); break;
      case 2: case 3: pool.push_back(a - b); break;
      case 4: case 5: pool.push_back(a * b); break;
      case 6: pool.push_back(number * a); break;
      case 7: pool.push_back(a + number); break;
      case 8: pool.push_back(-a); break;
      case 9: pool.push_back(sqr(a)); break;
      case 10: pool.push_back(pow(a, std::abs(number))); break;
      case 11: pool.push_back(abs(a)); break;
      case 12: pool.push_back(sgn(a)); break;
      case 13: pool.push_back(maximum(a, b)); break;
      case 14: pool.push_back(minimum(a, number)); break;
      case 15: pool.push_back(where(a > b, a, b)); break;
      case 16: pool.push_back(where(a < number, 0, b)); break;
      case 17: pool.push_back(floordiv(a, b)); break;
      case 18: pool.push_back(a % number); break;
      case 19: pool.push_back(a & b); break;
      case 20: pool.push_back(a ^ number); break;
      default: pool.push_back(~a); break;
    }
  }
  return pool.back() + pool[pool.size() - 2] - pool[pool.size() - 3];
}

}  // namespace

TEST_CASE("integers: random formulas keep their values at the ends of every type", "[rewrite][random]") {
  std::mt19937 random = seeded_generator();
  std::vector<std::string> found;
  for (element e : {element::int8, element::uint8, element::int32, element::int64, element::uint64}) {
    std::vector<array> const arguments = triples({e, e, e});
    for (int round = 0; round < 150; ++round) {
      kt::graph g;
      std::vector<kt::term> inputs;
      for (int k = 0; k < 3; ++k) inputs.push_back({&g, g.input({e, 1, 0}, k)});
      g.results().push_back(grow(inputs, 4 + round % 12, random).id);
      std::string const text = difference(g, arguments);
      if (!text.empty()) found.push_back("round " + std::to_string(round) + " of " + std::string(kt::core::name_of(e)) + " " + text);
    }
  }
  CHECK(found == std::vector<std::string>{});
}
