// Numbers as text, whatever the locale of the program is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <locale.h>
#include <stdlib.h>

#include <charconv>
#include <string>
#include <system_error>
#include <type_traits>

namespace kroton::core {

/// Whether all of `text` is one number, which is then `value`. Beyond the range of double it is 0
/// or infinity, as in Python; an integer beyond its type is none.
template <class T>
bool read_number(std::string const& text, T& value) {
  char const *const begin = text.data(), *const end = begin + text.size();
  if constexpr (std::is_integral_v<T>) {
    auto const read = std::from_chars(begin, end, value);
    return read.ec == std::errc{} && read.ptr == end;
  } else {
    // libc++ before 20 has no std::from_chars of these.
    static locale_t const plain = newlocale(LC_ALL_MASK, "C", nullptr);
    char* rest = nullptr;
    value = strtod_l(begin, &rest, plain);
    return rest != begin && rest == end && text.find_first_of("xX") == text.npos;
  }
}

}  // namespace kroton::core
