// NumPy's format for one array, .npy, as bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/files/npy_header.hpp>

#include <bit>
#include <complex>
#include <cstring>
#include <string>
#include <string_view>

namespace kroton {
namespace files {

/// Copies elements of type From from any address, in either byte order.
template <class From, class T>
void read_elements(char const* from, std::size_t count, bool swapped, T* to) {
  constexpr std::size_t unit = is_complex(element_of<From>()) ? sizeof(From) / 2 : sizeof(From);
  for (std::size_t i = 0; i < count; ++i) {
    char bytes[sizeof(From)];
    std::memcpy(bytes, from + i * sizeof(From), sizeof(From));
    if (swapped)
      for (std::size_t at = 0; at < sizeof(From); at += unit)
        for (std::size_t k = 0; k < unit / 2; ++k)
          std::swap(bytes[at + k], bytes[at + unit - 1 - k]);
    if constexpr (std::same_as<From, bool>) {
      to[i] = static_cast<T>(bytes[0] != 0);
    } else {
      From value;
      std::memcpy(&value, bytes, sizeof(From));
      to[i] = static_cast<T>(value);
    }
  }
}

/// Reads elements of a type that converts to T without loss; false for any other type.
template <class T>
bool read_elements_of(element type, char const* from, std::size_t count, bool swapped, T* to) {
  bool done = false;
  auto attempt = [&]<element E>(std::integral_constant<element, E>) {
    if constexpr (is_lossless<value_t<E>, T>())
      if (type == E) read_elements<value_t<E>>(from, count, swapped, to), done = true;
  };
  [&]<int... E>(std::integer_sequence<int, E...>) {
    (attempt(std::integral_constant<element, static_cast<element>(E)>{}), ...);
  }(std::make_integer_sequence<int, static_cast<int>(element_types)>{});
  return done;
}

/// The array in the bytes of a .npy file: in row-major order, elements converted if nothing is
/// lost. Throws kt::file_error, whose text begins with `where`.
template <class T, int Rank>
container_t<T, Rank> array_from_npy(std::string_view bytes, std::string const& where) {
  npy_header const header = npy_header_reader(bytes, where).result;
  bytes.remove_prefix(header.size);
  auto const rank = static_cast<std::size_t>(Rank);
  if (header.shape.size() != rank)
    throw file_error(where + " has rank " + std::to_string(header.shape.size()) +
                     ", but an array of rank " + std::to_string(Rank) + " is required");
  std::size_t count = 1;  // which the header has checked for overflow
  for (std::size_t extent : header.shape) count *= extent;
  if (count > bytes.size() / static_cast<std::size_t>(bytes_of(header.type)))
    throw file_error(where + " is truncated: it holds fewer elements than its shape says");

  container_t<T, Rank> result{};
  T* to = nullptr;
  if constexpr (Rank == 0) {
    to = &result;
  } else {
    std::array<std::size_t, static_cast<std::size_t>(Rank)> shape;
    for (std::size_t d = 0; d < rank; ++d) shape[d] = header.shape[d];
    result.resize(shape);
    to = result.data();
  }
  if (!read_elements_of(header.type, bytes.data(), count, header.swapped, to))
    throw file_error(where + " has elements of type " + std::string(name_of(header.type)) +
                     ", which would be narrowed to " + std::string(name_of(element_of<T>())));
  if constexpr (Rank > 1) {
    if (header.fortran) {
      container_t<T, Rank> turned = result;
      array_ref from = ref_to(result);
      std::ptrdiff_t stride = 1;
      for (int d = 0; d < Rank; ++d) {
        from.strides[d] = stride;
        stride *= from.extents[d];
      }
      copy(ref_to(turned), from);
      return turned;
    }
  }
  return result;
}

/// The text in the bytes of a .npy file, numpy.bytes_. Throws kt::file_error.
inline std::string text_from_npy(std::string_view bytes, std::string const& where) {
  using reader = npy_header_reader;
  npy_header const header = reader(bytes, where, reader::content::text).result;
  bytes.remove_prefix(header.size);
  if (!header.shape.empty()) throw file_error(where + " is no text");
  if (header.text > bytes.size()) throw file_error(where + " is truncated");
  std::string_view const characters = bytes.substr(0, header.text);
  return std::string(characters.substr(0, characters.find('\0')));
}

/// The bytes of a .npy file, from NumPy's name of the element type, the extents, each with a comma,
/// and the elements.
inline std::string npy_file(std::string const& type, std::string const& shape,
                            std::string_view elements) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  return (bytes + header).append(elements);
}
inline std::string npy_of_text(std::string_view text) {
  return npy_file("|S" + std::to_string(text.size()), "", text);
}

/// An array or a number as the bytes of a .npy file, in row-major order.
template <class A>
std::string npy_of(A const& array) {
  using T = element_t<A>;
  std::string shape;
  std::string elements;
  auto append = [&](T const& value) {
    elements.append(reinterpret_cast<char const*>(&value), sizeof(T));
  };
  if constexpr (std::is_arithmetic_v<A>) {
    append(array);
  } else if constexpr (number_range<A>) {
    shape = std::to_string(std::size(array)) + ",";
    for (auto const& value : array) append(value);
  } else {
    for (std::size_t d = 0; d < array.dimension(); ++d)
      shape += std::to_string(array.shape()[d]) + ",";
    elements.reserve(array.size() * sizeof(T));
    for (auto const& value : array) append(value);
  }
  bool const has_order = sizeof(T) > 1 && !std::is_same_v<T, bfloat16>;
  char const order = !has_order ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  return npy_file(order + npy_code_of(element_of<T>()), shape, elements);
}

}  // namespace files
}  // namespace kroton
