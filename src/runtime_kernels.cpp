// The library kroton::runtime: the kernels of the built-in ops.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime/source/kernels.hpp>
