// The kernels of all built-in ops that have a function of their own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/along_axis.hpp>
#include <kroton/cpu/op/batched.hpp>
#include <kroton/cpu/op/cofactors.hpp>
#include <kroton/cpu/op/convolution.hpp>
#include <kroton/cpu/op/convolution_at.hpp>
#include <kroton/cpu/op/creation.hpp>
#include <kroton/cpu/op/decompositions.hpp>
#include <kroton/cpu/op/diagonals.hpp>
#include <kroton/cpu/op/each.hpp>
#include <kroton/cpu/op/fourier.hpp>
#include <kroton/cpu/op/masking.hpp>
#include <kroton/cpu/op/matrix_exponential.hpp>
#include <kroton/cpu/op/matrix_functions.hpp>
#include <kroton/cpu/op/matrix_logarithm.hpp>
#include <kroton/cpu/op/matrix_roots.hpp>
#include <kroton/cpu/op/pooling.hpp>
#include <kroton/cpu/op/positions.hpp>
#include <kroton/cpu/op/random.hpp>
#include <kroton/cpu/op/scans.hpp>
#include <kroton/cpu/op/solving.hpp>
#include <kroton/cpu/op/sorting.hpp>
#include <kroton/cpu/op/sparse.hpp>
#include <kroton/cpu/op/sparse_chosen.hpp>
#include <kroton/cpu/op/sparse_diagonals.hpp>
#include <kroton/cpu/op/sparse_extrema.hpp>
#include <kroton/cpu/op/sparse_joins.hpp>
#include <kroton/cpu/op/sparse_orders.hpp>
#include <kroton/cpu/op/sparse_patterns.hpp>
#include <kroton/cpu/op/sparse_unions.hpp>
#include <kroton/cpu/op/sparsity/kernels.hpp>
#include <kroton/cpu/op/sylvester.hpp>
#include <kroton/cpu/op/take.hpp>
