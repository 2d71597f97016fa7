// Arguments of run-time functions: everything that a static function accepts, checked against a
// parameter at the call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/frame.hpp>
#include <kroton/runtime/array.hpp>

#include <optional>

namespace kroton::runtime {

/// An argument for one parameter: the caller's memory, or a copy if it has none or its elements
/// must be converted.
class bound_argument {
 public:
  /// Throws kt::shape_error for another rank, kt::value_error if elements would be narrowed; both
  /// name the parameter.
  template <class A>
  bound_argument(A const& given, plan::parameter_info const& parameter) {
    bool constexpr is_array = std::same_as<A, array>;
    if constexpr (is_array) {
      ref_ = given.ref();
    } else if constexpr (number<A>) {
      ref_.data = reinterpret_cast<std::byte*>(const_cast<A*>(&given));
      ref_.bytes = static_cast<int>(sizeof(A));
    } else if constexpr (cpu::strided_expression<A>) {
      ref_ = cpu::ref_to(given);
    } else if constexpr (cpu::number_range<A>) {
      ref_.data = reinterpret_cast<std::byte*>(const_cast<cpu::element_t<A>*>(std::data(given)));
      ref_.bytes = static_cast<int>(sizeof(cpu::element_t<A>));
      ref_.rank = 1;
      ref_.extents[0] = static_cast<std::ptrdiff_t>(std::size(given));
      ref_.strides[0] = 1;
    } else {
      static_assert(cpu::static_rank_of<A> >= -1,
                    "kt::runtime: an argument must be a number, an xtensor expression, a range of "
                    "numbers or a kt::runtime::array");
      copy_.emplace(given);
      ref_ = copy_->ref();
    }
    element e;
    if constexpr (is_array) e = given.element_type();
    else e = core::element_of<cpu::element_t<A>>();
    check(e, parameter);
    if (e == parameter.type.element) return;
    if constexpr (is_array) {
      copy_ = given.cast(parameter.type.element);
    } else {
      if (!copy_) copy_.emplace(given);
      copy_ = copy_->cast(parameter.type.element);
    }
    ref_ = copy_->ref();
  }
  core::array_ref const& ref() const { return ref_; }

 private:
  void check(element e, plan::parameter_info const& parameter) const {
    if (ref_.rank != parameter.type.rank)
      throw shape_error("an array of rank " + std::to_string(ref_.rank) + " was passed for " +
                        cpu::describe_parameter(parameter) + ", whose rank is " +
                        std::to_string(parameter.type.rank));
    if (!core::is_lossless(e, parameter.type.element))
      throw value_error(
          "elements of type " + std::string(core::name_of(e)) + " were passed for " +
          cpu::describe_parameter(parameter) + ", whose elements are of type " +
          std::string(core::name_of(parameter.type.element)) + ": convert them first");
  }

  core::array_ref ref_;
  std::optional<array> copy_;
};

}  // namespace kroton::runtime
