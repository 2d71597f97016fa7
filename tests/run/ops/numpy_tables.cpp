// Values and result types of operators, functions, reductions and arrangements on every element type, as NumPy gives them, see tests/reference/make_tables.py.
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

template <class T>
kt::matrix<T> matrix(kt::vector<T> x) {
  return kt::reshape<2>(x, 2, 4);
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
    {"neq", [](term a, term b) -> term { return neq(a, b); }},
    {"gt", [](term a, term b) -> term { return a > b; }},
    {"le", [](term a, term b) -> term { return a <= b; }},
    {"pow", [](term a, term b) -> term { return pow(a, b); }},
    {"atan2", [](term a, term b) -> term { return atan2(a, b); }},
    {"logaddexp", [](term a, term b) -> term { return logaddexp(a, b); }},
    {"dot", [](term a, term b) -> term { return dot(a, b); }},
    {"where", [](term a, term b) -> term { return where(a > 0, a, b); }},
};
/// Functions whose operands have their ranks in their types.
template <class A, class B>
std::map<std::string, term (*)(kt::vector<A>, kt::vector<B>)> const& binary_of_vectors() {
  using a_vector = kt::vector<A>;
  using b_vector = kt::vector<B>;
  static std::map<std::string, term (*)(a_vector, b_vector)> const functions{
    {"outer", [](a_vector a, b_vector b) -> term { return outer(a, b); }},
    {"concatenate", [](a_vector a, b_vector b) -> term { return kt::concatenate<0>(a, b); }},
    {"stack", [](a_vector a, b_vector b) -> term { return kt::stack<1>(a, b); }},
    {"dot_matrix",
     [](a_vector a, b_vector b) -> term { return dot(matrix(a), kt::reshape<2>(b, 4, 2)); }},
  };
  return functions;
}
/// The pairs of element types for which the table has values. (Others would take the compiler minutes.)
constexpr bool is_tabled(kt::element a, kt::element b) {
  using enum kt::element;
  constexpr std::pair<kt::element, kt::element> mixed[] = {
    {boolean, int16}, {int8, uint8}, {int32, float32}, {int64, uint64}, {uint16, int32}, {float32, float64}};
  for (auto const& [x, y] : mixed)
    if (a == x && b == y) return true;
  return a == b;
}
term apply_binary(std::string const& op, term a, term b) {
  if (binary.contains(op)) return binary.at(op)(a, b);
  term result;
  kt::runtime::visit_element(a.element(), [&]<class A>(std::type_identity<A>) {
    kt::runtime::visit_element(b.element(), [&]<class B>(std::type_identity<B>) {
      if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B> &&
                    is_tabled(kt::core::element_of<A>(), kt::core::element_of<B>()))
        result = binary_of_vectors<A, B>().at(op)(kt::vector<A>(a), kt::vector<B>(b));
    });
  });
  return result;
}

template <class T>
std::map<std::string, term (*)(kt::vector<T>)> const& unary() {
  static std::map<std::string, term (*)(kt::vector<T>)> const functions{
    {"sum", [](kt::vector<T> x) -> term { return sum(x); }},
    {"prod", [](kt::vector<T> x) -> term { return prod(x); }},
    {"max", [](kt::vector<T> x) -> term { return max(x); }},
    {"min", [](kt::vector<T> x) -> term { return min(x); }},
    {"mean", [](kt::vector<T> x) -> term { return mean(x); }},
    {"var", [](kt::vector<T> x) -> term { return var(x); }},
    {"stddev", [](kt::vector<T> x) -> term { return stddev(x); }},
    {"norm", [](kt::vector<T> x) -> term { return norm(x); }},
    {"argmax", [](kt::vector<T> x) -> term { return argmax(x); }},
    {"argmin", [](kt::vector<T> x) -> term { return argmin(x); }},
    {"all", [](kt::vector<T> x) -> term { return all(x); }},
    {"any", [](kt::vector<T> x) -> term { return any(x); }},
    {"cumsum", [](kt::vector<T> x) -> term { return cumsum(x); }},
    {"cumprod", [](kt::vector<T> x) -> term { return cumprod(x); }},
    {"sort", [](kt::vector<T> x) -> term { return sort(x); }},
    {"argsort", [](kt::vector<T> x) -> term { return argsort(x); }},
    {"neg", [](kt::vector<T> x) -> term { return -term(x); }},
    {"abs", [](kt::vector<T> x) -> term { return abs(x); }},
    {"sgn", [](kt::vector<T> x) -> term { return sgn(x); }},
    {"sqr", [](kt::vector<T> x) -> term { return sqr(x); }},
    {"invert", [](kt::vector<T> x) -> term { return ~term(x); }},
    {"max_of_columns", [](kt::vector<T> x) -> term { return max(matrix(x), kt::axis<0>); }},
    {"sum_of_rows", [](kt::vector<T> x) -> term { return sum(matrix(x), kt::axis<1>); }},
    {"prod_of_columns", [](kt::vector<T> x) -> term { return prod(matrix(x), kt::axis<0>); }},
    {"mean_of_rows", [](kt::vector<T> x) -> term { return mean(matrix(x), kt::axis<-1>); }},
    {"cumsum_of_rows", [](kt::vector<T> x) -> term { return cumsum(matrix(x), kt::axis<1>); }},
    {"argmin_of_rows", [](kt::vector<T> x) -> term { return argmin(matrix(x), kt::axis<1>); }},
    {"flip", [](kt::vector<T> x) -> term { return kt::flip(x); }},
    {"roll", [](kt::vector<T> x) -> term { return kt::roll(x, 3); }},
    {"repeat", [](kt::vector<T> x) -> term { return kt::repeat(x, 2, kt::axis<0>); }},
    {"tile", [](kt::vector<T> x) -> term { return kt::tile(x, 2); }},
    {"transpose", [](kt::vector<T> x) -> term { return matrix(x).T(); }},
    {"triu", [](kt::vector<T> x) -> term { return kt::triu(matrix(x)); }},
    {"tril", [](kt::vector<T> x) -> term { return kt::tril(matrix(x), 1); }},
    {"diag", [](kt::vector<T> x) -> term { return kt::diag(x); }},
    {"diag_of", [](kt::vector<T> x) -> term { return kt::diag(matrix(x), 1); }},
    {"trace", [](kt::vector<T> x) -> term { return kt::trace(matrix(x)); }},
    {"take", [](kt::vector<T> x) -> term { return take(x, 0 * kt::lvector(kt::arange(x.shape(0))(kt::slice(0, 4))) + kt::constant({2, 0, -1, 2})); }},
    {"slice", [](kt::vector<T> x) -> term { return x(kt::slice(6, 1, -2)); }},
    {"clip", [](kt::vector<T> x) -> term { return kt::clip(x, x(5), x(6)); }},
    {"unique", [](kt::vector<T> x) -> term { return kt::unique(x); }},
    {"nonzero", [](kt::vector<T> x) -> term { return kt::nonzero(x); }},
    {"searchsorted", [](kt::vector<T> x) -> term { return kt::searchsorted(sort(x), x); }},
    {"zeros_like", [](kt::vector<T> x) -> term { return zeros_like(x); }},
    {"masked", [](kt::vector<T> x) -> term { return x(x > 0); }},
    {"set", [](kt::vector<T> x) -> term { return set_subtensor(x(kt::slice(2, 5)), x(kt::slice(0, 3))); }},
    {"exp", [](kt::vector<T> x) -> term { return exp(x); }},
    {"exp2", [](kt::vector<T> x) -> term { return exp2(x); }},
    {"expm1", [](kt::vector<T> x) -> term { return expm1(x); }},
    {"log", [](kt::vector<T> x) -> term { return log(x); }},
    {"log2", [](kt::vector<T> x) -> term { return log2(x); }},
    {"log10", [](kt::vector<T> x) -> term { return log10(x); }},
    {"log1p", [](kt::vector<T> x) -> term { return log1p(x); }},
    {"sqrt", [](kt::vector<T> x) -> term { return sqrt(x); }},
    {"sin", [](kt::vector<T> x) -> term { return sin(x); }},
    {"cos", [](kt::vector<T> x) -> term { return cos(x); }},
    {"tan", [](kt::vector<T> x) -> term { return tan(x); }},
    {"arcsin", [](kt::vector<T> x) -> term { return asin(x); }},
    {"arccos", [](kt::vector<T> x) -> term { return acos(x); }},
    {"arctan", [](kt::vector<T> x) -> term { return atan(x); }},
    {"sinh", [](kt::vector<T> x) -> term { return sinh(x); }},
    {"cosh", [](kt::vector<T> x) -> term { return cosh(x); }},
    {"tanh", [](kt::vector<T> x) -> term { return tanh(x); }},
    {"arcsinh", [](kt::vector<T> x) -> term { return asinh(x); }},
    {"arccosh", [](kt::vector<T> x) -> term { return acosh(x); }},
    {"arctanh", [](kt::vector<T> x) -> term { return atanh(x); }},
  };
  return functions;
}

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
      if (!binary.contains(op) && !is_tabled(static_cast<kt::element>(a), static_cast<kt::element>(b))) continue;
      CAPTURE(op, a, b);
      kt::runtime::graph g;
      term const made = apply_binary(op, g.input(vector_of(a)), g.input(vector_of(b)));
      CHECK(static_cast<int>(made.element()) == std::stoi(std::string(1, types[k]), nullptr, 16));
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
      if (types.size() > 1) outputs.push_back(apply_binary(r->op, inputs[0], inputs[shifts ? 2 : 1]));
      else
        kt::runtime::visit_element(static_cast<kt::element>(types[0]), [&]<class T>(std::type_identity<T>) {
          if constexpr (std::is_arithmetic_v<T>) outputs.push_back(unary<T>().at(r->op)(kt::vector<T>(inputs[0])));
        });
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
