// The varied parameter as one flat vector of numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/structure.hpp>
#include <kroton/minimize/objective.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace kroton::minimization {

/// The elements of a number or of a contiguous container.
template <class V>
std::size_t size_of(V const& v) {
  if constexpr (number<V>) return 1;
  else return v.size();
}
template <class V>
auto* data_of(V& v) {
  if constexpr (number<std::remove_const_t<V>>) return &v;
  else return v.data();
}

template <class... V, class... R>
constexpr double largest_precision(std::type_identity<std::tuple<V...>>,
                                   std::type_identity<std::tuple<R...>>) {
  return std::max({static_cast<double>(std::numeric_limits<value_type_of<V>>::epsilon())...,
                   static_cast<double>(std::numeric_limits<value_type_of<R>>::epsilon())...});
}
/// The relative rounding error of a parameter and of results, the variables in a tuple: that of the
/// least precise one.
template <class P, class Results>
inline constexpr double precision_of =
    largest_precision(std::type_identity<core::leaves_t<P>>{}, std::type_identity<Results>{});

/// The value of a parameter P, and its elements as one vector.
template <class P>
class unknowns {
 public:
  using value_type = functions::parameter_value_t<P>;

  template <class S>
  explicit unknowns(S const& start) : value_(from(start)) {}

  value_type const& value() const { return value_; }
  std::size_t size() const {
    std::size_t n = 0;
    each([&](auto const& v) { n += size_of(v); });
    return n;
  }
  numbers flat() const {
    numbers x;
    each([&](auto const& v) { x.insert(x.end(), data_of(v), data_of(v) + size_of(v)); });
    return x;
  }
  void set(numbers const& x) {
    double const* from = x.data();
    auto copy = [&]<class V>(V& v) {
      auto* const to = data_of(v);
      std::size_t const n = size_of(v);
      for (std::size_t i = 0; i < n; ++i)
        to[i] = static_cast<std::remove_reference_t<decltype(*to)>>(from[i]);
      from += n;
    };
    std::apply([&](auto&... v) { (copy(v), ...); }, functions::leaf_references(value_));
  }
  /// "element 3", or "element 3 of W".
  std::string name(std::size_t at) const {
    std::size_t leaf = 0, first = 0;
    std::string found;
    each([&](auto const& v) {
      std::size_t const n = size_of(v);
      if (at >= first && at < first + n) {
        found = core::message({"element ", at - first});
        if constexpr (structured<P>)
          found += " of " + std::string(functions::member_names<P>::at(leaf));
      }
      first += n;
      ++leaf;
    });
    return found;
  }

 private:
  template <class Use>
  void each(Use const& use) const {
    std::apply([&](auto const&... v) { (use(v), ...); }, functions::leaf_references(value_));
  }
  template <class S>
  static value_type from(S const& start) {
    if constexpr (requires { start.get_value(); }) return from(start.get_value());
    else if constexpr (structured<P>) return functions::values_of_argument<P>(start);
    else return cpu::to_container<value_type_of<P>, rank_of<P>>(start);
  }

  value_type value_;
};

}  // namespace kroton::minimization
