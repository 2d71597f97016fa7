// Graphs evaluated as they stand, in extended precision, with an estimate of how far rounding may carry each element.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.hpp"

#include <kroton/core/graph.hpp>

#include <cstdint>
#include <map>
#include <stdexcept>

namespace fuzz {

/// What is known of an element. Flags pass on from operands to results.
enum flag : unsigned char {
  out_of_range = 1,  // on the way a number came close to the ends of the range of its element type, or a conversion had no meaning
  not_finite = 2,    // on the way a number was infinite or NaN
  undecided = 4,     // on the way rounding decided a comparison, a jump or whether a function is defined
  either_zero = 8,   // the value is a zero of which no mode promises the sign: an extremum of 0 and -0, a product of matrices
  cancelled = 16,    // the value is a zero left by inexact numbers, which another order of summation may miss
  reordered = 32,    // on the way such a zero decided a comparison or a jump, or 0 hid a factor that is large: real arithmetic has
                     // no order
};

/// A tensor of several lanes an element. Lane 0 is the value in extended precision. Others carry relative errors of a unit in
/// the last place of the element type, in random directions, at every node: `spread_lanes` follow the branches that lane 0
/// takes, and the last `order_lanes` of these err as another order of summation would; the rest decide for themselves, but leave
/// numbers alone that arithmetic of the element type has exactly.
struct tensor {
  kt::element type = kt::element::float64;
  std::vector<long> shape;
  std::vector<real> data;              // element by element, the lanes of one together
  std::vector<unsigned char> flags;
  unsigned char of_nothing = 0;        // where there are no elements: the flags that they might have

  long count() const {
    long n = 1;
    for (long e : shape) n *= e;
    return n;
  }
};

/// An index that is out of range where it is read, or more elements asked for than there are. What is not computed does not ask.
struct index_error : std::domain_error {
  using std::domain_error::domain_error;
};
/// Rounding decides an extent or an index, or whether a matrix is singular: nothing can be said of such a program.
struct unsettled : std::domain_error {
  using std::domain_error::domain_error;
};

class evaluator {
 public:
  static constexpr int spread_lanes = 6, order_lanes = 2, tie_lanes = 3;

  /// Values of the parameters; `lanes` is 1, for values alone, or all of them.
  evaluator(kt::graph const& g, std::vector<argument> const& arguments, bool with_errors, std::uint64_t seed = 1);
  /// The graph of a slice or a step: its inputs have these values, with the lanes of an evaluation of the whole.
  evaluator(kt::graph const& g, std::vector<tensor> given, evaluator& whole);
  /// Evaluates the nodes that were added since. Throws std::domain_error where extents do not fit.
  void extend();

  tensor const& operator[](int id) const { return values_[static_cast<std::size_t>(id)]; }
  int lanes() const { return lanes_; }
  /// How far an element may be from the truth by rounding, in any order of summation or as it is written, from the spread of its
  /// lanes; infinite where they are not all finite.
  real spread(int id, long element, bool any_order) const;

 private:
  friend class node_base;
  friend class loop_node;
  void check_conditions() const;
  kt::graph const& g_;
  std::vector<argument> const& arguments_;
  std::vector<tensor> given_;
  std::vector<tensor> values_;
  std::map<int, std::vector<tensor>> loops_;  // the results of scans, by node
  int lanes_;
  std::uint64_t random_;
};

/// The unit roundoff of what computes with a floating type: with 16 bits float does.
inline real roundoff(kt::element e) { return e == kt::element::float64 ? 0x1p-53L : 0x1p-24L; }

}  // namespace fuzz
