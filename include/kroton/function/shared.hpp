// Shared variables: values that live between calls and that functions update.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>
#include <kroton/cpu/call/arrays/containers.hpp>

#include <memory>
#include <utility>

namespace kroton {

/// A variable that keeps its value between calls and is an implicit argument of the functions it is
/// bound to (Theano's shared). Copies refer to the same value. It must not be read and updated by
/// several threads at the same time.
template <class T, int Rank = -1>
class shared {
  static_assert(Rank >= 0, "kt::shared<T, Rank>: the rank is missing");
  static_assert(Rank < 0 || core::is_rank<Rank>, "kt::shared: a tensor has 0 to 8 dimensions");

 public:
  using value_type = T;
  static constexpr int rank = Rank;
  /// The container of the value: xt::xtensor<T, Rank>, or T for a scalar.
  using container = cpu::container_t<T, Rank>;

  /// From a number, an xtensor container, view or expression of this rank; elements are converted.
  template <class V>
    requires(!std::derived_from<V, shared> && !cpu::is_tuple<V>)  // so that tuples of them convert
  explicit shared(V const& value)
      : value_(std::make_shared<container>(cpu::to_container<T, Rank>(value))) {}

  /// A copy of the value.
  container get_value() const { return *value_; }
  /// Replaces the value; its extents may change.
  template <class V>
  void set_value(V const& value) {
    *value_ = cpu::to_container<T, Rank>(value);
  }
  /// The extents of the value.
  std::array<std::size_t, static_cast<std::size_t>(Rank)> shape() const {
    std::array<std::size_t, static_cast<std::size_t>(Rank)> extents{};
    if constexpr (Rank > 0)
      for (std::size_t d = 0; d < extents.size(); ++d) extents[d] = value_->shape()[d];
    return extents;
  }
  /// The value itself, for functions that are bound to it.
  container& storage() const { return *value_; }

 private:
  std::shared_ptr<container> value_;
};

template <class V>
  requires(cpu::static_rank_of<V> >= 0)
shared(V const&) -> shared<cpu::element_t<V>, cpu::static_rank_of<V>>;

}  // namespace kroton
