// Text among the attributes of an op: the label of a print, the message of an assertion.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/list.hpp>

#include <string>
#include <string_view>

namespace kroton::ops {

/// A text as attributes, eight characters each.
constexpr list<long long> label_attributes(std::string_view label) {
  list<long long> attributes;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (i % 8 == 0) attributes.push_back(0);
    attributes[attributes.size() - 1] |=
        static_cast<long long>(static_cast<unsigned char>(label[i])) << (8 * (i % 8));
  }
  return attributes;
}

/// The text again.
template <class Attributes>
std::string label_of(Attributes const& attributes, int count) {
  std::string label;
  for (int i = 0; i < count; ++i)
    for (int byte = 0; byte < 8; ++byte)
      if (char const c = static_cast<char>(attributes(i) >> (8 * byte) & 0xff); c != '\0')
        label += c;
  return label;
}

}  // namespace kroton::ops
