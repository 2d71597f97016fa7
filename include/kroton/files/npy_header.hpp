// The header of NumPy's format .npy: a dictionary in Python's notation, checked as strictly as by
// NumPy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/element.hpp>
#include <kroton/core/file.hpp>

#include <bit>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kroton::files {

/// Everything that precedes the elements.
struct npy_header {
  element type = element::float64;
  std::size_t text = 0;  // of a text, the number of its characters
  bool swapped = false;  // the other byte order
  bool fortran = false;  // the first index varies fastest
  std::vector<std::size_t> shape;
  std::size_t size = 0;  // of the header, in bytes
};

/// NumPy's name of an element type, `f8`, without the byte order. NumPy has no bfloat16; packages
/// that add it store it as two bytes without a meaning.
inline std::string npy_code_of(element e) {
  if (e == element::bfloat16) return "V2";
  char const kind = is_bool(e)       ? 'b'
                    : is_signed(e)   ? 'i'
                    : is_unsigned(e) ? 'u'
                    : is_float(e)    ? 'f'
                                     : 'c';
  return kind + std::to_string(bytes_of(e));
}

/// Reads a header, with its keys in any order, in single or double quotes. `where` precedes the
/// error message. Throws kt::file_error, also for a missing, unknown or duplicate key.
class npy_header_reader {
 public:
  enum class content { numbers, text };

  npy_header_reader(std::string_view bytes, std::string const& where,
                    content expected = content::numbers)
      : where_(where), expected_(expected) {
    constexpr std::string_view magic = "\x93NUMPY";
    if (bytes.substr(0, 6) != magic) fail("is not an array in NumPy's format");
    if (bytes.size() < 12) fail("is truncated in its header");
    int const version = bytes[6], minor = bytes[7];
    if (version < 1 || version > 3 || minor != 0)
      fail("has version " + std::to_string(version) +
           (minor == 0 ? "" : "." + std::to_string(minor)) +
           " of NumPy's format, which is not supported");
    std::size_t const digits = version == 1 ? 2 : 4;
    std::size_t length = 0;
    for (std::size_t i = 0; i < digits; ++i)
      length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[8 + i])) << 8 * i;
    std::size_t const at = 8 + digits;
    if (bytes.size() - at < length) fail("is truncated in its header");
    result.size = at + length;
    text_ = bytes.substr(at, length);
    long_suffix_ = version < 3;
    read_dictionary();
  }
  npy_header result;

 private:
  static constexpr std::string_view unreadable = "has a header that cannot be read";
  static constexpr std::string_view unreadable_shape = "has a shape that cannot be read";

  [[noreturn]] void fail(std::string_view what) const {
    throw file_error(where_ + " " + std::string(what));
  }

  void skip_space() {
    std::size_t const next = text_.find_first_not_of(" \t\r\n\f");
    text_.remove_prefix(next == std::string_view::npos ? text_.size() : next);
  }
  bool accept(std::string_view symbol) {
    skip_space();
    if (!text_.starts_with(symbol)) return false;
    text_.remove_prefix(symbol.size());
    return true;
  }
  void expect(std::string_view symbol, std::string_view otherwise = unreadable) {
    if (!accept(symbol)) fail(otherwise);
  }
  // No valid string contains an escape.
  std::string_view read_string() {
    skip_space();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) fail(unreadable);
    std::size_t const end = text_.find(text_[0], 1);
    if (end == std::string_view::npos) fail(unreadable);
    std::string_view const characters = text_.substr(1, end - 1);
    if (characters.find_first_of("\\\n\r") != std::string_view::npos) fail(unreadable);
    text_.remove_prefix(end + 1);
    return characters;
  }

  void read_dictionary() {
    constexpr std::string_view keys[] = {"descr", "fortran_order", "shape"};
    bool seen[3]{};
    expect("{");
    while (!accept("}")) {
      std::string_view const key = read_string();
      int which = 0;
      while (which < 3 && keys[which] != key) ++which;
      if (which == 3) fail("has an unknown key " + std::string(key) + " in its header");
      if (std::exchange(seen[which], true))
        fail("has " + std::string(key) + " twice in its header");
      expect(":");
      if (which == 0) read_type();
      else if (which == 1) read_order();
      else read_shape();
      if (accept(",")) continue;
      expect("}");
      break;
    }
    skip_space();
    if (!text_.empty()) fail(unreadable);
    for (int which = 0; which < 3; ++which)
      if (!seen[which]) fail("has no " + std::string(keys[which]) + " in its header");
    check_size();
  }

  void read_type() {
    skip_space();
    if (text_.starts_with('[') || text_.starts_with('('))
      fail("holds records, which Kroton does not support");
    std::string_view const name = read_string();
    if (name.empty()) fail("has no element type");
    bool const has_order = std::string_view("<>=|").find(name[0]) != std::string_view::npos;
    std::string_view const code = name.substr(has_order ? 1 : 0);
    if (expected_ == content::text) {
      auto const end = code.data() + code.size();
      if (!code.starts_with('S')) fail("is no text");
      auto const read = std::from_chars(code.data() + 1, end, result.text);
      if (read.ec != std::errc() || read.ptr != end) fail("is no text");
      return;
    }
    for (int e = 0; e < static_cast<int>(element_types); ++e) {
      result.type = static_cast<element>(e);
      if (code != npy_code_of(result.type) && (has_order || name != name_of(result.type))) continue;
      bool const little = std::endian::native == std::endian::little;
      result.swapped = bytes_of(result.type) > 1 && name[0] == (little ? '>' : '<');
      return;
    }
    fail("has elements of type " + std::string(name) + ", which Kroton does not support");
  }
  void read_order() {
    result.fortran = accept("True");
    if (!result.fortran && !accept("False"))
      fail("has a fortran_order that is neither True nor False");
  }
  // In Python `(3)` is a number and not a tuple.
  void read_shape() {
    expect("(", unreadable_shape);
    bool comma = true;
    while (!accept(")")) {
      if (!comma) fail(unreadable_shape);
      read_extent();
      comma = accept(",");
    }
    if (result.shape.size() == 1 && !comma) fail(unreadable_shape);
  }
  void read_extent() {
    skip_space();
    std::size_t extent = 0;
    auto const read = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
    auto const length = static_cast<std::size_t>(read.ptr - text_.data());
    if (read.ec != std::errc() || (text_[0] == '0' && extent != 0)) fail(unreadable_shape);
    text_.remove_prefix(length);
    if (long_suffix_ && text_.starts_with('L')) text_.remove_prefix(1);  // Python 2 wrote it
    result.shape.push_back(extent);
  }
  // No array can have this size, even one without elements.
  void check_size() const {
    auto bytes = static_cast<std::size_t>(bytes_of(result.type));
    for (std::size_t extent : result.shape) {
      if (extent == 0) continue;
      if (extent > static_cast<std::size_t>(PTRDIFF_MAX) / bytes)
        fail("has a shape that exceeds the address space");
      bytes *= extent;
    }
  }

  std::string const& where_;
  content expected_;
  std::string_view text_;     // not parsed yet
  bool long_suffix_ = false;  // whether an extent may be written as 3L
};

}  // namespace kroton::files
