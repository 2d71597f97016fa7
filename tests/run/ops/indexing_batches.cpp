// Taken, written and joined parts under vmap and jacobian.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;
using kt::slice;

namespace {

mat<double> const x{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
vec<std::int64_t> const i{2, 1, 2};
vec<double> const v{1, 2, 3};

}  // namespace

TEST_CASE("vmap takes slice by slice, at once where the indices or the tensor are one", "[indexing]") {
  auto f = kt::function([](kt::dmatrix x, kt::lvector i) {
    auto [taken, replaced, added, joined] = kt::vmap<0>([](kt::dvector r, kt::lvector i) {
      return std::tuple(r(i), set_subtensor(r(i), 1.), inc_subtensor(r(i), r), concatenate(r, i, r));
    })(x, i);
    auto [rows, columns] = kt::vmap<1>([](kt::dmatrix x, kt::lscalar j) { return std::tuple(take(x, j, kt::axis<0>), take(x, j, kt::axis<1>)); })(x, i);
    return std::tuple(kt::vmap<0, 1>([](kt::dvector r, kt::lscalar j) { return take(r, j, kt::axis<0>); })(x, i), taken, replaced, added, joined, rows, columns);
  });
  auto const [each, taken, replaced, added, joined, rows, columns] = f(x, i);
  CHECK((each == vec<double>{3, 5, 9}));
  CHECK((taken == mat<double>{{3, 2, 3}, {6, 5, 6}, {9, 8, 9}}));
  CHECK((replaced == mat<double>{{1, 1, 1}, {4, 1, 1}, {7, 1, 1}}));
  CHECK((added == mat<double>{{1, 4, 7}, {4, 10, 16}, {7, 16, 25}}));
  CHECK(mismatch(joined, [](I a, I b) { return b < 3 ? x(a, b) : b < 6 ? static_cast<double>(i(b - 3)) : x(a, b - 6); }) == "");
  CHECK((rows == mat<double>{{7, 8, 9}, {4, 5, 6}, {7, 8, 9}}));
  CHECK((columns == mat<double>{{3, 6, 9}, {2, 5, 8}, {3, 6, 9}}));
}

TEST_CASE("vmap writes values that broadcast", "[indexing]") {
  auto f = kt::function([](kt::dmatrix x, kt::dvector v) {
    return std::tuple_cat(kt::vmap<0, 2>([](kt::dvector r, kt::dmatrix x, kt::dscalar s) {
                            return std::tuple(inc_subtensor(x(slice(2)), r), set_subtensor(x(slice(), 1), s), inc_subtensor(x(0), 1.));
                          })(x, x, v),
                          std::tuple(kt::vmap<0>([](kt::dvector r) { return set_subtensor(r(0), sum(r)); })(x)));
  });
  auto const [added, replaced, constant, sums] = f(x, v);
  CHECK(mismatch(added, [](I a, I b, I c) { return x(b, c) + (b < 2 ? x(a, c) : 0); }) == "");
  CHECK(mismatch(replaced, [](I a, I b, I c) { return c == 1 ? v(a) : x(b, c); }) == "");
  CHECK(mismatch(constant, [](I, I b, I c) { return x(b, c) + (b == 0 ? 1 : 0); }) == "");
  CHECK((sums == mat<double>{{6, 2, 3}, {15, 5, 6}, {24, 8, 9}}));
}

TEST_CASE("Jacobians of what is taken, written and joined", "[indexing]") {
  auto f = kt::function([](kt::dvector v, kt::lvector i) {
    return std::tuple(jacobian(inc_subtensor(v(i), sqr(v)), v), jacobian(set_subtensor(v(i(slice(2))), v(slice(2))), v),
                      jacobian(concatenate(v, 2 * v(slice(1))), v), jacobian(set_subtensor(v(slice(0, 2)), v(2) * v(slice(1, 3))), v), jacobian(exp(v(i)), v));
  });
  auto const [added, replaced, joined, part, taken] = f(v, i);
  CHECK((added == mat<double>{{1, 0, 0}, {0, 5, 0}, {2, 0, 7}}));
  CHECK((replaced == mat<double>{{1, 0, 0}, {0, 1, 0}, {1, 0, 0}}));
  CHECK((joined == mat<double>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}}));
  CHECK((part == mat<double>{{0, 3, 2}, {0, 0, 6}, {0, 0, 1}}));
  CHECK(mismatch(taken, [](I a, I b) { return static_cast<I>(i(a)) == b ? std::exp(v(b)) : 0; }, 1e-15) == "");
}

TEST_CASE("indices may be computed", "[indexing]") {
  auto f = kt::function([](kt::dmatrix x) { return std::tuple(take(x, argmax(x, kt::axis<1>), kt::axis<1>), x(argmin(x(slice(), 0)) + kt::arange(x.shape(0)) * 0)); });
  auto const [columns, rows] = f(x);
  CHECK((columns == mat<double>{{3, 3, 3}, {6, 6, 6}, {9, 9, 9}}));
  CHECK((rows == mat<double>{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}));
}
