// Losses: labels that are none.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// A label is counted.
// expect: kt::categorical_crossentropy: labels are integers of one rank less than the probabilities, or a distribution of their rank
namespace float_labels {
auto f = kt::function([](kt::dmatrix p, kt::dvector y) { return sum(categorical_crossentropy(p, y)); });
}

// One label a line.
// expect: kt::multiclass_hinge: labels are integers of one rank less than the scores
namespace label_rank {
auto f = kt::function([](kt::dmatrix s, kt::lmatrix y) { return sum(multiclass_hinge(s, y)); });
}
