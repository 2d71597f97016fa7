// A program of the fuzzer: a list of calls that can be recorded in a graph, shortened, and printed as C++.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/kroton.hpp>

#include <string>
#include <vector>

namespace fuzz {

namespace kt = kroton;

/// Extended precision; it holds every 64-bit integer, so that one type serves all element types.
using real = long double;

/// An argument: its type, its shape and its elements in row-major order, all of them values of the element type.
struct argument {
  kt::tensor_type type{};
  std::vector<long> shape;
  std::vector<real> data;
  bool operator==(argument const&) const = default;
};

/// What a call is, apart from elementwise ops, which are named by their position in `elementwise_functions`.
enum class call_kind {
  elementwise, cast, reduction, mean, softmax_like, dimshuffle, reshape, subtensor, dot, full_like, gradient, second_gradient, rop, library
};

/// One axis in an index: code 0 whole, 1 an integer, 2 a slice. A bound that is `none` is left out; one that `is_value` is an
/// int64 scalar of the program.
struct index_item {
  struct bound {
    bool none = true, is_value = false;
    long value = 0;
    bool operator==(bound const&) const = default;
  };
  int code = 0;
  bound begin, end;
  int step = 1;
  bool operator==(index_item const&) const = default;
};

/// An operand: a value of the program (arguments first, then calls), or a number.
struct operand {
  int value = -1;
  double number = 0;
  bool is_integer = false;
  bool is_number() const { return value < 0; }
  bool operator==(operand const&) const = default;
};

/// One call.
struct call {
  call_kind kind = call_kind::elementwise;
  int function = 0;                 // elementwise, reduction, softmax_like, library: which
  std::vector<operand> operands;
  std::vector<int> axes;            // of a reduction; the pattern of a dimshuffle, -1 for 'x'; the extents of a reshape; the
                                    // parameters of a library function
  bool keep = false;
  kt::element to = kt::element::float64;  // of a cast
  std::vector<index_item> index;
  bool operator==(call const&) const = default;
};

/// Arguments, calls, and the values that are outputs.
struct program {
  std::vector<argument> arguments;
  std::vector<call> calls;
  std::vector<int> outputs;

  int size() const { return static_cast<int>(arguments.size() + calls.size()); }
  bool is_argument(int v) const { return v < static_cast<int>(arguments.size()); }
  call const& at(int v) const { return calls[static_cast<std::size_t>(v) - arguments.size()]; }
  bool operator==(program const&) const = default;
};

/// Calls f with a reference to every number of a value that a call reads.
template <class Call, class F>
void for_each_value(Call& c, F f) {
  for (auto& o : c.operands)
    if (!o.is_number()) f(o.value);
  for (auto& i : c.index)
    for (auto* b : {&i.begin, &i.end}) {
      if (!b->is_value) continue;
      int v = static_cast<int>(b->value);
      f(v);
      if constexpr (!std::is_const_v<Call>) b->value = v;
    }
}

/// The program without calls and arguments that its outputs do not need.
inline program without_dead_parts(program const& p) {
  std::vector<bool> live(static_cast<std::size_t>(p.size()));
  for (int v : p.outputs) live[static_cast<std::size_t>(v)] = true;
  for (int v = p.size() - 1; !p.is_argument(v) && v >= 0; --v)
    if (live[static_cast<std::size_t>(v)])
      for_each_value(p.at(v), [&](int read) { live[static_cast<std::size_t>(read)] = true; });
  std::vector<int> image(live.size(), -1);
  program result;
  for (int v = 0; v < p.size(); ++v) {
    if (!live[static_cast<std::size_t>(v)]) continue;
    image[static_cast<std::size_t>(v)] = result.size();
    if (p.is_argument(v)) {
      result.arguments.push_back(p.arguments[static_cast<std::size_t>(v)]);
      continue;
    }
    call c = p.at(v);
    for_each_value(c, [&](int& read) { read = image[static_cast<std::size_t>(read)]; });
    result.calls.push_back(c);
  }
  for (int v : p.outputs) result.outputs.push_back(image[static_cast<std::size_t>(v)]);
  return result;
}

}  // namespace fuzz
