// The run-time stage's header alone.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>
