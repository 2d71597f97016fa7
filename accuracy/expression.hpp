// Problems: an expression over real variables, and the condition under which it is to be computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace accuracy {

enum class operation {
  number, variable,
  add, sub, mul, div, neg, fabs, sqrt, cbrt, hypot, fma, fmin, fmax, copysign,
  exp, exp2, expm1, log, log2, log10, log1p, pow,
  sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, asinh, acosh, atanh,
  erf, erfc, lgamma, floor, ceil, trunc, round,
  less, less_equal, greater, greater_equal, equal, not_equal, both, either, negation, choice
};

struct operation_info {
  operation is;
  std::string_view name;  // in FPCore
  int arity;
};

/// The operations of FPCore that a collection may use; unary minus has the name of the binary one.
inline constexpr operation_info operations[] = {
    {operation::add, "+", 2},           {operation::sub, "-", 2},
    {operation::mul, "*", 2},           {operation::div, "/", 2},
    {operation::neg, "-", 1},           {operation::fabs, "fabs", 1},
    {operation::sqrt, "sqrt", 1},       {operation::cbrt, "cbrt", 1},
    {operation::hypot, "hypot", 2},     {operation::fma, "fma", 3},
    {operation::fmin, "fmin", 2},       {operation::fmax, "fmax", 2},
    {operation::copysign, "copysign", 2},
    {operation::exp, "exp", 1},         {operation::exp2, "exp2", 1},
    {operation::expm1, "expm1", 1},     {operation::log, "log", 1},
    {operation::log2, "log2", 1},       {operation::log10, "log10", 1},
    {operation::log1p, "log1p", 1},     {operation::pow, "pow", 2},
    {operation::sin, "sin", 1},         {operation::cos, "cos", 1},
    {operation::tan, "tan", 1},         {operation::asin, "asin", 1},
    {operation::acos, "acos", 1},       {operation::atan, "atan", 1},
    {operation::atan2, "atan2", 2},     {operation::sinh, "sinh", 1},
    {operation::cosh, "cosh", 1},       {operation::tanh, "tanh", 1},
    {operation::asinh, "asinh", 1},     {operation::acosh, "acosh", 1},
    {operation::atanh, "atanh", 1},     {operation::erf, "erf", 1},
    {operation::erfc, "erfc", 1},       {operation::lgamma, "lgamma", 1},
    {operation::floor, "floor", 1},     {operation::ceil, "ceil", 1},
    {operation::trunc, "trunc", 1},     {operation::round, "round", 1},
    {operation::less, "<", 2},          {operation::less_equal, "<=", 2},
    {operation::greater, ">", 2},       {operation::greater_equal, ">=", 2},
    {operation::equal, "==", 2},        {operation::not_equal, "!=", 2},
    {operation::both, "and", 2},        {operation::either, "or", 2},
    {operation::negation, "not", 1},    {operation::choice, "if", 3},
};

constexpr bool is_comparison(operation o) {
  return o >= operation::less && o <= operation::not_equal;
}
constexpr bool is_truth(operation o) { return o >= operation::less && o <= operation::negation; }

struct node {
  operation is;
  std::vector<int> arguments{};
  double value = 0;  // of a number
  int variable = -1;
};

/// Nodes stand behind their arguments; a node that is used twice is one.
struct expression {
  std::vector<node> nodes{};

  int add(operation is, std::vector<int> arguments) {
    nodes.push_back({is, std::move(arguments)});
    return static_cast<int>(nodes.size()) - 1;
  }
  int number(double value) {
    nodes.push_back({operation::number, {}, value});
    return static_cast<int>(nodes.size()) - 1;
  }
  node const& operator[](int at) const { return nodes[static_cast<std::size_t>(at)]; }
  int size() const { return static_cast<int>(nodes.size()); }
};

struct problem {
  std::string name{}, source{};
  std::vector<std::string> variables{};
  expression nodes{};
  int body = -1;
  int condition = -1;  // -1: none
};

/// The expression at a node, in FPCore.
std::string text_of(problem const& p, int at);

}  // namespace accuracy
