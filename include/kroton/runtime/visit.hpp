// From element types as values to C++ types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/element.hpp>
#include <kroton/core/error.hpp>

#include <boost/mp11.hpp>

namespace kroton::runtime {

/// The element types that kernels exist for: all but the complex ones, which are the last.
inline constexpr std::size_t element_count = static_cast<std::size_t>(element::complex64);

/// Calls visit(std::type_identity<T>) with the C++ type of an element type. Throws kt::value_error for complex numbers.
template <class Visit>
decltype(auto) visit_element(element e, Visit visit) {
  if (core::is_complex(e)) throw value_error("complex numbers are not in this version");
  return boost::mp11::mp_with_index<element_count>(static_cast<std::size_t>(e), [&](auto index) -> decltype(auto) {
    return visit(std::type_identity<core::value_t<static_cast<element>(index())>>{});
  });
}

}  // namespace kroton::runtime
