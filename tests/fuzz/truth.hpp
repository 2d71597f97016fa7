// What a program's results have to be, and whether those of a run are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate.hpp"

#include <kroton/runtime.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fuzz {

/// What went wrong, where, and which rules had fired.
struct failure {
  int configuration = 0;
  std::string kind, text;
  std::vector<std::string_view> fired;
};

/// What a run gave.
struct outcome {
  std::vector<tensor> outputs;
  std::string exception, text;  // its kind and its words

  /// Whether it ended with an error that Kroton promises.
  bool is_refused() const { return exception == "shape_error" || exception == "value_error"; }
  /// What `run`, which gives the outputs, gives or throws.
  template <class F>
  static outcome of(F run) {
    try {
      return {run(), {}, {}};
    } catch (kt::shape_error const& e) {
      return {{}, "shape_error", e.what()};
    } catch (kt::value_error const& e) {
      return {{}, "value_error", e.what()};
    } catch (std::exception const& e) { return {{}, "another exception", e.what()}; }
  }
};

/// Whether a graph computes a loop.
bool has_loop(kt::graph const& g);

/// Numbers of an element type in extended precision. No program has complex ones.
template <class To, class From>
To number_as(From x) {
  if constexpr (kt::core::is_complex_number<From>) throw std::logic_error("a complex number");
  else return static_cast<To>(x);
}

/// Runs a graph on the interpreter.
outcome run(kt::graph g, std::vector<argument> const& arguments);

/// A program's graph as it was recorded, and its evaluation in extended precision.
class truth {
 public:
  explicit truth(program const& p);
  truth(truth const&) = delete;

  /// Nothing can be said of the program.
  bool is_unknown() const { return unknown_; }
  /// What is known of sparse matrices is their dense form.
  bool is_sparse() const { return is_sparse_; }
  /// With the conditions on extents.
  kt::graph const& graph() const { return graph_; }
  /// Its shapes fit and no index is out of range.
  bool has_values() const { return values_.has_value(); }
  /// The shapes of its results, where it has values.
  std::vector<std::vector<long>> shapes() const;

  /// What the interpreter gives for the graph as it was recorded is told first. Others have to
  /// throw what it throws. A failure where that is wrong itself.
  std::optional<failure> set_written(outcome const& o, long& compared);
  /// The interpreter refuses the program, as it may: then others may, too.
  bool is_refused() const { return refused_; }

  /// How an outcome differs from the truth; of results that real arithmetic may give, where not
  /// `ieee`.
  std::optional<failure> fault_of(outcome const& o, bool ieee, long& compared) const;
  /// The same of values alone.
  std::optional<failure> fault_of_values(outcome const& o, bool ieee, long& compared) const;

 private:
  bool fails_somewhere() const;  // also where nothing reads it
  bool meets_infinity() const;
  std::string difference(int id, long i, real got, bool ieee, long& compared) const;

  kt::graph graph_, plain_;  // as users write it, and for reference
  bool is_sparse_ = false;
  std::vector<argument> arguments_;
  std::optional<evaluator> values_;
  std::string wrong_shapes_;
  bool wrong_index_ =
      false;  // what is not read, since only its extents count, is not found out of range
  bool unknown_ = true, refused_ = false;
  outcome written_;
};

}  // namespace fuzz
