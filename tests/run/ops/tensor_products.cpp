// Products of tensors of any rank against loops over all letters: dot, tensordot, outer and einsum.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/linalg.hpp"

#include <kroton/runtime.hpp>

#include <map>
#include <vector>

using namespace reference;
using linalg_test::said;

namespace {

template <class T, std::size_t N>
xt::xtensor<T, N> tensor(std::array<std::size_t, N> shape, unsigned seed, double low = -1, double high = 1) {
  xt::xtensor<T, N> x(shape);
  auto const v = numbers<T>(x.size(), seed, low, high);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = v(i);
  return x;
}

/// One operand of a sum, with a letter for each axis.
struct factor {
  std::string letters;
  std::vector<std::size_t> shape;
  std::vector<double> data;
  template <class X>
  factor(std::string named, X const& x) : letters(std::move(named)), shape(x.shape().begin(), x.shape().end()) {
    for (auto v : x) data.push_back(static_cast<double>(v));
  }
  double at(std::map<char, std::size_t> const& index) const {
    std::size_t position = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) position = position * shape[d] + (shape[d] == 1 ? 0 : index.at(letters[d]));
    return data[position];
  }
};

/// Where `got` differs from the sum over all letters that `out` has not, or "".
template <class Got>
std::string difference(Got const& got, std::string const& out, std::vector<factor> const& factors, double e = 1e-12) {
  std::map<char, std::size_t> extents;
  for (factor const& f : factors)
    for (std::size_t d = 0; d < f.shape.size(); ++d) extents[f.letters[d]] = std::max(extents[f.letters[d]], f.shape[d]);
  std::vector<std::size_t> shape;
  std::size_t size = 1;
  for (char c : out) shape.push_back(extents[c]), size *= extents[c];
  std::vector<double> expected(size, 0.0), given;
  std::size_t all = 1;
  for (auto const& [letter, n] : extents) all *= n;
  for (std::size_t i = 0; i < all; ++i) {
    std::map<char, std::size_t> index;
    std::size_t rest = i;
    for (auto const& [letter, n] : extents) index[letter] = rest % n, rest /= n;
    double product = 1;
    for (factor const& f : factors) product *= f.at(index);
    std::size_t position = 0;
    for (char c : out) position = position * extents[c] + index[c];
    expected[position] += product;
  }
  if constexpr (std::is_arithmetic_v<Got>) {
    given.push_back(static_cast<double>(got));
  } else {
    if (!std::equal(got.shape().begin(), got.shape().end(), shape.begin(), shape.end())) return "the shapes differ";
    for (auto v : got) given.push_back(static_cast<double>(v));
  }
  for (std::size_t i = 0; i < size; ++i)
    if (!close(given[i], expected[i], e, e)) return std::to_string(i) + ": " + std::to_string(given[i]) + " instead of " + std::to_string(expected[i]);
  return "";
}

constexpr auto products = [](auto a, auto b, auto v, auto t) {
  // a is (2,3,4), b is (5,4,3), v has 4 elements, t is (4,6).
  return std::tuple(dot(a, b), dot(a, v), dot(v, b.T()), dot(a, t), dot(t.T(), b), tensordot<1>(a, t), tensordot<2>(a, dimshuffle<2, 1, 0>(b)),
                    tensordot(a, b, kt::axis<-1, 1>, kt::axis<1, 2>), tensordot<0>(v, t), outer(v, v), outer(t, v), tensordot<3>(a, a.T().T()));
};
template <class F, class A, class B, class V, class T>
void check_products(F& f, A const& a, B const& b, V const& v, T const& t, double e = 1e-12) {
  auto const r = f(a, b, v, t);
  CHECK(difference(std::get<0>(r), "ijlk", {{"ijm", a}, {"lmk", b}}, e) == "");
  CHECK(difference(std::get<1>(r), "ij", {{"ijm", a}, {"m", v}}, e) == "");
  CHECK(difference(std::get<2>(r), "jl", {{"m", v}, {"lmj", b}}, e) == "");
  CHECK(difference(std::get<3>(r), "ijk", {{"ijm", a}, {"mk", t}}, e) == "");
  CHECK(difference(std::get<4>(r), "klj", {{"mk", t}, {"lmj", b}}, e) == "");
  CHECK(difference(std::get<5>(r), "ijk", {{"ijm", a}, {"mk", t}}, e) == "");
  CHECK(difference(std::get<6>(r), "il", {{"ijm", a}, {"lmj", b}}, e) == "");
  CHECK(difference(std::get<7>(r), "il", {{"ijm", a}, {"lmj", b}}, e) == "");
  CHECK(difference(std::get<8>(r), "nmk", {{"n", v}, {"mk", t}}, e) == "");
  CHECK(difference(std::get<9>(r), "mn", {{"m", v}, {"n", v}}, e) == "");
  CHECK(std::get<10>(r).shape() == std::array<std::size_t, 2>{t.shape()[0] * t.shape()[1], v.shape()[0]});
  CHECK(difference(std::get<11>(r), "", {{"ijm", a}, {"ijm", a}}, e) == "");
}

// a and b are square matrices of the same side, t is (2,n,n), v has n elements.
constexpr auto sums = [](auto a, auto b, auto t, auto v) {
  using kt::einsum;
  return std::tuple(einsum<"ii">(a), einsum<"ii->i">(a), einsum<"ji">(a), einsum<"ij->">(a), einsum<"ij,jk->ik">(a, b), einsum<"ij,jk">(a, b),
                    einsum<"ij,kj->ki">(a, b), einsum<"ij,ij->ij">(a, b), einsum<"ij,ij->">(a, b), einsum<"bij,bjk->bki">(t, t),
                    einsum<"bij,bij->b">(t, t), einsum<"bij,j->bi">(t, v), einsum<"ij,jk,kl,l->i">(a, b, a, v), einsum<"i,j,k->kji">(v, v, v),
                    einsum<"bii->b">(t), einsum<"bij,ij,jk->k">(t, a, b), einsum<"i,i,i->i">(v, v, v), einsum<" i , ij , j -> ">(v, a, v));
};
constexpr auto more_sums = [](auto a, auto t, auto v, kt::drow row, kt::dscalar s) {
  using kt::einsum;
  return std::tuple(einsum<"ij,ij->j">(row, a), einsum<"ij,jk->ik">(row, a), einsum<",i->i">(s, v), einsum<"iji->j">(a(kt::slice(), kt::newaxis, kt::slice()) * v),
                    einsum<"abc,bd,ce,af->def">(t, a, a, t(kt::slice(), kt::slice(), 0)), einsum<"ij,ik,il->jkl">(a, a, a), einsum<"aB,Bc">(a, a),
                    einsum<"ab,bc,cd,de,ef,f->a">(a, a, a, a, a, v));
};
template <class F, class A, class B, class T, class V>
void check_sums(F& f, A const& a, B const& b, T const& t, V const& v, double e = 1e-12) {
  auto const r = f(a, b, t, v);
  CHECK(difference(std::get<0>(r), "", {{"ii", a}}, e) == "");
  CHECK(difference(std::get<1>(r), "i", {{"ii", a}}, e) == "");
  CHECK(difference(std::get<2>(r), "ij", {{"ji", a}}, e) == "");
  CHECK(difference(std::get<3>(r), "", {{"ij", a}}, e) == "");
  CHECK(difference(std::get<4>(r), "ik", {{"ij", a}, {"jk", b}}, e) == "");
  CHECK(difference(std::get<5>(r), "ik", {{"ij", a}, {"jk", b}}, e) == "");
  CHECK(difference(std::get<6>(r), "ki", {{"ij", a}, {"kj", b}}, e) == "");
  CHECK(difference(std::get<7>(r), "ij", {{"ij", a}, {"ij", b}}, e) == "");
  CHECK(difference(std::get<8>(r), "", {{"ij", a}, {"ij", b}}, e) == "");
  CHECK(difference(std::get<9>(r), "bki", {{"bij", t}, {"bjk", t}}, e) == "");
  CHECK(difference(std::get<10>(r), "b", {{"bij", t}, {"bij", t}}, e) == "");
  CHECK(difference(std::get<11>(r), "bi", {{"bij", t}, {"j", v}}, e) == "");
  CHECK(difference(std::get<12>(r), "i", {{"ij", a}, {"jk", b}, {"kl", a}, {"l", v}}, e) == "");
  CHECK(difference(std::get<13>(r), "kji", {{"i", v}, {"j", v}, {"k", v}}, e) == "");
  CHECK(difference(std::get<14>(r), "b", {{"bii", t}}, e) == "");
  CHECK(difference(std::get<15>(r), "k", {{"bij", t}, {"ij", a}, {"jk", b}}, e) == "");
  CHECK(difference(std::get<16>(r), "i", {{"i", v}, {"i", v}, {"i", v}}, e) == "");
  CHECK(difference(std::get<17>(r), "", {{"i", v}, {"ij", a}, {"j", v}}, e) == "");
}

constexpr auto gradient_of_sums = [](kt::dmatrix a, kt::dtensor3 t, kt::dvector v) {
  using kt::einsum;
  return sum(sin(einsum<"bij,ij,jk->bk">(t, a, a)) + cos(einsum<"bii->b">(t))(kt::slice(), kt::newaxis)) + einsum<"ii,i,j,ij->">(a, v, v, a) + sum(sqr(dot(t, a))) +
         sum(sin(tensordot<2>(t, a)) + sum(outer(v, v) * a));
};

}  // namespace

TEST_CASE("products of tensors", "[products]") {
  using s3 = std::array<std::size_t, 3>;
  auto f = kt::function<kt::dtensor3, kt::dtensor3, kt::dvector, kt::dmatrix>(products);
  check_products(f, tensor<double, 3>({2, 3, 4}, 1), tensor<double, 3>({5, 4, 3}, 2), numbers<double>(4, 3), matrix<double>(4, 6, 4));
  check_products(f, tensor<double, 3>({1, 1, 4}, 1), tensor<double, 3>({1, 4, 1}, 2), numbers<double>(4, 3), matrix<double>(4, 1, 4));
  // Of nothing.
  check_products(f, tensor<double, 3>({2, 3, 0}, 1), tensor<double, 3>({5, 0, 3}, 2), numbers<double>(0, 3), matrix<double>(0, 6, 4));
  check_products(f, tensor<double, 3>({0, 3, 4}, 1), tensor<double, 3>({5, 4, 3}, 2), numbers<double>(4, 3), matrix<double>(4, 0, 4));
  // Strided and reversed operands.
  auto const wide = tensor<double, 3>({4, 6, 8}, 5), other = tensor<double, 3>({3, 4, 5}, 6);
  auto const v = numbers<double>(4, 7);
  auto const t = matrix<double>(6, 4, 8);
  check_products(f, xt::view(wide, xt::range(0, 4, 2), xt::range(5, xt::placeholders::_, -2), xt::range(0, 8, 2)), xt::transpose(other),
                 xt::view(v, xt::range(3, xt::placeholders::_, -1)), xt::transpose(t));
  // As written, a tensordot is asked first.
  CHECK(said<kt::shape_error>([&] { f(tensor<double, 3>(s3{2, 3, 4}, 1), tensor<double, 3>(s3{5, 3, 3}, 2), v, xt::transpose(t)); })
            .find("dot: extent 2 of parameter 1 (dtensor3) is 4, extent 1 of parameter 2 (dtensor3) is 3") != std::string::npos);
  // Also where only the numbers of elements agree.
  auto g = kt::function([](kt::dmatrix a, kt::dmatrix b) { return tensordot<2>(a, b); });
  CHECK(said<kt::shape_error>([&] { g(matrix<double>(2, 3), matrix<double>(3, 2)); }).find("tensordot: extent 0 of parameter 1 (dmatrix) is 2") == 0);
  CHECK(g(matrix<double>(2, 3), matrix<double>(2, 3)) > 0);
}
TEST_CASE("products of tensors of integers, and of several types", "[products]") {
  auto f = kt::function<kt::itensor3, kt::itensor3, kt::ivector, kt::imatrix>(products);
  auto numbers_of = [](auto shape, unsigned seed) { return tensor<int, shape.size()>(shape, seed, -9, 9); };
  check_products(f, numbers_of(std::array<std::size_t, 3>{2, 3, 4}, 1), numbers_of(std::array<std::size_t, 3>{5, 4, 3}, 2), numbers<int>(4, 3, -9, 9),
                 matrix<int>(4, 6, 4, -9, 9), 0);
  auto mixed = kt::function([](kt::imatrix a, kt::ftensor3 b, kt::lvector c) { return std::tuple(dot(a, b), outer(a, c), kt::einsum<"ij,bjk->bik">(a, b)); });
  auto const a = matrix<int>(2, 3, 1, -9, 9);
  auto const b = tensor<float, 3>({4, 3, 2}, 2);
  auto const r = mixed(a, b, vec<std::int64_t>{1, 2});
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<0>(r))>, xt::xtensor<double, 3>>);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<1>(r))>, mat<std::int64_t>>);
  CHECK(difference(std::get<0>(r), "ibk", {{"ij", a}, {"bjk", b}}) == "");
  CHECK(difference(std::get<2>(r), "bik", {{"ij", a}, {"bjk", b}}) == "");
  CHECK(std::get<1>(r)(4, 1) == 2 * a(1, 1));
}
TEST_CASE("Einstein's sums", "[products]") {
  auto f = kt::function<kt::dmatrix, kt::dmatrix, kt::dtensor3, kt::dvector>(sums);
  for (std::size_t n : {0u, 1u, 3u}) check_sums(f, matrix<double>(n, n, 1), matrix<double>(n, n, 2), tensor<double, 3>({2, n, n}, 3), numbers<double>(n, 4));
  auto const a = matrix<double>(3, 3, 5), wide = matrix<double>(6, 9, 6);
  check_sums(f, xt::transpose(a), xt::view(wide, xt::range(5, xt::placeholders::_, -2), xt::range(0, 9, 3)), tensor<double, 3>({2, 3, 3}, 3), numbers<double>(3, 4));
  auto const not_square = said<kt::shape_error>([&] { f(matrix<double>(2, 3), a, tensor<double, 3>({2, 3, 3}, 3), numbers<double>(3, 4)); });
  CHECK(not_square.find("is 2") != std::string::npos);
  CHECK(not_square.find("is 3") != std::string::npos);
  auto const no_fit = said<kt::shape_error>([&] { f(a, a, tensor<double, 3>({2, 3, 3}, 3), numbers<double>(4, 4)); });
  CHECK(no_fit.find("einsum: ") == 0);
}
TEST_CASE("Einstein's sums of broadcasting axes, scalars and many factors", "[products]") {
  auto f = kt::function<kt::dmatrix, kt::dtensor3, kt::dvector, kt::drow, kt::dscalar>(more_sums);
  auto const a = matrix<double>(3, 3, 1), row = matrix<double>(1, 3, 2);
  auto const t = tensor<double, 3>({2, 3, 3}, 3);
  auto const v = numbers<double>(3, 4);
  auto const r = f(a, t, v, row, 2.5);
  CHECK(difference(std::get<0>(r), "j", {{"ij", row}, {"ij", a}}) == "");
  CHECK(difference(std::get<1>(r), "ik", {{"ij", row}, {"jk", a}}) == "");
  CHECK(mismatch(std::get<2>(r), [&](std::size_t i) { return 2.5 * v(i); }, 1e-15) == "");
  CHECK(mismatch(std::get<3>(r), [&](std::size_t) { return a(0, 0) * v(0) + a(1, 1) * v(1) + a(2, 2) * v(2); }, 1e-12, 1e-12) == "");
  mat<double> const front = xt::view(t, xt::all(), xt::all(), 0);
  CHECK(difference(std::get<4>(r), "def", {{"abc", t}, {"bd", a}, {"ce", a}, {"af", front}}) == "");
  CHECK(difference(std::get<5>(r), "jkl", {{"ij", a}, {"ik", a}, {"il", a}}) == "");
  CHECK(difference(std::get<6>(r), "ac", {{"aB", a}, {"Bc", a}}) == "");
  CHECK(difference(std::get<7>(r), "a", {{"ab", a}, {"bc", a}, {"cd", a}, {"de", a}, {"ef", a}, {"f", v}}) == "");
}
TEST_CASE("gradients of products of tensors", "[products]") {
  CHECK(kt::verify_grad(gradient_of_sums, matrix<double>(3, 3, 1), tensor<double, 3>({2, 3, 3}, 2), numbers<double>(3, 3)));
}
TEST_CASE("the interpreter multiplies tensors too", "[products]") {
  auto f = kt::function<kt::dtensor3, kt::dtensor3, kt::dvector, kt::dmatrix>(products, kt::mode::interpret);
  check_products(f, tensor<double, 3>({2, 3, 4}, 1), tensor<double, 3>({5, 4, 3}, 2), numbers<double>(4, 3), matrix<double>(4, 6, 4));
  auto g = kt::function<kt::dmatrix, kt::dmatrix, kt::dtensor3, kt::dvector>(sums, kt::mode::interpret);
  check_sums(g, matrix<double>(3, 3, 1), matrix<double>(3, 3, 2), tensor<double, 3>({2, 3, 3}, 3), numbers<double>(3, 4));
}
