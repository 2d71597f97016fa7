// The size limit of arrays: products of extents that do not overflow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/layers.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace kroton::core {

/// More bytes than any machine can address, and more elements than any loop visits.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 56;

/// Whether a product does not fit into int64; else `product` is it. nvcc's constant evaluation does
/// not know the builtin.
constexpr bool overflows(std::int64_t a, std::int64_t b, std::int64_t* product) {
  if (!std::is_constant_evaluated()) return __builtin_mul_overflow(a, b, product);
  bool const fits = a == 0 || b == 0 ||
                    (a > 0 ? (b > 0 ? a <= INT64_MAX / b : b >= INT64_MIN / a)
                           : (b > 0 ? a >= INT64_MIN / b : a != INT64_MIN && b >= INT64_MAX / a));
  if (fits) *product = a * b;
  return !fits;
}

/// A number of elements or bytes, multiplied up factor by factor. Factors of 0 are skipped, because
/// strides are products of the other extents and must be representable too.
class element_count {
 public:
  constexpr void multiply(std::int64_t factor) {
    if (factor == 0) return;
    std::int64_t product = 0;
    fits_ = !overflows(value_, factor, &product) && factor > 0 && product <= most_bytes && fits_;
    if (fits_) value_ = product;
  }
  /// Whether an array can have this many; false if a factor was negative.
  constexpr bool fits() const { return fits_; }
  /// The product, as far as it fits.
  constexpr std::int64_t value() const { return value_; }

 private:
  std::int64_t value_ = 1;
  bool fits_ = true;
};

/// The number of elements of a shape whose extents are products themselves. Extents are exact: one
/// with a factor of 0 is 0.
class shape_count {
 public:
  /// The next extent, or a further factor of the last one.
  constexpr void take(std::int64_t value, bool is_factor) {
    if (!is_factor) close();
    extent_ = is_factor ? times(extent_, value) : value;
  }
  constexpr bool fits() {
    close();
    return count_.fits();
  }

 private:
  constexpr void close() { count_.multiply(std::exchange(extent_, 1)); }
  // Out of range of int64, returns the nearest limit, which is negative or larger than any array.
  static constexpr std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (!overflows(a, b, &product)) return product;
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
  }

  element_count count_;
  std::int64_t extent_ = 1;
};

}  // namespace kroton::core
