// Numbers of Philox in vectors against its blocks one by one, from any element on.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/cpu/random/philox_fill.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

using namespace kroton;

TEST_CASE("random: vectors of Philox have the numbers of its blocks", "[random]") {
  // Where the lower half of the number of the draw overflows
  math::philox_place const place{42, 7, 0xFFFFFFFFu};
  auto const uniform = [&](std::ptrdiff_t e) {
    auto const high = place.block(static_cast<std::uint64_t>(e) / 4),
               low = place.after(1).block(static_cast<std::uint64_t>(e) / 4);
    return math::unit_double(high.word[e % 4], low.word[e % 4]);
  };
  for (std::ptrdiff_t const first : {0, 1, 3, 31, 32, 511, 100000})
    for (std::size_t const count : {1, 2, 7, 31, 33, 64, 512, 513, 2048, 3001}) {
      std::vector<double> d(count), z(count);
      std::vector<float> f(count);
      auto const n = static_cast<std::ptrdiff_t>(count);
      cpu::philox_fill<false>(place, first, n, d.data());
      cpu::philox_fill<false>(place, first, n, f.data());
      cpu::philox_fill<true>(place, first, n, z.data());
      int others = 0;
      for (std::size_t i = 0; i < count; ++i) {
        auto const e = first + static_cast<std::ptrdiff_t>(i);
        auto const pair = e / 32 * 32 + e % 16;
        double const radius = std::sqrt(-2 * std::log(1 - uniform(pair))),
                     angle = 2 * std::acos(-1.0) * uniform(pair + 16),
                     normal = radius * (e % 32 < 16 ? std::cos(angle) : std::sin(angle));
        others += d[i] != uniform(e) ? 1 : 0;
        others +=
            f[i] != math::unit_float(place.block(static_cast<std::uint64_t>(e) / 4).word[e % 4])
                ? 1
                : 0;
        others += std::abs(z[i] - normal) > 1e-13 ? 1 : 0;
      }
      INFO(first << ", " << count);
      CHECK(others == 0);
    }
}
