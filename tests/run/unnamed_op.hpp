// An op in an unnamed namespace, of which every file that includes this has one of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

/// Multiplies by `factor`, which the file has declared.
struct scaled : kt::operation<"scaled", 1> {
  static constexpr kt::tensor_type type(kt::core::application const& a) { return a.input(0); }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int d) {
    return {kt::core::extent_source::dimension, 0, d};
  }
  template <class T>
    requires(!std::is_same_v<T, bool>)
  static void run(kt::core::invocation const& call) {
    T const* const from = reinterpret_cast<T const*>(call.operand(0).data);
    T* const to = reinterpret_cast<T*>(call.result().data);
    for (std::ptrdiff_t i = 0; i < call.result().size(); ++i) to[i] = static_cast<T>(factor) * from[i];
  }
};

constexpr kt::dmatrix scale(kt::dmatrix x) { return kt::dmatrix(kt::term{x.of, x.of->apply<scaled>({x.id})}); }

}  // namespace
