// The zip container of .npz files: read stored or deflated, written stored.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/files/npy.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kroton::files {

inline std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<Bytef const*>(bytes.data()), static_cast<uInt>(bytes.size())));
}
inline constexpr std::size_t zip_limit = 0xFFFFFFFF;

/// Collects named entries.
class zip_writer {
 public:
  explicit zip_writer(std::string const& file) : file_(file) {}

  /// Throws kt::file_error for a name that is there already: readers would find one of the two.
  void add(std::string const& name, std::string_view data) {
    if (!names_.insert(name).second) throw file_error(file_ + " would hold " + name + " twice");
    if (data.size() >= zip_limit || bytes_.size() + data.size() >= zip_limit)
      throw file_error(file_ + " would be larger than 4 GiB");
    std::string fields;
    append(fields, 20, 2);  // the version that can read it
    append(fields, 0, 2);   // flags
    append(fields, 0, 2);   // stored
    append(fields, 0, 2);  // time and day: the first of 1980, so that equal values give equal files
    append(fields, 0x21, 2);
    append(fields, checksum(data), 4);
    append(fields, data.size(), 4);
    append(fields, data.size(), 4);
    append(fields, name.size(), 2);
    append(fields, 0, 2);  // extra fields

    directory_ += "PK\x01\x02";
    append(directory_, 20, 2);
    directory_ += fields;
    append(directory_, 0, 2);  // comment
    append(directory_, 0, 2);  // disk
    append(directory_, 0, 2);  // attributes
    append(directory_, 0, 4);
    append(directory_, bytes_.size(), 4);
    directory_ += name;

    bytes_ += "PK\x03\x04";
    bytes_ += fields;
    bytes_ += name;
    bytes_ += data;
  }
  void write() {
    std::size_t const at = bytes_.size();
    bytes_ += directory_;
    bytes_ += "PK\x05\x06";
    append(bytes_, 0, 4);  // disks
    append(bytes_, names_.size(), 2);
    append(bytes_, names_.size(), 2);
    append(bytes_, directory_.size(), 4);
    append(bytes_, at, 4);
    append(bytes_, 0, 2);  // comment
    write_file(file_, bytes_);
  }

 private:
  static void append(std::string& to, std::size_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> 8 * i & 255);
  }

  std::string const& file_;
  std::string bytes_, directory_;
  std::set<std::string> names_;
};

/// The entries of a file.
class zip_reader {
 public:
  explicit zip_reader(std::string const& file) : file_(file), bytes_(read_file(file)) {
    std::size_t const end = bytes_.rfind("PK\x05\x06");
    if (bytes_.substr(0, 2) != "PK") fail("is not a .npz file");
    if (end == std::string::npos || bytes_.size() - end < 22) fail("is truncated");
    std::size_t const count = number(end + 10, 2);
    std::size_t at = number(end + 16, 4);
    if (count == 0xFFFF || at == zip_limit) fail("is larger than 4 GiB, which is not supported");
    for (std::size_t i = 0; i < count; ++i) {
      if (part(at, 4) != "PK\x01\x02") fail("is damaged");
      entry e{std::string(part(at + 46, number(at + 28, 2))),
              number(at + 8, 2),
              number(at + 10, 2),
              number(at + 16, 4),
              number(at + 20, 4),
              number(at + 24, 4),
              number(at + 42, 4)};
      at += 46 + number(at + 28, 2) + number(at + 30, 2) + number(at + 32, 2);
      if (e.packed == zip_limit || e.size == zip_limit)
        fail("is larger than 4 GiB, which is not supported");
      entries_.push_back(std::move(e));
    }
  }

  bool contains(std::string const& name) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](entry const& e) { return e.name == name + ".npy"; });
  }
  /// The data of an entry; the error message lists the existing entries.
  std::string get(std::string const& name) const {
    std::string names;
    // If two have the same name, the later one counts, as in Python.
    for (std::size_t k = entries_.size(); k-- > 0;)
      if (entries_[k].name == name + ".npy") return unpacked(entries_[k]);
    for (entry const& e : entries_)
      names += (names.empty() ? "" : ", ") +
               (e.name.ends_with(".npy") ? e.name.substr(0, e.name.size() - 4) : e.name);
    fail("has no array " + name + (names.empty() ? "; it is empty" : "; it has " + names));
  }

 private:
  struct entry {
    std::string name;
    std::size_t flags, method, crc, packed, size, offset;
  };

  [[noreturn]] void fail(std::string const& what) const { throw file_error(file_ + " " + what); }

  std::string_view part(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) fail("is truncated");
    return std::string_view(bytes_).substr(at, count);
  }
  std::size_t number(std::size_t at, std::size_t count) const {
    std::size_t value = 0;
    std::size_t shift = 0;
    for (char c : part(at, count)) {
      value |= static_cast<std::size_t>(static_cast<unsigned char>(c)) << shift;
      shift += 8;
    }
    return value;
  }
  std::string unpacked(entry const& e) const {
    if (part(e.offset, 4) != "PK\x03\x04" ||
        part(e.offset + 30, number(e.offset + 26, 2)) != e.name)
      fail("is damaged at " + e.name);
    if (e.flags % 2 != 0) fail("is encrypted");
    std::string_view const data =
        part(e.offset + 30 + number(e.offset + 26, 2) + number(e.offset + 28, 2), e.packed);
    if (e.method != 0 && e.method != 8)
      fail("uses an unsupported compression method, " + std::to_string(e.method) + " at " + e.name);
    std::string result = e.method == 0 ? std::string(data) : inflated(data, e);
    if (result.size() != e.size || checksum(result) != e.crc) fail("is damaged at " + e.name);
    return result;
  }
  std::string inflated(std::string_view data, entry const& e) const {
    // Deflate compresses at most 1032 to 1: a larger size cannot be right, and is not allocated.
    if (e.size / 1040 > data.size()) fail("is damaged at " + e.name);
    std::string result(e.size, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -15) != Z_OK) fail("cannot be unpacked");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream.avail_in = static_cast<uInt>(data.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = static_cast<uInt>(result.size());
    int const status = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    if (status != Z_STREAM_END) fail("is damaged at " + e.name);
    result.resize(stream.total_out);
    return result;
  }

  std::string const& file_;
  std::string bytes_;
  std::vector<entry> entries_;
};

}  // namespace kroton::files
