// The ops that the graph itself knows: parameters, literals and conversions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/op.hpp>

namespace kroton {

// Their records are explicit, because clang completes a record as soon as a function that is not a
// template names it.
namespace op {

/// A parameter of the function; its attribute is its position.
struct input {};
/// A scalar constant; its attribute holds the bits of its value.
struct literal {};
/// Conversion of the element type to that of the node, by core::convert. An attribute,
/// core::is_stored_cast, says that nobody has asked for it, see graph::store.
struct cast;

}  // namespace op

namespace core {
inline constexpr long long is_stored_cast = 1;
constexpr extent_source elementwise_extent(application const&, int);
constexpr void elementwise_constraints(application const&, list<extent_pair>&);
constexpr tensor_type type_of_first(application const&);
constexpr void pull_back_cast(graph&, int, int, list<int>&);
}  // namespace core

template <>
inline constexpr core::op_info info<op::input>{
    .name = "input", .key = core::key_of<op::input>(), .name_hash = core::hash_of("input")};
template <>
inline constexpr core::op_info info<op::literal>{
    .name = "literal", .key = core::key_of<op::literal>(), .name_hash = core::hash_of("literal")};
template <>
inline constexpr core::op_info info<op::cast>{.name = "cast",
                                              .key = core::key_of<op::cast>(),
                                              .name_hash = core::hash_of("cast"),
                                              .arity = 1,
                                              .elementwise = true,
                                              .cheap = true,
                                              .has_extent = true,
                                              .has_constraints = true,
                                              .has_pullback = true,
                                              .type = &core::type_of_first,
                                              .extent = &core::elementwise_extent,
                                              .constraints = &core::elementwise_constraints,
                                              .pullback = &core::pull_back_cast};

}  // namespace kroton
