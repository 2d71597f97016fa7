// Square matrices made of any, of which functions of matrices are defined.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "library_calls.hpp"

// A positive definite one, and one that is far from singular.
#define DEFINITE(x) (dot(x, x.T()) + 4 * kt::identity_like(dot(x, x.T())))
#define REGULAR(x) (DEFINITE(x) + kt::triu(tanh(DEFINITE(x)), 1))
