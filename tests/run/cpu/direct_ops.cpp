// Ops with functions of their own, products and writes of any layout in calls past the frame, next
// to the frame, which strided arguments need.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "run/direct.hpp"

using namespace reference;
using namespace direct;

namespace small_calls {

/// A user's op, for each element type.
struct doubled : kt::operation<"doubled", 1> {
  static constexpr kt::tensor_type type(kt::core::application const& a) { return a.input(0); }
  static constexpr auto extent(kt::core::application const&, int d) {
    return kt::core::extent_source{kt::core::extent_source::dimension, 0, d};
  }
  static constexpr auto pullback = kt::no_gradient;
  template <class T>
  static void run(kt::core::invocation const& call) {
    auto const &x = call.operand(0), &out = call.result();
    for (std::ptrdiff_t i = 0; i < x.extents[0]; ++i)
      reinterpret_cast<T*>(out.data)[i] = 2 * reinterpret_cast<T const*>(x.data)[i * x.strides[0]];
  }
};

}  // namespace small_calls

namespace {

using small_calls::doubled;

template <class V>
constexpr V twice(V v) {
  return V(kt::term{v.of, v.of->template apply<doubled>({v.id})});
}

template <class V>
constexpr auto along_a_vector = [](V v) {
  auto const most = max(v);
  return std::tuple(sort(v), argsort(v), cumsum(v), v * cumprod(v), argmax(v), grad(most, v),
                    sum(sqr(twice(v))));
};
template <class V>
constexpr auto taken = [](V v, kt::lvector at) {
  auto const picked = sum(sqr(v(at)));
  return std::tuple(picked, grad(picked, v), v(at) + 1);
};
template <class M, class V>
constexpr auto parts_of_a_matrix = [](M m, V w) {
  return std::tuple(set_subtensor(m(kt::slice(0, 2), kt::slice(1, 3)), 5) * w,
                    inc_subtensor(m(kt::slice(), 1), m(kt::slice(), 0)), set_subtensor(m(1), w));
};
template <class M, class V>
constexpr auto transposed_products = [](M m, V w) {
  return std::tuple(dot(m.T(), m.T()), dot(m.T()(kt::slice(), 1), m(kt::slice(), 0)),
                    dot(m.T(), m(kt::slice(), 1)) - w);
};
template <class M, class V>
constexpr auto solved = [](M m, V w) {
  return std::tuple(dot(w, solve(m, w)), det(m) * w, diag(m) + w);
};
constexpr auto labels = [](kt::dmatrix x, kt::lmatrix y) {
  auto const loss = -sum(take_along_axis(log_softmax(x, kt::axis<1>), y, kt::axis<1>));
  return std::tuple(loss, grad(loss, x));
};

template <class Tuple, std::size_t... K>
void check_equal(Tuple const& a, Tuple const& b, std::index_sequence<K...>) {
  auto same = [](auto const& x, auto const& y) { CHECK(x == y); };
  (same(std::get<K>(a), std::get<K>(b)), ...);
}
template <class... T>
void check_equal(std::tuple<T...> const& a, std::tuple<T...> const& b) {
  check_equal(a, b, std::index_sequence_for<T...>{});
}

/// The results of dense arguments, checked to come from a small call.
template <class F, class... A>
auto past_frame(F& f, A const&... a) {
  check_direct(f);
  auto result = f(a...);
  check_past_frame(f);
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("ops with functions of their own in small calls", "", float, double) {
  using T = TestType;
  vec<T> const v = {3, -1, 2, 5, 5, 0};
  auto f = kt::function(along_a_vector<kt::vector<T>>);
  auto const small = past_frame(f, v);
  CHECK(std::get<0>(small) == vec<T>{-1, 0, 2, 3, 5, 5});
  CHECK(std::get<2>(small) == vec<T>{3, 2, 4, 9, 14, 14});
  CHECK(std::get<5>(small) == vec<T>{0, 0, 0, 1, 0, 0});
  CHECK(std::get<6>(small) == T(4 * 64));
  check_equal(small, f(strided(v)));
  check_in_frame(f);
}

TEMPLATE_TEST_CASE("elements taken by positions in small calls", "", float, double) {
  using T = TestType;
  vec<T> const v = {3, -1, 2, 5};
  vec<std::int64_t> const at = {1, -1, 1};
  auto f = kt::function(taken<kt::vector<T>>);
  auto const small = past_frame(f, v, at);
  CHECK(std::get<0>(small) == T(27));
  CHECK(std::get<1>(small) == vec<T>{0, -4, 0, 10});
  CHECK_THROWS_AS(f(v, vec<std::int64_t>{4}), kt::value_error);
  check_equal(small, f(strided(v), at));
  check_in_frame(f);
}

TEST_CASE("positions are checked where nothing is added") {
  auto f = kt::function([](kt::dvector v, kt::lvector at) { return inc_subtensor(v(at), 0.); });
  vec<double> const v = {3, -1, 2};
  auto const same = f(v, vec<std::int64_t>{0, 2});
  CHECK(same == v);
  CHECK_THROWS_AS(f(v, vec<std::int64_t>{3}), kt::value_error);
}

TEMPLATE_TEST_CASE("matrices in small calls, whatever their layout", "", float, double) {
  using T = TestType;
  mat<T> const m = {{4, 1, 0}, {1, 3, 1}, {0, 1, 2}};
  vec<T> const w = {1, 2, 3};
  auto writes = kt::function(parts_of_a_matrix<kt::matrix<T>, kt::vector<T>>);
  auto const written = past_frame(writes, m, w);
  CHECK(std::get<0>(written) == mat<T>{{4, 10, 15}, {1, 10, 15}, {0, 2, 6}});
  CHECK(std::get<1>(written) == mat<T>{{4, 5, 0}, {1, 4, 1}, {0, 1, 2}});
  check_equal(written, writes(by_columns(m), w));
  check_in_frame(writes);

  auto products = kt::function(transposed_products<kt::matrix<T>, kt::vector<T>>);
  auto const product = past_frame(products, m, w);
  CHECK(std::get<0>(product) == mat<T>{{17, 7, 1}, {7, 11, 5}, {1, 5, 5}});
  CHECK(std::get<2>(product) == vec<T>{6, 9, 2});
  check_equal(product, products(by_columns(m), w));
  check_in_frame(products);

  auto solves = kt::function(solved<kt::matrix<T>, kt::vector<T>>);
  auto const solution = past_frame(solves, m, w);
  CHECK(std::get<2>(solution) == vec<T>{5, 5, 5});
  check_equal(solution, solves(by_columns(m), w));
  check_in_frame(solves);
}

TEST_CASE("labels of rows in small calls") {
  mat<double> const x = {{0.5, 2, -1, 0}, {1, 1, 1, 1}, {0, -3, 0.25, 4}};
  mat<std::int64_t> const y = {{1}, {0}, {-1}};
  auto f = kt::function(labels);
  auto const small = past_frame(f, x, y);
  auto const framed = f(by_columns(x), y);
  check_in_frame(f);
  CHECK(std::get<0>(small) == Approx(std::get<0>(framed)).epsilon(1e-15));
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK(std::get<1>(small).data()[i] == Approx(std::get<1>(framed).data()[i]).margin(1e-15));
}

TEST_CASE("integers in small calls") {
  mat<std::int64_t> const m = {{1, 2}, {3, 4}};
  vec<std::int64_t> const w = {5, 6};
  auto f = kt::function(
      [](kt::lmatrix m, kt::lvector w) { return std::tuple(dot(m, w), set_subtensor(w(0), 9)); });
  auto const small = past_frame(f, m, w);
  CHECK(std::get<0>(small) == vec<std::int64_t>{17, 39});
  CHECK(std::get<1>(small) == vec<std::int64_t>{9, 6});
}

TEST_CASE("writes to what a loop has filled, in small calls") {
  auto dirty = [](auto const& like) { return std::decay_t<decltype(like)>(like.shape(), 99); };
  vec<std::int64_t> const v = {1, 2, 3, 4, 5, 6};
  auto integers =
      kt::function([](kt::lvector v) { return set_subtensor((0 * v + 2)(kt::slice(1, 4)), 7); });
  auto whole = dirty(v);
  integers.into(whole, v);
  check_past_frame(integers);
  CHECK(std::as_const(whole) == vec<std::int64_t>{2, 7, 7, 7, 2, 2});

  // From the column of a matrix, whose stride only the call tells.
  mat<double> const m = {{1, 2}, {3, 4}, {5, 6}};
  vec<double> const x = {1, 2, 3};
  auto column = kt::function([](kt::dmatrix m, kt::dvector v) {
    return std::tuple(inc_subtensor((0 * v + 2)(kt::slice(0, 3)), m(kt::slice(), 0)),
                      grad(sum(v(kt::slice(1, kt::none)) * m(kt::slice(1, kt::none), 1)), v));
  });
  auto sums = dirty(x), gradient = dirty(x);
  column.into(std::tie(sums, gradient), m, x);
  check_past_frame(column);
  CHECK(std::as_const(sums) == vec<double>{3, 5, 7});
  CHECK(std::as_const(gradient) == vec<double>{0, 4, 6});

  auto twice = kt::function([](kt::dmatrix m, kt::dvector v) {
    auto const once = inc_subtensor((0 * v + 2)(kt::slice(0, 2)), v(kt::slice(1, 3)));
    return std::tuple(inc_subtensor(once(kt::slice(1, 3)), m(kt::slice(1, 3), 0)),
                      inc_subtensor(inc_subtensor((0 * v + 3)(kt::slice(0, 2)),
                                                  m(kt::slice(0, 2), 1))(kt::slice(1, 3)),
                                    v(kt::slice(0, 2))));
  }, kt::mode::ieee);
  auto first = dirty(x), second = dirty(x);
  twice.into(std::tie(first, second), m, x);
  CHECK(std::as_const(first) == vec<double>{4, 8, 7});
  CHECK(std::as_const(second) == vec<double>{5, 8, 5});
}

TEST_CASE("sums over an axis of one element begin with 0, whatever is in the target") {
  auto f = kt::function([](kt::col<double> x) { return sum(2 * x, kt::axis<1>); },
                        kt::mode::ieee);
  mat<double> const x = {{1}, {2}, {3}};
  vec<double> y = {99, 99, 99};
  f.into(y, x);
  CHECK(std::as_const(y) == vec<double>{2, 4, 6});
}
