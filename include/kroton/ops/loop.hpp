// Loops over time: scan, and the folds that are forms of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/folds.hpp>
