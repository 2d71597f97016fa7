// What the tests of data-parallel programs share. Each rank runs all of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <catch2/catch.hpp>
#include <kroton/distributed.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

#include <limits>
#include <string>

namespace kt = kroton;

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

/// All ranks. A test that fails on one rank leaves the others no longer than this.
inline kt::distributed::communicator all_ranks() {
  kt::distributed::communicator world;
  world.timeout(std::chrono::seconds(20));
  return world;
}

/// What a call throws; empty if it throws nothing.
template <class Error = kt::error, class Call>
std::string thrown(Call const& call) {
  try {
    call();
  } catch (Error const& e) {
    return e.what();
  }
  return {};
}
inline bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }
