// Shared variables on a device: training steps are those of the CPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

#include <boost/hana/define_struct.hpp>

namespace kt = kroton;
using namespace kroton;
using namespace testing;

namespace {

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::dvector, b));
};

constexpr auto logistic_step = [](kt::dmatrix x, kt::dvector y, kt::dvector w, kt::dscalar b) {
  auto p = 1 / (1 + exp(-dot(x, w) - b));
  auto cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(w * w);
  auto [gw, gb] = grad(cost, w, b);
  return kt::outputs(cost).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};
constexpr auto perceptron_step = [](kt::fmatrix x, kt::lvector y, kt::fmatrix w1, kt::fvector b1,
                                    kt::fmatrix w2, kt::fvector b2) {
  auto h = tanh(dot(x, w1) + b1);
  auto cost = mean(categorical_crossentropy(softmax(dot(h, w2) + b2), y));
  auto [g1, h1, g2, h2] = grad(cost, w1, b1, w2, b2);
  return kt::outputs(cost)
      .update(w1, w1 - 0.1f * g1)
      .update(b1, b1 - 0.1f * h1)
      .update(w2, w2 - 0.1f * g2)
      .update(b2, b2 - 0.1f * h2);
};

}  // namespace

TEST_CASE("device training: logistic regression") {
  xt::xtensor<double, 2> const x = grid(50, 12);
  xt::xtensor<double, 1> const y = xt::eval(xt::cast<double>(ramp(50) > 0));
  xt::xtensor<double, 1> const start = ramp(12);
  kt::shared<double, 1> w(start);
  kt::shared<double, 0> b(0.5);
  device_shared<double, 1> dw(start);
  device_shared<double, 0> db(0.5);
  auto train = kt::function(logistic_step, w, b);
  auto on_device = kt::cuda::function_on<device>(logistic_step, dw, db);
  for (int i = 0; i < 10; ++i) {
    double const cost = on_device(x, y);
    CHECK(cost == Approx(train(x, y)).epsilon(1e-10));
  }
  CHECK(xt::allclose(dw.get_value(), w.get_value(), 1e-10));
  CHECK(db.get_value() == Approx(b.get_value()).epsilon(1e-10));
  // Nothing waits for the device before the cost is asked for.
  device_array<double, 2> const xd(x);
  device_array<double, 1> const yd(y);
  device_counts const counts = guarded_memory::counted([&] { (void)on_device(xd, yd); });
  CHECK(counts.fetched == 0);
  CHECK(counts.sent == 0);
  CHECK(counts.launches == 5);
  CHECK(counts.allocated == 1);  // the cost
}

TEST_CASE("device training: a perceptron") {
  auto const x = grid<float>(30, 12);
  xt::xtensor<std::int64_t, 1> y(std::array<std::size_t, 1>{30});
  for (std::size_t i = 0; i < 30; ++i) y(i) = static_cast<std::int64_t>(i * i % 5);
  auto const w1 = grid<float>(12, 20), w2 = grid<float>(20, 5);
  xt::xtensor<float, 1> const b1 = xt::zeros<float>({20}), b2 = xt::zeros<float>({5});
  kt::shared<float, 2> cw1(w1), cw2(w2);
  kt::shared<float, 1> cb1(b1), cb2(b2);
  device_shared<float, 2> dw1(w1), dw2(w2);
  device_shared<float, 1> db1(b1), db2(b2);
  auto train = kt::function(perceptron_step, cw1, cb1, cw2, cb2);
  auto on_device = kt::cuda::function_on<device>(perceptron_step, dw1, db1, dw2, db2);
  for (int i = 0; i < 5; ++i) {
    float const cost = on_device(x, y);
    CHECK(cost == Approx(train(x, y)).epsilon(1e-5));
  }
  CHECK(xt::allclose(dw1.get_value(), cw1.get_value(), 1e-4, 1e-5));
  CHECK(xt::allclose(dw2.get_value(), cw2.get_value(), 1e-4, 1e-5));
  CHECK(xt::allclose(db1.get_value(), cb1.get_value(), 1e-4, 1e-5));
  CHECK(xt::allclose(db2.get_value(), cb2.get_value(), 1e-4, 1e-5));
}

TEST_CASE("device training: variables are exchanged, and become views of themselves") {
  constexpr auto swap = [](kt::dvector a, kt::dvector b) {
    return kt::outputs().update(a, b).update(b, a);
  };
  device_shared<double, 1> a(xt::xtensor<double, 1>{1, 2}), b(xt::xtensor<double, 1>{3, 4, 5});
  kt::cuda::function_on<device>(swap, a, b)();
  CHECK((a.get_value() == xt::xtensor<double, 1>{3, 4, 5}));
  CHECK((b.get_value() == xt::xtensor<double, 1>{1, 2}));
  kt::cuda::function_on<device>(
      [](kt::dvector v) { return kt::outputs(sum(v)).update(v, v(kt::slice(kt::none, kt::none, -1))); },
      a)();
  CHECK((a.get_value() == xt::xtensor<double, 1>{5, 4, 3}));
  // An argument is the variable's own memory, which the step writes.
  auto add = kt::cuda::function_on<device>(
      [](kt::dvector x, kt::dvector v) { return kt::outputs(x * 2).update(v, v + x); }, a);
  CHECK((add(a.storage()).get_value() == xt::xtensor<double, 1>{10, 8, 6}));
  CHECK((a.get_value() == xt::xtensor<double, 1>{10, 8, 6}));
}

TEST_CASE("device training: a failing call leaves variables as they were") {
  device_shared<double, 1> w(xt::xtensor<double, 1>{1, 2, 3});
  auto f = kt::cuda::function_on<device>(
      [](kt::dvector x, kt::dvector v) { return kt::outputs(sum(x * v)).update(v, v + x); }, w);
  CHECK_THROWS_AS(f(ramp(4)), kt::shape_error);
  CHECK((w.get_value() == xt::xtensor<double, 1>{1, 2, 3}));
}

TEST_CASE("device training: values are set, and read back") {
  device_shared<float, 2> w(xt::xtensor<double, 2>{{1, 2}});
  CHECK((w.get_value() == xt::xtensor<float, 2>{{1, 2}}));
  w.set_value(xt::xtensor<float, 2>{{1}, {2}, {3}});
  CHECK(w.shape() == std::array<std::size_t, 2>{3, 1});
  device_shared<std::int64_t, 0> n(3);
  auto f = kt::cuda::function_on<device>(
      [](kt::dvector x, kt::lscalar k) {
        return kt::outputs(x(kt::slice(0, k))).update(k, k + 1);
      }, n);
  CHECK((f(xt::xtensor<double, 1>{1, 2, 3, 4, 5}).get_value() == xt::xtensor<double, 1>{1, 2, 3}));
  CHECK((f(xt::xtensor<double, 1>{1, 2, 3, 4, 5}).get_value() == xt::xtensor<double, 1>{1, 2, 3, 4}));
  CHECK(n.get_value() == 5);
  auto g = kt::cuda::function_on<device>(
      [](kt::dscalar x, kt::lscalar k) { return kt::outputs(full(x, k, 2)).update(k, k + 1); }, n);
  CHECK((g(0.5).get_value() == 0.5 * xt::ones<double>({5, 2})));
  CHECK((g(0.5).get_value() == 0.5 * xt::ones<double>({6, 2})));
}

TEST_CASE("device training: structs of variables") {
  constexpr auto step = [](kt::dmatrix x, layer p) {
    auto cost = mean(sqr(tanh(dot(x, p.W) + p.b)));
    return kt::outputs(cost).update(p, p - 0.1 * grad(cost, p));
  };
  kt::cuda::shared<layer, -1, device> weights(grid(4, 3), ramp(3));
  kt::shared<layer> same(grid(4, 3), ramp(3));
  auto on_device = kt::cuda::function_on<device>(step, weights);
  auto on_cpu = kt::function(step, same);
  for (int i = 0; i < 3; ++i) {
    double const cost = on_device(grid(10, 4));
    CHECK(cost == Approx(on_cpu(grid(10, 4))).epsilon(1e-10));
  }
  CHECK(xt::allclose(kt::get<&layer::W>(weights.get_value()), kt::get<&layer::W>(same.get_value())));
  CHECK(xt::allclose(kt::get<&layer::b>(weights.get_value()), kt::get<&layer::b>(same.get_value())));
  // A struct as a result is one on the host.
  auto slopes = kt::cuda::function_on<device>(
      [](kt::dmatrix x, layer p) { return grad(mean(sqr(dot(x, p.W) + p.b)), p); }, weights);
  auto const given = slopes(grid(10, 4));
  CHECK(kt::get<&layer::W>(given).shape() == std::array<std::size_t, 2>{4, 3});
}

TEST_CASE("device training: a step of the host updates a variable of the device in place") {
  using number = std::complex<double>;
  xt::xtensor<number, 1> const start{number(1, 2), number(-3, 4), number(0, 5)};
  device_shared<number, 1> w(start);
  auto f = kt::cuda::function_on<device>(
      [](kt::zvector x, kt::zvector v) { return kt::outputs(x * 2.0).update(v, v * 2.0 + x); }, w);
  CHECK((f(start).get_value() == xt::eval(start * 2.0)));
  CHECK((w.get_value() == xt::eval(start * 3.0)));
  CHECK((f(w.storage()).get_value() == xt::eval(start * 6.0)));
  CHECK((w.get_value() == xt::eval(start * 9.0)));
}

TEST_CASE("cuda: what is checkpointed is computed again on the device") {
  constexpr auto f = [](kt::dmatrix x, kt::dmatrix w) {
    constexpr auto layer = kt::checkpointed([](auto v, auto u) { return tanh(dot(v, u)); });
    return grad(sum(sqr(layer(layer(x, w), w))), x, w);
  };
  agree(f, xt::eval(xt::reshape_view(ramp(12), {3, 4})), xt::eval(xt::reshape_view(ramp(16), {4, 4})));
  // What the second computation waits for stays there.
  auto const g = kt::cuda::function_on<device>(f);
  static_assert(kt::cuda::transfers(g).to_host == 0);
}
