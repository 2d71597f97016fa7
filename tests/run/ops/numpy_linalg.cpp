// Values of linear algebra on complex matrices, and its result types for all, as NumPy gives them, see
// tests/reference/make_linalg_tables.py.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include <map>
#include <string>
#include <vector>

#include "run/complex.hpp"

using namespace complex_tests;
using kt::term;
using kt::runtime::array;

namespace {

using numbers_list = std::vector<c128>;
struct operand {
  std::vector<std::size_t> extents;
  numbers_list values;
};
struct result {
  std::string op, operands;
  operand want;
};
struct result_types {
  std::string op, types;
};
struct tables {
  std::map<std::string, operand> operands;
  std::vector<result> results;
  std::vector<result_types> types;
};
tables const& numpy() {
  static tables const t = [] {
    tables t;
#define OPERAND(name, ...) t.operands[name] = {__VA_ARGS__};
#define VALUES(op, operands, ...) t.results.push_back({op, operands, {__VA_ARGS__}});
#define TYPES(op, letters) t.types.push_back({op, letters});
#include "reference/numpy_linalg.inc"
#undef OPERAND
#undef VALUES
#undef TYPES
    return t;
  }();
  return t;
}

std::map<std::string, term (*)(term)> const unary{
    {"matrix_inverse", [](term x) -> term { return matrix_inverse(x); }},
    {"det", [](term x) -> term { return det(x); }},
    {"sign of slogdet", [](term x) -> term { return std::get<0>(slogdet(x)); }},
    {"size of slogdet", [](term x) -> term { return std::get<1>(slogdet(x)); }},
    {"cholesky", [](term x) -> term { return cholesky(x); }},
    {"q of qr", [](term x) -> term { return std::get<0>(qr(x)); }},
    {"r of qr", [](term x) -> term { return std::get<1>(qr(x)); }},
    {"values of svd", [](term x) -> term { return std::get<1>(svd(x)); }},
    {"values of eigh", [](term x) -> term { return std::get<0>(eigh(x)); }},
    {"diag", [](term x) -> term { return diag(x); }},
    {"trace", [](term x) -> term { return trace(x); }},
    {"norm", [](term x) -> term { return norm(x); }},
};
using zcube = kt::ztensor3;
std::map<std::string, term (*)(term, term)> const binary{
    {"solve", [](term a, term b) -> term { return solve(a, b); }},
    {"lower", [](term a, term b) -> term { return solve_triangular(a, b, kt::lower); }},
    {"upper", [](term a, term b) -> term { return solve_triangular(a, b, kt::upper); }},
    {"lstsq", [](term a, term b) -> term { return lstsq(a, b); }},
    {"dot", [](term a, term b) -> term { return dot(a, b); }},
    {"batched_dot", [](term a, term b) -> term { return batched_dot(a, b); }},
    {"outer", [](term a, term b) -> term { return outer(kt::zvector(a), kt::zmatrix(b)); }},
    {"tensordot", [](term a, term b) -> term { return kt::tensordot<1>(kt::zmatrix(a), zcube(b)); }},
    {"einsum", [](term a, term b) -> term { return kt::einsum<"kij,kjl->li">(zcube(a), zcube(b)); }},
};

/// An operand as an array of complex numbers of one precision.
template <class T>
array as_array(operand const& x) {
  array a(kt::core::element_of<T>(), x.extents);
  for (std::size_t i = 0; i < x.values.size(); ++i) a.data<T>()[i] = T(x.values[i]);
  return a;
}
std::string difference(array const& got, operand const& want, double tolerance) {
  std::string text = "no number";
  kt::runtime::visit_element(got.element_type(), [&]<class T>(std::type_identity<T>) {
    std::vector<c128> have(got.size());
    for (std::size_t i = 0; i < have.size(); ++i) have[i] = c128(got.data<T>()[i]);
    text = have.size() != want.values.size() ? "another size" : complex_tests::difference(have, want.values.data(), tolerance);
  });
  return text;
}

/// All results that are tabled, of operands of type T, as one function.
template <class T>
void check_values(double tolerance, char const* except) {
  kt::runtime::graph g;
  std::map<std::string, term> terms;
  std::vector<term> inputs, outputs;
  std::vector<array> arguments, got;
  for (auto const& [name, x] : numpy().operands) {
    inputs.push_back(g.input({kt::core::element_of<T>(), static_cast<std::uint8_t>(x.extents.size()), 0}));
    terms[name] = inputs.back();
    arguments.push_back(as_array<T>(x));
  }
  std::vector<result const*> results;
  for (result const& r : numpy().results) {
    auto const space = r.operands.find(' ');
    term const first = terms.at(r.operands.substr(0, space));
    if (std::string_view(except).find(r.op) != std::string_view::npos) continue;
    outputs.push_back(space == std::string::npos ? unary.at(r.op)(first) : binary.at(r.op)(first, terms.at(r.operands.substr(space + 1))));
    results.push_back(&r);
  }
  std::vector<array const*> given;
  for (array const& a : arguments) given.push_back(&a);
  g.function(inputs, outputs).into(got, kt::core::items<array const*>(given));
  for (std::size_t k = 0; k < results.size(); ++k) {
    CAPTURE(results[k]->op, results[k]->operands);
    CHECK(outputs[k].type().rank == results[k]->want.extents.size());
    CHECK(difference(got[k], results[k]->want, tolerance) == "");
  }
}

}  // namespace

TEST_CASE("values of linear algebra on complex matrices are NumPy's", "[numpy][linalg]") {
  check_values<c128>(1e-12, "");
  check_values<c64>(2e-5, "outer tensordot einsum");
}

TEST_CASE("result types of linear algebra are NumPy's", "[numpy][linalg]") {
  constexpr int count = static_cast<int>(kt::element::complex128) + 1;
  for (auto const& [op, types] : numpy().types) {
    bool const of_pairs = types.size() > count;
    REQUIRE(types.size() == (of_pairs ? count * count : count));
    for (int k = 0; k < static_cast<int>(types.size()); ++k) {
      CAPTURE(op, k);
      kt::runtime::graph g;
      auto const input = [&](int type) { return g.input({static_cast<kt::element>(type), 2, 0}); };
      term const y = of_pairs ? binary.at(op)(input(k / count), input(k % count)) : unary.at(op)(input(k));
      CHECK(static_cast<int>(y.element()) == std::stoi(std::string(1, types[static_cast<std::size_t>(k)]), nullptr, 16));
    }
  }
}
