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

/// A tensor; a sparse matrix, as whose value a program has all its elements; or a stream of random numbers, by its state.
enum class argument_kind { dense, csr, csc, philox, twister };
constexpr bool is_sparse(argument_kind kind) { return kind == argument_kind::csr || kind == argument_kind::csc; }
constexpr bool is_stream(argument_kind kind) { return kind >= argument_kind::philox; }

/// An argument: its type, its shape and its elements in row-major order, all of them values of the element type.
struct argument {
  kt::tensor_type type{};
  std::vector<long> shape;
  std::vector<real> data;
  unsigned fixed = 0;  // the axes whose extents are known to the graph, as bits
  argument_kind kind = argument_kind::dense;
  std::vector<char> stored{};  // of a sparse matrix, the elements that are; others are 0
  bool operator==(argument const&) const = default;
};

/// What a call is, apart from elementwise ops, which are named by their position in `elementwise_functions`.
enum class call_kind {
  elementwise, cast, reduction, mean, softmax_like, dimshuffle, reshape, subtensor, dot, full_like, gradient, second_gradient, rop, library, loop, sparse, draw
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

struct loop;

/// One call.
struct call {
  call_kind kind = call_kind::elementwise;
  int function = 0;                 // elementwise, reduction, softmax_like, library, draw: which; of a loop: which of its results
  std::vector<operand> operands;
  std::vector<int> axes;            // of a reduction; the pattern of a dimshuffle, -1 for 'x'; the extents of a reshape; the
                                    // parameters of a library function; the functions of a sparse call; the extents of a draw
  bool keep = false;
  kt::element to = kt::element::float64;  // of a cast
  std::vector<index_item> index;
  std::vector<loop> loops;          // of a loop, what it does
  bool operator==(call const&) const;
};

/// Arguments, calls, and the values that are outputs.
struct program {
  std::vector<argument> arguments;
  std::vector<call> calls;
  std::vector<int> outputs;

  int size() const { return static_cast<int>(arguments.size() + calls.size()); }
  bool has(bool (*of_kind)(argument_kind)) const {
    for (argument const& a : arguments)
      if (of_kind(a.kind)) return true;
    return false;
  }
  bool is_argument(int v) const { return v < static_cast<int>(arguments.size()); }
  call const& at(int v) const { return calls[static_cast<std::size_t>(v) - arguments.size()]; }
  bool operator==(program const&) const = default;
};

/// What a loop does. The operands of its call are the sequences, the starts of states, the number of steps where it is
/// `counted`, and what is the same in each step.
struct loop {
  /// The arguments of a step: the taps of each sequence, those of each state, then the constants. The outputs are the results.
  program body;
  std::vector<std::vector<int>> sequences;  // the taps of each
  std::vector<std::vector<int>> results;    // the same; none where a result does not feed back
  int listed = 0;                           // how many of the constants are listed as non-sequences; others are captured
  bool counted = false, backwards = false, only_last = false;
  int truncate = -1;
  int checkpoint = 0, snapshots = 0;        // what a gradient stores; 0: everything
  bool operator==(loop const&) const = default;

  /// How many arguments of the body stand before the constants.
  int moving() const {
    std::size_t count = 0;
    for (auto const* all : {&sequences, &results})
      for (auto const& taps : *all) count += taps.size();
    return static_cast<int>(count);
  }
};

inline bool call::operator==(call const&) const = default;

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

/// The program without calls, and without arguments, that its outputs do not need. A draw that nobody reads still advances its
/// stream.
inline program without_dead_parts(program const& p, bool keeps_arguments = false, bool keeps_draws = true) {
  std::vector<bool> live(static_cast<std::size_t>(p.size()));
  for (int v : p.outputs) live[static_cast<std::size_t>(v)] = true;
  for (int v = static_cast<int>(p.arguments.size()); v < p.size(); ++v)
    if (keeps_draws && p.at(v).kind == call_kind::draw) live[static_cast<std::size_t>(v)] = true;
  for (int v = p.size() - 1; v >= 0; --v)
    if (p.is_argument(v)) live[static_cast<std::size_t>(v)] = live[static_cast<std::size_t>(v)] || keeps_arguments;
    else if (live[static_cast<std::size_t>(v)])
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
    for (loop& l : c.loops) l.body = without_dead_parts(l.body, true);
    result.calls.push_back(c);
  }
  for (int v : p.outputs) result.outputs.push_back(image[static_cast<std::size_t>(v)]);
  return result;
}

}  // namespace fuzz
