// Functions of any kind with one type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace kroton {

/// A compiled function with its type erased, for members and containers:
/// `kt::callable<xt::xtensor<double, 1>(xt::xtensor<double, 2> const&)> g = f;`
template <class Signature>
using callable = std::function<Signature>;

}  // namespace kroton
