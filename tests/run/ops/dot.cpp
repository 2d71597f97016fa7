// Products of vectors and matrices: every pairing of ranks, layout and element type against plain loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;
using xt::placeholders::_;

namespace {

constexpr auto pairings = [](auto a, auto b, auto v, auto w) {
  // a is m x n, b is n x k, v has n and w has m elements.
  return std::tuple(dot(a, b), dot(a, v), dot(w, a), dot(v, v), dot(b.T(), v), dot(v, a.T()), dot(a.T(), a), dot(a, a.T()),
                    dot(b.T(), a.T()), 2 * dot(a, b) + 1, dot(dot(w, a), b));
};

template <class T, class A, class B, class V, class W, class F>
void check(F& f, A const& a, B const& b, V const& v, W const& w) {
  I const m = a.shape()[0], n = a.shape()[1], k = b.shape()[1];
  CAPTURE(m, n, k);
  auto const r = f(a, b, v, w);
  double const e = std::is_same_v<T, float> ? 1e-5 : 1e-13;
  auto add = [](I count, auto term) {
    if constexpr (std::is_integral_v<T>) {
      std::uint64_t total = 0;
      for (I i = 0; i < count; ++i) total += static_cast<std::uint64_t>(static_cast<std::int64_t>(term(i).first)) * static_cast<std::uint64_t>(static_cast<std::int64_t>(term(i).second));
      return static_cast<T>(total);
    } else {
      double total = 0;
      for (I i = 0; i < count; ++i) total += static_cast<double>(term(i).first) * static_cast<double>(term(i).second);
      return total;
    }
  };
  auto ab = [&](I i, I j) { return add(n, [&](I p) { return std::pair(a(i, p), b(p, j)); }); };
  REQUIRE(std::get<0>(r).shape() == std::array<I, 2>{m, k});
  CHECK(mismatch(std::get<0>(r), ab, e, e) == "");
  CHECK(mismatch(std::get<1>(r), [&](I i) { return add(n, [&](I p) { return std::pair(a(i, p), v(p)); }); }, e, e) == "");
  CHECK(mismatch(std::get<2>(r), [&](I j) { return add(m, [&](I p) { return std::pair(w(p), a(p, j)); }); }, e, e) == "");
  CHECK(close(std::get<3>(r), add(n, [&](I p) { return std::pair(v(p), v(p)); }), e, e));
  CHECK(mismatch(std::get<4>(r), [&](I j) { return add(n, [&](I p) { return std::pair(b(p, j), v(p)); }); }, e, e) == "");
  CHECK(mismatch(std::get<5>(r), [&](I i) { return add(n, [&](I p) { return std::pair(a(i, p), v(p)); }); }, e, e) == "");
  CHECK(mismatch(std::get<6>(r), [&](I i, I j) { return add(m, [&](I p) { return std::pair(a(p, i), a(p, j)); }); }, e, e) == "");
  CHECK(mismatch(std::get<7>(r), [&](I i, I j) { return add(n, [&](I p) { return std::pair(a(i, p), a(j, p)); }); }, e, e) == "");
  CHECK(mismatch(std::get<8>(r), [&](I i, I j) { return ab(j, i); }, e, e) == "");
  CHECK(mismatch(std::get<9>(r), [&](I i, I j) { return static_cast<decltype(ab(i, j))>(2 * ab(i, j) + 1); }, e, e) == "");
  CHECK(mismatch(std::get<10>(r), [&](I j) { return add(m, [&](I p) { return std::pair(w(p), ab(p, j)); }); }, e, e) == "");
}

template <class T>
auto compiled() {
  return kt::function<kt::matrix<T>, kt::matrix<T>, kt::vector<T>, kt::vector<T>>(pairings);
}

template <class T>
void check_sizes() {
  auto f = compiled<T>();
  double const range = std::is_integral_v<T> ? 100 : 1;
  for (auto [m, n, k] : {std::array<I, 3>{1, 1, 1}, {2, 3, 4}, {1, 5, 3}, {5, 1, 3}, {3, 5, 1}, {8, 8, 8}, {9, 33, 7}, {0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {0, 0, 0}})
    check<T>(f, matrix<T>(m, n, 1, -range, range), matrix<T>(n, k, 2, -range, range), numbers<T>(n, 3, -range, range), numbers<T>(m, 4, -range, range));
}

}  // namespace

TEST_CASE("products of doubles and floats") {
  check_sizes<double>();
  check_sizes<float>();
}
TEST_CASE("products of integers") {
  check_sizes<std::int32_t>();
  check_sizes<std::int64_t>();
  check_sizes<std::uint8_t>();
}

TEST_CASE("products of transposed, strided, sliced and reversed operands") {
  auto f = compiled<double>();
  I const m = 4, n = 6, k = 5;
  auto const a = matrix<double>(m, n, 1), b = matrix<double>(n, k, 2), at = matrix<double>(n, m, 3), bt = matrix<double>(k, n, 4);
  auto const wide = matrix<double>(2 * m, 3 * n, 5), tall = matrix<double>(2 * n, 2 * k, 6);
  auto const v = numbers<double>(n, 7), w = numbers<double>(m, 8), lots = numbers<double>(3 * n, 9);
  check<double>(f, xt::transpose(at), xt::transpose(bt), v, w);
  check<double>(f, xt::transpose(at), b, v, w);
  check<double>(f, xt::view(wide, xt::range(0, m), xt::range(2, n + 2)), xt::view(tall, xt::range(3, n + 3), xt::range(0, k)), v, w);
  check<double>(f, xt::view(wide, xt::range(0, 2 * m, 2), xt::range(0, 3 * n, 3)), xt::view(tall, xt::range(0, 2 * n, 2), xt::range(0, 2 * k, 2)),
                xt::view(lots, xt::range(0, 3 * n, 3)), w);
  check<double>(f, xt::view(a, xt::range(_, _, -1), xt::all()), xt::view(b, xt::all(), xt::range(_, _, -1)), xt::view(v, xt::range(_, _, -1)),
                xt::view(w, xt::range(_, _, -1)));
  check<double>(f, a, b, xt::view(tall, xt::range(0, n), 1), xt::view(wide, xt::range(0, m), 2));
  xt::xtensor<double, 2, xt::layout_type::column_major> const columns = a;
  check<double>(f, columns, b, v, w);
  check<double>(f, xt::view(a, xt::range(0, 1), xt::all()), b, v, xt::view(w, xt::range(0, 1)));
}

TEST_CASE("products inside of slices, products with rows and columns, of mixed types and of broadcast operands") {
  auto f = kt::function([](kt::dmatrix a, kt::fmatrix s, kt::lvector l, kt::dcol c, kt::drow r) {
    return std::tuple(dot(a(kt::slice(1, 3)), a(kt::slice(), kt::slice(kt::none, kt::none, -1))), dot(s, l), dot(a, s), dot(l, l), dot(c, r), dot(r, c), dot(a, c),
                      dot(r, a), dot(zeros_like(a) + 1, a), dot(a(0), a(kt::slice(), 1)));
  });
  auto const a = matrix<double>(3, 3, 1), c = matrix<double>(3, 1, 2), r = matrix<double>(1, 3, 3);
  auto const s = matrix<float>(3, 3, 4);
  vec<std::int64_t> const l{1, -2, 3};
  auto const y = f(a, s, l, c, r);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<1>(y))>, vec<double>>);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<3>(y))>, std::int64_t>);
  auto add = [](auto term) { return term(0) + term(1) + term(2); };
  double const e = 1e-14;
  CHECK(mismatch(std::get<0>(y), [&](I i, I j) { return add([&](I p) { return a(i + 1, p) * a(p, 2 - j); }); }, e, e) == "");
  CHECK(mismatch(std::get<1>(y), [&](I i) { return add([&](I p) { return static_cast<double>(s(i, p)) * static_cast<double>(l(p)); }); }, e, e) == "");
  CHECK(mismatch(std::get<2>(y), [&](I i, I j) { return add([&](I p) { return a(i, p) * static_cast<double>(s(p, j)); }); }, e, e) == "");
  CHECK(std::get<3>(y) == 14);
  CHECK(mismatch(std::get<4>(y), [&](I i, I j) { return c(i, 0) * r(0, j); }, e) == "");
  CHECK(mismatch(std::get<5>(y), [&](I, I) { return add([&](I p) { return r(0, p) * c(p, 0); }); }, e, e) == "");
  CHECK(std::get<5>(y).shape() == std::array<I, 2>{1, 1});
  CHECK(mismatch(std::get<6>(y), [&](I i, I) { return add([&](I p) { return a(i, p) * c(p, 0); }); }, e, e) == "");
  CHECK(mismatch(std::get<7>(y), [&](I, I j) { return add([&](I p) { return r(0, p) * a(p, j); }); }, e, e) == "");
  CHECK(mismatch(std::get<8>(y), [&](I, I j) { return add([&](I p) { return a(p, j); }); }, e, e) == "");
  CHECK(close(std::get<9>(y), add([&](I p) { return a(0, p) * a(p, 1); }), e, e));
}

TEST_CASE("a long product of floats accumulates accurately") {
  auto f = kt::function([](kt::fvector a, kt::fvector b) { return dot(a, b); });
  vec<float> const x(std::array<I, 1>{1000000}, 0.1f);
  CHECK(close(f(x, x), static_cast<double>(0.1f) * static_cast<double>(0.1f) * 1e6, 1e-6));
}

TEST_CASE("operands of a product that do not fit are a shape error that names them") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b) { return dot(named(a, "weights"), b); });
  CHECK_THROWS_AS(f(matrix<double>(2, 3), matrix<double>(4, 5)), kt::shape_error);
  CHECK_THROWS_WITH(f(matrix<double>(2, 3), matrix<double>(4, 5)),
                    Catch::Contains("dot") && Catch::Contains("weights") && Catch::Contains("parameter 2 (dmatrix)") && Catch::Contains("3") && Catch::Contains("4"));
}
