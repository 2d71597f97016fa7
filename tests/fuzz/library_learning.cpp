// Activations and losses.
// SPDX-License-Identifier: BSD-3-Clause
#include "library_calls.hpp"

namespace fuzz {

namespace {

bool are_labels(kt::term p, kt::term y) {
  return p.rank() == y.rank() + 1 && kt::core::is_integer(y.element()) && !kt::core::is_bool(y.element());
}
bool have_one_shape(kt::term p, kt::term y) { return p.rank() == y.rank() && kt::core::is_float(y.element()); }

}  // namespace

void add_learning(std::vector<library_function>& to) {
  std::vector<library_function> const all{
      {"relu", "kt::relu($0)", "n", "", 0, 3, CALL(kt::relu(x0))},
      {"relu", "kt::relu($0, 0.25)", "r", "", 0, 3, CALL(kt::relu(x0, 0.25))},
      {"elu", "kt::elu($0)", "r", "", 0, 3, CALL(kt::elu(x0))},
      {"gelu", "kt::gelu($0)", "r", "", 0, 3, CALL(kt::gelu(x0))},
      {"crossentropy", "kt::categorical_crossentropy(kt::softmax($0), $1)", "ri", "", 1, 3,
       CALL(are_labels(x0, x1) ? kt::categorical_crossentropy(kt::softmax(x0), x1) : refused(g, x0))},
      {"crossentropy", "kt::categorical_crossentropy(sigmoid($0), $1)", "ri", "", 1, 3,
       CALL(are_labels(x0, x1) ? kt::categorical_crossentropy(kt::sigmoid(x0), x1) : refused(g, x0))},
      {"crossentropy", "kt::categorical_crossentropy(kt::softmax($0), kt::softmax($1))", "rR", "", 1, 3,
       CALL(have_one_shape(x0, x1) ? kt::categorical_crossentropy(kt::softmax(x0), kt::softmax(x1)) : refused(g, x0))},
      {"crossentropy", "kt::categorical_crossentropy(exp($0) / sum(exp($0), kt::axis<-1>, kt::keepdims), kt::softmax($1))", "rR", "", 1, 3,
       CALL(have_one_shape(x0, x1) ? kt::categorical_crossentropy(kt::exp(x0) / kt::sum(kt::exp(x0), kt::axis<-1>, kt::keepdims), kt::softmax(x1))
                                   : refused(g, x0))},
      {"binary_crossentropy", "kt::binary_crossentropy(sigmoid($0), $1 > 0)", "rR", "", 0, 3,
       CALL(kt::core::is_float(x1.element()) ? kt::binary_crossentropy(kt::term(kt::sigmoid(x0)), kt::term(x1 > 0)) : refused(g, x0))},
      {"binary_crossentropy", "kt::binary_crossentropy(sigmoid($0) * 0.5, sigmoid($1))", "rR", "", 0, 3,
       CALL(kt::core::is_float(x1.element()) ? kt::binary_crossentropy(kt::term(kt::sigmoid(x0) * 0.5), kt::term(kt::sigmoid(x1))) : refused(g, x0))},
      {"multiclass_hinge", "kt::multiclass_hinge($0, $1)", "ri", "", 1, 3,
       CALL(are_labels(x0, x1) ? kt::multiclass_hinge(x0, x1) : refused(g, x0))},
  };
  to.insert(to.end(), all.begin(), all.end());
}

}  // namespace fuzz
