// NumPy's format for one array, .npy, as bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/containers.hpp>

#include <bit>
#include <charconv>
#include <complex>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace kroton {

/// A file that cannot be read or written, or that does not hold what is asked for; the text names the file and the array.
class file_error : public error {
  using error::error;
};

namespace core {

/// What stands before the elements.
struct npy_header {
  element type = element::float64;
  bool swapped = false;  // the other order of bytes
  bool fortran = false;  // the first index runs fastest
  std::vector<std::size_t> shape;
  std::size_t size = 0;  // of the header, in bytes
};

/// NumPy's name of an element type, `f8`, without the order of bytes.
inline std::string npy_code_of(element e) {
  char const kind = is_bool(e) ? 'b' : is_signed(e) ? 'i' : is_unsigned(e) ? 'u' : is_float(e) ? 'f' : 'c';
  return kind + std::to_string(bytes_of(e));
}

/// Reads a header: a dictionary in Python's notation, in any order. `where` goes before what is wrong.
class npy_header_reader {
 public:
  npy_header_reader(std::string_view bytes, std::string const& where) : where_(where) {
    constexpr std::string_view magic = "\x93NUMPY";
    if (bytes.substr(0, 6) != magic) fail("is no array in NumPy's format");
    if (bytes.size() < 12) fail("is cut short in its header");
    auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
    int const version = bytes[6];
    if (version < 1 || version > 3) fail("has version " + std::to_string(version) + " of NumPy's format, which is not known");
    std::size_t const at = version == 1 ? 10 : 12;
    std::size_t const length = version == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
    if (bytes.size() - at < length) fail("is cut short in its header");
    text_ = bytes.substr(at, length);
    result.size = at + length;
    read_type(value_of("descr"));
    read_order(value_of("fortran_order"));
    read_shape(value_of("shape"));
  }
  npy_header result;

 private:
  [[noreturn]] void fail(std::string const& what) const { throw file_error(where_ + " " + what); }

  // What follows a key.
  std::string_view value_of(std::string_view key) const {
    std::string quoted(1, '\'');
    quoted.append(key).append(1, '\'');  // for a sum with a literal in front g++ 12 warns of overlapping copies
    std::size_t const at = text_.find(quoted);
    std::size_t const colon = at == std::string_view::npos ? at : text_.find(':', at);
    std::size_t const begin = colon == std::string_view::npos ? colon : text_.find_first_not_of(' ', colon + 1);
    if (begin == std::string_view::npos) fail("has no " + std::string(key) + " in its header");
    return text_.substr(begin);
  }
  void read_type(std::string_view value) {
    std::size_t const end = value.empty() || value[0] != '\'' ? std::string_view::npos : value.find('\'', 1);
    if (end == std::string_view::npos) fail("holds records, which no array of Kroton's does");
    std::string_view const name = value.substr(1, end - 1);
    if (name.empty()) fail("has no element type");
    for (int e = 0; e <= static_cast<int>(element::complex128); ++e) {
      result.type = static_cast<element>(e);
      if (name.substr(1) != npy_code_of(result.type)) continue;
      bool const little = std::endian::native == std::endian::little;
      result.swapped = bytes_of(result.type) > 1 && name[0] == (little ? '>' : '<');
      return;
    }
    fail("has elements of type " + std::string(name) + ", which no array of Kroton's has");
  }
  void read_order(std::string_view value) { result.fortran = value.substr(0, 4) == "True"; }
  void read_shape(std::string_view value) {
    std::size_t const length = value.find(')');
    if (value[0] != '(' || length == std::string_view::npos) fail("has a shape that cannot be read");
    char const* at = value.data();
    char const* const end = at + length;
    for (++at;; ++at) {
      while (at != end && (*at == ' ' || *at == ',')) ++at;
      if (at == end) return;
      std::size_t extent = 0;
      auto const read = std::from_chars(at, end, extent);
      if (read.ec != std::errc() || (read.ptr != end && *read.ptr != ',')) fail("has a shape that cannot be read");
      result.shape.push_back(extent);
      at = read.ptr;
      if (at == end) return;
    }
  }

  std::string const& where_;
  std::string_view text_;
};

/// Copies elements of type From, wherever they lie, in either order of bytes.
template <class From, class T>
void read_elements(char const* from, std::size_t count, bool swapped, T* to) {
  constexpr std::size_t unit = is_complex(element_of<From>()) ? sizeof(From) / 2 : sizeof(From);
  for (std::size_t i = 0; i < count; ++i) {
    char bytes[sizeof(From)];
    std::memcpy(bytes, from + i * sizeof(From), sizeof(From));
    if (swapped)
      for (std::size_t at = 0; at < sizeof(From); at += unit)
        for (std::size_t k = 0; k < unit / 2; ++k) std::swap(bytes[at + k], bytes[at + unit - 1 - k]);
    if constexpr (std::same_as<From, bool>) {
      to[i] = static_cast<T>(bytes[0] != 0);
    } else {
      From value;
      std::memcpy(&value, bytes, sizeof(From));
      to[i] = static_cast<T>(value);
    }
  }
}

/// Reads elements of a type that T holds without loss; false for any other type.
template <class T>
bool read_elements_of(element type, char const* from, std::size_t count, bool swapped, T* to) {
  bool done = false;
  auto attempt = [&]<element E>(std::integral_constant<element, E>) {
    if constexpr (is_lossless<value_t<E>, T>())
      if (type == E) read_elements<value_t<E>>(from, count, swapped, to), done = true;
  };
  [&]<int... E>(std::integer_sequence<int, E...>) {
    (attempt(std::integral_constant<element, static_cast<element>(E)>{}), ...);
  }(std::make_integer_sequence<int, static_cast<int>(element::complex128) + 1>{});
  return done;
}

/// The array in the bytes of an .npy file: in row-major order, elements converted where nothing is lost. Throws kt::file_error,
/// whose text begins with `where`.
template <class T, int Rank>
container_t<T, Rank> array_from_npy(std::string_view bytes, std::string const& where) {
  npy_header const header = npy_header_reader(bytes, where).result;
  bytes.remove_prefix(header.size);
  auto const rank = static_cast<std::size_t>(Rank);
  if (header.shape.size() != rank)
    throw file_error(where + " has rank " + std::to_string(header.shape.size()) + ", an array of rank " + std::to_string(Rank) +
                     " is wanted");
  std::size_t const room = bytes.size() / static_cast<std::size_t>(bytes_of(header.type));
  std::size_t count = 1;
  for (std::size_t extent : header.shape)
    if (extent == 0) count = 0;
  bool fits = true;
  for (std::size_t extent : header.shape) {
    fits = fits && (count == 0 || extent <= room / count);
    count *= extent;
  }
  if (!fits || count > room) throw file_error(where + " is cut short: there are fewer elements than its shape says");

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
    throw file_error(where + " has elements of type " + std::string(name_of(header.type)) + ", which would be narrowed to " +
                     std::string(name_of(element_of<T>())));
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

/// An array or a number as the bytes of an .npy file, in row-major order.
template <class A>
std::string npy_of(A const& array) {
  using T = element_t<A>;
  std::string shape;
  std::string elements;
  auto append = [&](T const& value) { elements.append(reinterpret_cast<char const*>(&value), sizeof(T)); };
  if constexpr (std::is_arithmetic_v<A>) {
    append(array);
  } else if constexpr (number_range<A>) {
    shape = std::to_string(std::size(array)) + ",";
    for (auto const& value : array) append(value);
  } else {
    for (std::size_t d = 0; d < array.dimension(); ++d) shape += std::to_string(array.shape()[d]) + ",";
    elements.reserve(array.size() * sizeof(T));
    for (auto const& value : array) append(value);
  }
  char const order = sizeof(T) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  std::string header = std::string("{'descr': '") + order + npy_code_of(element_of<T>()) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  return bytes + header + elements;
}

}  // namespace core
}  // namespace kroton
