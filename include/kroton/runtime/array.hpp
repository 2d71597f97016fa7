// Arrays whose element type and rank are values: arguments and results of functions of run-time
// graphs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/cpu/call/memory.hpp>
#include <kroton/runtime/visit.hpp>

#include <concepts>
#include <string>
#include <vector>

namespace kroton::runtime {

/// An array of any element type and rank, row-major, that owns its elements (numpy.ndarray).
class array {
 public:
  /// The number 0 (float64).
  array() : array(element::float64, {}) {}
  /// Zeros of an element type and shape. Throws kt::value_error if the size exceeds the address
  /// space.
  array(element e, std::vector<std::size_t> shape) : element_(e), shape_(std::move(shape)) {
    if (shape_.size() > static_cast<std::size_t>(core::max_rank))
      throw shape_error(core::message({"an array has at most 8 dimensions, not ", shape_.size()}));
    std::size_t const bytes = checked_bytes();
    if (bytes > cpu::memory_of_machine()) cpu::refuse_memory(bytes);
    words_.resize((bytes + 7) / 8);
  }
  /// A copy of a number, of an xtensor container, view or expression, or of a range of numbers.
  template <class V>
    requires(!std::same_as<std::remove_cvref_t<V>, array> && cpu::static_rank_of<V> >= -1)
  explicit array(V const& value) : array(core::element_of<cpu::element_t<V>>(), shape_of(value)) {
    using T = cpu::element_t<V>;
    if constexpr (number<V>) *data<T>() = value;
    else if constexpr (cpu::number_range<V>) std::copy_n(std::data(value), size(), data<T>());
    else
      std::copy(value.template begin<xt::layout_type::row_major>(),
                value.template end<xt::layout_type::row_major>(), data<T>());
  }

  /// A copy of the elements that a reference describes.
  static array copy_of(core::array_ref const& from, kroton::element e) {
    array result(e, {from.extents, from.extents + from.rank});
    core::copy(result.ref(), from);
    return result;
  }

  kroton::element element_type() const { return element_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  std::vector<std::size_t> const& shape() const& { return shape_; }
  std::vector<std::size_t> shape() && { return std::move(shape_); }
  /// The number of elements.
  std::size_t size() const {
    std::size_t n = 1;
    for (std::size_t extent : shape_) n *= extent;
    return n;
  }

  /// The elements in row-major order. Throws kt::value_error if their type is not T.
  template <class T>
  T* data() {
    require<T>();
    return reinterpret_cast<T*>(words_.data());
  }
  template <class T>
  T const* data() const {
    require<T>();
    return reinterpret_cast<T const*>(words_.data());
  }
  /// A copy as xt::xtensor<T, Rank>, or as T for rank 0. Throws kt::value_error for another element
  /// type, kt::shape_error for another rank.
  template <class T, int Rank>
  cpu::container_t<T, Rank> as() const {
    require<T>();
    if (rank() != Rank)
      throw shape_error("an array of rank " + std::to_string(rank()) +
                        " was requested as one of rank " + std::to_string(Rank));
    if constexpr (Rank == 0) {
      return *data<T>();
    } else {
      typename cpu::container_t<T, Rank>::shape_type shape;
      std::copy(shape_.begin(), shape_.end(), shape.begin());
      cpu::container_t<T, Rank> result(shape);
      std::copy_n(data<T>(), size(), result.data());
      return result;
    }
  }
  /// The elements converted as by kt::cast; complex numbers convert to bool as whether they are not
  /// 0. Throws kt::value_error if imaginary parts would be lost. (numpy.ndarray.astype)
  array cast(element to) const {
    array result(to, shape_);
    visit_element(element_, [&]<class From>(std::type_identity<From>) {
      visit_element(to, [&]<class To>(std::type_identity<To>) {
        From const* const from = data<From>();
        To* const at = result.data<To>();
        for (std::size_t i = 0; i < size(); ++i) {
          if constexpr (core::is_complex_number<From> && !core::is_complex_number<To> &&
                        !std::is_same_v<To, bool>)
            throw value_error("a complex number does not convert to a real one");
          else at[i] = core::convert<To>(from[i]);
        }
      });
    });
    return result;
  }

  /// Whether another array is the same, bit for bit.
  bool has_bytes_of(array const& other) const {
    if (element_ != other.element_ || shape_ != other.shape_) return false;
    return size() == 0 ||  // otherwise there is no memory
           std::memcmp(words_.data(), other.words_.data(),
                       size() * static_cast<std::size_t>(core::bytes_of(element_))) == 0;
  }
  /// Whether a reference describes the same elements, bit for bit.
  bool is_copy_of(core::array_ref const& from) const {
    return copy_of(from, element_).has_bytes_of(*this);
  }

  /// The memory as kernels see it.
  core::array_ref ref() const {
    core::array_ref r;
    r.data = const_cast<std::byte*>(reinterpret_cast<std::byte const*>(words_.data()));
    r.rank = rank();
    r.bytes = core::bytes_of(element_);
    for (int d = 0; d < r.rank; ++d)
      r.extents[d] = static_cast<std::ptrdiff_t>(shape_[static_cast<std::size_t>(d)]);
    r.make_contiguous_strides();
    return r;
  }

 private:
  template <class V>
  static std::vector<std::size_t> shape_of(V const& value) {
    if constexpr (number<V>) return {};
    else if constexpr (cpu::number_range<V>) return {std::size(value)};
    else return {value.shape().begin(), value.shape().end()};
  }
  std::size_t checked_bytes() const {
    std::size_t const most = static_cast<std::size_t>(PTRDIFF_MAX) / 8 * 8;
    std::size_t n = static_cast<std::size_t>(core::bytes_of(element_));
    bool empty = false;
    for (std::size_t extent : shape_) {
      empty = empty || extent == 0;
      if (extent == 0) continue;  // the others are factors of strides
      if (extent > most / n)
        throw value_error("an array exceeds the address space: " + shape_text());
      n *= extent;
    }
    return empty ? 0 : n;
  }
  std::string shape_text() const {
    std::string text;
    for (std::size_t extent : shape_) text += (text.empty() ? "(" : ", ") + std::to_string(extent);
    return text + ")";
  }
  template <class T>
  void require() const {
    if (core::element_of<T>() != element_)
      throw value_error("an array of " + std::string(core::name_of(element_)) + " is read as " +
                        std::string(core::name_of(core::element_of<T>())));
  }

  kroton::element element_;
  std::vector<std::size_t> shape_;
  std::vector<std::uint64_t> words_;  // aligned for every element type
};

}  // namespace kroton::runtime
