// Only what others wrote: the floor under every figure of kroton's own.
// SPDX-License-Identifier: BSD-3-Clause
#include <cblas.h>

#include <boost/mp11.hpp>
#include <xsimd/xsimd.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xrandom.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

int main() {}
