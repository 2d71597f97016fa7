// An op with its own kernel, applied for each index of leading axes: how such ops are batched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/own.hpp>

namespace kroton {
namespace core {

/// The attributes of `each` that precede those of the op: the number of batch axes, the operands
/// that have them (as bits), and the number of operands.
inline constexpr int each_attributes = 3;
/// The maximum number of operands of an op with any number of operands.
inline constexpr int most_operands_of_each = 16;

/// An op's view of one slice: operands without the batch axes, in a separate graph.
class slice_application {
 public:
  constexpr explicit slice_application(application const& a)
      : attributes_(a.attributes.first + each_attributes, a.attribute_count() - each_attributes) {
    g_.share_bodies(*a.of);
    for (int i = 0; i < a.count(); ++i) {
      tensor_type t = a.input(i);
      if ((a.attribute(1) >> i & 1) != 0) {
        t.rank = static_cast<std::uint8_t>(t.rank - a.attribute(0));
        t.broadcast >>= a.attribute(0);
      }
      int const id = a.inputs[i];
      inputs_.push_back(a.of->is_literal(id) ? g_.literal_of_bits(a.of->literal_bits(id), t.element)
                                             : g_.input(t, i));
    }
  }
  constexpr application get() const {
    return {&g_, inputs_, {attributes_.data(), attributes_.size()}};
  }

 private:
  graph g_;
  list<int> inputs_;
  list<long long> attributes_;
};

/// The type of a result, given that of a slice of it.
constexpr tensor_type type_of_each(application const& a, tensor_type of_slice) {
  int const axes = static_cast<int>(a.attribute(0));
  std::uint32_t flags = (1u << axes) - 1;
  for (int i = 0; i < a.count(); ++i)
    if ((a.attribute(1) >> i & 1) != 0) flags &= a.input(i).broadcast;
  return {of_slice.element, static_cast<std::uint8_t>(of_slice.rank + axes),
          of_slice.broadcast << axes | flags};
}
/// The first operand from `first` on that has the batch axis without broadcasting; -1 if there is
/// none.
constexpr int operand_with_axis(application const& a, int axis, int first) {
  for (int i = first; i < a.count(); ++i)
    if ((a.attribute(1) >> i & 1) != 0 && !a.input(i).broadcasts(axis)) return i;
  return -1;
}
constexpr extent_source batch_extent(application const& a, int axis) {
  int const i = operand_with_axis(a, axis, 0);
  return i < 0 ? extent_source{} : extent_source{extent_source::dimension, i, axis};
}
/// A dimension of a slice as a dimension of the operand.
constexpr extent_source source_in_each(application const& a, extent_source s) {
  if (s.from == extent_source::dimension && (a.attribute(1) >> s.input & 1) != 0)
    s.axis += static_cast<int>(a.attribute(0));
  return s;
}

template <std::size_t N>
constexpr text<N + 6> each_name(std::string_view op) {
  return joined<N + 6>({"each ", op});
}

// The members that depend on whether the op has several outputs.
template <class Op, bool Several = requires { Op::outputs; }>
struct each_outputs : operation<each_name<Op::name.size()>(Op::name), Op::arity> {
  static constexpr bool takes_complex = Op::takes_complex, is_holomorphic = Op::is_holomorphic;
  static constexpr tensor_type type(application const& a) {
    return type_of_each(a, Op::type(slice_application(a).get()));
  }
  static constexpr extent_source extent(application const& a, int d) {
    int const axes = static_cast<int>(a.attribute(0));
    return d < axes ? batch_extent(a, d)
                    : source_in_each(a, Op::extent(slice_application(a).get(), d - axes));
  }
};
template <class Op>
struct each_outputs<Op, true> : operation<each_name<Op::name.size()>(Op::name), Op::arity> {
  static constexpr bool takes_complex = Op::takes_complex, is_holomorphic = Op::is_holomorphic;
  static constexpr int outputs = Op::outputs;
  static constexpr tensor_type type(application const& a, int output) {
    return type_of_each(a, Op::type(slice_application(a).get(), output));
  }
  static constexpr extent_source extent(application const& a, int d, int output) {
    int const axes = static_cast<int>(a.attribute(0));
    return d < axes ? batch_extent(a, d)
                    : source_in_each(a, Op::extent(slice_application(a).get(), d - axes, output));
  }
};

}  // namespace core

namespace op {

/// Op for each index of leading axes, slice by slice. It is one op for any number of axes, which
/// are an attribute. Its gradient is the op's own pullback, batched; see grad/batching/each.hpp.
template <class Op>
struct each : core::each_outputs<Op> {
  using of_slice = Op;
  static constexpr auto own = core::own_function::typed;
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    using core::extent_source;
    for (int d = 0; d < a.attribute(0); ++d) {
      int const first = core::operand_with_axis(a, d, 0);
      for (int i = core::operand_with_axis(a, d, first + 1); first >= 0 && i >= 0;
           i = core::operand_with_axis(a, d, i + 1))
        pairs.push_back({{extent_source::dimension, first, d}, {extent_source::dimension, i, d}});
    }
    if constexpr (requires { Op::constraints; }) {
      core::list<core::extent_pair> of_slices;
      Op::constraints(core::slice_application(a).get(), of_slices);
      for (core::extent_pair pair : of_slices) {
        pair.left = core::source_in_each(a, pair.left);
        pair.right = core::source_in_each(a, pair.right);
        pairs.push_back(pair);
      }
    }
  }
};

}  // namespace op
}  // namespace kroton
