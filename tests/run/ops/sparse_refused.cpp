// Sparse matrices that are refused at run time, before anything is read out of bounds.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

using values = std::vector<double>;
using places = std::vector<int>;

auto array(values const& v, places const& index, places const& start, std::size_t rows,
           std::size_t columns) {
  return kt::csr_array<double>{v, index, start, {rows, columns}};
}

/// What an exception of a type says.
template <class E, class F>
std::string thrown(F const& f) {
  try {
    f();
  } catch (E const& e) { return e.what(); }
  return "nothing is thrown";
}

}  // namespace

TEST_CASE("arrays that are not a sparse matrix", "[sparse]") {
  CHECK_THAT((thrown<kt::value_error>([&] { (void)(array({1, 2}, {0, 3}, {0, 1, 2}, 2, 3)); })),
             Equals("kt::csr_array: index 3 at position 1 is out of range: there are 3 "
                    "columns"));
  CHECK_THAT((thrown<kt::value_error>([&] { (void)(array({1, 2}, {0, -1}, {0, 1, 2}, 2, 3)); })),
             Equals("kt::csr_array: index -1 at position 1 is out of range: there are 3 "
                    "columns"));
  CHECK_THAT((thrown<kt::value_error>([&] { (void)(array({1, 2}, {0, 1}, {0, 2, 1}, 2, 3)); })),
             Equals("kt::csr_array: indptr does not ascend: element 1 is 2, element 2 "
                    "is 1"));
  CHECK_THAT((thrown<kt::value_error>([&] { (void)(array({1, 2}, {0, 1}, {1, 1, 2}, 2, 3)); })),
             Equals("kt::csr_array: indptr starts at 1 instead of 0"));
  CHECK_THAT((thrown<kt::value_error>([&] { (void)(array({1, 2}, {0, 1}, {0, 1, 3}, 2, 3)); })),
             Equals("kt::csr_array: indptr ends at 3, but there are 2 values"));
  CHECK_THAT((thrown<kt::shape_error>([&] { (void)(array({1, 2}, {0, 1}, {0, 2}, 2, 3)); })),
             Equals("kt::csr_array: indptr has 2 elements, but there are 2 rows"));
  CHECK_THAT((thrown<kt::shape_error>([&] { (void)(array({1, 2}, {0}, {0, 1, 2}, 2, 3)); })),
             Equals("kt::csr_array: there are 2 values, but 1 indices"));
  CHECK_THAT(
      (thrown<kt::value_error>([&] {
        (void)((kt::csr_array<double>{
            values{1}, std::vector<std::int64_t>{1ll << 40}, places{0, 1}, {1, 1ull << 50}}));
      })),
      Contains("1099511627776 at position 0 does not fit"));
}

TEST_CASE("sparse matrices of other extents", "[sparse]") {
  auto const a = array({1, 2}, {0, 2}, {0, 1, 2}, 2, 3), b = array({1}, {0}, {0, 1}, 1, 3);
  auto dense =
      kt::function([](kt::csr<double> a, kt::dvector x) { return dot(a, x); }, kt::mode::interpret);
  CHECK_THAT((thrown<kt::shape_error>([&] { (void)(dense(a, vec<double>{1, 2})); })),
             Contains("csr_dot") && Contains("extent 0 of parameter 2 (dvector) is 2"));
  auto transposed =
      kt::function([](kt::csr<double> a, kt::dvector x) { return dot(x, a); }, kt::mode::interpret);
  CHECK_THROWS_AS(transposed(a, vec<double>{1, 2, 3}), kt::shape_error);
  auto sum =
      kt::function([](kt::csr<double> a, kt::csr<double> b) { return a + b; }, kt::mode::interpret);
  CHECK_THROWS_AS(sum(a, b), kt::shape_error);
  auto product = kt::function([](kt::csr<double> a, kt::csr<double> b) { return dot(a, b); },
                              kt::mode::interpret);
  CHECK_THAT((thrown<kt::shape_error>([&] { (void)(product(a, b)); })), Contains("sparse_dot"));
  auto scaled =
      kt::function([](kt::csr<double> a, kt::dmatrix x) { return a * x; }, kt::mode::interpret);
  CHECK_THROWS_AS(scaled(a, mat<double>{{1, 2, 3}}), kt::shape_error);
  auto given = kt::function([](kt::csr<double> a, kt::dvector v) { return a.with_data(v * 2); },
                            kt::mode::interpret);
  CHECK_THAT((thrown<kt::shape_error>([&] { (void)(given(a, vec<double>{1, 2, 3})); })),
             Contains("with_data"));
  auto sampled = kt::function(
      [](kt::dmatrix u, kt::dmatrix v, kt::csr<double> a) { return sampling_dot(u, v, a); },
      kt::mode::interpret);
  mat<double> const two = xt::ones<double>({2, 2}), three = xt::ones<double>({3, 2});
  CHECK(sampled(two, three, a).size() == 2);
  CHECK_THROWS_AS(sampled(two, two, a), kt::shape_error);
  CHECK_THROWS_AS(sampled(three, three, a), kt::shape_error);
}

TEST_CASE("parts that are not a sparse matrix, and elements outside of it", "[sparse]") {
  auto f = kt::function(
      [](kt::dvector v, kt::ivector index, kt::ivector start, kt::dvector x) {
        return dot(csr_from_parts(v, index, start, 2, x.shape(0)), x);
      },
      kt::mode::interpret);
  vec<double> const x{1, 2, 3};
  CHECK((f(values{1, 2}, places{0, 2}, places{0, 1, 2}, x) == vec<double>{1, 6}));
  CHECK_THAT(
      (thrown<kt::value_error>([&] { (void)(f(values{1, 2}, places{0, 3}, places{0, 1, 2}, x)); })),
      Equals("csr_from_parts: index 3 at position 1 is out of range: the extent "
             "is 3"));
  CHECK_THAT((thrown<kt::value_error>(
                 [&] { (void)(f(values{1, 2}, places{0, -7}, places{0, 1, 2}, x)); })),
             Contains("index -7 at position 1"));
  CHECK_THAT(
      (thrown<kt::value_error>([&] { (void)(f(values{1, 2}, places{2, 0}, places{0, 2, 2}, x)); })),
      Equals("csr_from_parts: the indices of line 0 do not ascend: 2 stands "
             "before 0"));
  CHECK_THAT(
      (thrown<kt::value_error>([&] { (void)(f(values{1, 2}, places{0, 1}, places{0, 2, 1}, x)); })),
      Contains("indptr ends at 1, but there are 2 indices"));
  CHECK_THAT(
      (thrown<kt::value_error>([&] { (void)(f(values{1, 2}, places{0, 1}, places{0, 1, 3}, x)); })),
      Contains("indptr ends at 3, but there are 2 indices"));
  CHECK_THROWS_AS(f(values{1, 2}, places{0, 1}, places{0, 2}, x), kt::shape_error);
  CHECK_THROWS_AS(f(values{1}, places{0, 1}, places{0, 1, 2}, x), kt::shape_error);
  // Each kernel checks what it reads, without csr_from_parts too.
  auto unchecked = kt::function(
      [](kt::ivector index, kt::ivector start, kt::dvector x) {
        kt::csr<double> const a{{}, x, index, start, x.shape(0)};
        return std::tuple(dot(a, x), dot(x(kt::slice(3)), a), sum(a + a.T().T()));
      },
      kt::mode::interpret);
  CHECK(std::get<0>(unchecked(places{0, 1, 2}, places{0, 1, 1, 3}, x)).size() == 3);
  for (places const& start : {places{0, 3, 1, 3}, places{0, -4, 1, 3}, places{0, 9, 1, 3}})
    CHECK_THAT((thrown<kt::value_error>([&] { (void)unchecked(places{0, 1, 2}, start, x); })),
               Contains("indptr does not ascend"));
  CHECK_THAT(
      (thrown<kt::value_error>([&] { (void)unchecked(places{0, 1, 3}, places{0, 1, 1, 3}, x); })),
      Contains("index 3 at position 2 is out of range: the extent is 3"));
  auto element = kt::function(
      [](kt::csr<double> a, kt::lscalar i, kt::lscalar j) { return a(i, j); }, kt::mode::interpret);
  auto const a = array({1, 2}, {0, 2}, {0, 1, 2}, 2, 3);
  CHECK(element(a, 1, -1) == 2);
  CHECK_THAT((thrown<kt::value_error>([&] { (void)(element(a, 2, 0)); })),
             Contains("index 2 is out of range"));
  CHECK_THAT((thrown<kt::value_error>([&] { (void)(element(a, 0, 3)); })),
             Contains("index 3 is out of range"));
  CHECK_THAT((thrown<kt::value_error>([&] { (void)(element(a, 0, -4)); })),
             Contains("index -4 is out of range"));
}

TEST_CASE("indices that int32 does not hold are refused, and not taken for others", "[sparse]") {
  auto const f = kt::function(
      [](kt::dvector v, kt::lvector index, kt::lvector start) {
        return csr_from_parts(v, index, start, 2, 3);
      },
      kt::mode::interpret);
  using wide = vec<std::int64_t>;
  CHECK(f(values{1, 2}, wide{0, 2}, wide{0, 1, 2}).size() == 2);
  std::int64_t const turn = std::int64_t{1} << 32;
  for (std::int64_t k : {turn, turn + 1, -turn, 1 - turn, (turn << 29) + 1, turn - 1})
    CHECK_THAT((thrown<kt::value_error>([&] { (void)f(values{1, 2}, wide{0, k}, wide{0, 1, 2}); })),
               Contains("csr_from_parts: index ") && Contains(" at position 1 is out of range"));
  for (std::int64_t k : {turn, turn + 1, 1 - turn})
    CHECK_THAT((thrown<kt::value_error>([&] { (void)f(values{1, 2}, wide{0, 2}, wide{0, k, 2}); })),
               Contains("csr_from_parts: indptr does not ascend"));
  auto const g = kt::function(
      [](kt::dvector v, kt::variable<std::uint64_t, 1> index, kt::lvector start) {
        return csr_from_parts(v, index, start, 2, 3);
      },
      kt::mode::interpret);
  using counts = vec<std::uint64_t>;
  CHECK(g(values{1, 2}, counts{0, 2}, wide{0, 1, 2}).size() == 2);
  for (std::uint64_t k : {std::uint64_t{1} << 32, (std::uint64_t{1} << 63) + 1, ~std::uint64_t{0}})
    CHECK_THROWS_AS(g(values{1, 2}, counts{0, k}, wide{0, 1, 2}), kt::value_error);
}

TEST_CASE("a matrix that is converted has as many values as indices", "[sparse]") {
  auto const check = [](auto const& f) {
    auto const a = array({1, 2}, {0, 2}, {0, 1, 2}, 2, 3);
    mat<double> const x = xt::ones<double>({3, 2});
    CHECK_NOTHROW(f(a, values{1, 2}, places{0, 2}, places{0, 1, 2}, x));
    for (values const& v : {values{1}, values{1, 2, 3}})
      CHECK_THROWS_AS(f(a, v, places{0, 2}, places{0, 1, 2}, x), kt::shape_error);
  };
  check(kt::function(
      [](kt::csr<double> a, kt::dvector v, kt::ivector i, kt::ivector p, kt::dmatrix x) {
        return dot(dot(a.T(), kt::csr<double>{{}, v, i, p, a.shape(1)}), x);
      },
      kt::mode::interpret));
  check(kt::function(
      [](kt::csr<double> a, kt::dvector v, kt::ivector i, kt::ivector p, kt::dmatrix) {
        return sum(dot(a.T(), kt::csr<double>{{}, v, i, p, a.shape(1)}));
      },
      kt::mode::interpret));
  check(kt::function(
      [](kt::csr<double> a, kt::dvector v, kt::ivector i, kt::ivector p, kt::dmatrix x) {
        auto const b = kt::csr<double>{{}, v, i, p, a.shape(1)};
        return dot(a.T() + csc_from_dense(dense_from_sparse(b.T())), x(kt::slice(0, 2)));
      },
      kt::mode::interpret));
}

TEST_CASE("a Kronecker product checks bounds before it multiplies them", "[sparse]") {
  auto const f = kt::function(
      [](kt::csr<double> a, kt::ivector start) {
        return kron(a, kt::csr<double>{{}, a.data(), a.indices(), start, a.shape(1)});
      },
      kt::mode::interpret);
  auto const a = array({1, 2}, {0, 2}, {0, 1, 2}, 2, 3);
  CHECK(f(a, places{0, 1, 2}).size() == 4);
  int const least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  for (places const& start : {places{0, least, 2}, places{0, most, 2}, places{least, most, 2}})
    CHECK_THROWS_AS(f(a, start), kt::value_error);
}

TEST_CASE("a call that throws leaves shared sparse matrices as they are", "[sparse]") {
  auto const a = array({1, 2}, {0, 2}, {0, 1, 2}, 2, 3);
  kt::shared<kt::csr<double>> w(a);
  auto f = kt::function(
      [](kt::dvector x, kt::csr<double> w) { return kt::outputs(dot(w, x)).update(w, 2 * w); }, w,
      kt::mode::interpret);
  CHECK_THROWS_AS(f(vec<double>{1, 2}), kt::shape_error);
  CHECK((w.get_value().data() == vec<double>{1, 2}));
}
