// Arguments and targets of compiled functions: numbers, containers, and memory of any strides.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../compressed.hpp"
#include "trial.hpp"

#include <array>
#include <cstring>
#include <type_traits>

namespace fuzz {

template <class V>
tensor tensor_of(V const& v) {
  tensor t;
  if constexpr (kt::number<V>) {
    t.type = kt::core::element_of<V>();
    t.data.push_back(number_as<real>(v));
  } else if constexpr (requires { v.get_value(); }) {
    return tensor_of(v.get_value());  // an array of a device
  } else {
    t.type = kt::core::element_of<typename V::value_type>();
    for (auto e : v.shape()) t.shape.push_back(static_cast<long>(e));
    for (auto i = v.template begin<xt::layout_type::row_major>();
         i != v.template end<xt::layout_type::row_major>(); ++i)
      t.data.push_back(number_as<real>(*i));
  }
  return t;
}

template <class T, int Rank>
kt::cpu::container_t<T, Rank> container_of(argument const& a) {
  if constexpr (Rank == 0) {
    return number_as<T>(a.data[0]);
  } else {
    std::array<std::size_t, static_cast<std::size_t>(Rank)> shape;
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = static_cast<std::size_t>(a.shape[d]);
    kt::cpu::container_t<T, Rank> result(shape);
    for (std::size_t i = 0; i < a.data.size(); ++i) result.data()[i] = number_as<T>(a.data[i]);
    return result;
  }
}

template <class Matrix>
auto matrix_of(argument const& a) {
  using array = std::conditional_t<Matrix::by_rows, kt::csr_array<double>, kt::csc_array<double>>;
  compressed const m(a);
  return array(m.values, m.indices, m.starts, {static_cast<std::size_t>(a.shape[0]), static_cast<std::size_t>(a.shape[1])});
}
/// The value of a parameter: a number, a container, a sparse matrix.
template <class Parameter>
auto container_for(argument const& a) {
  if constexpr (kt::sparse<Parameter>) return matrix_of<Parameter>(a);
  else return container_of<kt::value_type_of<Parameter>, kt::rank_of<Parameter>>(a);
}

/// An array of its own memory, which is no larger than the layout asks for.
template <class T, int Rank>
class strided_array {
  static constexpr std::size_t rank = static_cast<std::size_t>(Rank);
  using extents = std::array<std::size_t, rank>;
  using steps = std::array<std::ptrdiff_t, rank>;

 public:
  using view_type = decltype(xt::adapt(std::declval<T*>(), std::size_t{}, xt::no_ownership(),
                                       extents{}, steps{}));

  strided_array(std::vector<long> const& shape, layout l) {
    std::ptrdiff_t step = l == layout::gaps ? 2 : 1, first = 0, last = 0;
    for (std::size_t k = 0; k < rank; ++k) {
      std::size_t const d = l == layout::transposed ? k : rank - 1 - k;
      shape_[d] = static_cast<std::size_t>(shape[d]);
      bool const backwards = l == layout::reversed && k == 0;
      strides_[d] = shape[d] == 1 ? 0 : backwards ? -step : step;
      std::ptrdiff_t const way = strides_[d] * std::max<std::ptrdiff_t>(shape[d] - 1, 0);
      (way < 0 ? first : last) += way;
      count_ *= shape_[d];
      step = step * std::max<std::ptrdiff_t>(shape[d], 1) + (l == layout::gaps ? 1 : 0);
    }
    size_ = count_ == 0 ? 0 : static_cast<std::size_t>(last - first + 1);
    begin_ = -first;
    // Exactly as much as there is, for the address sanitizer.
    memory_ = std::make_unique<unsigned char[]>(size_ * sizeof(T));
    std::memset(memory_.get(), filling, size_ * sizeof(T));
  }
  strided_array(argument const& a, layout l) : strided_array(a.shape, l) {
    for (std::size_t i = 0; i < count_; ++i) data()[position(i)] = number_as<T>(a.data[i]);
  }

  view_type view() const {
    // xtensor asks for as many elements as there are, whatever their strides.
    return xt::adapt(data() + begin_, count_, xt::no_ownership(), shape_, strides_);
  }
  tensor value() const {
    tensor t;
    t.type = kt::core::element_of<T>();
    t.shape.assign(shape_.begin(), shape_.end());
    for (std::size_t i = 0; i < count_; ++i) t.data.push_back(number_as<real>(data()[position(i)]));
    return t;
  }
  /// Nothing was written between the elements.
  bool gaps_are_intact() const {
    std::vector<bool> is_element(size_);
    for (std::size_t i = 0; i < count_; ++i)
      is_element[static_cast<std::size_t>(position(i))] = true;
    for (std::size_t i = 0; i < size_ * sizeof(T); ++i)
      if (!is_element[i / sizeof(T)] && memory_[i] != filling) return false;
    return true;
  }

 private:
  static constexpr unsigned char filling = 0x5a;
  T* data() const { return reinterpret_cast<T*>(memory_.get()); }
  std::ptrdiff_t position(std::size_t i) const {
    std::ptrdiff_t at = begin_;
    for (std::size_t d = rank; d-- > 0; i /= shape_[d])
      at += static_cast<std::ptrdiff_t>(i % shape_[d]) * strides_[d];
    return at;
  }

  extents shape_{};
  steps strides_{};
  std::size_t count_ = 1, size_ = 0;
  std::ptrdiff_t begin_ = 0;
  std::unique_ptr<unsigned char[]> memory_;
};

/// The same of a number, which has no strides.
template <class T>
class strided_number {
 public:
  explicit strided_number(T value) : value_(value) {}
  strided_number(argument const& a, layout) : value_(number_as<T>(a.data[0])) {}
  strided_number(std::vector<long> const&, layout) {}
  T& view() const { return value_; }
  tensor value() const { return tensor_of(value_); }
  bool gaps_are_intact() const { return true; }

 private:
  mutable T value_{};  // memory that a view writes to, as an array's
};

/// A sparse matrix, whose arrays are dense.
template <class Matrix>
class whole_matrix {
 public:
  whole_matrix(argument const& a, layout) : value_(matrix_of<Matrix>(a)) {}
  auto const& view() const { return value_; }

 private:
  decltype(matrix_of<Matrix>(argument{})) value_;
};

template <class T, int Rank>
using strided_t =
    std::conditional_t<Rank == 0, strided_number<T>, strided_array<T, Rank == 0 ? 1 : Rank>>;

/// Memory for a parameter.
template <class Parameter>
auto strided_for(argument const& a, layout l) {
  if constexpr (kt::sparse<Parameter>) return whole_matrix<Parameter>(a, l);
  else return strided_t<kt::value_type_of<Parameter>, kt::rank_of<Parameter>>(a, l);
}

}  // namespace fuzz
