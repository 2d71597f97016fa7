// Which function a call means: options in either order, and plain numbers stay with std.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <algorithm>
#include <cmath>

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

// Numbers and containers beside both namespaces.
namespace with_std {
using namespace std;
static_assert(max(1, 2) == 2 && min(1.5, 0.5) == 0.5);
[[maybe_unused]] double both() { return max(1.0, 2.0) + pow(2.0, 3.0) + exp(1.0); }
constexpr auto reduces = [](dvector x) { return max(x) + min(x, kt::axis<0>) + pow(x, 2) + exp(x); };
static_assert(std::is_same_v<decltype(reduces(dvector{})), dvector>);
}  // namespace with_std

// An operand of every kind that dot, sums and comparisons take.
constexpr auto products = [](dmatrix x, dvector y, drow r, dcol c) {
  return kt::outputs(dot(x, y), dot(y, y), dot(x, x), dot(r, c), x + r, 2 * c, y < 1, y == y, maximum(r, c), where(y > 0, y, 1));
};
static_assert(expression_of<products>::size > 10);

}  // namespace
