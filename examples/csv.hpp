// CSV files, record by record and in constant memory: quoted fields, any line ending, and malformed ones told apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// Reads the records of a file (RFC 4180): fields may be quoted, and then hold separators, line ends and doubled quotes. Lines
/// end with \n or \r\n, the last may go without. Empty lines are left out, and so is a byte order mark.
class csv_reader {
 public:
  /// A path, or "-" for the standard input. Throws std::runtime_error, as all of this does.
  csv_reader(std::string const& path, char separator)
      : path_(path), separator_(separator), file_(path == "-" ? stdin : std::fopen(path.c_str(), "rb")) {
    if (!file_) throw std::runtime_error(path_ + ": " + std::strerror(errno));
    refill();
    std::string_view const start(buffer_.data(), end_);
    if (start.starts_with("\xEF\xBB\xBF")) next_ = 3;
    if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF"))
      throw std::runtime_error(path_ + ": this is UTF-16; convert it to UTF-8 first");
  }

  /// Goes to the next record; false at the end of the file.
  bool next() {
    for (;;) {
      position_ += next_ - begin_;
      line_ += lines_;
      lines_ = 0;
      begin_ = next_;
      if (begin_ == end_ && !refill()) return next_ = begin_, false;
      std::size_t end = find_end();
      next_ = end + (end < end_ ? 1 : 0);
      if (end > begin_ && buffer_[end - 1] == '\r') --end;
      if (end == begin_) continue;
      split(end);
      return true;
    }
  }

  /// The fields of the record, valid until the next one.
  std::vector<std::string_view> const& fields() const { return fields_; }
  /// The line on which the record begins, counted from 1.
  std::size_t line() const { return line_; }
  /// How many bytes lie before the record.
  std::uint64_t position() const { return position_; }

 private:
  static constexpr std::size_t chunk = std::size_t(1) << 20, longest_record = std::size_t(1) << 26;

  /// Moves what is left to the front and reads on; false at the end of the file. Then begin_ is 0.
  bool refill() {
    if (end_ > begin_) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ > longest_record) throw std::runtime_error(at_line() + "a record of more than 64 MiB: is a quote not closed?");
    buffer_.resize(end_ + chunk);
    std::size_t const count = std::fread(buffer_.data() + end_, 1, chunk, file_.get());
    if (count == 0 && std::ferror(file_.get())) throw std::runtime_error(path_ + ": " + std::strerror(errno));
    end_ += count;
    return count > 0;
  }
  std::string at_line() const { return path_ + ", line " + std::to_string(line_) + ": "; }

  /// Where the record that starts at begin_ ends: its line end, or the end of the file.
  std::size_t find_end() {
    lines_ = 1;
    std::size_t length = 0;  // of what is known to hold no line end
    for (;;) {
      char const* const from = buffer_.data() + begin_;
      std::size_t const available = end_ - begin_;
      auto const* const newline = static_cast<char const*>(std::memchr(from + length, '\n', available - length));
      std::size_t const end = newline == nullptr ? available : static_cast<std::size_t>(newline - from);
      if (std::memchr(from, '"', end) != nullptr) return find_quoted_end();
      if (newline != nullptr) return begin_ + end;
      length = available;
      if (!refill()) return end_;
    }
  }
  std::size_t find_quoted_end() {
    enum { start, plain, quoted, behind_quote } state = start;
    for (std::size_t i = 0;; ++i) {
      if (begin_ + i == end_ && !refill()) {
        if (state == quoted) throw std::runtime_error(at_line() + "a quoted field is not closed");
        return end_;
      }
      char const c = buffer_[begin_ + i];
      if (state == quoted) {
        if (c == '"') state = behind_quote;
        lines_ += c == '\n';
      } else if (c == '\n') {
        return begin_ + i;
      } else if (c == separator_) {
        state = start;
      } else {
        // Behind a closing quote another one was an escape.
        state = c == '"' && state != plain ? quoted : plain;
      }
    }
  }

  /// Cuts the record into fields, taking quotes away in place.
  void split(std::size_t end) {
    fields_.clear();
    for (std::size_t i = begin_;; ++i) {
      std::size_t const start = i;
      if (i < end && buffer_[i] == '"') {
        std::size_t to = start;
        for (++i; i < end; ++i) {
          if (buffer_[i] == '"' && (i + 1 == end || buffer_[i + 1] != '"')) break;
          if (buffer_[i] == '"') ++i;
          buffer_[to++] = buffer_[i];
        }
        // What stands between the closing quote and the separator is kept.
        for (++i; i < end && buffer_[i] != separator_; ++i) buffer_[to++] = buffer_[i];
        fields_.emplace_back(buffer_.data() + start, to - start);
      } else {
        auto const* const found = i < end ? static_cast<char const*>(std::memchr(&buffer_[i], separator_, end - i)) : nullptr;
        i = found == nullptr ? end : static_cast<std::size_t>(found - buffer_.data());
        fields_.emplace_back(buffer_.data() + start, i - start);
      }
      if (i >= end) return;
    }
  }

  struct close {
    void operator()(std::FILE* f) const {
      if (f != stdin) std::fclose(f);
    }
  };
  std::string path_;
  char separator_;
  std::unique_ptr<std::FILE, close> file_;
  std::vector<char> buffer_{};
  std::size_t begin_ = 0, next_ = 0, end_ = 0;  // the record, what is behind it, all that was read
  std::uint64_t position_ = 0;
  std::size_t line_ = 1, lines_ = 0;  // lines_: of the record
  std::vector<std::string_view> fields_{};
};

inline std::string_view trimmed(std::string_view field) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  return field;
}

/// Reads a field as a number: nothing, NA and null are NaN, true and false are 1 and 0. False when it is not a number.
inline bool to_number(std::string_view field, double& value) {
  field = trimmed(field);
  auto is = [&](std::string_view word) {
    if (field.size() != word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
      if ((field[i] | 0x20) != (word[i] | 0x20)) return false;
    return true;
  };
  if (field.empty()) return value = std::numeric_limits<double>::quiet_NaN(), true;
  // Beyond the range of double it is 0 or infinity, as in NumPy.
  std::string const text(field);
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  if (*end == '\0' && text.find_first_of("xX") == text.npos) return true;
  if (is("na") || is("n/a") || is("null") || is("none")) return value = std::numeric_limits<double>::quiet_NaN(), true;
  if (is("true") || is("false")) return value = is("true") ? 1 : 0, true;
  return false;
}

/// A field as it stands in a file: quoted where that is needed.
inline std::string csv_field(std::string_view field, char separator) {
  if (field.find_first_of("\"\r\n") == std::string_view::npos && field.find(separator) == std::string_view::npos)
    return std::string(field);
  std::string result = "\"";
  for (char c : field) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

}  // namespace example
