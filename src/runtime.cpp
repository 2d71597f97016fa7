// The library kroton::runtime: the run-time stage except for its kernels.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <kroton/runtime/source/extract.hpp>
#include <kroton/runtime/source/make.hpp>
#include <kroton/runtime/source/monitor.hpp>
#include <kroton/runtime/source/optimize.hpp>
#include <kroton/runtime/source/profile.hpp>
#include <kroton/runtime/source/program.hpp>
#include <kroton/runtime/source/supervisor.hpp>
#include <kroton/runtime/source/text.hpp>
