// An op that computes by a function of its own, for each index of leading axes: how it is batched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/elementwise.hpp>

namespace kroton {
namespace core {

/// The attributes of `each` before those of the op: the number of batch axes, which operands have them (as bits), and how many
/// operands there are.
inline constexpr int each_attributes = 3;
/// How many operands the op may have where it takes any number.
inline constexpr int most_operands_of_each = 16;

/// What an op sees of one slice: operands without the batch axes, in a graph of its own.
class slice_application {
 public:
  constexpr explicit slice_application(application const& a)
      : attributes_(a.attributes.first + each_attributes, a.attribute_count() - each_attributes) {
    for (int i = 0; i < a.count(); ++i) {
      tensor_type t = a.input(i);
      if ((a.attribute(1) >> i & 1) != 0) {
        t.rank = static_cast<std::uint8_t>(t.rank - a.attribute(0));
        t.broadcast >>= a.attribute(0);
      }
      int const id = a.inputs[i];
      inputs_.push_back(a.of->is_literal(id) ? g_.literal_of_bits(a.of->literal_bits(id), t.element) : g_.input(t, i));
    }
  }
  constexpr application get() const { return {&g_, inputs_, {attributes_.data(), attributes_.size()}}; }

 private:
  graph g_;
  list<int> inputs_;
  list<long long> attributes_;
};

/// The type of a result from that of a slice of it.
constexpr tensor_type type_of_each(application const& a, tensor_type of_slice) {
  int const axes = static_cast<int>(a.attribute(0));
  std::uint32_t flags = (1u << axes) - 1;
  for (int i = 0; i < a.count(); ++i)
    if ((a.attribute(1) >> i & 1) != 0) flags &= a.input(i).broadcast;
  return {of_slice.element, static_cast<std::uint8_t>(of_slice.rank + axes), of_slice.broadcast << axes | flags};
}
/// The operand that has a batch axis which does not broadcast, from `first` on; -1 where there is none.
constexpr int operand_with_axis(application const& a, int axis, int first) {
  for (int i = first; i < a.count(); ++i)
    if ((a.attribute(1) >> i & 1) != 0 && !a.input(i).broadcasts(axis)) return i;
  return -1;
}
constexpr extent_source batch_extent(application const& a, int axis) {
  int const i = operand_with_axis(a, axis, 0);
  return i < 0 ? extent_source{} : extent_source{extent_source::dimension, i, axis};
}
/// A dimension of a slice as one of the operand.
constexpr extent_source source_in_each(application const& a, extent_source s) {
  if (s.from == extent_source::dimension && (a.attribute(1) >> s.input & 1) != 0) s.axis += static_cast<int>(a.attribute(0));
  return s;
}

/// The slices of an array that lie along batch axes.
inline array_ref slice_of(array_ref const& a, int axes, std::ptrdiff_t const* index) {
  array_ref slice = a;
  slice.rank = a.rank - axes;
  std::ptrdiff_t offset = 0;
  for (int d = 0; d < axes; ++d) offset += a.extents[d] == 1 ? 0 : index[d] * a.strides[d];
  if (slice.data != nullptr) slice.data += offset * a.bytes;
  for (int d = 0; d < slice.rank; ++d) {
    slice.extents[d] = a.extents[d + axes];
    slice.strides[d] = a.strides[d + axes];
  }
  return slice;
}

template <std::size_t N>
constexpr text<N + 6> each_name(std::string_view op) {
  return joined<N + 6>({"each ", op});
}

// What depends on whether the op has several outputs.
template <class Op, bool Several = requires { Op::outputs; }>
struct each_outputs : operation<each_name<Op::name.size()>(Op::name), Op::arity> {
  static constexpr bool takes_complex = Op::takes_complex, is_holomorphic = Op::is_holomorphic;
  static constexpr tensor_type type(application const& a) { return type_of_each(a, Op::type(slice_application(a).get())); }
  static constexpr extent_source extent(application const& a, int d) {
    int const axes = static_cast<int>(a.attribute(0));
    return d < axes ? batch_extent(a, d) : source_in_each(a, Op::extent(slice_application(a).get(), d - axes));
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
    return d < axes ? batch_extent(a, d) : source_in_each(a, Op::extent(slice_application(a).get(), d - axes, output));
  }
};

}  // namespace core

namespace op {

/// Op for each index of leading axes, slice by slice. It is one op for any number of axes: more of them are another attribute. Its
/// gradient is the op's own pullback, batched; see grad/batching_each.hpp.
template <class Op>
struct each : core::each_outputs<Op> {
  using of_slice = Op;
  static constexpr void constraints(core::application const& a, core::list<core::extent_pair>& pairs) {
    using core::extent_source;
    for (int d = 0; d < a.attribute(0); ++d) {
      int const first = core::operand_with_axis(a, d, 0);
      for (int i = core::operand_with_axis(a, d, first + 1); first >= 0 && i >= 0; i = core::operand_with_axis(a, d, i + 1))
        pairs.push_back({{extent_source::dimension, first, d}, {extent_source::dimension, i, d}});
    }
    if constexpr (requires { Op::constraints; }) {
      core::list<core::extent_pair> own;
      Op::constraints(core::slice_application(a).get(), own);
      for (core::extent_pair pair : own) {
        pair.left = core::source_in_each(a, pair.left);
        pair.right = core::source_in_each(a, pair.right);
        pairs.push_back(pair);
      }
    }
  }
  template <class T>
    requires(!core::runs_by_type<Op> || core::runs_on<Op, T>)
  static void run(core::invocation const& call) {
    constexpr int results = info<Op>.outputs;
    int const axes = static_cast<int>(call.attribute(0)), arity = static_cast<int>(call.attribute(2));
    auto has_axes = [&](int i) { return (call.attribute(1) >> i & 1) != 0; };
    std::ptrdiff_t extents[core::max_rank], index[core::max_rank]{}, count = 1;
    for (int d = 0; d < axes; ++d) {
      extents[d] = 1;
      for (int i = 0; i < arity; ++i)
        if (has_axes(i) && call.operand(i).extents[d] != 1) extents[d] = call.operand(i).extents[d];
      count *= extents[d];
    }
    constexpr int most_operands = Op::arity < 0 ? core::most_operands_of_each : Op::arity;
    core::array_ref operands[static_cast<std::size_t>(most_operands)];
    core::array_ref outputs[static_cast<std::size_t>(results)];
    for (; count > 0; --count) {
      for (int i = 0; i < arity; ++i) operands[i] = core::slice_of(call.operand(i), has_axes(i) ? axes : 0, index);
      // One that nobody asks for has no rank either.
      for (int k = 0; k < results; ++k)
        outputs[k] = call.result(k).rank < axes ? core::array_ref{} : core::slice_of(call.result(k), axes, index);
      core::items<long long> const own{call.attributes.first + core::each_attributes, call.attributes.count - core::each_attributes};
      core::invocation const one{operands, outputs, own};
      if constexpr (core::runs_by_type<Op>) Op::template run<T>(one);
      else Op::run(one);
      for (int d = axes - 1; d >= 0 && ++index[d] == extents[d]; --d) index[d] = 0;
    }
  }
};

}  // namespace op
}  // namespace kroton
