// A folder for the files of a test, which goes with it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>

class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "kroton_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(std::string const& name = "") const { return (folder_ / name).string(); }
  /// How many entries it has, hidden ones too.
  long count() const {
    using iterator = std::filesystem::directory_iterator;
    return std::distance(iterator(folder_), iterator());
  }

 private:
  std::filesystem::path folder_;
};
