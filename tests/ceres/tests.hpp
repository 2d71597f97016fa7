// What the tests of cost functions for Ceres start with. Ceres' logging has a macro of the name of
// one of Catch's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ceres/ceres.h>
#undef CHECK
#include "run/reference.hpp"

#include <kroton/ceres.hpp>
