// What is made of extents alone.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

TEST_CASE("arange, eye and identity_like") {
  auto f = kt::function([](kt::lscalar n, kt::lscalar b, kt::dmatrix m) {
    return std::tuple(kt::arange(n), kt::arange(b, n), kt::arange(b, n, 3), kt::arange(n, b, -2), kt::arange(n, b), kt::arange(m.shape(1)) * m, kt::eye(n), kt::eye<std::int32_t>(n, 4, 1),
                      kt::eye<float>(3, n, -1), identity_like(m), kt::eye<bool>(n));
  });
  mat<double> const m = matrix<double>(3, 2);
  for (std::int64_t n : {5, 0, 1}) {
    std::int64_t const b = -2;
    auto const [counted, from, steps, down, backwards, times, eye, right, left, like, bools] = f(n, b, m);
    CHECK(counted.size() == static_cast<I>(n));
    CHECK(mismatch(counted, [](I i) { return static_cast<std::int64_t>(i); }) == "");
    auto counts = [](auto const& got, std::int64_t first, std::int64_t last, std::int64_t step) {
      std::vector<std::int64_t> expected;
      for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step) expected.push_back(i);
      return std::vector<std::int64_t>(got.begin(), got.end()) == expected;
    };
    CHECK(counts(from, b, n, 1));
    CHECK(counts(steps, b, n, 3));
    CHECK(counts(down, n, b, -2));
    CHECK(counts(backwards, n, b, 1));
    CHECK(mismatch(times, [&](I i, I j) { return static_cast<double>(j) * m(i, j); }) == "");
    CHECK(eye.shape() == std::array<I, 2>{static_cast<I>(n), static_cast<I>(n)});
    CHECK(mismatch(eye, [](I i, I j) { return i == j ? 1. : 0.; }) == "");
    CHECK(right.shape() == std::array<I, 2>{static_cast<I>(n), 4});
    CHECK(mismatch(right, [](I i, I j) { return i + 1 == j ? 1 : 0; }) == "");
    CHECK(left.shape() == std::array<I, 2>{3, static_cast<I>(n)});
    CHECK(mismatch(left, [](I i, I j) { return i == j + 1 ? 1.f : 0.f; }) == "");
    CHECK(mismatch(like, [](I i, I j) { return i == j ? 1. : 0.; }) == "");
    CHECK(mismatch(bools, [](I i, I j) { return i == j; }) == "");
  }
}

TEST_CASE("a range of more numbers than an integer counts") {
  auto const f = kt::function([](kt::lscalar a, kt::lscalar b, kt::lscalar s) {
    return std::tuple(kt::arange(a, b), sum(kt::arange(a, b, s)));
  });
  std::int64_t const lowest = std::numeric_limits<std::int64_t>::min(), largest = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_WITH(f(lowest, largest, 1), Catch::Contains("kt::arange: more numbers"));
  auto const by_two = kt::function([](kt::lscalar a, kt::lscalar b) { return sum(kt::arange(a, b, 2)); });
  auto const by_minus_two = kt::function([](kt::lscalar a, kt::lscalar b) { return sum(kt::arange(b, a, -2)); });
  CHECK_THROWS_WITH(by_two(lowest, largest), Catch::Contains("kt::arange: more numbers"));
  CHECK_THROWS_WITH(by_minus_two(lowest, largest), Catch::Contains("kt::arange: more numbers"));
  CHECK_THROWS_WITH(f(-1, largest, 1), Catch::Contains("kt::arange: more numbers"));
  auto const down = kt::function([](kt::lscalar a, kt::lscalar b) { return kt::arange(a, b, -1); });
  CHECK_THROWS_WITH(down(largest, lowest), Catch::Contains("kt::arange: more numbers"));
  CHECK(down(lowest, largest).size() == 0);
  CHECK(std::get<0>(f(largest, lowest, 1)).size() == 0);
  CHECK((std::get<0>(f(largest - 2, largest, 1)) == xt::xtensor<std::int64_t, 1>{largest - 2, largest - 1}));
  auto const far = kt::function([](kt::lscalar a, kt::lscalar b) { return kt::arange(a, b, std::int64_t{1} << 62); });
  CHECK(far(lowest, largest).size() == 4);
}
