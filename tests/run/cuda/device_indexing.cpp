// Elements that are moved, named by indices, or found, without the host's help.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

#include <string>

namespace kt = kroton;
using namespace kroton;
using namespace testing;

namespace {

template <class Call>
std::string refusal_of(Call const& call) {
  try {
    call();
  } catch (kt::value_error const& e) {
    return e.what();
  }
  return "nothing";
}

xt::xtensor<std::int64_t, 1> const some{3, 0, -1, 3, 2};

}  // namespace

TEST_CASE("device indexing: taken elements, and their gradients") {
  stays_on_device([](kt::dvector x, kt::lvector i) { return take(x, i) * 2; }, ramp(7), some);
  stays_on_device([](kt::dmatrix x, kt::lvector i) { return take(x, i, kt::axis<0>); }, grid(7, 5), some);
  stays_on_device([](kt::dmatrix x, kt::lvector i) { return take(x.T(), i, kt::axis<1>); }, grid(7, 5), some);
  stays_on_device([](kt::dmatrix x, kt::lvector i, kt::lvector j) { return x(i, j); }, grid(7, 5), some,
                  xt::xtensor<std::int64_t, 1>{0, 1, 2, 3, -5});
  stays_on_device([](kt::fmatrix x, kt::lvector i) { return grad(sum(sqr(take(x, i, kt::axis<0>))), x); },
                  grid<float>(7, 5), some);
  stays_on_device([](kt::dvector x, kt::lvector i) { return grad(sum(exp(x(i))), x); }, ramp(200), some);
  stays_on_device([](kt::dmatrix x, kt::lmatrix i) { return take_along_axis(x, i, kt::axis<1>); }, grid(3, 5),
                  xt::xtensor<std::int64_t, 2>{{4, 0}, {-1, 2}, {3, 3}});
  stays_on_device([](kt::dmatrix x, kt::lmatrix i) { return grad(sum(sqr(take_along_axis(x, i, kt::axis<1>))), x); },
                  grid(3, 5), xt::xtensor<std::int64_t, 2>{{4, 0}, {-1, 2}, {3, 3}});
}

TEST_CASE("device indexing: what is out of range is refused in the CPU's words") {
  constexpr auto f = [](kt::dmatrix x, kt::lvector i) { return take(x, i, kt::axis<0>) + 1; };
  auto on_device = kt::cuda::function_on<device>(f);
  auto on_cpu = kt::function(f);
  auto const x = grid(3, 5);
  std::string const words = refusal_of([&] { (void)on_cpu(x, some); });
  CHECK(words != "nothing");
  CHECK(refusal_of([&] { (void)on_device(x, some); }) == words);
  // And is forgotten, also by calls of the same extents.
  xt::xtensor<std::int64_t, 1> const good{2, 0, -1, 2, 2};
  CHECK((on_device(x, good).get_value() == on_cpu(x, good)));
  CHECK((on_device(grid(4, 5), some).get_value() == on_cpu(grid(4, 5), some)));
  // Nothing has been updated, whether in place or not.
  constexpr auto step = [](kt::lvector i, kt::dvector w, kt::dvector n) {
    auto g = grad(sum(sqr(w(i))), w);
    return kt::outputs(sum(w)).update(w, inc_subtensor(w(i), 1.0)).update(n, n + g);
  };
  device_shared<double, 1> w(ramp(3)), n(ramp(3));
  auto update = kt::cuda::function_on<device>(step, w, n);
  CHECK_THROWS_AS(update(some), kt::value_error);
  CHECK((w.get_value() == ramp(3)));
  CHECK((n.get_value() == ramp(3)));
  update(xt::xtensor<std::int64_t, 1>{0, 0});
  CHECK(w.get_value()(0) == ramp(3)(0) + 2);
}

TEST_CASE("device indexing: a refused index is named as on the CPU, whatever steps lie around it") {
  auto const same_words = [](auto f, auto const&... arguments) {
    auto on_device = kt::cuda::function_on<device>(f);
    auto on_cpu = kt::function(f);
    std::string const words = refusal_of([&] { (void)on_cpu(arguments...); });
    CHECK(words != "nothing");
    for (int i = 0; i < 2; ++i) CHECK(refusal_of([&] { (void)on_device(arguments...); }) == words);
  };
  using integers = xt::xtensor<std::int64_t, 1>;
  // The loop that reads what the host has sent writes over it, before the steps are taken again.
  same_words([](kt::dvector x, kt::lvector i) { return take(x, sort(i) * 2) + 1; }, ramp(9),
             integers{3, 7, 1});
  // The host refuses what it finds where the device has stored nothing, before the device is asked.
  same_words([](kt::lvector x, kt::lvector i, kt::vector<std::int8_t> b) {
    auto a = take(x, i);
    return take(inc_subtensor(b(a), 1), a);
  }, integers{0, 1, 2}, integers{0, 5}, xt::xtensor<std::int8_t, 1>{1, 2, 3});
  same_words([](kt::dvector x, kt::lvector i) {
    auto a = take(x, i);
    return take(kt::assert_that("positive", all(a > 0), a), i);
  }, xt::xtensor<double, 1>{1, 2, 3}, integers{0, 7});
}

TEST_CASE("device indexing: a refusal leaves nothing behind for loops of the host") {
  using number = std::complex<double>;
  constexpr auto f = [](kt::zvector x, kt::lvector i, kt::zvector y, kt::lvector j) {
    return std::tuple(take(x, i) * 2.0, take(y, j) * 3.0);
  };
  xt::xtensor<number, 1> const x = ramp(500) * number(1, 2), y = x * 2.0;
  xt::xtensor<std::int64_t, 1> const i = xt::arange<std::int64_t>(2000) % 500;
  auto wrong = i;
  wrong(300) = 500;
  auto on_device = kt::cuda::function_on<device>(f);
  CHECK_THROWS_AS(on_device(x, i, x, wrong), kt::value_error);
  require_same(on_device(y, i, x, i), kt::function(f)(y, i, x, i), 64);
}

TEST_CASE("device indexing: positions of extrema, and their gradients") {
  stays_on_device([](kt::dmatrix x) { return std::tuple(argmax(x, kt::axis<1>), argmin(x, kt::axis<0>)); },
                  grid(7, 40));
  stays_on_device([](kt::imatrix x) { return argmax(x, kt::axis<1>); }, grid<std::int32_t>(30, 3));
  stays_on_device([](kt::dmatrix x) { return grad(sum(max(x, kt::axis<1>)), x); }, grid(7, 40));
  stays_on_device([](kt::dmatrix x) { return grad(sum(min(x, kt::axis<0>)) + max(x), x); }, grid(7, 40));
  xt::xtensor<double, 2> equal = xt::ones<double>({4, 70});
  stays_on_device([](kt::dmatrix x) { return std::tuple(argmax(x, kt::axis<1>), grad(max(x), x)); }, equal);
  equal(2, 50) = std::numeric_limits<double>::quiet_NaN();
  stays_on_device([](kt::dmatrix x) { return argmax(x, kt::axis<1>); }, equal);
}

TEST_CASE("device indexing: joined, stacked, diagonal") {
  stays_on_device([](kt::dmatrix x, kt::dmatrix y) { return concatenate<0>(x * 2, y, x + 1); }, grid(3, 5), grid(2, 5));
  stays_on_device([](kt::dmatrix x, kt::dmatrix y) { return concatenate<1>(x * 2, y.T()); }, grid(3, 5), grid(2, 3));
  stays_on_device([](kt::dvector x) { return stack(sum(x), max(x), x(0)); }, ramp(40));
  stays_on_device([](kt::dmatrix x) { return std::tuple(diag(x), trace(x)); }, grid(6, 6));
  stays_on_device([](kt::dvector x) { return diag(x * 2); }, ramp(6));
  stays_on_device([](kt::dvector x) { return x * cast<double>(arange(x.shape(0))); }, ramp(300));
}

TEST_CASE("device indexing: batches of products") {
  stays_on_device([](kt::dtensor3 a, kt::dtensor3 b) { return batched_dot(a, b); }, cube(4, 3, 5), cube(4, 5, 2));
  stays_on_device([](kt::dtensor3 a, kt::dtensor3 b) { return grad(sum(sqr(batched_dot(a, b))), a); },
                  cube(4, 3, 5), cube(4, 5, 2));
  // Of vectors, and in layouts that have to be packed.
  stays_on_device([](kt::dtensor3 a, kt::dmatrix v) {
    auto turned = kt::dimshuffle<2, 1, 0>(a);
    return std::tuple(batched_dot(a, v), batched_dot(v, kt::dimshuffle<0, 2, 1>(a)), batched_dot(v, v),
                      batched_dot(turned(kt::slice(kt::none, kt::none, -1)), kt::dimshuffle<1, 0, 2>(a)));
  }, cube(4, 3, 3), grid(4, 3));
}

TEST_CASE("device indexing: parts are computed where they come to lie") {
  auto const step = [](kt::dmatrix u) {
    auto const inner = u(kt::slice(1, -1), kt::slice(1, -1));
    return set_subtensor(inner, 0.5 * (inner + u(kt::slice(2, kt::none), kt::slice(1, -1))));
  };
  stays_on_device(step, grid(9, 6));
  stays_on_device(step, grid(2, 1));
  stays_on_device([](kt::dmatrix x) { return pad(exp(x), kt::padding<1, 2>); }, grid(3, 5));
  stays_on_device([](kt::dmatrix x, kt::dmatrix y) {
    return concatenate<1>(softmax(x, kt::axis<1>), exp(y), sqr(x));
  }, grid(3, 5), grid(3, 2));
  // Complex functions are the host's, and moves the device's.
  agree([](kt::zvector z) {
    return set_subtensor(z(kt::slice(1, kt::none)), exp(z(kt::slice(kt::none, -1))));
  }, xt::xtensor<std::complex<double>, 1>{{1, 2}, {0.5, -1}, {0, 1}, {-1, 0.25}});
  agree([](kt::zmatrix z) { return concatenate<1>(exp(z), z, z * z); },
        xt::xtensor<std::complex<double>, 2>{{{1, 2}, {0.5, -1}}, {{0, 1}, {-1, 0.25}}});
}
