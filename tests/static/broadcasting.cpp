// Equal expressions are one type also through broadcasting: axes and extents that broadcasting adds are written in one way.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;
using namespace kroton;

namespace {

using v = dvector;
using m = dmatrix;
using s = dscalar;

template <auto f, auto g>
constexpr bool same = std::is_same_v<canonical<f>, canonical<g>>;

constexpr auto row = [](auto const& x) { return dimshuffle<'x', 0>(x); };
constexpr auto column = [](auto const& x) { return dimshuffle<0, 'x'>(x); };

// A leading axis is there by broadcasting already.
constexpr auto outer_sum = [](v x) { return column(x) + x; };
constexpr auto outer_sum_of_views = [](v x) { return column(x) + row(x); };
static_assert(same<outer_sum, outer_sum_of_views>);

constexpr auto distances = [](v x) { return exp(-sqr(column(x) - x)); };
constexpr auto distances_of_views = [](v x) { return exp(-sqr(row(x) - column(x))); };
static_assert(same<distances, distances_of_views>);

// ... before and after a function of elements.
constexpr auto scaled_rows = [](m a, v x) { return exp(-x) * a; };
constexpr auto scaled_before = [](m a, v x) { return exp(-row(x)) * a; };
constexpr auto scaled_after = [](m a, v x) { return a * row(exp(-x)); };
static_assert(same<scaled_rows, scaled_before> && same<scaled_rows, scaled_after>);

constexpr auto chosen = [](m a, v x) { return where(a > x, x, a); };
constexpr auto chosen_row = [](m a, v x) { return where(row(x) < a, row(x), a); };
static_assert(same<chosen, chosen_row>);

// ... of a sum that is a product elsewhere.
constexpr auto flat = [](m a, v x, v y, s c) { return a + x * y + c * x; };
constexpr auto nested = [](m a, v x, v y, s c) { return row(x * y + x * c) + a; };
static_assert(same<flat, nested>);

// Where it is not an operand's own, it stands outside.
constexpr auto row_of_sum = [](v x, v y) { return row(x + y); };
constexpr auto sum_of_rows = [](v x, v y) { return row(x) + row(y); };
constexpr auto row_and_vector = [](v x, v y) { return x + row(y); };
static_assert(same<row_of_sum, sum_of_rows> && same<row_of_sum, row_and_vector>);

// Other ways to say it: new axes, reshapes, axes that a reduction keeps.
constexpr auto added = [](m a, v x) { return a + x; };
constexpr auto added_by_index = [](m a, v x) { return a + x(newaxis, slice(none, none)); };
constexpr auto added_by_reshape = [](m a, v x) { return a + reshape<2>(x, 1, -1); };
constexpr auto added_spread = [](m a, v x) { return broadcast_to(x, a.shape(0), a.shape(1)) + a; };
constexpr auto added_spread_row = [](m a, v x) { return broadcast_to(row(x), a.shape(0), a.shape(1)) + a; };
static_assert(same<added, added_by_index> && same<added, added_by_reshape>);
static_assert(same<added, added_spread> && same<added, added_spread_row>);

constexpr auto kept = [](m a) { return a / sum(a, axis<0>, keepdims); };
constexpr auto dropped = [](m a) { return a / sum(a, axis<0>); };
static_assert(same<kept, dropped>);

// A scalar with axes, and one that fills a tensor.
constexpr auto shifted = [](m a, s c) { return a + exp(c); };
constexpr auto shifted_by_matrix = [](m a, s c) { return a + exp(dimshuffle<'x', 'x'>(c)); };
constexpr auto shifted_by_fill = [](m a, s c) { return exp(full_like(a, c)) + a; };
static_assert(same<shifted, shifted_by_matrix> && same<shifted, shifted_by_fill>);

// Views of views, and transposes.
constexpr auto turned = [](m a, v x) { return column(x) + a.T(); };
constexpr auto turned_row = [](m a, v x) { return (row(x) + a).T(); };
static_assert(same<turned, turned_row>);
constexpr auto lifted = [](dtensor3 c, m a) { return exp(a.T()) + c; };
constexpr auto lifted_view = [](dtensor3 c, m a) { return dimshuffle<'x', 1, 0>(exp(a)) + c; };
static_assert(same<lifted, lifted_view>);

// A product with a column is a column, with a row a row.
constexpr auto times_vector = [](m a, v x) { return column(exp(dot(a, x))); };
constexpr auto times_column = [](m a, v x) { return exp(dot(a, column(x))); };
static_assert(same<times_vector, times_column>);
constexpr auto vector_times = [](m a, v x) { return row(dot(x, a)); };
constexpr auto row_times = [](m a, v x) { return dot(row(x), a); };
static_assert(same<vector_times, row_times>);
constexpr auto form = [](m a, v x) { return dot(x, dot(a, x)); };
constexpr auto form_of_matrices = [](m a, v x) { return sum(dot(row(x), dot(a, column(x)))); };
static_assert(same<form, form_of_matrices>);

// What broadcasts along another axis is something else.
constexpr auto along_columns = [](m a, v x) { return a + column(x); };
static_assert(!same<added, along_columns> && !same<row_of_sum, outer_sum>);

}  // namespace
