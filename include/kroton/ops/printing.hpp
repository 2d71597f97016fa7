// Printing inside an expression: a tensor that prints its values when it is computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/record.hpp>

#include <string>
#include <string_view>

namespace kroton {
namespace op {

/// Returns its operand, which it prints. The label is packed into the attributes, eight characters
/// each.
struct print : operation<"print", 1> {
  static constexpr auto step = core::step_kind::print;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr core::gradient_list<1> pullback(term g, term, term) { return inputs(g); }
};

}  // namespace op

namespace core {

/// The label of a print, from its attributes.
template <class Attributes>
std::string label_of(Attributes const& attributes, int count) {
  std::string label;
  for (int i = 0; i < count; ++i)
    for (int byte = 0; byte < 8; ++byte)
      if (char const c = static_cast<char>(attributes(i) >> (8 * byte) & 0xff); c != '\0')
        label += c;
  return label;
}

}  // namespace core

/// Returns x, and prints `label = values` to std::cout whenever x is computed; gradients pass
/// through. Long arrays are abbreviated. (theano.printing.Print)
template <symbolic X>
constexpr auto print(std::string_view label, X const& x) {
  core::list<long long> attributes;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (i % 8 == 0) attributes.push_back(0);
    attributes[attributes.size() - 1] |=
        static_cast<long long>(static_cast<unsigned char>(label[i])) << (8 * (i % 8));
  }
  int const inputs[] = {x.id};
  term const result{x.of, x.of->apply(core::identity<op::print>(), inputs, attributes)};
  if constexpr (typed<X>) return variable<value_type_of<X>, rank_of<X>>(result);
  else return result;
}

}  // namespace kroton
