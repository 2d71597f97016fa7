// Data that a cost, residuals or equations depend on besides the unknowns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/layers.hpp>

#include <tuple>
#include <utility>

namespace kroton {

/// The result of kt::given.
template <class... D>
struct given_data {
  std::tuple<D...> all;

  // Not an aggregate: empty braces are options.
  explicit given_data(std::tuple<D...>&& data) : all(std::move(data)) {}
};

/// The values of a lambda's parameters after the first, which stay as they are:
/// `kt::minimize(cost, start, kt::given(x, y))`. Arrays that have a name are read in place, and
/// must live until the result is there; temporaries are moved. Anything that kt::function takes;
/// arrays of another element type, and expressions, are converted at each evaluation.
template <class... D>
given_data<D...> given(D&&... data) {
  return given_data<D...>(std::tuple<D...>(std::forward<D>(data)...));
}

}  // namespace kroton
