// Joining, splitting and rearranging tensors, against plain loops: concatenate, stack, split, roll, flip, repeat, tile ...
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/runtime.hpp>

using namespace reference;
using I = std::size_t;

namespace {

using kt::none, kt::slice;

constexpr auto joined = [](kt::dmatrix x, kt::fmatrix y, kt::dvector v, kt::lscalar n) {
  return std::tuple(concatenate<0>(x, y, 2 * x), concatenate<-1>(x.T(), x(slice(), slice(none, none, -1))), concatenate(v, kt::cast<float>(v), v(slice(1))),
                    concatenate<0>(x(slice(1), slice()), v(kt::newaxis, slice())), stack(v, v + 1), stack<-1>(v, v + 1, 2 * v), stack<1>(x, x * x), stack(n, n + 1, n * n),
                    concatenate<0>(x));
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("tensors are joined along old and new axes", "[rearranging]", ((int Mode), Mode), 0, 1) {
  auto f = [&] {
    if constexpr (Mode == 0) return kt::function(joined);
    else return kt::function(joined, kt::mode::interpret);
  }();
  for (I const n : {3, 1}) {
    auto const x = matrix<double>(n, n);
    auto const y = matrix<float>(2, n, 5);
    auto const v = numbers<double>(n, 9);
    auto const [rows, columns, vectors, rows_of_one, stacked, pairs, middle, scalars, alone] = f(x, y, v, 5);
    CHECK(mismatch(rows, [&](I a, I b) { return a < n ? x(a, b) : a < n + 2 ? static_cast<double>(y(a - n, b)) : 2 * x(a - n - 2, b); }) == "");
    CHECK(rows.shape(0) == 2 * n + 2);
    CHECK(mismatch(columns, [&](I a, I b) { return b < n ? x(b, a) : x(a, 2 * n - 1 - b); }) == "");
    CHECK(mismatch(vectors, [&](I a) { return a < n ? v(a) : a < 2 * n ? static_cast<double>(static_cast<float>(v(a - n))) : v(0); }) == "");
    CHECK(mismatch(rows_of_one, [&](I a, I b) { return a == 0 ? x(0, b) : v(b); }) == "");
    CHECK(rows_of_one.shape() == std::array<I, 2>{2, n});
    CHECK(mismatch(stacked, [&](I a, I b) { return v(b) + static_cast<double>(a); }) == "");
    CHECK(stacked.shape() == std::array<I, 2>{2, n});
    CHECK(mismatch(pairs, [&](I a, I b) { return b == 2 ? 2 * v(a) : v(a) + static_cast<double>(b); }) == "");
    CHECK(mismatch(middle, [&](I a, I b, I c) { return b == 0 ? x(a, c) : x(a, c) * x(a, c); }) == "");
    CHECK((scalars == vec<std::int64_t>{5, 6, 25}));
    CHECK((alone == x));
  }
  auto const empty = std::get<0>(f(matrix<double>(0, 0), matrix<float>(2, 0), numbers<double>(0), 0));
  CHECK(empty.shape() == std::array<I, 2>{2, 0});
}

namespace {

constexpr auto rearranged = [](kt::dmatrix x, kt::dvector v, kt::lscalar n) {
  return std::tuple(flip(x), flip(x, kt::axis<-1>), roll(x, n, kt::axis<0>), roll(x, -1), roll(v, n), repeat(x, 2, kt::axis<0>), repeat(x, n), repeat(v + 1, n, kt::axis<0>),
                    tile(x, 2, n), tile(v, 2, 3), tile(x, 2), kt::broadcast_to(v, 2, n, v.shape(0)), kt::broadcast_to(v(slice(), kt::newaxis), v.shape(0), 3),
                    kt::moveaxis<0, -1>(stack(x, x)), kt::swapaxes<0, 2>(stack(x, 2 * x)), squeeze(x(slice(1)), kt::axis<0>), squeeze(x(slice(0, 1), slice()), kt::axis<0>));
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("tensors are turned, rolled and repeated", "[rearranging]", ((int Mode), Mode), 0, 1) {
  auto f = [&] {
    if constexpr (Mode == 0) return kt::function(rearranged);
    else return kt::function(rearranged, kt::mode::interpret);
  }();
  for (int n : {4, 0, 1}) {
    CAPTURE(n);
    I const N = static_cast<I>(n), rows = 3, columns = 5;
    auto const x = matrix<double>(rows, columns);
    auto const v = numbers<double>(4, 9);
    auto const [both, reversed, down, flat, rolled, twice, each, spread, tiled, tiled_vector, wide, leading, across, moved, swapped, row, row_by_extent] = f(x, v, n);
    CHECK(mismatch(both, [&](I a, I b) { return x(rows - 1 - a, columns - 1 - b); }) == "");
    CHECK(mismatch(reversed, [&](I a, I b) { return x(a, columns - 1 - b); }) == "");
    CHECK(mismatch(down, [&](I a, I b) { return x((a + 2 * rows - N) % rows, b); }) == "");
    CHECK(mismatch(flat, [&](I a, I b) { return x.data()[(a * columns + b + 1) % (rows * columns)]; }) == "");
    CHECK(mismatch(rolled, [&](I a) { return v((a + 4 - N) % 4); }) == "");
    CHECK((twice.shape() == std::array<I, 2>{2 * rows, columns}));
    CHECK(mismatch(twice, [&](I a, I b) { return x(a / 2, b); }) == "");
    CHECK((each.size() == N * rows * columns));
    CHECK(mismatch(each, [&](I a) { return x.data()[a / N]; }) == "");
    CHECK(spread.size() == 4 * N);
    CHECK(mismatch(spread, [&](I a) { return v(a / N) + 1; }) == "");
    CHECK((tiled.shape() == std::array<I, 2>{2 * rows, N * columns}));
    CHECK(mismatch(tiled, [&](I a, I b) { return x(a % rows, b % columns); }) == "");
    CHECK((tiled_vector.shape() == std::array<I, 2>{2, 12}));
    CHECK(mismatch(tiled_vector, [&](I, I b) { return v(b % 4); }) == "");
    CHECK((wide.shape() == std::array<I, 2>{rows, 2 * columns}));
    CHECK(mismatch(wide, [&](I a, I b) { return x(a, b % columns); }) == "");
    CHECK((leading.shape() == std::array<I, 3>{2, N, 4}));
    CHECK(mismatch(leading, [&](I, I, I c) { return v(c); }) == "");
    CHECK(mismatch(across, [&](I a, I) { return v(a); }) == "");
    CHECK((moved.shape() == std::array<I, 3>{rows, columns, 2}));
    CHECK(mismatch(moved, [&](I a, I b, I) { return x(a, b); }) == "");
    CHECK((swapped.shape() == std::array<I, 3>{columns, rows, 2}));
    CHECK(mismatch(swapped, [&](I a, I b, I c) { return x(b, a) * static_cast<double>(c + 1); }) == "");
    CHECK(mismatch(row, [&](I a) { return x(0, a); }) == "");
    CHECK(mismatch(row_by_extent, [&](I a) { return x(0, a); }) == "");
  }
  CHECK(std::get<4>(f(matrix<double>(3, 5), numbers<double>(0), 3)).size() == 0);
}

namespace {

constexpr auto parts = [](kt::dmatrix x, kt::ivector v) {
  auto const [a, b, c] = split<3>(2 * x, kt::axis<-1>);
  auto const [p, q] = split(v, kt::sizes<1, 4>);
  return std::tuple(a, b * c, p, q, std::get<1>(split<2>(x.T())));
};

}  // namespace

TEST_CASE("a tensor is split in equal parts and in given ones", "[rearranging]") {
  auto f = kt::function(parts);
  auto const x = matrix<double>(2, 6);
  auto const [a, product, p, q, half] = f(x, vec<std::int32_t>{1, 2, 3, 4, 5});
  CHECK((a.shape() == std::array<I, 2>{2, 2}));
  CHECK(mismatch(a, [&](I i, I j) { return 2 * x(i, j); }) == "");
  CHECK(mismatch(product, [&](I i, I j) { return 2 * x(i, j + 2) * (2 * x(i, j + 4)); }) == "");
  CHECK((p == vec<std::int32_t>{1}));
  CHECK((q == vec<std::int32_t>{2, 3, 4, 5}));
  CHECK((half.shape() == std::array<I, 2>{3, 2}));
  CHECK(mismatch(half, [&](I i, I j) { return x(j, i + 3); }) == "");
  CHECK(sentence<kt::shape_error>([&] { f(matrix<double>(2, 4), vec<std::int32_t>{1, 2, 3, 4, 5}); }) ==
        "reshape: an operand of shape (2, 4) has 8 elements, but the requested shape, (2, 3), has 6");
  CHECK(sentence<kt::shape_error>([&] { f(x, vec<std::int32_t>{1, 2, 3, 4}); }) ==
        "reshape: an operand of shape (4) has 4 elements, but the requested shape, (5), has 5");
}

TEST_CASE("triangles keep one side of a diagonal", "[rearranging]") {
  auto f = kt::function([](kt::dmatrix x, kt::lscalar k, kt::btensor3 stack) {
    return std::tuple(triu(x), tril(x), triu(x, k), tril(x, k), triu(stack, 1), tril(2 * x.T(), -1), triu(x(slice(1))), grad(sum(sqr(tril(x))), x));
  });
  auto x = matrix<double>(3, 4);
  x(2, 0) = not_a_number;
  xt::xtensor<std::int8_t, 3> stack = xt::ones<std::int8_t>({2, 2, 2});
  auto at = [&](I i, I j) { return x(i, j); };
  for (long k : {-5, -1, 0, 2, 4}) {
    auto const [upper, lower, upper_k, lower_k, stacked, below, row, gradient] = f(x, k, stack);
    CHECK(mismatch(upper, [&](I i, I j) { return j >= i ? at(i, j) : 0; }) == "");
    CHECK(mismatch(lower, [&](I i, I j) { return j <= i ? at(i, j) : 0; }) == "");
    CHECK(mismatch(upper_k, [&](I i, I j) { return static_cast<long>(j) >= static_cast<long>(i) + k ? at(i, j) : 0; }) == "");
    CHECK(mismatch(lower_k, [&](I i, I j) { return static_cast<long>(j) <= static_cast<long>(i) + k ? at(i, j) : 0; }) == "");
    CHECK(mismatch(stacked, [&](I, I i, I j) { return i == 0 && j == 1 ? 1 : 0; }) == "");
    CHECK(mismatch(below, [&](I i, I j) { return j < i ? 2 * at(j, i) : 0; }) == "");
    CHECK(mismatch(row, [&](I, I j) { return at(0, j); }) == "");
    CHECK(mismatch(gradient, [&](I i, I j) { return j <= i ? 2 * at(i, j) : 0; }) == "");
  }
}

TEST_CASE("what is joined, spread or squeezed has to fit", "[rearranging]") {
  auto join = kt::function([](kt::dmatrix x, kt::dmatrix y) { return concatenate<0>(x, y); });
  CHECK(sentence<kt::shape_error>([&] { join(matrix<double>(2, 3), matrix<double>(2, 1)); }) ==
        "join: extent 1 of parameter 1 (dmatrix) is 3, extent 1 of parameter 2 (dmatrix) is 1");
  auto spread = kt::function([](kt::dvector v, kt::lscalar n) { return std::tuple(kt::broadcast_to(v, 2, n), repeat(v, n)); });
  CHECK(sentence<kt::shape_error>([&] { spread(numbers<double>(3), 4); }) == "alloc: extent 0 of parameter 1 (dvector) is 3, a computed extent is 4");
  CHECK(sentence<kt::shape_error>([&] { spread(numbers<double>(1), -1); }).find("alloc: an extent is negative: -1") == 0);
  auto drop = kt::function([](kt::dmatrix x) { return squeeze(x, kt::axis<1>); });
  CHECK((drop(mat<double>{{1}, {2}}) == vec<double>{1, 2}));
  CHECK(sentence<kt::shape_error>([&] { drop(matrix<double>(2, 2)); }) ==
        "reshape: an operand of shape (2, 2) has 4 elements, but the requested shape, (2), has 2");
}

TEST_CASE("gradients go back to where elements came from", "[rearranging]") {
  constexpr auto cost = [](kt::dmatrix x, kt::dvector v) {
    auto const [a, b] = split<2>(x, kt::axis<1>);
    return sum(pow(concatenate<1>(x, sin(x), v(slice(), kt::newaxis)), 3)) + sum(exp(stack(v, sqr(v)))) + sum(sqr(a) * b) +
           sum(roll(x, 1, kt::axis<1>) * flip(x)) + sum(sqr(repeat(x, 3, kt::axis<0>))) + sum(sin(tile(v, 2, 2)) * kt::broadcast_to(tile(v, 2), 2, 4));
  };
  CHECK(kt::verify_grad(cost, matrix<double>(2, 4), numbers<double>(2, 3)));
}
