// The step of a print: values as text, in brackets as NumPy writes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/steps.hpp>
#include <kroton/ops/printing.hpp>

#include <iostream>
#include <sstream>
#include <type_traits>

namespace kroton::cpu {

/// Writes the elements from axis d on. Of an axis that makes an array long, only the first and the
/// last three are written.
template <class T>
void write_elements(std::ostream& out, array_ref const& a, int d, T const* at, bool whole) {
  if (d == a.rank) {
    if constexpr (std::is_same_v<T, bool>) out << (*at ? "true" : "false");
    else if constexpr (is_complex_number<T>) out << *at;
    else out << +*at;
    return;
  }
  out << '[';
  for (std::ptrdiff_t i = 0; i < a.extents[d]; ++i) {
    if (i > 0)
      out << (d + 1 == a.rank ? " " : "\n" + std::string(static_cast<std::size_t>(d) + 1, ' '));
    if (!whole && a.extents[d] > 7 && i == 3) {
      out << "... ";
      i = a.extents[d] - 3;
    }
    write_elements(out, a, d + 1, at + i * a.strides[d], whole);
  }
  out << ']';
}

/// Prints an operand; the result is a view of it.
template <class T>
void run_print(step_view const& s) {
  constexpr std::ptrdiff_t most = 1000;
  array_ref const& a = s.f.value(s.operand(0));
  s.f.value(s.result(0)) = a;
  if (s.info.prologue && !s.f.is_in_prologue()) return;  // it was printed there
  std::ostringstream text;
  text << label_of([&](int i) { return s.attribute(i); }, s.info.attribute_count) << " = ";
  write_elements(text, a, 0, reinterpret_cast<T const*>(a.data), a.size() <= most);
  std::cout << text.str() << std::endl;
}

}  // namespace kroton::cpu
