// The run-time stage: graphs recorded in the running program, and the interpreter that runs them.
// It is not a part of kroton/kroton.hpp. Where a target links kroton::runtime, its parts are
// compiled in that library, else in every file that includes this.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/kroton.hpp>
#include <kroton/runtime/debug.hpp>
#include <kroton/runtime/executor.hpp>
#include <kroton/runtime/graph.hpp>
#include <kroton/runtime/monitor.hpp>
#include <kroton/runtime/parse.hpp>
#include <kroton/runtime/print.hpp>
#include <kroton/runtime/profile.hpp>

#if !defined(KROTON_RUNTIME_LIBRARY)
#include <kroton/runtime/source/extract.hpp>
#include <kroton/runtime/source/kernels.hpp>
#include <kroton/runtime/source/make.hpp>
#include <kroton/runtime/source/monitor.hpp>
#include <kroton/runtime/source/own_kernels.hpp>
#include <kroton/runtime/source/profile.hpp>
#include <kroton/runtime/source/program.hpp>
#include <kroton/runtime/source/supervisor.hpp>
#include <kroton/runtime/source/text.hpp>
#endif
