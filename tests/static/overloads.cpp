// Which function a call means: options in either order, and plain numbers stay with std.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace kt = kroton;
using namespace kroton;

namespace {

template <auto f, auto g>
constexpr bool same = std::is_same_v<expression_of<f>, expression_of<g>>;

// Options of reductions.
constexpr auto axis_first = [](dmatrix x) {
  return kt::outputs(sum(x, kt::axis<0>, kt::keepdims), mean(x, kt::axis<-1>, kt::keepdims), logsumexp(x, kt::axis<1>, kt::keepdims));
};
constexpr auto keepdims_first = [](dmatrix x) {
  return kt::outputs(sum(x, kt::keepdims, kt::axis<0>), mean(x, kt::keepdims, kt::axis<-1>), logsumexp(x, kt::keepdims, kt::axis<1>));
};
static_assert(same<axis_first, keepdims_first>);
constexpr auto largest = [](dmatrix x) { return max(x, kt::axis<0>, kt::keepdims); };
constexpr auto largest_kept = [](dmatrix x) { return max(x, kt::keepdims, kt::axis<0>); };
static_assert(same<largest, largest_kept>);
static_assert(std::is_same_v<decltype(largest_kept(dmatrix{})), dmatrix>);

// Numbers and containers next to both namespaces.
namespace with_std {
using namespace std;
static_assert(max(1, 2) == 2 && min(1.5, 0.5) == 0.5);
[[maybe_unused]] double both() { return max(1.0, 2.0) + pow(2.0, 3.0) + exp(1.0); }
constexpr auto reduces = [](dvector x) { return max(x) + min(x, kt::axis<0>) + pow(x, 2) + exp(x); };
static_assert(std::is_same_v<decltype(reduces(dvector{})), dvector>);
}  // namespace with_std

// To ask whether variables have an operator is not to use it.
template <class T>
concept logical = requires(T const& a, T const& b) { !a, a && b, a || b; };
template <class T>
concept bitwise = requires(T const& a, T const& b) { a ^ b, a & b, a | b, a << b, a >> b; };
template <class T>
concept functions_of_std = requires(T const& a, T const& b) { std::pow(a, b), std::fmax(a, b), std::exp(a), std::max(a, b); };
template <class T>
constexpr int count_of_answers() {
  return std::equality_comparable<T> + std::totally_ordered<T> + std::regular<T> + logical<T> + bitwise<T> + functions_of_std<T>;
}
static_assert(count_of_answers<dvector>() + count_of_answers<dscalar>() + count_of_answers<zmatrix>() >= 0);
// Values of the language that hold variables.
static_assert(std::semiregular<dvector> && std::is_trivially_copyable_v<dvector> && std::semiregular<std::optional<dvector>>);
static_assert(!std::floating_point<dscalar> && !std::is_arithmetic_v<dscalar> && !std::convertible_to<std::string, dvector>);
static_assert(std::convertible_to<drow, dmatrix> && std::same_as<decltype(std::abs(-3)), int> && std::min<double>(1, 2.5) == 1);
constexpr auto holders = [](dvector x, dscalar s) {
  std::optional<dvector> held;
  held = x;
  std::array<dvector, 2> two{x, x + 1};
  two[1] = two[0] + two[1];
  std::pair<dvector, dscalar> pair{x, s};
  pair = std::pair(two[1], s * 2);
  dvector a;
  dscalar b;
  std::tie(a, b) = std::tuple(*held + two[1], pair.second);
  std::swap(a, two[0]);
  return kt::outputs(a, std::exchange(two[0], x) * b, pair.first);
};
static_assert(expression_of<holders>::size > 5);

// An operand of every kind that dot, sums and comparisons take.
constexpr auto products = [](dmatrix x, dvector y, drow r, dcol c) {
  return kt::outputs(dot(x, y), dot(y, y), dot(x, x), dot(r, c), x + r, 2 * c, y < 1, y == y, maximum(r, c), where(y > 0, y, 1));
};
static_assert(expression_of<products>::size > 10);

// Functions of one's own with the names of the library's, whose parameters arguments convert to.
namespace own {
struct settings {};
struct special : settings {};
constexpr dscalar average(dvector x, double w) { return w * sum(x); }
constexpr dvector pad(dvector x, long n) { return x * static_cast<double>(n); }
constexpr dvector gradient(dvector x, settings const&) { return 2 * x; }
template <class X>
constexpr X interp(X x, double t) {
  return x * t;
}
constexpr auto all = [](dvector x) { return average(x, 1) + pad(x, 2) + gradient(x, special{}) + interp(x, 3); };
static_assert(expression_of<all>::size > 3);
}  // namespace own

}  // namespace
