// The library, unused.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

int main() {}
