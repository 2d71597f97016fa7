// The columns of a CSV file by name, read block by block as numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "csv.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <unistd.h>

namespace example {

/// What to read, and how.
struct csv_source {
  std::string path;  // or "-" for the standard input
  char separator = ',';
  bool header = true;      // whether the first line holds names
  std::string names = {};  // in place of these, separated by commas
  bool skip_bad = false;   // whether to leave out rows that are malformed
};

/// A name that formulas can use: each run of other characters than letters, digits and _ becomes one _, none at the ends.
inline std::string identifier(std::string_view name) {
  auto belongs = [](char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_'; };
  std::string result;
  bool gap = false;
  for (char c : name) {
    if (belongs(c) && std::exchange(gap, false) && !result.empty()) result += '_';
    if (belongs(c))
      result += c;
    else
      gap = true;
  }
  if (!result.empty() && result[0] >= '0' && result[0] <= '9') result.insert(0, "_");
  for (std::string_view word :
       {"pi", "inf", "nan", "True", "False", "None", "and", "or", "not", "if", "else", "in", "is", "lambda", "for"})
    if (result == word) result += '_';
  return result;
}

/// A progress report on the standard error: one line that is written over on a terminal; elsewhere, for a large file, a line
/// for every quarter.
class progress_line {
 public:
  explicit progress_line(std::uintmax_t bytes) : bytes_(bytes) {}

  void start() {
    begin_ = std::chrono::steady_clock::now();
    shown_ = 0;
  }
  void show(std::uintmax_t position, std::size_t rows) {
    constexpr std::uintmax_t large = std::uintmax_t(1) << 28;
    if (bytes_ == 0 || (!terminal_ && bytes_ < large)) return;
    auto const percent = static_cast<int>(100 * std::min(position, bytes_) / bytes_);
    if (!terminal_ && percent / 25 == shown_ / 25) return;
    shown_ = percent;
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    std::fprintf(stderr, "%s%d %%, %.1f million rows, %.2f million a second%s", terminal_ ? "\r\x1b[K" : "", percent,
                 static_cast<double>(rows) / 1e6, static_cast<double>(rows) / 1e6 / std::max(seconds, 1e-3),
                 terminal_ ? "" : "\n");
  }
  void clear() const {
    if (terminal_ && shown_ > 0) std::fprintf(stderr, "\r\x1b[K");
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  std::uintmax_t bytes_;
  int shown_ = 0;
  std::chrono::steady_clock::time_point begin_{};
};

/// A CSV file as a table of numbers. Every member throws std::runtime_error with one sentence.
class csv_table {
 public:
  static constexpr std::size_t block_rows = std::size_t(1) << 16;

  explicit csv_table(csv_source from) : source_(std::move(from)), progress_(bytes_of(source_.path)) {
    reader_.emplace(source_.path, source_.separator);
    if (!reader_->next()) throw std::runtime_error(source_.path + " is empty");
    auto const& first = reader_->fields();
    if (first.back().find('\r') != std::string_view::npos)
      throw std::runtime_error(source_.path + ": lines end with \\r alone; convert them first (tr '\\r' '\\n')");
    for (std::string_view field : first)
      names_.push_back(source_.header ? identifier(field) : "c" + std::to_string(names_.size() + 1));
    least_ = most_ = first.size();
    if (!source_.names.empty()) name_columns();
  }

  std::vector<std::string> const& names() const { return names_; }

  /// Makes a column one of those that are read. Throws when there is none of that name, or more than one.
  void use(std::string const& name) {
    auto const found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) throw std::runtime_error("there is no column '" + name + "'; the columns are " + listed());
    if (auto const second = std::find(found + 1, names_.end(), name); second != names_.end())
      throw std::runtime_error("columns " + std::to_string(found - names_.begin() + 1) + " and " +
                               std::to_string(second - names_.begin() + 1) + " are both called '" + name +
                               "'; --names gives others");
    used_.emplace(name, static_cast<std::size_t>(found - names_.begin()));
  }

  /// Reads the file and calls f with block after block, at least one: a map from names to vectors of numbers, and the number of
  /// rows.
  template <class F>
  void read(F f) {
    bool pending = !source_.header;  // the first record is a row
    if (std::exchange(was_read_, true)) {
      if (source_.path == "-")
        throw std::runtime_error("a reduction reads the file once more, which the standard input cannot be");
      reader_.emplace(source_.path, source_.separator);
      reader_->next();
    }
    std::map<std::string, std::vector<double>> block;
    for (auto const& [name, position] : used_) block[name].reserve(block_rows);
    std::size_t rows = 0, all = 0;
    skipped_ = 0;
    progress_.start();
    auto hand_over = [&] {
      f(std::as_const(block), rows);
      for (auto& [name, numbers] : block) numbers.clear();
      all += std::exchange(rows, 0);
      progress_.show(reader_->position(), all);
    };
    while (std::exchange(pending, false) || reader_->next()) {
      if (!read_row(block)) continue;
      if (++rows == block_rows) hand_over();
    }
    if (rows > 0 || all == 0) hand_over();
    progress_.clear();
  }

  /// How many rows the last reading left out, and what was wrong with the first of them.
  std::size_t skipped() const { return skipped_; }
  std::string const& first_skipped() const { return first_skipped_; }

 private:
  static std::uintmax_t bytes_of(std::string const& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw std::runtime_error(path + " is a directory");
    bool const has_size = path != "-" && std::filesystem::is_regular_file(path, ignored);
    return has_size ? std::filesystem::file_size(path, ignored) : 0;
  }

  void name_columns() {
    std::vector<std::string> given;
    std::string_view const list = source_.names;
    for (std::size_t begin = 0; begin <= list.size();) {
      std::size_t const end = std::min(list.find(',', begin), list.size());
      given.push_back(identifier(list.substr(begin, end - begin)));
      begin = end + 1;
    }
    if (source_.header) {
      // What the first line says is gone, and with it how many fields there are.
      names_ = given;
      least_ = given.size();
      most_ = std::numeric_limits<std::size_t>::max();
    } else {
      if (given.size() > names_.size())
        throw std::runtime_error("--names gives " + std::to_string(given.size()) + " names, but there are " +
                                 std::to_string(names_.size()) + " columns");
      std::copy(given.begin(), given.end(), names_.begin());
    }
  }

  bool read_row(std::map<std::string, std::vector<double>>& block) {
    auto const& fields = reader_->fields();
    if (fields.size() < least_ || fields.size() > most_)
      return bad("there " +
                 std::string(fields.size() == 1 ? "is 1 field" : "are " + std::to_string(fields.size()) + " fields") +
                 ", not " + std::to_string(least_));
    numbers_.clear();
    for (auto const& [name, position] : used_) {
      double value = 0;
      if (!to_number(fields[position], value))
        return bad("'" + shown(fields[position]) + "' in column '" + name + "' is not a number");
      numbers_.push_back(value);
    }
    std::size_t k = 0;
    for (auto& [name, numbers] : block) numbers.push_back(numbers_[k++]);
    return true;
  }
  bool bad(std::string const& what) {
    std::string const sentence = source_.path + ", line " + std::to_string(reader_->line()) + ": " + what;
    if (!source_.skip_bad) throw std::runtime_error(sentence + " (--skip-bad leaves such rows out)");
    if (skipped_++ == 0) first_skipped_ = sentence;
    return false;
  }

  static std::string shown(std::string_view field) {
    std::string result(field.substr(0, 40));
    for (char& c : result)
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return result;
  }
  std::string listed() const {
    std::string list;
    for (std::size_t i = 0; i < names_.size() && i < 40; ++i) list += (i == 0 ? "" : ", ") + names_[i];
    return names_.size() > 40 ? list + " ... (--columns lists all)" : list;
  }

  csv_source source_;
  progress_line progress_;
  std::optional<csv_reader> reader_{};
  std::vector<std::string> names_{};
  std::size_t least_ = 0, most_ = 0;  // fields of a row
  std::map<std::string, std::size_t> used_{};
  std::vector<double> numbers_{};
  bool was_read_ = false;
  std::size_t skipped_ = 0;
  std::string first_skipped_{};
};

}  // namespace example
