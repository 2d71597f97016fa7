// Maps element types that are values to C++ types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/element.hpp>

#include <boost/mp11.hpp>

namespace kroton::runtime {

/// Calls visit(std::type_identity<T>) with the C++ type of an element type.
template <class Visit>
decltype(auto) visit_element(element e, Visit visit) {
  return boost::mp11::mp_with_index<core::element_types>(
      static_cast<std::size_t>(e), [&](auto index) -> decltype(auto) {
        return visit(std::type_identity<core::value_t<static_cast<element>(index())>>{});
      });
}

}  // namespace kroton::runtime
