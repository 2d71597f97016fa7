// Data-parallel programs over MPI (Debian, Ubuntu: apt-get install libopenmpi-dev openmpi-bin). Not
// part of kroton.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/distributed/all_reduce.hpp>
#include <kroton/distributed/communicator.hpp>
