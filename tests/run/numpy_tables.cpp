// Values and result types of operators and reductions on every element type, as NumPy gives them, see tests/reference/make_tables.py.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <map>
#include <string>
#include <vector>

using namespace reference;
using kt::runtime::array;
using kt::term;

namespace {

using list = std::vector<long double>;

struct operands {
  int type;
  list first, second, shifts;
};
struct result_types {
  std::string op, types;
};
struct result {
  std::string op;
  std::vector<int> types;
  int type;
  list values;
};

struct table {
  std::vector<operands> of_types;
  std::vector<result_types> types;
  std::vector<result> results;
};
table const& numpy() {
  static table const t = [] {
    table t;
#define OPERANDS(type, ...) t.of_types.push_back({type, __VA_ARGS__});
#define RESULT_TYPES(op, letters) t.types.push_back({op, letters});
#define BINARY(op, a, b, type, ...) t.results.push_back({op, {a, b}, type, __VA_ARGS__});
#define UNARY(op, a, type, ...) t.results.push_back({op, {a}, type, __VA_ARGS__});
#include "reference/numpy.inc"
#undef OPERANDS
#undef RESULT_TYPES
#undef BINARY
#undef UNARY
    return t;
  }();
  return t;
}

std::map<std::string, term (*)(term, term)> const binary{
    {"add", [](term a, term b) -> term { return a + b; }},
    {"sub", [](term a, term b) -> term { return a - b; }},
    {"mul", [](term a, term b) -> term { return a * b; }},
    {"div", [](term a, term b) -> term { return a / b; }},
    {"floordiv", [](term a, term b) -> term { return floordiv(a, b); }},
    {"mod", [](term a, term b) -> term { return a % b; }},
    {"eq", [](term a, term b) -> term { return eq(a, b); }},
    {"lt", [](term a, term b) -> term { return a < b; }},
    {"ge", [](term a, term b) -> term { return a >= b; }},
    {"minimum", [](term a, term b) -> term { return minimum(a, b); }},
    {"maximum", [](term a, term b) -> term { return maximum(a, b); }},
    {"bit_and", [](term a, term b) -> term { return a & b; }},
    {"bit_or", [](term a, term b) -> term { return a | b; }},
    {"bit_xor", [](term a, term b) -> term { return a ^ b; }},
    {"shift_left", [](term a, term b) -> term { return a << b; }},
    {"shift_right", [](term a, term b) -> term { return kt::call<kt::op::shift_right>(a, b); }},
};
std::map<std::string, term (*)(term)> const unary{
    {"sum", [](term x) -> term { return sum(x); }},
    {"prod", [](term x) -> term { return prod(x); }},
    {"max", [](term x) -> term { return max(x); }},
    {"min", [](term x) -> term { return min(x); }},
    {"mean", [](term x) -> term { return mean(x); }},
    {"var", [](term x) -> term { return var(x); }},
    {"stddev", [](term x) -> term { return stddev(x); }},
    {"norm", [](term x) -> term { return norm(x); }},
    {"argmax", [](term x) -> term { return argmax(x); }},
    {"argmin", [](term x) -> term { return argmin(x); }},
    {"all", [](term x) -> term { return all(x); }},
    {"any", [](term x) -> term { return any(x); }},
    {"cumsum", [](term x) -> term { return cumsum(x); }},
    {"cumprod", [](term x) -> term { return cumprod(x); }},
    {"sort", [](term x) -> term { return sort(x); }},
    {"argsort", [](term x) -> term { return argsort(x); }},
    {"neg", [](term x) -> term { return -x; }},
    {"abs", [](term x) -> term { return abs(x); }},
    {"sgn", [](term x) -> term { return sgn(x); }},
    {"sqr", [](term x) -> term { return sqr(x); }},
    {"invert", [](term x) -> term { return ~x; }},
};

array as_array(list const& values, int type) {
  array a(static_cast<kt::element>(type), {values.size()});
  kt::runtime::visit_element(a.element_type(), [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < values.size(); ++i) a.data<T>()[i] = static_cast<T>(values[i]);
  });
  return a;
}
/// The first element that differs by more than rounding, or "".
std::string difference(array const& got, list const& want) {
  if (got.size() != want.size()) return "another size";
  std::string text;
  kt::runtime::visit_element(got.element_type(), [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < want.size(); ++i) {
      // NumPy's tables are of real numbers.
      long double v = 0;
      if constexpr (std::is_arithmetic_v<T>) v = static_cast<long double>(got.data<T>()[i]);
      else text += "a complex number; ";
      long double const tolerance = std::is_same_v<T, float> ? 1e-6L : std::is_same_v<T, double> ? 1e-14L : 0;
      if (v == want[i] || (std::isnan(v) && std::isnan(want[i])) || std::fabs(v - want[i]) <= tolerance * std::fabs(want[i])) continue;
      text += std::to_string(v) + " instead of " + std::to_string(want[i]) + " at " + std::to_string(i) + "; ";
    }
  });
  return text;
}

kt::tensor_type vector_of(int type) { return {static_cast<kt::element>(type), 1, 0}; }

}  // namespace

TEST_CASE("result types of operators are NumPy's", "[numpy]") {
  std::size_t const count = numpy().of_types.size();
  for (auto const& [op, types] : numpy().types) {
    REQUIRE(types.size() == count * count);
    for (std::size_t k = 0; k < types.size(); ++k) {
      if (types[k] == '-') continue;
      int const a = static_cast<int>(k / count), b = static_cast<int>(k % count);
      CAPTURE(op, a, b);
      kt::runtime::graph g;
      CHECK(static_cast<int>(binary.at(op)(g.input(vector_of(a)), g.input(vector_of(b))).element()) == std::stoi(std::string(1, types[k]), nullptr, 16));
    }
  }
}

TEST_CASE("values of operators and reductions are NumPy's", "[numpy]") {
  std::map<std::vector<int>, std::vector<result const*>> by_types;
  for (result const& r : numpy().results) by_types[r.types].push_back(&r);
  for (auto const& [types, results] : by_types) {
    kt::runtime::graph g;
    std::vector<term> inputs, outputs;
    for (int type : types) inputs.push_back(g.input(vector_of(type)));
    auto const at = [&](std::size_t k) -> operands const& { return numpy().of_types[static_cast<std::size_t>(types[k])]; };
    std::vector<array> arguments{as_array(at(0).first, types[0])};
    if (types.size() > 1) {
      arguments.push_back(as_array(at(1).second, types[1]));
      arguments.push_back(as_array(at(1).shifts, types[1]));
      inputs.push_back(g.input(vector_of(types[1])));
    }
    for (result const* r : results) {
      bool const shifts = r->op.starts_with("shift");
      outputs.push_back(types.size() == 1 ? unary.at(r->op)(inputs[0]) : binary.at(r->op)(inputs[0], inputs[shifts ? 2 : 1]));
    }
    auto const f = g.function(inputs, outputs);
    std::vector<array> got;
    std::vector<array const*> given;
    for (array const& a : arguments) given.push_back(&a);
    f.into(got, kt::core::items<array const*>(given));
    for (std::size_t k = 0; k < results.size(); ++k) {
      CAPTURE(results[k]->op, types);
      CHECK(static_cast<int>(got[k].element_type()) == results[k]->type);
      CHECK(difference(got[k], results[k]->values) == "");
    }
  }
}
