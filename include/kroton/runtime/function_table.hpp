// The table of the functions and operators of formulas: name, number of operands, and how each is
// recorded.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/bessel.hpp>
#include <kroton/ops/elementwise/beta.hpp>
#include <kroton/ops/elementwise/error_inverses.hpp>
#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/elementwise/exponents.hpp>
#include <kroton/ops/elementwise/incomplete_gamma.hpp>
#include <kroton/ops/elementwise/number_extrema.hpp>
#include <kroton/ops/elementwise/roots.hpp>
#include <kroton/ops/elementwise/signs.hpp>
#include <kroton/ops/elementwise/special.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>
#include <kroton/runtime/recording.hpp>
#include <kroton/runtime/tokenizer.hpp>

namespace kroton::runtime::syntax {

/// The keyword arguments that a function accepts.
enum class keywords { none, axis, axis_and_keepdims };

struct table_entry {
  std::string_view name;
  int arity;
  value (*record)(call const&);
  keywords options = keywords::none;
  std::string_view hint = {};  // the advice if the number of operands is wrong
};

// Unary minus and plus have names that are not identifiers.
inline constexpr table_entry function_table[] = {
    {"+", 2, elementwise<op::add>},
    {"-", 2, difference<op::sub>},
    {"*", 2, elementwise<op::mul>},
    {"/", 2, elementwise<op::div>},
    {"//", 2, elementwise<op::floordiv>},
    {"%", 2, elementwise<op::mod>},
    {"@", 2, dot},
    {"**", 2, power},
    {"unary -", 1, difference<op::neg>},
    {"unary +", 1, identity},
    {"~", 1, bitwise<op::bit_not>},
    {"&", 2, bitwise<op::bit_and>},
    {"|", 2, bitwise<op::bit_or>},
    {"^", 2, bitwise<op::bit_xor>},
    {"<<", 2, bitwise<op::shift_left>},
    {">>", 2, bitwise<op::shift_right>},
    {"==", 2, elementwise<op::eq>},
    {"!=", 2, elementwise<op::neq>},
    {"<", 2, elementwise<op::lt>},
    {"<=", 2, elementwise<op::le>},
    {">", 2, elementwise<op::gt>},
    {">=", 2, elementwise<op::ge>},

    {"exp", 1, elementwise<op::exp>},
    {"exp2", 1, elementwise<op::exp2>},
    {"expm1", 1, elementwise<op::expm1>},
    {"log", 1, elementwise<op::log>},
    {"log2", 1, elementwise<op::log2>},
    {"log10", 1, elementwise<op::log10>},
    {"log1p", 1, elementwise<op::log1p>},
    {"log1mexp", 1, elementwise<op::log1mexp>},
    {"logaddexp", 2, elementwise<op::logaddexp>},
    {"sigmoid", 1, elementwise<op::sigmoid>},
    {"softplus", 1, elementwise<op::softplus>},
    {"sqrt", 1, elementwise<op::sqrt>},
    {"cbrt", 1, elementwise<op::cbrt>},
    {"hypot", 2, elementwise<op::hypot>},
    {"ldexp", 2, power_of_two},
    {"nextafter", 2, elementwise<op::nextafter>},
    {"copysign", 2, elementwise<op::copysign>},
    {"signbit", 1, elementwise<op::signbit>},
    {"sqr", 1, elementwise<op::sqr>},
    {"square", 1, elementwise<op::sqr>},
    {"inv", 1, elementwise<op::inv>},
    {"reciprocal", 1, elementwise<op::inv>},
    {"pow", 2, power},
    {"power", 2, power},
    {"floordiv", 2, elementwise<op::floordiv>},
    {"floor_divide", 2, elementwise<op::floordiv>},
    {"mod", 2, elementwise<op::mod>},
    {"remainder", 2, elementwise<op::mod>},
    {"abs", 1, elementwise<op::abs>},
    {"absolute", 1, elementwise<op::abs>},
    {"sgn", 1, elementwise<op::sgn>},
    {"sign", 1, elementwise<op::sgn>},
    {"floor", 1, elementwise<op::floor>},
    {"ceil", 1, elementwise<op::ceil>},
    {"round", 1, elementwise<op::round>, keywords::none, "it rounds to whole numbers"},
    {"rint", 1, elementwise<op::round>},
    {"trunc", 1, elementwise<op::trunc>},
    {"sin", 1, elementwise<op::sin>},
    {"cos", 1, elementwise<op::cos>},
    {"tan", 1, elementwise<op::tan>},
    {"asin", 1, elementwise<op::asin>},
    {"arcsin", 1, elementwise<op::asin>},
    {"acos", 1, elementwise<op::acos>},
    {"arccos", 1, elementwise<op::acos>},
    {"atan", 1, elementwise<op::atan>},
    {"arctan", 1, elementwise<op::atan>},
    {"atan2", 2, elementwise<op::atan2>},
    {"arctan2", 2, elementwise<op::atan2>},
    {"sinh", 1, elementwise<op::sinh>},
    {"cosh", 1, elementwise<op::cosh>},
    {"tanh", 1, elementwise<op::tanh>},
    {"asinh", 1, elementwise<op::asinh>},
    {"arcsinh", 1, elementwise<op::asinh>},
    {"acosh", 1, elementwise<op::acosh>},
    {"arccosh", 1, elementwise<op::acosh>},
    {"atanh", 1, elementwise<op::atanh>},
    {"arctanh", 1, elementwise<op::atanh>},
    {"erf", 1, elementwise<op::erf>},
    {"erfc", 1, elementwise<op::erfc>},
    {"erfcx", 1, elementwise<op::erfcx>},
    {"logerfc", 1, elementwise<op::logerfc>},
    {"erfinv", 1, elementwise<op::erfinv>},
    {"erfcinv", 1, elementwise<op::erfcinv>},
    {"gammaln", 1, elementwise<op::gammaln>},
    {"gamma", 1, elementwise<op::gamma>},
    {"betaln", 2, elementwise<op::betaln>},
    {"gammainc", 2, elementwise<op::gammainc>},
    {"gammaincc", 2, elementwise<op::gammaincc>},
    {"digamma", 1, elementwise<op::digamma>},
    {"trigamma", 1, elementwise<op::trigamma>},
    {"i0", 1, elementwise<op::i0>},
    {"i1", 1, elementwise<op::i1>},
    {"i0e", 1, elementwise<op::i0e>},
    {"i1e", 1, elementwise<op::i1e>},
    {"j0", 1, elementwise<op::j0>},
    {"j1", 1, elementwise<op::j1>},
    {"polygamma", 2, elementwise<op::polygamma>, keywords::none, "the order comes first"},

    {"minimum", 2, elementwise<op::minimum>},
    {"maximum", 2, elementwise<op::maximum>},
    {"fmin", 2, elementwise<op::fmin>},
    {"fmax", 2, elementwise<op::fmax>},
    {"clip", 3, clip},
    {"where", 3, where},
    {"eq", 2, elementwise<op::eq>},
    {"neq", 2, elementwise<op::neq>},

    {"sum", 1, reduction<op::sum>, keywords::axis_and_keepdims, "an axis is written axis=0"},
    {"prod", 1, reduction<op::prod>, keywords::axis_and_keepdims, "an axis is written axis=0"},
    {"mean", 1, mean, keywords::axis_and_keepdims, "an axis is written axis=0"},
    {"min", 1, reduction<op::min>, keywords::axis_and_keepdims,
     "the smaller of two is minimum(a, b)"},
    {"max", 1, reduction<op::max>, keywords::axis_and_keepdims,
     "the larger of two is maximum(a, b)"},
    {"any", 1, reduction<op::any>, keywords::axis_and_keepdims, "an axis is written axis=0"},
    {"all", 1, reduction<op::all>, keywords::axis_and_keepdims, "an axis is written axis=0"},
    {"logsumexp", 1, logsumexp, keywords::axis_and_keepdims, "an axis is written axis=0"},
    {"softmax", 1, normalization<op::softmax>, keywords::axis, "an axis is written axis=0"},
    {"log_softmax", 1, normalization<op::log_softmax>, keywords::axis, "an axis is written axis=0"},
    {"dot", 2, dot},
    {"transpose", 1, transposed},
    {"zeros_like", 1, spread<0>},
    {"ones_like", 1, spread<1>},

    {"bool", 1, conversion<bool>},
    {"int8", 1, conversion<std::int8_t>},
    {"int16", 1, conversion<std::int16_t>},
    {"int32", 1, conversion<std::int32_t>},
    {"int64", 1, conversion<std::int64_t>},
    {"uint8", 1, conversion<std::uint8_t>},
    {"uint16", 1, conversion<std::uint16_t>},
    {"uint32", 1, conversion<std::uint32_t>},
    {"uint64", 1, conversion<std::uint64_t>},
    {"float32", 1, conversion<float>},
    {"float64", 1, conversion<double>},
};

/// Whether an element of the result depends on more than one element of an operand.
inline bool reads_whole_arrays(table_entry const& e) {
  return e.options != keywords::none || e.record == dot;
}

/// Whether an entry's name can be called in text: operators have other names.
constexpr bool is_name(std::string_view name) {
  return begins_name(name.front()) && continues_name(name.back());
}

/// The entry of a name, or null.
inline table_entry const* find_function(std::string_view name) {
  for (table_entry const& e : function_table)
    if (e.name == name) return &e;
  return nullptr;
}

/// The number of insertions, deletions, replacements and exchanges of neighbouring characters
/// between two words.
inline std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

/// The known function whose name is nearest to an unknown one; empty if none is near.
inline std::string_view nearest_function(std::string_view name) {
  std::string_view nearest;
  std::string lower(name.substr(0, 32));
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::size_t best = lower.size() < 3 ? 1 : lower.size() < 6 ? 2 : 3;  // the least that is too far
  for (table_entry const& e : function_table)
    if (std::size_t const d = distance(lower, e.name); is_name(e.name) && d < best) {
      best = d;
      nearest = e.name;
    }
  return nearest;
}

}  // namespace kroton::runtime::syntax
