// argmax and argmin: the first of equals, NaN, axes and layouts, element types, and nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

constexpr auto both = [](auto x) { return std::tuple(argmax(x), argmin(x)); };
constexpr auto along_axes = [](kt::dtensor3 x) {
  return std::tuple(argmax(x), argmax(x, kt::axis<0>), argmin(x, kt::axis<1>), argmax(x, kt::axis<-1>), argmin(x, kt::axis<1>, kt::keepdims),
                    argmax(x, kt::keepdims));
};

template <class T, class... Mode>
void check_type(Mode... mode) {
  auto f = kt::function<kt::vector<T>>(both, mode...);
  for (I n : lengths) {
    if (n == 0) continue;
    CAPTURE(n, sizeof(T));
    vec<T> const x = bits<T>(n, static_cast<unsigned>(n));
    std::int64_t largest = 0, smallest = 0;
    for (I i = 0; i < n; ++i) {
      if (x(i) > x(static_cast<I>(largest))) largest = static_cast<std::int64_t>(i);
      if (x(i) < x(static_cast<I>(smallest))) smallest = static_cast<std::int64_t>(i);
    }
    CHECK((f(x) == std::tuple(largest, smallest)));
  }
}

}  // namespace

TEST_CASE("positions of extrema in every element type") {
  check_type<bool>(kt::mode::interpret);
  check_type<std::int8_t>(kt::mode::interpret);
  check_type<std::uint64_t>();
  check_type<std::int64_t>();
  check_type<float>();
}

TEST_CASE("positions of extrema along axes, of any layout") {
  auto f = kt::function(along_axes);
  auto check = [&](auto const& x) {
    I const n = x.shape()[0], m = x.shape()[1], k = x.shape()[2];
    auto const [flat, first, second, last, kept, kept_flat] = f(x);
    I at = 0;
    for (I i = 0; i < n * m * k; ++i)
      if (x(i / (m * k), i / k % m, i % k) > x(at / (m * k), at / k % m, at % k)) at = i;
    CHECK(flat == static_cast<std::int64_t>(at));
    CHECK(kept_flat(0, 0, 0) == flat);
    auto best = [](I size, auto better) {
      I found = 0;
      for (I i = 1; i < size; ++i)
        if (better(i, found)) found = i;
      return static_cast<std::int64_t>(found);
    };
    CHECK(mismatch(first, [&](I j, I l) { return best(n, [&](I a, I b) { return x(a, j, l) > x(b, j, l); }); }) == "");
    CHECK(mismatch(second, [&](I i, I l) { return best(m, [&](I a, I b) { return x(i, a, l) < x(i, b, l); }); }) == "");
    CHECK(mismatch(last, [&](I i, I j) { return best(k, [&](I a, I b) { return x(i, j, a) > x(i, j, b); }); }) == "");
    CHECK(mismatch(kept, [&](I i, I, I l) { return second(i, l); }) == "");
  };
  // More lines side by side than a panel holds, and fewer.
  for (auto shape : {std::array<I, 3>{3, 4, 70}, {40, 3, 2}, {1, 1, 1}, {2, 33, 32}, {3, 40, 7}, {2, 5, 24}, {2, 5, 25}}) {
    xt::xtensor<double, 3> x(shape);
    vec<double> const from = numbers<double>(x.size());
    for (I i = 0; i < x.size(); ++i) x.data()[i] = std::round(8 * from(i));  // with equals
    check(x);
    check(xt::transpose(x));
    check(xt::view(x, xt::range(0, x.shape()[0]), xt::range(x.shape()[1] - 1, xt::placeholders::_, -1), xt::range(0, x.shape()[2], 2)));
  }
}

TEST_CASE("NaN is the extremum, and the first of several") {
  auto f = kt::function<kt::dvector>(both);
  CHECK(f(vec<double>{1, not_a_number, 5, not_a_number}) == std::tuple(1, 1));
  CHECK(f(vec<double>{not_a_number, 1}) == std::tuple(0, 0));
  CHECK(f(vec<double>{-infinity, -infinity, infinity, infinity}) == std::tuple(2, 0));
}

TEST_CASE("NaN in short lines and in columns") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  xt::xtensor<double, 2> const m = {{1, nan, 5}, {nan, 2, nan}, {3, 1, 3}, {-0.0, 0.0, -0.0}};
  auto const f =
      kt::function([](kt::dmatrix x) { return std::tuple(argmax(x, kt::axis<1>), argmin(x, kt::axis<1>), argmax(x, kt::axis<0>)); });
  auto const [largest, smallest, of_columns] = f(m);
  CHECK(largest == xt::xtensor<std::int64_t, 1>{1, 0, 0, 0});
  CHECK(smallest == xt::xtensor<std::int64_t, 1>{1, 0, 1, 0});
  CHECK(of_columns == xt::xtensor<std::int64_t, 1>{1, 0, 1});
}

TEMPLATE_TEST_CASE("the first of equals and the first NaN of lines of every length", "", double, float) {
  using T = TestType;
  auto const f = kt::function([](kt::matrix<T> x) { return std::tuple(argmax(x, kt::axis<1>), argmin(x, kt::axis<1>)); });
  for (I n = 1; n < 100; ++n) {
    xt::xtensor<T, 2> x = xt::xtensor<T, 2>::from_shape({37, n});
    for (I i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>((i * i + 3 * i / n) % 11) - T(5);
    x(5, n / 2) = x(6, n - 1) = x(7, 0) = x(7, n / 3) = std::numeric_limits<T>::quiet_NaN();
    for (I j = 0; j < n; ++j) x(9, j) = -std::numeric_limits<T>::infinity();
    auto const [largest, smallest] = f(x);
    I wrong = 0;
    for (I i = 0; i < x.shape()[0]; ++i) {
      I most = 0, least = 0;
      for (I j = 1; j < n; ++j) {
        bool const is_first_nan = std::isnan(x(i, j));
        if (!std::isnan(x(i, most)) && (is_first_nan || x(i, j) > x(i, most))) most = j;
        if (!std::isnan(x(i, least)) && (is_first_nan || x(i, j) < x(i, least))) least = j;
      }
      wrong += largest(i) != static_cast<std::int64_t>(most);
      wrong += smallest(i) != static_cast<std::int64_t>(least);
    }
    INFO(n);
    CHECK(wrong == 0);
  }
}

TEST_CASE("the position of an extremum of nothing is a value error") {
  auto f = kt::function<kt::dvector>(both);
  CHECK_THROWS_AS(f(vec<double>(std::array<I, 1>{0})), kt::value_error);
  CHECK_THROWS_WITH(f(vec<double>(std::array<I, 1>{0})), Catch::Contains("arg") && Catch::Contains("parameter 1 (dvector)"));
  auto g = kt::function([](kt::dmatrix x) { return argmax(x, kt::axis<1>); });
  CHECK(g(mat<double>(std::array<I, 2>{0, 3})).size() == 0);
  CHECK_THROWS_AS(g(mat<double>(std::array<I, 2>{3, 0})), kt::value_error);
}

TEST_CASE("what keeps the order of elements goes before an extremum is looked for") {
  constexpr auto classes = [](kt::dmatrix x) { return std::tuple(argmax(softmax(exp(x)), kt::axis<1>), argmin(log_softmax(x, kt::axis<0>), kt::axis<1>)); };
  constexpr auto plain = [](kt::dmatrix x) { return std::tuple(argmax(x, kt::axis<1>), argmin(log_softmax(x, kt::axis<0>), kt::axis<1>)); };
  STATIC_REQUIRE(std::is_same_v<kt::canonical<classes>, kt::canonical<plain>>);
}

TEST_CASE("positions pass no gradient") {
  auto f = kt::function([](kt::dvector x) { return grad(sum(x) * argmin(x) + argmax(x), x); });
  CHECK((f(vec<double>{1, 7, -3}) == vec<double>{2, 2, 2}));
}

namespace {

// Against a search one by one, for lines along both axes of matrices of many shapes, with equals.
template <class T>
void check_lines() {
  auto f = kt::function<kt::matrix<T>>([](auto x) {
    return std::tuple(argmax(x, kt::axis<0>), argmin(x, kt::axis<0>), argmax(x, kt::axis<1>), argmin(x, kt::axis<1>));
  });
  auto const first = [](I n, auto at, bool largest) {
    I found = 0;
    for (I i = 1; i < n; ++i) {
      bool const is_number = at(found) == at(found);
      if (is_number && (at(i) != at(i) || (largest ? at(i) > at(found) : at(i) < at(found)))) found = i;
    }
    return static_cast<std::int64_t>(found);
  };
  unsigned random = 1;
  for (I rows : {1, 2, 9, 130, 300})
    for (I columns : {1, 2, 3, 5, 8, 11, 17, 32, 67, 130, 300}) {
      mat<T> x(std::array<I, 2>{rows, columns});
      bool const many = (rows + columns) % 2 == 0;
      for (T& e : x) {
        random = random * 1664525u + 1013904223u;
        e = static_cast<T>((random >> 24) % (many ? 100 : 3));
        if (std::is_floating_point_v<T> && random >> 8 == 0xffff) e = static_cast<T>(not_a_number);
      }
      if (std::is_floating_point_v<T> && rows == 9) x(7, columns / 2) = x(8, columns / 2) = static_cast<T>(not_a_number);
      CAPTURE(rows, columns, sizeof(T));
      auto const check = [&](auto const& y) {
        I const n = y.shape()[0], m = y.shape()[1];
        auto const [most0, least0, most1, least1] = f(y);
        for (I j = 0; j < m; ++j) {
          REQUIRE(most0(j) == first(n, [&](I i) { return y(i, j); }, true));
          REQUIRE(least0(j) == first(n, [&](I i) { return y(i, j); }, false));
        }
        for (I i = 0; i < n; ++i) {
          REQUIRE(most1(i) == first(m, [&](I j) { return y(i, j); }, true));
          REQUIRE(least1(i) == first(m, [&](I j) { return y(i, j); }, false));
        }
      };
      check(x);
      if (columns < 20) check(xt::view(x, xt::range(0, rows, 2), xt::range(columns / 3, columns)));
    }
}

}  // namespace

TEST_CASE("positions of extrema in lines side by side, and one behind the other") {
  check_lines<double>();
  check_lines<float>();
  check_lines<std::uint32_t>();
  check_lines<std::uint8_t>();
}
