// Products of sparse matrices in other words: which ops are left of them, and that the values are
// those of the expression as written, of real, complex and whole numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using kt::runtime::array;

namespace {

constexpr std::size_t n = 5, k = 3;

/// Two sparse matrices, vectors and dense matrices, as variables of a graph that is recorded while
/// the program runs, and their values.
template <class T>
struct operands {
  kt::graph g;
  std::vector<array> given;

  template <class V>
  kt::term input(std::vector<V> const& values, std::vector<std::size_t> const& extents) {
    array a(kt::core::element_of<V>(), extents);
    std::copy(values.begin(), values.end(), a.template data<V>());
    given.push_back(std::move(a));
    kt::tensor_type const type{kt::core::element_of<V>(), static_cast<std::uint8_t>(extents.size()),
                               0};
    return {&g, g.input(type, static_cast<int>(given.size()) - 1)};
  }
  kt::csr<T> sparse(std::vector<std::int32_t> const& index, std::vector<std::int32_t> const& start,
                    unsigned seed) {
    std::size_t const count = index.size();
    return {{},
            kt::vector<T>(input(made(count, seed), {count})),
            kt::ivector(input(index, {count})),
            kt::ivector(input(start, {start.size()})),
            kt::lscalar(input(std::vector<std::int64_t>{n}, {}))};
  }
  static std::vector<T> made(std::size_t count, unsigned seed) {
    auto const z = numbers<double>(count, seed);
    std::vector<T> values;
    for (double v : z) {
      if constexpr (std::is_integral_v<T>) values.push_back(static_cast<T>(20 * v));
      else if constexpr (kt::core::is_complex_number<T>) values.push_back(T(v, v * v - 1));
      else values.push_back(v);
    }
    return values;
  }
  kt::vector<T> vector(unsigned seed, std::size_t count = n) {
    return kt::vector<T>(input(made(count, seed), {count}));
  }
  kt::matrix<T> matrix(std::size_t rows, std::size_t columns, unsigned seed) {
    return kt::matrix<T>(input(made(rows * columns, seed), {rows, columns}));
  }

  // Row 1 of a and column 3 of b have no values.
  kt::csr<T> a = sparse({0, 2, 1, 3, 4, 0, 3}, {0, 2, 2, 4, 5, 7}, 1),
             b = sparse({1, 0, 4, 2, 1, 2}, {0, 1, 3, 4, 5, 6}, 2);
  kt::vector<T> x = vector(3), y = vector(4);
  kt::matrix<T> u = matrix(n, k, 5), v = matrix(n, k, 6), w = matrix(k, 2, 7),
                tall = matrix(n, 1, 8);
  kt::scalar<T> c = kt::scalar<T>(input(made(1, 9), {}));

  array value(kt::graph form) const {
    kt::runtime::function<std::vector<array>> const f(
        std::make_shared<kt::runtime::program>(std::move(form), kt::runtime::builtin_kernels()));
    std::vector<array const*> list;
    for (array const& x : given) list.push_back(&x);
    std::vector<array> result;
    f.into(result, {list.data(), static_cast<int>(list.size())});
    return std::move(result[0]);
  }
};

template <class T>
bool agree(array const& have, array const& want) {
  if (have.shape() != want.shape()) return false;
  for (std::size_t i = 0; i < want.size(); ++i) {
    T const x = have.data<T>()[i], y = want.data<T>()[i];
    if constexpr (std::is_integral_v<T>) {
      if (x != y) return false;
    } else {
      bool const both_nan = std::isnan(std::abs(x)) && std::isnan(std::abs(y));
      if (!both_nan && !(x == y) && !(std::abs(x - y) <= 1e-11 * (1 + std::abs(y)))) return false;
    }
  }
  return true;
}

constexpr auto column = [](auto const& v) { return kt::dimshuffle<0, 'x'>(v); };
constexpr auto diagonal = [](auto const& v) {
  auto const count = v.shape(0);
  return csr_from_parts(v, kt::arange(count), kt::arange(count + 1), count, count);
};

/// The value of an expression of number type T as written and optimized, and, if numbers are real,
/// that none of the given ops is left.
template <class T, class... Gone, class F>
void check_one(char const* text, F const& f) {
  INFO(text << " of " << kt::core::name_of(kt::core::element_of<T>()));
  operands<T> o;
  o.g.results().push_back(kt::term(f(o)).id);
  kt::ops::collect_constraints(o.g);
  array const want = o.value(kt::functions::prepare(o.g, kt::stage::as_written, {}));
  for (bool ieee : {false, true}) {
    kt::rewrite::rewrite_options options;
    options.ieee = ieee;
    kt::graph const form = kt::functions::prepare(o.g, kt::stage::specialize, options);
    CHECK(agree<T>(o.value(form), want));
    if constexpr (sizeof...(Gone) > 0)
      if (!ieee) CHECK_FALSE(form.template has<Gone...>());
  }
}
template <class... Gone, class F>
void check(char const* text, F const& f) {
  check_one<double, Gone...>(text, f);
  check_one<std::int64_t, Gone...>(text, f);
  check_one<std::complex<double>, Gone...>(text, f);
}
template <class... Gone, class F>
void check_gradient(char const* text, F const& f) {
  check_one<double, Gone...>(text, f);
  check_one<std::complex<double>, Gone...>(text, f);
}
#define KROTON_TEST_OPS(...) __VA_ARGS__
#define SPARSE_CHECK_BY(check, ops, ...)                                                       \
  check<KROTON_TEST_OPS ops>(#__VA_ARGS__, [](auto const& o) {                                 \
    auto const& [a, b, x, y, u, v, w, tall, c] =                                               \
        std::tie(o.a, o.b, o.x, o.y, o.u, o.v, o.w, o.tall, o.c);                              \
    return (void)a, (void)b, (void)x, (void)y, (void)u, (void)v, (void)w, (void)tall, (void)c, \
           __VA_ARGS__;                                                                        \
  })
#define SPARSE_CHECK(ops, ...) SPARSE_CHECK_BY(check, ops, __VA_ARGS__)
#define SPARSE_GRADIENT(ops, ...) SPARSE_CHECK_BY(check_gradient, ops, __VA_ARGS__)

namespace op = kt::op;

}  // namespace

TEST_CASE("sparse products associate to the right, from either side", "[sparse]") {
  SPARSE_CHECK((op::sparse_product), dot(dot(a, b), x));
  SPARSE_CHECK((op::sparse_product), dot(x, dot(a.T(), b)));
  SPARSE_CHECK((op::sparse_product, op::turned_pattern), dot(dot(a.T(), a), x));
  SPARSE_CHECK((op::sparse_product), dot(dot(dot(a, b), a), u));
  SPARSE_CHECK((op::sparse_product), sum(dot(a, b)));
  SPARSE_CHECK((op::product_indices), diag(dot(a, b)));
  SPARSE_CHECK((op::united_indices, op::united_bounds, op::turned_pattern), dot(a - c * b.T(), x));
}

TEST_CASE("sparse products of matrices behind each other are those of each", "[sparse]") {
  SPARSE_CHECK((op::joined_bounds), dot(vstack(a, b), x));
  SPARSE_CHECK((op::beside_bounds, op::turned_pattern), dot(hstack(a, b), kt::concatenate<0>(x, y)));
  SPARSE_CHECK((op::joined_bounds, op::turned_pattern), dot(kt::concatenate<0>(u, v).T(), vstack(a, b)));
  SPARSE_CHECK((op::joined_bounds), dot(c * vstack(vstack(a, b), a), u));
  SPARSE_CHECK((op::beside_bounds, op::turned_pattern), dot(hstack(hstack(a, b.T().T()), b), kt::concatenate<0>(x, y, x)));
  SPARSE_CHECK((op::joined_bounds), dot(vstack(a, b).with_data(kt::concatenate<0>(a.data(), b.data()) * vstack(a, b).data()), x));
  SPARSE_GRADIENT((op::joined_bounds), grad(kt::sum(kt::abs(sqr(dot(vstack(a, b), x)))), x));
  SPARSE_GRADIENT((op::joined_bounds), grad(kt::sum(kt::abs(sqr(dot(vstack(a, b), u)))), b).data());
  SPARSE_CHECK((op::beside_bounds), dot(hstack(a, b).T(), u));
  SPARSE_CHECK((op::beside_bounds), dot(x, vstack(c * a.T(), b.T()).T()));
  SPARSE_CHECK((), dot(hstack(a, b).with_data(2 * hstack(a, b).data() * kt::concatenate<0>(a.data(), b.data())), kt::concatenate<0>(x, y)));
  SPARSE_GRADIENT((op::beside_bounds), grad(kt::sum(kt::abs(sqr(dot(hstack(a, b).T(), u)))), b).data());
  SPARSE_GRADIENT((op::beside_bounds, op::turned_pattern),
                  grad(kt::sum(kt::abs(sqr(dot(hstack(a, b), kt::concatenate<0>(u, v))))), a).data());
}

TEST_CASE("sparse products: factors of values are those of vectors", "[sparse]") {
  SPARSE_CHECK((op::take), dot(c * (a * x), y));
  SPARSE_CHECK((op::take), dot(column(x) * a, y));
  SPARSE_CHECK((op::take), dot(y, column(x) * a * y));
  SPARSE_CHECK((op::take), sum(a * x, kt::axis<1>));
  SPARSE_CHECK((op::take), sum(a.T() * x, kt::axis<1>));
  SPARSE_CHECK((op::take, op::sparse_product), dot(dot(diagonal(x), a), y));
  SPARSE_CHECK((op::sparse_product, op::product_bounds), dot(a, diagonal(x)).data());
  SPARSE_CHECK((op::united_indices), dot(diagonal(y) - a, x));
  SPARSE_CHECK((), dot(dot(column(x) * a, u), w));
  SPARSE_CHECK((op::take), dot(a, column(x) * dot(u, w)));
  SPARSE_CHECK((op::dot), dot(a, kt::outer(x, y)));
  SPARSE_CHECK((), (a * kt::outer(x, y)).data() * sampling_dot(u, v, a).data());
  SPARSE_CHECK((), dot(a, tall) + dot(b.T(), tall));
}

TEST_CASE("gradients of sparse products are products", "[sparse]") {
  SPARSE_GRADIENT((op::sparse_product, op::turned_pattern),
                  grad(real(sum(dot(y, dot(dot(a, b), x)))), a.data()));
  SPARSE_GRADIENT((op::sparse_product), grad(real(sum(dot(y, dot(dot(a, b), x)))), b.data()));
  SPARSE_GRADIENT((op::inc_take), grad(real(sum(dot(y, dot(dot(a.T(), b), x)))), a.data()));
  SPARSE_GRADIENT((op::united_indices), grad(real(sum(dot(y, dot(a + b, x)))), b.data()));
  SPARSE_GRADIENT((op::inc_take, op::sampling), grad(real(dot(y, dot(column(x) * a, y))), x));
  SPARSE_GRADIENT((), grad(real(sum(v * dot(a * x, u))), x));
}

TEST_CASE("sparse products: one for all with the same matrix, where nothing else reads them",
          "[sparse]") {
  auto const count = [](auto const& f) {
    operands<double> o;
    o.g.results().push_back(kt::term(f(o)).id);
    kt::ops::collect_constraints(o.g);
    kt::graph const form = kt::functions::prepare(o.g, kt::stage::specialize, {});
    int products = 0;
    auto const needed = form.live();
    for (int id = 0; id < form.size(); ++id) products += needed[id] && form.is<op::csr_dot>(id);
    return products;
  };
  CHECK(count([](auto& o) { return dot(o.a, o.x) - 2. * dot(o.a, o.y) + o.x; }) == 1);
  CHECK(count([](auto& o) { return dot(o.a, o.x) + dot(o.b, o.x); }) == 2);
  CHECK(count([](auto& o) {
          auto const p = dot(o.a, o.x), q = dot(o.a, o.y);
          return p + dot(p, q) * q;
        }) == 2);
  SPARSE_CHECK((), dot(a, x) - c * dot(a, y) + dot(b, x));
}

TEST_CASE("sparse products: rows without values are 0, whatever scales them", "[sparse]") {
  // Row 1 has no values: the reciprocal of its sum is infinite.
  auto const normalized = [](kt::csr<double> a, kt::dvector x, kt::dmatrix u) {
    auto const p = a / column(sum(a, kt::axis<1>));
    return std::tuple(dot(p, x), dot(p, u), dot(dot(p, u), x(kt::slice(0, 2))),
                      sum(p, kt::axis<1>));
  };
  kt::csr_array<double> const a(vec<double>{1, 3, 2}, std::vector{0, 2, 1}, std::vector{0, 2, 2, 3},
                                {3, 3});
  vec<double> const x{2, 5, 6};
  mat<double> const u{{2, 1}, {5, 4}, {6, 8}};
  auto const [px, pu, pux, sums] = kt::function(normalized, kt::mode::interpret)(a, x, u);
  CHECK((px == vec<double>{5, 0, 5}));
  CHECK((pu == mat<double>{{5, 6.25}, {0, 0}, {5, 4}}));
  CHECK((pux == vec<double>{41.25, 0, 30}));
  CHECK((sums == vec<double>{1, 0, 1}));
}

TEST_CASE("what sparse products ask is asked of what rules make of them", "[sparse]") {
  // All operands but x fit a of 3 x 3.
  kt::runtime::graph g;
  auto const values = g.input<double, 1>("values"), x = g.input<double, 1>("x"),
             y = g.input<double, 1>("y");
  auto const u = g.input<double, 2>("u");
  auto const index = g.input<std::int32_t, 1>("index"), start = g.input<std::int32_t, 1>("start");
  kt::csr<double> const a{{}, values, index, start, y.shape(0)};
  vec<double> const of_a{1, 3, 2, 4};
  vec<std::int32_t> const at{0, 2, 1, 2}, lines{0, 2, 2, 4};
  mat<double> const rows{{2, 1}, {5, 4}, {6, 8}};
  auto refuses = [&](auto const& form) {
    auto const f = g.function({values, x, y, u, index, start}, form);
    CHECK_THROWS_AS(f(of_a, vec<double>{1, 2}, vec<double>{1, 2, 3}, rows, at, lines),
                    kt::shape_error);
    f(of_a, vec<double>{1, 2, 4}, vec<double>{1, 2, 3}, rows, at, lines);
  };
  refuses(dot(a * x, y));
  refuses(dot(a / x, y));
  refuses(dot(column(x) * a, y));
  refuses(dot(column(x) * a, u));
  refuses(sum(a * x, kt::axis<1>));
  refuses(dot(a * (a.T() * x), y));
  refuses(dot(dot(a.T(), a), x));
  refuses(dot(sampling_dot(kt::dmatrix(column(x)), kt::dmatrix(column(y)), a), y));
}

TEST_CASE("indices of a program's own are checked also where only a sum is read", "[sparse]") {
  auto const f = kt::function(
      [](kt::csr<double> a, kt::dvector c, kt::lvector i, kt::dvector y) {
        return sum(inc_subtensor(c(i), y)) + sum(dot(a, c));
      },
      kt::mode::interpret);
  kt::csr_array<double> const a(vec<double>{1, 3, 2}, std::vector{0, 2, 1}, std::vector{0, 2, 2, 3},
                                {3, 3});
  vec<double> const c{1, 2, 3}, y{10, 20};
  CHECK(f(a, c, vec<std::int64_t>{0, 2}, y) == 36 + 1 + 9 + 4);
  CHECK_THROWS_AS(f(a, c, vec<std::int64_t>{0, 7}, y), kt::error);
}

TEST_CASE("a call orders the products of a sparse matrix with a dense one and a vector", "[sparse]") {
  auto const form = [](kt::csr<double> a, kt::dmatrix x, kt::dvector y, kt::dvector z) {
    return std::tuple(dot(dot(a, x), y), dot(z, dot(a, x)), dot(dot(a, x).T(), z),
                      dot(y, dot(a, x).T()), dot(a, dot(x, y)));
  };
  auto const f = kt::function(form, kt::mode::interpret);
  auto const plain = kt::function(form, kt::mode::interpret.excluding<"sparse_chains">());
  for (int values : {2, 5}) {  // fewer and more than there are rows to multiply
    std::vector const all{0, 2, 1, 0, 3}, few{0, 1, 1, 2, 2}, many{0, 2, 2, 3, 5};
    kt::csr_array<double> const a(numbers<double>(static_cast<std::size_t>(values), 1),
                                  std::vector<int>(all.begin(), all.begin() + values),
                                  values == 5 ? many : few, {4, 4});
    mat<double> const x = matrix<double>(4, 3, 5);
    vec<double> const y = numbers<double>(3, 6), z = numbers<double>(4, 7);
    auto const got = f(a, x, y, z), want = plain(a, x, y, z);
    auto same = [](auto const& p, auto const& q) {
      return mismatch(p, [&](auto i) { return q(i); }, 1e-13, 1e-14) == "";
    };
    CHECK(same(std::get<0>(got), std::get<0>(want)));
    CHECK(same(std::get<1>(got), std::get<1>(want)));
    CHECK(same(std::get<2>(got), std::get<2>(want)));
    CHECK(same(std::get<3>(got), std::get<3>(want)));
    CHECK(same(std::get<4>(got), std::get<4>(want)));
  }
}

TEST_CASE("a call orders the products of a sparse and two dense matrices", "[sparse]") {
  auto f = kt::function(
      [](kt::csr<double> a, kt::dmatrix x, kt::dmatrix w) {
        return std::tuple(dot(dot(a, x), w), dot(w.T(), dot(x.T(), a)), dot(dot(a, x).T(), x));
      },
      kt::mode::interpret);
  auto plain = kt::function(
      [](kt::csr<double> a, kt::dmatrix x, kt::dmatrix w) {
        auto const d = dense_from_sparse(a);
        return std::tuple(dot(dot(d, x), w), dot(w.T(), dot(x.T(), d)), dot(dot(d, x).T(), x));
      },
      kt::mode::interpret.excluding<"sparse">());
  kt::csr_array<double> const a(numbers<double>(5, 1), std::vector{0, 2, 1, 0, 3},
                                std::vector{0, 2, 2, 3, 5}, {4, 4});
  for (std::size_t width : {2u, 5u}) {
    mat<double> const x = matrix<double>(4, 3, 5), w = matrix<double>(3, width, 6);
    auto const [p, q, r] = f(a, x, w);
    auto const [p2, q2, r2] = plain(a, x, w);
    CHECK(mismatch(p, [&](auto i, auto j) { return p2(i, j); }, 1e-13, 1e-14) == "");
    CHECK(mismatch(q, [&](auto i, auto j) { return q2(i, j); }, 1e-13, 1e-14) == "");
    CHECK(mismatch(r, [&](auto i, auto j) { return r2(i, j); }, 1e-13, 1e-14) == "");
  }
}

TEST_CASE("sparse products: of a slice, these rows alone are computed", "[sparse]") {
  constexpr auto sliced = [](kt::csr<double> a, kt::dvector x, kt::dmatrix u, kt::dmatrix v, kt::lscalar i) {
    auto const part = dot(a, x)(kt::slice(i, i + 2));
    return std::tuple(part, dot(a, u)(i), dot(a, v)(kt::slice(1, kt::none), kt::slice(0, 1)),
                      dot(a, x + 1)(-1), grad(sum(sqr(part)), x));
  };
  // Both slices of the last one are of one product.
  constexpr auto whole = [](kt::csr<double> a, kt::dvector x) {
    auto const product = dot(a, x);
    return product(kt::slice(1, kt::none)) - product(kt::slice(0, -1));
  };
  auto const count = [](auto const& f, auto is) {
    kt::graph const g = kt::optimize(kt::graph_of(f).get(), kt::stage::specialize);
    auto const live = g.live();
    int found = 0;
    for (int id = 0; id < g.size(); ++id) found += live[id] && is(g, id);
    return found;
  };
  auto const is_whole = [](kt::graph const& g, int id) { return g.is<kt::op::csr_dot>(id); };
  auto const is_part = [](kt::graph const& g, int id) { return g.is<kt::op::csr_lines_dot>(id); };
  CHECK(count(sliced, is_whole) == 0);
  CHECK(count(sliced, is_part) == 4);
  CHECK(count(whole, is_whole) == 1);
  CHECK(count(whole, is_part) == 0);
  kt::csr_array<double> const a(vec<double>{1, 3, 2, 4, 5}, std::vector{0, 2, 1, 0, 2},
                                std::vector{0, 2, 2, 3, 5}, {4, 3});
  vec<double> const x{2, 5, 6};
  mat<double> const u{{2, 1}, {5, 4}, {6, 8}};
  auto const f = kt::function(sliced, kt::mode::interpret);
  auto const [part, row, column, last, slope] = f(a, x, u, mat<double>(2 * u), 1);
  CHECK((part == vec<double>{0, 10}));
  CHECK((row == vec<double>{0, 0}));
  CHECK((column == mat<double>{{0}, {20}, {76}}));
  CHECK(last == 47);
  CHECK((slope == vec<double>{0, 40, 0}));
  // Indices are within the array, whatever is multiplied
  CHECK_THROWS_AS(f(a, x, u, u, 4), kt::value_error);
}
