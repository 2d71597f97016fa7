// Streams of random numbers in functions on a device: the numbers are the CPU's, and the stream
// advances.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace testing;

TEST_CASE("device streams: draws of every generator are the CPU's") {
  constexpr auto f = [](kt::dmatrix x, kt::rng r) {
    auto noise = r.normal(x.shape(0), x.shape(1));
    return std::tuple(x + noise, sum(r.uniform(5)));
  };
  auto const same = [&](auto stream, auto twin) {
    auto on_device = kt::cuda::function_on<device>(f, stream);
    auto on_cpu = kt::function(f, twin);
    for (int i = 0; i < 3; ++i) require_same(on_device(grid(4, 5)), on_cpu(grid(4, 5)), 64);
  };
  same(kt::philox_streams(42), kt::philox_streams(42));
  same(kt::random_streams(42), kt::random_streams(42));
  same(kt::mrg_random_streams(42), kt::mrg_random_streams(42));
}

TEST_CASE("device streams: Philox draws on the device") {
  constexpr auto f = [](kt::fvector x, kt::rng r) {
    return std::tuple(x * cast<float>(r.uniform(x.shape(0)) < 0.5), r.normal(3, 37), r.uniform<float>(45), r.normal<float>(70));
  };
  kt::philox_streams stream(7), twin(7);
  auto on_device = kt::cuda::function_on<device>(f, stream);
  auto on_cpu = kt::function(f, twin);
  static_assert(kt::cuda::transfers(on_device).to_host + kt::cuda::transfers(on_device).to_device == 0);
  device_array<float, 1> const x(ramp<float>(130));
  for (int i = 0; i < 3; ++i) {
    decltype(on_device(x)) drawn;
    device_counts const counts = guarded_memory::counted([&] { drawn = on_device(x); });
    CHECK(counts.sent + counts.fetched == 0);
    require_same(drawn, on_cpu(ramp<float>(130)), 64);
  }
}

TEST_CASE("device streams: beside variables of the device") {
  kt::philox_streams stream(1);
  device_shared<double, 1> w(ramp(20));
  auto step = kt::cuda::function_on<device>(
      [](kt::dvector x, kt::dvector v, kt::rng r) {
        auto kept = where(r.uniform(x.shape(0)) < 0.5, x, 0);
        return kt::outputs(sum(kept)).update(v, v + kept);
      }, w, stream);
  double const first = step(ramp(20)), second = step(ramp(20));
  CHECK(first != second);
  CHECK(xt::sum(w.get_value())() == Approx(xt::sum(ramp(20))() + first + second));
}

TEST_CASE("device streams: draws that the CPU would make in the loop that reads them") {
  constexpr auto f = [](kt::dvector x, kt::rng r) {
    return std::tuple(x + r.uniform(x.shape(0)), r.normal(2000) > 0);
  };
  auto on_device = kt::cuda::function_on<device>(f, kt::philox_streams(42));
  auto on_cpu = kt::function(f, kt::philox_streams(42));
  for (int i = 0; i < 2; ++i) require_same(on_device(ramp(3000)), on_cpu(ramp(3000)), 64);
}
