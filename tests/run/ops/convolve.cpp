// Convolutions and correlations of vectors, and ranges, as NumPy 1.24 has them; expected values are NumPy's.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;

namespace {

template <class T>
bool is(vec<T> const& got, std::vector<T> const& expected) {
  return std::equal(got.begin(), got.end(), expected.begin(), expected.end());
}
constexpr auto everything = [](auto a, auto v) {
  using namespace kt::border;
  return std::tuple(kt::convolve(a, v), kt::convolve(a, v, half), kt::convolve(a, v, valid), kt::correlate(a, v, full), kt::correlate(a, v, half),
                    kt::correlate(a, v));
};

}  // namespace

TEST_CASE("convolutions and correlations of vectors") {
  auto const check = [](auto const& f, auto zero) {
    using T = decltype(zero);
    vec<T> const a{1, 2, 3, 4, 5}, v{1, static_cast<T>(-1), 2, 3};
    {
      auto const [all, same, inside, all_shifts, middle, shifts] = f(a, v);
      CHECK(is<T>(all, {1, 1, 3, 8, 13, 12, 22, 15}));
      CHECK(is<T>(same, {1, 3, 8, 13, 12}));
      CHECK(is<T>(inside, {8, 13}));
      CHECK(is<T>(all_shifts, {3, 8, 12, 17, 22, 9, static_cast<T>(-1), 5}));
      CHECK(is<T>(middle, {8, 12, 17, 22, 9}));
      CHECK(is<T>(shifts, {17, 22}));
    }
    {
      auto const [all, same, inside, all_shifts, middle, shifts] = f(v, a);
      CHECK(is<T>(all, {1, 1, 3, 8, 13, 12, 22, 15}));
      CHECK(is<T>(same, {1, 3, 8, 13, 12}));
      CHECK(is<T>(inside, {8, 13}));
      CHECK(is<T>(all_shifts, {5, static_cast<T>(-1), 9, 22, 17, 12, 8, 3}));
      CHECK(is<T>(middle, {9, 22, 17, 12, 8}));
      CHECK(is<T>(shifts, {22, 17}));
    }
    auto const [all, same, inside, all_shifts, middle, shifts] = f(vec<T>{2}, vec<T>{3, 4});
    CHECK(is<T>(all, {6, 8}));
    CHECK(is<T>(same, {6, 8}));
    CHECK(is<T>(inside, {6, 8}));
    CHECK(is<T>(all_shifts, {8, 6}));
    CHECK(is<T>(middle, {8, 6}));
    CHECK(is<T>(shifts, {8, 6}));
    CHECK_THROWS_WITH(f(vec<T>{}, v), Catch::Contains("extent 0 of parameter 1") && Catch::Contains("is 0"));
  };
  check(kt::function([](kt::dvector a, kt::dvector v) { return everything(a, v); }), 0.0);
  check(kt::function([](kt::fvector a, kt::fvector v) { return everything(a, v); }, kt::mode::interpret), 0.0f);
  check(kt::function([](kt::ivector a, kt::ivector v) { return everything(a, v); }), std::int32_t{});
  check(kt::function([](kt::variable<std::uint8_t, 1> a, kt::variable<std::uint8_t, 1> v) { return everything(a, v); },
                     kt::mode::interpret),
        std::uint8_t{});
}

TEST_CASE("convolutions of vectors of other and of mixed types") {
  auto const f = kt::function(
      [](kt::zvector z, kt::ivector k, kt::variable<bool, 1> b) {
        return std::tuple(kt::convolve(z, z), kt::correlate(z, z, kt::border::full), kt::convolve(b, b), kt::convolve(k, kt::constant({0.5, 1.0})),
                          kt::convolve(b, k));
      },
      kt::mode::interpret);
  using z = std::complex<double>;
  auto const [product, shifted, truths, halves, counts] = f(vec<z>{{0, 1}, {2, 0}}, vec<std::int32_t>{1, 2, 3}, vec<bool>{true, false, true});
  CHECK(is<z>(product, {{-1, 0}, {0, 4}, {4, 0}}));
  CHECK(is<z>(shifted, {{0, 2}, {5, 0}, {0, -2}}));
  CHECK(is<bool>(truths, {true, false, true, false, true}));
  CHECK(is<double>(halves, {0.5, 2, 3.5, 3}));
  static_assert(std::is_same_v<typename decltype(counts)::value_type, std::int32_t>);
  CHECK(is<std::int32_t>(counts, {1, 2, 4, 2, 3}));
}

TEST_CASE("long convolutions of integers wrap around as sums of products do") {
  auto const check = [](auto zero) {
    using T = decltype(zero);
    auto const f = kt::function([](kt::variable<T, 1> a, kt::variable<T, 1> v) {
      return std::pair(kt::convolve(a, v), kt::correlate(a, flip(v)));
    });
    for (std::size_t n : {1u, 8u, 9000u})
      for (std::size_t k : {1u, 3u, 70u}) {
        vec<T> a = vec<T>::from_shape({n}), v = vec<T>::from_shape({k});
        std::uint64_t seed = n + k;
        for (T& x : a) x = static_cast<T>((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 17);
        for (T& x : v) x = static_cast<T>((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 17);
        std::vector<std::uint64_t> sums(n + k - 1);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < k; ++j) sums[i + j] += static_cast<std::uint64_t>(a(i)) * static_cast<std::uint64_t>(v(j));
        std::vector<T> expected;
        for (std::uint64_t x : sums) expected.push_back(static_cast<T>(x));
        auto const [all, inside] = f(a, v);
        CHECK(is<T>(all, expected));
        if (n >= k) CHECK(is<T>(inside, {expected.begin() + static_cast<std::ptrdiff_t>(k) - 1, expected.begin() + static_cast<std::ptrdiff_t>(n)}));
      }
  };
  check(std::int64_t{});
  check(std::int8_t{});
  check(std::uint16_t{});
  auto const batch = kt::function(kt::vmap<0, 1>([](kt::ivector row, kt::ivector v) { return kt::convolve(row, v); }), kt::mode::interpret);
  CHECK((batch(mat<std::int32_t>{{1, 2, 3}, {0, -1, 1}}, mat<std::int32_t>{{1, 1}, {2, -1}}) == mat<std::int32_t>{{1, 3, 5, 3}, {0, -2, 3, -1}}));
}

TEST_CASE("gradients and batches of convolutions of vectors") {
  vec<double> const a{0.5, -1, 2, 0.25, 3}, v{1.5, -0.5, 2, 0.75};
  CHECK(kt::verify_grad(
      [](kt::dvector a, kt::dvector v) {
        using namespace kt::border;
        return sum(sqr(kt::convolve(a, v, half))) + sum(sqr(kt::convolve(v, a, valid))) + sum(sqr(kt::correlate(v, a, half)));
      },
      a, v));
  auto const f = kt::function(kt::vmap<0, 1>([](kt::dvector row, kt::dvector v) { return kt::convolve(row, v, kt::border::half); }),
                              kt::mode::interpret);
  mat<double> const rows{{1, 2, 3}, {0, -1, 1}};
  mat<double> const filters{{1, 1}, {2, -1}};
  auto const both = f(rows, filters);
  REQUIRE(both.shape() == std::array<std::size_t, 2>{2, 3});
  CHECK((both == mat<double>{{1, 3, 5}, {0, -2, 3}}));
}

TEST_CASE("ranges of any element type") {
  auto const f = kt::function(
      [](kt::dscalar a, kt::fscalar b, kt::iscalar n, kt::lscalar s) {
        return std::tuple(kt::arange(a, 3, 0.5), kt::arange(b, 2.0, b), kt::arange<float>(n), kt::arange(0, n, s),
                          kt::arange<std::int32_t>(n, 0, -2), kt::arange(0., 1., 0.25) * a, kt::arange(a), kt::arange<std::uint8_t>(1, 4),
                          kt::arange(n), kt::arange(n, a));
      });
  auto const [halves, own, floats, by, down, numbers, up, small, whole, mixed] = f(1.25, 0.25f, 5, std::int64_t{2});
  CHECK(is<double>(halves, {1.25, 1.75, 2.25, 2.75}));
  CHECK(is<float>(own, {0.25f, 0.5f, 0.75f, 1, 1.25f, 1.5f, 1.75f}));
  CHECK(is<float>(floats, {0, 1, 2, 3, 4}));
  CHECK(is<std::int64_t>(by, {0, 2, 4}));
  CHECK(is<std::int32_t>(down, {5, 3, 1}));
  CHECK(is<double>(numbers, {0, 0.3125, 0.625, 0.9375}));
  CHECK(is<double>(up, {0, 1}));
  CHECK(is<std::uint8_t>(small, {1, 2, 3}));
  CHECK(is<std::int64_t>(whole, {0, 1, 2, 3, 4}));
  CHECK(is<double>(mixed, {}));
  CHECK((std::get<3>(f(1, 1.f, -5, std::int64_t{-2})) == vec<std::int64_t>{0, -2, -4}));
  CHECK(std::get<3>(f(1, 1.f, 5, std::numeric_limits<std::int64_t>::min())).size() == 0);
  CHECK((std::get<3>(f(1, 1.f, 5, std::numeric_limits<std::int64_t>::max())) == vec<std::int64_t>{0}));
  CHECK_THROWS_WITH(f(1, 1.f, 5, std::int64_t{0}), "kt::arange: the step is 0");
  CHECK_THROWS_WITH(f(1, 0.f, 5, std::int64_t{1}), Catch::StartsWith("kt::arange: the number of steps is not finite"));
  CHECK_THROWS_WITH(f(std::nan(""), 1.f, 5, std::int64_t{1}), Catch::StartsWith("kt::arange: the number of steps is not finite"));
  // By begin and step, but not by the end.
  auto const g = kt::function([](kt::dscalar a, kt::dscalar b, kt::dscalar s) {
    return grad(sum(sqr(kt::arange(a, b, s))), a, s);
  }, kt::mode::interpret);
  auto const [by_begin, by_step] = g(1, 2.2, 0.5);
  CHECK(by_begin == 2 * (1 + 1.5 + 2));
  CHECK(by_step == 2 * (1.5 + 2 * 2));
}

TEST_CASE("grids of numbers alone join an expression") {
  auto const f = kt::function([](kt::dvector x) { return std::tuple(x + kt::linspace(0, 1, 3), x * kt::logspace(0, 2.0, 3), kt::geomspace(1, 4, 3) - x); },
                              kt::mode::interpret);
  auto const [sum, product, difference] = f(vec<double>{1, 2, 3});
  CHECK((sum == vec<double>{1, 2.5, 4}));
  CHECK(xt::allclose(product, vec<double>{1, 20, 300}, 1e-14, 0.));
  CHECK(xt::allclose(difference, vec<double>{0, 0, 1}, 1e-14, 1e-14));
}
