// Expressions as types: what a lambda reads as, and that equal expressions are one type.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;
using namespace kroton;

namespace {

template <auto f, auto g>
constexpr bool same = std::is_same_v<canonical<f>, canonical<g>>;

using v = dvector;
using s = dscalar;

// As written
constexpr auto exponential = [](s x) { return exp(x); };
static_assert(std::is_same_v<expression_of<exponential>, expression<input<double, 0>, apply<op::exp, 0>>>);
constexpr auto product = [](s x, s y) { return x * y + 2; };
static_assert(std::is_same_v<expression_of<product>,
                             expression<input<double, 0>, input<double, 1>, apply<op::mul, 0, 1>, literal<double, 2>, apply<op::add, 2, 3>>>);
constexpr auto counts = [](lvector x) { return sum(x, kt::axis<0>); };
static_assert(std::is_same_v<expression_of<counts>, expression<input<std::int64_t, 0, 1>, apply<with<op::sum, 1, 0>, 0>>>);
constexpr auto halves = [](fvector x) { return cast<double>(x) * 0.5; };
static_assert(std::is_same_v<expression_of<halves>,
                             expression<input<float, 0, 1>, apply<op::cast_to<double>, 0>,
                                        literal_bits<double, std::bit_cast<std::uint64_t>(0.5)>, apply<op::mul, 1, 2>>>);

// The paper's fraction
constexpr auto fraction = [](s a, s b, s c, s d) { return a / (((a * b) / c) / d); };
constexpr auto simple = [](s, s b, s c, s d) { return (c * d) / b; };
static_assert(same<fraction, simple>);

// Sums and products
constexpr auto ab = [](v a, v b) { return a + b; };
constexpr auto ba = [](v a, v b) { return b + a; };
static_assert(same<ab, ba>);
constexpr auto minus_minus = [](v a, v b) { return a - (-b); };
static_assert(same<ab, minus_minus>);
constexpr auto difference = [](v a, v b) { return a - b; };
static_assert(!same<ab, difference>);
constexpr auto twice = [](v a, v) { return a + a; };
constexpr auto two_a = [](v a, v) { return 2 * a; };
static_assert(same<twice, two_a>);
constexpr auto square = [](v a, v) { return pow(a, 2); };
constexpr auto a_times_a = [](v a, v) { return a * a; };
static_assert(same<square, a_times_a>);
static_assert(!same<square, two_a>);
constexpr auto binomial = [](v a, v b) { return a * b + a * b; };
constexpr auto binomial2 = [](v a, v b) { return 2 * b * a; };
static_assert(same<binomial, binomial2>);
constexpr auto factored = [](v a, v b) { return a * (b + 1); };
constexpr auto expanded = [](v a, v b) { return a * b + a; };
static_assert(same<factored, expanded>);
constexpr auto commutes = [](v a, v b) { return a * b - b * a; };
constexpr auto nothing = [](v a, v b) { return zeros_like(a + b); };
static_assert(same<commutes, nothing>);

// Functions
constexpr auto log_exp = [](v a) { return log(exp(a)); };
constexpr auto itself = [](v a) { return a; };
static_assert(same<log_exp, itself>);
constexpr auto exps = [](v a, v b) { return exp(a) * exp(b); };
constexpr auto exp_sum = [](v a, v b) { return exp(b + a); };
static_assert(same<exps, exp_sum>);
constexpr auto root = [](v a) { return sqrt(a * a); };
constexpr auto magnitude = [](v a) { return abs(a); };
static_assert(same<root, magnitude>);

// Comparisons
constexpr auto less = [](v a, v b) { return a < b; };
constexpr auto greater = [](v a, v b) { return b > a; };
static_assert(same<less, greater>);
static_assert(!std::is_same_v<expression_of<less>, expression_of<greater>>);
constexpr auto less_equal = [](v a, v b) { return where(a <= b, a, 0); };
constexpr auto greater_equal = [](v a, v b) { return where(b >= a, a, 0); };
static_assert(same<less_equal, greater_equal>);

// Reductions and products of matrices
constexpr auto sum_scaled = [](v a) { return sum(3 * a); };
constexpr auto scaled_sum = [](v a) { return 3 * sum(a); };
static_assert(same<sum_scaled, scaled_sum>);
constexpr auto transposed_product = [](dmatrix a, dmatrix b) { return dot(a, b).T(); };
constexpr auto product_of_transposed = [](dmatrix a, dmatrix b) { return dot(b.T(), a.T()); };
static_assert(same<transposed_product, product_of_transposed>);
constexpr auto twice_transposed = [](dmatrix a) { return a.T().T(); };
constexpr auto matrix_itself = [](dmatrix a) { return a; };
static_assert(same<twice_transposed, matrix_itself>);

// Rank, element type and names
constexpr auto of_scalars = [](s a) { return a + 1; };
constexpr auto of_vectors = [](v a) { return a + 1; };
constexpr auto of_floats = [](fvector a) { return a + 1; };
static_assert(!same<of_scalars, of_vectors>);
static_assert(!same<of_vectors, of_floats>);
constexpr auto with_name = [](v a) { return named(a, "speed") + 1; };
static_assert(same<of_vectors, with_name>);

// Real numbers are assumed, but not by kt::mode::ieee
constexpr auto ratio = [](v a) { return a / a; };
constexpr auto ones = [](v a) { return ones_like(a); };
static_assert(same<ratio, ones>);
static_assert(!std::is_same_v<canonical<ratio, mode::ieee>, canonical<ones, mode::ieee>>);

// Stable forms, also after differentiation
template <auto f, auto g>
constexpr bool same_in_the_end = std::is_same_v<optimized<f>, optimized<g>>;
constexpr auto naive = [](v a) { return log(1 + exp(a)); };
constexpr auto stable = [](v a) { return softplus(a); };
static_assert(same_in_the_end<naive, stable>);
constexpr auto slope = [](v a) { return grad(sum(log(1 + exp(a))), a); };
constexpr auto stable_slope = [](v a) { return sigmoid(a); };
static_assert(same_in_the_end<slope, stable_slope>);

// A derivative that nothing depends on is 0, with a warning of the compiler or without.
constexpr auto warned = [](v a, v b) { return std::tuple(grad(sum(a), b, kt::disconnected::warn), jacobian(a, b, kt::disconnected::warn)); };
constexpr auto unwarned = [](v a, v b) { return std::tuple(grad(sum(a), b, kt::disconnected::zero), jacobian(a, b, kt::disconnected::zero)); };
static_assert(same_in_the_end<warned, unwarned>);

}  // namespace

// A loop of more nodes than a fold expression of clang's may have operands.
constexpr auto long_chain = [](kt::dvector x) {
  auto y = tanh(x);
  for (int i = 0; i < 150; ++i) y = tanh(y * x);
  return y;
};
static_assert(kt::cpu::costly_nodes<kt::optimized<long_chain>> == 151);
