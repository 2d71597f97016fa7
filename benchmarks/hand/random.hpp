// The limit's loops with random numbers: Philox4x32-10 and MRG31k3p, in registers from the counter
// or the state to the result.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <xsimd/xsimd.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace hand {

inline void philox_block(std::uint32_t const (&counter)[4], std::uint32_t const (&seed)[2],
                         std::uint32_t* to) {
  std::uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {seed[0], seed[1]};
  for (int round = 0; round < 10; ++round, k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u) {
    std::uint64_t const a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
    std::uint32_t const next[4] = {
        static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    std::memcpy(c, next, sizeof c);
  }
  std::memcpy(to, c, sizeof c);
}

/// Calls f(i, lanes) with 53-bit uniform numbers for elements from i on, `lanes` a batch, and f(i,
/// number) at the end. n is below 2^34, and `draw` below 2^32.
template <class F, class G>
void for_uniform(std::uint32_t seed, std::uint32_t draw, std::size_t n, [[maybe_unused]] F f, G g) {
  std::size_t i = 0;
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  // Eight blocks of each of the two draws at a time: 32 numbers.
  for (; i + 32 <= n; i += 32) {
    __m512i c[2][4];
    for (int d = 0; d < 2; ++d) {
      c[d][0] = _mm512_set1_epi64(draw + d);
      c[d][1] = c[d][3] = _mm512_setzero_si512();
      c[d][2] = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(i / 4)),
                                 _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    }
    std::uint32_t k0 = seed, k1 = 0;
    __m512i const m0 = _mm512_set1_epi64(0xD2511F53), m1 = _mm512_set1_epi64(0xCD9E8D57);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
      for (auto& b : c) {
        __m512i const p = _mm512_mul_epu32(b[0], m0), q = _mm512_mul_epu32(b[2], m1);
        b[0] =
            _mm512_ternarylogic_epi64(_mm512_srli_epi64(q, 32), b[1], _mm512_set1_epi64(k0), 0x96);
        b[2] =
            _mm512_ternarylogic_epi64(_mm512_srli_epi64(p, 32), b[3], _mm512_set1_epi64(k1), 0x96);
        b[1] = q;
        b[3] = p;
      }
    __m512d u[4];
    __m512i const low = _mm512_set1_epi64(0xFFFFFFFF);
    for (int w = 0; w < 4; ++w) {
      __m512i const high =
          _mm512_slli_epi64(_mm512_srli_epi64(_mm512_and_si512(c[0][w], low), 5), 26);
      u[w] = _mm512_mul_pd(_mm512_cvtepi64_pd(_mm512_or_si512(
                               high, _mm512_srli_epi64(_mm512_and_si512(c[1][w], low), 6))),
                           _mm512_set1_pd(0x1p-53));
    }
    __m512d const a = _mm512_unpacklo_pd(u[0], u[1]), b = _mm512_unpackhi_pd(u[0], u[1]),
                  d = _mm512_unpacklo_pd(u[2], u[3]), e = _mm512_unpackhi_pd(u[2], u[3]);
    // a, d: the numbers of blocks 0 2 4 6; b, e: those of blocks 1 3 5 7
    auto const pair = [](__m512d x, __m512d y, long long first) {
      __m512i const at = _mm512_set_epi64(first + 9, first + 8, first + 1, first, first + 9,
                                          first + 8, first + 1, first);
      return _mm512_permutex2var_pd(x, at, y);
    };
    using batch = xsimd::batch<double>;
    for (int k = 0; k < 4; ++k) {
      __m512d const even = pair(a, d, 2 * k), odd = pair(b, e, 2 * k);
      f(i + static_cast<std::size_t>(8 * k), batch(_mm512_mask_blend_pd(0xF0, even, odd)));
    }
  }
#endif
  for (; i < n; ++i) {
    std::uint32_t high[4], low[4];
    std::uint32_t const block = static_cast<std::uint32_t>(i / 4), key[2] = {seed, 0},
                        of_high[4] = {draw, 0, block, 0}, of_low[4] = {draw + 1, 0, block, 0};
    philox_block(of_high, key, high);
    philox_block(of_low, key, low);
    for (std::size_t const end = std::min(n, i / 4 * 4 + 4);; ++i) {
      g(i, ((high[i % 4] >> 5) * 0x1p26 + (low[i % 4] >> 6)) * 0x1p-53);
      if (i + 1 == end) break;
    }
  }
}

/// Theano's loop over sub-streams of MRG31k3p, in vectors: each number of the state of all
/// sub-streams lies in a row. `streams` is a multiple of 16.
class mrg_states {
 public:
  explicit mrg_states(std::uint32_t seed, std::size_t streams)
      : x_(6, std::vector<std::uint32_t>(streams)), streams_(streams) {
    std::uint64_t a[3][3] = {{1516919229, 758510237, 499121365},
                             {1884998244, 1516919229, 335398200},
                             {601897748, 1884998244, 358115744}},
                  b[3][3] = {{1228857673, 1496414766, 954677935},
                             {1133297478, 1407477216, 1496414766},
                             {2002613992, 1639496704, 1407477216}};
    std::uint64_t s[6] = {seed, seed, seed, seed, seed, seed};
    for (std::size_t k = 0; k < streams; ++k) {
      std::uint64_t next[6]{};
      for (std::size_t i = 0; i < 6; ++i) x_[i][k] = static_cast<std::uint32_t>(s[i]);
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          next[i] = (next[i] + a[i][j] * s[j]) % m1;
          next[3 + i] = (next[3 + i] + b[i][j] * s[3 + j]) % m2;
        }
      std::memcpy(s, next, sizeof s);
    }
  }
  void uniform(double* y, std::size_t n) {
    for (std::size_t row = 0; row < n; row += streams_)
      for (std::size_t i = 0, end = std::min(streams_, n - row); i < end; i += 16) {
        std::int32_t numbers[16];
        for (std::size_t k = 0; k < 16; k += batch::size) step(i + k, numbers + k);
        for (std::size_t k = 0; k < std::min<std::size_t>(16, end - i); ++k)
          y[row + i + k] = numbers[k] * 0x1p-31;
      }
  }

 private:
  using batch = xsimd::batch<std::uint32_t>;
  static constexpr std::uint32_t m1 = 2147483647u, m2 = 2147462579u;
  static batch mod(batch x, std::uint32_t m) { return xsimd::min(x, x - batch(m)); }
  void step(std::size_t i, std::int32_t* numbers) {
    auto row = [&](std::size_t k) { return batch::load_unaligned(&x_[k][i]); };
    batch const x0 = row(0), x1 = row(1), x2 = row(2), y0 = row(3), y1 = row(4), y2 = row(5);
    auto fold = [](batch x) {
      return mod(((x & batch(65535u)) << 15) + (x >> 16) * batch(21069u), m2);
    };
    batch const a = ((x1 & batch(511u)) << 22) + (x1 >> 9),
                b = ((x2 & batch(16777215u)) << 7) + (x2 >> 24), x = mod(mod(a + b, m1) + x2, m1),
                y = mod(mod(fold(y2) + y2, m2) + fold(y0), m2), d = x - y - batch(1u);
    x.store_unaligned(&x_[0][i]);
    x0.store_unaligned(&x_[1][i]);
    x1.store_unaligned(&x_[2][i]);
    y.store_unaligned(&x_[3][i]);
    y0.store_unaligned(&x_[4][i]);
    y1.store_unaligned(&x_[5][i]);
    batch const number = xsimd::min(d, d + batch(m1)) + batch(1u);
    std::uint32_t all[batch::size];
    number.store_unaligned(all);
    std::memcpy(numbers, all, sizeof all);
  }

  std::vector<std::vector<std::uint32_t>> x_;
  std::size_t streams_;
};

}  // namespace hand
