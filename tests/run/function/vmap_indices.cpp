// Indices that depend on the slice of a vmap: elements read, replaced and added to.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;

namespace {

mat<double> const X{{1, 2, 4}, {3, 7, 8}, {1, 1, 9}, {0.5, 2, 2}};
vec<double> const b{1, 20, 300};
vec<std::int64_t> const s{0, 2, -1, 1}, r{3, 0, 1, 1};

/// The results of a function compiled and interpreted, which are the same.
template <class F, class... A>
auto result_of(F const& f, A const&... arguments) {
  auto const compiled = kt::function(f)(arguments...);
  CHECK((compiled == kt::function(f, kt::mode::interpret)(arguments...)));
  return compiled;
}

}  // namespace

TEST_CASE("an index that is mapped reads an element of each slice, or of one array") {
  CHECK(
      (result_of([](kt::dvector x,
                    kt::lvector i) { return kt::vmap([&](kt::lscalar k) { return 2 * x(k); })(i); },
                 b, s) == vec<double>{2, 600, 600, 40}));
  CHECK((result_of(
             [](kt::dmatrix x, kt::lvector i) {
               return kt::vmap<0, 1>([](kt::dvector row, kt::lscalar k) { return row(k); })(x, i);
             },
             X, s) == vec<double>{1, 8, 9, 2}));
  CHECK((result_of(
             [](kt::dmatrix x, kt::lvector i, kt::lvector j) {
               return kt::vmap<0, 1>([&](kt::lscalar k, kt::lscalar l) { return x(k, l); })(i, j);
             },
             X, r, s) == vec<double>{0.5, 4, 8, 7}));
  CHECK((result_of([](kt::dmatrix x,
                      kt::lvector i) { return kt::vmap([&](kt::lscalar k) { return x(k); })(i); },
                   X, r) == mat<double>{{0.5, 2, 2}, {1, 2, 4}, {3, 7, 8}, {3, 7, 8}}));
}

TEST_CASE("a mapped index next to slices and to other indices") {
  CHECK((result_of(
             [](kt::dmatrix x, kt::lvector i) {
               return kt::vmap([&](kt::lscalar k) { return x(kt::slice(1, 3), k); })(i);
             },
             X, s) == mat<double>{{3, 1}, {8, 9}, {8, 9}, {7, 1}}));
  CHECK(
      (result_of([](kt::dmatrix x,
                    kt::lvector i) { return kt::vmap([&](kt::lscalar k) { return x(1, k); })(i); },
                 X, s) == vec<double>{3, 8, 8, 7}));
  CHECK((result_of(
             [](kt::dmatrix x, kt::lvector i) {
               return kt::vmap<0, 1>([](kt::dvector row, kt::lscalar k) {
                 return take(row, kt::stack(k, k - 1));
               })(x, i);
             },
             X, s) == mat<double>{{1, 4}, {8, 7}, {9, 1}, {2, 0.5}}));
  // An index that is the same for all slices next to indices of each.
  xt::xtensor<double, 3> cubes(std::array<std::size_t, 3>{3, 3, 4});
  for (std::size_t k = 0; k < cubes.size(); ++k) cubes.data()[k] = static_cast<double>(k);
  CHECK((result_of(
             [](kt::dtensor3 x, kt::lmatrix i, kt::lscalar j) {
               return kt::vmap<0, 1>([&](kt::dmatrix m, kt::lvector rows) { return m(rows, j); })(
                   x, i);
             },
             cubes, mat<std::int64_t>{{0, 1}, {-1, 2}, {2, 2}},
             -1) == mat<double>{{3, 7}, {23, 23}, {35, 35}}));
  // Slices of slices: the matrices 0 and 1 of a tensor, their rows, and an element of each.
  xt::xtensor<double, 3> const t{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
  mat<std::int64_t> const which{{0, 1, 1}, {-1, 0, 1}};
  CHECK((result_of(
             [](kt::dtensor3 x, kt::lmatrix i) {
               return kt::vmap<0, 1>([](kt::dmatrix m, kt::lvector v) {
                 return kt::vmap<0, 1>([](kt::dvector row, kt::lscalar k) { return row(k); })(m, v);
               })(x, i);
             },
             t, which) == mat<double>{{1, 4, 6}, {8, 9, 12}}));
}

TEST_CASE("gradients through mapped indices") {
  CHECK((result_of(
             [](kt::dvector x, kt::lvector i) {
               return kt::vmap([&](kt::lscalar k) { return grad(sqr(x(k)), x); })(i);
             },
             b, s) == mat<double>{{2, 0, 0}, {0, 0, 600}, {0, 0, 600}, {0, 40, 0}}));
  CHECK((result_of(
             [](kt::dvector x, kt::lvector i) {
               return grad(sum(kt::vmap([&](kt::lscalar k) { return sqr(x(k)); })(i)), x);
             },
             b, s) == vec<double>{2, 40, 1200}));
  CHECK((result_of(
             [](kt::dmatrix x, kt::lvector i) {
               return grad(sum(kt::vmap<0, 1>(
                               [](kt::dvector row, kt::lscalar k) { return sqr(row(k)); })(x, i)),
                           x);
             },
             X, s) == mat<double>{{2, 0, 0}, {0, 0, 16}, {0, 0, 18}, {0, 4, 0}}));
}

TEST_CASE("a mapped index writes an element of each slice") {
  CHECK((result_of(
             [](kt::dvector x, kt::lvector i) {
               return kt::vmap([&](kt::lscalar k) { return set_subtensor(x(k), 7.); })(i);
             },
             b, s) == mat<double>{{7, 20, 300}, {1, 20, 7}, {1, 20, 7}, {1, 7, 300}}));
  CHECK((result_of(
             [](kt::dmatrix x, kt::lvector i) {
               return kt::vmap<0, 1>([](kt::dvector row, kt::lscalar k) {
                 return inc_subtensor(row(k), sum(row));
               })(x, i);
             },
             X, s) == mat<double>{{8, 2, 4}, {3, 7, 26}, {1, 1, 20}, {0.5, 6.5, 2}}));
  auto const all = result_of(
      [](kt::dmatrix x, kt::lvector i) {
        return kt::vmap([&](kt::lscalar k) {
          return set_subtensor(x(kt::slice(1, 3), k), kt::cast<double>(k) + 50);
        })(i);
      },
      X, s);
  for (std::size_t k = 0; k < 4; ++k) {
    mat<double> expected = X;
    auto const column = static_cast<std::size_t>(s(k) < 0 ? s(k) + 3 : s(k));
    expected(1, column) = expected(2, column) = static_cast<double>(s(k)) + 50;
    CHECK((xt::view(all, k) == expected));
  }
}

TEST_CASE("a mapped index outside of the array is refused") {
  auto f = kt::function([](kt::dvector x, kt::lvector i) {
    return kt::vmap([&](kt::lscalar k) { return x(k); })(i);
  });
  CHECK_THROWS_AS(f(b, vec<std::int64_t>{0, 3}), kt::value_error);
  CHECK_THROWS_AS(f(b, vec<std::int64_t>{-4}), kt::value_error);
}
