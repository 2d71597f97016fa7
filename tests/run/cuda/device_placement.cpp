// What has no form for a device runs on the host, between transfers, with the same result.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

#include <sstream>
#include <string>

namespace kt = kroton;
using namespace kroton;
using namespace testing;

TEST_CASE("device placement: steps of the host between those of the device") {
  agree([](kt::dvector x) { return sort(x * 2) + 1; }, ramp(40));
  agree([](kt::dvector x) { return cumsum(sort(x)) * x; }, ramp(40));
  agree([](kt::dmatrix a) {
    auto s = dot(a.T(), a) + 3 * eye(4);
    auto l = cholesky(s);
    return std::tuple(l.T() * 2, log(det(s)), solve(s, a.T()));
  }, grid(9, 4));
  agree([](kt::dmatrix x) { return concatenate<0>(x * 2, sort(x), x + 1); }, grid(5, 4));
  agree([](kt::dmatrix x) { return concatenate<1>(x * 2, sort(x), x + 1); }, grid(5, 4));
  agree([](kt::dmatrix x) { return std::tuple(argmax(x, kt::axis<1>), max(x, kt::axis<1>)); },
        grid(5, 14));
}

TEST_CASE("device placement: gathering and scattering") {
  xt::xtensor<std::int64_t, 1> const at{3, 0, -1, 3};
  agree([](kt::dmatrix x, kt::lvector i) { return take(x, i, kt::axis<0>) * 2; }, grid(7, 5), at);
  agree([](kt::dvector x, kt::lvector i) { return sqr(x(i)) + 1; }, ramp(200), at);
  agree([](kt::dmatrix x, kt::lvector i) { return grad(sum(sqr(take(x, i, kt::axis<0>))), x); }, grid(7, 5), at);
  auto f = kt::cuda::function_on<device>([](kt::dvector x, kt::lvector i) { return x(i); });
  CHECK_THROWS_AS(f(ramp(3), at), kt::value_error);
}

TEST_CASE("device placement: views, and writes to parts") {
  agree([](kt::dmatrix x) { return x(0) * x; }, grid(5, 5));
  agree([](kt::dvector x) { return x(0) * x + x(-1); }, ramp(9));
  agree([](kt::dvector x) { return std::tuple(x(2), x(kt::slice(1, 4))); }, ramp(9));
  agree([](kt::dmatrix x) { return reshape<1>(x.T(), -1) * 2; }, grid(5, 7));
  agree([](kt::dmatrix x) { return reshape<3>(x(kt::slice(1, 5), kt::slice(kt::none, kt::none, 2)), 2, 2, -1) + 1; },
        grid(5, 8));
  agree([](kt::dmatrix x, kt::dvector v) { return set_subtensor(x(1), v * 2); }, grid(4, 6), ramp(6));
  agree([](kt::dmatrix x, kt::dvector v) { return inc_subtensor(x(kt::slice(0, 3)), v); }, grid(4, 6), ramp(6));
  agree([](kt::dvector x, kt::dscalar a) { return set_subtensor(x(1), a); }, ramp(6), 0.5);
  agree([](kt::dvector x) { return inc_subtensor(x(1), sum(x)); }, ramp(6));
  agree([](kt::dvector x) { return grad(sqr(x(2)) * sum(x(kt::slice(0, 3))), x); }, ramp(6));
  agree([](kt::zvector x) { return set_subtensor(x(1), x(0)); },
        xt::eval(ramp(6) * std::complex<double>(1, 2)));
}

TEST_CASE("device placement: choices and checks read scalars of either side") {
  constexpr auto f = [](kt::dvector x, kt::dscalar a) {
    return ifelse(sum(x) > a, x * 2, sort(x));
  };
  agree(f, ramp(30), -1e9);
  agree(f, ramp(30), 1e9);
  agree([](kt::dvector x, kt::dscalar a) { return ifelse(a > 0, sum(x), a); }, ramp(30), 1.0);
  agree([](kt::dvector x, kt::dscalar a) { return ifelse(a > 0, sum(x), a); }, ramp(30), -1.0);
  agree([](kt::dvector x) { return x(kt::slice(0, cast<std::int64_t>(abs(x(0))) + 1)) * 2; }, ramp(30));
}

TEST_CASE("device placement: loops, complex numbers, transforms, draws") {
  agree([](kt::dvector x) {
    return scan([](auto v, auto s) { return s + v * tanh(s); }, kt::sequences(x), kt::outputs_info(0.5));
  }, ramp(30));
  agree([](kt::dmatrix x) { return kt::vmap([](kt::dvector row) { return sum(sort(row) * sum(row)); })(x); },
        grid(5, 6));
  agree([](kt::zvector z) { return std::tuple(exp(z) * 2, abs(z), sum(z)); },
        xt::eval(ramp(20) * std::complex<double>(0.1, 0.2)));
  agree([](kt::dvector x) { return abs(rfft(x * 2)); }, ramp(64));
}

TEST_CASE("device placement: scalars") {
  agree([](kt::dscalar a, kt::dvector x) { return std::tuple(exp(a) * x, a * a, x.shape(0)); }, 0.5,
        ramp(10));
  agree([](kt::dscalar a) { return std::tuple(exp(a), a); }, 0.5);
  agree([](kt::dvector x) { return std::tuple(2 / sum(x), x / sum(x)); }, ramp(30));
  agree([](kt::fvector x, kt::dscalar a) { return x * cast<float>(a) + sum(x) * cast<float>(a * 2); },
        ramp<float>(30), 0.3);
  // A result of one function is an argument of another.
  auto f = kt::cuda::function_on<device>([](kt::dvector x) { return sum(x); });
  auto g = kt::cuda::function_on<device>([](kt::dvector x, kt::dscalar s) { return x / s; });
  auto const x = xt::eval(ramp(30) + 1);
  CHECK(xt::allclose(g(x, f(x)).get_value(), x / xt::sum(x)()));
  double total = 0;
  f.into(total, x);
  CHECK(total == Approx(xt::sum(x)()));
  device_array<double, 0> kept;
  f.into(kept, x);
  CHECK(kept.get_value() == Approx(xt::sum(x)()));
}

TEST_CASE("device placement: each value is transferred once") {
  // One matrix goes to the host for two steps, each result comes back.
  auto f = kt::cuda::function_on<device>([](kt::dmatrix x) {
    auto y = x * 2;
    return sort(y) + cumsum(y, kt::axis<0>);
  });
  device_array<double, 2> const x(grid(5, 6));
  device_counts const counts = guarded_memory::counted([&] { (void)f(x); });
  CHECK(counts.fetched == 1);
  CHECK(counts.sent == 2);
  // Softmax needs nobody's help.
  auto g = kt::cuda::function_on<device>([](kt::dmatrix x) { return softmax(x); });
  (void)g(x);
  device_counts const of_softmax = guarded_memory::counted([&] { (void)g(x); });
  CHECK(of_softmax.launches == 1);
  CHECK(of_softmax.fetched + of_softmax.sent == 0);
  CHECK(of_softmax.allocated == 1);
}

TEST_CASE("device placement: transfers are counted by the compiler, and can be forbidden") {
  auto f = kt::cuda::function_on<device>([](kt::dmatrix x) {
    auto y = x * 2;
    return sort(y) + cumsum(y, kt::axis<0>);
  });
  static_assert(kt::cuda::transfers(f).to_host == 1);
  static_assert(kt::cuda::transfers(f).to_device == 2);
  auto g = kt::cuda::function_on<device>([](kt::dmatrix x) { return softmax(x); },
                                         kt::mode::fast_run.no_transfers());
  static_assert(kt::cuda::transfers(g).to_host + kt::cuda::transfers(g).to_device == 0);
  device_shared<double, 1> w(ramp(5));
  auto h = kt::cuda::function_on<device>(
      [](kt::dmatrix x, kt::dscalar a, kt::dvector v) {
        return kt::outputs(solve(x, v)).update(v, v * a + sum(x));
      }, w);
  xt::xtensor<double, 2> host = grid(5, 5);
  for (std::size_t i = 0; i < 5; ++i) host(i, i) += 3;
  device_array<double, 2> const x(host);
  (void)h(x, 2);
  device_counts const counts = guarded_memory::counted([&] { (void)h(x, 2); });
  CHECK(counts.fetched == kt::cuda::transfers(h).to_host);
  CHECK(counts.sent == kt::cuda::transfers(h).to_device);
  CHECK(kt::cuda::transfers(h).to_host == 2);
  CHECK(kt::cuda::transfers(h).to_device == 1);
  std::ostringstream text;
  kt::debugprint(h, text);
  CHECK(text.str().find("@device") != std::string::npos);
  CHECK(text.str().find("@host") != std::string::npos);
  CHECK(text.str().find("transfers: 2 to the host, 1 to the device") != std::string::npos);
}

TEST_CASE("device placement: a deterministic mode leaves no sum's order to the device") {
  constexpr auto f = [](kt::dmatrix x, kt::lvector i) {
    return grad(sum(exp(take(x, i, kt::axis<0>))), x);
  };
  auto exact = kt::cuda::function_on<device>(f, kt::mode::fast_run.deterministic());
  auto fast = kt::cuda::function_on<device>(f);
  static_assert(kt::cuda::transfers(exact).to_device > kt::cuda::transfers(fast).to_device);
  xt::xtensor<std::int64_t, 1> const at{3, 0, -1, 3};
  require_same(exact(grid(7, 5), at), kt::function(f)(grid(7, 5), at), 8);
}
