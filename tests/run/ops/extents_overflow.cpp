// Products of extents beyond what an array can have, negative extents, and more memory than there is: refused at the call,
// compiled and interpreted, before anything is laid out.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <cstdint>
#include <limits>
#include <new>

using namespace reference;
using Catch::Contains;

namespace {

// An op that needs more work memory than there is.
struct asks_for_memory : kt::operation<"asks_for_memory", 1> {
  static constexpr kt::tensor_type type(kt::core::application const& a) { return a.input(0); }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int d) { return {kt::core::extent_source::dimension, 0, d}; }
  static void run(kt::core::invocation const&) { throw std::bad_alloc(); }
};

constexpr std::int64_t wraps_by_16 = (std::int64_t{1} << 60) + 1, two_31 = std::int64_t{1} << 31, two_32 = std::int64_t{1} << 32,
                       least = std::numeric_limits<std::int64_t>::min(), greatest = std::numeric_limits<std::int64_t>::max();

constexpr auto added = [](kt::lscalar n, kt::dvector r) { return exp(zeros<double>(n, 16) + r); };
constexpr auto repeated = [](kt::lscalar n, kt::dvector r) { return repeat(r, n); };
constexpr auto tiled = [](kt::lscalar n, kt::lscalar m, kt::dvector r) { return sum(tile(r, n, m)); };
constexpr auto reshaped = [](kt::lscalar n, kt::dvector r) { return reshape<2>(r, n, 16); };
constexpr auto rest = [](kt::lscalar n, kt::lscalar m, kt::dvector r) { return reshape<3>(r, -1, n, m); };
constexpr auto summed = [](kt::lscalar n, kt::lscalar m) { return sum(zeros<double>(n, m) + 1); };
constexpr auto counted = [](kt::lscalar n, kt::lscalar m) { return sum(ones<double>(n, m)); };
constexpr auto averaged = [](kt::lscalar n, kt::lscalar m) { return mean(ones<double>(n, m)); };
constexpr auto product_of_counts = [](kt::lscalar n, kt::lscalar m) { return ones<double>(n * m); };
constexpr auto flat = [](kt::lscalar n, kt::lscalar m) { return flatten(zeros<double>(n, m)); };
constexpr auto outer_product = [](kt::lscalar n, kt::lscalar m) { return sum(outer(ones<double>(n), ones<double>(m))); };
constexpr auto multiplied = [](kt::lscalar n, kt::lscalar m) { return dot(ones<double>(n, 1), ones<double>(1, m)); };
constexpr auto identity = [](kt::lscalar n, kt::lscalar m) { return eye(n, m); };
constexpr auto spread = [](kt::lscalar n, kt::lscalar m, kt::dscalar x) { return broadcast_to(x, n, m); };
constexpr auto joined = [](kt::lscalar n, kt::lscalar m) { return concatenate(zeros<double>(n, m), ones<double>(n, m)); };
constexpr auto taken = [](kt::lscalar n, kt::dmatrix x) { return take(x, zeros<std::int64_t>(n, n), kt::axis<0>); };
constexpr auto vector = [](kt::lscalar n) { return zeros<double>(n) + 1; };
constexpr auto counting = [](kt::lscalar a, kt::lscalar b) { return kt::arange(a, b); };
constexpr auto counting_by_two = [](kt::lscalar a, kt::lscalar b) { return kt::arange(a, b, 2); };
constexpr auto counting_down = [](kt::lscalar a, kt::lscalar b) { return kt::arange(a, b, -3); };
constexpr auto with_gradient = [](kt::lscalar n, kt::dvector r) { return grad(sum(sqr(repeat(r, n))), r); };
constexpr auto mapped = [](kt::lscalar n, kt::dmatrix x) {
  return kt::vmap([](kt::dvector row, kt::lscalar count) { return sum(broadcast_to(row(0), count, count)); })(x, n);
};

template <class F>
auto in_both_modes(F const& f, auto check) {
  SECTION("compiled") { check(kt::function(f, kt::mode::fast_run)); }
  SECTION("as written") { check(kt::function(f, kt::mode::fast_compile)); }
  SECTION("interpreted") { check(kt::function(f, kt::mode::interpret)); }
}

vec<double> const sixteen(std::array<std::size_t, 1>{16}, 0.5);

}  // namespace

TEST_CASE("a product of extents that wraps to a small number is refused: a sum with what broadcasts", "[overflow]") {
  in_both_modes(added, [](auto f) {
    CHECK_THROWS_AS(f(wraps_by_16, sixteen), kt::shape_error);
    CHECK_THROWS_WITH(f(wraps_by_16, sixteen), "alloc: a result of shape (1152921504606846977, 16) has more elements than an array can have");
    CHECK(f(2, sixteen).shape()[0] == 2);
    CHECK(f(0, sixteen).size() == 0);
  });
}
TEST_CASE("a product of extents that wraps: repeat", "[overflow]") {
  in_both_modes(repeated, [](auto f) {
    CHECK_THROWS_AS(f(wraps_by_16, sixteen), kt::shape_error);
    CHECK_THROWS_AS(f(-1, sixteen), kt::shape_error);
    CHECK_THROWS_AS(f(least, sixteen), kt::shape_error);
    CHECK(f(3, sixteen).size() == 48);
    CHECK(f(0, sixteen).size() == 0);
  });
}
TEST_CASE("a product of extents that wraps: the gradient of repeat", "[overflow]") {
  in_both_modes(with_gradient, [](auto f) {
    CHECK_THROWS_AS(f(wraps_by_16, sixteen), kt::shape_error);
    CHECK(f(3, sixteen)(0) == 3);
  });
}
TEST_CASE("a product of extents that wraps: tile", "[overflow]") {
  in_both_modes(tiled, [](auto f) {
    CHECK_THROWS_AS(f(two_32, two_32, sixteen), kt::shape_error);
    CHECK_THROWS_AS(f(1, wraps_by_16, sixteen), kt::shape_error);
    CHECK_THROWS_AS(f(-1, -1, sixteen), kt::shape_error);
    CHECK(f(2, 3, sixteen) == 48);
  });
}
TEST_CASE("a product of extents that wraps is not a number of elements to reshape to", "[overflow]") {
  in_both_modes(reshaped, [](auto f) {
    CHECK_THROWS_AS(f(wraps_by_16, sixteen), kt::shape_error);
    CHECK_THROWS_AS(f(-1, sixteen), kt::shape_error);
    CHECK_THROWS_AS(f(2, sixteen), kt::shape_error);
    CHECK(f(1, sixteen).shape()[1] == 16);
  });
}
TEST_CASE("the extent that a reshape leaves to be found, next to others whose product wraps", "[overflow]") {
  in_both_modes(rest, [](auto f) {
    CHECK_THROWS_AS(f(two_32, two_32, sixteen), kt::shape_error);
    CHECK_THROWS_AS(f(wraps_by_16, 16, sixteen), kt::shape_error);
    CHECK_THROWS_AS(f(-4, -4, sixteen), kt::shape_error);
    CHECK_THROWS_AS(f(3, 5, sixteen), kt::shape_error);
    CHECK(f(4, 2, sixteen).shape()[0] == 2);
  });
}
TEST_CASE("a tensor that is never laid out has a number of elements, too", "[overflow]") {
  auto check = [](auto f) {
    CHECK_THROWS_AS(f(two_31, 4 * two_31), kt::shape_error);
    CHECK_THROWS_WITH(f(two_31, 4 * two_31), Contains("2147483648, 8589934592"));
    CHECK_THROWS_AS(f(-2, -3), kt::shape_error);
    CHECK_THROWS_WITH(f(-2, -3), Contains("negative"));
    CHECK_THROWS_AS(f(least, 1), kt::shape_error);
  };
  SECTION("summed") { in_both_modes(summed, check); }
  SECTION("ones that are only counted") { in_both_modes(counted, check); }
  SECTION("ones whose mean is known") { in_both_modes(averaged, check); }
  SECTION("an outer product that is summed") { in_both_modes(outer_product, check); }
}
TEST_CASE("tensors of which the number of elements wraps", "[overflow]") {
  auto check = [](auto f) {
    CHECK_THROWS_AS(f(two_32, two_32), kt::shape_error);
    CHECK_THROWS_AS(f(two_31, 4 * two_31), kt::shape_error);
    CHECK(f(2, 3).size() % 6 == 0);
  };
  SECTION("an extent that is a product") { in_both_modes(product_of_counts, check); }
  SECTION("flattened") { in_both_modes(flat, check); }
  SECTION("of a product of matrices") { in_both_modes(multiplied, check); }
  SECTION("the identity") { in_both_modes(identity, check); }
  SECTION("joined") { in_both_modes(joined, check); }
  SECTION("a scalar spread") {
    in_both_modes(spread, [&](auto f) { check([&](auto n, auto m) { return f(n, m, 1.5); }); });
  }
}
TEST_CASE("an extent that is a product is exact: two negative factors make a positive one", "[overflow]") {
  in_both_modes(product_of_counts, [](auto f) {
    CHECK(f(-2, -3).size() == 6);
    CHECK(f(0, greatest).size() == 0);
    CHECK_THROWS_AS(f(-2, 3), kt::shape_error);
    CHECK_THROWS_AS(f(least, -1), kt::shape_error);
  });
}
TEST_CASE("indices of which there are more than an array can have", "[overflow]") {
  in_both_modes(taken, [](auto f) {
    CHECK_THROWS_AS(f(two_32, matrix<double>(2, 3)), kt::shape_error);
    CHECK(f(2, matrix<double>(2, 3)).size() == 12);
  });
}
TEST_CASE("counts inside vmap", "[overflow]") {
  in_both_modes(mapped, [](auto f) {
    CHECK_THROWS_AS(f(two_32, matrix<double>(2, 3)), kt::shape_error);
    CHECK(f(2, matrix<double>(2, 3)).size() == 2);
  });
}
TEST_CASE("more memory than there is is a kt::error, and the function works again", "[overflow]") {
  in_both_modes(vector, [](auto f) {
    CHECK_THROWS_AS(f(std::int64_t{1} << 45), kt::error);
    CHECK_THROWS_WITH(f(std::int64_t{1} << 45), Contains("35184372088832") && Contains("281474976710656 bytes"));
    CHECK_THROWS_AS(f(std::int64_t{1} << 60), kt::shape_error);
    CHECK_THROWS_AS(f(greatest), kt::shape_error);
    CHECK_THROWS_AS(f(least), kt::shape_error);
    vec<double> target{7};
    CHECK_THROWS_AS(f.into(target, std::int64_t{1} << 45), kt::error);
    CHECK((target == vec<double>{7}));
    CHECK((f(2) == vec<double>{1, 1}));
  });
}
TEST_CASE("counted vectors: distances beyond the range of int64 are not empty", "[overflow]") {
  in_both_modes(counting, [](auto f) {
    CHECK_THROWS_AS(f(least, greatest), kt::error);
    CHECK_THROWS_AS(f(-2, greatest), kt::error);
    CHECK(f(greatest, least).size() == 0);
    CHECK(f(5, -2).size() == 0);
    CHECK((f(greatest - 2, greatest) == vec<std::int64_t>{greatest - 2, greatest - 1}));
    CHECK((f(-1, 2) == vec<std::int64_t>{-1, 0, 1}));
  });
}
TEST_CASE("counted vectors with a step", "[overflow]") {
  in_both_modes(counting_by_two, [](auto f) {
    CHECK_THROWS_AS(f(least, greatest), kt::error);
    CHECK_THROWS_AS(f(0, greatest), kt::error);
    CHECK(f(greatest, least).size() == 0);
    CHECK((f(1, 6) == vec<std::int64_t>{1, 3, 5}));
    CHECK((f(1, 5) == vec<std::int64_t>{1, 3}));
  });
}
TEST_CASE("counted vectors with a negative step", "[overflow]") {
  in_both_modes(counting_down, [](auto f) {
    CHECK_THROWS_AS(f(greatest, least), kt::error);
    CHECK(f(least, greatest).size() == 0);
    CHECK((f(6, 0) == vec<std::int64_t>{6, 3}));
    CHECK((f(7, 0) == vec<std::int64_t>{7, 4, 1}));
  });
}
TEST_CASE("extents of 0 leave the others to be numbers: strides are products of them", "[overflow]") {
  auto f = kt::function([](kt::lscalar n, kt::lscalar m, kt::lscalar k) { return sum(zeros<double>(n, m, k), kt::axis<0>); });
  CHECK_THROWS_AS(f(0, two_32, two_32), kt::shape_error);
  CHECK(f(0, 2, 3).size() == 6);
}
TEST_CASE("what an op allocates for itself and cannot have is a kt::error", "[overflow]") {
  auto f = kt::function([](kt::dvector v) { return kt::dvector({v.of, v.of->apply<asks_for_memory>({v.id})}) + 1; });
  CHECK_THROWS_AS(f(sixteen), kt::error);
  CHECK_THROWS_WITH(f(sixteen), Contains("out of memory"));
}
TEST_CASE("more elements than BLAS counts", "[overflow]") {
  CHECK(kt::cpu::blas_int(2147483647) == 2147483647);
  CHECK_THROWS_AS(kt::cpu::blas_int(two_31), kt::shape_error);
  CHECK_THROWS_AS(kt::cpu::blas_int(two_32), kt::shape_error);
  CHECK_THROWS_AS(kt::cpu::blas_int(-two_32), kt::shape_error);
}
TEST_CASE("arrays of the run-time stage: extents of which there is no product, or no memory", "[overflow]") {
  using kt::runtime::array;
  std::size_t const large = std::size_t{1} << 32;
  CHECK_THROWS_AS(array(kt::element::float64, {large, large}), kt::value_error);
  CHECK_THROWS_AS(array(kt::element::float64, {0, large, large}), kt::value_error);
  CHECK_THROWS_AS(array(kt::element::int8, {large, 1 << 14}), kt::error);
  CHECK(array(kt::element::float64, {0, 3}).size() == 0);
}
