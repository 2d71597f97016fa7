// The run-time stage: graphs recorded in the running program, and the interpreter that runs them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/kroton.hpp>
#include <kroton/runtime/graph.hpp>
