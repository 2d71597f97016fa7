// Losses: labels that are none.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// A label is counted.
// expect: kt::categorical_crossentropy: labels must be integers whose rank is one less than that of the probabilities, or a distribution of the same rank
namespace float_labels {
auto f = kt::function([](kt::dmatrix p, kt::dvector y) { return sum(categorical_crossentropy(p, y)); });
}

// One label a line.
// expect: kt::multiclass_hinge: labels must be integers whose rank is one less than that of the scores
namespace label_rank {
auto f = kt::function([](kt::dmatrix s, kt::lmatrix y) { return sum(multiclass_hinge(s, y)); });
}
