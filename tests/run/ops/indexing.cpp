// Indexing by tensors and writing to parts, against plain loops: take, x(i, j), set_subtensor, inc_subtensor.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/runtime.hpp>

using namespace reference;
using I = std::size_t;

namespace {

using kt::none, kt::slice;
template <class T>
using cube = xt::xtensor<T, 3>;

/// Counts from the end where it is negative.
I wrapped(std::int64_t i, I n) { return static_cast<I>(i < 0 ? i + static_cast<std::int64_t>(n) : i); }

cube<double> numbers3(I n, I m, I k) {
  cube<double> x(std::array<I, 3>{n, m, k});
  auto const v = numbers<double>(n * m * k);
  for (I i = 0; i < v.size(); ++i) x.data()[i] = v(i);
  return x;
}

constexpr auto taken = [](kt::dtensor3 x, kt::imatrix i, kt::lvector j, kt::iscalar k) {
  return std::tuple(take(x, i, kt::axis<1>), take(x, j, kt::axis<-1>), take(x, i), take(x, k, kt::axis<0>), take(x, -1, kt::axis<2>), x(i), x(j, j), x(i, j),
                    x(slice(), j, j), x(slice(1, none), j), x(j, slice(), j), x(0, slice(), j), x(j, kt::newaxis, slice(none, none, -1)), x(k, j, 1),
                    x(kt::newaxis, slice(), j), 2 * x(j + 0) + 1);
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("integer tensors take elements as in NumPy", "[indexing]", ((int Mode), Mode), 0, 1) {
  auto const x = numbers3(4, 3, 5);
  mat<std::int32_t> const i{{0, -1, 2}, {1, 1, -3}};
  vec<std::int64_t> const j{2, -3, 0};
  std::int32_t const k = -2;
  auto f = [&] {
    if constexpr (Mode == 0) return kt::function(taken);
    else return kt::function(taken, kt::mode::interpret);
  }();
  auto const [axis1, last, flat, row, last_column, rows, pairs, broadcast, behind, sliced, apart, apart_integer, with_new, between, new_first, used] = f(x, i, j, k);
  auto J = [&](I a, I n) { return wrapped(j(a), n); };
  CHECK(mismatch(axis1, [&](I a, I b, I c, I d) { return x(a, wrapped(i(b, c), 3), d); }) == "");
  CHECK(mismatch(last, [&](I a, I b, I c) { return x(a, b, J(c, 5)); }) == "");
  CHECK(mismatch(flat, [&](I a, I b) { return x.data()[wrapped(i(a, b), 60)]; }) == "");
  CHECK(mismatch(row, [&](I a, I b) { return x(2, a, b); }) == "");
  CHECK(mismatch(last_column, [&](I a, I b) { return x(a, b, 4); }) == "");
  CHECK(mismatch(rows, [&](I a, I b, I c, I d) { return x(wrapped(i(a, b), 4), c, d); }) == "");
  CHECK(mismatch(pairs, [&](I a, I b) { return x(J(a, 4), J(a, 3), b); }) == "");
  CHECK(mismatch(broadcast, [&](I a, I b, I c) { return x(wrapped(i(a, b), 4), J(b, 3), c); }) == "");
  CHECK(mismatch(behind, [&](I a, I b) { return x(a, J(b, 3), J(b, 5)); }) == "");
  CHECK(mismatch(sliced, [&](I a, I b, I c) { return x(a + 1, J(b, 3), c); }) == "");
  CHECK(mismatch(apart, [&](I a, I b) { return x(J(a, 4), b, J(a, 5)); }) == "");
  CHECK(mismatch(apart_integer, [&](I a, I b) { return x(0, b, J(a, 5)); }) == "");
  CHECK(with_new.shape() == std::array<I, 4>{3, 1, 3, 5});
  CHECK(mismatch(with_new, [&](I a, I, I b, I c) { return x(J(a, 4), 2 - b, c); }) == "");
  CHECK(mismatch(between, [&](I a) { return x(2, J(a, 3), 1); }) == "");
  CHECK(new_first.shape() == std::array<I, 4>{1, 4, 3, 5});
  CHECK(mismatch(new_first, [&](I, I a, I b, I c) { return x(a, J(b, 3), c); }) == "");
  CHECK(mismatch(used, [&](I a, I b, I c) { return 2 * x(J(a, 4), b, c) + 1; }) == "");

  vec<std::int64_t> const nothing(std::array<I, 1>{0});
  CHECK(std::get<5>(f(x, mat<std::int32_t>(std::array<I, 2>{2, 0}), nothing, k)).shape() == std::array<I, 4>{2, 0, 3, 5});
}

TEST_CASE("strided operands and indices of every width", "[indexing]") {
  auto f = kt::function([](kt::fmatrix x, kt::bvector i, kt::variable<std::uint8_t, 1> u, kt::wvector w) {
    return std::tuple(take(x.T(), i, kt::axis<0>), x(u(slice(none, none, -2))), take(x(slice(none, none, 2)), w, kt::axis<1>));
  });
  auto const x = matrix<float>(5, 4);
  auto const [columns, rows, both] = f(x, vec<std::int8_t>{-1, 0, 3}, vec<std::uint8_t>{4, 0, 2}, vec<std::int16_t>{1, 1});
  I const i[] = {3, 0, 3}, u[] = {2, 4};
  CHECK(mismatch(columns, [&](I a, I b) { return x(b, i[a]); }) == "");
  CHECK(mismatch(rows, [&](I a, I b) { return x(u[a], b); }) == "");
  CHECK(mismatch(both, [&](I a, I) { return x(2 * a, 1); }) == "");
}

TEST_CASE("an index out of range is an error that says which, where and of what", "[indexing]") {
  auto f = kt::function([](kt::dmatrix x, kt::lvector i, kt::lmatrix j) { return std::tuple(take(x, i, kt::axis<1>), x(j), take(x, i(0), kt::axis<0>)); });
  auto const x = matrix<double>(3, 4);
  auto const inside = mat<std::int64_t>{{0, 2}, {-3, 1}};
  CHECK(sentence<kt::value_error>([&] { f(x, vec<std::int64_t>{0, 3, 4}, inside); }) == "take: index 4 at position 2 is out of range: extent 1 is 4");
  CHECK(sentence<kt::value_error>([&] { f(x, vec<std::int64_t>{-5}, inside); }) == "take: index -5 at position 0 is out of range: extent 1 is 4");
  CHECK(sentence<kt::value_error>([&] { f(x, vec<std::int64_t>{0}, mat<std::int64_t>{{0, 0}, {3, 0}}); }) ==
        "take: index 3 at position (1, 0) is out of range: extent 0 is 3");
  CHECK(sentence<kt::value_error>([&] { f(x, vec<std::int64_t>{3}, inside); }) == "take: index 3 is out of range: extent 0 is 3");
  CHECK(sentence<kt::value_error>([&] { f(matrix<double>(0, 4), vec<std::int64_t>{0}, inside); }).find("extent 0 is 0") != std::string::npos);
  auto pairs = kt::function([](kt::dmatrix x, kt::lvector i, kt::lvector j) { return x(i, j); });
  CHECK(sentence<kt::shape_error>([&] { pairs(x, vec<std::int64_t>{0, 1}, vec<std::int64_t>{0, 1, 2}); }) ==
        "take: extent 0 of parameter 2 (lvector) is 2, extent 0 of parameter 3 (lvector) is 3");
}

namespace {

constexpr auto written = [](kt::dmatrix x, kt::dvector v, kt::lvector i, kt::lscalar k) {
  return std::tuple(set_subtensor(x(0), 7.), set_subtensor(x(k), v), inc_subtensor(x(slice(), slice(none, none, -2)), 1), set_subtensor(x(slice(1, none), k), x(0, 0)),
                    inc_subtensor(x(slice(none, none, -1)), v), set_subtensor(x(slice()), v), inc_subtensor(x(), 1), set_subtensor(x(i), v), inc_subtensor(x(i), v),
                    set_subtensor(x(i, i), v(slice(3))), inc_subtensor(x(slice(), i), x(slice(), i)), inc_subtensor(x(k, i), 1), set_subtensor(x(slice(1, 3), i), 0),
                    inc_subtensor(set_subtensor(x(0), v)(i), 2.));
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("parts are replaced and added to", "[indexing]", ((int Mode), Mode), 0, 1) {
  auto f = [&] {
    if constexpr (Mode == 0) return kt::function(written);
    else return kt::function(written, kt::mode::interpret);
  }();
  auto const x = matrix<double>(4, 4);
  auto const v = numbers<double>(4, 7);
  auto const r = f(x, v, vec<std::int64_t>{1, -1, 1}, 2);
  auto check = [&](auto const& got, auto const& write) {
    mat<double> want = x;
    write(want);
    CHECK(mismatch(got, [&](I a, I b) { return want(a, b); }) == "");
  };
  auto all = [](auto const& f) {
    for (I a = 0; a < 4; ++a) f(a);
  };
  check(std::get<0>(r), [&](auto& w) { all([&](I a) { w(0, a) = 7; }); });
  check(std::get<1>(r), [&](auto& w) { all([&](I a) { w(2, a) = v(a); }); });
  check(std::get<2>(r), [&](auto& w) { all([&](I a) { w(a, 3) += 1, w(a, 1) += 1; }); });
  check(std::get<3>(r), [&](auto& w) { w(1, 2) = w(2, 2) = w(3, 2) = x(0, 0); });
  check(std::get<4>(r), [&](auto& w) { all([&](I a) { all([&](I b) { w(a, b) += v(b); }); }); });
  check(std::get<5>(r), [&](auto& w) { all([&](I a) { all([&](I b) { w(a, b) = v(b); }); }); });
  check(std::get<6>(r), [&](auto& w) { all([&](I a) { all([&](I b) { w(a, b) += 1; }); }); });
  check(std::get<7>(r), [&](auto& w) { all([&](I b) { w(1, b) = w(3, b) = v(b); }); });
  check(std::get<8>(r), [&](auto& w) { all([&](I b) { w(1, b) = w(1, b) + v(b) + v(b), w(3, b) += v(b); }); });
  check(std::get<9>(r), [&](auto& w) { w(3, 3) = v(1), w(1, 1) = v(2); });
  check(std::get<10>(r), [&](auto& w) { all([&](I a) { w(a, 1) = x(a, 1) + x(a, 1) + x(a, 1), w(a, 3) *= 2; }); });
  check(std::get<11>(r), [&](auto& w) { w(2, 1) = w(2, 1) + 1 + 1, w(2, 3) += 1; });
  check(std::get<12>(r), [&](auto& w) { w(1, 1) = w(1, 3) = w(2, 1) = w(2, 3) = 0; });
  check(std::get<13>(r), [&](auto& w) { all([&](I b) { w(0, b) = v(b), w(1, b) += 4, w(3, b) += 2; }); });
}

TEST_CASE("integers and bools are written to as well, and nothing to no elements", "[indexing]") {
  auto f = kt::function([](kt::bvector x, kt::vector<bool> b, kt::variable<std::uint16_t, 2> u, kt::lvector i) {
    return std::tuple(inc_subtensor(x(i), 100), set_subtensor(b(i), true), set_subtensor(u(i, 0), 65535), inc_subtensor(u(slice(), i), u(slice(), i)));
  });
  vec<std::int8_t> const x{1, 100, 3};
  vec<bool> const b{false, true, false};
  xt::xtensor<std::uint16_t, 2> const u{{1, 2}, {3, 4}};
  auto const [wrapped_sums, bools, column, doubled] = f(x, b, u, vec<std::int64_t>{1, 0});
  CHECK((wrapped_sums == vec<std::int8_t>{101, -56, 3}));
  CHECK((bools == vec<bool>{true, true, false}));
  CHECK((column == xt::xtensor<std::uint16_t, 2>{{65535, 2}, {65535, 4}}));
  CHECK((doubled == xt::xtensor<std::uint16_t, 2>{{2, 4}, {6, 8}}));
  auto const [same, same_bools, same_column, same_u] = f(x, b, u, vec<std::int64_t>(std::array<I, 1>{0}));
  CHECK((same == x && same_bools == b && same_column == u && same_u == u));
}

TEST_CASE("a part that has a name becomes another expression", "[indexing]") {
  auto f = kt::function([](kt::dvector x) {
    auto total = x(0);
    for (int i = 1; i < 3; ++i) total = total + sqr(x(i));
    total = exp(total);
    auto rest = x(kt::slice(1, kt::none));
    rest = 2 * rest;
    return std::tuple(total, rest);
  });
  auto const [total, rest] = f(xt::xtensor<double, 1>{0.5, 1, 2});
  CHECK(total == Approx(std::exp(5.5)));
  CHECK(rest == xt::xtensor<double, 1>{2, 4});
}

TEST_CASE("a value that does not fit the part is an error that names both", "[indexing]") {
  auto basic = kt::function([](kt::dmatrix x, kt::dvector v) { return set_subtensor(x(1), v); });
  CHECK(sentence<kt::shape_error>([&] { basic(matrix<double>(2, 3), numbers<double>(4)); }) ==
        "set_subtensor: extent 1 of parameter 1 (dmatrix) is 3, extent 0 of parameter 2 (dvector) is 4");
  CHECK(sentence<kt::value_error>([&] { basic(matrix<double>(1, 4), numbers<double>(4)); }).find("index 1 is out of range") == 0);
  auto range = kt::function([](kt::dmatrix x, kt::dmatrix v) { return inc_subtensor(x(slice(1, none)), v); });
  CHECK(sentence<kt::shape_error>([&] { range(matrix<double>(3, 2), matrix<double>(1, 2)); }) ==
        "inc_subtensor: a computed extent is 2, extent 0 of parameter 2 (dmatrix) is 1");
  auto by_index = kt::function([](kt::dmatrix x, kt::lvector i, kt::dmatrix v) { return inc_subtensor(x(i), v); });
  CHECK(sentence<kt::shape_error>([&] { by_index(matrix<double>(3, 2), vec<std::int64_t>{0, 1}, matrix<double>(3, 2)); }) ==
        "inc_take: extent 0 of parameter 2 (lvector) is 2, extent 0 of parameter 3 (dmatrix) is 3");
  CHECK(sentence<kt::value_error>([&] { by_index(matrix<double>(3, 2), vec<std::int64_t>{0, 3}, matrix<double>(2, 2)); }) ==
        "inc_take: index 3 at position 1 is out of range: extent 0 is 3");
}

namespace {

// Indices that need no parameter: 0, 1, 0.
constexpr auto indices = [](auto const& x) {
  auto const zeros = kt::cast<std::int64_t>(zeros_like(x(0)));
  return inc_subtensor(zeros(1), 1)(slice(3));
};
constexpr auto cost = [](kt::dmatrix x, kt::dvector v) {
  auto const i = indices(x);
  return sum(sqr(x(i))) + sum(exp(inc_subtensor(x(i), sin(v))) * x) + sum(sqr(set_subtensor(x(slice(), 1), v(slice(3)))) * x) +
         sum(sqr(inc_subtensor(x(slice(1, none), slice(none, none, 2)), v(0) * v(slice(2))))) + sum(pow(set_subtensor(x(i(slice(2)), 2), v(1)), 3)) +
         sum(sin(take(x, i)) * v(slice(3)));
};
constexpr auto second = [](kt::dmatrix x) { return sum(sqr(grad(sum(pow(x(indices(x)), 3)), x))); };

}  // namespace

TEST_CASE("gradients pass through what is taken and written", "[indexing]") {
  auto const x = matrix<double>(3, 4);
  CHECK(kt::verify_grad(cost, x, numbers<double>(4, 3)));
  CHECK(kt::verify_grad(second, x));
}

namespace {

constexpr auto step = [](kt::lscalar i, kt::dvector v, kt::dmatrix w) { return kt::outputs().update(w, inc_subtensor(w(i), v)); };
constexpr auto steps = [](kt::lvector i, kt::dvector v, kt::dmatrix w) { return kt::outputs().update(w, set_subtensor(w(i), v)); };
constexpr auto reads = [](kt::lscalar i, kt::dmatrix w) { return kt::outputs(sum(w)).update(w, inc_subtensor(w(i), w(0))); };

/// How many values a function writes to, apart from scalars and what lies in parameters.
template <class F, class... P>
int buffers() {
  int count = 0;
  for (auto const& v : kt::freeze::program<F, std::remove_const_t<decltype(kt::mode::fast_run)>, 1, P...>::values)
    count += v.where == kt::plan::storage::buffer && v.rank > 0 ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("an update that writes to a part touches only that", "[indexing]") {
  kt::shared w(mat<double>{{1, 2}, {3, 4}, {5, 6}});
  auto add = kt::function(step, w);
  add(1, vec<double>{10, 20});
  CHECK((w.get_value() == mat<double>{{1, 2}, {13, 24}, {5, 6}}));
  CHECK_THROWS_AS(add(3, vec<double>{1, 1}), kt::value_error);
  auto replace = kt::function(steps, w);
  replace(vec<std::int64_t>{2, 0}, vec<double>{7, 8});
  CHECK((w.get_value() == mat<double>{{7, 8}, {13, 24}, {7, 8}}));
  // Nothing is written before every index is known to be one.
  CHECK_THROWS_AS(replace(vec<std::int64_t>{0, 1, 3}, vec<double>{1, 1}), kt::value_error);
  CHECK((w.get_value() == mat<double>{{7, 8}, {13, 24}, {7, 8}}));
  auto both = kt::function(reads, w);
  CHECK(both(0) == 67);
  CHECK((w.get_value() == mat<double>{{14, 16}, {13, 24}, {7, 8}}));
  CHECK(buffers<std::remove_const_t<decltype(step)>, kt::lscalar, kt::dvector, kt::dmatrix>() == 0);
  CHECK(buffers<std::remove_const_t<decltype(steps)>, kt::lvector, kt::dvector, kt::dmatrix>() == 0);
  // The row that is added lies in the variable itself.
  CHECK(buffers<std::remove_const_t<decltype(reads)>, kt::lscalar, kt::dmatrix>() == 1);
}

TEST_CASE("what is not read again is written to in place", "[indexing]") {
  auto f = kt::function([](kt::dmatrix x, kt::lvector i) {
    auto const y = exp(x);
    return sum(inc_subtensor(set_subtensor(inc_subtensor(y(i), 1)(0), 2.)(slice(1, none)), x(0)), kt::axis<0>);
  });
  auto const x = matrix<double>(3, 2);
  auto const got = f(x, vec<std::int64_t>{1, 1});
  CHECK(mismatch(got, [&](I a) { return 2 + (std::exp(x(1, a)) + 2 + x(0, a)) + (std::exp(x(2, a)) + x(0, a)); }, 1e-15) == "");
  using F = decltype([](kt::dmatrix x, kt::lvector i) {
    auto const y = exp(x);
    return sum(inc_subtensor(set_subtensor(inc_subtensor(y(i), 1)(0), 2.)(slice(1, none)), x(0)), kt::axis<0>);
  });
  using program = kt::freeze::program<F, std::remove_const_t<decltype(kt::mode::fast_run)>, 0, kt::dmatrix, kt::lvector>;
  CHECK(program::places.slots == 1);
}
