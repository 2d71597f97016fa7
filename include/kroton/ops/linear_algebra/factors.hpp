// LU factors, which several systems with one matrix share. Users do not record these ops; the
// optimizer introduces them (rewrite/passes/factor_sharing.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/determinants.hpp>

namespace kroton {
namespace op {

/// The LU factors of a square matrix, stored in one matrix, and the row that each pivot came from,
/// int32, counted from 1 as in LAPACK. Singular matrices have factors too.
struct lu : operation<"lu", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const& a, int output) {
    tensor_type const t = ops::square_type(a);
    return output == 0 ? t : tensor_type{element::int32, 1, t.broadcast & 1u};
  }
  static constexpr core::extent_source extent(core::application const&, int d, int) {
    return {core::extent_source::dimension, 0, d};
  }
};

/// The x with dot(a, x) = b, or with the transpose of a if the attribute says so, from the factors
/// of a, its pivots and b.
struct solve_by_factors : operation<"solve_by_factors", 3> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(2);
    if (a.input(0).broadcast != 0) t.broadcast |= 1u;
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, d == 0 ? 0 : 2, d};
  }
};

struct inverse_of_factors : operation<"inverse_of_factors", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
};

struct det_of_factors : operation<"det_of_factors", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, 0, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int) { return {}; }
};

/// The cofactors of the matrix that is the last operand, which has to be looked at where it is
/// singular.
struct cofactors_of_factors : operation<"cofactors_of_factors", 3> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
};

struct slogdet_of_factors : operation<"slogdet_of_factors", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const& a, int output) {
    element const e = a.input(0).element;
    return {output == 0 ? e : core::real_of(e), 0, 0};
  }
  static constexpr core::extent_source extent(core::application const&, int, int) { return {}; }
};

}  // namespace op
}  // namespace kroton
