// Error messages: texts and numbers, concatenated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/layers.hpp>

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kroton::core {

/// A text or a whole number.
struct message_part {
  std::string_view text{};
  long long number = 0;
  bool is_number = false;

  message_part(char const* t) : text(t) {}
  message_part(std::string_view t) : text(t) {}
  message_part(std::string const& t) : text(t) {}
  template <std::integral N>
    requires(!std::same_as<N, char>)
  message_part(N n) : number(static_cast<long long>(n)), is_number(true) {}
};

/// `message({"extent ", d, " is ", n})`. Each + of strings would add code to every program.
[[gnu::cold]] inline std::string message(std::initializer_list<message_part> parts) {
  std::string all;
  for (message_part const& part : parts)
    all += part.is_number ? std::to_string(part.number) : std::string(part.text);
  return all;
}

}  // namespace kroton::core
