// All functions in constant evaluation: what the compiler computes where the C library's functions
// are no constants. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/constant_arithmetic.hpp>
#include <kroton/math/constant_exp.hpp>
#include <kroton/math/constant_log.hpp>
#include <kroton/math/constant_roots.hpp>
#include <kroton/math/constant_special.hpp>
#include <kroton/math/constant_trig.hpp>
