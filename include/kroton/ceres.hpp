// Cost functions for Ceres Solver from lambdas over symbolic variables. Not part of kroton.hpp; it
// needs Ceres (libceres-dev).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ceres/batch.hpp>
#include <kroton/ceres/cost_function.hpp>
#include <kroton/kroton.hpp>
