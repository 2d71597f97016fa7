// SPDX-License-Identifier: BSD-3-Clause
#include "sampling.hpp"

#include "exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace accuracy {

namespace {

constexpr double largest = std::numeric_limits<double>::max();

double from_ordinal(std::int64_t n) {
  return n < 0 ? -std::bit_cast<double>(-n) : std::bit_cast<double>(n);
}

/// A range of doubles, by ordinals; both ends belong to it.
struct range {
  std::int64_t low, high;
  bool empty() const { return low > high; }
  range with(range const& other) const {
    return {std::max(low, other.low), std::min(high, other.high)};
  }
};

/// The bounds of the variables that stand as comparisons with numbers in a condition.
void find_bounds(problem const& p, int at, std::vector<range>& bounds) {
  node const& n = p.nodes[at];
  if (n.is == operation::both) {
    for (int a : n.arguments) find_bounds(p, a, bounds);
    return;
  }
  if (n.is < operation::less || n.is > operation::greater_equal) return;
  node const &left = p.nodes[n.arguments[0]], &right = p.nodes[n.arguments[1]];
  bool const is_less = n.is == operation::less || n.is == operation::less_equal;
  if (left.is == operation::variable && right.is == operation::number) {
    std::int64_t const bound = ordinal(right.value);
    range& r = bounds[static_cast<std::size_t>(left.variable)];
    r = r.with(is_less ? range{r.low, bound} : range{bound, r.high});
  } else if (left.is == operation::number && right.is == operation::variable) {
    std::int64_t const bound = ordinal(left.value);
    range& r = bounds[static_cast<std::size_t>(right.variable)];
    r = r.with(is_less ? range{bound, r.high} : range{r.low, bound});
  }
}

/// The ranges from which a variable is drawn.
std::vector<range> ranges_of(range const& bounds, sampling how) {
  if (how == sampling::all) return {bounds};
  std::int64_t const small = ordinal(0x1p-20), big = ordinal(0x1p20);
  std::vector<range> parts;
  for (range const& part : {range{-big, -small}, range{small, big}})
    if (range const r = bounds.with(part); !r.empty()) parts.push_back(r);
  if (parts.empty()) parts.push_back(bounds);
  return parts;
}

std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 1469598103934665603u;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

}  // namespace

std::int64_t ordinal(double x) {
  return x < 0 ? -std::bit_cast<std::int64_t>(-x) : std::bit_cast<std::int64_t>(std::abs(x));
}

double error_bits(double result, double exact) {
  if (std::isnan(result)) return 64;
  auto const distance =
      static_cast<std::uint64_t>(ordinal(result)) - static_cast<std::uint64_t>(ordinal(exact));
  auto const size = std::min(distance, ~distance + 1);
  return std::log2(static_cast<double>(size) + 1);
}

sample draw(problem const& p, sampling how, std::size_t count, std::uint64_t seed) {
  std::size_t const variables = p.variables.size();
  std::vector<range> bounds(variables, range{ordinal(-largest), ordinal(largest)});
  if (p.condition >= 0) find_bounds(p, p.condition, bounds);
  std::vector<std::vector<range>> ranges;
  for (range const& b : bounds) ranges.push_back(ranges_of(b, how));

  // Of the generator only its bits are used, which the standard defines; its distributions differ.
  std::mt19937_64 random(hash(p.name) ^ (seed * 0x9E3779B97F4A7C15u) ^
                         (how == sampling::all ? 0u : 1u));
  auto const one_of = [&](std::vector<range> const& parts) {
    range const& r = parts[random() % parts.size()];
    auto const span = static_cast<std::uint64_t>(r.high - r.low);
    return from_ordinal(
        r.low + static_cast<std::int64_t>(span + 1 == 0 ? random() : random() % (span + 1)));
  };

  sample s;
  s.columns.resize(variables);
  exact_evaluator exact(p);
  std::vector<double> point(variables);
  // Where the first tries give nothing, more would not give enough.
  std::size_t const tries = 40 * count, hopeless = 4 * count;
  for (std::size_t n = 0; n < tries && s.size() < count; ++n) {
    if (n == hopeless && s.size() < count / 64) break;
    for (std::size_t v = 0; v < variables; ++v) point[v] = one_of(ranges[v]);
    if (!exact.admits(point.data())) continue;
    std::optional<double> const value = exact.value(point.data());
    if (!value) continue;
    for (std::size_t v = 0; v < variables; ++v) s.columns[v].push_back(point[v]);
    s.exact.push_back(*value);
  }
  return s;
}

}  // namespace accuracy
