// What nearly every test includes, compiled once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <catch2/catch.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>

#if __has_include(<kroton/kroton.hpp>)
#include <kroton/kroton.hpp>
#endif
