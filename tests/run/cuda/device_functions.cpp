// Functions on a device are kt::function with a target: targets of `into`, generic lambdas, and an op of the user's.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/cuda/emulated.hpp>
#include <kroton/kroton.hpp>

namespace kt = kroton;
using namespace kroton;

namespace {

using device = kt::cuda::emulated<32, 4>;
using device_vector = kt::cuda::array<double, 1, device>;

struct cube : kt::elementwise<"cube", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return x * x * x;
  }
};

}  // namespace

TEST_CASE("cuda: a function on a device is kt::function in a mode of that target") {
  constexpr auto f = [](kt::dvector x) { return kt::call<cube>(x); };
  auto on_device = kt::cuda::function_on<device>(f);
  auto named = kt::function(f, kt::cuda::mode_on<device>{});
  CHECK(std::is_same_v<decltype(on_device), decltype(named)>);
  xt::xtensor<double, 1> const y = named(xt::xtensor<double, 1>{1, 2, 3});
  CHECK((y == xt::xtensor<double, 1>{1, 8, 27}));
}

TEST_CASE("cuda: generic lambdas and modes") {
  auto f = kt::cuda::function_on<device, kt::dvector, kt::dscalar>([](auto x, auto a) { return a * x; }, kt::mode::ieee);
  CHECK((f(xt::xtensor<double, 1>{1, 2}, 3).get_value() == xt::xtensor<double, 1>{3, 6}));
}

TEST_CASE("cuda: into arrays of the device, also those that are arguments") {
  auto f = kt::cuda::function_on<device>([](kt::dvector x, kt::dvector y) { return std::tuple(x + y, y); });
  device_vector a(xt::xtensor<double, 1>{1, 2}), b(xt::xtensor<double, 1>{3, 4});
  f.into(std::tie(b, a), a, b);
  CHECK((b.get_value() == xt::xtensor<double, 1>{4, 6}));
  CHECK((a.get_value() == xt::xtensor<double, 1>{3, 4}));
  CHECK_THROWS_AS(f.into(std::tie(a, a), a, b), kt::value_error);
}

TEST_CASE("cuda: memory of others, with any strides") {
  auto f = kt::cuda::function_on<device>([](kt::dmatrix x) { return std::tuple(x * 2, sum(x)); });
  kt::cuda::array<double, 2, device> const owner(xt::xtensor<double, 2>{{1, 2, 3}, {4, 5, 6}});
  auto const view = kt::cuda::array<double, 2, device>::view(owner.data(), 3, 2).strided(1, 3);
  auto const [turned, total] = f(view);
  CHECK((turned.get_value() == xt::xtensor<double, 2>{{2, 8}, {4, 10}, {6, 12}}));
  CHECK(total.get_value() == 21);
  // Written where the argument lies.
  auto twice = kt::cuda::function_on<device>([](kt::dmatrix x) { return dot(x, x.T()) * 2; });
  auto square = kt::cuda::array<double, 2, device>::view(owner.data(), 2, 2);
  twice.into(square, owner);
  CHECK((owner.get_value() == xt::xtensor<double, 2>{{28, 64, 64}, {154, 5, 6}}));
  auto other = kt::cuda::array<double, 2, device>::view(owner.data(), 1, 2);
  CHECK_THROWS_AS(twice.into(other, owner), kt::shape_error);
}

TEST_CASE("cuda: results are not lost by views that are written where arguments lie") {
  device_vector x(xt::xtensor<double, 1>{1, 2, 3}), y;
  auto same = device_vector::view(x.data(), 3);
  auto f = kt::cuda::function_on<device>([](kt::dvector a) { return std::tuple(a * 2, a); });
  f.into(std::tie(same, y), x);
  CHECK((x.get_value() == xt::xtensor<double, 1>{2, 4, 6}));
  CHECK((y.get_value() == xt::xtensor<double, 1>{1, 2, 3}));
  auto turn = kt::cuda::function_on<device>(
      [](kt::dvector a) { return a(kt::slice(kt::none, kt::none, -1)); });
  turn.into(same, x);
  CHECK((x.get_value() == xt::xtensor<double, 1>{6, 4, 2}));
  kt::cuda::shared<double, 1, device> last(xt::xtensor<double, 1>{0, 0, 0});
  auto keep = kt::cuda::function_on<device>(
      [](kt::dvector a, kt::dvector b) { return kt::outputs(a + 1).update(b, a); }, last);
  keep.into(same, x);
  CHECK((x.get_value() == xt::xtensor<double, 1>{7, 5, 3}));
  CHECK((last.get_value() == xt::xtensor<double, 1>{6, 4, 2}));
  auto other = device_vector::view(x.data(), 3);
  CHECK_THROWS_AS(f.into(std::tie(same, other), x), kt::value_error);
}

TEST_CASE("cuda: givens, default updates and copies") {
  using vector = xt::xtensor<double, 1>;
  kt::cuda::shared<double, 1, device> data(vector{1, 2, 3, 4}), w(vector{1, 1}), v(vector{5, 5});
  kt::cuda::shared<double, 0, device> rate(0.5);
  auto fading = kt::with_default_update(
      w, [](kt::dvector w, kt::dscalar r) { return r * w; }, rate);
  auto f = kt::cuda::function_on<device>(
      [](kt::dvector x, kt::dvector w) { return x + w; },
      kt::givens<0>([](kt::lscalar i, kt::dvector all) { return all(kt::slice(i, i + 2)); }, data),
      fading);
  vector y = f(1);
  CHECK((y == vector{3, 4}));
  CHECK((w.get_value() == vector{0.5, 0.5}));
  y = f.copy(kt::swap(w, v))(2);
  CHECK((y == vector{8, 9}));
  CHECK((v.get_value() == vector{2.5, 2.5}));
  y = f.copy(kt::delete_updates)(0);
  CHECK((y == vector{1.5, 2.5}));
  CHECK((w.get_value() == vector{0.5, 0.5}));
}
