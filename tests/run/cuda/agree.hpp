// A function on the guarded device, beside the same on the CPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include "guarded_device.hpp"

#include <cmath>
#include <limits>

namespace testing {

/// Whether two numbers differ by at most so many units, relative to 1 + |b|.
template <class T>
void require_close(T a, T b, double units) {
  if constexpr (kroton::core::is_complex_number<T>) {
    require_close(a.real(), b.real(), units);
    require_close(a.imag(), b.imag(), units);
  } else if constexpr (std::is_floating_point_v<T>) {
    // SIMD functions of the CPU differ from the C library's by a few units in the last place.
    auto const tolerance = units * static_cast<double>(std::numeric_limits<T>::epsilon());
    bool const close = a == b || (std::isnan(a) && std::isnan(b)) ||
                       std::abs(a - b) <= tolerance * (1 + std::abs(b));
    if (!close) FAIL_CHECK(a << " on the device, " << b << " on the CPU, which is " << b - a << " more");
  } else {
    CHECK(+a == +b);
  }
}
template <class T, int Rank, class Device>
void require_same(kroton::cuda::array<T, Rank, Device> const& value,
                  typename kroton::cuda::array<T, Rank, Device>::container const& cpu,
                  double units) {
  auto const host = value.get_value();
  if constexpr (Rank == 0) {
    require_close(host, cpu, units);
  } else {
    REQUIRE(host.shape() == cpu.shape());
    for (std::size_t i = 0; i < cpu.size(); ++i) require_close(host.flat(i), cpu.flat(i), units);
  }
}
template <class... T, class... U>
void require_same(std::tuple<T...> const& device_values, std::tuple<U...> const& cpu,
                  double units) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (require_same(std::get<I>(device_values), std::get<I>(cpu), units), ...);
  }(std::index_sequence_for<T...>{});
}

/// Whether both give the same, also when they are called again. Sums of products may be taken in
/// another order, and by an order that depends on the processor.
template <class F, class... A>
void agree(F f, A const&... arguments) {
  auto on_device = kroton::cuda::function_on<device>(f);
  auto const expected = kroton::function(f)(arguments...);
  require_same(on_device(arguments...), expected, 128);
  require_same(on_device(arguments...), expected, 128);
}

/// Agrees, and moves nothing between the sides but the arguments and a word that tells of faults.
template <class F, class... A>
void stays_on_device(F f, A const&... arguments) {
  agree(f, arguments...);
  auto on_device = kroton::cuda::function_on<device>(f);
  using kroton::cpu::element_t;
  using kroton::cpu::static_rank_of;
  auto const held =
      std::tuple(kroton::cuda::array<element_t<A>, static_rank_of<A>, device>(arguments)...);
  auto const call = [&](auto const&... a) { (void)on_device(a...); };
  std::apply(call, held);
  device_counts const counts = guarded_memory::counted([&] { std::apply(call, held); });
  CHECK(counts.sent == 0);
  CHECK(counts.fetched <= 1);
}

/// The launches of a call that is not the first.
template <class F, class... A>
int launches_of(F f, A const&... arguments) {
  auto on_device = kroton::cuda::function_on<device>(f);
  (void)on_device(arguments...);
  return guarded_memory::counted([&] { (void)on_device(arguments...); }).launches;
}

template <class T = double>
xt::xtensor<T, 1> ramp(std::size_t n) {
  xt::xtensor<T, 1> x(std::array<std::size_t, 1>{n});
  for (std::size_t i = 0; i < n; ++i)
    x(i) = static_cast<T>((static_cast<int>(i * 7919 % 997) - 400) /
                          (std::is_floating_point_v<T> ? 100.0 : 40.0));
  return x;
}
template <class T = double>
xt::xtensor<T, 2> grid(std::size_t n, std::size_t m) {
  xt::xtensor<T, 2> x(std::array<std::size_t, 2>{n, m});
  for (std::size_t i = 0; i < n * m; ++i) {
    double const wave = std::sin(static_cast<double>(i));
    x.flat(i) = static_cast<T>(std::is_floating_point_v<T> ? wave : 40 * wave);
  }
  return x;
}
template <class T = double>
xt::xtensor<T, 3> cube(std::size_t n, std::size_t m, std::size_t k) {
  xt::xtensor<T, 3> x(std::array<std::size_t, 3>{n, m, k});
  for (std::size_t i = 0; i < n * m * k; ++i)
    x.flat(i) = static_cast<T>(std::cos(static_cast<double>(i)));
  return x;
}

}  // namespace testing
