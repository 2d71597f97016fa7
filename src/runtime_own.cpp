// The library kroton::runtime: the functions of built-in ops that compute by their own.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime/source/own_kernels.hpp>
