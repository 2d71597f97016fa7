// Pieces of lines of every length, of elements of every size, interpreted, against dense ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <random>

namespace sparse_pieces {

using namespace reference;
using kt::slice;

namespace {

/// Lines without values, of a few, of many and of all.
template <class Matrix>
Matrix lines_of_many_lengths(std::size_t lines, std::size_t inner) {
  using T = typename Matrix::value_type;
  std::mt19937 random(7);
  std::vector<T> data;
  std::vector<int> indices, indptr{0};
  for (std::size_t i = 0; i < lines; ++i) {
    std::size_t const in_hundred = i % 6 == 1 ? 0 : i % 6 == 5 ? 100 : 3 + 9 * (i % 7);
    for (std::size_t j = 0; j < inner; ++j) {
      if (random() % 100 >= in_hundred) continue;
      indices.push_back(static_cast<int>(j));
      data.push_back(static_cast<T>(static_cast<int>(random() % 100) + 1));
    }
    indptr.push_back(static_cast<int>(data.size()));
  }
  return {data, indices, indptr,
          Matrix::by_rows ? std::array{lines, inner} : std::array{inner, lines}};
}

template <class T>
void check_pieces() {
  // Windows and steps of columns, by one, even and odd numbers, and by more than there are.
  auto const windows = kt::function(
      [](kt::csr<T> a, kt::lscalar b, kt::lscalar e) {
        return std::tuple(a(slice(), slice(b, e)), a(slice(), slice(b, e, 2)),
                          a(slice(), slice(b, e, 3)), a(slice(), slice(b, e, 12)),
                          a(slice(), slice(b, e, 7)), a(slice(), slice(b, e, 1000000007)),
                          a(slice(b, e, 4)));
      },
      kt::mode::interpret);
  auto const a = lines_of_many_lengths<kt::csr_array<T>>(150, 150);
  mat<T> const x = a.to_dense();
  for (std::ptrdiff_t begin : {0, 1, 16, 77, 149, 150})
    for (std::ptrdiff_t end : {0, 17, 78, 141, 150}) {
      auto const have = windows(a, begin, end);
      if (end < begin) end = begin;
      auto const columns = [&](auto const& got, std::ptrdiff_t step) {
        return mat<T>(got.to_dense()) == mat<T>(xt::view(x, xt::all(), xt::range(begin, end, step)));
      };
      CHECK(columns(std::get<0>(have), 1));
      CHECK(columns(std::get<1>(have), 2));
      CHECK(columns(std::get<2>(have), 3));
      CHECK(columns(std::get<3>(have), 12));
      CHECK(columns(std::get<4>(have), 7));
      CHECK(columns(std::get<5>(have), 1000000007));
      CHECK((mat<T>(std::get<6>(have).to_dense()) ==
             mat<T>(xt::view(x, xt::range(begin, end, 4)))));
    }
  // Joined, with lines of the second one that are long where those of the first are short.
  auto const joins = kt::function(
      [](kt::csr<T> u, kt::csr<T> v) { return std::tuple(hstack(u, v), vstack(u, v)); },
      kt::mode::interpret);
  auto const b = lines_of_many_lengths<kt::csr_array<T>>(150, 150);
  auto const [beside, below] = joins(a, b);
  CHECK((mat<T>(beside.to_dense()) == mat<T>(xt::hstack(xt::xtuple(x, mat<T>(b.to_dense()))))));
  CHECK((mat<T>(below.to_dense()) == mat<T>(xt::vstack(xt::xtuple(x, mat<T>(b.to_dense()))))));
}

}  // namespace

TEST_CASE("pieces of sparse lines of all lengths, of elements of all sizes", "[sparse]") {
  check_pieces<std::int8_t>();
  check_pieces<std::int16_t>();
  check_pieces<float>();
  check_pieces<double>();
  check_pieces<std::complex<double>>();
}

TEST_CASE("gradients of every third column", "[sparse]") {
  auto const f = kt::function(
      [](kt::csc<double> a) {
        auto const rows = a(slice(1, kt::none, 3));
        return std::tuple(grad(sum(sqr(rows.data())), a), rows);
      },
      kt::mode::interpret);
  auto const a = lines_of_many_lengths<kt::csc_array<double>>(40, 90);
  auto const [by_a, rows] = f(a);
  for (std::size_t k = 0; k < a.size(); ++k)
    CHECK(by_a.data()(k) == (a.indices()(k) % 3 == 1 ? 2 * a.data()(k) : 0));
  CHECK(rows.shape(0) == 30);
}

}  // namespace sparse_pieces
