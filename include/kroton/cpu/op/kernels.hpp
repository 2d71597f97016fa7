// The kernels of all built-in ops that have a function of their own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/batched.hpp>
#include <kroton/cpu/op/convolution/at.hpp>
#include <kroton/cpu/op/convolution/convolution.hpp>
#include <kroton/cpu/op/creation.hpp>
#include <kroton/cpu/op/each.hpp>
#include <kroton/cpu/op/fourier.hpp>
#include <kroton/cpu/op/indexing/along_axis.hpp>
#include <kroton/cpu/op/indexing/masking.hpp>
#include <kroton/cpu/op/indexing/take.hpp>
#include <kroton/cpu/op/linear_algebra/cofactors.hpp>
#include <kroton/cpu/op/linear_algebra/decompositions.hpp>
#include <kroton/cpu/op/linear_algebra/diagonals.hpp>
#include <kroton/cpu/op/linear_algebra/matrix_exponential.hpp>
#include <kroton/cpu/op/linear_algebra/matrix_functions.hpp>
#include <kroton/cpu/op/linear_algebra/matrix_logarithm.hpp>
#include <kroton/cpu/op/linear_algebra/matrix_roots.hpp>
#include <kroton/cpu/op/linear_algebra/solving.hpp>
#include <kroton/cpu/op/linear_algebra/sylvester.hpp>
#include <kroton/cpu/op/pooling/pooling.hpp>
#include <kroton/cpu/op/random.hpp>
#include <kroton/cpu/op/scans.hpp>
#include <kroton/cpu/op/sorting/positions.hpp>
#include <kroton/cpu/op/sorting/sorting.hpp>
#include <kroton/cpu/op/sparse/chosen.hpp>
#include <kroton/cpu/op/sparse/diagonals.hpp>
#include <kroton/cpu/op/sparse/extrema.hpp>
#include <kroton/cpu/op/sparse/joins.hpp>
#include <kroton/cpu/op/sparse/orders.hpp>
#include <kroton/cpu/op/sparse/patterns.hpp>
#include <kroton/cpu/op/sparse/products.hpp>
#include <kroton/cpu/op/sparse/unions.hpp>
#include <kroton/cpu/op/sparsity/kernels.hpp>
