// The one definition of every scalar function: include this to compute with C++ scalars.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/arithmetic.hpp>
#include <kroton/math/elementary.hpp>
#include <kroton/math/exponents.hpp>
#include <kroton/math/logic.hpp>
#include <kroton/math/scalar.hpp>
#include <kroton/math/special.hpp>
#include <kroton/math/stable.hpp>
