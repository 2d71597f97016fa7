// MRG31k3p, a combined multiple recursive generator, with Theano's streams and sub-streams.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kroton::math {

/// The state of one stream: three numbers below m1, then three below m2. (L'Ecuyer and Touzin, Fast
/// Combined Multiple Recursive Generators with Multipliers of the form a = +-2^q +-2^r, 2000)
struct mrg_state {
  std::uint32_t x[6];
};

/// The recurrences x1[n] = 2^22 x1[n-2] + (2^7 + 1) x1[n-3] mod m1 and
/// x2[n] = 2^15 x2[n-1] + (2^15 + 1) x2[n-3] mod m2.
struct mrg31k3p {
  static constexpr std::uint32_t m1 = 2147483647u, m2 = 2147462579u;

  /// A number below 2^31 + some, reduced: x < 2 m.
  static constexpr std::uint32_t reduced(std::uint32_t x, std::uint32_t m) {
    return x >= m ? x - m : x;
  }
  /// The states before give the next one.
  static constexpr mrg_state next(mrg_state const& s) {
    std::uint32_t const *const x = s.x, y1 = first(x[1], x[2]), y2 = second(x[3], x[5]);
    return {{y1, x[0], x[1], y2, x[3], x[4]}};
  }
  /// Whether these are numbers of the recurrences: below m1 and m2, and of neither all 0.
  static constexpr bool is_state(mrg_state const& s) {
    std::uint32_t const* const x = s.x;
    return x[0] < m1 && x[1] < m1 && x[2] < m1 && x[3] < m2 && x[4] < m2 && x[5] < m2 &&
           (x[0] | x[1] | x[2]) != 0 && (x[3] | x[4] | x[5]) != 0;
  }
  /// The number that a new state gives, from 1 to m1.
  static constexpr std::uint32_t number(mrg_state const& s) {
    return s.x[0] <= s.x[3] ? s.x[0] - s.x[3] + m1 : s.x[0] - s.x[3];
  }

  // Products with powers of two modulo m1 = 2^31 - 1 turn the bits around; modulo m2 = 2^31 - 21069
  // what is above bit 31 comes back 21069-fold.
  static constexpr std::uint32_t first(std::uint32_t x12, std::uint32_t x13) {
    std::uint32_t const a = (x12 & 511u) << 22 | x12 >> 9, b = (x13 & 16777215u) << 7 | x13 >> 24;
    return reduced(reduced(a + b, m1) + x13, m1);
  }
  static constexpr std::uint32_t second(std::uint32_t x21, std::uint32_t x23) {
    std::uint32_t const a = reduced(((x21 & 65535u) << 15) + 21069u * (x21 >> 16), m2),
                        b = reduced(((x23 & 65535u) << 15) + 21069u * (x23 >> 16), m2);
    return reduced(reduced(b + x23, m2) + a, m2);
  }

  /// A state some way ahead, by matrices that Theano computed modulo m1 and m2.
  using matrix = std::uint32_t[3][3];
  static constexpr mrg_state ahead(mrg_state const& s, matrix const& a, matrix const& b) {
    mrg_state to{};
    for (int i = 0; i < 3; ++i) {
      std::uint64_t p = 0, q = 0;
      for (int j = 0; j < 3; ++j) {
        p += std::uint64_t{a[i][j]} * s.x[j] % m1;
        q += std::uint64_t{b[i][j]} * s.x[3 + j] % m2;
      }
      to.x[i] = static_cast<std::uint32_t>(p % m1);
      to.x[3 + i] = static_cast<std::uint32_t>(q % m2);
    }
    return to;
  }
};

/// The matrices of the recurrences, to the power 2^n.
struct mrg_jump {
  mrg31k3p::matrix first, second;

  static constexpr mrg_jump of(int n) {
    mrg_jump jump{{{0, 4194304, 129}, {1, 0, 0}, {0, 1, 0}},
                  {{32768, 0, 32769}, {1, 0, 0}, {0, 1, 0}}};
    for (int k = 0; k < n; ++k) {
      square(jump.first, mrg31k3p::m1);
      square(jump.second, mrg31k3p::m2);
    }
    return jump;
  }
  constexpr mrg_state operator()(mrg_state const& s) const {
    return mrg31k3p::ahead(s, first, second);
  }

 private:
  static constexpr void square(mrg31k3p::matrix& a, std::uint32_t m) {
    std::uint32_t product[3][3]{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        std::uint64_t sum = 0;
        for (int k = 0; k < 3; ++k) sum += std::uint64_t{a[i][k]} * a[k][j] % m;
        product[i][j] = static_cast<std::uint32_t>(sum % m);
      }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) a[i][j] = product[i][j];
  }
};

/// From one stream to the next, and from one sub-stream of a draw to the next. (Theano's
/// MRG_RandomStreams; L'Ecuyer, Simard, Chen and Kelton, 2002)
inline constexpr mrg_jump next_stream = mrg_jump::of(134), next_substream = mrg_jump::of(72);

/// The number of sub-streams of a draw whose extents are not known before: Theano's guess.
inline constexpr long long max_substreams = 60 * 256;
/// The same for a draw of n elements.
constexpr long long substreams_of(long long n) {
  long long const fewer = n > 6 ? n / 6 : n;
  return fewer < max_substreams ? fewer : max_substreams;
}

}  // namespace kroton::math
