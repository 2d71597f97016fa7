// Reads problems in FPCore, the S-expressions of fpbench.org.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "expression.hpp"

#include <filesystem>

namespace accuracy {

/// The problems of a text; `source` is noted in each. Understood are `let`, `let*`, `if`, the
/// operations of expression.hpp, PI and E, decimal numbers and quotients of them. A number is the
/// double nearest to it. Throws a std::runtime_error that names the problem if it cannot read it.
std::vector<problem> read(std::string_view text, std::string const& source);

/// The problems of all files *.fpcore of a folder, by the names of the files.
std::vector<problem> read_folder(std::filesystem::path const& folder);

}  // namespace accuracy
