// Sums over the middle axis: many of few rows, each of few elements.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <xtensor/xview.hpp>

using namespace reference;

namespace {

template <class T>
using cube = xt::xtensor<T, 3>;

template <class T>
cube<T> whole_numbers(std::size_t n, std::size_t m, std::size_t r) {
  cube<T> x(std::array<std::size_t, 3>{n, m, r});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.flat(i) = static_cast<T>(static_cast<int>(i * i % 31) - 12);
  return x;
}

/// What a loop finds for each (i, j): sums of x, of what repeats along an axis, and the extremum.
template <class T>
struct expected {
  mat<T> plain, weighted, scaled, largest;

  expected(cube<T> const& x, mat<T> const& of_rows, mat<T> const& of_columns)
      : plain(xt::zeros<T>({x.shape(0), x.shape(2)})),
        weighted(plain),
        scaled(plain),
        largest(plain + std::numeric_limits<T>::lowest()) {
    for (std::size_t i = 0; i < x.shape(0); ++i)
      for (std::size_t k = 0; k < x.shape(1); ++k)
        for (std::size_t j = 0; j < x.shape(2); ++j) {
          plain(i, j) += x(i, k, j);
          weighted(i, j) += x(i, k, j) * of_columns(k, j);
          scaled(i, j) += of_rows(i, k) * of_columns(k, j);
          largest(i, j) = std::max(largest(i, j), x(i, k, j));
        }
  }
};

template <class T>
void check_sums() {
  using tensor = kt::variable<T, 3>;
  using matrix = kt::variable<T, 2>;
  auto const plain = kt::function([](tensor x) { return sum(x, kt::axis<1>); });
  auto const largest = kt::function([](tensor x) { return max(x, kt::axis<1>); });
  auto const weighted = kt::function([](tensor x, matrix c) { return sum(x * c, kt::axis<1>); });
  auto const scaled = kt::function(
      [](matrix r, matrix c) { return sum(kt::dimshuffle<0, 1, 'x'>(r) * c, kt::axis<1>); });
  auto const several = kt::function([](tensor x, matrix c) {
    return std::tuple(sum(x, kt::axis<1>), sum(x * c, kt::axis<1>), max(x, kt::axis<1>));
  });
  for (std::size_t m : {1u, 2u, 3u, 8u, 9u, 20u})
    for (std::size_t r : {1u, 2u, 3u, 5u, 7u, 8u, 9u, 16u, 19u, 40u})
      for (std::size_t n : {1u, 2u, 7u, 70u}) {
        CAPTURE(n, m, r);
        cube<T> const x = whole_numbers<T>(n, m, r), wide = whole_numbers<T>(n, m, r + 3);
        cube<T> const part = xt::view(wide, xt::all(), xt::all(), xt::range(1, 1 + r));
        mat<T> const rows = xt::view(whole_numbers<T>(1, n, m), 0),
                     columns = xt::view(whole_numbers<T>(1, m, r), 0);
        expected<T> const whole(x, rows, columns), inside(part, rows, columns);
        CHECK((plain(x) == whole.plain));
        CHECK((largest(x) == whole.largest));
        CHECK((weighted(x, columns) == whole.weighted));
        CHECK((scaled(rows, columns) == whole.scaled));
        auto const [sums, products, extrema] = several(x, columns);
        CHECK((sums == whole.plain));
        CHECK((products == whole.weighted));
        CHECK((extrema == whole.largest));
        // Rows with gaps between them, and results that have some.
        auto const view = xt::view(wide, xt::all(), xt::all(), xt::range(1, 1 + r));
        CHECK((plain(view) == inside.plain));
        CHECK((weighted(view, columns) == inside.weighted));
        using element = typename std::decay_t<decltype(plain(x))>::value_type;
        mat<element> target(std::array<std::size_t, 2>{n, r + 2}, element(99));
        plain.into(xt::view(target, xt::all(), xt::range(1, 1 + r)), x);
        CHECK((xt::view(target, xt::all(), xt::range(1, 1 + r)) == whole.plain));
        for (std::size_t i = 0; i < n; ++i) {
          CHECK(target(i, 0) == 99);
          CHECK(target(i, r + 1) == 99);
        }
      }
}

}  // namespace

TEST_CASE("stacked sums: double") { check_sums<double>(); }
TEST_CASE("stacked sums: float") { check_sums<float>(); }
TEST_CASE("stacked sums: int32") { check_sums<std::int32_t>(); }

// Distances of a point from each of some others, where these are as few as a batch has lanes.
TEST_CASE("stacked sums: squared distances") {
  auto const by_rows = kt::function([](kt::dmatrix x, kt::dmatrix c) {
    return sum(sqr(kt::dimshuffle<0, 'x', 1>(x) - c), kt::axis<2>);
  });
  auto const by_columns = kt::function([](kt::dmatrix x, kt::dmatrix c) {
    return sum(sqr(kt::dimshuffle<0, 1, 'x'>(x) - kt::dimshuffle<0, 'x', 1>(c)), kt::axis<0>);
  });
  for (std::size_t d : {1u, 2u, 3u, 8u, 11u})
    for (std::size_t k : {1u, 4u, 7u, 8u, 9u, 15u, 16u, 30u})
      for (std::size_t n : {1u, 9u, 100u}) {
        CAPTURE(d, k, n);
        mat<double> const x = xt::view(whole_numbers<double>(1, n, d), 0),
                          c = xt::view(whole_numbers<double>(1, k, d), 0) * 0.5;
        mat<double> distances = xt::zeros<double>({n, k});
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < k; ++j)
            for (std::size_t a = 0; a < d; ++a)
              distances(i, j) += (x(i, a) - c(j, a)) * (x(i, a) - c(j, a));
        CHECK((by_rows(x, c) == distances));
        CHECK((by_columns(xt::transpose(x), xt::transpose(c)) == distances));
      }
}

// How the loop goes: what these decisions cost where they are wrong, no result tells.
using space = kt::cpu::basic_space<kt::cpu::compiled_arrays<2>>;

/// A loop over three axes with one operand and one result that is added up.
space loop_over(std::array<std::ptrdiff_t, 3> extents, std::array<std::ptrdiff_t, 3> operand,
                std::array<std::ptrdiff_t, 3> result) {
  space s;
  s.operands = s.results = 1;
  s.count = 2;
  s.rank = 3;
  for (std::size_t d = 0; d < 3; ++d) {
    s.extents[d] = extents[d];
    s.strides[d][0] = operand[d];
    s.strides[d][1] = result[d];
  }
  s.bytes[0] = s.bytes[1] = 8;
  return s;
}

TEST_CASE("stacked sums: results of two rows are copied only if operands lie densely") {
  CHECK(kt::cpu::is_packed(loop_over({50, 2, 16}, {32, 16, 1}, {32, 0, 2}), 1));
  CHECK_FALSE(kt::cpu::is_packed(loop_over({50, 2, 16}, {64, 32, 2}, {32, 0, 2}), 1));
  CHECK(kt::cpu::is_packed(loop_over({50, 3, 16}, {96, 32, 2}, {32, 0, 2}), 1));
  CHECK_FALSE(kt::cpu::is_packed(loop_over({50, 3, 16}, {48, 16, 1}, {16, 0, 1}), 1));
}

TEST_CASE("stacked sums: over two axes they go along the one of many rows") {
  kt::cpu::result_fact fact;
  fact.reduction = true;
  kt::cpu::loop_facts facts;
  facts.result = &fact;
  facts.only_reduces = true;
  auto const passes = [&](std::array<std::ptrdiff_t, 3> extents) {
    space const s = loop_over(extents, {extents[1] * extents[2], extents[2], 1}, {0, 0, 1});
    return kt::cpu::order_of_sums<space>(s, facts).passes();
  };
  CHECK(passes({100, 2, 8}) == 1);
  CHECK(passes({100, 20, 8}) == 0);
  CHECK(passes({2, 3, 8}) == 0);
}
