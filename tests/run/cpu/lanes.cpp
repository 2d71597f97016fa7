// Small matrices of a batch, which lie side by side in lanes: as one by one, whatever their number,
// their extents, and where they lie.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>

using namespace reference;
using I = std::size_t;

namespace {

template <class T>
using cube = xt::xtensor<T, 3>;

/// Numbers from -1 to 1 without order, and larger ones on the diagonals of some slices.
template <class T>
cube<T> matrices(I slices, I rows, I columns, I seed = 1) {
  cube<T> a({slices, rows, columns});
  std::uint64_t state = seed * 2654435761u + 12345;
  for (T& x : a) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x = static_cast<T>(static_cast<double>(state >> 40) / (1 << 23) - 1);
  }
  for (I s = 0; s < slices; s += 2)
    for (I i = 0; i < std::min(rows, columns); ++i) a(s, i, i) += T(2);
  return a;
}
template <class T>
cube<T> definite(I slices, I n) {
  cube<T> const m = matrices<T>(slices, n, n, 7);
  cube<T> a = xt::zeros<T>({slices, n, n});
  for (I s = 0; s < slices; ++s)
    for (I i = 0; i < n; ++i)
      for (I j = 0; j < n; ++j) {
        a(s, i, j) = T(i == j);
        for (I k = 0; k < n; ++k) a(s, i, j) += m(s, i, k) * m(s, j, k);
      }
  return a;
}

// Everything that one matrix and a right side give; mapped over slices, or not.
constexpr auto of_matrix = [](auto a, auto b, auto v) {
  auto const [sign, size] = slogdet(a);
  return std::tuple(det(a), sign, size, matrix_inverse(a), solve(a, b), solve(a, v), grad(det(a), a));
};
constexpr auto of_triangles = [](auto a, auto b, auto v) {
  return std::tuple(solve_triangular(a, b, kt::lower), solve_triangular(a.T(), v, kt::lower),
                    solve_triangular(a, v, kt::upper),
                    solve_triangular(a, b, kt::lower, kt::unit_diagonal), solve_triangular(a.T(), v, kt::upper));
};

/// Compares each result of a batch with those of its slices.
template <class Batch, class One, class... X>
void compare(Batch const& batch, One& one, double tolerance, I slices, X const&... x) {
  for (I s = 0; s < slices; ++s) {
    CAPTURE(s);
    auto const alone = one(xt::eval(xt::view(x, s))...);
    auto check = [&](auto const& all, auto const& expected, I k) {
      CAPTURE(k);
      if constexpr (requires { expected.shape(); }) {
        auto const slice = xt::eval(xt::view(all, s));
        CHECK((xt::allclose(slice, expected, tolerance, tolerance)));
      } else {
        CHECK(close(all(s), expected, tolerance, tolerance));
      }
    };
    [&]<I... K>(std::index_sequence<K...>) {
      (check(std::get<K>(batch), std::get<K>(alone), K), ...);
    }(std::make_index_sequence<std::tuple_size_v<std::decay_t<decltype(alone)>>>{});
  }
}

template <class T>
void check_all(double tolerance) {
  using M = kt::matrix<T>;
  using C = kt::tensor3<T>;
  auto all = kt::function([](C a, C b, M v) {
    return kt::vmap<0, 1, 2>([](M a, M b, kt::vector<T> v) { return of_matrix(a, b, v); })(a, b, v);
  });
  auto one = kt::function([](M a, M b, kt::vector<T> v) { return of_matrix(a, b, v); });
  auto triangles = kt::function([](C a, C b, M v) {
    return kt::vmap<0, 1, 2>([](M a, M b, kt::vector<T> v) { return of_triangles(a, b, v); })(a, b,
                                                                                              v);
  });
  auto one_triangle = kt::function([](M a, M b, kt::vector<T> v) { return of_triangles(a, b, v); });
  for (I n : {1, 2, 3, 4, 5, 6, 7, 8, 9})
    for (I slices : {1, 2, 5, 8, 17, 100}) {
      CAPTURE(n, slices);
      cube<T> a = matrices<T>(slices, n, n), b = matrices<T>(slices, n, 3, 2);
      mat<T> const v = xt::view(matrices<T>(1, slices, n, 3), I(0));
      for (I s = 0; s < slices; ++s)
        for (I i = 0; i < n; ++i) a(s, i, (i + s) % n) += T(3);
      compare(all(a, b, v), one, tolerance, slices, a, b, v);
      cube<T> const t = definite<T>(slices, n);
      compare(triangles(t, b, v), one_triangle, tolerance, slices, t, b, v);
    }
}

}  // namespace

TEST_CASE("small matrices of a batch are solved as one by one", "[lanes]") {
  check_all<double>(1e-11);
  check_all<float>(2e-3);
}

TEST_CASE("Cholesky factors of a batch are those of its matrices", "[lanes]") {
  auto check = [](auto zero, double tolerance) {
    using T = decltype(zero);
    auto all = kt::function([](kt::tensor3<T> a) {
      return kt::vmap<0>([](kt::matrix<T> a) { return kt::cholesky(a); })(a);
    });
    for (I n : {1, 2, 3, 4, 6, 8, 9})
      for (I slices : {2, 7, 64, 65}) {
        CAPTURE(n, slices);
        cube<T> const a = definite<T>(slices, n), l = all(a);
        CHECK(mismatch(
                  a,
                  [&](I s, I i, I j) {
                    double sum = 0;
                    for (I k = 0; k < n; ++k)
                      sum += static_cast<double>(l(s, i, k)) * static_cast<double>(l(s, j, k));
                    return sum;
                  },
                  tolerance, tolerance) == "");
        for (I s = 0; s < slices; ++s)
          for (I i = 0; i < n; ++i)
            for (I j = i + 1; j < n; ++j) REQUIRE(l(s, i, j) == T(0));
      }
  };
  check(double{}, 1e-13);
  check(float{}, 1e-5);
}

TEST_CASE("products of small slices are sums of products", "[lanes]") {
  auto check = [](auto zero, double tolerance) {
    using T = decltype(zero);
    using C = kt::tensor3<T>;
    auto product = kt::function([](C a, C b) {
      return std::tuple(kt::batched_dot(a, b),
                        kt::batched_dot(kt::dimshuffle<0, 2, 1>(b), kt::dimshuffle<0, 2, 1>(a)));
    });
    for (I rows : {1, 2, 3, 5, 9})
      for (I inner : {1, 2, 3, 4, 5, 7})
        for (I columns : {1, 2, 3, 4, 5, 8})
          for (I slices : {1, 3, 16, 40}) {
            CAPTURE(rows, inner, columns, slices);
            cube<T> const a = matrices<T>(slices, rows, inner),
                          b = matrices<T>(slices, inner, columns, 2);
            auto const [c, turned] = product(a, b);
            auto const expected = [&](I s, I i, I j) {
              double sum = 0;
              for (I k = 0; k < inner; ++k)
                sum += static_cast<double>(a(s, i, k)) * static_cast<double>(b(s, k, j));
              return sum;
            };
            CHECK(mismatch(c, expected, tolerance, tolerance) == "");
            CHECK(mismatch(turned, [&](I s, I j, I i) { return expected(s, i, j); }, tolerance,
                           tolerance) == "");
          }
  };
  check(double{}, 1e-14);
  check(float{}, 1e-5);
}

TEST_CASE("slices lie anywhere, and several axes of a batch are one where they can be", "[lanes]") {
  using C = kt::tensor3<double>;
  using F = kt::tensor4<double>;
  static constexpr auto solve = [](kt::dmatrix a, kt::dvector b) { return kt::solve(a, b); };
  auto nested = kt::function([](F a, C b) {
    return kt::vmap<0, 1>([](C a, kt::dmatrix b) { return kt::vmap<0, 1>(solve)(a, b); })(a, b);
  });
  auto one = kt::function(solve);
  xt::xtensor<double, 4> a({3, 11, 4, 4});
  cube<double> const numbers = matrices<double>(33, 4, 4);
  std::copy(numbers.begin(), numbers.end(), a.begin());
  cube<double> const b = matrices<double>(3, 11, 4, 5);
  auto expect = [&](auto const& x, auto const& matrix) {
    for (I i = 0; i < 3; ++i)
      for (I j = 0; j < 11; ++j) {
        mat<double> const m = matrix(i, j);
        vec<double> const alone = one(m, xt::eval(xt::view(b, i, j)));
        CHECK((xt::allclose(xt::view(x, i, j), alone, 1e-12, 1e-12)));
      }
  };
  cube<double> x = nested(a, b);
  expect(x, [&](I i, I j) { return xt::view(a, i, j); });
  // The axes of the batch in another order, each matrix transposed, every second one, backwards.
  xt::xtensor<double, 4> const turned = xt::transpose(a, {1, 0, 3, 2});
  x = nested(xt::transpose(turned, {1, 0, 2, 3}), b);
  expect(x, [&](I i, I j) { return xt::transpose(xt::view(a, i, j)); });
  xt::xtensor<double, 4> wide = xt::zeros<double>({3, 22, 4, 4});
  auto spread = xt::view(wide, xt::all(), xt::range(21, xt::placeholders::_, -2));
  spread = a;
  x = nested(spread, b);
  expect(x, [&](I i, I j) { return xt::view(a, i, j); });
}

TEST_CASE("matrices that need care get it, and their neighbours stay as they are", "[lanes]") {
  auto det = kt::function([](kt::tensor3<double> a) {
    return kt::vmap<0>([](kt::dmatrix a) {
      auto const [sign, size] = kt::slogdet(a);
      return std::tuple(kt::det(a), sign, size, kt::grad(kt::det(a), a));
    })(a);
  });
  auto one = kt::function([](kt::dmatrix a) {
    auto const [sign, size] = kt::slogdet(a);
    return std::tuple(kt::det(a), sign, size, kt::grad(kt::det(a), a));
  });
  for (I n : {2, 3, 4, 7}) {
    CAPTURE(n);
    cube<double> a = matrices<double>(40, n, n);
    xt::view(a, 3) = 0.0;                       // singular
    xt::view(a, 5, 1) = xt::view(a, 5, 0);      // two rows alike
    xt::view(a, 9) *= 1e-160;                   // determinants out of range
    xt::view(a, 12) *= 1e160;
    xt::view(a, 30) *= 4e-308;                  // subnormal pivots
    xt::view(a, 33, 0) *= 1e-200;               // out of range on the way alone
    xt::view(a, 33, 1) *= 1e200;
    auto const made = det(a);
    for (I s = 0; s < 40; ++s) {
      CAPTURE(s);
      mat<double> const m = xt::view(a, s);
      auto const [d, sign, size, slope] = one(m);
      CHECK(close(std::get<0>(made)(s), d, 1e-12, 1e-300));
      CHECK(close(std::get<1>(made)(s), sign));
      CHECK(close(std::get<2>(made)(s), size, 1e-13, 1e-13));
      double const largest = xt::amax(xt::abs(slope))();
      mat<double> const slice = xt::view(std::get<3>(made), s);
      CHECK(mismatch(slice, [&](I i, I j) { return slope(i, j); }, 1e-10, 1e-12 * largest) == "");
    }
  }
}

TEST_CASE("what one matrix of a batch is refused for is said as of one alone", "[lanes]") {
  auto text = [](auto const& call) {
    try {
      call();
    } catch (kt::linalg_error const& e) {
      return std::string(e.what());
    }
    return std::string("nothing thrown");
  };
  auto solve = kt::function([](kt::tensor3<double> a, kt::dmatrix b) {
    return kt::vmap<0, 1>([](kt::dmatrix a, kt::dvector b) { return kt::solve(a, b); })(a, b);
  });
  auto factor = kt::function([](kt::tensor3<double> a) {
    return kt::vmap<0>([](kt::dmatrix a) { return kt::cholesky(a); })(a);
  });
  auto invert = kt::function([](kt::tensor3<double> a) {
    return kt::vmap<0>([](kt::dmatrix a) { return kt::matrix_inverse(a); })(a);
  });
  auto triangular = kt::function([](kt::tensor3<double> a, kt::dmatrix b) {
    return kt::vmap<0, 1>([](kt::dmatrix a, kt::dvector b) {
      return kt::solve_triangular(a, b, kt::lower);
    })(a, b);
  });
  auto solve_one = kt::function([](kt::dmatrix a, kt::dvector b) { return kt::solve(a, b); });
  auto factor_one = kt::function([](kt::dmatrix a) { return kt::cholesky(a); });
  auto invert_one = kt::function([](kt::dmatrix a) { return kt::matrix_inverse(a); });
  auto triangular_one = kt::function([](kt::dmatrix a, kt::dvector b) {
    return kt::solve_triangular(a, b, kt::lower);
  });
  cube<double> a = definite<double>(20, 3);
  mat<double> const b = xt::ones<double>({20, 3});
  xt::view(a, 13, 1) = xt::view(a, 13, 0);
  xt::view(a, 13, 2) = 0.0;
  mat<double> const m = xt::view(a, 13);
  vec<double> const v = xt::ones<double>({3});
  CHECK(text([&] { solve(a, b); }) == text([&] { solve_one(m, v); }));
  CHECK(text([&] { invert(a); }) == text([&] { invert_one(m); }));
  CHECK(text([&] { factor(a); }) == text([&] { factor_one(m); }));
  CHECK(text([&] { triangular(a, b); }) == text([&] { triangular_one(m, v); }));
  CHECK(text([&] { solve_one(m, v); }) != "nothing thrown");
  CHECK(text([&] { triangular_one(m, v); }) != "nothing thrown");
}
