// Python in this process, so that NumPy and numexpr take part in the same rounds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "contest.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// A namespace of Python. Without Python, or without its NumPy, it is there but `available` is false and nothing else may be
/// called.
class python {
 public:
  python();
  ~python();
  python(python const&) = delete;
  python& operator=(python const&) = delete;

  /// Whether these modules can be imported.
  static bool available(std::string const& module = "numpy");
  /// Names and versions of NumPy and numexpr, those that are there.
  static std::vector<std::pair<std::string, std::string>> versions();

  /// Runs statements; an exception of Python ends the program with its traceback.
  void run(std::string const& code);
  /// Makes a contiguous array of C++ known as a NumPy array on the same memory. `dtype` as NumPy's.
  void array(std::string const& name, void const* data, std::vector<std::size_t> const& shape, std::string const& dtype);
  /// The same for a container of xtensor.
  template <class Container>
  void array(std::string const& name, Container const& c) {
    array(name, c.data(), {c.shape().begin(), c.shape().end()}, dtype_of<typename Container::value_type>());
  }

  /// A loop in Python around statements, compiled once; local variables are those of a function.
  repeated loop(std::string const& statements);
  /// The values of an expression, or of a list of them.
  std::vector<double> values(std::string const& expression);

 private:
  template <class T>
  static std::string dtype_of() {
    return std::string(std::is_integral_v<T> ? "int" : "float") + std::to_string(8 * sizeof(T));
  }
  void* names_ = nullptr;
};

}  // namespace bench
