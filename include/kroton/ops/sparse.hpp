// Sparse matrices: their types, products, and everything else that is defined for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/sparse/arithmetic.hpp>
#include <kroton/ops/sparse/constructions.hpp>
#include <kroton/ops/sparse/conversions.hpp>
#include <kroton/ops/sparse/diagonals.hpp>
#include <kroton/ops/sparse/extrema.hpp>
#include <kroton/ops/sparse/functions.hpp>
#include <kroton/ops/sparse/matrix.hpp>
#include <kroton/ops/sparse/orders.hpp>
#include <kroton/ops/sparse/patterns.hpp>
#include <kroton/ops/sparse/pieces.hpp>
#include <kroton/ops/sparse/products.hpp>
#include <kroton/ops/sparse/refused.hpp>
#include <kroton/ops/sparse/selections.hpp>
#include <kroton/ops/sparse/sparsity.hpp>
