// Formulas as text record what the same formula in C++ records; those that are none are refused where they go wrong.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/runtime.hpp>

#include "run/seed.hpp"

namespace kt = kroton;

namespace {

std::string error_of(std::string_view text) {
  try {
    kt::runtime::parse(text);
  } catch (kt::value_error const& e) {
    return e.what();
  }
  return "no error";
}

/// Variables of several types to record with, in one graph.
struct variables {
  kt::graph g{};
  int next = 0;
  std::map<std::string, kt::term> named{};

  template <class V>
  V make(std::string const& name) {
    V const v(kt::term{&g, g.input(V::parameter_type, next++)});
    named[name] = v;
    return v;
  }
  kt::dvector a = make<kt::dvector>("a"), b = make<kt::dvector>("b");
  kt::fvector f = make<kt::fvector>("f");
  kt::dmatrix m = make<kt::dmatrix>("m"), n = make<kt::dmatrix>("n");
  kt::dscalar s = make<kt::dscalar>("s");
  kt::ivector i = make<kt::ivector>("i"), j = make<kt::ivector>("j");
  kt::bvector k = make<kt::bvector>("k");
  kt::vector<std::uint8_t> u = make<kt::vector<std::uint8_t>>("u");
  kt::vector<bool> p = make<kt::vector<bool>>("p"), q = make<kt::vector<bool>>("q");
  kt::row<> r = make<kt::row<>>("r");
  kt::dtensor3 t = make<kt::dtensor3>("t");

  kt::term record(std::string_view text) { return kt::runtime::parse(text).record(g, named); }
  /// The text records the node that C++ recorded.
  void check(std::string_view text, kt::term written) {
    CAPTURE(text);
    kt::term const read = record(text);
    CHECK(read.of == &g);
    CHECK(read.id == written.id);
    CHECK(read.type() == written.type());
    CHECK(g.error().empty());
  }
  std::string error(std::string_view text) {
    try {
      record(text);
    } catch (kt::value_error const& e) {
      return e.what();
    }
    return "no error";
  }
};

/// The value of a formula of numbers: its element type, and itself.
std::pair<kt::element, double> constant(std::string_view text) {
  kt::graph g;
  kt::term const x = kt::runtime::parse(text).record(g, std::map<std::string, kt::term>{});
  REQUIRE(g.is_literal(x.id));
  return {x.element(), g.literal_value(x.id)};
}

constexpr std::int64_t one = 1, two = 2;

}  // namespace

TEST_CASE("a formula's operators record what C++ records", "[parse]") {
  variables v;
  auto& [g, next, named, a, b, f, m, n, s, i, j, k, u, p, q, r, t] = v;
  v.check("a", a);
  v.check("a + b * 2", a + b * 2);
  v.check("(a + b) * 2", (a + b) * 2);
  v.check("2 * f", 2 * f);
  v.check("0.1 * f - 1", 0.1 * f - 1);
  v.check("0.5 * i", 0.5 * i);
  v.check("1_000 * i / 7", 1000 * i / 7);
  v.check("a - b - 1", a - b - 1);
  v.check("a / b / s", a / b / s);
  v.check("i / j", i / j);
  v.check("i // j % 3", floordiv(i, j) % 3);
  v.check("-a ** 2", -pow(a, 2));
  v.check("(-a) ** 2", pow(-a, 2));
  v.check("a ** -b", pow(a, -b));
  v.check("a ** b ** 2", pow(a, pow(b, 2)));
  v.check("2 ** a", pow(2, a));
  v.check("a ** 0.5", pow(a, 0.5));
  v.check("a * -b", a * -b);
  v.check("- - a", -(-a));
  v.check("+a", +a);
  v.check("~p", ~p);
  v.check("~i & 0xFF | 1 ^ j", (~i & 0xFF) | (1 ^ j));
  v.check("i << 2 + 1", i << (2 + 1));
  v.check("i >> j & 3", (i >> j) & 3);
  v.check("a > 1", a > 1);
  v.check("(a > b) & (a <= 2) | ~(b == 0)", ((a > b) & (a <= 2)) | ~(b == 0));
  v.check("p & q ^ True", (p & q) ^ true);
  v.check("i & 1 == 0", (i & 1) == 0);
  v.check("a + b >= a * b", a + b >= a * b);
  v.check("a != b", a != b);
  v.check("1 < a", 1 < a);
  v.check("p + q", p + q);
  v.check("p * 2", p * two);
  v.check("k + i", k + i);
  v.check("u + k", u + k);
  v.check("m + a * r", m + a * r);
  v.check("2 / (1 + 2) * a", 2. / 3 * a);
  v.check("(1 + 2) * i", 3 * i);
  v.check("pi * a + inf", std::numbers::pi * a + std::numeric_limits<double>::infinity());
  v.check("1 / (1 + exp(-a))", 1 / (1 + exp(-a)));
  v.check("\n a\t+\r\n b ", a + b);
}

TEST_CASE("a formula's functions record what C++ records", "[parse]") {
  variables v;
  auto& [g, next, named, a, b, f, m, n, s, i, j, k, u, p, q, r, t] = v;
  v.check("exp(a) + exp2(a) + expm1(a) + log(a) + log2(a) + log10(a) + log1p(a) + log1mexp(a)",
          exp(a) + exp2(a) + expm1(a) + log(a) + log2(a) + log10(a) + log1p(a) + log1mexp(a));
  v.check("logaddexp(a, b) + sigmoid(a) + softplus(f)", logaddexp(a, b) + sigmoid(a) + softplus(f));
  v.check("sqrt(i) + sqr(i) + inv(i)", sqrt(i) + sqr(i) + inv(i));
  v.check("square(a) + reciprocal(a)", sqr(a) + inv(a));
  v.check("pow(a, 3) + power(a, b)", pow(a, 3) + pow(a, b));
  v.check("floordiv(i, 2) + mod(i, 3)", floordiv(i, 2) + i % 3);
  v.check("floor_divide(a, b) + remainder(a, b)", floordiv(a, b) + a % b);
  v.check("abs(k) + absolute(i) + sgn(i) + sign(a)", abs(k) + abs(i) + sgn(i) + sgn(a));
  v.check("floor(a) + ceil(a) + round(a) + rint(b) + trunc(a)", floor(a) + ceil(a) + round(a) + round(b) + trunc(a));
  v.check("sin(a) + cos(a) + tan(a) + asin(a) + acos(a) + atan(a)", sin(a) + cos(a) + tan(a) + asin(a) + acos(a) + atan(a));
  v.check("arcsin(a) + arccos(a) + arctan(a) + arctan2(a, 1)", asin(a) + acos(a) + atan(a) + atan2(a, 1));
  v.check("sinh(a) + cosh(a) + tanh(a) + asinh(a) + acosh(a) + atanh(a)",
          sinh(a) + cosh(a) + tanh(a) + asinh(a) + acosh(a) + atanh(a));
  v.check("arcsinh(f) + arccosh(f) + arctanh(f)", asinh(f) + acosh(f) + atanh(f));
  v.check("atan2(a, b) + atan2(1, b)", atan2(a, b) + atan2(1, b));
  v.check("erf(a) + erfc(a) + erfcx(a) + logerfc(a) + gammaln(a) + digamma(a)",
          erf(a) + erfc(a) + erfcx(a) + logerfc(a) + gammaln(a) + digamma(a));
  v.check("erfinv(a) + erfcinv(b) + gamma(a) + betaln(a, b)",
          erfinv(a) + erfcinv(b) + gamma(a) + betaln(a, b));
  v.check("i0(a) + i1(a) + i0e(a) + i1e(a) + j0(a) + j1(a)",
          i0(a) + i1(a) + i0e(a) + i1e(a) + j0(a) + j1(a));
  v.check("gammainc(a, 2) + gammaincc(0.5, b)", gammainc(a, 2) + gammaincc(0.5, b));
  v.check("ldexp(f, i) + ldexp(a, 3) + nextafter(a, b)",
          ldexp(f, i) + ldexp(a, 3) + nextafter(a, b));
  v.check("trigamma(a) + polygamma(2, b)", trigamma(a) + kt::polygamma(2, b));
  v.check("minimum(a, 0) + maximum(i, j)", minimum(a, 0) + maximum(i, j));
  v.check("fmax(a, f) - fmin(i, 2) + where(signbit(a), copysign(a, i), 1)",
          fmax(a, f) - fmin(i, 2) + where(signbit(a), copysign(a, i), 1));
  v.check("clip(a, 0, b)", clip(a, 0, b));
  v.check("clip(0.5, a, 1)", clip(0.5, a, 1));
  v.check("where(a > 0, a, -a)", where(a > 0, a, -a));
  v.check("where(a, f, 0)", where(a, f, 0));
  v.check("where(p, 1, 2)", where(p, one, two));
  v.check("where(p, 1, 2.5)", where(p, one, 2.5));
  v.check("where(a > b, True, False)", where(a > b, true, false));
  v.check("where(1, a, b)", where(1, a, b));
  v.check("eq(a, b) & neq(a, 1)", eq(a, b) & neq(a, 1));
  v.check("zeros_like(m) + ones_like(a)", zeros_like(m) + ones_like(a));
  v.check("float32(a) + int8(i)", kt::cast<float>(a) + kt::cast<std::int8_t>(i));
  v.check("bool(i) | (uint16(a) < 3)", kt::cast<bool>(i) | (kt::cast<std::uint16_t>(a) < 3));
  v.check("int16(a) + int32(a) + int64(a)", kt::cast<std::int16_t>(a) + kt::cast<std::int32_t>(a) + kt::cast<std::int64_t>(a));
  v.check("uint8(a) + uint32(a) + uint64(a) + float64(f)",
          kt::cast<std::uint8_t>(a) + kt::cast<std::uint32_t>(a) + kt::cast<std::uint64_t>(a) + kt::cast<double>(f));
}

TEST_CASE("a formula's reductions and products record what C++ records", "[parse]") {
  variables v;
  auto& [g, next, named, a, b, f, m, n, s, i, j, k, u, p, q, r, t] = v;
  v.check("sum(a) + mean(a) + min(a) + max(a) + prod(a)", sum(a) + mean(a) + min(a) + max(a) + prod(a));
  v.check("sum(i) + sum(p) + sum(u)", sum(i) + sum(p) + sum(u));
  v.check("mean(i) + mean(f)", mean(i) + mean(f));
  v.check("any(a > 0) | all(i)", any(a > 0) | all(i));
  v.check("sum(s) + mean(s)", sum(s) + mean(s));
  v.check("sum(m, axis=0)", sum(m, kt::axis<0>));
  v.check("mean(m, axis=-1)", mean(m, kt::axis<-1>));
  v.check("m - mean(m, axis=1, keepdims=True)", m - mean(m, kt::axis<1>, kt::keepdims));
  v.check("max(t, axis=(0, 2))", max(t, kt::axis<0, 2>));
  v.check("min(t, keepdims=True, axis=(1,))", min(t, kt::keepdims, kt::axis<1>));
  v.check("sum(t, keepdims=True)", sum(t, kt::keepdims));
  v.check("sum(t, axis=None, keepdims=False)", sum(t));
  v.check("m / sum(m, axis=0)", m / sum(m, kt::axis<0>));
  v.check("logsumexp(m, axis=1) + logsumexp(i)", logsumexp(m, kt::axis<1>) + logsumexp(i));
  v.check("softmax(m) + softmax(m, axis=0) + log_softmax(a)", softmax(m) + softmax(m, kt::axis<0>) + log_softmax(a));
  v.check("dot(m, a) + m @ b", dot(m, a) + dot(m, b));
  v.check("dot(m, n.T) * 2 + a @ b", dot(m, n.T()) * 2 + dot(a, b));
  v.check("(m * n).T + transpose(m)", (m * n).T() + transpose(m));
  v.check("dot(f, a)", dot(f, a));
  v.check("sum((a - mean(a)) ** 2) / (sum(a * 0 + 1) - 1)", sum(pow(a - mean(a), 2)) / (sum(a * 0 + 1) - 1));
}

TEST_CASE("a formula of numbers is a number", "[parse]") {
  using kt::element;
  auto check = [](std::string_view text, element e, double expected) {
    CAPTURE(text);
    auto const [type, value] = constant(text);
    CHECK(type == e);
    CHECK(value == expected);
  };
  check("1 + 2", element::int64, 3);
  check("1 / 2", element::float64, 0.5);
  check("7 // 2", element::int64, 3);
  check("-7 // 2", element::int64, -4);
  check("-7 % 3", element::int64, 2);
  check("7.5 % 2", element::float64, 1.5);
  check("-2 ** 2", element::int64, -4);
  check("2 ** 3 ** 2", element::int64, 512);
  check("2 ** -1", element::float64, 0.5);
  check("1_000.5e-1", element::float64, 100.05);
  check(".5 + 5. + 1.e1", element::float64, 15.5);
  check("0xff + 0X_1", element::int64, 256);
  check("True + True", element::int64, 2);
  check("~True", element::boolean, 0);
  check("~5 & 0xF", element::int64, 10);
  check("1 << 62 >> 60", element::int64, 4);
  check("2 > 1", element::boolean, 1);
  check("nan == nan", element::boolean, 0);
  check("-inf", element::float64, -std::numeric_limits<double>::infinity());
  check("9223372036854775807", element::int64, 0x1p63);
  // Beyond the range as in Python.
  check("1e-400", element::float64, 0);
  check("3e-324", element::float64, 5e-324);
  check("1e400", element::float64, std::numeric_limits<double>::infinity());
  check("-1e99999999999999999999", element::float64, -std::numeric_limits<double>::infinity());
  check("where(2 > 1, 1, 2.5)", element::float64, 1);
  check("clip(5, 1, 3) + maximum(1, 2)", element::int64, 5);
  check("exp(0) + sqrt(16)", element::float64, 5);
  check("cos(pi)", element::float64, -1);
  check("abs(-3)", element::int64, 3);
}

TEST_CASE("every function of formulas takes the operands that it says it takes", "[parse]") {
  variables v;
  auto const names = kt::runtime::function_names();
  CHECK(names.size() > 80);
  for (std::string_view const name : names) {
    // One of them has the right number of operands.
    int recorded = 0;
    for (std::string_view const operands :
         {"(a)", name == "ldexp" ? "(a, i)" : "(a, b)", "(p, a, b)"}) {
      std::string const what = v.error(std::string(name) + std::string(operands));
      CAPTURE(name, operands, what);
      CHECK((what == "no error" || what.find(" takes ") != std::string::npos));
      recorded += what == "no error";
    }
    CHECK(recorded == 1);
  }
}

TEST_CASE("a formula knows its text, its variables and its reductions", "[parse]") {
  auto const f = kt::runtime::parse("sum(x * mean( y+1 )) + sin * x - T_1");
  CHECK(f.text() == "sum(x * mean( y+1 )) + sin * x - T_1");
  CHECK(f.variables() == std::vector<std::string>{"x", "y", "sin", "T_1"});
  auto const sites = f.reductions();
  REQUIRE(sites.size() == 2);
  auto piece = [&](std::size_t begin, std::size_t end) { return f.text().substr(begin, end - begin); };
  CHECK(sites[0].function == "mean");
  CHECK(piece(sites[0].begin, sites[0].end) == "mean( y+1 )");
  CHECK(piece(sites[0].operand_begin, sites[0].operand_end) == "y+1");
  CHECK_FALSE(sites[0].has_options);
  CHECK(piece(sites[1].begin, sites[1].end) == "sum(x * mean( y+1 ))");
  CHECK(kt::runtime::parse("max(x, axis=0)").reductions()[0].has_options);
  CHECK(kt::runtime::parse("a @ b").reductions().size() == 1);
  CHECK(kt::runtime::parse("sin(a)").reductions().empty());
  CHECK(kt::runtime::parse("1").variables().empty());
  kt::runtime::formula copy = f;
  CHECK(copy.variables() == f.variables());
}

TEST_CASE("a text that is not a formula is refused where it goes wrong", "[parse]") {
  CHECK(error_of("a + (b)) * 2") == "parse: unexpected ')' at column 8:\n  a + (b)) * 2\n         ^");
  CHECK(error_of("") == "parse: an empty formula at column 1:\n  \n  ^");
  CHECK(error_of("sin((a + b)") == "parse: '(' is not closed at column 4:\n  sin((a + b)\n     ^");
  CHECK(error_of("a +\n\tb c") == "parse: unexpected 'c' at line 2, column 4:\n  \tb c\n  \t  ^");
  CHECK(error_of("a + ä") == "parse: unexpected character 'ä' at column 5:\n  a + ä\n      ^");
  auto check = [](std::string_view text, std::string_view sentence) {
    CAPTURE(text);
    std::string const what = error_of(text);
    CAPTURE(what);
    CHECK(what.starts_with("parse: " + std::string(sentence)));
    CHECK(what.ends_with("^"));
  };
  check("   ", "an empty formula");
  check("a +", "unexpected end at column 4");
  check("*a", "unexpected '*' at column 1");
  check("a b", "unexpected 'b' at column 3");
  check("()", "nothing between the parentheses");
  check("(a, b)", "unexpected ','");
  check("a < b < c", "comparisons do not chain at column 7; write (a < b) & (b < c)");
  check("(a < b) == c != d", "comparisons do not chain");
  check("a and b", "'and' does not work on arrays at column 3; write (a > 0) & (b > 0)");
  check("not a", "'not' does not work on arrays");
  check("a if b else c", "'if' does not work on arrays at column 3; write where(condition, a, b)");
  check("a && b", "unexpected '&&'");
  check("!a", "unexpected '!' at column 1; the logical not is ~");
  check("a = 2", "unexpected '=' at column 3; equality is ==");
  check("a[0]", "unexpected '[' at column 2; formulas do not support indexing");
  check("a; b", "unexpected character ';'");
  check("a \xC2\xB2", "unexpected character '²' at column 3");
  check("a\xFF", "unexpected byte 0xFF at column 2");
  check("a\x01", "unexpected byte 0x01");
  check(std::string_view("a\0b", 3), "unexpected byte 0x00 at column 2");
  check("sqart(a)", "unknown function 'sqart' at column 1; did you mean 'sqrt'?");
  check("1 + Exp(a)", "unknown function 'Exp' at column 5; did you mean 'exp'?");
  check("maximun(a, b)", "unknown function 'maximun' at column 1; did you mean 'maximum'?");
  check("frobnicate(a)", "unknown function 'frobnicate' at column 1:");
  check("sin(a, b)", "'sin' takes 1 argument, not 2");
  check("sin()", "'sin' takes 1 argument, not 0");
  check("where(a, b)", "'where' takes 3 arguments, not 2");
  check("min(a, b)", "'min' takes 1 argument, not 2 at column 1; the smaller of two is minimum(a, b)");
  check("sum(a, 0)", "'sum' takes 1 argument, not 2 at column 1; an axis is written axis=0");
  check("sum(a, axes=0)", "'sum' takes no keyword 'axes' at column 8");
  check("softmax(a, keepdims=True)", "'softmax' takes no keyword 'keepdims'");
  check("sin(a, axis=0)", "'sin' takes no keyword 'axis'");
  check("sum(a, axis=b)", "an axis must be an integer at column 13");
  check("sum(a, axis=99)", "axis 99 is outside the range of any rank");
  check("sum(a, keepdims=1)", "keepdims must be True or False");
  check("sum(axis=0, a)", "an operand after a keyword argument");
  check("np.sin(a)", "unknown attribute 'sin' at column 4; functions are written sin(x)");
  check("a.shape", "unknown attribute 'shape' at column 3; only .T is supported");
  check("12ab", "'12ab' is not a number");
  check("1__0", "'1__0' is not a number");
  check("1_", "'1_' is not a number");
  check("0x", "'0x' is not a number");
  check("1e+", "'1e+' is not a number");
  check("1.2.3", "'1.2.3' is not a number");
  check("2j", "'2j' is not a number");
  check("007", "'007' begins with 0");
  check("9223372036854775808", "'9223372036854775808' is too large for an integer of 64 bits");
  check(std::string(100000, '(') + "a", "nested more than 200 levels deep");
  check(std::string(100000, '-') + "a", "nested more than 200 levels deep");
  check(std::string(500, 'x') + "(a)", "unknown function 'xxx");
  CHECK(error_of(std::string(500, 'x') + "(a)").size() < 300);
}

TEST_CASE("a long formula takes no stack", "[parse]") {
  std::string text = "a";
  for (int k = 0; k < 200000; ++k) text += "+a";
  auto const f = kt::runtime::parse(text);
  kt::graph g;
  kt::term const a{&g, g.input({kt::element::float64, 1, 0}, 0)};
  kt::term const values[] = {a};
  CHECK(f.record(g, values).rank() == 1);
  CHECK(g.size() == 200001);
}

TEST_CASE("operands that a function does not take are refused when a formula is recorded", "[parse]") {
  variables v;
  auto check = [&](std::string_view text, std::string_view sentence) {
    CAPTURE(text);
    std::string const what = v.error(text);
    CAPTURE(what);
    CHECK(what.starts_with("parse: " + std::string(sentence)));
    CHECK(what.ends_with("^"));
  };
  check("1 + a & b", "'&': takes integers and bools, not float64 at column 7; comparisons next to it need parentheses");
  check("a ^ 2", "'^': takes integers and bools, not float64 at column 3; a power is written **");
  check("i & 1.0", "'&': takes integers and bools, not float64");
  check("i & uint64(j)", "'&': bitwise operators take integers and bools of one type");
  check("~a", "'~': takes integers and bools, not float64");
  check("p - q", "'-': bools have no difference at column 3; write a ^ b");
  check("p - True", "'-': bools have no difference");
  check("a + -p", "'-': bools have no negative at column 5; the logical not is ~");
  check("k + 300", "'+': the integer 300 is out of the range of int8 at column 3");
  check("u * -1", "'*': the integer -1 is out of the range of uint8");
  check("ldexp(a, b)", "'ldexp': the exponent must be an integer");
  check("i ** -1", "'**': an integer to a negative integer power");
  check("dot(m, s)", "'dot': takes vectors and matrices at column 1; a scalar or a number is multiplied with *");
  check("2 @ m", "'@': takes vectors and matrices at column 3");
  check("dot(t, a)", "'dot': takes vectors and matrices at column 1; an operand has 3 dimensions");
  check("sum(a, axis=1)", "'sum': axis 1 is outside the rank 1 of the operand at column 1");
  check("mean(m, axis=-3)", "'mean': axis -3 is outside the rank 2");
  check("softmax(s)", "'softmax': needs an axis to run along");
  check("sum(3)", "'sum': takes a variable, not a plain number");
  check("float32(2)", "'float32': takes a variable, not a plain number");
  check("7 // 0", "'//': an integer is divided by 0");
  check("9223372036854775807 + 1", "'+': the result does not fit an integer of 64 bits");
  check("2 ** 64", "'**': the result does not fit an integer of 64 bits");
  check("1 << 63", "'<<': the result does not fit an integer of 64 bits");
  check("1 << 64", "'<<': the number of bits must be between 0 and 63");
  CHECK(v.g.error().empty());  // nothing that was refused stays behind

  CHECK_THROWS_WITH(kt::runtime::parse("a + unheard").record(v.g, v.named),
                    Catch::Contains("no value was passed for the variable 'unheard'"));
  kt::term const values[] = {v.a};
  CHECK_THROWS_WITH(kt::runtime::parse("a + b").record(v.g, values),
                    Catch::Contains("has 2 variables (a, b), 1 values are given"));
  kt::graph other;
  CHECK_THROWS_WITH(kt::runtime::parse("a").record(other, values), Catch::Contains("variable 'a' belongs to another graph"));
}

TEST_CASE("a formula is called with arrays", "[parse]") {
  using kt::runtime::array;
  auto const f = kt::runtime::parse("2 * x + y ** 2");
  xt::xtensor<double, 1> const x{1, 2, 3};
  std::vector<double> const y{1, 10, 100};
  xt::xtensor<double, 1> const expected{3, 104, 10006};
  CHECK((f(x, y).as<double, 1>() == expected));
  CHECK((f(x, 2.).as<double, 1>() == xt::xtensor<double, 1>{6, 8, 10}));
  CHECK(f(1., 3).as<double, 0>() == 11);
  CHECK(f(1, 3).as<std::int32_t, 0>() == 11);
  CHECK((f(xt::xtensor<float, 1>{1.5f}, 1.f).as<float, 1>() == xt::xtensor<float, 1>{4.f}));
  CHECK((f(xt::xarray<double>{{1., 2.}, {3., 4.}}, 0.).as<double, 2>() == xt::xtensor<double, 2>{{2., 4.}, {6., 8.}}));
  CHECK((f(array(x), array(y)).as<double, 1>() == expected));
  std::map<std::string, array> const named{{"x", array(x)}, {"y", array(y)}, {"other", array(1)}};
  CHECK((f(named).as<double, 1>() == expected));
  CHECK((f(x, y).as<double, 1>() == expected));  // as it was made before
  kt::runtime::formula const copy = f;
  CHECK((copy(x, y).as<double, 1>() == expected));

  CHECK(kt::runtime::parse("1 + 2")().as<std::int64_t, 0>() == 3);
  CHECK((kt::runtime::parse("x")(x).as<double, 1>() == x));
  CHECK((kt::runtime::parse("x > 1.5")(x).as<bool, 1>() == xt::xtensor<bool, 1>{false, true, true}));
  CHECK((kt::runtime::parse("sum(m * m, axis=0)")(xt::xtensor<double, 2>{{1, 2}, {3, 4}}).as<double, 1>() ==
         xt::xtensor<double, 1>{10, 20}));
  CHECK(kt::runtime::parse("sqrt(mean((x - mean(x)) ** 2))")(x).as<double, 0>() == Approx(std::sqrt(2. / 3)));

  CHECK_THROWS_WITH(f(x), Catch::Contains("'2 * x + y ** 2' has 2 variables (x, y), 1 values are given"));
  CHECK_THROWS_WITH(kt::runtime::parse("1")(x), Catch::Contains("has 0 variables, 1 values are given"));
  CHECK_THROWS_WITH(f(std::map<std::string, array>{{"x", array(x)}}),
                    Catch::Contains("no value was passed for the variable 'y'"));
  CHECK_THROWS_AS(f(x, xt::xtensor<double, 1>{1, 2}), kt::shape_error);
  CHECK_THROWS_WITH(kt::runtime::parse("x & 1")(x), Catch::Contains("'&': takes integers and bools, not float64 at column 3"));
}

TEST_CASE("no text makes the parser do anything but parse or refuse", "[parse]") {
  std::mt19937 random = seeded_generator();
  constexpr std::string_view pieces[] = {"a",      "b",    "m", "i",  "p", "1",  "2.5",  "0x1F", "(",    ")",
                                         ",",      "+",    "-", "*",  "/", "//", "%",    "**",   "@",    "&",
                                         "|",      "^",    "~", "<<", ">", "==", ".T",   "sum(", "sin(", "where(",
                                         "axis=0", "True", " ", "=",  "e", "é",  "\xFF", "dot(", "max(", "keepdims=True"};
  variables v;
  int parsed = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int n = static_cast<int>(random() % 9) + 1; n > 0; --n) text += pieces[random() % std::size(pieces)];
    CAPTURE(text);
    try {
      v.record(text);
      ++parsed;
    } catch (kt::value_error const& e) {
      std::string_view const what = e.what();
      REQUIRE((what.starts_with("parse: ") || what.starts_with("no value was passed for the variable")));
      ++refused;
    }
    REQUIRE(v.g.error().empty());
  }
  CHECK(parsed > 100);
  CHECK(refused > 100);
}
